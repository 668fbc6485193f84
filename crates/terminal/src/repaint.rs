//! A snapshot as bytes: written to any terminal of the same size, in whatever state it is, they make it show and
//! behave like this one, so that the output that follows [`Screen::applied`] means the same in both.

use alacritty_terminal::grid::{Cursor as GridCursor, Dimensions};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::{
    CharsetIndex, Handler, KeyboardModes, KeyboardModesApplyBehavior, StandardCharset,
};
use std::fmt::Write as _;

use crate::guard::settle_cursors;
use crate::replies;
use crate::screen::Screen;
use crate::view::{Glyph, Pen, Style, glyphs, painted_columns};

/// Brings any terminal to a known state without clearing its scrollback: end of a string, primary screen, no
/// attributes, no margins, no insertion, ASCII.
const NORMALIZE: &str = "\x1b\\\x1b[?1049l\x1b]8;;\x1b\\\x1b[0m\x1b[r\x1b[?6l\x1b[?7h\x1b[4l\x1b[20l\x1b(B\x1b)B\x0f";
const CLEAR: &str = "\x1b[H\x1b[J";

/// Modes that are simply on or off.
const SWITCHES: [(TermMode, u16); 12] = [
    (TermMode::APP_CURSOR, 1),
    (TermMode::LINE_WRAP, 7),
    (TermMode::SHOW_CURSOR, 25),
    (TermMode::FOCUS_IN_OUT, 1004),
    (TermMode::UTF8_MOUSE, 1005),
    (TermMode::SGR_MOUSE, 1006),
    (TermMode::ALTERNATE_SCROLL, 1007),
    (TermMode::URGENCY_HINTS, 1042),
    (TermMode::BRACKETED_PASTE, 2004),
    // Of the three only one can be on; those that are off are sent first.
    (TermMode::MOUSE_REPORT_CLICK, 1000),
    (TermMode::MOUSE_DRAG, 1002),
    (TermMode::MOUSE_MOTION, 1003),
];

impl Screen {
    /// The bytes that repaint this screen, with up to `scrollback` lines of history above it.
    ///
    /// Takes `&mut self` because the screen behind the alternate one can only be reached by switching to it and back.
    #[must_use]
    pub fn repaint(&mut self, scrollback: usize) -> Vec<u8> {
        let mut out = String::with_capacity(16 * 1024);
        out.push_str("\x1b[?2026h");
        out.push_str(NORMALIZE);
        self.palette(&mut out);
        self.titles(&mut out);
        self.tab_stops(&mut out);
        out.push_str(CLEAR);
        if self.alt_screen() {
            self.behind_alternate(&mut out, scrollback);
            out.push_str("\x1b[?1049h");
            out.push_str(CLEAR);
            self.paint_screen(&mut out, 0);
        } else {
            self.paint_screen(&mut out, scrollback);
        }
        self.keyboard_stack(&mut out, 0);
        self.settings(&mut out);
        out.push_str("\x1b[?2026l");
        let mut bytes = out.into_bytes();
        if let Some(kind) = self.skipping {
            bytes.extend_from_slice(kind.introducer());
        }
        bytes
    }

    /// Paints the primary screen, on which the cursor is where leaving the alternate screen will put it.
    fn behind_alternate(&mut self, out: &mut String, scrollback: usize) {
        let alternate = self.term.grid().clone();
        let flags = KeyboardModes::from_bits_truncate(replies::keyboard_flags(*self.term.mode()));
        self.term.swap_alt();
        settle_cursors(self.term.grid_mut());
        self.paint_screen(out, scrollback);
        let cursor = self.term.grid().cursor.clone();
        self.place_cursor(out, &cursor);
        self.pen_state(out, &cursor);
        self.keyboard_stack(out, 1);
        self.term.swap_alt();
        *self.term.grid_mut() = alternate;
        Handler::set_keyboard_mode(&mut self.term, flags, KeyboardModesApplyBehavior::Replace);
    }

    /// Rows by absolute position, then the saved cursor.
    fn paint_screen(&self, out: &mut String, scrollback: usize) {
        let grid = self.term.grid();
        let mut pen = Pen::default();
        out.push_str("\x1b[0m\x1b(B\x0f");
        let history = scrollback.min(grid.history_size()) as i32;
        // Lines scrolled off the top end up where history is.
        for line in -history..0 {
            out.push_str("\x1b[999;1H\n\r");
            pen.paint(out, &grid[Line(line)]);
            pen.set(out, &Style::default());
        }
        for _ in 0..if history > 0 { grid.screen_lines() } else { 0 } {
            out.push_str("\x1b[999;1H\n\r");
        }
        for line in 0..grid.screen_lines() as i32 {
            let row = &grid[Line(line)];
            if painted_columns(row) > 0 {
                let _ = write!(out, "\x1b[{};1H", line + 1);
                pen.paint(out, row);
            }
        }
        pen.set(out, &Style::default());
        let saved = &grid.saved_cursor;
        if !is_default(saved) {
            self.place_cursor(out, saved);
            self.pen_state(out, saved);
            out.push_str("\x1b7\x1b[0m\x1b]8;;\x1b\\\x1b(B\x1b)B");
        }
    }

    /// Everything that is not on the grid, and last the cursor: no sequence after it moves it.
    fn settings(&self, out: &mut String) {
        let mode = *self.term.mode();
        let off_then_on = [false, true].into_iter().flat_map(|on| SWITCHES.into_iter().map(move |s| (on, s)));
        for (on, (flag, number)) in off_then_on {
            // Switched off at the end: the cursor's own cell is painted with wrapping on.
            if mode.contains(flag) == on && flag != TermMode::LINE_WRAP {
                let _ = write!(out, "\x1b[?{number}{}", if on { 'h' } else { 'l' });
            }
        }
        out.push_str(if mode.contains(TermMode::APP_KEYPAD) { "\x1b=" } else { "\x1b>" });
        let _ = write!(out, "\x1b[{} q", self.cursor_style_number());
        let _ = write!(out, "\x1b[>4;{}m", self.extra.modify_other_keys);
        let (top, bottom) = self.extra.region;
        if (top, bottom) != (0, self.term.screen_lines()) {
            let _ = write!(out, "\x1b[{};{bottom}r", top + 1);
        }
        if mode.contains(TermMode::ORIGIN) {
            out.push_str("\x1b[?6h");
        }
        let cursor = &self.term.grid().cursor;
        self.place_cursor(out, cursor);
        self.pen_state(out, cursor);
        for (flag, code) in [(TermMode::INSERT, "\x1b[4h"), (TermMode::LINE_FEED_NEW_LINE, "\x1b[20h")] {
            if mode.contains(flag) {
                out.push_str(code);
            }
        }
        if !mode.contains(TermMode::LINE_WRAP) {
            out.push_str("\x1b[?7l");
        }
    }

    /// Moves to the cursor. If the character left of it was the last one printed, prints it again: so the terminal
    /// knows what to repeat, what to combine with, and whether the next character wraps.
    fn place_cursor(&self, out: &mut String, cursor: &GridCursor<Cell>) {
        let line = cursor.point.line;
        let origin = if self.term.mode().contains(TermMode::ORIGIN) { self.extra.region.0 as i32 } else { 0 };
        let row = &self.term.grid()[line];
        let ends_at = cursor.point.column.0 + usize::from(cursor.input_needs_wrap);
        let previous = glyphs(row).find(|g| g.col + g.width == ends_at);
        let printed = |g: &Glyph<'_>| cursor.input_needs_wrap || Some(g.cell.c) == self.extra.last_char;
        match previous.filter(printed) {
            Some(glyph) => {
                let _ = write!(out, "\x1b[{};{}H", line.0 - origin + 1, glyph.col + 1);
                let mut pen = Pen::default();
                pen.glyph(out, &glyph);
                pen.set(out, &Style::default());
            }
            None => {
                let _ = write!(out, "\x1b[{};{}H", line.0 - origin + 1, cursor.point.column.0 + 1);
            }
        }
    }

    /// The attributes and character sets the next character will have.
    fn pen_state(&self, out: &mut String, cursor: &GridCursor<Cell>) {
        Pen::default().set(out, &Style::of(&cursor.template));
        let sets = [(CharsetIndex::G0, '('), (CharsetIndex::G1, ')'), (CharsetIndex::G2, '*'), (CharsetIndex::G3, '+')];
        for (index, code) in sets {
            if cursor.charsets[index] != StandardCharset::Ascii {
                let _ = write!(out, "\x1b{code}0");
            }
        }
        out.push(if self.extra.charset == CharsetIndex::G1 { '\x0e' } else { '\x0f' });
    }

    fn titles(&self, out: &mut String) {
        for title in &self.extra.title_stack {
            let _ = write!(out, "\x1b]2;{}\x1b\\\x1b[22t", title.as_deref().unwrap_or_default());
        }
        let _ = write!(out, "\x1b]2;{}\x1b\\", self.extra.title.as_deref().unwrap_or_default());
    }

    fn tab_stops(&self, out: &mut String) {
        if self.extra.has_default_tabs() {
            out.push_str("\x1b[?5W");
            return;
        }
        out.push_str("\x1b[3g");
        for (col, _) in self.extra.tabs.iter().enumerate().filter(|(_, set)| **set) {
            let _ = write!(out, "\x1b[1;{}H\x1bH", col + 1);
        }
    }

    /// Colours the program changed; the others go back to the terminal's own.
    fn palette(&self, out: &mut String) {
        out.push_str("\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\");
        for index in 0..256 {
            if let Some(color) = self.term.colors()[index] {
                let _ = write!(out, "\x1b]4;{index};#{:02x}{:02x}{:02x}\x1b\\", color.r, color.g, color.b);
            }
        }
        for (code, index) in [(10, 256), (11, 257), (12, 258)] {
            if let Some(color) = self.term.colors()[index] {
                let _ = write!(out, "\x1b]{code};#{:02x}{:02x}{:02x}\x1b\\", color.r, color.g, color.b);
            }
        }
    }

    fn keyboard_stack(&self, out: &mut String, which: usize) {
        out.push_str("\x1b[<99u");
        for flags in &self.extra.keyboard[which] {
            let _ = write!(out, "\x1b[>{flags}u");
        }
        let flags = replies::keyboard_flags(*self.term.mode());
        if Some(&flags) != self.extra.keyboard[which].last() && (flags, self.extra.keyboard[which].len()) != (0, 0) {
            let _ = write!(out, "\x1b[={flags};1u");
        }
    }
}

fn is_default(cursor: &GridCursor<Cell>) -> bool {
    cursor.point.line == 0
        && cursor.point.column == Column(0)
        && cursor.template == Cell::default()
        && cursor.template.flags == Flags::empty()
        && !cursor.input_needs_wrap
        && [CharsetIndex::G0, CharsetIndex::G1].iter().all(|&i| cursor.charsets[i] == StandardCharset::Ascii)
}
