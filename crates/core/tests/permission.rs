//! Rules: what they match, and above all what they do not.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use coop_core::agent::prompt::{PermissionPrompt, PlanPrompt, PromptContext};
use coop_core::agent::respond::{Respond, Scope};
use coop_core::permission::broker::{AnswerError, Broker, Effect as Told, Outcome, Request, Why};
use coop_core::permission::memory::{Limits, Memories};
use coop_core::permission::pattern::{Pattern, Use};
use coop_core::permission::rules::{Effect, Hosts, Rule, judge};
use proptest::prelude::*;
use serde_json::{Value, json};

fn bash(command: &str) -> Value {
    json!({ "command": command })
}

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn covers(text: &str, command: &str) -> bool {
    pattern(text).covers(&Use { tool: "Bash", input: &bash(command), cwd: "/srv", host: None })
}

/// A command, and whether `Bash(git status:*)` and `Bash(rm:*)` allow it.
const COMMANDS: &[(&str, bool, bool)] = &[
    ("git status", true, false),
    ("git status -s", true, false),
    ("git  status\t--short", true, false),
    ("git status src/a.rs 'a b'", true, false),
    ("git status \"a b\"", true, false),
    ("'git' status", true, false),
    ("\"git\" \"status\"", true, false),
    ("g\\it status", true, false),
    ("git sta'tus'", true, false),
    ("git \\\n status", true, false),
    ("  git status  ", true, false),
    ("git status;", true, false),
    ("git status &", true, false),
    ("! git status", true, false),
    ("time git status", true, false),
    ("git status # all of it", true, false),
    ("git status # rm -rf /", true, false),
    ("git status 2>&1", true, false),
    ("git status > /dev/null", true, false),
    ("git status 2>/dev/null", true, false),
    ("git status < /dev/null", true, false),
    ("git status $HOME", true, false),
    ("git status \"$HOME/x\"", true, false),
    ("git status ~/x", true, false),
    ("git status *.rs", true, false),
    ("git status {a,b}", true, false),
    ("git status; git status -s", true, false),
    ("git status && git status", true, false),
    ("git status | git status", true, false),
    ("git status\ngit status", true, false),
    ("git status 'a;b'", true, false),
    ("git status a\\;b", true, false),
    ("git status '&& rm x'", true, false),
    ("rm x", false, true),
    ("rm -rf /tmp/x", false, true),
    ("rm", false, true),
    ("rm x; rm y", false, true),
    ("rm 'x; curl y'", false, true),
    ("git", false, false),
    ("git push", false, false),
    ("git -c core.pager=sh status", false, false),
    ("git statusx", false, false),
    ("gits tatus", false, false),
    ("git\u{a0}status", false, false),
    ("git status\rrm x", false, false),
    ("gіt status", false, false), // a Cyrillic letter
    ("rm\u{200b} x", false, false),
    ("git status; rm x", false, false),
    ("git status;rm x", false, false),
    ("git status && rm x", false, false),
    ("git status || rm x", false, false),
    ("git status & rm x", false, false),
    ("git status | sh", false, false),
    ("git status |& sh", false, false),
    ("git status\nrm x", false, false),
    ("git status\r\nrm x", false, false),
    ("git status $(rm x)", false, false),
    ("git status \"$(rm x)\"", false, false),
    ("git status `rm x`", false, false),
    ("git status \"`rm x`\"", false, false),
    ("git status <(rm x)", false, false),
    ("git status >(rm x)", false, false),
    ("git status =(rm x)", false, false),
    ("git status ${X:-$(rm x)}", false, false),
    ("git status ${X:=y}", false, false),
    ("git status ${X@P}", false, false),
    ("git status ${!X}", false, false),
    ("git status ${a[1]}", false, false),
    ("git status $((1+1))", false, false),
    ("git status $[1+1]", false, false),
    ("git status $'a\\nb'", true, false),
    ("$'git' status", false, false),
    ("git status > x", false, false),
    ("git status >> x", false, false),
    ("git status &> x", false, false),
    ("git status >| x", false, false),
    ("git status <> x", false, false),
    ("git status < x", false, false),
    ("git status 2> x", false, false),
    ("> x git status", false, false),
    ("git status << E\n$(rm x)\nE", false, false),
    ("git status << 'E'\nx\nE", false, false),
    ("git status <<< x", false, false),
    ("sudo git status", false, false),
    ("sudo rm x", false, false),
    ("env X=1 git status", false, false),
    ("X=1 git status", false, false),
    ("PATH=. git status", false, false),
    ("X=1", false, false),
    ("/usr/bin/git status", false, false),
    ("./git status", false, false),
    ("\\rm x", false, true),
    ("command rm x", false, false),
    ("eval 'git status'", false, false),
    ("sh -c 'git status'", false, false),
    ("xargs rm", false, false),
    ("git$X status", false, false),
    ("$X status", false, false),
    ("git $X", false, false),
    ("gi? status", false, false),
    ("{git,x} status", false, false),
    ("git {status,push}", false, false),
    ("git status(", false, false),
    ("git status)", false, false),
    ("git status '", false, false),
    ("git status \"", false, false),
    ("git status \\", false, false),
    ("git status *(e:'rm x':)", false, false),
    ("(git status)", false, false),
    ("{ git status; }", false, false),
    ("if git status; then rm x; fi", false, false),
    ("for x in a; do git status; done", false, false),
    ("while git status; do rm x; done", false, false),
    ("case x in x) git status;; esac", false, false),
    ("git() { rm x; }; git status", false, false),
    ("function git { rm x; }\ngit status", false, false),
    ("coproc git status", false, false),
    ("git status $X[1]", false, false),
    ("[[ -f x ]] && git status", false, false),
    ("(( 1 )) && git status", false, false),
    ("alias git=rm; git status", false, false),
    ("cd /; git status", false, false),
    ("git status\0rm x", false, false),
    ("", false, false),
    (" ", false, false),
    ("# git status", false, false),
    (";", false, false),
];

#[test]
fn what_a_rule_allows() {
    for (command, status, rm) in COMMANDS {
        assert_eq!(covers("Bash(git status:*)", command), *status, "Bash(git status:*) and {command:?}");
        assert_eq!(covers("Bash(rm:*)", command), *rm, "Bash(rm:*) and {command:?}");
        assert!(covers("Bash", command), "{command:?}");
    }
}

#[test]
fn forms_of_rules() {
    for (text, command, yes) in [
        ("Bash(git status)", "git status", true),
        ("Bash(git status)", "git status -s", false),
        ("Bash(git status *)", "git status -s", true),
        ("Bash(git commit -m 'a b')", "git commit -m \"a b\"", true),
        ("Bash(git commit -m 'a b')", "git commit -m a b", false),
        ("Bash(*)", "anything; at all", true),
        ("Bash(npm run build:*)", "npm run build && npm run test", false),
        ("run_shell_command(git status:*)", "git status", false),
    ] {
        assert_eq!(covers(text, command), yes, "{text} and {command:?}");
    }
    for wrong in [
        "",
        "Bash(",
        "Bash()",
        "Bash(a; b:*)",
        "Bash($(x):*)",
        "Ba sh",
        "Grep(x)",
        "Grep([1])",
        "mcp__*({})",
        "WebFetch(x)",
        "Write([)",
    ] {
        assert!(wrong.parse::<Pattern>().is_err(), "{wrong:?}");
    }
}

#[test]
fn files_and_addresses() {
    for (text, tool, input, yes) in [
        ("Write(*.py)", "Write", json!({ "file_path": "/srv/a/b.py" }), true),
        ("Write(*.py)", "Write", json!({ "file_path": "b.py" }), true),
        ("Write(*.py)", "Write", json!({ "file_path": "/srv/b.py/x" }), false),
        ("Write(*.py)", "Edit", json!({ "file_path": "/srv/b.py" }), false),
        ("Edit(/srv/*)", "Edit", json!({ "file_path": "/srv/b.py" }), true),
        ("Edit(/srv/*)", "Edit", json!({ "file_path": "b.py" }), true),
        ("Edit(/srv/*)", "Edit", json!({ "file_path": "/srv/a/b.py" }), false),
        ("Edit(/srv/**)", "Edit", json!({ "file_path": "/srv/a/b.py" }), true),
        ("Edit(/srv/*)", "Edit", json!({ "file_path": "/srv/../etc/x" }), false),
        ("Edit(/srv/**)", "Edit", json!({ "file_path": "/srv/a/../../etc/x" }), false),
        ("Edit(/srv/**)", "Edit", json!({ "file_path": "/srv/a/../b" }), true),
        ("Edit(/**)", "Edit", json!({ "file_path": "/../../x" }), false),
        ("Edit(/srv/*)", "Edit", json!({}), false),
        ("Edit(/srv/*)", "Edit", json!({ "file_path": 7 }), false),
        ("Read", "Read", json!({}), true),
        ("WebFetch(domain:example.org)", "WebFetch", json!({ "url": "https://example.org/x" }), true),
        ("WebFetch(domain:example.org)", "WebFetch", json!({ "url": "http://www.EXAMPLE.org:8080" }), true),
        ("WebFetch(domain:example.org)", "WebFetch", json!({ "url": "https://badexample.org" }), false),
        ("WebFetch(domain:example.org)", "WebFetch", json!({ "url": "https://example.org@evil.com" }), false),
        ("WebFetch(domain:example.org)", "WebFetch", json!({ "url": "https://example.org.evil.com" }), false),
        ("WebFetch(domain:example.org)", "WebFetch", json!({ "url": "https://evil.com\\@example.org" }), false),
        ("WebFetch(domain:example.org)", "WebFetch", json!({ "url": "file://example.org" }), false),
        ("mcp__docs__*", "mcp__docs__search", json!({}), true),
        ("mcp__docs__*", "mcp__mail__send", json!({}), false),
    ] {
        let wanted = Use { tool, input: &input, cwd: "/srv", host: None };
        assert_eq!(pattern(text).covers(&wanted), yes, "{text} and {input}");
    }
}

#[test]
fn what_a_rule_denies() {
    for (command, yes) in [
        ("rm x", true),
        ("/bin/rm x", true),
        ("r\\m x", true),
        ("echo x; rm x", true),
        ("sudo rm x", true),
        ("sudo -u root rm x", true),
        ("env A=1 rm x", true),
        ("xargs rm", true),
        ("timeout 5 rm x", true),
        ("$X rm x", true),
        ("echo $(rm x)", true),
        ("if a; then rm x; fi", true),
        ("A=1 rm x", true),
        ("echo 'unfinished; rm x", true),
        ("cat <<E\nhello\nE\nrm x", true),
        ("cat <<E$(  \nrm x", true),
        ("(r\\m x)", true),
        ("(r''m x)", true),
        ("(r\\\nm x)", true),
        ("(/bin/\"rm\" x)", true),
        ("cat <<E\nhello\nE", false),
        ("echo rm", false),
        ("rmdir x", false),
        ("echo $(rmdir x)", false),
        ("git rm x", false),
        ("ls", false),
    ] {
        let input = bash(command);
        let wanted = Use { tool: "Bash", input: &input, cwd: "/srv", host: None };
        assert_eq!(pattern("Bash(rm:*)").touches(&wanted), yes, "{command:?}");
    }
}

fn rule(id: u64, effect: Effect, text: &str, project: Option<&str>) -> Rule {
    Rule { id, effect, pattern: pattern(text), project: project.map(Into::into), hosts: Hosts::Here }
}

#[test]
fn deny_wins_over_ask_and_ask_over_allow() {
    let rules = [
        rule(1, Effect::Allow, "Bash(git:*)", None),
        rule(2, Effect::Deny, "Bash(git push:*)", None),
        rule(3, Effect::Ask, "Bash(git commit:*)", None),
        rule(4, Effect::Allow, "Bash(make:*)", Some("/srv/a/")),
    ];
    for (command, cwd, effect) in [
        ("git status", "/", Effect::Allow),
        ("git push", "/", Effect::Deny),
        ("git status; git push", "/", Effect::Deny),
        ("git commit", "/", Effect::Ask),
        ("make", "/srv/a", Effect::Allow),
        ("make && git status", "/srv/a/b", Effect::Allow),
        ("make", "/srv/ab", Effect::Ask),
        ("make && curl x", "/srv/a", Effect::Ask),
    ] {
        let verdict = judge(&rules, None, &Use { tool: "Bash", input: &bash(command), cwd, host: None });
        assert_eq!(verdict.effect, effect, "{command} in {cwd}");
    }
}

/// Each of these once took the parser all the memory, all the stack, or for ever.
#[test]
fn what_is_too_much_for_the_parser() {
    let documents =
        ["git status\r<<\r|-c\t", "git status <<E$(  ", "git status <\\\n<E$(  ", "git status\nE\n<<E$(\r "];
    let nested = [
        "if ",
        "while ",
        "until a; do ",
        "if a; then ",
        "case x in a) ",
        "for x in a; do ",
        "coproc ",
        "i\\\nf ",
        "((",
        "(",
        "[[ ! ",
        "{ ",
        "((a[",
        "((]]",
        "]<(",
        "${x:-",
        "\"$(",
        "'#' if ",
        "$'\\'' ( ",
        "# '\n ( ",
    ];
    let nested = nested.iter().map(|part| format!("git status; {}", part.repeat(16_000 / part.len())));
    let numbers = ["git status 99999999999>/dev/null", "git status 99999999999999999999>&1"];
    for command in documents.into_iter().chain(numbers).map(str::to_owned).chain(nested) {
        assert!(!covers("Bash(git status:*)", &command), "{command:.60?}");
    }
}

#[test]
fn a_session_forgets() {
    let start = Instant::now();
    let mut memories = Memories::new(Limits { max_patterns: 2, ..Limits::default() });
    let count =
        |memories: &mut Memories, now, id| memories.recall(now, None, id).map_or(0, |memory| memory.all().count());
    for text in ["Bash(a:*)", "Bash(b:*)", "Bash(c:*)", "Bash(c:*)"] {
        memories.remember(start, (None, "s"), "/srv/a", pattern(text), Effect::Allow);
    }
    assert_eq!(count(&mut memories, start, "s"), 2, "the oldest went");
    let later = start + Duration::from_secs(3599);
    assert_eq!(count(&mut memories, later, "s"), 2, "asking keeps it");
    assert_eq!(count(&mut memories, later + Duration::from_secs(3599), "s"), 2);
    assert_eq!(count(&mut memories, later + Duration::from_secs(3599 + 3600), "s"), 0);
    memories.remember(start, (None, "s"), "/srv/a", pattern("Bash(a:*)"), Effect::Allow);
    memories.remember(start, (None, "t"), "/srv/ab", pattern("Bash(a:*)"), Effect::Allow);
    memories.clear_below("/srv/a/");
    assert_eq!((count(&mut memories, start, "s"), count(&mut memories, start, "t")), (0, 1));
    assert_eq!(memories.clear("t"), 1);
    memories.limits.enabled = false;
    assert!(!memories.remember(start, (None, "t"), "/", pattern("Bash(a:*)"), Effect::Allow));
    memories.limits.enabled = true;
    assert!(!memories.remember(start, (None, ""), "/", pattern("Bash(a:*)"), Effect::Allow), "of no session");
    assert!(memories.remember(start, (Some("far"), "s"), "/", pattern("Bash(a:*)"), Effect::Allow));
    assert_eq!(count(&mut memories, start, "s"), 0, "a session of another machine has the same id");
}

fn request(session: &str, command: &str) -> Request {
    Request {
        session: session.into(),
        host: None,
        cwd: "/srv".into(),
        tool: "Bash".into(),
        input: bash(command),
        tool_use_id: None,
        context: PromptContext::Permission(PermissionPrompt::default()),
        wait: Duration::from_secs(300),
    }
}

fn answer(accept: bool, scope: Scope, by: &str) -> Respond {
    Respond { accept: Some(accept), scope, by: by.into(), ..Respond::default() }
}

fn ended(effects: &[Told]) -> Vec<(u64, &str)> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Told::Ended { id, by, .. } => Some((*id, by.as_str())),
            Told::Asked(_) => None,
        })
        .collect()
}

#[test]
fn the_first_answer_wins() {
    let now = Instant::now();
    let mut broker = Broker::default();
    let (id, _) = broker.ask(now, request("s", "rm x"));
    let (twin, _) = broker.ask(now, request("s", "rm x"));
    assert_eq!(broker.pending().count(), 2, "identical requests stay separate");
    let effects = broker.answer(now, id, answer(true, Scope::Once, "phone")).unwrap();
    assert_eq!(ended(&effects), [(id, "phone")]);
    let late = broker.answer(now, id, answer(false, Scope::Once, "board"));
    assert_eq!(late, Err(AnswerError::Answered { by: "phone".into() }));
    assert_eq!(ended(&broker.withdraw(twin, Why::AtTerminal)), [(twin, "terminal")]);
    let late = broker.answer(now, twin, answer(false, Scope::Once, "board"));
    assert_eq!(late, Err(AnswerError::Answered { by: "terminal".into() }));
    assert_eq!(broker.answer(now, 99, answer(true, Scope::Once, "x")), Err(AnswerError::Unknown));
}

#[test]
fn an_answer_for_the_session_settles_what_it_covers() {
    let now = Instant::now();
    let mut broker = Broker::default();
    let (first, _) = broker.ask(now, request("s", "rm x"));
    let (second, _) = broker.ask(now, request("s", "rm x"));
    let (other, _) = broker.ask(now, request("s", "rm x; curl z"));
    let (elsewhere, _) = broker.ask(now, request("t", "rm x"));
    let effects = broker.answer(now, first, answer(true, Scope::Session, "phone")).unwrap();
    assert_eq!(ended(&effects), [(first, "phone"), (second, "session memory")]);
    assert!(broker.get(other).is_some() && broker.get(elsewhere).is_some());
    let (next, effects) = broker.ask(now, request("s", "rm  'x'"));
    assert_eq!(ended(&effects), [(next, "session memory")]);
    assert_eq!(ended(&broker.session_ended("s")), [(other, "gone")]);
    let (_, effects) = broker.ask(now, request("s", "rm x"));
    assert_eq!(ended(&effects), [], "a session that ended is forgotten");
}

#[test]
fn a_rule_settles_what_it_covers_in_every_session() {
    let now = Instant::now();
    let mut broker = Broker::default();
    let (first, _) = broker.ask(now, request("s", "rm x"));
    let (second, _) = broker.ask(now, request("t", "rm y"));
    let (other, _) = broker.ask(now, request("t", "ls"));
    let plan = Request { context: PromptContext::Plan(PlanPrompt::default()), ..request("s", "rm z") };
    let (plan, _) = broker.ask(now, plan);
    assert_eq!(broker.settle(now), []);
    broker.rules.push(rule(1, Effect::Deny, "Bash(rm:*)", None));
    assert_eq!(ended(&broker.settle(now)), [(first, "rule"), (second, "rule")]);
    assert!(broker.get(other).is_some() && broker.get(plan).is_some(), "a plan is for a person");
}

#[test]
fn what_becomes_known_later_is_judged_too() {
    let now = Instant::now();
    let mut broker = Broker::default();
    broker.rules.push(rule(1, Effect::Allow, "Bash(rm:*)", None));
    let bare = Request { tool: String::new(), input: Value::Null, ..request("s", "") };
    let (id, _) = broker.ask(now, bare.clone());
    assert_eq!(broker.refresh(now, id, bare.clone()), []);
    let effects = broker.refresh(now, id, request("s", "touch x"));
    assert!(
        matches!(&effects[..], [Told::Asked(shown)] if shown.suggestion == Some(pattern("Bash(touch x)"))),
        "{effects:?}"
    );
    let (other, _) = broker.ask(now, bare);
    assert_eq!(ended(&broker.refresh(now, other, request("s", "rm x"))), [(other, "rule")]);
}

#[test]
fn nobody_answers() {
    let now = Instant::now();
    let mut broker = Broker::default();
    let (id, _) = broker.ask(now, request("s", "rm x"));
    let expires = broker.deadline().unwrap();
    assert_eq!(expires, now + Duration::from_secs(300));
    assert_eq!(broker.on_deadline(expires - Duration::from_millis(1)), []);
    let effects = broker.on_deadline(expires);
    assert!(
        matches!(&effects[..], [Told::Ended { id: ended, outcome: Outcome::Abstained(Why::Expired), .. }] if *ended == id),
        "{effects:?}"
    );
    assert_eq!(broker.deadline(), None);
}

/// Every program on the path writes down how it was called.
fn stubs(folder: &Path) {
    for name in ["git", "rm", "sh", "curl", "status"] {
        let stub = folder.join(name);
        fs::write(&stub, format!("#!/bin/bash\nprintf '%s\\n' \"{name} $1\" >> {}/ran\n", folder.display())).unwrap();
        fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// What the real shell runs when it is given this.
fn runs(folder: &Path, command: &str) -> Vec<String> {
    let ran = folder.join("ran");
    drop(fs::remove_file(&ran));
    let status = Command::new("/bin/bash")
        .args(["--norc", "--noprofile", "-c", command])
        .env_clear()
        .env("PATH", folder)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.unwrap();
    fs::read_to_string(ran).unwrap_or_default().lines().map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is put together from the pieces of scripts: what the rule allows runs `git status` and nothing else.
    #[test]
    fn what_is_allowed_runs_nothing_else(parts in prop::collection::vec(prop::sample::select(vec![
        "git", "status", "git status", " ", " ", " ", ";", "&", "&&", "|", "\n", "rm", "rm x", "sh", "curl", "'", "\"", "\\",
        "`", "$(", ")", "(", "{", "}", "<", ">", "<<E", "\nE\n", "$", "$X", "${", "=", "A=", "#", "!", "*", "-c", "\t", "\r",
        "$'", "\\n", "if", "then", "fi", "do", "2>&1", ">/dev/null", "~", ",", "x",
    ]), 1..9)) {
        let command = format!("git status{}", parts.concat());
        if covers("Bash(git status:*)", &command) {
            let folder = tempfile::tempdir().unwrap();
            stubs(folder.path());
            for ran in runs(folder.path(), &command) {
                prop_assert_eq!(ran, "git status", "{:?}", command);
            }
            let left = fs::read_dir(folder.path()).unwrap().flatten().count();
            prop_assert!(left <= 6, "{:?} wrote a file", command);
        }
    }
}

/// A dialog of which the call is not known, or only as it is painted, may be about another call than it seems.
#[test]
fn rule_allows_only_an_input_that_was_told() {
    let now = Instant::now();
    let rule = |effect| Rule { id: 1, pattern: pattern("Bash"), effect, project: None, hosts: Hosts::Here };
    let asks = |input: serde_json::Value, input_seen| {
        let context = PromptContext::Permission(PermissionPrompt { input_seen, ..PermissionPrompt::default() });
        Request { input, context, ..request("s", "ls") }
    };
    for (effect, input, input_seen, judged) in [
        (Effect::Allow, bash("ls"), false, true),
        (Effect::Allow, bash("ls"), true, false),
        (Effect::Allow, serde_json::Value::Null, false, false),
        (Effect::Deny, bash("ls"), true, true),
        (Effect::Deny, serde_json::Value::Null, false, true),
    ] {
        let mut broker = Broker::default();
        broker.rules.push(rule(effect));
        let (_, effects) = broker.ask(now, asks(input.clone(), input_seen));
        assert_eq!(!ended(&effects).is_empty(), judged, "{effect:?} {input} {input_seen}");
        let suggested = broker.pending().any(|pending| pending.suggestion.is_some());
        assert!(!suggested, "what is not certain is not remembered");
    }
}

/// Requests of other machines that wait have a limit in bytes; those of this machine do not count.
#[test]
fn requests_of_other_machines_are_bounded_in_bytes() {
    let now = Instant::now();
    let mut broker = Broker::default();
    let large = |host: Option<&str>| Request {
        input: serde_json::json!({ "command": "x".repeat(16 << 20) }),
        host: host.map(str::to_owned),
        ..request("s", "ls")
    };
    let waits = |broker: &mut Broker, host: Option<&str>| {
        let (_, effects) = broker.ask(now, large(host));
        ended(&effects).is_empty()
    };
    let asked: Vec<bool> = (0..5).map(|_| waits(&mut broker, Some("far"))).collect();
    assert_eq!(asked, [true, true, true, false, false]);
    assert!(waits(&mut broker, None), "this machine");
}
