//! Keys on a prompt: allow, deny, choose, say why.

use coop_api::v1::RespondRequest;
use crossterm::event::{KeyCode, KeyEvent};

use super::{answer, complain, step, stepped};
use crate::event::Effect;
use crate::form::Form;
use crate::keys::{Action, Place};
use crate::model::{Card, Focus, Model, Typing, TypingOf};

/// Goes to what a session asks.
pub(super) fn open(model: &mut Model, prompt: u64) {
    let Some(asked) = model.prompts.get(&prompt) else { return };
    model.focus = Focus::Card(Card { prompt, scroll: 0, form: Form::of(asked), typing: None });
}

pub(super) fn act(model: &mut Model, action: Action, key: KeyEvent, now_ms: u64) -> Vec<Effect> {
    let place = model.place();
    let Focus::Card(card) = &model.focus else { return Vec::new() };
    let prompt = card.prompt;
    let Some(asked) = model.prompts.get(&prompt) else {
        model.focus = Focus::List;
        return Vec::new();
    };
    let remembers = asked.suggestion.is_some();
    let yes = |scope: Option<&str>| RespondRequest {
        accept: Some(true),
        scope: scope.map(str::to_owned),
        ..RespondRequest::default()
    };
    match action {
        Action::Back => model.focus = Focus::List,
        Action::AllowOnce if place == Place::Plan => {
            return answer::give(model, prompt, "approve", yes(None), true, now_ms);
        }
        Action::AllowOnce => return answer::give(model, prompt, "allow once", yes(None), true, now_ms),
        Action::AllowSession | Action::AllowPath if !remembers => {
            complain(model, now_ms, "This can only be answered once: no pattern says just that.");
        }
        Action::AllowSession => {
            return answer::give(model, prompt, "allow for the session", yes(Some("session")), true, now_ms);
        }
        Action::AllowPath => {
            return answer::give(model, prompt, "allow in this project", yes(Some("path")), true, now_ms);
        }
        Action::Deny => {
            let no = RespondRequest { accept: Some(false), ..RespondRequest::default() };
            return answer::give(model, prompt, "deny", no, false, now_ms);
        }
        Action::DenyWords => type_words(model, TypingOf::Reason),
        Action::EditInput => super::input::open(model, now_ms),
        Action::Number => return number(model, key, now_ms),
        Action::Submit => return submit(model, now_ms),
        Action::Other => {
            if let Some(part) = part(model) {
                part.cursor = part.options;
            }
            type_words(model, TypingOf::Answer);
        }
        Action::Toggle => {
            if let Some(part) = part(model) {
                part.pick(part.cursor);
            }
        }
        Action::NextPart | Action::PreviousPart => {
            if let Focus::Card(card) = &mut model.focus {
                card.form.turn(if action == Action::NextPart { 1 } else { -1 });
            }
        }
        Action::Down | Action::Up if matches!(place, Place::Question | Place::Setup) => {
            if let Some(part) = part(model) {
                part.step(if action == Action::Down { 1 } else { -1 });
            }
        }
        _ => {
            let page = model.areas().detail.height;
            if let (Some(by), Focus::Card(card)) = (step(action, page), &mut model.focus) {
                card.scroll = stepped(card.scroll, by);
            }
        }
    }
    Vec::new()
}

fn part(model: &mut Model) -> Option<&mut crate::form::Part> {
    match &mut model.focus {
        Focus::Card(card) => card.form.part_mut(),
        _ => None,
    }
}

fn type_words(model: &mut Model, of: TypingOf) {
    if let Focus::Card(card) = &mut model.focus {
        let before = card.form.part().filter(|_| of == TypingOf::Answer).map(|part| part.other.clone());
        card.typing = Some(Typing { editor: before.unwrap_or_default(), of });
    }
}

/// An option of the dialog. What it means is not known here, so it can be taken back.
fn number(model: &mut Model, key: KeyEvent, now_ms: u64) -> Vec<Effect> {
    let KeyCode::Char(digit) = key.code else { return Vec::new() };
    let Some(number) = digit.to_digit(10) else { return Vec::new() };
    if matches!(model.place(), Place::Question | Place::Setup) {
        if let Some(part) = part(model) {
            part.pick(number as usize - 1);
        }
        return Vec::new();
    }
    let Focus::Card(card) = &model.focus else { return Vec::new() };
    let prompt = card.prompt;
    let chosen = model.prompts.get(&prompt).and_then(|asked| asked.options.get(number as usize - 1));
    let Some(label) = chosen.map(|option| option.label.clone()) else {
        complain(model, now_ms, format!("There is no option {number}."));
        return Vec::new();
    };
    let answer = RespondRequest { option: Some(number), ..RespondRequest::default() };
    answer::give(model, prompt, &format!("{number} {label}"), answer, true, now_ms)
}

/// Chooses where the person is if nothing is chosen yet, and goes on to the next part, or sends all of it.
fn submit(model: &mut Model, now_ms: u64) -> Vec<Effect> {
    let Some(part) = part(model) else { return Vec::new() };
    if part.at_own_words() {
        if part.other.is_empty() || !part.several {
            type_words(model, TypingOf::Answer);
            return Vec::new();
        }
    } else if !part.several || part.picked.is_empty() {
        let row = part.cursor;
        part.picked.clear();
        part.pick(row);
    }
    go_on(model, now_ms)
}

/// To what is not answered yet; when nothing is missing and this was the last part, it is sent.
pub(super) fn go_on(model: &mut Model, now_ms: u64) -> Vec<Effect> {
    let Focus::Card(card) = &mut model.focus else { return Vec::new() };
    if card.form.at + 1 < card.form.parts.len() {
        card.form.turn(1);
        return Vec::new();
    }
    if let Some(missing) = card.form.missing() {
        card.form.at = missing;
        complain(model, now_ms, "This one has no answer yet.");
        return Vec::new();
    }
    let (prompt, form) = (card.prompt, card.form.clone());
    let Some(asked) = model.prompts.get(&prompt) else { return Vec::new() };
    // What a dialog of the agent does is not known here; answers to questions do nothing by themselves.
    let dangerous = asked.kind == "setup";
    match form.answer(asked) {
        Some(answer) => answer::give(model, prompt, "answer", answer, dangerous, now_ms),
        None => Vec::new(),
    }
}

/// Words that were typed on a card are done.
pub(super) fn said(model: &mut Model, now_ms: u64) -> Vec<Effect> {
    let Focus::Card(card) = &mut model.focus else { return Vec::new() };
    if matches!(card.typing, Some(Typing { of: TypingOf::Input, .. })) {
        return super::input::give(model, now_ms);
    }
    let Some(Typing { editor, of }) = card.typing.take() else { return Vec::new() };
    if of == TypingOf::Answer {
        let empty = editor.is_empty();
        if let Some(part) = card.form.part_mut() {
            part.say(editor);
        }
        return if empty { Vec::new() } else { go_on(model, now_ms) };
    }
    let prompt = card.prompt;
    let plan = model.prompts.get(&prompt).is_some_and(|asked| asked.kind == "plan");
    let text = (!editor.is_empty()).then(|| editor.text().trim().to_owned());
    let answer = RespondRequest { accept: Some(false), text, ..RespondRequest::default() };
    answer::give(model, prompt, if plan { "reject" } else { "deny" }, answer, false, now_ms)
}
