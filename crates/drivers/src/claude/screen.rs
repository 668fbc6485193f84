//! What the screen shows: the input box or a dialog, and whether it works.
//!
//! The agent paints either its input box (`❯` between two rules, a footer below) or a dialog at the bottom, never both.
//! What was said scrolls above them and may quote anything, so that only what stands at the bottom counts: a dialog is
//! known by the place of its words (first line, lines above the options, lines below them), not by the words alone.

mod dialog;
mod input;

use coop_core::agent::Look;

use crate::table::{Phrases, Table};
use crate::view::{Reading, ScreenLine, ScreenView};

pub(super) fn read(table: &Table, view: &ScreenView<'_>) -> Reading {
    let end = view.lines.iter().rposition(|line| !line.text.trim().is_empty()).map_or(0, |last| last + 1);
    let lines = &view.lines[..end];
    let phrases = &table.screen;
    if let Some(input) = input::find(phrases, lines) {
        let working = input.works || title(phrases, view.title) == Some(Look::Working);
        return Reading {
            look: Some(if working { Look::Working } else { Look::Idle }),
            dialog: None,
            draft: Some(input.draft),
            interrupted: input.interrupted,
            mode: None,
        };
    }
    let dialog = dialog::find(table, lines);
    let look = match &dialog {
        Some(dialog) => Some(Look::Dialog { context: Some(Box::new(dialog.context.clone())) }),
        None => title(phrases, view.title).filter(|_| !lines.is_empty()),
    };
    Reading { look, dialog, ..Reading::default() }
}

/// What the title says. A terminal that answers OSC 7501 gets no sign in the title, so that none means nothing.
fn title(phrases: &Phrases, title: Option<&str>) -> Option<Look> {
    let first = title?.chars().next()?;
    if phrases.title_working.contains(first) {
        Some(Look::Working)
    } else if phrases.title_idle.contains(first) {
        Some(Look::Idle)
    } else {
        None
    }
}

/// A line across the whole width, from the first column on; it may have a label in it.
fn is_rule(line: &ScreenLine) -> bool {
    const SHORTEST: usize = 20;
    let dashes = line.text.chars().filter(|c| *c == '─').count();
    line.text.starts_with("───") && line.text.trim_end().ends_with('─') && dashes >= SHORTEST
}

/// Where rules are, the last one first. Inside a panel, which has a line of its own at the top, they are indented.
fn rules(lines: &[ScreenLine]) -> Vec<usize> {
    let panel = lines.iter().rposition(|line| line.text.starts_with("▔▔▔"));
    let here = |(place, line): (usize, &ScreenLine)| {
        let indented = panel.is_some_and(|panel| place > panel) && line.text.trim_start().starts_with("───");
        (indented || is_rule(line)).then_some(place)
    };
    let mut found: Vec<usize> = lines.iter().enumerate().filter_map(here).collect();
    found.reverse();
    found
}
