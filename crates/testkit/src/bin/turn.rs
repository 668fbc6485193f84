//! What coop adds to an agent's turn: the same turn of many tool calls under coop and in a bare terminal, by turns, as
//! the model sees it. For `cargo xtask bench turn`, which reads the JSON that this prints.
#![allow(clippy::print_stdout, clippy::expect_used, clippy::panic, reason = "a program of the bench")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use coop_api::client::{Client, Endpoint};
use coop_api::v1;
use coop_testkit::agent::Hooks;
use coop_testkit::model::{Stop, What};
use coop_testkit::{Agent, Bench, Coop, Kind, Model, Options, Scenario, session};
use serde_json::json;

/// In one turn, one after the other.
const CALLS: usize = 20;
/// Before the first that counts: an agent's first turn is slower than others.
const WARM_UP: usize = 1;
/// Long enough for a turn on a machine that does something else.
const TURN_SECS: u32 = 120;

fn main() {
    let [binary, version, rounds] = args();
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let bare = Bare::start(&version, rounds);
    let under = Under::start(&version, rounds, PathBuf::from(binary));
    let (mut bare_ms, mut coop_ms) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP + rounds {
        bare_ms.push(bare.turn(round));
        coop_ms.push(under.turn(round));
    }
    let counted = |all: Vec<f64>| all.into_iter().skip(WARM_UP).collect::<Vec<_>>();
    println!("{}", json!({ "calls": CALLS, "bare": counted(bare_ms), "coop": counted(coop_ms) }));
}

fn args() -> [String; 3] {
    let args: Vec<String> = std::env::args().skip(1).collect();
    args.try_into().unwrap_or_else(|_| panic!("usage: turn COOP VERSION ROUNDS"))
}

fn message(round: usize) -> String {
    format!("round {round}")
}

/// Reading what is in the project needs no permission.
fn script(rounds: usize) -> String {
    let round = |round| {
        let more = "result\n  read: README.md\n".repeat(CALLS - 1);
        format!("user: {}\n  read: README.md\n{more}result\n  say: Done.\n", message(round))
    };
    (0..WARM_UP + rounds).map(round).collect()
}

fn options() -> Options {
    Options { hooks: Hooks::None, ..Options::default() }
}

/// From the message to the last word of the answer to it, in milliseconds; nothing while there is no last word.
fn took(model: &Model, round: usize) -> Option<f64> {
    let events = model.events();
    let message = message(round);
    let asks =
        |what: &What| matches!(what, What::Request { user, results, .. } if *user == message && results.is_empty());
    let first = events.iter().position(|event| asks(&event.what))?;
    let last = events[first..].iter().find(|event| event.what == What::Finished(Stop::Done))?;
    Some((last.at - events[first].at).as_secs_f64() * 1000.0)
}

struct Bare(Bench);

impl Bare {
    fn start(version: &str, rounds: usize) -> Self {
        let bench = Bench::launch(Kind::Claude, version, &script(rounds), &options());
        bench.shows("❯");
        Self(bench)
    }

    fn turn(&self, round: usize) -> f64 {
        self.0.submit(&message(round));
        self.0.until("the end of the turn", |_| took(&self.0.agent.model, round))
    }
}

struct Under {
    client: Client,
    runtime: tokio::runtime::Runtime,
    // In this order: coop ends before the home of its agent is removed.
    _coop: Coop,
    agent: Agent,
}

impl Under {
    fn start(version: &str, rounds: usize, program: PathBuf) -> Self {
        let options = Options { program: Some(program), ..options() };
        let scenario = Scenario::parse("turn", &script(rounds)).expect("a scenario");
        let agent = Agent::launch(Kind::Claude, version, scenario, &options).unwrap_or_else(|error| panic!("{error}"));
        let socket: &Path = &agent.home.with_file_name("coop.sock");
        let coop = Coop::run(session::command(&agent, socket, &options));
        let client = Client::new(Endpoint::Unix(socket.to_owned()), None);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let idle = v1::WaitRequest { state: "idle".into(), timeout: Some(TURN_SECS) };
        runtime.block_on(client.wait(&idle)).unwrap_or_else(|error| panic!("{error}"));
        Self { client, runtime, _coop: coop, agent }
    }

    fn turn(&self, round: usize) -> f64 {
        let request = v1::NudgeRequest {
            message: message(round),
            when: Some("idle".into()),
            wait: Some("turn_end".into()),
            timeout_secs: Some(TURN_SECS),
            ..Default::default()
        };
        let limit = Duration::from_secs(TURN_SECS.into());
        let said = self.runtime.block_on(async { tokio::time::timeout(limit, self.client.nudge(&request)).await });
        let said = said.expect("a turn in time").unwrap_or_else(|error| panic!("{error}"));
        took(&self.agent.model, round).unwrap_or_else(|| panic!("the turn did not end: {said:?}"))
    }
}
