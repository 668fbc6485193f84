//! The input box: what is typed in it, and what the lines above it say.

use crate::table::Phrases;
use crate::view::ScreenLine;

#[derive(Debug)]
pub(super) struct Input {
    pub(super) draft: String,
    pub(super) works: bool,
    /// It has not started yet, and would queue what it is told.
    pub(super) starts: bool,
    pub(super) interrupted: bool,
}

const STARTS: &str = "rompts will be queued";
/// Lines above the box that are not part of the conversation.
const NOTES: [&str; 2] = ["? for shortcuts", "Executing Hook"];

pub(super) fn find(phrases: &Phrases, lines: &[ScreenLine]) -> Option<Input> {
    let rule = lines.iter().rposition(|line| is_rule(&line.text))?;
    let below = &lines[rule + 1..];
    let first = below.iter().position(|line| opens(phrases, &line.text))?;
    let above = &lines[..rule];
    let last = above.iter().rev().find(|line| !line.text.trim().is_empty());
    Some(Input {
        draft: draft(phrases, &below[first..]),
        works: last
            .is_some_and(|line| phrases.spinner_phrases.iter().any(|phrase| line.text.contains(phrase.as_str()))),
        starts: last.is_some_and(|line| line.text.contains(STARTS)),
        interrupted: interrupted(phrases, above),
    })
}

/// A line across the whole width.
fn is_rule(text: &str) -> bool {
    const SHORTEST: usize = 20;
    text.chars().count() >= SHORTEST && text.chars().all(|c| c == '─')
}

fn is_edge(text: &str) -> bool {
    text.starts_with("▀▀▀")
}

/// ` > text`.
fn opens(phrases: &Phrases, text: &str) -> bool {
    let Some(rest) = text.strip_prefix(' ').and_then(|rest| rest.strip_prefix(|c| phrases.input.contains(c))) else {
        return false;
    };
    rest.is_empty() || rest.starts_with(' ')
}

/// Up to the lower edge of the box, which is painted where the colour of the terminal is known, or else up to the first
/// empty line: below it is the footer.
fn draft(phrases: &Phrases, lines: &[ScreenLine]) -> String {
    let edge = lines.iter().position(|line| is_edge(&line.text));
    let end = edge.or_else(|| lines.iter().position(|line| line.text.trim().is_empty())).unwrap_or(lines.len());
    // Each line is indented by the sign and the blanks beside it.
    let typed = lines[..end].iter();
    let typed = typed.map(|line| line.text.chars().skip(3).collect::<String>().trim_end().to_owned());
    let text = typed.collect::<Vec<_>>().join("\n");
    if phrases.placeholder.iter().any(|placeholder| text.trim() == placeholder) { String::new() } else { text }
}

/// Nothing was said since it noted that.
fn interrupted(phrases: &Phrases, above: &[ScreenLine]) -> bool {
    let said = |line: &&ScreenLine| {
        let text = line.text.trim();
        !text.is_empty() && !NOTES.iter().any(|note| text.contains(note))
    };
    let last = above.iter().rev().find(said);
    last.is_some_and(|line| phrases.interrupted.iter().any(|phrase| line.text.contains(phrase.as_str())))
}
