//! A hub that is killed in the middle of its work, again and again: what it has acknowledged is there afterwards.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::super::http::Http;
use super::super::process::PATIENCE;
use super::super::random::Random;
use super::super::stats::Delays;
use super::{Hub, request};

/// It is killed so many milliseconds after the first thing it has acknowledged, at the most.
const LATEST: usize = 50;

#[derive(Debug, Serialize)]
pub(super) struct Found {
    pub(super) kills: usize,
    pub(super) acknowledged: usize,
    pub(super) back_ms: Delays,
}

/// Something the hub has said yes to.
#[derive(Debug)]
enum Done {
    Rule(String),
    /// What was asked, and how it ended.
    Settled(String, &'static str),
}

pub(super) fn run(binary: &Path, kills: usize) -> anyhow::Result<Found> {
    let mut hub = Hub::start(binary)?;
    let mut random = Random::new(9);
    let (mut done, mut back) = (Vec::new(), Vec::new());
    for round in 0..kills {
        let (tell, told) = channel();
        let socket = hub.socket();
        let work = thread::spawn(move || work(&socket, round, &tell));
        done.push(told.recv_timeout(PATIENCE).context("the hub acknowledges nothing")?);
        thread::sleep(Duration::from_millis(random.between(0, LATEST) as u64));
        let begin = Instant::now();
        hub.crash()?;
        back.push(begin.elapsed().as_secs_f64() * 1000.0);
        // It ends with an error, because its hub does.
        drop(work.join().map_err(|_| anyhow!("a client panicked"))?);
        done.extend(told);
    }
    check(&mut hub.http()?, &done)?;
    Ok(Found { kills, acknowledged: done.len(), back_ms: Delays::of(back) })
}

/// Until the hub is gone.
fn work(socket: &Path, round: usize, tell: &Sender<Done>) -> anyhow::Result<()> {
    let (mut http, mut agent) = (Http::connect(socket)?, Http::connect(socket)?);
    for step in 0.. {
        let session = format!("crash-{round}");
        let denied = format!("c{round}x{step}");
        let rule = format!("Bash({denied}:*)");
        http.json("PUT", "/api/v1/rules", &json!({ "pattern": rule, "effect": "deny" }))?;
        tell.send(Done::Rule(rule))?;
        let decided = http.json("POST", "/rpc", &request(&session, &denied))?;
        ensure!(decided["result"]["decision"] == "deny", "{decided}");
        tell.send(Done::Settled(denied, "deny"))?;
        // What a person answers.
        let asked = format!("touch {round}x{step}");
        agent.ask("POST", "/rpc", &request(&session, &asked))?;
        let id = loop {
            let prompts = http.json("GET", "/api/v1/prompts", &Value::Null)?;
            if let Some(id) = prompts["prompts"][0]["id"].as_u64() {
                break id;
            }
        };
        http.json("POST", &format!("/api/v1/prompts/{id}/answer"), &json!({ "accept": true }))?;
        tell.send(Done::Settled(asked, "allow"))?;
        agent.told()?;
    }
    Ok(())
}

fn check(http: &mut Http, done: &[Done]) -> anyhow::Result<()> {
    let known = http.json("GET", "/api/v1/rules", &Value::Null)?;
    let rules: HashSet<&str> =
        known["rules"].as_array().into_iter().flatten().filter_map(|r| r["pattern"].as_str()).collect();
    let settled = history(http)?;
    for done in done {
        match done {
            Done::Rule(rule) => ensure!(rules.contains(rule.as_str()), "the rule {rule} is missing"),
            Done::Settled(text, outcome) => {
                let found = settled.get(text).map(Vec::as_slice).unwrap_or_default();
                ensure!(found == [*outcome], "`{text}` ended with {outcome}, and {found:?} is kept");
            }
        }
    }
    Ok(())
}

/// How each request ended.
fn history(http: &mut Http) -> anyhow::Result<HashMap<String, Vec<String>>> {
    let mut settled: HashMap<String, Vec<String>> = HashMap::new();
    let mut before = String::new();
    loop {
        let page = http.json("GET", &format!("/api/v1/history?limit=1000{before}"), &Value::Null)?;
        let rows = page["history"].as_array().context("no history")?;
        let Some(last) = rows.last() else { return Ok(settled) };
        before = format!("&before={}", last["id"]);
        for row in rows {
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            settled.entry(text("text")).or_default().push(text("outcome"));
        }
    }
}
