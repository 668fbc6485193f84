//! The loop between a person and a session: keys go there, pictures come back.

use std::io;
use std::time::Duration;

use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::Attach;
use super::keyboard::{Keyboard, Typed};
use super::layout::Layout;
use super::painter::Painter;
use super::remote::{End, Remote};
use super::status::Status;
use super::terminal::{Terminal, keystrokes, window};
use crate::CommandError;

/// Output that keeps coming is painted about this often; the first after a pause is painted at once.
const FRAME: Duration = Duration::from_millis(16);
/// A program that begins an update and does not end it: shown as it is after this long, as the session does.
const UPDATE_LIMIT: Duration = Duration::from_millis(150);
/// Twice this without an answer means that the connection is gone.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How it ended.
#[derive(Debug)]
pub(super) enum Farewell {
    Detached,
    Ended(End),
    /// Somebody wants us gone, by this number.
    Signal(u8),
}

pub(super) struct Conversation<'a> {
    remote: &'a mut Remote,
    terminal: &'a Terminal,
    layout: Layout,
    painter: Painter,
    keyboard: Keyboard,
    options: &'a Attach,
    name: String,
    /// The picture has changed since it was painted, and since when.
    changed: Option<Instant>,
    /// When an unfinished update is shown as it is.
    update_ends: Option<Instant>,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(
        remote: &'a mut Remote,
        terminal: &'a Terminal,
        layout: Layout,
        name: &str,
        options: &'a Attach,
    ) -> Self {
        Self {
            remote,
            terminal,
            layout,
            painter: Painter::new(layout),
            keyboard: Keyboard::new(options.detach_key.clone()),
            options,
            name: name.into(),
            changed: Some(Instant::now()),
            update_ends: None,
        }
    }

    pub(super) async fn run(&mut self) -> Result<Farewell, CommandError> {
        let mut signals = Signals::new()?;
        let mut typed = keystrokes();
        let mut keep_alive = interval(KEEP_ALIVE);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if self.changed.is_some_and(|since| since.elapsed() >= FRAME) {
                self.paint()?;
            }
            // In this order, so that a flood of output neither holds up the keyboard nor is painted byte by byte.
            tokio::select! { biased;
                signal = signals.next() => match signal {
                    Heard::End(number) => return Ok(Farewell::Signal(number)),
                    Heard::Window => self.window_changed().await,
                    Heard::Continued => self.continued().await?,
                },
                bytes = received(&mut typed) => match bytes {
                    None => return Ok(Farewell::Detached),
                    Some(bytes) => if self.typed(&bytes).await { return Ok(Farewell::Detached) },
                },
                received = self.remote.receive() => {
                    if let Some(end) = self.remote.handle(received).await {
                        return Ok(Farewell::Ended(end));
                    }
                    self.picture_changed();
                }
                () = std::future::ready(()), if self.changed.is_some() => self.paint()?,
                () = sleep_until(self.update_ends.unwrap_or_else(Instant::now)), if self.update_ends.is_some() => {
                    // The engine starts afresh if it fails; the next picture repairs it.
                    let _ = self.remote.screen.end_sync();
                    self.picture_changed();
                }
                _ = keep_alive.tick() => {
                    self.remote.keep_alive(KEEP_ALIVE).await;
                    self.picture_changed();
                }
            }
        }
    }

    /// Whether it was the key that leaves.
    async fn typed(&mut self, bytes: &[u8]) -> bool {
        let (bytes, leaves) = match self.keyboard.typed(bytes) {
            Typed::Send(bytes) => (bytes, false),
            Typed::Detach(bytes) => (bytes, true),
        };
        if !bytes.is_empty() && (self.options.read_only || !self.remote.type_in(bytes).await) {
            self.remote.rings = true;
            self.picture_changed();
        }
        leaves
    }

    async fn window_changed(&mut self) {
        self.layout = Layout::new(window(), !self.options.no_status);
        self.repaint();
        if self.remote.wanted_size.is_some() {
            self.remote.wanted_size = Some(self.layout.size());
            self.remote.resize().await;
        }
    }

    async fn continued(&mut self) -> Result<(), CommandError> {
        self.terminal.enter_again()?;
        self.window_changed().await;
        Ok(())
    }

    /// Everything, because nobody knows what the window shows.
    fn repaint(&mut self) {
        self.painter = Painter::new(self.layout);
        self.picture_changed();
    }

    fn picture_changed(&mut self) {
        self.changed.get_or_insert_with(Instant::now);
        let pending = self.remote.screen.sync_pending();
        self.update_ends = pending.then(|| self.update_ends.unwrap_or_else(|| Instant::now() + UPDATE_LIMIT));
    }

    fn paint(&mut self) -> Result<(), CommandError> {
        self.changed = None;
        let line = self.status().line(self.layout.cols());
        let mut frame = self.painter.frame(&mut self.remote.screen, &line);
        if std::mem::take(&mut self.remote.rings) {
            frame.push('\x07');
        }
        self.terminal.write(&frame)
    }

    fn status(&self) -> Status {
        let remote = &self.remote;
        let size = remote.screen.size();
        Status {
            name: self.name.clone(),
            state: remote.state.clone(),
            read_only: self.options.read_only,
            typist: remote.typist.clone(),
            cut_off: (!self.layout.fits(size)).then_some(size),
            note: remote.note.clone(),
            detach_key: self.options.detach_key.name().into(),
        }
    }
}

/// What is typed, together with what has been typed since.
async fn received(typed: &mut mpsc::Receiver<Vec<u8>>) -> Option<Vec<u8>> {
    let mut bytes = typed.recv().await?;
    while let Ok(more) = typed.try_recv() {
        bytes.extend(more);
    }
    Some(bytes)
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    quit: Signal,
    hang_up: Signal,
    window: Signal,
    continued: Signal,
}

enum Heard {
    End(u8),
    Window,
    /// After a stop. Others have used the terminal since.
    Continued,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            hang_up: signal(SignalKind::hangup())?,
            window: signal(SignalKind::window_change())?,
            continued: signal(SignalKind::from_raw(Number::CONT.as_raw()))?,
        })
    }

    async fn next(&mut self) -> Heard {
        tokio::select! {
            _ = self.terminate.recv() => Heard::End(15),
            _ = self.interrupt.recv() => Heard::End(2),
            _ = self.quit.recv() => Heard::End(3),
            _ = self.hang_up.recv() => Heard::End(1),
            _ = self.window.recv() => Heard::Window,
            _ = self.continued.recv() => Heard::Continued,
        }
    }
}
