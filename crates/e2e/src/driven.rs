//! A real agent under coop, and a client of every kind: what every agent's tests ask of it.

pub mod moves;
pub mod rounds;
pub mod talks;

use coop_api::Problem;
use coop_testkit::{Kind, Options, TestSession};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::{Address, Everywhere, Transport};

#[derive(Debug)]
pub struct Driven {
    pub session: TestSession,
    runtime: Runtime,
    everywhere: Everywhere,
}

impl Driven {
    /// Does not wait for the agent: it may ask something first, or end.
    #[track_caller]
    pub fn begin(kind: Kind, version: &str, scenario: &str, coop: &[&str], options: Options) -> Self {
        let options = Options { coop: coop.iter().map(ToString::to_string).collect(), ..options };
        Self::of(TestSession::launch(kind, version, scenario, &options))
    }

    #[track_caller]
    pub fn of(session: TestSession) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let everywhere = runtime.block_on(Everywhere::at(&Address::Unix(session.socket.clone())));
        Self { session, runtime, everywhere }
    }

    /// Waits for a state.
    #[track_caller]
    pub fn state(&self, name: &str) -> Value {
        self.session.wait_json("/api/v1/agent/state", &format!("state {name}"), |state| state["state"] == name)
    }

    /// Waits for a prompt whose options are known.
    #[track_caller]
    pub fn prompt(&self, kind: &str) -> Value {
        self.prompt_that(kind, |prompt| prompt["ready"] == true)
    }

    /// The same when they were read from the screen.
    #[track_caller]
    pub fn read_prompt(&self, kind: &str) -> Value {
        self.prompt_that(kind, |prompt| prompt["ready"] == true && prompt["options_fallback"] != true)
    }

    /// The same when a hook waits with it, which may be heard after the dialog is seen.
    #[track_caller]
    pub fn hook_prompt(&self, kind: &str) -> Value {
        self.prompt_that(kind, |prompt| prompt["ready"] == true && prompt["by_hook"] == true)
    }

    /// Waits until it rests after these words, which may be told after that.
    #[track_caller]
    pub fn said(&self, words: &str) -> Value {
        self.session.wait_json("/api/v1/agent/state", &format!("rest after {words:?}"), |state| {
            state["state"] == "idle" && state["last_message"].as_str().is_some_and(|said| said.ends_with(words))
        })
    }

    /// Waits for a prompt as it is answered this way: by keys as it was read, by a hook when that waits.
    #[track_caller]
    pub fn prompt_for(&self, kind: &str, via: &str) -> Value {
        if via == "keys" { self.read_prompt(kind) } else { self.hook_prompt(kind) }
    }

    /// The same when all that it asks is known, which without hooks is the case when the agent has written its log.
    #[track_caller]
    pub fn whole_prompt(&self, kind: &str) -> Value {
        self.prompt_that(kind, |prompt| prompt["ready"] == true && !prompt["input_full"].is_null())
    }

    #[track_caller]
    fn prompt_that(&self, kind: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let state = self.session.wait_json("/api/v1/agent/state", &format!("a {kind} prompt"), |state| {
            state["state"] == "prompt" && state["prompt"]["type"] == kind && fits(&state["prompt"])
        });
        state["prompt"].clone()
    }

    pub fn ask(&mut self, transport: Transport, request: &Value) -> Result<Value, Problem> {
        self.runtime.block_on(self.everywhere.ask(transport, request))
    }

    /// The same for a request that waits for what happens meanwhile.
    pub fn ask_while(
        &mut self,
        transport: Transport,
        request: &Value,
        meanwhile: impl FnOnce(&TestSession),
    ) -> Result<Value, Problem> {
        let Self { session, runtime, everywhere } = self;
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| runtime.block_on(everywhere.ask(transport, request)));
            meanwhile(session);
            asked.join().unwrap()
        })
    }

    /// Says something, and returns when the agent has taken it.
    #[track_caller]
    pub fn nudge(&mut self, transport: Transport, message: &str) -> Value {
        let reply = self.ask(transport, &json!({ "type": "nudge", "message": message }));
        let reply = reply.unwrap_or_else(|problem| panic!("{message:?}: {problem:?}\n{}", self.session));
        assert_eq!(reply["delivered"], true, "{message:?}: {reply}\n{}", self.session);
        reply
    }

    /// The same, and waits for the end of its turn.
    #[track_caller]
    pub fn turn(&mut self, transport: Transport, message: &str) -> Value {
        let request = json!({ "type": "nudge", "message": message, "wait": "turn_end", "timeout_secs": 60 });
        let reply = self.ask(transport, &request);
        reply.unwrap_or_else(|problem| panic!("{message:?}: {problem:?}\n{}", self.session))
    }

    /// The same as soon as the agent is idle.
    #[track_caller]
    pub fn nudge_when_idle(&mut self, message: &str) {
        let reply = self.ask(Transport::Ws, &json!({ "type": "nudge", "message": message, "when": "idle" }));
        assert!(matches!(&reply, Ok(reply) if reply["delivered"] == true), "{message:?}: {reply:?}\n{}", self.session);
    }

    /// Answers a prompt, and returns when it is gone.
    #[track_caller]
    pub fn respond(&mut self, transport: Transport, mut answer: Value) -> Value {
        answer["type"] = "respond".into();
        let reply = self.ask(transport, &answer);
        let reply = reply.unwrap_or_else(|problem| panic!("{answer}: {problem:?}\n{}", self.session));
        assert_eq!(reply["delivered"], true, "{answer}: {reply}\n{}", self.session);
        reply
    }

    /// The same for an agent that can be answered by keys only.
    #[track_caller]
    pub fn respond_by_keys(&mut self, transport: Transport, answer: Value) -> Value {
        let reply = self.respond(transport, answer);
        assert_eq!(reply["via"], "keys", "{reply}");
        reply
    }

    /// All states that were published so far.
    #[must_use]
    pub fn published(&self) -> Vec<String> {
        let events = self.session.timed_events().into_iter();
        let states = events.filter(|(_, event)| event["type"] == "state_change");
        states.map(|(_, event)| event["next"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Waits until as many states were published, and checks that they are these.
    #[track_caller]
    pub fn publishes(&self, expected: &[&str]) {
        self.session
            .until(&format!("{} states", expected.len()), |_| (self.published().len() >= expected.len()).then_some(()));
        assert_eq!(self.published(), expected, "{}", self.session);
    }

    /// The conversation so far.
    #[track_caller]
    pub fn conversation(&mut self, transport: Transport) -> Value {
        let request = json!({ "type": "conversation_request", "limit": 1000 });
        self.ask(transport, &request).unwrap_or_else(|problem| panic!("{problem:?}\n{}", self.session))
    }
}

/// What the options of a prompt mean.
#[must_use]
pub fn meanings(prompt: &Value) -> Vec<&str> {
    let options = prompt["option_details"].as_array().map(Vec::as_slice).unwrap_or_default();
    options.iter().filter_map(|option| option["meaning"].as_str()).collect()
}
