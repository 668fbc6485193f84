//! A recording as a download, for `coop play` and for asciinema.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use coop_api::{ApiError, Problem};
use coop_core::access::Reach;
use coop_session::Kept;
use coop_terminal::cast::{Version, Writer};
use futures_util::stream;
use serde::Deserialize;

use super::extract::Params;
use super::problem::HttpError;
use crate::app::{App, Caller, session_error};
use crate::handler::permit;
use crate::recording::{Live, Piece, head, kept};

#[derive(Clone, Copy, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
enum From {
    #[default]
    Start,
    Now,
}

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct RecordingQuery {
    /// `start`: what is kept of the output, with its times, and no more. `now`: the screen as it is and all that comes, until
    /// the program or the connection ends.
    #[param(inline)]
    from: From,
    /// Version of the format: 2, which every player reads, or 3.
    version: Option<u8>,
    /// With `now`: also what is typed, unless the program reads lines that the terminal does not show: a password may be asked for.
    input: bool,
    /// For browsers, which cannot send a header here.
    token: Option<String>,
}

/// A recording, as asciicast
///
/// Changes of the agent's state and questions are markers in it. What is typed is not, unless that is asked for, but what the
/// program shows of it.
#[utoipa::path(get, path = "/api/v1/recording", tag = "terminal", params(RecordingQuery), responses((status = 200, body = String, content_type = "application/x-asciicast"), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn recording(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<RecordingQuery>,
) -> Result<Response, HttpError> {
    // What is typed may be a secret, also where the screen shows it.
    permit(caller.reach, if query.input { Reach::Drive } else { Reach::View })?;
    // The guard has looked at it.
    drop(query.token);
    if query.input {
        app.check_outside(&caller.peer)?;
    }
    let version = match query.version {
        None | Some(2) => Version::V2,
        Some(3) => Version::V3,
        Some(_) => return Err(ApiError::bad_request("There are versions 2 and 3 of the format.").into()),
    };
    let body = match query.from {
        From::Start => {
            let kept = app.session.recording().await.map_err(session_error)?;
            Body::from(written(&app.options.name, version, &kept))
        }
        From::Now => {
            let live = Live::start(&app, query.input, None).await?;
            let writer = Writer::new(version);
            let first = Some(writer.head(&head(&app.options.name, version, live.size, Duration::ZERO)));
            Body::from_stream(stream::unfold(Lines { live, writer, first }, |mut lines| async move {
                let more = lines.next().await?;
                Some((Ok::<_, Infallible>(more), lines))
            }))
        }
    };
    let file = format!("attachment; filename=\"{}.cast\"", app.options.name);
    Ok(([(CONTENT_TYPE, "application/x-asciicast".to_owned()), (CONTENT_DISPOSITION, file)], body).into_response())
}

/// Lines of a download, one piece after the other.
fn line(writer: &mut Writer, at: Duration, piece: &Piece) -> String {
    match piece {
        Piece::Output(bytes) => writer.output(at, bytes).unwrap_or_default(),
        Piece::Input(bytes) => writer.input(at, bytes),
        Piece::Resize(size) => writer.resize(at, *size),
        Piece::Marker(name) => writer.marker(at, name),
        Piece::Exit(code) => writer.exit(at, *code).unwrap_or_default(),
    }
}

/// All of it.
fn written(name: &str, version: Version, all: &Kept) -> String {
    let mut writer = Writer::new(version);
    let first = writer.head(&head(name, version, all.size, all.began.unwrap_or_default()));
    kept(all).iter().fold(first, |text, (at, piece)| text + &line(&mut writer, *at, piece))
}

/// What comes, as lines, until it ends.
struct Lines {
    live: Live,
    writer: Writer,
    /// To be sent first.
    first: Option<String>,
}

impl Lines {
    async fn next(&mut self) -> Option<String> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        loop {
            let (at, pieces) = self.live.next().await?;
            let lines: String = pieces.iter().map(|piece| line(&mut self.writer, at, piece)).collect();
            if !lines.is_empty() {
                return Some(lines);
            }
        }
    }
}
