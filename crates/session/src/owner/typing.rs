//! From requests to the PTY.

use std::io;
use std::time::Instant;

use coop_core::agent::state::State;
use coop_core::timer::Timer;
use coop_terminal::keys::{self, Key};
use tokio::sync::mpsc;

use super::Owner;
use crate::SessionError;
use crate::agent::{Agent, WaitingKeys};
use crate::backend::Terminal;
use crate::handle::{Input, InputKind, Reply};

/// What waits for somebody who records what is typed; more is not recorded.
const HEARD: usize = 1024;

/// Those who asked for what is typed.
#[derive(Debug, Default)]
pub(super) struct Listeners(Vec<mpsc::Sender<Vec<u8>>>);

impl Listeners {
    pub(super) fn add(&mut self) -> mpsc::Receiver<Vec<u8>> {
        let (tell, typed) = mpsc::channel(HEARD);
        self.0.push(tell);
        typed
    }

    fn is_any(&mut self) -> bool {
        self.0.retain(|listener| !listener.is_closed());
        !self.0.is_empty()
    }

    fn tell(&mut self, typed: &[u8]) {
        // Nobody waits for whoever does not listen.
        self.0.iter().for_each(|listener| drop(listener.try_send(typed.to_vec())));
    }
}

/// The kernel's line buffer in canonical mode, less the newline.
const MAX_CANONICAL: usize = 4095;
/// What a person stops an agent with: Escape, Ctrl-C.
const STOPS: [&[u8]; 2] = [b"\x1b", b"\x03"];
/// More than anybody types in the time a message needs.
const WAITING_KEYS: usize = 1024;

impl Owner {
    /// Writes until the terminal takes no more.
    pub(super) fn write(&mut self, terminal: &dyn Terminal) {
        while !self.input.is_empty() {
            // Before it is written: what it leads to may be that nothing is shown any more.
            let shown = self.listeners.is_any() && !terminal.hides();
            match terminal.write(self.input.next()) {
                Ok(count) => {
                    if let Some(typed) = self.input.typed().filter(|_| shown) {
                        self.listeners.tell(&typed[..count]);
                    }
                    self.watch_foreground();
                    self.input.advance(count, &mut self.answers);
                    self.bytes_written += count as u64;
                    self.last_activity = Instant::now();
                    self.arm_input();
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.input.fail(&mut self.answers, |_, _| SessionError::Terminal(error.to_string()));
                }
            }
        }
        self.timers.stop(Timer::Input);
    }

    pub(super) fn arm_input(&mut self) {
        self.timers.set(Timer::Input, Instant::now() + self.config.input_timeout);
    }

    pub(super) fn type_in(
        &mut self,
        input: &Input,
        reply: Reply<Result<usize, SessionError>>,
        terminal: Option<&dyn Terminal>,
    ) {
        let accepted = self.accept(input, terminal);
        match accepted {
            Ok(bytes) => {
                self.person_acts();
                let waits = |agent: &Agent| agent.keys_wait_until().is_some() || !agent.waiting_keys.is_empty();
                match self.agent.as_mut().filter(|agent| waits(agent)) {
                    Some(agent) if agent.waiting_keys.len() >= WAITING_KEYS => {
                        let waiting = agent.waiting_keys.iter().map(|keys| keys.bytes.len()).sum();
                        self.answers.push(reply, Err(SessionError::InputFull { waiting }));
                    }
                    Some(agent) => {
                        agent.waiting_keys.push(WaitingKeys { bytes, reply });
                        self.arm_agent();
                    }
                    None => self.put(bytes, reply),
                }
            }
            Err(error) => self.answers.push(reply, Err(error)),
        }
    }

    fn put(&mut self, bytes: Vec<u8>, reply: Reply<Result<usize, SessionError>>) {
        self.note_line();
        if let Some(agent) = self.agent.as_mut().filter(|_| !bytes.is_empty()) {
            agent.typed = Some(Instant::now());
            agent.line.on_typed(&bytes);
            let busy = matches!(agent.machine.state(), State::Working | State::Prompt(_));
            agent.stopping |= busy && STOPS.contains(&&bytes[..]);
            if let Some(delivering) = &mut agent.delivering {
                delivering.delivery.on_typed();
            }
        }
        let was_empty = self.input.is_empty();
        self.input.push(bytes, reply, &mut self.answers);
        if was_empty && !self.input.is_empty() {
            self.arm_input();
        }
    }

    /// The message is taken, or has been waited for long enough.
    pub(super) fn let_keys_in(&mut self) {
        let free = |agent: &&mut Agent| agent.keys_wait_until().is_none();
        let Some(agent) = self.agent.as_mut().filter(free) else { return };
        for WaitingKeys { bytes, reply } in std::mem::take(&mut agent.waiting_keys) {
            if self.child_gone {
                let gone = self.gone();
                self.answers.push(reply, Err(gone));
            } else {
                self.put(bytes, reply);
            }
        }
    }

    pub(super) fn accept(&mut self, input: &Input, terminal: Option<&dyn Terminal>) -> Result<Vec<u8>, SessionError> {
        let Some(terminal) = terminal.filter(|_| !self.child_gone) else {
            return Err(self.gone());
        };
        if self.restart.is_some() || self.away {
            return Err(SessionError::Restarting);
        }
        self.lease.check(Instant::now(), input.lease.as_ref())?;
        let bytes = self.encode(&input.kind);
        let longest = longest_line(&bytes);
        if longest > MAX_CANONICAL && terminal.is_canonical() {
            return Err(SessionError::LineTooLong { len: longest, max: MAX_CANONICAL });
        }
        Ok(bytes)
    }

    pub(super) fn encode(&self, kind: &InputKind) -> Vec<u8> {
        let modes = self.screen.key_modes();
        let (mut bytes, enter) = match kind {
            InputKind::Text { text, enter } => (text.clone().into_bytes(), *enter),
            InputKind::Paste { text, enter } => (keys::paste(text, self.screen.modes().bracketed_paste), *enter),
            InputKind::Keys(keys) => (keys::encode(keys, modes), false),
            InputKind::Raw(bytes) => (bytes.clone(), false),
        };
        if enter {
            bytes.extend(Key::ENTER.encode(modes));
        }
        bytes
    }
}

fn longest_line(bytes: &[u8]) -> usize {
    bytes.split(|b| matches!(b, b'\n' | b'\r')).map(<[u8]>::len).max().unwrap_or(0)
}
