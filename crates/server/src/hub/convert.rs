//! The hub's own things as the wire has them. Text for people has nothing in it that hides.

use std::borrow::Cow;

use coop_api::{convert, hub as wire};
use coop_core::agent::conversation::Usage;
use coop_core::agent::prompt::{Meaning, PromptContext, Question};
use coop_core::agent::respond::Scope;
use coop_core::agent::state::State;
use coop_core::fleet::text::shown;
use coop_core::fleet::{Control, Entry, Rank};
use coop_core::permission::rules::{Because, Rule, Verdict};
use coop_hub::{Answered, Board, Card, Hit, HubEvent, Known, Settled};
use serde_json::{Value, json};

pub(super) fn session(entry: &Entry) -> wire::Session {
    let clean = |text: &Option<String>| text.as_deref().map(|text| shown(text).into_owned());
    wire::Session {
        id: entry.id,
        agent: shown(&entry.agent).into_owned(),
        state: entry.state.name().into(),
        since_ms: entry.since_ms,
        control: entry.control().name().into(),
        answerable: match entry.control() {
            Control::Owned | Control::Attached => true,
            Control::Hooked => coop_hub::answers_by_hook(&entry.agent),
            Control::Observed | Control::Cold => false,
        },
        attention: attention(entry.rank()).into(),
        unseen: entry.unseen,
        prompt: entry.state.prompt().map(convert::agent::prompt),
        error: failure(&entry.state),
        host: entry.host().map(|host| shown(host).into_owned()),
        project: entry.project().map(|project| shown(project).into_owned()),
        cwd: entry.cwd.clone(),
        branch: clean(&entry.branch),
        title: clean(&entry.title),
        model: clean(&entry.model),
        version: entry.version.clone(),
        session_id: entry.conversation.clone(),
        earlier: entry.earlier.clone(),
        pid: entry.process.as_ref().map(|process| process.pid),
        last_message: clean(&entry.last_message),
        usage: Some(entry.spent.usage).filter(|usage| *usage != Usage::default()).map(convert::agent::usage),
        cost: entry.spent.cost.map(convert::agent::cost),
        context: entry.spent.context.map(convert::agent::context),
        source: entry.source.map(|source| source.name().into()),
        reason: entry.reason.clone(),
        socket: entry.socket.clone().filter(|_| entry.control().is_held()),
    }
}

fn failure(state: &State) -> Option<wire::SessionError> {
    let (State::Error(failure) | State::Parked(failure)) = state else { return None };
    Some(wire::SessionError {
        kind: failure.kind.clone(),
        detail: shown(&failure.detail).into_owned(),
        resume_at_ms: failure.resume_at_ms,
    })
}

fn attention(rank: Rank) -> &'static str {
    match rank {
        Rank::Asks => "asks",
        Rank::Failed => "failed",
        Rank::Done => "done",
        Rank::Parked => "parked",
        Rank::Rests => "rests",
        Rank::Works => "works",
        Rank::Over => "over",
    }
}

pub(super) fn prompt(card: &Card) -> wire::Prompt {
    let choices = card.choices.iter().map(|choice| (choice.key, choice.label.as_str(), choice.description.as_deref()));
    let questions = match &card.context {
        PromptContext::Question(asked) => asked.questions.iter().map(question).collect(),
        _ => Vec::new(),
    };
    wire::Prompt {
        id: card.id,
        session: card.session,
        session_id: card.conversation.clone(),
        kind: card.context.kind().into(),
        tool: shown(&card.tool).into_owned(),
        tool_use_id: card.tool_use_id.clone(),
        text: text(card.context.kind(), &card.tool, &card.input, &card.context),
        input: card.input.clone(),
        cwd: card.cwd.clone(),
        project: card.cwd.trim_end_matches('/').rsplit('/').next().map(|name| shown(name).into_owned()),
        options: numbered(choices),
        questions,
        suggestion: card.suggestion.as_deref().map(|pattern| shown(pattern).into_owned()),
        asked_ms: card.asked_ms,
        expires_ms: card.expires_ms,
        via: card.via.into(),
        editable: card.editable,
        digest: card.digest.clone(),
    }
}

fn question(question: &Question) -> wire::PromptQuestion {
    let options = question.options.iter();
    wire::PromptQuestion {
        question: shown(&question.question).into_owned(),
        several: question.multi_select,
        options: numbered(
            options.map(|option| (kind(option.meaning), option.label.as_str(), option.description.as_deref())),
        ),
    }
}

/// What the dialog adds to the answers of a question, told apart from them.
fn kind(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Text => "text",
        Meaning::Chat => "chat",
        _ => "option",
    }
}

fn numbered<'a>(choices: impl Iterator<Item = (&'a str, &'a str, Option<&'a str>)>) -> Vec<wire::PromptChoice> {
    let choice = |(number, (key, label, description)): (u32, (&str, &str, Option<&str>))| wire::PromptChoice {
        number,
        key: key.into(),
        label: shown(label).into_owned(),
        description: description.map(|text| shown(text).into_owned()),
    };
    (1..).zip(choices).map(choice).collect()
}

/// All of what is asked: a command as it would be run, anything else with every field there is.
fn text(kind: &str, tool: &str, input: &Value, context: &PromptContext) -> String {
    shown(&raw_text(kind, tool, input, context)).into_owned()
}

/// Whether the text of the card, or what is named beside it, has characters that would hide or reorder.
pub(super) fn is_deceptive(card: &Card) -> bool {
    let text = raw_text(card.context.kind(), &card.tool, &card.input, &card.context);
    [&text, &card.tool, &card.cwd].into_iter().any(|text| coop_core::text::is_deceptive(text))
}

fn raw_text(kind: &str, tool: &str, input: &Value, context: &PromptContext) -> String {
    let plain = match context {
        PromptContext::Plan(plan) => plan.plan.as_deref().map(|plan| coop_core::text::whole_plan(plan, input)),
        PromptContext::Question(asked) => {
            let questions: Vec<&str> = asked.questions.iter().map(|question| question.question.as_str()).collect();
            (!questions.is_empty()).then(|| questions.join("\n"))
        }
        PromptContext::Setup(setup) => {
            Some(setup.message.clone().or_else(|| setup.url.clone()).unwrap_or_else(|| setup.subtype.clone()))
        }
        PromptContext::Permission(_) => None,
    };
    let whole = || match (input, context) {
        (Value::Null, PromptContext::Permission(permission)) => {
            permission.message.clone().or_else(|| permission.subtype.clone()).unwrap_or_else(|| tool.to_owned())
        }
        (Value::Null, _) => kind.to_owned(),
        _ => coop_core::text::whole_input(input),
    };
    plain.unwrap_or_else(whole)
}

pub(super) fn settled(settled: &Settled) -> wire::Settled {
    // Only the input is left of what was asked.
    let generic = PromptContext::Permission(coop_core::agent::prompt::PermissionPrompt::default());
    wire::Settled {
        id: settled.id,
        session: settled.session,
        session_id: settled.conversation.clone(),
        cwd: settled.cwd.clone(),
        kind: settled.kind.clone(),
        tool: shown(&settled.tool).into_owned(),
        tool_use_id: settled.tool_use_id.clone(),
        text: text(&settled.kind, &settled.tool, &settled.input, &generic),
        input: settled.input.clone(),
        updated_input: settled.updated_input.clone(),
        asked_ms: settled.asked_ms,
        ended_ms: settled.ended_ms,
        outcome: settled.outcome.clone(),
        by: settled.by.clone(),
        from: settled.from.clone(),
        answer: settled.text.as_deref().map(|text| shown(text).into_owned()),
        remembered: settled.remembered.clone(),
    }
}

pub(super) fn hit(hit: &Hit, board: &Board) -> wire::SearchHit {
    let entry = board.sessions.iter().find(|entry| entry.id == hit.session);
    let of = |text: Option<&str>| text.map(|text| shown(text).into_owned());
    wire::SearchHit {
        session: hit.session,
        agent: of(entry.map(|entry| entry.agent.as_str())),
        project: of(entry.and_then(|entry| entry.project())),
        title: of(entry.and_then(|entry| entry.title.as_deref())),
        kind: hit.kind.into(),
        text: shown(&hit.text).into_owned(),
        line: hit.line,
        prompt: hit.prompt,
        at: of(hit.at.as_deref()),
    }
}

pub(super) fn answered(answered: Answered) -> wire::Answered {
    wire::Answered {
        id: answered.id,
        delivered: answered.delivered,
        prompt_type: answered.kind,
        via: answered.via,
        reason: answered.reason,
        scope: scope_name(answered.scope).into(),
        remembered: answered.remembered,
    }
}

pub(super) fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Once => "once",
        Scope::Session => "session",
        Scope::Path => "path",
    }
}

pub(super) fn rule(rule: &Rule) -> wire::Rule {
    wire::Rule {
        id: rule.id,
        pattern: rule.pattern.to_string(),
        effect: rule.effect.name().into(),
        project: rule.project.clone(),
        host: rule.hosts.name().map(str::to_owned),
    }
}

pub(super) fn rules(known: &Known) -> wire::Rules {
    let memory = known.memory.iter().map(|memory| wire::Remembered {
        session_id: memory.conversation.clone(),
        pattern: memory.pattern.clone(),
        effect: memory.effect.name().into(),
    });
    wire::Rules { rules: known.rules.iter().map(rule).collect(), memory: memory.collect() }
}

pub(super) fn verdict(verdict: Verdict) -> wire::RuleVerdict {
    let mut wire = wire::RuleVerdict { effect: verdict.effect.name().into(), ..wire::RuleVerdict::default() };
    if let Some(matched) = verdict.matched {
        wire.certainty = Some(matched.certainty.name().into());
        wire.part = matched.part.map(|part| shown(&part).into_owned());
    }
    match verdict.because {
        Some(Because::Rules(ids)) => wire.rules = ids,
        Some(Because::Session(patterns)) => wire.memory = patterns,
        None => {}
    }
    wire
}

/// An event, and the name it goes by.
pub fn event(event: &HubEvent) -> (Cow<'static, str>, Value) {
    let (name, data) = match event {
        HubEvent::Session(entry) => ("session", json!({ "session": session(entry) })),
        HubEvent::State { session: entry, prev } => {
            let Entry { reason, state, .. } = &**entry;
            let next = state.name();
            ("state_change", json!({ "prev": prev, "next": next, "reason": reason, "session": session(entry) }))
        }
        // Over a WebSocket `id` is that of the event.
        HubEvent::Forgotten(id) => ("session_forgotten", json!({ "id": id, "number": id })),
        HubEvent::Asked(card) => ("pty_permission", json!({ "payload": permission(card), "prompt": prompt(card) })),
        HubEvent::Settled(over) => {
            let payload = json!({
                "id": over.id,
                "tool_use_id": over.tool_use_id.clone().unwrap_or_else(|| over.id.to_string()),
                "session_id": over.conversation,
                "decision": over.outcome,
                "by": over.by,
            });
            ("pty_permission_resolved", json!({ "payload": payload, "prompt": settled(over) }))
        }
        HubEvent::Rules => ("rules", json!({})),
        HubEvent::Earlier { name, data } => return (Cow::Owned(name.clone()), data.clone()),
    };
    (Cow::Borrowed(name), data)
}

/// What is asked, in the words of the permission bridge.
pub(super) fn permission(card: &Card) -> Value {
    let kind = match (card.context.kind(), card.tool.as_str()) {
        ("permission", "Bash") => "bash_command",
        ("permission", "Write") => "write_file",
        ("permission", "Edit" | "MultiEdit" | "NotebookEdit") => "edit_file",
        ("permission", _) => "tool",
        (other, _) => other,
    };
    let wire = prompt(card);
    let of = |key: &str| card.input.get(key).and_then(Value::as_str).map(|text| shown(text).into_owned());
    let target = ["command", "file_path", "notebook_path", "url"].iter().find_map(|key| of(key));
    let options: Vec<Value> =
        wire.options.iter().map(|option| json!({ "key": option.key, "label": option.label })).collect();
    json!({
        "id": card.id,
        "tool_use_id": card.tool_use_id.clone().unwrap_or_else(|| card.id.to_string()),
        "type": kind,
        "target": target.unwrap_or_else(|| wire.text.clone()),
        "description": of("description").unwrap_or_default(),
        "preview": of("content").or_else(|| of("new_string")).unwrap_or_default(),
        "options": options,
        "session_id": card.conversation,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use coop_core::agent::prompt::{PermissionPrompt, Prompt};

    fn card(tool: &str, input: Value) -> Card {
        let context = PromptContext::Permission(PermissionPrompt {
            tool: Some(tool.into()),
            input: Some(input.clone()),
            ..PermissionPrompt::default()
        });
        Card {
            id: 7,
            session: 1,
            conversation: "c".into(),
            cwd: "/srv/shop".into(),
            tool: tool.into(),
            input,
            tool_use_id: None,
            digest: context.digest(),
            context,
            asked_ms: 1,
            expires_ms: 2,
            suggestion: None,
            via: "hook",
            editable: false,
            choices: Vec::new(),
        }
    }

    #[test]
    fn what_is_approved_is_what_is_shown() {
        for (tool, input, text) in [
            ("Bash", json!({ "command": "rm \u{202e}x\u{1b}[2J", "description": "Tidy" }), "rm <U+202E>x␛[2J"),
            // Something beside the command that people should see.
            (
                "Bash",
                json!({ "command": "ls", "sandbox": false }),
                "{\n  \"command\": \"ls\",\n  \"sandbox\": false\n}",
            ),
            ("Mystery", json!({ "a": [1] }), "{\n  \"a\": [\n    1\n  ]\n}"),
        ] {
            let raw = input.clone();
            let wire = prompt(&card(tool, input));
            assert_eq!((wire.text.as_str(), &wire.input), (text, &raw));
        }
    }

    #[test]
    fn the_words_of_the_bridge() {
        let said = permission(&card("Bash", json!({ "command": "rm file.txt", "description": "Remove file.txt" })));
        assert_eq!(said["type"], "bash_command");
        assert_eq!((&said["target"], &said["description"]), (&json!("rm file.txt"), &json!("Remove file.txt")));
        assert_eq!((&said["tool_use_id"], &said["session_id"]), (&json!("7"), &json!("c")));
    }

    #[test]
    fn a_prompt_on_the_board_has_its_context() {
        let mut entry = Entry::new(3, "claude", 5);
        let context = card("Bash", json!({ "command": "ls" })).context;
        let id = coop_core::agent::prompt::PromptId("p1".into());
        entry.state = State::Prompt(Prompt { id, context, ready: false, by_hook: true });
        entry.title = Some("a\u{7}b".into());
        let wire = session(&entry);
        assert_eq!((wire.state.as_str(), wire.attention.as_str()), ("prompt", "asks"));
        assert_eq!(wire.prompt.and_then(|prompt| prompt.tool).as_deref(), Some("Bash"));
        assert_eq!(wire.title.as_deref(), Some("a␇b"));
    }
}
