//! asciicast, the format of asciinema: a recording of a terminal as lines of JSON, in its versions 2 and 3.
//!
//! Both begin with a line about the terminal and have an event in every other one. Version 2 counts time from the
//! beginning, version 3 from the event before.

mod reel;

use std::time::Duration;

pub use reel::{Reel, Stand};
use serde_json::{Value, json};

use crate::Size;

/// The longest line that is read: a recording of ours has none near it.
const MAX_LINE: usize = 64 << 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    V2,
    #[default]
    V3,
}

/// What the first line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub version: Version,
    pub size: Size,
    /// When it began, in seconds since 1970.
    pub timestamp: Option<u64>,
    pub title: Option<String>,
    pub command: Option<String>,
    /// `TERM` of the program.
    pub term: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Output(String),
    Input(String),
    Resize(Size),
    /// A place to jump to, with a name.
    Marker(String),
    Exit(i32),
    /// Of a kind that is not known here.
    Other,
}

/// Makes the lines of a recording.
#[derive(Debug)]
pub struct Writer {
    version: Version,
    /// When the last event was, as it was written.
    last: u64,
    /// The beginning of a character that has not come whole yet.
    rest: Vec<u8>,
}

impl Writer {
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self { version, last: 0, rest: Vec::new() }
    }

    /// The first line.
    #[must_use]
    pub fn head(&self, head: &Head) -> String {
        let mut line = match self.version {
            Version::V2 => json!({ "version": 2, "width": head.size.cols(), "height": head.size.rows() }),
            Version::V3 => json!({ "version": 3, "term": { "cols": head.size.cols(), "rows": head.size.rows() } }),
        };
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                line[name] = value;
            }
        };
        set("timestamp", head.timestamp.map(Value::from));
        set("title", head.title.clone().map(Value::from));
        set("command", head.command.clone().map(Value::from));
        match (&head.term, self.version) {
            (Some(term), Version::V2) => set("env", Some(json!({ "TERM": term }))),
            (Some(term), Version::V3) => line["term"]["type"] = term.as_str().into(),
            (None, _) => {}
        }
        format!("{line}\n")
    }

    /// Nothing while a character is not whole.
    pub fn output(&mut self, at: Duration, bytes: &[u8]) -> Option<String> {
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() - unfinished(&self.rest);
        let text = String::from_utf8_lossy(&self.rest[..whole]).into_owned();
        self.rest.drain(..whole);
        (!text.is_empty()).then(|| self.line(at, "o", &text))
    }

    pub fn input(&mut self, at: Duration, bytes: &[u8]) -> String {
        self.line(at, "i", &String::from_utf8_lossy(bytes))
    }

    pub fn resize(&mut self, at: Duration, size: Size) -> String {
        self.line(at, "r", &format!("{}x{}", size.cols(), size.rows()))
    }

    pub fn marker(&mut self, at: Duration, name: &str) -> String {
        self.line(at, "m", name)
    }

    /// Only version 3 has a word for it.
    pub fn exit(&mut self, at: Duration, code: i32) -> Option<String> {
        (self.version == Version::V3).then(|| self.line(at, "x", &code.to_string()))
    }

    /// One that was read, once more. Nothing for what is not known.
    fn event(&mut self, at: Duration, event: &Event) -> String {
        match event {
            Event::Output(text) => self.line(at, "o", text),
            Event::Input(text) => self.line(at, "i", text),
            Event::Resize(size) => self.resize(at, *size),
            Event::Marker(name) => self.marker(at, name),
            Event::Exit(code) => self.exit(at, *code).unwrap_or_default(),
            Event::Other => String::new(),
        }
    }

    fn line(&mut self, at: Duration, kind: &str, data: &str) -> String {
        // Never back in time, and no error adds up: what is written is counted, not what was meant.
        let now = u64::try_from(at.as_micros()).unwrap_or(u64::MAX).max(self.last);
        let time = match self.version {
            Version::V2 => now,
            Version::V3 => now - self.last,
        };
        self.last = now;
        format!("[{}.{:06}, {}, {}]\n", time / 1_000_000, time % 1_000_000, Value::from(kind), Value::from(data))
    }
}

/// How many bytes at the end are the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(3)..bytes.len();
    for at in tail.rev() {
        let needs = match bytes[at] {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return 0,
        };
        let has = bytes.len() - at;
        let may_become_one = std::str::from_utf8(&bytes[at..]).is_err_and(|error| error.error_len().is_none());
        return if has < needs && may_become_one { has } else { 0 };
    }
    0
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CastError {
    #[error("line {line} is no asciicast: {why}")]
    Line { line: u64, why: String },
    #[error("it is of version {0}, and only 2 and 3 can be read")]
    Version(String),
    #[error("it is empty")]
    Empty,
}

/// Understands the lines of a recording.
#[derive(Debug)]
pub struct Reader {
    pub head: Head,
    last: Duration,
    line: u64,
}

impl Reader {
    pub fn new(first: &str) -> Result<Self, CastError> {
        if first.trim().is_empty() {
            return Err(CastError::Empty);
        }
        let bad = |why: String| CastError::Line { line: 1, why };
        let head: Value = serde_json::from_str(first).map_err(|error| bad(error.to_string()))?;
        let (version, term) = match &head["version"] {
            Value::Number(number) if number.as_u64() == Some(2) => (Version::V2, &head),
            Value::Number(number) if number.as_u64() == Some(3) => (Version::V3, &head["term"]),
            Value::Null => return Err(bad("it has no version".into())),
            other => return Err(CastError::Version(other.to_string())),
        };
        let names = if version == Version::V2 { ["width", "height"] } else { ["cols", "rows"] };
        let [cols, rows] = names.map(|name| term[name].as_u64().and_then(|n| u16::try_from(n).ok()));
        let (Some(cols), Some(rows)) = (cols, rows) else { return Err(bad("it has no size".into())) };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let head = Head {
            version,
            size: Size::clamped(cols, rows),
            timestamp: head["timestamp"].as_u64(),
            title: text(&head["title"]),
            command: text(&head["command"]),
            term: text(if version == Version::V2 { &head["env"]["TERM"] } else { &head["term"]["type"] }),
        };
        Ok(Self { head, last: Duration::ZERO, line: 1 })
    }

    /// The event of the next line and when it is, from the beginning. Nothing for a line that has none.
    pub fn line(&mut self, line: &str) -> Result<Option<(Duration, Event)>, CastError> {
        self.line += 1;
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            return Ok(None);
        }
        let bad = |why: &str| CastError::Line { line: self.line, why: why.to_owned() };
        if text.len() > MAX_LINE {
            return Err(bad("it is too long"));
        }
        let (time, kind, data): (f64, String, Value) =
            serde_json::from_str(text).map_err(|error| bad(&error.to_string()))?;
        let time = Duration::try_from_secs_f64(time).map_err(|_| bad("its time is none"))?;
        let at = match self.head.version {
            Version::V2 => time.max(self.last),
            Version::V3 => self.last.checked_add(time).ok_or_else(|| bad("its time is none"))?,
        };
        let data = data.as_str().map_or_else(|| data.to_string(), str::to_owned);
        let event = match kind.as_str() {
            "o" => Event::Output(data),
            "i" => Event::Input(data),
            "r" => Event::Resize(size(&data).ok_or_else(|| bad("its size is none"))?),
            "m" => Event::Marker(data),
            "x" => Event::Exit(data.parse().map_err(|_| bad("its code is none"))?),
            _ => Event::Other,
        };
        self.last = at;
        Ok(Some((at, event)))
    }
}

fn size(text: &str) -> Option<Size> {
    let (cols, rows) = text.split_once('x')?;
    Some(Size::clamped(cols.parse().ok()?, rows.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (u16, u16) = (80, 24);

    fn head(version: Version) -> Head {
        Head {
            version,
            size: Size::clamped(SIZE.0, SIZE.1),
            timestamp: Some(1_700_000_000),
            title: Some("a \"b\"".into()),
            command: None,
            term: Some("xterm-256color".into()),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for version in [Version::V2, Version::V3] {
            let mut writer = Writer::new(version);
            let mut text = writer.head(&head(version));
            let at = Duration::from_micros;
            text += &writer.output(at(1_500_000), "ä\u{1b}[1m".as_bytes()).unwrap();
            text += &writer.marker(at(1_500_001), "idle");
            text += &writer.resize(at(1_000_000), Size::clamped(100, 30));
            text += &writer.input(at(2_000_000), b"y\r");
            text += &writer.exit(at(3_000_000), 7).unwrap_or_default();
            let mut lines = text.lines();
            let mut reader = Reader::new(lines.next().unwrap()).unwrap();
            assert_eq!(reader.head, head(version));
            let events: Vec<(u128, Event)> = lines
                .filter_map(|line| reader.line(line).unwrap())
                .map(|(at, event)| (at.as_micros(), event))
                .collect();
            let mut expected = vec![
                (1_500_000, Event::Output("ä\u{1b}[1m".into())),
                (1_500_001, Event::Marker("idle".into())),
                (1_500_001, Event::Resize(Size::clamped(100, 30))),
                (2_000_000, Event::Input("y\r".into())),
            ];
            if version == Version::V3 {
                expected.push((3_000_000, Event::Exit(7)));
            }
            assert_eq!(events, expected, "{text}");
        }
    }

    #[test]
    fn a_character_is_written_when_it_is_whole() {
        let mut writer = Writer::new(Version::V2);
        let mut written = String::new();
        let text = "aé日😀z";
        for byte in text.bytes() {
            written += &writer.output(Duration::ZERO, &[byte]).unwrap_or_default();
        }
        let mut reader = Reader::new(&writer.head(&head(Version::V2))).unwrap();
        let read: String = written
            .lines()
            .map(|line| match reader.line(line).unwrap() {
                Some((_, Event::Output(text))) => text,
                other => unreachable!("{other:?}"),
            })
            .collect();
        assert_eq!(read, text);
        assert_eq!(written.lines().count(), 5, "one for each");
        // What can never become a character does not hold up the rest.
        for wrong in [&b"\xff"[..], b"\xc0", b"\x80\x80", b"\xe2\x28", b"\xf5\x80"] {
            assert!(Writer::new(Version::V2).output(Duration::ZERO, wrong).is_some(), "{wrong:?}");
        }
    }

    /// A whole text, as rows of time, kind and data, and how it ended.
    fn rows(text: &str) -> Result<(Head, Vec<Value>), (Vec<Value>, CastError)> {
        let mut lines = text.lines();
        let mut reader = Reader::new(lines.next().unwrap_or_default()).map_err(|error| (Vec::new(), error))?;
        let mut rows = Vec::new();
        for line in lines {
            let Some((at, event)) = reader.line(line).map_err(|error| (rows.clone(), error))? else { continue };
            let (kind, data) = match event {
                Event::Output(text) => ("o", text),
                Event::Input(text) => ("i", text),
                Event::Resize(size) => ("r", size.to_string()),
                Event::Marker(name) => ("m", name),
                Event::Exit(code) => ("x", code.to_string()),
                Event::Other => ("?", String::new()),
            };
            rows.push(json!([u64::try_from(at.as_micros()).unwrap(), kind, data]));
        }
        Ok((reader.head, rows))
    }

    /// The reader of the web app has the same files (`web/src/play/cast.test.ts`).
    #[test]
    fn files_that_are_read() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/casts");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let casts: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "cast")).collect();
        assert!(casts.len() > 3, "{casts:?}");
        for cast in casts {
            let read = rows(&std::fs::read_to_string(&cast).unwrap());
            let expected = std::fs::read_to_string(cast.with_extension("json")).unwrap();
            let expected: Value = serde_json::from_str(&expected).unwrap();
            let name = cast.display();
            let (head, rows) = match read {
                Ok((head, rows)) => (Some(head), rows),
                // The last line is left to whoever reads: it may yet be written.
                Err((rows, error)) if expected["cut"] == true => {
                    assert!(error.to_string().starts_with("line 3 is no asciicast"), "{name}: {error}");
                    (None, rows)
                }
                Err((_, error)) => unreachable!("{name}: {error}"),
            };
            assert_eq!(Value::from(rows), expected["events"], "{name}");
            if let Some(Head { version, size, title, timestamp, .. }) = head {
                let version = if version == Version::V2 { 2 } else { 3 };
                assert_eq!(json!([size.cols(), size.rows()]), expected["size"], "{name}");
                assert_eq!(
                    json!([version, title, timestamp]),
                    json!([expected["version"], expected["title"], expected["timestamp"]]),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_recording() {
        let bad: Vec<(String, String)> = serde_json::from_str(include_str!("../testdata/casts/bad.json")).unwrap();
        assert!(bad.len() > 20, "{bad:?}");
        for (text, why) in bad {
            let (_, error) = rows(&text).unwrap_err();
            assert!(error.to_string().contains(&why), "{text}: {error}");
        }
    }
}
