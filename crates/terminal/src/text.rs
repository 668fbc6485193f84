//! Characters onto the grid: the fast way for plain text, the careful way for everything else.
//!
//! A cell holds one grapheme cluster. Whether a character joins the cell left of the cursor is decided from that cell
//! alone, so there is no hidden state a repaint could miss.

use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::{CharsetIndex, Handler, StandardCharset};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::guard::{Guard, heal_row};

/// A family emoji has seven code points, a flag of a region seven; more in one cell is an attack on memory.
const MAX_ZERO_WIDTH: usize = 16;

/// The first byte of the characters that [`drawing_len`] counts.
const DRAWING_LEAD: u8 = 0xe2;

const ZWJ: char = '\u{200d}';
const EMOJI_PRESENTATION: char = '\u{fe0f}';

impl Guard<'_> {
    /// Bytes from 0x80 on.
    pub(crate) fn unicode(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((_, after)) = rest.split_first() {
            let taken = match drawing_len(rest) {
                // Up to the next that may be one.
                0 => {
                    let other = 1 + after.iter().position(|&byte| byte == DRAWING_LEAD).unwrap_or(after.len());
                    self.characters(&rest[..other]);
                    other
                }
                drawn => {
                    self.stretch(&rest[..drawn], drawing);
                    drawn
                }
            };
            rest = &rest[taken..];
        }
    }

    fn characters(&mut self, bytes: &[u8]) {
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars().filter(|c| !matches!(c, '\u{80}'..='\u{9f}')) {
                self.put(c);
            }
            match chunk.invalid() {
                // C1 controls as single bytes are noise in UTF-8, not characters.
                [] | [0x80..=0x9f] => {}
                _ => self.put(char::REPLACEMENT_CHARACTER),
            }
        }
    }

    pub(crate) fn control(&mut self, byte: u8) {
        match byte {
            b'\t' => self.put_tab(1),
            0x08 => self.backspace(),
            b'\r' => self.carriage_return(),
            b'\n' | 0x0b | 0x0c => self.linefeed(),
            0x07 => self.bell(),
            0x0e => self.set_active_charset(CharsetIndex::G1),
            0x0f => self.set_active_charset(CharsetIndex::G0),
            _ => {}
        }
    }

    /// Printable ASCII.
    pub(crate) fn ascii(&mut self, run: &[u8]) {
        self.stretch(run, |&[byte]| byte as char);
    }

    /// Narrow characters of `N` bytes that join no others, as many at a time as the line has room for.
    #[inline]
    fn stretch<const N: usize>(&mut self, run: &[u8], character: impl Fn(&[u8; N]) -> char) {
        let (mut rest, _) = run.as_chunks::<N>();
        let charset = self.term.grid().cursor.charsets[self.extra.charset];
        if charset != StandardCharset::Ascii || self.term.mode().contains(TermMode::INSERT) {
            rest.iter().for_each(|bytes| self.put(character(bytes)));
            return;
        }
        let columns = self.term.columns();
        while let Some(first) = rest.first() {
            let grid = self.term.grid_mut();
            if grid.cursor.input_needs_wrap {
                // The engine knows how to wrap.
                self.put(character(first));
                rest = &rest[1..];
                continue;
            }
            let (line, from) = (grid.cursor.point.line, grid.cursor.point.column.0);
            let count = rest.len().min(columns - from);
            let template = grid.cursor.template.clone();
            let row = &mut grid[line];
            if write(&mut row[Column(from)..Column(from + count)], &template, rest.iter().map(&character)) {
                heal_row(&mut row[..]);
            }
            grid.cursor.input_needs_wrap = from + count == columns;
            grid.cursor.point.column = Column((from + count).min(columns - 1));
            self.extra.last_char = Some(character(&rest[count - 1]));
            rest = &rest[count..];
        }
    }

    /// One character, with its width in mind.
    pub(crate) fn put(&mut self, c: char) {
        let width = c.width().unwrap_or(0);
        if width == 0 {
            return self.combine(c);
        }
        if c >= '\u{300}' && self.joins_previous(c) {
            return;
        }
        self.extra.last_char = Some(c);
        let grid = self.term.grid_mut();
        let (line, col) = (grid.cursor.point.line, grid.cursor.point.column);
        let charset = grid.cursor.charsets[self.extra.charset];
        let plain = width == 1 && charset == StandardCharset::Ascii && !grid.cursor.input_needs_wrap;
        if !plain || self.term.mode().contains(TermMode::INSERT) {
            return self.put_by_engine(c);
        }
        let columns = self.term.columns();
        let grid = self.term.grid_mut();
        let template = &grid.cursor.template;
        let cell = Cell { c, fg: template.fg, bg: template.bg, flags: template.flags, extra: template.extra.clone() };
        let old = std::mem::replace(&mut grid[line][col], cell);
        if old.flags.intersects(Flags::WIDE_CHAR | Flags::WIDE_CHAR_SPACER) {
            heal_row(&mut grid[line][..]);
        }
        grid.cursor.input_needs_wrap = col.0 + 1 == columns;
        grid.cursor.point.column = Column((col.0 + 1).min(columns - 1));
    }

    /// Wrapping, wide characters, other character sets and insertion.
    fn put_by_engine(&mut self, c: char) {
        self.term.input(c);
        if self.term.mode().contains(TermMode::INSERT) {
            let line = self.term.grid().cursor.point.line;
            heal_row(&mut self.term.grid_mut()[line][..]);
        }
    }

    /// Adds a character without a width to the cell left of the cursor, if there is one.
    fn combine(&mut self, c: char) {
        let Some((line, col)) = self.previous() else { return };
        let cell = &self.term.grid()[line][col];
        if cell.zerowidth().unwrap_or_default().len() >= MAX_ZERO_WIDTH {
            return;
        }
        let widens = c == EMOJI_PRESENTATION && !cell.flags.contains(Flags::WIDE_CHAR) && cluster(cell, c).width() == 2;
        // Where there is no room for a wide one it stays as it is: a narrow cell never holds a wide cluster.
        if widens && !self.has_room(col) {
            return;
        }
        self.term.grid_mut()[line][col].push_zerowidth(c);
        if widens {
            self.widen(line, col);
        }
    }

    /// Puts `c`, which has a width of its own, into the cell left of the cursor if it continues the cluster there.
    fn joins_previous(&mut self, c: char) -> bool {
        let Some((line, col)) = self.previous() else { return false };
        let cell = &self.term.grid()[line][col];
        if !joins(cell, c) {
            return false;
        }
        let narrow = !cell.flags.contains(Flags::WIDE_CHAR);
        if narrow && !self.has_room(col) {
            return false;
        }
        self.term.grid_mut()[line][col].push_zerowidth(c);
        if narrow {
            self.widen(line, col);
        }
        true
    }

    /// The cell the next zero-width character belongs to.
    fn previous(&self) -> Option<(Line, Column)> {
        let grid = self.term.grid();
        let point = grid.cursor.point;
        let mut col = point.column;
        if !grid.cursor.input_needs_wrap {
            col = Column(col.0.checked_sub(1)?);
        }
        if col > 0 && grid[point.line][col].flags.contains(Flags::WIDE_CHAR_SPACER) {
            col -= 1;
        }
        Some((point.line, col))
    }

    /// Whether the narrow cell left of the cursor could become a wide one.
    fn has_room(&self, col: Column) -> bool {
        let cursor = &self.term.grid().cursor;
        !cursor.input_needs_wrap && cursor.point.column == col + 1
    }

    /// Makes the narrow cell left of the cursor a wide one: it turned out to be an emoji.
    fn widen(&mut self, line: Line, col: Column) {
        let columns = self.term.columns();
        let grid = self.term.grid_mut();
        let spacer = Cell {
            c: ' ',
            flags: grid.cursor.template.flags | Flags::WIDE_CHAR_SPACER,
            ..grid.cursor.template.clone()
        };
        grid[line][col].flags.insert(Flags::WIDE_CHAR);
        grid[line][col + 1] = spacer;
        heal_row(&mut grid[line][..]);
        grid.cursor.input_needs_wrap = col.0 + 2 == columns;
        grid.cursor.point.column = Column((col.0 + 2).min(columns - 1));
    }
}

/// Fills cells with characters that look like `template`. True if one of them was half of a wide character.
#[inline]
fn write(cells: &mut [Cell], template: &Cell, characters: impl Iterator<Item = char>) -> bool {
    let mut held = Flags::empty();
    let mut bare = template.extra.is_none();
    for cell in &*cells {
        held |= cell.flags;
        bare &= cell.extra.is_none();
    }
    // Of two loops the first is the usual one, and has nothing in it that could slow it down.
    if bare {
        for (cell, c) in cells.iter_mut().zip(characters) {
            (cell.c, cell.fg, cell.bg, cell.flags) = (c, template.fg, template.bg, template.flags);
        }
    } else {
        for (cell, c) in cells.iter_mut().zip(characters) {
            *cell = Cell { c, ..template.clone() };
        }
    }
    held.intersects(Flags::WIDE_CHAR | Flags::WIDE_CHAR_SPACER)
}

/// How many bytes at the beginning are box drawing, block elements and braille patterns: what frames, bars and
/// spinners are made of. All of them are narrow, and none ever joins another character.
fn drawing_len(bytes: &[u8]) -> usize {
    let is_drawing = |c: &&[u8; 3]| {
        let [lead, middle, last] = **c;
        let in_range = matches!((middle, last), (0x94 | 0x95 | 0xa0..=0xa3, 0x80..=0xbf) | (0x96, 0x80..=0x9f));
        lead == DRAWING_LEAD && in_range
    };
    let (characters, _) = bytes.as_chunks();
    3 * characters.iter().take_while(is_drawing).count()
}

/// One of those, which have three bytes each.
fn drawing(&[_, middle, last]: &[u8; 3]) -> char {
    char::from_u32(0x2000 | u32::from(middle & 0x3f) << 6 | u32::from(last & 0x3f)).unwrap_or(' ')
}

/// Whether `c`, which has a width of its own, belongs to the cluster in `cell`.
pub(crate) fn joins(cell: &Cell, c: char) -> bool {
    let zero_width = cell.zerowidth().unwrap_or_default();
    let may_join = zero_width.last() == Some(&ZWJ) || matches!(c, '\u{1f3fb}'..='\u{1f3ff}');
    if !may_join || zero_width.len() >= MAX_ZERO_WIDTH {
        return false;
    }
    let cluster = cluster(cell, c);
    // By the letter of the standard a skin tone joins anything; only what becomes one emoji is one.
    cluster.graphemes(true).nth(1).is_none() && cluster.width() == 2
}

fn cluster(cell: &Cell, next: char) -> String {
    let zero_width = cell.zerowidth().unwrap_or_default();
    std::iter::once(cell.c).chain(zero_width.iter().copied()).chain(Some(next)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted as they are put one by one, and read as they are.
    #[test]
    fn drawings_are_narrow_and_join_nothing() {
        for c in '\u{2000}'..'\u{3000}' {
            let bytes = c.to_string().into_bytes();
            let expected = matches!(c, '\u{2500}'..='\u{259f}' | '\u{2800}'..='\u{28ff}');
            assert_eq!(drawing_len(&bytes) > 0, expected, "{c:?}");
            if expected {
                assert_eq!(bytes.first_chunk().map(drawing), Some(c));
                assert_eq!(c.width(), Some(1), "{c:?}");
                let mut joining = Cell { c: '👩', ..Cell::default() };
                joining.push_zerowidth(ZWJ);
                assert!(!joins(&joining, c), "{c:?}");
            }
        }
    }
}
