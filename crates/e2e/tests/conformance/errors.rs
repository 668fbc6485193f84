//! What is refused is refused with the same code and the same words over HTTP, WebSocket and gRPC.

use coop_api::{Code, Problem};
use coop_e2e::http::Call;
use coop_e2e::{Everywhere, TestServer, Transport, Ws};
use serde_json::{Value, json};

/// Makes `request` over `transports`, which all must answer with `code` and in the same words.
async fn check(clients: &mut Everywhere, transports: &[Transport], request: &Value, code: Code) {
    let mut first = None;
    for transport in transports {
        let Err(mut problem) = clients.ask(*transport, request).await else {
            panic!("{transport:?} did not refuse {request}");
        };
        assert_eq!(problem.code, code, "{transport:?} {request}: {}", problem.detail);
        // The words for a lease count down.
        problem.detail.retain(|c| !c.is_ascii_digit() || code != Code::WriterBusy);
        let first = first.get_or_insert_with(|| problem.clone());
        assert_eq!(*first, problem, "{transport:?} {request}");
    }
}

#[tokio::test]
async fn requests_that_make_no_sense() {
    let server = TestServer::start("printf ready; cat");
    server.shows("ready").await;
    let mut clients = Everywhere::new(&server).await;
    for request in [
        json!({ "type": "keys", "keys": ["Enter", "Entre"] }),
        json!({ "type": "keys", "keys": [] }),
        json!({ "type": "input", "text": "" }),
        json!({ "type": "input_raw", "data": "" }),
        json!({ "type": "signal", "signal": "SIGNOTHING" }),
        json!({ "type": "signal", "signal": "INT", "target": "everybody" }),
        json!({ "type": "resize", "cols": 0, "rows": 24 }),
        json!({ "type": "resize", "cols": 80, "rows": 100_000 }),
        json!({ "type": "lock", "action": "steal" }),
        json!({ "type": "lock", "action": "release", "lease": "of nobody" }),
        json!({ "type": "nudge", "message": "" }),
        json!({ "type": "nudge", "message": "x", "when": "tomorrow" }),
        json!({ "type": "respond" }),
        json!({ "type": "respond", "option": 0 }),
        json!({ "type": "respond", "accept": true, "scope": "galaxy" }),
        json!({ "type": "wait", "state": "asleep" }),
        json!({ "type": "hook", "event": "no.such" }),
        json!({ "type": "stop_config", "mode": "never" }),
        json!({ "type": "start_config", "event": { "monday": {} } }),
        json!({ "type": "groom_config", "level": "" }),
        json!({ "type": "recording_config", "enabled": true, "version": 1 }),
        json!({ "type": "recording_config", "enabled": true, "max_bytes": 1 }),
        json!({ "type": "restart", "env": { "A=B": "x" } }),
        json!({ "type": "restart", "env": { "A": "nul\0" } }),
        json!({ "type": "restart", "env": { "COOP_SOCKET": "/elsewhere" } }),
        json!({ "type": "restart", "env": { "A": "x" }, "unset": ["A"] }),
        json!({ "type": "restart", "args": ["x"], "no_args": true }),
        // The kernel would cut this line off.
        json!({ "type": "input", "text": "x".repeat(5000), "enter": true }),
    ] {
        check(&mut clients, &Transport::ALL, &request, Code::BadRequest).await;
    }
    for request in
        [json!({ "type": "output_request", "offset": 1_000_000 }), json!({ "type": "output_request", "generation": 7 })]
    {
        check(&mut clients, &Transport::ALL, &request, Code::OutOfRange).await;
    }
}

/// What can only be asked about a program that coop knows.
pub(crate) fn needs_a_driver() -> Vec<Value> {
    vec![
        json!({ "type": "explain_request" }),
        json!({ "type": "nudge", "message": "hello" }),
        json!({ "type": "nudge", "message": "/clear", "command": true, "when": "idle", "wait": "turn_end", "timeout_secs": 5 }),
        json!({ "type": "respond", "accept": true }),
        json!({ "type": "respond", "answers": [{ "options": [1] }, { "text": "x" }], "scope": "session" }),
        json!({ "type": "respond", "accept": true, "updated_input": { "command": "ls" }, "prompt_id": "p1" }),
        json!({ "type": "interrupt" }),
        json!({ "type": "conversation_request", "after": 3, "limit": 10 }),
        json!({ "type": "hook", "event": "PreToolUse", "payload": { "tool_name": "Bash" }, "age_us": 300 }),
        json!({ "type": "hook", "event": "stop", "payload": null }),
        json!({ "type": "hook", "event": "start", "payload": { "source": "clear" } }),
        json!({ "type": "stop_resolve", "body": { "status": "done" } }),
        json!({ "type": "stop_config_request" }),
        json!({ "type": "stop_config", "mode": "gate", "prompt": "not yet" }),
        json!({ "type": "start_config_request" }),
        json!({ "type": "start_config", "text": "hi", "event": { "clear": { "shell": ["date"] } } }),
        json!({ "type": "groom_config_request" }),
        json!({ "type": "lifted_config_request" }),
        json!({ "type": "lifted_config", "enabled": true, "message": "go on" }),
        json!({ "type": "groom_config", "level": "manual" }),
        json!({ "type": "transcript:list" }),
        json!({ "type": "transcript:get", "number": 1 }),
        json!({ "type": "transcript:catchup", "since_transcript": 1, "since_line": 2 }),
    ]
}

#[tokio::test]
async fn a_program_nothing_is_known_about() {
    let server = TestServer::start("printf ready; cat");
    server.shows("ready").await;
    let mut clients = Everywhere::new(&server).await;
    for request in needs_a_driver() {
        check(&mut clients, &Transport::ALL, &request, Code::NoDriver).await;
    }
    for transport in Transport::ALL {
        let state = clients.ask(transport, &json!({ "type": "state_request" })).await.unwrap();
        assert_eq!((&state["agent"], &state["state"]), (&json!("unknown"), &json!("unknown")), "{transport:?}");
    }
}

/// A message of gRPC cannot say these: it has types, and fields it does not know are from a newer client.
#[tokio::test]
async fn requests_that_cannot_be_read() {
    let server = TestServer::start("printf ready; cat");
    let mut clients = Everywhere::new(&server).await;
    for request in [
        json!({ "type": "input", "txt": "x" }),
        json!({ "type": "input", "text": 7 }),
        json!({ "type": "input_raw", "data": "%" }),
        json!({ "type": "resize", "cols": -1, "rows": 24 }),
        json!({ "type": "screen_request", "format": "png" }),
        json!({ "type": "screen_request", "colour": true }),
        json!({ "type": "health_request", "verbose": true }),
        json!({ "type": "screen_svg_request", "scale": 2 }),
    ] {
        for transport in [Transport::Http, Transport::Ws] {
            check(&mut clients, &[transport], &request, Code::BadRequest).await;
        }
    }
}

#[tokio::test]
async fn somebody_else_is_typing() {
    let server = TestServer::start("printf ready; cat");
    let mut holder = Ws::greeted(&server.tcp, "?mode=state").await;
    holder.ask(&json!({ "type": "lock", "action": "acquire", "holder": "Ada" })).await;
    let mut clients = Everywhere::new(&server).await;
    for request in [
        json!({ "type": "input", "text": "x" }),
        json!({ "type": "input_raw", "data": "eA==" }),
        json!({ "type": "keys", "keys": ["Enter"] }),
        json!({ "type": "input", "text": "x", "lease": "a guess" }),
        json!({ "type": "lock", "action": "acquire", "lease": "another" }),
    ] {
        check(&mut clients, &Transport::ALL, &request, Code::WriterBusy).await;
    }
    let refused = clients.ask(Transport::Http, &json!({ "type": "input", "text": "x" })).await.unwrap_err();
    assert!(refused.detail.contains("Ada"), "says who: {}", refused.detail);
}

/// Only HTTP has paths and methods to get wrong.
#[tokio::test]
async fn places_that_are_not_there() {
    let server = TestServer::start("cat");
    let reply = Call::get("/api/v1/scren").send(&server.tcp).await;
    assert_eq!(reply.problem().code, Code::NotFound);
    let reply = Call::get("/api/v1/input").send(&server.tcp).await;
    assert_eq!((reply.status, reply.header("content-type")), (405, "application/problem+json"));
    assert_eq!(reply.header("allow"), "POST");
    let problem: Problem = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!((problem.status, problem.code), (405, Code::BadRequest));
}

/// Numbers at the end of their range are numbers like others.
#[tokio::test]
async fn large_numbers_do_no_harm() {
    let server = TestServer::start("printf ready; cat");
    server.shows("ready").await;
    let mut clients = Everywhere::new(&server).await;
    let most = u64::MAX;
    for request in [
        json!({ "type": "events_request", "since": most }),
        json!({ "type": "events_request", "since": most - 1, "limit": u32::MAX }),
        json!({ "type": "resume", "offset": most, "scrollback": u32::MAX }),
        json!({ "type": "resume", "generation": most, "offset": 0 }),
        json!({ "type": "screen_request", "scrollback": u32::MAX }),
        json!({ "type": "output_request", "limit": u32::MAX }),
    ] {
        for transport in Transport::ALL {
            let reply = clients.ask(transport, &request).await;
            reply.unwrap_or_else(|problem| panic!("{transport:?} {request}: {problem:?}"));
        }
    }
    check(&mut clients, &Transport::ALL, &json!({ "type": "output_request", "offset": most }), Code::OutOfRange).await;
}
