//! A picture of the screen, for pages and reports.

use std::fmt::Write as _;

use crate::color::{Color, indexed};
use crate::screen::{CursorShape, Screen};
use crate::view::{Span, Style, Underline};

const CELL_W: f32 = 8.4;
const CELL_H: f32 = 17.0;
const FONT: f32 = 14.0;
/// Where letters stand within a cell.
const BASELINE: f32 = 13.0;
const PADDING: f32 = 8.0;
const FOREGROUND: (u8, u8, u8) = (0xd8, 0xd8, 0xd8);
const BACKGROUND: (u8, u8, u8) = (0x18, 0x18, 0x18);

impl Screen {
    /// The screen as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let (cols, rows) = (f32::from(self.size().cols()), f32::from(self.size().rows()));
        let (width, height) = (cols * CELL_W + 2.0 * PADDING, rows * CELL_H + 2.0 * PADDING);
        let mut out = String::with_capacity(16 * 1024);
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.1}\" height=\"{height:.1}\" \
             viewBox=\"0 0 {width:.1} {height:.1}\" font-family=\"ui-monospace, monospace\" font-size=\"{FONT}\">\
             <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>",
            hex(BACKGROUND)
        );
        for (row, spans) in self.spans(0).iter().enumerate() {
            for span in spans {
                push_span(&mut out, row, span);
            }
        }
        self.push_cursor(&mut out);
        out.push_str("</svg>\n");
        out
    }

    fn push_cursor(&self, out: &mut String) {
        let cursor = self.cursor();
        if !cursor.visible {
            return;
        }
        let (x, y) = position(usize::from(cursor.row), cursor.col);
        let (dy, w, h) = match cursor.shape {
            CursorShape::Block => (0.0, CELL_W, CELL_H),
            CursorShape::Underline => (CELL_H - 2.0, CELL_W, 2.0),
            CursorShape::Bar => (0.0, 1.5, CELL_H),
        };
        let _ = write!(
            out,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" fill=\"{}\" fill-opacity=\"0.5\"/>",
            y + dy,
            hex(FOREGROUND)
        );
    }
}

fn push_span(out: &mut String, row: usize, span: &Span) {
    let (fg, bg) = colors(&span.style);
    let (x, y) = position(row, span.col);
    let width = f32::from(span.width) * CELL_W;
    if bg != BACKGROUND {
        let _ = write!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{CELL_H}\" fill=\"{}\"/>",
            hex(bg)
        );
    }
    if span.style.hidden || span.text.trim().is_empty() {
        return;
    }
    // textLength keeps columns aligned whatever font the reader has.
    let _ = write!(
        out,
        "<text x=\"{x:.1}\" y=\"{:.1}\" textLength=\"{width:.1}\" xml:space=\"preserve\" fill=\"{}\"{}>",
        y + BASELINE,
        hex(fg),
        attributes(&span.style)
    );
    push_escaped(out, &span.text);
    out.push_str("</text>");
}

fn attributes(style: &Style) -> String {
    let mut out = String::new();
    let mut decoration = Vec::new();
    if style.underline != Underline::None {
        decoration.push("underline");
    }
    if style.strikeout {
        decoration.push("line-through");
    }
    if !decoration.is_empty() {
        let _ = write!(out, " text-decoration=\"{}\"", decoration.join(" "));
    }
    for (on, attribute) in [
        (style.bold, " font-weight=\"bold\""),
        (style.italic, " font-style=\"italic\""),
        (style.dim, " fill-opacity=\"0.6\""),
    ] {
        if on {
            out.push_str(attribute);
        }
    }
    out
}

fn colors(style: &Style) -> ((u8, u8, u8), (u8, u8, u8)) {
    let resolve = |color, default| match color {
        Color::Default => default,
        Color::Indexed(index) => indexed(index),
        Color::Rgb(r, g, b) => (r, g, b),
    };
    let (fg, bg) = (resolve(style.fg, FOREGROUND), resolve(style.bg, BACKGROUND));
    if style.inverse { (bg, fg) } else { (fg, bg) }
}

fn position(row: usize, col: u16) -> (f32, f32) {
    (PADDING + f32::from(col) * CELL_W, PADDING + row as f32 * CELL_H)
}

fn hex((r, g, b): (u8, u8, u8)) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // XML has no way to say these.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
}
