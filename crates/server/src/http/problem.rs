//! Errors as HTTP says them (RFC 9457).

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use coop_api::{ApiError, Code, Problem};

/// An error on its way out through HTTP.
#[derive(Debug)]
pub(crate) struct HttpError(pub(crate) ApiError);

impl From<ApiError> for HttpError {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        response(&self.0)
    }
}

pub(crate) fn response(error: &ApiError) -> Response {
    let mut response = body(&error.problem());
    if error.code == Code::Unauthorized {
        response.headers_mut().insert(WWW_AUTHENTICATE, axum::http::HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = error.retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

pub(crate) async fn not_found(uri: Uri) -> Response {
    let error = ApiError::new(Code::NotFound, format!("There is nothing at {}.", uri.path()));
    response(&error.with_hint("/docs lists what there is."))
}

pub(crate) async fn wrong_method(uri: Uri) -> Response {
    let error = ApiError::bad_request(format!("{} does not take this method.", uri.path()));
    let problem = error.with_hint("/docs lists what it takes.").problem();
    body(&Problem { status: StatusCode::METHOD_NOT_ALLOWED.as_u16(), ..problem })
}

fn body(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    // A struct of strings and numbers always becomes JSON.
    let body = serde_json::to_vec(problem).unwrap_or_default();
    (status, [(CONTENT_TYPE, "application/problem+json")], body).into_response()
}
