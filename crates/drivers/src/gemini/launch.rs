//! How the Gemini CLI is started.

mod home;

use coop_core::agent::gate::Groom;

use crate::launch::{Launch, LaunchError, LaunchRequest, Printing};
use crate::table::Table;

/// Arguments that say which conversation it is.
const CHOOSE_SESSION: [&str; 4] = ["--session-id", "--resume", "-r", "--session-file"];
/// Words that are commands of the program, after which it talks to nobody.
const COMMANDS: [&str; 6] = ["mcp", "extensions", "extension", "skills", "hooks", "gemma"];

pub(super) fn launch(table: &Table, request: &LaunchRequest) -> Result<Launch, LaunchError> {
    let mut launch = home::launch(table, request)?;
    let own = &request.args;
    let chooses = own.iter().any(|arg| CHOOSE_SESSION.contains(&flag_of(arg)));
    let talks = own.first().is_none_or(|first| !COMMANDS.contains(&first.as_str()));
    if let Some(id) = request.session_id.as_ref().filter(|_| talks && !chooses) {
        launch.args.push(format!("--session-id={id}"));
        launch.session_id = Some(id.clone());
    }
    launch.args.extend(own.iter().cloned());
    if request.groom == Groom::Auto {
        // The folder is the one that the user named. Asked in its dialog instead, it would have to start again.
        launch.env.push(("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned()));
        // One process instead of one that starts another.
        launch.env.push(("GEMINI_CLI_NO_RELAUNCH".to_owned(), "true".to_owned()));
    }
    Ok(launch)
}

fn flag_of(arg: &str) -> &str {
    arg.split_once('=').map_or(arg, |(flag, _)| flag)
}

pub(super) fn prints(args: &[String]) -> Printing {
    let json = args.iter().any(|arg| arg.rsplit('=').next() == Some("stream-json"));
    Printing { json, ..Printing::default() }
}

/// A pasted message is a command if it begins with a word after `/`; a path is none. `!` is one only when it is typed.
pub(super) fn is_command(message: &str) -> bool {
    let Some(rest) = message.trim_start().strip_prefix('/') else {
        return false;
    };
    let word = rest.split_whitespace().next().unwrap_or_default();
    !word.is_empty() && !rest.starts_with(char::is_whitespace) && !word.contains('/')
}
