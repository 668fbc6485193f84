//! Every dialog, the input box, and what must not be taken for either.

use coop_core::agent::{Look, Meaning, PromptContext};
use coop_drivers::{Dialog, ScreenLine, ScreenView};

use crate::{VERSIONS, claude, file, read_screen, read_text};

fn dialog(name: &str) -> Dialog {
    read_screen(name).dialog.unwrap_or_else(|| panic!("{name} is no dialog"))
}

fn labels(dialog: &Dialog) -> Vec<(&str, Meaning)> {
    dialog.options.iter().map(|option| (option.label.as_str(), option.meaning)).collect()
}

/// A screen, the option the pointer is on, and all of them.
type Row<'a> = (&'a str, Option<usize>, &'a [(&'a str, Meaning)]);

#[test]
fn options_and_what_they_do() {
    use Meaning::{Allow, AllowProject, AllowSession, Answer, Chat, Deny, DenyWithText, Text};
    #[rustfmt::skip]
    let rows: &[Row<'_>] = &[
        ("2.1.197/trust", Some(0), &[("Yes, I trust this folder", Allow), ("No, exit", Deny)]),
        ("2.1.325/trust", Some(0), &[("No, exit", Deny), ("Yes, I trust this folder", Allow)]),
        ("2.1.325/api-key", Some(1), &[("Yes", Allow), ("No (recommended)", Deny)]),
        ("2.1.197/permission-allowed/dialog", Some(0), &[("Yes", Allow), ("Yes, and always allow access to project/ from this project", AllowProject), ("No", Deny)]),
        ("2.1.197/bash-small", Some(0), &[("Yes", Allow), ("Yes, and always allow access to project/ from this project", AllowProject), ("No", Deny)]),
        ("2.1.325/bash-small", Some(0), &[("Yes", Allow), ("Yes, and always allow access to /srv/project from this project", AllowProject), ("Yes, and switch to auto mode · auto mode handles these prompts for you", Answer), ("No", Deny)]),
        ("2.1.197/permission-edit/dialog", Some(0), &[("Yes", Allow), ("Yes, allow all edits during this session (shift+tab)", AllowSession), ("No", Deny)]),
        ("2.1.325/edit", Some(0), &[("Yes", Allow), ("Yes, and switch to accept edits (auto-approve file edits and common file commands) for this session (shift+tab)", AllowSession), ("No", Deny)]),
        ("2.1.325/fetch", Some(0), &[("Yes", Allow), ("Yes, and don't ask again for example.com", AllowProject), ("No, and tell Claude what to do differently (esc)", Deny)]),
        ("2.1.325/bash-amend-no", Some(3), &[("Yes", Allow), ("Yes, and always allow access to /srv/project from this project", AllowProject), ("Yes, and switch to auto mode · auto mode handles these prompts for you", Answer), ("No, and tell Claude what to do differently", DenyWithText)]),
        ("2.1.197/plan/dialog", Some(0), &[("Yes, and use auto mode", AllowSession), ("Yes, manually approve edits", Allow), ("Tell Claude what to change", DenyWithText)]),
        ("2.1.325/plan-empty", Some(0), &[("Yes, and switch to default (ask each time) for this session", Allow), ("No", Deny)]),
        ("2.1.325/question/dialog", Some(0), &[("SQLite", Answer), ("Postgres", Answer), ("Type something.", Text), ("Chat about this", Chat)]),
        ("2.1.325/ask-typed", Some(2), &[("SQLite", Answer), ("Postgres", Answer), ("My own", Text), ("Chat about this", Chat)]),
        ("2.1.197/asks-multi-typed", Some(2), &[("Auth", Answer), ("Search", Answer), ("More", Text), ("Chat about this", Chat)]),
        ("2.1.325/questions/review", Some(0), &[("Submit answers", Answer), ("Cancel", Answer)]),
    ];
    for (name, selected, options) in rows {
        let dialog = dialog(name);
        assert_eq!(&labels(&dialog), options, "{name}");
        assert_eq!(&dialog.selected, selected, "{name}");
    }
}

#[test]
fn dialogs_have_numbers_or_not() {
    for (name, numbered) in [
        ("2.1.197/trust", true),
        ("2.1.325/trust", false),
        ("2.1.325/bypass", false),
        ("2.1.325/settings-error", true),
        ("2.1.325/theme", false),
    ] {
        assert_eq!(dialog(name).numbered, numbered, "{name}");
    }
    let themes = dialog("2.1.325/theme");
    assert_eq!(themes.options.len(), 7);
    assert_eq!(themes.options[1].label, "Dark mode");
}

#[test]
fn questions_with_their_tabs_boxes_and_review() {
    for version in VERSIONS {
        let first = dialog(&format!("{version}/questions/first"));
        let PromptContext::Question(asked) = &first.context else { panic!("{first:?}") };
        assert_eq!(first.question_tab, Some((0, 2)));
        assert_eq!(asked.questions[0].question, "Which database?");
        assert_eq!(asked.questions[0].options[0].description.as_deref(), Some("Small"));
        let tabs: Vec<&str> = first.tabs.iter().map(|tab| tab.label.as_str()).collect();
        assert_eq!(tabs, ["Database", "Features"]);

        let second = dialog(&format!("{version}/questions/second"));
        assert_eq!(second.question_tab, Some((1, 2)));
        assert_eq!(second.options[0].checked, Some(false));
        assert_eq!(second.options[0].description.as_deref(), Some("Auth"), "{version}");
        assert_eq!(second.submit, Some(false));
        assert!(matches!(&second.context, PromptContext::Question(asked) if asked.questions[1].multi_select));

        let typed = dialog(&format!("{version}/asks-multi-typed"));
        let checked: Vec<_> = typed.options.iter().map(|option| option.checked).collect();
        assert_eq!(checked, [Some(true), Some(false), Some(true), None]);
        assert_eq!(dialog(&format!("{version}/asks-multi-down")).submit, Some(true));

        let review = dialog(&format!("{version}/questions/review"));
        assert!(review.review);
        assert_eq!(review.question_tab, Some((2, 2)));
    }
}

#[test]
fn idle_and_working() {
    for version in VERSIONS {
        for (name, look) in [
            ("text/start", Look::Idle),
            ("text/end", Look::Idle),
            ("working", Look::Working),
            ("working-draft", Look::Working),
            ("working-queued", Look::Working),
            ("said-quoting", Look::Idle),
        ] {
            let reading = read_screen(&format!("{version}/{name}"));
            assert_eq!(reading.look, Some(look), "{version}/{name}");
        }
        assert!(read_screen(&format!("{version}/interrupt/end")).interrupted);
        assert!(read_screen(&format!("{version}/permission-denied/end")).interrupted);
        assert!(!read_screen(&format!("{version}/text/end")).interrupted);
        assert!(!read_screen(&format!("{version}/said-quoting")).interrupted, "that was the turn before");
    }
}

#[test]
fn the_title_tells_working_from_idle() {
    let screen = file("2.1.325/text/end.screen.txt");
    for (title, look) in [
        ("✳ Claude Code", Look::Idle),
        ("⠂ Claude Code", Look::Working),
        ("◐ Claude Code", Look::Working),
        ("Claude Code", Look::Idle),
    ] {
        let lines = crate::lines(&screen);
        let reading = claude().screen(&ScreenView { lines: &lines, cursor: None, title: Some(title) });
        assert_eq!(reading.look, Some(look), "{title}");
    }
}

#[test]
fn drafts() {
    let rule = "─".repeat(80);
    let boxed = |inner: &str| read_text(&format!("{rule}\n{inner}\n{rule}\n  ? for shortcuts")).draft;
    assert_eq!(boxed("❯").as_deref(), Some(""));
    assert_eq!(boxed("❯ half a line").as_deref(), Some("half a line"));
    assert_eq!(boxed("❯ one\n  two\n\n    indented").as_deref(), Some("one\ntwo\n\n  indented"));
    assert_eq!(boxed("❯ 1. first of a list").as_deref(), Some("1. first of a list"));
    assert_eq!(read_screen("2.1.325/draft").draft.as_deref(), Some("half a line"));
    assert_eq!(read_screen("2.1.197/working-draft").draft.as_deref(), Some("queued words"));
    let history = format!("─── History 1/1 {rule}\n❯ old\n{rule}\n  ⏸ manual mode on");
    assert_eq!(read_text(&history).draft.as_deref(), Some("old"));
}

#[test]
fn a_faint_placeholder_is_no_draft() {
    let rule = ScreenLine::plain("─".repeat(80));
    let line = |text: &str, faint: Option<std::ops::Range<usize>>| ScreenLine {
        text: text.to_owned(),
        faint: faint.into_iter().collect(),
    };
    let rows = [
        (line("❯ Try \"fix lint errors\"", Some(2..24)), ""),
        (line("❯ typed and more", Some(7..16)), "typed"),
        (line("❯ typed", None), "typed"),
    ];
    for (input, draft) in rows {
        let lines = [rule.clone(), input.clone(), rule.clone(), ScreenLine::plain("  ? for shortcuts")];
        let reading = claude().screen(&ScreenView { lines: &lines, cursor: None, title: None });
        assert_eq!(reading.draft.as_deref(), Some(draft), "{input:?}");
    }
}

#[test]
fn a_dialog_that_quotes_another_is_what_it_is() {
    let quoted = " Claude has written up a plan and is ready to execute. Would you like to proceed?\n ❯ 1. Yes\n   2. Ready to \
                  submit your answers?\n Enter to confirm · Do you trust the files (y/n) Please sign in\n Use Claude Code's terminal setup?\n";
    for version in VERSIONS {
        let screen = file(&format!("{version}/permission-allowed/dialog.screen.txt"));
        let quoting = screen.replace(" Do you want to proceed?", &format!("{quoted}\n Do you want to proceed?"));
        let dialog = read_text(&quoting).dialog.unwrap();
        assert_eq!(dialog.rule, "bash", "{version}");
        assert_eq!(dialog.options[0].label, "Yes");
        assert_eq!(dialog.options.last().unwrap().label, "No");
        let said =
            file(&format!("{version}/text/end.screen.txt")).replace("Hi there.", &format!("Hi\n{quoted}{screen}"));
        let reading = read_text(&said);
        assert_eq!((reading.dialog, reading.look), (None, Some(Look::Idle)), "{version}: what was said is no dialog");
    }
}

#[test]
fn a_blank_screen_says_nothing() {
    for text in ["", "\n\n\n", "   "] {
        assert_eq!(read_text(text), coop_drivers::Reading::default(), "{text:?}");
    }
}
