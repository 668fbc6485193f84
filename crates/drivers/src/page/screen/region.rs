//! A part of the screen.

use super::super::Region;
use super::is_empty;
use crate::view::ScreenLine;

impl Region {
    pub(super) fn take(&self, lines: &[ScreenLine]) -> Vec<ScreenLine> {
        let whole = self.within(lines);
        let mut taken: Vec<ScreenLine> = whole.iter().map(|line| self.inner(line)).collect();
        for _ in 0..self.but_last {
            let end = taken.iter().rposition(|line| !is_empty(line)).unwrap_or(0);
            taken.truncate(end);
        }
        if let Some(last) = self.last {
            let full = taken.iter().enumerate().rev().filter(|(_, line)| !is_empty(line)).map(|(at, _)| at);
            let from = full.take(last).last().unwrap_or(taken.len());
            taken.drain(..from);
        }
        taken
    }

    /// Which lines. A phrase that is not there leaves nothing.
    fn within<'a>(&self, mut lines: &'a [ScreenLine]) -> &'a [ScreenLine] {
        if let Some(phrase) = &self.from {
            let at = lines.iter().rposition(|line| line.text.contains(phrase.as_str())).unwrap_or(lines.len());
            lines = &lines[at..];
        }
        if let Some(phrase) = &self.after {
            let at =
                lines.iter().rposition(|line| line.text.contains(phrase.as_str())).map_or(lines.len(), |at| at + 1);
            lines = &lines[at..];
        }
        if let Some(phrase) = &self.before {
            let at = lines.iter().position(|line| line.text.contains(phrase.as_str())).unwrap_or(0);
            lines = &lines[..at];
        }
        if let Some(start) = &self.block {
            let begins = |line: &ScreenLine| line.text.trim_start().starts_with(start.as_str());
            let end = lines.iter().rposition(begins).map_or(0, |at| at + 1);
            let from = lines[..end].iter().rposition(|line| !begins(line)).map_or(0, |at| at + 1);
            lines = &lines[from.min(end)..end];
        }
        lines
    }

    /// Without its frame, and without what stands beside it.
    fn inner(&self, line: &ScreenLine) -> ScreenLine {
        let framed = |c: char| self.frame.contains(c);
        let lead = line.text.chars().take_while(|c| c.is_whitespace()).count();
        let has_frame = line.text.chars().nth(lead).is_some_and(framed);
        let skip = if has_frame { lead + line.text.chars().skip(lead).take_while(|c| framed(*c)).count() } else { 0 };
        let rest: String = line.text.chars().skip(skip).collect();
        let mut text = rest.trim_end().trim_end_matches(framed).trim_end();
        if let Some(gap) = self.gap.filter(|gap| *gap > 0) {
            text = text.find(&" ".repeat(gap)).map_or(text, |at| &text[..at]).trim_end();
        }
        let shifted = |at: &std::ops::Range<usize>| at.start.saturating_sub(skip)..at.end.saturating_sub(skip);
        ScreenLine { text: text.to_owned(), faint: line.faint.iter().map(shifted).collect() }
    }
}
