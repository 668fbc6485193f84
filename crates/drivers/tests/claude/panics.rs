//! Whatever comes in, nothing panics.

use coop_core::agent::Fact;
use coop_core::agent::prompt::{Prompt, PromptId};
use coop_core::agent::respond::{Answer, Respond};
use coop_drivers::{LaunchRequest, Progress, ScreenLine, ScreenView};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::claude;

fn any_json() -> impl Strategy<Value = Value> {
    let keys = "type|subtype|message|content|tool_name|tool_input|questions|options|label|text|hooks|settings|mcp|usage|id|[a-z]{1,4}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "user|assistant|system|result|text|tool_use|tool_result|AskUserQuestion|ExitPlanMode|\\PC{0,12}"
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(keys, inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_screen() -> impl Strategy<Value = Vec<ScreenLine>> {
    let line = prop_oneof![
        Just("─".repeat(40)),
        Just("▔▔▔▔".to_owned()),
        "(  )?(❯ )?[0-9]{1,3}[.] ?(\\[.\\] )?(Yes|No|Submit|Type something|Chat about this)?",
        "❯ \\PC{0,20}",
        " ?(Do you want to|Enter to select ·|Ready to submit your answers\\?|Bash command|☐ A  ☒ B  ✔ Submit)",
        "\\PC{0,30}",
    ];
    let faint = prop::collection::vec((0usize..40, 0usize..40).prop_map(|(a, b)| a..b), 0..3);
    prop::collection::vec((line, faint).prop_map(|(text, faint)| ScreenLine { text, faint }), 0..24)
}

fn any_respond() -> impl Strategy<Value = Respond> {
    let answer = (prop::collection::vec(0u32..8, 0..3), prop::option::of("\\PC{0,8}"))
        .prop_map(|(options, text)| Answer { options, text });
    (
        prop::option::of(any::<bool>()),
        prop::option::of(0u32..9),
        prop::option::of("\\PC{0,8}"),
        prop::collection::vec(answer, 0..3),
    )
        .prop_map(|(accept, option, text, answers)| Respond {
            accept,
            option,
            text,
            answers,
            ..Respond::default()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn json(event in "PreToolUse|PermissionRequest|PostToolUse|Stop|StopFailure|SessionStart|\\PC{0,8}", payload in any_json(), respond in any_respond()) {
        let mut driver = claude();
        let heard = driver.hook(&event, &payload);
        for fact in heard.facts {
            if let Fact::PromptShown { context } = fact {
                let prompt = Prompt { id: PromptId("1".into()), context, ready: true, by_hook: true };
                let _ = driver.decide(&prompt, &respond);
            }
        }
        let line = payload.to_string();
        driver.log_line(&line);
        driver.stdout_line(&line);
        driver.registry(&line);
        driver.conversation(0, &line);
        let request = LaunchRequest { agent_config: Some(payload.clone()), user_settings: Some(payload), ..LaunchRequest::default() };
        let _ = driver.launch(&request);
    }

    #[test]
    fn text(text in "\\PC{0,80}", kind in prop::option::of("question|auth|permission")) {
        let mut driver = claude();
        driver.log_line(&text);
        driver.stdout_line(&text);
        driver.registry(&text);
        driver.conversation(0, &text);
        driver.report(&text, kind.as_deref(), Some(&text));
        driver.report("blocked", kind.as_deref(), Some(&text));
        driver.is_command(&text);
        driver.log_folder(&text);
        driver.log_id(&text);
    }

    #[test]
    fn screens(lines in any_screen(), respond in any_respond()) {
        let driver = claude();
        let reading = driver.screen(&ScreenView { lines: &lines, cursor: None, title: None });
        driver.groom(&reading, true);
        if let Some(dialog) = &reading.dialog {
            let prompt = Prompt { id: PromptId("1".into()), context: dialog.context.clone(), ready: true, by_hook: false };
            let mut progress = Progress::default();
            for _ in 0..3 {
                let _ = driver.press(&prompt, &respond, &reading, &mut progress);
                progress.retry();
            }
        }
    }
}

#[test]
fn a_long_or_torn_line_is_survived() {
    let mut driver = claude();
    let long = json!({ "type": "user", "message": { "content": [{ "type": "tool_result", "tool_use_id": "t", "content": "x".repeat(10_000_000) }] } });
    let line = long.to_string();
    assert_eq!(driver.log_line(&line).facts.len(), 1);
    assert_eq!(driver.log_line(&line[..line.len() / 2]).facts, []);
    for end in 0..200 {
        assert_eq!(driver.log_line(&line[..end]).facts, []);
    }
    assert_eq!(driver.conversation(0, &line).0.len(), 1);
}
