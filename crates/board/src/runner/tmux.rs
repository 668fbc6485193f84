//! The tmux window that an agent lives in.

use std::process::{Command, Stdio};

/// Shows the pane that a process runs in. What to say, or why not.
pub(super) async fn jump(pid: u32) -> Result<String, String> {
    let tty = output("ps", &["-o", "tty=", "-p", &pid.to_string()]).await.ok_or("Its process is gone.")?;
    let format = "#{pane_tty} #{pane_id} #{session_name}:#{window_index}.#{pane_index}";
    let panes = output("tmux", &["list-panes", "-a", "-F", format]).await;
    let found = pane(&panes.unwrap_or_default(), &tty).ok_or("It does not live in a tmux window.")?;
    if std::env::var_os("TMUX").is_none() {
        return Err(format!("It is in tmux at {}; this board is not: tmux attach -t {}", found.name, found.name));
    }
    match output("tmux", &["switch-client", "-t", &found.id]).await {
        Some(_) => Ok(format!("It is at {}.", found.name)),
        None => Err(format!("tmux does not switch to {}.", found.name)),
    }
}

struct Pane {
    id: String,
    name: String,
}

fn pane(panes: &str, tty: &str) -> Option<Pane> {
    let tty = tty.trim().trim_start_matches("/dev/");
    panes.lines().find_map(|line| {
        let mut words = line.splitn(3, ' ');
        let (of, id, name) = (words.next()?, words.next()?, words.next()?);
        let is_it = !tty.is_empty() && of.trim_start_matches("/dev/") == tty;
        is_it.then(|| Pane { id: id.to_owned(), name: name.to_owned() })
    })
}

/// What a program that works prints.
async fn output(program: &str, args: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output()).await.ok()?.ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes() {
        let panes = "/dev/pts/1 %0 work:0.0\n/dev/pts/12 %3 my work:1.0\n";
        let found = |tty| pane(panes, tty).map(|pane| (pane.id, pane.name));
        assert_eq!(found("pts/12\n"), Some(("%3".into(), "my work:1.0".into())));
        assert_eq!(found("pts/2\n"), None);
        assert_eq!(found("?\n"), None);
        assert_eq!(found("\n"), None);
    }
}
