//! `coop attach-list`: the agents that run in tmux or Screen already, and how to get at them.

use clap::Args;
use coop_session::attach::{screen, tmux};
use serde::Serialize;

use super::sessions::columns;
use crate::run::attached::processes;
use crate::{CommandError, out, pages};

const EXAMPLES: &str = "\
Looks at the panes of all tmux servers of this user, at the windows of GNU Screen, and at the processes in them. One in which
no agent runs that coop knows (`coop agents list`) is left out; it can be attached to all the same: coop --attach tmux:NAME,
coop --attach screen:NAME

Examples:
  coop attach-list
  coop --attach tmux:work:0.1 --port 8080     what the last column says, with a port";

/// List agents that run in tmux or GNU Screen already, each with the command that attaches to it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AttachList {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    /// As `--attach` takes it.
    spec: String,
    agent: String,
    pid: u32,
    /// The server's socket, if it is not the usual one.
    socket: Option<String>,
    command: String,
}

impl AttachList {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let usual = tmux::usual_socket();
        let panes = tmux::sockets().into_iter().flat_map(|socket| tmux::panes(&socket));
        let windows = screen::all().into_iter().filter_map(|window| in_screen(&window));
        let rows: Vec<Row> = panes.filter_map(|pane| row(&pane, &usual)).chain(windows).collect();
        if self.json {
            return out::json(&rows);
        }
        if rows.is_empty() {
            return out::print("No agent runs in tmux or Screen. Start one under coop instead: coop -- claude");
        }
        let head = ["PANE", "AGENT", "PID", "ATTACH WITH"].map(ToOwned::to_owned);
        let lines = rows.into_iter().map(|row| [row.spec, row.agent, row.pid.to_string(), row.command]);
        let lines: Vec<[String; 4]> = std::iter::once(head).chain(lines).collect();
        out::print(columns(&lines).trim_end())
    }
}

fn row(pane: &tmux::Listed, usual: &std::path::Path) -> Option<Row> {
    let (agent, pid) = agent(pane.pid)?;
    let spec = out::harmless(&format!("tmux:{}", pane.name));
    let socket = (pane.socket != usual).then(|| pane.socket.display().to_string());
    let more = socket.as_ref().map(|socket| format!(" --tmux-socket {socket}")).unwrap_or_default();
    Some(Row { command: format!("coop --attach {spec}{more}"), spec, agent, pid, socket })
}

fn in_screen(window: &screen::Listed) -> Option<Row> {
    let (agent, pid) = agent(window.pid)?;
    let spec = out::harmless(&format!("screen:{}", window.name));
    Some(Row { command: format!("coop --attach {spec}"), spec, agent, pid, socket: None })
}

/// The agent on this terminal, and its process. A shell is none.
fn agent(leader: u32) -> Option<(String, u32)> {
    let inhabitant = processes::inhabitant(leader, None)?;
    let agent = inhabitant.recipe?.name().to_owned();
    (agent != pages::SHELL).then_some((agent, inhabitant.pid))
}
