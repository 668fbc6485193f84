//! Every dialog, the composer, and what must not be taken for either.

use coop_core::agent::{Look, Meaning, PromptContext};
use coop_drivers::{Dialog, ScreenLine, ScreenView};

use crate::{codex, file, read_screen, read_text};

fn dialog(name: &str) -> Dialog {
    read_screen(name).dialog.unwrap_or_else(|| panic!("{name} is no dialog"))
}

/// A screen, the option the pointer is on, whether digits choose, and all options.
type Row<'a> = (&'a str, usize, bool, &'a [(&'a str, Meaning)]);

#[test]
fn options_and_what_they_do() {
    use Meaning::{Allow, AllowProject, AllowSession, Answer, Deny};
    const NO: (&str, Meaning) = ("No, and tell Codex what to do differently (esc)", Deny);
    #[rustfmt::skip]
    let rows: &[Row<'_>] = &[
        ("0.166.0/permission-allowed/dialog", 0, true, &[("Yes, proceed (y)", Allow), ("Yes, and don't ask again for commands that start with `touch made.txt` (p)", AllowProject), NO]),
        ("0.166.0/permission-edit/dialog", 0, true, &[("Yes, proceed (y)", Allow), ("Yes, and don't ask again for these files (a)", AllowSession), NO]),
        ("0.166.0/plan/dialog", 0, true, &[("Yes, implement this plan", Allow), ("Yes, clear context and implement", Answer), ("No, stay in Plan mode", Deny)]),
        ("0.166.0/questions/first", 0, true, &[("SQLite", Answer), ("Postgres", Answer), ("None of the above", Answer)]),
        ("0.166.0/question-notes", 3, true, &[("SQLite (Recommended)", Answer), ("Postgres", Answer), ("Redis", Answer), ("None of the above", Answer)]),
        ("0.166.0/trust", 0, false, &[("Trust and continue", Allow), ("Quit", Deny)]),
        ("0.166.0/hooks-review", 0, false, &[("Review hooks", Answer), ("Trust all and continue", Answer), ("Continue without trusting (hooks won't run)", Deny)]),
        ("0.166.0/model-migration", 0, true, &[("Try new model", Allow), ("Use existing model", Deny)]),
    ];
    for (name, selected, numbered, options) in rows {
        let dialog = dialog(name);
        let labels: Vec<_> = dialog.options.iter().map(|option| (option.label.as_str(), option.meaning)).collect();
        assert_eq!(&labels, options, "{name}");
        assert_eq!((dialog.selected, dialog.numbered), (Some(*selected), *numbered), "{name}");
    }
    let login = dialog("0.166.0/login");
    assert_eq!(login.options.len(), 4);
    assert!(login.options[2].label.starts_with("Use an OpenAI API key"), "{login:?}");
}

#[test]
fn what_is_asked() {
    let PromptContext::Permission(asked) = dialog("0.166.0/permission-allowed/dialog").context else { panic!() };
    assert_eq!(
        (asked.tool.as_deref(), asked.input.unwrap()["command"].as_str()),
        (Some("Bash"), Some("touch made.txt"))
    );
    assert!(asked.message.unwrap().contains("Reason: May I run this outside the sandbox?"));
    let PromptContext::Permission(asked) = dialog("0.166.0/permission-edit/dialog").context else { panic!() };
    assert_eq!((asked.tool.as_deref(), asked.input), (Some("apply_patch"), None));
    for (name, current, question) in [("first", 0, "Which database?"), ("second", 1, "Which language?")] {
        let dialog = dialog(&format!("0.166.0/questions/{name}"));
        let PromptContext::Question(asked) = &dialog.context else { panic!() };
        assert_eq!((dialog.question_tab, asked.questions.len()), (Some((current, 2)), 2));
        assert_eq!(asked.questions[current].question, question);
        assert!(asked.questions[current].options[0].description.is_some());
    }
    assert!(dialog("0.166.0/question-notes").foot.contains("use MySQL please"));
}

#[test]
fn a_command_of_several_lines() {
    let screen = file("0.166.0/permission-allowed/dialog.screen.txt");
    let long = screen.replace("  $ touch made.txt\n", "  $ for n in 1 2 3; do\n      touch \"$n\"\n    done\n");
    let dialog = read_text(&long, None).dialog.unwrap();
    assert_eq!(dialog.context.input().unwrap()["command"], "for n in 1 2 3; do\ntouch \"$n\"\ndone");
}

#[test]
fn idle_and_working() {
    for (name, look) in [
        ("text/start", Look::Idle),
        ("text/end", Look::Idle),
        ("plan-mode", Look::Idle),
        ("small", Look::Idle),
        ("working", Look::Working),
        ("reconnecting", Look::Working),
    ] {
        assert_eq!(read_screen(&format!("0.166.0/{name}")).look, Some(look), "{name}");
    }
    assert!(read_screen("0.166.0/interrupt/end").interrupted);
    assert!(read_screen("0.166.0/permission-denied/end").interrupted);
    assert!(!read_screen("0.166.0/text/end").interrupted);
    assert_eq!(read_screen("0.166.0/plan-mode").mode.as_deref(), Some("Plan mode"));
    assert_eq!(read_screen("0.166.0/text/end").mode, None);
}

#[test]
fn the_title_tells_what_the_screen_does_not() {
    let screen = file("0.166.0/text/end.screen.txt");
    for (title, look) in [
        ("⠋ project", Look::Working),
        ("⠦ Scripted title | project", Look::Working),
        ("[ ! ] Action Required | project", Look::Dialog { context: None }),
        ("[ . ] Action Required | project", Look::Dialog { context: None }),
        ("project", Look::Idle),
    ] {
        assert_eq!(read_text(&screen, Some(title)).look, Some(look), "{title}");
    }
}

/// It is painted half a second before the dialogs of the start.
#[test]
fn a_composer_without_its_status_is_not_ready() {
    let screen = file("0.166.0/text/end.screen.txt");
    let bare = screen.lines().filter(|line| !line.contains("GPT-5.5")).collect::<Vec<_>>().join("\n");
    let reading = read_text(&bare, None);
    assert_eq!((reading.look, reading.draft.as_deref()), (None, Some("")));
}

#[test]
fn drafts() {
    let with = |text: &str| {
        let screen = format!("• Hi there.\n\n› {text}\n\n  GPT-5.5 default · /srv/project\n  ? for shortcuts");
        read_text(&screen, None).draft.unwrap()
    };
    assert_eq!(with("Ask Codex to do anything"), "");
    assert_eq!(with("half a line"), "half a line");
    assert_eq!(with("one\n  two\n\n    indented"), "one\ntwo\n\n  indented");
    assert_eq!(with("1. first of a list"), "1. first of a list");
    assert_eq!(read_screen("0.166.0/draft-working").draft.as_deref(), Some("queued message #text"));
    let line = |text: &str, faint: std::ops::Range<usize>| ScreenLine { text: text.to_owned(), faint: vec![faint] };
    let lines = [
        line("› Explain this codebase", 2..23),
        ScreenLine::plain(""),
        ScreenLine::plain("  GPT-5.5 default · /srv/project"),
    ];
    let reading = codex().screen(&ScreenView { lines: &lines, cursor: None, title: None });
    assert_eq!(reading.draft.as_deref(), Some(""), "a placeholder is painted faint");
}

#[test]
fn what_was_said_is_no_dialog() {
    for name in ["permission-allowed", "plan"] {
        let quoted = file(&format!("0.166.0/{name}/dialog.screen.txt"));
        let said = file("0.166.0/text/end.screen.txt").replace("• Hi there.", &format!("• Hi\n{quoted}\n"));
        let reading = read_text(&said, None);
        assert_eq!((reading.dialog, reading.look), (None, Some(Look::Idle)), "{name}");
        let dialog =
            read_text(&format!("• I quote:\n{quoted}\n{}", file("0.166.0/permission-edit/dialog.screen.txt")), None);
        assert_eq!(dialog.dialog.unwrap().rule, "patch", "{name}");
    }
}

#[test]
fn a_blank_screen_says_nothing() {
    for text in ["", "\n\n\n", "   "] {
        assert_eq!(read_text(text, None), coop_drivers::Reading::default(), "{text:?}");
    }
}
