//! The model over HTTP, as agents see it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;

const MESSAGES: &str = "/v1/messages?beta=true";
const RESPONSES: &str = "/v1/responses";
const STREAM: &str = "/v1beta/models/gemini-x:streamGenerateContent?alt=sse";

fn model(text: &str) -> Model {
    Model::start(Scenario::parse("test", text).unwrap(), Path::new("/p")).unwrap()
}

fn send(model: &Model, path: &str, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(model.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let body = body.to_string();
    let keys = "x-api-key: k\r\nauthorization: Bearer k\r\nx-goog-api-key: k";
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: x\r\n{keys}\r\nconnection: close\r\ncontent-length: {}", body.len());
    stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
    stream
}

fn post(model: &Model, path: &str, body: &Value) -> String {
    let mut reply = String::new();
    send(model, path, body).read_to_string(&mut reply).unwrap();
    reply
}

/// What a person said and, where not empty, what a tool then returned, as each vendor's client sends it.
fn said(path: &str, user: &str, result: &str) -> Value {
    let has_result = usize::from(!result.is_empty());
    let messages = [
        json!({"role": "user", "content": [{"type": "text", "text": user}, {"type": "text", "text": "<system-reminder>x"}]}),
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t"}]}),
        json!({"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": result}]}]}),
    ];
    let input = [
        json!({"role": "user", "content": [{"type": "input_text", "text": user}]}),
        json!({"type": "function_call_output", "output": result}),
        json!({"role": "developer", "content": "x"}),
    ];
    let contents = [
        json!({"role": "user", "parts": [{"text": "<session_context>x"}, {"text": user}]}),
        json!({"role": "user", "parts": [{"functionResponse": {"response": {"output": result}}}]}),
    ];
    match path {
        MESSAGES => json!({"model": "m", "stream": true, "tools": [{}], "messages": messages[..1 + 2 * has_result]}),
        RESPONSES => json!({"model": "m", "stream": true, "input": input[..1 + 2 * has_result]}),
        _ => json!({"tools": [{}], "contents": contents[..=has_result]}),
    }
}

fn whats(model: &Model) -> Vec<What> {
    model.events().into_iter().map(|event| event.what).collect()
}

#[track_caller]
fn until(model: &Model, what: &What) {
    let end = Instant::now() + Duration::from_secs(10);
    while !whats(model).contains(what) {
        assert!(Instant::now() < end, "no {what:?} in {:#?}", whats(model));
        std::thread::yield_now();
    }
}

#[test]
fn a_turn_with_a_tool_in_every_vendors_words() {
    for (path, vendor, parts) in [
        (
            MESSAGES,
            Vendor::Anthropic,
            ["\"text_delta\"", "\"name\":\"Bash\"", "\"stop_reason\":\"tool_use\"", "message_stop"],
        ),
        (
            RESPONSES,
            Vendor::OpenAi,
            ["output_text.delta", "\"name\":\"exec_command\"", "require_escalated", "response.completed"],
        ),
        (
            STREAM,
            Vendor::Gemini,
            ["\"text\":\"make \"", "\"name\":\"run_shell_command\"", "functionCall", "\"finishReason\":\"STOP\""],
        ),
    ] {
        let model = model("user: file\n think: hm\n say: I make it\n bash: touch a\nresult: fine\n say: Done.\n");
        let first = post(&model, path, &said(path, "make the file", ""));
        assert!(parts.iter().all(|part| first.contains(part)), "{vendor:?} {parts:?}: {first}");
        let second = post(&model, path, &said(path, "make the file", "all fine"));
        assert!(second.contains("Done."), "{vendor:?}: {second}");
        let events = whats(&model);
        let [What::Request { user, key, .. }, What::FirstByte, What::Called(called), What::Finished(Stop::Tools), ..] =
            &events[..]
        else {
            panic!("{events:#?}")
        };
        assert_eq!((user.as_str(), key.as_str()), ("make the file", "k"), "{vendor:?}");
        assert!(called.input.to_string().contains("touch a"), "{vendor:?} {called:?}");
        assert_eq!(events.last(), Some(&What::Finished(Stop::Done)));
        assert!(model.unplayed().is_empty());
    }
}

#[test]
fn every_tool_has_words_of_every_vendor() {
    let steps = " read: a\n write a: x\n edit a: x => y\n ask Color: Which?\n  - Red\n ask Size, several: Which?\n  - Big\n \
                 enter plan\n plan: P\n tool Other: {\"at\": \"$PROJECT/b\"}\n";
    for (path, names) in [
        (MESSAGES, "Read Write Edit AskUserQuestion EnterPlanMode ExitPlanMode Other"),
        (RESPONSES, "exec_command apply_patch apply_patch request_user_input update_plan proposed_plan Other"),
        (STREAM, "read_file write_file replace ask_user enter_plan_mode write_file exit_plan_mode Other"),
    ] {
        let model = model(&format!("user\n{steps}"));
        post(&model, path, &said(path, "go", ""));
        let calls: Vec<Called> = whats(&model)
            .into_iter()
            .filter_map(|what| if let What::Called(called) = what { Some(called) } else { None })
            .collect();
        let called: Vec<&str> = calls.iter().map(|called| called.name.as_str()).collect();
        assert_eq!(called.join(" "), names);
        assert_eq!(calls.last().unwrap().input, json!({"at": "/p/b"}));
    }
}

#[test]
fn errors_in_every_vendors_words() {
    let rows = [
        (MESSAGES, "429", "rate_limit_error"),
        (MESSAGES, "529", "overloaded_error"),
        (MESSAGES, "401", "authentication_error"),
        (RESPONSES, "429", "rate_limit_exceeded"),
        (RESPONSES, "400", "invalid_request"),
        (STREAM, "429", "RESOURCE_EXHAUSTED"),
        (STREAM, "500", "INTERNAL"),
    ];
    for (path, status, words) in rows {
        let model =
            model(&format!("user\n error: {status} slow down, retry after 7s\nuser\n say: a\n error: {status}\n"));
        let reply = post(&model, path, &said(path, "go", ""));
        assert!(reply.starts_with(&format!("HTTP/1.1 {status}")), "{reply}");
        assert!(reply.contains(words) && reply.contains("slow down"), "{reply}");
        assert!(reply.contains("retry-after: 7") || reply.contains("\"retryDelay\":\"7s\""), "{reply}");
        assert_eq!(whats(&model).last(), Some(&What::Failed(status.parse().unwrap())));
        let reply = post(&model, path, &said(path, "go", ""));
        assert!(reply.starts_with("HTTP/1.1 200") && reply.contains(words), "{reply}");
    }
}

#[test]
fn a_limit_says_when_it_is_lifted() {
    for (path, words) in [(MESSAGES, "unified-reset: "), (RESPONSES, "\"resets_at\":"), (STREAM, "PerDay")] {
        let model = model("user\n error: 429 enough, resets in 1h\n");
        let reply = post(&model, path, &said(path, "go", ""));
        assert!(reply.contains(words), "{reply}");
    }
}

#[test]
fn side_calls_are_no_part_of_the_script() {
    let title = json!({"type": "json_schema", "schema": {"properties": {"title": {}}}});
    let message = json!([{"role": "user", "content": "title?"}]);
    let schema = json!({"properties": {"next_speaker": {"enum": ["user"]}, "score": {"type": "number"}}});
    for (path, body, words) in [
        (MESSAGES, json!({"stream": true, "messages": message}), "Scripted "),
        (MESSAGES, json!({"messages": message, "output_config": {"format": title}}), "{\\\"title\\\":"),
        (RESPONSES, json!({"input": message, "text": {"format": title}}), "{\\\"title\\\":\\\"Scripted "),
        (
            "/v1beta/models/m:generateContent",
            json!({"generationConfig": {"responseSchema": schema}}),
            "next_speaker\\\":\\\"user",
        ),
        ("/v1beta/models/m:countTokens", json!({}), "totalTokens"),
        ("/v1/messages/count_tokens", json!({}), "input_tokens"),
    ] {
        let model = model("user\n say: a\n");
        let reply = post(&model, path, &body);
        assert!(reply.contains(words), "{path}: {reply}");
        assert_eq!(model.unplayed().len(), 1);
    }
}

#[test]
fn what_no_rule_answers_is_told_to_both_sides() {
    let model = model("user: a\n say: x\n");
    let reply = post(&model, MESSAGES, &said(MESSAGES, "b", ""));
    assert!(reply.contains("no ") && reply.contains("message_stop"), "{reply}");
    let unexpected = What::Unexpected { user: "b".into(), results: vec![], expected: "line 1, `user: a`".into() };
    assert!(whats(&model).contains(&unexpected));
    assert_eq!(model.unplayed(), ["1: user: a"]);
}

#[test]
fn a_message_that_is_not_streamed_is_whole() {
    let model = model("user\n say: a b\n bash: ls\n");
    let mut body = said(MESSAGES, "go", "");
    body["stream"] = false.into();
    let reply = post(&model, MESSAGES, &body);
    let message: Value = serde_json::from_str(reply.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(message["content"][0]["text"], "a b");
    assert_eq!(message["content"][1]["input"]["command"], "ls");
    assert_eq!(message["stop_reason"], "tool_use");
}

#[test]
fn signals_cuts_hangs_and_clients_that_leave() {
    let model = model(
        "user\n say: a\n wait: go\n say: b\nuser\n say: a\n cut\nuser\n hang\nuser\n say: a\n hang\nuser\n wait: x\n say: b\n",
    );
    let ask = || send(&model, MESSAGES, &said(MESSAGES, "go", ""));
    let mut waiting = ask();
    until(&model, &What::Waiting("go".into()));
    assert!(!whats(&model).contains(&What::Finished(Stop::Done)));
    model.signal("go");
    waiting.read_to_string(&mut String::new()).unwrap();
    until(&model, &What::Finished(Stop::Done));

    let mut cut = String::new();
    ask().read_to_string(&mut cut).unwrap();
    assert!(cut.contains("text_delta") && !cut.contains("message_stop") && !cut.ends_with("0\r\n\r\n"), "{cut}");

    // Before the first byte, after it, and at a wait.
    for number in [3, 4, 5] {
        let gone = ask();
        let end = Instant::now() + Duration::from_secs(10);
        let stopped = |event: &Event| event.request == number && matches!(event.what, What::Hanging | What::Waiting(_));
        while !model.events().iter().any(stopped) {
            assert!(Instant::now() < end);
            std::thread::yield_now();
        }
        drop(gone);
        let left = |event: &Event| event.request == number && event.what == What::Disconnected;
        while !model.events().iter().any(left) {
            assert!(Instant::now() < end, "{:#?}", whats(&model));
            std::thread::yield_now();
        }
    }
}

#[test]
fn the_pace_of_a_stream() {
    let model = model("user\n count 50 words/s: 10\n");
    let start = Instant::now();
    let reply = post(&model, STREAM, &said(STREAM, "go", ""));
    assert!(reply.contains("\"text\":\"10\""), "{reply}");
    assert!(start.elapsed() >= Duration::from_millis(200));
}
