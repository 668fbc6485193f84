//! What is on the screen, and how large it is.

use coop_api::v1::{
    GetScreenRequest, GetScreenResponse, GetScreenSvgResponse, GetScreenTextRequest, GetScreenTextResponse,
    ResizeRequest, ResizeResponse,
};
use coop_api::{ApiError, convert};
use coop_terminal::{Format, Lines, Size};

use crate::app::{App, session_error};

pub(super) async fn screen(app: &App, request: &GetScreenRequest) -> Result<GetScreenResponse, ApiError> {
    let format = convert::format(request.format());
    let view = app.session.view(format, request.scrollback as usize).await.map_err(session_error)?;
    Ok(convert::screen(view, request.cursor.unwrap_or(true)))
}

pub(super) async fn text(app: &App, request: &GetScreenTextRequest) -> Result<GetScreenTextResponse, ApiError> {
    let view = app.session.view(Format::Text, request.scrollback as usize).await.map_err(session_error)?;
    let Lines::Text(lines) = view.lines else { return Ok(GetScreenTextResponse::default()) };
    Ok(GetScreenTextResponse { text: lines.join("\n") + "\n" })
}

pub(super) async fn svg(app: &App) -> Result<GetScreenSvgResponse, ApiError> {
    Ok(GetScreenSvgResponse { svg: app.session.svg().await.map_err(session_error)? })
}

pub(super) async fn resize(app: &App, request: &ResizeRequest) -> Result<ResizeResponse, ApiError> {
    let size = Size::new(request.cols, request.rows).map_err(|error| ApiError::bad_request(error.to_string()))?;
    app.session.resize(size).await.map_err(session_error)?;
    Ok(ResizeResponse { cols: size.cols().into(), rows: size.rows().into() })
}
