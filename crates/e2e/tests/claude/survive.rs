//! The process that serves is killed while the real Claude Code works and asks: it does not notice, and whoever follows its
//! output goes on by offset.
#![cfg(target_os = "linux")]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use coop_api::client::{Client, Follow, Incoming, Place};
use coop_api::ws::Topic;
use coop_e2e::{Driven, Painter, Transport};
use coop_terminal::Size;
use serde_json::json;

use crate::{VERSIONS, launch};

/// How often it is looked whether all has come.
const GLANCE: Duration = Duration::from_millis(100);

const SCENARIO: &str = "
user: work
  say: Beginning.
  wait: go
  count 100 words/s: 200
  wait: end
user: touch
  bash: touch made.txt
result
  say: Made.
";

/// The process that serves is the child of the one that was started that is coop too.
fn kill_server(driven: &Driven) {
    let holder = driven.session.pid();
    let server = driven.session.until("a process that serves", |_| {
        let children = std::fs::read_to_string(format!("/proc/{holder}/task/{holder}/children")).ok()?;
        let is_coop =
            |pid: &&str| std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "coop\n");
        children.split_whitespace().find(is_coop).map(str::to_owned)
    });
    assert!(Command::new("kill").args(["-9", &server]).status().unwrap().success());
    let gone = || !std::path::Path::new(&format!("/proc/{server}")).exists();
    driven.session.until("its end", |_| gone().then_some(()));
}

/// Paints all output from the first byte on, and comes back where it was until it has `end`.
fn follow(client: Client, size: Size, end: Arc<AtomicU64>) -> JoinHandle<(Painter, usize)> {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut painter = Painter::default();
            painter.resume("ok", size, 0, &[]);
            let mut connections = 0;
            loop {
                let offset = painter.at.unwrap();
                let follow = Follow {
                    topics: vec![Topic::Output, Topic::State],
                    from: Some(Place { generation: 1, offset }),
                    ..Follow::default()
                };
                let Ok(mut socket) = client.connect(&follow).await else { continue };
                connections += 1;
                loop {
                    if painter.at.unwrap() >= end.load(Ordering::Acquire) {
                        return (painter, connections);
                    }
                    let Ok(next) = tokio::time::timeout(GLANCE, socket.next()).await else { continue };
                    match next {
                        Ok(Some(Incoming::Output { offset, bytes })) => painter.output(offset, &bytes),
                        Ok(Some(Incoming::Message(message))) => {
                            let said = format!("{message:?}");
                            assert!(!said.contains("\"gap\"") && !said.contains("\"snapshot\""), "{said}");
                        }
                        Ok(None) | Err(_) => break,
                    }
                }
            }
        })
    })
}

#[test]
fn a_turn_goes_on_and_a_client_misses_nothing() {
    for version in VERSIONS {
        let mut driven = launch(version, SCENARIO, &["--survive", "--ring-size", "16777216"]);
        let size = driven.session.agent.command.size;
        let end = Arc::new(AtomicU64::new(u64::MAX));
        let follower = follow(driven.session.client.clone(), size, Arc::clone(&end));
        let before = driven.state("idle");
        driven.nudge(Transport::Http, "work");
        driven.session.shows("Beginning.");
        kill_server(&driven);
        let working = driven.state("working");
        assert_eq!(working["session_id"], before["session_id"], "{working}");
        driven.session.agent.model.signal("go");
        let model = || driven.session.agent.model.events().len();
        let so_far = model();
        kill_server(&driven);
        driven.session.agent.model.signal("end");
        driven.said("200");
        assert!(model() >= so_far, "the same conversation with the model");

        // A question whose hook waited for the answer is asked by its dialog.
        driven.nudge(Transport::Http, "touch");
        driven.hook_prompt("permission");
        kill_server(&driven);
        driven.prompt("permission");
        let answered = driven.respond(Transport::Http, json!({ "accept": true }));
        assert_eq!(answered["via"], "keys", "{answered}");
        driven.said("Made.");
        assert!(driven.session.agent.project.join("made.txt").exists());
        // The end of a turn may be told before it is painted.
        driven.session.wait_json("/api/v1/screen", "the end on the screen", |screen| {
            screen["lines"].as_array().is_some_and(|lines| lines.iter().any(|line| line.to_string().contains("Made.")))
        });

        let status = driven.session.ask(driven.session.client.status());
        end.store(status.bytes_read, Ordering::Release);
        let (painter, connections) = follower.join().unwrap();
        assert!(connections > 3, "one for each process that served: {connections}");
        let screen = painter.look().to_string();
        assert!(screen.contains("Made."), "{screen}");
        driven.session.finish();
    }
}
