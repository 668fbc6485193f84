//! The first row: how many need what, and what is not shown.

use ratatui::layout::Rect;

use super::paint::Painter;
use super::style::Look;
use crate::model::{Group, Link, urgency};
use crate::text::width;

/// In the order of urgency.
const NAMES: [(&str, Look); 7] = [
    ("ask", Look::Asks),
    ("failed", Look::Failed),
    ("done", Look::Done),
    ("parked", Look::Parked),
    ("idle", Look::Plain),
    ("working", Look::Plain),
    ("ended", Look::Dim),
];

pub(super) fn paint(painter: &mut Painter<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    let model = painter.model;
    let mut pieces = vec![("coop ".to_owned(), Look::Head)];
    if let Some(away) = away(painter) {
        pieces.push((away, Look::Failed));
        pieces.push((" ".into(), Look::Plain));
    }
    let mut counts = [0_usize; 7];
    let asking: std::collections::BTreeSet<u64> = model.prompts.values().map(|prompt| prompt.session).collect();
    for session in model.sessions.values() {
        counts[urgency(session, asking.contains(&session.id)).0] += 1;
    }
    for ((name, look), count) in NAMES.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
        let text = format!(" {count} {name} ");
        let used: usize = pieces.iter().map(|(text, _)| width(text)).sum();
        // Half a number says something else. The most urgent comes first.
        if used + width(&text) > usize::from(area.width) {
            break;
        }
        pieces.push((text, look));
        pieces.push((" ".into(), Look::Plain));
    }
    match model.lens.group {
        Group::None => {}
        Group::Project => pieces.push((" by project ".into(), Look::Dim)),
        Group::Host => pieces.push((" by host ".into(), Look::Dim)),
    }
    if !model.lens.filter.trim().is_empty() {
        let hidden = model.sessions.len() - model.rows.iter().filter_map(crate::model::Row::session).count();
        pieces.push((format!(" only: {} ({hidden} hidden) ", model.lens.filter.trim()), Look::Chosen));
    }
    painter.line(area, &pieces);
}

fn away(painter: &mut Painter<'_>) -> Option<String> {
    match &painter.model.link {
        Link::Online => None,
        Link::Connecting => Some(" connecting to the hub ".into()),
        Link::Away { since_ms, .. } => {
            let age = painter.age(*since_ms);
            Some(format!(" the hub is away ({age}), this is what it last said "))
        }
    }
}
