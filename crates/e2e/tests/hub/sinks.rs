//! Who is told of what is asked, besides browsers: a topic of ntfy, a webhook, the desktop, a command. Each for real, with
//! somebody on this machine in the place of the service.

use std::fs;
use std::io::{BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use coop_testkit::{Meeting, TestHub};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

/// What was sent to a service.
#[derive(Debug)]
struct Sent {
    path: String,
    headers: String,
    body: String,
}

/// A service that takes whatever is sent, and answers with a status.
struct Service {
    port: u16,
    status: Arc<AtomicU16>,
    sent: Receiver<Sent>,
}

impl Service {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (tell, sent) = channel();
        let status = Arc::new(AtomicU16::new(200));
        let answers = status.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (tell, answers) = (tell.clone(), answers.clone());
                std::thread::spawn(move || {
                    let mut reader = BufReader::new(stream);
                    // A connection may carry several.
                    while let Some(request) = request(&mut reader) {
                        let status = answers.load(Ordering::SeqCst);
                        let reply = format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n\r\n");
                        if tell.send(request).is_err() || reader.get_mut().write_all(reply.as_bytes()).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        Self { port, status, sent }
    }

    /// The next two, by their paths: they are sent at once.
    #[track_caller]
    fn two(&self) -> (Sent, Sent) {
        let mut both = [(); 2].map(|()| self.sent.recv_timeout(LIMIT).expect("something is sent"));
        both.sort_by(|one, other| one.path.cmp(&other.path));
        let [hook, topic] = both;
        assert_eq!((hook.path.as_str(), topic.path.as_str()), ("/hook", "/my-agents"));
        (hook, topic)
    }
}

fn request(reader: &mut impl std::io::BufRead) -> Option<Sent> {
    let (mut head, mut line) = (String::new(), String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        head += &line.to_ascii_lowercase();
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let path = head.split(' ').nth(1)?.to_owned();
    Some(Sent { path, headers: head, body: String::from_utf8_lossy(&body).into_owned() })
}

/// What the command of the settings was told, each thing in a line.
fn heard(home: &Path) -> Vec<Value> {
    let text = fs::read_to_string(home.join("heard")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What was put on the desktop: the words of `notify-send`.
fn shown(home: &Path) -> Vec<String> {
    fs::read_to_string(home.join("shown")).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn settle(home: &Path, service: &Service) {
    let settings = home.join(".config/coop");
    fs::create_dir_all(&settings).unwrap();
    let at = format!("http://127.0.0.1:{}", service.port);
    let text = format!(
        "[notify]\nntfy = '{at}/my-agents'\nwebhook = '{at}/hook'\ndesktop = true\n\
         command = ['sh', '-c', 'cat >> ~/heard; echo >> ~/heard']\n"
    );
    fs::write(settings.join("config.toml"), text).unwrap();
    let bin = home.join("bin");
    fs::create_dir(&bin).unwrap();
    let desktop = bin.join("notify-send");
    fs::write(&desktop, "#!/bin/sh\n[ ! -e ~/no-desktop ] && printf '%s|' \"$@\" >> ~/shown && echo >> ~/shown\n")
        .unwrap();
    fs::set_permissions(&desktop, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn everybody_who_is_named_is_told() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::start();
    settle(home.path(), &service);
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);

    assert_eq!(hub.does(&["notify", "test"]).trim(), "Told 4");
    let (hook, topic) = service.two();
    assert_eq!(topic.body, "This is a test: notifications arrive.");
    assert!(topic.headers.contains("title: coop\r\n") && topic.headers.contains("priority: high\r\n"), "{topic:?}");
    assert!(hook.headers.contains("content-type: application/json\r\n"), "{hook:?}");
    let told: Value = serde_json::from_str(&hook.body).unwrap();
    assert_eq!(told["type"], "test");
    assert_eq!(heard(home.path()), [told]);
    assert_eq!(shown(home.path()), ["--app-name=coop|--|coop|This is a test: notifications arrive.|"]);

    // What is asked is told to all of them, and that it is settled to those that read it.
    hub.post("/events", &json!({ "event_type": "session_start", "session_id": "s1", "cwd": "/srv/shöp" })).unwrap();
    let params = json!({ "session_id": "s1", "cwd": "/srv/shöp", "tool_name": "Bash",
        "tool_input": { "command": "--help | tee \u{202e}x" } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": params });
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| hub.post("/rpc", &call).unwrap());
        let (hook, topic) = service.two();
        let asked: Value = serde_json::from_str(&hook.body).unwrap();
        // It has a character that hides: it may be denied from there, and not allowed.
        let offered = (&asked["type"], &asked["yes_or_no"], &asked["deny"]);
        assert_eq!(offered, (&json!("asked"), &json!(false), &json!(true)), "{asked:#}");
        assert_eq!(topic.body, "--help | tee <U+202E>x");
        assert!(topic.headers.contains("title: sh?p wants to use bash\r\n"), "{}", topic.headers);
        hub.does(&["answer", &asked["prompt"].to_string(), "allow"]);
        assert_eq!(asking.join().unwrap()["result"]["decision"], "allow");
        let settled = service.sent.recv_timeout(LIMIT).unwrap();
        let settled: Value = serde_json::from_str(&settled.body).unwrap();
        assert_eq!((&settled["type"], &settled["prompt"]), (&json!("settled"), &asked["prompt"]));
    });
    // One after the other: what this waits for, the others have behind them.
    assert_eq!(hub.does(&["notify", "test"]).trim(), "Told 4");
    service.two();
    let kinds: Vec<Value> = heard(home.path()).iter().map(|told| told["type"].clone()).collect();
    assert_eq!(kinds, ["test", "asked", "settled", "test"]);
    assert_eq!(shown(home.path())[1], "--app-name=coop|--|shöp wants to use Bash|--help | tee <U+202E>x|");

    // Those that fail are not counted, and the others are told all the same.
    service.status.store(500, Ordering::SeqCst);
    fs::write(home.path().join("no-desktop"), "").unwrap();
    assert_eq!(hub.does(&["notify", "test"]).trim(), "Told 1");
    service.two();
}

/// A device that may only look says where it wants to be pushed to. It is no way to make the hub call an address.
#[test]
fn a_hub_is_made_to_call_nobody() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::start();
    let hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0"]);
    let keys = json!({ "p256dh": "BA", "auth": "AA" });
    for endpoint in [
        format!("http://127.0.0.1:{}/hook", service.port),
        format!("https://127.0.0.1:{}/hook", service.port),
        "https://169.254.169.254/latest/meta-data".into(),
        "https://example.org/x".into(),
    ] {
        let refused = hub.post("/api/v1/push/subscriptions", &json!({ "endpoint": endpoint, "keys": keys }));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("no address of a push service"), "{endpoint}: {refused}");
    }
    let known = json!({ "endpoint": "https://fcm.googleapis.com/fcm/send/x", "keys": keys });
    assert_eq!(hub.post("/api/v1/push/subscriptions", &known).unwrap()["subscribed"], true);
    // Nothing is sent there either: its keys are none.
    let said = hub.coop(&["notify", "test"]);
    assert!(String::from_utf8_lossy(&said.stderr).contains("Nobody was told"), "{said:?}");
    assert!(service.sent.try_recv().is_err());
}
