//! All that can happen while the demo waits, in one queue: the person presses Enter, the agent reports, somebody wants
//! it to end.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::Outcome;

#[derive(Debug)]
pub(crate) enum News {
    Enter,
    /// The agent told its terminal what it is doing (OSC 7501).
    Report(Report),
    /// The session is over.
    Over,
    /// Ctrl-C and its like, or nobody at the keyboard any more.
    Quit,
}

#[derive(Clone, Debug)]
pub(crate) struct Report {
    pub(crate) state: String,
    /// The rest of it, for a person.
    pub(crate) details: String,
}

pub(crate) struct Inbox {
    news: Receiver<News>,
    pub(crate) sender: Sender<News>,
    /// Nobody is asked for anything.
    pub(crate) auto: bool,
}

impl Inbox {
    pub(crate) fn open() -> Outcome<Self> {
        let (sender, news) = channel();
        let auto = std::env::var_os("DEMO_AUTO").is_some_and(|value| value == "1") || !io::stdin().is_terminal();
        listen_for_signals(sender.clone())?;
        if !auto {
            listen_for_enter(sender.clone());
        }
        Ok(Self { news, sender, auto })
    }

    /// The next thing that happens; none in this time.
    pub(crate) fn next(&self, limit: Duration) -> Outcome<Option<News>> {
        match self.news.recv_timeout(limit) {
            Ok(News::Quit) => Err("ended early, and nothing is left running".into()),
            Ok(news) => Ok(Some(news)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err("nothing can happen any more".into()),
        }
    }
}

fn listen_for_signals(news: Sender<News>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let (mut interrupt, mut terminate, mut hangup) = {
        let _inside = runtime.enter();
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?)
    };
    thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
        });
        // The demo has ended when nobody takes it.
        let _ = news.send(News::Quit);
    });
    Ok(())
}

fn listen_for_enter(news: Sender<News>) {
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if line.is_err() || news.send(News::Enter).is_err() {
                break;
            }
        }
        let _ = news.send(News::Quit);
    });
}
