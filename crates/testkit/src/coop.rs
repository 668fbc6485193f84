//! The product itself: the binary, as a process.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rustix::process::{Pid, Signal, kill_process};

/// What it gets to end the program inside and itself.
const END: Duration = Duration::from_secs(5);
/// How often it is asked to end, and looked at whether it has.
const GLANCE: Duration = Duration::from_millis(10);

/// Ends when it is dropped, with the program inside.
#[derive(Debug)]
pub struct Coop {
    pub process: Child,
    /// Its log, read up to the line that says that the program has started.
    pub log: Option<BufReader<ChildStderr>>,
    pub log_so_far: String,
}

impl Coop {
    /// Starts `coop ARGUMENTS -- /bin/sh -c SCRIPT`. It serves when this returns.
    pub fn start<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>, script: &str) -> Self {
        let mut command = Command::new(binary());
        command.args(arguments).args(["--", "/bin/sh", "-c", script]);
        Self::run(command)
    }

    /// Starts it as `command` says, which is that of [`binary`]. It serves when this returns.
    #[must_use]
    pub fn run(mut command: Command) -> Self {
        let process = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut process = process.unwrap_or_else(|error| panic!("coop does not start: {error}"));
        let log = process.stderr.take().map(BufReader::new);
        let mut coop = Self { process, log, log_so_far: String::new() };
        coop.log_has("the program has started");
        coop
    }

    /// Reads its log until it says this.
    #[track_caller]
    pub fn log_has(&mut self, text: &str) {
        while !self.log_so_far.contains(text) {
            let read = self.log.as_mut().map(|log| log.read_line(&mut self.log_so_far));
            assert!(matches!(read, Some(Ok(1..))), "coop never says `{text}`: {}", self.log_so_far);
        }
    }

    /// The most memory it has ever used, in KiB.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a process that runs");
        line.trim().trim_end_matches(" kB").parse().expect("a number of kB")
    }
}

impl Drop for Coop {
    /// Asked more than once, coop kills what runs inside, and ends.
    fn drop(&mut self) {
        let limit = Instant::now() + END;
        // Not waited for until here, so the number is still its own.
        while matches!(self.process.try_wait(), Ok(None)) {
            match Instant::now() < limit {
                // It may have ended since we looked.
                true => drop(kill_process(Pid::from_child(&self.process), Signal::TERM)),
                false => drop(self.process.kill()),
            }
            thread::sleep(GLANCE); // tidy: a process that ends does not tell
        }
    }
}

/// The binary beside the test or program that asks, built from the sources as they are now.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let this = std::env::current_exe().expect("a path of this program");
        let folder = this.parent().expect("a folder of this program");
        // Tests are one folder below the programs.
        let folder = if folder.ends_with("deps") { folder.parent().expect("a folder of programs") } else { folder };
        let coop = folder.join("coop");
        if !is_current(&coop, &workspace()).unwrap_or(false) {
            build(folder);
        }
        coop
    })
}

/// Where all sources are.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Rooms that are no part of it.
const APART: [&str; 2] = ["e2e", "testkit"];

/// Whether it is newer than all sources it is built from. A build of tests, unlike one of programs, leaves no note of
/// what these are.
fn is_current(coop: &Path, workspace: &Path) -> io::Result<bool> {
    let built = fs::metadata(coop)?.modified()?;
    let mut sources = ["agents", "Cargo.lock", "web/dist/app"].map(|name| workspace.join(name)).to_vec();
    for room in fs::read_dir(workspace.join("crates"))? {
        let room = room?;
        if !APART.iter().any(|apart| room.file_name() == *apart) {
            sources.extend(["src", "proto", "build.rs", "Cargo.toml"].map(|name| room.path().join(name)));
        }
    }
    for source in sources.iter().filter(|source| source.exists()) {
        if changed(source)? > built {
            return Ok(false);
        }
    }
    Ok(true)
}

/// When a file, or the newest in a folder, was written.
fn changed(path: &Path) -> io::Result<SystemTime> {
    let mut newest = fs::metadata(path)?.modified()?;
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            newest = newest.max(changed(&entry?.path())?);
        }
    }
    Ok(newest)
}

/// As a build of all tests does, from whose test it comes along: by itself it would have other features, those of the
/// dependencies of tests left out, and most of what it uses would be built once more.
fn build(folder: &Path) {
    let mut build = Command::new(env!("CARGO"));
    build.args(["test", "--quiet", "--workspace", "--no-run", "--test", "hook"]);
    if let Some(profile) = folder.file_name().filter(|name| *name != "debug") {
        build.arg("--profile").arg(profile);
    }
    build.arg("--target-dir").arg(folder.parent().expect("a target folder"));
    let built = build.current_dir(workspace()).stdout(Stdio::null()).status().expect("cargo");
    assert!(built.success(), "coop cannot be built: {built}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_older_than_a_source_is_not_current() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["crates/cli/src", "crates/e2e/src", "agents"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        let coop = path("coop");
        let at = |path: &Path, second| {
            fs::write(path, "").unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
            fs::File::open(path).unwrap().set_modified(time).unwrap();
        };
        assert!(is_current(&coop, folder.path()).is_err(), "there is none");
        let far = 9_999_999_999;
        for (built, source, changed, expected) in [
            (far, "crates/cli/src/main.rs", 10, true),
            (far, "crates/cli/src/main.rs", far + 1, false),
            (far, "crates/cli/src/main.rs", 10, true),
            (far, "crates/e2e/src/lib.rs", far + 1, true),
            (far, "agents/claude.toml", far + 1, false),
        ] {
            at(&path(source), changed);
            at(&coop, built);
            assert_eq!(is_current(&coop, folder.path()).unwrap(), expected, "{source} at {changed}");
        }
    }
}
