//! What was said and done, now and before it was shortened.

use coop_api::convert::agent as convert;
use coop_api::v1::{
    CatchupTranscriptsRequest, CatchupTranscriptsResponse, GetConversationRequest, GetConversationResponse,
    GetTranscriptRequest, GetTranscriptResponse, ListTranscriptsResponse, Transcript,
};
use coop_api::{ApiError, Code};
use coop_session::{SessionError, TranscriptInfo};

use crate::app::{App, session_error};

const DEFAULT_LIMIT: u32 = 200;
const MAX_LIMIT: u32 = 1000;

pub(super) async fn conversation(
    app: &App,
    request: &GetConversationRequest,
) -> Result<GetConversationResponse, ApiError> {
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
    let page = app.session.conversation(request.after, limit).await.map_err(session_error)?;
    Ok(GetConversationResponse {
        session_id: page.session_id,
        entries: convert::entries(page.entries, request.images),
        next: page.next_line,
        more: page.more,
        usage: Some(convert::usage(page.spent.usage)),
        cost: page.spent.cost.map(convert::cost),
    })
}

pub(super) async fn transcripts(app: &App) -> Result<ListTranscriptsResponse, ApiError> {
    let transcripts = app.session.transcripts().await.map_err(session_error)?;
    Ok(ListTranscriptsResponse { transcripts: transcripts.iter().map(transcript).collect() })
}

pub(super) async fn content(app: &App, request: &GetTranscriptRequest) -> Result<GetTranscriptResponse, ApiError> {
    let number = request.number;
    let transcripts = app.session.transcripts().await.map_err(session_error)?;
    let found = transcripts.into_iter().find(|transcript| transcript.number == number);
    let TranscriptInfo { path, .. } = found.ok_or_else(|| session_error(SessionError::NoTranscript(number)))?;
    let bytes = tokio::fs::read(&path).await.map_err(|error| {
        ApiError::new(Code::Internal, format!("Transcript {number} cannot be read from {}: {error}.", path.display()))
    })?;
    Ok(GetTranscriptResponse { number, content: String::from_utf8_lossy(&bytes).into_owned() })
}

pub(super) async fn catchup(
    app: &App,
    request: &CatchupTranscriptsRequest,
) -> Result<CatchupTranscriptsResponse, ApiError> {
    let missed = app.session.catchup(request.since_transcript, request.since_line).await.map_err(session_error)?;
    Ok(CatchupTranscriptsResponse {
        transcripts: missed.transcripts.iter().map(transcript).collect(),
        lines: missed.lines,
        next_line: missed.next_line,
    })
}

fn transcript(info: &TranscriptInfo) -> Transcript {
    Transcript { number: info.number, lines: info.lines, bytes: info.bytes, at_ms: info.at_ms }
}
