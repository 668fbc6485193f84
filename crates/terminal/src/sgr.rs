//! Colours and attributes, straight onto the cursor's template.
//!
//! `CSI … m` is what coloured output is made of: half of the parser's work. This does the same by the same rules.

use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::{Color, NamedColor, Rgb};

const FOREGROUND: Color = Color::Named(NamedColor::Foreground);
const BACKGROUND: Color = Color::Named(NamedColor::Background);

const NAMED: [NamedColor; 16] = [
    NamedColor::Black,
    NamedColor::Red,
    NamedColor::Green,
    NamedColor::Yellow,
    NamedColor::Blue,
    NamedColor::Magenta,
    NamedColor::Cyan,
    NamedColor::White,
    NamedColor::BrightBlack,
    NamedColor::BrightRed,
    NamedColor::BrightGreen,
    NamedColor::BrightYellow,
    NamedColor::BrightBlue,
    NamedColor::BrightMagenta,
    NamedColor::BrightCyan,
    NamedColor::BrightWhite,
];

/// Applies the numbers that stand between `CSI` and `m`.
pub(crate) fn apply(template: &mut Cell, params: &[u16]) {
    let mut rest = params.iter().copied();
    while let Some(param) = rest.next() {
        attribute(template, param, &mut rest);
    }
}

fn attribute(template: &mut Cell, param: u16, rest: &mut impl Iterator<Item = u16>) {
    let flags = &mut template.flags;
    match param {
        0 => {
            template.fg = FOREGROUND;
            template.bg = BACKGROUND;
            template.flags = Flags::empty();
            if template.extra.is_some() {
                template.set_underline_color(None);
            }
        }
        1 => flags.insert(Flags::BOLD),
        2 => flags.insert(Flags::DIM),
        3 => flags.insert(Flags::ITALIC),
        4 => {
            flags.remove(Flags::ALL_UNDERLINES);
            flags.insert(Flags::UNDERLINE);
        }
        7 => flags.insert(Flags::INVERSE),
        8 => flags.insert(Flags::HIDDEN),
        9 => flags.insert(Flags::STRIKEOUT),
        21 => flags.remove(Flags::BOLD),
        22 => flags.remove(Flags::BOLD | Flags::DIM),
        23 => flags.remove(Flags::ITALIC),
        24 => flags.remove(Flags::ALL_UNDERLINES),
        27 => flags.remove(Flags::INVERSE),
        28 => flags.remove(Flags::HIDDEN),
        29 => flags.remove(Flags::STRIKEOUT),
        30..=37 => template.fg = named(param - 30),
        38 => template.fg = color(rest).unwrap_or(template.fg),
        39 => template.fg = FOREGROUND,
        40..=47 => template.bg = named(param - 40),
        48 => template.bg = color(rest).unwrap_or(template.bg),
        49 => template.bg = BACKGROUND,
        58 => {
            if let Some(color) = color(rest) {
                template.set_underline_color(Some(color));
            }
        }
        59 => template.set_underline_color(None),
        90..=97 => template.fg = named(param - 90 + 8),
        100..=107 => template.bg = named(param - 100 + 8),
        _ => {}
    }
}

fn named(index: u16) -> Color {
    Color::Named(NAMED[usize::from(index) % NAMED.len()])
}

/// `5;n` or `2;r;g;b`. Parameters up to the first that does not fit are used up.
fn color(rest: &mut impl Iterator<Item = u16>) -> Option<Color> {
    let mut byte = || u8::try_from(rest.next()?).ok();
    match byte()? {
        2 => Some(Color::Spec(Rgb { r: byte()?, g: byte()?, b: byte()? })),
        5 => Some(Color::Indexed(byte()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alacritty_terminal::Term;
    use alacritty_terminal::event::VoidListener;
    use alacritty_terminal::grid::Dimensions;
    use alacritty_terminal::vte::ansi::{Processor, StdSyncHandler};
    use proptest::prelude::*;

    struct Small;

    impl Dimensions for Small {
        fn total_lines(&self) -> usize {
            2
        }
        fn screen_lines(&self) -> usize {
            2
        }
        fn columns(&self) -> usize {
            4
        }
    }

    /// What the parser and the engine make of the same.
    fn by_parser(sequences: &[String]) -> Cell {
        let mut term = Term::new(Default::default(), &Small, VoidListener);
        let mut parser = Processor::<StdSyncHandler>::new();
        for body in sequences {
            parser.advance(&mut term, format!("\x1b[{body}m").as_bytes());
        }
        term.grid().cursor.template.clone()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

        #[test]
        fn as_the_parser_does(
            sequences in prop::collection::vec("(([0-9]|[2-4][0-9]|5[89]|9[0-9]|10[0-9]|[34]8;5;[0-9]{1,3}|[345]8;2;[0-9]{1,3};[0-9]{1,3};[0-9]{1,3}|[0-9]{0,4});?){0,12}", 0..8)
        ) {
            let mut template = Cell::default();
            for body in &sequences {
                let digit = |n: u16, digit| n.saturating_mul(10).saturating_add(u16::from(digit - b'0'));
                let params: Vec<u16> = body.split(';').map(|number| number.bytes().fold(0, digit)).collect();
                // The parser ignores a sequence with more.
                if params.len() <= 32 {
                    apply(&mut template, &params);
                }
            }
            prop_assert_eq!(template, by_parser(&sequences));
        }
    }
}
