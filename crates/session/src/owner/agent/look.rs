//! Looking at the screen: for dialogs nobody else tells of, for their options, and for what keys did.

use std::time::{Duration, Instant};

use coop_core::agent::evidence::{Evidence, Fact, Look, Source};
use coop_core::agent::gate::Groom;
use coop_core::agent::prompt::PromptContext;
use coop_core::agent::state::State;
use coop_core::timer::Timer;
use coop_drivers::{Reading, ScreenLine, ScreenView};
use coop_terminal::Span;

use super::super::Owner;
use crate::agent::Agent;

/// A burst of output is looked at once.
const LOOK_AFTER: Duration = Duration::from_millis(25);
/// A dialog of the start that was answered needs time to go before it is answered again: an agent that loads paints
/// nothing, and a key too many is typed into its input box.
pub(super) const START_RETRY: Duration = Duration::from_secs(3);
/// A dialog that is not there for so long, with nothing in its place, will not come.
const AWAY: Duration = Duration::from_secs(2);

impl Owner {
    /// The screen has changed.
    pub(in super::super) fn look_soon(&mut self) {
        if self.agent.is_some() && !self.timers.is_set(Timer::Look) {
            self.timers.set(Timer::Look, Instant::now() + LOOK_AFTER);
        }
    }

    pub(in super::super) fn look(&mut self) {
        let now = Instant::now();
        self.look_at_foreground(now);
        self.note_line();
        let Some(reading) = self.read_screen() else { return };
        self.remember_dialog(now, &reading);
        self.tell_looks(now, &reading);
        self.groom(now, &reading);
        self.deliver_due(now);
        self.deliver_next();
        self.answer_due(now);
        self.arm_agent();
    }

    /// What the screen shows now.
    pub(super) fn read_screen(&mut self) -> Option<Reading> {
        let mut reading = self.read_painted()?;
        if let Some(agent) = self.agent.as_ref().filter(|agent| agent.driver.echoes()) {
            reading.draft = Some(agent.line.draft(&self.screen.before_cursor()));
        }
        Some(reading)
    }

    fn read_painted(&mut self) -> Option<Reading> {
        let seq = self.screen.seq();
        let agent = self.agent.as_mut()?;
        if let Some((seen, reading)) = &agent.reading
            && *seen == seq
        {
            return Some(reading.clone());
        }
        let lines: Vec<ScreenLine> = self.screen.spans(0).iter().map(|row| line(row)).collect();
        let cursor = self.screen.cursor();
        let view = ScreenView {
            lines: &lines,
            cursor: cursor.visible.then_some((cursor.row, cursor.col)),
            title: self.screen.title(),
        };
        let reading = agent.driver.screen(&view);
        agent.reading = Some((seq, reading.clone()));
        Some(reading)
    }

    fn tell_looks(&mut self, now: Instant, reading: &Reading) {
        let Some(agent) = self.agent.as_mut().filter(|agent| agent.listens_to(Source::Screen)) else { return };
        let tell = |owner: &mut Self, look| {
            owner.hear(Evidence { source: Source::Screen, at: now, turn: None, fact: Fact::Looks(look) });
        };
        let starts = matches!(agent.machine.state(), State::Starting);
        let damaged = agent.damaged;
        if reading.dialog.is_none() && matches!(agent.machine.state(), State::Prompt(_)) {
            let working = reading.look == Some(Look::Working);
            let dismissed = agent.is_dismissed(now, reading);
            tell(self, Look::NoDialog { working, interrupted: reading.interrupted, dismissed });
        }
        let look = match &reading.dialog {
            Some(dialog) => {
                let mut context = dialog.context.clone();
                if let PromptContext::Permission(asked) = &mut context {
                    asked.shown.take_if(|_| damaged);
                }
                Some(Look::Dialog { context: Some(Box::new(context)) })
            }
            None if reading.interrupted && reading.look == Some(Look::Idle) => Some(Look::Interrupted),
            // Something that starts must look ready all the time.
            None if reading.look.is_none() && starts => Some(Look::Unclear),
            None => reading.look.clone(),
        };
        if let Some(look) = look {
            tell(self, look);
        }
        if let (Some(agent), Some(dialog)) = (&mut self.agent, &reading.dialog) {
            let prompt = agent.machine.state().prompt();
            let its = prompt.filter(|prompt| prompt.context.kind() == dialog.context.kind());
            agent.seen = its.map(|prompt| prompt.id.clone()).or(agent.seen.take());
        }
    }

    /// Since when a dialog has been there.
    fn remember_dialog(&mut self, now: Instant, reading: &Reading) {
        let Some(agent) = &mut self.agent else { return };
        let rule = reading.dialog.as_ref().map(|dialog| dialog.rule.clone());
        if rule.as_deref() != agent.dialog.as_ref().map(|(rule, _)| rule.as_str()) {
            agent.dialog = rule.map(|rule| (rule, now));
        }
        let asks = matches!(agent.machine.state(), State::Prompt(_));
        agent.damaged &= asks || agent.dialog.is_some();
        if agent.dialog.is_some() || !asks {
            agent.away = None;
        }
    }

    /// Dialogs of the agent's own start are answered where that is safe. Never a tool permission.
    fn groom(&mut self, now: Instant, reading: &Reading) {
        let Some(agent) = self.agent.as_mut().filter(|agent| agent.groom == Groom::Auto) else { return };
        if reading.dialog.is_none() || agent.answering.is_some() || !starting(agent) {
            return;
        }
        let Some(keys) = agent.driver.groom(reading, agent.trusted_cwd) else { return };
        let dialog = reading.dialog.as_ref().map_or("", |dialog| dialog.rule.as_str());
        if agent.grooming.as_ref().is_none_or(|(rule, _)| rule != dialog) {
            agent.grooming = Some((dialog.to_owned(), now));
            agent.groomed = None;
        }
        let painted = agent.grooming.as_ref().map_or(now, |(_, since)| *since);
        let timings = agent.driver.timings();
        let settle = timings.dialog_settle().max(timings.start_settle());
        let due = agent.groomed.map_or(painted + settle, |last| last + START_RETRY);
        if now < due {
            self.timers.set(Timer::Look, due);
            return;
        }
        agent.groomed = Some(now);
        tracing::info!(dialog, ?keys, "groom answers a dialog of the agent's start");
        self.press(&keys);
        self.timers.set(Timer::Look, now + START_RETRY);
    }
}

impl Agent {
    /// A plan that is asked about when the turn is over was put away: nobody but the screen tells.
    fn is_dismissed(&mut self, now: Instant, reading: &Reading) -> bool {
        let Some(prompt) = self.machine.state().prompt() else { return false };
        let plan = matches!(prompt.context, PromptContext::Plan(_)) && self.driver.judge().plan_at_rest;
        if !plan || reading.look != Some(Look::Idle) {
            self.away = None;
            return false;
        }
        let due = *self.away.get_or_insert(now) + AWAY;
        let shown = self.seen.as_ref() == Some(&prompt.id);
        let over = now >= due || shown && self.driver.is_dismissed(&prompt.context, reading);
        self.look_at = if over { self.look_at } else { Some(due) };
        over
    }
}

/// Nothing but such dialogs has been seen yet.
fn starting(agent: &Agent) -> bool {
    match agent.machine.state() {
        State::Starting => true,
        State::Prompt(prompt) => prompt.context.subtype().is_some(),
        _ => false,
    }
}

fn line(spans: &[Span]) -> ScreenLine {
    let mut line = ScreenLine::default();
    let mut chars = 0;
    for span in spans {
        let count = span.text.chars().count();
        if span.style.dim {
            line.faint.push(chars..chars + count);
        }
        chars += count;
        line.text.push_str(&span.text);
    }
    line.text.truncate(line.text.trim_end().len());
    line
}
