//! The keys of where the person was, from the table that the keys are looked up in.

use ratatui::layout::Rect;

use super::paint::{Painter, Text};
use super::style::Look;
use super::{Lines, place_of};
use crate::keys::{self, Place};
use crate::model::Focus;
use crate::text::fit;

pub(super) fn paint(painter: &mut Painter<'_>, area: Rect, back: &Focus, scroll: usize) {
    let place = place_of(painter.model, back);
    let mut text = Text::default();
    for (names, says) in lines(place) {
        if says.is_empty() {
            text.push(names, Look::Strong);
        } else {
            let cells = if area.width >= 60 { 18 } else { 13 };
            text.pieces(vec![(fit(&names, cells), Look::Key), (format!(" {says}"), Look::Plain)]);
        }
    }
    let text: Lines = text;
    painter.text(area, &text, scroll);
}

/// Keys and what they do; a heading does nothing.
pub(super) fn lines(place: Place) -> Vec<(String, String)> {
    let head = (format!("Keys: {}", place.title()), String::new());
    let row = |binding: &keys::Binding| (binding.names(), binding.says.to_owned());
    let mut lines: Vec<(String, String)> = std::iter::once(head).chain(keys::at(place).map(row)).collect();
    lines.push((String::new(), String::new()));
    lines.push(("Esc".into(), "leaves this help".into()));
    if place == Place::List {
        lines.push((String::new(), String::new()));
        lines.push(("Signs".into(), String::new()));
        for (sign, says) in [
            ("●", "it came to want something, and nobody has looked since"),
            ("? asks", "it waits for an answer"),
            ("! failed", "its last turn ended with an error"),
            ("✓ done", "it is done, and nobody has looked since"),
            ("‖ parked", "a limit keeps it from going on"),
            ("· idle", "it rests"),
            ("▸ works", "it works"),
            ("× ended", "it is over; r goes on with it"),
        ] {
            lines.push((sign.into(), says.into()));
        }
        lines.push((String::new(), String::new()));
        lines.push(("Filter".into(), "words, all of which it must have; !word for one it must not have;".into()));
        lines.push((String::new(), "agent: state: project: branch: model: look there only".into()));
        lines.push(("Mouse".into(), "a click selects, a second one opens, the wheel scrolls".into()));
    }
    lines
}
