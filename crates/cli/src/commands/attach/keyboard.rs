//! What the person types, and the one key in it that is for us.

use std::str::FromStr;

use coop_terminal::keys::{Key, KeyModes};

/// The key that leaves. What it looks like on the wire depends on what the program asked the keyboard to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DetachKey {
    name: String,
    encodings: Vec<Vec<u8>>,
}

/// What to do with what was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed<'a> {
    Send(&'a [u8]),
    /// Send this and leave. What was typed after it is for nobody.
    Detach(&'a [u8]),
}

#[derive(Debug)]
pub(super) struct Keyboard {
    detach: DetachKey,
    /// Inside a paste, where a key is only text.
    in_paste: bool,
}

const PASTE_BEGIN: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Caps Lock and Num Lock, which do not make another key of it.
const LOCKS: u32 = 64 | 128;

impl DetachKey {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn is_at_start(&self, bytes: &[u8]) -> bool {
        self.encodings.iter().any(|encoding| bytes.starts_with(encoding))
            || kitty(bytes).is_some_and(|press| self.encodings.contains(&press))
    }
}

impl FromStr for DetachKey {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let key: Key = name.parse().map_err(|error| format!("{error}"))?;
        let modes = [
            KeyModes::default(),
            KeyModes { app_cursor: true, ..KeyModes::default() },
            KeyModes { modify_other_keys: 2, ..KeyModes::default() },
            KeyModes { kitty: 1, ..KeyModes::default() },
        ];
        let mut encodings: Vec<Vec<u8>> = modes.iter().map(|modes| key.encode(*modes)).collect();
        encodings.sort();
        encodings.dedup();
        // A key that begins others, or that text is made of, would leave when something else is meant.
        let for_typing = |bytes: &Vec<u8>| match bytes[..] {
            [byte] => byte >= b' ' || matches!(byte, b'\x1b' | b'\r' | b'\n' | b'\t' | 8),
            [first, ..] => first != b'\x1b',
            [] => true,
        };
        if encodings.iter().any(for_typing) {
            return Err("it is needed for typing; take one with Ctrl, or a function key".into());
        }
        Ok(Self { name: name.into(), encodings })
    }
}

impl Keyboard {
    pub(super) fn new(detach: DetachKey) -> Self {
        Self { detach, in_paste: false }
    }

    /// Terminals write a key in one piece, so what is read together is looked at together.
    pub(super) fn typed<'a>(&mut self, bytes: &'a [u8]) -> Typed<'a> {
        for at in 0..bytes.len() {
            let rest = &bytes[at..];
            if self.in_paste {
                self.in_paste = !rest.starts_with(PASTE_END);
            } else if rest.starts_with(PASTE_BEGIN) {
                self.in_paste = true;
            } else if self.detach.is_at_start(rest) {
                return Typed::Detach(&bytes[..at]);
            }
        }
        Typed::Send(bytes)
    }
}

/// A key as kitty's protocol reports it, brought to its plainest form: `CSI code ; modifiers u`. None for a release.
fn kitty(bytes: &[u8]) -> Option<Vec<u8>> {
    let body = bytes.strip_prefix(b"\x1b[")?;
    let body = std::str::from_utf8(&body[..body.iter().position(|byte| *byte == b'u')?]).ok()?;
    let mut fields = body.split(';');
    // Other codes of the same key come after colons, and so does the kind of event.
    let code: u32 = fields.next()?.split(':').next()?.parse().ok()?;
    let mut modifiers = fields.next()?.split(':');
    let held = modifiers.next()?.parse::<u32>().ok()?.checked_sub(1)? & !LOCKS;
    let released = modifiers.next() == Some("3");
    (!released).then(|| format!("\x1b[{code};{}u", held + 1).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyboard() -> Keyboard {
        Keyboard::new(r"Ctrl-\".parse().unwrap())
    }

    #[test]
    fn the_key_in_every_encoding() {
        for typed in [
            &b"\x1c"[..],
            b"\x1b[92;5u",
            b"\x1b[92;69u",
            b"\x1b[92;133u",
            b"\x1b[92:124;5:1u",
            b"\x1b[92;5:2u",
            b"\x1b[27;5;92~",
        ] {
            assert_eq!(keyboard().typed(typed), Typed::Detach(b""), "{}", typed.escape_ascii());
        }
        for other in [&b"x"[..], b"\x1b", b"\x1b[A", b"\x1b[92;5:3u", b"\x1b[93;5u", b"\x1b[92;3u", b"\x1b[u", b""] {
            assert_eq!(keyboard().typed(other), Typed::Send(other), "{}", other.escape_ascii());
        }
    }

    #[test]
    fn what_comes_before_is_sent_and_what_comes_after_is_not() {
        assert_eq!(keyboard().typed(b"ab\x1ccd"), Typed::Detach(b"ab"));
    }

    #[test]
    fn a_paste_is_text() {
        let mut keyboard = keyboard();
        for part in [&b"\x1b[200~a\x1cb"[..], b"\x1c", b"c\x1b[201~d"] {
            assert_eq!(keyboard.typed(part), Typed::Send(part));
        }
        assert_eq!(keyboard.typed(b"\x1c"), Typed::Detach(b""));
    }

    #[test]
    fn keys_for_typing_are_refused() {
        for (name, ok) in [
            ("Ctrl-q", true),
            ("Ctrl-]", true),
            ("F12", true),
            ("Alt-x", true),
            ("Ctrl-Up", true),
            ("Up", true),
            ("x", false),
            ("Enter", false),
            ("Tab", false),
            ("Escape", false),
            ("Space", false),
            ("Ctrl-I", false),
            ("Nonsense", false),
        ] {
            assert_eq!(name.parse::<DetachKey>().is_ok(), ok, "{name}");
        }
    }
}
