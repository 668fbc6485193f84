//! Real children. Every wait is for an event: output, its end, or the child's exit.

use super::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// Far more than any of this takes, so that it only ends what would hang.
const DEADLINE: Duration = Duration::from_secs(20);
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A child, killed with all it started when the test is over.
struct Run {
    pty: Pty,
    child: Child,
    output: String,
}

impl Run {
    fn new(command: &Command) -> Self {
        let (pty, child) = spawn(command).unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self { pty, child, output: String::new() }
    }

    fn script(script: &str) -> Self {
        Self::new(&shell(script))
    }

    /// Reads on; false at the end of output.
    fn read(&mut self) -> bool {
        self.poll(PollFlags::IN);
        let mut buf = [0; 4096];
        let n = self.pty.read(&mut buf).unwrap();
        self.output += &String::from_utf8_lossy(&buf[..n]);
        n > 0
    }

    fn poll(&self, events: PollFlags) {
        let timeout = Timespec::try_from(DEADLINE).unwrap();
        let ready = poll(&mut [PollFd::new(&self.pty, events)], Some(&timeout)).unwrap();
        assert_eq!(ready, 1, "nothing within {DEADLINE:?}, after {:?}", self.output);
    }

    /// Reads until `text` is in the output.
    fn expect(&mut self, text: &str) -> &mut Self {
        while !self.output.contains(text) {
            assert!(self.read(), "no {text:?} in {:?}", self.output);
        }
        self
    }

    /// Reads to the end, which comes only when no process has the terminal open any more.
    fn finish(&mut self) -> (String, ExitStatus) {
        while self.read() {}
        (self.output.replace('\r', ""), self.child.wait().unwrap())
    }

    fn signal(&mut self, signal: Signal, target: Target) -> &mut Self {
        self.child.signal(signal, target).unwrap();
        self
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.signal(Signal::Kill, Target::Session);
        let _ = self.child.wait();
    }
}

fn command(program: &str, args: &[&str]) -> Command {
    Command {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        cwd: None,
        env: vec![("PATH".into(), PATH.into())],
        size: Size::clamped(100, 30),
        runner: Vec::new(),
    }
}

fn shell(script: &str) -> Command {
    command("sh", &["-c", script])
}

#[test]
fn scripts_see_a_terminal_of_their_own() {
    let check = |script: &str, output: &str, status: ExitStatus| {
        assert_eq!(Run::script(script).finish(), (output.to_owned(), status), "{script}");
    };
    check("exit 7", "", ExitStatus::Code(7));
    check("kill -TERM $$", "", ExitStatus::Signal(15));
    check("kill -KILL $$", "", ExitStatus::Signal(9));
    check("tty >/dev/null && echo a tty", "a tty\n", ExitStatus::Code(0));
    check("echo controlling >/dev/tty", "controlling\n", ExitStatus::Code(0));
    check("[ $(ps -o sid= -p $$) -eq $$ ] && echo leader", "leader\n", ExitStatus::Code(0));
    check("[ $(ps -o tpgid= -p $$) -eq $$ ] && echo foreground", "foreground\n", ExitStatus::Code(0));
    check("stty size", "30 100\n", ExitStatus::Code(0));
    check("stty -a | grep -o ' iutf8'", " iutf8\n", ExitStatus::Code(0));
    check("echo out; echo err >&2; exit 1", "out\nerr\n", ExitStatus::Code(1));
    assert_eq!((ExitStatus::Code(3).shell_code(), ExitStatus::Signal(9).shell_code()), (3, 137));
}

#[test]
fn environment_and_directory_are_those_given() {
    let folder = tempfile::tempdir().unwrap();
    let env = [("TERM", "dumb"), ("PATH", PATH), ("TERM", "xterm"), ("EMPTY", "")];
    let env = env.map(|(name, value)| (name.into(), value.into())).to_vec();
    let command = Command { env, cwd: Some(folder.path().into()), ..command("env", &[]) };
    let (output, _) = Run::new(&command).finish();
    let mut lines: Vec<_> = output.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["EMPTY=", &format!("PATH={PATH}"), "TERM=xterm"]);

    let (output, _) = Run::new(&Command { program: "pwd".into(), ..command.clone() }).finish();
    assert_eq!(Path::new(output.trim()), folder.path().canonicalize().unwrap());
    assert!(!format!("{command:?}").contains("xterm"), "values of the environment are not for logs");
}

#[test]
fn a_resize_is_seen() {
    let mut run = Run::script("stty size; read line; stty size");
    run.expect("30 100");
    run.pty.resize(Size::clamped(120, 40)).unwrap();
    run.pty.write(b"\n").unwrap();
    run.expect("40 120");
}

#[test]
fn raw_and_canonical_mode_are_told_apart() {
    let mut run = Run::script("echo lines; read line; stty raw -echo; echo raw; cat");
    run.expect("lines");
    assert!(run.pty.is_canonical().unwrap());
    run.pty.write(b"\n").unwrap();
    run.expect("raw");
    assert!(!run.pty.is_canonical().unwrap());
    run.pty.write("grüße".as_bytes()).unwrap();
    run.expect("grüße");
}

#[test]
#[cfg(target_os = "linux")]
fn no_descriptor_is_inherited() {
    let leak = tempfile::NamedTempFile::new().unwrap();
    rustix::io::fcntl_setfd(&leak, rustix::io::FdFlags::empty()).unwrap();
    let (output, _) = Run::script("ls -l /dev/fd/").finish();
    let name = leak.path().file_name().unwrap().to_str().unwrap();
    assert!(output.contains("/dev/pts/") && !output.contains(name), "{output}");
    assert!(!output.contains("ptmx"), "{output}");
}

#[test]
#[allow(unsafe_code)]
fn ignored_and_blocked_signals_are_not_inherited() {
    // SAFETY: nothing else in this process uses these two signals.
    unsafe {
        libc::signal(libc::SIGUSR1, libc::SIG_IGN);
        let mut blocked = std::mem::zeroed();
        libc::sigemptyset(&raw mut blocked);
        libc::sigaddset(&raw mut blocked, libc::SIGUSR2);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const blocked, std::ptr::null_mut());
    }
    for signal in [Signal::Usr1, Signal::Usr2] {
        let (_, status) = Run::script(&format!("kill -{} $$; echo survived", signal.name())).finish();
        assert_eq!(status, ExitStatus::Signal(signal.number()), "{signal}");
    }
}

#[test]
fn output_before_the_end_is_not_lost() {
    let (output, status) = Run::script("seq 1 20000").finish();
    assert_eq!((output.lines().count(), output.lines().last(), status), (20_000, Some("20000"), ExitStatus::Code(0)));
}

#[test]
fn a_child_that_does_not_read_can_be_read() {
    let mut run = Run::script("stty raw -echo; echo ready; yes");
    run.expect("ready");
    let full = loop {
        match run.pty.write(&[b'x'; 4096]) {
            Ok(written) => assert!(written > 0),
            Err(error) => break error.kind(),
        }
    };
    assert_eq!(full, io::ErrorKind::WouldBlock);
    while run.output.len() < 100_000 {
        assert!(run.read());
    }
}

#[test]
fn reading_does_not_block() {
    let mut run = Run::script("echo ready; exec sleep 1000");
    run.expect("ready");
    let empty = loop {
        if let Err(error) = run.pty.read(&mut [0; 64]) {
            break error.kind();
        }
    };
    assert_eq!(empty, io::ErrorKind::WouldBlock);
}

/// A job in a group of its own, as interactive shells make them.
const FOREGROUND_JOB: &str = "set -m; sh -c 'echo ready; exec sleep 1000'; echo status $?";

#[test]
fn the_foreground_job_is_signalled_alone() {
    let mut run = Run::script(FOREGROUND_JOB);
    run.expect("ready");
    let foreground = run.pty.foreground_group().unwrap();
    assert_ne!(foreground, run.child.pid());
    let (output, status) = run.signal(Signal::Term, Target::Foreground).expect("status 143").finish();
    assert!(output.contains("ready"), "{output}");
    assert_eq!(status, ExitStatus::Code(0));
}

#[test]
#[cfg(target_os = "linux")]
fn the_group_is_the_child_without_its_jobs() {
    let mut run = Run::script("set -m; sleep 1000 & echo job $!.; wait");
    run.expect(".").signal(Signal::Kill, Target::Group);
    assert_eq!(run.child.wait().unwrap(), ExitStatus::Signal(9));
    let job = run.output.trim().trim_start_matches("job ").trim_end_matches('.').parse().unwrap();
    assert!(rustix::process::test_kill_process(Pid::from_raw(job).unwrap()).is_ok());
    // It holds the terminal, until it is found by the session that the zombie keeps.
    run.signal(Signal::Kill, Target::Session).finish();
}

#[test]
#[cfg(target_os = "linux")]
fn the_session_is_all_of_them() {
    let check = |script: &str, status: ExitStatus| {
        let mut run = Run::script(script);
        run.expect("ready");
        if let ExitStatus::Code(_) = status {
            run.child.wait().unwrap();
        }
        let (_, ended) = run.signal(Signal::Kill, Target::Session).finish();
        assert_eq!(ended, status, "{script}");
    };
    check("sleep 1000 & echo ready; wait", ExitStatus::Signal(9));
    check("set -m; sleep 1000 & sleep 1000 & echo ready; wait", ExitStatus::Signal(9));
    check(FOREGROUND_JOB, ExitStatus::Signal(9));
    // Left behind by a child that has already gone, and deaf to the hangup.
    check("trap '' HUP; set -m; sleep 1000 & echo ready; exit 3", ExitStatus::Code(3));
}

#[test]
fn dropping_the_terminal_hangs_up() {
    let (pty, child) = spawn(&command("sleep", &["1000"])).unwrap();
    drop(pty);
    assert_eq!(child.wait().unwrap(), ExitStatus::Signal(1));
}

#[test]
fn the_pid_is_kept_until_the_last_handle_is_dropped() {
    let (pty, child) = spawn(&shell("exit 0")).unwrap();
    let (pid, waiter) = (child.pid(), child.clone());
    let thread = std::thread::spawn(move || waiter.wait().unwrap());
    assert_eq!(thread.join().unwrap(), ExitStatus::Code(0));
    assert_eq!(child.wait().unwrap(), ExitStatus::Code(0), "an exit can be asked for again");
    assert!(rustix::process::test_kill_process(pid).is_ok(), "a zombie holds it");
    child.signal(Signal::Term, Target::Group).unwrap();
    drop((pty, child));
    assert_eq!(rustix::process::test_kill_process(pid), Err(Errno::SRCH));
}

#[test]
fn programs_that_cannot_start_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, mode: u32, content: &str| {
        fs::write(folder.path().join(name), content).unwrap();
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    file("data", 0o644, "text");
    file("script", 0o755, "echo a script without a first line\n");
    file("orphan", 0o755, "#!/no/such/interpreter\n");
    file("works", 0o755, "#!/bin/sh\necho \"$0\" works\n");
    let here = folder.path().to_str().unwrap();
    for (program, path, cwd, expected) in [
        ("no-such-program", PATH, here, "NotFound"),
        ("./no-such-program", PATH, here, "NotFound"),
        ("", PATH, here, "NotFound"),
        ("works", PATH, here, "NotFound"),
        ("works", here, "/", "works"),
        ("works", "/nowhere:", here, "works"),
        ("works", ".", here, "works"),
        ("./works", "", here, "works"),
        ("data", here, here, "NotExecutable"),
        ("./data", PATH, here, "NotExecutable"),
        ("./", PATH, here, "NotExecutable"),
        ("./script", PATH, here, "NotExecutable"),
        ("./orphan", PATH, here, "NoInterpreter"),
        ("sh", PATH, "/no/such/directory", "BadCwd"),
        ("sh", PATH, "/etc/passwd", "BadCwd"),
        ("nul\0", PATH, here, "NotFound"),
    ] {
        let env = vec![("PATH".into(), path.into())];
        let result = spawn(&Command { env, cwd: Some(cwd.into()), ..command(program, &[]) });
        let got = match result {
            Ok((pty, child)) => {
                let mut run = Run { pty, child, output: String::new() };
                run.expect("works");
                "works".to_owned()
            }
            Err(error) => format!("{error:?}"),
        };
        assert!(got.starts_with(expected), "{program:?} in {cwd}: {got}, not {expected}");
    }
}

#[test]
fn errors_are_sentences() {
    let program = || "clade".into();
    for (error, sentence) in [
        (SpawnError::NotFound { program: program() }, "`clade` was not found: install it, or give the full path of it"),
        (
            SpawnError::NotExecutable { program: program() },
            "`clade` cannot be executed: check its permissions, and that it is a program for this machine or a script \
             with a #! line",
        ),
        (
            SpawnError::NoInterpreter { program: program() },
            "`clade` needs an interpreter or loader that is not installed",
        ),
        (
            SpawnError::BadCwd { path: "/nowhere".into() },
            "the working directory `/nowhere` does not exist or cannot be entered",
        ),
    ] {
        assert_eq!(error.to_string(), sentence);
    }
}
