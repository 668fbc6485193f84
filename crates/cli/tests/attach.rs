//! `coop attach` with a person in front of it: a PTY, and a screen that shows what their terminal would.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod common;

use std::time::Instant;

use common::person::Person;
use common::proxy::Proxy;
use common::{LIMIT, World, reads_until};
use coop_terminal::pty::{self, ExitStatus};
use rustix::process::Signal;

/// Ctrl-\.
const DETACH: &[u8] = b"\x1c";

fn bash(world: &World) -> common::Running {
    let running = world.start(&["--", "bash", "--norc"]);
    world.shows("bash", "$");
    running
}

#[test]
fn paint_type_resize_detach_and_come_back() {
    let world = World::new();
    let _running = bash(&world);
    world.verb(&["input", "echo before", "--enter"]);
    world.shows("bash", "\nbefore");

    let mut person = Person::new(&world, 80, 24, &[]);
    person.sees("\nbefore");
    person.sees("bash | idle");
    let status = person.screen.text(0)[23].clone();
    assert!(status.ends_with(r"Ctrl-\ detaches"), "{status:?}");
    person.types(b"stty size\r");
    person.sees("23 80");
    assert!(world.verb(&["events"]).contains("tester@"), "the others know who types");

    person.resizes(70, 20);
    person.until("the status line is in the last row", |screen| screen.text(0)[19].contains("bash | idle"));
    person.types(b"stty size\r");
    person.sees("19 70");

    person.types(DETACH);
    assert_eq!(person.leaves(), ExitStatus::Code(0));
    assert!(person.text().contains("come back with: coop attach bash"), "{}", person.text());
    assert_eq!(person.screen.title(), Some("my shell"));

    let mut again = Person::new(&world, 60, 20, &["bash", "--no-status"]);
    again.sees("19 70");
    again.types(b"stty size\r");
    again.sees("20 60");
    assert!(!again.text().contains("detaches"));
    again.types(b"exit 3\r");
    assert_eq!(again.leaves(), ExitStatus::Code(3));
    assert!(again.text().contains("`bash` exited with code 3."), "{}", again.text());
}

#[test]
fn what_is_typed_arrives_as_it_is() {
    let world = World::new();
    let _running =
        world.start(&["--", "sh", "-c", "stty raw -echo; printf '\\033[?2004h\\033[?1hready\\r\\n'; cat -v"]);
    world.shows("sh", "ready");
    let mut person = Person::new(&world, 80, 24, &[]);
    person.sees("ready");
    person.until("the modes of the program", |screen| screen.modes().app_cursor && screen.modes().bracketed_paste);
    person.types(b"\x03\x1b\x1a\x1bOA\xc3\xa4\x1b[200~a\x1cb\x1b[201~");
    person.sees("^C^[^Z^[OAM-CM-$^[[200~a^\\b^[[201~");
    person.types(DETACH);
    assert_eq!(person.leaves(), ExitStatus::Code(0));
}

#[test]
fn two_at_the_same_session() {
    let world = World::new();
    let _running = bash(&world);
    let mut first = Person::new(&world, 80, 24, &[]);
    first.sees("bash | idle");
    first.types(b"echo from the first\r");
    first.sees("\nfrom the first");

    let mut second = Person::new(&world, 80, 24, &["bash"]);
    second.sees("is typing");
    second.sees("--take-over");
    while second.reads(Instant::now() + LIMIT) {}
    assert_eq!(second.child.wait().unwrap(), ExitStatus::Code(1));

    let mut watcher = Person::new(&world, 100, 30, &["--read-only"]);
    watcher.sees("\nfrom the first");
    watcher.sees("read-only");
    watcher.types(b"never typed");
    first.types(b"echo and again\r");
    watcher.sees("\nand again");
    assert!(!watcher.text().contains("never typed"));
    assert!(world.verb(&["ls"]).contains("80x23"), "looking does not change the size");

    let mut third = Person::new(&world, 80, 24, &["--take-over", "--detach-key", "F12"]);
    third.sees("F12 detaches");
    third.types(b"echo from the third\r");
    watcher.sees("\nfrom the third");
    for (person, key) in [(&mut first, DETACH), (&mut watcher, DETACH), (&mut third, b"\x1b[24~")] {
        person.types(key);
        assert_eq!(person.leaves(), ExitStatus::Code(0));
    }
}

#[test]
fn a_larger_session_is_cut_off_and_says_so() {
    let world = World::new();
    let script = "for i in $(seq 1 40); do printf '%s%060d\\r\\n' line$i 0; done; printf 'last row'; cat";
    let _running = world.start(&["--cols", "100", "--rows", "50", "--", "sh", "-c", script]);
    world.shows("sh", "last row");
    let mut person = Person::new(&world, 40, 10, &["--no-resize"]);
    person.sees("last row");
    person.sees("line40");
    let rows = person.screen.text(0);
    assert!(rows[7].starts_with("line40000") && rows[7].len() == 40, "{rows:?}");
    person.resizes(120, 10);
    person.until("the whole width, and that rows are missing", |screen| {
        let rows = screen.text(0);
        rows[9].contains("cut off, it is 100x50") && rows.iter().any(|row| row.len() == 66)
    });
    person.types(DETACH);
    person.leaves();
}

#[test]
fn the_terminal_is_given_back_whatever_happens() {
    let world = World::new();
    let mut running = bash(&world);
    let mut signalled = Person::new(&world, 80, 24, &[]);
    signalled.sees("bash | idle");
    signalled.child.signal(pty::Signal::Term, pty::Target::Group).unwrap();
    assert_eq!(signalled.leaves(), ExitStatus::Code(143));

    let mut person = Person::new(&world, 80, 24, &[]);
    person.sees("bash | idle");
    running.signal(Signal::KILL);
    running.wait();
    assert_eq!(person.leaves(), ExitStatus::Code(1));
    assert!(person.text().contains("The session `bash` is gone."), "{}", person.text());
}

#[test]
fn where_there_is_nothing_to_attach_to() {
    let world = World::new();
    let mut running = world.start(&["--linger", "--", "sh", "-c", "exit 4"]);
    running.logs("has exited");
    let over = world.run(&["attach"]);
    assert_eq!(over.code, Some(4));
    assert!(over.stdout.contains("`sh` exited with code 4. Its last screen: coop screen sh"), "{}", over.stdout);
    drop(running);
    let _running = bash(&world);
    let no_person = world.run(&["attach"]);
    assert_eq!(no_person.code, Some(2));
    assert!(no_person.stderr.contains("coop screen"), "{}", no_person.stderr);
    let for_typing = world.run(&["attach", "--detach-key", "x"]);
    assert!(for_typing.stderr.contains("needed for typing"), "{}", for_typing.stderr);
}

#[test]
fn a_lost_connection_comes_back_where_it_was() {
    let world = World::new();
    let mut running = world.start(&["--port", "0", "--", "bash", "--norc"]);
    let proxy = Proxy::to(&running.logged_url());
    let mut person = Person::new(&world, 80, 24, &[&proxy.url()]);
    person.sees("bash | idle");
    person.types(b"echo before\r");
    person.sees("\nbefore");
    proxy.cut();
    person.sees("the connection is lost");
    // The other end notices too, and takes the right to type back.
    let mut events = common::spawn(world.coop(&["events", "--follow", "-s", "bash"]));
    reads_until(events.stdout.as_mut().unwrap(), "nobody types");
    world.verb(&["input", "-s", "bash", "echo meanwhile; stty size", "--enter"]);
    world.shows("bash", "23 80");
    proxy.open();
    person.sees("\nmeanwhile");
    person.until("the note is gone", |screen| !screen.text(0)[23].contains("lost"));
    person.types(b"echo after\r");
    person.sees("\nafter");
    person.types(DETACH);
    assert_eq!(person.leaves(), ExitStatus::Code(0));
}

#[test]
fn a_session_is_not_attached_to_itself() {
    let world = World::new();
    let _running = world.start(&["--port", "0", "--", "sh", "-c", "coop attach; coop attach $COOP_URL; cat"]);
    let screen = world.shows("sh", "already");
    assert!(screen.contains("You are in this session already"), "{screen}");
}
