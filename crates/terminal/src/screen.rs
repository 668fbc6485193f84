//! The screen: fed with a child's output, read as text, cells or a repaint.
//!
//! It holds the only copy of the terminal's state and has no I/O. Bytes that begin a sequence, a character or a
//! synchronized update wait here until they are whole; [`Screen::applied`] says how many bytes are on the screen.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::Line;
use alacritty_terminal::term::{Config, Term, TermMode};
use alacritty_terminal::vte::ansi::{CursorShape as EngineShape, Processor, Timeout};
use memchr::memmem::Finder;

use crate::Size;
use crate::csi;
use crate::guard::{Extra, Guard, heal_row, settle_cursors};
use crate::keys::KeyModes;
use crate::replies;
use crate::signals::{self, Osc, Signal};
use crate::tokens::{self, StringKind, Terminator, Token};

/// A longer control string is skipped: nothing a program says to a terminal needs more, and it is held in memory.
const MAX_STRING: usize = 1 << 20;
/// Sequences that are not strings are a few bytes; garbage is let go after this many.
const MAX_SEQUENCE: usize = 4096;
/// The most one synchronized update may hold back.
const MAX_SYNC: usize = 2 << 20;

const BEGIN_SYNC: &[u8] = b"\x1b[?2026h";
static END_SYNC: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\x1b[?2026l"));

#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Lines kept above the screen. Long history is the output log's business: a full line costs 24 bytes a column.
    pub scrollback: usize,
    /// Whether to answer the kitty keyboard query and obey its modes.
    pub kitty_keyboard: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { scrollback: 1000, kitty_keyboard: true }
    }
}

/// The engine panicked and was replaced by an empty one; feed it the log again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the terminal engine failed and was started afresh")]
pub struct EngineFailed;

pub struct Screen {
    pub(crate) term: Term<VoidListener>,
    pub(crate) extra: Extra,
    parser: Processor<Unbuffered>,
    /// Received and not yet on the screen.
    pending: Vec<u8>,
    /// `pending` is a synchronized update that has not ended.
    in_sync: bool,
    /// Inside a string too long to keep.
    pub(crate) skipping: Option<StringKind>,
    applied: u64,
    seq: u64,
    size: Size,
    options: Options,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorShape {
    Block,
    Underline,
    Bar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub row: u16,
    pub col: u16,
    pub visible: bool,
    pub shape: CursorShape,
    pub blinking: bool,
}

/// The modes a program has set that matter to whoever sends it input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    pub alt_screen: bool,
    pub bracketed_paste: bool,
    pub mouse: bool,
    pub focus: bool,
    pub kitty_keyboard: u8,
    pub app_cursor: bool,
    pub app_keypad: bool,
    /// A synchronized update has begun and not ended.
    pub synchronized: bool,
}

/// The parser may buffer synchronized updates itself. It must not: we hold bytes back in one place.
#[derive(Default)]
struct Unbuffered;

impl Timeout for Unbuffered {
    fn set_timeout(&mut self, _: std::time::Duration) {}
    fn clear_timeout(&mut self) {}
    fn pending_timeout(&self) -> bool {
        false
    }
}

struct Grid(Size);

impl Dimensions for Grid {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }
    fn screen_lines(&self) -> usize {
        usize::from(self.0.rows())
    }
    fn columns(&self) -> usize {
        usize::from(self.0.cols())
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").field("size", &self.size).field("applied", &self.applied).finish_non_exhaustive()
    }
}

impl Screen {
    #[must_use]
    pub fn new(size: Size, options: Options) -> Self {
        Self {
            term: engine(size, options),
            extra: Extra::new(usize::from(size.cols()), usize::from(size.rows())),
            parser: Processor::new(),
            pending: Vec::new(),
            in_sync: false,
            skipping: None,
            applied: 0,
            seq: 0,
            size,
            options,
        }
    }

    /// Takes the next bytes of output. On failure the screen is empty and everything must be fed again.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), EngineFailed> {
        self.guarded(|screen| {
            if screen.pending.is_empty() {
                let held_from = screen.consume(bytes, 0);
                screen.pending.extend_from_slice(&bytes[held_from..]);
            } else {
                let old = screen.pending.len();
                screen.pending.extend_from_slice(bytes);
                screen.advance_pending(old);
            }
        })
    }

    /// Shows an unfinished synchronized update as it is. For the caller's timer.
    pub fn end_sync(&mut self) -> Result<(), EngineFailed> {
        if !self.in_sync {
            return Ok(());
        }
        self.guarded(|screen| {
            screen.in_sync = false;
            let held = std::mem::take(&mut screen.pending);
            screen.applied += BEGIN_SYNC.len() as u64;
            let held_from = screen.consume(&held, BEGIN_SYNC.len());
            screen.pending = held[held_from..].to_vec();
        })
    }

    /// Whether a synchronized update waits for its end.
    #[must_use]
    pub fn sync_pending(&self) -> bool {
        self.in_sync
    }

    /// How many bytes of all that was fed are on the screen: a snapshot taken now goes on from there.
    #[must_use]
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// Grows with every change.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Answers to the program's questions, to be written to it.
    pub fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.extra.replies)
    }

    pub fn take_signals(&mut self) -> Vec<Signal> {
        std::mem::take(&mut self.extra.signals)
    }

    pub fn resize(&mut self, size: Size) -> Result<(), EngineFailed> {
        if size == self.size {
            return Ok(());
        }
        let (old, rows) = (self.size, usize::from(size.rows()));
        self.size = size;
        self.guarded(|screen| {
            // Folding lines multiplies them, and those beyond the limit are thrown away afterwards. Throwing them away
            // before keeps the peak in bounds.
            if size.cols() < old.cols() {
                let keep = screen.options.scrollback * usize::from(size.cols()) / usize::from(old.cols());
                screen.term.set_options(config(keep, screen.options));
                screen.term.set_options(config(screen.options.scrollback, screen.options));
            }
            screen.term.resize(Grid(size));
            screen.extra.resize(usize::from(size.cols()), rows);
            settle_cursors(screen.term.grid_mut());
            let top = -(screen.term.grid().history_size() as i32);
            for line in top..rows as i32 {
                heal_row(&mut screen.term.grid_mut()[Line(line)][..]);
            }
            screen.seq += 1;
        })
    }

    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.extra.title.as_deref()
    }

    #[must_use]
    pub fn alt_screen(&self) -> bool {
        self.term.mode().contains(TermMode::ALT_SCREEN)
    }

    #[must_use]
    pub fn scrollback_len(&self) -> usize {
        self.term.grid().history_size()
    }

    #[must_use]
    pub fn cursor(&self) -> Cursor {
        let point = self.term.grid().cursor.point;
        let style = self.term.cursor_style();
        Cursor {
            row: u16::try_from(point.line.0).unwrap_or(0),
            col: u16::try_from(point.column.0).unwrap_or(0),
            visible: self.term.mode().contains(TermMode::SHOW_CURSOR),
            shape: match style.shape {
                EngineShape::Underline => CursorShape::Underline,
                EngineShape::Beam => CursorShape::Bar,
                _ => CursorShape::Block,
            },
            blinking: style.blinking,
        }
    }

    #[must_use]
    pub fn modes(&self) -> Modes {
        let mode = self.term.mode();
        Modes {
            alt_screen: mode.contains(TermMode::ALT_SCREEN),
            bracketed_paste: mode.contains(TermMode::BRACKETED_PASTE),
            mouse: mode.intersects(TermMode::MOUSE_MODE),
            focus: mode.contains(TermMode::FOCUS_IN_OUT),
            kitty_keyboard: replies::keyboard_flags(*mode),
            app_cursor: mode.contains(TermMode::APP_CURSOR),
            app_keypad: mode.contains(TermMode::APP_KEYPAD),
            synchronized: self.in_sync,
        }
    }

    /// Whether a DEC private mode is on; nothing if we do not know it.
    #[must_use]
    pub fn private_mode(&self, number: u16) -> Option<bool> {
        match replies::private_mode(number, *self.term.mode(), self.term.cursor_style().blinking) {
            1 => Some(true),
            2 => Some(false),
            _ => None,
        }
    }

    /// How keys must be encoded for the program right now.
    #[must_use]
    pub fn key_modes(&self) -> KeyModes {
        let modes = self.modes();
        KeyModes {
            app_cursor: modes.app_cursor,
            app_keypad: modes.app_keypad,
            kitty: modes.kitty_keyboard,
            modify_other_keys: self.extra.modify_other_keys,
            newline: self.term.mode().contains(TermMode::LINE_FEED_NEW_LINE),
            ..KeyModes::default()
        }
    }

    /// An empty screen of the same size, for another child. It is a change like any other.
    pub fn restart(&mut self) {
        *self = Self { seq: self.seq + 1, ..Self::new(self.size, self.options) };
    }

    /// Runs `work`; a panic inside leaves an empty screen of the same size instead of a dead process.
    fn guarded(&mut self, work: impl FnOnce(&mut Self)) -> Result<(), EngineFailed> {
        if catch_unwind(AssertUnwindSafe(|| work(&mut *self))).is_ok() {
            return Ok(());
        }
        self.restart();
        Err(EngineFailed)
    }

    /// Goes on with what was held back, now that `pending[new_from..]` has come.
    fn advance_pending(&mut self, new_from: usize) {
        if self.in_sync {
            let search_from = new_from.saturating_sub(BEGIN_SYNC.len());
            let ended = END_SYNC.find(&self.pending[search_from..]).is_some();
            if !ended && self.pending.len() < MAX_SYNC {
                return;
            }
        }
        let held = std::mem::take(&mut self.pending);
        let outgrown = std::mem::take(&mut self.in_sync) && held.len() >= MAX_SYNC;
        // An update that outgrew its bound is shown piece by piece: its beginning is stepped over.
        let from = if outgrown { BEGIN_SYNC.len() } else { 0 };
        self.applied += from as u64;
        let held_from = self.consume(&held, from);
        self.pending = held[held_from..].to_vec();
    }

    /// Applies all whole tokens of `bytes[from..]`; the rest, from the returned index on, must be held.
    fn consume(&mut self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        self.seq += 1;
        if let Some(kind) = self.skipping {
            at = match tokens::string_end(kind, &bytes[at..]) {
                Some((len, _)) => {
                    self.skipping = None;
                    at + len
                }
                None => bytes.len(),
            };
            self.applied += (at - from) as u64;
        }
        while at < bytes.len() {
            let mut guard = self.guard();
            if let Some(taken) = csi::quick(&mut guard, &bytes[at..]) {
                at += taken;
                self.applied += taken as u64;
                continue;
            }
            let taken = match tokens::next(&bytes[at..]) {
                Token::Ascii(run) => {
                    guard.ascii(run);
                    run.len()
                }
                Token::Unicode(run) => {
                    guard.unicode(run);
                    run.len()
                }
                Token::Control(byte) => {
                    guard.control(byte);
                    1
                }
                Token::Csi(BEGIN_SYNC) => {
                    if END_SYNC.find(&bytes[at..]).is_none() {
                        self.in_sync = true;
                        return at;
                    }
                    BEGIN_SYNC.len()
                }
                Token::Csi(seq) => {
                    self.csi(seq);
                    seq.len()
                }
                Token::Escape(seq) => {
                    self.escape(seq);
                    seq.len()
                }
                Token::String { kind, body, all, terminated_by } => {
                    self.string(kind, body, all, terminated_by);
                    all.len()
                }
                Token::Incomplete(kind) => match self.hold(kind, bytes.len() - at) {
                    true => return at,
                    false => bytes.len() - at,
                },
            };
            at += taken;
            self.applied += taken as u64;
        }
        at
    }

    /// Whether an incomplete token of `len` bytes is worth keeping.
    fn hold(&mut self, kind: Option<StringKind>, len: usize) -> bool {
        match kind {
            Some(kind) if len > MAX_STRING => {
                self.skipping = Some(kind);
                false
            }
            None => len <= MAX_SEQUENCE,
            Some(_) => true,
        }
    }

    fn guard(&mut self) -> Guard<'_> {
        Guard { term: &mut self.term, extra: &mut self.extra }
    }

    fn escape(&mut self, seq: &[u8]) {
        self.parse(seq);
        // A sequence cut off by the next one leaves the parser waiting.
        if !matches!(seq.last(), Some(0x30..=0x7e | 0x18 | 0x1a)) || seq.len() == 1 {
            self.settle();
        }
    }

    fn csi(&mut self, seq: &[u8]) {
        let body = &seq[2.min(seq.len())..];
        match body {
            [b'>', digits @ .., b'q'] if digits.iter().all(|b| *b == b'0') => {
                self.extra.replies.extend_from_slice(replies::version().as_bytes());
            }
            b"?996n" => self.extra.replies.extend_from_slice(replies::COLOR_SCHEME.as_bytes()),
            b"!p" => self.guard().soft_reset(),
            [digits @ .., b'b'] if digits.iter().all(u8::is_ascii_digit) => {
                let count = std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok()).unwrap_or(1);
                self.guard().repeat(count);
            }
            _ => {
                self.parse(seq);
                if !matches!(seq.last(), Some(0x40..=0x7e | 0x18 | 0x1a)) || seq.len() < 3 {
                    self.settle();
                }
            }
        }
    }

    fn parse(&mut self, seq: &[u8]) {
        self.parser.advance(&mut Guard { term: &mut self.term, extra: &mut self.extra }, seq);
    }

    /// Ends whatever the parser is in the middle of.
    fn settle(&mut self) {
        self.parse(b"\x1b\\");
    }

    fn string(&mut self, kind: StringKind, body: &[u8], all: &[u8], terminated_by: Terminator) {
        match kind {
            StringKind::Osc => match signals::osc(body) {
                Osc::Signal(signal) => self.extra.signals.push(signal),
                Osc::StatusQuery => self.extra.replies.extend_from_slice(replies::STATUS_SUPPORTED.as_bytes()),
                Osc::Engine => {
                    self.parse(all);
                    if terminated_by == Terminator::Aborted {
                        self.settle();
                    }
                }
            },
            StringKind::Dcs => self.device_control(body),
            StringKind::Ignored => {}
        }
    }

    fn device_control(&mut self, body: &[u8]) {
        let reply = if let Some(request) = body.strip_prefix(b"$q") {
            replies::setting(request, self.extra.region, self.cursor_style_number())
        } else if let Some(names) = body.strip_prefix(b"+q") {
            names.split(|&b| b == b';').map(replies::capability).collect()
        } else {
            return;
        };
        self.extra.replies.extend_from_slice(reply.as_bytes());
    }

    /// DECSCUSR's number for the cursor as it is.
    pub(crate) fn cursor_style_number(&self) -> u8 {
        let cursor = self.cursor();
        let steady = match cursor.shape {
            CursorShape::Block => 2,
            CursorShape::Underline => 4,
            CursorShape::Bar => 6,
        };
        steady - u8::from(cursor.blinking)
    }
}

fn engine(size: Size, options: Options) -> Term<VoidListener> {
    Term::new(config(options.scrollback, options), &Grid(size), VoidListener)
}

fn config(scrollback: usize, options: Options) -> Config {
    Config { scrolling_history: scrollback, kitty_keyboard: options.kitty_keyboard, ..Config::default() }
}
