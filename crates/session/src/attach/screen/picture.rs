//! A window as Screen copies it to a file, made into bytes that paint it.

use std::fmt::Write as _;

use coop_terminal::Size;

/// Screen writes the low byte of each letter and nothing else of it. What is certainly none is shown as this.
const UNKNOWN: char = '?';

/// `copy` is the history and the screen. `info` says where the cursor is.
pub(super) fn paint(copy: &[u8], info: Option<&str>, size: Size, pastes: bool) -> Vec<u8> {
    let mut painted = String::from("\x1b[H\x1b[2J");
    let lines: Vec<&[u8]> = copy.strip_suffix(b"\n").unwrap_or(copy).split(|byte| *byte == b'\n').collect();
    for (number, line) in lines.iter().enumerate() {
        if number > 0 {
            painted.push_str("\r\n");
        }
        painted.extend(line.iter().filter_map(|byte| letter(*byte)));
    }
    // A copy ends with the last line that has something in it, and may be shorter than the screen.
    let (col, row) = info.and_then(cursor).unwrap_or((1, size.rows()));
    let _ = write!(painted, "\x1b[{row};{col}H");
    if pastes {
        painted.push_str("\x1b[?2004h");
    }
    painted.into_bytes()
}

fn letter(byte: u8) -> Option<char> {
    match byte {
        b' '..=b'~' | 0xa1..=0xfe => Some(char::from(byte)),
        // The second half of a wide one.
        0xff => None,
        _ => Some(UNKNOWN),
    }
}

/// Of `(3,2)/(80,24)+1024 …`: column and row, from 1 on.
fn cursor(info: &str) -> Option<(u16, u16)> {
    let inside = info.trim_start().strip_prefix('(')?.split(')').next()?;
    let (col, row) = inside.split_once(',')?;
    Some((col.trim().parse().ok()?, row.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_painted() {
        let size = Size::clamped(80, 24);
        let painted = paint(b"$ ls\nb\xe9 \x02\xff\n", Some("(3,2)/(80,24)+1024 +flow UTF-8 0(bash)"), size, true);
        let expected = "\x1b[H\x1b[2J$ ls\r\nbé ?\x1b[2;3H\x1b[?2004h";
        assert_eq!(String::from_utf8(painted).unwrap(), expected);
        assert_eq!(cursor("nothing"), None);
    }
}
