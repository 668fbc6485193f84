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
        while !coop.log_so_far.contains("the program has started") {
            let read = coop.log.as_mut().map(|log| log.read_line(&mut coop.log_so_far));
            assert!(matches!(read, Some(Ok(1..))), "coop does not start: {}", coop.log_so_far);
        }
        coop
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
        // After a build of all tests it is there. To build it again is no small thing: without the tests its
        // dependencies have other features, so most of them would be built once more.
        if !is_current(&coop).unwrap_or(false) {
            build(folder);
        }
        coop
    })
}

/// Whether it is newer than all sources it was built from, as cargo has noted beside it. Dependencies are not noted.
fn is_current(coop: &Path) -> io::Result<bool> {
    let built = fs::metadata(coop)?.modified()?;
    let sources = sources(&fs::read_to_string(coop.with_extension("d"))?);
    for source in &sources {
        if changed(source)? > built {
            return Ok(false);
        }
    }
    Ok(!sources.is_empty())
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

/// The files of a note in the words of `make`: `TARGET: FILE FILE`, with a backslash before a blank in a name.
fn sources(note: &str) -> Vec<PathBuf> {
    let files = note.lines().filter_map(|line| line.split_once(": ")).flat_map(|(_, files)| {
        let marked = files.replace("\\ ", "\0");
        marked.split_whitespace().map(|file| PathBuf::from(file.replace('\0', " "))).collect::<Vec<_>>()
    });
    files.collect()
}

fn build(folder: &Path) {
    let profile = match folder.file_name().and_then(OsStr::to_str) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let target = folder.parent().expect("a target folder");
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--workspace", "--bin", "coop", "--profile", profile, "--target-dir"]).arg(target);
    let built = build.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo");
    assert!(built.success(), "coop cannot be built: {built}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_older_than_a_source_is_not_current() {
        let folder = tempfile::tempdir().unwrap();
        let (coop, source) = (folder.path().join("coop"), folder.path().join("a source.rs"));
        assert!(is_current(&coop).is_err());
        fs::write(&source, "").unwrap();
        fs::write(&coop, "").unwrap();
        let note = format!("{}: {}\n", coop.display(), source.display().to_string().replace(' ', "\\ "));
        fs::write(folder.path().join("coop.d"), note).unwrap();
        let at = |path: &Path, second| {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
            fs::File::open(path).unwrap().set_modified(time).unwrap();
        };
        for (built, changed, expected) in [(20, 10, true), (20, 30, false)] {
            at(&coop, built);
            at(&source, changed);
            assert_eq!(is_current(&coop).unwrap(), expected);
        }
        fs::remove_file(source).unwrap();
        assert!(is_current(&coop).is_err());
    }
}
