//! Commands whose output the agent is told at the start of a session.

use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use super::link::Reply;

/// What an agent reads at its start counts against what it can remember; more than this is a mistake.
const MAX_OUTPUT: usize = 256 << 10;

/// The answer with what the commands print.
pub(super) fn add(event: &str, reply: &Reply) -> Vec<u8> {
    let outputs = reply.shell.iter().map(|command| output(command));
    let outputs: Vec<String> = outputs.filter(|text| !text.is_empty()).collect();
    with_context(event, &reply.body, &outputs.join("\n"))
}

fn with_context(event: &str, body: &[u8], context: &str) -> Vec<u8> {
    if context.is_empty() {
        return body.to_vec();
    }
    let mut answer: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let said = answer.entry("hookSpecificOutput").or_insert_with(|| json!({ "hookEventName": event }));
    let before = said.get("additionalContext").and_then(Value::as_str).filter(|text| !text.is_empty());
    let all = before.map_or_else(|| context.to_owned(), |before| format!("{before}\n{context}"));
    if let Some(fields) = said.as_object_mut() {
        fields.insert("additionalContext".into(), all.into());
    }
    Value::Object(answer).to_string().into_bytes()
}

/// In the agent's folder. A command that fails has said what it had to say.
fn output(command: &str) -> String {
    let run = Command::new("/bin/sh").args(["-c", command]).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let mut bytes = run.map(|done| done.stdout).unwrap_or_default();
    bytes.truncate(MAX_OUTPUT);
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_join_what_is_said() {
        let said = |body: &str, commands: &[&str]| {
            let shell = commands.iter().map(|command| (*command).to_owned()).collect();
            let answer = add("SessionStart", &Reply { body: body.into(), shell });
            serde_json::from_slice::<Value>(&answer).unwrap_or_default()
        };
        let context = |answer: Value| answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
        let text = r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"text"}}"#;
        assert_eq!(context(said(text, &["echo one", "printf 'two\nthree\n'"])), "text\none\ntwo\nthree");
        assert_eq!(context(said(text, &["exit 3", "no-such-command"])), "text");
        let alone = said("", &["echo one; exit 1"]);
        assert_eq!(alone["hookSpecificOutput"]["hookEventName"], "SessionStart");
        assert_eq!(context(alone), "one");
        assert_eq!(said("", &["true"]), Value::Null, "nothing to say");
    }
}
