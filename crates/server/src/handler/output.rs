//! Raw output, and where to go on with it.

use coop_api::v1::{GetOutputRequest, GetOutputResponse, ResumeRequest, ResumeResponse};
use coop_api::{ApiError, convert};
use coop_session::{Joined, SessionError};
use coop_terminal::log::{Cursor, ReadError};

use crate::app::{App, session_error};

const DEFAULT_LIMIT: u32 = 64 << 10;
const MAX_LIMIT: u32 = 1 << 20;

/// Output from where it was asked for, or from the oldest that is kept, with the number of bytes in between.
pub(super) async fn output(app: &App, request: &GetOutputRequest) -> Result<GetOutputResponse, ApiError> {
    let status = app.session.status();
    let from = Cursor {
        generation: request.generation.unwrap_or(status.generation),
        offset: request.offset.unwrap_or(status.output_start),
    };
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT) as usize;
    let (chunk, lost) = match app.session.output(from, limit).await {
        Err(SessionError::Output(ReadError::Gap { start, lost, .. })) => {
            let from = Cursor { offset: start, ..from };
            // Between the two requests more may have gone; then the client asks again.
            (app.session.output(from, limit).await.map_err(session_error)?, lost)
        }
        read => (read.map_err(session_error)?, 0),
    };
    let total = app.session.status().output_end.max(chunk.end());
    Ok(convert::output(chunk, from.generation, total, lost))
}

pub(super) async fn resume(app: &App, request: &ResumeRequest) -> Result<ResumeResponse, ApiError> {
    join(app, request).await.map(|(_, reply)| reply)
}

/// The same for streams, which go on from the cursor.
pub(crate) async fn join(app: &App, request: &ResumeRequest) -> Result<(Cursor, ResumeResponse), ApiError> {
    let from = cursor(app, request.offset, request.generation);
    let joined = app.session.join(from, request.scrollback as usize).await.map_err(session_error)?;
    Ok((joined.at, describe(joined)))
}

/// The place a client says it is at.
fn cursor(app: &App, offset: Option<u64>, generation: Option<u64>) -> Option<Cursor> {
    let generation = generation.unwrap_or_else(|| app.session.status().generation);
    offset.map(|offset| Cursor { generation, offset })
}

fn describe(joined: Joined) -> ResumeResponse {
    let status = match (&joined.repaint, joined.lost) {
        (None, _) => "ok",
        (Some(_), 0) => "snapshot",
        (Some(_), _) => "gap",
    };
    ResumeResponse {
        status: status.into(),
        offset: joined.at.offset,
        generation: joined.at.generation,
        cols: joined.size.cols().into(),
        rows: joined.size.rows().into(),
        lost: joined.lost,
        data: joined.repaint.unwrap_or_default(),
    }
}
