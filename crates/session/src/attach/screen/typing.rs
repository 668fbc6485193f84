//! Bytes as Screen's `stuff` takes them.

use std::fmt::Write as _;

/// Of a command Screen takes 767 characters, and a byte may become four.
const MOST: usize = 150;
/// No key is longer.
const KEY: usize = 16;

/// In parts that are not too long, none of which ends within a key.
pub(super) fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let mut end = rest.len().min(MOST);
        if end < rest.len() {
            let escape = memchr::memrchr(0x1b, &rest[..end]).filter(|at| *at > 0 && end - at < KEY);
            end = escape.unwrap_or(end);
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Everything but letters and digits by its number: nothing of it is a word of Screen's.
pub(super) fn quoted(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 4), |mut quoted, byte| {
        if byte.is_ascii_alphanumeric() {
            quoted.push(char::from(*byte));
        } else {
            let _ = write!(quoted, "\\{byte:03o}");
        }
        quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_a_word_of_screens() {
        assert_eq!(quoted(b"a$1^\\ \x1b\xff"), "a\\0441\\136\\134\\040\\033\\377");
    }

    #[test]
    fn parts_are_whole_keys_and_all_there_is() {
        let text = ["x".repeat(145).as_bytes(), b"\x1b[200~", "y".repeat(400).as_bytes(), b"\x1b[201~\r"].concat();
        let parts: Vec<&[u8]> = pieces(&text).collect();
        assert_eq!(parts.concat(), text);
        assert_eq!(parts[0].len(), 145);
        assert!(parts.iter().all(|part| !part.is_empty() && part.len() <= MOST));
        assert_eq!(pieces(b"").count(), 0);
        let escapes = [0x1b; 400];
        assert_eq!(pieces(&escapes).collect::<Vec<_>>().concat(), escapes);
    }
}
