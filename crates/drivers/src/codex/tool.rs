//! Tools: what hooks call them counts, so that a call is the same whoever tells of it.

use coop_core::agent::prompt::{PromptContext, Question, QuestionPrompt};
use coop_core::agent::{Choice, Fact, Meaning};
use serde_json::{Map, Value, json};

use super::TABLE;
use crate::json::{list, owned, text};
use crate::table::Kind;

pub(super) const SHELL: &str = "Bash";
pub(super) const ASKS: &str = "request_user_input";
/// Names of the tool that runs a command.
const SHELLS: [&str; 4] = ["exec_command", "shell", "shell_command", "local_shell"];

/// What a call in the log is: its name and input in the words of hooks.
pub(super) fn call(payload: &Value) -> Option<(String, Value)> {
    let name = text(payload, "name")?;
    let input = match (text(payload, "arguments"), text(payload, "input")) {
        (Some(arguments), _) => serde_json::from_str(arguments).unwrap_or_else(|_| json!({ "arguments": arguments })),
        (None, Some(input)) => json!({ "command": input }),
        (None, None) => Value::Null,
    };
    if SHELLS.contains(&name) { Some((SHELL.to_owned(), shell(&input))) } else { Some((name.to_owned(), input)) }
}

fn shell(arguments: &Value) -> Value {
    let command = match arguments.get("cmd").or_else(|| arguments.get("command")) {
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ").into(),
        Some(command) => command.clone(),
        None => Value::Null,
    };
    let mut input = Map::from_iter([("command".to_owned(), command)]);
    for (ours, theirs) in [("description", "justification"), ("workdir", "workdir")] {
        if let Some(value) = arguments.get(theirs) {
            input.insert(ours.to_owned(), value.clone());
        }
    }
    Value::Object(input)
}

pub(super) fn started(payload: &Value) -> Option<Fact> {
    let (name, input) = call(payload)?;
    Some(Fact::ToolStarted { id: owned(payload, "call_id"), name: Some(name), input: Some(input), agent: None })
}

/// What the output of a call says.
pub(super) fn output(payload: &Value) -> String {
    match payload.get("output") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n"),
        Some(other) => text(other, "content").map_or_else(|| other.to_string(), str::to_owned),
        None => String::new(),
    }
}

/// The person stopped the turn: `aborted by user after 0.4s`, or that after how long the command ran.
pub(super) fn is_aborted(output: &str) -> bool {
    let said =
        output.strip_prefix("Wall time:").and_then(|rest| rest.split_once('\n')).map_or(output, |(_, rest)| rest);
    said.starts_with("aborted by user")
}

/// What the dialog of a tool that is nothing but a dialog asks.
pub(super) fn own_dialog(tool: &str, input: &Value, id: Option<&str>) -> Option<PromptContext> {
    let questions: Vec<Question> = list(input, "questions").iter().map(question).collect();
    let asks = tool == ASKS && !questions.is_empty();
    asks.then(|| {
        PromptContext::Question(QuestionPrompt {
            tool: Some(tool.to_owned()),
            questions,
            current: 0,
            input: Some(input.clone()),
            tool_id: id.map(str::to_owned),
        })
    })
}

fn question(value: &Value) -> Question {
    let own = list(value, "options").iter().map(|option| Choice {
        label: owned(option, "label").unwrap_or_default(),
        description: owned(option, "description"),
        meaning: Meaning::Answer,
    });
    let own: Vec<Choice> = own.collect();
    // A question without options is answered in words.
    let added =
        TABLE.fallback.question.iter().filter(|_| !own.is_empty()).map(|label| TABLE.choice(Kind::Question, label));
    Question {
        question: owned(value, "question").unwrap_or_default(),
        header: owned(value, "header"),
        multi_select: false,
        options: own.iter().cloned().chain(added).collect(),
    }
}
