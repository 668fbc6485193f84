//! What the program has asked the keyboard and the mouse to be, so that the person's own are the same and what they
//! type can be sent as it is.

use std::fmt::Write as _;

use coop_terminal::Screen;

/// Cursor keys, mouse, focus, wheel, bracketed paste.
const SWITCHES: [u16; 9] = [1, 1000, 1002, 1003, 1004, 1005, 1006, WHEEL_AS_ARROWS, 2004];
const MOUSE: [u16; 5] = [1000, 1002, 1003, 1005, 1006];
const WHEEL_AS_ARROWS: u16 = 1007;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Modes {
    on: Vec<u16>,
    keypad: bool,
    kitty: u8,
    other_keys: u8,
}

impl Modes {
    /// Those of the program. The mouse counts only where the window shows the whole screen from its first row: it tells
    /// places in the window.
    pub(super) fn of(screen: &Screen, whole: bool) -> Self {
        let (modes, keys) = (screen.modes(), screen.key_modes());
        let is_on = |number: &u16| screen.private_mode(*number) == Some(true);
        let counts = |number: &u16| match *number {
            // We are on the alternate screen when the program is not; arrows would go through its history.
            WHEEL_AS_ARROWS => modes.alt_screen,
            number => whole || !MOUSE.contains(&number),
        };
        Self {
            on: SWITCHES.into_iter().filter(|number| counts(number) && is_on(number)).collect(),
            keypad: modes.app_keypad,
            kitty: modes.kitty_keyboard,
            other_keys: keys.modify_other_keys,
        }
    }

    /// Brings a terminal to these modes, whatever it is in.
    pub(super) fn sequences(&self) -> String {
        let mut out = String::new();
        // Of the mouse's modes only one can be on: those that are off are sent first.
        for on in [false, true] {
            for number in SWITCHES.iter().filter(|number| self.on.contains(number) == on) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\x1b[?{number}{}", if on { 'h' } else { 'l' });
            }
        }
        out.push_str(if self.keypad { "\x1b=" } else { "\x1b>" });
        let _ = write!(out, "\x1b[={};1u\x1b[>4;{}m", self.kitty, self.other_keys);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coop_terminal::{Options, Size};

    fn screen(bytes: &str) -> Screen {
        let mut screen = Screen::new(Size::new(80, 24).unwrap(), Options { scrollback: 0, kitty_keyboard: true });
        screen.feed(bytes.as_bytes()).unwrap();
        screen
    }

    #[test]
    fn what_one_screen_has_another_gets() {
        for bytes in [
            "",
            "\x1b[?1h\x1b=\x1b[?2004h",
            "\x1b[?1002h\x1b[?1006h\x1b[?1004h",
            "\x1b[?1000h\x1b[?1003h",
            "\x1b[>1u",
            "\x1b[>4;2m",
            "\x1b[?1049h\x1b[?1007h",
        ] {
            let modes = Modes::of(&screen(bytes), true);
            let mut other = screen("\x1b[?1003h\x1b[?1h\x1b[?2004h\x1b[>7u\x1b[?1049h");
            other.feed(modes.sequences().as_bytes()).unwrap();
            assert_eq!(Modes::of(&other, true), modes, "{}", bytes.escape_debug());
        }
    }

    #[test]
    fn a_cut_screen_has_no_mouse_and_a_primary_one_no_wheel() {
        assert_eq!(Modes::of(&screen("\x1b[?1000h\x1b[?1006h"), false), Modes::of(&screen(""), true));
        assert!(!Modes::of(&screen("\x1b[?1007h"), true).on.contains(&WHEEL_AS_ARROWS));
    }
}
