//! The names of keys: tmux's, and those in common use.

use super::{Code, Key, Mods};
use std::str::FromStr;

/// A name that is no key's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown key {name:?}: {}`coop keys --list` shows all names", self.hint())]
pub struct KeyError {
    name: String,
    suggestion: Option<String>,
}

/// Keys with names. The first name of each is the one to show.
static NAMED: [(&[&str], Key); 24] = [
    (&["Enter", "Return", "CR"], Key::ENTER),
    (&["Escape", "Esc"], Key::ESCAPE),
    (&["Tab"], Key::TAB),
    (&["BTab"], Key { code: Code::Tab, mods: Mods::SHIFT }),
    (&["Space"], Key::plain(Code::Char(' '))),
    (&["Backspace", "BSpace", "BS"], Key::BACKSPACE),
    (&["Insert", "Ins", "IC"], Key::plain(Code::Edit(2))),
    (&["Delete", "Del", "DC"], Key::plain(Code::Edit(3))),
    (&["Home"], Key::plain(Code::Cursor('H'))),
    (&["End"], Key::plain(Code::Cursor('F'))),
    (&["PageUp", "PgUp", "PPage"], Key::plain(Code::Edit(5))),
    (&["PageDown", "PgDn", "NPage"], Key::plain(Code::Edit(6))),
    (&["Up"], Key::UP),
    (&["Down"], Key::DOWN),
    (&["Left"], Key::LEFT),
    (&["Right"], Key::RIGHT),
    (&["KPEnter"], Key::plain(Code::Keypad(b'\r'))),
    (&["KPPlus", "KPAdd", "KP+"], Key::plain(Code::Keypad(b'+'))),
    (&["KPMinus", "KPSubtract", "KP-"], Key::plain(Code::Keypad(b'-'))),
    (&["KPMultiply", "KPStar", "KP*"], Key::plain(Code::Keypad(b'*'))),
    (&["KPDivide", "KPSlash", "KP/"], Key::plain(Code::Keypad(b'/'))),
    (&["KPDecimal", "KPPeriod", "KP."], Key::plain(Code::Keypad(b'.'))),
    (&["KPEqual", "KP="], Key::plain(Code::Keypad(b'='))),
    (&["KPComma", "KPSeparator", "KP,"], Key::plain(Code::Keypad(b','))),
];

static FUNCTION: [&str; 24] = [
    "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12", "F13", "F14", "F15", "F16", "F17",
    "F18", "F19", "F20", "F21", "F22", "F23", "F24",
];

static KEYPAD: [&str; 10] = ["KP0", "KP1", "KP2", "KP3", "KP4", "KP5", "KP6", "KP7", "KP8", "KP9"];

static MODIFIERS: [(&[&str], Mods); 4] = [
    (&["Ctrl", "Control", "C"], Mods::CTRL),
    // Keyboards have no Meta any more: who writes it means the key that took its place.
    (&["Alt", "Meta", "Option", "M"], Mods::ALT),
    (&["Shift", "S"], Mods::SHIFT),
    (&["Super", "Cmd", "Win"], Mods::SUPER),
];

/// The names of every key that has one, in any case; each item is one key, its main name first.
///
/// Any single character is a key too, and modifiers go before either: `Ctrl-Alt-Delete`, `C-M-x`, `Ctrl+C`, `^c`.
pub fn names() -> impl Iterator<Item = &'static [&'static str]> {
    keys().map(|(names, _)| names)
}

/// The names of the modifiers, as in [`names`].
pub fn modifiers() -> impl Iterator<Item = &'static [&'static str]> {
    MODIFIERS.iter().map(|(names, _)| *names)
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(name: &str) -> Result<Self, KeyError> {
        let (mods, rest) = match name.strip_prefix('^') {
            Some(rest) if !rest.is_empty() => (Mods::CTRL, rest),
            _ => (Mods::NONE, name),
        };
        let (mods, rest) = take_modifiers(mods, rest);
        if let Some(c) = super::single(rest.chars()).filter(|c| !c.is_control()) {
            return Ok(Self::character(c, mods));
        }
        match keys().find(|(names, _)| names.iter().any(|known| known.eq_ignore_ascii_case(rest))) {
            Some((_, key)) => Ok(Self { code: key.code, mods: key.mods.with(mods) }),
            None => Err(KeyError { name: name.to_owned(), suggestion: suggest(name, rest) }),
        }
    }
}

impl KeyError {
    fn hint(&self) -> String {
        self.suggestion.as_ref().map_or_else(String::new, |name| format!("did you mean {name:?}? "))
    }
}

fn keys() -> impl Iterator<Item = (&'static [&'static str], Key)> {
    use std::slice::from_ref;
    let function = FUNCTION.iter().zip(1..).map(|(name, n)| (from_ref(name), Key::plain(Code::Function(n))));
    let keypad = KEYPAD.iter().zip(b'0'..).map(|(name, digit)| (from_ref(name), Key::plain(Code::Keypad(digit))));
    NAMED.iter().copied().chain(function).chain(keypad)
}

/// Takes `Ctrl-` and the like off the front, as long as something is left: the `-` of `Ctrl--` is the key.
fn take_modifiers(mut mods: Mods, mut rest: &str) -> (Mods, &str) {
    while let Some((head, tail)) = split_modifier(rest)
        && let Some((_, modifier)) =
            MODIFIERS.iter().find(|(names, _)| names.iter().any(|known| known.eq_ignore_ascii_case(head)))
    {
        mods = mods.with(*modifier);
        rest = tail;
    }
    (mods, rest)
}

/// What may be a modifier, and what it would modify.
fn split_modifier(name: &str) -> Option<(&str, &str)> {
    name.split_once(['-', '+']).filter(|(head, tail)| !head.is_empty() && !tail.is_empty())
}

/// The name with its first wrong part, a modifier or the key, put right.
fn suggest(name: &str, rest: &str) -> Option<String> {
    let before = &name[..name.len() - rest.len()];
    let modifier = split_modifier(rest).and_then(|(head, tail)| {
        let right = nearest(head, modifiers().flatten())?;
        Some(format!("{before}{right}{}", &rest[rest.len() - tail.len() - 1..]))
    });
    modifier.or_else(|| nearest(rest, names().flatten()).map(|right| format!("{before}{right}")))
}

/// The known name that is fewest typing mistakes away, if they are few for its length.
fn nearest(name: &str, known: impl Iterator<Item = &'static &'static str>) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let distances = known.filter_map(|known| {
        let allowed = (known.len() / 2).min(2);
        // Distance is at least the difference in length: a name of a megabyte is not worth measuring.
        let measured = (name.len().abs_diff(known.len()) <= allowed).then(|| distance(&name, known))?;
        (measured <= allowed).then_some((measured, *known))
    });
    distances.min_by_key(|(measured, _)| *measured).map(|(_, known)| known)
}

/// Letters to add, drop, change or swap with the next: `table[i][j]` is for the first `i` and `j` letters of the two.
fn distance(name: &str, known: &str) -> usize {
    let (a, b) = (name.as_bytes(), known.to_ascii_lowercase().into_bytes());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swap = if swapped { table[i - 2][j - 2] + 1 } else { usize::MAX };
                change.min(swap).min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: Code, mods: &[Mods]) -> Key {
        Key { code, mods: mods.iter().fold(Mods::NONE, |all, one| all.with(*one)) }
    }

    #[test]
    fn names_are_read() {
        use Mods as M;
        let c = |c, mods: &[Mods]| key(Code::Char(c), mods);
        for (names, expected) in [
            ("Enter enter RETURN cr", Key::ENTER),
            ("BTab S-Tab shift+tab", key(Code::Tab, &[M::SHIFT])),
            ("PageUp pgup PPage", key(Code::Edit(5), &[])),
            ("F1 f1", key(Code::Function(1), &[])),
            ("f24", key(Code::Function(24), &[])),
            ("KP7 kp7", key(Code::Keypad(b'7'), &[])),
            ("KP- kpminus", key(Code::Keypad(b'-'), &[])),
            ("Ctrl-KP+ C+KPPlus", key(Code::Keypad(b'+'), &[M::CTRL])),
            ("a", c('a', &[])),
            ("A S-a Shift-A", c('a', &[M::SHIFT])),
            ("É S-é", c('é', &[M::SHIFT])),
            ("İ", c('İ', &[])),
            ("ẞ", c('ẞ', &[])),
            ("C-c Ctrl-C ctrl+c Control-c ^c ^C", c('c', &[M::CTRL])),
            ("Ctrl-Shift-c C-S-C", c('c', &[M::CTRL, M::SHIFT])),
            ("Alt-x M-x Meta-x Option+x", c('x', &[M::ALT])),
            ("M-X Alt-Shift-x", c('x', &[M::ALT, M::SHIFT])),
            ("C-M-x M-C-x ^M-x Ctrl+Alt-X", c('x', &[M::CTRL, M::ALT])),
            ("Super-k Cmd+K", c('k', &[M::SUPER])),
            ("Ctrl-Alt-Delete C-M-DC", key(Code::Edit(3), &[M::CTRL, M::ALT])),
            ("-", c('-', &[])),
            ("+", c('+', &[])),
            ("^", c('^', &[])),
            ("Ctrl-- C-- Ctrl+- ^-", c('-', &[M::CTRL])),
            ("Ctrl-+ C++ ^+", c('+', &[M::CTRL])),
            ("Ctrl-^ ^^", c('^', &[M::CTRL])),
        ] {
            for name in names.split(' ') {
                assert_eq!(name.parse(), Ok(expected), "{name}");
            }
        }
    }

    #[test]
    fn errors_say_what_was_meant() {
        for (name, suggestion) in [
            ("Entr", Some("Enter")),
            ("retrun", Some("Return")),
            ("Ctrl-Entre", Some("Ctrl-Enter")),
            ("Crtl-c", Some("Ctrl-c")),
            ("C-Atl-Up", Some("C-Alt-Up")),
            ("PageDwn", Some("PageDown")),
            ("F25", Some("F2")),
            ("x-Enter", Some("Enter")),
            ("xyz", None),
            ("", None),
            ("Ctrl-", None),
            ("\n", None),
            ("hello world", None),
            ("日本", None),
        ] {
            let error = name.parse::<Key>().unwrap_err();
            assert_eq!(error.suggestion.as_deref(), suggestion, "{name}");
        }
        assert_eq!(
            "Entr".parse::<Key>().unwrap_err().to_string(),
            r#"unknown key "Entr": did you mean "Enter"? `coop keys --list` shows all names"#
        );
    }

    #[test]
    fn the_list_is_what_is_read() {
        for (spellings, key) in keys() {
            for name in spellings {
                assert_eq!(name.parse(), Ok(key), "{name}");
            }
        }
        assert_eq!(names().count(), NAMED.len() + 34);
    }
}
