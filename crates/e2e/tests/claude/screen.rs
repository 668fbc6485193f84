//! The real Claude Code in a GNU Screen that somebody sits at, with coop attached to it: the same states, messages and
//! answers as under coop.
#![cfg(target_os = "linux")]

use coop_api::Code;
use coop_e2e::Transport;
use coop_testkit::Options;
use serde_json::json;

use crate::respond::ROUND;
use crate::tmux::talk;
use crate::{launch, launch_with};

#[test]
fn the_same_states_messages_and_answers_as_under_coop() {
    let scenario = ROUND.replace('N', "0");
    let mut native = launch("2.1.325", &scenario, &["--without", "hook"]);
    let expected = talk(&mut native);
    native.session.finish();
    let mut driven = launch_with("2.1.325", &scenario, &[], Options { screen: true, ..Options::default() });
    assert_eq!(talk(&mut driven), expected);
    let refused = driven.ask(Transport::Ws, &json!({ "type": "resize", "cols": 90, "rows": 20 })).unwrap_err();
    assert_eq!(refused.code, Code::Unsupported);
    driven.session.finish();
}
