//! Answers on their way: held for a moment where they cannot be taken back, then sent, and gone when the hub says so.

use coop_api::v1::RespondRequest;

use super::{complain, notice};
use crate::event::Effect;
use crate::model::{Focus, Link, Model, Sending, Stage};

/// Sends an answer, at once or after the time in which it can be taken back. The person goes on at the list.
pub(super) fn give(
    model: &mut Model,
    prompt: u64,
    says: &str,
    answer: RespondRequest,
    dangerous: bool,
    now_ms: u64,
) -> Vec<Effect> {
    let Some(asked) = model.prompts.get(&prompt) else { return Vec::new() };
    let session = asked.session;
    // The answer is for what is shown now; a hub that is older knows no digest.
    let answer = RespondRequest { digest: Some(asked.digest.clone()).filter(|digest| !digest.is_empty()), ..answer };
    model.focus = Focus::List;
    if model.sending_of(prompt).is_some() {
        complain(model, now_ms, "An answer to this is on its way already.");
        return Vec::new();
    }
    let held = dangerous && model.settings.undo_ms > 0;
    let stage = if held { Stage::Held { until_ms: now_ms + model.settings.undo_ms } } else { Stage::Sent };
    model.sending.push(Sending { prompt, session, says: says.to_owned(), answer: answer.clone(), stage });
    if held { Vec::new() } else { vec![Effect::Answer { prompt, answer }] }
}

/// What can no longer be taken back is sent. While the hub is away it waits for it.
pub(super) fn due(model: &mut Model, now_ms: u64) -> Vec<Effect> {
    let mut effects = Vec::new();
    if model.link != Link::Online {
        return effects;
    }
    for sending in &mut model.sending {
        if matches!(sending.stage, Stage::Held { until_ms } if until_ms <= now_ms) {
            sending.stage = Stage::Sent;
            effects.push(Effect::Answer { prompt: sending.prompt, answer: sending.answer.clone() });
        }
    }
    effects
}

/// Takes back the last that was given and is not sent.
pub(super) fn undo(model: &mut Model, now_ms: u64) -> Vec<Effect> {
    let held = model.sending.iter().rposition(|sending| matches!(sending.stage, Stage::Held { .. }));
    match held {
        Some(at) => {
            let taken = model.sending.remove(at);
            model.selected = Some(taken.session);
            notice(model, now_ms, format!("Taken back: {}. Nothing was sent.", taken.says));
        }
        None => complain(model, now_ms, "There is nothing to take back."),
    }
    Vec::new()
}
