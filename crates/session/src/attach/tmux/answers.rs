//! What tmux answers, put together with what it was asked. Answers come in the order of the commands.

use std::collections::VecDeque;
use std::io;

use coop_terminal::tmux::{Capture, Line, Pane, unescape};
use tokio::sync::oneshot;

/// What an answer is for.
#[derive(Debug)]
pub(super) enum Asked {
    /// Whether the client could attach.
    Attach,
    /// Something that need not be known.
    Nothing,
    Typed(oneshot::Sender<io::Result<()>>),
    /// How the pane is.
    Pane,
    Panes,
    /// The parts of a capture.
    CapturedPane,
    CapturedLines,
    CapturedBehind,
    CapturedPending,
}

/// What an answer says.
#[derive(Debug)]
pub(super) enum Answer {
    Attached,
    NotAttached {
        why: String,
    },
    /// Nothing if there is no such pane.
    Pane(Option<Box<Pane>>),
    Panes(Vec<String>),
    Captured(Option<Box<Capture>>),
}

#[derive(Debug, Default)]
pub(super) struct Answers {
    waiting: VecDeque<Asked>,
    /// The answer that has begun.
    mark: Option<String>,
    lines: Vec<Vec<u8>>,
    capture: Option<Capture>,
}

impl Answers {
    pub(super) fn expect(&mut self, asked: impl IntoIterator<Item = Asked>) {
        self.waiting.extend(asked);
    }

    /// Takes a line that belongs to an answer. False for any other.
    pub(super) fn take(&mut self, line: &[u8], answered: &mut Vec<Answer>) -> bool {
        let parsed = Line::parse(line);
        let Some(mark) = &self.mark else {
            let Line::Begin { mark } = parsed else { return false };
            self.mark = Some(mark.to_owned());
            self.lines.clear();
            return true;
        };
        // What a command prints may look like anything, but does not know the mark.
        let (ended, failed) = match parsed {
            Line::End { mark: end } => (end == mark, false),
            Line::Failed { mark: end } => (end == mark, true),
            _ => (false, false),
        };
        if !ended {
            self.lines.push(line.to_vec());
            return true;
        }
        self.mark = None;
        let lines = std::mem::take(&mut self.lines);
        if let Some(asked) = self.waiting.pop_front() {
            answered.extend(self.answer(asked, failed, lines));
        }
        true
    }

    fn answer(&mut self, asked: Asked, failed: bool, lines: Vec<Vec<u8>>) -> Option<Answer> {
        let text = |lines: &[Vec<u8>]| lines.first().map(|line| String::from_utf8_lossy(line).into_owned());
        match asked {
            Asked::Attach if failed => Some(Answer::NotAttached { why: text(&lines).unwrap_or_default() }),
            Asked::Attach => Some(Answer::Attached),
            Asked::Nothing => None,
            Asked::Typed(done) => {
                let why = || text(&lines).unwrap_or_else(|| "tmux did not take it".into());
                // Whoever typed may be gone.
                drop(done.send(if failed { Err(io::Error::other(why())) } else { Ok(()) }));
                None
            }
            Asked::Pane => Some(Answer::Pane(text(&lines).as_deref().and_then(Pane::parse).map(Box::new))),
            Asked::Panes => {
                let ids = lines.iter().map(|line| String::from_utf8_lossy(line).into_owned());
                Some(Answer::Panes(ids.collect()))
            }
            Asked::CapturedPane => {
                let pane = text(&lines).as_deref().and_then(Pane::parse);
                self.capture = pane.map(|pane| Capture { pane, ..Capture::default() });
                None
            }
            Asked::CapturedLines => {
                self.captured(failed, |capture| capture.lines = lines);
                None
            }
            Asked::CapturedBehind => {
                self.captured(failed, |capture| capture.behind = lines);
                None
            }
            Asked::CapturedPending => {
                let pending = lines.join(&b'\n');
                self.captured(failed, |capture| unescape(&pending, &mut capture.pending));
                Some(Answer::Captured(self.capture.take().map(Box::new)))
            }
        }
    }

    fn captured(&mut self, failed: bool, set: impl FnOnce(&mut Capture)) {
        self.capture = self.capture.take().filter(|_| !failed);
        if let Some(capture) = &mut self.capture {
            set(capture);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANE: &str = "%1|$0|42|10|2|0|||0|2|1|1|0|1|1|0|0|0|0|1|1|0|0|0|0|2||/dev/pts/1|7|t";

    #[test]
    fn answers_are_put_together_whatever_they_look_like() {
        let (typed, mut taken) = oneshot::channel();
        let (wrong, mut refused) = oneshot::channel();
        let mut answers = Answers::default();
        answers.expect([Asked::Attach, Asked::Typed(typed), Asked::Typed(wrong), Asked::CapturedPane]);
        answers.expect([Asked::CapturedLines, Asked::CapturedBehind, Asked::CapturedPending, Asked::Pane]);
        let mut answered = Vec::new();
        let text = format!(
            "%begin 1 1 0\n%end 1 1 0\n%begin 1 2 1\n%end 1 2 1\n%begin 1 3 1\nno pane\n%error 1 3 1\n\
             %begin 1 4 1\n{PANE}\n%end 1 4 1\n%begin 1 5 1\n%end 1 4 1\n%exit\n%end 1 5 1\n\
             %begin 1 6 1\n%end 1 6 1\n%begin 1 7 1\n\\033[3\n%end 1 7 1\n%begin 1 8 1\ncan't find pane: %1\n%error 1 8 1\n"
        );
        for line in text.lines() {
            assert!(answers.take(line.as_bytes(), &mut answered), "{line}");
        }
        assert!(!answers.take(b"%exit", &mut answered), "outside it is for others");
        assert!(taken.try_recv().unwrap().is_ok());
        assert_eq!(refused.try_recv().unwrap().unwrap_err().to_string(), "no pane");
        let [Answer::Attached, Answer::Captured(Some(capture)), Answer::Pane(None)] = answered.as_slice() else {
            panic!("{answered:?}")
        };
        assert_eq!(capture.lines, [b"%end 1 4 1".to_vec(), b"%exit".to_vec()]);
        assert_eq!((capture.pane.pid, capture.pending.as_slice()), (42, &b"\x1b[3"[..]));
    }
}
