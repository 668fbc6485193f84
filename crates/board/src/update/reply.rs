//! How what was asked for ended.

use super::{complain, notice};
use crate::event::{Effect, Reply, Said};
use crate::model::{Focus, MOST_ENTRIES, Model, Talk};
use crate::text::clean;

pub(super) fn came(model: &mut Model, reply: Reply, now_ms: u64) -> Vec<Effect> {
    match reply {
        Reply::Answered { prompt, result } => answered(model, prompt, result, now_ms),
        Reply::Done(Ok(said)) if said.is_empty() => {}
        Reply::Done(Ok(said)) => notice(model, now_ms, clean(&said)),
        Reply::Done(Err(why)) => complain(model, now_ms, clean(&why)),
        Reply::Started(Ok(session)) => {
            notice(model, now_ms, format!("Session {} runs.", session.id));
            model.selected = Some(session.id);
            model.sessions.entry(session.id).or_insert(*session);
            model.stale = true;
        }
        Reply::Started(Err(why)) => complain(model, now_ms, clean(&why)),
        Reply::Written { prompt, result } => super::input::written_outside(model, prompt, result, now_ms),
        Reply::Screen { session, rows } => {
            if let Focus::Peek(peek) = &mut model.focus
                && peek.session == session
            {
                (peek.rows, peek.why_not) = (rows, None);
            }
        }
        Reply::ScreenFailed { session, why } => {
            if let Focus::Peek(peek) = &mut model.focus
                && peek.session == session
            {
                peek.why_not = Some(clean(&why));
            }
        }
        Reply::Conversation { session, after, result } => {
            // What was asked for twice is taken once.
            if let Focus::Talk(talk) = &mut model.focus
                && (talk.session, talk.next) == (session, after)
            {
                said(talk, result);
            }
        }
        Reply::Found(Ok(hits)) if hits.is_empty() => notice(model, now_ms, "Nothing was found."),
        Reply::Found(Ok(hits)) => {
            // Whoever is in the middle of something is left there.
            if model.focus == Focus::List {
                model.focus = Focus::Found { hits, at: 0 };
            }
        }
        Reply::Found(Err(why)) => complain(model, now_ms, clean(&why)),
    }
    Vec::new()
}

fn said(talk: &mut Talk, result: Result<Said, String>) {
    match result {
        Ok(Said { entries, next }) => {
            let mut known = match talk.entries.take() {
                Some(Ok(known)) => known,
                _ => Vec::new(),
            };
            known.extend(entries);
            let skip = known.len().saturating_sub(MOST_ENTRIES);
            known.drain(..skip);
            (talk.entries, talk.next) = (Some(Ok(known)), next);
        }
        // What was read before is still true.
        Err(_) if matches!(talk.entries, Some(Ok(_))) => {}
        Err(why) => talk.entries = Some(Err(clean(&why))),
    }
}

/// What is settled the hub tells everybody, so here only what went wrong counts.
fn answered(model: &mut Model, prompt: u64, result: Result<coop_api::hub::Answered, String>, now_ms: u64) {
    let why = match result {
        Ok(answered) if answered.delivered => {
            if let Some(pattern) = answered.remembered {
                notice(model, now_ms, format!("Remembered: {}", clean(&pattern)));
            }
            return;
        }
        Ok(answered) => answered.reason.unwrap_or_else(|| "it is not certain that the answer arrived".into()),
        Err(why) => why,
    };
    // It can be answered again, if it is still there.
    model.sending.retain(|sending| sending.prompt != prompt);
    complain(model, now_ms, format!("Not answered: {}", clean(&why)));
}
