//! Every dialog, the input box, and what must not be taken for either.

use coop_core::agent::{Look, Meaning, PromptContext};
use coop_drivers::{Dialog, ScreenLine, ScreenView};

use crate::{file, gemini, read_screen, read_text};

fn dialog(name: &str) -> Dialog {
    read_screen(name).dialog.unwrap_or_else(|| panic!("{name} is no dialog"))
}

/// It ends and starts again when a folder is trusted, and leaves its input box on the screen until then.
#[test]
fn a_screen_without_its_title_is_what_it_has_left() {
    let text = file("0.61.0/text/end.screen.txt");
    let lines: Vec<ScreenLine> = text.lines().map(ScreenLine::plain).collect();
    let look = |title| gemini().screen(&ScreenView { lines: &lines, cursor: None, title }).look;
    assert_eq!([None, Some("◇  Ready (project)"), Some("")].map(look), [Some(Look::Idle), Some(Look::Idle), None]);
}

fn labels(dialog: &Dialog) -> Vec<(&str, Meaning)> {
    dialog.options.iter().map(|option| (option.label.as_str(), option.meaning)).collect()
}

/// A screen, the option the pointer is on, and all of them.
type Row<'a> = (&'a str, Option<usize>, &'a [(&'a str, Meaning)]);

#[test]
fn options_and_what_they_do() {
    use Meaning::{Allow, AllowProject, AllowSession, Answer, Deny, DenyWithText, Text};
    #[rustfmt::skip]
    let rows: &[Row<'_>] = &[
        ("0.61.0/permission-allowed/dialog", Some(0), &[("Allow once", Allow), ("Allow for this session", AllowSession), ("No, suggest changes (esc)", Deny)]),
        ("0.61.0/permission-edit/dialog", Some(0), &[("Allow once", Allow), ("Allow for this session", AllowSession), ("Modify with external editor", Answer), ("No, suggest changes (esc)", Deny)]),
        ("words/mcp-tool", Some(0), &[("Allow once", Allow), ("Allow tool for this session", AllowSession), ("Allow all server tools for this session", AllowSession), ("Allow tool for all future sessions", AllowProject), ("No, suggest changes (esc)", Deny)]),
        ("0.61.0/trust", Some(0), &[("Trust folder (gproj)", Allow), ("Trust parent folder (work)", Answer), ("Don't trust", Deny)]),
        ("0.61.0/login-method", Some(0), &[("Sign in with Google", Answer), ("Use Gemini API Key", Answer), ("Vertex AI", Answer)]),
        ("0.61.0/limit/dialog", Some(0), &[("Keep trying", Allow), ("Stop", Deny)]),
        ("0.61.0/plan/dialog", Some(0), &[("Yes, automatically accept edits", AllowSession), ("Yes, manually accept edits", Allow), ("Type your feedback...", DenyWithText)]),
        ("0.61.0/question/dialog", Some(0), &[("SQLite", Answer), ("Postgres", Answer), ("Enter a custom value", Text)]),
        ("0.61.0/questions/second", Some(0), &[("Auth", Answer), ("Search", Answer), ("All of the above", Answer)]),
    ];
    for (name, selected, options) in rows {
        let dialog = dialog(name);
        assert_eq!(&labels(&dialog), options, "{name}");
        assert_eq!(&dialog.selected, selected, "{name}");
    }
}

#[test]
fn what_a_tool_would_do() {
    for (name, tool, key, expected) in [
        ("permission-allowed/dialog", "run_shell_command", "command", "touch made.txt"),
        ("two-tools/second", "run_shell_command", "command", "touch two.txt"),
        ("permission-edit/dialog", "replace", "file_path", "README.md"),
        ("write", "write_file", "file_path", "hello.txt"),
    ] {
        let PromptContext::Permission(asked) = dialog(&format!("0.61.0/{name}")).context else { panic!("{name}") };
        assert_eq!(asked.tool.as_deref(), Some(tool), "{name}");
        assert_eq!(asked.input.unwrap()[key], expected, "{name}");
    }
}

#[test]
fn a_command_of_several_is_the_one_of_its_title() {
    let screen = file("0.61.0/permission-allowed/dialog.screen.txt");
    let joined = screen.replace("? Shell  touch made.txt", "? Shell  a && b        ").replace(
        "│ │ touch made.txt                                                                                                   │ │\n",
        "│ │ a      │ │\n│ │        │ │\n│ │ b      │ │\n",
    );
    let PromptContext::Permission(asked) = read_text(&joined).dialog.unwrap().context else { panic!() };
    assert_eq!(asked.input.unwrap()["command"], "a && b");
}

#[test]
fn questions_on_the_screen() {
    let PromptContext::Question(asked) = dialog("0.61.0/question/dialog").context else { panic!() };
    assert_eq!((asked.questions.len(), asked.current), (1, 0));
    assert_eq!(asked.questions[0].question, "Which database?");
    assert_eq!(asked.questions[0].options[1].description.as_deref(), Some("Big"));
    assert_eq!(asked.input.unwrap()["questions"][0]["options"][1]["label"], "Postgres", "all of it is shown");
    let PromptContext::Question(asked) = dialog("0.61.0/questions/second").context else { panic!() };
    assert_eq!((asked.questions.len(), asked.current, asked.input), (2, 1, None));
    assert_eq!(asked.questions[1].question, "Which features?");
    assert_eq!(asked.questions[1].header.as_deref(), Some("Features"));
    assert!(asked.questions[1].multi_select);
    let PromptContext::Question(asked) = dialog("0.61.0/questions/review").context else { panic!() };
    assert_eq!((asked.questions.len(), asked.current), (2, 2));
    let done = dialog("0.61.0/question-done");
    assert_eq!((done.submit, done.selected, done.options[1].meaning), (Some(true), None, Meaning::Text));
    let PromptContext::Question(asked) = dialog("0.61.0/question-text").context else { panic!() };
    assert_eq!(asked.questions[1].question, "Which name?");
    assert!(asked.questions[1].options.is_empty());
}

#[test]
fn a_plan_on_the_screen() {
    let PromptContext::Plan(plan) = dialog("0.61.0/plan/dialog").context else { panic!() };
    assert_eq!(plan.plan.as_deref(), Some("The plan\n 1. Do it"));
    let typed = dialog("0.61.0/plan-feedback");
    assert_eq!((typed.selected, typed.options[2].label.as_str()), (Some(2), "please also add tests"));
}

#[test]
fn the_input_box() {
    #[rustfmt::skip]
    let rows = [
        ("text/end", Some(Look::Idle), "", false),
        ("boxed", Some(Look::Idle), "", false),
        ("plan-mode", Some(Look::Idle), "", false),
        ("interrupt/end", Some(Look::Idle), "", true),
        ("permission-denied/end", Some(Look::Idle), "", true),
        ("working", Some(Look::Working), "", false),
        ("working-queued", Some(Look::Working), "", false),
        ("retrying", Some(Look::Working), "", false),
    ];
    for (name, look, draft, interrupted) in rows {
        let reading = read_screen(&format!("0.61.0/{name}"));
        assert_eq!((&reading.look, reading.draft.as_deref()), (&look, Some(draft)), "{name}");
        assert_eq!(reading.interrupted, interrupted, "{name}");
    }
}

#[test]
fn drafts() {
    let idle = file("0.61.0/text/end.screen.txt");
    let placeholder = "   Type your message or @path/to/file";
    for (typed, draft) in [(" half a thought", "half a thought"), (" two\n   lines", "two\nlines"), ("", "")] {
        let reading = read_text(&idle.replace(&format!(" >{placeholder}"), &format!(" >{typed}")));
        assert_eq!(reading.draft.as_deref(), Some(draft));
    }
    let boxed = file("0.61.0/boxed.screen.txt");
    let reading = read_text(&boxed.replace(&format!(" >{placeholder}"), " > two\n\n   paragraphs"));
    assert_eq!(reading.draft.as_deref(), Some("two\n\nparagraphs"));
    for sign in ["!", "*"] {
        let reading = read_text(&idle.replace(&format!(" >{placeholder}"), &format!(" {sign} ls")));
        assert_eq!(reading.draft.as_deref(), Some("ls"), "{sign}");
    }
}

#[test]
fn while_it_starts_it_is_not_ready() {
    let idle = file("0.61.0/text/end.screen.txt");
    let starts = idle.replace("? for shortcuts", "ℹ Initializing... Prompts will be queued.");
    assert_eq!(read_text(&starts).look, None);
}

#[test]
fn what_is_quoted_is_no_dialog() {
    let frame = file("0.61.0/permission-allowed/dialog.screen.txt");
    let idle = file("0.61.0/text/end.screen.txt");
    let reading = read_text(&format!("{frame}\n{idle}"));
    assert_eq!((reading.dialog, reading.look), (None, Some(Look::Idle)));
    // A frame that is another's content.
    let plan = file("0.61.0/plan/dialog.screen.txt");
    let quoting = plan.replace("│  1. Do it   ", "│ Allow execution of [Shell]?");
    assert_eq!(read_text(&quoting).dialog.unwrap().rule, "plan");
}
