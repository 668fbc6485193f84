//! The real Gemini CLI under coop, against a scripted model: what is published, and what is answered.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod conversation;
mod nudge;
mod plan;
mod print;
mod respond;
mod resume;
mod setup;
mod start;
mod states;

use coop_api::Problem;
use coop_e2e::{Address, Everywhere, Transport};
use coop_testkit::agent::Hooks;
use coop_testkit::{Kind, Options, TestSession};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

/// A session with Gemini, and a client of every kind.
pub(crate) struct Driven {
    pub(crate) session: TestSession,
    runtime: Runtime,
    everywhere: Everywhere,
}

/// Whether the user has put coop's hooks into the settings. Without them the title, the chat log and the screen tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    WithHooks,
    WithoutHooks,
}

impl Driven {
    #[track_caller]
    pub(crate) fn launch(told: Told, scenario: &str, args: &[&str]) -> Self {
        let driven = Self::begin(scenario, &[], options(told, args));
        driven.state("idle");
        driven
    }

    /// Does not wait for the agent: it may ask something first, or end.
    #[track_caller]
    pub(crate) fn begin(scenario: &str, coop: &[&str], options: Options) -> Self {
        let options = Options { coop: coop.iter().map(ToString::to_string).collect(), ..options };
        let version = Kind::Gemini.versions().last().unwrap();
        Self::of(TestSession::launch(Kind::Gemini, version, scenario, &options))
    }

    pub(crate) fn of(session: TestSession) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let everywhere = runtime.block_on(Everywhere::at(&Address::Unix(session.socket.clone())));
        Self { session, runtime, everywhere }
    }

    /// Waits for a state.
    #[track_caller]
    pub(crate) fn state(&self, name: &str) -> Value {
        self.session.wait_json("/api/v1/agent/state", &format!("state {name}"), |state| state["state"] == name)
    }

    /// Waits for a prompt whose options are known from the screen.
    #[track_caller]
    pub(crate) fn prompt(&self, kind: &str) -> Value {
        let state = self.session.wait_json("/api/v1/agent/state", &format!("a {kind} prompt"), |state| {
            let prompt = &state["prompt"];
            let read = prompt["ready"] == true && prompt["options_fallback"] != true;
            state["state"] == "prompt" && prompt["type"] == kind && read
        });
        state["prompt"].clone()
    }

    pub(crate) fn ask(&mut self, transport: Transport, request: &Value) -> Result<Value, Problem> {
        self.runtime.block_on(self.everywhere.ask(transport, request))
    }

    /// Says something, and returns when the agent has taken it.
    #[track_caller]
    pub(crate) fn nudge(&mut self, transport: Transport, message: &str) -> Value {
        let reply = self.ask(transport, &json!({ "type": "nudge", "message": message }));
        let reply = reply.unwrap_or_else(|problem| panic!("{message:?}: {problem:?}\n{}", self.session));
        assert_eq!(reply["delivered"], true, "{message:?}: {reply}\n{}", self.session);
        reply
    }

    /// The same, and waits for the end of its turn.
    #[track_caller]
    pub(crate) fn turn(&mut self, transport: Transport, message: &str) -> Value {
        let request = json!({ "type": "nudge", "message": message, "wait": "turn_end", "timeout_secs": 60 });
        let reply = self.ask(transport, &request);
        reply.unwrap_or_else(|problem| panic!("{message:?}: {problem:?}\n{}", self.session))
    }

    /// Answers a prompt, and returns when it is gone.
    #[track_caller]
    pub(crate) fn respond(&mut self, transport: Transport, mut answer: Value) -> Value {
        answer["type"] = "respond".into();
        let reply = self.ask(transport, &answer);
        let reply = reply.unwrap_or_else(|problem| panic!("{answer}: {problem:?}\n{}", self.session));
        assert_eq!(reply["delivered"], true, "{answer}: {reply}\n{}", self.session);
        assert_eq!(reply["via"], "keys", "{reply}");
        reply
    }

    /// All states that were published so far.
    pub(crate) fn published(&self) -> Vec<String> {
        let events = self.session.timed_events().into_iter();
        let states = events.filter(|(_, event)| event["type"] == "state_change");
        states.map(|(_, event)| event["next"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Waits until what a tool came back with last, as the model was told, is as expected.
    #[track_caller]
    pub(crate) fn result(&self, what: &str, fits: impl Fn(&str) -> bool) {
        self.session.until(&format!("a tool result {what}"), |session| {
            let requests = session.agent.model.requests();
            let parts = requests.iter().filter_map(|request| request["contents"].as_array()).flatten();
            let parts = parts.filter_map(|content| content["parts"].as_array()).flatten();
            let last = parts.map(|part| &part["functionResponse"]).rfind(|answer| answer.is_object());
            last.map(ToString::to_string).filter(|answer| fits(answer)).map(|_| ())
        });
    }
}

pub(crate) fn options(told: Told, args: &[&str]) -> Options {
    let hooks = if told == Told::WithHooks { Hooks::Table(hooks()) } else { Hooks::None };
    Options { hooks, args: args.iter().map(ToString::to_string).collect(), ..Options::default() }
}

/// As docs/agents/gemini.md says that they are put into the settings.
fn hooks() -> Value {
    let coop = coop_testkit::coop::binary().to_string_lossy();
    let events = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "Notification", "AfterAgent", "SessionEnd"];
    let entry = |event: &str| {
        let hook = json!({ "type": "command", "command": format!("'{coop}' hook {event}"), "timeout": 60_000 });
        (event.to_owned(), json!([{ "hooks": [hook] }]))
    };
    Value::Object(events.into_iter().map(entry).collect::<Map<_, _>>())
}
