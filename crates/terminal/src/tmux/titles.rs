//! Titles in the way of tmux and Screen, `ESC k … ESC \`, which other terminals print as text. They are left out.

use memchr::memchr;

const ESC: u8 = 0x1b;
/// A longer one is none; what is in it is lost.
const LONGEST: usize = 4096;

/// Where in the output we are.
#[derive(Debug, Default)]
pub struct Titles {
    state: State,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Outside,
    /// After an escape, which has not been passed on.
    Escape,
    Title {
        length: usize,
        escape: bool,
    },
}

impl Titles {
    /// `bytes` without titles. What may be the beginning of one waits for more.
    #[must_use]
    pub fn strip(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        let plain = matches!(self.state, State::Outside) && !may_hold(&bytes);
        if plain { bytes } else { self.filter(&bytes) }
    }

    fn filter(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 1);
        for &byte in bytes {
            self.state = match (self.state, byte) {
                (State::Outside, ESC) => State::Escape,
                (State::Escape, b'k') => State::Title { length: 0, escape: false },
                (State::Escape, ESC) => {
                    out.push(ESC);
                    State::Escape
                }
                (State::Escape, _) => {
                    out.extend([ESC, byte]);
                    State::Outside
                }
                (State::Outside, _) => {
                    out.push(byte);
                    State::Outside
                }
                (State::Title { escape: true, .. }, b'\\') => State::Outside,
                (State::Title { length, .. }, _) if length >= LONGEST => State::Outside,
                (State::Title { length, .. }, _) => State::Title { length: length + 1, escape: byte == ESC },
            };
        }
        out
    }
}

fn may_hold(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = memchr(ESC, rest) {
        if rest.get(at + 1).is_none_or(|next| *next == b'k') {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_left_out_wherever_they_are_cut() {
        let text = b"a\x1b[1mb\x1bkmy title\x1b\\c\x1b\x1bkx\x1b\\\x1b]0;k\x07d\x1bk\x1b\\e";
        let expected = b"a\x1b[1mbc\x1b\x1b]0;k\x07de";
        for size in 1..=text.len() {
            let mut titles = Titles::default();
            let out: Vec<u8> = text.chunks(size).flat_map(|piece| titles.strip(piece.to_vec())).collect();
            assert_eq!(out.escape_ascii().to_string(), expected.escape_ascii().to_string(), "in pieces of {size}");
        }
    }

    #[test]
    fn one_that_never_ends_does_not_eat_everything() {
        let mut titles = Titles::default();
        let out = titles.strip([b"\x1bk".to_vec(), vec![b'x'; LONGEST + 10]].concat());
        assert_eq!(out.len(), 9);
    }
}
