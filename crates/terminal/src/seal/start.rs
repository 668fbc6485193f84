//! The three processes of a sealed program.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs;
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getgid, getpid, getuid, wait, waitpid};

use super::{Seal, SealError, mounts};

/// Signals of the terminal and of coop. They reach the program by themselves, which is in the same group.
const LEFT_TO_PROGRAM: [i32; 9] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
];

/// Ends of what the first process of the namespace has to report.
const STATUS: u8 = b'S';
const FAILED: u8 = b'F';
/// Code for a program that cannot be executed, as shells have it.
const CANNOT_EXECUTE: i32 = 126;

fn failed(step: &'static str) -> impl Fn(io::Error) -> SealError {
    move |error| SealError { step, error }
}

/// The process on the terminal.
pub(super) fn run(seal: &Seal, program: &[OsString]) -> Result<Infallible, SealError> {
    let own = getpid();
    let identity = Identity::new();
    // As root, with all rights, the first user namespace is left out: that of the program can have every user then.
    let spaces = libc::CLONE_NEWNS | libc::CLONE_NEWPID;
    let is_privileged = identity.uid == 0 && unshare(spaces).is_ok();
    if !is_privileged {
        let step = "the kernel does not allow a user namespace with mounts and processes of its own";
        unshare(libc::CLONE_NEWUSER | spaces).map_err(failed(step))?;
        identity.map("self", false).map_err(failed("the users of the namespace cannot be set"))?;
    }
    let (report, reporter) = io::pipe().map_err(failed("there is no pipe"))?;
    match fork().map_err(failed("no process can be started"))? {
        None => {
            drop(report);
            first(seal, program, own, &identity, is_privileged, reporter)
        }
        Some(first) => {
            drop(reporter);
            Err(outer(first, report))
        }
    }
}

/// Waits until all is over, and ends as the program did.
fn outer(first: Pid, mut report: PipeReader) -> SealError {
    for signal in LEFT_TO_PROGRAM {
        set_signal(signal, libc::SIG_IGN);
    }
    let mut said = Vec::new();
    let read = report.read_to_end(&mut said);
    let _ = waitpid(Some(first), WaitOptions::empty());
    match (read, said.split_first()) {
        (Ok(_), Some((&STATUS, status))) => {
            let status = status.try_into().map_or(1 << 8, i32::from_ne_bytes);
            end_as(ExitStatus::from_raw(status))
        }
        (_, Some((&FAILED, why))) => {
            let why = String::from_utf8_lossy(why).into_owned();
            SealError { step: "the program was not started", error: io::Error::other(why) }
        }
        // Killed, and everything in the namespace with it.
        _ => end_as(ExitStatus::from_raw(libc::SIGKILL)),
    }
}

/// The first process of the namespace. Never returns.
fn first(
    seal: &Seal,
    program: &[OsString],
    outer: Pid,
    identity: &Identity,
    is_privileged: bool,
    mut reporter: PipeWriter,
) -> ! {
    let started = begin(seal, program, outer, identity, is_privileged);
    let message = match started {
        Err(error) => [&[FAILED], error.to_string().as_bytes()].concat(),
        Ok(child) => {
            let status = reap_until(child).unwrap_or(1 << 8);
            [&[STATUS], &status.to_ne_bytes()[..]].concat()
        }
    };
    // The process on the terminal may have been killed.
    drop(reporter.write_all(&message));
    exit(0)
}

fn begin(
    seal: &Seal,
    program: &[OsString],
    outer: Pid,
    identity: &Identity,
    is_privileged: bool,
) -> Result<Pid, SealError> {
    // Without the process on the terminal nothing is left that would end it.
    let dies = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    dies.map_err(|error| failed("it cannot be ended with its terminal")(error.into()))?;
    mounts::cover(seal)?;
    let pipe = || io::pipe().map_err(failed("there is no pipe"));
    let ((mut ready, is_ready), (may_go, go)) = (pipe()?, pipe()?);
    // The program has the number of the process on the terminal, by which coop and the files of agents name it.
    match fork_as(outer).map_err(failed("no process can be started"))? {
        None => {
            drop((ready, go));
            become_program(program, is_ready, may_go)
        }
        Some(child) => {
            drop((is_ready, may_go));
            let mut word = [0];
            let step = "the kernel does not allow a user namespace for the program";
            ready.read_exact(&mut word).map_err(|_| failed(step)(Errno::PERM.into()))?;
            identity
                .map(&child.to_string(), is_privileged)
                .map_err(failed("the users of the program cannot be set"))?;
            drop(go);
            Ok(child)
        }
    }
}

/// Becomes the program, in a user namespace in which the mounts are locked. Never returns.
fn become_program(program: &[OsString], mut is_ready: PipeWriter, mut may_go: PipeReader) -> ! {
    if unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS).is_err() {
        exit(CANNOT_EXECUTE);
    }
    drop(is_ready.write_all(b"r"));
    drop(is_ready);
    // Ends when the users are set.
    drop(may_go.read(&mut [0]));
    drop(may_go);
    let Some((name, args)) = program.split_first() else { exit(CANNOT_EXECUTE) };
    let error = Command::new(name).args(args).exec();
    drop(writeln!(io::stderr(), "coop: {}: {error}", name.display()));
    exit(CANNOT_EXECUTE)
}

/// Reaps all that end, until `child` has; its status.
fn reap_until(child: Pid) -> Option<i32> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == child => return Some(status.as_raw()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// The account.
struct Identity {
    uid: u32,
    gid: u32,
}

impl Identity {
    fn new() -> Self {
        Self { uid: getuid().as_raw(), gid: getgid().as_raw() }
    }

    /// Gives a process the users of its new namespace: every user, or this account alone. They keep their numbers.
    fn map(&self, process: &str, all: bool) -> io::Result<()> {
        let file = |name: &str| format!("/proc/{process}/{name}");
        if all {
            return ["uid_map", "gid_map"].into_iter().try_for_each(|name| {
                let own = fs::read_to_string(format!("/proc/self/{name}"))?;
                // Each line has the first number here, the first number outside, and how many.
                let lines = own.lines().filter_map(|line| {
                    let words: Vec<&str> = line.split_whitespace().collect();
                    Some(format!("{0} {0} {1}\n", words.first()?, words.get(2)?))
                });
                fs::write(file(name), lines.collect::<String>())
            });
        }
        fs::write(file("setgroups"), "deny")?;
        fs::write(file("uid_map"), format!("{0} {0} 1", self.uid))?;
        fs::write(file("gid_map"), format!("{0} {0} 1", self.gid))
    }
}

#[allow(unsafe_code)]
fn unshare(spaces: i32) -> io::Result<()> {
    // SAFETY: a system call with an integer.
    if unsafe { libc::unshare(spaces) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The child, in the parent.
#[allow(unsafe_code)]
fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: there is no other thread, so that the child is as this process was.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(Pid::from_raw(pid)),
    }
}

/// The same with this number for the child, in the namespace of this process. Where that cannot be had, with another one.
#[allow(unsafe_code)]
fn fork_as(number: Pid) -> io::Result<Option<Pid>> {
    let numbers = [number.as_raw_pid()];
    // SAFETY: the arguments are integers, and zero is a value of each.
    let mut args: libc::clone_args = unsafe { std::mem::zeroed() };
    args.exit_signal = u64::try_from(libc::SIGCHLD).unwrap_or_default();
    args.set_tid = std::ptr::from_ref(&numbers).expose_provenance() as u64;
    args.set_tid_size = 1;
    // SAFETY: the structure and what it points to outlive the call. Without a stack or flags the call is a fork, and there
    // is no other thread.
    let pid = unsafe { libc::syscall(libc::SYS_clone3, &raw const args, size_of::<libc::clone_args>()) };
    match i32::try_from(pid) {
        Ok(-1) | Err(_) => fork(),
        Ok(pid) => Ok(Pid::from_raw(pid)),
    }
}

#[allow(unsafe_code)]
fn set_signal(signal: i32, to: libc::sighandler_t) {
    // SAFETY: no handler is installed.
    unsafe { libc::signal(signal, to) };
}

#[allow(unsafe_code)]
fn exit(code: i32) -> ! {
    // SAFETY: ends this process. What would be run at the end is the business of the process it was forked from.
    unsafe { libc::_exit(code) }
}

/// Ends this process as the program did.
fn end_as(status: ExitStatus) -> ! {
    if let Some(signal) = status.signal() {
        set_signal(signal, libc::SIG_DFL);
        if let Some(signal) = Signal::from_named_raw(signal) {
            let _ = rustix::process::kill_process(getpid(), signal);
        }
    }
    exit(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}
