//! The status line: which session this is, how it is, and how to leave.

use coop_terminal::Size;
use unicode_width::UnicodeWidthChar as _;

use crate::out::harmless;

/// What there is to say.
#[derive(Clone, Debug, Default)]
pub(super) struct Status {
    pub(super) name: String,
    pub(super) state: String,
    pub(super) read_only: bool,
    /// Somebody else who holds the right to type.
    pub(super) typist: Option<String>,
    /// The size of the session, where the window does not show all of it.
    pub(super) cut_off: Option<Size>,
    /// What went wrong last.
    pub(super) note: Option<String>,
    pub(super) detach_key: String,
}

impl Status {
    /// Exactly `cols` columns. What there is no room for is left out, the way out last.
    pub(super) fn line(&self, cols: u16) -> String {
        let mut left = vec![self.name.clone(), self.state.clone()];
        left.extend(self.read_only.then(|| "read-only".into()));
        left.extend(self.typist.as_ref().map(|typist| format!("{typist} is typing")));
        left.extend(self.cut_off.map(|size| format!("cut off, it is {size}")));
        left.extend(self.note.clone());
        let left = format!(" {} ", harmless(&left.join(" | ")));
        let right = format!(" {} detaches ", self.detach_key);
        let cols = usize::from(cols);
        let room = cols.saturating_sub(width(&right));
        let left = fill(&left, room);
        fill(&format!("{left}{right}"), cols)
    }
}

/// Cut or padded to `cols` columns.
fn fill(text: &str, cols: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let width = c.width().unwrap_or(0);
        if used + width > cols {
            break;
        }
        out.push(c);
        used += width;
    }
    out + &" ".repeat(cols - used)
}

fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let status =
            Status { name: "bash".into(), state: "running".into(), detach_key: r"Ctrl-\".into(), ..Status::default() };
        assert_eq!(status.line(40), r" bash | running         Ctrl-\ detaches ");
        assert_eq!(status.line(20), r" ba Ctrl-\ detaches ");
        assert_eq!(status.line(4), r" Ctr");
        let busy = Status { typist: Some("漢\u{1b}[0m@box".into()), note: Some("oh".into()), ..status };
        let line = busy.line(80);
        assert!(line.starts_with(" bash | running | 漢␛[0m@box is typing | oh "), "{line}");
        assert_eq!(width(&line), 80);
    }
}
