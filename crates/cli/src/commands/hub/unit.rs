//! `coop hub --install-unit`: the hub as a service of the person's systemd.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use coop_machine::private;

use crate::{CommandError, out};

const NAME: &str = "coop-hub.service";
/// A file without this line is somebody else's.
const OURS: &str = "# Written by `coop hub --install-unit`.";

/// Writes the unit, and says how it is switched on: that is for the person to do.
pub(super) fn install(arguments: &[String]) -> Result<(), CommandError> {
    let path = folder().ok_or_else(|| CommandError::failed("HOME is not set"))?.join(NAME);
    let text = unit(&std::env::current_exe()?, &std::env::current_dir()?, arguments);
    let failed = |error: io::Error| CommandError::failed(format!("{} cannot be written: {error}", path.display()));
    match fs::read_to_string(&path) {
        Ok(old) if old == text => {}
        Ok(old) if !old.starts_with(OURS) => {
            return Err(CommandError::failed(format!("{} is not one that coop has written", path.display()))
                .with_hint("Move it away first."));
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => private::write(&path, text.as_bytes()).map_err(failed)?,
    }
    out::print(&format!(
        "{} is written. To start the hub now and whenever you log in:\n  \
         systemctl --user daemon-reload\n  systemctl --user enable --now {NAME}\n\
         Its log: journalctl --user -u {NAME}. Not any more: systemctl --user disable --now {NAME}",
        path.display()
    ))
}

fn folder() -> Option<PathBuf> {
    let given = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let config = given.or_else(|| Some(private::home()?.join(".config")))?;
    Some(config.join("systemd/user"))
}

fn unit(coop: &Path, cwd: &Path, arguments: &[String]) -> String {
    let words = [coop.to_string_lossy().into_owned(), "hub".into()].into_iter().chain(arguments.iter().cloned());
    let command = words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ");
    format!(
        "{OURS}\n\
         [Unit]\n\
         Description=coop hub: every coding agent on one board\n\
         \n\
         [Service]\n\
         ExecStart={command}\n\
         # Files may be named as seen from here.\n\
         WorkingDirectory=-{}\n\
         # Not when it was asked to end: a newer coop may be about to take its place.\n\
         Restart=on-failure\n\
         RestartSec=1\n\
         # Sessions that it has started go on without it.\n\
         KillMode=process\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n",
        percent(&cwd.to_string_lossy()),
    )
}

fn percent(text: &str) -> String {
    text.replace('%', "%%")
}

/// A word as systemd reads it, with nothing in it that stands for something else.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/-_.,:=+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let mut text = percent(word).replace('\\', "\\\\").replace('"', "\\\"").replace('$', "$$");
    text = text.replace('\n', "\\n").replace('\t', "\\t");
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn words_as_systemd_reads_them() {
        for (word, expected) in [
            ("/usr/bin/coop", "/usr/bin/coop"),
            ("--port=8123", "--port=8123"),
            ("", "\"\""),
            ("a b", "\"a b\""),
            ("50%", "\"50%%\""),
            ("$HOME", "\"$$HOME\""),
            ("say \"hi\"\\", "\"say \\\"hi\\\"\\\\\""),
            ("a\nExecStart=evil", "\"a\\nExecStart=evil\""),
        ] {
            assert_eq!(quoted(word), expected, "{word}");
        }
    }

    /// In a place of its own: it needs no systemd that runs.
    fn verify(folder: &Path, path: &Path) -> io::Result<std::process::Output> {
        let mut command = Command::new("systemd-analyze");
        command.args(["--user", "verify"]).arg(path).env("XDG_RUNTIME_DIR", folder).env("HOME", folder).output()
    }

    #[test]
    fn the_unit() {
        let arguments = ["--port".to_owned(), "8123".into(), "--allow-host".into(), "my box".into()];
        let text = unit(Path::new("/opt/co op/coop"), Path::new("/home/me"), &arguments);
        assert!(text.contains("\nExecStart=\"/opt/co op/coop\" hub --port 8123 --allow-host \"my box\"\n"), "{text}");
        assert!(text.contains("\nKillMode=process\n"), "sessions outlive it: {text}");
        assert!(text.contains("\nRestart=on-failure\n") && text.contains("\nWantedBy=default.target\n"), "{text}");
        // Where there is systemd, it has the last word.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        fs::write(&path, unit(Path::new("/bin/true"), folder.path(), &arguments)).unwrap();
        if let Ok(said) = verify(folder.path(), &path) {
            let said = String::from_utf8_lossy(&said.stderr).into_owned();
            assert!(!said.contains(NAME), "{said}");
        }
    }
}
