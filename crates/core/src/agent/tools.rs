//! The tools of a turn: what a dialog that says no more than that it asks may be about, and whether one that is told late
//! has been answered.

use std::time::Instant;

use serde_json::Value;

use super::evidence::Fact;
use super::prompt::{PermissionPrompt, PromptContext};

/// More at once is not kept: a prompt is about one of the last.
const KEPT: usize = 32;

#[derive(Clone, Debug, Default)]
pub struct Tools(Vec<Tool>);

#[derive(Clone, Debug)]
struct Tool {
    id: String,
    name: String,
    input: Option<Value>,
    /// It was asked about, and that is over.
    asked: bool,
    /// When it came back.
    over: Option<Instant>,
}

impl Tools {
    /// True if a tool of the main agent was started that was not known.
    pub fn started(&mut self, fact: &Fact) -> bool {
        let Fact::ToolStarted { id: Some(id), name: Some(name), input, agent: None } = fact else { return false };
        if self.0.iter().any(|tool| tool.id == *id) {
            return false;
        }
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        let (id, name, input) = (id.clone(), name.clone(), input.clone());
        self.0.push(Tool { id, name, input, asked: false, over: None });
        true
    }

    pub fn finished(&mut self, fact: &Fact, at: Instant) {
        let Fact::ToolFinished { id: Some(id), .. } = fact else { return };
        for tool in self.0.iter_mut().filter(|tool| tool.id == *id && tool.over.is_none()) {
            tool.over = Some(at);
        }
    }

    /// The dialog about it is over.
    pub fn asked(&mut self, id: &str) {
        for tool in self.0.iter_mut().filter(|tool| tool.id == id) {
            tool.asked = true;
        }
    }

    /// Whether what was asked then has come back since.
    #[must_use]
    pub fn is_over(&self, asked: &PromptContext, then: Instant) -> bool {
        let is_it = |tool: &Tool| match asked.tool_id() {
            Some(id) => tool.id == id,
            None => asked.tool() == Some(&tool.name) && asked.input() == tool.input.as_ref(),
        };
        self.0.iter().any(|tool| tool.over.is_some_and(|over| over >= then) && is_it(tool))
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The same with the tool it must be about, if there is only one it can be. `own` are tools that are dialogs. Whether
    /// one that says nothing of its tool may be about the only one that is not known to be over is a guess.
    #[must_use]
    pub fn complete(&self, context: &PromptContext, own: &[String], guess: bool) -> PromptContext {
        let PromptContext::Permission(asked @ PermissionPrompt { tool_id: None, subtype: None, agent_id: None, .. }) =
            context
        else {
            return context.clone();
        };
        let fits = |tool: &&Tool| {
            let named = asked.tool.as_ref().is_none_or(|name| *name == tool.name);
            let shown = asked.input.as_ref().is_none_or(|shown| shows(shown, tool.input.as_ref()));
            tool.over.is_none() && named && shown
        };
        let says_nothing = asked.tool.is_none() && asked.input.is_none();
        let only = |again: bool| {
            let mut fitting = self.0.iter().filter(fits).filter(|tool| tool.asked == again);
            fitting.next().filter(|_| fitting.next().is_none())
        };
        // Rarely is one tool asked about twice.
        let fresh = self.0.iter().filter(fits).any(|tool| !tool.asked);
        let tool = match (says_nothing, fresh) {
            (true, true) if guess => only(false),
            (true, _) => None,
            (false, fresh) => only(!fresh),
        };
        match tool {
            Some(tool) if !own.contains(&tool.name) => PromptContext::Permission(PermissionPrompt {
                tool: Some(tool.name.clone()),
                input: tool.input.clone(),
                tool_id: Some(tool.id.clone()),
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
        let about = |tools: &Tools, tool| {
            tools.complete(&asks(tool), &["AskUserQuestion".into()], true).tool_id().map(str::to_owned)
        };
        assert_eq!(about(&tools, None), None);
        assert!(tools.started(&start("a", "Bash")));
        assert!(!tools.started(&start("a", "Bash")), "told by two sources");
        assert_eq!(about(&tools, None).as_deref(), Some("a"));
        assert_eq!(about(&tools, Some("Bash")).as_deref(), Some("a"));
        assert_eq!(about(&tools, Some("Edit")), None);
        tools.started(&start("b", "Edit"));
        assert_eq!(about(&tools, None), None, "one of two");
        assert_eq!(about(&tools, Some("Edit")).as_deref(), Some("b"));
        tools.started(&start("bb", "Edit"));
        let shown = |command: &str| {
            let input = Some(json!({ "command": command }));
            PromptContext::Permission(PermissionPrompt { input, ..PermissionPrompt::default() })
        };
        let of = |command| tools.complete(&shown(command), &[], false).tool_id().map(str::to_owned);
        assert_eq!((of("b b").as_deref(), of("a").as_deref()), (Some("bb"), Some("a")), "what is shown decides");
        assert_eq!((of("b"), of("c")), (None, None), "one of two, and none");
        let now = Instant::now();
        for id in ["bb", "a"] {
            tools.finished(&Fact::ToolFinished { id: Some(id.into()), name: None, agent: None }, now);
        }
        assert_eq!(about(&tools, None).as_deref(), Some("b"));
        assert_eq!(tools.complete(&asks(None), &[], false).tool_id(), None, "a guess that nobody wants");
        tools.asked("b");
        assert_eq!(about(&tools, None), None, "it has been asked about");
        assert_eq!(about(&tools, Some("Edit")).as_deref(), Some("b"), "which may be so again");
        assert!(!tools.is_over(&shown("b"), now), "it runs");
        tools.clear();
        tools.started(&start("q", "AskUserQuestion"));
        assert_eq!(about(&tools, None), None);
    }
}
