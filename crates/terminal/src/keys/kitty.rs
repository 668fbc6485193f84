//! Kitty's keyboard protocol: `CSI code : shifted ; mods ; text u`, as far as the application's flags ask for it.
//!
//! Flag 2 (events) changes nothing here: a press is what is meant when no event type is named.

use super::{Code, Key, KeyModes, Mods, csi, legacy, utf8};

pub(super) const DISAMBIGUATE: u8 = 1;
const ALTERNATES: u8 = 4;
pub(super) const ALL_KEYS: u8 = 8;
/// Only together with `ALL_KEYS`: alone it is undefined.
const TEXT: u8 = 16;

/// Where the protocol's numbers for keys without a character begin.
const F13: u32 = 57376;
const KEYPAD_0: u32 = 57399;

pub(super) fn write(key: Key, modes: KeyModes, out: &mut Vec<u8>) {
    let all = modes.kitty & ALL_KEYS != 0;
    if !all && let Some(text) = key.text() {
        return utf8(text, out);
    }
    match key.code {
        // So that a person can type `reset` at the prompt an application left behind.
        Code::Enter | Code::Tab | Code::Backspace if !all && key.mods.is_empty() => legacy::write(key, modes, out),
        Code::Char(c) => character(key, u32::from(c), modes, out),
        Code::Enter => csi(13, key.mods, 'u', out),
        Code::Tab => csi(9, key.mods, 'u', out),
        Code::Escape => csi(27, key.mods, 'u', out),
        Code::Backspace => csi(127, key.mods, 'u', out),
        Code::Cursor(letter) => csi(1, key.mods, letter, out),
        Code::Edit(number) => csi(number, key.mods, '~', out),
        Code::Function(n) => function(n, key.mods, out),
        Code::Keypad(typed) => character(key, keypad(typed), modes, out),
    }
}

/// A key that types something, with what it types where that is asked for.
fn character(key: Key, number: u32, modes: KeyModes, out: &mut Vec<u8>) {
    let shifted = match key.code {
        Code::Char(c) if modes.kitty & ALTERNATES != 0 && key.typed(c) != c => format!(":{}", u32::from(key.typed(c))),
        _ => String::new(),
    };
    let text = key.text().filter(|_| modes.kitty & (ALL_KEYS | TEXT) == ALL_KEYS | TEXT);
    let mods = if key.mods.is_empty() { String::new() } else { key.mods.parameter().to_string() };
    let rest = match text {
        Some(text) => format!(";{mods};{}", u32::from(text)),
        None if mods.is_empty() => mods,
        None => format!(";{mods}"),
    };
    out.extend_from_slice(format!("\x1b[{number}{shifted}{rest}u").as_bytes());
}

/// F3 is a number where its neighbours are letters: `CSI R` is also the answer to a question about the cursor.
fn function(n: u8, mods: Mods, out: &mut Vec<u8>) {
    match n {
        3 => csi(13, mods, '~', out),
        1..=4 => csi(1, mods, char::from(b'P' + n - 1), out),
        5..=12 => csi(legacy::function_number(n), mods, '~', out),
        _ => csi(F13 + u32::from(n) - 13, mods, 'u', out),
    }
}

fn keypad(typed: u8) -> u32 {
    let place = match typed {
        b'0'..=b'9' => typed - b'0',
        b'.' => 10,
        b'/' => 11,
        b'*' => 12,
        b'-' => 13,
        b'+' => 14,
        b'\r' => 15,
        b'=' => 16,
        // A comma, which the protocol calls separator.
        _ => 17,
    };
    KEYPAD_0 + u32::from(place)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    fn flags(kitty: u8) -> KeyModes {
        // The other modes must not matter: kitty's flags win over modifyOtherKeys, and its forms know no SS3.
        KeyModes { kitty, app_cursor: true, app_keypad: true, modify_other_keys: 2, ..KeyModes::default() }
    }

    #[test]
    fn disambiguated() {
        let rows = [
            ("a A é ! Space S-Space", "aAé!  "),
            ("Enter Tab BSpace", "\r\t\x7f"),
            ("S-Enter C-Tab S-Tab M-BSpace", "\x1b[13;2u\x1b[9;5u\x1b[9;2u\x1b[127;3u"),
            ("Escape M-Escape", "\x1b[27u\x1b[27;3u"),
            ("C-c C-S-c M-x C-M-x", "\x1b[99;5u\x1b[99;6u\x1b[120;3u\x1b[120;7u"),
            ("M-X C-Space C-/ Super-k", "\x1b[120;4u\x1b[32;5u\x1b[47;5u\x1b[107;9u"),
            ("Up Home C-Left", "\x1b[A\x1b[H\x1b[1;5D"),
            ("Insert C-Delete PageUp", "\x1b[2~\x1b[3;5~\x1b[5~"),
            ("F1 F2 F3 F4 F5 F12", "\x1b[P\x1b[Q\x1b[13~\x1b[S\x1b[15~\x1b[24~"),
            ("S-F1 S-F3 F13 F24 C-F13", "\x1b[1;2P\x1b[13;2~\x1b[57376u\x1b[57387u\x1b[57376;5u"),
            ("KP1 KP+ KPEnter C-KP1", "1+\x1b[57414u\x1b[57400;5u"),
        ];
        check(flags(DISAMBIGUATE), &rows);
        check(flags(DISAMBIGUATE | 2 | TEXT), &rows);
    }

    #[test]
    fn all_keys() {
        check(
            flags(ALL_KEYS),
            &[
                ("a A Space é", "\x1b[97u\x1b[97;2u\x1b[32u\x1b[233u"),
                ("Enter Tab BSpace Escape", "\x1b[13u\x1b[9u\x1b[127u\x1b[27u"),
                ("C-a Up F3", "\x1b[97;5u\x1b[A\x1b[13~"),
                ("KP0 KP9 KP. KP/ KP*", "\x1b[57399u\x1b[57408u\x1b[57409u\x1b[57410u\x1b[57411u"),
                ("KP- KP+ KPEnter KP= KP,", "\x1b[57412u\x1b[57413u\x1b[57414u\x1b[57415u\x1b[57416u"),
            ],
        );
    }

    #[test]
    fn text_and_alternates() {
        check(
            flags(ALL_KEYS | TEXT),
            &[
                ("a A 1 S-1", "\x1b[97;;97u\x1b[97;2;65u\x1b[49;;49u\x1b[49;2;33u"),
                ("KP1 C-a M-a Enter", "\x1b[57400;;49u\x1b[97;5u\x1b[97;3u\x1b[13u"),
            ],
        );
        check(
            flags(DISAMBIGUATE | ALTERNATES),
            &[("A S-1", "A!"), ("C-a C-S-a M-A", "\x1b[97;5u\x1b[97:65;6u\x1b[97:65;4u")],
        );
        check(flags(ALL_KEYS | ALTERNATES | TEXT), &[("A a", "\x1b[97:65;2;65u\x1b[97;;97u")]);
    }

    #[test]
    fn flags_that_ask_for_no_escapes_leave_the_keyboard_as_it_is() {
        check(KeyModes { kitty: 2 | ALTERNATES | TEXT, ..KeyModes::default() }, &[("C-c Escape Up", "\x03\x1b\x1b[A")]);
    }
}
