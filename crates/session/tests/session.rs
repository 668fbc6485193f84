//! Sessions around real children.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::time::Duration;

use coop_core::event::Event;
use coop_core::lease::LeaseId;
use coop_core::status::{Exit, Lifecycle};
use coop_session::{Config, Input, InputKind, SessionError, SessionHandle, start};
use coop_terminal::log::Cursor;
use coop_terminal::pty::{Command, Signal, Target};
use coop_terminal::{Format, Lines, Size};

/// Nothing here takes longer unless it hangs.
const LIMIT: Duration = Duration::from_secs(20);

fn config(script: &str) -> Config {
    Config::new(Command {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        cwd: None,
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("TERM".into(), "xterm-256color".into())],
        size: Size::new(80, 24).unwrap(),
        runner: Vec::new(),
    })
}

fn session(script: &str) -> SessionHandle {
    start(config(script)).unwrap()
}

fn raw(bytes: &[u8]) -> Input {
    Input { kind: InputKind::Raw(bytes.to_vec()), lease: None }
}

fn line(text: &str) -> Input {
    Input { kind: InputKind::Text { text: text.into(), enter: true }, lease: None }
}

async fn text(session: &SessionHandle) -> String {
    match session.view(Format::Text, 0).await.unwrap().lines {
        Lines::Text(lines) => lines.join("\n"),
        Lines::Cells(_) => unreachable!(),
    }
}

/// Waits until the screen shows `what`.
async fn shows(session: &SessionHandle, what: &str) {
    let mut status = session.watch();
    let found = tokio::time::timeout(LIMIT, async {
        while !text(session).await.contains(what) {
            status.changed().await.unwrap();
        }
    });
    if found.await.is_err() {
        panic!("never showed {what:?}:\n{}", text(session).await);
    }
}

async fn exit(session: &SessionHandle) -> Exit {
    tokio::time::timeout(LIMIT, session.exited()).await.expect("exits").unwrap()
}

#[tokio::test]
async fn the_last_screen_and_the_exit_stay_readable() {
    let session = session("printf 'bye \\033[1mnow\\033[m'; exit 7");
    assert_eq!(exit(&session).await, Exit::Code(7));
    assert_eq!(text(&session).await.trim_end(), "bye now");
    assert_eq!(session.status().lifecycle, Lifecycle::Exited(Exit::Code(7)));
    let events = session.events(0, 100).await.unwrap().events;
    let exits = events.iter().filter(|e| matches!(e.event, Event::Exit(_))).count();
    assert_eq!(exits, 1, "told once");
    let gone = Err(SessionError::Exited { exit: Some(Exit::Code(7)) });
    assert_eq!(session.input(raw(b"x")).await, gone.clone().map(|()| 0));
    assert_eq!(session.resize(Size::default()).await, gone.clone());
    assert_eq!(session.signal(Signal::Int, Target::Foreground).await, gone);
}

#[tokio::test]
async fn all_output_comes_before_the_exit() {
    let session = session("seq 1 200000");
    exit(&session).await;
    let status = session.status();
    let expected: u64 = (1..=200_000_u64).map(|n| n.to_string().len() as u64 + 2).sum();
    assert_eq!(status.output_end, expected);
    assert_eq!(status.output_end - status.output_start, 1 << 20, "the log keeps the last MiB");
    assert!(text(&session).await.contains("200000"));
}

#[tokio::test]
async fn a_megabyte_arrives_whole_while_the_child_prints() {
    // `cat` prints what it reads into the same terminal: both directions are full at once.
    let mut config = config("stty raw -echo; printf ready; cat");
    config.log_size = 2 << 20;
    let session = start(config).unwrap();
    shows(&session, "ready").await;
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|i| b'a' + (i % 26) as u8).collect();
    assert_eq!(tokio::time::timeout(LIMIT, session.input(raw(&bytes))).await.unwrap(), Ok(bytes.len()));
    let all_back = "ready".len() as u64 + bytes.len() as u64;
    let mut status = session.watch();
    tokio::time::timeout(LIMIT, status.wait_for(|s| s.output_end == all_back)).await.unwrap().unwrap();
    let back = session.output(Cursor { generation: 1, offset: 5 }, bytes.len()).await.unwrap();
    assert!(back.bytes == bytes, "came back changed");
    session.shutdown("test").await.unwrap();
}

#[tokio::test]
async fn a_megabyte_of_lines_into_cat_comes_back_whole() {
    let session = session("stty -echo; printf ready; wc -c");
    shows(&session, "ready").await;
    let text = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n".repeat(16_384);
    assert_eq!(tokio::time::timeout(LIMIT, session.input(raw(text.as_bytes()))).await.unwrap(), Ok(1 << 20));
    session.input(raw(b"\x04")).await.unwrap();
    exit(&session).await;
    assert!(self::text(&session).await.contains("1048576"));
}

#[tokio::test]
async fn a_child_that_does_not_read_fails_the_input_and_nothing_arrives_later() {
    let mut config = config("stty raw -echo; printf ready; sleep 100");
    config.input_timeout = Duration::from_millis(200);
    let session = start(config).unwrap();
    shows(&session, "ready").await;
    let result = tokio::time::timeout(LIMIT, session.input(raw(&[b'x'; 1 << 20]))).await.unwrap();
    let Err(SessionError::InputStalled { written, total }) = result else { panic!("{result:?}") };
    assert!(written > 0 && written < total && total == 1 << 20, "{written} of {total}");
    assert_eq!(session.status().bytes_written, written as u64);
    assert!(text(&session).await.contains("ready"), "reading goes on");
}

#[tokio::test]
async fn a_line_the_kernel_would_cut_is_refused() {
    let session = session("printf ready; cat");
    shows(&session, "ready").await;
    let result = session.input(line(&"x".repeat(5000))).await;
    assert_eq!(result, Err(SessionError::LineTooLong { len: 5000, max: 4095 }));
    assert_eq!(session.input(line("short")).await, Ok(6));
    shows(&session, "short").await;
}

#[tokio::test]
async fn one_writer_at_a_time() {
    let session = session("stty -echo; printf ready; cat");
    shows(&session, "ready").await;
    let (alice, bob) = (LeaseId("a".into()), LeaseId("b".into()));
    session.acquire(alice.clone(), "alice".into(), false).await.unwrap();
    let busy = session.input(line("from nobody")).await;
    assert!(matches!(busy, Err(SessionError::WriterBusy { ref holder, .. }) if holder == "alice"), "{busy:?}");
    session.input(Input { lease: Some(alice.clone()), ..line("from alice") }).await.unwrap();
    shows(&session, "from alice").await;
    assert!(session.acquire(bob.clone(), "bob".into(), false).await.is_err());
    session.acquire(bob.clone(), "bob".into(), true).await.unwrap();
    assert!(session.input(Input { lease: Some(alice.clone()), ..line("x") }).await.is_err());
    assert!(!session.release(alice).await.unwrap());
    assert!(session.release(bob).await.unwrap());
    session.input(line("free again")).await.unwrap();
    shows(&session, "free again").await;
}

#[tokio::test]
async fn a_client_that_fell_behind_is_told_and_gets_the_screen() {
    let session = session("seq 1 300000; printf end; cat");
    shows(&session, "end").await;
    let joined = session.join(Some(Cursor { generation: 1, offset: 100 }), 0).await.unwrap();
    assert!(joined.repaint.is_some());
    assert_eq!(joined.lost, joined.at.offset - 100);
    let recent = Cursor { generation: 1, offset: joined.at.offset - 10 };
    let joined = session.join(Some(recent), 0).await.unwrap();
    assert_eq!((joined.at, joined.repaint, joined.lost), (recent, None, 0));
    let fresh = session.join(None, 0).await.unwrap();
    assert_eq!((fresh.lost, fresh.repaint.is_some()), (0, true));
}

#[tokio::test]
async fn questions_are_answered_in_order() {
    let session = session(
        "stty raw -echo; printf '\\033[>q\\033[?u\\033]11;?\\007\\033]7501;?\\007\\033[6n\\033[cready'; \
         dd bs=1 count=80 2>/dev/null | tr '\\033\\007' '~!' | sed 's/~.62;22c.*/~DA/'",
    );
    shows(&session, "ready").await;
    // The last answer is 10 bytes; pad the rest so that dd ends.
    session.input(raw(&[b'.'; 80])).await.unwrap();
    exit(&session).await;
    let text = text(&session).await.replace('\n', "");
    assert!(text.contains("~P>|coop(0.1.0)~\\~[?0u~]11;rgb:1818/1818/1818!~]7501;?!~[1;1R~["), "{text}");
}

#[tokio::test]
async fn shutdown_asks_then_kills_the_whole_session() {
    let mut polite = config("trap 'printf bye; exit 3' HUP; printf ready; while :; do sleep 0.05; done");
    polite.shutdown_grace = LIMIT;
    let polite = start(polite).unwrap();
    shows(&polite, "ready").await;
    polite.shutdown("test").await.unwrap();
    assert_eq!(exit(&polite).await, Exit::Code(3));
    assert!(text(&polite).await.contains("bye"));

    let mut deaf =
        config("trap '' HUP; (trap '' HUP; echo grandchild $$; sleep 1000) & printf ready; while :; do sleep 1; done");
    deaf.shutdown_grace = Duration::from_millis(300);
    let deaf = start(deaf).unwrap();
    shows(&deaf, "ready").await;
    let group = deaf.status().pid;
    deaf.shutdown("test").await.unwrap();
    assert_eq!(exit(&deaf).await, Exit::Signal(9));
    let deadline = std::time::Instant::now() + LIMIT;
    while let left = alive_in_group(group)
        && !left.is_empty()
    {
        assert!(std::time::Instant::now() < deadline, "still there: {left:?}");
    }
}

/// Zombies do not count: the leader stays one until the last handle is gone.
fn alive_in_group(group: u32) -> Vec<String> {
    let listed = std::process::Command::new("ps").args(["-eo", "pgid=,stat=,args="]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let of_group = |line: &&str| line.split_whitespace().next() == Some(&group.to_string());
    let zombie = |line: &&str| line.split_whitespace().nth(1).is_some_and(|stat| stat.starts_with('Z'));
    listed.lines().filter(of_group).filter(|line| !zombie(line)).map(str::to_owned).collect()
}

#[tokio::test]
async fn an_idle_session_ends_by_itself_and_a_busy_one_does_not() {
    let mut idle = config("printf ready; cat");
    idle.idle_timeout = Some(Duration::from_millis(300));
    let idle = start(idle).unwrap();
    assert_eq!(exit(&idle).await, Exit::Signal(1));
    let events = idle.events(0, 100).await.unwrap().events;
    assert!(events.iter().any(|e| matches!(&e.event, Event::Shutdown { reason } if reason.contains("idle"))));

    let mut busy = config("for i in 1 2 3 4 5 6 7 8 9 10; do printf .; sleep 0.3; done; exit 5");
    busy.idle_timeout = Some(Duration::from_millis(2000));
    assert_eq!(exit(&start(busy).unwrap()).await, Exit::Code(5));
}

#[tokio::test]
async fn a_descendant_that_holds_the_terminal_does_not_hide_the_exit() {
    let session = session("(trap '' HUP; exec sleep 5) & printf ready; exit 4");
    assert_eq!(exit(&session).await, Exit::Code(4));
    assert!(text(&session).await.contains("ready"));
    session.shutdown("test").await.unwrap();
}

#[tokio::test]
async fn an_update_left_open_is_shown_after_a_moment() {
    let session = session("printf 'old\\033[?2026h\\rnew'; sleep 1000");
    shows(&session, "new").await;
    session.shutdown("test").await.unwrap();
    exit(&session).await;
}

#[tokio::test]
async fn many_sizes_at_once_end_with_the_last() {
    let session = session("trap 'stty size' WINCH; printf ready; while :; do sleep 0.05; done");
    shows(&session, "ready").await;
    let sizes: Vec<_> = (20..60).map(|n| Size::new(n + 40, n).unwrap()).collect();
    let resizes = sizes.into_iter().map(|size| {
        let session = session.clone();
        tokio::spawn(async move { session.resize(size).await })
    });
    for resize in resizes.collect::<Vec<_>>() {
        resize.await.unwrap().unwrap();
    }
    shows(&session, "59 99").await;
    session.shutdown("test").await.unwrap();
}
