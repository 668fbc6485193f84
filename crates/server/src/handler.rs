//! One function per request. Transports translate into [`Request`] and out of [`Reply`], and add nothing.

mod agent;
mod conversation;
mod events;
mod hook;
mod input;
mod lease;
mod lifecycle;
mod output;
mod screen;

pub(crate) use lease::{random_hex, random_id};
pub(crate) use output::join;

use coop_api::ws::{Reply, Request};
use coop_api::{ApiError, Code};
use coop_core::access::Reach;
use coop_core::inside;

use crate::app::{App, Caller};
use crate::recording;

pub(crate) async fn handle(app: &App, caller: &Caller, request: Request) -> Result<Reply, ApiError> {
    permit(caller.reach, request.needs())?;
    app.requests.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    if !inside::opens(request.needs()) {
        app.check_outside(&caller.peer)?;
    }
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
        Request::Restart(request) => Reply::Restart(lifecycle::restart(app, request).await?),
        Request::EventsRequest(request) => Reply::Events(events::events(app, &request).await?),
        Request::StateRequest(_) => Reply::State(agent::state(app)),
        Request::ExplainRequest(request) => Reply::Explain(agent::explain(app, &request).await?),
        Request::Nudge(request) => Reply::Nudge(agent::nudge(app, caller, request).await?),
        Request::Respond(request) => Reply::Respond(agent::respond(app, caller, request).await?),
        Request::Interrupt(_) => Reply::Interrupt(agent::interrupt(app, caller).await?),
        Request::Wait(request) => Reply::Wait(agent::wait(app, &request).await?),
        Request::ConversationRequest(request) => Reply::Conversation(conversation::conversation(app, &request).await?),
        Request::Hook(request) => Reply::Hook(hook::hook(app, request).await?),
        Request::StopResolve(request) => Reply::StopResolve(hook::resolve_stop(app, request).await?),
        Request::StopConfigRequest(_) => Reply::StopConfig(hook::stop_config(app, None).await?),
        Request::StopConfig(set) => Reply::StopConfig(hook::stop_config(app, Some(set)).await?),
        Request::StartConfigRequest(_) => Reply::StartConfig(hook::start_config(app, None).await?),
        Request::StartConfig(set) => Reply::StartConfig(hook::start_config(app, Some(set)).await?),
        Request::GroomConfigRequest(_) => Reply::GroomConfig(hook::groom(app, None).await?),
        Request::GroomConfig(set) => Reply::GroomConfig(hook::groom(app, Some(set)).await?),
        Request::LiftedConfigRequest(_) => Reply::LiftedConfig(hook::lifted(app, None).await?),
        Request::LiftedConfig(set) => Reply::LiftedConfig(hook::lifted(app, Some(set)).await?),
        Request::RecordingConfigRequest(_) => Reply::Recording(recording::config(app, None).await?),
        Request::RecordingConfig(set) => Reply::Recording(recording::config(app, Some(set)).await?),
        Request::TranscriptList(_) => Reply::TranscriptList(conversation::transcripts(app).await?),
        Request::TranscriptGet(request) => Reply::Transcript(conversation::content(app, &request).await?),
        Request::TranscriptCatchup(request) => Reply::TranscriptCatchup(conversation::catchup(app, &request).await?),
    })
}

/// Rejects a request of a caller whose scope does not permit it.
pub(crate) fn permit(reach: Reach, needed: Reach) -> Result<(), ApiError> {
    if reach.opens(needed) {
        return Ok(());
    }
    let detail = format!("This request needs the scope `{needed}`, and the token has `{reach}`.");
    Err(ApiError::new(Code::Forbidden, detail)
        .with_hint(format!("`coop pair --scope {needed}` on the machine of the hub makes a token that has it.")))
}
