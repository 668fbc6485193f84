//! A line with colours, cut off at the edge of a window that is too narrow for it.

use unicode_width::UnicodeWidthChar as _;

/// Ends colours and links that were cut off before their own end.
const RESET: &str = "\x1b[0m\x1b]8;;\x1b\\";

/// What of `line` fits into `cols` columns. A character made of several is counted by its parts, so that at worst the
/// cut comes too early.
pub(super) fn cut(line: &str, cols: usize) -> String {
    let mut out = String::with_capacity(line.len());
    let mut col = 0;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let escape = escape(rest);
        if escape > 0 {
            let (sequence, tail) = rest.split_at(escape);
            rest = tail;
            match column(sequence) {
                Some(to) => col = to,
                None => out.push_str(sequence),
            }
            if let Some(to) = column(sequence).filter(|to| *to < cols) {
                out.push_str(&format!("\x1b[{}G", to + 1));
            }
            continue;
        }
        rest = &rest[c.len_utf8()..];
        let width = c.width().unwrap_or(0);
        if col + width <= cols {
            out.push(c);
        }
        col += width;
    }
    out.push_str(RESET);
    out
}

/// The length of the sequence `text` begins with: what sets colours, moves to a column, or begins or ends a link.
fn escape(text: &str) -> usize {
    let end = if let Some(parameters) = text.strip_prefix("\x1b[") {
        parameters.find(|c: char| ('\x40'..='\x7e').contains(&c)).map(|at| at + 3)
    } else if text.starts_with("\x1b]") {
        text.find("\x1b\\").map(|at| at + 2)
    } else {
        Some(0)
    };
    end.unwrap_or(text.len())
}

/// The column, from 0, that a sequence moves to.
fn column(sequence: &str) -> Option<usize> {
    sequence.strip_prefix("\x1b[")?.strip_suffix('G')?.parse::<usize>().ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let check = |line: &str, cols, expected: &str| {
            assert_eq!(cut(line, cols), format!("{expected}{RESET}"), "{line:?} at {cols}");
        };
        check("hello", 9, "hello");
        check("hello", 3, "hel");
        check("\x1b[0;31mhello\x1b[0m", 3, "\x1b[0;31mhel\x1b[0m");
        check("a漢b", 2, "a");
        check("a漢b", 3, "a漢");
        check("e\u{301}x", 1, "e\u{301}");
        check("\x1b]8;id=1;http://a\x1b\\link\x1b]8;;\x1b\\", 2, "\x1b]8;id=1;http://a\x1b\\li\x1b]8;;\x1b\\");
        check("a\x1b[3Gb\x1b[2Gc\x1b[4G", 2, "a\x1b[2Gc");
        check("", 2, "");
    }
}
