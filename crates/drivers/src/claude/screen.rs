//! What the screen shows.

use crate::table::Table;
use crate::view::{Reading, ScreenView};

pub(super) fn read(_table: &Table, _view: &ScreenView<'_>) -> Reading {
    Reading::default()
}
