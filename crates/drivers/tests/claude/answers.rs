//! Answers through the hook, one row for each intent.

use coop_core::agent::prompt::{
    Choice, Meaning, PermissionPrompt, PlanPrompt, Prompt, PromptContext, PromptId, QuestionPrompt, SetupPrompt,
};
use coop_core::agent::respond::{Answer, Respond, Scope};
use coop_core::agent::{Fact, gate::StopVerdict};
use coop_drivers::AnswerError;
use serde_json::{Value, json};

use crate::claude;

pub(crate) fn prompt(context: PromptContext) -> Prompt {
    Prompt { id: PromptId("p".into()), context, ready: true, by_hook: true }
}

fn choices(labels: &[(&str, Meaning)]) -> Vec<Choice> {
    labels
        .iter()
        .map(|(label, meaning)| Choice { label: (*label).into(), meaning: *meaning, ..Choice::default() })
        .collect()
}

fn bash(command: &str, suggestions: Vec<Value>) -> Prompt {
    prompt(PromptContext::Permission(PermissionPrompt {
        tool: Some("Bash".into()),
        input: Some(json!({ "command": command })),
        suggestions,
        options: choices(&[
            ("Yes", Meaning::Allow),
            ("Yes, always", Meaning::AllowProject),
            ("Yes, auto", Meaning::Answer),
            ("No", Meaning::Deny),
        ]),
        ..PermissionPrompt::default()
    }))
}

/// As the hook tells it.
pub(crate) fn questions(several: bool) -> Prompt {
    let option = |label: &str| json!({ "label": label, "description": "…" });
    let database = json!({ "question": "Which database?", "header": "Database", "multiSelect": false,
        "options": [option("SQLite"), option("Postgres")] });
    let features = json!({ "question": "Which features?", "header": "Features", "multiSelect": true,
        "options": [option("Auth"), option("Search"), option("Export")] });
    let asked = if several { json!([database, features]) } else { json!([database]) };
    let call = json!({ "tool_name": "AskUserQuestion", "tool_input": { "questions": asked } });
    match claude().hook("PermissionRequest", &call).facts.remove(0) {
        Fact::PromptShown { context } => prompt(context),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn plan() -> Prompt {
    prompt(PromptContext::Plan(PlanPrompt {
        input: Some(json!({ "plan": "1. Do it", "planFilePath": "p.md" })),
        options: choices(&[
            ("Yes, and use auto mode", Meaning::AllowSession),
            ("Yes, manually approve edits", Meaning::Allow),
            ("Tell Claude what to change", Meaning::DenyWithText),
        ]),
        ..PlanPrompt::default()
    }))
}

pub(crate) fn accept(yes: bool) -> Respond {
    Respond { accept: Some(yes), ..Respond::default() }
}

pub(crate) fn option(option: u32) -> Respond {
    Respond { option: Some(option), ..Respond::default() }
}

pub(crate) fn text(text: &str) -> Respond {
    Respond { text: Some(text.into()), ..Respond::default() }
}

pub(crate) fn answers(answers: &[(&[u32], Option<&str>)]) -> Respond {
    let answer =
        |(options, text): &(&[u32], Option<&str>)| Answer { options: options.to_vec(), text: text.map(Into::into) };
    Respond { answers: answers.iter().map(answer).collect(), ..Respond::default() }
}

#[track_caller]
#[allow(clippy::needless_pass_by_value)] // rows read better
fn check(prompt: &Prompt, respond: &Respond, expected: Value) {
    let said = claude().decide(prompt, respond).unwrap();
    assert_eq!(said["hookSpecificOutput"]["hookEventName"], "PermissionRequest");
    assert_eq!(said["hookSpecificOutput"]["decision"], expected, "{respond:?}");
}

#[test]
fn permissions() {
    let plain = bash("touch x.txt", vec![]);
    let rule = |content: &str, to: &str| {
        json!({ "behavior": "allow", "updatedPermissions": [{ "type": "addRules",
            "rules": [{ "toolName": "Bash", "ruleContent": content }], "behavior": "allow", "destination": to }] })
    };
    let scoped = |scope| Respond { scope, ..accept(true) };
    check(&plain, &accept(true), json!({ "behavior": "allow" }));
    check(&plain, &option(1), json!({ "behavior": "allow" }));
    let changed = Respond { updated_input: Some(json!({ "command": "ls" })), ..accept(true) };
    check(&plain, &changed, json!({ "behavior": "allow", "updatedInput": { "command": "ls" } }));
    check(&plain, &scoped(Scope::Session), rule("touch x.txt", "session"));
    check(&plain, &scoped(Scope::Path), rule("touch x.txt", "localSettings"));
    check(&bash("git status -s", vec![]), &scoped(Scope::Session), rule("git status:*", "session"));
    // No rule covers exactly this, so it is allowed once.
    for whole in
        ["rm x; curl y", "sudo rm x", "A=1 rm x", "echo $(id)", "a | b", "a\nb", "sed -i s/a/b/ x", "coop rules list"]
    {
        check(&bash(whole, vec![]), &scoped(Scope::Session), json!({ "behavior": "allow" }));
    }
    let suggested = json!({ "type": "addRules", "rules": [{ "toolName": "Bash", "ruleContent": "touch x.txt" }],
        "behavior": "allow", "destination": "localSettings" });
    let mode = json!({ "type": "setMode", "mode": "acceptEdits", "destination": "session" });
    let both = bash("touch x.txt", vec![suggested, mode]);
    check(&both, &scoped(Scope::Session), rule("touch x.txt", "session"));
    // Its key changes no mode, and covers more than the suggested rule.
    assert!(matches!(claude().decide(&both, &option(2)), Err(AnswerError::OnlyByKeys(_))));
    check(
        &plain,
        &accept(false),
        json!({ "behavior": "deny", "message": "The user refused this.", "interrupt": true }),
    );
    check(&plain, &option(4), json!({ "behavior": "deny", "message": "The user refused this.", "interrupt": true }));
    let words = Respond { text: Some("use y".into()), ..accept(false) };
    check(&plain, &words, json!({ "behavior": "deny", "message": "use y" }));
    check(&plain, &text("use y"), json!({ "behavior": "deny", "message": "use y" }));
}

#[test]
fn what_was_shown_is_what_the_agent_is_told() {
    for (pattern, rule) in [
        ("Bash(git status:*)", Some(json!({ "toolName": "Bash", "ruleContent": "git status:*" }))),
        ("Bash(cargo test)", Some(json!({ "toolName": "Bash", "ruleContent": "cargo test" }))),
        ("WebFetch(domain:example.org)", Some(json!({ "toolName": "WebFetch", "ruleContent": "domain:example.org" }))),
        ("mcp__docs__search", Some(json!({ "toolName": "mcp__docs__search" }))),
        // It would read these otherwise, or allow more.
        ("Bash(echo 'a b':*)", None),
        ("Bash(a\u{202e}b:*)", None),
        ("Bash", None),
        ("Bash(:*)", None),
        ("Write(*.py)", None),
        ("Write", None),
        ("Edit(/srv/*)", None),
        ("mcp__docs__*", None),
        ("Bash(x", None),
    ] {
        let asked = bash("touch x.txt", vec![]);
        let shown = Respond { scope: Scope::Session, pattern: Some(pattern.into()), ..accept(true) };
        let expected = match &rule {
            Some(rule) => json!({ "behavior": "allow", "updatedPermissions": [{ "type": "addRules", "rules": [rule],
                "behavior": "allow", "destination": "session" }] }),
            None => json!({ "behavior": "allow" }),
        };
        check(&asked, &shown, expected);
        assert_eq!(claude().keeps(pattern), rule.is_some(), "{pattern}");
    }
}

#[test]
fn a_rule_for_a_page_is_for_its_host() {
    let page = prompt(PromptContext::Permission(PermissionPrompt {
        tool: Some("WebFetch".into()),
        input: Some(json!({ "url": "https://example.com:8080/x?y" })),
        ..PermissionPrompt::default()
    }));
    let said = claude().decide(&page, &Respond { scope: Scope::Session, ..accept(true) }).unwrap();
    let rules = &said["hookSpecificOutput"]["decision"]["updatedPermissions"][0]["rules"];
    assert_eq!(rules[0], json!({ "toolName": "WebFetch", "ruleContent": "domain:example.com" }));
}

#[test]
fn plans() {
    let input = json!({ "plan": "1. Do it", "planFilePath": "p.md" });
    let manual = json!([{ "type": "setMode", "mode": "default", "destination": "session" }]);
    let approved = json!({ "behavior": "allow", "updatedInput": input, "updatedPermissions": manual });
    check(&plan(), &accept(true), approved.clone());
    check(&plan(), &option(2), approved);
    check(&plan(), &text("add tests"), json!({ "behavior": "deny", "message": "add tests" }));
    let third = Respond { text: Some("add tests".into()), ..option(3) };
    check(&plan(), &third, json!({ "behavior": "deny", "message": "add tests" }));
    assert!(matches!(claude().decide(&plan(), &option(1)), Err(AnswerError::OnlyByKeys(_))));
}

#[test]
fn questions_by_their_text() {
    let given = |prompt: &Prompt, respond: &Respond| {
        let said = claude().decide(prompt, respond).unwrap();
        let input = &said["hookSpecificOutput"]["decision"]["updatedInput"];
        assert!(input["questions"].is_array(), "the input is kept");
        input["answers"].clone()
    };
    assert_eq!(given(&questions(false), &option(2)), json!({ "Which database?": "Postgres" }));
    assert_eq!(given(&questions(false), &text("My own")), json!({ "Which database?": "My own" }));
    let third = Respond { text: Some("My own".into()), ..option(3) };
    assert_eq!(given(&questions(false), &third), json!({ "Which database?": "My own" }));
    assert_eq!(
        given(&questions(true), &answers(&[(&[1], None), (&[1, 3], Some("More"))])),
        json!({ "Which database?": "SQLite", "Which features?": "Auth, Export, More" })
    );
    check(
        &questions(true),
        &accept(false),
        json!({ "behavior": "deny", "message": "The user declined to answer the questions.", "interrupt": true }),
    );
}

#[test]
fn what_does_not_fit_is_told_in_a_sentence() {
    let bash = bash("x", vec![]);
    let (one, two, plan) = (questions(false), questions(true), plan());
    let mut half = two.clone();
    if let PromptContext::Question(asked) = &mut half.context {
        asked.questions[1] = coop_core::agent::prompt::Question::default();
    }
    #[rustfmt::skip]
    let rows: &[(&Prompt, Respond, &str)] = &[
        (&bash, Respond::default(), "An answer to this prompt needs accept, an option or a text."),
        (&bash, option(5), "There are 4 options, counted from 1; 5 is not one of them."),
        (&bash, option(0), "There are 4 options, counted from 1; 0 is not one of them."),
        (&bash, answers(&[(&[1], None)]), "Answers are for questions; this prompt has none."),
        (&bash, Respond { text: Some("x".into()), ..option(1) }, "Option 1 takes no text."),
        (&bash, Respond { text: Some("x".into()), ..accept(true) }, "A text goes with a refusal: leave it out, or set accept to false."),
        (&bash, Respond { updated_input: Some(json!({})), ..accept(false) }, "A changed input goes with accept on a tool permission only."),
        (&plan, Respond { updated_input: Some(json!({})), ..accept(true) }, "A plan is approved as it is: reject it with a text that says what to change."),
        (&plan, Respond { scope: Scope::Session, ..accept(true) }, "A plan is approved once; it has no scope."),
        (&one, accept(true), "A question is answered with an option, a text or answers; accept alone says nothing."),
        (&one, Respond::default(), "An answer to a question needs an option, a text or answers."),
        (&one, option(5), "There are 4 options, counted from 1; 5 is not one of them."),
        (&one, option(3), "Option 3 of \"Which database?\" needs a text."),
        (&one, answers(&[(&[1, 2], None)]), "\"Which database?\" takes one answer."),
        (&two, option(1), "2 questions are asked: give one of the answers for each."),
        (&half, answers(&[(&[1], None), (&[1, 3], None)]), "Not every question is known yet, nor whether it takes several answers: try again in a moment."),
        (&two, answers(&[(&[1], None)]), "2 questions are asked and 1 answers are given: one for each is needed."),
        (&two, answers(&[(&[1], None), (&[], None)]), "There is no answer to \"Which features?\"."),
        (&two, answers(&[(&[1], None), (&[5], None)]), "Option 5 of \"Which features?\" is not an answer to it."),
    ];
    for (prompt, respond, sentence) in rows {
        let error = claude().decide(prompt, respond).unwrap_err();
        assert!(matches!(error, AnswerError::Unfit(_)), "{error:?}");
        assert_eq!(error.to_string(), *sentence);
    }
}

#[test]
fn what_only_keys_can_do() {
    let by_keys = |prompt: &Prompt, respond: &Respond| {
        matches!(claude().decide(prompt, respond), Err(AnswerError::OnlyByKeys(_)))
    };
    let trust = PermissionPrompt { subtype: Some("trust".into()), ..PermissionPrompt::default() };
    assert!(by_keys(&prompt(PromptContext::Permission(trust)), &accept(true)));
    assert!(by_keys(&prompt(PromptContext::Setup(SetupPrompt::default())), &accept(true)));
    assert!(by_keys(&bash("x", vec![]), &option(2)), "no hook does what its key does");
    assert!(by_keys(&bash("x", vec![]), &option(3)), "it changes the mode");
    assert!(by_keys(&questions(false), &option(4)), "to chat is no answer");
    let unknown = prompt(PromptContext::Question(QuestionPrompt::default()));
    assert!(by_keys(&unknown, &option(1)));
    let unread = PermissionPrompt { tool: Some("Bash".into()), ..PermissionPrompt::default() };
    assert!(by_keys(&prompt(PromptContext::Permission(unread)), &option(1)), "nobody knows what 1 is");
}

#[test]
fn replies_to_other_hooks() {
    let claude = claude();
    assert_eq!(claude.stop_reply(&StopVerdict::Allow), json!({}));
    let block = StopVerdict::Block { reason: "not yet".into() };
    assert_eq!(claude.stop_reply(&block), json!({ "decision": "block", "reason": "not yet" }));
    assert_eq!(
        claude.start_reply("hi"),
        json!({ "hookSpecificOutput": { "hookEventName": "SessionStart", "additionalContext": "hi" } })
    );
    assert_eq!(claude.fallback_options(&bash("x", vec![]).context).len(), 3);
    assert_eq!(claude.interrupt_keys(), ["Escape"]);
}
