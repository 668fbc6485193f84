//! A hook that writes down what it is told, and the reader of that.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// What one call of a hook was told.
#[derive(Clone, Debug, PartialEq)]
pub struct HookLine {
    pub clock: SystemTime,
    /// `hook_event_name`.
    pub event: String,
    pub payload: Value,
}

/// Appends a line of the time and what came in. Hooks run at the same time, so a line is one write: `cat` makes one of
/// up to 128 KiB.
const RECORDER: &str = "#!/bin/sh
part=$(mktemp \"$0.XXXXXX\")
{ date +%s%N; tr -d '\\n'; echo; } | paste -d ' ' - - >\"$part\"
cat \"$part\" >>\"$0.log\"
rm \"$part\"
";

pub(crate) fn write_recorder(home: &Path) -> io::Result<()> {
    let script = recorder(home);
    fs::write(&script, RECORDER)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))
}

/// A table in the form that all three agents read, but for what they count a timeout in.
pub(crate) fn table(home: &Path, events: &[&str], timeout: u32) -> Value {
    let command = recorder(home);
    let entry = json!([{"matcher": "", "hooks": [{"type": "command", "command": command, "timeout": timeout}]}]);
    events.iter().map(|event| ((*event).to_owned(), entry.clone())).collect::<serde_json::Map<_, _>>().into()
}

pub(crate) fn read(home: &Path) -> Vec<HookLine> {
    // There is no file before the first hook.
    let log = fs::read_to_string(recorder(home).with_extension("log")).unwrap_or_default();
    // In the order they were written, which never changes; by the clock, a slow one would move into the past.
    log.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<HookLine> {
    let (nanos, payload) = line.split_once(' ')?;
    let payload: Value = serde_json::from_str(payload).ok()?;
    let event = payload["hook_event_name"].as_str()?.to_owned();
    Some(HookLine { clock: UNIX_EPOCH + Duration::from_nanos(nanos.parse().ok()?), event, payload })
}

fn recorder(home: &Path) -> PathBuf {
    home.join("record-hook")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    #[test]
    fn what_a_hook_is_told_is_read_back() {
        let home = tempfile::tempdir().unwrap();
        write_recorder(home.path()).unwrap();
        let told = json!({"hook_event_name": "Stop", "text": "a \"b\"\n".repeat(9000)});
        let payload = told.to_string();
        let mut hooks: Vec<_> = (0..8)
            .map(|_| {
                let mut hook = Command::new(recorder(home.path())).stdin(Stdio::piped()).spawn().unwrap();
                hook.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
                hook
            })
            .collect();
        assert!(hooks.iter_mut().all(|hook| hook.wait().unwrap().success()));
        let lines = read(home.path());
        assert_eq!(lines.len(), 8);
        assert!(lines.iter().all(|line| line.event == "Stop" && line.payload == told));
    }
}
