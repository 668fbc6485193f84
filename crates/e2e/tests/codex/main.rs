//! The real Codex under coop, against a scripted model: what is published, and what is answered.
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
use serde_json::{Value, json};
use tokio::runtime::Runtime;

pub(crate) const PLAN_MODE: &str = "Plan mode (shift+tab to cycle)";

/// A session with Codex, and a client of every kind.
pub(crate) struct Driven {
    pub(crate) session: TestSession,
    runtime: Runtime,
    everywhere: Everywhere,
}

impl Driven {
    /// As it is for everybody: nobody's hooks run.
    #[track_caller]
    pub(crate) fn launch(scenario: &str, args: &[&str], coop: &[&str]) -> Self {
        let driven = Self::begin(scenario, coop, options(args));
        driven.state("idle");
        driven
    }

    /// Does not wait for the agent: it may ask something first, or end.
    #[track_caller]
    pub(crate) fn begin(scenario: &str, coop: &[&str], options: Options) -> Self {
        let options = Options { coop: coop.iter().map(ToString::to_string).collect(), ..options };
        let version = Kind::Codex.versions().last().unwrap();
        Self::of(TestSession::launch(Kind::Codex, version, scenario, &options))
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

    /// Waits until as many states were published, and checks that they are these.
    #[track_caller]
    pub(crate) fn publishes(&self, expected: &[&str]) {
        self.session
            .until(&format!("{} states", expected.len()), |_| (self.published().len() >= expected.len()).then_some(()));
        assert_eq!(self.published(), expected, "{}", self.session);
    }

    /// All states that were published so far.
    pub(crate) fn published(&self) -> Vec<String> {
        let events = self.session.timed_events().into_iter();
        let states = events.filter(|(_, event)| event["type"] == "state_change");
        states.map(|(_, event)| event["next"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Shift-Tab, once the agent takes it: a mode chosen while it starts is forgotten, and while it works it cannot be.
    #[track_caller]
    pub(crate) fn plan_mode(&self) {
        self.session.until("its own word that it rests", |session| {
            let events = session.timed_events();
            let last = events.iter().rfind(|(_, event)| event["type"] == "program_status");
            last.filter(|(_, event)| event["state"] != "working").map(|_| ())
        });
        self.session.press("BTab");
        self.session.shows(PLAN_MODE);
    }

    /// Waits until what a tool came back with last, as the model was told, is as expected.
    #[track_caller]
    pub(crate) fn result(&self, what: &str, fits: impl Fn(&str) -> bool) {
        self.session.until(&format!("a tool result {what}"), |session| {
            let requests = session.agent.model.requests();
            let items = requests.iter().filter_map(|request| request["input"].as_array()).flatten();
            let outputs = items.filter(|item| item["type"].as_str().is_some_and(|kind| kind.ends_with("call_output")));
            let last = outputs.map(|item| item["output"].to_string()).next_back();
            last.filter(|output| fits(output)).map(|_| ())
        });
    }
}

pub(crate) fn options(args: &[&str]) -> Options {
    Options { hooks: Hooks::None, args: args.iter().map(ToString::to_string).collect(), ..Options::default() }
}
