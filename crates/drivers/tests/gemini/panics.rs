//! Whatever comes in, nothing panics.

use coop_core::agent::Fact;
use coop_core::agent::prompt::{Prompt, PromptId};
use coop_core::agent::respond::{Answer, Respond};
use coop_drivers::{Progress, ScreenLine, ScreenView};
use proptest::prelude::*;
use serde_json::Value;

use crate::gemini;

fn any_json() -> impl Strategy<Value = Value> {
    let keys = "type|content|text|tool_name|tool_input|questions|options|label|details|notification_type|tokens|id|timestamp|[$]set|messages|toolCalls|[a-z]{1,4}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "user|gemini|info|error|result|exec|edit|ask_user|exit_plan_mode|ToolPermission|2026-01-01T00:00:00.000Z|<session_context>|\\PC{0,12}"
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
        Just(format!("╭{}╮", "─".repeat(40))),
        Just(format!("╰{}╯", "─".repeat(40))),
        "│ (●|  )? ?[0-9]{1,3}[.] ?(\\[.\\] )?(Allow once|No|Done|Enter a custom value|Type your feedback...)? *│",
        "│ ?(Answer Questions|Ready to start implementation\\?|Allow execution of \\[Shell\\]\\?|● Done|← ✓ A │ □ B →)? *│",
        " > \\PC{0,20}",
        "\\PC{0,30}",
    ];
    prop::collection::vec(line.prop_map(ScreenLine::plain), 0..24)
}

fn any_respond() -> impl Strategy<Value = Respond> {
    let answer = (prop::collection::vec(0u32..8, 0..3), prop::option::of("\\PC{0,8}"))
        .prop_map(|(options, text)| Answer { options, text });
    let parts = (
        prop::option::of(any::<bool>()),
        prop::option::of(0u32..9),
        prop::option::of("\\PC{0,8}"),
        prop::collection::vec(answer, 0..3),
    );
    parts.prop_map(|(accept, option, text, answers)| Respond { accept, option, text, answers, ..Respond::default() })
}

proptest! {
    #[test]
    fn json(value in any_json(), event in "SessionStart|BeforeAgent|BeforeTool|AfterTool|Notification|AfterAgent|x") {
        let mut driver = gemini();
        let line = value.to_string();
        for heard in [driver.hook(&event, &value), driver.log_line(&line), driver.stdout_line(&line)] {
            for fact in heard.facts {
                if let Fact::PromptShown { context } = fact {
                    let _ = driver.fallback_options(&context);
                }
            }
        }
        let _ = driver.conversation(1, &line);
        let _ = driver.log_head(&line);
        let _ = driver.own_dialog("ask_user", &value, None);
    }

    #[test]
    fn text(line in "\\PC{0,40}") {
        let mut driver = gemini();
        let _ = driver.log_line(&line);
        let _ = driver.stdout_line(&line);
        let _ = driver.title(&line);
        let _ = driver.log_id(&line);
        let _ = driver.is_command(&line);
    }

    #[test]
    fn screens(lines in any_screen(), others in any_screen(), respond in any_respond()) {
        let driver = gemini();
        let view = |lines| ScreenView { lines, cursor: None, title: None };
        let (reading, other) = (driver.screen(&view(&lines)), driver.screen(&view(&others)));
        let _ = driver.groom(&reading, true);
        if let Some(dialog) = &reading.dialog {
            let prompt =
                Prompt { id: PromptId("p".into()), context: dialog.context.clone(), ready: true, by_hook: false };
            let mut done = Progress::default();
            for reading in [&reading, &other, &reading] {
                let _ = driver.press(&prompt, &respond, reading, &mut done);
                done.retry();
            }
            let _ = driver.follow_up(&prompt, &respond);
        }
    }
}
