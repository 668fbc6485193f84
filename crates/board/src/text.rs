//! Text of agents in cells: harmless, measured by what people see as one character, and cut or folded to fit.

use coop_core::fleet::text::shown;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr;

/// Stands for what was cut off.
const CUT: &str = "…";

/// As it may be painted: what would hide or move is visible, tabs are blanks.
#[must_use]
pub fn clean(text: &str) -> String {
    shown(text).replace('\t', "    ")
}

/// Cells it takes.
#[must_use]
pub fn width(text: &str) -> usize {
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// On one line: line breaks and runs of blanks are one blank.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most so many cells, and a mark where something is missing.
#[must_use]
pub fn clip(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    if most == 0 {
        return String::new();
    }
    let mut kept = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let cells = grapheme.width();
        if used + cells > most - 1 {
            break;
        }
        kept.push_str(grapheme);
        used += cells;
    }
    kept + CUT
}

/// The same, filled up with blanks.
#[must_use]
pub fn fit(text: &str, cells: usize) -> String {
    let clipped = clip(text, cells);
    let missing = cells.saturating_sub(width(&clipped));
    clipped + &" ".repeat(missing)
}

/// Folded to lines of at most so many cells, and every character is there: for what is approved.
#[must_use]
pub fn fold(text: &str, most: usize) -> Vec<String> {
    text.split('\n').flat_map(|line| fold_line(line, most.max(1))).collect()
}

fn fold_line(line: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for grapheme in line.graphemes(true) {
        let cells = grapheme.width();
        if used + cells > most && used > 0 {
            lines.push(String::new());
            used = 0;
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(grapheme);
        }
        used += cells;
    }
    lines
}

/// Folded between words where that is possible: for what is read.
#[must_use]
pub fn wrap(text: &str, most: usize) -> Vec<String> {
    text.split('\n').flat_map(|line| wrap_line(line, most.max(1))).collect()
}

fn wrap_line(line: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in line.split_word_bounds() {
        let cells = width(word);
        if used + cells > most && used > 0 {
            if word.trim().is_empty() {
                // A blank at the end of a line is seen by nobody.
                continue;
            }
            lines.push(String::new());
            used = 0;
        }
        if cells > most {
            let mut pieces = fold_line(word, most);
            let last = pieces.pop().unwrap_or_default();
            if let Some(line) = lines.last_mut() {
                *line += &pieces.first().cloned().unwrap_or_default();
            }
            lines.extend(pieces.into_iter().skip(1));
            used = width(&last);
            lines.push(last);
            continue;
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(word);
        }
        used += cells;
    }
    lines
}

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// How long something has been so, and after how many milliseconds that text is another one.
///
/// Coarse, so that a board that nobody touches has little to repaint: nobody acts on single seconds.
#[must_use]
pub fn age(ms: u64) -> (String, u64) {
    let (unit, name) = match ms {
        0..MINUTE => (10 * SECOND, "s"),
        MINUTE..HOUR => (MINUTE, "m"),
        HOUR..DAY => (HOUR, "h"),
        _ => (DAY, "d"),
    };
    let count = ms / unit;
    let text = match (count, name) {
        (0, _) => "now".to_owned(),
        (tens, "s") => format!("{}s", tens * 10),
        _ => format!("{count}{name}"),
    };
    (text, unit - ms % unit)
}

/// How long until something happens, in whole seconds or minutes, and after how many milliseconds that is another text.
#[must_use]
pub fn until(ms: u64) -> (String, u64) {
    let unit = if ms > 2 * MINUTE { MINUTE } else { SECOND };
    let count = ms.div_ceil(unit);
    let next = if ms == 0 { SECOND } else { ms - (count - 1) * unit };
    (format!("{count}{}", if unit == MINUTE { " min" } else { " s" }), next.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cut_to_fit() {
        for (text, most, expected) in [
            ("plain", 5, "plain"),
            ("plain", 4, "pla…"),
            ("plain", 1, "…"),
            ("plain", 0, ""),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            // Half of a wide one is none.
            ("日本語", 4, "日…"),
            ("👩‍🚀x", 3, "👩‍🚀x"),
        ] {
            assert_eq!(clip(text, most), expected);
        }
        assert_eq!(fit("日", 4), "日  ");
    }

    #[test]
    fn folded() {
        assert_eq!(fold("rm  -rf x", 4), ["rm  ", "-rf ", "x"]);
        assert_eq!(wrap("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("a\n\nb", 4), ["a", "", "b"]);
    }

    #[test]
    fn what_hides_is_seen() {
        assert_eq!(clean("a\u{1b}[2Jb\u{202e}c\td"), "a␛[2Jb<U+202E>c    d");
        assert_eq!(one_line(" a\n  b "), "a b");
    }

    #[test]
    fn ages() {
        for (ms, expected, next) in [
            (0, "now", 10_000),
            (9_999, "now", 1),
            (12_000, "10s", 8_000),
            (60_000, "1m", 60_000),
            (3_600_000, "1h", 3_600_000),
            (90_000_000, "1d", 82_800_000),
        ] {
            assert_eq!(age(ms), (expected.to_owned(), next), "{ms}");
        }
        assert_eq!(until(2_500), ("3 s".to_owned(), 500));
        assert_eq!(until(3_000), ("3 s".to_owned(), 1_000));
        assert_eq!(until(600_000), ("10 min".to_owned(), 60_000));
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_it_may_be(text in "\\PC{0,60}", most in 0_usize..30) {
            prop_assert!(width(&clip(&text, most)) <= most);
            prop_assert_eq!(width(&fit(&text, most)), most);
        }

        #[test]
        fn folding_keeps_every_character(text in "[a-z 日é\\n]{0,80}", most in 2_usize..30) {
            let folded = fold(&text, most);
            prop_assert!(folded.iter().all(|line| width(line) <= most));
            prop_assert_eq!(folded.concat(), text.replace('\n', ""));
            prop_assert!(wrap(&text, most).iter().all(|line| width(line) <= most));
        }

        #[test]
        fn an_age_changes_when_it_says(ms in 0_u64..10_000_000) {
            let (text, next) = age(ms);
            prop_assert!(next > 0);
            prop_assert_eq!(age(ms + next - 1).0, text.clone());
            prop_assert_ne!(age(ms + next).0, text);
        }
    }
}
