//! The person's window, and which part of it shows the session.

use coop_terminal::Size;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    cols: u16,
    rows: u16,
    status: bool,
}

impl Layout {
    /// A window that is one row high has no room for a status line.
    pub(super) fn new((cols, rows): (u16, u16), status: bool) -> Self {
        Self { cols, rows, status: status && rows > 1 }
    }

    pub(super) fn cols(self) -> u16 {
        self.cols
    }

    /// Rows that show the session.
    pub(super) fn body(self) -> u16 {
        self.rows - u16::from(self.status)
    }

    /// The row of the status line, from 0.
    pub(super) fn status_row(self) -> Option<u16> {
        self.status.then(|| self.body())
    }

    /// The size a session must have to fill it.
    pub(super) fn size(self) -> Size {
        Size::clamped(self.cols, self.body())
    }

    /// Whether a screen of this size can be seen whole.
    pub(super) fn fits(self, size: Size) -> bool {
        size.cols() <= self.cols && size.rows() <= self.body()
    }

    /// The first row of a screen to show: as few are left out as needed to see the row with the cursor.
    pub(super) fn top(self, size: Size, cursor_row: u16) -> u16 {
        let last = size.rows().saturating_sub(self.body());
        (cursor_row + 1).saturating_sub(self.body()).min(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let layout = Layout::new((80, 24), true);
        assert_eq!((layout.size().to_string(), layout.status_row()), ("80x23".into(), Some(23)));
        assert_eq!(Layout::new((80, 24), false).size().to_string(), "80x24");
        assert_eq!(Layout::new((80, 1), true).status_row(), None);
        let size = Size::new(80, 50).unwrap();
        assert!(!layout.fits(size) && layout.fits(layout.size()));
        for (cursor, top) in [(0, 0), (22, 0), (23, 1), (49, 27)] {
            assert_eq!(layout.top(size, cursor), top, "cursor in row {cursor}");
        }
        assert_eq!(layout.top(layout.size(), 22), 0);
    }
}
