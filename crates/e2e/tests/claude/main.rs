//! The real Claude Code under coop, against a scripted model: what is published, and what is answered.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod cost;
mod faults;
mod gates;
mod nudge;
mod parked;
mod plan;
mod print;
mod respond;
mod restart;
mod resume;
mod setup;
mod soak;
mod start;
mod states;
mod system;
mod transcripts;

use coop_api::Problem;
use coop_e2e::{Address, Everywhere, Transport};
use coop_testkit::{Kind, Options, TestSession};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

pub(crate) const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];

/// A session with an agent, and a client of every kind.
pub(crate) struct Driven {
    pub(crate) session: TestSession,
    runtime: Runtime,
    everywhere: Everywhere,
}

impl Driven {
    #[track_caller]
    pub(crate) fn launch(version: &str, scenario: &str, coop: &[&str]) -> Self {
        Self::launch_with(version, scenario, coop, Options::default())
    }

    #[track_caller]
    pub(crate) fn launch_with(version: &str, scenario: &str, coop: &[&str], options: Options) -> Self {
        let driven = Self::begin(version, scenario, coop, options);
        driven.state("idle");
        driven
    }

    /// Does not wait for the agent: it may ask something first, or end.
    #[track_caller]
    pub(crate) fn begin(version: &str, scenario: &str, coop: &[&str], options: Options) -> Self {
        let options = Options { coop: coop.iter().map(ToString::to_string).collect(), ..options };
        Self::of(TestSession::launch(Kind::Claude, version, scenario, &options))
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

    /// Waits for a prompt whose options are known.
    #[track_caller]
    pub(crate) fn prompt(&self, kind: &str) -> Value {
        let state = self.session.wait_json("/api/v1/agent/state", &format!("a {kind} prompt"), |state| {
            state["state"] == "prompt" && state["prompt"]["type"] == kind && state["prompt"]["ready"] == true
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

    /// Answers a prompt, and returns when it is gone.
    #[track_caller]
    pub(crate) fn respond(&mut self, transport: Transport, mut answer: Value) -> Value {
        answer["type"] = "respond".into();
        let reply = self.ask(transport, &answer);
        let reply = reply.unwrap_or_else(|problem| panic!("{answer}: {problem:?}\n{}", self.session));
        assert_eq!(reply["delivered"], true, "{answer}: {reply}\n{}", self.session);
        reply
    }

    /// The same as soon as the agent is idle.
    #[track_caller]
    pub(crate) fn nudge_when_idle(&mut self, message: &str) {
        let reply = self.ask(Transport::Ws, &json!({ "type": "nudge", "message": message, "when": "idle" }));
        assert!(matches!(&reply, Ok(reply) if reply["delivered"] == true), "{message:?}: {reply:?}\n{}", self.session);
    }

    /// The files of the agent's own log.
    pub(crate) fn log_files(&self) -> Vec<std::path::PathBuf> {
        let projects = self.session.agent.home.join(".claude/projects");
        let entries = |folder| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = entries(projects).flat_map(entries);
        files.filter(|path| path.extension().is_some_and(|ext| ext == "jsonl")).collect()
    }

    /// The agent's own log of its conversations.
    pub(crate) fn log_lines(&self) -> Vec<Value> {
        let logs = self.log_files().into_iter();
        let text = logs.map(|path| std::fs::read_to_string(path).unwrap_or_default()).collect::<String>();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Waits until the last thing a tool came back with, in the agent's own log, is as expected.
    #[track_caller]
    pub(crate) fn result(&self, what: &str, fits: impl Fn(&str) -> bool) {
        let what = format!("a tool result {what}");
        self.session.until(&what, |_| self.results().last().is_some_and(|result| fits(result)).then_some(()));
    }

    fn results(&self) -> Vec<String> {
        let lines = self.log_lines();
        let results = lines.iter().filter(|line| line["type"] == "user").filter_map(|line| {
            let block = line["message"]["content"].as_array()?.iter().find(|block| block["type"] == "tool_result")?;
            Some(block["content"].as_str().map_or_else(|| block["content"].to_string(), str::to_owned))
        });
        results.collect()
    }
}
