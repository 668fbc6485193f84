//! The person's own terminal: taken over, written to, and given back as it was, whatever happens.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, Once, PoisonError};

use rustix::stdio::{stdin, stdout};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use tokio::sync::mpsc;

use crate::CommandError;

/// Keeps the title of whoever was there before.
const KEEP_TITLE: &str = "\x1b[22;0t";
/// A screen of our own, with a keyboard of its own.
const ENTER: &str = "\x1b[?1049h\x1b[>0u\x1b[2J";

/// All that a session may have switched on, off again; the cursor, the keyboard and the title as they were.
const LEAVE: &str = "\x1b[?1l\x1b>\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1007h\
                     \x1b[?2004l\x1b[>4m\x1b[<u\x1b[0m\x1b[0 q\x1b[?25h\x1b[?1049l\x1b[23;0t";

/// The settings to go back to. There is one terminal, and a panic must find it.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Taken over for as long as this lives.
#[derive(Debug)]
pub(super) struct Terminal(());

impl Terminal {
    /// Whether there is a person with a terminal.
    pub(super) fn is_there() -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    pub(super) fn enter() -> Result<Self, CommandError> {
        restore_on_panic();
        let before = tcgetattr(stdin()).map_err(refused)?;
        let terminal = Self(());
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        terminal.write(KEEP_TITLE)?;
        terminal.write(ENTER)?;
        terminal.set_raw()?;
        Ok(terminal)
    }

    /// Again, after whoever stopped us has had the terminal.
    pub(super) fn enter_again(&self) -> Result<(), CommandError> {
        self.set_raw()?;
        self.write(ENTER)
    }

    pub(super) fn write(&self, text: &str) -> Result<(), CommandError> {
        let mut stdout = io::stdout().lock();
        Ok(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())?)
    }

    fn set_raw(&self) -> Result<(), CommandError> {
        let mut raw = tcgetattr(stdin()).map_err(refused)?;
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Now, &raw).map_err(refused)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Columns and rows of the window.
pub(super) fn window() -> (u16, u16) {
    match tcgetwinsize(stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
        // A terminal that does not know its size, a serial line for one.
        _ => (80, 24),
    }
}

/// What is typed, as it comes; ends when the terminal is gone. From a thread, because reading cannot be interrupted:
/// it ends with the process.
pub(super) fn keystrokes() -> mpsc::Receiver<Vec<u8>> {
    // Enough that a paste does not wait for each piece of it.
    let (send, receive) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        loop {
            match rustix::io::retry_on_intr(|| rustix::io::read(stdin(), &mut buffer)) {
                Ok(0) | Err(_) => return,
                Ok(count) if send.blocking_send(buffer[..count].to_vec()).is_err() => return,
                Ok(_) => {}
            }
        }
    });
    receive
}

fn restore() {
    let Some(before) = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
    // A terminal that is gone needs neither.
    drop(io::stdout().lock().write_all(LEAVE.as_bytes()).and_then(|()| io::stdout().flush()));
    // What was typed and not read is thrown away: the shell would take it for commands.
    let _ = tcsetattr(stdin(), OptionalActions::Flush, &before);
}

/// A message on a screen that is about to go away would never be read.
fn restore_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            default(panic);
        }));
    });
}

fn refused(error: rustix::io::Errno) -> CommandError {
    CommandError::failed(format!("The terminal could not be taken over: {error}"))
}
