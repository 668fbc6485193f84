//! The tools of a turn: what a dialog that says no more than that it asks may be about, and whether one that is told late
//! has been answered.

use std::time::Instant;

use serde_json::Value;

use super::evidence::Fact;
use super::prompt::{PermissionPrompt, PromptContext};
use super::shown::About;

/// More at once is not kept: a prompt is about one of the last.
const KEPT: usize = 32;

#[derive(Clone, Debug, Default)]
pub struct Tools(Vec<Tool>);

#[derive(Clone, Debug)]
struct Tool {
    /// A hook of a subagent does not tell the id of its call.
    id: Option<String>,
    name: String,
    input: Option<Value>,
    /// The subagent that calls it.
    agent: Option<String>,
    /// It was asked about, and that is over.
    asked: bool,
    /// When it came back.
    over: Option<Instant>,
}

impl Tools {
    /// True if a tool of the main agent was started that was not known.
    pub fn started(&mut self, fact: &Fact) -> bool {
        let Fact::ToolStarted { id: Some(id), name: Some(name), input, agent: None } = fact else { return false };
        if self.0.iter().any(|tool| tool.id.as_ref() == Some(id)) {
            return false;
        }
        let (id, name, input) = (Some(id.clone()), name.clone(), input.clone());
        self.keep(Tool { id, name, input, agent: None, asked: false, over: None });
        true
    }

    /// A hook asks for a subagent. Its call is in no log that is read, and its dialog may come when the hook is gone.
    pub fn asks(&mut self, context: &PromptContext) {
        let PromptContext::Permission(asked @ PermissionPrompt { agent_id: Some(_), .. }) = context else { return };
        let Some(name) = &asked.tool else { return };
        let is_it = |tool: &Tool| {
            tool.agent == asked.agent_id && tool.name == *name && like(tool.input.as_ref(), asked.input.as_ref())
        };
        if !self.0.iter().any(is_it) {
            let (id, agent) = (asked.tool_id.clone(), asked.agent_id.clone());
            self.keep(Tool { id, name: name.clone(), input: asked.input.clone(), agent, asked: false, over: None });
        }
    }

    fn keep(&mut self, tool: Tool) {
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        self.0.push(tool);
    }

    pub fn finished(&mut self, fact: &Fact, at: Instant) {
        let Fact::ToolFinished { id: Some(id), .. } = fact else { return };
        for tool in self.0.iter_mut().filter(|tool| tool.id.as_ref() == Some(id) && tool.over.is_none()) {
            tool.over = Some(at);
        }
    }

    /// The dialog about it is over.
    pub fn asked(&mut self, id: &str) {
        for tool in self.0.iter_mut().filter(|tool| tool.id.as_deref() == Some(id)) {
            tool.asked = true;
        }
    }

    /// Whether what was asked then has come back since.
    #[must_use]
    pub fn is_over(&self, asked: &PromptContext, then: Instant) -> bool {
        let is_it = |tool: &Tool| match asked.tool_id() {
            Some(id) => tool.id.as_deref() == Some(id),
            None => asked.tool() == Some(&tool.name) && like(asked.input(), tool.input.as_ref()),
        };
        self.0.iter().any(|tool| tool.over.is_some_and(|over| over >= then) && is_it(tool))
    }

    /// Inputs of the calls that are not over.
    pub fn inputs(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(|tool| tool.over.is_none()).filter_map(|tool| tool.input.as_ref())
    }

    /// The turn is over. Background subagents go on.
    pub fn end_turn(&mut self) {
        self.0.retain(|tool| tool.agent.is_some());
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The same with the call that the dialog shows, if there is only one such call. `own` are tools that are dialogs. A
    /// source that tells nothing of the input completes nothing: the only call that is not over may not be the one. It is
    /// where the agent asks `in_turn`, and the dialog names the tool.
    #[must_use]
    pub fn complete(&self, context: &PromptContext, own: &[String], in_turn: bool) -> PromptContext {
        let PromptContext::Permission(asked @ PermissionPrompt { tool_id: None, subtype: None, agent_id: None, .. }) =
            context
        else {
            return context.clone();
        };
        let fits = |tool: &&Tool| {
            let named = asked.tool.as_ref().is_none_or(|name| *name == tool.name);
            let is_shown = match (&asked.input, &asked.shown) {
                // What a source told with its input, it told of the main agent. A dialog cuts the input; any other source
                // has all of it, and a call that is like it is another call.
                (Some(input), _) if asked.input_seen => tool.agent.is_none() && shows(input, tool.input.as_ref()),
                (Some(input), _) => tool.agent.is_none() && like(tool.input.as_ref(), Some(input)),
                (None, Some(shown)) => tool.input.as_ref().is_some_and(|input| shown.about(input) == About::Same),
                (None, None) => in_turn && asked.tool.is_some() && tool.agent.is_none(),
            };
            tool.over.is_none() && named && is_shown
        };
        let only = |again: bool| {
            let mut fitting = self.0.iter().filter(fits).filter(|tool| tool.asked == again);
            fitting.next().filter(|_| fitting.next().is_none())
        };
        // Rarely is one tool asked about twice.
        let fresh = self.0.iter().filter(fits).any(|tool| !tool.asked);
        match only(!fresh) {
            Some(tool) if !own.contains(&tool.name) => PromptContext::Permission(PermissionPrompt {
                tool: Some(tool.name.clone()),
                input: tool.input.clone(),
                input_seen: false,
                tool_id: tool.id.clone(),
                agent_id: tool.agent.clone(),
                ..asked.clone()
            }),
            _ => context.clone(),
        }
    }
}

/// Whether a dialog that shows this may be about a call with that input: a screen cuts what is long.
fn shows(shown: &Value, input: Option<&Value>) -> bool {
    match (sign(shown), input.and_then(sign)) {
        (Some(shown), Some(whole)) => !shown.is_empty() && whole.starts_with(&shown),
        _ => Some(shown) == input,
    }
}

/// Whether two sources tell of the same input. A hook gets it after the agent has filled in defaults and resolved paths; a log
/// has it as the model wrote it.
pub(super) fn like(one: Option<&Value>, other: Option<&Value>) -> bool {
    let (Some(Value::Object(one)), Some(Value::Object(other))) = (one, other) else { return one == other };
    let is_default = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Number(_) | Value::Bool(true) | Value::Object(_) => false,
    };
    let same = |key: &str, one: &Value, other: &Value| {
        let paths = one.as_str().zip(other.as_str()).filter(|_| PATHS.contains(&key));
        one == other || paths.is_some_and(|(one, other)| resolved(one) == resolved(other))
    };
    let fits = |(key, value): (&String, &Value), in_other: Option<&Value>| match in_other {
        Some(known) => same(key, value, known),
        None => is_default(value),
    };
    one.iter().all(|field| fits(field, other.get(field.0))) && other.iter().all(|field| fits(field, one.get(field.0)))
}

/// Fields that are paths.
const PATHS: [&str; 3] = ["file_path", "notebook_path", "path"];

/// A path without `.` and `..`, as an agent resolves it.
fn resolved(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => parts.truncate(parts.len().saturating_sub(1)),
            part => parts.push(part),
        }
    }
    parts
}

/// What a tool would run, without white space, because a screen breaks lines where it likes; or the name of the file that
/// it would change, with an end, because that is never cut.
pub(super) fn sign(input: &Value) -> Option<String> {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    if let Some(command) = text("command") {
        return Some(command.chars().filter(|c| !c.is_whitespace()).collect());
    }
    text("file_path").and_then(|path| path.rsplit('/').next()).map(|name| format!("{name}\n"))
}

#[cfg(test)]
mod tests {
    use super::super::shown::Shown;
    use super::*;
    use serde_json::json;

    fn start(id: &str, name: &str) -> Fact {
        let input = Some(json!({ "command": id }));
        Fact::ToolStarted { id: Some(id.into()), name: Some(name.into()), input, agent: None }
    }

    #[test]
    fn a_dialog_is_about_the_only_tool_it_can_be_about() {
        let asks = |tool: Option<&str>| {
            PromptContext::Permission(PermissionPrompt { tool: tool.map(str::to_owned), ..PermissionPrompt::default() })
        };
        let mut tools = Tools::default();
        let about = |tools: &Tools, tool, command: &str| {
            let mut context = asks(tool);
            if let PromptContext::Permission(asked) = &mut context {
                asked.shown = Some(Box::new(Shown::command(command)));
            }
            tools.complete(&context, &["AskUserQuestion".into()], false).tool_id().map(str::to_owned)
        };
        assert_eq!(about(&tools, None, "a"), None);
        assert!(tools.started(&start("a", "Bash")));
        assert!(!tools.started(&start("a", "Bash")), "told by two sources");
        assert_eq!(about(&tools, None, "a").as_deref(), Some("a"));
        assert_eq!(about(&tools, Some("Bash"), "a").as_deref(), Some("a"));
        assert_eq!(about(&tools, Some("Edit"), "a"), None);
        assert_eq!(about(&tools, Some("Bash"), "rm"), None, "the dialog shows another call");
        assert_eq!(tools.complete(&asks(Some("Bash")), &[], false).tool_id(), None, "a dialog that shows nothing");
        assert_eq!(tools.complete(&asks(Some("Bash")), &[], true).tool_id(), Some("a"), "one that comes in turn");
        tools.started(&start("b", "Edit"));
        assert_eq!(about(&tools, Some("Edit"), "b").as_deref(), Some("b"));
        tools.started(&start("bb", "Edit"));
        let shown = |command: &str| {
            let input = Some(json!({ "command": command }));
            PromptContext::Permission(PermissionPrompt { input, input_seen: true, ..PermissionPrompt::default() })
        };
        let of = |command| tools.complete(&shown(command), &[], false).tool_id().map(str::to_owned);
        assert_eq!((of("b b").as_deref(), of("a").as_deref()), (Some("bb"), Some("a")), "what is shown decides");
        assert_eq!((of("b"), of("c")), (None, None), "one of two, and none");
        let now = Instant::now();
        for id in ["bb", "a"] {
            tools.finished(&Fact::ToolFinished { id: Some(id.into()), name: None, agent: None }, now);
        }
        tools.asked("b");
        assert_eq!(about(&tools, Some("Edit"), "b").as_deref(), Some("b"), "it may be asked about again");
        assert!(!tools.is_over(&shown("b"), now), "it runs");
        tools.clear();
        tools.started(&start("q", "AskUserQuestion"));
        assert_eq!(about(&tools, None, "q"), None);
    }

    #[test]
    fn inputs_are_the_same_with_defaults_and_resolved_paths() {
        let rows = [
            (json!({ "command": "ls" }), json!({ "command": "ls" }), true),
            (json!({ "command": "ls" }), json!({ "command": "ls -a" }), false),
            (json!({ "command": "ls" }), json!({ "command": "ls", "dangerous": true }), false),
            (json!({ "command": "ls" }), json!({ "command": "ls", "run_in_background": false }), true),
            (json!({ "file_path": "/a/b/../c.txt" }), json!({ "file_path": "/a/c.txt", "replace_all": false }), true),
            (
                json!({ "file_path": "/a/c.txt", "content": "1" }),
                json!({ "file_path": "/a/c.txt", "content": "2" }),
                false,
            ),
            (json!({ "command": "/a/b/../c" }), json!({ "command": "/a/c" }), false),
        ];
        for (one, other, same) in rows {
            assert_eq!(like(Some(&one), Some(&other)), same, "{one} {other}");
            assert_eq!(like(Some(&other), Some(&one)), same, "{other} {one}");
        }
    }

    #[test]
    fn dialog_of_a_subagent_is_about_the_call_that_its_hook_told() {
        let asks = |command: &str| {
            PromptContext::Permission(PermissionPrompt {
                tool: Some("Bash".into()),
                input: Some(json!({ "command": command })),
                agent_id: Some("sub".into()),
                ..PermissionPrompt::default()
            })
        };
        let shown = |command: &str| {
            let shown = Some(Box::new(Shown::command(command)));
            PromptContext::Permission(PermissionPrompt { shown, ..PermissionPrompt::default() })
        };
        let mut tools = Tools::default();
        tools.started(&start("main", "Bash"));
        for _ in 0..2 {
            tools.asks(&asks("rm"));
        }
        let about = |tools: &Tools, command: &str| tools.complete(&shown(command), &[], false).input().cloned();
        assert_eq!(about(&tools, "rm"), Some(json!({ "command": "rm" })));
        assert_eq!(about(&tools, "main"), Some(json!({ "command": "main" })));
        tools.end_turn();
        assert_eq!(about(&tools, "rm"), Some(json!({ "command": "rm" })), "it goes on in the background");
        assert_eq!(about(&tools, "main"), None);
        // The main agent asks for the same, and its hook tells so.
        let told = PermissionPrompt { input: Some(json!({ "command": "rm" })), ..PermissionPrompt::default() };
        let PromptContext::Permission(main) = tools.complete(&PromptContext::Permission(told), &[], false) else {
            panic!()
        };
        assert_eq!(main.agent_id, None);
    }
}
