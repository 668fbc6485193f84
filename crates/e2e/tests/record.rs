//! Recordings: written while the program runs, read by the asciinema of others, and painting the same screen.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use coop_e2e::program::python;
use coop_terminal::cast::{Event, Reader};
use coop_terminal::{Options, Screen, Size};
use coop_testkit::coop::{Coop, binary};

/// Colours, wide and combined characters, a torn one, the other screen, and a program that ends by itself.
const SCRIPT: &str = "stty -echo; printf 'ready\\r\\n'; read go; seq 1 60; printf '\\033[?1049hother\\033[?1049l'; \
    printf '\\033[1;31mred\\033[m \\344\\270\\255 e\\314\\201 \\360\\237'; printf '\\246\\200\\r\\n'; printf 'end'; exit 3";

fn run(socket: &Path, args: &[&str]) -> String {
    let output = Command::new(binary()).args(args).arg("-s").arg(socket).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < end, "waited in vain for {what}");
        std::thread::yield_now();
    }
}

/// What the output of a recording paints.
fn painted(size: Size, pieces: impl IntoIterator<Item = Vec<u8>>) -> Vec<String> {
    let mut screen = Screen::new(size, Options::default());
    for piece in pieces {
        screen.feed(&piece).unwrap();
    }
    screen.text(0)
}

fn check(format: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (socket, cast) = (folder.path().join("a.sock"), folder.path().join("a.cast"));
    let flags = ["--linger", "--cols", "60", "--rows", "10", "--socket", socket.to_str().unwrap()];
    let _coop = Coop::start(flags, SCRIPT);
    until("the program to be ready", || run(&socket, &["screen"]).contains("ready"));
    let mut record = Command::new(binary());
    record.args(["record", "--format", format, "-o", cast.to_str().unwrap(), "-s", socket.to_str().unwrap()]);
    let mut record = record.stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(record.stderr.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().starts_with("Recording"));
    // The picture it begins with is in the file, so that nothing is missed from here on.
    until("the picture to be recorded", || std::fs::read_to_string(&cast).unwrap().contains("ready"));
    run(&socket, &["input", "go", "--enter"]);
    assert!(record.wait().unwrap().success());
    assert!(said.next().unwrap().unwrap().starts_with("The program has exited"));

    let shown: Vec<String> = run(&socket, &["screen"]).lines().map(str::to_owned).collect();
    let text = std::fs::read_to_string(&cast).unwrap();
    let mut lines = text.lines();
    let mut reader = Reader::new(lines.next().unwrap()).unwrap();
    let events: Vec<Event> = lines.filter_map(|line| reader.line(line).unwrap()).map(|(_, event)| event).collect();
    let outputs = events.iter().filter_map(|event| match event {
        Event::Output(text) => Some(text.clone().into_bytes()),
        _ => None,
    });
    let replayed = painted(reader.head.size, outputs);
    let same = |painted: &[String]| painted.iter().zip(&shown).all(|(one, other)| one.trim_end() == other.trim_end());
    assert!(
        same(&replayed) && replayed.iter().any(|line| line.contains("red 中 e\u{301} 🦀")),
        "{replayed:#?}\n{shown:#?}"
    );
    assert_eq!(events.last() == Some(&Event::Exit(3)), format == "3", "{events:?}");

    let played = Command::new(binary()).args(["play", "--speed", "1000", cast.to_str().unwrap()]).output().unwrap();
    assert!(same(&painted(reader.head.size, [played.stdout])), "by our own player");
    let torn = folder.path().join("torn.cast");
    for (rest, plays) in [("[9.0, \"o\", \"h", true), ("[9.0, \"o\", \"h\n[9.0, \"o\", \"\"]\n", false)] {
        std::fs::write(&torn, format!("{text}{rest}")).unwrap();
        let played = Command::new(binary()).args(["play", "--speed", "1000", torn.to_str().unwrap()]).output().unwrap();
        assert!(same(&painted(reader.head.size, [played.stdout])), "up to where it is torn");
        assert_eq!(played.status.success(), plays, "{}", String::from_utf8_lossy(&played.stderr));
    }
    // The one on PyPI does not read version 3.
    if format == "2" {
        assert!(same(&painted(reader.head.size, [asciinema(&cast)])), "by asciinema's");
    }
}

/// What the player of others prints.
#[track_caller]
fn asciinema(cast: &Path) -> Vec<u8> {
    let mut cat = Command::new(python());
    let cat = cat.args(["-m", "asciinema", "cat"]).arg(cast).env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    let Output { status, stdout, stderr } = cat.output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    stdout
}

/// A session in a folder of its own.
fn session(folder: &Path, script: &str) -> (Coop, PathBuf) {
    let socket = folder.join("a.sock");
    let mut command = Command::new(binary());
    command.args(["--linger", "--cols", "60", "--rows", "10", "--port", "0", "--name", "a", "--socket"]).arg(&socket);
    command.args(["--", "/bin/sh", "-c", script]).env("XDG_STATE_HOME", folder);
    (Coop::run(command), socket)
}

fn events(cast: &Path) -> (Size, Vec<Event>) {
    let text = std::fs::read_to_string(cast).unwrap();
    let mut lines = text.lines();
    let mut reader = Reader::new(lines.next().unwrap()).unwrap();
    let events = lines.filter_map(|line| reader.line(line).unwrap()).map(|(_, event)| event).collect();
    (reader.head.size, events)
}

fn outputs(events: &[Event]) -> Vec<Vec<u8>> {
    let output = |event: &Event| match event {
        Event::Output(text) => Some(text.clone().into_bytes()),
        _ => None,
    };
    events.iter().filter_map(output).collect()
}

const ASKS: &str = "printf 'name: '; read name; stty -echo; printf 'password: '; read secret; stty echo; \
    printf '\\r\\nthanks %s\\r\\n' \"$name\"; read last; printf 'end'; exit 0";

/// What is typed is recorded on request, and never while the terminal does not show it.
#[test]
fn typed_input_is_recorded_on_request_and_no_password() {
    let folder = tempfile::tempdir().unwrap();
    let (coop, socket) = session(folder.path(), ASKS);
    until("a question", || run(&socket, &["screen"]).contains("name:"));
    let url =
        coop.log_so_far.lines().find_map(|line| Some(line.split_once("http://")?.1.split('"').next()?.to_owned()));
    let url = format!("http://{}/api/v1/recording?from=now", url.unwrap());
    let downloads = ["with", "without"].map(|name| folder.path().join(name));
    let mut curls: Vec<_> = ["&input=true", ""]
        .iter()
        .zip(&downloads)
        .map(|(more, to)| Command::new("curl").args(["-sSN", &format!("{url}{more}"), "-o"]).arg(to).spawn().unwrap())
        .collect();
    for download in &downloads {
        until("a download", || std::fs::read_to_string(download).unwrap_or_default().contains("name:"));
    }
    let path = PathBuf::from(run(&socket, &["record", "--detach", "--input", "--from-start"]).trim());
    assert!(path.starts_with(folder.path().join("coop/recordings")), "{}", path.display());
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let again = Command::new(binary()).args(["record", "--detach", "-s"]).arg(&socket).output().unwrap();
    assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("already"));
    run(&socket, &["input", "visible", "--enter"]);
    until("the password's question", || run(&socket, &["screen"]).contains("password:"));
    run(&socket, &["input", "hunter2", "--enter"]);
    until("thanks", || run(&socket, &["screen"]).contains("thanks visible"));
    run(&socket, &["input", "after", "--enter"]);
    assert!(curls.iter_mut().all(|curl| curl.wait().unwrap().success()), "they end with the program");
    until("the end of the recording", || {
        // It ended with the program; to end it says where it is.
        std::fs::read_to_string(&path).unwrap().contains("end") && run(&socket, &["record", "--stop"]).contains("a-")
    });
    let shown: Vec<String> = run(&socket, &["screen"]).lines().map(str::to_owned).collect();
    for (cast, typed) in [(&path, true), (&downloads[0], true), (&downloads[1], false)] {
        let text = std::fs::read_to_string(cast).unwrap();
        assert!(!text.contains("hunter2"), "{text}");
        let (size, events) = events(cast);
        let inputs: String = events
            .iter()
            .filter_map(|event| match event {
                Event::Input(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(inputs, if typed { "visible\rafter\r" } else { "" }, "{text}");
        for painted in [painted(size, outputs(&events)), painted(size, [asciinema(cast)])] {
            let same = painted.iter().zip(&shown).all(|(one, other)| one.trim_end() == other.trim_end());
            assert!(same && painted.iter().any(|line| line.contains("thanks")), "{painted:#?}\n{shown:#?}");
        }
    }
    let none = Command::new(binary()).args(["record", "--input", "-s"]).arg(&socket).output().unwrap();
    assert!(String::from_utf8_lossy(&none.stderr).contains("--detach"), "{none:?}");
}

/// A program that reads key by key, as agents do, shows what it likes: it hides nothing.
#[test]
fn what_is_typed_key_by_key_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let script = "stty raw -echo; printf ready; head -c 3 >/dev/null; stty sane -echo; printf hidden; read go; printf end; read go";
    let (_coop, socket) = session(folder.path(), script);
    until("the program to be ready", || run(&socket, &["screen"]).contains("ready"));
    let path = PathBuf::from(run(&socket, &["record", "--detach", "--input"]).trim());
    run(&socket, &["input", "abc"]);
    until("lines that are not shown", || run(&socket, &["screen"]).contains("hidden"));
    run(&socket, &["input", "hunter2", "--enter"]);
    until("the end", || run(&socket, &["screen"]).contains("end"));
    run(&socket, &["record", "--stop"]);
    let inputs: Vec<Event> = events(&path).1.into_iter().filter(|event| matches!(event, Event::Input(_))).collect();
    assert_eq!(inputs, [Event::Input("abc".into())]);
}

/// A session that ends takes the end of what it records with it.
#[test]
fn the_end_is_in_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("a.sock");
    let mut command = Command::new(binary());
    command.args(["--name", "a", "--socket"]).arg(&socket).env("XDG_STATE_HOME", folder.path());
    command.args(["--", "/bin/sh", "-c", "printf 'ready'; read go; seq 1 5000; printf 'the end'; exit 3"]);
    let mut coop = Coop::run(command);
    until("the program to be ready", || run(&socket, &["screen"]).contains("ready"));
    let path = PathBuf::from(run(&socket, &["record", "--detach", "--format", "3"]).trim());
    run(&socket, &["input", "go", "--enter"]);
    assert_eq!(coop.process.wait().unwrap().code(), Some(3));
    let (_, events) = events(&path);
    assert_eq!(events.last(), Some(&Event::Exit(3)), "{:?}", events.last());
    let text: String = outputs(&events).into_iter().map(|piece| String::from_utf8(piece).unwrap()).collect();
    assert!(text.contains("5000") && text.ends_with("the end"), "{}", &text[text.len().saturating_sub(200)..]);
}

/// The process that serves dies, and another takes over: the recording goes on with each.
#[test]
#[cfg(target_os = "linux")]
fn a_recording_goes_on_with_the_next_process() {
    for format in ["2", "3"] {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("a.sock");
        let mut command = Command::new(binary());
        command.args(["--survive", "--name", "a", "--socket"]).arg(&socket).env("XDG_STATE_HOME", folder.path());
        let script = "for word in first second third; do echo $word; read go; done; printf 'the end'; exit 3";
        command.args(["--", "/bin/sh", "-c", script]);
        let mut coop = Coop::run(command);
        until("the program to be ready", || run(&socket, &["screen"]).contains("first"));
        let path = PathBuf::from(run(&socket, &["record", "--detach", "--format", format]).trim());
        let in_file = |what: &str| until(what, || std::fs::read_to_string(&path).unwrap().contains(what));
        in_file("first");
        let program =
            serde_json::from_str::<serde_json::Value>(&run(&socket, &["status", "--json"])).unwrap()["pid"].to_string();
        let server = Command::new("ps").args(["-o", "ppid=", "-p", &program]).output().unwrap().stdout;
        let server =
            rustix::process::Pid::from_raw(String::from_utf8(server).unwrap().trim().parse().unwrap()).unwrap();
        rustix::process::kill_process(server, rustix::process::Signal::KILL).unwrap();
        in_file("another process serves it");
        run(&socket, &["resize", "60", "20"]);
        run(&socket, &["input", "one", "--enter"]);
        in_file("second");
        run(&socket, &["upgrade"]);
        let again = Command::new(binary()).args(["record", "--detach", "-s"]).arg(&socket).output().unwrap();
        assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("already"), "{again:?}");
        run(&socket, &["input", "two", "--enter"]);
        in_file("third");
        run(&socket, &["input", "three", "--enter"]);
        assert_eq!(coop.process.wait().unwrap().code(), Some(3));
        let (size, events) = events(&path);
        let marked =
            events.iter().filter(|event| matches!(event, Event::Marker(said) if said == "another process serves it"));
        assert_eq!(marked.count(), 2, "{events:?}");
        assert_eq!(events.last() == Some(&Event::Exit(3)), format == "3", "{:?}", events.last());
        assert!(events.iter().any(|event| matches!(event, Event::Resize(size) if size.cols() == 60)), "{events:?}");
        let mut players = vec![outputs(&events)];
        // The one on PyPI does not read version 3.
        if format == "2" {
            players.push(vec![asciinema(&path)]);
        }
        for pieces in players {
            let painted = painted(size, pieces);
            let lines: Vec<&str> = painted.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty()).collect();
            assert_eq!(lines, ["first", "one", "second", "two", "third", "three", "the end"], "version {format}");
        }
    }
}

/// Of a recording with a size the oldest goes, it says so, and what is left plays by itself.
#[test]
fn a_recording_stays_below_its_size() {
    const LINES: u32 = 150_000;
    let script = format!(
        "stty -echo; printf 'ready\\r\\n'; read go; seq -f 'line %.0f of the many that are printed here' 1 {LINES}; \
         printf 'end'; read more"
    );
    let folder = tempfile::tempdir().unwrap();
    let (_coop, socket) = session(folder.path(), &script);
    until("the program to be ready", || run(&socket, &["screen"]).contains("ready"));
    let own = PathBuf::from(run(&socket, &["record", "--detach", "--max-size", "1"]).trim());
    let cast = folder.path().join("b.cast");
    let mut record = Command::new(binary());
    record.args(["record", "--format", "3", "--max-size", "1", "--prune", "-o"]).arg(&cast).arg("-s").arg(&socket);
    let mut record = record.stderr(Stdio::null()).spawn().unwrap();
    until("the picture to be recorded", || std::fs::read_to_string(&cast).unwrap_or_default().contains("ready"));
    run(&socket, &["input", "go", "--enter"]);
    until("the end", || run(&socket, &["screen"]).contains("end"));
    for path in [&own, &cast] {
        until("the end in the recording", || std::fs::read_to_string(path).unwrap_or_default().contains("end"));
    }
    run(&socket, &["record", "--stop"]);
    rustix::process::kill_process(rustix::process::Pid::from_child(&record), rustix::process::Signal::INT).unwrap();
    assert!(record.wait().unwrap().success());
    let shown: Vec<String> = run(&socket, &["screen"]).lines().map(str::to_owned).collect();
    for path in [&own, &cast] {
        let len = std::fs::metadata(path).unwrap().len();
        assert!(len < 2 << 20, "{len} bytes of {}", path.display());
        let (size, events) = events(path);
        let pruned = matches!(events.first(), Some(Event::Marker(said)) if said.starts_with("pruned: "));
        assert!(pruned, "{:?}", events.first());
        let painted = painted(size, outputs(&events));
        let same = painted.iter().zip(&shown).all(|(one, other)| one.trim_end() == other.trim_end());
        assert!(same && painted.iter().any(|line| line.contains("150000")), "{painted:#?}\n{shown:#?}");
    }
    assert!(!asciinema(&own).is_empty());
}

/// What is kept can be downloaded when all is over, and what comes while it comes.
#[test]
fn a_download_paints_the_same_screen_and_has_times_and_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, cast, live) =
        (folder.path().join("a.sock"), folder.path().join("a.cast"), folder.path().join("b.cast"));
    let flags = ["--linger", "--cols", "60", "--rows", "10", "--port", "0", "--socket", socket.to_str().unwrap()];
    let coop = Coop::start(flags, SCRIPT);
    let url =
        coop.log_so_far.lines().find_map(|line| Some(line.split_once("http://")?.1.split('"').next()?.to_owned()));
    let url = format!("http://{}/api/v1/recording", url.unwrap());
    until("the program to be ready", || run(&socket, &["screen"]).contains("ready"));
    let mut curl = Command::new("curl");
    curl.args(["-sSN", &format!("{url}?from=now&version=3"), "-o", live.to_str().unwrap()]);
    let mut curl = curl.spawn().unwrap();
    until("the download to begin", || std::fs::read_to_string(&live).unwrap_or_default().contains("ready"));
    run(&socket, &["resize", "70", "12"]);
    // So that what comes then has another time.
    until("a moment", || {
        let status = run(&socket, &["status", "--json"]);
        serde_json::from_str::<serde_json::Value>(&status).unwrap()["uptime_secs"].as_i64() > Some(1)
    });
    run(&socket, &["input", "go", "--enter"]);
    assert!(curl.wait().unwrap().success(), "it ends with the program");
    run(&socket, &["record", "--so-far", "-o", cast.to_str().unwrap()]);
    let shown: Vec<String> = run(&socket, &["screen"]).lines().map(str::to_owned).collect();
    for (path, version) in [(&cast, 2), (&live, 3)] {
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = text.lines();
        let mut reader = Reader::new(lines.next().unwrap()).unwrap();
        assert_eq!((reader.head.size.cols(), reader.head.size.rows()), (60, 10), "{text}");
        let events: Vec<(Duration, Event)> = lines.filter_map(|line| reader.line(line).unwrap()).collect();
        let mut screen = Screen::new(reader.head.size, Options::default());
        for (_, event) in &events {
            match event {
                Event::Output(text) => screen.feed(text.as_bytes()).unwrap(),
                Event::Resize(size) => screen.resize(*size).unwrap(),
                _ => {}
            }
        }
        let painted = screen.text(0);
        let same = painted.iter().zip(&shown).all(|(one, other)| one.trim_end() == other.trim_end());
        assert!(same && painted.iter().any(|line| line.contains("red")), "{version}: {painted:#?}\n{shown:#?}");
        // The one on PyPI does not read version 3, nor sizes that change.
        if version == 2 {
            let played = asciinema(path);
            assert!(played.windows(3).any(|part| part == b"red"), "{}", String::from_utf8_lossy(&played));
        }
        let resized = events.iter().position(|(_, event)| matches!(event, Event::Resize(_))).unwrap();
        let last = events.iter().rfind(|(_, event)| matches!(event, Event::Output(_))).unwrap();
        assert!(last.0 > events[resized].0, "{events:?}");
        assert_eq!(events.last().unwrap().1 == Event::Exit(3), version == 3, "{events:?}");
    }
    let refused = Command::new("curl").args(["-s", &format!("{url}?version=9")]).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stdout).contains("BAD_REQUEST"));
}

#[test]
fn a_recording_paints_the_same_screen_in_version_2() {
    check("2");
}

#[test]
fn a_recording_paints_the_same_screen_in_version_3() {
    check("3");
}
