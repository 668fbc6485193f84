//! Sessions that are started, gone on with and ended from the board.
//!
//! A session is a coop of its own, beside the hub and not below it: it goes on when the hub ends.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path as FilePath, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::Request;
use axum::response::Response;
use axum::{Extension, Json};
use coop_api::hub::{NewSession, ResumeSession, Session};
use coop_api::{ApiError, Code, Problem};
use coop_core::access::{Reach, loads_code};
use coop_core::fleet::Control;
use coop_machine::private;
use tokio::sync::oneshot;

use super::access::Granted;
use super::{Hub, convert, proxy, routes};
use crate::handler::random_hex;
use crate::http::extract::Body;
use crate::http::problem::HttpError;

/// Until a session that was started is on the board. A loaded machine takes longer than one would think.
const START: Duration = Duration::from_secs(30);
/// What is told of a session that did not start.
const LONGEST_REASON: usize = 500;
const LONGEST_NAME: usize = 40;

/// How sessions are started.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The program.
    pub coop: PathBuf,
    /// Where sessions have their sockets.
    pub sockets: PathBuf,
    /// Where they write what they have to say.
    pub logs: PathBuf,
}

/// Start a session
///
/// The agent runs under coop on the machine of the hub, and is `owned`. The reply comes when it is on the board.
#[utoipa::path(post, path = "/api/v1/sessions", tag = "sessions", request_body = NewSession, responses((status = 200, body = Session), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn start(
    State(hub): State<Hub>,
    Extension(granted): Extension<Granted>,
    Body(new): Body<NewSession>,
) -> Result<Json<Session>, HttpError> {
    let wanted = Wanted::new(new, granted.reach)?;
    Ok(Json(launch(&hub, &wanted).await?))
}

/// Go on with a session that has ended
///
/// It is started again, under coop, with the conversation it had, and keeps its number.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/resume", tag = "sessions", params(("id" = String, Path)), request_body = ResumeSession, responses((status = 200, body = Session), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn resume(
    State(hub): State<Hub>,
    Extension(granted): Extension<Granted>,
    Path(id): Path<String>,
    Body(how): Body<ResumeSession>,
) -> Result<Json<Session>, HttpError> {
    let entry = routes::find(&hub.handle.board(), &id)?;
    if entry.control() != Control::Cold {
        return Err(ApiError::bad_request(format!("Session {} has not ended.", entry.id)).into());
    }
    let (Some(cwd), Some(conversation)) = (entry.cwd.clone(), entry.conversation.clone()) else {
        let detail = format!("Nothing is known of session {} that it could go on with.", entry.id);
        return Err(ApiError::bad_request(detail).into());
    };
    let ResumeSession { args, env } = how;
    let new = NewSession { agent: entry.agent.clone(), cwd, args, env, name: None };
    let wanted = Wanted { resume: Some(conversation), ..Wanted::new(new, granted.reach)? };
    Ok(Json(launch(&hub, &wanted).await?))
}

/// End a session that runs under coop
#[utoipa::path(delete, path = "/api/v1/sessions/{id}", tag = "sessions", params(("id" = String, Path)), responses((status = 200, body = serde_json::Value), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn end(
    State(hub): State<Hub>,
    Extension(granted): Extension<Granted>,
    Path(id): Path<String>,
) -> Result<Response, HttpError> {
    let request = Request::post(format!("/api/v1/sessions/{id}/shutdown")).body(axum::body::Body::from("{}"));
    let request = request.map_err(|_| ApiError::bad_request("The id has a character none may have."))?;
    proxy::forward_to(&hub, granted.reach, &id, request).await
}

/// What was asked for, and can be tried.
#[derive(Debug)]
struct Wanted {
    agent: String,
    cwd: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    name: String,
    resume: Option<String>,
}

impl Wanted {
    /// Checks what was asked for. A caller below `admin` may not choose which code the agent's program loads.
    fn new(new: NewSession, reach: Reach) -> Result<Self, ApiError> {
        let NewSession { agent, cwd, args, env, name } = new;
        if !coop_hub::knows(&agent) {
            return Err(ApiError::bad_request(format!("There is no agent `{agent}`: it is claude, codex or gemini.")));
        }
        if !cwd.starts_with('/') || !FilePath::new(&cwd).is_dir() {
            return Err(ApiError::bad_request("`cwd` is the path of a folder that there is, from the root."));
        }
        let named = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        // They say how coop is to be run, and not the agent.
        if let Some(wrong) = env.keys().find(|name| !named(name) || name.starts_with("COOP")) {
            return Err(ApiError::bad_request(format!("`env` cannot have `{wrong}`.")));
        }
        if let Some(name) = env.keys().find(|name| loads_code(name)).filter(|_| !reach.opens(Reach::Admin)) {
            let detail = format!("`env` cannot have `{name}`: it decides which code the agent's program loads.");
            return Err(ApiError::new(Code::Forbidden, detail).with_hint("A token with the scope `admin` may set it."));
        }
        if args.iter().chain(env.values()).any(|text| text.contains('\0')) {
            return Err(ApiError::bad_request("Neither `args` nor `env` can have a zero byte."));
        }
        let plain = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        let name = match name {
            Some(name) if name.is_empty() || name.len() > LONGEST_NAME || name == "hub" || !plain(&name) => {
                return Err(ApiError::bad_request("`name` has up to 40 letters, digits, - and _, and is not `hub`."));
            }
            Some(name) => name,
            None => format!("{agent}-{}", random_hex::<3>()?),
        };
        Ok(Self { agent, cwd, args, env, name, resume: None })
    }

    fn command(&self, launcher: &Launcher) -> Command {
        let mut command = Command::new(&launcher.coop);
        command.args(["--name", &self.name, "--agent", &self.agent, "--cwd", &self.cwd]);
        command.args(self.resume.iter().flat_map(|conversation| ["--resume", conversation]));
        command.arg("--").arg(&self.agent).args(&self.args).envs(&self.env);
        // What ends the hub, at its terminal, does not end it.
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null());
        command
    }
}

/// Returns when it is on the board, or has ended before.
async fn launch(hub: &Hub, wanted: &Wanted) -> Result<Session, ApiError> {
    let launcher =
        hub.launcher.as_ref().ok_or_else(|| ApiError::new(Code::NotReady, "This hub starts no sessions."))?;
    let socket = launcher.sockets.join(format!("{}.sock", wanted.name));
    if socket.exists() {
        return Err(ApiError::bad_request(format!("There is a session `{}` already.", wanted.name)));
    }
    let log = launcher.logs.join(format!("{}.log", wanted.name));
    let failed = |error: io::Error| ApiError::new(Code::StartFailed, format!("coop cannot be started: {error}."));
    let ended = spawn(wanted.command(launcher), &log).map_err(failed)?;
    let socket = socket.to_string_lossy();
    let is_it =
        |entry: &coop_core::fleet::Entry| entry.control().is_held() && entry.socket.as_deref() == Some(&*socket);
    let mut board = hub.handle.watch();
    let there = board.wait_for(|board| board.sessions.iter().any(|entry| is_it(entry)));
    tokio::select! {
        board = there => {
            let board = board.map_err(|_| ApiError::new(Code::NotReady, "The hub is going away."))?;
            let entry = board.sessions.iter().find(|entry| is_it(entry));
            entry.map(|entry| convert::session(entry)).ok_or_else(|| ApiError::new(Code::Internal, "It is gone again."))
        }
        status = ended => Err(not_started(status.ok(), &log)),
        () = tokio::time::sleep(START) => {
            Err(ApiError::new(Code::NotReady, "It was started, and is not on the board yet.").with_hint(
                format!("Look at the board again; what it has to say is in {}.", log.display()),
            ))
        }
    }
}

/// Tells when it has ended. It is waited for on a thread of its own, which the end of the hub does not wait for.
fn spawn(mut command: Command, log: &FilePath) -> io::Result<oneshot::Receiver<ExitStatus>> {
    let file = private::create(log)?;
    let mut child = command.stderr(file).spawn()?;
    let (tell, ended) = oneshot::channel();
    std::thread::Builder::new().name("coop-child".into()).spawn(move || {
        if let Ok(status) = child.wait() {
            // Nobody may want to know any more.
            let _ = tell.send(status);
        }
    })?;
    Ok(ended)
}

fn not_started(status: Option<ExitStatus>, log: &FilePath) -> ApiError {
    let said = fs::read_to_string(log).unwrap_or_default();
    let why = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let why: String = why.trim_start_matches("coop: ").chars().take(LONGEST_REASON).collect();
    let status = status.map(|status| status.to_string()).unwrap_or_default();
    let why = coop_core::fleet::text::shown(&why).into_owned();
    ApiError::new(Code::StartFailed, format!("The session did not start ({status}): {why}"))
        .with_hint(format!("What it had to say is in {}.", log.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_started() {
        let new = || NewSession { agent: "claude".into(), cwd: "/".into(), ..NewSession::default() };
        let env = |name: &str| [(name.to_owned(), "x".to_owned())].into();
        for (new, fine) in [
            (new(), true),
            (NewSession { name: Some("shop-2".into()), ..new() }, true),
            (NewSession { env: env("LANG"), args: vec!["--model".into(), "x y".into()], ..new() }, true),
            (NewSession { agent: "sh".into(), ..new() }, false),
            (NewSession { agent: "../claude".into(), ..new() }, false),
            (NewSession { cwd: "relative".into(), ..new() }, false),
            (NewSession { cwd: "/no/such/folder".into(), ..new() }, false),
            (NewSession { name: Some("../x".into()), ..new() }, false),
            (NewSession { name: Some("hub".into()), ..new() }, false),
            (NewSession { env: env("COOP_SOCKET"), ..new() }, false),
            (NewSession { env: env("A=B"), ..new() }, false),
            (NewSession { args: vec!["\0".into()], ..new() }, false),
        ] {
            assert_eq!(Wanted::new(new.clone(), Reach::Admin).is_ok(), fine, "{new:?}");
        }
        for name in ["PATH", "LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "HOME"] {
            let new = NewSession { env: env(name), ..new() };
            let error = Wanted::new(new.clone(), Reach::Drive).unwrap_err();
            assert!(error.code == Code::Forbidden && error.detail.contains(name), "{error:?}");
            assert!(Wanted::new(new, Reach::Admin).is_ok(), "{name}");
        }
        let wanted = Wanted {
            resume: Some("c1".into()),
            ..Wanted::new(NewSession { name: Some("s".into()), ..new() }, Reach::Drive).unwrap()
        };
        let launcher = Launcher { coop: "/bin/coop".into(), sockets: "/s".into(), logs: "/l".into() };
        let command = wanted.command(&launcher);
        let words: Vec<_> = command.get_args().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(words.join(" "), "--name s --agent claude --cwd / --resume c1 -- claude");
    }
}
