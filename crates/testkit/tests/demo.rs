//! `make demo`, with nobody at the keyboard: it shows every step, and leaves nothing behind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// What a process that was killed gets to be gone.
const LIMIT: Duration = Duration::from_secs(30);
const GLANCE: Duration = Duration::from_millis(20);

/// In the order in which they appear.
const SEEN: &[&str] = &[
    "  * idle",
    "1. A turn.",
    "input -s demo --paste --enter 'Hello, who are you?'",
    "  * working",
    "  * done",
    "coop owns.",
    "2. A permission.",
    "  * blocked  (permission: approve Bash: echo hello > hello.txt)",
    "Do you want to proceed?",
    "3. The answer.",
    "keys -s demo 1",
    "  * done",
    "The file hello.txt is there.",
    "4. A question.",
    "  * blocked  (question: answer: Which database should the project use? (SQLite · Postgres))",
    "1. SQLite",
    "5. The answer.",
    "→ Postgres",
    "6. Plan mode.",
    "plan mode on",
    "7. A plan.",
    "  * blocked  (permission: approve plan)",
    "Would you like to proceed?",
    "8. The answer.",
    "User approved Claude's plan",
    "9. The end.",
    "nothing is left running",
];

#[test]
fn every_step_is_shown() {
    let world = World::new();
    let output = world.demo().output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let mut rest = &*text;
    for seen in SEEN {
        let at = rest.find(seen).unwrap_or_else(|| panic!("no {seen:?} after what came before it:\n{text}"));
        rest = &rest[at + seen.len()..];
    }
    world.is_empty();
}

#[test]
fn interrupted_it_leaves_nothing() {
    let world = World::new();
    let mut demo = world.demo().stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("2. A permission.")));
    interrupt(&demo);
    // Read to the end, so that it can write to its end.
    lines.for_each(drop);
    assert_eq!(demo.wait().unwrap().code(), Some(1));
    let mut said = String::new();
    demo.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("ended early, and nothing is left running"), "{said}");
    world.is_empty();
}

fn interrupt(child: &Child) {
    let pid = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
}

/// Folders of its own for sockets and for what is temporary.
struct World {
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["run", "tmp"] {
            let inner = folder.path().join(name);
            fs::create_dir(&inner).unwrap();
            fs::set_permissions(inner, fs::Permissions::from_mode(0o700)).unwrap();
        }
        Self { folder }
    }

    fn demo(&self) -> Command {
        // It runs the coop that is beside it.
        coop_testkit::coop::binary();
        let mut demo = Command::new(env!("CARGO_BIN_EXE_demo"));
        demo.env("XDG_RUNTIME_DIR", self.folder.path().join("run")).env("TMPDIR", self.folder.path().join("tmp"));
        // What a person may have set, and the demo must not be led astray by.
        demo.envs([("COOP_SESSION", "another"), ("COOP_PORT", "1"), ("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")]);
        demo.env("DEMO_AUTO", "1").stdin(Stdio::null()).stderr(Stdio::piped());
        demo
    }

    /// Checks that no process, no socket and no folder of it is left.
    #[track_caller]
    fn is_empty(&self) {
        let files = |name: &str| fs::read_dir(self.folder.path().join(name)).map(Iterator::count).unwrap_or(0);
        assert_eq!((files("run/coop"), files("tmp")), (0, 0), "left in {}", self.folder.path().display());
        // Those that were killed may still be dying.
        let end = Instant::now() + LIMIT;
        loop {
            let left = processes_with(self.folder.path());
            if left.is_empty() {
                break;
            }
            assert!(Instant::now() < end, "{left:?}");
            thread::sleep(GLANCE); // tidy: a process that ends does not tell
        }
    }
}

/// The processes that have this folder in their environment, as all that the demo starts do. Where there is no /proc,
/// that its folder could be removed must do.
fn processes_with(folder: &Path) -> Vec<String> {
    let mark = folder.as_os_str().as_encoded_bytes();
    let has_mark = |process: &Path| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        environment.windows(mark.len()).any(|window| window == mark)
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let left = processes.filter(|process| has_mark(&process.path()));
    left.map(|process| fs::read_to_string(process.path().join("cmdline")).unwrap_or_default()).collect()
}
