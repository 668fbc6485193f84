//! Text that a person types: one line or several, with a cursor that moves by what people see as one character.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::text::{fold, width};

/// More than anybody types; pasting a log by mistake does no harm.
const MOST: usize = 100_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editor {
    text: String,
    /// Bytes before the cursor.
    at: usize,
}

impl From<&str> for Editor {
    /// With the cursor at the end.
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), at: text.len() }
    }
}

impl Editor {
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub fn insert(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if self.text.len() + text.len() <= MOST {
            self.text.insert_str(self.at, &text);
            self.at += text.len();
        }
    }

    pub fn backspace(&mut self) {
        let end = self.at;
        self.left();
        self.text.replace_range(self.at..end, "");
    }

    pub fn delete(&mut self) {
        let end = self.at + self.text[self.at..].graphemes(true).next().map_or(0, str::len);
        self.text.replace_range(self.at..end, "");
    }

    /// The word before the cursor, and blanks behind it.
    pub fn delete_word(&mut self) {
        let before = self.text[..self.at].trim_end();
        let begin = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        // A blank may have more than one byte.
        let begin = (begin..=self.at).find(|at| self.text.is_char_boundary(*at)).unwrap_or(self.at);
        self.text.replace_range(begin..self.at, "");
        self.at = begin;
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn to_begin(&mut self) {
        self.at = 0;
    }

    pub fn left(&mut self) {
        self.at -= self.text[..self.at].graphemes(true).next_back().map_or(0, str::len);
    }

    pub fn right(&mut self) {
        self.at += self.text[self.at..].graphemes(true).next().map_or(0, str::len);
    }

    pub fn home(&mut self) {
        self.at = self.line_begin();
    }

    pub fn end(&mut self) {
        self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at);
    }

    /// Whether there was a line above.
    pub fn up(&mut self) -> bool {
        let begin = self.line_begin();
        if begin == 0 {
            return false;
        }
        let column = width(&self.text[begin..self.at]);
        self.at = begin - 1;
        self.at = self.line_begin();
        self.forward(column);
        true
    }

    /// Whether there was a line below.
    pub fn down(&mut self) -> bool {
        let column = width(&self.text[self.line_begin()..self.at]);
        let Some(next) = self.text[self.at..].find('\n') else { return false };
        self.at += next + 1;
        self.forward(column);
        true
    }

    fn line_begin(&self) -> usize {
        self.text[..self.at].rfind('\n').map_or(0, |at| at + 1)
    }

    /// At most so many cells, and not into the next line.
    fn forward(&mut self, column: usize) {
        let mut used = 0;
        for grapheme in self.text[self.at..].graphemes(true) {
            used += width(grapheme);
            if grapheme == "\n" || used > column {
                break;
            }
            self.at += grapheme.len();
        }
    }

    /// As lines of at most so many cells, and the line and column of the cursor.
    #[must_use]
    pub fn lines(&self, most: usize) -> (Vec<String>, (usize, usize)) {
        let before = fold(&self.text[..self.at], most);
        let (line, column) = (before.len() - 1, before.last().map_or(0, |line| width(line)));
        let mut lines = fold(&self.text, most);
        // Behind a full line the cursor is on the next one.
        let place = if column >= most.max(1) { (line + 1, 0) } else { (line, column) };
        if place.0 >= lines.len() {
            lines.push(String::new());
        }
        (lines, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn typing() {
        let mut editor = Editor::from("héllo 👩‍🚀");
        editor.backspace();
        assert_eq!(editor.text(), "héllo ");
        editor.insert("two words");
        editor.delete_word();
        assert_eq!(editor.text(), "héllo two ");
        editor.home();
        editor.delete();
        editor.insert("J");
        assert_eq!(editor.text(), "Jéllo two ");
        editor.insert("a\r\nb");
        assert_eq!(editor.lines(80), (vec!["Ja".into(), "béllo two ".into()], (1, 1)));
        assert!(editor.up() && !editor.up() && editor.down() && !editor.down());
        editor.clear();
        assert!(editor.is_empty());
    }

    #[test]
    fn a_full_line_has_the_cursor_below() {
        assert_eq!(Editor::from("abcd").lines(4), (vec!["abcd".into(), String::new()], (1, 0)));
    }

    proptest! {
        #[test]
        fn the_cursor_is_always_between_characters(steps in prop::collection::vec((0_u8..10, "\\PC{0,3}"), 0..60)) {
            let mut editor = Editor::default();
            for (step, text) in steps {
                match step {
                    0 => editor.insert(&text),
                    1 => editor.backspace(),
                    2 => editor.delete(),
                    3 => editor.delete_word(),
                    4 => editor.left(),
                    5 => editor.right(),
                    6 => editor.insert("\n"),
                    7 => { editor.up(); }
                    8 => { editor.down(); }
                    _ => editor.home(),
                }
                let (lines, (row, column)) = editor.lines(7);
                prop_assert!(row < lines.len() && column < 7);
            }
        }
    }
}
