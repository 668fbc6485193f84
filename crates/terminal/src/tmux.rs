//! tmux in its control mode, as words and bytes: what its lines say, what makes a screen of what it captured, and how
//! input is written to it. Nothing is run here.

mod paint;
mod titles;

pub use paint::{Capture, FORMAT, Pane, capture_command};
pub use titles::Titles;

use std::fmt::Write as _;

/// One line that tmux wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// What follows is the answer to a command, up to the end with this mark.
    Begin {
        mark: &'a str,
    },
    End {
        mark: &'a str,
    },
    Failed {
        mark: &'a str,
    },
    /// Output of a pane, escaped.
    Output {
        pane: &'a str,
        data: &'a [u8],
    },
    /// tmux sends no more of this pane until it is told to go on.
    Paused {
        pane: &'a str,
    },
    /// The number of panes, their sizes, or what a pane is used for may have changed.
    Changed,
    /// What a subscription is about has changed.
    Subscription {
        value: &'a str,
    },
    /// The client is over.
    Exit {
        why: &'a str,
    },
    /// Of no interest here, or what a command printed.
    Other,
}

impl<'a> Line<'a> {
    /// Understands a line outside the answer to a command.
    #[must_use]
    pub fn parse(line: &'a [u8]) -> Self {
        let Some(rest) = line.strip_prefix(b"%") else { return Self::Other };
        let (word, rest) = cut(rest);
        match word {
            b"output" => {
                let (pane, data) = cut(rest);
                text(pane).map_or(Self::Other, |pane| Self::Output { pane, data })
            }
            b"extended-output" => {
                // There may be more before the colon one day.
                let (pane, rest) = cut(rest);
                let data = memchr::memmem::find(rest, b" : ").map(|at| &rest[at + 3..]);
                text(pane).zip(data).map_or(Self::Other, |(pane, data)| Self::Output { pane, data })
            }
            word => text(rest).map_or(Self::Other, |rest| Self::notice(word, rest)),
        }
    }

    fn notice(word: &[u8], rest: &'a str) -> Self {
        match word {
            b"begin" => Self::Begin { mark: rest },
            b"end" => Self::End { mark: rest },
            b"error" => Self::Failed { mark: rest },
            b"pause" => Self::Paused { pane: rest },
            b"exit" => Self::Exit { why: rest },
            b"subscription-changed" => {
                rest.split_once(" : ").map_or(Self::Other, |(_, value)| Self::Subscription { value })
            }
            b"layout-change"
            | b"pane-mode-changed"
            | b"window-close"
            | b"unlinked-window-close"
            | b"window-add"
            | b"session-changed"
            | b"window-pane-changed" => Self::Changed,
            _ => Self::Other,
        }
    }
}

fn cut(bytes: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b' ', bytes) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[]),
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// Adds what tmux escaped as `\ooo` to `out`.
pub fn unescape(mut data: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr::memchr(b'\\', data) {
        out.extend_from_slice(&data[..at]);
        let digits = data.get(at + 1..at + 4).and_then(octal);
        out.push(digits.unwrap_or(b'\\'));
        data = &data[at + if digits.is_some() { 4 } else { 1 }..];
    }
    out.extend_from_slice(data);
}

fn octal(digits: &[u8]) -> Option<u8> {
    digits.iter().try_fold(0_u8, |value, digit| match digit {
        b'0'..=b'7' => value.checked_mul(8)?.checked_add(digit - b'0'),
        _ => None,
    })
}

/// The command that types `bytes` into a pane, and how many answers it has, of which the last counts.
///
/// Keys that are sent to a pane in a mode of tmux, such as the one in which a person scrolls back, are for that mode; in
/// synchronized panes they are for all of them. There the bytes are pasted, which is for the program alone. tmux looks at
/// it when it runs the command, so that nothing can change in between.
#[must_use]
pub fn type_command(pane: &str, buffer: &str, bytes: &[u8]) -> (String, usize) {
    let mut keys = format!("send-keys -t {pane} -H");
    let mut octal = String::with_capacity(bytes.len() * 4);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(keys, " {byte:02x}");
        let _ = write!(octal, "\\{byte:03o}");
    }
    // A buffer cannot hold it.
    if bytes.contains(&0) {
        return (keys, 1);
    }
    let diverted = "#{?pane_in_mode,1,#{pane_synchronized}}";
    let paste = format!("set-buffer -b {buffer} \"{octal}\" ; paste-buffer -d -r -b {buffer} -t {pane}");
    // As many commands as there.
    let keys = format!("display-message -p x ; {keys}");
    (format!("if-shell -F -t {pane} \"{diverted}\" '{paste}' '{keys}'"), 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        for (line, expected) in [
            (&b"%begin 1794771243 264 1"[..], Line::Begin { mark: "1794771243 264 1" }),
            (b"%end 1794771243 264 1", Line::End { mark: "1794771243 264 1" }),
            (b"%error 1 2 3", Line::Failed { mark: "1 2 3" }),
            (b"%output %3 a b", Line::Output { pane: "%3", data: b"a b" }),
            (b"%output %3 ", Line::Output { pane: "%3", data: b"" }),
            (b"%extended-output %3 12 : a : \xff", Line::Output { pane: "%3", data: b"a : \xff" }),
            (b"%extended-output %3 12 more : a", Line::Output { pane: "%3", data: b"a" }),
            (b"%extended-output %3", Line::Other),
            (b"%pause %3", Line::Paused { pane: "%3" }),
            (b"%layout-change @1 b25d,80x24,0,0,0 b25d,80x24,0,0,0 *", Line::Changed),
            (b"%subscription-changed coop $0 @0 0 %0 : 1 0", Line::Subscription { value: "1 0" }),
            (b"%exit", Line::Exit { why: "" }),
            (b"%exit server exited unexpectedly", Line::Exit { why: "server exited unexpectedly" }),
            (b"%window-renamed @0 bash", Line::Other),
            (b"plain", Line::Other),
            (b"", Line::Other),
        ] {
            assert_eq!(Line::parse(line), expected, "{}", line.escape_ascii());
        }
    }

    #[test]
    fn escapes() {
        let check = |escaped: &[u8], expected: &[u8]| {
            let mut out = Vec::new();
            unescape(escaped, &mut out);
            assert_eq!(out, expected, "{}", escaped.escape_ascii());
        };
        check(b"a\\033[1m\\015\\012\xc3\xa4", b"a\x1b[1m\r\n\xc3\xa4");
        check(b"\\134\\134n", b"\\\\n");
        // Nothing that tmux writes, and nothing to fail at.
        check(b"\\", b"\\");
        check(b"\\9a\\777", b"\\9a\\777");
    }

    #[test]
    fn input() {
        let (command, answers) = type_command("%1", "coop-9", b"'\"$\n");
        let paste = "set-buffer -b coop-9 \"\\047\\042\\044\\012\" ; paste-buffer -d -r -b coop-9 -t %1";
        let keys = "display-message -p x ; send-keys -t %1 -H 27 22 24 0a";
        let look = "#{?pane_in_mode,1,#{pane_synchronized}}";
        assert_eq!(command, format!("if-shell -F -t %1 \"{look}\" '{paste}' '{keys}'"));
        assert_eq!(answers, 3);
        assert_eq!(type_command("%1", "b", b"a\0"), ("send-keys -t %1 -H 61 00".to_owned(), 1));
    }
}
