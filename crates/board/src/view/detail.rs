//! One session: all that is known of it, and what it said.

use coop_api::hub::Session;
use ratatui::layout::Rect;

use super::list::{STATES, cost, count, model_name, percent};
use super::paint::{Painter, Text};
use super::says::plain;
use super::style::Look;
use super::{Lines, card};
use crate::model::{Sure, urgency};
use crate::text::{clean, one_line};

pub(super) fn paint(painter: &mut Painter<'_>, area: Rect) {
    let model = painter.model;
    let Some(session) = model.current() else {
        let text = welcome(area.width);
        painter.text(area, &text, 0);
        return;
    };
    if let Some(prompt) = model.prompt_of(session.id) {
        card::paint(painter, area, prompt.id, None);
        return;
    }
    let text = text(painter, session, area.width);
    painter.text(area, &text, model.scroll);
}

pub(super) fn most_scroll(painter: &mut Painter<'_>, area: Rect) -> usize {
    let model = painter.model;
    let Some(session) = model.current() else { return 0 };
    text(painter, session, area.width).lines.len().saturating_sub(usize::from(area.height))
}

fn welcome(width: u16) -> Lines {
    let mut text = Text::default();
    text.prose("Here is what one session says and asks. ? shows the keys.", Look::Dim, width);
    text
}

/// Who it is and how it is, in two lines.
pub(super) fn heading(painter: &mut Painter<'_>, session: &Session, width: u16) -> Lines {
    let mut text = Text::default();
    let (word, _, look) = STATES[urgency(session, painter.model.prompt_of(session.id).is_some()).0];
    let age = painter.age(session.since_ms);
    let project = session.project.clone().unwrap_or_else(|| "no project".into());
    let mut first = vec![(format!("{} {project}", session.id), Look::Strong)];
    if let Some(branch) = &session.branch {
        first.push((format!(" {branch}"), Look::Plain));
    }
    first.push(("  ".into(), Look::Plain));
    first.push((format!(" {word} "), look));
    first.push((format!(" {age}"), Look::Plain));
    text.pieces(first);
    let mut facts = vec![session.agent.clone()];
    facts.extend(session.version.clone());
    facts.push(model_name(session));
    facts.push(session.control.clone());
    facts.extend(session.host.clone());
    facts.extend(context(session));
    facts.extend(cost(session).map(|usd| format!("{}{usd}", if is_estimate(session) { "about " } else { "" })));
    facts.retain(|fact| !fact.is_empty());
    text.push(crate::text::clip(&facts.join(" · "), usize::from(width)), Look::Dim);
    text
}

/// How full its context is, in words.
fn context(session: &Session) -> Option<String> {
    let context = session.context.as_ref()?;
    let used = count(context.tokens);
    Some(match (context.window, percent(context)) {
        (Some(window), Some(percent)) => format!("context {used} of {} ({percent}%)", count(window)),
        _ => format!("context {used}"),
    })
}

fn is_estimate(session: &Session) -> bool {
    session.cost.as_ref().is_some_and(|cost| cost.estimate)
}

fn text(painter: &mut Painter<'_>, session: &Session, width: u16) -> Lines {
    let mut text = heading(painter, session, width);
    if let Some(cwd) = &session.cwd {
        text.push(cwd.clone(), Look::Dim);
    }
    if let Some(title) = &session.title {
        text.prose(&one_line(title), Look::Plain, width);
    }
    text.blank();
    if let Some(prompt) = &session.prompt {
        let said =
            if session.answerable { "It asks:" } else { "It asks at its terminal, and can be answered there only:" };
        text.prose(said, Look::Strong, width);
        let tool = prompt.tool.as_deref().map(|tool| format!("{tool} ")).unwrap_or_default();
        let what = prompt.question.as_deref().or(prompt.message.as_deref()).or(prompt.input.as_deref());
        text.prose(&clean(&format!("{tool}{}", what.unwrap_or(&prompt.r#type))), Look::Plain, width);
        text.blank();
    }
    if let Some(error) = &session.error {
        text.prose(&format!("{}: {}", error.kind, plain(&error.detail)), Look::Bad, width);
        if let Some(then) = error.resume_at_ms {
            let until = painter.until(then);
            text.push(format!("The limit lifts in {until}."), Look::Plain);
        }
        text.blank();
    }
    match session.last_message.as_deref().filter(|said| !said.trim().is_empty()) {
        Some(said) => text.prose(said, Look::Plain, width),
        None => text.push("It has not said anything yet.", Look::Dim),
    }
    text.blank();
    text.prose(&format!("State: {}", session.reason), Look::Dim, width);
    if let Some(hint) = hint(session) {
        text.prose(&hint, Look::Dim, width);
    }
    text
}

/// What can be done with it, where that is not everything.
fn hint(session: &Session) -> Option<String> {
    Some(match session.control.as_str() {
        "observed" => format!(
            "It is only watched. `coop hooks install {}` lets it be answered from here, `coop run -- {}` all of it.",
            session.agent, session.agent
        ),
        "hooked" if !session.answerable => "This agent takes answers at its terminal only.".to_owned(),
        "cold" => "r goes on with it.".to_owned(),
        _ => return None,
    })
}

pub(super) fn confirm(painter: &Painter<'_>, what: Sure, session: u64, width: u16) -> Lines {
    let known = painter.model.sessions.get(&session);
    let name = known.and_then(|known| known.project.clone()).unwrap_or_default();
    let agent = known.map(|known| known.agent.clone()).unwrap_or_default();
    let question = match what {
        Sure::Interrupt => format!("Interrupt {agent} in {name} (session {session})?"),
        Sure::End if known.is_some_and(|known| known.control == "attached") => {
            format!("Let go of {agent} in {name} (session {session})? It goes on in its tmux.")
        }
        Sure::End => format!("End {agent} in {name} (session {session})?"),
    };
    let mut text = Text::default();
    text.prose(&question, Look::Strong, width);
    text.blank();
    text.pieces(vec![
        ("y".into(), Look::Key),
        (" yes   ".into(), Look::Plain),
        ("n".into(), Look::Key),
        (" no".into(), Look::Plain),
    ]);
    text
}
