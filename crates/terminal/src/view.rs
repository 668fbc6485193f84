//! The screen as others read it: lines of text, lines with colour codes, runs of styled cells.

use alacritty_terminal::grid::{Dimensions, Row};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};

use crate::Size;
use crate::color::Color;
use crate::screen::{Cursor, Modes, Screen};
use crate::text::joins;

/// Everything one reader gets of a screen at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub lines: Lines,
    pub size: Size,
    pub cursor: Cursor,
    pub modes: Modes,
    pub title: Option<String>,
    pub seq: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Ansi,
    Cells,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lines {
    Text(Vec<String>),
    Cells(Vec<Vec<Span>>),
}

/// How a cell looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub fg: Color,
    pub bg: Color,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: Underline,
    pub underline_color: Option<Color>,
    pub inverse: bool,
    pub hidden: bool,
    pub strikeout: bool,
    pub link: Option<Link>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Underline {
    #[default]
    None,
    Single,
    Double,
    Curly,
    Dotted,
    Dashed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub id: String,
    pub uri: String,
}

/// Neighbouring cells of one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// First column.
    pub col: u16,
    /// Columns it takes; more than the characters where some are wide.
    pub width: u16,
    pub text: String,
    pub style: Style,
}

impl Screen {
    #[must_use]
    pub fn view(&self, format: Format, scrollback: usize) -> View {
        View {
            lines: match format {
                Format::Text => Lines::Text(self.text(scrollback)),
                Format::Ansi => Lines::Text(self.ansi(scrollback)),
                Format::Cells => Lines::Cells(self.spans(scrollback)),
            },
            size: self.size(),
            cursor: self.cursor(),
            modes: self.modes(),
            title: self.title().map(str::to_owned),
            seq: self.seq(),
        }
    }

    /// The rows of the screen, oldest first, without blanks at their ends; before them up to `scrollback` lines of
    /// history.
    #[must_use]
    pub fn text(&self, scrollback: usize) -> Vec<String> {
        self.rows(scrollback).map(row_text).collect()
    }

    /// The same with SGR codes. Each line begins and ends with default attributes.
    #[must_use]
    pub fn ansi(&self, scrollback: usize) -> Vec<String> {
        self.rows(scrollback)
            .map(|row| {
                let mut line = String::new();
                let mut pen = Pen::default();
                pen.paint(&mut line, row);
                pen.set(&mut line, &Style::default());
                line
            })
            .collect()
    }

    /// The same as runs of equally styled cells.
    #[must_use]
    pub fn spans(&self, scrollback: usize) -> Vec<Vec<Span>> {
        self.rows(scrollback).map(row_spans).collect()
    }

    fn rows(&self, scrollback: usize) -> impl Iterator<Item = &Row<Cell>> {
        let grid = self.term.grid();
        let top = -(scrollback.min(grid.history_size()) as i32);
        (top..grid.screen_lines() as i32).map(|line| &grid[Line(line)])
    }
}

/// A cluster on the grid with the column it starts in and the columns it takes.
pub(crate) struct Glyph<'a> {
    pub(crate) col: usize,
    pub(crate) width: usize,
    pub(crate) cell: &'a Cell,
}

impl Glyph<'_> {
    pub(crate) fn push_to(&self, out: &mut String) {
        // The engine marks where a tab was; on the screen that is a blank.
        out.push(if self.cell.c == '\t' { ' ' } else { self.cell.c });
        out.extend(self.cell.zerowidth().unwrap_or_default());
    }

    /// A blank that shows nothing has no style: what it would have had cannot be seen.
    fn style(&self) -> Style {
        if shows(self.cell) { Style::of(self.cell) } else { Style::default() }
    }

    fn is_blank(&self) -> bool {
        matches!(self.cell.c, ' ' | '\t') && self.cell.zerowidth().is_none_or(<[char]>::is_empty)
    }
}

pub(crate) fn glyphs(row: &Row<Cell>) -> impl Iterator<Item = Glyph<'_>> {
    (0..row.len()).filter_map(|col| {
        let cell = &row[Column(col)];
        let width = if cell.flags.contains(Flags::WIDE_CHAR) { 2 } else { 1 };
        (!cell.flags.contains(Flags::WIDE_CHAR_SPACER)).then_some(Glyph { col, width, cell })
    })
}

fn row_text(row: &Row<Cell>) -> String {
    let mut line = String::with_capacity(row.len());
    let mut end = 0;
    for glyph in glyphs(row) {
        glyph.push_to(&mut line);
        if !glyph.is_blank() {
            end = line.len();
        }
    }
    line.truncate(end);
    line
}

fn row_spans(row: &Row<Cell>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for glyph in glyphs(row).take_while(|g| g.col < painted_columns(row)) {
        let style = glyph.style();
        match spans.last_mut() {
            Some(span) if span.style == style => {
                glyph.push_to(&mut span.text);
                span.width += glyph.width as u16;
            }
            _ => {
                let mut text = String::new();
                glyph.push_to(&mut text);
                spans.push(Span { col: glyph.col as u16, width: glyph.width as u16, text, style });
            }
        }
    }
    spans
}

/// Columns up to the last that shows anything: a character, a background, a line.
pub(crate) fn painted_columns(row: &Row<Cell>) -> usize {
    (0..row.len()).rev().find(|&col| shows(&row[Column(col)])).map_or(0, |col| col + 1)
}

fn shows(cell: &Cell) -> bool {
    !matches!(cell.c, ' ' | '\t')
        || cell.flags.intersects(Flags::INVERSE | Flags::ALL_UNDERLINES | Flags::STRIKEOUT | Flags::WIDE_CHAR_SPACER)
        || Color::from(cell.bg) != Color::Default
        || cell.extra.is_some()
}

impl Style {
    pub(crate) fn of(cell: &Cell) -> Self {
        let flags = cell.flags;
        let underline = [
            (Flags::UNDERCURL, Underline::Curly),
            (Flags::DOUBLE_UNDERLINE, Underline::Double),
            (Flags::DOTTED_UNDERLINE, Underline::Dotted),
            (Flags::DASHED_UNDERLINE, Underline::Dashed),
            (Flags::UNDERLINE, Underline::Single),
        ];
        Self {
            fg: cell.fg.into(),
            bg: cell.bg.into(),
            bold: flags.contains(Flags::BOLD),
            dim: flags.contains(Flags::DIM),
            italic: flags.contains(Flags::ITALIC),
            underline: underline.iter().find(|(f, _)| flags.contains(*f)).map_or(Underline::None, |(_, u)| *u),
            underline_color: cell.underline_color().map(Color::from),
            inverse: flags.contains(Flags::INVERSE),
            hidden: flags.contains(Flags::HIDDEN),
            strikeout: flags.contains(Flags::STRIKEOUT),
            link: cell.hyperlink().as_ref().map(Link::from),
        }
    }
}

impl From<&Hyperlink> for Link {
    fn from(link: &Hyperlink) -> Self {
        Self { id: link.id().to_owned(), uri: link.uri().to_owned() }
    }
}

/// Writes styled text, with a code only where the style changes.
#[derive(Default)]
pub(crate) struct Pen {
    style: Style,
}

impl Pen {
    pub(crate) fn paint(&mut self, out: &mut String, row: &Row<Cell>) {
        let end = painted_columns(row);
        let mut rest = glyphs(row).take_while(|g| g.col < end).peekable();
        while let Some(glyph) = rest.next() {
            // Two cells that would melt into one if printed in this order are printed in the other.
            let next = rest.next_if(|next| joins(glyph.cell, next.cell.c));
            if let Some(next) = &next {
                out.push_str(&format!("\x1b[{}G", next.col + 1));
                self.glyph(out, next);
                out.push_str(&format!("\x1b[{}G", glyph.col + 1));
            }
            self.glyph(out, &glyph);
            if let Some(next) = next {
                out.push_str(&format!("\x1b[{}G", next.col + next.width + 1));
            }
        }
    }

    pub(crate) fn glyph(&mut self, out: &mut String, glyph: &Glyph<'_>) {
        self.set(out, &glyph.style());
        glyph.push_to(out);
    }

    pub(crate) fn set(&mut self, out: &mut String, style: &Style) {
        if *style == self.style {
            return;
        }
        if style.link != self.style.link {
            match &style.link {
                Some(link) => out.push_str(&format!("\x1b]8;id={};{}\x1b\\", link.id, link.uri)),
                None => out.push_str("\x1b]8;;\x1b\\"),
            }
        }
        push_sgr(out, style);
        self.style.clone_from(style);
    }
}

fn push_sgr(out: &mut String, style: &Style) {
    out.push_str("\x1b[0");
    let flags = [
        (style.bold, ";1"),
        (style.dim, ";2"),
        (style.italic, ";3"),
        (style.inverse, ";7"),
        (style.hidden, ";8"),
        (style.strikeout, ";9"),
    ];
    flags.iter().filter(|(on, _)| *on).for_each(|(_, code)| out.push_str(code));
    out.push_str(match style.underline {
        Underline::None => "",
        Underline::Single => ";4",
        Underline::Double => ";4:2",
        Underline::Curly => ";4:3",
        Underline::Dotted => ";4:4",
        Underline::Dashed => ";4:5",
    });
    push_color(out, style.fg, 30);
    push_color(out, style.bg, 40);
    match style.underline_color {
        Some(Color::Indexed(index)) => out.push_str(&format!(";58:5:{index}")),
        Some(Color::Rgb(r, g, b)) => out.push_str(&format!(";58:2::{r}:{g}:{b}")),
        Some(Color::Default) | None => {}
    }
    out.push('m');
}

fn push_color(out: &mut String, color: Color, base: u16) {
    match color {
        Color::Default => {}
        Color::Indexed(index @ 0..8) => out.push_str(&format!(";{}", base + u16::from(index))),
        Color::Indexed(index @ 8..16) => out.push_str(&format!(";{}", base + 52 + u16::from(index))),
        Color::Indexed(index) => out.push_str(&format!(";{};5;{index}", base + 8)),
        Color::Rgb(r, g, b) => out.push_str(&format!(";{};2;{r};{g};{b}", base + 8)),
    }
}
