//! What the screen shows: the input box or a dialog, and whether it works.
//!
//! The last lines are either the input box (a rule, a line about the mode, `>` and the text, a footer) or a dialog in a
//! frame. What was said scrolls above them and may quote anything, frames too, so that only the last frame counts, and
//! only if nothing stands below it.

mod dialog;
mod frame;
mod input;
mod options;

use coop_core::agent::Look;

use crate::table::Table;
use crate::view::{Reading, ScreenView};

pub(super) fn read(table: &Table, view: &ScreenView<'_>) -> Reading {
    let end = view.lines.iter().rposition(|line| !line.text.trim().is_empty()).map_or(0, |last| last + 1);
    let lines = &view.lines[..end];
    if let Some(dialog) = frame::find(lines).and_then(|frame| dialog::read(table, &frame)) {
        let look = Some(Look::Dialog { context: Some(Box::new(dialog.context.clone())) });
        return Reading { look, dialog: Some(dialog), ..Reading::default() };
    }
    // It takes its title back when it ends, or starts again: what is painted is what it has left.
    if view.title == Some("") {
        return Reading::default();
    }
    let Some(input) = input::find(&table.screen, lines) else {
        return Reading::default();
    };
    let look = match (input.works, input.starts) {
        (true, _) => Some(Look::Working),
        // What comes now waits until it has started, or is lost.
        (_, true) => None,
        _ => Some(Look::Idle),
    };
    Reading { look, draft: Some(input.draft), interrupted: input.interrupted, ..Reading::default() }
}
