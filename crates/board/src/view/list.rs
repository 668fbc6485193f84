//! The sessions, one on each row, with as many columns as there is room for.

use coop_api::hub::Session;
use coop_api::v1::Context;
use ratatui::layout::Rect;

use super::paint::Painter;
use super::says;
use super::style::Look;
use crate::model::{Link, Row, urgency};
use crate::text::fit;

/// A word and a letter for each rank; the letter where there is little room. Neither needs a colour.
pub(super) const STATES: [(&str, &str, Look); 7] = [
    ("asks", "?", Look::Asks),
    ("failed", "!", Look::Failed),
    ("done", "✓", Look::Done),
    ("parked", "‖", Look::Parked),
    ("idle", "·", Look::Plain),
    ("works", "▸", Look::Plain),
    ("ended", "×", Look::Dim),
];

/// From so many hundredths on a context is nearly full.
const FULL: u64 = 90;

/// Columns by how wide the list is.
struct Columns {
    word: bool,
    agent: usize,
    project: usize,
    model: usize,
    context: usize,
    cost: usize,
}

/// A column that would be empty for everybody who is seen is left out.
fn columns(painter: &Painter<'_>, width: u16) -> Columns {
    let model = painter.model;
    let any = |has: &dyn Fn(&Session) -> bool, cells| if model.seen().any(has) { cells } else { 0 };
    match width {
        0..60 => Columns { word: false, agent: 0, project: 12, model: 0, context: 0, cost: 0 },
        60..100 => Columns {
            word: true,
            agent: 7,
            project: 18,
            model: 0,
            context: any(&|session| session.context.is_some(), 4),
            cost: 0,
        },
        _ => Columns {
            word: true,
            agent: 7,
            project: 22,
            model: any(&|session| session.model.is_some(), 12),
            context: any(&|session| session.context.is_some(), 8),
            cost: any(&|session| cost(session).is_some(), 7),
        },
    }
}

pub(super) fn paint(painter: &mut Painter<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    let model = painter.model;
    if model.rows.is_empty() {
        nobody(painter, area);
        return;
    }
    let shown = model.rows.iter().skip(model.top);
    let columns = columns(painter, area.width);
    for (y, row) in (area.y..area.bottom()).zip(shown) {
        let line = Rect { y, height: 1, ..area };
        match row {
            Row::Group(name, count) => {
                painter.line(line, &[(format!("{name} "), Look::Group), (format!("({count})"), Look::Dim)]);
            }
            Row::Session(id) => {
                if let Some(session) = model.sessions.get(id) {
                    let pieces = pieces(painter, session, &columns);
                    painter.line(line, &pieces);
                }
                if model.selected == Some(*id) {
                    painter.choose(line);
                }
            }
        }
    }
    hidden(painter, area);
}

/// How many are above and below.
fn hidden(painter: &mut Painter<'_>, area: Rect) {
    let model = painter.model;
    let below = model.rows.len().saturating_sub(model.top + usize::from(area.height));
    if area.width < 30 || area.height < 2 {
        return;
    }
    for (count, sign, y) in [(model.top, "↑", area.y), (below, "↓", area.bottom() - 1)] {
        if count > 0 {
            let text = format!(" {sign} {count} ");
            let cells = u16::try_from(crate::text::width(&text)).unwrap_or(0);
            painter.put(area.right() - cells, y, &text, cells, Look::Chosen);
        }
    }
}

fn pieces(painter: &mut Painter<'_>, session: &Session, columns: &Columns) -> Vec<(String, Look)> {
    let asks = painter.model.prompt_of(session.id).is_some();
    let (word, letter, look) = STATES[urgency(session, asks).0];
    let rest = if look == Look::Dim { Look::Dim } else { Look::Plain };
    let mark = if session.unseen { "●" } else { " " };
    let age = painter.age(session.since_ms);
    let mut pieces = vec![(mark.to_owned(), Look::Strong)];
    let word = if columns.word { fit(&format!(" {word}"), 8) } else { format!(" {letter} ") };
    pieces.push((word, look));
    pieces.push((format!(" {age:<4}"), rest));
    let mut column = |text: String, cells: usize, look: Look| {
        if cells > 0 {
            pieces.push((fit(&text, cells) + " ", look));
        }
    };
    column(session.agent.clone(), columns.agent, rest);
    column(place(session), columns.project, if rest == Look::Dim { rest } else { Look::Strong });
    column(model_name(session), columns.model, Look::Dim);
    let named = if columns.context > 4 && session.context.is_some() { "ctx " } else { "" };
    column(
        format!("{named}{}", filled(session)),
        columns.context,
        if is_full(session) { Look::Bad } else { Look::Dim },
    );
    column(cost(session).unwrap_or_default(), columns.cost, Look::Dim);
    pieces.push((says::line(painter, session), rest));
    pieces
}

fn place(session: &Session) -> String {
    let project = session.project.as_deref().unwrap_or("-");
    match session.branch.as_deref() {
        Some(branch) if !branch.is_empty() => format!("{project} {branch}"),
        _ => project.to_owned(),
    }
}

/// Without what every model of its vendor has in its name.
pub(super) fn model_name(session: &Session) -> String {
    let name = session.model.as_deref().unwrap_or_default();
    ["claude-", "gemini-"].iter().find_map(|vendor| name.strip_prefix(vendor)).unwrap_or(name).to_owned()
}

/// What it has cost: about, since most agents do not say.
pub(super) fn cost(session: &Session) -> Option<String> {
    let usd = session.cost.as_ref().map(|cost| cost.usd).filter(|usd| *usd >= 0.005)?;
    Some(if usd < 1000.0 { format!("${usd:.2}") } else { format!("${usd:.0}") })
}

/// How full its context is: the share of it where the vendor says how much there is, otherwise how much.
fn filled(session: &Session) -> String {
    let Some(context) = &session.context else { return String::new() };
    match percent(context) {
        Some(percent) => format!("{:>4}", format!("{percent}%")),
        None => format!("{:>4}", count(context.tokens)),
    }
}

/// Whether it is about to be shortened.
fn is_full(session: &Session) -> bool {
    session.context.as_ref().and_then(percent).is_some_and(|percent| percent >= FULL)
}

pub(super) fn percent(context: &Context) -> Option<u64> {
    let window = context.window.filter(|window| *window > 0)?;
    Some((context.tokens.saturating_mul(100) / window).min(999))
}

/// In four cells at the most.
pub(super) fn count(tokens: u64) -> String {
    match tokens {
        0..1000 => tokens.to_string(),
        1000..1_000_000 => format!("{}k", tokens / 1000),
        1_000_000..1_000_000_000 => format!("{}M", tokens / 1_000_000),
        _ => "lots".to_owned(),
    }
}

fn nobody(painter: &mut Painter<'_>, area: Rect) {
    let model = painter.model;
    let mut text = super::Text::default();
    let hidden = !model.sessions.is_empty();
    let said = match (&model.link, hidden) {
        (Link::Connecting, _) => "Connecting to the hub…",
        (_, true) => "Everything is hidden by the filter. f changes it, e shows those that have ended.",
        _ => "No agent is here yet. Start one in any terminal (coop run -- claude), or here with +.",
    };
    text.prose(said, Look::Plain, area.width);
    painter.text(area, &text, 0);
}
