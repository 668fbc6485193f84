//! Another child in the same session.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::collections::BTreeMap;
use std::time::Duration;

use coop_core::agent::State;
use coop_core::event::Event;
use coop_core::status::{Exit, Lifecycle};
use coop_session::{Change, Config, Input, InputKind, SessionError, SessionHandle, start};
use coop_terminal::log::Cursor;
use coop_terminal::pty::Command;
use coop_terminal::{Format, Lines, Size};

/// Nothing here takes longer unless it hangs.
const LIMIT: Duration = Duration::from_secs(30);

fn config(script: &str) -> Config {
    Config::new(Command {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        cwd: None,
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("WORD".into(), "first".into())],
        size: Size::new(80, 24).unwrap(),
        runner: Vec::new(),
    })
}

async fn in_time<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, work).await.unwrap_or_else(|_| panic!("in vain: {what}"))
}

async fn text(session: &SessionHandle) -> String {
    match session.view(Format::Text, 0).await.unwrap().lines {
        Lines::Text(lines) => lines.join("\n"),
        Lines::Cells(_) => unreachable!(),
    }
}

async fn shows(session: &SessionHandle, what: &str) {
    let mut status = session.watch();
    in_time(what, async {
        while !text(session).await.contains(what) {
            status.changed().await.unwrap();
        }
    })
    .await;
}

fn word(value: Option<&str>) -> Change {
    Change { env: BTreeMap::from([("WORD".into(), value.map(Into::into))]), args: None }
}

fn args(script: &str) -> Change {
    Change { args: Some(vec!["-c".into(), script.into()]), ..Change::default() }
}

async fn kinds(session: &SessionHandle) -> Vec<(u64, String)> {
    let name = |event: &Event| match event {
        Event::Start { .. } => Some("start".to_owned()),
        Event::State { next, .. } => Some(next.name().to_owned()),
        Event::Exit(_) => Some("exit".to_owned()),
        _ => None,
    };
    let events = session.events(0, 100).await.unwrap().events;
    events.iter().filter_map(|event| Some((event.generation, name(&event.event)?))).collect()
}

#[tokio::test]
async fn the_session_goes_on_with_another_child() {
    let session = start(config("printf \"${WORD-none} ready\"; cat")).unwrap();
    shows(&session, "first ready").await;
    let old = session.status();
    session.resize(Size::new(100, 30).unwrap()).await.unwrap();

    let done = in_time("a restart", session.restart(word(Some("second")))).await.unwrap();
    assert_eq!((done.generation, done.resumed), (2, None));
    assert_ne!(done.pid, old.pid);
    shows(&session, "second ready").await;
    assert!(!text(&session).await.contains("first"), "a fresh screen");
    let now = session.status();
    assert_eq!((now.lifecycle, now.pid, now.cols, now.rows), (Lifecycle::Running, done.pid, 100, 30));
    assert!(now.screen_seq > old.screen_seq && now.event_seq > old.event_seq, "numbers go on");

    // Who has seen all of the old output misses nothing; who has not is told.
    let behind = |offset| Some(Cursor { generation: 1, offset });
    let joined = session.join(behind(old.output_end), 0).await.unwrap();
    assert_eq!((joined.at.generation, joined.lost, joined.repaint.is_some()), (2, 0, true));
    assert_eq!(session.join(behind(old.output_end - 3), 0).await.unwrap().lost, 3);

    // Later changes come on top of earlier ones.
    in_time("another", session.restart(args("printf \"${WORD-none} again\"; cat"))).await.unwrap();
    shows(&session, "second again").await;
    in_time("a third", session.restart(word(None))).await.unwrap();
    shows(&session, "none again").await;

    let expected = [
        (1, "start"),
        (1, "restarting"),
        (2, "start"),
        (2, "unknown"),
        (2, "restarting"),
        (3, "start"),
        (3, "unknown"),
        (3, "restarting"),
        (4, "start"),
        (4, "unknown"),
    ];
    assert_eq!(kinds(&session).await, expected.map(|(generation, name)| (generation, name.to_owned())));
    session.shutdown("test").await.unwrap();
    in_time("the end", session.exited()).await.unwrap();
    assert_eq!(session.agent().state, State::Exited);
}

#[tokio::test]
async fn while_it_is_under_way() {
    // It does not end when it is asked to, so that there is time.
    let mut config = config("trap '' HUP; printf ready; while :; do sleep 0.1; done");
    config.shutdown_grace = Duration::from_secs(6);
    let session = start(config).unwrap();
    shows(&session, "ready").await;
    let restart = tokio::spawn({
        let session = session.clone();
        async move { session.restart(args("printf new; cat")).await }
    });
    let mut status = session.watch();
    in_time("it", status.wait_for(|status| status.lifecycle == Lifecycle::Restarting)).await.unwrap();
    assert_eq!(session.agent().state, State::Restarting);
    assert_eq!(session.restart(Change::default()).await, Err(SessionError::Restarting));
    let input = Input { kind: InputKind::Raw(b"x".to_vec()), lease: None };
    assert_eq!(session.input(input).await, Err(SessionError::Restarting));
    // Killed after its time, which the end of the session does not wait for.
    let done = in_time("the kill", restart).await.unwrap().unwrap();
    assert_eq!(done.generation, 2);
    shows(&session, "new").await;
}

#[tokio::test]
async fn the_end_calls_it_off() {
    let session = start(config("trap '' HUP; printf ready; while :; do sleep 0.1; done")).unwrap();
    shows(&session, "ready").await;
    let restart = tokio::spawn({
        let session = session.clone();
        async move { session.restart(Change::default()).await }
    });
    let mut status = session.watch();
    in_time("it", status.wait_for(|status| status.lifecycle == Lifecycle::Restarting)).await.unwrap();
    session.shutdown("enough").await.unwrap();
    assert_eq!(in_time("the refusal", restart).await.unwrap(), Err(SessionError::Stopping));
    session.shutdown("now").await.unwrap();
    assert_eq!(in_time("the end", session.exited()).await, Ok(Exit::Signal(9)));
    assert_eq!(session.status().generation, 1);
}

#[tokio::test]
async fn one_that_has_exited_is_started_again() {
    let session = start(config("printf over; exit 7")).unwrap();
    assert_eq!(in_time("the exit", session.exited()).await, Ok(Exit::Code(7)));
    let done = in_time("a restart", session.restart(args("printf alive; read line; exit 3"))).await.unwrap();
    assert_eq!(done.generation, 2);
    in_time("news of it", session.started_again()).await.unwrap();
    shows(&session, "alive").await;
    assert_eq!(session.status().lifecycle, Lifecycle::Running);
    session.input(Input { kind: InputKind::Raw(b"\r".to_vec()), lease: None }).await.unwrap();
    assert_eq!(in_time("its own exit", session.exited()).await, Ok(Exit::Code(3)));
}

#[tokio::test]
async fn one_that_cannot_be_started() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    std::os::unix::fs::symlink("/bin/cat", &program).unwrap();
    let mut config = config("");
    config.command.program = program.clone().into();
    config.command.args.clear();
    let session = start(config).unwrap();
    std::fs::remove_file(&program).unwrap();
    let error = in_time("the error", session.restart(Change::default())).await.unwrap_err();
    assert!(matches!(&error, SessionError::NotStarted(why) if why.contains("was not found")), "{error}");
    assert_eq!(in_time("the exit", session.exited()).await, Ok(Exit::Code(127)));
    let agent = session.agent();
    assert!(agent.state == State::Exited && agent.reason.contains("was not found"), "{agent:?}");
    // It can be mended.
    std::os::unix::fs::symlink("/bin/cat", &program).unwrap();
    assert_eq!(in_time("another try", session.restart(Change::default())).await.unwrap().generation, 2);
}
