//! Keys where text is typed: a message, a reason, the filter, what is looked for, a new session.

use coop_api::hub::NewSession;

use super::{card, complain, input, list};
use crate::editor::Editor;
use crate::event::Effect;
use crate::keys::Action;
use crate::model::{AGENTS, Focus, LineOf, Model, StartForm};

pub(super) fn pasted(model: &mut Model, text: &str) -> Vec<Effect> {
    let several = matches!(model.focus, Focus::Nudge { .. } | Focus::Card(_));
    let text = if several { text.to_owned() } else { text.replace(['\n', '\r'], " ") };
    match editor(model) {
        Some(editor) => editor.insert(&text),
        None => return Vec::new(),
    }
    typed(model)
}

pub(super) fn act(model: &mut Model, action: Action, now_ms: u64) -> Vec<Effect> {
    match action {
        Action::Back => return back(model),
        Action::Submit => return submit(model, now_ms),
        Action::Older | Action::Newer => older(model, action == Action::Older),
        Action::Outside => return input::outside(model),
        Action::NextField => {
            if let Focus::Start(form) = &mut model.focus {
                form.at_args = !form.at_args;
            }
        }
        Action::NextAgent => {
            if let Focus::Start(form) = &mut model.focus {
                form.agent = (form.agent + 1) % AGENTS.len();
            }
        }
        _ => {
            let Some(editor) = editor(model) else { return Vec::new() };
            edit(editor, action);
            return typed(model);
        }
    }
    Vec::new()
}

fn edit(editor: &mut Editor, action: Action) {
    match action {
        Action::Newline => editor.insert("\n"),
        Action::Left => editor.left(),
        Action::Right => editor.right(),
        Action::Home => editor.home(),
        Action::EndOfLine => editor.end(),
        Action::Backspace => editor.backspace(),
        Action::Delete => editor.delete(),
        Action::DeleteWord => editor.delete_word(),
        Action::Clear => editor.clear(),
        _ => {}
    }
}

fn editor(model: &mut Model) -> Option<&mut Editor> {
    match &mut model.focus {
        Focus::Nudge { editor, .. } | Focus::Line { editor, .. } => Some(editor),
        Focus::Start(form) => Some(if form.at_args { &mut form.args } else { &mut form.cwd }),
        Focus::Card(card) => card.typing.as_mut().map(|typing| &mut typing.editor),
        _ => None,
    }
}

/// The filter and the search show at once what they find.
fn typed(model: &mut Model) -> Vec<Effect> {
    let Focus::Line { of, editor } = &model.focus else { return Vec::new() };
    let text = editor.text().to_owned();
    match of {
        LineOf::Filter => {
            model.lens.filter = text;
            model.stale = true;
        }
        LineOf::Search => {
            model.looked_for = text;
            // Where nothing fits, the selection stays; that is told when it is looked for on purpose.
            let before = model.notice.clone();
            list::go_to_match(model, true, true, 0);
            model.notice = before;
        }
        LineOf::Find => {}
    }
    Vec::new()
}

fn back(model: &mut Model) -> Vec<Effect> {
    match &mut model.focus {
        Focus::Card(card) => card.typing = None,
        Focus::Line { of: LineOf::Filter, .. } => {
            // Esc takes the filter away: that is what people press to see everything.
            model.lens.filter.clear();
            model.focus = Focus::List;
            return list::remember(model);
        }
        _ => model.focus = Focus::List,
    }
    Vec::new()
}

fn submit(model: &mut Model, now_ms: u64) -> Vec<Effect> {
    match &model.focus {
        Focus::Card(_) => card::said(model, now_ms),
        Focus::Nudge { session, editor, .. } => {
            if editor.is_empty() {
                model.focus = Focus::List;
                return Vec::new();
            }
            let (session, message) = (*session, editor.text().trim().to_owned());
            model.focus = Focus::List;
            model.history.retain(|old| *old != message);
            model.history.push(message.clone());
            vec![Effect::Nudge { session, message }, Effect::Remember(model.remembered())]
        }
        Focus::Line { of: LineOf::Filter, .. } => {
            model.focus = Focus::List;
            list::remember(model)
        }
        Focus::Line { of: LineOf::Search, .. } => {
            model.focus = Focus::List;
            list::go_to_match(model, true, true, now_ms);
            Vec::new()
        }
        Focus::Line { of: LineOf::Find, editor } => {
            let words = editor.text().trim().to_owned();
            model.focus = Focus::List;
            if words.is_empty() { Vec::new() } else { vec![Effect::Find(words)] }
        }
        Focus::Start(form) => match new_session(form) {
            Ok(new) => {
                model.focus = Focus::List;
                super::notice(model, now_ms, format!("{} is being started.", new.agent));
                vec![Effect::Start(new)]
            }
            Err(why) => {
                complain(model, now_ms, why);
                Vec::new()
            }
        },
        _ => Vec::new(),
    }
}

fn new_session(form: &StartForm) -> Result<NewSession, &'static str> {
    let cwd = form.cwd.text().trim().to_owned();
    if !cwd.starts_with('/') {
        return Err("The folder is a path from the root on.");
    }
    let args = form.args.text().split_whitespace().map(str::to_owned).collect();
    Ok(NewSession { agent: AGENTS[form.agent].to_owned(), cwd, args, ..NewSession::default() })
}

/// A line up, and from the first one to the message before; the same downwards.
fn older(model: &mut Model, older: bool) {
    let history = model.history.clone();
    let Focus::Nudge { editor, back, .. } = &mut model.focus else {
        if let Some(editor) = editor(model) {
            let _ = if older { editor.up() } else { editor.down() };
        }
        return;
    };
    if if older { editor.up() } else { editor.down() } {
        return;
    }
    let to = if older { (*back + 1).min(history.len()) } else { back.saturating_sub(1) };
    if to == *back {
        return;
    }
    *back = to;
    let text = history.len().checked_sub(to).and_then(|at| history.get(at));
    *editor = Editor::from(text.map_or("", String::as_str));
}
