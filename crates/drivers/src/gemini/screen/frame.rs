//! The frame of a dialog, and the lines in it.

use crate::view::ScreenLine;

/// The lines inside the frame that ends the screen, without its sides. Its top may be above the screen.
pub(super) fn find(lines: &[ScreenLine]) -> Option<Vec<String>> {
    let (last, above) = lines.split_last()?;
    let column = indent(&last.text);
    if !last.text.trim_start().starts_with('╰') || !last.text.trim_end().ends_with('╯') {
        return None;
    }
    let inside = above.iter().rev().take_while(|line| at(&line.text, column) != Some('╭'));
    let mut inner: Vec<String> = inside.map_while(|line| inner(&line.text, column)).collect();
    inner.reverse();
    (!inner.is_empty()).then_some(inner)
}

/// What is between the sides.
fn inner(text: &str, column: usize) -> Option<String> {
    if at(text, column) != Some('│') {
        return None;
    }
    let rest: String = text.chars().skip(column + 1).collect();
    let rest = rest.trim_end();
    let rest = rest.strip_suffix('│').unwrap_or(rest);
    Some(rest.strip_prefix(' ').unwrap_or(rest).trim_end().to_owned())
}

fn at(text: &str, column: usize) -> Option<char> {
    text.chars().nth(column).filter(|_| indent(text) == column)
}

pub(super) fn indent(text: &str) -> usize {
    text.chars().take_while(|c| c.is_whitespace()).count()
}
