//! The mouse: a click selects, a second one opens, the wheel scrolls what it is over.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::{list, stepped};
use crate::event::Effect;
use crate::model::{Focus, Model, Row};

/// Rows for one notch.
const NOTCH: isize = 3;

pub(super) fn moved(model: &mut Model, mouse: MouseEvent) -> Vec<Effect> {
    match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => return click(model, Position::new(mouse.column, mouse.row)),
        MouseEventKind::ScrollDown => wheel(model, mouse, NOTCH),
        MouseEventKind::ScrollUp => wheel(model, mouse, -NOTCH),
        _ => {}
    }
    Vec::new()
}

fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let areas = model.areas();
    // Whoever types is not taken away from it by a slip.
    if model.place().is_typed_in() {
        return Vec::new();
    }
    if areas.list.contains(at) {
        let row = model.top + usize::from(at.y - areas.list.y);
        let Some(id) = model.rows.get(row).and_then(Row::session) else { return Vec::new() };
        if model.selected == Some(id) && model.focus == Focus::List {
            return list::open(model);
        }
        model.focus = Focus::List;
        list::choose(model, id);
    } else if areas.detail.contains(at) && model.focus == Focus::List {
        return list::open(model);
    }
    Vec::new()
}

fn wheel(model: &mut Model, mouse: MouseEvent, by: isize) {
    let at = Position::new(mouse.column, mouse.row);
    if model.areas().list.contains(at) && matches!(model.focus, Focus::List | Focus::Look) {
        list::select(model, by.signum());
        return;
    }
    match &mut model.focus {
        Focus::Card(card) => card.scroll = stepped(card.scroll, by),
        Focus::Peek(peek) => peek.back = stepped(peek.back, -by),
        Focus::Talk(talk) => talk.back = stepped(talk.back, -by),
        Focus::Help { scroll, .. } => *scroll = stepped(*scroll, by),
        Focus::Found { hits, at } => *at = stepped(*at, by.signum()).min(hits.len().saturating_sub(1)),
        _ => model.scroll = stepped(model.scroll, by),
    }
}
