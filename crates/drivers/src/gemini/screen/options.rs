//! The options of a dialog. A long list shows only a part of itself, with `▲` and `▼` around it.

use super::frame::indent;
use crate::table::{Kind, Table};
use crate::view::ShownOption;

/// What ends a question with several answers; it has no number.
const DONE: &str = "Done";

#[derive(Debug, Default)]
pub(super) struct Block {
    /// Its first line, and the one after its last.
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) options: Vec<ShownOption>,
    /// Whether the pointer is on what ends a question with several answers, if that is there.
    pub(super) done: Option<bool>,
}

#[derive(Debug)]
struct Row {
    at: usize,
    column: usize,
    number: Option<u32>,
    label: String,
    selected: bool,
}

/// The options around the pointer.
pub(super) fn find(table: &Table, kind: Kind, lines: &[String]) -> Option<Block> {
    let rows: Vec<Row> =
        lines.iter().enumerate().filter_map(|(at, line)| row(&table.screen.pointer, at, line)).collect();
    let pointed = rows.iter().rposition(|row| row.selected)?;
    let joined = |above: &Row, below: &Row| {
        let follows = match (above.number, below.number) {
            (Some(above), Some(below)) => below == above + 1,
            (Some(_), None) => below.label == DONE,
            _ => false,
        };
        follows && (above.column == below.column || below.number.is_none())
    };
    let first = (0..pointed).rev().take_while(|at| joined(&rows[*at], &rows[*at + 1])).last().unwrap_or(pointed);
    let last = (pointed..rows.len() - 1).take_while(|at| joined(&rows[*at], &rows[*at + 1])).last();
    let taken = &rows[first..=last.map_or(pointed, |at| at + 1)];
    let mut block = Block { first: taken.first()?.at, ..Block::default() };
    for (place, row) in taken.iter().enumerate() {
        let to = taken.get(place + 1).map_or(lines.len(), |next| next.at);
        let deeper = |line: &&String| indent(line) > row.column && !line.trim().is_empty();
        let below: Vec<&str> = lines[row.at + 1..to].iter().take_while(deeper).map(|line| line.trim()).collect();
        block.end = row.at + 1 + below.len();
        match row.number {
            Some(number) => block.options.push(shown(table, kind, row, number, &below)),
            None => block.done = Some(row.selected),
        }
    }
    Some(block)
}

fn shown(table: &Table, kind: Kind, row: &Row, number: u32, below: &[&str]) -> ShownOption {
    let (checked, label) = checkbox(&row.label);
    // What was chosen before is ticked.
    let label = label.trim_end_matches('✓').trim_end();
    // Descriptions are for questions and plans; elsewhere a long label is broken.
    let describes = matches!(kind, Kind::Question | Kind::Plan);
    let label = if describes { label.to_owned() } else { [&[label], below].concat().join(" ") };
    let description = Some(below.join(" ")).filter(|text| describes && !text.is_empty());
    let meaning = table.meaning(kind, &label);
    ShownOption { number: Some(number), label, description, selected: row.selected, checked, meaning, keys: Vec::new() }
}

/// `● 1. [x] Label`, `  2.  Label` or `● Done`.
fn row(pointer: &str, at: usize, line: &str) -> Option<Row> {
    let inner = line.trim_start();
    let selected = inner.starts_with(|c| pointer.contains(c));
    let rest = inner.trim_start_matches(|c| pointer.contains(c)).trim_start();
    let column = line.chars().count() - rest.chars().count();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest.get(..digits)?.parse().ok();
    let label = match number {
        Some(_) => rest.get(digits..)?.strip_prefix('.')?.trim(),
        None if rest.split("  ").next()?.trim() == DONE => DONE,
        None => return None,
    };
    Some(Row { at, column, number, label: label.to_owned(), selected })
}

fn checkbox(label: &str) -> (Option<bool>, &str) {
    match label.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((mark, rest)) if mark.chars().count() == 1 => (Some(mark != " "), rest.trim_start()),
        _ => (None, label),
    }
}
