//! `--tls`: the ports of the hub and of a session, with clients that others wrote and with coop's own.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use coop_e2e::program::client;
use coop_testkit::{Coop, Meeting, TestHub, coop};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(30);

fn state(home: &Path) -> PathBuf {
    home.join(".local/state/coop")
}

/// The certificate that coop made, without its key.
fn certificate(home: &Path) -> PathBuf {
    let both = state(home).join("tls.pem");
    assert_eq!(fs::metadata(&both).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(both).unwrap();
    let path = home.join("certificate.pem");
    fs::write(&path, &text[..text.find("-----BEGIN PRIVATE").unwrap()]).unwrap();
    path
}

/// What a line of the hub or of a log says the digest is.
fn pin(said: &str) -> String {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_hexdigit).collect::<String>();
    said.split("sha256").skip(1).map(|rest| digits(rest.trim_start_matches(['=', '"', ':']))).next().unwrap()
}

#[track_caller]
fn printed(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{err}\n{out}");
    out.into_owned()
}

#[test]
fn a_hub_with_a_certificate_that_it_makes() {
    let home = tempfile::tempdir().unwrap();
    let mut hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0", "--tls"]);
    let (port, pin) = (hub.port().unwrap(), pin(&hub.said[1]));
    assert!(hub.said[1].starts_with(&format!("The hub listens on https://127.0.0.1:{port};")), "{:?}", hub.said);
    let certificate = certificate(home.path());
    let token = fs::read_to_string(state(home.path()).join("hub.token")).unwrap();

    // Python makes the handshake, logs in as a browser does, and opens a WebSocket with what it got.
    let mut python = client("tls.py");
    let told: Value = serde_json::from_str(&printed(
        &python.arg(port.to_string()).arg(&certificate).arg(token.trim()).output().unwrap(),
    ))
    .unwrap();
    assert_eq!(told["sha256"], pin, "{told:#}");
    assert_eq!(told["alpn"], "h2", "{told:#}");
    let cookie = told["cookie"].as_str().unwrap();
    assert!(cookie.contains("; Secure") && cookie.contains(&format!("coop-{port}=")), "{cookie}");
    assert_eq!((&told["ws"], &told["app"]["scope"]), (&json!("hello"), &json!("admin")), "{told:#}");

    // curl, over HTTP/2, with the cookie that was set over HTTP/1.
    let pair = cookie.split(';').next().unwrap();
    let url = |scheme: &str, path: &str| format!("{scheme}://localhost:{port}{path}");
    let curl = |arguments: &[&str]| {
        let mut command = Command::new("curl");
        command.args(["-sS", "--max-time", "20", "--cacert"]).arg(&certificate).args(arguments).output().unwrap()
    };
    let version = printed(&curl(&["-o", "/dev/null", "-w", "%{http_version}", &url("https", "/")]));
    assert_eq!(version, "2");
    let key = format!("Coop-Key: {}", told["app"]["key"].as_str().unwrap());
    let about = printed(&curl(&["-H", &format!("Cookie: {pair}"), "-H", &key, &url("https", "/app.json")]));
    assert_eq!(serde_json::from_str::<Value>(&about).unwrap()["scope"], "admin", "{about}");

    // Without TLS there is an end that says so, and nothing else.
    let plain = printed(&curl(&["-w", " %{http_code}", &url("http", "/api/v1/sessions")]));
    assert!(plain.contains("This port speaks TLS") && plain.ends_with(" 400"), "{plain}");
    let mut raw = TcpStream::connect(("127.0.0.1", port)).unwrap();
    raw.set_read_timeout(Some(LIMIT)).unwrap();
    raw.write_all(b"\x16 this is no handshake, though it begins as one").unwrap();
    let mut said = Vec::new();
    // It is closed, with an alert of TLS or without.
    let _ = raw.read_to_end(&mut said);
    assert!(!said.starts_with(b"HTTP"), "{said:?}");

    // coop itself: by the digest, or by what the system trusts.
    let ask = |address: &str, roots: Option<&Path>| {
        let mut command = hub.command();
        command.args(["sessions", "--json", "--hub", address]).env("COOP_AUTH_TOKEN", token.trim());
        command.envs(roots.map(|roots| ("SSL_CERT_FILE", roots)));
        let output = command.output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let here = format!("https://127.0.0.1:{port}");
    assert_eq!(ask(&format!("{here}#sha256={pin}"), None), (true, String::new()));
    assert_eq!(ask(&url("https", ""), Some(&certificate)), (true, String::new()));
    let other = pin.replace(|c: char| c.is_ascii_digit(), "a");
    for (address, words) in [
        (format!("{here}#sha256={other}"), "another certificate"),
        (here.clone(), "trust"),
        (format!("http://127.0.0.1:{port}"), "This port speaks TLS"),
        (format!("{here}#sha256=12"), "digest of a certificate"),
    ] {
        let (fine, said) = ask(&address, None);
        assert!(!fine && said.contains(words), "{address}: {said}");
    }

    // A link for phones says https, and a sidecar of another machine calls over it.
    let link = hub.does(&["pair", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&link).unwrap()["address"], here, "{link}");
    let mut command = Command::new(coop::binary());
    command.arg("--socket").arg(home.path().join("far.sock")).args(["--hub-host", "far", "--hub-url"]);
    command.arg(format!("{here}#sha256={pin}")).env("COOP_HUB_TOKEN", token.trim());
    let _sidecar = Coop::run({
        command.args(["--", "sh", "-c", "echo there; sleep 1000"]);
        command
    });
    let session = hub.session("a program of another machine", |session| session["host"] == "far");
    let screen = format!("/api/v1/sessions/{}/screen", session["id"]);
    hub.until(&screen, "what it prints", |screen| (screen["lines"][0] == "there").then_some(()));

    // It stays the same one.
    hub.crash();
    assert!(hub.said[1].ends_with(&format!("sha256={pin}")), "{:?}", hub.said);
}

#[test]
fn a_session_with_a_certificate_that_it_makes() {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(coop::binary());
    command.args([
        "--port",
        "0",
        "--grpc-port",
        "0",
        "--health-port",
        "0",
        "--tls",
        "--log-format",
        "text",
        "--socket",
    ]);
    command.arg(home.path().join("s.sock")).env("HOME", home.path()).env_remove("XDG_STATE_HOME");
    command.args(["--", "sh", "-c", "stty -echo; printf \"$COOP_URL \"; while read line; do printf \"<$line>\"; done"]);
    let session = Coop::run(command);
    let log = &session.log_so_far;
    let (pin, certificate) = (pin(log), certificate(home.path()));
    let port = |before: &str| {
        let line = log.lines().find(|line| line.contains(before)).unwrap_or_else(|| panic!("{before} in {log}"));
        let digits = line.rsplit("127.0.0.1:").next().unwrap();
        digits.chars().take_while(char::is_ascii_digit).collect::<String>()
    };
    let (http, grpc) = (port("serves=\"http\" address=\"https:"), port("serves=\"grpc\" address=\"https:"));
    // Probes are asked without.
    let health = port("serves=\"health\" address=\"http:");
    let ready =
        Command::new("curl").args(["-sS", "--max-time", "20", &format!("http://127.0.0.1:{health}/livez")]).output();
    printed(&ready.unwrap());

    for port in [&http, &grpc] {
        let output = client("reflection.py").arg(format!("localhost:{port}")).arg("hello").arg(&certificate).output();
        let report: Value = serde_json::from_str(&printed(&output.unwrap())).unwrap();
        let screen = report["screen"].to_string();
        assert!(screen.contains("<hello>") && screen.contains(&format!("https://127.0.0.1:{http}")), "{screen}");
    }
    let mut screen = Command::new(coop::binary());
    screen.args(["screen", "-s", &format!("https://127.0.0.1:{http}#sha256={pin}")]).env("HOME", home.path());
    assert!(printed(&screen.output().unwrap()).contains("<hello>"));
}

#[test]
fn what_is_wrong_is_said_before_anything_listens() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    fs::write(home.path().join("empty"), "").unwrap();
    for (arguments, words) in [
        (&["hub", "--port", "0", "--tls-cert", "none", "--tls-key", "empty"][..], "none cannot be read"),
        (&["hub", "--port", "0", "--tls-cert", "empty", "--tls-key", "empty"], "empty has no certificate"),
        (&["hub", "--port", "0", "--tls-cert", "empty"], "--tls-key"),
        (&["hub", "--tls"], "on a port"),
        (&["--tls", "--", "true"], "on a port"),
        (&["--tls", "--port", "0", "--socket", "none", "--", "true"], "needs the socket"),
        (&["--port", "0", "--tls-cert", "empty", "--tls-key", "empty", "--", "true"], "empty has no certificate"),
    ] {
        let mut command = hub.command();
        let arguments = arguments.iter().copied();
        // Another hub, so that it is not for this one that it does not start.
        let other = ["--socket", "other.sock", "--ledger", "other.db"];
        let is_hub = arguments.clone().next() == Some("hub");
        let output = command.args(arguments.clone()).args(other.iter().filter(|_| is_hub)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let arguments: Vec<&str> = arguments.collect();
        assert!(!output.status.success() && said.contains(words), "{arguments:?}: {said}");
        assert!(!home.path().join("other.sock").exists(), "{arguments:?}");
    }
}
