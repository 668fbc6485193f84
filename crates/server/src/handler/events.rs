//! What happened while a client was away.

use coop_api::v1::{GetEventsRequest, GetEventsResponse};
use coop_api::{ApiError, convert};

use crate::app::{App, session_error};

const MAX_LIMIT: u32 = 1000;

pub(super) async fn events(app: &App, request: &GetEventsRequest) -> Result<GetEventsResponse, ApiError> {
    let limit = request.limit.unwrap_or(MAX_LIMIT).min(MAX_LIMIT) as usize;
    let page = app.session.events(request.since, limit).await.map_err(session_error)?;
    let last = page.events.last().map_or(request.since, |event| event.seq);
    Ok(GetEventsResponse {
        events: page.events.into_iter().map(convert::event).collect(),
        lost: page.gap.map_or(0, |gap| gap.lost),
        generation: page.generation,
        last,
    })
}
