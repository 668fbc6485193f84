//! What we say when a program asks what kind of terminal it is in.
//!
//! Agents ask at start-up and wait up to a second for each answer, so each question they ask has one.

use alacritty_terminal::term::TermMode;
use alacritty_terminal::vte::ansi::Rgb;

/// A cell of a common font; programs that ask for pixels only need the ratio.
pub(crate) const CELL_WIDTH: usize = 8;
pub(crate) const CELL_HEIGHT: usize = 16;

/// Dark, as most terminals are, so that agents choose colours that can be read on the default board.
const FOREGROUND: Rgb = Rgb { r: 0xd8, g: 0xd8, b: 0xd8 };
const BACKGROUND: Rgb = Rgb { r: 0x18, g: 0x18, b: 0x18 };

/// Indexes the engine gives to the default colours.
const NAMED_FOREGROUND: usize = 256;
const NAMED_BACKGROUND: usize = 257;

/// DA1: a VT220 with colour. DA2: a number without meaning.
pub(crate) fn device_attributes(intermediate: Option<char>) -> &'static str {
    match intermediate {
        None => "\x1b[?62;22c",
        Some('>') => "\x1b[>1;100;0c",
        Some(_) => "",
    }
}

/// XTVERSION.
pub(crate) fn version() -> String {
    format!("\x1bP>|coop({})\x1b\\", env!("CARGO_PKG_VERSION"))
}

/// `CSI ? 996 n`: 1 is dark.
pub(crate) const COLOR_SCHEME: &str = "\x1b[?997;1n";

/// The answer to OSC 7501's question is the question.
pub(crate) const STATUS_SUPPORTED: &str = "\x1b]7501;?\x07";

/// DECRQM: 1 set, 2 reset, 0 unknown.
pub(crate) fn mode_state(set: bool) -> u8 {
    if set { 1 } else { 2 }
}

pub(crate) fn private_mode(number: u16, mode: TermMode, blinking: bool) -> u8 {
    let flag = match number {
        1 => TermMode::APP_CURSOR,
        6 => TermMode::ORIGIN,
        7 => TermMode::LINE_WRAP,
        12 => return mode_state(blinking),
        25 => TermMode::SHOW_CURSOR,
        47 | 1047 | 1049 => TermMode::ALT_SCREEN,
        1000 => TermMode::MOUSE_REPORT_CLICK,
        1002 => TermMode::MOUSE_DRAG,
        1003 => TermMode::MOUSE_MOTION,
        1004 => TermMode::FOCUS_IN_OUT,
        1005 => TermMode::UTF8_MOUSE,
        1006 => TermMode::SGR_MOUSE,
        1007 => TermMode::ALTERNATE_SCROLL,
        1042 => TermMode::URGENCY_HINTS,
        2004 => TermMode::BRACKETED_PASTE,
        // Known, and never set when somebody can ask: an update is applied whole.
        2026 => return mode_state(false),
        _ => return 0,
    };
    mode_state(mode.contains(flag))
}

/// The kitty keyboard flags in force.
pub(crate) fn keyboard_flags(mode: TermMode) -> u8 {
    [
        TermMode::DISAMBIGUATE_ESC_CODES,
        TermMode::REPORT_EVENT_TYPES,
        TermMode::REPORT_ALTERNATE_KEYS,
        TermMode::REPORT_ALL_KEYS_AS_ESC,
        TermMode::REPORT_ASSOCIATED_TEXT,
    ]
    .iter()
    .enumerate()
    .fold(0, |flags, (bit, &flag)| flags | (u8::from(mode.contains(flag)) << bit))
}

/// DECRQSS: the few settings programs ask for.
pub(crate) fn setting(request: &[u8], region: (usize, usize), cursor_style: u8) -> String {
    match request {
        b"m" => "\x1bP1$r0m\x1b\\".into(),
        b"r" => format!("\x1bP1$r{};{}r\x1b\\", region.0 + 1, region.1),
        b" q" => format!("\x1bP1$r{cursor_style} q\x1b\\"),
        b"\"p" => "\x1bP1$r62;1\"p\x1b\\".into(),
        _ => "\x1bP0$r\x1b\\".into(),
    }
}

/// XTGETTCAP: hex names in, hex values out.
pub(crate) fn capability(name_hex: &[u8]) -> String {
    let name = unhex(name_hex);
    let value = match name.as_deref() {
        Some(b"TN" | b"name") => "xterm-256color",
        Some(b"Co" | b"colors") => "256",
        Some(b"RGB") => "8/8/8",
        Some(b"Tc") => "",
        _ => return format!("\x1bP0+r{}\x1b\\", String::from_utf8_lossy(name_hex)),
    };
    format!("\x1bP1+r{}={}\x1b\\", String::from_utf8_lossy(name_hex), hex(value.as_bytes()))
}

/// The colour an index has while nobody changed it.
pub(crate) fn palette(index: usize) -> Rgb {
    match index {
        NAMED_BACKGROUND => BACKGROUND,
        NAMED_FOREGROUND.. => FOREGROUND,
        index => {
            let (r, g, b) = crate::color::indexed(index as u8);
            Rgb { r, g, b }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02X}")).collect()
}

fn unhex(digits: &[u8]) -> Option<Vec<u8>> {
    let nibble = |b: u8| (b as char).to_digit(16);
    digits
        .chunks(2)
        .map(|pair| match *pair {
            [high, low] => Some((nibble(high)? * 16 + nibble(low)?) as u8),
            _ => None,
        })
        .collect()
}
