//! Keys on the list of sessions, and on what was found.

use super::{card, complain, notice, session, step};
use crate::editor::Editor;
use crate::event::Effect;
use crate::keys::Action;
use crate::model::filter::fits;
use crate::model::{Focus, Group, LineOf, Model, Row, StartForm, urgency};

pub(super) fn act(model: &mut Model, action: Action, now_ms: u64) -> Vec<Effect> {
    match action {
        Action::Open => return open(model),
        Action::NextAsking => next_asking(model, now_ms),
        Action::Filter => line(model, LineOf::Filter, &model.lens.filter.clone()),
        Action::Search => line(model, LineOf::Search, ""),
        Action::Find => line(model, LineOf::Find, ""),
        Action::Next => go_to_match(model, true, false, now_ms),
        Action::Previous => go_to_match(model, false, false, now_ms),
        Action::Group => {
            model.lens.group = match model.lens.group {
                Group::None => Group::Project,
                Group::Project => Group::Host,
                Group::Host => Group::None,
            };
            return remember(model);
        }
        Action::Ended => {
            model.lens.ended = !model.lens.ended;
            let said = if model.lens.ended {
                "Those that have ended are shown."
            } else {
                "Those that have ended are not shown."
            };
            notice(model, now_ms, said);
            return remember(model);
        }
        Action::Start => start(model),
        _ => match step(action, model.areas().list.height) {
            Some(by) => select(model, by),
            None => return session::act(model, action, now_ms),
        },
    }
    Vec::new()
}

pub(super) fn remember(model: &mut Model) -> Vec<Effect> {
    model.stale = true;
    vec![Effect::Remember(model.remembered())]
}

/// To what it asks, or to all that is known of it. Whoever opens it has seen it.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let Some(session) = model.current() else { return Vec::new() };
    let (id, unseen) = (session.id, session.unseen);
    model.scroll = 0;
    match model.prompt_of(id).map(|prompt| prompt.id) {
        Some(prompt) => card::open(model, prompt),
        None => model.focus = Focus::Look,
    }
    if unseen { vec![Effect::Seen(id)] } else { Vec::new() }
}

/// By so many sessions; headings do not count.
pub(super) fn select(model: &mut Model, by: isize) {
    let sessions: Vec<u64> = model.rows.iter().filter_map(Row::session).collect();
    let at = sessions.iter().position(|id| Some(*id) == model.selected).unwrap_or(0);
    let to = at.saturating_add_signed(by).min(sessions.len().saturating_sub(1));
    if let Some(id) = sessions.get(to) {
        choose(model, *id);
    }
}

pub(super) fn choose(model: &mut Model, id: u64) {
    if model.selected != Some(id) {
        model.selected = Some(id);
        model.scroll = 0;
    }
}

/// The most urgent after the one that is selected, and round again.
fn next_asking(model: &mut Model, now_ms: u64) {
    // Those that ask, have failed or are done.
    const NEEDS: usize = 2;
    let needs = |id: &u64| {
        let asks = model.prompt_of(*id).is_some_and(|prompt| model.sending_of(prompt.id).is_none());
        model.sessions.get(id).is_some_and(|session| {
            let (rank, ..) = urgency(session, asks);
            rank <= NEEDS && (rank > 0 || asks || model.prompt_of(*id).is_none())
        })
    };
    let all: Vec<u64> = model.rows.iter().filter_map(Row::session).collect();
    let at = all.iter().position(|id| Some(*id) == model.selected).map_or(0, |at| at + 1);
    let next = all[at..].iter().chain(&all[..at]).find(|id| needs(id)).copied();
    match next {
        Some(id) => choose(model, id),
        None => notice(model, now_ms, "Nobody needs you."),
    }
}

fn line(model: &mut Model, of: LineOf, text: &str) {
    model.focus = Focus::Line { of, editor: Editor::from(text) };
}

/// To the next session that fits what was looked for, or stays if this one does.
pub(super) fn go_to_match(model: &mut Model, forward: bool, stay: bool, now_ms: u64) {
    if model.looked_for.trim().is_empty() {
        return;
    }
    let mut all: Vec<u64> = model.rows.iter().filter_map(Row::session).collect();
    if !forward {
        all.reverse();
    }
    let at = all.iter().position(|id| Some(*id) == model.selected).unwrap_or(0);
    let from = (at + usize::from(!stay)).min(all.len());
    let is_it = |id: &&u64| model.sessions.get(*id).is_some_and(|session| fits(session, &model.looked_for));
    let found = all[from..].iter().chain(&all[..from]).find(is_it).copied();
    match found {
        Some(id) => choose(model, id),
        None => complain(model, now_ms, format!("No session has `{}`.", model.looked_for)),
    }
}

fn start(model: &mut Model) {
    let cwd = model.current().and_then(|session| session.cwd.clone()).unwrap_or_else(|| model.settings.cwd.clone());
    model.focus =
        Focus::Start(StartForm { agent: 0, cwd: Editor::from(&*cwd), args: Editor::default(), at_args: false });
}

pub(super) fn found(model: &mut Model, action: Action) -> Vec<Effect> {
    let page = model.areas().detail.height;
    let Focus::Found { hits, at } = &mut model.focus else { return Vec::new() };
    match action {
        Action::Back => model.focus = Focus::List,
        Action::Open => {
            let session = hits.get(*at).map(|hit| hit.session);
            model.focus = Focus::List;
            if let Some(id) = session.filter(|id| model.sessions.contains_key(id)) {
                // It may be hidden by the filter, and is what was asked for.
                if !model.rows.iter().any(|row| row.session() == Some(id)) {
                    model.lens.filter.clear();
                    model.lens.ended = true;
                    model.stale = true;
                }
                choose(model, id);
            }
        }
        _ => {
            if let Some(by) = step(action, page) {
                *at = at.saturating_add_signed(by).min(hits.len().saturating_sub(1));
            }
        }
    }
    Vec::new()
}
