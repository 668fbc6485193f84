//! The control sequences that output is made of, straight to the guard.
//!
//! Colours, moves of the cursor and erasing are nearly all that a program says besides text, and the parser takes longer
//! to find out which one it is than the engine to do it. These few are read in one go here, by the parser's own rules.
//! Anything else (markers, colons, controls in between, too many numbers, not all there) is left to it.

use alacritty_terminal::vte::ansi::{ClearMode, Handler, LineClearMode};

use crate::guard::Guard;
use crate::sgr;

/// More than any such sequence needs.
const MAX_NUMBERS: usize = 16;

/// Does the sequence at the beginning of `input`, and says how long it was. None, and nothing done, if it is not one of
/// these.
pub(crate) fn quick(guard: &mut Guard<'_>, input: &[u8]) -> Option<usize> {
    let body = input.strip_prefix(b"\x1b[")?;
    let mut numbers = [0_u16; MAX_NUMBERS];
    let (count, last, len) = read(body, &mut numbers)?;
    dispatch(guard, last, &numbers[..count])?;
    Some(2 + len)
}

/// Numbers up to the final byte: how many, the byte, and the length of it all.
fn read(body: &[u8], numbers: &mut [u16; MAX_NUMBERS]) -> Option<(usize, u8, usize)> {
    let (mut at, mut number) = (0, 0_u32);
    for (i, &byte) in body.iter().enumerate() {
        match byte {
            b'0'..=b'9' => number = (number * 10 + u32::from(byte - b'0')).min(u16::MAX.into()),
            b';' => {
                *numbers.get_mut(at)? = number as u16;
                (at, number) = (at + 1, 0);
            }
            0x40..=0x7e => {
                *numbers.get_mut(at)? = number as u16;
                return Some((at + 1, byte, i + 1));
            }
            _ => return None,
        }
    }
    None
}

fn dispatch(guard: &mut Guard<'_>, last: u8, numbers: &[u16]) -> Option<()> {
    let first = numbers.first().copied().unwrap_or(0);
    // Nothing and zero mean one.
    let count = usize::from(first.max(1));
    match last {
        b'm' => sgr::apply(&mut guard.term.grid_mut().cursor.template, numbers),
        b'A' => guard.move_up(count),
        b'B' => guard.move_down(count),
        b'C' => guard.move_forward(count),
        b'D' => guard.move_backward(count),
        b'G' => guard.goto_col(count - 1),
        b'd' => guard.goto_line(count as i32 - 1),
        b'H' => {
            let column = numbers.get(1).copied().unwrap_or(0).max(1);
            guard.goto(count as i32 - 1, usize::from(column) - 1);
        }
        b'J' => guard.clear_screen([ClearMode::Below, ClearMode::Above, ClearMode::All].into_iter().nth(first.into())?),
        b'K' => guard
            .clear_line([LineClearMode::Right, LineClearMode::Left, LineClearMode::All].into_iter().nth(first.into())?),
        b'X' => guard.erase_chars(count),
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use alacritty_terminal::vte::ansi::{Processor, StdSyncHandler};
    use proptest::prelude::*;

    use super::*;
    use crate::{Format, Options, Screen, Size};

    /// What is there, and where the next character goes and how it looks.
    fn seen(screen: &Screen) -> String {
        let cursor = &screen.term.grid().cursor;
        let lines = screen.view(Format::Cells, 100).lines;
        format!("{lines:?} {:?} {} {:?}", cursor.point, cursor.input_needs_wrap, cursor.template)
    }

    fn painted() -> Screen {
        let mut screen = Screen::new(Size::new(12, 5).unwrap(), Options::default());
        screen.feed("漢字漢字漢字\r\nplain\r\n\x1b[41mred\x1b[m\r\na漢b字c\x1b[2;4r\x1b[3;5H".as_bytes()).unwrap();
        screen
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

        #[test]
        fn as_the_parser_does(sequences in prop::collection::vec("\x1b\\[[0-9;]{0,7}[A-Zd-m]x?", 1..12)) {
            let (mut quickly, mut parsed) = (painted(), painted());
            for sequence in sequences {
                let bytes = sequence.as_bytes();
                let mut guard = Guard { term: &mut quickly.term, extra: &mut quickly.extra };
                let Some(taken) = quick(&mut guard, bytes) else { continue };
                quickly.feed(&bytes[taken..]).unwrap();
                let mut guard = Guard { term: &mut parsed.term, extra: &mut parsed.extra };
                Processor::<StdSyncHandler>::new().advance(&mut guard, bytes);
                prop_assert_eq!(seen(&quickly), seen(&parsed), "{}", bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn the_rest_is_for_the_parser() {
        let many = format!("\x1b[{}m", "1;".repeat(20));
        let rest = [
            "\x1b[",
            "\x1b[1",
            "\x1b[1;",
            "\x1b[?25h",
            "\x1b[4:3m",
            "\x1b[1 q",
            "\x1b[3\n1m",
            "\x1b[9K",
            "\x1b7",
            &many,
        ];
        for sequence in rest {
            let mut screen = painted();
            let before = seen(&screen);
            let mut guard = Guard { term: &mut screen.term, extra: &mut screen.extra };
            assert_eq!(quick(&mut guard, sequence.as_bytes()), None, "{}", sequence.escape_debug());
            assert_eq!(seen(&screen), before);
        }
    }
}
