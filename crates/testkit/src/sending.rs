//! How a message is given to an agent so that it arrives once: paste it, see it in the composer, press Enter, see it go.
//! What the agent loses on the way is given again, and only when the screen shows that it was lost. No I/O: what is seen
//! and the time come in, what to do goes out.

use std::time::{Duration, Instant};

use crate::Kind;

/// A key that has not worked by then will not: Claude Code 2.1.197 loses an Enter in its first second now and then.
const SWALLOWED: Duration = Duration::from_secs(1);
/// A paste that an idle composer does not show by then was lost, as Gemini does while it starts. Machines under load
/// are slow: given again too soon, the message would be there twice.
const LOST: Duration = Duration::from_secs(6);
/// Gemini takes an Enter that comes sooner as part of the paste.
const AFTER_PASTE: Duration = Duration::from_millis(300);
/// A command such as `/clear` has no receipt but that the composer lacks it, which must not be between two paintings.
const SETTLED: Duration = Duration::from_millis(100);

/// One message on its way.
#[derive(Debug)]
pub(crate) struct Sending<'a> {
    kind: Kind,
    text: &'a str,
    /// How often the agent had taken this text before.
    before: usize,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Start,
    /// The composer held other text, and was cleared.
    Cleared {
        at: Instant,
    },
    Pasted {
        at: Instant,
    },
    Shown {
        since: Instant,
    },
    Entered {
        at: Instant,
        gone: Option<Instant>,
    },
}

/// What there is to see of it at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub screen: &'a str,
    /// How often the agent has taken this text, by its hook or by the model.
    pub taken: usize,
    pub has_ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Empty the composer: an Escape before the first word of an answer puts the message back into it.
    Clear,
    Paste,
    Enter,
    Wait,
    Done,
}

impl<'a> Sending<'a> {
    pub(crate) fn new(kind: Kind, text: &'a str, taken: usize) -> Self {
        Self { kind, text, before: taken, stage: Stage::Start }
    }

    pub(crate) fn next(&mut self, now: Instant, seen: &Seen<'_>) -> Next {
        let line = composer(self.kind, seen.screen);
        let shows = line.is_some_and(|line| self.is_in(line));
        let other = self.kind == Kind::Claude && line.is_some_and(|line| !is_blank(line));
        let (stage, next) = match self.stage {
            Stage::Start if other => (Stage::Cleared { at: now }, Next::Clear),
            Stage::Cleared { at } if other && now - at <= SWALLOWED => (self.stage, Next::Wait),
            Stage::Start | Stage::Cleared { .. } => (Stage::Pasted { at: now }, Next::Paste),
            Stage::Pasted { .. } if shows => (Stage::Shown { since: now }, Next::Wait),
            Stage::Pasted { at } if now - at > LOST => (Stage::Pasted { at: now }, Next::Paste),
            Stage::Shown { since } if now - since >= self.patience() => {
                (Stage::Entered { at: now, gone: None }, Next::Enter)
            }
            Stage::Entered { .. } if seen.has_ended || seen.taken > self.before => (self.stage, Next::Done),
            Stage::Entered { at, .. } if shows && now - at > SWALLOWED => {
                (Stage::Entered { at: now, gone: None }, Next::Enter)
            }
            Stage::Entered { at, .. } if shows => (Stage::Entered { at, gone: None }, Next::Wait),
            Stage::Entered { at, gone } if self.is_command() => {
                let since = gone.unwrap_or(now);
                let next = if now - since >= SETTLED { Next::Done } else { Next::Wait };
                (Stage::Entered { at, gone: Some(since) }, next)
            }
            stage => (stage, Next::Wait),
        };
        self.stage = stage;
        next
    }

    /// It goes to the program itself, and neither a hook nor the model hears of it.
    fn is_command(&self) -> bool {
        self.text.starts_with('/')
    }

    fn patience(&self) -> Duration {
        if self.kind == Kind::Gemini { AFTER_PASTE } else { Duration::ZERO }
    }

    /// Long pastes are shown as a mark that stands for them.
    fn is_in(&self, line: &str) -> bool {
        let first = self.text.lines().next().unwrap_or_default().trim();
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        // Claude Code paints over a frame without clearing it: a blank may show a part of that.
        let framed = line.contains('─') && !letters(first).is_empty() && letters(line).contains(&letters(first));
        line.contains(first) || framed || line.contains("[Pasted ")
    }
}

/// Whether the composer of Claude Code is empty; a suggestion stands in an empty one.
fn is_blank(line: &str) -> bool {
    let text = line.trim_matches(|c: char| c.is_whitespace() || c == '─');
    text.is_empty() || text.starts_with("Try \"")
}

/// What the composer holds: it is the lowest line with its mark. While a dialog is up there may be none.
fn composer(kind: Kind, screen: &str) -> Option<&str> {
    let mark = match kind {
        Kind::Claude => '❯',
        Kind::Codex => '›',
        Kind::Gemini => '>',
        // Everything on its screen has the same mark.
        Kind::OpenCode => return None,
    };
    screen.lines().rev().find_map(|line| line.trim_start().strip_prefix(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is seen, at how many milliseconds, and what to do about it.
    type Row<'a> = (u64, &'a str, usize, Next);

    fn check(kind: Kind, text: &str, rows: &[Row<'_>]) {
        let start = Instant::now();
        let mut sending = Sending::new(kind, text, 0);
        for (row, (millis, screen, taken, expected)) in rows.iter().enumerate() {
            let seen = Seen { screen, taken: *taken, has_ended: *screen == "ended" };
            let next = sending.next(start + Duration::from_millis(*millis), &seen);
            assert_eq!(next, *expected, "{kind:?} {text:?}, row {row}: {sending:?}");
        }
    }

    #[test]
    fn messages() {
        use Next::{Done, Enter, Paste, Wait};
        // As it should be. The text stays on the screen, above the composer.
        let smooth = [
            (0, "❯ ", 0, Paste),
            (9, "❯ hi", 0, Wait),
            (9, "❯ hi", 0, Enter),
            (20, "❯ ", 0, Wait),
            (30, "❯ hi\n❯ ", 1, Done),
        ];
        check(Kind::Claude, "hi", &smooth);
        // A lost Enter is pressed again while the text stands in the composer, and never else.
        let lost = [
            (0, "❯ ", 0, Paste),
            (9, "❯ hi", 0, Wait),
            (9, "❯ hi", 0, Enter),
            (900, "❯ hi", 0, Wait),
            (1010, "❯ hi", 0, Enter),
            (1500, "❯ hi", 0, Wait),
            (9000, "❯ hi\n❯ ", 0, Wait),
            (9001, "❯ hi", 1, Done),
        ];
        check(Kind::Claude, "hi", &lost);
        // A lost paste is given again.
        check(Kind::Gemini, "hi", &[(0, " > Type", 0, Paste), (5000, " > Type", 0, Wait), (6001, " > Type", 0, Paste)]);
        // Gemini's Enter waits.
        check(
            Kind::Gemini,
            "hi",
            &[(0, "", 0, Paste), (9, " > hi", 0, Wait), (99, " > hi", 0, Wait), (309, " > hi", 0, Enter)],
        );
        check(Kind::Codex, "a\nb", &[(0, "", 0, Paste), (9, "› a", 0, Wait), (9, "› a", 0, Enter), (9, "› ", 1, Done)]);
        check(
            Kind::Codex,
            "long",
            &[(0, "", 0, Paste), (9, "› [Pasted Content 2000 chars]", 0, Wait), (9, "› [Pasted ", 0, Enter)],
        );
    }

    #[test]
    fn commands() {
        use Next::{Done, Enter, Paste, Wait};
        let clear = [
            (0, "❯ ", 0, Paste),
            (9, "❯ /clear", 0, Wait),
            (9, "❯ /clear", 0, Enter),
            (20, "❯ ", 0, Wait),
            (50, "❯ /clear", 0, Wait),
            (60, "❯ ", 0, Wait),
            (161, "❯ /clear\n❯ ", 0, Done),
        ];
        check(Kind::Claude, "/clear", &clear);
        let exit = [(0, "❯ ", 0, Paste), (9, "❯ /exit", 0, Wait), (9, "❯ /exit", 0, Enter), (20, "ended", 0, Done)];
        check(Kind::Claude, "/exit", &exit);
    }
}
