//! A pane as tmux has it, made into bytes that paint it on a screen of the same size.

use crate::Size;

/// What is asked about a pane, as tmux's formats.
pub const FORMAT: &str = "#{pane_id}|#{session_id}|#{pane_pid}|#{pane_width}|#{pane_height}|#{pane_dead}|\
#{pane_dead_status}|#{pane_dead_signal}|#{pane_input_off}|#{cursor_x}|#{cursor_y}|\
#{cursor_flag}|#{insert_flag}|#{wrap_flag}|#{keypad_cursor_flag}|#{keypad_flag}|#{origin_flag}|#{mouse_standard_flag}|\
#{mouse_button_flag}|#{mouse_all_flag}|#{mouse_sgr_flag}|#{alternate_on}|#{alternate_saved_x}|#{alternate_saved_y}|\
#{scroll_region_upper}|#{scroll_region_lower}|#{bracket_paste_flag}|#{pane_tty}|#{pid}|#{pane_title}";

/// What tmux says about a pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pane {
    /// Such as `%5`: stays as long as the pane does, wherever it is moved.
    pub id: String,
    /// Such as `$1`.
    pub session: String,
    pub pid: u32,
    pub size: Size,
    pub dead: bool,
    pub exit_code: Option<i32>,
    pub exit_signal: Option<i32>,
    pub input_off: bool,
    pub tty: String,
    /// The process of the server that has it.
    pub server: u32,
    pub title: String,
    modes: Modes,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "switches of a terminal")]
struct Modes {
    cursor: (u16, u16),
    /// Switches with their numbers, on or off.
    switches: Vec<(u16, bool)>,
    insert: bool,
    keypad: bool,
    /// Where the cursor of the other screen is, if this one is the alternate one.
    alternate: Option<(u16, u16)>,
    region: Option<(u16, u16)>,
}

impl Pane {
    /// Understands what [`FORMAT`] became.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(30, '|');
        let mut next = || fields.next();
        let (id, session, pid) = (next()?, next()?, next()?.parse().ok()?);
        let size = Size::clamped(next()?.parse().ok()?, next()?.parse().ok()?);
        let (dead, exit_code, exit_signal) = (next()? == "1", next()?.parse().ok(), next()?.parse().ok());
        let input_off = next()? == "1";
        let cursor = (next()?.parse().ok()?, next()?.parse().ok()?);
        let mut flag = || next().map(|flag| flag == "1");
        let (visible, insert, wrap, app_cursor, keypad, origin) =
            (flag()?, flag()?, flag()?, flag()?, flag()?, flag()?);
        let mouse = [(1000, flag()?), (1002, flag()?), (1003, flag()?), (1006, flag()?)];
        let alternate = flag()?;
        let mut number = || next().map(|number| number.parse::<u16>().ok());
        // Beyond any screen where there is none: the left edge is as good as any.
        let saved = [number()?, number()?].map(|at| at.filter(|at| *at < 10_000).unwrap_or(0));
        let region = number()?.zip(number()?);
        let paste = next()?;
        let (tty, server, title) = (next()?.to_owned(), next()?.parse().ok()?, next()?.to_owned());
        let mut switches = vec![(25, visible), (7, wrap), (1, app_cursor), (6, origin)];
        switches.extend(mouse.into_iter().filter(|(_, on)| *on));
        // Older ones do not say.
        if !paste.is_empty() {
            switches.push((2004, paste == "1"));
        }
        let alternate = alternate.then_some((saved[0], saved[1]));
        let modes = Modes { cursor, switches, insert, keypad, alternate, region };
        Some(Self {
            id: id.to_owned(),
            session: session.to_owned(),
            pid,
            size,
            dead,
            exit_code,
            exit_signal,
            input_off,
            tty,
            server,
            title,
            modes,
        })
    }

    /// Whether tmux said if the program wants pastes between marks.
    #[must_use]
    pub fn says_paste(&self) -> bool {
        self.modes.switches.iter().any(|(mode, _)| *mode == 2004)
    }
}

/// The command whose answers, in this order, make a [`Capture`]. It is one line, so that nothing happens in between.
#[must_use]
pub fn capture_command(pane: &str, history: usize) -> String {
    format!(
        "display-message -p -t {pane} \"{FORMAT}\" ; capture-pane -p -e -N -t {pane} -S -{history} ; \
         capture-pane -p -e -N -a -q -t {pane} ; capture-pane -p -P -C -t {pane}"
    )
}

/// A pane with what it shows, as tmux printed it.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    pub pane: Pane,
    /// Lines above the screen, and those of the screen.
    pub lines: Vec<Vec<u8>>,
    /// Behind the alternate screen.
    pub behind: Vec<Vec<u8>>,
    /// The beginning of a sequence that has not ended.
    pub pending: Vec<u8>,
}

/// No sequence, primary screen, no attributes, no margins, no origin, wrapping, and an empty screen.
const CLEAN: &[u8] = b"\x1b\\\x1b[?1049l\x1b[0m\x1b[r\x1b[?6l\x1b[?7h\x1b[4l\x1b(B\x0f\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[H\x1b[J";

impl Capture {
    /// Bytes that make any terminal of the pane's size look like it.
    #[must_use]
    pub fn paint(&self) -> Vec<u8> {
        self.painted(b"\x1b[3J")
    }

    /// The same, on a terminal that has the lines above those of this one already.
    #[must_use]
    pub fn paint_over(&self) -> Vec<u8> {
        self.painted(b"")
    }

    fn painted(&self, history: &[u8]) -> Vec<u8> {
        let modes = &self.pane.modes;
        let mut out = b"\x1b[?2026h".to_vec();
        out.extend_from_slice(CLEAN);
        out.extend_from_slice(history);
        let rows = usize::from(self.pane.size.rows());
        let (history, screen) = self.lines.split_at(self.lines.len().saturating_sub(rows));
        scrolled(&mut out, history, rows);
        if let Some(saved) = modes.alternate {
            placed(&mut out, &self.behind, rows);
            go_to(&mut out, saved);
            out.extend_from_slice(b"\x1b[?1049h\x1b[H\x1b[2J");
        }
        placed(&mut out, screen, rows);
        if let Some((upper, lower)) = modes.region {
            out.extend_from_slice(format!("\x1b[{};{}r", upper + 1, lower + 1).as_bytes());
        }
        for (mode, on) in &modes.switches {
            out.extend_from_slice(format!("\x1b[?{mode}{}", if *on { 'h' } else { 'l' }).as_bytes());
        }
        out.extend_from_slice(if modes.keypad { b"\x1b=" } else { b"\x1b>" });
        out.extend_from_slice(if modes.insert { b"\x1b[4h" } else { b"\x1b[4l" });
        go_to(&mut out, modes.cursor);
        out.extend_from_slice(b"\x1b[?2026l");
        out.extend_from_slice(&self.pending);
        out
    }
}

fn go_to(out: &mut Vec<u8>, (x, y): (u16, u16)) {
    out.extend_from_slice(format!("\x1b[{};{}H", y + 1, x + 1).as_bytes());
}

/// Lines that leave the screen at its top. Each goes on with the colours of the one before, so that they are kept over the
/// scrolling, which would otherwise fill the new line with them.
fn scrolled(out: &mut Vec<u8>, lines: &[Vec<u8>], rows: usize) {
    let scroll = b"\x1b7\x1b[m\x1b[999;1H\n\x1b8\x1b[999;1H";
    for (number, line) in lines.iter().enumerate() {
        if number < rows {
            out.extend_from_slice(format!("\x1b[{};1H", number + 1).as_bytes());
        } else {
            out.extend_from_slice(scroll);
        }
        out.extend_from_slice(line);
    }
    for _ in 0..lines.len().min(rows) {
        out.extend_from_slice(scroll);
    }
}

fn placed(out: &mut Vec<u8>, lines: &[Vec<u8>], rows: usize) {
    for (row, line) in lines.iter().take(rows).enumerate() {
        out.extend_from_slice(format!("\x1b[{};1H", row + 1).as_bytes());
        out.extend_from_slice(line);
    }
    out.extend_from_slice(b"\x1b[m");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Lines, Options, Screen};

    const LINE: &str = "%1|$0|42|10|3|0|||0|2|1|1|0|1|1|0|0|0|0|1|1|0|4294967295|4294967295|0|2||/dev/pts/1|7|a|b";

    #[test]
    fn a_pane_is_understood() {
        let pane = Pane::parse(LINE).unwrap();
        assert_eq!((pane.id.as_str(), pane.pid, pane.size.cols(), pane.size.rows()), ("%1", 42, 10, 3));
        assert_eq!((pane.title.as_str(), pane.dead, pane.says_paste()), ("a|b", false, false));
        assert_eq!((pane.modes.cursor, pane.modes.alternate, pane.modes.region), ((2, 1), None, Some((0, 2))));
        let dead = Pane::parse(&LINE.replace("|3|0|||0|", "|3|1|7||1|")).unwrap();
        assert_eq!((dead.dead, dead.exit_code, dead.input_off), (true, Some(7), true));
        for wrong in ["", "%1", "||||", &LINE.replace("42", "x")] {
            assert_eq!(Pane::parse(wrong), None, "{wrong}");
        }
    }

    fn shown(screen: &Screen, scrollback: usize) -> Vec<String> {
        match screen.view(Format::Text, scrollback).lines {
            Lines::Text(lines) => lines,
            Lines::Cells(_) => unreachable!(),
        }
    }

    fn capture(line: &str, lines: &[&str], behind: &[&str]) -> Capture {
        let bytes = |lines: &[&str]| lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        Capture {
            pane: Pane::parse(line).unwrap(),
            lines: bytes(lines),
            behind: bytes(behind),
            pending: b"\x1b[3".to_vec(),
        }
    }

    #[test]
    fn what_is_captured_is_on_the_screen() {
        let pane = capture(LINE, &["old", "\x1b[44mblue", "\x1b[49mone", "0123456789", "three"], &[]);
        let mut screen = Screen::new(pane.pane.size, Options::default());
        // Whatever was there before.
        screen.feed(b"\x1b[?1049h\x1b[44mjunk\x1b[?1000h").unwrap();
        screen.feed(&pane.paint()).unwrap();
        assert_eq!(shown(&screen, 10), ["old", "blue", "one", "0123456789", "three"]);
        let cursor = screen.cursor();
        assert_eq!((cursor.row, cursor.col, screen.alt_screen()), (1, 2, false));
        assert!(screen.modes().mouse && screen.modes().app_cursor);
        // The sequence that had begun goes on.
        screen.feed(b"1mX").unwrap();
        assert_eq!(shown(&screen, 0)[1], "01X3456789");
        let mut other = Screen::new(pane.pane.size, Options::default());
        other.feed(&pane.paint()).unwrap();
        other.feed(b"1mX").unwrap();
        assert_eq!(shown(&other, 10), shown(&screen, 10), "from an empty one as from any other");
    }

    #[test]
    fn the_screen_behind_the_alternate_one_is_kept() {
        let line = LINE.replace("|0|4294967295|4294967295|", "|1|3|2|");
        let mut screen = Screen::new(Pane::parse(&line).unwrap().size, Options::default());
        screen.feed(&capture(&line, &["old", "vi", "~", "~"], &["$ ls", "a", "$ vi"]).paint()).unwrap();
        assert_eq!((shown(&screen, 0), screen.alt_screen()), (vec!["vi".to_owned(), "~".into(), "~".into()], true));
        screen.feed(b"m\x1b[?1049l!").unwrap();
        assert_eq!(shown(&screen, 9), ["old", "$ ls", "a", "$ v!"]);
    }
}
