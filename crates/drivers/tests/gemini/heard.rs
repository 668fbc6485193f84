//! What hooks, titles and standard output say, over whole captured sessions.

use coop_core::agent::prompt::PromptContext;
use coop_core::agent::{Fact, Look, Meaning};
use coop_drivers::{Driver, Heard};
use serde_json::json;

use crate::{file, gemini, jsonl};

fn hooks(driver: &mut dyn Driver, case: &str) -> Vec<Heard> {
    let calls = jsonl(&format!("0.61.0/{case}/hooks.jsonl"));
    calls.iter().map(|call| driver.hook(call["hook_event_name"].as_str().unwrap(), call)).collect()
}

fn facts(heard: &[Heard]) -> Vec<&Fact> {
    heard.iter().flat_map(|heard| &heard.facts).collect()
}

fn names(heard: &[Heard]) -> Vec<&'static str> {
    facts(heard).into_iter().map(Fact::name).collect()
}

#[test]
fn hooks_tell_the_turn() {
    let asked = ["session started", "turn started", "tool started", "prompt shown", "tool finished", "turn ended"];
    let rows: &[(&str, Vec<&str>)] = &[
        ("text", vec!["session started", "turn started", "turn ended", "session ended"]),
        // Nothing tells hooks that it failed.
        ("error", vec!["session started", "turn started", "turn ended", "session ended"]),
        ("interrupt", vec!["session started", "turn started", "turn ended", "session ended"]),
        ("permission-allowed", [&asked[..], &["session ended"]].concat()),
        ("permission-edit", [&asked[..], &["session ended"]].concat()),
        ("question", [&asked[..], &["session ended"]].concat()),
        ("permission-denied", vec!["session started", "turn started", "tool started", "prompt shown", "session ended"]),
    ];
    for (case, expected) in rows {
        let heard = hooks(gemini().as_mut(), case);
        assert_eq!(&names(&heard), expected, "{case}");
        assert!(heard.iter().all(|heard| heard.session_id.is_some() && heard.transcript.is_some()), "{case}");
    }
}

#[test]
fn of_two_tools_only_the_first_is_asked_about() {
    let heard = hooks(gemini().as_mut(), "two-tools");
    let shown: Vec<_> = facts(&heard).into_iter().filter(|fact| matches!(fact, Fact::PromptShown { .. })).collect();
    assert_eq!(shown.len(), 1, "{shown:?}");
    let Fact::PromptShown { context } = shown[0] else { panic!() };
    assert!(context.is_generic(), "which of them is for the screen to tell: {context:?}");
    let finished = facts(&heard).into_iter().filter_map(|fact| match fact {
        Fact::ToolFinished { id, .. } => id.clone(),
        _ => None,
    });
    assert_eq!(finished.collect::<Vec<_>>(), ["run_shell_command-1", "run_shell_command-2"]);
}

fn shown(case: &str) -> PromptContext {
    let heard = hooks(gemini().as_mut(), case);
    let context = heard.into_iter().flat_map(|heard| heard.facts).find_map(|fact| match fact {
        Fact::PromptShown { context } => Some(context),
        _ => None,
    });
    context.unwrap()
}

#[test]
fn prompts_are_whole() {
    let PromptContext::Permission(asked) = shown("permission-allowed") else { panic!() };
    assert_eq!(asked.tool.as_deref(), Some("run_shell_command"));
    assert_eq!(asked.input.unwrap()["command"], "touch made.txt");
    assert!(asked.tool_id.is_some());

    let PromptContext::Permission(asked) = shown("permission-edit") else { panic!() };
    assert_eq!(asked.tool.as_deref(), Some("replace"));
    assert_eq!(asked.input.unwrap()["new_string"], "# changed");

    let PromptContext::Question(asked) = shown("questions") else { panic!() };
    assert_eq!((asked.questions.len(), asked.questions[0].question.as_str()), (2, "Which database?"));
    let labels = |index: usize| -> Vec<(String, Meaning)> {
        asked.questions[index].options.iter().map(|option| (option.label.clone(), option.meaning)).collect()
    };
    let (answer, text) = (Meaning::Answer, Meaning::Text);
    assert_eq!(labels(0)[2], ("Enter a custom value".to_owned(), text));
    assert_eq!(labels(1)[2..], [("All of the above".to_owned(), answer), ("Enter a custom value".to_owned(), text)]);
    assert!(asked.questions[1].multi_select);

    let PromptContext::Plan(plan) = shown("plan") else { panic!() };
    let input = plan.input.unwrap();
    let path = gemini().plan_file(&input).unwrap().to_owned();
    assert!(path.starts_with("/tmp/coop-bench-000000/project/../home/.gemini/tmp/project/"), "{path}");
}

#[test]
fn a_permission_without_a_call_is_one_too() {
    let details = json!({ "type": "exec", "command": "ls", "title": "Confirm Shell Command" });
    let payload = json!({ "notification_type": "ToolPermission", "details": details });
    let facts = gemini().hook("Notification", &payload).facts;
    let Fact::PromptShown { context: PromptContext::Permission(asked) } = &facts[0] else { panic!("{facts:?}") };
    assert_eq!(asked.tool.as_deref(), Some("run_shell_command"));
    assert_eq!(asked.input.as_ref().unwrap()["command"], "ls");
    let other = gemini().hook("Notification", &json!({ "notification_type": "Other" }));
    assert!(matches!(other.facts[0], Fact::Noted { .. }));
}

#[test]
fn titles_tell_what_it_does() {
    for case in ["text", "permission-allowed", "permission-denied", "two-tools", "limit"] {
        let mut driver = gemini();
        let titles = file(&format!("0.61.0/{case}/titles.txt"));
        let looks: Vec<Fact> = titles.lines().flat_map(|title| driver.title(title).facts).collect();
        assert_eq!(looks.first(), Some(&Fact::Looks(Look::Working)), "{case}: the first Ready may be a dialog's");
        assert_eq!(looks.last(), Some(&Fact::Looks(Look::Idle)), "{case}");
        let asks = looks.contains(&Fact::Looks(Look::Dialog { context: None }));
        assert_eq!(asks, case.starts_with("permission") || case == "two-tools", "{case}");
    }
    let mut driver = gemini();
    for (title, fact) in [
        ("◇  Ready (project)", None),
        ("Gemini CLI (project)", None),
        ("", None),
        ("✦  Reading the code (project)", Some(Look::Working)),
        ("⏲  Working… (project)", Some(Look::Working)),
        ("◇  Ready (project)", Some(Look::Idle)),
    ] {
        assert_eq!(driver.title(title).facts.pop(), fact.map(Fact::Looks), "{title}");
    }
}

#[test]
fn standard_output() {
    let heard = |case: &str| -> Vec<Heard> {
        let mut driver = gemini();
        file(&format!("0.61.0/{case}/stdout.jsonl")).lines().map(|line| driver.stdout_line(line)).collect()
    };
    let print = heard("print");
    assert_eq!(
        names(&print).into_iter().filter(|name| *name != "noted").collect::<Vec<_>>(),
        ["session started", "turn started", "tool started", "tool finished", "turn ended"]
    );
    assert!(print[0].session_id.is_some());
    let last = facts(&print).pop().unwrap();
    assert_eq!(last, &Fact::TurnEnded { last_message: Some("Made.".to_owned()) });
    let failed = heard("print-error");
    let Some(Fact::TurnFailed { failure }) = facts(&failed).pop() else { panic!() };
    assert_eq!((failure.kind.as_str(), failure.detail.as_str()), ("invalid_request", "scripted bad request"));
    assert_eq!(gemini().stdout_line("Ripgrep is not available.").facts, []);
}
