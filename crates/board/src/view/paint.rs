//! Writing into cells, and keeping in mind when a text is out of date.

use coop_core::text::shown_line;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::Drawn;
use super::style::Look;
use crate::model::Model;
use crate::text::{age, clip, until, width, wrap};

pub(super) struct Painter<'a> {
    pub(super) model: &'a Model,
    pub(super) now_ms: u64,
    buffer: &'a mut Buffer,
    drawn: Drawn,
}

/// Lines of pieces that look different.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) lines: Vec<Vec<(String, Look)>>,
}

impl Text {
    pub(super) fn push(&mut self, text: impl Into<String>, look: Look) {
        self.lines.push(vec![(text.into(), look)]);
    }

    pub(super) fn pieces(&mut self, pieces: Vec<(String, Look)>) {
        self.lines.push(pieces);
    }

    pub(super) fn blank(&mut self) {
        self.lines.push(Vec::new());
    }

    /// Folded between words.
    pub(super) fn prose(&mut self, text: &str, look: Look, most: u16) {
        self.lines.extend(wrap(text, usize::from(most)).into_iter().map(|line| vec![(line, look)]));
    }
}

impl<'a> Painter<'a> {
    pub(super) fn new(model: &'a Model, now_ms: u64, buffer: &'a mut Buffer) -> Self {
        Self { model, now_ms, buffer, drawn: Drawn::default() }
    }

    pub(super) fn done(self) -> Drawn {
        self.drawn
    }

    /// Writes at most `most` cells, and returns how many it took. Every text comes through here or through `put_styled`:
    /// what would hide or act is shown.
    pub(super) fn put(&mut self, x: u16, y: u16, text: &str, most: u16, look: Look) -> u16 {
        let area = self.buffer.area;
        if x >= area.right() || y >= area.bottom() || most == 0 {
            return 0;
        }
        let most = most.min(area.right() - x);
        let text = clip(&shown_line(text), usize::from(most));
        let style = look.style(self.model.settings.colour);
        self.buffer.set_stringn(x, y, &text, usize::from(most), style);
        u16::try_from(width(&text)).unwrap_or(most)
    }

    pub(super) fn put_styled(&mut self, x: u16, y: u16, text: &str, most: u16, style: ratatui::style::Style) {
        let area = self.buffer.area;
        if x < area.right() && y < area.bottom() {
            self.buffer.set_stringn(x, y, shown_line(text), usize::from(most.min(area.right() - x)), style);
        }
    }

    /// Pieces one after the other.
    pub(super) fn line(&mut self, area: Rect, pieces: &[(String, Look)]) {
        let mut x = area.x;
        for (text, look) in pieces {
            x += self.put(x, area.y, text, area.right().saturating_sub(x), *look);
        }
    }

    /// As much of a text as there is room for, from a line on.
    pub(super) fn text(&mut self, area: Rect, text: &Text, from: usize) {
        if area.is_empty() {
            return;
        }
        let from = from.min(text.lines.len().saturating_sub(usize::from(area.height)));
        for (row, line) in (area.y..area.bottom()).zip(text.lines.iter().skip(from)) {
            self.line(Rect { y: row, height: 1, ..area }, line);
        }
        // What is not seen is said to be there.
        let below = text.lines.len().saturating_sub(from + usize::from(area.height));
        if below > 0 {
            let more = if area.width > 12 { format!(" ↓ {below} more ") } else { "↓".to_owned() };
            let cells = u16::try_from(width(&more)).unwrap_or(0);
            self.put(area.right() - cells, area.bottom() - 1, &more, cells, Look::Chosen);
        }
    }

    /// The whole row, as it is, looks chosen.
    pub(super) fn choose(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        for position in area.positions() {
            if let Some(cell) = self.buffer.cell_mut(position) {
                cell.modifier |= Modifier::REVERSED;
            }
        }
    }

    pub(super) fn cursor(&mut self, x: u16, y: u16) {
        self.drawn.cursor = Some((x, y));
    }

    /// How long it has been so.
    pub(super) fn age(&mut self, since_ms: u64) -> String {
        let (text, next) = age(self.now_ms.saturating_sub(since_ms));
        self.wake(self.now_ms + next);
        text
    }

    /// How long it takes until then.
    pub(super) fn until(&mut self, then_ms: u64) -> String {
        let (text, next) = until(then_ms.saturating_sub(self.now_ms));
        self.wake(self.now_ms + next);
        text
    }

    fn wake(&mut self, at_ms: u64) {
        self.drawn.wake_ms = Some(self.drawn.wake_ms.map_or(at_ms, |before| before.min(at_ms)));
    }
}
