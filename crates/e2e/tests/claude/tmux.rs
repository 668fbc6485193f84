//! The real Claude Code in a tmux that somebody started and sits at, with coop attached to it: the same states, messages and
//! answers as under coop.

use coop_api::Code;
use coop_e2e::{Driven, Transport};
use coop_testkit::Options;
use coop_testkit::agent::Hooks;
use serde_json::json;

use crate::respond::{ROUND, round};
use crate::{begin, launch, launch_with};

/// All kinds of prompts, answered by keys; what was published meanwhile.
pub(crate) fn talk(driven: &mut Driven) -> Vec<String> {
    round(driven, 0, Transport::Http, "keys");
    let mut states = driven.published();
    // What was before coop came is not known.
    states.retain(|state| state != "starting" && state != "unknown");
    if states.first().is_some_and(|state| state == "idle") {
        states.remove(0);
    }
    states
}

#[test]
fn the_same_states_messages_and_answers_as_under_coop() {
    let scenario = ROUND.replace('N', "0");
    let mut native = launch("2.1.325", &scenario, &["--without", "hook"]);
    let expected = talk(&mut native);
    native.session.finish();
    // An old tmux tells of nothing, and its pane is looked at.
    for old_tmux in [false, true] {
        let mut driven = launch_with("2.1.325", &scenario, &[], Options { tmux: true, old_tmux, ..Options::default() });
        let window = |driven: &Driven| {
            let tmux = driven.session.tmux.as_ref().unwrap();
            tmux.run(&["display-message", "-p", "-t", "work", "#{window_layout} #{window_width}x#{window_height}"])
        };
        let size = driven.session.agent.command.size;
        let person = driven.session.tmux.as_ref().unwrap().person(size);
        driven.session.until("tmux's line", |_| person.text().contains("[work]").then_some(()));
        let before = window(&driven);
        assert!(before.ends_with(&format!("{}x{}", size.cols(), size.rows())), "{before}");
        assert_eq!(talk(&mut driven), expected, "old: {old_tmux}");
        assert_eq!(window(&driven), before);
        driven.session.until("what it said, at the person", |_| person.text().contains("All picked.").then_some(()));
        let refused = driven.ask(Transport::Ws, &json!({ "type": "resize", "cols": 90, "rows": 20 })).unwrap_err();
        assert_eq!(refused.code, Code::Unsupported);
        driven.session.finish();
    }
}

/// Hooks that a person has installed come to the session that is attached, and can be answered there.
#[test]
fn installed_hooks_find_the_session_by_its_terminal() {
    let hook = |event: &str| {
        let command = format!("'{}' hook {event}", coop_testkit::coop::binary().display());
        json!([{ "matcher": "", "hooks": [{ "type": "command", "command": command, "timeout": 600 }] }])
    };
    let events = ["UserPromptSubmit", "PermissionRequest", "Stop"];
    let table = events.into_iter().map(|event| (event.to_owned(), hook(event))).collect();
    let options = Options { tmux: true, hooks: Hooks::Table(serde_json::Value::Object(table)), ..Options::default() };
    let mut driven =
        begin("2.1.325", "user: allow 0\n  bash: touch allowed-0.txt\nresult\n  say: Allowed.\n", &[], options);
    driven.state("idle");
    let reply = driven.nudge(Transport::Http, "allow 0");
    assert_eq!(reply["receipt"]["how"], "hook", "{reply}");
    driven.hook_prompt("permission");
    let answered = driven.respond(Transport::Http, json!({ "accept": true }));
    assert_eq!(answered["via"], "hook", "{answered}");
    driven.state("idle");
    driven.session.finish();
}
