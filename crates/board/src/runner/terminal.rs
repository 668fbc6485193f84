//! The person's terminal: taken over, painted, lent to somebody else, and given back as it was, whatever happens.

use std::io::{self, BufWriter, Stdout, Write as _};
use std::process::Command;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Position;
use rustix::process::{Pid, Signal, kill_process};

use super::Signals;
use crate::model::Model;
use crate::view::{self, Drawn};

/// A picture is written at once.
const PICTURE: usize = 64 << 10;

pub(super) struct Terminal {
    cells: ratatui::Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

impl Terminal {
    pub(super) fn enter() -> io::Result<Self> {
        give_back_on_panic();
        let out = BufWriter::with_capacity(PICTURE, io::stdout());
        let terminal = Self { cells: ratatui::Terminal::new(CrosstermBackend::new(out))? };
        take()?;
        Ok(terminal)
    }

    pub(super) fn size(&self) -> io::Result<(u16, u16)> {
        let size = self.cells.size()?;
        Ok((size.width, size.height))
    }

    pub(super) fn draw(&mut self, model: &Model, now_ms: u64) -> io::Result<Drawn> {
        let mut drawn = Drawn::default();
        self.cells.draw(|frame| {
            drawn = view::draw(model, now_ms, frame.buffer_mut());
            if let Some((x, y)) = drawn.cursor {
                frame.set_cursor_position(Position::new(x, y));
            }
        })?;
        Ok(drawn)
    }

    /// The next picture is painted whole. Not by `clear`, which asks the terminal where its cursor is and would have to
    /// read the answer, beside whoever reads the keys.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        let size = self.cells.size()?;
        self.cells.resize(size.into())
    }

    /// A program has the terminal until it ends. What there is to say then, if it did not end well.
    pub(super) async fn lend(
        &mut self,
        name: &str,
        mut guest: Command,
        signals: &mut Signals,
    ) -> io::Result<Result<(), String>> {
        give_back();
        let said = match guest.spawn() {
            Ok(mut child) => {
                let pid = Pid::from_child(&child);
                let mut ended = tokio::task::spawn_blocking(move || child.wait());
                let status = tokio::select! {
                    status = &mut ended => status,
                    () = signals.end() => {
                        // It gives the terminal back as it was; then so do we. It may have ended this very moment.
                        let _ = kill_process(pid, Signal::TERM);
                        ended.await
                    }
                };
                match status.map_err(io::Error::other).flatten() {
                    Ok(status) if status.success() => Ok(()),
                    Ok(status) => Err(format!("{name} ended with {status}.")),
                    Err(error) => Err(format!("{name}: {error}")),
                }
            }
            Err(error) => Err(format!("{name} cannot be started: {error}")),
        };
        take()?;
        self.clear()?;
        Ok(said)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Whether the terminal is ours. To give back what was given back already would move somebody's cursor.
static TAKEN: AtomicBool = AtomicBool::new(false);

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let taken = execute!(
        io::stdout(),
        EnterAlternateScreen,
        EnableMouseCapture,
        EnableBracketedPaste,
        EnableFocusChange,
        cursor::Hide
    );
    if taken.is_err() {
        give_back();
    }
    taken
}

/// Nobody is left to tell when this fails, and each step is worth trying.
fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    let _ = execute!(out, DisableFocusChange, DisableBracketedPaste, DisableMouseCapture, cursor::Show);
    let _ = execute!(out, LeaveAlternateScreen);
    let _ = out.flush();
    let _ = disable_raw_mode();
}

fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
    });
}
