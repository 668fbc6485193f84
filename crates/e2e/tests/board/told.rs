//! Whoever does not look is told: by the terminal's bell, by the desktop, by a sound.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use coop_testkit::{Meeting, TestHub};
use serde_json::json;

use crate::fleet::{asks, event, works};
use crate::pane::Pane;

/// A program that writes down how it was called, a line for each argument.
fn stub(folder: &Path, name: &str) -> PathBuf {
    let (program, calls) = (folder.join(name), folder.join(format!("{name}.calls")));
    fs::write(&calls, "").unwrap();
    // Whole or not at all: somebody waits for it.
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" >> {0}.new\ncp {0}.new {0}.one\nmv {0}.one {0}\n",
        calls.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    calls
}

#[test]
fn by_the_ways_of_the_settings() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    works(&hub, "first");
    let stubs = home.path().join("stubs");
    fs::create_dir(&stubs).unwrap();
    let [desktop, sound] = ["notify-send", "play-it"].map(|name| stub(&stubs, name));
    let config = home.path().join("config/coop");
    fs::create_dir_all(&config).unwrap();
    let settings = "[board]\nundo = 0\nnotify.asks = [\"desktop\", \"sound\"]\nnotify.failed = [\"bell\"]\n\
                    notify.done = [\"sound\"]\nnotify.ended = []\nsound = [\"play-it\", \"soft\"]\n";
    fs::write(config.join("config.toml"), settings).unwrap();
    let path = format!("{}:{}", stubs.display(), std::env::var("PATH").unwrap());
    let env = [("PATH", path.as_str()), ("XDG_CONFIG_HOME", config.parent().unwrap().to_str().unwrap())];

    // With a desktop of its own.
    let pane = Pane::new(&hub, 80, 24, &[&env[..], &[("DISPLAY", ":7")]].concat());
    let bytes = pane.listen();
    pane.run("board");
    pane.shows("first");
    let asked = asks(&hub, "shop", "Bash", &json!({ "command": "touch made.txt" }));
    let calls = pane.until("the desktop's note", |_| read(&desktop));
    assert_eq!(calls, ["4", "--app-name=coop", "--", "shop (claude) asks", "touch made.txt"]);
    assert_eq!(pane.until("the sound", |_| read(&sound)), ["1", "soft"]);
    assert!(!bytes().contains(&7), "the bell is for what fails");
    pane.shows("Bash: touch made.txt");
    event(&hub, "first", "stop", &json!({ "error": "overloaded" }));
    pane.shows("1 failed");
    pane.until("the bell", |_| bytes().contains(&7).then_some(()));
    assert_eq!(read(&desktop).unwrap().len(), 5, "that was not for the desktop");
    works(&hub, "second");
    event(&hub, "second", "stop", &json!({}));
    pane.until("the sound of who is done", |_| read(&sound).filter(|calls| calls.len() == 4));
    pane.press("q");
    pane.is_given_back();

    // Without one it is the terminal's business.
    let pane = Pane::new(&hub, 80, 24, &env);
    let bytes = pane.listen();
    pane.run("board");
    pane.shows("Bash: touch made.txt");
    let more = asks(&hub, "site", "Bash", &json!({ "command": "touch more.txt" }));
    let sequence = b"\x1bPtmux;\x1b\x1b]9;site (claude) asks: touch more.txt\x07\x1b\\";
    pane.until("the terminal's note", |_| bytes().windows(sequence.len()).any(|part| part == sequence).then_some(()));
    assert_eq!(read(&desktop).unwrap().len(), 5, "there is no desktop");
    pane.press("q");
    pane.is_given_back();
    hub.does(&["hub", "--stop"]);
    drop((asked.join(), more.join()));
}

/// The lines, when there are any.
fn read(calls: &Path) -> Option<Vec<String>> {
    let text = fs::read_to_string(calls).unwrap_or_default();
    (!text.is_empty()).then(|| text.lines().map(str::to_owned).collect())
}
