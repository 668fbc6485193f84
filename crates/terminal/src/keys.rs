//! Keys by name, and the bytes a terminal sends when one is pressed.
//!
//! The same key has many encodings, and which one counts is the application's choice: it sets modes, the screen tracks
//! them, and they come in here as [`KeyModes`]. The facts are those of xterm (ctlseqs, input.c) and of kitty's keyboard
//! protocol. Only presses are sent: an application that asks for repeats and releases takes a press without a release.

mod kitty;
mod legacy;
mod name;
mod paste;

pub use name::{KeyError, modifiers, names};
pub use paste::paste;

/// What the application has asked the keyboard to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyModes {
    /// DECCKM: cursor keys begin with SS3.
    pub app_cursor: bool,
    /// DECKPAM: keypad keys are told apart from digits.
    pub app_keypad: bool,
    /// Kitty's flags: 1 disambiguate, 2 report events, 4 alternate keys, 8 all keys as escapes, 16 associated text.
    pub kitty: u8,
    /// xterm's modifyOtherKeys: 0, 1 or 2. Kitty's flags win over it.
    pub modify_other_keys: u8,
    /// DECBKM: Backspace sends BS and Ctrl-Backspace DEL, not the other way round.
    pub backspace_bs: bool,
    /// LNM: Enter sends CR LF.
    pub newline: bool,
}

/// A key with the modifiers held while it is pressed. Made from its name: `"Ctrl-Up".parse::<Key>()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: Code,
    mods: Mods,
}

/// A key, by the family of its encoding: what names it is also what is sent for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Code {
    /// The character on the key without Shift: never an upper case letter that has a lower case.
    Char(char),
    Enter,
    Tab,
    Escape,
    Backspace,
    /// `CSI letter`: the arrows, Home and End.
    Cursor(char),
    /// `CSI number ~`: Insert, Delete and the pages.
    Edit(u32),
    /// F1 to F24.
    Function(u8),
    /// The keypad, by what it types; Enter is CR.
    Keypad(u8),
}

/// A set of modifiers. The bits are those on the wire, where xterm and kitty agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Mods(u8);

/// The bytes for `keys` pressed one after the other.
#[must_use]
pub fn encode(keys: &[Key], modes: KeyModes) -> Vec<u8> {
    let mut out = Vec::new();
    for key in keys {
        key.write(modes, &mut out);
    }
    out
}

impl Key {
    pub const ENTER: Self = Self::plain(Code::Enter);
    pub const ESCAPE: Self = Self::plain(Code::Escape);
    pub const TAB: Self = Self::plain(Code::Tab);
    pub const BACKSPACE: Self = Self::plain(Code::Backspace);
    pub const UP: Self = Self::plain(Code::Cursor('A'));
    pub const DOWN: Self = Self::plain(Code::Cursor('B'));
    pub const RIGHT: Self = Self::plain(Code::Cursor('C'));
    pub const LEFT: Self = Self::plain(Code::Cursor('D'));

    #[must_use]
    pub fn encode(self, modes: KeyModes) -> Vec<u8> {
        encode(&[self], modes)
    }

    const fn plain(code: Code) -> Self {
        Self { code, mods: Mods::NONE }
    }

    /// The key that has `c` on it, in the case people mean: `A` and `Alt-A` say Shift, `Ctrl-C` is how Ctrl-c is written.
    fn character(c: char, mods: Mods) -> Self {
        let lower = single(c.to_lowercase()).filter(|lower| *lower != c && shifted(*lower) == c);
        match lower {
            Some(lower) if mods.has(Mods::CTRL) || mods.has(Mods::SUPER) => Self { code: Code::Char(lower), mods },
            Some(lower) => Self { code: Code::Char(lower), mods: mods.with(Mods::SHIFT) },
            None => Self { code: Code::Char(c), mods },
        }
    }

    fn write(self, modes: KeyModes, out: &mut Vec<u8>) {
        if modes.kitty & (kitty::DISAMBIGUATE | kitty::ALL_KEYS) != 0 {
            kitty::write(self, modes, out);
        } else if !legacy::write_other(self, modes, out) {
            legacy::write(self, modes, out);
        }
    }

    /// What the key types, when it types and does not command.
    fn text(self) -> Option<char> {
        match self.code {
            Code::Char(c) if self.mods.without(Mods::SHIFT).is_empty() => Some(self.typed(c)),
            Code::Keypad(typed) if self.mods.is_empty() && typed != b'\r' => Some(typed.into()),
            _ => None,
        }
    }

    fn typed(self, c: char) -> char {
        if self.mods.has(Mods::SHIFT) { shifted(c) } else { c }
    }
}

impl Mods {
    const NONE: Self = Self(0);
    const SHIFT: Self = Self(1);
    const ALT: Self = Self(2);
    const CTRL: Self = Self(4);
    const SUPER: Self = Self(8);

    fn is_empty(self) -> bool {
        self == Self::NONE
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The parameter of an escape sequence, where 1 means none.
    fn parameter(self) -> u8 {
        self.0 + 1
    }
}

/// What Shift makes of a character. There is no keyboard here, so that of the US stands for it.
fn shifted(c: char) -> char {
    const PLAIN: &str = "`1234567890-=[]\\;',./";
    const SHIFTED: &str = "~!@#$%^&*()_+{}|:\"<>?";
    let symbol = PLAIN.chars().zip(SHIFTED.chars()).find(|(plain, _)| *plain == c);
    symbol.map(|(_, shifted)| shifted).or_else(|| single(c.to_uppercase())).unwrap_or(c)
}

/// The character, if there is exactly one: `ß` has an upper case of two, which no key types.
fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    chars.next().filter(|_| chars.next().is_none())
}

/// `CSI number ; mods final`, without what says nothing.
fn csi(number: u32, mods: Mods, last: char, out: &mut Vec<u8>) {
    let sequence = match (number, mods.is_empty()) {
        (1, true) => format!("\x1b[{last}"),
        (_, true) => format!("\x1b[{number}{last}"),
        _ => format!("\x1b[{number};{}{last}", mods.parameter()),
    };
    out.extend_from_slice(sequence.as_bytes());
}

fn utf8(c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    pub(super) fn check(modes: KeyModes, rows: &[(&str, &str)]) {
        for (names, expected) in rows {
            let keys: Vec<Key> = names.split_whitespace().map(|name| name.parse().unwrap()).collect();
            let sent = encode(&keys, modes);
            assert_eq!(sent.escape_ascii().to_string(), expected.as_bytes().escape_ascii().to_string(), "{names}");
        }
    }

    #[test]
    fn keys_follow_one_another() {
        check(KeyModes::default(), &[("h i Enter", "hi\r"), ("Up ^c é", "\x1b[A\x03é"), ("", "")]);
    }

    /// Whatever the modes, every key sends something, and something short.
    #[test]
    fn every_name_has_an_encoding_in_every_mode() {
        for kitty in 0..32 {
            for modify_other_keys in 0..3 {
                for bits in 0..16 {
                    let modes = KeyModes {
                        kitty,
                        modify_other_keys,
                        app_cursor: bits & 1 != 0,
                        app_keypad: bits & 2 != 0,
                        backspace_bs: bits & 4 != 0,
                        newline: bits & 8 != 0,
                    };
                    for name in names().flatten() {
                        let sent = name.parse::<Key>().unwrap().encode(modes);
                        assert!((1..=16).contains(&sent.len()), "{name} in {modes:?}: {sent:?}");
                    }
                }
            }
        }
    }
}
