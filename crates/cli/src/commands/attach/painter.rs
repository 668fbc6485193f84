//! Paints a screen into the person's window, and of that only what has changed.
//!
//! The program's own bytes never reach the person's terminal: a question in them would be answered twice, by coop and
//! by that terminal, and they know nothing of a status line.

use std::fmt::Write as _;

use coop_terminal::{CursorShape, Screen};

use super::cut::cut;
use super::layout::Layout;
use super::modes::Modes;
use crate::out::harmless;

/// What the window shows.
#[derive(Debug)]
pub(super) struct Painter {
    layout: Layout,
    rows: Vec<Option<String>>,
    modes: Option<Modes>,
    title: Option<String>,
    cursor_style: u8,
}

impl Painter {
    pub(super) fn new(layout: Layout) -> Self {
        let rows = usize::from(layout.body() + u16::from(layout.status_row().is_some()));
        Self { layout, rows: vec![None; rows], modes: None, title: None, cursor_style: 0 }
    }

    /// The bytes that bring the window from what it shows to `screen`, with `status` below it.
    pub(super) fn frame(&mut self, screen: &mut Screen, status: &str) -> String {
        // Shown at once where the terminal can do that, and without the cursor running about where it cannot.
        let mut out = String::from("\x1b[?2026h\x1b[?25l");
        let top = self.layout.top(screen.size(), screen.cursor().row);
        self.body(&mut out, screen, top);
        if let Some(row) = self.layout.status_row() {
            self.row(&mut out, row, format!("\x1b[7m{status}\x1b[0m"));
        }
        self.settings(&mut out, screen);
        self.cursor(&mut out, screen, top);
        out.push_str("\x1b[?2026l");
        out
    }

    fn body(&mut self, out: &mut String, screen: &Screen, top: u16) {
        let cols = usize::from(self.layout.cols());
        let too_wide = screen.size().cols() > self.layout.cols();
        let mut lines = screen.ansi(0).into_iter().skip(usize::from(top));
        for row in 0..self.layout.body() {
            let line = lines.next().unwrap_or_default();
            self.row(out, row, if too_wide { cut(&line, cols) } else { line });
        }
    }

    fn row(&mut self, out: &mut String, row: u16, line: String) {
        let Some(shown) = self.rows.get_mut(usize::from(row)) else { return };
        if shown.as_ref() == Some(&line) {
            return;
        }
        // Cleared before it is painted: after it, the cursor may wait behind the last column, and that would go too.
        let _ = write!(out, "\x1b[{};1H\x1b[0m\x1b[2K{line}", row + 1);
        *shown = Some(line);
    }

    fn settings(&mut self, out: &mut String, screen: &mut Screen) {
        let modes = Some(Modes::of(screen, self.layout.fits(screen.size())));
        if modes != self.modes {
            out.extend(modes.iter().map(Modes::sequences));
            self.modes = modes;
        }
        let title = screen.title().map(harmless);
        if title != self.title {
            let _ = write!(out, "\x1b]2;{}\x1b\\", title.as_deref().unwrap_or_default());
            self.title = title;
        }
        let style = cursor_style(screen);
        if style != self.cursor_style {
            let _ = write!(out, "\x1b[{style} q");
            self.cursor_style = style;
        }
    }

    fn cursor(&self, out: &mut String, screen: &Screen, top: u16) {
        let cursor = screen.cursor();
        let row = cursor.row.checked_sub(top).filter(|row| *row < self.layout.body());
        if let Some(row) = row.filter(|_| cursor.visible && cursor.col < self.layout.cols()) {
            let _ = write!(out, "\x1b[{};{}H\x1b[?25h", row + 1, cursor.col + 1);
        }
    }
}

/// As in DECSCUSR. A steady block is what a program has that never asked, and leaves the person's own choice.
fn cursor_style(screen: &Screen) -> u8 {
    let cursor = screen.cursor();
    match (cursor.shape, cursor.blinking) {
        (CursorShape::Block, false) => 0,
        (CursorShape::Block, true) => 1,
        (CursorShape::Underline, true) => 3,
        (CursorShape::Underline, false) => 4,
        (CursorShape::Bar, true) => 5,
        (CursorShape::Bar, false) => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coop_terminal::{Options, Size};

    fn screen(cols: u32, rows: u32) -> Screen {
        Screen::new(Size::new(cols, rows).unwrap(), Options::default())
    }

    /// A window that is sent the frames for `bytes` fed piece by piece shows what a fresh one shows.
    #[test]
    fn changes_add_up() {
        let pieces = [
            "hello\r\nworld",
            "\x1b[H\x1b[31mH",
            "\x1b[2J",
            "\x1b[3;1H漢字\x1b[K",
            "\x1b[?1049hfull\x1b[?25l",
            "\x1b[?1049l!",
        ];
        let layout = Layout::new((20, 6), true);
        let (mut remote, mut window) = (screen(20, 5), screen(20, 6));
        let mut painter = Painter::new(layout);
        for piece in pieces {
            remote.feed(piece.as_bytes()).unwrap();
            window.feed(painter.frame(&mut remote, "status").as_bytes()).unwrap();
            let mut fresh = screen(20, 6);
            fresh.feed(Painter::new(layout).frame(&mut remote, "status").as_bytes()).unwrap();
            assert_eq!(window.ansi(0), fresh.ansi(0), "after {piece:?}");
            assert_eq!(window.ansi(0)[..5], remote.ansi(0), "after {piece:?}");
            assert_eq!(window.text(0)[5], "status");
            let (shown, real) = (window.cursor(), remote.cursor());
            assert_eq!(shown.visible, real.visible);
            assert!(!real.visible || (shown.row, shown.col) == (real.row, real.col));
        }
    }

    #[test]
    fn what_is_the_same_is_not_painted_again() {
        let mut remote = screen(20, 5);
        remote.feed(b"one\r\ntwo").unwrap();
        let mut painter = Painter::new(Layout::new((20, 6), true));
        assert!(painter.frame(&mut remote, "s").contains("one"));
        remote.feed(b"!").unwrap();
        let frame = painter.frame(&mut remote, "s");
        assert!(frame.contains("two!") && !frame.contains("one"), "{}", frame.escape_debug());
    }

    #[test]
    fn a_larger_screen_is_cut_off_and_follows_the_cursor() {
        let mut remote = screen(30, 10);
        for row in 0..10 {
            remote.feed(format!("\x1b[{};1Hrow {row} is longer", row + 1).as_bytes()).unwrap();
        }
        let mut window = screen(8, 4);
        let mut painter = Painter::new(Layout::new((8, 4), false));
        window.feed(painter.frame(&mut remote, "").as_bytes()).unwrap();
        assert_eq!(window.text(0), ["row 6 is", "row 7 is", "row 8 is", "row 9 is"]);
        remote.feed(b"\x1b[H").unwrap();
        window.feed(painter.frame(&mut remote, "").as_bytes()).unwrap();
        assert_eq!(window.text(0)[0], "row 0 is");
        assert_eq!((window.cursor().row, window.cursor().col), (0, 0));
    }
}
