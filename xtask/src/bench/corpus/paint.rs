//! How programs paint: each painter adds one frame at a time to the output, for a screen of 200×50.

use std::fmt::Write as _;

use super::super::random::Random;
use crate::bench::{COLS, ROWS};

pub(super) type Painter = Box<dyn FnMut(&mut Random, &mut String)>;

const WORDS: [&str; 32] = [
    "the",
    "quick",
    "fox",
    "async",
    "fn",
    "tokio",
    "spawn",
    "error:",
    "warning:",
    "build",
    "cargo",
    "test",
    "result",
    "ok",
    "passed",
    "failed",
    "reading",
    "file",
    "src/main.rs",
    "lines",
    "edited",
    "allow",
    "deny",
    "tool",
    "bash",
    "grep",
    "edit",
    "write",
    "let",
    "mut",
    "return",
    "struct",
];
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SHADES: [&str; 8] = ["█", "▓", "▒", "░", "─", "│", "●", "◯"];

/// Lines of a build or a log.
pub(super) fn plain() -> Painter {
    Box::new(|random, out| {
        let len = random.between(20, 190);
        out.push_str(&text(random, len));
        out.push('\n');
    })
}

/// A colour change every few characters, as a rainbow of log levels or a diff of syntax-highlighted code.
pub(super) fn colour() -> Painter {
    Box::new(|random, out| {
        let mut width = 0;
        while width < 150 {
            let len = random.between(1, 6);
            style(random, out);
            out.push_str(&text(random, len));
            width += len;
        }
        out.push_str("\x1b[0m\n");
    })
}

/// What Ink does, and with it Claude Code: erase the lines of the last frame one by one, and write the new one whole.
pub(super) fn redraw() -> Painter {
    let mut lines: Vec<String> = Vec::new();
    let (mut height, mut frame) = (0, 0);
    Box::new(move |random, out| {
        if random.chance(25) {
            let len = random.between(10, 170);
            lines.push(text(random, len));
        }
        erase_lines(out, height);
        if lines.len() > random.between(12, 30) {
            // Finished output is written once, above what is redrawn.
            for line in lines.drain(..8) {
                add(out, format_args!("\x1b[38;5;246m⏺\x1b[39m {line}\n"));
            }
        }
        for line in &lines {
            let (bold, rest) = line.split_at(line.len().min(20));
            add(out, format_args!("\x1b[38;2;136;136;136m  ⎿ \x1b[39m\x1b[1m{bold}\x1b[22m{rest}\n"));
        }
        footer(out, frame);
        height = lines.len() + 7;
        frame += 1;
    })
}

/// What ratatui does, and with it Codex: go to a cell, set a style, write what changed, all in one synchronized update.
pub(super) fn cell_diff() -> Painter {
    let mut first = true;
    Box::new(move |random, out| {
        if std::mem::take(&mut first) {
            out.push_str("\x1b[?1049h\x1b[?25l\x1b[2J");
        }
        out.push_str("\x1b[?2026h");
        for _ in 0..random.between(5, 60) {
            let (row, col) = (random.between(1, ROWS.into()), random.between(1, usize::from(COLS) - 20));
            add(out, format_args!("\x1b[{row};{col}H"));
            style(random, out);
            let len = random.between(1, 18);
            out.push_str(&text(random, len));
            if random.chance(10) {
                out.push_str("\x1b[K");
            }
            if random.chance(10) {
                out.push_str(random.one_of(&SHADES));
            }
        }
        out.push_str("\x1b[0m\x1b[?2026l");
    })
}

fn erase_lines(out: &mut String, height: usize) {
    for line in 0..height {
        out.push_str(if line + 1 < height { "\x1b[2K\x1b[1A" } else { "\x1b[2K\x1b[G" });
    }
}

/// A spinner, a box to type in, and a hint below it.
fn footer(out: &mut String, frame: usize) {
    let spinner = SPINNER[frame % SPINNER.len()];
    let (seconds, tokens) = (frame / 10, frame * 3);
    add(out, format_args!("\n\x1b[38;2;215;119;87m{spinner} Thinking… \x1b[38;2;153;153;153m({seconds}s · ↑ {tokens}"));
    out.push_str(" tokens · \x1b[1mesc\x1b[22m to interrupt)\x1b[39m\n\n");
    let inner = usize::from(COLS) - 4;
    let (edge, blank) = ("─".repeat(inner), " ".repeat(inner - 4));
    add(out, format_args!("\x1b[2m╭{edge}╮\x1b[22m\n\x1b[2m│\x1b[22m > \x1b[7m \x1b[27m{blank}\x1b[2m│\x1b[22m\n"));
    add(out, format_args!("\x1b[2m╰{edge}╯\x1b[22m\n  \x1b[38;5;246m? for shortcuts\x1b[39m{}", " ".repeat(120)));
    out.push_str("\x1b[38;5;246m◯ IDE disconnected\x1b[39m");
}

fn text(random: &mut Random, len: usize) -> String {
    let mut text = String::with_capacity(len + 16);
    while text.len() < len {
        text.push_str(random.one_of(&WORDS));
        text.push(' ');
    }
    text.truncate(len);
    text
}

/// Attributes and colours, of the palette and beyond it.
fn style(random: &mut Random, out: &mut String) {
    let (r, g, b) = (random.between(0, 255), random.between(0, 255), random.between(0, 255));
    match random.between(1, 20) {
        1..=2 => add(out, format_args!("\x1b[{}m", random.one_of(&["0", "1", "2", "3", "4", "7", "22", "24", "27"]))),
        3..=6 => add(out, format_args!("\x1b[{}m", random.between(30, 37))),
        7..=11 => add(out, format_args!("\x1b[38;5;{r}m")),
        12..=14 => add(out, format_args!("\x1b[48;5;{g}m")),
        15..=18 => add(out, format_args!("\x1b[38;2;{r};{g};{b}m")),
        _ => add(out, format_args!("\x1b[1;4;38;2;{r};{g};{b};48;5;{b}m")),
    }
}

fn add(out: &mut String, text: std::fmt::Arguments<'_>) {
    // A string takes everything.
    let _infallible = out.write_fmt(text);
}
