//! The size of a terminal, checked once where it enters.

use std::fmt;

/// Columns and rows within the bounds the engine is known to survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    cols: u16,
    rows: u16,
}

/// A size outside the bounds, with the numbers that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a terminal of {cols}x{rows} is not possible: columns go from 2 to 1000, rows from 1 to 1000")]
pub struct SizeError {
    cols: u32,
    rows: u32,
}

impl Size {
    /// The engine hangs on one column: a wide character never fits.
    pub const MIN_COLS: u16 = 2;
    pub const MIN_ROWS: u16 = 1;
    /// 1000x1000 cells of 24 bytes are 24 MB, the most one screen may cost.
    pub const MAX: u16 = 1000;

    pub fn new(cols: u32, rows: u32) -> Result<Self, SizeError> {
        let bounded = |n: u32, min: u16| u16::try_from(n).ok().filter(|n| (min..=Self::MAX).contains(n));
        match (bounded(cols, Self::MIN_COLS), bounded(rows, Self::MIN_ROWS)) {
            (Some(cols), Some(rows)) => Ok(Self { cols, rows }),
            _ => Err(SizeError { cols, rows }),
        }
    }

    /// The nearest size within the bounds, for sizes that come from a person's window and not from a request.
    #[must_use]
    pub fn clamped(cols: u16, rows: u16) -> Self {
        Self { cols: cols.clamp(Self::MIN_COLS, Self::MAX), rows: rows.clamp(Self::MIN_ROWS, Self::MAX) }
    }

    #[must_use]
    pub fn cols(self) -> u16 {
        self.cols
    }

    #[must_use]
    pub fn rows(self) -> u16 {
        self.rows
    }
}

impl Default for Size {
    /// Wide enough that agents do not fold their output.
    fn default() -> Self {
        Self { cols: 200, rows: 50 }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.cols, self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_checked() {
        for (cols, rows, ok) in [
            (200, 50, true),
            (2, 1, true),
            (1000, 1000, true),
            (1, 50, false),
            (200, 0, false),
            (1001, 50, false),
            (65_536 + 200, 50, false),
        ] {
            assert_eq!(Size::new(cols, rows).is_ok(), ok, "{cols}x{rows}");
        }
        let smallest =
            format!("columns go from {} to {1}, rows from {2} to {1}", Size::MIN_COLS, Size::MAX, Size::MIN_ROWS);
        assert!(Size::new(0, 0).unwrap_err().to_string().ends_with(&smallest));
        assert_eq!(Size::clamped(0, 9999).to_string(), "2x1000");
    }
}
