//! `--survive`: the process that serves is killed, and the program, its output and whoever follows it go on.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod common;

use std::process::Command;
use std::time::Instant;

use common::{COOP, LIMIT, Running, World, alive_in_group, shows};
use coop_api::client::{Client, Follow, Incoming, Place, Socket};
use coop_api::v1::GetEventsRequest;
use coop_api::v1::event::Body;
use coop_api::ws::Topic;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// The process that serves: a child of the one that was started.
fn server(running: &Running) -> Pid {
    let holder = running.pid().as_raw_pid().to_string();
    let deadline = Instant::now() + LIMIT;
    loop {
        let listed = Command::new("ps").args(["-o", "pid=,stat=,args=", "--ppid", &holder]).output().unwrap();
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let serves = |line: &&str| line.contains(COOP) && !line.contains(" Z");
        if let Some(pid) = listed.lines().find(serves).and_then(|line| line.split_whitespace().next()) {
            return Pid::from_raw(pid.parse().unwrap()).unwrap();
        }
        assert!(Instant::now() < deadline, "nobody serves: {listed}");
    }
}

/// It is gone then: who connects is served by the next one.
fn kill_server(running: &Running) {
    let server = server(running);
    kill_process(server, Signal::KILL).unwrap();
    until_gone(server);
}

fn until_gone(pid: Pid) {
    let deadline = Instant::now() + LIMIT;
    while test_kill_process(pid).is_ok() {
        assert!(Instant::now() < deadline, "{pid} is still there");
        std::thread::yield_now();
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(2 * LIMIT, future).await }).expect("took too long")
}

/// A follower that comes back where it was.
struct Reader {
    client: Client,
    socket: Option<Socket>,
    got: Vec<u8>,
}

impl Reader {
    fn new(client: Client) -> Self {
        Self { client, socket: None, got: Vec::new() }
    }

    /// Reads until `enough`. Whatever it gets follows what it had.
    async fn read(&mut self, enough: impl Fn(&[u8]) -> bool) {
        while !enough(&self.got) {
            let Some(socket) = &mut self.socket else {
                let from = Some(Place { generation: 1, offset: self.got.len() as u64 });
                let follow = Follow { topics: vec![Topic::Output], from, ..Follow::default() };
                self.socket = self.client.connect(&follow).await.ok();
                continue;
            };
            match socket.next().await {
                Ok(Some(Incoming::Output { offset, bytes })) => {
                    assert_eq!(offset, self.got.len() as u64, "a gap, or something twice");
                    self.got.extend_from_slice(&bytes);
                }
                Ok(Some(Incoming::Message(message))) => {
                    let said = format!("{message:?}");
                    assert!(!said.contains("\"gap\"") && !said.contains("\"snapshot\""), "{said}");
                }
                Ok(None) | Err(_) => self.socket = None,
            }
        }
    }
}

/// Prints a number in each line, as fast as it can.
const COUNT: &str =
    "stty -echo; i=0; while [ $i -lt 150000 ]; do i=$((i+1)); echo n$i; done; echo done; read x; exit 7";

#[test]
fn no_number_is_missing_and_none_comes_twice() {
    let world = World::new();
    let mut running = world.start(&[
        "--survive",
        "--name",
        "count",
        "--port",
        "0",
        "--ring-size",
        "33554432",
        "--",
        "bash",
        "-c",
        COUNT,
    ]);
    let (group, url) = (running.logged_pid(), running.logged_url());
    let mut reader = Reader::new(Client::new(url.parse().unwrap(), None));
    block_on(async {
        // Once more within a minute, and it would be given up.
        for kilobytes in [10, 200, 400, 600] {
            reader.read(|got| got.len() > kilobytes << 10).await;
            kill_server(&running);
            // More is read than was on its way, so that the next one is not killed at its start.
            let had = reader.got.len();
            reader.socket = None;
            reader.read(|got| got.len() > had).await;
        }
        reader.read(|got| got.ends_with(b"done\r\n")).await;
    });
    let expected: String = (1..=150_000).map(|i| format!("n{i}\r\n")).chain(["done\r\n".into()]).collect();
    let got = String::from_utf8(reader.got).unwrap();
    let wrong = got.lines().zip(expected.lines()).find(|(got, expected)| got != expected);
    assert!(wrong.is_none() && got == expected, "{wrong:?}");
    let screen = world.shows("count", "done");
    assert!(screen.contains("n150000\ndone"), "{screen}");
    world.verb(&["input", "-s", "count", "--enter", "x"]);
    let holder = running.pid();
    let (code, log) = running.wait();
    assert_eq!(code, Some(7), "{log}");
    assert!(log.contains("goes on"), "{log}");
    until_gone(holder);
    assert_eq!(alive_in_group(group), Vec::<String>::new());
    assert!(!world.socket("count").exists());
}

#[test]
fn what_was_settled_stays_so() {
    let world = World::new();
    let mut command = world.coop(&["--name", "shell", "--port", "0", "--", "bash", "--norc", "-i"]);
    command.env("COOP_AUTH_TOKEN", "a-token").env("COOP_SURVIVE", "1");
    let mut running = common::start(command);
    let url = running.logged_url();
    let client = Client::new(url.parse().unwrap(), Some("a-token".into()));
    shows(&client, "$");
    let verb = |args: &[&str]| {
        let mut command = world.coop(args);
        command.env("COOP_AUTH_TOKEN", "a-token");
        let done = common::finish(command);
        assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
        done.stdout
    };
    verb(&["resize", "-s", "shell", "100", "30"]);
    verb(&["input", "-s", "shell", "--enter", "echo \"${COOP_HOOK_TOKEN:+hooks} $COOP_URL $$ ${COOP_HELD:-clean}\""]);
    let before = shows(&client, " clean\n$");
    let events = block_on(client.events(&GetEventsRequest::default())).unwrap().last;
    kill_server(&running);
    assert_eq!(shows(&client, " clean\n$"), before, "the same screen, on the same port, with the same token");
    let status: serde_json::Value = serde_json::from_str(&verb(&["status", "-s", "shell", "--json"])).unwrap();
    assert_eq!(status["generation"], 1);
    assert!(Client::new(url.parse().unwrap(), None).status_is_refused());
    verb(&["resize", "-s", "shell", "90", "30"]);
    let since = |since| block_on(client.events(&GetEventsRequest { since, limit: None })).unwrap();
    assert!(since(events).events.iter().all(|event| event.seq > events), "numbers go on");
    assert!(since(events).events.iter().any(|event| matches!(event.body, Some(Body::Resize(_)))));
    verb(&["input", "-s", "shell", "--enter", "stty size"]);
    shows(&client, "30 90");
    verb(&["input", "-s", "shell", "--enter", "exit 3"]);
    let (code, log) = running.wait();
    assert_eq!(code, Some(3), "{log}");
}

trait Refused {
    fn status_is_refused(&self) -> bool;
}

impl Refused for Client {
    fn status_is_refused(&self) -> bool {
        block_on(self.status()).is_err_and(|error| error.to_string().to_lowercase().contains("token"))
    }
}

#[test]
fn another_coop_takes_over_when_asked() {
    let world = World::new();
    let mut running = world.start(&["--survive", "--name", "up", "--", "bash", "-c", "echo I am $$; read x; exit 4"]);
    world.shows("up", "I am");
    // Of any number of them none is a death.
    for _ in 0..6 {
        let old = server(&running);
        let said = world.verb(&["upgrade", "up"]);
        assert!(said.contains("served by another process"), "{said}");
        assert_ne!(server(&running), old);
    }
    world.shows("up", &format!("I am {}", running.logged_pid()));
    kill_server(&running);
    // The program is the holder's child now.
    world.verb(&["upgrade", "up"]);
    world.verb(&["input", "-s", "up", "--enter", "x"]);
    let (code, log) = running.wait();
    assert_eq!(code, Some(4), "{log}");
    assert!(log.contains("has taken over"), "{log}");
    let mut plain = world.start(&["--name", "plain", "--", "bash", "-c", "echo here; read x"]);
    let refused = world.run(&["upgrade", "plain"]);
    assert!(refused.code == Some(1) && refused.stderr.contains("--survive"), "{refused:?}");
    world.verb(&["input", "-s", "plain", "--enter", "x"]);
    assert_eq!(plain.wait().0, Some(0));
}

#[test]
fn a_program_that_ends_while_nobody_serves_has_its_last_word() {
    let world = World::new();
    let go = world.path().join("go");
    let script = format!("until [ -e {} ]; do sleep 0.02; done; echo last words; exit 9", go.display());
    let mut running = world.start(&["--survive", "--name", "ends", "--linger", "--", "bash", "-c", &script]);
    let group = running.logged_pid();
    // Its holder cannot start another one before the program has ended.
    let old = server(&running);
    running.signal(Signal::STOP);
    kill_process(old, Signal::KILL).unwrap();
    std::fs::write(&go, "").unwrap();
    let deadline = Instant::now() + LIMIT;
    while !alive_in_group(group).is_empty() {
        assert!(Instant::now() < deadline, "it does not end");
    }
    running.signal(Signal::CONT);
    world.shows("ends", "last words");
    running.logs("the program has exited");
    kill_process(running.pid(), Signal::TERM).unwrap();
    let (code, log) = running.wait();
    assert_eq!(code, Some(9), "{log}");
    assert_eq!(alive_in_group(group), Vec::<String>::new());
}

#[test]
fn a_program_can_be_restarted_after_it_was_kept() {
    let world = World::new();
    let mut running = world.start(&["--survive", "--name", "again", "--", "bash", "-c", "echo I am $NAME; read x"]);
    world.shows("again", "I am");
    kill_server(&running);
    world.shows("again", "I am");
    world.verb(&["restart", "again", "--env", "NAME=second"]);
    world.shows("again", "I am second");
    kill_server(&running);
    let screen = world.shows("again", "I am second");
    assert_eq!(screen.matches("I am").count(), 1, "{screen}");
    world.verb(&["restart", "again"]);
    world.shows("again", "I am second");
    world.verb(&["input", "-s", "again", "--enter", "x"]);
    let (code, log) = running.wait();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn signals_reach_the_program_and_its_code_is_kept() {
    let world = World::new();
    for kill in [false, true] {
        let mut running = world.start(&["--survive", "--name", "sig", "--", "bash", "--norc", "-i"]);
        world.shows("sig", "$");
        if kill {
            kill_server(&running);
            world.shows("sig", "$");
        }
        let group = running.logged_pid();
        running.signal(Signal::TERM);
        let (code, log) = running.wait();
        assert_eq!(code, Some(129), "{log}");
        assert_eq!(alive_in_group(group), Vec::<String>::new());
    }
    for (args, code) in [
        (&["--survive", "--", "sh", "-c", "exit 5"][..], 5),
        (&["--survive", "--", "no-such-command"], 127),
        (&["--survive", "--cols", "1", "--", "true"], 2),
        (&["--survive", "--attach", "tmux:x"], 2),
        (&["--survive", "--", "sh", "-c", "kill -9 $$"], 137),
    ] {
        assert_eq!(world.run(args).code, Some(code), "{args:?}");
    }
}

/// Nothing is left behind, whichever of the two is killed with it.
#[test]
fn without_its_holder_all_ends() {
    for both in [false, true] {
        let world = World::new();
        let mut running = world.start(&["--survive", "--name", "both", "--", "bash", "-c", "echo here; sleep 1000"]);
        world.shows("both", "here");
        let (group, serves) = (running.logged_pid(), server(&running));
        running.signal(Signal::KILL);
        if both {
            // It may have noticed already.
            let killed = kill_process(serves, Signal::KILL);
            assert!(matches!(killed, Ok(()) | Err(rustix::io::Errno::SRCH)), "{killed:?}");
        }
        let (code, _) = running.wait();
        assert_eq!(code, None, "killed");
        until_gone(serves);
        let deadline = Instant::now() + LIMIT;
        while !alive_in_group(group).is_empty() {
            assert!(Instant::now() < deadline, "{:?}", alive_in_group(group));
        }
    }
}

#[test]
fn a_server_that_always_dies_is_given_up() {
    let world = World::new();
    let mut running = world.start(&["--survive", "--name", "dies", "--", "bash", "-c", "echo here; sleep 1000"]);
    world.shows("dies", "here");
    let (group, mut last) = (running.logged_pid(), None);
    for _ in 0..5 {
        let deadline = Instant::now() + LIMIT;
        let mut pid = server(&running);
        while Some(pid) == last && Instant::now() < deadline {
            pid = server(&running);
        }
        let _ = kill_process(pid, Signal::KILL);
        last = Some(pid);
    }
    let (code, log) = running.wait();
    assert_eq!(code, Some(129), "as the program ended: {log}");
    assert!(log.contains("dies again and again"), "{log}");
    assert_eq!(alive_in_group(group), Vec::<String>::new());
}
