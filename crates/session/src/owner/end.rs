//! How a session ends: on request, or because the child did.

use std::time::{Duration, Instant};

use coop_core::agent::evidence::Fact;
use coop_core::event::Event;
use coop_core::shutdown::Step;
use coop_core::status::Exit;
use coop_core::timer::{Timer, Timers};
use coop_terminal::pty::{Signal, Target};

use super::Owner;
use crate::SessionError;

/// The child is gone, but its output may still be on the way, and a descendant may hold the terminal open for ever.
const DRAIN_QUIET: Duration = Duration::from_millis(300);
const DRAIN_LIMIT: Duration = Duration::from_secs(2);

impl Owner {
    pub(super) fn begin_shutdown(&mut self, reason: &str, now: Instant) {
        if self.call_off_restart() && self.shutdown.is_under_way() {
            // The child has been asked to end already.
            self.events.push(Event::Shutdown { reason: reason.to_owned() });
            return;
        }
        if self.child_gone {
            return;
        }
        if !self.child.is_own() {
            return self.let_go(reason);
        }
        if !self.shutdown.is_under_way() {
            self.events.push(Event::Shutdown { reason: reason.to_owned() });
        }
        let step = self.shutdown.begin(now);
        self.shutdown_step(step);
    }

    pub(super) fn shutdown_step(&mut self, step: Option<Step>) {
        match step {
            Some(Step::HangUp) => {
                for target in [Target::Foreground, Target::Group] {
                    self.send_signal(Signal::Hup, target);
                    self.send_signal(Signal::Cont, target);
                }
            }
            Some(Step::Kill) => self.send_signal(Signal::Kill, Target::Session),
            None => {}
        }
        match self.shutdown.deadline() {
            Some(at) => self.timers.set(Timer::Shutdown, at),
            None => self.timers.stop(Timer::Shutdown),
        }
    }

    /// For signals nobody waits for an answer to. A process that is gone already needs none.
    pub(super) fn send_signal(&self, signal: Signal, target: Target) {
        if let Err(error) = self.child.signal(signal, target) {
            tracing::debug!(%error, %signal, ?target, "signal not delivered");
        }
    }

    /// Why nothing can be done with the child.
    pub(super) fn gone(&self) -> SessionError {
        if self.restart.is_some() || self.away {
            SessionError::Restarting
        } else {
            SessionError::Exited { exit: self.exit }
        }
    }

    pub(super) fn child_exited(&mut self, exit: Option<Exit>) {
        self.child_gone = true;
        // Nobody else reaps; if somebody did, the code is lost.
        self.exit = Some(exit.unwrap_or(Exit::Code(1)));
        self.timers.stop(Timer::Shutdown);
        self.timers.stop(Timer::Input);
        self.timers.stop(Timer::Idle);
        let gone = self.gone();
        self.input.fail(&mut self.answers, |_, _| gone.clone());
        if self.shutdown.is_under_way() {
            // Members of its group that outlived it.
            self.send_signal(Signal::Kill, Target::Group);
        }
        self.drain_until = Some(Instant::now() + DRAIN_LIMIT);
        self.arm_drain();
        self.finish();
    }

    pub(super) fn arm_drain(&mut self) {
        let quiet = Instant::now() + DRAIN_QUIET;
        self.timers.set(Timer::Drain, self.drain_until.map_or(quiet, |limit| limit.min(quiet)));
    }

    /// Tells the exit once, when the child is gone and its output has been read.
    pub(super) fn finish(&mut self) {
        if !(self.child_gone && self.output_over) || self.over {
            return;
        }
        if self.restart.is_some() {
            return self.start_again();
        }
        if let Some(exit) = self.exit {
            // What an update still held back is the last thing the program wanted to show.
            if self.screen.end_sync().is_err() {
                self.rebuild_screen();
            }
            self.timers = Timers::default();
            // Whoever hears of the exit finds nothing of the child left.
            self.child.free();
            self.over = true;
            self.agent_gone(&SessionError::Exited { exit: self.exit }, Fact::ProcessExited);
            self.events.push(Event::Exit(exit));
        }
    }

    pub(super) fn finished(&self) -> bool {
        self.over
    }

    pub(super) fn abandon(&mut self) {
        if !self.child_gone && self.child.is_own() {
            self.send_signal(Signal::Hup, Target::Session);
            self.send_signal(Signal::Kill, Target::Session);
        }
    }
}
