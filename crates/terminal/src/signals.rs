//! What a program says to its terminal beside drawing: where it is, that it wants attention, how far it is, what
//! state it is in. Bytes in, meaning out; nothing is decided here.

/// A message of the program inside, in the order it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// OSC 0 and 2. Empty when the program took its title back.
    Title(String),
    Bell,
    /// OSC 7, a `file://` URL or a path, as sent.
    Cwd(String),
    /// OSC 9, 99 and 777.
    Notification {
        title: Option<String>,
        body: String,
    },
    /// OSC 9;4.
    Progress(Progress),
    /// OSC 133: A prompt begins, B input begins, C output begins, D output ended (with the exit code).
    PromptMark {
        mark: char,
        exit_code: Option<i32>,
    },
    /// OSC 7501: the program tells its own state.
    ProgramStatus(ProgramStatus),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    None,
    Value(u8),
    Error(u8),
    Indeterminate,
    Paused(u8),
}

/// OSC 7501 as sent, with the message decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramStatus {
    pub state: String,
    pub app: Option<String>,
    pub kind: Option<String>,
    pub message: Option<String>,
    /// The subagent it is about; none for the program itself.
    pub id: Option<String>,
}

/// What one OSC asks of us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Osc {
    Signal(Signal),
    /// `OSC 7501 ; ?`: the program asks whether we understand its reports. The answer is the same bytes.
    StatusQuery,
    /// Titles, colours, links: for the engine.
    Engine,
}

/// A longer text is cut: it goes into events, and events are kept.
const MAX_TEXT: usize = 4096;

pub(crate) fn osc(body: &[u8]) -> Osc {
    let (number, rest) = split(body);
    let signal = match number {
        b"7" => Some(Signal::Cwd(text(rest))),
        b"9" => Some(osc9(rest)),
        b"99" => kitty_notification(rest),
        b"133" => prompt_mark(rest),
        b"777" => osc777(rest),
        b"7501" if rest == b"?" => return Osc::StatusQuery,
        b"7501" => program_status(rest),
        _ => return Osc::Engine,
    };
    // A number of ours with a body we cannot read is dropped by the engine too.
    signal.map_or(Osc::Engine, Osc::Signal)
}

fn osc9(rest: &[u8]) -> Signal {
    let mut parts = rest.split(|&b| b == b';');
    if parts.next() != Some(b"4") {
        return Signal::Notification { title: None, body: text(rest) };
    }
    let state = parts.next().unwrap_or_default();
    let value = parts.next().and_then(number).unwrap_or(0).min(100) as u8;
    Signal::Progress(match state {
        b"1" => Progress::Value(value),
        b"2" => Progress::Error(value),
        b"3" => Progress::Indeterminate,
        b"4" => Progress::Paused(value),
        _ => Progress::None,
    })
}

/// kitty's form: `metadata ; payload`, where the metadata says `p=title` or `p=body` and `e=1` for base64.
fn kitty_notification(rest: &[u8]) -> Option<Signal> {
    let (metadata, payload) = split(rest);
    let has = |pair: &[u8]| metadata.split(|&b| b == b':').any(|kv| kv == pair);
    let body = if has(b"e=1") { text(&decode_base64(payload)?) } else { text(payload) };
    if body.is_empty() {
        return None;
    }
    Some(Signal::Notification { title: None, body })
}

fn osc777(rest: &[u8]) -> Option<Signal> {
    let (kind, rest) = split(rest);
    if kind != b"notify" {
        return None;
    }
    let (title, body) = split(rest);
    Some(Signal::Notification { title: Some(text(title)), body: text(body) })
}

fn prompt_mark(rest: &[u8]) -> Option<Signal> {
    let (mark, rest) = split(rest);
    let mark = match mark {
        [c @ b'A'..=b'D'] => *c as char,
        _ => return None,
    };
    let exit_code = (mark == 'D').then(|| split(rest).0).and_then(number).and_then(|n| i32::try_from(n).ok());
    Some(Signal::PromptMark { mark, exit_code })
}

fn program_status(rest: &[u8]) -> Option<Signal> {
    let mut status = ProgramStatus::default();
    for pair in rest.split(|&b| b == b':' || b == b';') {
        let mut halves = pair.splitn(2, |&b| b == b'=');
        let (Some(key), Some(value)) = (halves.next(), halves.next()) else { continue };
        match key {
            b"state" => status.state = text(value),
            b"app" => status.app = Some(text(value)),
            b"kind" => status.kind = Some(text(value)),
            b"id" => status.id = Some(text(value)),
            b"msg" => status.message = decode_base64(value).map(|m| text(&m)),
            _ => {}
        }
    }
    (!status.state.is_empty()).then_some(Signal::ProgramStatus(status))
}

fn split(body: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b';', body) {
        Some(at) => (&body[..at], &body[at + 1..]),
        None => (body, &[]),
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Readable text: lossy, without control characters, bounded.
pub(crate) fn text(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(MAX_TEXT)];
    String::from_utf8_lossy(cut).chars().filter(|c| !c.is_control()).collect()
}

fn decode_base64(input: &[u8]) -> Option<Vec<u8>> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD_NO_PAD.decode(input.trim_ascii_end_matches(b'=')).ok()
}

trait TrimEnd {
    fn trim_ascii_end_matches(&self, byte: u8) -> &[u8];
}

impl TrimEnd for [u8] {
    fn trim_ascii_end_matches(&self, byte: u8) -> &[u8] {
        let keep = self.iter().rposition(|&b| b != byte).map_or(0, |i| i + 1);
        &self[..keep]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings() {
        let check = |body: &str, expected: Osc| assert_eq!(osc(body.as_bytes()), expected, "{body}");
        let says = |s| Osc::Signal(s);
        let note = |title: Option<&str>, body: &str| {
            says(Signal::Notification { title: title.map(Into::into), body: body.into() })
        };
        check("0;title", Osc::Engine);
        check("7;file://host/tmp", says(Signal::Cwd("file://host/tmp".into())));
        check("9;done; really", note(None, "done; really"));
        check("9;4;1;42", says(Signal::Progress(Progress::Value(42))));
        check("9;4;3", says(Signal::Progress(Progress::Indeterminate)));
        check("9;4;0", says(Signal::Progress(Progress::None)));
        check("9;4;1;999", says(Signal::Progress(Progress::Value(100))));
        check("99;i=1:p=body;hello", note(None, "hello"));
        check("99;i=1:e=1;aGVsbG8=", note(None, "hello"));
        check("777;notify;Title;Body; more", note(Some("Title"), "Body; more"));
        check("133;A", says(Signal::PromptMark { mark: 'A', exit_code: None }));
        check("133;D;130", says(Signal::PromptMark { mark: 'D', exit_code: Some(130) }));
        check("133;Z", Osc::Engine);
        check("7501;?", Osc::StatusQuery);
        check(
            "7501;state=blocked:app=codex:kind=permission:msg=aGk=",
            says(Signal::ProgramStatus(ProgramStatus {
                state: "blocked".into(),
                app: Some("codex".into()),
                kind: Some("permission".into()),
                message: Some("hi".into()),
                id: None,
            })),
        );
        let of_subagent = ProgramStatus { state: "clear".into(), id: Some("a1".into()), ..ProgramStatus::default() };
        check("7501;state=clear:id=a1", says(Signal::ProgramStatus(of_subagent)));
        check("7501;app=x", Osc::Engine);
    }

    #[test]
    fn text_is_bounded_and_clean() {
        assert_eq!(text(b"a\x07b\xffc"), "ab\u{fffd}c");
        assert_eq!(text(&[b'x'; 10_000]).len(), MAX_TEXT);
    }
}
