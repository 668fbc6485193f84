//! Which agents are installed here: each is asked for its version.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use coop_drivers::Recipe;

use crate::pages::Known;

/// Agents take up to a second to say it.
const LIMIT: Duration = Duration::from_secs(10);
/// More nobody needs to say about a version.
const MOST: u64 = 4096;

/// The version of each, in their order; nothing where it is not installed.
pub(super) fn versions(known: &[Known]) -> Vec<Option<String>> {
    let asked: Vec<_> =
        known.iter().map(|agent| command(&agent.recipe).map(|c| thread::spawn(|| version(c)))).collect();
    asked.into_iter().map(|asked| asked?.join().ok()?).collect()
}

/// What prints the version: nothing if no program of the agent is in PATH. One that has no such arguments is only found.
fn command(recipe: &Recipe) -> Option<(PathBuf, Vec<String>)> {
    let (names, args) = match recipe {
        Recipe::Own(own) => (vec![own.name().to_owned()], vec!["--version".to_owned()]),
        Recipe::Page(page) => (page.commands().to_vec(), page.version_args().to_vec()),
    };
    let folders = std::env::var_os("PATH")?;
    let found =
        |name: &String| std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    Some((names.iter().find_map(found)?, args))
}

fn version((program, args): (PathBuf, Vec<String>)) -> Option<String> {
    if args.is_empty() {
        return Some(program.display().to_string());
    }
    let mut command = Command::new(&program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return Some("does not start".to_owned()) };
    let (said, heard) = channel();
    if let Some(output) = child.stdout.take() {
        thread::spawn(move || {
            let mut text = String::new();
            drop(output.take(MOST).read_to_string(&mut text));
            drop(said.send(text));
        });
    }
    let text = heard.recv_timeout(LIMIT);
    // One that has said it may still be there: nobody waits for it.
    drop(child.kill());
    drop(child.wait());
    let first = text.map(|text| text.lines().find(|line| !line.trim().is_empty()).unwrap_or("?").trim().to_owned());
    Some(first.unwrap_or_else(|_| "does not answer".to_owned()))
}
