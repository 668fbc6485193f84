//! Colours as a reader of the screen sees them.

use alacritty_terminal::vte::ansi::{Color as EngineColor, NamedColor};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    #[default]
    Default,
    Indexed(u8),
    Rgb(u8, u8, u8),
}

impl From<EngineColor> for Color {
    fn from(color: EngineColor) -> Self {
        match color {
            // The sixteen come first in the engine's list; what follows are kinds of default.
            EngineColor::Named(name) if (name as usize) < 16 => Color::Indexed(name as u8),
            EngineColor::Named(NamedColor::Foreground | NamedColor::Background) => Color::Default,
            EngineColor::Named(_) => Color::Default,
            EngineColor::Indexed(index) => Color::Indexed(index),
            EngineColor::Spec(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
        }
    }
}

/// The xterm palette.
#[must_use]
pub(crate) fn indexed(index: u8) -> (u8, u8, u8) {
    const BASE: [(u8, u8, u8); 16] = [
        (0x00, 0x00, 0x00),
        (0xcd, 0x31, 0x31),
        (0x0d, 0xbc, 0x79),
        (0xe5, 0xe5, 0x10),
        (0x24, 0x72, 0xc8),
        (0xbc, 0x3f, 0xbc),
        (0x11, 0xa8, 0xcd),
        (0xe5, 0xe5, 0xe5),
        (0x66, 0x66, 0x66),
        (0xf1, 0x4c, 0x4c),
        (0x23, 0xd1, 0x8b),
        (0xf5, 0xf5, 0x43),
        (0x3b, 0x8e, 0xea),
        (0xd6, 0x70, 0xd6),
        (0x29, 0xb8, 0xdb),
        (0xff, 0xff, 0xff),
    ];
    let level = |n: u8| if n == 0 { 0 } else { 55 + n * 40 };
    match index {
        0..16 => BASE[usize::from(index)],
        16..232 => {
            let n = index - 16;
            (level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        232.. => {
            let grey = 8 + (index - 232) * 10;
            (grey, grey, grey)
        }
    }
}
