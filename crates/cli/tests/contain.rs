//! What an agent must not get at: tokens that coop processes have, and what only the operator may do on coop's sockets.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests may"
)]

mod common;

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use common::{COOP, LIMIT, Running, World, finish, shows, start};
use coop_api::client::{Client, Endpoint};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// Waits until `done`, which some process is about to make true.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !done() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::yield_now();
    }
}

/// Coop processes whose environment, arguments or memory files show `token` to other processes of the account.
fn leaks(token: &str) -> Vec<String> {
    let has = |bytes: &[u8]| bytes.windows(token.len()).any(|window| window == token.as_bytes());
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        if fs::read_to_string(entry.path().join("comm")).ok().as_deref() != Some("coop\n") {
            continue;
        }
        for part in ["environ", "cmdline"] {
            if fs::read(entry.path().join(part)).is_ok_and(|bytes| has(&bytes)) {
                found.push(format!("{part} of {pid}"));
            }
        }
        for fd in fs::read_dir(entry.path().join("fd")).into_iter().flatten().flatten() {
            let is_memory =
                fs::read_link(fd.path()).is_ok_and(|target| target.to_string_lossy().starts_with("/memfd:"));
            if is_memory && fs::read(fd.path()).is_ok_and(|bytes| has(&bytes)) {
                found.push(format!("{:?} of {pid}", fs::read_link(fd.path())));
            }
        }
    }
    found
}

/// Looks for leaks all the time, until it is asked what it has found.
struct Watch {
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<Vec<String>>,
}

impl Watch {
    fn new(token: &str) -> Self {
        let (stop, token) = (Arc::new(AtomicBool::new(false)), token.to_owned());
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut found = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                found.extend(leaks(&token));
            }
            found
        });
        Self { stop, thread }
    }

    fn found(self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// Children of a process, by their numbers.
fn children(parent: Pid) -> Vec<Pid> {
    let listed = Command::new("ps").args(["-o", "pid=", "--ppid", &parent.to_string()]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    listed.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
}

/// Its memory is closed: the system gives its files in /proc to root.
fn assert_closed(pid: Pid) {
    let owner = fs::metadata(format!("/proc/{pid}/mem")).unwrap().uid();
    if rustix::process::getuid().is_root() {
        eprintln!("as root it does not show whether the memory of process {pid} is closed");
    }
    assert_eq!(owner, 0, "the memory of process {pid} can be read");
}

#[test]
fn a_token_is_in_no_environment_and_no_argument() {
    let world = World::new();
    let folder = world.path().join("project");
    fs::create_dir(&folder).unwrap();
    for (number, flags) in [&[][..], &["--survive"], &["run", "--no-hub"]].into_iter().enumerate() {
        for by_flag in [false, true] {
            let token = format!("made-up-{number}-{by_flag}-b31f0c");
            let name = format!("s{number}{by_flag}");
            let as_flag = format!("--auth-token={token}");
            let mut args = flags.to_vec();
            args.extend(["--name", &name]);
            args.extend(by_flag.then_some(as_flag.as_str()));
            args.extend(["--", "sh", "-c", "echo \"[${COOP_AUTH_TOKEN-none}]\"; cat"]);
            let mut command = world.coop(&args);
            if !by_flag {
                command.env("COOP_AUTH_TOKEN", &token).env("COOP_HUB_TOKEN", &token);
            }
            let running = start(command);
            let client = Client::new(Endpoint::Unix(world.socket(&name)), Some(token.clone()));
            shows(&client, "[none]");
            assert_eq!(leaks(&token), Vec::<String>::new(), "{args:?}");
            assert_closed(running.pid());
        }
    }
}

/// The process that serves: the child of the holder that is a coop.
fn server(holder: Pid) -> Pid {
    let mut found = None;
    until("a process serves", || {
        let is_coop = |pid: &Pid| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "coop\n");
        found = children(holder).into_iter().find(is_coop);
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn the_successor_of_a_killed_server_shows_no_token() {
    let world = World::new();
    let token = "made-up-successor-77aa12";
    let mut command = world.coop(&["--survive", "--name", "kept", "--port", "0", "--", "sh", "-c", "echo ready; cat"]);
    command.env("COOP_AUTH_TOKEN", token);
    let mut running = start(command);
    let url = running.logged_url();
    let client = Client::new(url.parse().unwrap(), Some(token.into()));
    shows(&client, "ready");
    let watch = Watch::new(token);
    for _ in 0..2 {
        let old = server(running.pid());
        kill_process(old, Signal::KILL).unwrap();
        until("it is gone", || test_kill_process(old).is_err());
        shows(&client, "ready");
        assert_closed(server(running.pid()));
    }
    // `coop upgrade` starts another one too.
    let mut upgrade = world.coop(&["upgrade", "kept"]);
    upgrade.env("COOP_AUTH_TOKEN", token);
    let client_of = |line: &String| !line.contains("environ");
    let done = finish(upgrade);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    shows(&client, "ready");
    // The upgrade itself was given the token in its environment, which it shows until it runs.
    let found: Vec<String> = watch.found().into_iter().filter(client_of).collect();
    assert_eq!(found, Vec::<String>::new());
    assert_eq!(leaks(token), Vec::<String>::new());
}

#[test]
fn a_token_that_was_made_up_by_coop_survives_in_memory() {
    let world = World::new();
    let args = ["--survive", "--welcome", "--name", "new", "--", "sh", "-c", "echo ready; cat"];
    let mut running = start(world.coop(&args));
    let said = common::reads_until(running.stdout.as_mut().unwrap(), " input -s ");
    let token = said.split("COOP_AUTH_TOKEN=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap().to_owned();
    assert!(token.len() > 20, "{said}");
    let watch = Watch::new(&token);
    let old = server(running.pid());
    kill_process(old, Signal::KILL).unwrap();
    until("another one serves", || server(running.pid()) != old);
    assert_eq!(watch.found(), Vec::<String>::new());
}

#[test]
fn a_hub_in_the_background_shows_no_token() {
    let world = World::new();
    let token = "made-up-hub-c0ffee";
    let mut command = world.coop(&["hub", "--daemon", "--port", "0"]);
    command.env("COOP_AUTH_TOKEN", token);
    let done = finish(command);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let pid = done.stdout.split("It is process ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
    let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
    assert_eq!(leaks(token), Vec::<String>::new());
    assert_closed(pid);
    let address = done.stdout.split("http://").nth(1).unwrap().split_whitespace().next().unwrap();
    let port = Client::new(format!("http://{address}").parse().unwrap(), Some(token.into()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(port.hub_version()).expect("the token counts");
    world.verb(&["hub", "--stop"]);
}

const CONTAINER: [&str; 6] = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];

/// Root in a container can read the environment of process 1, whatever that process has done about its memory.
#[test]
fn process_1_of_a_container_shows_no_token() {
    if !Command::new("unshare").args(CONTAINER).arg("true").output().is_ok_and(|tried| tried.status.success()) {
        eprintln!("unshare is not permitted here: coop as process 1 was not tested");
        return;
    }
    let world = World::new();
    let token = "made-up-container-5eed";
    let script =
        "tr '\\0' '\\n' < /proc/1/environ | grep -c . ; grep -l container-5 /proc/[0-9]*/environ; echo done; cat";
    // Only coop gets the token: `unshare` would show it for as long as it runs.
    let file = world.path().join("token");
    fs::write(&file, token).unwrap();
    let start_coop = format!("COOP_AUTH_TOKEN=$(cat {}) exec {COOP} --name one -- sh -c \"$1\"", file.display());
    let mut args = CONTAINER.to_vec();
    args.extend(["sh", "-c", &start_coop, "sh", script]);
    let command = world.command("unshare", &args);
    let _running = start(command);
    let client = Client::new(Endpoint::Unix(world.socket("one")), Some(token.into()));
    let screen = shows(&client, "done");
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines[0].parse::<u32>().unwrap() > 2, "the environment can be read: {screen}");
    assert_eq!(lines[1], "done", "{screen}");
}

/// A hub of this world.
fn hub(world: &World) -> Running {
    let running = common::spawn(world.coop(&["hub"]));
    until("the hub listens", || world.run(&["sessions"]).code == Some(0));
    running
}

/// How an agent runs a command. `@` stands for a script that runs it and leaves its output and its code in files.
const WAYS: [(&str, &str); 6] = [
    ("plain", "sh @"),
    ("setsid", "setsid -w sh @"),
    ("double fork", "(sh @ &)"),
    ("double fork, setsid", "(setsid sh @ &)"),
    ("no environment", "env -i PATH=\"$PATH\" HOME=\"$HOME\" XDG_RUNTIME_DIR=\"$XDG_RUNTIME_DIR\" sh @"),
    (
        "all of it",
        "(env -i PATH=\"$PATH\" HOME=\"$HOME\" XDG_RUNTIME_DIR=\"$XDG_RUNTIME_DIR\" setsid sh -c 'sleep 0.2; sh @ & exit' &)",
    ),
];

/// Runs `command` inside a session, in one of the ways; its output and its code.
fn inside(world: &World, session: &str, way: &str, command: &str) -> (String, i32) {
    let folder = tempfile::tempdir_in(world.path()).unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (out, code, script) = (file("out"), file("code"), file("script"));
    fs::write(&script, format!("({command}) > {out} 2>&1 < /dev/null\necho $? > {code}.part; mv {code}.part {code}\n"))
        .unwrap();
    let line = way.replace('@', &script);
    let line_file = file("line");
    fs::write(&line_file, line).unwrap();
    world.verb(&["input", "-s", session, "--enter", &format!(". {line_file}")]);
    until("it has run", || Path::new(&code).exists());
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    (text(&out), text(&code).trim().parse().unwrap())
}

/// Reads lines and runs them, as an agent runs tools. It is no agent that coop knows, and might be one.
const AGENT: [&str; 3] = ["bash", "-c", "PS1=; while read -r line; do eval \"$line\"; done"];

#[test]
fn an_agent_cannot_do_what_is_the_operators() {
    let world = World::new();
    let _hub = hub(&world);
    let agent = [&["--name", "agent", "--port", "0", "--"][..], &AGENT].concat();
    let mut running = world.start(&agent);
    let port = running.logged_url();
    let _other = world.start(&["--name", "other", "--", "bash", "--norc", "-i"]);
    until("both are on the board", || world.verb(&["sessions"]).matches("owned").count() == 2);
    let on_hub = format!("curl -sS --unix-socket {}", world.socket("hub").display());
    let on_other = format!("curl -sS --unix-socket {}", world.socket("other").display());
    let on_own = format!("curl -sS --unix-socket {}", world.socket("agent").display());
    let json = "-H 'content-type: application/json'";
    let typed = world.path().join("typed");
    let text = format!(r#"{{"text": "touch {}", "enter": true}}"#, typed.display());
    let respond = r#"{"accept": true}"#;
    let attacks = [
        "coop rules add allow Bash".to_owned(),
        "coop rules remove 1".into(),
        "coop pair --scope admin --address http://127.0.0.1:1".into(),
        "coop answer 1 allow".into(),
        "coop devices list".into(),
        "coop hub --stop".into(),
        format!("coop input -s other --enter 'touch {}'", typed.display()),
        "coop input -s agent --enter true".into(),
        "coop keys -s other Enter".into(),
        "coop nudge -s other hello".into(),
        "coop stop other".into(),
        format!("{on_hub} {json} -d '{text}' http://h/api/v1/sessions/2/input"),
        format!("{on_hub} {json} -d '{text}' http://h/api/v1/sessions/1/input"),
        format!("{on_hub} {json} -d '{{\"agent\": \"claude\", \"cwd\": \"/\"}}' http://h/api/v1/sessions"),
        format!(
            "{on_hub} {json} -d '{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"permission/respond\", \"params\": {{}}}}' http://h/rpc"
        ),
        format!("{on_other} {json} -d '{text}' http://h/api/v1/input"),
        format!("{on_own} {json} -d '{text}' http://h/api/v1/input"),
        format!("{on_own} {json} -d '{respond}' http://h/api/v1/agent/respond"),
        format!("{on_own} -X PUT {json} -d '{{}}' http://h/api/v1/config/stop"),
        format!("{on_own} 'http://h/api/v1/recording?from=now&input=true'"),
        format!("curl -sS {json} -d '{text}' {port}/api/v1/input"),
    ];
    for (name, way) in WAYS {
        for attack in &attacks {
            let (output, _) = inside(&world, "agent", way, attack);
            assert!(output.contains("may only report and look"), "{name}: {attack}: {output}");
        }
    }
    assert!(!typed.exists(), "something was typed");
    // From outside, the same goes through.
    let outside = |command: &str| finish(world.command("sh", &["-c", command]));
    for attack in ["coop rules add allow 'Bash(true)'", "coop input -s other --enter true", "coop devices list"] {
        let done = outside(attack);
        assert_eq!(done.code, Some(0), "{attack}: {}", done.stderr);
    }
    let done = outside(&attacks[15]);
    assert!(!done.stdout.contains("may only"), "{}", done.stdout);
    until("it was typed", || typed.exists());
    let done = outside(&format!("curl -sS {json} -d '{{\"text\": \"\"}}' {port}/api/v1/input"));
    assert!(!done.stdout.contains("may only"), "{}", done.stdout);
    // A person's shell under coop is outside too.
    let (output, code) = inside(&world, "other", "sh @", "coop rules add ask 'Bash(false)'");
    assert_eq!(code, 0, "{output}");
}

#[test]
fn an_agent_can_report_and_look() {
    let world = World::new();
    let _hub = hub(&world);
    let agent = [&["--name", "agent", "--"][..], &AGENT].concat();
    let _agent = world.start(&agent);
    until("it is on the board", || world.verb(&["sessions"]).contains("owned"));
    let hook = |socket: &str| {
        let socket = world.socket(socket);
        format!(
            "curl -sS -o /dev/null -w %{{http_code}} --unix-socket {} -d '{{}}' http://h/api/v1/hooks/Stop",
            socket.display()
        )
    };
    let ask = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"NAME","arguments":{"session":1,"message":"hello"}}}"#;
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let mcp = |tool: &str| {
        let ask = ask.replace("NAME", tool);
        // The input stays open until the answer has come.
        let answered = "until grep -q '\"id\":2' mcp.out; do sleep 0.05; done";
        format!(
            ": > mcp.out; (printf '%s\\n' '{initialize}' '{ready}' '{ask}'; {answered}) | coop mcp --scope drive > mcp.out; \
             cat mcp.out"
        )
    };
    for (name, way) in WAYS {
        for (command, expected) in [
            ("coop sessions".to_owned(), "owned"),
            ("coop rules list --json".into(), "["),
            ("coop screen -s agent".into(), ""),
            ("echo '{}' | coop hook Stop; echo $?".into(), "0"),
            // It is heard; what it means is not known of a program without a driver.
            (hook("agent"), "404"),
            (hook("hub"), "204"),
        ] {
            let (output, code) = inside(&world, "agent", way, &command);
            assert!(code == 0 && output.contains(expected), "{name}: {command}: {output}");
            assert!(!output.contains("may only report"), "{name}: {command}: {output}");
        }
    }
    let (output, _) = inside(&world, "agent", "sh @", &mcp("list_sessions"));
    assert!(output.contains("owned") && !output.contains("may only report"), "{output}");
    let (output, _) = inside(&world, "agent", "sh @", &mcp("nudge"));
    assert!(output.contains("may only report and look") && output.contains("outside of the session"), "{output}");
}

/// Orphans of an agent become children of its sidecar, which reaps them.
#[test]
fn orphans_of_an_agent_are_reaped() {
    let world = World::new();
    let agent = [&["--name", "agent", "--"][..], &AGENT].concat();
    let running = world.start(&agent);
    let (_, code) = inside(&world, "agent", "sh @", "for i in 1 2 3 4 5; do (setsid true &); done");
    assert_eq!(code, 0);
    until("there are no zombies", || {
        let listed = Command::new("ps").args(["-o", "stat=", "--ppid", &running.pid().to_string()]).output().unwrap();
        !String::from_utf8_lossy(&listed.stdout).lines().any(|line| line.starts_with('Z'))
    });
    // The program itself is not among those that are reaped.
    world.verb(&["input", "-s", "agent", "--enter", "exit 7"]);
    let mut running = running;
    assert_eq!(running.wait().0, Some(7));
}

/// When the server of a session dies, its orphans are below the holder, and still those of the agent.
#[test]
fn an_orphan_stays_the_agents_when_its_server_dies() {
    let world = World::new();
    let _hub = hub(&world);
    let agent = [&["--survive", "--name", "agent", "--"][..], &AGENT].concat();
    let running = world.start(&agent);
    let go = world.path().join("go");
    let (out, code) = (world.path().join("out"), world.path().join("code"));
    let attack = format!(
        "until [ -e {} ]; do sleep 0.05; done; coop rules add allow Bash > {} 2>&1; echo $? > {}",
        go.display(),
        out.display(),
        code.display()
    );
    let env = "env -i PATH=\"$PATH\" HOME=\"$HOME\" XDG_RUNTIME_DIR=\"$XDG_RUNTIME_DIR\"";
    fs::write(world.path().join("attack"), attack).unwrap();
    let script = format!("({env} setsid sh {} &)", world.path().join("attack").display());
    let (_, started) = inside(&world, "agent", "sh @", &script);
    assert_eq!(started, 0);
    let old = server(running.pid());
    kill_process(old, Signal::KILL).unwrap();
    until("it is gone", || test_kill_process(old).is_err());
    fs::write(go, "").unwrap();
    until("it has tried", || fs::read_to_string(&code).is_ok_and(|code| !code.trim().is_empty()));
    let said = fs::read_to_string(out).unwrap();
    assert!(said.contains("may only report and look"), "{said}");
    // And what still runs inside, at the next server.
    let (output, _) = inside(&world, "agent", "(setsid sh @ &)", "coop input -s agent true");
    assert!(output.contains("may only report and look"), "{output}");
}

/// A hub that `coop run` starts is not below the sidecar that started it, and may do for the operator what hubs do.
#[test]
fn a_hub_that_a_session_brought_is_outside() {
    for flags in [&[][..], &["--survive"]] {
        let world = World::new();
        let args = [&["run", "--name", "agent"][..], flags, &["--"], &AGENT].concat();
        let running = world.start(&args);
        until("it is on the board", || world.run(&["sessions"]).stdout.contains("owned"));
        let json = r#"{"text": "touch typed", "enter": true}"#;
        let command = format!(
            "cd {0} && curl -sS --unix-socket {1} -H 'content-type: application/json' -d '{json}' http://h/api/v1/sessions/1/input",
            world.path().display(),
            world.socket("hub").display()
        );
        let done = finish(world.command("sh", &["-c", &command]));
        assert!(done.code == Some(0) && !done.stdout.contains("may only"), "{flags:?}: {done:?}");
        let (output, _) = inside(&world, "agent", "sh @", "coop rules add allow Bash");
        assert!(output.contains("may only report and look"), "{flags:?}: {output}");
        drop(running);
        world.verb(&["hub", "--stop"]);
    }
}

/// Whether this machine lets us make namespaces; those that do not cannot run what is sealed.
fn can_seal(world: &World) -> bool {
    let done = world.run(&["--name", "probe", "--sealed", "--", "true"]);
    if done.code == Some(0) {
        return true;
    }
    assert!(
        done.stderr.contains("The program cannot be sealed") && done.stderr.contains("user namespaces"),
        "{done:?}"
    );
    eprintln!("namespaces are not permitted here: sealed sessions were not tested, only that they are refused");
    false
}

#[test]
fn a_sealed_agent_sees_nothing_of_coop_but_its_hooks() {
    let world = World::new();
    if !can_seal(&world) {
        return;
    }
    let _hub = hub(&world);
    fs::create_dir_all(world.path().join(".config/coop")).unwrap();
    fs::write(world.path().join(".config/coop/config.toml"), "").unwrap();
    let agent = [&["--name", "agent", "--sealed", "--"][..], &AGENT].concat();
    let running = world.start(&agent);
    until("it is on the board", || world.verb(&["sessions"]).contains("owned"));
    let at = world.path().display();
    let sees = |command: &str| inside(&world, "agent", "sh @", &format!("cd {at} && {command}"));
    // `inside` works with files of the world, which is not hidden.
    let (output, _) = sees("ls -A .config/coop .local/state/coop; ls coop");
    let names: Vec<&str> = output.lines().filter(|line| !line.is_empty() && !line.ends_with(':')).collect();
    assert!(names.len() == 1 && names[0].ends_with(".sealed"), "{output}");
    let (output, _) = sees("ls coop/*.sealed; echo $COOP_SOCKET");
    assert!(output.starts_with("hooks.sock") && output.contains("hooks.sock\n"), "{output}");
    let (output, _) = sees("ps -eo args");
    assert!(!output.contains("hub") && !output.contains("--name agent"), "{output}");
    let sidecar = running.pid();
    let (output, code) = sees(&format!("kill -0 {sidecar}"));
    assert!(code != 0, "{output}");
    assert!(test_kill_process(sidecar).is_ok());
    // Its rights uncover nothing, in another namespace neither.
    for uncover in ["umount coop", "unshare -Urm umount coop", "unshare -rm sh -c 'umount coop; umount -l coop'"] {
        let (output, _) = sees(&format!("{uncover}; ls coop"));
        assert!(!output.contains("hub.sock") && output.contains(".sealed"), "{uncover}: {output}");
    }
    for (name, way) in WAYS {
        for attack in ["coop rules add allow Bash", "coop answer 1 allow", "coop input -s agent true"] {
            let (output, code) = inside(&world, "agent", way, attack);
            assert!(code != 0, "{name}: {attack}: {output}");
        }
    }
    let own = "curl -sS --unix-socket $COOP_SOCKET";
    let (output, _) = sees(&format!("{own} -d '{{\"text\": \"x\"}}' http://h/api/v1/input"));
    assert!(output.contains("for the hooks of the agent inside"), "{output}");
    let (output, _) = sees(&format!("{own} http://h/api/v1/screen"));
    assert!(output.contains("for the hooks of the agent inside"), "{output}");
    let (output, code) = sees(&format!("{own} -o /dev/null -w %{{http_code}} -d '{{}}' http://h/api/v1/hooks/Stop"));
    // It is heard; what it means is not known of a program without a driver.
    assert!(code == 0 && output == "404", "{output}");
    let (_, code) = sees("echo '{}' | coop hook Stop");
    assert_eq!(code, 0);
    assert!(!world.verb(&["rules", "list"]).contains("Bash"));
}

#[test]
fn a_sealed_program_is_run_as_any_other() {
    let world = World::new();
    if !can_seal(&world) {
        return;
    }
    // Its number is that by which coop knows it; it has the terminal, and its code is that of the session.
    let script = "echo $$ is $(ps -o pid= -p $$); stty size; trap 'echo int' INT; read line; exit 7";
    let mut running =
        world.start(&["--name", "s", "--sealed", "--cols", "90", "--rows", "20", "--", "bash", "-c", script]);
    let screen = world.shows("s", "20 90");
    let status: serde_json::Value = serde_json::from_str(&world.verb(&["status", "-s", "s", "--json"])).unwrap();
    assert!(screen.starts_with(&format!("{0} is {0}", status["pid"])), "{screen}");
    world.verb(&["signal", "-s", "s", "INT"]);
    world.shows("s", "int");
    world.verb(&["input", "-s", "s", "--enter", "now"]);
    assert_eq!(running.wait().0, Some(7));
    let mut running = world.start(&["--name", "k", "--sealed", "--", "sh", "-c", "kill -KILL $$"]);
    assert_eq!(running.wait().0, Some(137));
    // What it leaves behind ends with it.
    let left = world.path().join("left");
    let script = format!(
        "setsid sh -c 'echo $$ > {0}.part; mv {0}.part {0}; exec sleep 1000' & until [ -e {0} ]; do sleep 0.05; done",
        left.display()
    );
    let mut running = world.start(&["--name", "l", "--sealed", "--", "sh", "-c", &script]);
    assert_eq!(running.wait().0, Some(0));
    let done = world.run(&["--name", "x", "--sealed", "--", "no-such-program"]);
    assert!(done.code == Some(127) || done.stderr.contains("was not found"), "{done:?}");
}

#[test]
fn what_sealed_does_not_go_with_is_refused() {
    let world = World::new();
    for (args, expected) in [
        (&["--sealed", "--survive", "--", "true"][..], "cannot be used with"),
        (&["--sealed", "--attach", "tmux:x"], "cannot be used with"),
        (&["--sealed", "--port", "0", "--", "true"], "needs a token"),
    ] {
        let done = world.run(args);
        assert!(done.code == Some(2) && done.stderr.contains(expected), "{args:?}: {done:?}");
    }
}
