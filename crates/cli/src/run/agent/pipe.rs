//! `COOP_HOOK_PIPE`: a pipe that older hook scripts write JSON lines to. It can tell, and cannot be answered.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use coop_drivers::lines::Lines;
use coop_session::{HookCall, SessionHandle};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde::Deserialize;
use serde_json::Value;

/// What a writer puts into the pipe at once.
const BLOCK: usize = 64 << 10;

#[derive(Debug, Deserialize)]
struct Line {
    event: String,
    #[serde(default)]
    data: Value,
}

pub(super) fn make(path: &Path) -> std::io::Result<()> {
    Ok(mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?)
}

/// Reads it for as long as coop runs.
pub(super) fn read(path: &Path, session: SessionHandle) -> std::io::Result<()> {
    // For writing too: the pipe then never ends, however many writers come and go.
    let mut pipe = File::options().read(true).write(true).open(path)?;
    let runtime = tokio::runtime::Handle::current();
    std::thread::Builder::new().name("coop-pipe".into()).spawn(move || {
        let mut lines = Lines::default();
        let mut block = vec![0; BLOCK];
        while let Ok(count @ 1..) = pipe.read(&mut block) {
            lines.push(&block[..count], |line| {
                let Some(call) = line.and_then(call) else { return };
                let session = session.clone();
                // Nobody waits for the answer.
                runtime.spawn(async move { drop(session.hook(call).await) });
            });
        }
    })?;
    Ok(())
}

fn call(line: &str) -> Option<HookCall> {
    let Line { event, data } = serde_json::from_str(line).ok()?;
    Some(HookCall { event: agents_name(&event), payload: data, age: Duration::ZERO, answerable: false })
}

/// `post_tool_use` is what the agent calls `PostToolUse`.
fn agents_name(event: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    event.split(['_', '-']).map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_calls() {
        let named = |line| call(line).map(|call| call.event);
        assert_eq!(named(r#"{"event":"post_tool_use","data":{"tool_name":"Bash"}}"#).as_deref(), Some("PostToolUse"));
        assert_eq!(named(r#"{"event":"Stop"}"#).as_deref(), Some("Stop"));
        assert_eq!(named("{"), None);
        assert_eq!(named(r#"{"data":{}}"#), None);
    }

    #[test]
    fn the_pipe_is_for_us_alone() {
        use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        make(&path).unwrap();
        let meta = std::fs::metadata(&path).unwrap();
        assert!(meta.file_type().is_fifo());
        assert_eq!(meta.permissions().mode() & 0o777, 0o600);
    }
}
