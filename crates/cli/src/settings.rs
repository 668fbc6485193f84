//! Hooks in an agent's settings file: added and removed as text, so that everything else in the file stays as it is, to
//! the byte.

mod spans;

use coop_drivers::InstalledHook;
use serde_json::Value;

use spans::Node;

/// Why a file is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotEditable(pub(crate) String);

/// The file with these hooks in it. Those that are there already, by their command, stay as they are.
pub(crate) fn add(text: &str, hooks: &[InstalledHook]) -> Result<String, NotEditable> {
    let mut text = if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() };
    for hook in hooks {
        if commands(&text)?.contains(&hook.command) {
            continue;
        }
        text = add_one(&text, hook)?;
    }
    Ok(text)
}

/// The file without the hooks whose command is one of ours, and without what only they needed: an event is kept if it is
/// none of `events`, which are those that installing added.
pub(crate) fn remove(
    text: &str,
    ours: impl Fn(&str) -> bool,
    events: impl Fn(&str) -> bool,
) -> Result<String, NotEditable> {
    let mut text = text.to_owned();
    while let Some(cut) = next_cut(&text, &ours, &events)? {
        text.replace_range(cut, "");
    }
    Ok(text)
}

/// The commands of all hooks in the file.
pub(crate) fn commands(text: &str) -> Result<Vec<String>, NotEditable> {
    let root = root(text)?;
    let Some(hooks) = root.member("hooks") else { return Ok(Vec::new()) };
    let entries = hooks.members().flat_map(|(_, event)| event.items());
    let runs = entries.filter_map(|entry| entry.member("hooks")).flat_map(Node::items);
    Ok(runs.filter_map(|run| command(text, run)).collect())
}

fn command(text: &str, run: &Node) -> Option<String> {
    serde_json::from_str(run.member("command")?.text(text)).ok()
}

fn root(text: &str) -> Result<Node, NotEditable> {
    let parsed: Result<Value, _> = serde_json::from_str(text);
    match parsed {
        Ok(Value::Object(_)) => Ok(spans::read(text)),
        Ok(_) => Err(NotEditable("it is no JSON object".into())),
        Err(error) => Err(NotEditable(format!("it is not JSON: {error}"))),
    }
}

fn add_one(text: &str, hook: &InstalledHook) -> Result<String, NotEditable> {
    let root = root(text)?;
    let unit = root.unit(text);
    let entry = |indent: &str| entry(hook, indent, &unit);
    let Some(hooks) = root.member("hooks") else {
        let place = root.end_of_members(text, &unit);
        let inner = place.deeper(&unit);
        let value = place.object(&unit, &member(&hook.event, &inner.list(&unit, &entry(&inner.deeper(&unit).indent))));
        return Ok(place.insert(text, &member("hooks", &value)));
    };
    if !hooks.is_object() {
        return Err(NotEditable("`hooks` in it is no object".into()));
    }
    match hooks.member(&hook.event) {
        Some(event) if event.is_list() => {
            let place = event.end_of_items(text, &unit);
            Ok(place.insert(text, &entry(&place.indent)))
        }
        Some(_) => Err(NotEditable(format!("`hooks.{}` in it is no list", hook.event))),
        None => {
            let place = hooks.end_of_members(text, &unit);
            let list = place.list(&unit, &entry(&place.deeper(&unit).indent));
            Ok(place.insert(text, &member(&hook.event, &list)))
        }
    }
}

fn member(key: &str, value: &str) -> String {
    format!("{}: {value}", Value::from(key))
}

/// In the order the agent's own documentation has.
fn entry(hook: &InstalledHook, indent: &str, unit: &str) -> String {
    let InstalledHook { command, matcher, timeout, .. } = hook;
    let (command, matcher) = (Value::from(command.as_str()), Value::from(matcher.as_str()));
    if indent.is_empty() {
        return format!(
            r#"{{"matcher": {matcher}, "hooks": [{{"type": "command", "command": {command}, "timeout": {timeout}}}]}}"#
        );
    }
    let deep = |levels: usize| format!("\n{}{}", indent, unit.repeat(levels));
    let (one, two, three, end) = (deep(1), deep(2), deep(3), deep(0));
    format!(
        "{{{one}\"matcher\": {matcher},{one}\"hooks\": [{two}{{{three}\"type\": \"command\",{three}\"command\": {command},\
         {three}\"timeout\": {timeout}{two}}}{one}]{end}}}"
    )
}

/// The next piece of the text that goes.
fn next_cut(
    text: &str,
    ours: &impl Fn(&str) -> bool,
    events: &impl Fn(&str) -> bool,
) -> Result<Option<std::ops::Range<usize>>, NotEditable> {
    let root = root(text)?;
    let Some(hooks) = root.member("hooks") else { return Ok(None) };
    let mut emptied = false;
    for (index, (event, list)) in hooks.members().enumerate() {
        for (place, entry) in list.items().enumerate() {
            let runs: Vec<&Node> = entry.member("hooks").into_iter().flat_map(Node::items).collect();
            let is_ours = |run: &&Node| command(text, run).is_some_and(|command| ours(&command));
            let Some(first) = runs.iter().position(&is_ours) else { continue };
            if !runs.iter().all(is_ours) {
                // Somebody has put another one beside it.
                return Ok(entry.member("hooks").map(|runs| runs.cut_item(first)));
            }
            if list.items().count() == 1 && events(event) {
                emptied = hooks.members().count() == 1;
                if !emptied {
                    return Ok(Some(hooks.cut_member(index)));
                }
                break;
            }
            return Ok(Some(list.cut_item(place)));
        }
    }
    let at = root.members().position(|(key, _)| key == "hooks");
    Ok(at.filter(|_| emptied).map(|at| root.cut_member(at)))
}

#[cfg(test)]
mod tests;
