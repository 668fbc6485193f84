//! All tests. Those that run real agents get a second try, each alone, and it is told.
//!
//! A real agent is a large program of somebody else with its own timers; on a machine that is busy with other tests it
//! now and then does what no test can foresee. What fails twice has failed. What passed only on the second try is listed
//! at the end, to be looked into.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, ExitCode};

use anyhow::Context as _;

/// Names of the suites that run real agents.
const AGENTS: [&str; 4] = ["claude", "codex", "gemini", "demo"];

/// A test, and the suite it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Test {
    suite: String,
    name: String,
}

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let (passed, failed) = cargo_test(&["--no-fail-fast"])?;
    if passed {
        return Ok(ExitCode::SUCCESS);
    }
    // None at all: something did not build, or a suite ended early.
    if failed.is_empty() || failed.iter().any(|test| !AGENTS.contains(&test.suite.as_str())) {
        return Ok(ExitCode::FAILURE);
    }
    let mut still = Vec::new();
    for test in &failed {
        println!("\n==> second try, alone: {} in the suite {}", test.name, test.suite);
        if !cargo_test(&["--test", &test.suite, "--", "--exact", &test.name])?.0 {
            still.push(test);
        }
    }
    for test in &failed {
        let how = if still.contains(&test) { "failed twice" } else { "passed only on the second try" };
        println!("{how}: {} in the suite {}", test.name, test.suite);
    }
    Ok(if still.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Shows what `cargo test` prints. Whether all passed, and which did not.
fn cargo_test(args: &[&str]) -> anyhow::Result<(bool, Vec<Test>)> {
    // One pipe for both: only in their order do they tell which test is of which suite.
    let (output, stdout) = std::io::pipe()?;
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--workspace"]).args(args).stderr(stdout.try_clone()?).stdout(stdout);
    let mut child = command.spawn().context("cargo test")?;
    drop(command);
    let mut reader = Reader::default();
    let mut own = std::io::stdout().lock();
    let mut line = Vec::new();
    let mut output = BufReader::new(output);
    while output.read_until(b'\n', &mut line)? > 0 {
        own.write_all(&line)?;
        own.flush()?;
        reader.line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok((child.wait()?.success(), reader.failed))
}

#[derive(Default)]
struct Reader {
    suite: String,
    failed: Vec<Test>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let line = line.trim_end();
        if let Some(source) = line.trim_start().strip_prefix("Running ") {
            self.suite = suite(source).to_owned();
        } else if line.trim_start().starts_with("Doc-tests ") {
            "documentation".clone_into(&mut self.suite);
        } else if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            self.failed.push(Test { suite: self.suite.clone(), name: name.to_owned() });
        }
    }
}

/// `tests/claude/main.rs (target/debug/deps/claude-0123)` is the suite `claude`.
fn suite(source: &str) -> &str {
    let path = source.split(" (").next().unwrap_or_default();
    match path.strip_prefix("tests/") {
        Some(path) => path.split(['/', '.']).next().unwrap_or_default(),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_and_where() {
        let mut reader = Reader::default();
        for line in [
            "     Running unittests src/lib.rs (target/debug/deps/coop_core-3b1)",
            "test agent::a ... ok",
            "     Running tests/claude/main.rs (target/debug/deps/claude-0f2)",
            "test faults::b ... FAILED",
            "test faults::c ... ok",
            "test result: FAILED. 1 passed; 1 failed",
            "     Running tests/sidecar.rs (target/debug/deps/sidecar-77)",
            "test d ... FAILED",
            "   Doc-tests coop_core",
            "test e ... FAILED",
        ] {
            reader.line(line);
        }
        let test = |suite: &str, name: &str| Test { suite: suite.into(), name: name.into() };
        assert_eq!(reader.failed, [test("claude", "faults::b"), test("sidecar", "d"), test("documentation", "e")]);
    }
}
