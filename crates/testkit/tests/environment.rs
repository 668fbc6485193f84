//! Nothing of the caller's environment reaches an agent: the test runs itself again with poison in every variable that an
//! agent would read, and looks at what the agent saw.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::process::Command;
use std::{env, fs};

use coop_testkit::agent::KEY;
use coop_testkit::model::What;
use coop_testkit::{Bench, Kind, Options};

/// Says that this is the second run.
const INSIDE: &str = "COOP_TESTKIT_INSIDE";
const POISON: &str = "poison-of-the-caller";

const VARIABLES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_API_KEY",
    "GEMINI_CLI_HOME",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_OPTIONS",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "http_proxy",
    "https_proxy",
];

/// The agent writes down its environment, as a tool of it sees it.
const SCENARIO: &str = "
user: hello
  bash: env | sort > seen.txt
result
  say: Seen.
";

fn runs_clean(kind: Kind, name: &str, dialog: &str) {
    if env::var_os(INSIDE).is_none() {
        let agents = env::var_os("COOP_TEST_AGENTS").unwrap_or_else(|| {
            let cache = env::var_os("XDG_CACHE_HOME").filter(|value| !value.is_empty());
            let cache =
                cache.map_or_else(|| format!("{}/.cache", env::var("HOME").unwrap()).into(), std::path::PathBuf::from);
            cache.join("coop/agents").into_os_string()
        });
        let mut again = Command::new(env::current_exe().unwrap());
        again.args([name, "--exact", "--nocapture"]).env(INSIDE, "1").env("COOP_TEST_AGENTS", agents);
        again.envs(VARIABLES.iter().map(|name| (*name, format!("/{POISON}"))));
        let output = again.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let version = kind.versions().last().unwrap();
    let bench = Bench::launch(kind, version, SCENARIO, &Options::default());
    bench.until("the prompt", |sight| {
        let ready = ["? for shortcuts", "GPT-5.5 default"];
        ready.iter().any(|text| sight.screen.contains(text)).then_some(())
    });
    bench.submit("hello");
    bench.answer(if kind == Kind::Codex { "y" } else { "1" }, dialog);
    bench.shows("Seen.");
    let seen = fs::read_to_string(bench.agent.project.join("seen.txt")).unwrap();
    assert!(seen.contains(&format!("HOME={}", bench.agent.home.display())), "{seen}");
    assert!(!seen.contains(POISON), "{seen}");
    let keys: Vec<String> = bench.agent.model.events().into_iter().filter_map(key).collect();
    assert!(!keys.is_empty() && keys.iter().all(|key| key == KEY), "{keys:?}");
    bench.finish();
}

fn key(event: coop_testkit::model::Event) -> Option<String> {
    if let What::Request { key, .. } = event.what { Some(key) } else { None }
}

#[test]
fn claude() {
    runs_clean(Kind::Claude, "claude", "Do you want to proceed?");
}

#[test]
fn codex() {
    runs_clean(Kind::Codex, "codex", "Would you like to run the following command?");
}

#[test]
fn gemini() {
    runs_clean(Kind::Gemini, "gemini", "Allow execution");
}
