//! What is filled in: questions, text that is typed, a new session.

use coop_api::hub::{Prompt, PromptChoice};
use ratatui::layout::Rect;

use super::Lines;
use super::paint::{Painter, Text};
use super::style::Look;
use crate::editor::Editor;
use crate::form::{Form, Part};
use crate::model::{AGENTS, StartForm};
use crate::text::{clean, one_line, wrap};

/// All questions with what can be chosen. Returns the line that the person is at.
pub(super) fn questions(text: &mut Lines, asked: &Prompt, form: Option<&Form>, width: u16) -> Option<usize> {
    let untouched = Form::of(asked);
    let filled = form.unwrap_or(&untouched);
    let mut at = None;
    for (number, part) in filled.parts.iter().enumerate() {
        let question = asked.questions.get(number);
        if let Some(question) = question {
            let several = if question.several { " (several)" } else { "" };
            let of =
                if filled.parts.len() > 1 { format!("{}/{} ", number + 1, filled.parts.len()) } else { String::new() };
            text.prose(&format!("{of}{}{several}", clean(&question.question)), Look::Strong, width);
        }
        let options = question.map_or(&asked.options, |question| &question.options);
        let here = form.is_some() && number == filled.at;
        if let Some(line) = rows(text, part, options, here, width) {
            at = Some(line);
        }
        text.blank();
    }
    at
}

fn rows(text: &mut Lines, part: &Part, options: &[PromptChoice], here: bool, width: u16) -> Option<usize> {
    let mut at = None;
    let mut row = |text: &mut Lines, index: usize, picked: bool, number: &str, label: &str| {
        let mark = match (part.several, picked) {
            (true, true) => "[x]",
            (true, false) => "[ ]",
            (false, true) => "(•)",
            (false, false) => "( )",
        };
        let cursor = here && part.cursor == index;
        if cursor {
            at = Some(text.lines.len());
        }
        let look = if cursor { Look::Chosen } else { Look::Plain };
        let head = format!("{} {mark} {number} ", if cursor { ">" } else { " " });
        for (line, piece) in wrap(label, usize::from(width).saturating_sub(8)).into_iter().enumerate() {
            let lead = if line == 0 { head.clone() } else { " ".repeat(8) };
            text.pieces(vec![(lead, look), (piece, look)]);
        }
    };
    for (index, option) in options.iter().enumerate() {
        let picked = part.picked.contains(&option.number);
        row(text, index, picked, &option.number.to_string(), &one_line(&clean(&option.label)));
        if let Some(why) = &option.description {
            for line in wrap(&one_line(&clean(why)), usize::from(width).saturating_sub(8)) {
                text.push(format!("        {line}"), Look::Dim);
            }
        }
    }
    if part.own_words {
        let said = if part.other.is_empty() { "in your own words…".to_owned() } else { one_line(part.other.text()) };
        row(text, part.options, !part.other.is_empty(), "o", &clean(&said));
    }
    at
}

/// A box to type in, at the lower end. Returns what is left above it.
pub(super) fn editor(painter: &mut Painter<'_>, area: Rect, label: &str, editor: &Editor) -> Rect {
    let (lines, (row, column)) = editor.lines(usize::from(area.width.saturating_sub(2)));
    let wanted = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(1);
    let height = wanted.min((area.height / 2).max(2)).min(area.height);
    let inner = Rect { y: area.bottom() - height, height, ..area };
    painter.put(inner.x, inner.y, &format!("{label} ─────────"), inner.width, Look::Strong);
    let shown = usize::from(height.saturating_sub(1));
    let from = (row + 1).saturating_sub(shown);
    for (y, line) in (inner.y + 1..inner.bottom()).zip(lines.iter().skip(from)) {
        painter.put(inner.x, y, "│ ", 2, Look::Rule);
        painter.put(inner.x + 2, y, &clean(line), inner.width.saturating_sub(2), Look::Plain);
    }
    if shown > 0 {
        let y = inner.y + 1 + u16::try_from(row - from).unwrap_or(0);
        painter.cursor(inner.x + 2 + u16::try_from(column).unwrap_or(0), y);
    }
    Rect { height: area.height - height, ..area }
}

pub(super) fn start(painter: &mut Painter<'_>, area: Rect, form: &StartForm) {
    let mut text = Text::default();
    text.push("Start a session, under coop", Look::Strong);
    text.blank();
    let mut agents = vec![("agent      ".to_owned(), Look::Dim)];
    for (at, agent) in AGENTS.iter().enumerate() {
        let look = if at == form.agent { Look::Chosen } else { Look::Plain };
        agents.push((format!(" {agent} "), look));
    }
    agents.push(("  Ctrl-T".into(), Look::Key));
    text.pieces(agents);
    let field = |name: &str, here: bool, editor: &Editor| {
        let mark = if here { ">" } else { " " };
        vec![(format!("{mark} {name:<9}"), Look::Dim), (clean(editor.text()), Look::Plain)]
    };
    text.pieces(field("folder", !form.at_args, &form.cwd));
    text.pieces(field("arguments", form.at_args, &form.args));
    text.blank();
    super::card::keys(&mut text, area.width, &[("Enter", "start"), ("Tab", "next field"), ("Esc", "back")]);
    painter.text(area, &text, 0);
    let typed = if form.at_args { &form.args } else { &form.cwd };
    let (_, (_, column)) = typed.lines(usize::from(u16::MAX));
    let x = area.x + 11 + u16::try_from(column).unwrap_or(0).min(area.width.saturating_sub(12));
    painter.cursor(x, area.y + 3 + u16::from(form.at_args));
}
