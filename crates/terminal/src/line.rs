//! The line that the cursor is in: where a program that reads lines shows its prompt and what is typed.

use alacritty_terminal::grid::{Dimensions as _, Row};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};

use crate::Screen;
use crate::view::glyphs;

impl Screen {
    /// What stands before the cursor in its line, without blanks at the end. A line that was too long for its row begins
    /// above it.
    #[must_use]
    pub fn before_cursor(&self) -> String {
        let grid = self.term.grid();
        let point = grid.cursor.point;
        // At the margin the cursor stays on the last character until the next one comes.
        let end = point.column.0 + usize::from(grid.cursor.input_needs_wrap);
        let top = -(grid.history_size() as i32);
        let wraps = |line: &i32| is_wrapped(&grid[Line(*line)]);
        let above = (top..point.line.0).rev().take_while(wraps).count() as i32;
        let first = point.line.0 - above;
        let mut text = String::new();
        for line in first..=point.line.0 {
            let row = &grid[Line(line)];
            let end = if line == point.line.0 { end } else { row.len() };
            glyphs(row).take_while(|glyph| glyph.col < end).for_each(|glyph| glyph.push_to(&mut text));
        }
        text.truncate(text.trim_end().len());
        text
    }
}

fn is_wrapped(row: &Row<Cell>) -> bool {
    row.len().checked_sub(1).is_some_and(|last| row[Column(last)].flags.contains(Flags::WRAPLINE))
}

#[cfg(test)]
mod tests {
    use crate::{Options, Screen, Size};

    #[test]
    fn the_line_of_the_cursor_is_whole_however_it_is_wrapped() {
        for (output, expected) in [
            ("", ""),
            ("$ ", "$"),
            ("$ echo hi", "$ echo hi"),
            ("$ echo hi\r\n", ""),
            ("one\r\n$ echo", "$ echo"),
            ("$ echo hi\x1b[3D", "$ echo"),
            ("$ 0123456789", "$ 0123456789"),
            ("$ 01234567", "$ 01234567"),
            ("──────────\r\n> 89", "> 89"),
            (
                "$ 012345678901234567890123456789012345678901234567890",
                "$ 012345678901234567890123456789012345678901234567890",
            ),
        ] {
            let mut screen = Screen::new(Size::new(10, 4).unwrap(), Options::default());
            screen.feed(output.as_bytes()).unwrap();
            assert_eq!(screen.before_cursor(), expected, "{output:?}");
        }
    }
}
