//! One function per request. Transports translate into [`Request`] and out of [`Reply`], and add nothing.

mod events;
mod input;
mod lease;
mod lifecycle;
mod output;
mod screen;

pub(crate) use lease::random_id;
pub(crate) use output::join;

use coop_api::ApiError;
use coop_api::ws::{Reply, Request};

use crate::app::{App, Caller};

pub(crate) async fn handle(app: &App, caller: &Caller, request: Request) -> Result<Reply, ApiError> {
    app.requests.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    Ok(match request {
        Request::HealthRequest(_) => Reply::Health(lifecycle::health(app)),
        Request::StatusRequest(_) => Reply::Status(lifecycle::status(app)),
        Request::ScreenRequest(request) => Reply::Screen(screen::screen(app, &request).await?),
        Request::ScreenTextRequest(request) => Reply::ScreenText(screen::text(app, &request).await?),
        Request::ScreenSvgRequest(_) => Reply::ScreenSvg(screen::svg(app).await?),
        Request::OutputRequest(request) => Reply::Output(output::output(app, &request).await?),
        Request::Resume(request) => Reply::Resume(output::resume(app, &request).await?),
        Request::Input(request) => Reply::Input(input::text(app, caller, request).await?),
        Request::InputRaw(request) => Reply::InputRaw(input::raw(app, caller, request).await?),
        Request::Keys(request) => Reply::Keys(input::keys(app, caller, request).await?),
        Request::Resize(request) => Reply::Resize(screen::resize(app, &request).await?),
        Request::Signal(request) => Reply::Signal(lifecycle::signal(app, &request).await?),
        Request::Lock(request) => Reply::Lease(lease::lease(app, caller, request).await?),
        Request::Shutdown(request) => Reply::Shutdown(lifecycle::shutdown(app, request).await?),
        Request::EventsRequest(request) => Reply::Events(events::events(app, &request).await?),
    })
}
