//! The input box: what is typed in it, and what the lines around it say.

use super::rules;
use crate::table::Phrases;
use crate::view::ScreenLine;

#[derive(Debug)]
pub(super) struct Input {
    pub(super) draft: String,
    pub(super) works: bool,
    pub(super) interrupted: bool,
}

pub(super) fn find(phrases: &Phrases, lines: &[ScreenLine]) -> Option<Input> {
    let (top, bottom) = place(phrases, lines)?;
    let footer = &lines[bottom + 1..];
    let in_footer = |phrase: &String| footer.iter().any(|line| line.text.contains(phrase.as_str()));
    let above = &lines[..top];
    Some(Input {
        draft: draft(phrases, &lines[top + 1..bottom]),
        works: phrases.working_footer.iter().any(in_footer) || spins(phrases, above),
        interrupted: interrupted(phrases, above),
    })
}

/// The rules above and below the box. A menu may stand below it, so that not only the last two count.
fn place(phrases: &Phrases, lines: &[ScreenLine]) -> Option<(usize, usize)> {
    let rules = rules(lines);
    let opens = |top: usize| lines.get(top + 1).is_some_and(|line| opens_input(phrases, &line.text));
    rules.windows(2).map(|pair| (pair[1], pair[0])).take(1).find(|(top, bottom)| bottom > &(top + 1) && opens(*top))
}

/// `❯ text`, or `! text` for a shell command; not `❯ 1. Yes`, which is an option.
fn opens_input(phrases: &Phrases, text: &str) -> bool {
    let Some(rest) = text.strip_prefix(|c| phrases.input.contains(c)) else {
        return false;
    };
    rest.is_empty() || rest.starts_with([' ', '\u{a0}'])
}

fn draft(phrases: &Phrases, lines: &[ScreenLine]) -> String {
    let typed = lines.iter().enumerate().map(|(row, line)| {
        let kept: String =
            line.text.chars().enumerate().filter(|(at, _)| !is_faint(line, *at)).map(|(_, c)| c).collect();
        let kept = if row == 0 { kept.strip_prefix(|c| phrases.input.contains(c)).unwrap_or(&kept) } else { &kept };
        // The box indents every line by the two columns of its sign.
        let indent = if row == 0 { 1 } else { 2 };
        let skipped = kept.chars().take(indent).take_while(|c| c.is_whitespace()).map(char::len_utf8).sum();
        kept.get(skipped..).unwrap_or_default().trim_end().to_owned()
    });
    typed.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn is_faint(line: &ScreenLine, column: usize) -> bool {
    line.faint.iter().any(|range| range.contains(&column))
}

/// The spinner's line is the last one that begins in the first column, above tips and to-do lists that belong to it.
fn spins(phrases: &Phrases, above: &[ScreenLine]) -> bool {
    let last = above.iter().rev().find(|line| line.text.starts_with(|c: char| !c.is_whitespace()));
    last.is_some_and(|line| {
        let begins = line.text.starts_with(|c| phrases.spinner.contains(c));
        begins && phrases.spinner_phrases.iter().any(|phrase| line.text.contains(phrase.as_str()))
    })
}

/// The note stands below what was stopped, and nothing but how long it took comes after it.
fn interrupted(phrases: &Phrases, above: &[ScreenLine]) -> bool {
    let said = above.iter().rev().filter(|line| {
        let text = line.text.trim();
        let painted =
            text.is_empty() || line.text.starts_with("     ") || text.starts_with(|c| phrases.spinner.contains(c));
        !painted
    });
    said.take(1).any(|line| phrases.interrupted.iter().any(|phrase| line.text.contains(phrase.as_str())))
}
