//! What goes wrong at the API, and how a turn ends then.

use coop_testkit::Options;
use coop_testkit::model::What;

use super::Claude;

const SCENARIO: &str = "
user again: case 400
  error: 400 scripted bad request
user again: case 401
  error: 401 scripted no key
user again: case 429
  error: 429 scripted limit, retry after 1s
user again: case limit
  error: 429 scripted limit, resets in 1h
user again: case 403
  error: 403 scripted not yours
user again: case 404
  error: 404 scripted no such model
user again: case broken
  say: Half of it
  error: 529 scripted overload
user again: case 500
  error: 500 scripted failure
user again: case 529
  error: 529 scripted overload
user again: case cut
  say: Half of it
  cut
user again: case hang
  say: Now wait
  hang
user: case fine
  say: Fine again.
";

pub(super) fn errors(version: &str) {
    let options = Options { env: vec![("CLAUDE_CODE_MAX_RETRIES".into(), "1".into())], ..Options::default() };
    let mut claude = Claude::started(version, SCENARIO, &options);
    // What went wrong by the hook and, where it is reported, by the terminal.
    for (case, error, state) in [
        ("400", "unknown", "error"),
        ("401", "authentication_failed", "blocked/auth"),
        ("429", "rate_limit", "error"),
        ("limit", "rate_limit", "error"),
        ("403", "authentication_failed", "blocked/auth"),
        ("404", "model_not_found", "error"),
        ("broken", if claude.reports { "server_error" } else { "unknown" }, "error"),
        ("500", "server_error", "error"),
        ("529", "server_error", "error"),
        ("cut", "server_error", "error"),
    ] {
        let reports = claude.sight().statuses.len();
        let hooks = claude.hooks_of("StopFailure", |claude| claude.submit(&format!("case {case}")));
        assert_eq!(hooks, ["UserPromptSubmit", "StopFailure"], "{case}");
        assert_eq!(claude.hook("StopFailure")["error"], error, "{case}");
        claude.idle();
        if claude.reports {
            claude.until(&format!("{state} after {case}"), |sight| {
                (sight.states()[reports..] == ["working", state]).then_some(())
            });
        }
        claude.logged("the error", |line| line["isApiErrorMessage"] == true);
    }
    claude.submit("case hang");
    claude.model(&What::Hanging, 1);
    claude.registered("busy");
    let before = claude.sight().hooks.len();
    claude.press("Escape");
    claude.insist("the interrupt", "Escape", |sight| sight.model.iter().any(|event| event.what == What::Disconnected));
    claude.idle();
    assert_eq!(claude.sight().hook_names()[before..], [] as [&str; 0]);
    claude.hooks_of("Stop", |claude| claude.submit("case fine"));
    claude.bench.finish();
}
