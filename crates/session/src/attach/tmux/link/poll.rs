//! A pane of a tmux that is too old to be followed: it is looked at again and again. What it showed in between is not seen.

use std::io::{self, Write as _};
use std::process::Stdio;
use std::time::Duration;

use coop_terminal::tmux::{Capture, FORMAT, Pane};
use tokio::time::Instant;

use super::super::input_off;
use super::{Link, Over};
use crate::attach::Typed;

/// While it changes or is typed into, and for a while after that.
const OFTEN: Duration = Duration::from_millis(100);
const LIVELY: Duration = Duration::from_secs(2);
const SELDOM: Duration = Duration::from_millis(500);
/// A program shows what was typed about then.
const ECHO: Duration = Duration::from_millis(20);
/// What a look makes of pieces, at the most.
const ROOM: usize = 3;
/// Lines that may come while it is asked for those that have come.
const MEANWHILE: usize = 100;
/// Lines above the screen that are fetched at once while it goes on: tmux would be busy with more of them.
const AT_ONCE: usize = 1000;

struct Polling<'a> {
    link: &'a mut Link,
    /// What tmux answered last.
    last: Vec<u8>,
    /// How many lines it had above the screen. Nothing if nothing of it is painted.
    above: Option<usize>,
    input_off: bool,
    lively_until: Instant,
}

/// What tmux has at one moment.
struct Look {
    said: Vec<u8>,
    capture: Capture,
    above: usize,
}

impl Link {
    pub(super) async fn poll(&mut self) -> Over {
        let lively_until = Instant::now() + LIVELY;
        Polling { link: self, last: Vec::new(), above: None, input_off: false, lively_until }.run().await
    }
}

impl Polling<'_> {
    async fn run(&mut self) -> Over {
        let mut next = Instant::now();
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(next) => {
                    match self.look() {
                        Ok(None) => {}
                        Ok(Some(over)) => return over,
                        Err(error) => return Over::Lost { why: error.to_string(), at_once: self.above.is_none() },
                    }
                    let now = Instant::now();
                    next = now + if now < self.lively_until { OFTEN } else { SELDOM };
                }
                typed = self.link.typed.recv() => match typed {
                    Some(Typed { bytes, done }) => {
                        let taken = self.type_in(&bytes);
                        // Whoever typed may be gone.
                        drop(done.send(taken));
                        let now = Instant::now();
                        self.lively_until = now + LIVELY;
                        next = next.min(now + ECHO);
                    }
                    None => return Over::Unwanted,
                },
                () = self.link.pieces.closed() => return Over::Unwanted,
            }
        }
    }

    fn look(&mut self) -> io::Result<Option<Over>> {
        // An owner that does not keep up sees what is there when it does.
        if self.link.pieces.capacity() < ROOM {
            return Ok(None);
        }
        let seen = self.ask(0)?;
        if let Some(over) = self.link.gone(Some(&seen.capture.pane)) {
            return Ok(Some(over));
        }
        self.input_off = seen.capture.pane.input_off;
        if seen.said == self.last {
            return Ok(None);
        }
        self.lively_until = Instant::now() + LIVELY;
        self.last.clone_from(&seen.said);
        // With another size lines are broken elsewhere, and fewer of them are others.
        let goes_on = self.above.filter(|above| !self.link.is_new(&seen.capture.pane) && seen.above >= *above);
        let most = self.link.history;
        let (seen, new) = match goes_on {
            Some(above) if seen.above == above => (seen, 0),
            Some(above) => {
                let more = self.ask((seen.above - above + MEANWHILE).min(AT_ONCE).min(most))?;
                let new = more.above.saturating_sub(above);
                (more, new)
            }
            None => (self.ask(most)?, most),
        };
        let Look { mut capture, above, .. } = seen;
        let rows = usize::from(capture.pane.size.rows());
        let old = capture.lines.len().saturating_sub(rows + new);
        capture.lines.drain(..old);
        let paint = if goes_on.is_some() { capture.paint_over() } else { capture.paint() };
        self.above = Some(above);
        for piece in self.link.picture(&capture.pane, paint) {
            // One that is gone is noticed elsewhere, and there was room.
            drop(self.link.pieces.try_send(piece));
        }
        Ok(None)
    }

    /// The screen with so many lines above it, in one go, so that nothing happens in between.
    fn ask(&self, above: usize) -> io::Result<Look> {
        let pane = self.link.pane.as_str();
        let (format, start) = (format!("#{{history_size}}|{FORMAT}"), format!("-{above}"));
        let first: &[&str] = if above > 0 { &["-S", &start] } else { &[] };
        let spaces: &[&str] = if self.link.keeps_spaces { &["-N"] } else { &[] };
        let args = [
            &["display-message", "-p", "-t", pane, &format, ";"],
            &["capture-pane", "-p", "-e", "-t", pane][..],
            first,
            spaces,
            &[";", "capture-pane", "-a", "-q", "-p", "-e", "-t", pane],
            spaces,
        ];
        let answer = self.link.target.run(&args.concat())?;
        if !answer.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&answer.stderr).trim().to_owned()));
        }
        understood(answer.stdout, above).ok_or_else(|| io::Error::other("tmux says something else than it was asked"))
    }

    /// As a paste without marks: all bytes go to the program alone, also while somebody scrolls back.
    fn type_in(&self, bytes: &[u8]) -> io::Result<()> {
        if self.input_off {
            return Err(input_off());
        }
        let buffer = format!("coop-{}", std::process::id());
        let mut tmux = self.link.target.command();
        tmux.args(["load-buffer", "-b", &buffer, "-", ";"]);
        tmux.args(["paste-buffer", "-d", "-r", "-b", &buffer, "-t", &self.link.pane]);
        let mut tmux = tmux.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let written = tmux.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?.write_all(bytes);
        let ended = tmux.wait_with_output()?;
        written?;
        if !ended.status.success() {
            // What was typed is for nobody else to paste. There may be no such buffer.
            drop(self.link.target.run(&["delete-buffer", "-b", &buffer]));
            return Err(io::Error::other(String::from_utf8_lossy(&ended.stderr).trim().to_owned()));
        }
        Ok(())
    }
}

/// The pane, its lines, of which there are as many as it says, and those behind them.
fn understood(said: Vec<u8>, asked: usize) -> Option<Look> {
    let mut lines = said.strip_suffix(b"\n").unwrap_or(&said).split(|byte| *byte == b'\n');
    let first = String::from_utf8_lossy(lines.next()?);
    let (above, pane) = first.split_once('|')?;
    let (above, pane) = (above.parse().ok()?, Pane::parse(pane)?);
    let mut lines: Vec<Vec<u8>> = lines.map(<[u8]>::to_vec).collect();
    let own = asked.min(above) + usize::from(pane.size.rows());
    let behind = if own < lines.len() { lines.split_off(own) } else { Vec::new() };
    Some(Look { said, capture: Capture { pane, lines, behind, pending: Vec::new() }, above })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_understood() {
        let pane = "%1|$0|42|10|2|0|||0|2|1|1|0|1|1|0|0|0|0|1|1|0|0|0|0|2||/dev/pts/1|7|t";
        let answer =
            |above: usize, lines: &str, asked| understood(format!("{above}|{pane}\n{lines}").into_bytes(), asked);
        let texts =
            |lines: &[Vec<u8>]| lines.iter().map(|line| String::from_utf8(line.clone()).unwrap()).collect::<Vec<_>>();
        for (above, lines, asked, own, behind) in [
            (3, "one\n\n", 0, &["one", ""][..], &[][..]),
            (3, "old\none\n\n", 1, &["old", "one", ""], &[]),
            (1, "old\none\n\n", 9, &["old", "one", ""], &[]),
            (3, "one\ntwo\nb\nc\n", 0, &["one", "two"], &["b", "c"]),
            (0, "one\n", 0, &["one"], &[]),
        ] {
            let look = answer(above, lines, asked).unwrap();
            assert_eq!((look.above, look.capture.pane.pid), (above, 42));
            assert_eq!(texts(&look.capture.lines), own, "{lines}");
            assert_eq!(texts(&look.capture.behind), behind, "{lines}");
        }
        for wrong in ["", "3", "x|y\n", "3|%1\n"] {
            assert!(understood(wrong.as_bytes().to_vec(), 0).is_none(), "{wrong}");
        }
    }
}
