//! Sidecars: found by their sockets, followed over their own API, and found again when they come back.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use coop_api::client::{Client, ClientError, Endpoint, Follow, Incoming};
use coop_api::v1::event::Body;
use coop_api::ws::{ServerMessage, Topic};
use coop_api::{Code, hub};
use coop_core::fleet::Control;
use coop_machine::private;
use notify::{RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use super::{Gone, POLL, Remote, Sidecar, Told};
use crate::Token;

/// After a connection that broke, or was refused.
const AGAIN: Duration = Duration::from_millis(250);
const AGAIN_AT_MOST: Duration = Duration::from_secs(5);

/// A sidecar that has reported nothing for so long is asked whether it is there.
const QUIET: Duration = Duration::from_secs(10);
/// Time for a sidecar to reply to that.
const REPLY_LIMIT: Duration = Duration::from_secs(5);

/// Watches a folder for sockets of sidecars, for as long as somebody is told.
pub(crate) async fn watch(folder: PathBuf, token: Option<Token>, tell: mpsc::Sender<Told>) {
    let (changes, mut inbox) = mpsc::unbounded_channel();
    let notice = move |event: notify::Result<notify::Event>| {
        if is_news(event) {
            // Whoever watched may be gone.
            let _ = changes.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(notice)
        .inspect_err(|error| tracing::warn!(%error, "sockets are not watched, only polled"))
        .ok();
    let mut watched = false;
    let followed = std::rc::Rc::new(std::cell::RefCell::new(HashSet::new()));
    let mut tick = tokio::time::interval(POLL);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            // Without a watcher there is the tick.
            Some(()) = inbox.recv() => while inbox.try_recv().is_ok() {},
            () = tell.closed() => return,
        }
        if !watched && let Some(watcher) = &mut watcher {
            watched = watcher.watch(&folder, RecursiveMode::NonRecursive).is_ok();
        }
        for socket in sockets(&folder) {
            if followed.borrow_mut().insert(socket.clone()) {
                let (followed, tell) = (followed.clone(), tell.clone());
                let place = Place { client: client(&socket, token.as_ref()), socket, remote: None };
                tokio::task::spawn_local(async move {
                    follow(&place, &tell).await;
                    followed.borrow_mut().remove(&place.socket);
                });
            }
        }
    }
}

/// To look at the folder is an event too, and would be the next reason to look.
fn is_news(event: notify::Result<notify::Event>) -> bool {
    event.is_ok_and(|event| !event.kind.is_access())
}

fn sockets(folder: &Path) -> Vec<PathBuf> {
    // A socket of another account is no sidecar of this one: a token would go to it.
    if !private::is_filled_by_us(folder) {
        return Vec::new();
    }
    let is_socket = |path: &PathBuf| {
        path.extension().is_some_and(|ext| ext == "sock")
            && path.file_name().is_some_and(|name| name != hub::SOCKET)
            && fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket())
    };
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).filter(is_socket).collect()
}

/// One that needs no token does not look at it.
pub(crate) fn client(socket: &Path, token: Option<&Token>) -> Client {
    Client::new(Endpoint::Unix(socket.to_owned()), token.map(|token| token.0.clone()))
}

/// Where a sidecar is, and how to talk to it.
pub(crate) struct Place {
    pub(crate) client: Client,
    pub(crate) socket: PathBuf,
    /// Nothing for one of this machine.
    pub(crate) remote: Option<Remote>,
}

/// Until its socket is gone.
pub(crate) async fn follow(place: &Place, tell: &mpsc::Sender<Told>) {
    let mut wait = AGAIN;
    while !tell.is_closed() {
        let how = match listen(place, tell).await {
            Ok(how) => {
                wait = AGAIN;
                how
            }
            Err(error) => {
                tracing::debug!(%error, socket = %place.socket.display(), "a sidecar is not followed");
                wait = (wait * 2).min(AGAIN_AT_MOST);
                Gone::Closed
            }
        };
        let gone = Told::SidecarGone { socket: place.socket.clone(), how };
        if tell.send(gone).await.is_err() || !place.socket.exists() {
            return;
        }
        tokio::time::sleep(wait).await;
    }
}

/// Until the connection ends, or the sidecar does not reply. Returns how it went away.
async fn listen(place: &Place, tell: &mpsc::Sender<Told>) -> Result<Gone, ClientError> {
    let follow = Follow { topics: vec![Topic::State, Topic::Prompts], ..Follow::default() };
    let begin = async { Ok::<_, ClientError>((place.client.connect(&follow).await?, place.client.status().await?)) };
    let Ok(begun) = tokio::time::timeout(REPLY_LIMIT, begin).await else { return Ok(Gone::Silent) };
    let (mut stream, status) = begun?;
    let control = match status.control.as_str() {
        "attached" => Control::Attached,
        _ => Control::Owned,
    };
    report(place, control, tell).await?;
    loop {
        let Ok(incoming) = tokio::time::timeout(QUIET, stream.next()).await else {
            // A stopped process keeps its connections and says nothing.
            match tokio::time::timeout(REPLY_LIMIT, place.client.health()).await {
                Ok(health) => health.map(drop)?,
                Err(_) => return Ok(Gone::Silent),
            }
            continue;
        };
        let Some(incoming) = incoming? else { return Ok(Gone::Closed) };
        let Incoming::Message(message) = incoming else { continue };
        let ServerMessage::Event(event) = *message else { continue };
        match event.body {
            Some(Body::PromptResolved(over)) => {
                let told = Told::PromptOver { socket: place.socket.clone(), prompt: over.prompt_id, by: over.by };
                drop(tell.send(told).await);
            }
            Some(Body::StateChange(_) | Body::Prompt(_) | Body::Usage(_) | Body::Gap(_)) => {}
            Some(Body::Exit(_)) => return Ok(Gone::Ended),
            _ => continue,
        }
        // All of it at once: an event alone does not say which conversation it is, or what was said last.
        report(place, control, tell).await?;
    }
}

async fn report(place: &Place, control: Control, tell: &mpsc::Sender<Told>) -> Result<(), ClientError> {
    let health = place.client.health().await?;
    let state = match place.client.agent_state().await {
        Ok(state) => Some(state),
        Err(ClientError::Api(problem)) if problem.code == Code::NoDriver => None,
        Err(error) => return Err(error),
    };
    let sidecar = Sidecar {
        socket: place.socket.clone(),
        name: health.name,
        agent: health.agent,
        pid: health.pid.and_then(|pid| u32::try_from(pid).ok()),
        control,
        remote: place.remote.clone(),
        state,
    };
    // The owner may be gone; whoever waits for the next event sees that.
    drop(tell.send(Told::Sidecar(Box::new(sidecar))).await);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_is_no_reason_to_look() {
        let folder = tempfile::tempdir().unwrap();
        let (events, inbox) = std::sync::mpsc::channel();
        let mut watcher = notify::recommended_watcher(events).unwrap();
        watcher.watch(folder.path(), RecursiveMode::NonRecursive).unwrap();
        for _ in 0..3 {
            assert!(sockets(folder.path()).is_empty());
        }
        fs::write(folder.path().join("new"), "").unwrap();
        let event = std::iter::repeat_with(|| inbox.recv_timeout(Duration::from_secs(30)).unwrap());
        let first = event.map(Result::unwrap).find(|event| is_news(Ok(event.clone()))).unwrap();
        assert!(first.kind.is_create(), "{first:?}");
    }
}
