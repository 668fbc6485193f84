//! `coop ls`: the sessions of this machine.

use std::time::Duration;

use clap::Args;
use coop_api::Code;
use coop_api::client::{Client, ClientError, Endpoint};
use coop_api::v1::{GetHealthResponse, GetScreenRequest, GetStatusResponse};
use futures_util::future::join_all;
use serde::Serialize;

use crate::sessions::{self, Found, Token};
use crate::{CommandError, out};

/// List the sessions on this machine
#[derive(Debug, Args)]
pub(crate) struct Ls {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    token: Token,
}

/// Time for a session to tell about itself. One that is stopped is listed as one that does not reply.
const LIMIT: Duration = Duration::from_secs(3);

/// One session, as far as it lets us look.
#[derive(Debug, Default, Serialize)]
struct Row {
    name: String,
    socket: String,
    health: Option<GetHealthResponse>,
    status: Option<GetStatusResponse>,
    title: Option<String>,
    /// Why the rest is missing.
    error: Option<String>,
}

impl Ls {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let sessions = sessions::live();
        let rows = join_all(sessions.into_iter().map(|found| look(found, self.token.value()))).await;
        // One that ended while we looked.
        let rows: Vec<Row> = rows.into_iter().flatten().collect();
        if self.json {
            return out::json(&rows);
        }
        if rows.is_empty() {
            return out::print("No session is running. Start one, for example: coop -- claude");
        }
        out::print(&table(&rows))
    }
}

async fn look(found: Found, token: Option<String>) -> Option<Row> {
    let client = Client::new(Endpoint::Unix(found.path.clone()), token);
    let row = Row { name: found.name, socket: found.path.display().to_string(), ..Row::default() };
    let screen = GetScreenRequest::default();
    let looked = async { tokio::try_join!(client.health(), client.status(), client.screen(&screen)) };
    let Ok(looked) = tokio::time::timeout(LIMIT, looked).await else {
        return Some(Row { error: Some("does not reply".into()), ..row });
    };
    match looked {
        Ok((health, status, screen)) => {
            Some(Row { health: Some(health), status: Some(status), title: screen.title, ..row })
        }
        Err(ClientError::Unreachable { .. }) => None,
        Err(ClientError::Api(problem)) if problem.code == Code::Unauthorized => {
            Some(Row { error: Some("needs a token".into()), ..row })
        }
        Err(error) => Some(Row { error: Some(error.to_string()), ..row }),
    }
}

fn table(rows: &[Row]) -> String {
    let head = ["NAME", "AGENT", "STATE", "SIZE", "UPTIME", "PID", "TITLE"].map(String::from);
    let lines: Vec<[String; 7]> = std::iter::once(head).chain(rows.iter().map(cells)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    let show = |line: &[String; 7]| {
        let cells: Vec<String> = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    lines.iter().map(show).collect()
}

fn cells(row: &Row) -> [String; 7] {
    let none = || "-".to_owned();
    let (health, status) = (row.health.as_ref(), row.status.as_ref());
    [
        row.name.clone(),
        health.map_or_else(none, |health| out::harmless(&health.agent)),
        status.map_or_else(|| row.error.clone().unwrap_or_else(none), state),
        health.map_or_else(none, size),
        status.map_or_else(none, |status| uptime(status.uptime_secs)),
        status.and_then(|status| status.pid).map_or_else(none, |pid| pid.to_string()),
        out::harmless(row.title.as_deref().unwrap_or_default()),
    ]
}

/// The state, and how the program ended.
pub(super) fn state(status: &GetStatusResponse) -> String {
    match (status.exit_code, status.exit_signal) {
        (Some(code), _) => format!("{} ({code})", status.state),
        (None, Some(signal)) => format!("{} (signal {signal})", status.state),
        (None, None) => status.state.clone(),
    }
}

pub(super) fn size(health: &GetHealthResponse) -> String {
    health.terminal.as_ref().map_or_else(|| "-".into(), |size| format!("{}x{}", size.cols, size.rows))
}

/// The largest unit that fits: nobody plans by the minute what runs for days.
pub(super) fn uptime(secs: i64) -> String {
    match secs {
        ..60 => format!("{secs}s"),
        60..3_600 => format!("{}m", secs / 60),
        3_600..86_400 => format!("{}h{:02}m", secs / 3_600, secs % 3_600 / 60),
        _ => format!("{}d{:02}h", secs / 86_400, secs % 86_400 / 3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (secs, expected) in
            [(0, "0s"), (59, "59s"), (60, "1m"), (3_599, "59m"), (3_660, "1h01m"), (90_000, "1d01h")]
        {
            assert_eq!(uptime(secs), expected);
        }
    }

    #[test]
    fn columns_line_up_and_titles_are_harmless() {
        let full = Row {
            name: "a-long-name".into(),
            health: Some(GetHealthResponse { agent: "claude".into(), ..Default::default() }),
            status: Some(GetStatusResponse { state: "exited".into(), exit_code: Some(3), ..Default::default() }),
            title: Some("hi\u{1b}[31m".into()),
            ..Row::default()
        };
        let locked = Row { name: "b".into(), error: Some("needs a token".into()), ..Row::default() };
        let expected = "\
NAME         AGENT   STATE          SIZE  UPTIME  PID  TITLE
a-long-name  claude  exited (3)     -     0s      -    hi␛[31m
b            -       needs a token  -     -       -
";
        assert_eq!(table(&[full, locked]), expected);
    }
}
