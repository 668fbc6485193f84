//! `coop hook EVENT`: what the agent runs when something happens. Passes on what it was given, and prints the answer.
//!
//! It stands in the way of the agent, so it is quick and never in the way: no runtime, no parser of flags, no word on
//! stderr. Whatever goes wrong, it ends with 0 and as if it had not been there; the event is kept in a file for later.

mod age;
mod link;
mod shell;
mod spool;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use coop_api::hook::{MAX_BODY, event_name};
use coop_drivers::Own;

/// Just under the ten minutes that agents give a hook: whoever has not answered by then leaves it to the terminal.
const DEFAULT_WAIT: Duration = Duration::from_secs(590);

/// What is called: the event, and whose hook it is if the command says so.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Called {
    event: String,
    agent: Option<String>,
}

/// What the command line calls, if it is that. Help and mistakes are for the parser of the other verbs.
pub(crate) fn requested(mut args: impl Iterator<Item = OsString>) -> Option<Called> {
    args.next()?;
    let verb = args.next()?;
    let words: Vec<String> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    let agent = match words.as_slice() {
        [_] => None,
        [_, agent] if Own::ALL.iter().any(|own| own.name() == agent) => Some(agent.clone()),
        _ => return None,
    };
    let ours = verb == "hook" && !words.iter().any(|word| word.starts_with('-'));
    ours.then(|| Called { event: event_name(&words[0]), agent })
}

/// `started` is when this process was.
pub(crate) fn run(called: &Called, started: Instant) -> ExitCode {
    let payload = stdin();
    match payload.as_deref().and_then(|payload| answer(called, payload, started)) {
        // Whoever asked may be gone; then nobody wants it.
        Some(answer) => drop(io::stdout().lock().write_all(&answer)),
        None => spool::keep(&called.event, payload.as_deref()),
    }
    ExitCode::SUCCESS
}

/// What to print; nothing when it could not be asked for.
fn answer(called: &Called, payload: &[u8], started: Instant) -> Option<Vec<u8>> {
    let wait = std::env::var("COOP_HOOK_WAIT").ok().and_then(|secs| secs.parse().ok());
    let wait = wait.map_or(DEFAULT_WAIT, Duration::from_secs);
    let event = link::Event { name: &called.event, agent: called.agent.as_deref() };
    let reply = link::ask(event, payload, started, wait)?;
    if reply.shell.is_empty() { Some(reply.body) } else { Some(shell::add(event.name, &reply)) }
}

/// All that the agent gave us; nothing when that is more than coop takes. It is read to its end in any case: an agent
/// that cannot write to its hook reports an error.
fn stdin() -> Option<Vec<u8>> {
    let mut stdin = io::stdin().lock();
    let mut payload = Vec::new();
    if stdin.is_terminal() {
        return Some(payload);
    }
    let read = stdin.by_ref().take(MAX_BODY as u64 + 1).read_to_end(&mut payload);
    if read.is_ok_and(|count| count <= MAX_BODY) {
        return Some(payload);
    }
    drop(io::copy(&mut stdin, &mut io::sink()));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_us() {
        let called = |line: &[&str]| requested(line.iter().map(OsString::from));
        let event = |line: &[&str]| called(line).map(|called| called.event);
        assert_eq!(event(&["coop", "hook", "Stop"]).as_deref(), Some("Stop"));
        let expected = Called { event: "PermissionRequest".into(), agent: Some("codex".into()) };
        assert_eq!(called(&["coop", "hook", "permission-request", "codex"]), Some(expected));
        for other in [&["coop"][..], &["coop", "hook"], &["coop", "hook", "--help"], &["coop", "ls", "Stop"]] {
            assert_eq!(event(other), None, "{other:?}");
        }
        assert_eq!(event(&["coop", "hook", "Stop", "--help"]), None);
        assert_eq!(event(&["coop", "hook", "Stop", "codex", "more"]), None);
        assert_eq!(event(&["coop", "hook", "Stop", "nobody"]), None);
    }
}
