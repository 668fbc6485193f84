//! The last row: what is typed there, what is about to be sent, what has just happened, or the keys.

use ratatui::layout::Rect;

use super::paint::Painter;
use super::style::Look;
use crate::keys;
use crate::model::{Focus, LineOf, Stage};
use crate::text::{clean, width};

pub(super) fn paint(painter: &mut Painter<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    let model = painter.model;
    if let Focus::Line { of, editor } = &model.focus {
        let label = match of {
            LineOf::Filter => "show only: ",
            LineOf::Search => "search: ",
            LineOf::Find => "look in conversations for: ",
        };
        let used = painter.put(area.x, area.y, label, area.width, Look::Key);
        painter.put(area.x + used, area.y, &clean(editor.text()), area.width - used, Look::Plain);
        let (_, (_, column)) = editor.lines(usize::from(u16::MAX));
        let x = area.x + used + u16::try_from(column).unwrap_or(0);
        painter.cursor(x.min(area.right() - 1), area.y);
        return;
    }
    let held = model.sending.iter().rev().find_map(|sending| match sending.stage {
        Stage::Held { until_ms } => Some((sending, until_ms)),
        Stage::Sent => None,
    });
    if let Some((sending, until_ms)) = held {
        let left = painter.until(until_ms);
        let text = format!(" {} is sent in {left} ", sending.says);
        painter.line(area, &[("u".into(), Look::Key), (" takes it back ".into(), Look::Plain), (text, Look::Asks)]);
        return;
    }
    if let Some(notice) = &model.notice {
        let look = if notice.bad { Look::Bad } else { Look::Good };
        painter.put(area.x, area.y, &notice.text, area.width, look);
        return;
    }
    hints(painter, area);
}

/// As many keys as there is room for; the way to all of them is always there.
fn hints(painter: &mut Painter<'_>, area: Rect) {
    let mut pieces = Vec::new();
    let all: Vec<_> = keys::at(painter.model.place()).filter(|binding| !binding.hint.is_empty()).collect();
    let cells = |binding: &&keys::Binding| width(&binding.keys[0].name()) + width(binding.hint) + 3;
    let help = all.iter().find(|binding| binding.action == keys::Action::Help);
    let mut room = usize::from(area.width).saturating_sub(help.map_or(0, cells));
    for binding in all.iter().filter(|binding| binding.action != keys::Action::Help) {
        if cells(binding) > room {
            break;
        }
        room -= cells(binding);
        pieces.push((binding.keys[0].name(), Look::Key));
        pieces.push((format!(" {}  ", binding.hint), Look::Plain));
    }
    if let Some(help) = help {
        pieces.push((help.keys[0].name(), Look::Key));
        pieces.push((format!(" {}", help.hint), Look::Plain));
    }
    painter.line(area, &pieces);
}
