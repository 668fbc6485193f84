//! The command line: the flags of the sidecar, the verbs, and where the environment counts.

use std::borrow::Cow;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory as _, FromArgMatches as _, Parser};

use crate::commands::Verb;
use crate::run::Flags;

const ABOUT: &str = "Runs a program in a terminal of its own, and serves that terminal over HTTP, WebSocket and gRPC";

const EXAMPLES: &str = "\
Examples:
  coop --welcome -- bash              try it: prints an address and commands to type elsewhere
  coop --port 8080 -- claude          an agent, on a port of this machine
  coop --socket /tmp/a.sock -- codex  the same on a socket of your choice
  coop -- 'make 2>&1 | tee log'       one string with shell syntax is run by /bin/sh

  coop ls                             what runs on this machine
  coop attach                         get into it; Ctrl-\\ leaves again
  coop screen -s claude               look at it
  coop input -s claude 'hello' --enter

  coop --survive -- claude            a coop that dies is started again, and the agent has not noticed

  coop --sealed -- claude             an agent that cannot see coop's sockets, state and processes

  coop attach-list                    agents that run in tmux or GNU Screen already
  coop --attach tmux:work             make one of them a session

  coop run -- claude                  the same with a hub in the background, which has every agent on one board
  coop board                          the board, to leave open; `coop` alone is the same while a hub runs
  coop sessions                       the board, printed once

In a container, with everything:
  coop --host 0.0.0.0 --port 8080 --grpc-port 9090 --health-port 9091 -- claude
needs a token in COOP_AUTH_TOKEN; `coop token` prints one.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "coop",
    version,
    about = ABOUT,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_value_name = "VERB",
    subcommand_help_heading = "Verbs, for sessions that run",
    disable_help_subcommand = true,
    max_term_width = 120
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
    #[command(flatten)]
    pub(crate) flags: Flags,
}

/// The definition, for those who print it.
pub(crate) fn definition() -> Command {
    Cli::command()
}

pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    // A verb is known without the environment, and a COOP_PORT that is no port must not keep `coop ls` from working.
    let run = |run: Command| run.mut_args(with_env_that_counts);
    let bare = definition().mut_args(without_env).mut_subcommand("run", run).try_get_matches_from(&args);
    let matches = match bare {
        Ok(matches) if matches.subcommand_name().is_some() => matches,
        // What is wrong with it does not depend on the environment of another one.
        Err(error) if args.get(1).is_some_and(|verb| verb == "run") => return Err(error),
        _ => definition().mut_args(with_env_that_counts).try_get_matches_from(args)?,
    };
    Cli::from_arg_matches(&matches)
}

/// Prints the help that was asked for, or what is wrong with the command line.
pub(crate) fn report(error: &clap::Error) -> ExitCode {
    // Without stdout or stderr there is nobody to tell; the code still says it.
    // A word of the command line may come from a program: what would hide or act in it is shown, without colours.
    let plain = error.render().to_string();
    match coop_core::text::shown(&plain) {
        Cow::Borrowed(_) => drop(error.print()),
        Cow::Owned(shown) => crate::out::complain(&shown),
    }
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
        && !word.starts_with('-')
    {
        crate::out::complain(&format!("To run a program, put it after two dashes: coop -- {word}\n"));
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// What the screen understands. `--term` takes any other.
const TERMS: [&str; 4] = ["xterm-256color", "xterm", "xterm-color", "xterm-direct"];

/// Whether we were started from inside a session.
pub(crate) fn is_nested() -> bool {
    std::env::var_os("COOP").is_some_and(|value| !value.is_empty())
}

fn without_env(arg: Arg) -> Arg {
    arg.env(None)
}

/// An empty variable is as good as none. Inside a session, variables describe that session and not the one to start.
fn with_env_that_counts(arg: Arg) -> Arg {
    let name = arg.get_env().unwrap_or_default().to_os_string();
    let Some(value) = std::env::var_os(&name) else { return arg };
    let ours = name.to_string_lossy().starts_with("COOP_");
    // It names the terminal coop was started in. The program gets another one, which is of this kind.
    let foreign = name == "TERM" && !TERMS.iter().any(|term| value == *term);
    if value.is_empty() || foreign || (ours && is_nested()) { without_env(arg) } else { arg }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::path::Path;

    #[test]
    fn the_definition_is_sound() {
        definition().debug_assert();
    }

    fn parsed(line: &[&str]) -> Result<Cli, clap::Error> {
        let args = [&["coop"], line].concat();
        let matches = definition().mut_args(without_env).try_get_matches_from(args)?;
        Cli::from_arg_matches(&matches)
    }

    #[test]
    fn verbs_and_programs_are_told_apart() {
        let verb = |line: &[&str]| parsed(line).unwrap().verb.is_some();
        let command = |line: &[&str]| parsed(line).unwrap().flags.command;
        assert!(verb(&["ls"]));
        assert!(verb(&["run", "--no-hub", "--port", "1", "--", "claude", "--no-hub"]));
        assert_eq!(command(&["--", "ls", "-l"]), ["ls", "-l"]);
        assert_eq!(command(&["--port", "1", "--", "claude", "--port", "2"]), ["claude", "--port", "2"]);
        for bad in [&["claude"][..], &["--port", "1", "ls"], &["--port", "70000", "--", "x"], &["--prot", "1"]] {
            assert!(parsed(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn both_spellings() {
        for (a, b) in [("--grpc-port", "--port-grpc"), ("--health-port", "--port-health")] {
            for flag in [a, b] {
                parsed(&[flag, "9", "--", "x"]).unwrap_or_else(|error| panic!("{flag}: {error}"));
            }
        }
    }

    /// As much of a manifest as runs coop.
    #[derive(Debug, Deserialize)]
    struct Container {
        #[serde(default)]
        command: Vec<String>,
        #[serde(default)]
        args: Vec<String>,
    }

    #[test]
    fn the_manifests_start_coop_as_it_can_be_started() {
        let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
        let mut found = 0;
        for entry in std::fs::read_dir(deploy).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "yaml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(&text).unwrap();
            for container in documents.iter().flat_map(containers).filter(|c| c.command == ["coop"]) {
                let args: Vec<&str> = container.args.iter().map(String::as_str).collect();
                let cli = parsed(&args).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                assert!(!cli.flags.command.is_empty(), "{} runs nothing", path.display());
                found += 1;
            }
        }
        assert_eq!(found, 2, "the sidecar and the standalone agent");
    }

    /// Every `containers` list, however deep.
    fn containers(value: &serde_json::Value) -> Vec<Container> {
        let inner = |value: &serde_json::Value| match value {
            serde_json::Value::Object(fields) => fields.values().flat_map(containers).collect(),
            serde_json::Value::Array(items) => items.iter().flat_map(containers).collect(),
            _ => Vec::new(),
        };
        let mut all: Vec<Container> = inner(value);
        if let Some(list) = value.get("containers") {
            all.extend(serde_json::from_value::<Vec<Container>>(list.clone()).unwrap());
        }
        all
    }
}
