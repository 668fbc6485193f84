//! Where else a person is told: a topic of ntfy, a webhook, the desktop, a command. What is taken back is told only to those
//! that read it.

use std::io::{self, Write as _};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use axum::http::HeaderName;
use axum::http::header::CONTENT_TYPE;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::Notify;
use super::send::Client;

/// A command that takes longer is ended.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many have taken it.
pub(super) async fn tell(settings: &Notify, client: &Client, what: &Value) -> usize {
    let asked = what["type"] != "settled";
    let text = |key: &str| what[key].as_str().unwrap_or_default().to_owned();
    let ntfy = async {
        let Some(topic) = settings.ntfy.as_deref().filter(|_| asked) else { return false };
        let title = text("title").chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect();
        let headers = [
            (HeaderName::from_static("title"), title),
            (HeaderName::from_static("priority"), "high".to_owned()),
            (HeaderName::from_static("tags"), "robot".to_owned()),
        ];
        sent("ntfy", client.post(topic, &headers, text("body").into_bytes()).await)
    };
    let webhook = async {
        let Some(address) = &settings.webhook else { return false };
        let headers = [(CONTENT_TYPE, "application/json".to_owned())];
        sent("webhook", client.post(address, &headers, what.to_string().into_bytes()).await)
    };
    let desktop = async {
        if !settings.desktop || !asked {
            return false;
        }
        let words = ["notify-send", "--app-name=coop", "--", &text("title"), &text("body")].map(str::to_owned);
        run("desktop", &words, Vec::new()).await
    };
    let command = async {
        if settings.command.is_empty() {
            return false;
        }
        run("command", &settings.command, what.to_string().into_bytes()).await
    };
    let (ntfy, webhook, desktop, command) = tokio::join!(ntfy, webhook, desktop, command);
    [ntfy, webhook, desktop, command].into_iter().filter(|told| *told).count()
}

fn sent(sink: &str, reply: Result<axum::http::StatusCode, String>) -> bool {
    let error = match reply {
        Ok(status) if status.is_success() => return true,
        Ok(status) => format!("it answered {status}"),
        Err(error) => error,
    };
    tracing::warn!(sink, error, "nobody could be told");
    false
}

async fn run(sink: &'static str, words: &[String], input: Vec<u8>) -> bool {
    let error = match ran(words, input).await {
        Ok(status) if status.success() => return true,
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    tracing::warn!(sink, error, "nobody could be told");
    false
}

async fn ran(words: &[String], input: Vec<u8>) -> io::Result<ExitStatus> {
    let (program, rest) = words.split_first().ok_or(io::ErrorKind::NotFound)?;
    let mut command = Command::new(program);
    let mut child = command.args(rest).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let process = Pid::from_child(&child);
    let waits = tokio::task::spawn_blocking(move || {
        if let Some(mut stdin) = child.stdin.take() {
            // One that does not read it may still do its work.
            drop(stdin.write_all(&input));
        }
        child.wait()
    });
    tokio::pin!(waits);
    let Ok(done) = tokio::time::timeout(PATIENCE, &mut waits).await else {
        // It has not been waited for yet, so the number is still its own.
        let _ = kill_process(process, Signal::KILL);
        return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not end"));
    };
    done.map_err(io::Error::other)?
}
