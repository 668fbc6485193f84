//! Programs of others that tests run as clients.

use std::path::PathBuf;
use std::process::{Command, Output};

/// The Python with the libraries of `scripts/requirements.txt`. There is no test without it.
#[must_use]
pub fn python() -> PathBuf {
    let cache = || std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let usual = || cache().or_else(home).map(|cache| cache.join("coop/python/bin/python"));
    let python = std::env::var_os("COOP_TEST_PYTHON").map(PathBuf::from).or_else(usual).unwrap_or_default();
    assert!(
        python.exists(),
        "This test talks to coop with Python clients, and there is no Python at {}: run `make setup` once.",
        python.display()
    );
    python
}

/// A script of the folder `clients`.
#[must_use]
pub fn client(script: &str) -> Command {
    let mut command = Command::new(python());
    command.arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("clients").join(script));
    command
}

/// Runs it to its end, off the test's thread. What it prints; if it fails, that is the end of the test.
pub async fn run(mut command: Command) -> String {
    let what = format!("{command:?}");
    let output = crate::in_time(&what, tokio::task::spawn_blocking(move || command.output())).await;
    let Output { status, stdout, stderr } = output.unwrap().unwrap_or_else(|error| panic!("{what}: {error}"));
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{what}: {status}\n{stderr}");
    String::from_utf8(stdout).unwrap()
}
