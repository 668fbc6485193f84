//! Stands between the parser and the engine, and mends what the engine gets wrong.
//!
//! Every call of the parser goes through here. Most are handed on unchanged. The others: widths by grapheme cluster,
//! halves of wide characters that would be left behind, margins in cursor movement, stacks without a bound, and all
//! queries, which are answered here so that replies come in the order of the questions. What the engine keeps to
//! itself (margins, tab stops, title, keyboard stacks) is mirrored, because a repaint needs it.

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::cursor_icon::CursorIcon;
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, KeyboardModes,
    KeyboardModesApplyBehavior, LineClearMode, Mode, ModifyOtherKeys, NamedMode, NamedPrivateMode, PrivateMode, Rgb,
    ScpCharPath, ScpUpdateMode, StandardCharset, TabulationClearMode,
};

use crate::replies;
use crate::signals::{self, Signal};

/// No program nests deeper; the engine panics at 4,097.
const MAX_STACK: usize = 64;
const TAB_INTERVAL: usize = 8;

/// What the engine does not show, and what waits to be taken.
#[derive(Debug)]
pub(crate) struct Extra {
    pub(crate) title: Option<String>,
    pub(crate) title_stack: Vec<Option<String>>,
    /// First line of the scrolling region and the line after its last.
    pub(crate) region: (usize, usize),
    pub(crate) tabs: Vec<bool>,
    /// Kitty keyboard stacks: of the screen in use, and of the other.
    pub(crate) keyboard: [Vec<u8>; 2],
    pub(crate) modify_other_keys: u8,
    pub(crate) charset: CharsetIndex,
    /// What `REP` repeats.
    pub(crate) last_char: Option<char>,
    pub(crate) replies: Vec<u8>,
    pub(crate) signals: Vec<Signal>,
}

impl Extra {
    pub(crate) fn new(cols: usize, rows: usize) -> Self {
        Self {
            title: None,
            title_stack: Vec::new(),
            region: (0, rows),
            tabs: default_tabs(cols),
            keyboard: [Vec::new(), Vec::new()],
            modify_other_keys: 0,
            charset: CharsetIndex::G0,
            last_char: None,
            replies: Vec::new(),
            signals: Vec::new(),
        }
    }

    /// What the engine does to its own copies when the size changes.
    pub(crate) fn resize(&mut self, cols: usize, rows: usize) {
        self.region = (0, rows);
        let old = self.tabs.len();
        self.tabs.truncate(cols);
        self.tabs.extend((old..cols).map(|i| i % TAB_INTERVAL == 0));
    }

    pub(crate) fn has_default_tabs(&self) -> bool {
        self.tabs.iter().enumerate().all(|(i, &set)| set == (i % TAB_INTERVAL == 0))
    }
}

pub(crate) fn default_tabs(cols: usize) -> Vec<bool> {
    (0..cols).map(|i| i % TAB_INTERVAL == 0).collect()
}

pub(crate) struct Guard<'a> {
    pub(crate) term: &'a mut Term<VoidListener>,
    pub(crate) extra: &'a mut Extra,
}

impl Guard<'_> {
    /// Moves within a column; margins stop a cursor that is between them.
    fn move_lines(&mut self, delta: i32) {
        let (top, bottom) = (self.extra.region.0 as i32, self.extra.region.1 as i32);
        let last = self.term.screen_lines() as i32 - 1;
        let cursor = &mut self.term.grid_mut().cursor;
        let line = cursor.point.line.0;
        let floor = if line >= top { top } else { 0 };
        let ceiling = if line < bottom { bottom - 1 } else { last };
        cursor.point.line = Line(line.saturating_add(delta).clamp(floor, ceiling));
        cursor.input_needs_wrap = false;
    }

    fn set_column(&mut self, col: usize) {
        let last = self.term.columns() - 1;
        let cursor = &mut self.term.grid_mut().cursor;
        cursor.point.column = Column(col.min(last));
        cursor.input_needs_wrap = false;
    }

    /// Blanks the halves of wide characters on the cursor's line that lost the other half.
    fn heal_line(&mut self) {
        let line = self.term.grid().cursor.point.line;
        heal_row(&mut self.term.grid_mut()[line][..]);
    }

    /// The line's cell at `col` is about to become the first of an erased stretch: a wide character that begins to its
    /// left loses its second half.
    fn cut_wide_at(&mut self, col: usize) {
        let grid = self.term.grid_mut();
        let line = grid.cursor.point.line;
        if col > 0 && col < grid.columns() && grid[line][Column(col)].flags.contains(Flags::WIDE_CHAR_SPACER) {
            grid[line][Column(col - 1)].clear_wide();
            grid[line][Column(col)].flags.remove(Flags::WIDE_CHAR_SPACER);
        }
    }

    /// `CSI ! p`, which the parser does not know.
    pub(crate) fn soft_reset(&mut self) {
        for mode in [NamedPrivateMode::CursorKeys, NamedPrivateMode::Origin] {
            self.term.unset_private_mode(mode.into());
        }
        for mode in [NamedPrivateMode::ShowCursor, NamedPrivateMode::LineWrap] {
            self.term.set_private_mode(mode.into());
        }
        self.term.unset_mode(Mode::Named(NamedMode::Insert));
        self.term.unset_keypad_application_mode();
        self.term.terminal_attribute(Attr::Reset);
        for index in [CharsetIndex::G0, CharsetIndex::G1, CharsetIndex::G2, CharsetIndex::G3] {
            self.term.configure_charset(index, StandardCharset::Ascii);
        }
        self.set_active_charset(CharsetIndex::G0);
        let point = self.term.grid().cursor.point;
        self.set_scrolling_region(1, None);
        let grid = self.term.grid_mut();
        grid.cursor.point = point;
        grid.saved_cursor = Default::default();
    }

    /// `CSI Ps b`.
    pub(crate) fn repeat(&mut self, count: usize) {
        let Some(c) = self.extra.last_char else { return };
        // Whole lines beyond a screenful scroll away unseen.
        let columns = self.term.columns();
        let screenful = columns * (self.term.screen_lines() + 1);
        let count = if count > screenful { screenful + (count - screenful) % columns } else { count.max(1) };
        for _ in 0..count {
            self.input(c);
        }
    }

    fn reply(&mut self, text: &str) {
        self.extra.replies.extend_from_slice(text.as_bytes());
    }

    fn swap_keyboard_stacks(&mut self) {
        self.extra.keyboard.swap(0, 1);
    }
}

/// A cursor waits to wrap in the last column only; the engine forgets that when it resizes.
pub(crate) fn settle_cursors(grid: &mut Grid<Cell>) {
    let last = grid.columns() - 1;
    for cursor in [&mut grid.cursor, &mut grid.saved_cursor] {
        cursor.input_needs_wrap &= cursor.point.column.0 == last;
    }
}

pub(crate) fn heal_row(row: &mut [Cell]) {
    for col in 0..row.len() {
        let flags = row[col].flags;
        if flags.contains(Flags::WIDE_CHAR)
            && !row.get(col + 1).is_some_and(|c| c.flags.contains(Flags::WIDE_CHAR_SPACER))
        {
            row[col].clear_wide();
        }
        if flags.contains(Flags::WIDE_CHAR_SPACER) && (col == 0 || !row[col - 1].flags.contains(Flags::WIDE_CHAR)) {
            row[col].flags.remove(Flags::WIDE_CHAR_SPACER);
        }
    }
}

/// 47 and 1047 are older names of the alternate screen; 1049 is the one the engine knows.
fn alternate_screen(mode: PrivateMode) -> PrivateMode {
    match mode {
        PrivateMode::Unknown(47 | 1047) => NamedPrivateMode::SwapScreenAndSetRestoreCursor.into(),
        mode => mode,
    }
}

const ALT: PrivateMode = PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor);

/// Hands calls on to the engine unchanged.
macro_rules! pass {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        $(#[inline] fn $name(&mut self, $($arg: $ty),*) { self.term.$name($($arg),*); })*
    };
}

impl Handler for Guard<'_> {
    #[inline]
    fn input(&mut self, c: char) {
        self.put(c);
    }

    #[inline]
    fn linefeed(&mut self) {
        self.term.linefeed();
        if self.term.mode().contains(TermMode::LINE_FEED_NEW_LINE) {
            self.term.carriage_return();
        }
    }

    fn put_tab(&mut self, count: u16) {
        // The engine wraps a tab after the last column; terminals stay there.
        if !self.term.grid().cursor.input_needs_wrap {
            self.move_forward_tabs(count);
        }
    }

    fn move_backward_tabs(&mut self, count: u16) {
        self.term.grid_mut().cursor.input_needs_wrap = false;
        self.term.move_backward_tabs(count);
    }

    fn move_up(&mut self, lines: usize) {
        self.move_lines(-(lines.min(i32::MAX as usize) as i32));
    }

    fn move_down(&mut self, lines: usize) {
        self.move_lines(lines.min(i32::MAX as usize) as i32);
    }

    fn move_up_and_cr(&mut self, lines: usize) {
        self.move_up(lines);
        self.carriage_return();
    }

    fn move_down_and_cr(&mut self, lines: usize) {
        self.move_down(lines);
        self.carriage_return();
    }

    fn goto_col(&mut self, col: usize) {
        self.set_column(col);
    }

    fn insert_blank_lines(&mut self, lines: usize) {
        self.term.insert_blank_lines(lines);
        self.term.carriage_return();
    }

    fn delete_lines(&mut self, lines: usize) {
        self.term.delete_lines(lines);
        self.term.carriage_return();
    }

    fn insert_blank(&mut self, count: usize) {
        self.term.insert_blank(count);
        self.heal_line();
    }

    fn delete_chars(&mut self, count: usize) {
        self.term.delete_chars(count);
        self.heal_line();
    }

    fn erase_chars(&mut self, count: usize) {
        let col = self.term.grid().cursor.point.column.0;
        self.cut_wide_at(col);
        self.cut_wide_at(col.saturating_add(count));
        self.term.erase_chars(count);
    }

    fn clear_line(&mut self, mode: LineClearMode) {
        let cursor = &self.term.grid().cursor;
        let (line, col) = (cursor.point.line, cursor.point.column.0);
        let whole = match mode {
            LineClearMode::Right if cursor.input_needs_wrap => return,
            LineClearMode::Right => col == 0,
            LineClearMode::Left => false,
            LineClearMode::All => true,
        };
        if whole {
            // A row remembers how far it was written to, and is cleared up to there.
            let template = cursor.template.clone();
            self.term.grid_mut()[line].reset(&template);
            return;
        }
        self.cut_wide_at(if matches!(mode, LineClearMode::Left) { col + 1 } else { col });
        self.term.clear_line(mode);
    }

    fn clear_screen(&mut self, mode: ClearMode) {
        let cursor = &self.term.grid().cursor;
        let (line, col) = (cursor.point.line, cursor.point.column.0);
        match mode {
            ClearMode::Below => self.cut_wide_at(col),
            ClearMode::Above => {
                self.cut_wide_at(col + 1);
                // The engine forgets the first line when the cursor is on the second.
                if line == 1 {
                    self.term.grid_mut().reset_region(..Line(1));
                }
            }
            _ => {}
        }
        self.term.clear_screen(mode);
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        match alternate_screen(mode) {
            PrivateMode::Unknown(1048) => self.term.save_cursor_position(),
            ALT if !self.term.mode().contains(TermMode::ALT_SCREEN) => {
                self.term.set_private_mode(ALT);
                self.swap_keyboard_stacks();
            }
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => {
                self.term.set_private_mode(mode);
                self.extra.region = (0, self.term.screen_lines());
            }
            mode => self.term.set_private_mode(mode),
        }
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        match alternate_screen(mode) {
            PrivateMode::Unknown(1048) => self.term.restore_cursor_position(),
            ALT if self.term.mode().contains(TermMode::ALT_SCREEN) => {
                self.term.unset_private_mode(ALT);
                settle_cursors(self.term.grid_mut());
                self.swap_keyboard_stacks();
            }
            mode @ PrivateMode::Named(NamedPrivateMode::Origin) => {
                self.term.unset_private_mode(mode);
                self.term.goto(0, 0);
            }
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => {
                self.term.unset_private_mode(mode);
                self.extra.region = (0, self.term.screen_lines());
            }
            mode => self.term.unset_private_mode(mode),
        }
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        let rows = self.term.screen_lines();
        let bottom = bottom.unwrap_or(rows).min(rows);
        // The engine takes a region that begins below the screen; nothing good comes of it.
        if top == 0 || top >= bottom {
            return;
        }
        self.term.set_scrolling_region(top, Some(bottom));
        self.extra.region = (top - 1, bottom);
    }

    fn set_active_charset(&mut self, index: CharsetIndex) {
        self.extra.charset = index;
        self.term.set_active_charset(index);
    }

    fn set_horizontal_tabstop(&mut self) {
        self.term.set_horizontal_tabstop();
        let col = self.term.grid().cursor.point.column.0;
        self.extra.tabs[col] = true;
    }

    fn clear_tabs(&mut self, mode: TabulationClearMode) {
        let col = self.term.grid().cursor.point.column.0;
        match mode {
            TabulationClearMode::Current => self.extra.tabs[col] = false,
            TabulationClearMode::All => self.extra.tabs.fill(false),
        }
        self.term.clear_tabs(mode);
    }

    /// `CSI ? 5 W`: the engine leaves this one out.
    fn set_tabs(&mut self, _interval: u16) {
        self.extra.tabs = default_tabs(self.term.columns());
        let point = self.term.grid().cursor.point;
        for col in 0..self.term.columns() {
            self.term.grid_mut().cursor.point.column = Column(col);
            if self.extra.tabs[col] {
                self.term.set_horizontal_tabstop();
            } else {
                self.term.clear_tabs(TabulationClearMode::Current);
            }
        }
        self.term.grid_mut().cursor.point = point;
    }

    fn reset_state(&mut self) {
        self.term.reset_state();
        let (cols, rows) = (self.term.columns(), self.term.screen_lines());
        let had_title = self.extra.title.is_some();
        let (replies, mut signals) = (std::mem::take(&mut self.extra.replies), std::mem::take(&mut self.extra.signals));
        if had_title {
            signals.push(Signal::Title(String::new()));
        }
        *self.extra = Extra { replies, signals, ..Extra::new(cols, rows) };
    }

    fn push_keyboard_mode(&mut self, mode: KeyboardModes) {
        if self.extra.keyboard[0].len() < MAX_STACK {
            self.extra.keyboard[0].push(mode.bits());
            self.term.push_keyboard_mode(mode);
        }
    }

    fn pop_keyboard_modes(&mut self, count: u16) {
        let stack = &mut self.extra.keyboard[0];
        stack.truncate(stack.len().saturating_sub(usize::from(count)));
        self.term.pop_keyboard_modes(count);
    }

    fn set_modify_other_keys(&mut self, mode: ModifyOtherKeys) {
        self.extra.modify_other_keys = match mode {
            ModifyOtherKeys::Reset => 0,
            ModifyOtherKeys::EnableExceptWellDefined => 1,
            ModifyOtherKeys::EnableAll => 2,
        };
    }

    fn set_title(&mut self, title: Option<String>) {
        let title = title.map(|t| signals::text(t.as_bytes()));
        if title != self.extra.title {
            self.extra.signals.push(Signal::Title(title.clone().unwrap_or_default()));
            self.extra.title = title;
        }
    }

    fn push_title(&mut self) {
        if self.extra.title_stack.len() < MAX_STACK {
            self.extra.title_stack.push(self.extra.title.clone());
        }
    }

    fn pop_title(&mut self) {
        if let Some(title) = self.extra.title_stack.pop() {
            self.set_title(title);
        }
    }

    fn bell(&mut self) {
        // A program that rings in a loop needs to be heard once per read.
        if self.extra.signals.last() != Some(&Signal::Bell) {
            self.extra.signals.push(Signal::Bell);
        }
    }

    fn identify_terminal(&mut self, intermediate: Option<char>) {
        self.reply(replies::device_attributes(intermediate));
    }

    fn device_status(&mut self, arg: usize) {
        let grid = self.term.grid();
        let (line, col) = (grid.cursor.point.line.0 as usize, grid.cursor.point.column.0);
        let origin = if self.term.mode().contains(TermMode::ORIGIN) { self.extra.region.0 } else { 0 };
        match arg {
            5 => self.reply("\x1b[0n"),
            6 => self.reply(&format!("\x1b[{};{}R", line.saturating_sub(origin) + 1, col + 1)),
            _ => {}
        }
    }

    fn report_mode(&mut self, mode: Mode) {
        let state = match mode {
            Mode::Named(NamedMode::Insert) => replies::mode_state(self.term.mode().contains(TermMode::INSERT)),
            Mode::Named(NamedMode::LineFeedNewLine) => {
                replies::mode_state(self.term.mode().contains(TermMode::LINE_FEED_NEW_LINE))
            }
            Mode::Unknown(_) => 0,
        };
        self.reply(&format!("\x1b[{};{state}$y", mode.raw()));
    }

    fn report_private_mode(&mut self, mode: PrivateMode) {
        let state = replies::private_mode(mode.raw(), *self.term.mode(), self.term.cursor_style().blinking);
        self.reply(&format!("\x1b[?{};{state}$y", mode.raw()));
    }

    fn report_keyboard_mode(&mut self) {
        let flags = replies::keyboard_flags(*self.term.mode());
        self.reply(&format!("\x1b[?{flags}u"));
    }

    fn report_modify_other_keys(&mut self) {
        let level = self.extra.modify_other_keys;
        self.reply(&format!("\x1b[>4;{level}m"));
    }

    fn text_area_size_pixels(&mut self) {
        let (w, h) = (self.term.columns() * replies::CELL_WIDTH, self.term.screen_lines() * replies::CELL_HEIGHT);
        self.reply(&format!("\x1b[4;{h};{w}t"));
    }

    fn text_area_size_chars(&mut self) {
        let (cols, rows) = (self.term.columns(), self.term.screen_lines());
        self.reply(&format!("\x1b[8;{rows};{cols}t"));
    }

    fn dynamic_color_sequence(&mut self, prefix: String, index: usize, terminator: &str) {
        let color = self.term.colors()[index].unwrap_or_else(|| replies::palette(index));
        let Rgb { r, g, b } = color;
        self.reply(&format!("\x1b]{prefix};rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}{terminator}"));
    }

    /// Programs inside may not read what a person copied elsewhere.
    fn clipboard_load(&mut self, _clipboard: u8, _terminator: &str) {}

    /// There is no clipboard here; an attached terminal gets the sequence with the output.
    fn clipboard_store(&mut self, _clipboard: u8, _base64: &[u8]) {}

    pass! {
        set_cursor_style(style: Option<CursorStyle>);
        set_cursor_shape(shape: CursorShape);
        goto(line: i32, col: usize);
        goto_line(line: i32);
        move_forward(cols: usize);
        move_backward(cols: usize);
        backspace();
        carriage_return();
        substitute();
        newline();
        scroll_up(lines: usize);
        scroll_down(lines: usize);
        move_forward_tabs(count: u16);
        save_cursor_position();
        restore_cursor_position();
        reverse_index();
        terminal_attribute(attr: Attr);
        set_mode(mode: Mode);
        unset_mode(mode: Mode);
        set_keypad_application_mode();
        unset_keypad_application_mode();
        configure_charset(index: CharsetIndex, charset: StandardCharset);
        set_color(index: usize, color: Rgb);
        reset_color(index: usize);
        decaln();
        set_hyperlink(link: Option<Hyperlink>);
        set_mouse_cursor_icon(icon: CursorIcon);
        set_keyboard_mode(mode: KeyboardModes, behaviour: KeyboardModesApplyBehavior);
        set_scp(path: ScpCharPath, update: ScpUpdateMode);
    }
}
