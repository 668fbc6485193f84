//! Events that could not be told, kept for when coop is back: one JSON object on a line.

use std::io::Write as _;
use std::path::Path;
use std::time::SystemTime;

use coop_machine::private;
use serde_json::{Value, json};

/// Enough for hours of work; more would only fill the disk of somebody whose coop is gone.
const MAX_SIZE: u64 = 8 << 20;

/// In the file of `COOP_SPOOL`, if there is one. What goes wrong here is nobody's business.
pub(super) fn keep(event: &str, payload: Option<&[u8]>) {
    if let Some(path) = std::env::var_os("COOP_SPOOL").filter(|path| !path.is_empty()) {
        append(Path::new(&path), &line(event, payload));
    }
}

fn line(event: &str, payload: Option<&[u8]>) -> String {
    let at_ms = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    // What is no JSON is kept as a text, and what is too much is left out.
    let payload = match payload {
        None => Value::Null,
        Some(bytes) if bytes.len() as u64 > MAX_SIZE => Value::Null,
        Some(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => Value::Null,
        Some(bytes) => serde_json::from_slice(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into()),
    };
    let at_ms = u64::try_from(at_ms).unwrap_or(u64::MAX);
    format!("{}\n", json!({ "event": event, "at_ms": at_ms, "payload": payload }))
}

fn append(path: &Path, line: &str) {
    let Ok(mut file) = private::append(path) else { return };
    let size = file.metadata().map_or(MAX_SIZE, |metadata| metadata.len());
    if size + line.len() as u64 <= MAX_SIZE {
        // In one piece, so that several hooks at once do not mix their lines.
        drop(file.write_all(line.as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let kept = |payload: Option<&[u8]>| {
            let line = line("Stop", payload);
            assert_eq!(line.matches('\n').count(), 1, "{line}");
            let value: Value = serde_json::from_str(&line).unwrap();
            assert!(value["event"] == "Stop" && value["at_ms"].as_u64().is_some());
            value["payload"].clone()
        };
        assert_eq!(kept(Some(b"{\n \"a\": 1 }")), json!({ "a": 1 }));
        assert_eq!(kept(Some(b"not\njson \xff")), json!("not\njson \u{fffd}"));
        for nothing in [None, Some(&b""[..]), Some(b" \n"), Some(&vec![b'1'; 9 << 20])] {
            assert_eq!(kept(nothing), Value::Null);
        }
    }

    #[test]
    fn the_file_does_not_grow_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spool");
        let line = format!("{}\n", "x".repeat(3 << 20));
        for _ in 0..4 {
            append(&path, &line);
        }
        append(&path, "small\n");
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.len(), 2 * line.len() + "small\n".len());
        append(&folder.path().join("no/such/folder"), "x");
    }
}
