//! Scenarios that are right, and what is said of those that are not.

use super::*;

fn parsed(text: &str) -> Vec<Rule> {
    Scenario::parse("talk", text).unwrap().rules
}

fn steps(reply: &str) -> Vec<Step> {
    parsed(&format!("user\n{reply}")).remove(0).steps
}

#[test]
fn rules() {
    let rules = parsed(
        "# a file\nuser: make it\n  say: ok\n  bash: touch a\n\nresult: ok\n  say: done\nuser again\n  say: what?\n",
    );
    let heads: Vec<_> =
        rules.iter().map(|rule| (rule.line, rule.on.to_string(), rule.again, rule.steps.len())).collect();
    let expected =
        [(2, "user: make it".into(), false, 2), (6, "result: ok".into(), false, 1), (8, "user".into(), true, 1)];
    assert_eq!(heads, expected);
}

#[test]
fn replies() {
    let say = |text: &str, pace: Option<u64>| Step::Say {
        text: text.into(),
        pace: pace.map(|millis| Pace(Duration::from_millis(millis))),
    };
    let fail = |status, message: &str, retry: Option<u64>, resets: Option<u64>| {
        Step::Fail(Failure {
            status,
            message: message.into(),
            retry_after: retry.map(Duration::from_secs),
            resets_in: resets.map(Duration::from_secs),
        })
    };
    for (text, expected) in [
        (" say: a: b # c", say("a: b # c", None)),
        (" say 5 words/s: slow", say("slow", Some(200))),
        (" say: one\n   | two\n   |   three", say("one\ntwo\n  three", None)),
        (" count 40 words/s: 3", say("1 2 3", Some(25))),
        (" think: hm", Step::Think("hm".into())),
        (" bash: echo a: b", Step::Call(Tool::Bash { command: "echo a: b".into() })),
        (" read: a.txt", Step::Call(Tool::Read { path: "a.txt".into() })),
        (" write a.txt: x", Step::Call(Tool::Write { path: "a.txt".into(), content: "x\n".into() })),
        (" edit a.txt: x => y", Step::Call(Tool::Edit { path: "a.txt".into(), old: "x".into(), new: "y".into() })),
        (" enter plan", Step::Call(Tool::EnterPlan)),
        (" plan: # Plan\n | 1. do", Step::Call(Tool::Plan("# Plan\n1. do".into()))),
        (
            r#" tool Glob: {"a":"b"}"#,
            Step::Call(Tool::Named { name: "Glob".into(), input: serde_json::json!({"a": "b"}) }),
        ),
        (" pause: 300ms", Step::Pause(Duration::from_millis(300))),
        (" wait: go", Step::Wait("go".into())),
        (" refuse: no", Step::Refuse("no".into())),
        (" tokens: 190000", Step::Tokens(190_000)),
        (" error: 500", fail(500, "the script says so", None, None)),
        (" error: 429 slow down, retry after 2s, resets in 1h", fail(429, "slow down", Some(2), Some(3600))),
        (" cut", Step::Cut),
        (" hang", Step::Hang),
    ] {
        assert_eq!(steps(text), [expected], "{text}");
    }
}

#[test]
fn questions_in_a_row_are_one_call() {
    let found =
        steps(" ask Database: Which?\n  - SQLite: small\n  - Postgres\n ask Extras, several: More?\n  - Auth\n say: x");
    let [Step::Call(Tool::Ask(questions)), Step::Say { .. }] = &found[..] else { panic!("{found:?}") };
    let seen: Vec<_> = questions.iter().map(|q| (q.header.as_str(), q.several, q.options.len())).collect();
    assert_eq!(seen, [("Database", false, 2), ("Extras", true, 1)]);
    assert_eq!(questions[0].options[0], Choice { label: "SQLite".into(), description: "small".into() });
}

#[test]
fn problems() {
    for (text, expected) in [
        ("  say: hi\n", "talk:1: a reply without what it answers; expected `user:` or `result:` above it"),
        ("person: hi\n", "talk:1: `person` is not what a model answers; expected `user` or `result`"),
        ("# x\n\nuser: hi\n", "talk:3: `user: hi` has no reply; expected indented lines below it"),
        ("user\n sing: la\n", "talk:2: cannot read `sing: la`; expected say, count, think"),
        ("user\n say fast: la\n", "talk:2: cannot read `say fast: la`; expected a pace such as `5 words/s`"),
        ("user\n say:\n", "talk:2: cannot read `say:`; expected `say: …`"),
        ("user\n error: 200\n", "talk:2: cannot read `error: 200`; expected a status from 400 to 599"),
        ("user\n error: 429, soon\n", "expected `retry after TIME` or `resets in TIME`"),
        ("user\n pause: 3\n", "talk:2: cannot read `pause: 3`; expected a time such as `300ms`"),
        ("user\n tool X: {\n", "talk:2: cannot read `tool X: {`; expected JSON ("),
        ("user\n edit a: b\n", "expected `edit FILE: OLD => NEW`"),
        ("user\n ask: b\n", "expected a header, as in `ask Database: Which one?`"),
        ("user\n ask A, many: b\n", "expected `ask HEADER: …` or `ask HEADER, several: …`"),
        ("user\n ask A: b?\n", "talk:1: \"b?\" has no options; expected `- LABEL: DESCRIPTION` below it"),
        ("user\n - a\n", "talk:2: an option without a question; expected `ask` above it"),
        ("| a\n", "talk:1: `|` goes on with the text of a line, and there is none"),
        ("user\n cut: off\n", "talk:2: cannot read `cut: off`; expected say, count"),
    ] {
        let error = Scenario::parse("talk", text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}\n  said     {error}\n  expected {expected}");
    }
}

#[test]
fn what_fits() {
    let result = |text: &str| vec![text.to_owned()];
    for (on, user, results, fits) in [
        (On::User("file".into()), "make the file", vec![], true),
        (On::User("file".into()), "make the dir", vec![], false),
        (On::User(String::new()), "", vec![], true),
        (On::User("file".into()), "make the file", result("ok"), false),
        (On::Result("ok".into()), "make the file", result("all ok"), true),
        (On::Result("ok".into()), "ok", result("no"), false),
        (On::Result(String::new()), "ok", vec![], false),
    ] {
        assert_eq!(on.fits(user, &results), fits, "{on} {user} {results:?}");
    }
}
