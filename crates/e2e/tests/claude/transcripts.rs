//! What is kept when the agent shortens its conversation, and the conversation as one timeline.

use coop_e2e::{Driven, Transport};
use serde_json::{Value, json};

use crate::{VERSIONS, launch};

const SCENARIO: &str = "
user: look
  think: I will look first.
  say: Looking.
  bash: echo seen
result: seen
  say: I have seen it.
user: more
  say: More.
user: summary
  say: <summary>We looked.</summary>
user: and now
  say: Compacted.
";

fn kinds(page: &Value) -> Vec<&str> {
    page["entries"].as_array().unwrap().iter().map(|entry| entry["kind"].as_str().unwrap()).collect()
}

fn entry<'a>(page: &'a Value, kind: &str) -> &'a Value {
    page["entries"].as_array().unwrap().iter().find(|entry| entry["kind"] == kind).unwrap_or(&Value::Null)
}

/// Waits until the timeline from `after` on has an entry with this text.
#[track_caller]
fn timeline(driven: &Driven, after: u64, text: &str) -> Value {
    driven.session.wait_json(&format!("/api/v1/conversation?after={after}"), &format!("{text:?}"), |page| {
        page["entries"].as_array().is_some_and(|entries| {
            entries.iter().any(|entry| entry["text"].as_str().is_some_and(|said| said.contains(text)))
        })
    })
}

#[test]
fn the_conversation_is_one_timeline_and_is_kept_before_it_is_shortened() {
    for version in VERSIONS {
        let mut driven = launch(version, SCENARIO, &[]);
        driven.nudge(Transport::Http, "look");
        driven.state("idle");
        let page = timeline(&driven, 0, "I have seen it.");
        assert_eq!(kinds(&page), ["user", "thinking", "assistant", "tool_call", "tool_result", "assistant"], "{page}");
        assert_eq!(entry(&page, "user")["text"], "look");
        assert_eq!(entry(&page, "thinking")["text"], "I will look first.");
        let (call, result) = (entry(&page, "tool_call"), entry(&page, "tool_result"));
        assert_eq!((&call["tool"], &call["input"]["command"]), (&json!("Bash"), &json!("echo seen")));
        assert_eq!((&result["text"], &result["tool_id"]), (&json!("seen"), &call["tool_id"]));
        // Two replies of the model, however many lines they are.
        assert_eq!((&page["usage"]["input_tokens"], &page["usage"]["output_tokens"]), (&json!(2400), &json!(40)));

        let next = page["next"].as_u64().unwrap();
        driven.nudge(Transport::Http, "more");
        driven.state("idle");
        let rest = timeline(&driven, next, "More.");
        assert_eq!(kinds(&rest), ["user", "assistant"], "{rest}");
        // The agent may still write what is no part of the conversation.
        let mut next = rest["next"].as_u64().unwrap();
        for transport in Transport::ALL {
            let same = driven.ask(transport, &json!({ "type": "conversation_request", "after": next })).unwrap();
            assert_eq!(same["entries"].as_array().map(Vec::len), Some(0), "{same}");
            let after = same["next"].as_u64().unwrap();
            assert!(after >= next, "{same}");
            next = after;
        }
        assert_eq!(
            driven.ask(Transport::Http, &json!({ "type": "transcript:list" })).unwrap()["transcripts"],
            json!([])
        );

        compact(&mut driven, next);
        driven.session.finish();
    }
}

fn compact(driven: &mut Driven, next: u64) {
    let command = json!({ "type": "nudge", "message": "/compact", "command": true, "timeout_secs": 20 });
    let reply = driven.ask(Transport::Http, &command);
    assert!(reply.as_ref().is_ok_and(|reply| reply["delivered"] == true), "{reply:?}\n{}", driven.session);
    let saved = driven.session.event("transcript:saved", |_| true);
    assert_eq!(saved["number"], 1, "{saved}");
    driven.session.hook("PostCompact");
    driven.state("idle");

    let lists: Vec<Value> =
        Transport::ALL.iter().map(|t| driven.ask(*t, &json!({ "type": "transcript:list" })).unwrap()).collect();
    assert!(lists.iter().all(|list| *list == lists[0]), "{lists:?}");
    let kept = &lists[0]["transcripts"][0];
    assert_eq!((&kept["number"], &kept["lines"]), (&json!(1), &saved["lines"]), "{kept}");
    for transport in Transport::ALL {
        let content = driven.ask(transport, &json!({ "type": "transcript:get", "number": 1 })).unwrap();
        let content = content["content"].as_str().unwrap();
        assert!(content.contains("I have seen it.") && !content.contains("We looked."), "{content}");
        assert_eq!(content.lines().count() as u64, kept["lines"].as_u64().unwrap());
        let none = driven.ask(transport, &json!({ "type": "transcript:get", "number": 2 })).unwrap_err();
        assert_eq!(none.code, coop_api::Code::NotFound);
    }
    // The agent writes its log after it has told.
    let since = format!("/api/v1/transcripts/catchup?since_transcript=0&since_line={}", kept["lines"]);
    driven.session.wait_json(&since, "the summary", |missed| missed["lines"].to_string().contains("We looked."));
    for transport in Transport::ALL {
        let seen = json!({ "type": "transcript:catchup", "since_transcript": 0, "since_line": kept["lines"] });
        let missed = driven.ask(transport, &seen).unwrap();
        assert_eq!(missed["transcripts"][0]["number"], 1, "{missed}");
        let lines: Vec<&str> = missed["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        assert!(lines.iter().any(|line| line.contains("We looked.")), "{missed}");
        assert!(!lines.iter().any(|line| line.contains("I have seen it.")), "{missed}");
        // Its last lines may be written meanwhile; none comes twice.
        let mut since_line = missed["next_line"].as_u64().unwrap();
        loop {
            let again = json!({ "type": "transcript:catchup", "since_transcript": 1, "since_line": since_line });
            let more = driven.ask(transport, &again).unwrap();
            assert_eq!(more["transcripts"], json!([]), "{more}");
            let new = more["lines"].as_array().unwrap().len() as u64;
            assert_eq!(more["next_line"], since_line + new, "{more}");
            since_line += new;
            if new == 0 {
                break;
            }
        }
    }

    driven.nudge(Transport::Http, "and now");
    driven.state("idle");
    let rest = timeline(driven, next, "Compacted.");
    assert!(kinds(&rest).contains(&"compaction"), "{rest}");
    assert!(!rest.to_string().contains("I have seen it."), "{rest}");
}
