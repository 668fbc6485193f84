//! The options of a dialog, as they are painted.

use crate::table::{Kind, Phrases, Table};
use crate::view::{ScreenLine, ShownOption};

/// The block of options, and where it is.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) first: usize,
    /// The line after its last.
    pub(crate) end: usize,
    pub(crate) rows: Vec<Row>,
    /// Whether the pointer is on what ends a question with several answers, if there is such a thing.
    pub(crate) submit: Option<bool>,
}

#[derive(Debug)]
pub(crate) struct Row {
    /// Column of the digit or, without one, of the label.
    column: usize,
    pub(crate) number: Option<u32>,
    label: String,
    description: Vec<String>,
    selected: bool,
    checked: Option<bool>,
}

/// What ends a question with several answers; it has no number.
const SUBMIT: &str = "Submit";

/// The last block of numbered options that counts from 1, or else the lines around the pointer.
pub(crate) fn find(phrases: &Phrases, lines: &[ScreenLine]) -> Option<Block> {
    numbered(phrases, lines).or_else(|| plain(phrases, lines))
}

fn numbered(phrases: &Phrases, lines: &[ScreenLine]) -> Option<Block> {
    let heads: Vec<(usize, Row)> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, head(phrases, &line.text)?))).collect();
    // Backwards from the last option to the one with the number 1, without a gap, all of them in one column. A plan or
    // a command above may have a numbered list of its own.
    let mut taken: Vec<(usize, Row)> = Vec::new();
    for (at, row) in heads.into_iter().rev() {
        let fits = match taken.last() {
            None => true,
            Some((_, below)) => below.number == row.number.map(|number| number + 1) && below.column == row.column,
        };
        if fits {
            let first = row.number == Some(1);
            taken.push((at, row));
            if first {
                break;
            }
        }
    }
    taken.reverse();
    let first = taken.first()?;
    // Where nothing points at options, the numbers are enough.
    let pointed = phrases.pointer.is_empty() || lines[first.0..].iter().any(|line| is_pointed(phrases, &line.text));
    if first.1.number != Some(1) || !pointed {
        return None;
    }
    Some(block(phrases, lines, taken))
}

/// Without numbers: the pointer's line, and those next to it that begin in the column of its label.
fn plain(phrases: &Phrases, lines: &[ScreenLine]) -> Option<Block> {
    let pointer = lines.iter().rposition(|line| is_pointed(phrases, &line.text))?;
    let bare = |text: &str| bare(phrases, text);
    let own = bare(&lines[pointer].text)?;
    let beside = |at: &usize| lines.get(*at).and_then(|line| bare(&line.text)).filter(|row| row.column == own.column);
    let above = (0..pointer).rev().map_while(|at| beside(&at).map(|row| (at, row)));
    let below = (pointer + 1..lines.len()).map_while(|at| beside(&at).map(|row| (at, row)));
    let mut taken: Vec<(usize, Row)> = above.collect();
    taken.reverse();
    taken.push((pointer, bare(&lines[pointer].text)?));
    taken.extend(below);
    (taken.len() > 1).then(|| block(phrases, lines, taken))
}

/// What stands between options belongs to the one above it.
fn block(phrases: &Phrases, lines: &[ScreenLine], taken: Vec<(usize, Row)>) -> Block {
    let first = taken.first().map_or(0, |(at, _)| *at);
    let places: Vec<usize> = taken.iter().map(|(at, _)| *at).collect();
    let mut rows: Vec<Row> = taken.into_iter().map(|(_, row)| row).collect();
    let mut end = first;
    for (index, row) in rows.iter_mut().enumerate() {
        let from = places[index] + 1;
        let to = places.get(index + 1).copied().unwrap_or(lines.len());
        let deeper = |line: &&ScreenLine| indent(&line.text) >= row.column && !line.text.trim().is_empty();
        let between = lines[from..to].iter().take_while(deeper).map(|line| line.text.trim().to_owned());
        row.description = between.filter(|text| !text.starts_with('─')).collect();
        end = from + row.description.len();
        row.description.retain(|text| text != SUBMIT);
    }
    let submit =
        lines[first..].iter().map(|line| pointer(phrases, &line.text)).find(|(_, _, rest)| rest.trim() == SUBMIT);
    Block { first, end, rows, submit: submit.map(|(_, selected, _)| selected) }
}

/// `❯ 1. [✔] Label`.
fn head(phrases: &Phrases, text: &str) -> Option<Row> {
    let (column, selected, rest) = pointer(phrases, text);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = rest.get(..digits)?.parse().ok()?;
    // A label that is broken over two lines loses the blank before it; `1.5` is none.
    let label =
        rest.get(digits..)?.strip_prefix('.').filter(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))?.trim();
    let (checked, label) = checkbox(label);
    Some(Row { column, number: Some(number), label: label.to_owned(), description: Vec::new(), selected, checked })
}

fn bare(phrases: &Phrases, text: &str) -> Option<Row> {
    let (column, selected, rest) = pointer(phrases, text);
    let label = rest.trim().trim_start_matches("✔ ").trim_end_matches(" ✔");
    let tick = usize::from(rest.starts_with('✔')) * 2;
    let plain = !label.is_empty() && (selected || column >= 2);
    let row = Row {
        column: column + tick,
        number: None,
        label: label.to_owned(),
        description: Vec::new(),
        selected,
        checked: None,
    };
    plain.then_some(row)
}

/// The column of what stands after the pointer, and whether there is one.
fn pointer<'a>(phrases: &Phrases, text: &'a str) -> (usize, bool, &'a str) {
    let inner = text.trim_start();
    match inner.strip_prefix(|c| phrases.pointer.contains(c)) {
        Some(rest) => {
            let label = rest.trim_start();
            (indent(text) + 1 + rest.chars().count() - label.chars().count(), true, label)
        }
        None => (indent(text), false, inner),
    }
}

fn is_pointed(phrases: &Phrases, text: &str) -> bool {
    text.trim_start().starts_with(|c| phrases.pointer.contains(c))
}

fn checkbox(label: &str) -> (Option<bool>, &str) {
    let inner = label.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    match inner {
        Some((mark, rest)) if mark.chars().count() == 1 => (Some(mark != " "), rest.trim_start()),
        _ => (None, label),
    }
}

/// `Label     Description`.
fn columns(text: &str) -> (&str, &str) {
    text.split_once("  ").map_or((text, ""), |(label, rest)| (label, rest.trim_start()))
}

fn indent(text: &str) -> usize {
    text.chars().take_while(|c| c.is_whitespace()).count()
}

impl Block {
    pub(crate) fn numbered(&self) -> bool {
        self.rows.first().is_some_and(|row| row.number.is_some())
    }

    /// The lines below an option describe it in a question; elsewhere they are the rest of a long label, unless they
    /// name a key. A description may stand beside the label too.
    pub(crate) fn shown(&self, table: &Table, kind: Kind) -> Vec<ShownOption> {
        let shown = |row: &Row| {
            let (own, beside) = if table.screen.columns { columns(&row.label) } else { (row.label.as_str(), "") };
            let of_label = |line: &&String| kind != Kind::Question && beside.is_empty() && !line.contains("tab to ");
            let rest: Vec<&str> = row.description.iter().take_while(of_label).map(String::as_str).collect();
            let label = [&[own], &rest[..]].concat().join(" ");
            let below = row.description[rest.len()..].iter().map(String::as_str);
            let described = Some(beside).filter(|text| !text.is_empty()).into_iter().chain(below);
            let described = described.collect::<Vec<_>>().join(" ");
            ShownOption {
                number: row.number,
                meaning: table.meaning(kind, &label),
                label,
                description: (!described.is_empty()).then_some(described),
                selected: row.selected,
                checked: row.checked,
                keys: Vec::new(),
            }
        };
        self.rows.iter().map(shown).collect()
    }
}
