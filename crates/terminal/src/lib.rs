//! Bytes: a child on a PTY, the screen its output paints, the log of that output, and keys encoded for it.
//!
//! Knows nothing of agents or HTTP. It reads no clock: where time matters (the end of a synchronized
//! update) the caller owns the timer.

pub mod cast;
mod color;
mod csi;
pub mod daemon;
mod guard;
pub mod keys;
mod line;
pub mod log;
pub mod peer;
pub mod pty;
mod repaint;
mod replies;
mod screen;
pub mod seal;
pub mod secret;
mod sgr;
mod signals;
mod size;
pub mod survive;
mod svg;
mod text;
pub mod tmux;
mod tokens;
mod view;

pub use color::Color;
pub use screen::{Cursor, CursorShape, EngineFailed, Modes, Options, Screen};
pub use signals::{ProgramStatus, Progress, Signal};
pub use size::{Size, SizeError};
pub use view::{Format, Lines, Link, Span, Style, Underline, View};
