//! Keys that do something with one session: look, drive, end.

use coop_api::hub::Session;

use super::{complain, list, step, stepped};
use crate::editor::Editor;
use crate::event::Effect;
use crate::keys::Action;
use crate::model::{Focus, Model, Peek, Sure, Talk, is_held};

pub(super) fn act(model: &mut Model, action: Action, now_ms: u64) -> Vec<Effect> {
    match (action, &model.focus) {
        (Action::Back, _) => return back(model),
        (Action::Yes, Focus::Confirm { what, session }) => {
            let effect = match what {
                Sure::Interrupt => Effect::Interrupt(*session),
                Sure::End => Effect::End(*session),
            };
            model.focus = Focus::List;
            return vec![effect];
        }
        (Action::Open, _) => return list::open(model),
        _ => {}
    }
    if scroll(model, action) {
        return Vec::new();
    }
    let Some(session) = model.current().cloned() else {
        complain(model, now_ms, "There is no session here.");
        return Vec::new();
    };
    let mut effects = if matches!(model.focus, Focus::Peek(_)) { vec![Effect::Unpeek] } else { Vec::new() };
    match drive(model, action, &session) {
        Ok(done) => effects.extend(done),
        Err(why) => {
            complain(model, now_ms, why);
            return Vec::new();
        }
    }
    effects
}

fn back(model: &mut Model) -> Vec<Effect> {
    match std::mem::replace(&mut model.focus, Focus::List) {
        Focus::Help { back, .. } => model.focus = *back,
        Focus::Peek(_) => return vec![Effect::Unpeek],
        _ => {}
    }
    Vec::new()
}

fn scroll(model: &mut Model, action: Action) -> bool {
    let Some(by) = step(action, model.areas().detail.height) else { return false };
    match &mut model.focus {
        Focus::Help { scroll, .. } => *scroll = stepped(*scroll, by),
        // They are read from their end.
        Focus::Peek(Peek { back, .. }) | Focus::Talk(Talk { back, .. }) => *back = stepped(*back, by.saturating_neg()),
        _ => model.scroll = stepped(model.scroll, by),
    }
    true
}

/// Why not, for people.
fn drive(model: &mut Model, action: Action, session: &Session) -> Result<Vec<Effect>, String> {
    let id = session.id;
    let held = || match is_held(session) {
        true => Ok(()),
        false if session.control == "cold" => Err("It has ended; r goes on with it.".to_owned()),
        false => Err(format!(
            "It is {}: only what runs under coop can be driven. coop run -- {}",
            session.control, session.agent
        )),
    };
    let seen = || session.unseen.then_some(Effect::Seen(id));
    match action {
        Action::Nudge => {
            held()?;
            model.focus = Focus::Nudge { session: id, editor: Editor::default(), back: 0 };
        }
        Action::Interrupt => {
            held()?;
            model.focus = Focus::Confirm { what: Sure::Interrupt, session: id };
        }
        Action::End => {
            held()?;
            model.focus = Focus::Confirm { what: Sure::End, session: id };
        }
        Action::Peek => {
            held()?;
            model.focus = Focus::Peek(Peek { session: id, rows: Vec::new(), back: 0, why_not: None });
            return Ok(std::iter::once(Effect::Peek(id)).chain(seen()).collect());
        }
        Action::Talk => {
            let of = session.session_id.clone();
            model.focus = Focus::Talk(Talk { session: id, of, entries: None, next: 0, back: 0 });
            let ask = Effect::Conversation { session: id, after: 0 };
            return Ok(std::iter::once(ask).chain(seen()).collect());
        }
        Action::Attach => {
            held()?;
            // The hub has a socket for those of other machines, too.
            if !model.settings.local {
                return Err("The hub is on another machine: attach to it there.".into());
            }
            let socket = session.socket.clone().ok_or("Where it listens is not known.")?;
            model.focus = Focus::List;
            return Ok(std::iter::once(Effect::Attach { socket }).chain(seen()).collect());
        }
        Action::Jump => {
            if !model.settings.local || session.host.is_some() {
                return Err("It runs on another machine.".into());
            }
            let pid = session.pid.ok_or("Which process it is is not known.")?;
            return Ok(vec![Effect::Jump { pid }]);
        }
        Action::Resume => {
            if session.control != "cold" {
                return Err("It has not ended.".into());
            }
            return Ok(vec![Effect::Resume(id)]);
        }
        _ => {}
    }
    Ok(Vec::new())
}
