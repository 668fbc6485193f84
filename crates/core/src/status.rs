//! What a session is at one moment: one small value, replaced whole, so that no reader sees half of a change.

/// How the child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    /// It is gone, and nobody can say how it ended.
    Unknown,
    /// coop let go of it, and it goes on.
    Detached,
}

impl Exit {
    /// The code a shell would report.
    #[must_use]
    pub fn shell_code(self) -> i32 {
        match self {
            Exit::Code(code) => code,
            Exit::Signal(signal) => 128 + signal,
            Exit::Unknown | Exit::Detached => 0,
        }
    }

    #[must_use]
    pub fn code(self) -> Option<i32> {
        match self {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) | Exit::Unknown | Exit::Detached => None,
        }
    }

    #[must_use]
    pub fn signal(self) -> Option<i32> {
        match self {
            Exit::Signal(signal) => Some(signal),
            Exit::Code(_) | Exit::Unknown | Exit::Detached => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifecycle {
    Running,
    /// Being ended on request.
    Stopping,
    /// Being ended on request, to be started again.
    Restarting,
    /// Gone, with all its output read.
    Exited(Exit),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    pub lifecycle: Lifecycle,
    pub pid: u32,
    pub cols: u16,
    pub rows: u16,
    pub alt_screen: bool,
    /// One per child process; offsets count within it.
    pub generation: u64,
    /// Offset of the oldest byte still in the log, and of the next one to come.
    pub output_start: u64,
    pub output_end: u64,
    pub screen_seq: u64,
    /// Number of the newest event.
    pub event_seq: u64,
    pub bytes_written: u64,
    /// coop started the program, and may end it.
    pub own: bool,
}

impl Status {
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        match self.lifecycle {
            Lifecycle::Exited(exit) => Some(exit),
            Lifecycle::Running | Lifecycle::Stopping | Lifecycle::Restarting => None,
        }
    }
}
