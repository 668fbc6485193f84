//! The live screen of a session, in its own colours.

use coop_api::v1::CellSpan;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::from_end;
use super::paint::{Painter, Text};
use super::style::Look;
use crate::model::Peek;

pub(super) fn paint(painter: &mut Painter<'_>, area: Rect, peek: &Peek) {
    if peek.rows.is_empty() || peek.why_not.is_some() {
        let mut text = Text::default();
        text.prose(peek.why_not.as_deref().unwrap_or("Waiting for its screen…"), Look::Dim, area.width);
        painter.text(area, &text, 0);
        return;
    }
    // What is below the last letter is nothing to see.
    let has_text = |row: &coop_api::v1::CellLine| row.spans.iter().any(|span| !span.text.trim().is_empty());
    let used = peek.rows.iter().rposition(has_text).map_or(0, |last| last + 1);
    let from = from_end(used, usize::from(area.height), peek.back);
    for (y, row) in (area.y..area.bottom()).zip(&peek.rows[from..used]) {
        for span in &row.spans {
            let (col, width) = (cells(span.col), cells(span.width));
            if col < area.width {
                let style = style(span, painter.model.settings.colour);
                painter.put_styled(area.x + col, y, &span.text, (area.width - col).min(width), style);
            }
        }
    }
}

fn cells(count: u32) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

fn style(span: &CellSpan, colour: bool) -> Style {
    let mut style = Style::new();
    if colour {
        style = style.fg(ink(span.fg.as_deref())).bg(ink(span.bg.as_deref()));
    }
    for (on, modifier) in [
        (span.bold, Modifier::BOLD),
        (span.dim, Modifier::DIM),
        (span.italic, Modifier::ITALIC),
        (span.underline.is_some(), Modifier::UNDERLINED),
        (span.inverse, Modifier::REVERSED),
        (span.hidden, Modifier::HIDDEN),
        (span.strikeout, Modifier::CROSSED_OUT),
    ] {
        if on {
            style = style.add_modifier(modifier);
        }
    }
    style
}

/// `#rrggbb`, or the number of one of the palette.
fn ink(name: Option<&str>) -> Color {
    match name.and_then(|name| name.parse::<Color>().ok()) {
        Some(color) => color,
        None => Color::Reset,
    }
}
