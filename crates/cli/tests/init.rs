//! coop as process 1.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests may"
)]

mod common;

use std::io::Read as _;
use std::process::Command;

use common::{COOP, World, reads_until, start};

const CONTAINER: [&str; 6] = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];

/// Not every machine lets us make process trees of our own; those that do not cannot run this test.
fn containers_are_possible() -> bool {
    let tried = Command::new("unshare").args(CONTAINER).arg("true").output();
    let possible = tried.is_ok_and(|tried| tried.status.success());
    if !possible {
        eprintln!("unshare is not permitted here, coop as process 1 was not tested");
    }
    possible
}

#[test]
fn orphans_are_reaped_and_the_code_is_the_programs() {
    if !containers_are_possible() {
        return;
    }
    let world = World::new();
    // Leaves orphans that end at once, and then looks for zombies.
    let script = "(true &); (true &); echo orphans; read line; \
                  until [ \"$(ps -eo stat | grep -c '^Z')\" = 0 ]; do sleep 0.1; done; \
                  ps -eo pid,ppid,stat,args; ps -eo stat | grep -c '^Z'; cat /proc/1/cmdline | tr '\\0' ' '; exit 9";
    let mut args = CONTAINER.to_vec();
    args.extend([COOP, "--", "sh", "-c", script]);
    let mut running = start(world.command("unshare", &args));
    world.shows("sh", "orphans");
    let mut follower = common::spawn(world.coop(&["output", "--follow"]));
    let mut stdout = follower.stdout.take().unwrap();
    let mut output = reads_until(&mut stdout, "orphans\r\n");
    world.verb(&["input", "--enter", "now"]);
    stdout.read_to_string(&mut output).unwrap();
    assert!(output.contains("\n0\r\n"), "no zombies: {output}");
    assert!(output.contains("coop -- sh"), "{output}");
    assert_eq!(running.wait().0, Some(9));
}

#[test]
fn a_signal_to_process_1_ends_the_program() {
    if !containers_are_possible() {
        return;
    }
    let world = World::new();
    let mut args = CONTAINER.to_vec();
    args.extend([COOP, "--", "sh", "-c", "echo ready; kill -TERM 1; cat"]);
    let mut running = start(world.command("unshare", &args));
    let (code, log) = running.wait();
    assert_eq!(code, Some(129), "{log}");
    assert_eq!(log.matches("SIGTERM").count(), 1, "{log}");
}
