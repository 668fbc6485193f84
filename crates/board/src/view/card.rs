//! What an agent asks: all of it, scrolled, and below it what can be answered.

use coop_api::hub::Prompt;
use ratatui::layout::Rect;

use super::detail::heading;
use super::paint::{Painter, Text};
use super::style::Look;
use super::{Lines, form};
use crate::body::{self, Kind};
use crate::model::{Card, Stage, Typing, TypingOf};
use crate::text::fold;

const DAY_MS: u64 = 24 * 3600 * 1000;

/// Without a card somebody only looks, and has not gone to answer yet.
pub(super) fn paint(painter: &mut Painter<'_>, area: Rect, prompt: u64, card: Option<&Card>) {
    let Some(asked) = painter.model.prompts.get(&prompt) else { return };
    let parts = parts(painter, area, asked, card);
    let mut rest = area;
    if parts.head_rows > 0 {
        painter.text(Rect { height: parts.head_rows, ..area }, &parts.head, 0);
    }
    rest.y += parts.head_rows;
    rest.height -= parts.head_rows;
    if let Some(Typing { editor, of }) = card.and_then(|card| card.typing.as_ref()) {
        let label = match (of, asked.kind.as_str()) {
            (TypingOf::Answer, _) => "Your answer",
            (TypingOf::Input, _) => "Run it with this instead (JSON)",
            (TypingOf::Reason, "plan") => "What is wrong with it",
            (TypingOf::Reason, _) => "Why not",
        };
        rest = form::editor(painter, rest, label, editor);
        painter.text(rest, &parts.body, parts.from);
        return;
    }
    let below = Rect { y: rest.bottom() - parts.below_rows, height: parts.below_rows, ..rest };
    rest.height -= parts.below_rows;
    painter.text(rest, &parts.body, parts.from);
    painter.text(below, &parts.below, 0);
}

pub(super) fn most_scroll(painter: &mut Painter<'_>, area: Rect, prompt: u64, card: &Card) -> usize {
    let Some(asked) = painter.model.prompts.get(&prompt) else { return 0 };
    let parts = parts(painter, area, asked, Some(card));
    let room = usize::from(area.height - parts.head_rows - parts.below_rows);
    parts.body.lines.len().saturating_sub(room)
}

struct Parts {
    head: Lines,
    head_rows: u16,
    body: Lines,
    /// The first line of it that is seen.
    from: usize,
    below: Lines,
    below_rows: u16,
}

/// The text gets what the heading and the answers leave, and more than half of a small screen.
fn parts(painter: &mut Painter<'_>, area: Rect, asked: &Prompt, card: Option<&Card>) -> Parts {
    let head = head(painter, asked, area.width);
    let (mut body, at) = body(asked, card, area.width);
    let below = below(painter, asked, card, area.width);
    if body.lines.is_empty() {
        body.push("", Look::Plain);
    }
    let rows = |text: &Lines, most: u16| u16::try_from(text.lines.len()).unwrap_or(most).min(most);
    let head_rows = if area.height >= 10 { rows(&head, 3) } else { rows(&head, area.height / 4) };
    let below_rows = rows(&below, (area.height - head_rows) / 2);
    let room = usize::from(area.height - head_rows - below_rows);
    let from = match (at, card) {
        // A form is read where the person is in it.
        (Some(at), Some(_)) => at.saturating_sub(room / 2),
        (_, card) => card.map_or(painter.model.scroll, |card| card.scroll),
    };
    Parts { head, head_rows, body, from, below, below_rows }
}

fn head(painter: &mut Painter<'_>, asked: &Prompt, width: u16) -> Lines {
    let session = painter.model.sessions.get(&asked.session).cloned();
    let mut text = session.map(|session| heading(painter, &session, width)).unwrap_or_default();
    let waits = match asked.kind.as_str() {
        "permission" => format!("may it use {}?", asked.tool),
        "plan" => "is this plan right?".to_owned(),
        "question" => "it asks".to_owned(),
        _ => "a dialog".to_owned(),
    };
    text.push(waits, Look::Strong);
    // What a sidecar asks waits for as long as its dialog does.
    if asked.expires_ms.saturating_sub(asked.asked_ms) < DAY_MS
        && let Some(line) = text.lines.last_mut()
    {
        line.push((format!("  (left to its terminal in {})", painter.until(asked.expires_ms)), Look::Dim));
    }
    text
}

/// The lines, and the one that the person is at where there is something to choose.
fn body(asked: &Prompt, card: Option<&Card>, width: u16) -> (Lines, Option<usize>) {
    let mut text = Text::default();
    for line in body::lines(asked) {
        let look = match line.kind {
            Kind::Head => Look::Dim,
            Kind::Plain => Look::Plain,
            Kind::Added => Look::Added,
            Kind::Removed => Look::Removed,
        };
        text.lines.extend(fold(&line.text, usize::from(width)).into_iter().map(|line| vec![(line, look)]));
    }
    let has_form = matches!(asked.kind.as_str(), "question" | "setup") || asked.kind.is_empty();
    let at = if has_form { form::questions(&mut text, asked, card.map(|card| &card.form), width) } else { None };
    (text, at)
}

/// What can be answered, or what was.
fn below(painter: &mut Painter<'_>, asked: &Prompt, card: Option<&Card>, width: u16) -> Lines {
    let mut text = Text::default();
    if let Some(sending) = painter.model.sending_of(asked.id) {
        let line = match sending.stage {
            Stage::Held { until_ms } => {
                format!("{} is sent in {}. u takes it back.", sending.says, painter.until(until_ms))
            }
            Stage::Sent => format!("{} is on its way.", sending.says),
        };
        text.prose(&line, Look::Strong, width);
        return text;
    }
    if card.is_none() {
        text.pieces(vec![("Enter".into(), Look::Key), (" answers it".into(), Look::Plain)]);
        return text;
    }
    match asked.kind.as_str() {
        "permission" => {
            let edit = asked.editable.then_some(("e", "change it first"));
            let mut all = vec![("y", "allow once"), ("n", "deny"), ("N", "deny and say why")];
            all.extend(edit);
            keys(&mut text, width, &all);
            match &asked.suggestion {
                Some(pattern) => {
                    keys(&mut text, width, &[("s", "allow for the session"), ("p", "allow in this project")]);
                    text.lines.extend(
                        fold(&format!("  which is: {}", crate::text::clean(pattern)), usize::from(width))
                            .into_iter()
                            .map(|line| vec![(line, Look::Dim)]),
                    );
                }
                None => text.push("It can only be answered once.", Look::Dim),
            }
            options(&mut text, asked, width);
        }
        "plan" => {
            keys(&mut text, width, &[("y", "approve"), ("n", "reject and say what is wrong with it")]);
            options(&mut text, asked, width);
        }
        _ => {}
    }
    text
}

/// Those of the agent's own dialog; ours have letters.
fn options(text: &mut Lines, asked: &Prompt, width: u16) {
    let own: Vec<(String, String)> = asked
        .options
        .iter()
        .filter(|option| option.key == "option")
        .map(|option| (option.number.to_string(), crate::text::one_line(&option.label)))
        .collect();
    for (number, label) in own {
        let label = crate::text::clip(&label, usize::from(width.saturating_sub(4)));
        text.pieces(vec![(number, Look::Key), (format!(" {label}"), Look::Dim)]);
    }
}

/// Keys with what they do, on as many lines as they need.
pub(super) fn keys(text: &mut Lines, width: u16, all: &[(&str, &str)]) {
    let mut line: Vec<(String, Look)> = Vec::new();
    let mut used = 0;
    for (key, says) in all {
        let cells = crate::text::width(key) + crate::text::width(says) + 4;
        if used + cells > usize::from(width) + 3 && used > 0 {
            text.pieces(std::mem::take(&mut line));
            used = 0;
        }
        line.push(((*key).to_owned(), Look::Key));
        line.push((format!(" {says}   "), Look::Plain));
        used += cells;
    }
    text.pieces(line);
}
