//! The system fails coop: its disk is full, or its hooks cannot be started. The agent works on, and the state is right.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use coop_e2e::{Driven, Transport};
use coop_testkit::{Options, coop};
use serde_json::json;

use crate::faults::publishes;
use crate::{VERSIONS, launch_with};

const SCENARIO: &str = "
user: first
  say: Heard.
user: ask
  bash: touch made.txt
result
  say: Made.
user: summary
  say: <summary>We made it.</summary>
user: last
  say: Bye.
";

/// A disk of its own that is soon full.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn new() -> Self {
        let disk = Self(tempfile::tempdir().unwrap());
        let mounts = |words: &[&str]| {
            let (program, args) = words.split_first().unwrap();
            let args = args.iter().chain(&["-t", "tmpfs", "-o", "size=1m,mode=0777", "coop-test"]);
            Command::new(program).args(args).arg(disk.path()).status().is_ok_and(|status| status.success())
        };
        assert!(
            mounts(&["mount"]) || mounts(&["sudo", "-n", "mount"]),
            "a small disk needs root, or sudo that does not ask"
        );
        disk
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn fill(&self) {
        let mut file = fs::File::create(self.path().join("fill")).unwrap();
        for size in [64 << 10, 4096, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounts = |program: &str, args: &[&str]| {
            let done = Command::new(program).args(args).arg("--lazy").arg(self.path()).status();
            done.is_ok_and(|status| status.success())
        };
        // What stays mounted is gone with the next boot.
        let _ = unmounts("umount", &[]) || unmounts("sudo", &["-n", "umount"]);
    }
}

fn asks_and_is_answered(driven: &mut Driven) {
    driven.nudge(Transport::Ws, "first");
    publishes(driven, &["working", "idle"]);
    driven.nudge(Transport::Ws, "ask");
    publishes(driven, &["working", "idle", "working", "prompt"]);
    let reply = driven.respond(Transport::Ws, json!({ "accept": true }));
    assert_eq!(reply["via"], "keys", "{reply}");
    publishes(driven, &["working", "idle", "working", "prompt", "working", "idle"]);
    assert!(driven.session.agent.project.join("made.txt").exists());
}

/// Where hooks leave what they cannot tell, and where conversations are kept.
#[test]
fn a_full_disk() {
    for version in VERSIONS {
        let disk = SmallDisk::new();
        let on_disk = |name: &str, folder: &str| (name.to_owned(), disk.path().join(folder).display().to_string());
        let env = vec![on_disk("XDG_RUNTIME_DIR", "run"), on_disk("XDG_STATE_HOME", "state")];
        fs::create_dir(disk.path().join("run")).unwrap();
        let mut driven = launch_with(version, SCENARIO, &[], Options { env, ..Options::default() });
        disk.fill();
        let (socket, away) = (driven.session.socket.clone(), driven.session.socket.with_extension("away"));
        fs::rename(&socket, &away).unwrap();
        asks_and_is_answered(&mut driven);
        fs::rename(&away, &socket).unwrap();
        let compact = json!({ "type": "nudge", "message": "/compact", "command": true });
        driven.ask(Transport::Ws, &compact).unwrap();
        driven.session.hook("PostCompact");
        driven.nudge_when_idle("last");
        driven.session.shows("Bye.");
        driven.state("idle");
        driven.session.finish();
    }
}

#[test]
fn hooks_that_cannot_be_started() {
    for version in VERSIONS {
        let folder = tempfile::tempdir().unwrap();
        let program: PathBuf = folder.path().join("coop");
        fs::copy(coop::binary(), &program).unwrap();
        let options = Options { program: Some(program.clone()), ..Options::default() };
        let mut driven = launch_with(
            version,
            &SCENARIO.replace("user: summary\n  say: <summary>We made it.</summary>\n", ""),
            &[],
            options,
        );
        fs::set_permissions(&program, fs::Permissions::from_mode(0o600)).unwrap();
        asks_and_is_answered(&mut driven);
        driven.nudge_when_idle("last");
        driven.session.shows("Bye.");
        driven.state("idle");
        driven.session.finish();
    }
}
