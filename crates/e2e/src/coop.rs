//! The product itself: the binary, as a process.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

/// Killed when it is dropped.
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
        let mut process = Command::new(build())
            .args(arguments)
            .args(["--", "/bin/sh", "-c", script])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut log_so_far = String::new();
        while !log_so_far.contains("the program has started") {
            assert_ne!(log.read_line(&mut log_so_far).unwrap(), 0, "it does not start: {log_so_far}");
        }
        Self { process, log: Some(log), log_so_far }
    }

    /// The most memory it has ever used, in KiB.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Coop {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Builds it from the sources as they are now.
fn build() -> PathBuf {
    // Beside the folder this test was built into.
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    // With the features of the whole workspace, as the test was: nothing is built twice.
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--workspace", "--bin", "coop", "--profile", profile]);
    let built = build.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap();
    assert!(built.success(), "coop cannot be built: {built}");
    folder.join("coop")
}
