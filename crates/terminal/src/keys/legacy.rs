//! What xterm sends: C0 controls, Alt as ESC, cursor and function keys as CSI or SS3, and modifyOtherKeys.

use super::{Code, Key, KeyModes, Mods, csi, kitty, utf8};

pub(super) fn write(key: Key, modes: KeyModes, out: &mut Vec<u8>) {
    match key.code {
        Code::Cursor(letter) if modes.app_cursor && key.mods.is_empty() => ss3(letter, key.mods, out),
        Code::Cursor(letter) => csi(1, key.mods, letter, out),
        Code::Edit(number) => csi(number, key.mods, '~', out),
        Code::Function(n) => function(n, key.mods, out),
        Code::Keypad(typed) if modes.app_keypad => ss3(keypad_letter(typed), key.mods, out),
        Code::Keypad(b'\r') => simple(Key { code: Code::Enter, ..key }, modes, out),
        // Not shifted: Shift with the 1 of the keypad is no exclamation mark.
        Code::Keypad(typed) => {
            simple(Key { code: Code::Char(typed.into()), mods: key.mods.without(Mods::SHIFT) }, modes, out);
        }
        _ => simple(key, modes, out),
    }
}

/// Writes `CSI 27 ; mods ; code ~` if the application's level of modifyOtherKeys asks for it.
///
/// Level 1 leaves alone what already means something: Alt as ESC, Ctrl where it makes a control, Escape and Backspace.
/// Level 2 reports all modifiers, but Shift that types a character, where xterm reports letters: text is always safe.
pub(super) fn write_other(key: Key, modes: KeyModes, out: &mut Vec<u8>) -> bool {
    let Key { code, mods } = key;
    // The sequence has no bit for Super, and Shift-Tab and Ctrl-Backspace keep the bytes that everyone knows.
    let known = matches!((code, mods), (Code::Tab, Mods::SHIFT) | (Code::Backspace, Mods::CTRL));
    if mods.is_empty() || mods.has(Mods::SUPER) || known {
        return false;
    }
    let wanted = match (modes.modify_other_keys, code) {
        (0, _) => false,
        (1, Code::Enter | Code::Tab) => !mods.has(Mods::ALT),
        (1, Code::Char(c)) => mods.has(Mods::CTRL) && control(key.typed(c)).is_none(),
        (1, _) => false,
        (_, Code::Char(' ') | Code::Enter | Code::Tab | Code::Escape | Code::Backspace) => true,
        (_, Code::Char(_)) => key.text().is_none(),
        _ => false,
    };
    if wanted && let Some(c) = character(key, modes) {
        out.extend_from_slice(format!("\x1b[27;{};{}~", mods.parameter(), u32::from(c)).as_bytes());
    }
    wanted
}

/// The keys that send one character, which Ctrl makes a control and Alt puts an ESC before.
fn simple(key: Key, modes: KeyModes, out: &mut Vec<u8>) {
    if key.mods.has(Mods::SUPER) {
        // xterm would drop Super and type the letter; kitty's form is one that applications ignore.
        return kitty::write(key, KeyModes { kitty: kitty::DISAMBIGUATE, ..modes }, out);
    }
    let Some(c) = character(key, modes) else { return };
    if key.mods.has(Mods::ALT) {
        out.push(0x1b);
    }
    let ctrl = key.mods.has(Mods::CTRL);
    match key.code {
        Code::Enter if modes.newline => out.extend_from_slice(b"\r\n"),
        Code::Tab if key.mods.has(Mods::SHIFT) => out.extend_from_slice(b"\x1b[Z"),
        Code::Backspace if ctrl => utf8(backspace(!modes.backspace_bs), out),
        Code::Char(_) if ctrl => utf8(control(c).unwrap_or(c), out),
        _ => utf8(c, out),
    }
}

/// The character of a key, typed or not: what is sent without Ctrl and Alt, and its number in sequences.
fn character(key: Key, modes: KeyModes) -> Option<char> {
    match key.code {
        Code::Char(c) => Some(key.typed(c)),
        Code::Enter => Some('\r'),
        Code::Tab => Some('\t'),
        Code::Escape => Some('\x1b'),
        Code::Backspace => Some(backspace(modes.backspace_bs)),
        Code::Cursor(_) | Code::Edit(_) | Code::Function(_) | Code::Keypad(_) => None,
    }
}

fn backspace(bs: bool) -> char {
    if bs { '\x08' } else { '\x7f' }
}

fn function(n: u8, mods: Mods, out: &mut Vec<u8>) {
    match n {
        1..=4 if mods.is_empty() => ss3(char::from(b'P' + n - 1), mods, out),
        1..=4 => csi(1, mods, char::from(b'P' + n - 1), out),
        _ => csi(function_number(n), mods, '~', out),
    }
}

/// The number of F5 and those after it: VT220 left gaps, and xterm made up those after F20.
pub(super) fn function_number(n: u8) -> u32 {
    let gap = match n {
        ..=5 => 10,
        6..=10 => 11,
        11..=14 => 12,
        15..=16 => 13,
        17..=20 => 14,
        21.. => 21,
    };
    u32::from(n) + gap
}

fn ss3(letter: char, mods: Mods, out: &mut Vec<u8>) {
    let mods = if mods.is_empty() { String::new() } else { mods.parameter().to_string() };
    out.extend_from_slice(format!("\x1bO{mods}{letter}").as_bytes());
}

/// VT100 placed the keypad 64 above what it types: `0` is `p`, `*` is `j`, Enter is `M`. It had no `=`.
fn keypad_letter(typed: u8) -> char {
    if typed == b'=' { 'X' } else { char::from(typed + 64) }
}

/// The control that Ctrl makes of a character, as Xlib maps them; others are sent as they are.
fn control(c: char) -> Option<char> {
    match u8::try_from(c).ok()? {
        b' ' | b'2' => Some('\0'),
        byte @ b'3'..=b'7' => Some(char::from(byte - b'3' + 0x1b)),
        b'8' | b'?' => Some('\x7f'),
        b'/' => Some('\x1f'),
        byte @ b'@'..=b'~' => Some(char::from(byte & 0x1f)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn plain_terminal() {
        check(
            KeyModes::default(),
            &[
                ("a A é / Space", "aAé/ "),
                ("S-a Shift-1 S-é S-ß", "A!Éß"),
                ("C-a Ctrl-C ^z C-S-a", "\x01\x03\x1a\x01"),
                ("C-Space C-@ C-2 C-/ C-_ C-7", "\0\0\0\x1f\x1f\x1f"),
                ("C-[ C-\\ C-] C-^ C-? C-8", "\x1b\x1c\x1d\x1e\x7f\x7f"),
                ("C-1 C-; C-- C-+ C-é", "1;-+é"),
                ("C-S-/ C-S-2 C-S--", "\x7f\0\x1f"),
                ("M-x M-X M-S-x C-M-x M-é", "\x1bx\x1bX\x1bX\x1b\x18\x1bé"),
                ("Enter C-Enter S-Enter M-Enter", "\r\r\r\x1b\r"),
                ("Tab C-Tab M-Tab", "\t\t\x1b\t"),
                ("S-Tab BTab C-S-Tab M-S-Tab", "\x1b[Z\x1b[Z\x1b[Z\x1b\x1b[Z"),
                ("Escape C-Esc M-Esc", "\x1b\x1b\x1b\x1b"),
                ("BSpace S-BSpace C-BSpace M-BSpace C-M-BSpace", "\x7f\x7f\x08\x1b\x7f\x1b\x08"),
                ("Up Down Right Left Home End", "\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F"),
                ("S-Up M-Down C-Right C-S-M-Left", "\x1b[1;2A\x1b[1;3B\x1b[1;5C\x1b[1;8D"),
                ("Super-Up Super-c Super-S-c Super-Enter", "\x1b[1;9A\x1b[99;9u\x1b[99;10u\x1b[13;9u"),
                ("Insert Delete PageUp PageDown", "\x1b[2~\x1b[3~\x1b[5~\x1b[6~"),
                ("C-Delete Ctrl-Alt-Delete", "\x1b[3;5~\x1b[3;7~"),
                ("F1 F2 F3 F4", "\x1bOP\x1bOQ\x1bOR\x1bOS"),
                ("S-F1 C-F4", "\x1b[1;2P\x1b[1;5S"),
                ("F5 F6 F10 F11 F12", "\x1b[15~\x1b[17~\x1b[21~\x1b[23~\x1b[24~"),
                ("F13 F15 F20 F21 F24 C-F5", "\x1b[25~\x1b[28~\x1b[34~\x1b[42~\x1b[45~\x1b[15;5~"),
                ("KP0 KP9 KP+ KP- KP* KP/ KP. KP= KPEnter", "09+-*/.=\r"),
                ("S-KP1 M-KP1 C-KP2 M-KPEnter", "1\x1b1\0\x1b\r"),
            ],
        );
    }

    #[test]
    fn modes_of_the_application() {
        let app_cursor = KeyModes { app_cursor: true, ..KeyModes::default() };
        check(app_cursor, &[("Up Home End", "\x1bOA\x1bOH\x1bOF"), ("C-Up F5 KP0", "\x1b[1;5A\x1b[15~0")]);
        let app_keypad = KeyModes { app_keypad: true, ..KeyModes::default() };
        check(
            app_keypad,
            &[
                ("KP0 KP9 KP* KP+ KP, KP- KP. KP/", "\x1bOp\x1bOy\x1bOj\x1bOk\x1bOl\x1bOm\x1bOn\x1bOo"),
                ("KPEnter KP= C-KP0 0", "\x1bOM\x1bOX\x1bO5p0"),
            ],
        );
        let backspace_bs = KeyModes { backspace_bs: true, ..KeyModes::default() };
        check(backspace_bs, &[("BSpace C-BSpace Delete", "\x08\x7f\x1b[3~")]);
        let newline = KeyModes { newline: true, ..KeyModes::default() };
        check(newline, &[("Enter KPEnter C-m", "\r\n\r\n\r")]);
    }

    #[test]
    fn modify_other_keys() {
        let level = |modify_other_keys| KeyModes { modify_other_keys, ..KeyModes::default() };
        let same_at_both = [
            ("a A Enter Tab Escape BSpace Up", "aA\r\t\x1b\x7f\x1b[A"),
            ("S-Tab C-BSpace S-1 C-Up Super-c", "\x1b[Z\x08!\x1b[1;5A\x1b[99;9u"),
            ("S-Enter C-Enter C-S-Enter", "\x1b[27;2;13~\x1b[27;5;13~\x1b[27;6;13~"),
            ("C-Tab C-S-Tab", "\x1b[27;5;9~\x1b[27;6;9~"),
            ("C-1 C-; C-S-; C-M-1", "\x1b[27;5;49~\x1b[27;5;59~\x1b[27;6;58~\x1b[27;7;49~"),
        ];
        check(level(1), &same_at_both);
        check(level(2), &same_at_both);
        check(
            level(1),
            &[
                ("C-a C-M-a C-Space C-/ S-Space", "\x01\x1b\x01\0\x1f "),
                ("M-x M-Enter C-M-Tab M-Esc M-BSpace", "\x1bx\x1b\r\x1b\t\x1b\x1b\x1b\x7f"),
            ],
        );
        check(
            level(2),
            &[
                ("C-a C-i C-S-a", "\x1b[27;5;97~\x1b[27;5;105~\x1b[27;6;65~"),
                ("M-x M-X C-M-x", "\x1b[27;3;120~\x1b[27;4;88~\x1b[27;7;120~"),
                ("S-Space C-Space", "\x1b[27;2;32~\x1b[27;5;32~"),
                ("M-Enter C-Esc M-BSpace", "\x1b[27;3;13~\x1b[27;5;27~\x1b[27;3;127~"),
            ],
        );
    }
}
