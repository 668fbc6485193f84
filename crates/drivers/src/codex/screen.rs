//! What the screen shows: the composer or a dialog, and whether it works.
//!
//! The last lines are either the composer (`› text`, a line with the model and the folder, a line of hints) or a dialog,
//! whose last line says which keys it takes. What was said scrolls above them and may quote anything. While text
//! streams the screen looks idle, and only the title tells.

mod composer;
mod dialog;

use coop_core::agent::Look;

use crate::table::{Phrases, Table};
use crate::view::{Reading, ScreenView};

pub(super) fn read(table: &Table, view: &ScreenView<'_>) -> Reading {
    let end = view.lines.iter().rposition(|line| !line.text.trim().is_empty()).map_or(0, |last| last + 1);
    let lines = &view.lines[..end];
    let phrases = &table.screen;
    let title = view.title.and_then(|title| said(phrases, title));
    if let Some(dialog) = dialog::find(table, lines) {
        let look = Some(Look::Dialog { context: Some(Box::new(dialog.context.clone())) });
        return Reading { look, dialog: Some(dialog), ..Reading::default() };
    }
    let Some(composer) = composer::find(phrases, lines) else {
        return Reading { look: title.filter(|_| !lines.is_empty()), ..Reading::default() };
    };
    // Without the line below it, it is only painted already.
    let idle = composer.ready.then_some(Look::Idle);
    let look = if composer.works { Some(Look::Working) } else { title.or(idle) };
    Reading { look, dialog: None, draft: Some(composer.draft), interrupted: composer.interrupted, mode: composer.mode }
}

fn said(phrases: &Phrases, title: &str) -> Option<Look> {
    if phrases.title_asks.iter().any(|phrase| title.contains(phrase.as_str())) {
        return Some(Look::Dialog { context: None });
    }
    title.starts_with(|c| phrases.title_working.contains(c)).then_some(Look::Working)
}
