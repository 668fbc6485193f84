//! What was measured, for people and for programs.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// The result of one measurement.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) name: &'static str,
    pub(super) table: Table,
    /// The same and more, for `--json`.
    pub(super) data: Value,
    /// Each floor that was not reached, in a sentence.
    pub(super) missed: Vec<String>,
}

impl Section {
    pub(super) fn new(name: &'static str, table: Table, data: &impl Serialize) -> anyhow::Result<Self> {
        Ok(Self { name, table, data: serde_json::to_value(data)?, missed: Vec::new() })
    }
}

/// A heading, and columns as wide as they need to be: the first to the left, numbers to the right.
#[derive(Debug)]
pub(super) struct Table {
    heading: String,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Table {
    pub(super) fn new(heading: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { heading: heading.into(), rows: vec![columns], notes: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// A line below the table.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        (0..columns).map(|column| width(column).unwrap_or(0)).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.heading)?;
        let widths = self.widths();
        for row in &self.rows {
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                if column == 0 {
                    write!(f, "  {cell:<width$}")?;
                } else {
                    write!(f, "  {cell:>width$}")?;
                }
            }
            writeln!(f)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "  {note}"))
    }
}

/// A share as people read it.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A number with a few digits, as many as it is worth.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        ..1.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

pub(super) fn mebibytes(bytes: f64) -> String {
    number(bytes / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_line_up() {
        let mut table = Table::new("Speed", &["corpus", "MB/s"]);
        table.row(["plain".to_owned(), number(123.4)]);
        table.row(["größer".to_owned(), number(0.5)]);
        table.note("noise 3 %");
        let expected = "Speed\n  corpus  MB/s\n  plain    123\n  größer  0.50\n  noise 3 %\n";
        assert_eq!(table.to_string(), expected);
    }
}
