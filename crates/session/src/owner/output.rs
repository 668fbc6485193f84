//! From the PTY to the log and the screen.

use std::io;
use std::time::{Duration, Instant};

use coop_core::timer::Timer;
use coop_terminal::pty::Pty;

use super::Owner;
use crate::{SessionError, translate};

/// Read at once, so that the engine runs over a good piece while the child fills the kernel's buffer again.
pub(super) const READ_BUFFER: usize = 64 << 10;
/// The kernel hands out at most this much per read; with less room than that a read is not worth its cost.
const READ_UNIT: usize = 4096;
/// As terminals do: an application that dies within an update must not freeze the screen.
const SYNC_TIMEOUT: Duration = Duration::from_millis(150);

/// What is left after a read.
pub(super) enum Read {
    More,
    Empty,
    End,
}

impl Owner {
    pub(super) fn read(&mut self, pty: &Pty) -> Read {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut filled = 0;
        let read = loop {
            match pty.read(&mut buffer[filled..]) {
                Ok(0) => break Read::End,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break Read::Empty,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    tracing::warn!(%error, "reading the terminal failed");
                    break Read::End;
                }
            }
            if buffer.len() - filled < READ_UNIT {
                break Read::More;
            }
        };
        if filled > 0 {
            self.output(&buffer[..filled]);
        }
        self.buffer = buffer;
        read
    }

    pub(super) fn output(&mut self, bytes: &[u8]) {
        self.last_activity = Instant::now();
        self.log.push(bytes);
        if self.screen.feed(bytes).is_err() {
            self.rebuild_screen();
        }
        self.after_screen_change();
        if self.child_gone {
            self.arm_drain();
        }
    }

    pub(super) fn after_screen_change(&mut self) {
        let replies = self.screen.take_replies();
        self.input.push_replies(&replies);
        for event in self.screen.take_signals().into_iter().filter_map(translate::event) {
            self.events.push(event);
        }
        match (self.screen.sync_pending(), self.timers.is_set(Timer::Sync)) {
            (true, false) => self.timers.set(Timer::Sync, Instant::now() + SYNC_TIMEOUT),
            (false, true) => self.timers.stop(Timer::Sync),
            _ => {}
        }
    }

    /// The engine failed and is empty: paint what the log still has.
    pub(super) fn rebuild_screen(&mut self) {
        tracing::error!(offset = self.log.end(), "the terminal engine failed; painting its screen again from the log");
        self.screen_base = self.log.start();
        let (older, newer) = self.log.contents();
        let replayed = self.screen.feed(older).and_then(|()| self.screen.feed(newer));
        // Questions in the log were answered when they were new.
        drop(self.screen.take_replies());
        drop(self.screen.take_signals());
        if replayed.is_err() {
            self.screen_base = self.log.end();
        }
    }

    pub(super) fn output_ended(&mut self) {
        self.output_over = true;
        self.timers.stop(Timer::Drain);
        let exit = self.exit;
        self.input.fail(&mut self.answers, |_, _| SessionError::Exited { exit });
        self.finish();
    }
}
