//! What the hub tells.

use coop_api::hub::{Prompt, Session, Settled};

use super::notice;
use crate::event::{Effect, FromHub, Moment};
use crate::model::{Focus, Link, Model, Stage};
use crate::text::{clean, one_line};

pub(super) fn told(model: &mut Model, told: FromHub, now_ms: u64) -> Vec<Effect> {
    match told {
        FromHub::All { sessions, prompts } => {
            let back = matches!(model.link, Link::Away { .. });
            model.link = Link::Online;
            model.sessions = sessions.into_iter().map(|session| (session.id, harmless(session))).collect();
            model.prompts = prompts.into_iter().map(|prompt| (prompt.id, prompt)).collect();
            model.stale = true;
            model.sending.retain(|sending| model.prompts.contains_key(&sending.prompt));
            leave_what_is_gone(model, now_ms, "What it asked is over.");
            if back {
                notice(model, now_ms, "The hub is back.");
            }
        }
        FromHub::Away(why) => {
            if !matches!(model.link, Link::Away { .. }) {
                model.link = Link::Away { since_ms: now_ms, why };
            }
        }
        FromHub::Session(session) => return changed(model, harmless(*session)),
        FromHub::Forgotten(id) => {
            model.stale |= model.sessions.remove(&id).is_some();
        }
        FromHub::Asked(prompt) => asked(model, *prompt),
        FromHub::Settled(settled) => over(model, &settled, now_ms),
    }
    Vec::new()
}

/// Nothing in it moves a cursor or hides. The hub has seen to most of it.
fn harmless(mut session: Session) -> Session {
    let texts = [
        &mut session.project,
        &mut session.branch,
        &mut session.title,
        &mut session.model,
        &mut session.last_message,
        &mut session.cwd,
        &mut session.host,
        &mut session.version,
    ];
    for text in texts.into_iter().flatten() {
        *text = clean(text);
    }
    session.agent = clean(&session.agent);
    session.reason = clean(&session.reason);
    if let Some(error) = &mut session.error {
        error.detail = clean(&error.detail);
    }
    session
}

fn changed(model: &mut Model, session: Session) -> Vec<Effect> {
    let before = model.sessions.get(&session.id);
    if before == Some(&session) {
        return Vec::new();
    }
    model.stale = true;
    let was = before.map(|before| before.attention.clone());
    let mut effects: Vec<Effect> = moment(was.as_deref(), &session)
        .filter(|_| !(model.watched && model.selected == Some(session.id)))
        .map(|moment| announce(moment, &session))
        .into_iter()
        .collect();
    if let Focus::Talk(talk) = &mut model.focus
        && talk.session == session.id
    {
        if talk.of != session.session_id {
            // Another conversation has lines of its own.
            (talk.of, talk.entries, talk.next) = (session.session_id.clone(), None, 0);
        }
        effects.push(Effect::Conversation { session: session.id, after: talk.next });
    }
    model.sessions.insert(session.id, session);
    effects
}

/// Whether a change is one that a person may want to hear of.
fn moment(was: Option<&str>, session: &Session) -> Option<Moment> {
    if was == Some(session.attention.as_str()) {
        return None;
    }
    match session.attention.as_str() {
        "asks" => Some(Moment::Asks),
        "failed" | "parked" => Some(Moment::Failed),
        "done" => Some(Moment::Done),
        // One that is heard of for the first time has ended before.
        "over" if was.is_some() => Some(Moment::Ended),
        _ => None,
    }
}

fn announce(moment: Moment, session: &Session) -> Effect {
    let name = session.project.as_deref().unwrap_or(&session.agent);
    let what = match moment {
        Moment::Asks => "asks",
        Moment::Failed => "has failed",
        Moment::Done => "is done",
        Moment::Ended => "has ended",
    };
    let text = match moment {
        Moment::Asks => session.prompt.as_ref().and_then(|prompt| {
            prompt.question.clone().or_else(|| prompt.message.clone()).or_else(|| prompt.input.clone())
        }),
        Moment::Failed => session.error.as_ref().map(|error| error.detail.clone()),
        Moment::Done | Moment::Ended => session.last_message.clone(),
    };
    let text = one_line(&clean(&text.unwrap_or_default()));
    Effect::Notify { moment, title: format!("{name} ({}) {what}", session.agent), text }
}

/// A card that says more than before keeps its number.
fn asked(model: &mut Model, prompt: Prompt) {
    let id = prompt.id;
    let before = model.prompts.insert(id, prompt);
    model.stale = true;
    let Some(now) = model.prompts.get(&id) else { return };
    let same = before.is_some_and(|before| before.questions == now.questions && before.options == now.options);
    if !same
        && let Focus::Card(card) = &mut model.focus
        && card.prompt == id
    {
        card.form = crate::form::Form::of(now);
    }
}

/// Whoever answered, it is over. If that was somebody else, the person is told.
fn over(model: &mut Model, settled: &Settled, now_ms: u64) {
    model.stale |= model.prompts.remove(&settled.id).is_some();
    let ours = model.sending.iter().position(|sending| sending.prompt == settled.id);
    let ours = ours.map(|at| model.sending.remove(at));
    let outcome = match settled.outcome.as_str() {
        "allow" if settled.updated_input.is_some() => "allowed with another input",
        "allow" => "allowed",
        "deny" => "denied",
        "answer" => "answered",
        "terminal" => "answered at its terminal",
        "expired" => "left to its terminal: nobody answered in time",
        "gone" => "no longer asked",
        other => other,
    };
    let by = match settled.by.as_str() {
        "" | "terminal" => String::new(),
        by => format!(" by {}", clean(by)),
    };
    let what = one_line(&clean(&settled.text));
    match ours {
        Some(sending) if sending.stage == Stage::Sent => {
            notice(model, now_ms, format!("{}: {what}", capital(outcome)));
        }
        Some(_) => notice(model, now_ms, format!("Before yours was sent it was {outcome}{by}: {what}")),
        None if is_at(model, settled.id) => notice(model, now_ms, format!("It was {outcome}{by}: {what}")),
        None => {}
    }
    leave_what_is_gone(model, now_ms, "");
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn is_at(model: &Model, prompt: u64) -> bool {
    let focus = match &model.focus {
        Focus::Help { back, .. } => back,
        focus => focus,
    };
    matches!(focus, Focus::Card(card) if card.prompt == prompt)
}

/// Nobody goes on answering what is over.
fn leave_what_is_gone(model: &mut Model, now_ms: u64, why: &str) {
    let gone = |focus: &Focus| matches!(focus, Focus::Card(card) if !model.prompts.contains_key(&card.prompt));
    let behind_help = matches!(&model.focus, Focus::Help { back, .. } if gone(back));
    if gone(&model.focus) || behind_help {
        model.focus = Focus::List;
        if !why.is_empty() {
            notice(model, now_ms, why);
        }
    }
}
