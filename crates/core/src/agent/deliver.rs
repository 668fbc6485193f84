//! A message to an agent: when it may go, and what proves that it arrived.

use std::time::{Duration, Instant};

use unicode_normalization::UnicodeNormalization as _;

use crate::text::hides;

/// Agents and hooks tell the time in whole milliseconds.
const CLOCK: Duration = Duration::from_millis(5);

/// By so many characters at its end a message is known again in a line. Line editors that believe to be in another column
/// than they are break long lines anywhere.
const TAIL: usize = 24;

/// What is to be said, and how long to wait for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nudge {
    pub message: String,
    pub when: When,
    pub wait: WaitFor,
    pub timeout: Option<Duration>,
    /// The text is a command of the agent (`/clear`, `!ls`), and meant as one.
    pub command: bool,
    /// Replace what a person has half typed.
    pub replace_draft: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// Refused unless the agent is idle.
    #[default]
    IdleOnly,
    /// Waits in a queue until it is.
    Idle,
    /// Also while it works, if the agent takes messages then.
    Now,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitFor {
    #[default]
    Delivered,
    /// The end of the turn that it began.
    TurnEnd,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nudged {
    pub delivered: bool,
    pub receipt: Option<Receipt>,
    pub state_before: String,
    /// Number in the queue, if it was queued and nobody waits for it.
    pub queued: Option<u64>,
    /// Why it was not delivered, in words.
    pub reason: Option<String>,
    /// With [`WaitFor::TurnEnd`]: the state then, and what the agent said last.
    pub state_after: Option<String>,
    pub last_message: Option<String>,
}

/// The proof that a message arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub how: Proof,
    pub after: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    Hook,
    Log,
    Screen,
}

impl Proof {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Log => "log",
            Self::Screen => "screen",
        }
    }
}

/// White space folded, control and invisible characters gone, accents composed: how a text looks after an agent has taken
/// it.
#[must_use]
pub fn folded(text: &str) -> String {
    let visible = text.nfc().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !hides(*c));
    let spaced: String = visible.collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How a message is typed, and how long to wait for what.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Without a proof for so long, the screen is asked whether Enter was lost.
    pub retry: Duration,
    /// How often Enter is pressed again.
    pub retries: u32,
    /// Given up then.
    pub limit: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self { retry: Duration::from_millis(900), retries: 3, limit: Duration::from_secs(15) }
    }
}

/// One message on its way. Says what to do next; whoever owns it does it.
#[derive(Clone, Debug)]
pub struct Delivery {
    folded: String,
    /// The end of its last line, without blanks.
    tail: String,
    timing: Timing,
    started: Instant,
    /// When Enter was pressed last, and how often again.
    entered: Instant,
    retries: u32,
    /// Whether a source that quotes messages is there to prove it.
    quoted: bool,
    /// Somebody has typed since: what is in the input box may be half of the message, or more than it.
    disturbed: bool,
}

/// What is said of a message that somebody typed into.
pub const DISTURBED: &str = "somebody typed while the message was in the agent's input box, and it was not sent";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Press Enter: the message is still in the input box.
    Enter,
    Confirmed(Receipt),
    GiveUp(String),
}

/// What the screen shows of the input box and the agent.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub draft: Option<&'a str>,
    pub working: bool,
    /// What stands before the cursor, where the message stood until Enter and nothing else tells that it was taken.
    pub line: Option<&'a str>,
}

impl Delivery {
    /// The message has been typed, with Enter. `quoted` when a hook or log will repeat it.
    #[must_use]
    pub fn new(now: Instant, message: &str, timing: Timing, quoted: bool) -> Self {
        let last_line = squeezed(&folded(message.trim_end().lines().next_back().unwrap_or_default()));
        let start = last_line.char_indices().rev().nth(TAIL - 1).map_or(0, |(at, _)| at);
        let tail = last_line[start..].to_owned();
        let folded = folded(message);
        Self { folded, tail, timing, started: now, entered: now, retries: 0, quoted, disturbed: false }
    }

    /// Somebody else has typed. An Enter that is still needed would send who knows what.
    pub fn on_typed(&mut self) {
        self.disturbed = true;
    }

    #[must_use]
    pub fn is_disturbed(&self) -> bool {
        self.disturbed
    }

    /// The agent took a message at `at`: is it this one? The same words may have been said before.
    #[must_use]
    pub fn on_turn(&self, now: Instant, at: Instant, how: Proof, text: &str) -> Option<Receipt> {
        (at + CLOCK >= self.started && folded(text) == self.folded)
            .then(|| Receipt { how, after: now.saturating_duration_since(self.started) })
    }

    #[must_use]
    pub fn deadline(&self) -> Instant {
        let limit = self.started + self.timing.limit;
        if self.retries < self.timing.retries { limit.min(self.entered + self.timing.retry) } else { limit }
    }

    /// The screen changed, or the deadline has come.
    pub fn on_look(&mut self, now: Instant, seen: Seen<'_>) -> Option<Step> {
        let in_line = seen.line.is_some_and(|line| self.ends(line));
        let in_box = in_line || seen.draft.is_some_and(|draft| !draft.trim().is_empty());
        let begun = seen.working && seen.draft.is_some_and(|draft| draft.trim().is_empty());
        if !self.quoted && (begun || seen.line.is_some() && !in_line) {
            let after = now.saturating_duration_since(self.started);
            return Some(Step::Confirmed(Receipt { how: Proof::Screen, after }));
        }
        if now >= self.started + self.timing.limit {
            let why = if in_box {
                "the agent did not take the message, which is still in its input box"
            } else {
                "nothing proves that the agent took the message"
            };
            return Some(Step::GiveUp(why.into()));
        }
        if now < self.entered + self.timing.retry || self.retries >= self.timing.retries {
            return None;
        }
        self.entered = now;
        self.retries += 1;
        if self.disturbed {
            return in_box.then(|| Step::GiveUp(DISTURBED.into()));
        }
        // Only what is plainly still there: a second Enter must never send something else.
        seen.draft.is_some_and(|draft| self.is_still_there(draft)).then_some(Step::Enter)
    }

    /// Whether a line ends as what was typed does.
    #[must_use]
    pub fn ends(&self, line: &str) -> bool {
        !self.tail.is_empty() && squeezed(&folded(line)).ends_with(&self.tail)
    }

    /// The box holds a part of the message and nothing else, or a mark that stands for it. Lines break anywhere in it.
    fn is_still_there(&self, draft: &str) -> bool {
        let (draft, message) = (squeezed(&folded(draft)), squeezed(&self.folded));
        !draft.is_empty() && (message.contains(&draft) || (draft.starts_with('[') && draft.ends_with(']')))
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(draft: Option<&str>, working: bool) -> Seen<'_> {
        Seen { draft, working, line: None }
    }

    #[test]
    fn a_message_is_known_again_however_white_space_was_changed() {
        let now = Instant::now();
        let delivery = Delivery::new(now, "two\tlines\r\n  of text ", Timing::default(), true);
        for (text, same) in
            [("two    lines\n  of text", true), ("two lines of text", true), ("two lines of", false), ("", false)]
        {
            assert_eq!(delivery.on_turn(now, now, Proof::Hook, text).is_some(), same, "{text:?}");
        }
    }

    #[test]
    fn a_message_is_known_again_when_its_accents_were_composed() {
        let now = Instant::now();
        let delivery = Delivery::new(now, "cafe\u{301}", Timing::default(), true);
        assert!(delivery.on_turn(now, now, Proof::Hook, "caf\u{e9}").is_some());
        assert!(delivery.on_turn(now, now, Proof::Hook, "cafe").is_none());
    }

    #[test]
    fn message_is_recognised_without_its_invisible_characters() {
        let now = Instant::now();
        let text = "in\u{200b}visi\u{ad}ble\u{feff} \u{202e}U\u{2060}+200B";
        let mut delivery = Delivery::new(now, text, Timing::default(), true);
        for quoted in [text, "invisible U+200B"] {
            assert!(delivery.on_turn(now, now, Proof::Hook, quoted).is_some(), "{quoted:?}");
        }
        assert!(delivery.on_turn(now, now, Proof::Hook, "in visible U+200B").is_none());
        let later = now + Timing::default().retry;
        assert_eq!(delivery.on_look(later, seen(Some("invisible U+200B"), false)), Some(Step::Enter));
    }

    #[test]
    fn the_same_words_said_before_prove_nothing() {
        let start = Instant::now() + Duration::from_secs(60);
        let delivery = Delivery::new(start, "go on", Timing::default(), true);
        let now = start + Duration::from_millis(40);
        for (at, proves) in [
            (start - Duration::from_secs(1), false),
            (start - Duration::from_millis(1), true),
            (start, true),
            (now, true),
        ] {
            assert_eq!(delivery.on_turn(now, at, Proof::Log, "go on").is_some(), proves);
        }
    }

    #[test]
    fn enter_is_pressed_again_only_while_the_message_is_in_the_box() {
        let start = Instant::now();
        let timing = Timing::default();
        let mut delivery = Delivery::new(start, "hello", timing, true);
        let soon = start + timing.retry / 2;
        assert_eq!(delivery.on_look(soon, seen(Some("hello"), false)), None);
        let first = delivery.deadline();
        assert_eq!(delivery.on_look(first, seen(Some("hello"), false)), Some(Step::Enter));
        let second = delivery.deadline();
        assert_eq!(delivery.on_look(second, seen(Some(""), true)), None, "taken, but not proved");
        let mut now = second;
        for _ in 0..5 {
            now = delivery.deadline().max(now + Duration::from_millis(1));
            if let Some(step) = delivery.on_look(now, seen(Some(""), true)) {
                assert!(matches!(step, Step::GiveUp(_)));
                assert_eq!(now, start + timing.limit);
                return;
            }
        }
        panic!("it never gave up");
    }

    #[test]
    fn enter_is_never_pressed_for_what_somebody_else_typed() {
        let start = Instant::now();
        let at = start + Timing::default().retry;
        for (draft, enter) in [
            ("hello there", true),
            ("hello th\nere", true),
            ("there", true),
            ("[Pasted text #1 +20 lines]", true),
            ("hello therehalf of it", false),
            ("half of it", false),
            ("[Pasted text #1 +20 lines]half of it", false),
            (" ", false),
        ] {
            let mut delivery = Delivery::new(start, "hello there", Timing::default(), true);
            assert_eq!(delivery.on_look(at, seen(Some(draft), false)), enter.then_some(Step::Enter), "{draft:?}");
        }
    }

    /// What they took out of it leaves a part of the message, which looks like one that is scrolled.
    #[test]
    fn enter_is_not_pressed_again_when_somebody_has_typed() {
        let start = Instant::now();
        let timing = Timing::default();
        let mut delivery = Delivery::new(start, "two\nlines", timing, true);
        delivery.on_typed();
        assert_eq!(delivery.on_look(start + timing.retry / 2, seen(Some("two"), false)), None);
        assert_eq!(delivery.on_look(start + timing.retry, seen(Some(""), false)), None, "it may have been taken");
        let at = start + timing.retry * 2;
        assert_eq!(delivery.on_look(at, seen(Some("two"), false)), Some(Step::GiveUp(DISTURBED.into())));
    }

    #[test]
    fn the_screen_proves_it_where_nobody_quotes() {
        let start = Instant::now();
        let mut delivery = Delivery::new(start, "hello", Timing::default(), false);
        assert_eq!(delivery.on_look(start, seen(Some("hello"), false)), None);
        let at = start + Duration::from_millis(40);
        let receipt = Receipt { how: Proof::Screen, after: Duration::from_millis(40) };
        assert_eq!(delivery.on_look(at, seen(Some(""), true)), Some(Step::Confirmed(receipt)));
    }

    #[test]
    fn a_line_that_has_gone_from_the_cursor_was_taken() {
        let start = Instant::now();
        for (line, taken) in [
            ("$ echo one; echo two", false),
            ("$ echo one; echo  two ", false),
            ("echo two", true),
            ("~/x $", true),
            ("", true),
            ("two$ ", true),
        ] {
            let mut delivery = Delivery::new(start, "echo one; echo two", Timing::default(), false);
            assert_eq!(delivery.ends(line), !taken, "{line:?}");
            let step = delivery.on_look(start, Seen { draft: Some(""), working: false, line: Some(line) });
            assert_eq!(matches!(step, Some(Step::Confirmed(_))), taken, "{line:?}");
        }
        let long = Delivery::new(start, &format!("echo {} | wc -c", "é".repeat(300)), Timing::default(), false);
        assert!(long.ends("ééééééééééééééééééééé | wc -c") && !long.ends("éé | wc -c"), "its end is enough");
        let delivery = Delivery::new(start, "for i in 1 2\ndo echo $i\ndone\n", Timing::default(), false);
        assert!(delivery.ends("> done") && !delivery.ends("do echo $i"), "of several lines the last counts");
    }

    /// It would be pressed in the program that was started.
    #[test]
    fn enter_is_not_pressed_again_where_the_line_is_all_there_is_to_see() {
        let start = Instant::now();
        let timing = Timing::default();
        let mut delivery = Delivery::new(start, "sleep 1", timing, false);
        let there = Seen { draft: Some(""), working: false, line: Some("$ sleep 1") };
        assert_eq!(delivery.on_look(start + timing.retry, there), None);
        assert!(matches!(delivery.on_look(start + timing.limit, there), Some(Step::GiveUp(_))));
    }
}
