//! Nothing that an agent writes or paints may end coop.

use coop_core::agent::prompt::{Prompt, PromptContext, PromptId, QuestionPrompt};
use coop_core::agent::respond::Respond;
use coop_drivers::Progress;
use proptest::prelude::*;
use serde_json::Value;

use crate::{codex, file, read_text};

/// Text like that of its screens, torn and shuffled.
fn screens() -> impl Strategy<Value = String> {
    let names = ["permission-allowed/dialog", "questions/first", "plan/dialog", "text/end", "question-notes"];
    let all: Vec<String> = names
        .iter()
        .flat_map(|name| file(&format!("0.166.0/{name}.screen.txt")).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    prop::collection::vec(prop::sample::select(all), 0..30).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn screens_of_any_kind(text in prop_oneof![screens(), "[ ›•\\d./QuestionPlan\\n🦀-]{0,400}"], title in "\\PC{0,20}") {
        let reading = read_text(&text, Some(&title));
        let driver = codex();
        driver.groom(&reading, true);
        if let Some(dialog) = &reading.dialog {
            let prompt = Prompt { id: PromptId("p".into()), context: dialog.context.clone(), ready: true, by_hook: false };
            for option in 0..4 {
                let respond = Respond { option: Some(option), ..Respond::default() };
                drop(driver.press(&prompt, &respond, &reading, &mut Progress::default()));
            }
            let respond = Respond { text: Some("words".into()), ..Respond::default() };
            drop(driver.press(&prompt, &respond, &reading, &mut Progress::default()));
        }
        driver.is_dismissed(&PromptContext::Question(QuestionPrompt::default()), &reading);
    }

    #[test]
    fn lines_of_any_kind(text in "\\PC{0,200}", cut in 0usize..2000, case in 0usize..4) {
        let mut driver = codex();
        let case = ["text", "plan", "questions", "limit"][case];
        let whole = file(&format!("0.166.0/{case}/log.jsonl"));
        let torn: String = whole.chars().skip(cut).take(1500).collect();
        for line in torn.lines().chain([text.as_str()]) {
            driver.log_line(line);
            driver.stdout_line(line);
            driver.conversation(0, line);
            driver.log_head(line);
            driver.log_id(line);
            driver.is_command(line);
            driver.report(line, Some(line), Some(line));
            driver.hook(line, &Value::String(line.to_owned()));
        }
    }
}
