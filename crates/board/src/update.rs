//! One event in, what is to be done out. The only place where the model changes.

mod answer;
mod card;
mod hub;
mod input;
mod list;
mod mouse;
mod reply;
mod session;
mod typing;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::event::{Effect, Event};
use crate::keys::{self, Action};
use crate::model::{Focus, Model, Notice};

/// Long enough to be read, and short enough not to be taken for the present.
const NOTICE_MS: u64 = 6000;
/// What went wrong may be read by somebody who looked away.
const COMPLAINT_MS: u64 = 60_000;

/// `now_ms` counts since 1970, as the hub does.
pub fn update(model: &mut Model, event: Event, now_ms: u64) -> Vec<Effect> {
    let mut effects = match event {
        // What the hub tells can come in thousands; the rows are put in order when somebody looks.
        Event::Hub(told) => return hub::told(model, told, now_ms),
        Event::Key(key) => pressed(model, key, now_ms),
        Event::Mouse(mouse) => mouse::moved(model, mouse),
        Event::Paste(text) => typing::pasted(model, &text),
        Event::Resize(cols, rows) => {
            model.size = (cols, rows);
            Vec::new()
        }
        Event::Focus(watched) => {
            model.watched = watched;
            Vec::new()
        }
        Event::Reply(reply) => reply::came(model, reply, now_ms),
        Event::Time => Vec::new(),
    };
    effects.extend(answer::due(model, now_ms));
    if model.notice.as_ref().is_some_and(|notice| notice.until_ms <= now_ms) {
        model.notice = None;
    }
    model.arrange();
    crate::view::keep_within(model);
    effects
}

fn pressed(model: &mut Model, key: KeyEvent, now_ms: u64) -> Vec<Effect> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    // Whoever presses a key has read it.
    if model.notice.as_ref().is_some_and(|notice| notice.bad) {
        model.notice = None;
    }
    // What was told until now is what the person sees.
    model.arrange();
    let place = model.place();
    match keys::action(place, key) {
        Some(action) => perform(model, action, key, now_ms),
        None if place.is_typed_in() => letter(model, key),
        // Esc and a key right after it look like that key with Alt, which means nothing here.
        None if key.modifiers.contains(KeyModifiers::ALT) => {
            let mut both = pressed(model, KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE), now_ms);
            let plain = KeyEvent { modifiers: key.modifiers.difference(KeyModifiers::ALT), ..key };
            both.extend(pressed(model, plain, now_ms));
            both
        }
        None => Vec::new(),
    }
}

fn letter(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    match key.code {
        KeyCode::Char(letter) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
            typing::pasted(model, letter.encode_utf8(&mut [0; 4]))
        }
        _ => Vec::new(),
    }
}

fn perform(model: &mut Model, action: Action, key: KeyEvent, now_ms: u64) -> Vec<Effect> {
    match action {
        Action::Quit => return vec![Effect::Quit],
        Action::Redraw => return vec![Effect::Redraw],
        Action::Help => {
            let back = Box::new(std::mem::replace(&mut model.focus, Focus::List));
            model.focus = Focus::Help { back, scroll: 0 };
            return Vec::new();
        }
        Action::Undo => return answer::undo(model, now_ms),
        _ => {}
    }
    if model.place().is_typed_in() {
        return typing::act(model, action, now_ms);
    }
    match &model.focus {
        Focus::Card(_) => card::act(model, action, key, now_ms),
        Focus::List => list::act(model, action, now_ms),
        Focus::Found { .. } => list::found(model, action),
        _ => session::act(model, action, now_ms),
    }
}

fn notice(model: &mut Model, now_ms: u64, text: impl Into<String>) {
    model.notice = Some(Notice { text: text.into(), bad: false, until_ms: now_ms + NOTICE_MS });
}

fn complain(model: &mut Model, now_ms: u64, text: impl Into<String>) {
    model.notice = Some(Notice { text: text.into(), bad: true, until_ms: now_ms + COMPLAINT_MS });
}

/// A scroll offset after a step.
fn stepped(offset: usize, by: isize) -> usize {
    offset.saturating_add_signed(by)
}

/// How far a key scrolls, where `page` rows are seen.
fn step(action: Action, page: u16) -> Option<isize> {
    let page = isize::try_from(page.max(2) - 1).unwrap_or(1);
    Some(match action {
        Action::Down => 1,
        Action::Up => -1,
        Action::PageDown => page,
        Action::PageUp => -page,
        Action::Top => isize::MIN,
        // No text here is longer; what is too much is mended when it is painted.
        Action::Bottom => isize::MAX / 4,
        _ => return None,
    })
}
