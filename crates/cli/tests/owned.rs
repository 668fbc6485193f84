//! Folders, files and sockets of other accounts are not trusted, and what coop writes is for its own account alone.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests may"
)]

mod common;

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, chown};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{COOP, World, finish, reads_until, spawn};

/// Another account, and one that the system's list of accounts does not have.
const STRANGER: u32 = 12345;
const UNLISTED: u32 = 54321;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Gives it to another account, which only root can.
fn give(path: &Path, owner: u32) -> bool {
    let given = chown(path, Some(owner), Some(owner)).is_ok();
    if !given {
        eprintln!("not root: files of another account are not tried");
    }
    given
}

/// A socket that a stranger waits at for a token.
struct Trap {
    listener: UnixListener,
    folder: PathBuf,
}

impl Trap {
    fn set(world: &World) -> Self {
        let folder = world.path().join("coop");
        fs::create_dir(&folder).unwrap();
        let listener = UnixListener::bind(folder.join("hub.sock")).unwrap();
        listener.set_nonblocking(true).unwrap();
        set_mode(&folder, 0o755);
        Self { listener, folder }
    }

    #[track_caller]
    fn is_not_used(&self, world: &World) {
        for args in [
            &["sessions", "--token", "t0ken"][..],
            &["prompts", "--token", "t0ken"],
            &["answer", "1", "allow", "--token", "t0ken"],
            &["rules", "list"],
            &["pair", "--address", "http://127.0.0.1:1"],
            &["hub", "--stop"],
            &["hub", "--daemon"],
            &["hub"],
        ] {
            let done = world.run(args);
            assert_eq!(done.code, Some(1), "{args:?}: {done:?}");
            assert!(done.stderr.contains("is not trusted"), "{args:?}: {done:?}");
        }
        let hook = world.command(COOP, &["hook", "Stop"]);
        let done = finish(hook);
        assert_eq!(
            (done.code, done.stdout.as_str(), done.stderr.as_str()),
            (Some(0), "", ""),
            "as if there were no hub"
        );
        let called = self.listener.accept().map(drop).unwrap_err();
        assert_eq!(called.kind(), ErrorKind::WouldBlock, "nothing was sent");
    }
}

#[test]
fn sockets_that_others_can_replace_get_no_token() {
    let world = World::new();
    let trap = Trap::set(&world);
    for mode in [0o755, 0o777, 0o750] {
        set_mode(&trap.folder, mode);
        trap.is_not_used(&world);
    }
}

#[test]
fn sockets_of_another_account_get_no_token() {
    let world = World::new();
    let trap = Trap::set(&world);
    if !give(&trap.folder, STRANGER) {
        return;
    }
    set_mode(&trap.folder, 0o700);
    trap.is_not_used(&world);
    // A folder of our own with a socket of theirs in it.
    give(&trap.folder, 0);
    trap.is_not_used_when_only_the_socket_is_theirs(&world);
}

impl Trap {
    fn is_not_used_when_only_the_socket_is_theirs(&self, world: &World) {
        give(&self.folder.join("hub.sock"), STRANGER);
        let done = world.run(&["sessions", "--token", "t0ken"]);
        assert!(done.code == Some(1) && done.stderr.contains("another account"), "{done:?}");
        assert_eq!(self.listener.accept().map(drop).unwrap_err().kind(), ErrorKind::WouldBlock, "nothing was sent");
    }
}

/// Without XDG_RUNTIME_DIR the folder has a name that everyone can guess.
#[test]
fn folder_in_tmp_of_another_account_is_refused() {
    let world = World::new();
    let folder = PathBuf::from(format!("/tmp/coop-{UNLISTED}"));
    if !give(world.path(), UNLISTED) || fs::create_dir(&folder).is_err() {
        return eprintln!("{} cannot be planted: not tried", folder.display());
    }
    let listener = UnixListener::bind(folder.join("hub.sock")).unwrap();
    listener.set_nonblocking(true).unwrap();
    give(&folder, STRANGER);
    let mut command = as_unlisted(&world, &["sessions", "--token", "t0ken"]);
    command.env("HOME", world.path());
    let ran = command.output();
    let called = listener.accept();
    fs::remove_dir_all(&folder).unwrap();
    let Ok(done) = ran else { return eprintln!("coop cannot be run by another account here: not tried") };
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.code() == Some(1) && said.contains("another account (uid 12345)"), "{done:?}");
    assert_eq!(called.map(drop).unwrap_err().kind(), ErrorKind::WouldBlock, "nothing was sent");
}

/// coop as an account without a home, and without a variable.
fn as_unlisted(world: &World, args: &[&str]) -> Command {
    let mut command = Command::new(COOP);
    command.args(args).env_clear().current_dir(world.path()).stdin(Stdio::null());
    command.uid(UNLISTED).gid(UNLISTED);
    command
}

#[test]
fn without_a_home_no_shared_folder_is_used() {
    let world = World::new();
    if !give(world.path(), UNLISTED) {
        return;
    }
    let shared = Path::new("/tmp/coop/hub.token");
    let before = shared.exists();
    for (home, args) in
        [(None, &["hub", "--port", "0"][..]), (Some(""), &["hub", "--port", "0"]), (Some("x"), &["hub"])]
    {
        let mut command = as_unlisted(&world, args);
        command.env("XDG_RUNTIME_DIR", world.path()).envs(home.map(|home| ("HOME", home)));
        let Ok(done) = command.output() else { return eprintln!("coop cannot be run by another account: not tried") };
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code() == Some(1) && said.contains("home folder"), "{home:?}: {done:?}");
        assert!(said.contains("Set HOME"), "says what to do: {said}");
    }
    assert_eq!(shared.exists(), before);
    assert!(!world.path().join("x").exists(), "nothing beside the folder it was started in");
}

#[test]
fn planted_tokens_and_state_are_refused() {
    let world = World::new();
    let state = world.path().join(".local/state/coop");
    fs::create_dir_all(&state).unwrap();
    let token = state.join("hub.token");
    fs::write(&token, "planted-by-a-stranger\n").unwrap();
    let refused = |why: &str| {
        let done = world.run(&["hub", "--port", "0"]);
        assert!(done.code == Some(1) && done.stderr.contains(why), "{done:?}");
    };
    set_mode(&token, 0o666);
    refused("other accounts can write it");
    set_mode(&token, 0o600);
    if !give(&token, STRANGER) {
        return;
    }
    refused("another account (uid 12345)");
    give(&token, 0);
    give(&state, STRANGER);
    refused("another account (uid 12345)");
    give(&state, 0);
    give(state.parent().unwrap(), STRANGER);
    refused("another account (uid 12345)");
}

#[test]
fn settings_of_another_account_are_refused() {
    let world = World::new();
    let file = world.path().join(".config/coop/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "[hub]\nhost = \"0.0.0.0\"\n").unwrap();
    set_mode(&file, 0o666);
    let done = world.run(&["hub"]);
    assert!(done.code == Some(2) && done.stderr.contains("other accounts can write it"), "{done:?}");
}

/// Every folder and file below that is open to others.
fn open_to_others(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let mode = meta.permissions().mode() & 0o777;
        let kind = meta.file_type();
        if mode & 0o077 != 0 && !kind.is_symlink() {
            found.push(format!("{} {mode:o}{}", path.display(), if kind.is_socket() { " socket" } else { "" }));
        }
        if kind.is_dir() {
            found.extend(open_to_others(&path));
        }
    }
    found
}

#[test]
fn everything_written_is_private_whatever_the_umask() {
    let world = World::new();
    let open = |args: &[&str]| {
        let script = format!("umask 000; exec '{COOP}' \"$@\"");
        let mut command = world.command("/bin/sh", &[&["-c", &script, "sh"], args].concat());
        command.current_dir(world.path());
        command
    };
    // Wider ones of an earlier coop are narrowed.
    let state = world.path().join(".local/state/coop");
    fs::create_dir_all(&state).unwrap();
    set_mode(&state, 0o777);
    for name in ["hub.token", "hub.db"] {
        fs::write(state.join(name), "").unwrap();
        set_mode(&state.join(name), 0o644);
    }
    set_mode(&world.path().join(".local"), 0o700);
    set_mode(&world.path().join(".local/state"), 0o700);

    let mut hub = spawn(open(&["hub", "--port", "0"]));
    reads_until(hub.stdout.as_mut().unwrap(), "The hub listens on http");
    let evidence = world.path().join("evidence.jsonl");
    let mut sidecar =
        spawn(open(&["--name", "a", "--agent", "shell", "--record-evidence", evidence.to_str().unwrap(), "--", "sh"]));
    sidecar.logs("the program has started");
    let record = |args: &[&str]| assert_eq!(finish(open(args)).code, Some(0), "{args:?}");
    record(&["record", "-s", "a", "--detach"]);
    record(&["record", "-s", "a", "--stop"]);
    record(&["report", "-s", "a", "--output", "report.jsonl"]);
    assert_eq!(open_to_others(world.path()), Vec::<String>::new());
    for kept in [".local/state/coop/recordings", ".local/state/coop/hub.token", "evidence.jsonl", "report.jsonl"] {
        assert!(world.path().join(kept).exists(), "{kept}");
    }
}
