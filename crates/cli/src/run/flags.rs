//! The flags of the sidecar, in the groups its help shows.
//!
//! Variables show by name only: the value of one is a token.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::FalseyValueParser;
use clap::{Args, ValueEnum};
use coop_core::rate::Rate;

use super::agent::SourceName;
use super::tls::TlsFlags;
use crate::sessions::Name;

#[derive(Debug, Args)]
pub(crate) struct Flags {
    /// The program and its arguments. A single argument with spaces or other shell syntax is run by /bin/sh
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
    #[command(flatten)]
    pub(crate) session: SessionFlags,
    #[command(flatten)]
    pub(crate) listen: ListenFlags,
    #[command(flatten)]
    pub(crate) tls: TlsFlags,
    #[command(flatten)]
    pub(crate) access: AccessFlags,
    #[command(flatten)]
    pub(crate) hub: HubFlags,
    #[command(flatten)]
    pub(crate) terminal: TerminalFlags,
    #[command(flatten)]
    pub(crate) agent: AgentFlags,
    #[command(flatten)]
    pub(crate) logs: LogFlags,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct SessionFlags {
    /// Name of the session, as `coop ls` shows it [default: the program's, with a number if that is taken]
    #[arg(long)]
    pub(crate) name: Option<Name>,
    /// Directory to start the program in
    #[arg(long, value_name = "PATH")]
    pub(crate) cwd: Option<PathBuf>,
    /// Print the address, a token and commands to try; picks a port and makes a token if none is given
    #[arg(long)]
    pub(crate) welcome: bool,
    /// Keep serving the last screen after the program has exited, until a signal
    #[arg(long)]
    pub(crate) linger: bool,
    /// Keep the program, its terminal, output, port and token if the process that serves it dies: another one is started,
    /// and clients go on by offset. Costs a second process, which sleeps. On Linux
    #[arg(long, env = "COOP_SURVIVE", hide_env_values = true, value_parser = FalseyValueParser::new(), conflicts_with = "attach")]
    pub(crate) survive: bool,
    /// Run the program where coop's folders are empty and coop's processes cannot be seen or signalled, so that it cannot
    /// answer its own prompts. Processes that it leaves behind end with it. On Linux, where user namespaces are allowed
    #[arg(long, env = "COOP_SEALED", hide_env_values = true, value_parser = FalseyValueParser::new(), conflicts_with_all = ["attach", "survive"])]
    pub(crate) sealed: bool,
    /// How long the program may take to end when it is asked to, before it is killed
    #[arg(long, value_name = "SECS", default_value = "10", value_parser = seconds)]
    pub(crate) shutdown_timeout: Duration,
    /// End the session after this long without output or input; 0 is never
    #[arg(long, env = "COOP_IDLE_TIMEOUT", hide_env_values = true, value_name = "SECS", default_value = "0", value_parser = seconds)]
    pub(crate) idle_timeout: Duration,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Where it listens")]
pub(crate) struct ListenFlags {
    /// TCP port for HTTP, WebSocket and gRPC; 0 picks a free one [default: none]
    #[arg(long, env = "COOP_PORT", hide_env_values = true)]
    pub(crate) port: Option<u16>,
    /// Address of the ports. Any but that of this machine itself needs a token
    #[arg(long, env = "COOP_HOST", hide_env_values = true, value_name = "ADDR", default_value = "127.0.0.1", value_parser = host)]
    pub(crate) host: IpAddr,
    /// Unix socket for the same, or `none` [default: $XDG_RUNTIME_DIR/coop/NAME.sock, else /tmp/coop-UID/NAME.sock]
    #[arg(long, env = "COOP_SOCKET", hide_env_values = true, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Another TCP port, for gRPC alone [default: none]
    #[arg(long, visible_alias = "port-grpc", env = "COOP_GRPC_PORT", hide_env_values = true, value_name = "PORT")]
    pub(crate) grpc_port: Option<u16>,
    /// Another TCP port, for /livez and /ready alone, without a token [default: none]
    #[arg(long, visible_alias = "port-health", env = "COOP_HEALTH_PORT", hide_env_values = true, value_name = "PORT")]
    pub(crate) health_port: Option<u16>,
}

#[derive(Args)]
#[command(next_help_heading = "Who may connect")]
pub(crate) struct AccessFlags {
    /// Token that clients must send. Others on this machine can see it in the list of processes; the variable or the
    /// file is better
    #[arg(long, env = "COOP_AUTH_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    pub(crate) auth_token: Option<String>,
    /// File with the token
    #[arg(long, value_name = "PATH", conflicts_with = "auth_token")]
    pub(crate) auth_token_file: Option<PathBuf>,
    /// Name besides localhost that clients may call this machine by; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// Origin of web pages that may connect, for example https://board.example; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    /// Inputs per second that one client may send [default: 500]
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(crate) input_rate: Option<Rate>,
}

#[derive(Args)]
#[command(next_help_heading = "Hub of another machine")]
pub(crate) struct HubFlags {
    /// Be on the board of the hub there, such as http://hub.example:8123. coop calls it, and needs no port for that
    #[arg(long, env = "COOP_HUB_URL", hide_env_values = true, value_name = "URL")]
    pub(crate) hub_url: Option<String>,
    /// Token of that hub; the one in its hub.hooks.token is enough. Others on this machine can see it in the list of
    /// processes; the variable or the file is better
    #[arg(long, env = "COOP_HUB_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    pub(crate) hub_token: Option<String>,
    /// File with that token
    #[arg(long, value_name = "PATH", conflicts_with = "hub_token")]
    pub(crate) hub_token_file: Option<PathBuf>,
    /// What this machine is called there [default: its host name]
    #[arg(long, env = "COOP_HUB_HOST", hide_env_values = true, value_name = "NAME")]
    pub(crate) hub_host: Option<String>,
}

impl std::fmt::Debug for HubFlags {
    /// Without the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubFlags").field("hub_url", &self.hub_url).finish_non_exhaustive()
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Terminal")]
pub(crate) struct TerminalFlags {
    /// Columns
    #[arg(long, env = "COOP_COLS", hide_env_values = true, value_name = "N", default_value = "200")]
    pub(crate) cols: u32,
    /// Rows
    #[arg(long, env = "COOP_ROWS", hide_env_values = true, value_name = "N", default_value = "50")]
    pub(crate) rows: u32,
    /// TERM for the program
    #[arg(long, env = "TERM", hide_env_values = true, default_value = "xterm-256color")]
    pub(crate) term: OsString,
    /// Bytes of output kept for clients that come back
    #[arg(
        long,
        env = "COOP_RING_SIZE",
        hide_env_values = true,
        value_name = "BYTES",
        default_value = "1048576",
        value_parser = clap::value_parser!(u64).range(MIN_RING..=MAX_RING)
    )]
    pub(crate) ring_size: u64,
    /// Lines kept above the screen
    #[arg(
        long,
        value_name = "LINES",
        default_value = "1000",
        value_parser = clap::value_parser!(u32).range(0..=MAX_SCROLLBACK)
    )]
    pub(crate) scrollback: u32,
}

/// One read of the terminal.
const MIN_RING: u64 = 4096;
/// It is in memory.
const MAX_RING: u64 = 1 << 30;
/// At 200 columns these are 500 MB.
const MAX_SCROLLBACK: i64 = 100_000;

#[derive(Debug, Args)]
#[command(next_help_heading = "Agent")]
pub(crate) struct AgentFlags {
    /// Kind of the program: claude, codex, gemini, any that `coop agents list` shows, or unknown [default: the one whose
    /// command it is, else unknown]
    #[arg(long, env = "COOP_AGENT", hide_env_values = true, value_name = "TYPE")]
    pub(crate) agent: Option<String>,
    /// JSON file with settings, MCP servers, stop and start behaviour for the agent; for an unknown one, with patterns of
    /// its screen
    #[arg(long, env = "COOP_AGENT_CONFIG", hide_env_values = true, value_name = "PATH")]
    pub(crate) agent_config: Option<PathBuf>,
    /// How long an agent whose state can only be guessed must look idle to be called idle [default: 60]
    #[arg(long, env = "COOP_IDLE_GRACE", hide_env_values = true, value_name = "SECS", value_parser = seconds)]
    pub(crate) idle_grace: Option<Duration>,
    /// Dialogs at the agent's start: answered where that is safe, only reported, or reported with no hooks installed
    /// [default: auto]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) groom: Option<Groom>,
    /// When a limit lifts that the agent waits for, tell it to go on, unless somebody does anything before; with other
    /// words than `continue` if they are given
    #[arg(long, value_name = "MESSAGE", num_args = 0..=1, require_equals = true, default_missing_value = "continue")]
    pub(crate) resume_when_lifted: Option<String>,
    /// Instead of a command: a program that runs already, in a pane of tmux as tmux:NAME or tmux:NAME:WINDOW.PANE, or in a
    /// window of GNU Screen as screen:NAME or screen:NAME:WINDOW. It is not ended with the session, nor resized,
    /// signalled or restarted
    #[arg(long, env = "COOP_ATTACH", hide_env_values = true, value_name = "SPEC")]
    pub(crate) attach: Option<String>,
    /// With --attach: the socket of the tmux server, if it is not the usual one
    #[arg(long, value_name = "PATH", requires = "attach")]
    pub(crate) tmux_socket: Option<PathBuf>,
    /// Go on with an earlier conversation: `latest`, the beginning of its id, or the path of its log
    #[arg(long, value_name = "HINT")]
    pub(crate) resume: Option<String>,
    /// Write down all evidence of what the agent does, for `coop replay` and `coop report`
    #[arg(long, value_name = "PATH")]
    pub(crate) record_evidence: Option<PathBuf>,
    /// Do not listen to a source of evidence: hook, report, registry, log, stdout or screen. For tests
    #[arg(long, value_name = "SOURCE", value_delimiter = ',', hide = true)]
    pub(crate) without: Vec<SourceName>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Groom {
    Auto,
    Manual,
    Pristine,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Logs, on stderr")]
pub(crate) struct LogFlags {
    /// How they are written [default: text on a terminal, else json]
    #[arg(long, env = "COOP_LOG_FORMAT", hide_env_values = true, value_name = "FMT")]
    pub(crate) log_format: Option<LogFormat>,
    /// error, warn, info, debug or trace, or a filter such as coop_server=debug
    #[arg(long, env = "COOP_LOG_LEVEL", hide_env_values = true, value_name = "LVL", default_value = "info")]
    pub(crate) log_level: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Json,
    Text,
}

impl std::fmt::Debug for AccessFlags {
    /// Without the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccessFlags").finish_non_exhaustive()
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    // A year is long enough, and short enough to be added to any clock.
    const MOST: f64 = 365.0 * 24.0 * 3600.0;
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=MOST).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("it is a number of seconds, up to a year".into()),
    }
}

pub(crate) fn host(text: &str) -> Result<IpAddr, String> {
    match text {
        "localhost" => Ok(Ipv4Addr::LOCALHOST.into()),
        _ => text.parse().map_err(|_| "it is an address such as 127.0.0.1, 0.0.0.0 or ::1, or localhost".into()),
    }
}

fn rate(text: &str) -> Result<Rate, String> {
    match text.parse::<u32>() {
        // Twice as much at once: what arrives late from a network arrives together.
        Ok(per_second) if per_second > 0 => Ok(Rate { per_second, burst: per_second.saturating_mul(2) }),
        _ => Err("it is a number above 0".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        for bad in ["-1", "x", "", "NaN", "inf", "1e99"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
        assert_eq!(host("localhost"), Ok(IpAddr::from([127, 0, 0, 1])));
        assert!(host("box.lan").is_err());
        assert_eq!(rate("10"), Ok(Rate { per_second: 10, burst: 20 }));
        assert!(rate("0").is_err());
    }
}
