//! Programs that are known by who has their terminal: shells. Marks tell of it where the shell sends them; of a change of the
//! foreground nobody tells, so that it is looked at, most often right after something was typed or printed.

use std::time::{Duration, Instant};

use coop_core::agent::evidence::{Evidence, Fact, Look, Source};
use coop_core::agent::state::State;
use coop_drivers::{Foreground, PromptMark};

use super::super::Owner;

/// It is looked at after so long, then after twice that, and so on.
const SOONEST: Duration = Duration::from_millis(25);
/// One question to the kernel, once a second, is all that a shell at rest costs.
const LATEST: Duration = Duration::from_secs(1);

impl Owner {
    /// A mark of a prompt on the terminal.
    pub(in super::super) fn marked(&mut self, mark: char, exit_code: Option<i32>) {
        let group = self.child.foreground();
        let Some(agent) = self.agent.as_mut().filter(|agent| agent.listens_to(Source::Report)) else { return };
        let heard = agent.driver.mark(PromptMark { mark, exit_code, group });
        self.heard(Source::Report, Instant::now(), heard);
    }

    /// Something was printed.
    pub(in super::super) fn look_again_soon(&mut self) {
        if let Some(agent) = &mut self.agent {
            agent.foreground.wait = SOONEST;
        }
        self.look_soon();
    }

    /// Something was typed: what it starts need not print anything.
    pub(in super::super) fn watch_foreground(&mut self) {
        if self.agent.as_ref().is_some_and(|agent| agent.driver.watches_foreground()) {
            self.look_again_soon();
        }
    }

    /// The message that was typed is taken. Where nothing tells that work begins, it begins with that.
    pub(super) fn line_taken(&mut self) {
        let Some(agent) = &mut self.agent else { return };
        if agent.driver.shows_start() || !agent.listens_to(Source::Process) {
            return;
        }
        agent.foreground.said = Some(Look::Working);
        agent.foreground.wait = SOONEST;
        // It may be done by now, and nothing would change any more.
        agent.look_at = Some(Instant::now() + SOONEST);
        self.tell_foreground(Instant::now(), Look::Working);
    }

    pub(super) fn look_at_foreground(&mut self, now: Instant) {
        let group = self.child.foreground().filter(|_| !self.child_gone);
        let own = self.child.pid();
        let alt_screen = self.screen.alt_screen();
        let Some(agent) = self.agent.as_mut().filter(|agent| agent.driver.watches_foreground()) else { return };
        let line = self.screen.before_cursor();
        let look = agent.driver.foreground(&Foreground { group, own, alt_screen, line: &line });
        if agent.foreground.said != look {
            agent.foreground.wait = SOONEST;
        }
        agent.look_at = (!self.child_gone).then_some(now + agent.foreground.wait);
        agent.foreground.wait = (agent.foreground.wait * 2).clamp(SOONEST, LATEST);
        let Some(look) = look.filter(|_| agent.listens_to(Source::Process)) else { return };
        // What is known already is not said again, or nothing else would be left to explain.
        let known = matches!(agent.machine.state(), State::Idle) == (look == Look::Idle);
        if agent.foreground.said.as_ref() != Some(&look) || !known {
            agent.foreground.said = Some(look.clone());
            self.tell_foreground(now, look);
        }
    }

    /// What stands before the cursor while nobody has typed anything is the prompt.
    pub(in super::super) fn note_line(&mut self) {
        let Some(agent) = self.agent.as_mut().filter(|agent| agent.driver.echoes()) else { return };
        match agent.machine.state() {
            State::Idle if agent.delivering.is_none() && !agent.line.typed => {
                agent.line.prompt = self.screen.before_cursor();
            }
            State::Working => agent.line.typed = false,
            _ => {}
        }
    }

    fn tell_foreground(&mut self, now: Instant, look: Look) {
        self.hear(Evidence { source: Source::Process, at: now, turn: None, fact: Fact::Looks(look) });
    }
}
