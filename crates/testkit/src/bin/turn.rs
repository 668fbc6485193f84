//! What coop adds to an agent's turn: the same turn of many tool calls under coop and in a bare terminal, by turns, as
//! the model sees it. A second bare terminal shows how far two runs of the same are apart. For `cargo xtask bench turn`,
//! which reads the JSON that this prints.
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
/// Of each process: turns get slower as the conversation grows, so that a new one is started now and then.
const ROUNDS: usize = 5;
/// Long enough for a turn on a machine that does something else.
const TURN_SECS: u32 = 120;

fn main() {
    let [binary, version, tool, times] = args();
    let script = script(&tool);
    let times: usize = times.parse().expect("a number of processes");
    let (mut bare_ms, mut again_ms, mut coop_ms) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..times {
        let bare = Bare::start(&version, &script);
        let again = Bare::start(&version, &script);
        let under = Under::start(&version, &script, PathBuf::from(&binary));
        for round in 0..WARM_UP + ROUNDS {
            let turns = match round % 3 {
                0 => (bare.turn(round), again.turn(round), under.turn(round)),
                1 => {
                    let (again, under) = (again.turn(round), under.turn(round));
                    (bare.turn(round), again, under)
                }
                _ => {
                    let under = under.turn(round);
                    (bare.turn(round), again.turn(round), under)
                }
            };
            if round >= WARM_UP {
                bare_ms.extend(turns.0);
                again_ms.extend(turns.1);
                coop_ms.extend(turns.2);
            }
        }
    }
    println!("{}", json!({ "bare": bare_ms, "again": again_ms, "coop": coop_ms }));
}

fn args() -> [String; 4] {
    let args: Vec<String> = std::env::args().skip(1).collect();
    args.try_into().unwrap_or_else(|_| panic!("usage: turn COOP VERSION TOOL TIMES"))
}

fn message(round: usize) -> String {
    format!("round {round}")
}

/// Of a tool that needs no permission, as a scenario calls it.
fn script(tool: &str) -> String {
    let round = |round| {
        let more = format!("result\n  {tool}\n").repeat(CALLS - 1);
        format!("user: {}\n  {tool}\n{more}result\n  say: Done.\n", message(round))
    };
    (0..WARM_UP + ROUNDS).map(round).collect()
}

fn options() -> Options {
    Options { hooks: Hooks::None, ..Options::default() }
}

/// From each reply that calls a tool to the request with its result, in milliseconds; nothing before the turn has ended.
fn took(model: &Model, round: usize) -> Option<Vec<f64>> {
    let events = model.events();
    let message = message(round);
    let asks =
        |what: &What| matches!(what, What::Request { user, results, .. } if *user == message && results.is_empty());
    let first = events.iter().position(|event| asks(&event.what))?;
    let length = events[first..].iter().position(|event| event.what == What::Finished(Stop::Done))?;
    let turn = &events[first..first + length];
    let replies = turn.iter().filter(|event| event.what == What::Finished(Stop::Tools)).map(|event| event.at);
    let requests = turn.iter().filter(|event| matches!(event.what, What::Request { .. })).map(|event| event.at);
    let calls: Vec<f64> =
        replies.zip(requests.skip(1)).map(|(reply, request)| (request - reply).as_secs_f64() * 1000.0).collect();
    assert_eq!(calls.len(), CALLS, "calls of the turn {message:?}");
    Some(calls)
}

struct Bare(Bench);

impl Bare {
    fn start(version: &str, script: &str) -> Self {
        let bench = Bench::launch(Kind::Claude, version, script, &options());
        bench.shows("❯");
        Self(bench)
    }

    fn turn(&self, round: usize) -> Vec<f64> {
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
    fn start(version: &str, script: &str, program: PathBuf) -> Self {
        let options = Options { program: Some(program), ..options() };
        let scenario = Scenario::parse("turn", script).expect("a scenario");
        let agent = Agent::launch(Kind::Claude, version, scenario, &options).unwrap_or_else(|error| panic!("{error}"));
        let socket: &Path = &agent.home.with_file_name("coop.sock");
        let coop = Coop::run(session::command(&agent, socket, &options));
        let client = Client::new(Endpoint::Unix(socket.to_owned()), None);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let idle = v1::WaitRequest { state: "idle".into(), timeout: Some(TURN_SECS) };
        runtime.block_on(client.wait(&idle)).unwrap_or_else(|error| panic!("{error}"));
        Self { client, runtime, _coop: coop, agent }
    }

    fn turn(&self, round: usize) -> Vec<f64> {
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
