//! Many messages from many callers at once: what each caller was told, held against what the agent took.
//!
//! What was taken is the agent's own word, from its hooks, and the model's: what it was asked. A message may be taken
//! once and its caller told so, or not taken and its caller told why; anything else is wrong.

mod tally;
mod texts;

use std::time::{Duration, Instant};

use coop_api::{Problem, v1};
use coop_testkit::{Kind, Options, TestSession};
use futures_util::future::join_all;
use serde_json::{Value, json};

pub use tally::Tally;
use texts::text;

use crate::{Address, Everywhere, Transport};

/// All at once.
const CALLERS: usize = 8;
/// A caller that is refused because the agent is busy tries again when it is idle, so often.
const TRIES: usize = 3;
/// A message waits for its turn behind those of all other callers. With the time it may take to be delivered, less than
/// what a request may take.
const QUEUE_SECS: u64 = 12;
/// For an agent that is being told something to begin with it.
const WORKING_SECS: u64 = 2;
/// For one that is idle after all that was said to it.
const IDLE_SECS: u64 = 20;

/// What a person begins to write.
const DRAFT: &str = "half of it";
/// Takes back all that was typed.
const CLEAR: &str = "Ctrl-U";
/// What a person looks at half a message for.
const THINKS: Duration = Duration::from_millis(700);

/// Says `count` messages to one agent, while somebody types at its terminal or not. The texts are those from the number
/// `first` on.
#[must_use]
pub fn soak(version: &str, first: usize, count: usize, with_person: bool) -> Tally {
    let session = TestSession::launch(Kind::Claude, version, "user again\n  say: Taken.\n", &Options::default());
    let idle = |state: &Value| state["state"] == "idle";
    session.wait_json("/api/v1/agent/state", "idle", idle);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let begin = Instant::now();
    let said = runtime.block_on(async {
        tokio::select! {
            said = callers(&session, first, count) => said,
            () = person(&session), if with_person => Vec::new(),
        }
    });
    // What was being typed when all had been said.
    session.press(CLEAR);
    let took = begin.elapsed();
    session.wait_json("/api/v1/agent/state", "idle after all of it", idle);
    let mut tally = Tally::new(version, said, took, &session.agent);
    if let Some(wrong) = tally.wrong.last_mut() {
        // All there is to see, for whoever reads it.
        wrong.push_str(&format!("\n{session}"));
    }
    tally
}

/// One try to say something, and what became of it.
#[derive(Debug)]
pub struct Said {
    pub text: String,
    pub when: &'static str,
    pub transport: Transport,
    pub reply: Result<Value, Problem>,
    pub took: Duration,
}

/// Somebody at the terminal who begins to write something, thinks, and takes it back, again and again. It must never
/// become part of a message, nor go with one.
async fn person(session: &TestSession) {
    let type_in = |text: &str| {
        let request = v1::SendInputRequest { text: text.to_owned(), enter: false, paste: false, lease: None };
        async move { session.client.input(&request).await.unwrap() }
    };
    for pause in (1..).map(|turn| THINKS * (turn % 4)) {
        tokio::time::sleep(pause).await; // tidy: a person is not always at it
        for letter in DRAFT.chars() {
            type_in(&letter.to_string()).await;
        }
        tokio::time::sleep(THINKS).await; // tidy: what was typed stands there for a while
        let keys = v1::SendKeysRequest { keys: vec![CLEAR.to_owned()], lease: None };
        session.client.keys(&keys).await.unwrap();
    }
}

async fn callers(session: &TestSession, first: usize, count: usize) -> Vec<Said> {
    let address = Address::Unix(session.socket.clone());
    let callers = (0..CALLERS).map(|caller| {
        let address = address.clone();
        async move {
            let mut clients = Everywhere::at(&address).await;
            let mut said = Vec::new();
            for number in (first..first + count).skip(caller).step_by(CALLERS) {
                said.extend(say(&mut clients, number).await);
            }
            said
        }
    });
    join_all(callers).await.into_iter().flatten().collect()
}

/// Says one message, over one transport, in one of the ways there are.
async fn say(clients: &mut Everywhere, number: usize) -> Vec<Said> {
    let text = text(number);
    // All of a round in one way, so that those who do not queue compete with their like.
    let when = if number / CALLERS % 3 == 1 { "idle-only" } else { "idle" };
    let transport = Transport::ALL[number / CALLERS % Transport::ALL.len()];
    let mut said = Vec::new();
    for _ in 0..TRIES {
        let begin = Instant::now();
        let request = json!({ "type": "nudge", "message": text, "when": when, "timeout_secs": QUEUE_SECS });
        let reply = clients.ask(transport, &request).await;
        let refused = reply.is_err();
        said.push(Said { text: text.clone(), when, transport, reply, took: begin.elapsed() });
        if !refused {
            break;
        }
        for (state, secs) in [("working", WORKING_SECS), ("idle", IDLE_SECS)] {
            let wait = json!({ "type": "wait", "state": state, "timeout": secs });
            clients.ask(transport, &wait).await.unwrap();
        }
    }
    said
}
