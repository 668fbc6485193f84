//! `coop mcp`: the fleet for an agent. By hand, and for the real Claude Code.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use coop_testkit::{Coop, Meeting, TestHub, coop};
use serde_json::{Value, json};

use crate::wire::happens;
use crate::{Beside, VERSIONS};

/// Somebody who speaks the protocol by hand. The server ends with its input.
struct ByHand {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl ByHand {
    fn start(hub: &TestHub, arguments: &[&str]) -> Self {
        let mut command = hub.command();
        command.arg("mcp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let (input, output) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
        let mut client = Self { server, input, output, last: 0 };
        let about = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about });
        let said = client.ask("initialize", &hello);
        assert_eq!(said["result"]["serverInfo"]["name"], "coop", "{said}");
        assert!(said["result"]["capabilities"]["tools"].is_object(), "{said}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended");
            let said: Value = serde_json::from_str(&line).unwrap();
            if said["id"] == self.last {
                return said;
            }
        }
    }

    fn tools(&mut self) -> Vec<String> {
        let said = self.ask("tools/list", &json!({}));
        let tools = said["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// What a tool says, and whether it went well.
    fn call(&mut self, tool: &str, arguments: &Value) -> (String, bool) {
        let said = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let text = said["result"]["content"][0]["text"].as_str();
        (text.unwrap_or_else(|| panic!("{said}")).to_owned(), said["result"]["isError"] != true)
    }

    fn end(self) {
        let Self { mut server, input, .. } = self;
        drop(input);
        assert!(server.wait().unwrap().success());
    }
}

#[test]
fn a_conversation_by_hand() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    happens(&hub, "session_start");
    let mut command = hub.command();
    command.args(["--name", "shown", "--", "sh", "-c", "echo on the screen; exec sleep 1000"]);
    let _sidecar = Coop::run(command);
    let owned = hub.session("the sidecar", |session| session["control"] == "owned")["id"].clone();

    let mut looks = ByHand::start(&hub, &[]);
    let tools = looks.tools();
    assert!(tools.contains(&"read_screen".into()) && !tools.contains(&"answer".into()), "{tools:?}");
    let (said, well) = looks.call("list_sessions", &json!({}));
    assert!(well && said.contains("\"s1\"") && said.contains("owned"), "{said}");
    let (said, well) = looks.call("session_state", &json!({ "session": "s1" }));
    assert!(well && said.contains("hooked"), "{said}");
    // What the program has written by now is on the screen as soon as it is read.
    let seen = (0..)
        .map(|_| looks.call("read_screen", &json!({ "session": owned })).0)
        .find(|said| said.contains("on the screen"));
    assert!(seen.is_some());
    let (said, well) = looks.call("read_screen", &json!({ "session": "s1" }));
    assert!(!well && said.contains("has no sidecar"), "{said}");
    for (tool, arguments) in [
        ("read_screen", json!({ "session": "../rules" })),
        ("read_screen", json!({})),
        ("answer", json!({ "prompt": 1, "accept": true })),
        ("nudge", json!({ "session": owned, "message": "hi" })),
        ("nothing", json!({})),
    ] {
        let (said, well) = looks.call(tool, &arguments);
        assert!(!well, "{tool} {arguments}: {said}");
    }
    looks.end();

    let mut answers = ByHand::start(&hub, &["--scope", "answer"]);
    assert!(!answers.tools().contains(&"nudge".into()));
    let params = json!({ "session_id": "s1", "tool_name": "Bash", "tool_input": { "command": "ls" } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": params });
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| hub.post("/rpc", &call).unwrap());
        let id = hub.prompt("the request", |_| true)["id"].clone();
        let (said, well) = answers.call("list_prompts", &json!({}));
        assert!(well && said.contains("\"ls\""), "{said}");
        let (said, well) = answers.call("answer", &json!({ "prompt": id, "accept": false, "text": "not now" }));
        assert!(well && said.contains("\"delivered\": true"), "{said}");
        let decided = asking.join().unwrap();
        assert_eq!(decided["result"]["decision"], "deny", "{decided}");
        let (said, well) = answers.call("answer", &json!({ "prompt": id, "accept": true }));
        assert!(!well && said.contains("answered already"), "{said}");
    });
    let (said, well) = answers.call("search", &json!({ "words": "not now" }));
    assert!(well && said.contains("prompt"), "{said}");
    // A hub that is gone is said, and found when it is there again.
    hub.does(&["hub", "--stop"]);
    let (said, well) = answers.call("list_sessions", &json!({}));
    assert!(!well && said.contains("No hub is running"), "{said}");
    answers.end();
}

/// Claude Code connects in the background: a tool that is not there yet is tried again.
const SCENARIO: &str = r#"
user: look around
  tool mcp__coop__nothing: {}
result again: No such tool
  pause: 200ms
  tool mcp__coop__list_sessions: {}
result: observed
  tool mcp__coop__search: {"words": "look around"}
result: complete
  say: I have seen myself.
"#;

#[test]
fn claude_code_sees_the_fleet() {
    for version in VERSIONS {
        let server = json!({ "command": coop::binary(), "args": ["mcp"] });
        let config = json!({ "mcpServers": { "coop": server } }).to_string();
        let tools = "mcp__coop__list_sessions,mcp__coop__search";
        let args = ["--mcp-config", &config, "--strict-mcp-config", "--allowedTools", tools];
        let beside = Beside::launch(version, SCENARIO, false, &args);
        beside.bench.submit("look around");
        let end = beside.hub.session("the end of the turn", |session| {
            session["state"] == "idle" && session["last_message"].is_string()
        });
        beside.bench.finish();
        assert_eq!(end["last_message"], "I have seen myself.");
    }
}
