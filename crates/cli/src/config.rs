//! The person's settings of the hub and the board: `config.toml` in coop's folder of settings. Flags count more than it.

mod board;

use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use board::Board;
use coop_core::permission::memory::Limits;
use serde::Deserialize;

use crate::{CommandError, pages};

/// A hook is given up after ten minutes, and asks for itself a little less long than that.
const LONGEST_WAIT: u64 = 585;
/// A year, as everywhere here.
const LONGEST_TTL: u64 = 365 * 24 * 3600;
/// All of them are looked at for each request.
const MOST_PATTERNS: u64 = 10_000;

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) hub: Hub,
    pub(crate) permissions: Permissions,
    pub(crate) board: Board,
    pub(crate) notify: Notify,
}

/// Who is told of what is asked, besides browsers that subscribed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Notify {
    pub(crate) ntfy: Option<Address>,
    pub(crate) webhook: Option<Address>,
    pub(crate) desktop: bool,
    pub(crate) command: Vec<String>,
    pub(crate) push_services: Vec<String>,
}

/// Where something can be sent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Address(pub(crate) String);

impl TryFrom<String> for Address {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        match rest {
            Some(rest) if !rest.is_empty() => Ok(Self(text)),
            _ => Err("it is an address such as https://ntfy.sh/my-agents"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Hub {
    pub(crate) port: Option<u16>,
    pub(crate) host: IpAddr,
    pub(crate) ledger: Option<Absolute>,
    pub(crate) auth_token_file: Option<Absolute>,
    pub(crate) allow_host: Vec<String>,
    pub(crate) allow_origin: Vec<String>,
    pub(crate) tls: bool,
    pub(crate) tls_cert: Option<Absolute>,
    pub(crate) tls_key: Option<Absolute>,
}

impl Default for Hub {
    fn default() -> Self {
        Self {
            port: None,
            host: Ipv4Addr::LOCALHOST.into(),
            ledger: None,
            auth_token_file: None,
            allow_host: Vec::new(),
            allow_origin: Vec::new(),
            tls: false,
            tls_cert: None,
            tls_key: None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Permissions {
    wait: Wait,
    session_memory: SessionMemory,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SessionMemory {
    enabled: bool,
    ttl: Ttl,
    max_patterns: MaxPatterns,
}

impl Default for SessionMemory {
    fn default() -> Self {
        let Limits { enabled, ttl, max_patterns } = Limits::default();
        Self { enabled, ttl: Ttl(ttl.as_secs()), max_patterns: MaxPatterns(max_patterns as u64) }
    }
}

impl Permissions {
    /// How long a request waits for an answer before it is left to the terminal.
    pub(crate) fn wait(&self) -> Duration {
        Duration::from_secs(self.wait.0)
    }

    pub(crate) fn memory(&self) -> Limits {
        let SessionMemory { enabled, ttl, max_patterns } = &self.session_memory;
        let max_patterns = usize::try_from(max_patterns.0).unwrap_or(usize::MAX);
        Limits { enabled: *enabled, ttl: Duration::from_secs(ttl.0), max_patterns }
    }
}

/// A file, which is the same wherever the hub is started.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "PathBuf")]
pub(crate) struct Absolute(pub(crate) PathBuf);

impl TryFrom<PathBuf> for Absolute {
    type Error = &'static str;

    fn try_from(path: PathBuf) -> Result<Self, Self::Error> {
        if path.is_absolute() { Ok(Self(path)) } else { Err("it is a path from the root on, such as /srv/x") }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u64")]
struct Wait(u64);

impl Default for Wait {
    fn default() -> Self {
        Self(LONGEST_WAIT)
    }
}

impl TryFrom<u64> for Wait {
    type Error = String;

    fn try_from(seconds: u64) -> Result<Self, String> {
        within(seconds, 1, LONGEST_WAIT, "seconds").map(Self)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u64")]
struct Ttl(u64);

impl TryFrom<u64> for Ttl {
    type Error = String;

    fn try_from(seconds: u64) -> Result<Self, String> {
        within(seconds, 1, LONGEST_TTL, "seconds").map(Self)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u64")]
struct MaxPatterns(u64);

impl TryFrom<u64> for MaxPatterns {
    type Error = String;

    fn try_from(count: u64) -> Result<Self, String> {
        within(count, 0, MOST_PATTERNS, "patterns").map(Self)
    }
}

fn within(given: u64, least: u64, most: u64, of: &str) -> Result<u64, String> {
    if (least..=most).contains(&given) {
        Ok(given)
    } else {
        Err(format!("it is a number of {of}, from {least} to {most}"))
    }
}

/// Where the file is, whether there is one or not.
pub(crate) fn path() -> PathBuf {
    pages::config_folder().join("config.toml")
}

impl Config {
    /// The person's own, or the defaults where there is no file.
    pub(crate) fn read() -> Result<Self, CommandError> {
        let path = path();
        match crate::folders::read_config(&path) {
            Ok(Some(text)) => Self::parse(&path, &text),
            Ok(None) => Ok(Self::default()),
            Err(error) => Err(CommandError::usage(format!("{} cannot be read: {error}", path.display()))),
        }
    }

    /// Nothing if there is no such file.
    pub(crate) fn of(path: &Path) -> Result<Option<Self>, CommandError> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(path, &text).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CommandError::usage(format!("{} cannot be read: {error}", path.display()))),
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, CommandError> {
        coop_drivers::read_toml(text).map_err(|fault| {
            CommandError::usage(format!("{}, {fault}", path.display()))
                .with_hint("`coop config show` prints every setting there is, with its default.")
        })
    }

    /// As a file that says the same, with what each line is for.
    pub(crate) fn describe(&self) -> String {
        let mut text = String::from("[hub]\n");
        let mut line = |set: bool, key: &str, value: &str, why: &str| {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{:<38} # {why}", format!("{}{key} = {value}", if set { "" } else { "# " }));
        };
        let Hub { port, host, ledger, auth_token_file, allow_host, allow_origin, tls, tls_cert, tls_key } = &self.hub;
        let path = |path: &Option<Absolute>| path.as_ref().map(|path| quoted(&path.0.to_string_lossy()));
        let (port_text, none) = (port.map(|port| port.to_string()), "\"/path\"".to_owned());
        line(
            port.is_some(),
            "port",
            port_text.as_deref().unwrap_or("8123"),
            "also for browsers and programs; 0 picks a free one",
        );
        line(true, "host", &quoted(&host.to_string()), "address of the port");
        line(
            ledger.is_some(),
            "ledger",
            &path(ledger).unwrap_or_else(|| none.clone()),
            "what the hub keeps [hub.db where coop keeps its state]",
        );
        line(
            auth_token_file.is_some(),
            "auth_token_file",
            &path(auth_token_file).unwrap_or(none),
            "token of the port [one that is made once]",
        );
        line(true, "allow_host", &list(allow_host), "names besides localhost that clients may call this machine by");
        line(true, "allow_origin", &list(allow_origin), "origins of web pages that may connect");
        line(true, "tls", &tls.to_string(), "whether the port speaks TLS and nothing else");
        for (key, file, why) in [
            ("tls_cert", tls_cert, "certificate for that, as PEM [one that is made once]"),
            ("tls_key", tls_key, "its key, as PEM"),
        ] {
            line(file.is_some(), key, &path(file).unwrap_or_else(|| "\"/path\"".to_owned()), why);
        }
        text += "\n[permissions]\n";
        let mut line = |key: &str, value: String, why: &str| {
            let _ = writeln!(text, "{:<38} # {why}", format!("{key} = {value}"));
        };
        let SessionMemory { enabled, ttl, max_patterns } = &self.permissions.session_memory;
        line("wait", self.permissions.wait.0.to_string(), "seconds until a request is left to the terminal");
        line("session_memory.enabled", enabled.to_string(), "whether answers for the session are remembered here");
        line("session_memory.ttl", ttl.0.to_string(), "seconds without use until they are forgotten");
        line("session_memory.max_patterns", max_patterns.0.to_string(), "for each session; the oldest goes first");
        text += "\n[board]\n";
        self.board.describe(&mut text);
        text += "\n[notify]\n";
        let mut line = |set: bool, key: &str, value: &str, why: &str| {
            let _ = writeln!(text, "{:<38} # {why}", format!("{}{key} = {value}", if set { "" } else { "# " }));
        };
        let Notify { ntfy, webhook, desktop, command, push_services } = &self.notify;
        let address = |address: &Option<Address>, other: &str| {
            quoted(address.as_ref().map_or(other, |address| address.0.as_str()))
        };
        line(
            ntfy.is_some(),
            "ntfy",
            &address(ntfy, "https://ntfy.sh/my-agents"),
            "a topic that is told of what is asked",
        );
        line(webhook.is_some(), "webhook", &address(webhook, "https://example.org/hook"), "gets it as JSON");
        line(true, "desktop", &desktop.to_string(), "on the desktop of this machine, with notify-send");
        line(true, "command", &list(command), "run with it as JSON on its standard input");
        line(true, "push_services", &list(push_services), "hosts of push services besides those of the browsers");
        text
    }
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", "))
}

/// What JSON escapes in a text, TOML does the same way.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(Path::new("/c/config.toml"), text).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn what_is_shown_says_the_same() {
        let full = "[hub]\nport = 8123\nhost = \"::1\"\nledger = \"/x/y \\\"z\\\".db\"\nauth_token_file = \"/t\"\n\
                    allow_host = [\"box\"]\nallow_origin = [\"https://a\", \"https://b\"]\n\
                    tls = true\ntls_cert = \"/c\"\ntls_key = \"/k\"\n\
                    [permissions]\nwait = 60\n[permissions.session_memory]\nenabled = false\nttl = 5\nmax_patterns = 0\n\
                    [board]\nundo = 0\nnotify.done = [\"sound\"]\nsound = [\"paplay\", \"/a b\"]\n\
                    [notify]\nntfy = \"https://ntfy.sh/x\"\ndesktop = true\ncommand = [\"sh\", \"-c\", \"cat\"]\npush_services = [\"push.lan\"]\n";
        for text in ["", full] {
            let config = parse(text).unwrap();
            assert_eq!(parse(&config.describe()), Ok(config.clone()), "{}", config.describe());
        }
        let config = parse(full).unwrap();
        assert_ne!(config, Config::default());
        assert_eq!(
            config.permissions.memory(),
            Limits { enabled: false, ttl: Duration::from_secs(5), max_patterns: 0 }
        );
        assert_eq!(parse("").unwrap().permissions.memory(), Limits::default());
    }

    #[test]
    fn what_is_wrong_names_file_line_and_key() {
        for (text, expected) in [
            ("[hub]\n\nprot = 1\n", "/c/config.toml, line 3, `prot`: unknown field `prot`"),
            ("[bub]\nport = 1\n", "/c/config.toml, line 1, `[bub]`: unknown field `bub`"),
            ("[hub]\nport = 70000\n", "/c/config.toml, line 2, `port`"),
            ("[hub]\nport = \"x\"\n", "/c/config.toml, line 2, `port`"),
            ("[hub]\nhost = \"box.lan\"\n", "/c/config.toml, line 2, `host`"),
            ("[hub]\nledger = \"x.db\"\n", "/c/config.toml, line 2, `ledger`: it is a path from the root on"),
            ("[permissions]\nwait = 600\n", "/c/config.toml, line 2, `wait`: it is a number of seconds, from 1 to 585"),
            ("[permissions.session_memory]\nttl = 0\n", "/c/config.toml, line 2, `ttl`: it is a number of seconds"),
            ("[permissions]\nsession_memory.max = 3\n", "/c/config.toml, line 2, `session_memory.max`: unknown field"),
            ("[board]\nundo = 61\n", "/c/config.toml, line 2, `undo`: it is a number of seconds, from 0 to 60"),
            ("[board]\nnotify.asks = [\"horn\"]\n", "/c/config.toml, line 2, `notify.asks`: unknown variant `horn`"),
            ("[hub\n", "/c/config.toml, line 1"),
        ] {
            let said = parse(text).unwrap_err();
            assert!(said.starts_with(expected), "{said}");
        }
    }
}
