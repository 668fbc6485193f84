//! How Claude Code is started: hooks and settings in a file of their own, so that the user's files are left alone.

use std::path::Path;

use coop_core::agent::Source;
use coop_core::agent::gate::Groom;
use serde_json::{Map, Value, json};

use crate::config::{merge, part, wants_hooks};
use crate::launch::{InstalledHook, Launch, LaunchError, LaunchRequest, Printing};
use crate::table::{Event, Table};

const SETTINGS: &str = "claude-settings.json";
const MCP: &str = "claude-mcp.json";
/// Arguments that say which conversation it is.
pub(super) const CHOOSE_SESSION: [&str; 7] =
    ["--session-id", "--resume", "-r", "--continue", "-c", "--from-pr", "--teleport"];

pub(super) fn launch(table: &Table, request: &LaunchRequest) -> Result<Launch, LaunchError> {
    let mut launch = Launch { hooks: request.groom != Groom::Pristine, ..Launch::default() };
    let (rest, given) = without_settings(&request.args);
    let config = request.agent_config.as_ref();
    let own = part(config, "settings")?;
    let settings = settings(table, request, own)?;
    let mut added = Vec::new();
    // Arguments take the form with `=`: a variadic one would swallow the user's message that follows.
    let mut file = |flag: &str, dir: &Path, name: &str, content: &Value| {
        let path = dir.join(name);
        added.push(format!("{flag}={}", path.to_string_lossy()));
        launch.files.push((path, format!("{content:#}\n")));
    };
    let replaced = settings.is_some();
    if let Some(settings) = &settings {
        file("--settings", &request.session_dir, SETTINGS, settings);
    }
    if let Some(servers) = part(config, "mcp")? {
        file("--mcp-config", &request.session_dir, MCP, &json!({ "mcpServers": servers }));
    }
    let chooses = super::again::chooses(&rest);
    if let Some(id) = request.session_id.as_ref().filter(|_| !chooses) {
        added.push(format!("--session-id={id}"));
        launch.session_id = Some(id.clone());
    }
    if replaced && given && request.user_settings.is_none() {
        return Err(LaunchError::Config {
            part: "the file given with --settings".to_owned(),
            expected: "readable JSON",
        });
    }
    launch.args = added;
    launch.args.extend(if replaced { rest } else { request.args.clone() });
    Ok(launch)
}

fn settings(
    table: &Table,
    request: &LaunchRequest,
    own: Option<&Map<String, Value>>,
) -> Result<Option<Value>, LaunchError> {
    let hooks = request.groom != Groom::Pristine;
    if !hooks && own.is_none() {
        return Ok(None);
    }
    let mut merged = match &request.user_settings {
        None => Map::new(),
        Some(Value::Object(user)) => user.clone(),
        Some(_) => {
            return Err(LaunchError::Config { part: "what --settings gives".to_owned(), expected: "an object" });
        }
    };
    merge(&mut merged, own.cloned().unwrap_or_default());
    check_hooks(&merged)?;
    if hooks {
        let mut added = Map::new();
        added.insert("hooks".to_owned(), Value::Object(entries(table, request)?));
        merge(&mut merged, added);
    }
    Ok(Some(Value::Object(merged)))
}

/// One wrong entry makes the agent drop the whole file without a word, so that it is found here.
fn check_hooks(settings: &Map<String, Value>) -> Result<(), LaunchError> {
    let error = |part: String, expected| Err(LaunchError::Config { part, expected });
    match settings.get("hooks") {
        None => Ok(()),
        Some(Value::Object(events)) => events.iter().try_for_each(|(event, entries)| match entries {
            Value::Array(entries) if entries.iter().all(Value::is_object) => Ok(()),
            _ => error(format!("settings.hooks.{event}"), "a list of objects"),
        }),
        Some(_) => error("settings.hooks".to_owned(), "an object"),
    }
}

/// About every tool only for an orchestrator that asks for it: each is a process, for which the agent waits a little.
fn entries(table: &Table, request: &LaunchRequest) -> Result<Map<String, Value>, LaunchError> {
    let version = request.version.as_deref().and_then(version);
    let all = wants_hooks(request.agent_config.as_ref())?;
    let entry = |event: &Event| {
        let matcher = if all { "" } else { &event.matcher };
        json!([{ "matcher": matcher, "hooks": [hook(table, request, version, event)] }])
    };
    Ok(known(table, version).map(|event| (event.name.clone(), entry(event))).collect())
}

/// Those that this version knows: before 2.1.101 one that it does not know makes it drop the whole file.
fn known(table: &Table, version: Option<Version>) -> impl Iterator<Item = &Event> {
    table.events.iter().filter(move |event| match (version, event.since.as_deref().and_then(self::version)) {
        (Some(version), Some(since)) => version >= since,
        _ => true,
    })
}

pub(super) fn hooks(table: &Table, command: &str, wait_secs: u64, version: Option<&str>) -> Vec<InstalledHook> {
    let quick = table.timings.hook_timeout().as_secs();
    let hook = |event: &Event| InstalledHook {
        event: event.name.clone(),
        matcher: event.matcher.clone(),
        command: format!("{command} {}", event.name),
        timeout: if event.waits { wait_secs } else { quick },
    };
    known(table, version.and_then(self::version)).map(hook).collect()
}

fn hook(table: &Table, request: &LaunchRequest, version: Option<Version>, event: &Event) -> Value {
    let can = |since: &Option<String>| {
        let since = since.as_deref().and_then(self::version);
        version.zip(since).is_some_and(|(version, since)| version >= since)
    };
    let quick = table.timings.hook_timeout().as_secs();
    let timeout = if event.waits { request.hook_timeout_secs } else { quick };
    let mut hook = match request.hook_program.split_first() {
        Some((program, args)) if can(&table.hooks.direct_since) => {
            let args = args.iter().chain([&event.name]).collect::<Vec<_>>();
            json!({ "type": "command", "command": program, "args": args, "timeout": timeout })
        }
        _ => {
            let command = format!("{} {}", request.hook_command, event.name);
            json!({ "type": "command", "command": command, "timeout": timeout })
        }
    };
    if event.background && can(&table.hooks.background_since) {
        hook["async"] = true.into();
    }
    hook
}

type Version = (u32, u32, u32);

/// The numbers of `2.1.197 (Claude Code)`.
fn version(text: &str) -> Option<Version> {
    let mut numbers = text.trim().split([' ', '-', '+']).next()?.split('.').map(|part| part.parse().ok());
    Some((numbers.next()??, numbers.next()??, numbers.next().unwrap_or(Some(0))?))
}

pub(super) fn flag_of(arg: &str) -> &str {
    arg.split_once('=').map_or(arg, |(flag, _)| flag)
}

fn before_dashes(args: &[String]) -> &[String] {
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    &args[..end]
}

/// The value of `--settings` in the user's arguments: a path or JSON.
pub(super) fn settings_argument(args: &[String]) -> Option<&str> {
    let args = before_dashes(args);
    let place = args.iter().position(|arg| flag_of(arg) == "--settings")?;
    match args[place].split_once('=') {
        Some((_, value)) => Some(value),
        None => args.get(place + 1).map(String::as_str),
    }
}

/// The arguments without `--settings`, and whether it was there.
fn without_settings(args: &[String]) -> (Vec<String>, bool) {
    let Some(place) = before_dashes(args).iter().position(|arg| flag_of(arg) == "--settings") else {
        return (args.to_vec(), false);
    };
    let long = if args[place].contains('=') { 1 } else { 2 };
    let rest = args.iter().take(place).chain(args.iter().skip(place + long));
    (rest.cloned().collect(), true)
}

pub(super) fn prints(args: &[String]) -> Printing {
    let json = args.iter().any(|arg| arg.contains("stream-json"));
    // It has its one message already, and still registers as idle before it takes it.
    let single = json && !args.iter().any(|arg| arg.starts_with("--input-format"));
    Printing { json, without: single.then_some(Source::Registry).into_iter().collect() }
}

/// A message that begins with a word after `/`, or with `!`, is a command; a path is not.
pub(super) fn is_command(message: &str) -> bool {
    let message = message.trim_start();
    let Some(rest) = message.strip_prefix('/') else {
        return message.starts_with('!');
    };
    let word = rest.split_whitespace().next().unwrap_or_default();
    !rest.starts_with(char::is_whitespace) && !word.contains('/')
}

/// Longer names are cut, and told apart by a hash.
const LONGEST: usize = 200;

pub(super) fn project_dir(cwd: &str) -> String {
    // The agent counts in UTF-16, so that a character outside the basic plane becomes two dashes.
    let plain = |unit: u16| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric).map_or('-', char::from);
    let name: String = cwd.encode_utf16().map(plain).collect();
    if name.len() <= LONGEST { name } else { format!("{}-{}", &name[..LONGEST], base36(hash(cwd))) }
}

/// The usual hash of texts in JavaScript.
fn hash(text: &str) -> u32 {
    let hash = text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
    hash.unsigned_abs()
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}
