//! Every key of the board, in one table: what it does where, and what the help says of it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Where the person is. Keys mean something there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    List,
    Look,
    Permission,
    Plan,
    Question,
    Setup,
    Words,
    /// The input of a tool.
    Input,
    Other,
    Nudge,
    Filter,
    Search,
    Find,
    Found,
    Peek,
    Talk,
    Start,
    Confirm,
    Help,
}

impl Place {
    pub const ALL: [Self; 19] = [
        Self::List,
        Self::Look,
        Self::Permission,
        Self::Plan,
        Self::Question,
        Self::Setup,
        Self::Words,
        Self::Input,
        Self::Other,
        Self::Nudge,
        Self::Filter,
        Self::Search,
        Self::Find,
        Self::Found,
        Self::Peek,
        Self::Talk,
        Self::Start,
        Self::Confirm,
        Self::Help,
    ];

    /// What the help is headed with.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::List => "the board",
            Self::Look => "one session",
            Self::Permission => "a permission",
            Self::Plan => "a plan",
            Self::Question => "a question",
            Self::Setup => "a dialog",
            Self::Words => "your reason",
            Self::Input => "another input",
            Self::Other => "your own answer",
            Self::Nudge => "a message",
            Self::Filter => "the filter",
            Self::Search => "looking for a session",
            Self::Find => "looking in conversations",
            Self::Found => "what was found",
            Self::Peek => "the live screen",
            Self::Talk => "the conversation",
            Self::Start => "a new session",
            Self::Confirm => "are you sure?",
            Self::Help => "this help",
        }
    }

    /// Whether letters are text here.
    #[must_use]
    pub fn is_typed_in(self) -> bool {
        TYPED.contains(&self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Down,
    Up,
    PageDown,
    PageUp,
    Top,
    Bottom,
    Open,
    Back,
    Quit,
    Help,
    NextAsking,
    Undo,
    Filter,
    Search,
    Next,
    Previous,
    Find,
    Group,
    Ended,
    Nudge,
    Interrupt,
    Peek,
    Talk,
    Attach,
    Jump,
    Start,
    Resume,
    End,
    Redraw,
    AllowOnce,
    AllowSession,
    AllowPath,
    Deny,
    DenyWords,
    EditInput,
    /// In a program of the person's choice.
    Outside,
    /// An option of the dialog, by its number.
    Number,
    Toggle,
    Other,
    NextPart,
    PreviousPart,
    Submit,
    Newline,
    Older,
    Newer,
    Left,
    Right,
    Home,
    EndOfLine,
    Backspace,
    Delete,
    DeleteWord,
    Clear,
    NextField,
    NextAgent,
    Yes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    pub code: KeyCode,
    pub ctrl: bool,
    pub alt: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Binding {
    pub places: &'static [Place],
    pub keys: &'static [Chord],
    pub action: Action,
    /// For the help.
    pub says: &'static str,
    /// A word for the last row; what has none is in the help only.
    pub hint: &'static str,
}

const fn key(letter: char) -> Chord {
    Chord { code: KeyCode::Char(letter), ctrl: false, alt: false }
}

const fn ctrl(letter: char) -> Chord {
    Chord { code: KeyCode::Char(letter), ctrl: true, alt: false }
}

const fn named(code: KeyCode) -> Chord {
    Chord { code, ctrl: false, alt: false }
}

const ENTER: Chord = named(KeyCode::Enter);
const ESC: Chord = named(KeyCode::Esc);
const UP: Chord = named(KeyCode::Up);
const DOWN: Chord = named(KeyCode::Down);
const LEFT: Chord = named(KeyCode::Left);
const RIGHT: Chord = named(KeyCode::Right);
const PAGE_UP: Chord = named(KeyCode::PageUp);
const PAGE_DOWN: Chord = named(KeyCode::PageDown);
const TAB: Chord = named(KeyCode::Tab);
const BACK_TAB: Chord = named(KeyCode::BackTab);
const ALT_ENTER: Chord = Chord { code: KeyCode::Enter, ctrl: false, alt: true };
const DIGITS: [Chord; 9] = [key('1'), key('2'), key('3'), key('4'), key('5'), key('6'), key('7'), key('8'), key('9')];

use Place::{
    Confirm, Filter, Find, Found, Help, Input, List, Look, Nudge, Other, Peek, Permission, Plan, Question, Search,
    Setup, Start, Talk, Words,
};

const CARDS: &[Place] = &[Permission, Plan, Question, Setup];
const CHOOSE: &[Place] = &[Question, Setup];
const READ: &[Place] = &[Look, Permission, Plan, Peek, Talk, Help];
const TYPED: &[Place] = &[Words, Input, Other, Nudge, Filter, Search, Find, Start];
/// Where something can be done with the session that is looked at.
const DRIVE: &[Place] = &[List, Look, Peek, Talk];

const fn bind(
    places: &'static [Place],
    keys: &'static [Chord],
    action: Action,
    says: &'static str,
    hint: &'static str,
) -> Binding {
    Binding { places, keys, action, says, hint }
}

/// In the order of the help. The first that fits counts.
pub const TABLE: &[Binding] = &[
    bind(&[Permission], &[key('y')], Action::AllowOnce, "allow it this once", "allow"),
    bind(
        &[Permission],
        &[key('s')],
        Action::AllowSession,
        "allow what is shown for the rest of the session",
        "session",
    ),
    bind(&[Permission], &[key('p')], Action::AllowPath, "allow what is shown in this project", "project"),
    bind(&[Permission], &[key('n')], Action::Deny, "deny it", "deny"),
    bind(&[Permission], &[key('N')], Action::DenyWords, "deny it and say why", "deny and say why"),
    bind(&[Permission], &[key('e')], Action::EditInput, "change what it is run with, and allow that", "edit"),
    bind(&[Permission], &DIGITS, Action::Number, "choose an option of the agent's own dialog", ""),
    bind(&[Plan], &[key('y')], Action::AllowOnce, "approve the plan", "approve"),
    bind(&[Plan], &[key('n'), key('N')], Action::DenyWords, "reject the plan and say what is wrong with it", "reject"),
    bind(&[Plan], &DIGITS, Action::Number, "choose an option of the agent's own dialog", ""),
    bind(CHOOSE, &[DOWN, key('j')], Action::Down, "next option", ""),
    bind(CHOOSE, &[UP, key('k')], Action::Up, "option before", ""),
    bind(CHOOSE, &[key(' ')], Action::Toggle, "choose it, or take it back", "choose"),
    bind(CHOOSE, &DIGITS, Action::Number, "choose an option by its number", ""),
    bind(&[Question], &[key('o')], Action::Other, "answer in your own words", "own words"),
    bind(&[Question], &[TAB, RIGHT], Action::NextPart, "next question", "next"),
    bind(&[Question], &[BACK_TAB, LEFT], Action::PreviousPart, "question before", ""),
    bind(CHOOSE, &[ENTER], Action::Submit, "choose it and go on; with the last answer, send all of them", "answer"),
    bind(&[Words], &[ENTER], Action::Submit, "send it", "send"),
    bind(&[Input], &[ENTER], Action::Submit, "allow it this once, with this input", "allow"),
    bind(&[Input], &[ctrl('g')], Action::Outside, "write it in your own editor ($VISUAL or $EDITOR)", "your editor"),
    bind(&[Other], &[ENTER], Action::Submit, "take it as the answer", "done"),
    bind(&[Nudge], &[ENTER], Action::Submit, "send the message", "send"),
    bind(&[Words, Input, Other, Nudge], &[ALT_ENTER, ctrl('j')], Action::Newline, "a new line", "new line"),
    bind(&[Nudge], &[UP, ctrl('p')], Action::Older, "line above, or an older message", "older"),
    bind(&[Nudge], &[DOWN, ctrl('n')], Action::Newer, "line below, or a newer message", ""),
    bind(&[Words, Input, Other], &[UP], Action::Older, "line above", ""),
    bind(&[Words, Input, Other], &[DOWN], Action::Newer, "line below", ""),
    bind(&[Filter], &[ENTER], Action::Submit, "keep the filter; empty shows everything again", "keep"),
    bind(&[Search], &[ENTER], Action::Submit, "stay here; n and N go to the others", "stay"),
    bind(&[Find], &[ENTER], Action::Submit, "look in all conversations", "look"),
    bind(&[Start], &[ENTER], Action::Submit, "start it", "start"),
    bind(&[Start], &[TAB, DOWN], Action::NextField, "next field", "field"),
    bind(&[Start], &[BACK_TAB, UP], Action::NextField, "the other field", ""),
    bind(&[Start], &[ctrl('t')], Action::NextAgent, "another kind of agent", "agent"),
    bind(TYPED, &[LEFT, ctrl('b')], Action::Left, "to the left", ""),
    bind(TYPED, &[RIGHT, ctrl('f')], Action::Right, "to the right", ""),
    bind(TYPED, &[named(KeyCode::Home), ctrl('a')], Action::Home, "to the beginning of the line", ""),
    bind(TYPED, &[named(KeyCode::End), ctrl('e')], Action::EndOfLine, "to the end of the line", ""),
    bind(TYPED, &[named(KeyCode::Backspace), ctrl('h')], Action::Backspace, "remove what is before", ""),
    bind(TYPED, &[named(KeyCode::Delete), ctrl('d')], Action::Delete, "remove what is behind", ""),
    bind(TYPED, &[ctrl('w')], Action::DeleteWord, "remove the word before", ""),
    bind(TYPED, &[ctrl('u')], Action::Clear, "remove everything", ""),
    bind(&[Confirm], &[key('y')], Action::Yes, "yes, do it", "yes"),
    bind(&[Confirm], &[ESC, key('n'), key('q')], Action::Back, "no", "no"),
    bind(&[List], &[ENTER, RIGHT], Action::Open, "answer it, or look at it", "open"),
    bind(&[Found], &[ENTER], Action::Open, "go to this session", "go"),
    bind(&[Look], &[ENTER], Action::Open, "answer it, if it asks", ""),
    bind(&[List, Found], &[DOWN, key('j')], Action::Down, "next", ""),
    bind(&[List, Found], &[UP, key('k')], Action::Up, "the one before", ""),
    bind(READ, &[DOWN, key('j')], Action::Down, "read on", ""),
    bind(READ, &[UP, key('k')], Action::Up, "read back", ""),
    bind(
        &[List, Found, Look, Permission, Plan, Peek, Talk, Help],
        &[PAGE_DOWN, ctrl('f')],
        Action::PageDown,
        "a page down",
        "",
    ),
    bind(
        &[List, Found, Look, Permission, Plan, Peek, Talk, Help],
        &[PAGE_UP, ctrl('b')],
        Action::PageUp,
        "a page up",
        "",
    ),
    bind(
        &[List, Found, Look, Permission, Plan, Peek, Talk, Help],
        &[key('g'), named(KeyCode::Home)],
        Action::Top,
        "to the beginning",
        "",
    ),
    bind(
        &[List, Found, Look, Permission, Plan, Peek, Talk, Help],
        &[key('G'), named(KeyCode::End)],
        Action::Bottom,
        "to the end",
        "",
    ),
    bind(&[List], &[TAB], Action::NextAsking, "next one that needs you", "next"),
    bind(DRIVE, &[key('m')], Action::Nudge, "send it a message", "message"),
    bind(DRIVE, &[key('p')], Action::Peek, "its live screen", "peek"),
    bind(DRIVE, &[key('c')], Action::Talk, "what was said and done", "conversation"),
    bind(DRIVE, &[key('a')], Action::Attach, "get into it; Ctrl-\\ leads back here", "attach"),
    bind(DRIVE, &[key('t')], Action::Jump, "go to its tmux window", ""),
    bind(DRIVE, &[key('i')], Action::Interrupt, "interrupt what it does", ""),
    bind(&[List, Look], &[key('r')], Action::Resume, "go on with one that has ended", ""),
    bind(DRIVE, &[key('x')], Action::End, "end it", ""),
    bind(&[List], &[key('+')], Action::Start, "start a session", "start"),
    bind(&[List, Look, Permission, Plan], &[key('u')], Action::Undo, "take an answer back before it is sent", ""),
    bind(&[List], &[key('f')], Action::Filter, "show only what has these words", "filter"),
    bind(&[List], &[key('/')], Action::Search, "look for a session", "search"),
    bind(&[List], &[key('n')], Action::Next, "next that was looked for", ""),
    bind(&[List], &[key('N')], Action::Previous, "the one before that was looked for", ""),
    bind(&[List], &[key('s')], Action::Find, "look in conversations, also of sessions that have ended", ""),
    bind(&[List], &[key('o')], Action::Group, "by project, by host, or none of it", "group"),
    bind(&[List], &[key('e')], Action::Ended, "with those that have ended, or without", ""),
    bind(
        &[List, Look, Permission, Plan, Question, Setup, Found, Peek, Talk],
        &[key('?')],
        Action::Help,
        "these keys",
        "keys",
    ),
    bind(&[Look, Found, Peek, Talk, Help], &[ESC, key('q'), LEFT], Action::Back, "back", "back"),
    bind(CARDS, &[ESC, key('q')], Action::Back, "back; it stays unanswered", "back"),
    bind(TYPED, &[ESC], Action::Back, "back; nothing is sent or changed", "back"),
    bind(&[List], &[key('q')], Action::Quit, "leave the board; the agents go on", "quit"),
    bind(&Place::ALL, &[ctrl('c')], Action::Quit, "leave the board", ""),
    bind(&Place::ALL, &[ctrl('l')], Action::Redraw, "paint everything anew", ""),
];

/// What a key does at a place.
#[must_use]
pub fn action(place: Place, pressed: KeyEvent) -> Option<Action> {
    let chord = Chord::of(pressed);
    at(place).find(|binding| binding.keys.contains(&chord)).map(|binding| binding.action)
}

/// The keys of a place, in the order of the help.
pub fn at(place: Place) -> impl Iterator<Item = &'static Binding> {
    TABLE.iter().filter(move |binding| binding.places.contains(&place))
}

impl Chord {
    /// Shift is in the letter already.
    fn of(pressed: KeyEvent) -> Self {
        let has = |modifier| pressed.modifiers.contains(modifier);
        Self { code: pressed.code, ctrl: has(KeyModifiers::CONTROL), alt: has(KeyModifiers::ALT) }
    }

    #[must_use]
    pub fn name(&self) -> String {
        let code = match self.code {
            KeyCode::Char(' ') => "Space".to_owned(),
            KeyCode::Char(letter) => letter.to_string(),
            KeyCode::Up => "↑".to_owned(),
            KeyCode::Down => "↓".to_owned(),
            KeyCode::Left => "←".to_owned(),
            KeyCode::Right => "→".to_owned(),
            KeyCode::PageUp => "PgUp".to_owned(),
            KeyCode::PageDown => "PgDn".to_owned(),
            KeyCode::BackTab => "Shift-Tab".to_owned(),
            other => format!("{other:?}"),
        };
        let code = if self.ctrl { code.to_uppercase() } else { code };
        format!("{}{}{code}", if self.ctrl { "Ctrl-" } else { "" }, if self.alt { "Alt-" } else { "" })
    }
}

impl Binding {
    /// All keys, for the help.
    #[must_use]
    pub fn names(&self) -> String {
        match self.keys {
            keys if keys == DIGITS => "1-9".to_owned(),
            keys => keys.iter().map(Chord::name).collect::<Vec<_>>().join(" "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_key_means_one_thing_at_a_place() {
        for place in Place::ALL {
            let mut seen: HashMap<Chord, Action> = HashMap::new();
            for binding in at(place) {
                for chord in binding.keys {
                    let before = seen.insert(*chord, binding.action);
                    assert!(before.is_none(), "{place:?} {} is {before:?} and {:?}", chord.name(), binding.action);
                }
            }
            assert!(
                seen.values().any(|action| matches!(action, Action::Back | Action::Quit)),
                "no way out of {place:?}"
            );
        }
    }

    #[test]
    fn letters_are_letters_where_text_is_typed() {
        for place in Place::ALL.into_iter().filter(|place| place.is_typed_in()) {
            for binding in at(place) {
                let plain = |chord: &&Chord| matches!(chord.code, KeyCode::Char(_)) && !chord.ctrl && !chord.alt;
                assert!(binding.keys.iter().find(plain).is_none(), "{place:?} {binding:?}");
            }
        }
    }

    #[test]
    fn names() {
        let row = |action| TABLE.iter().find(|binding| binding.action == action).unwrap().names();
        assert_eq!(row(Action::Newline), "Alt-Enter Ctrl-J");
        assert_eq!(row(Action::Number), "1-9");
        assert_eq!(row(Action::PageDown), "PgDn Ctrl-F");
        assert_eq!(row(Action::PreviousPart), "Shift-Tab ←");
    }
}
