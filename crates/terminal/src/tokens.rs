//! Cuts terminal output into whole pieces: runs of text and complete control sequences.
//!
//! The engine is only ever fed whole pieces. So at every moment the screen is the exact effect of the first *n* bytes
//! and of no half sequence, and a snapshot taken at *n* followed by the bytes from *n* on is the same as the stream.

use memchr::{memchr, memchr3};

pub(crate) const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;

/// One piece of output, with the number of bytes it takes.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(crate) enum Token<'a> {
    /// Printable ASCII.
    Ascii(&'a [u8]),
    /// Bytes from 0x80 on. No character has bytes of both kinds, so they can be read apart from the others. May hold
    /// invalid UTF-8, never a character cut at the end of the input.
    Unicode(&'a [u8]),
    /// A C0 control or DEL.
    Control(u8),
    /// `ESC …` with intermediates and a final byte.
    Escape(&'a [u8]),
    /// `ESC [ …`
    Csi(&'a [u8]),
    /// A string sequence: what lies between introducer and terminator, and all of it.
    String { kind: StringKind, body: &'a [u8], all: &'a [u8], terminated_by: Terminator },
    /// The rest is the beginning of something; more bytes are needed.
    Incomplete(Option<StringKind>),
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(crate) enum StringKind {
    Osc,
    Dcs,
    /// SOS, PM and APC: nobody reads them.
    Ignored,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(crate) enum Terminator {
    Bel,
    St,
    /// CAN, SUB or the escape of the next sequence.
    Aborted,
}

impl StringKind {
    /// What puts a terminal back into the middle of such a string, so that it ignores the rest of one we gave up on.
    pub(crate) fn introducer(self) -> &'static [u8] {
        match self {
            StringKind::Osc => b"\x1b]7500;",
            StringKind::Dcs => b"\x1bPz",
            StringKind::Ignored => b"\x1b_",
        }
    }
}

/// The first token of `input`, which must not be empty and starts outside any sequence.
#[inline]
pub(crate) fn next(input: &[u8]) -> Token<'_> {
    match input[0] {
        0x20..=0x7e => Token::Ascii(&input[..ascii_len(input)]),
        ESC => escape(input),
        0x80.. => unicode(input),
        control => Token::Control(control),
    }
}

/// How many bytes at the beginning are printable ASCII: eight at a time, because most output is.
#[inline]
fn ascii_len(input: &[u8]) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    let mut at = 0;
    while let Some(eight) = input[at..].first_chunk() {
        let word = u64::from_le_bytes(*eight);
        // The high bit of each byte that is below 0x20 or above 0x7e. What one byte carries over falsifies only those
        // after it, and the first one counts.
        let other = ((word.wrapping_sub(0x20 * EACH) & !word) | word | word.wrapping_add(EACH)) & HIGH;
        if other != 0 {
            return at + other.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + input[at..].iter().position(|byte| !matches!(byte, 0x20..=0x7e)).unwrap_or(input.len() - at)
}

fn unicode(input: &[u8]) -> Token<'_> {
    let end = match input.iter().position(|&byte| byte < 0x80) {
        Some(end) => end,
        None => input.len() - partial_utf8(input),
    };
    match end {
        0 => Token::Incomplete(None),
        end => Token::Unicode(&input[..end]),
    }
}

/// Where a string that began earlier ends in `input`: the number of bytes to skip, or nothing if it goes on.
pub(crate) fn string_end(kind: StringKind, input: &[u8]) -> Option<(usize, Terminator)> {
    let mut from = 0;
    while let Some(hit) = memchr3(ESC, CAN, SUB, &input[from..]).map(|at| from + at) {
        match (input[hit], input.get(hit + 1)) {
            (ESC, None) => from = hit + 1,
            (ESC, Some(b'\\')) => return Some(bel_before(kind, input, hit).unwrap_or((hit + 2, Terminator::St))),
            (ESC, Some(_)) => return Some(bel_before(kind, input, hit).unwrap_or((hit, Terminator::Aborted))),
            _ => return Some(bel_before(kind, input, hit).unwrap_or((hit + 1, Terminator::Aborted))),
        }
    }
    bel_before(kind, input, input.len())
}

/// Only an OSC may end with BEL.
fn bel_before(kind: StringKind, input: &[u8], end: usize) -> Option<(usize, Terminator)> {
    let at = memchr(BEL, &input[..end]).filter(|_| kind == StringKind::Osc)?;
    Some((at + 1, Terminator::Bel))
}

fn escape(input: &[u8]) -> Token<'_> {
    // Controls inside a sequence are executed by the parser and do not end it.
    for (i, &byte) in input.iter().enumerate().skip(1) {
        match byte {
            b'[' => return csi(input, i + 1),
            b']' => return string(StringKind::Osc, input, i + 1),
            b'P' => return string(StringKind::Dcs, input, i + 1),
            b'X' | b'^' | b'_' => return string(StringKind::Ignored, input, i + 1),
            0x20..=0x2f => return escape_intermediate(input, i + 1),
            0x30..=0x7e | CAN | SUB => return Token::Escape(&input[..=i]),
            ESC => return Token::Escape(&input[..i]),
            _ => {}
        }
    }
    Token::Incomplete(None)
}

fn escape_intermediate(input: &[u8], from: usize) -> Token<'_> {
    for (i, &byte) in input.iter().enumerate().skip(from) {
        match byte {
            0x30..=0x7e | CAN | SUB => return Token::Escape(&input[..=i]),
            ESC => return Token::Escape(&input[..i]),
            _ => {}
        }
    }
    Token::Incomplete(None)
}

fn csi(input: &[u8], from: usize) -> Token<'_> {
    for (i, &byte) in input.iter().enumerate().skip(from) {
        match byte {
            0x40..=0x7e | CAN | SUB => return Token::Csi(&input[..=i]),
            ESC => return Token::Csi(&input[..i]),
            _ => {}
        }
    }
    Token::Incomplete(None)
}

fn string(kind: StringKind, input: &[u8], from: usize) -> Token<'_> {
    let Some((len, terminated_by)) = string_end(kind, &input[from..]) else {
        return Token::Incomplete(Some(kind));
    };
    let body_len = match terminated_by {
        Terminator::Bel => len - 1,
        Terminator::St => len - 2,
        // An escape that starts the next sequence is not ours; CAN and SUB are.
        Terminator::Aborted => len - usize::from(matches!(input[from + len - 1], CAN | SUB) && len > 0),
    };
    Token::String { kind, body: &input[from..from + body_len], all: &input[..from + len], terminated_by }
}

/// How many bytes at the end of `text` are the beginning of a character that is not there yet.
fn partial_utf8(text: &[u8]) -> usize {
    for back in 1..=text.len().min(3) {
        let byte = text[text.len() - back];
        let needs = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return 0,
        };
        // Only a prefix that can still become valid is worth waiting for.
        let tail = &text[text.len() - back..];
        let waits = needs > back && std::str::from_utf8(tail).is_err_and(|e| e.error_len().is_none());
        return if waits { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces() {
        let check = |input: &[u8], expected: Token<'_>| assert_eq!(next(input), expected, "{}", input.escape_ascii());
        check(b"abc\r\n\x1b[m", Token::Ascii(b"abc"));
        check(b"\r\n\x1b[m", Token::Control(b'\r'));
        check(b"\x7fabc", Token::Control(0x7f));
        check("né".as_bytes(), Token::Ascii(b"n"));
        check("éné".as_bytes(), Token::Unicode("é".as_bytes()));
        check(b"n\xc3", Token::Ascii(b"n"));
        check(b"\xc3", Token::Incomplete(None));
        check(b"\xf0\x9f\x98", Token::Incomplete(None));
        check(b"\xf0\x9f\x41", Token::Unicode(b"\xf0\x9f"));
        check(b"\xe0\x80", Token::Unicode(b"\xe0\x80"));
        check(b"\xc3\x1b[m", Token::Unicode(b"\xc3"));
        check(b"\x1b", Token::Incomplete(None));
        check(b"\x1b7x", Token::Escape(b"\x1b7"));
        check(b"\x1b(0x", Token::Escape(b"\x1b(0"));
        check(b"\x1b[31mx", Token::Csi(b"\x1b[31m"));
        check(b"\x1b[31", Token::Incomplete(None));
        check(b"\x1b[31\x1b[m", Token::Csi(b"\x1b[31"));
        check(b"\x1b[3\n1mx", Token::Csi(b"\x1b[3\n1m"));
        check(b"\x1b[3\x18x", Token::Csi(b"\x1b[3\x18"));
        check(b"\x1b]0;t", Token::Incomplete(Some(StringKind::Osc)));
        check(b"\x1b]0;t\x1b", Token::Incomplete(Some(StringKind::Osc)));
        let osc = |all, terminated_by| Token::String { kind: StringKind::Osc, body: b"0;t", all, terminated_by };
        check(b"\x1b]0;t\x07x", osc(b"\x1b]0;t\x07", Terminator::Bel));
        check(b"\x1b]0;t\x1b\\x", osc(b"\x1b]0;t\x1b\\", Terminator::St));
        check(b"\x1b]0;t\x1b[m", osc(b"\x1b]0;t", Terminator::Aborted));
        check(b"\x1b]0;t\x18x", osc(b"\x1b]0;t\x18", Terminator::Aborted));
        let dcs = |body, all, terminated_by| Token::String { kind: StringKind::Dcs, body, all, terminated_by };
        check(b"\x1bP+q1\x07\x1b\\", dcs(b"+q1\x07", b"\x1bP+q1\x07\x1b\\", Terminator::St));
        check(b"\x1bP\x1b[m", dcs(b"", b"\x1bP", Terminator::Aborted));
    }

    #[test]
    fn every_cut_yields_a_prefix_of_the_same_tokens() {
        let stream = "é\x1b[1;31mx\x1b]0;t\x07\x1bP+q\x1b\\漢\x1b(0\x1b[?2026h😀".as_bytes();
        for cut in 0..=stream.len() {
            let mut rest = &stream[..cut];
            while !rest.is_empty() {
                let taken = match next(rest) {
                    Token::Ascii(t) | Token::Unicode(t) | Token::Escape(t) | Token::Csi(t) => t.len(),
                    Token::String { all, .. } => all.len(),
                    Token::Control(_) => 1,
                    Token::Incomplete(_) => break,
                };
                assert!(taken > 0, "no progress at cut {cut}");
                rest = &rest[taken..];
            }
            assert!(rest.len() < 8, "held back {} bytes at cut {cut}", rest.len());
        }
    }

    #[test]
    fn printable_is_what_lies_between_space_and_tilde() {
        for byte in 0..=u8::MAX {
            for at in 0..20 {
                let mut input = [b'a'; 20];
                input[at] = byte;
                let expected = if matches!(byte, 0x20..=0x7e) { 20 } else { at };
                assert_eq!(ascii_len(&input), expected, "{byte:#x} at {at}");
            }
        }
    }
}
