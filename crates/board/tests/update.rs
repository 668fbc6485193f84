//! Events in, effects out: rows of keys with what they lead to, and properties that hold for any keys.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may")]

mod common;

use common::{Board, NOW, permission, prompt, session};
use coop_api::hub::{Answered, Session, Settled};
use coop_api::v1::{Answer, ConversationEntry, RespondRequest};
use coop_board::event::{Effect, Event, FromHub, Moment, Reply, Said};
use coop_board::keys::{Action, Chord, Place, TABLE, at};
use coop_board::model::{Focus, Link, Row};
use crossterm::event::{KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;

fn respond(accept: Option<bool>, scope: Option<&str>, text: Option<&str>) -> RespondRequest {
    RespondRequest {
        accept,
        scope: scope.map(str::to_owned),
        text: text.map(str::to_owned),
        ..RespondRequest::default()
    }
}

fn settled(id: u64, outcome: &str, by: &str) -> FromHub {
    let over =
        Settled { id, outcome: outcome.into(), by: by.into(), text: "rm -rf build".into(), ..Settled::default() };
    FromHub::Settled(Box::new(over))
}

/// Keys from the list with the first session selected, and the answer that is sent in the end.
#[test]
fn answers() {
    let answer =
        |options: &[u32], text: Option<&str>| Answer { options: options.to_vec(), text: text.map(str::to_owned) };
    let answers = |answers: Vec<Answer>| RespondRequest { answers, ..RespondRequest::default() };
    for (keys, prompt, expected) in [
        ("Enter y", 11, Some(respond(Some(true), None, None))),
        ("Enter s", 11, Some(respond(Some(true), Some("session"), None))),
        ("Enter p", 11, Some(respond(Some(true), Some("path"), None))),
        ("Enter n", 11, Some(respond(Some(false), None, None))),
        ("Enter N n o Enter", 11, Some(respond(Some(false), None, Some("no")))),
        ("Enter N Enter", 11, Some(respond(Some(false), None, None))),
        ("Enter 1", 11, None),
        ("Enter Esc y", 11, None),
        ("Enter N Esc", 11, None),
        ("y", 11, None),
        (
            "j Enter 2 Enter Space Down Down Space Enter",
            12,
            Some(answers(vec![answer(&[2], None), answer(&[1, 3], None)])),
        ),
        // Enter takes the row the person is at.
        ("j Enter Enter Enter", 12, Some(answers(vec![answer(&[1], None), answer(&[1], None)]))),
        ("j Enter o b l u e Enter 3 Enter", 12, Some(answers(vec![answer(&[], Some("blue")), answer(&[3], None)]))),
        ("j Enter Tab 1 Enter", 12, None),
        ("j Enter Tab 1 Enter 1 Enter Enter", 12, Some(answers(vec![answer(&[1], None), answer(&[1], None)]))),
        ("j j Enter y", 13, Some(respond(Some(true), None, None))),
        ("j j Enter n m o r e Enter", 13, Some(respond(Some(false), None, Some("more")))),
    ] {
        let mut board = Board::full(120, 40);
        board.took();
        board.press(keys);
        board.now += 60_000;
        board.happens(Event::Time);
        let sent = board.took().into_iter().find_map(|effect| match effect {
            Effect::Answer { prompt, answer } => Some((prompt, answer)),
            _ => None,
        });
        assert_eq!(sent, expected.map(|answer| (prompt, answer)), "{keys}");
    }
}

#[test]
fn a_dangerous_answer_waits_and_can_be_taken_back() {
    for (keys, waits) in
        [("Enter y", true), ("Enter s", true), ("Enter p", true), ("Enter n", false), ("j j Enter y", true)]
    {
        let mut board = Board::full(120, 40);
        board.took();
        board.press(keys);
        let sent = board.took().iter().any(|effect| matches!(effect, Effect::Answer { .. }));
        assert_eq!(sent, !waits, "{keys}");
        if !waits {
            continue;
        }
        assert_eq!(board.model.deadline(), Some(NOW + 3000));
        assert!(board.screen().contains("is sent in 3 s"), "{}", board.screen());
        board.now += 2999;
        board.happens(Event::Time);
        assert!(board.screen().contains("is sent in 1 s"), "{}", board.screen());
        board.press("u");
        board.now += 60_000;
        board.happens(Event::Time);
        assert!(board.took().iter().all(|effect| !matches!(effect, Effect::Answer { .. })), "{keys} was taken back");
        assert!(board.model.sending.is_empty());
    }
}

#[test]
fn nothing_is_answered_before_the_hub_says_so() {
    let mut board = Board::full(120, 40);
    board.press("Enter n");
    assert!(board.screen().contains("deny: on its way"), "{}", board.screen());
    let answered = Answered { id: 11, delivered: true, ..Answered::default() };
    board.happens(Event::Reply(Reply::Answered { prompt: 11, result: Ok(answered) }));
    assert!(board.model.prompts.contains_key(&11), "the hub has not said that it is settled");
    // A second answer is not sent.
    board.took();
    board.press("Enter n");
    assert!(board.took().iter().all(|effect| !matches!(effect, Effect::Answer { .. })));
    board.tell(settled(11, "deny", "socket"));
    assert!(board.model.sending.is_empty() && !board.model.prompts.contains_key(&11));
    assert!(board.screen().contains("Denied: rm -rf build"), "{}", board.screen());
}

#[test]
fn an_answer_that_did_not_arrive_can_be_given_again() {
    let mut board = Board::full(120, 40);
    board.press("Enter n");
    board.happens(Event::Reply(Reply::Answered { prompt: 11, result: Err("the hub is gone".into()) }));
    assert!(board.screen().contains("Not answered: the hub is gone"), "{}", board.screen());
    board.took();
    board.press("Enter n");
    assert!(board.took().iter().any(|effect| matches!(effect, Effect::Answer { .. })));
}

#[test]
fn a_card_answered_elsewhere_says_so_and_goes() {
    for keys in ["Enter", "Enter ?", "Enter N w h y"] {
        let mut board = Board::full(120, 40);
        board.press(keys);
        board.tell(settled(11, "allow", "phone"));
        assert_eq!(board.model.place(), Place::List, "{keys}");
        assert!(board.screen().contains("It was allowed by phone: rm -rf build"), "{}", board.screen());
    }
    let mut board = Board::full(120, 40);
    board.press("Enter y");
    board.tell(settled(11, "terminal", "terminal"));
    board.now += 60_000;
    board.took();
    board.happens(Event::Time);
    assert_eq!(board.took(), [], "nobody answers what is over");
}

#[test]
fn what_can_only_be_answered_once_is_not_answered_for_longer() {
    let mut board = Board::new(120, 40);
    let once = coop_api::hub::Prompt { suggestion: None, ..permission() };
    board.tell(FromHub::All { sessions: common::fleet(), prompts: vec![once] });
    board.press("Enter s p");
    assert!(board.model.sending.is_empty());
    assert!(board.screen().contains("only be answered once"));
}

/// What a tool is run with is changed before it is allowed; what is wrong with it is said, and stays to be mended.
#[test]
fn an_input_is_changed() {
    let changed = |text: &str| {
        let mut board = Board::full(80, 24);
        board.model.settings.undo_ms = 0;
        board.press("Enter e Ctrl-U");
        board.happens(Event::Paste(text.into()));
        board.press("Enter");
        let sent = board.took().into_iter().find_map(|effect| match effect {
            Effect::Answer { prompt: 11, answer } => Some(answer),
            _ => None,
        });
        (sent, board)
    };
    let (sent, board) = changed("{ \"command\": \"ls\" }");
    let expected =
        RespondRequest { updated_input: Some("{\"command\":\"ls\"}".into()), ..respond(Some(true), None, None) };
    assert_eq!((sent, board.model.place()), (Some(expected), Place::List));
    let as_it_is = permission().input.to_string();
    for (text, why) in
        [("{", "no JSON"), ("", "no JSON"), ("[1]", "JSON object"), (as_it_is.as_str(), "Nothing is changed")]
    {
        let (sent, board) = changed(text);
        assert_eq!((sent, board.model.place()), (None, Place::Input), "{text}");
        assert!(board.model.notice.is_some_and(|notice| notice.text.contains(why)), "{text}");
    }
    // In an editor of the person's own.
    let mut board = Board::full(80, 24);
    board.press("Enter e Ctrl-G");
    let given = board.took().into_iter().find_map(|effect| match effect {
        Effect::Write { prompt: 11, text } => Some(text),
        _ => None,
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(&given.unwrap()).unwrap(), permission().input);
    let written = |result: Result<&str, &str>| {
        let result = result.map(str::to_owned).map_err(str::to_owned);
        Event::Reply(Reply::Written { prompt: 11, result })
    };
    board.happens(written(Err("it ended with 1")));
    assert!(board.screen().contains("it ended with 1") && board.model.place() == Place::Input);
    board.happens(written(Ok("{\"command\":\"ls\"}\n")));
    board.press("Enter");
    assert!(board.screen().contains("changed input is sent in"), "{}", board.screen());
    // Of one that takes none.
    let mut board = Board::full(80, 24);
    board.tell(FromHub::Asked(Box::new(coop_api::hub::Prompt { editable: false, ..permission() })));
    board.press("Enter e");
    assert_eq!(board.model.place(), Place::Permission);
    assert!(board.screen().contains("as it is, or not at all"));
}

/// A conversation is read once, and then what is new in it.
#[test]
fn a_conversation_goes_on() {
    let mut board = Board::full(80, 24);
    board.press("c");
    let page = |board: &mut Board, after, text: &str, next| {
        let entry = ConversationEntry { kind: "assistant".into(), text: Some(text.into()), ..Default::default() };
        let result = Ok(Said { entries: vec![entry], next });
        board.happens(Event::Reply(Reply::Conversation { session: 1, after, result }));
    };
    let asked = |board: &mut Board| {
        board.took().into_iter().find_map(|effect| match effect {
            Effect::Conversation { session: 1, after } => Some(after),
            _ => None,
        })
    };
    assert_eq!(asked(&mut board), Some(0));
    page(&mut board, 0, "first", 7);
    board.tell(FromHub::Session(Box::new(session(1, "working", "works", "shop", 1))));
    assert_eq!(asked(&mut board), Some(7));
    page(&mut board, 7, "second", 9);
    page(&mut board, 7, "second", 9);
    let screen = board.screen();
    assert!(screen.contains("first") && screen.matches("second").count() == 1, "{screen}");
    board.happens(Event::Reply(Reply::Conversation { session: 1, after: 9, result: Err("away".into()) }));
    assert!(board.screen().contains("second"), "what was read is still true");
    let other = Session { session_id: Some("another".into()), ..session(1, "idle", "rests", "shop", 0) };
    board.tell(FromHub::Session(Box::new(other)));
    assert_eq!(asked(&mut board), Some(0), "another conversation");
    page(&mut board, 0, "anew", 2);
    let screen = board.screen();
    assert!(screen.contains("anew") && !screen.contains("second"), "{screen}");
}

/// What the keys on a session lead to.
#[test]
fn driving() {
    let nudge = |session, message: &str| Effect::Nudge { session, message: message.into() };
    for (keys, expected) in [
        ("m g o Enter", vec![nudge(1, "go")]),
        ("m a Alt-Enter b Enter", vec![nudge(1, "a\nb")]),
        ("m Esc", vec![]),
        ("m Enter", vec![]),
        ("i y", vec![Effect::Interrupt(1)]),
        ("i n", vec![]),
        ("x y", vec![Effect::End(1)]),
        ("x Esc", vec![]),
        ("p", vec![Effect::Peek(1), Effect::Seen(1)]),
        ("p q", vec![Effect::Peek(1), Effect::Seen(1), Effect::Unpeek]),
        ("c", vec![Effect::Conversation { session: 1, after: 0 }, Effect::Seen(1)]),
        ("a", vec![Effect::Attach { socket: "/run/coop/1.sock".into() }, Effect::Seen(1)]),
        ("t", vec![Effect::Jump { pid: 1001 }]),
        ("r", vec![]),
        ("G r", vec![Effect::Resume(8)]),
        ("G m", vec![]),
        ("G x", vec![]),
        ("s w o r d Enter", vec![Effect::Find("word".into())]),
        ("q", vec![Effect::Quit]),
        ("Ctrl-c", vec![Effect::Quit]),
        ("m Ctrl-c", vec![Effect::Quit]),
        ("Ctrl-l", vec![Effect::Redraw]),
    ] {
        let mut board = Board::full(120, 40);
        board.took();
        board.press(keys);
        let found: Vec<Effect> =
            board.took().into_iter().filter(|effect| !matches!(effect, Effect::Remember(_))).collect();
        assert_eq!(found, expected, "{keys}");
    }
}

#[test]
fn a_session_is_started() {
    let mut board = Board::full(120, 40);
    board.took();
    board.press("+ Ctrl-t Ctrl-u /tmp Tab --fast Enter");
    let found = board.took();
    let [Effect::Start(new)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (new.agent.as_str(), new.cwd.as_str(), new.args.as_slice()),
        ("codex", "/tmp", &["--fast".to_owned()][..])
    );
    board.press("+ Ctrl-u tmp Enter");
    assert_eq!(board.took(), [], "not a folder");
}

#[test]
fn messages_are_remembered() {
    let mut board = Board::full(120, 40);
    for message in ["one", "two", "one"] {
        board.press("m");
        board.press(message);
        board.press("Enter");
    }
    assert_eq!(board.model.history, ["two", "one"]);
    board.took();
    board.press("m Up Up Up Down Enter");
    let sent = board.took();
    assert!(sent.contains(&Effect::Nudge { session: 1, message: "one".into() }), "{sent:?}");
    assert!(sent.iter().any(|effect| matches!(effect, Effect::Remember(kept) if kept.history == ["two", "one"])));
}

#[test]
fn the_filter_hides_and_is_remembered() {
    let mut board = Board::full(120, 40);
    board.took();
    board.press("f s h o p Enter");
    assert_eq!(board.model.rows, [Row::Session(1), Row::Session(4)]);
    let kept = board.took();
    assert!(matches!(&kept[..], [Effect::Remember(kept)] if kept.lens.filter == "shop"), "{kept:?}");
    board.press("f Esc");
    assert_eq!(board.model.rows.len(), 8);
    board.press("e");
    assert_eq!(board.model.rows.len(), 7);
    board.press("o");
    assert_eq!(board.model.rows[0], Row::Group("shop".into(), 2));
    board.press("o o / d o c");
    assert_eq!(board.model.selected, Some(5), "the search goes there at once");
    board.press("Enter / agent:claude Enter");
    assert_eq!(board.model.selected, Some(6));
    board.press("n");
    assert_eq!(board.model.selected, Some(3), "and on to the next, round the end");
    board.press("N");
    assert_eq!(board.model.selected, Some(6));
}

#[test]
fn moving_about() {
    for (keys, selected) in [
        ("j", 2),
        ("j k", 1),
        ("G", 8),
        ("G g", 1),
        ("PgDn", 8),
        ("Tab", 2),
        ("Tab Tab", 3),
        ("Tab Tab Tab Tab Tab", 1),
    ] {
        let mut board = Board::full(120, 40);
        board.press(keys);
        assert_eq!(board.model.selected, Some(selected), "{keys}");
    }
    // What moves does not take the selection with it.
    let mut board = Board::full(120, 40);
    board.press("j");
    board.tell(FromHub::Session(Box::new(session(2, "idle", "rests", "site", 1))));
    assert_eq!(board.model.selected, Some(2));
    board.tell(FromHub::Forgotten(2));
    assert_eq!(board.model.selected, Some(1));
}

#[test]
fn esc_and_a_key_at_once_are_both() {
    let mut board = Board::full(120, 40);
    board.press("Enter");
    board.happens(Event::Key(KeyEvent::new(crossterm::event::KeyCode::Char('j'), KeyModifiers::ALT)));
    assert_eq!((board.model.place(), board.model.selected), (Place::List, Some(2)));
    // A message is not lost by it.
    board.press("m a");
    board.happens(Event::Key(KeyEvent::new(crossterm::event::KeyCode::Char('b'), KeyModifiers::ALT)));
    assert_eq!(board.model.place(), Place::Nudge);
}

#[test]
fn the_mouse() {
    let mouse = |kind, column, row| Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
    let left = MouseEventKind::Down(MouseButton::Left);
    let mut board = Board::full(80, 24);
    board.happens(mouse(left, 5, 3));
    assert_eq!((board.model.selected, board.model.place()), (Some(3), Place::List));
    board.happens(mouse(left, 5, 3));
    assert_eq!(board.model.place(), Place::Plan, "a second click opens");
    board.press("Esc");
    board.happens(mouse(MouseEventKind::ScrollUp, 5, 3));
    assert_eq!(board.model.selected, Some(2));
    board.happens(mouse(left, 500, 500));
    board.press("m");
    board.happens(mouse(left, 5, 1));
    assert_eq!(board.model.place(), Place::Nudge, "whoever types stays there");
}

#[test]
fn the_hub_goes_and_comes_back() {
    let mut board = Board::full(80, 24);
    board.tell(FromHub::Away("it has ended".into()));
    board.now += 30_000;
    assert!(board.screen().contains("the hub is away (30s)"), "{}", board.screen());
    assert!(board.screen().contains("shop"), "what it said last is there");
    board.tell(FromHub::All { sessions: common::fleet(), prompts: vec![prompt(21, 1, "permission", "Bash", "ls")] });
    assert_eq!(board.model.link, Link::Online);
    assert!(board.screen().contains("The hub is back"));
    assert_eq!(board.model.prompts.keys().copied().collect::<Vec<_>>(), [21]);
}

#[test]
fn an_answer_that_is_held_waits_for_the_hub() {
    let mut board = Board::full(80, 24);
    board.press("Enter y");
    board.tell(FromHub::Away("gone".into()));
    board.took();
    board.now += 60_000;
    board.happens(Event::Time);
    assert_eq!((board.took(), board.model.deadline()), (vec![], None));
    board.tell(FromHub::All { sessions: common::fleet(), prompts: vec![permission()] });
    board.happens(Event::Time);
    assert!(matches!(&board.took()[..], [Effect::Answer { prompt: 11, .. }]));
}

#[test]
fn a_prompt_that_is_being_answered_when_the_hub_is_anew_is_left() {
    let mut board = Board::full(80, 24);
    board.press("Enter");
    board.tell(FromHub::Away("gone".into()));
    board.tell(FromHub::All { sessions: common::fleet(), prompts: vec![] });
    assert_eq!(board.model.focus, Focus::List);
}

#[test]
fn who_is_told_of_what() {
    let mut board = Board::full(80, 24);
    let mut told = |id, state: &str, attention: &str| {
        board.took();
        board.tell(FromHub::Session(Box::new(session(id, state, attention, "shop", 0))));
        board.took().into_iter().find_map(|effect| match effect {
            Effect::Notify { moment, .. } => Some(moment),
            _ => None,
        })
    };
    assert_eq!(told(6, "prompt", "asks"), Some(Moment::Asks));
    assert_eq!(told(6, "prompt", "asks"), None, "once");
    assert_eq!(told(6, "working", "works"), None);
    assert_eq!(told(6, "idle", "done"), Some(Moment::Done));
    assert_eq!(told(6, "error", "failed"), Some(Moment::Failed));
    assert_eq!(told(6, "exited", "over"), Some(Moment::Ended));
    assert_eq!(told(99, "exited", "over"), None, "it was over before");
    assert_eq!(told(98, "prompt", "asks"), Some(Moment::Asks));
    board.happens(Event::Focus(true));
    board.press("g");
    let id = board.model.selected.unwrap();
    board.took();
    board.tell(FromHub::Session(Box::new(session(id, "error", "failed", "shop", 0))));
    assert!(board.took().is_empty(), "who looks at it sees it");
}

#[test]
fn a_board_wakes_only_when_a_text_changes() {
    let mut board = Board::new(80, 24);
    board.screen();
    assert_eq!(board.drawn.wake_ms, None, "nothing ages");
    board.tell(FromHub::All { sessions: vec![session(1, "idle", "rests", "shop", 3600)], prompts: vec![] });
    board.screen();
    assert_eq!(board.drawn.wake_ms, Some(NOW + 3_600_000));
    board.tell(FromHub::Session(Box::new(session(2, "working", "works", "shop", 30))));
    board.screen();
    assert_eq!(board.drawn.wake_ms, Some(NOW + 10_000));
}

/// Every row of the table can be reached where it says, and none of them ends in nothing being possible.
#[test]
fn every_key_of_every_place_is_safe() {
    let ways: [(Place, &str); 19] = [
        (Place::List, ""),
        (Place::Look, "G Enter"),
        (Place::Permission, "Enter"),
        (Place::Plan, "j j Enter"),
        (Place::Question, "j Enter"),
        (Place::Setup, ""),
        (Place::Words, "Enter N"),
        (Place::Input, "Enter e"),
        (Place::Other, "j Enter o"),
        (Place::Nudge, "m"),
        (Place::Filter, "f"),
        (Place::Search, "/"),
        (Place::Find, "s"),
        (Place::Found, ""),
        (Place::Peek, "p"),
        (Place::Talk, "c"),
        (Place::Start, "+"),
        (Place::Confirm, "x"),
        (Place::Help, "?"),
    ];
    for (place, way) in ways {
        for binding in at(place) {
            let lead = |chord: &Chord| leads(place, way, chord);
            let all: Vec<(String, String)> = binding.keys.iter().map(|chord| (chord.name(), lead(chord))).collect();
            // All keys of a row do the same, but for numbers.
            let same = binding.action == Action::Number || all.iter().all(|(_, to)| *to == all[0].1);
            assert!(same, "{place:?} {:?}: {all:#?}", binding.action);
        }
    }
    assert!(TABLE.iter().all(|binding| !binding.says.is_empty() && !binding.keys.is_empty()));
}

/// What becomes of the board with one key at a place.
fn leads(place: Place, way: &str, chord: &Chord) -> String {
    let mut board = Board::full(80, 24);
    match place {
        Place::Setup => {
            board.tell(FromHub::Asked(Box::new(prompt(5, 1, "setup", "trust", "Trust this folder?"))));
            board.tell(settled(11, "gone", ""));
            board.press("Enter");
        }
        Place::Found => {
            let hit = coop_api::hub::SearchHit { session: 8, ..Default::default() };
            board.happens(Event::Reply(Reply::Found(Ok(vec![hit]))));
        }
        _ => board.press(way),
    }
    assert_eq!(board.model.place(), place);
    let modifiers = match (chord.ctrl, chord.alt) {
        (true, _) => KeyModifiers::CONTROL,
        (_, true) => KeyModifiers::ALT,
        _ => KeyModifiers::NONE,
    };
    board.happens(Event::Key(KeyEvent::new(chord.code, modifiers)));
    board.screen();
    let took = board.took();
    format!("{:?} {took:?}", board.model)
}

fn any_event() -> impl Strategy<Value = Event> {
    let chords: Vec<_> = TABLE.iter().flat_map(|binding| binding.keys).copied().collect();
    let key = (0..chords.len()).prop_map(move |at| {
        let modifiers = if chords[at].ctrl { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
        Event::Key(KeyEvent::new(chords[at].code, modifiers))
    });
    let kinds = ["asks", "failed", "done", "parked", "rests", "works", "over"];
    let session =
        (1_u64..12, 0..kinds.len(), "\\PC{0,12}", 0_u64..100_000).prop_map(move |(id, kind, project, ago)| {
            Event::Hub(FromHub::Session(Box::new(session(id, "x", kinds[kind], &project, ago))))
        });
    let asks = (10_u64..16, 1_u64..12, 0..4_usize).prop_map(|(id, of, kind)| {
        let kind = ["permission", "plan", "question", "setup"][kind];
        let asked = match kind {
            "question" => coop_api::hub::Prompt { id, session: of, ..common::questions() },
            _ => prompt(id, of, kind, "Bash", "rm -rf \u{1b}[2J/\nall"),
        };
        Event::Hub(FromHub::Asked(Box::new(asked)))
    });
    prop_oneof![
        8 => key,
        3 => session,
        2 => asks,
        1 => (10_u64..16).prop_map(|id| Event::Hub(settled(id, "allow", "phone"))),
        1 => (0_u16..210, 0_u16..60).prop_map(|(cols, rows)| Event::Resize(cols, rows)),
        1 => (0_u16..210, 0_u16..60).prop_map(|(column, row)| Event::Mouse(MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left), column, row, modifiers: KeyModifiers::NONE,
        })),
        1 => "\\PC{0,20}".prop_map(Event::Paste),
        1 => (1_u64..12).prop_map(|id| Event::Hub(FromHub::Forgotten(id))),
        1 => Just(Event::Time),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens: no panic, an answer goes to a prompt that is there, and only once.
    #[test]
    fn anything_may_happen(events in prop::collection::vec(any_event(), 1..80)) {
        let mut board = Board::full(100, 30);
        board.took();
        for event in events {
            let before: Vec<u64> = board.model.prompts.keys().copied().collect();
            board.happens(event);
            board.now += 700;
            for effect in board.took() {
                if let Effect::Answer { prompt, .. } = effect {
                    prop_assert!(before.contains(&prompt), "an answer to nothing");
                    prop_assert!(board.model.sending_of(prompt).is_some());
                }
            }
            if let Some(id) = board.model.selected {
                prop_assert!(board.model.is_stale() || board.model.sessions.contains_key(&id));
            }
            board.model.arrange();
            let (cols, rows) = board.model.size;
            if cols > 0 && rows > 0 {
                let screen = board.screen();
                prop_assert!(!screen.chars().any(|c| c.is_control() && c != '\n'));
            }
        }
    }
}
