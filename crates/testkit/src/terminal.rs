//! A terminal that nobody sits at: runs a command on a PTY, on a thread of its own, and keeps all that it did.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use coop_terminal::keys::KeyModes;
use coop_terminal::pty::{self, Child, Command, ExitStatus, Pty, SpawnError, Target};
use coop_terminal::{Modes, Options, Screen, Signal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::bell::Bell;

/// How long a program may hold its screen back in a synchronized update.
const SYNC: Timespec = Timespec { tv_sec: 0, tv_nsec: 150_000_000 };

/// A program in a terminal. Dropped, it and all it started are killed.
#[derive(Debug)]
pub struct Terminal {
    state: Arc<Mutex<State>>,
    child: Child,
    /// A byte here makes the thread look for input.
    wake: UnixStream,
}

/// What a program has done to its terminal.
#[derive(Debug)]
pub(crate) struct State {
    pub screen: Screen,
    pub raw: Vec<u8>,
    /// When there were how many bytes of it.
    pub pieces: Vec<(Instant, usize)>,
    pub signals: Vec<(Instant, Signal)>,
    pub exit: Option<ExitStatus>,
    input: VecDeque<u8>,
}

impl Terminal {
    pub fn start(command: &Command, options: Options) -> Result<Self, SpawnError> {
        Self::start_with(command, options, Bell::default())
    }

    pub(crate) fn start_with(command: &Command, options: Options, bell: Bell) -> Result<Self, SpawnError> {
        let (pty, child) = pty::spawn(command)?;
        let state = Arc::new(Mutex::new(State {
            screen: Screen::new(command.size, options),
            raw: Vec::new(),
            pieces: Vec::new(),
            signals: Vec::new(),
            exit: None,
            input: VecDeque::new(),
        }));
        let (wake, woken) = UnixStream::pair().map_err(SpawnError::Pty)?;
        woken.set_nonblocking(true).map_err(SpawnError::Pty)?;
        let (owned, rung) = (Arc::clone(&state), bell.clone());
        thread::spawn(move || run(&pty, woken, &owned, &rung));
        let (owned, waited) = (Arc::clone(&state), child.clone());
        thread::spawn(move || {
            let exit = waited.wait().ok();
            lock(&owned).exit = exit;
            bell.ring();
        });
        Ok(Self { state, child, wake })
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.pid().as_raw_nonzero().get().unsigned_abs()
    }

    #[must_use]
    pub fn text(&self) -> String {
        self.state().screen.text(0).join("\n")
    }

    /// Every byte the program has written.
    #[must_use]
    pub fn raw(&self) -> Vec<u8> {
        self.state().raw.clone()
    }

    /// When it had written how many bytes.
    #[must_use]
    pub fn pieces(&self) -> Vec<(Instant, usize)> {
        self.state().pieces.clone()
    }

    #[must_use]
    pub fn modes(&self) -> Modes {
        self.state().screen.modes()
    }

    /// How keys must be encoded for the program now.
    #[must_use]
    pub fn key_modes(&self) -> KeyModes {
        self.state().screen.key_modes()
    }

    /// Input, in one write as far as the kernel takes it.
    pub fn send(&self, bytes: &[u8]) {
        self.state().input.extend(bytes);
        // When it fails the thread has ended with the program, and there is nobody to read.
        let _ = (&self.wake).write(&[0]);
    }

    pub fn signal(&self, signal: pty::Signal, target: Target) -> io::Result<()> {
        self.child.signal(signal, target)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // An error means that there is nobody left to kill.
        let _ = self.child.signal(pty::Signal::Kill, Target::Session);
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Until the program's end of the terminal is closed, or our handle is gone.
fn run(pty: &Pty, mut woken: UnixStream, state: &Mutex<State>, bell: &Bell) {
    loop {
        let (has_input, in_sync) = {
            let state = lock(state);
            (!state.input.is_empty(), state.screen.sync_pending())
        };
        let interest = if has_input { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let mut ready = [PollFd::new(pty, interest), PollFd::new(&woken, PollFlags::IN)];
        let events = poll(&mut ready, in_sync.then_some(&SYNC));
        let (of_pty, of_wake) = (ready[0].revents(), ready[1].revents());
        if events == Ok(0) {
            // What the update shows so far is better than nothing.
            let _ = lock(state).screen.end_sync();
            bell.ring();
        }
        if !of_wake.is_empty() && matches!(woken.read(&mut [0; 64]), Ok(0)) {
            return;
        }
        if of_pty.contains(PollFlags::OUT) {
            write(pty, &mut lock(state).input);
        }
        if of_pty.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            let ended = read(pty, &mut lock(state));
            bell.ring();
            if ended {
                return;
            }
        }
    }
}

fn write(pty: &Pty, input: &mut VecDeque<u8>) {
    // What does not fit stays for the next time; an error is that the program has gone.
    let taken = pty.write(input.make_contiguous()).unwrap_or(0);
    input.drain(..taken);
}

/// Takes what there is. True at the end.
fn read(pty: &Pty, state: &mut State) -> bool {
    let mut buffer = [0; 16 * 1024];
    match pty.read(&mut buffer) {
        Ok(0) => true,
        Ok(length) => {
            state.raw.extend_from_slice(&buffer[..length]);
            // An engine that failed starts empty, which the test will see.
            let _ = state.screen.feed(&buffer[..length]);
            let now = Instant::now();
            state.pieces.push((now, state.raw.len()));
            let signals = state.screen.take_signals();
            state.signals.extend(signals.into_iter().map(|signal| (now, signal)));
            let replies = state.screen.take_replies();
            state.input.extend(replies);
            false
        }
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    }
}
