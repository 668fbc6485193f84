//! The model as cells. Reads everything, changes nothing; texts that age say when they are out of date.

mod card;
mod detail;
mod foot;
mod form;
mod head;
mod help;
mod list;
mod paint;
mod peek;
mod says;
pub mod style;
mod talk;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::keys::Place;
use crate::model::{Focus, Model};
use paint::{Painter, Text};
use style::Look;

/// What a picture is good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// When a text in it is out of date, in milliseconds since 1970; nothing in it may age.
    pub wake_ms: Option<u64>,
    pub cursor: Option<(u16, u16)>,
}

/// Paints the whole board.
pub fn draw(model: &Model, now_ms: u64, buffer: &mut Buffer) -> Drawn {
    let mut painter = Painter::new(model, now_ms, buffer);
    let areas = model.areas();
    head::paint(&mut painter, areas.head);
    list::paint(&mut painter, areas.list);
    rule(&mut painter, areas.rule);
    detail(&mut painter, areas.detail);
    foot::paint(&mut painter, areas.foot);
    painter.done()
}

fn rule(painter: &mut Painter<'_>, area: Rect) {
    let line = if area.height > area.width { "│" } else { "─" };
    for position in area.positions() {
        painter.put(position.x, position.y, line, 1, Look::Rule);
    }
}

fn detail(painter: &mut Painter<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    match &painter.model.focus {
        Focus::Peek(peek) => peek::paint(painter, area, peek),
        Focus::Talk(talk) => {
            let text = talk::text(painter, talk, area.width);
            let from = from_end(text.lines.len(), usize::from(area.height), talk.back);
            painter.text(area, &text, from);
        }
        Focus::Help { back, scroll } => help::paint(painter, area, back, *scroll),
        Focus::Found { hits, at } => {
            let text = talk::found(hits, *at, area.width);
            painter.text(area, &text, at.saturating_sub(usize::from(area.height) / 2));
        }
        Focus::Start(form) => form::start(painter, area, form),
        Focus::Confirm { what, session } => {
            let text = detail::confirm(painter, *what, *session, area.width);
            painter.text(area, &text, 0);
        }
        Focus::Nudge { editor, .. } => {
            let rest = form::editor(painter, area, "Message", editor);
            detail::paint(painter, rest);
        }
        Focus::Card(card) => card::paint(painter, area, card.prompt, Some(card)),
        Focus::List | Focus::Look | Focus::Line { .. } => detail::paint(painter, area),
    }
}

/// The first line that is seen, of a text that is read from its end.
fn from_end(lines: usize, height: usize, back: usize) -> usize {
    lines.saturating_sub(height).saturating_sub(back)
}

/// Brings scroll offsets back to where there is text.
pub(crate) fn keep_within(model: &mut Model) {
    let area = model.areas().detail;
    let height = usize::from(area.height);
    let mut nowhere = Buffer::empty(Rect::ZERO);
    let mut painter = Painter::new(model, 0, &mut nowhere);
    let most = match &painter.model.focus {
        Focus::Card(card) => card::most_scroll(&mut painter, area, card.prompt, card),
        Focus::Peek(peek) => peek.rows.len().saturating_sub(height),
        Focus::Talk(talk) => talk::text(&mut painter, talk, area.width).lines.len().saturating_sub(height),
        Focus::Help { back, .. } => help::lines(place_of(model, back)).len().saturating_sub(height),
        Focus::List | Focus::Look => detail::most_scroll(&mut painter, area),
        _ => return,
    };
    match &mut model.focus {
        Focus::Card(card) => card.scroll = card.scroll.min(most),
        Focus::Peek(peek) => peek.back = peek.back.min(most),
        Focus::Talk(talk) => talk.back = talk.back.min(most),
        Focus::Help { scroll, .. } => *scroll = (*scroll).min(most),
        _ => model.scroll = model.scroll.min(most),
    }
}

/// The place that a focus would be.
fn place_of(model: &Model, focus: &Focus) -> Place {
    let there = Model { focus: focus.clone(), ..bare(model) };
    there.place()
}

/// As much of a model as says where somebody is.
fn bare(model: &Model) -> Model {
    let mut bare = Model::new(model.size, model.settings.clone(), crate::model::Remembered::default());
    if let Focus::Help { back, .. } = &model.focus
        && let Focus::Card(card) = &**back
    {
        bare.prompts.extend(model.prompts.get(&card.prompt).map(|prompt| (prompt.id, prompt.clone())));
    }
    bare
}

/// Text with a heading that is not scrolled.
type Lines = Text;
