//! gRPC: each call becomes the request all transports share.

use std::pin::Pin;

use axum::Router;
use coop_api::convert::agent as convert;
use coop_api::v1::coop_server::{Coop, CoopServer};
use coop_api::v1::*;
use coop_api::ws::{Reply, Request as ApiRequest, Topic};
use coop_api::{ApiError, Code};
use coop_core::access::Reach;
use futures_util::stream::{self, Stream, StreamExt};
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use crate::app::{App, Caller, Peer};
use crate::follow::{Follower, Frame};
use crate::handler;

/// The service, with reflection and the standard health service beside it.
pub(crate) fn router(app: &App) -> Router {
    let (health, health_service) = tonic_health::server::health_reporter();
    // Readiness is known already, so this does not wait.
    tokio::spawn(async move { health.set_serving::<CoopServer<Service>>().await });
    let mut routes =
        Routes::new(CoopServer::new(Service(app.clone())).max_decoding_message_size(crate::http::MAX_BODY))
            .add_service(health_service);
    match (reflection().build_v1(), reflection().build_v1alpha()) {
        (Ok(v1), Ok(v1alpha)) => routes = routes.add_service(v1).add_service(v1alpha),
        (Err(error), _) | (_, Err(error)) => tracing::error!(%error, "gRPC reflection is off"),
    }
    routes.prepare().into_axum_router()
}

fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

#[derive(Debug)]
struct Service(App);

type Frames<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The other end of a call, and the scope it is limited to.
type From = (Option<Peer>, Reach);

fn from<T>(request: &Request<T>) -> From {
    let reach = request.extensions().get().copied().unwrap_or(Reach::Hooks);
    (request.extensions().get().cloned(), reach)
}

impl Service {
    async fn call(&self, (peer, reach): From, request: ApiRequest) -> Result<Reply, Status> {
        let peer = peer.ok_or_else(|| Status::internal("the connection is unknown"))?;
        let caller = Caller { peer, lease: None, reach };
        handler::handle(&self.0, &caller, request).await.map_err(|error| error.status())
    }

    /// Events that `pick` wants, after `since` or from now on.
    fn events<T: Send + 'static>(&self, since: Option<u64>, pick: fn(Event) -> Option<T>) -> Frames<T> {
        let mut follower = Follower::new(&self.0);
        follower.subscribe(&Topic::EVENTS);
        if let Some(since) = since {
            follower.events_since(since);
        }
        Self::follow(follower, move |frame| match frame {
            Frame::Event(event) => pick(event),
            _ => None,
        })
    }

    /// Frames that `pick` wants, until the session is over.
    fn follow<T: Send + 'static>(follower: Follower, pick: impl Fn(Frame) -> Option<T> + Send + 'static) -> Frames<T> {
        let frames = stream::unfold(Some(follower), |follower| async {
            let mut follower = follower?;
            match follower.next().await {
                Ok(Some(frame)) => Some((Ok(frame), Some(follower))),
                Ok(None) => None,
                Err(error) => Some((Err(error.status()), None)),
            }
        });
        Box::pin(frames.filter_map(move |frame| std::future::ready(frame.map(&pick).transpose())))
    }
}

/// The reply of the wrong kind cannot be: each request has one.
fn mismatch() -> Status {
    ApiError::new(Code::Internal, "The reply does not fit the request.").status()
}

/// What `async_trait` would write: it cannot look into a macro.
macro_rules! unary {
    ($($rpc:ident($request:ty => $variant:ident) -> $reply:ident($response:ty);)*) => {
        $(fn $rpc<'s, 'f>(
            &'s self,
            request: Request<$request>,
        ) -> Pin<Box<dyn Future<Output = Result<Response<$response>, Status>> + Send + 'f>>
        where
            's: 'f,
            Self: 'f,
        {
            Box::pin(async move {
                let from = from(&request);
                match self.call(from, ApiRequest::$variant(request.into_inner())).await? {
                    Reply::$reply(reply) => Ok(Response::new(reply)),
                    _ => Err(mismatch()),
                }
            })
        })*
    };
}

#[tonic::async_trait]
impl Coop for Service {
    unary! {
        get_health(GetHealthRequest => HealthRequest) -> Health(GetHealthResponse);
        get_status(GetStatusRequest => StatusRequest) -> Status(GetStatusResponse);
        get_screen(GetScreenRequest => ScreenRequest) -> Screen(GetScreenResponse);
        get_screen_text(GetScreenTextRequest => ScreenTextRequest) -> ScreenText(GetScreenTextResponse);
        get_screen_svg(GetScreenSvgRequest => ScreenSvgRequest) -> ScreenSvg(GetScreenSvgResponse);
        get_output(GetOutputRequest => OutputRequest) -> Output(GetOutputResponse);
        resume(ResumeRequest => Resume) -> Resume(ResumeResponse);
        send_input(SendInputRequest => Input) -> Input(SendInputResponse);
        send_input_raw(SendInputRawRequest => InputRaw) -> InputRaw(SendInputRawResponse);
        send_keys(SendKeysRequest => Keys) -> Keys(SendKeysResponse);
        resize(ResizeRequest => Resize) -> Resize(ResizeResponse);
        send_signal(SendSignalRequest => Signal) -> Signal(SendSignalResponse);
        lease(LeaseRequest => Lock) -> Lease(LeaseResponse);
        shutdown(ShutdownRequest => Shutdown) -> Shutdown(ShutdownResponse);
        restart(RestartRequest => Restart) -> Restart(RestartResponse);
        get_events(GetEventsRequest => EventsRequest) -> Events(GetEventsResponse);
        get_agent_state(GetAgentStateRequest => StateRequest) -> State(GetAgentStateResponse);
        explain(ExplainRequest => ExplainRequest) -> Explain(ExplainResponse);
        nudge(NudgeRequest => Nudge) -> Nudge(NudgeResponse);
        respond(RespondRequest => Respond) -> Respond(RespondResponse);
        interrupt(InterruptRequest => Interrupt) -> Interrupt(InterruptResponse);
        wait(WaitRequest => Wait) -> Wait(WaitResponse);
        get_conversation(GetConversationRequest => ConversationRequest) -> Conversation(GetConversationResponse);
        hook(HookRequest => Hook) -> Hook(HookResponse);
        resolve_stop(ResolveStopRequest => StopResolve) -> StopResolve(ResolveStopResponse);
        get_stop_config(GetStopConfigRequest => StopConfigRequest) -> StopConfig(StopConfig);
        put_stop_config(StopConfig => StopConfig) -> StopConfig(StopConfig);
        get_start_config(GetStartConfigRequest => StartConfigRequest) -> StartConfig(StartConfig);
        put_start_config(StartConfig => StartConfig) -> StartConfig(StartConfig);
        get_groom_config(GetGroomConfigRequest => GroomConfigRequest) -> GroomConfig(GroomConfig);
        put_groom_config(GroomConfig => GroomConfig) -> GroomConfig(GroomConfig);
        get_lifted_config(GetLiftedConfigRequest => LiftedConfigRequest) -> LiftedConfig(LiftedConfig);
        put_lifted_config(LiftedConfig => LiftedConfig) -> LiftedConfig(LiftedConfig);
        get_recording_config(GetRecordingConfigRequest => RecordingConfigRequest) -> Recording(Recording);
        put_recording_config(RecordingConfig => RecordingConfig) -> Recording(Recording);
        list_transcripts(ListTranscriptsRequest => TranscriptList) -> TranscriptList(ListTranscriptsResponse);
        get_transcript(GetTranscriptRequest => TranscriptGet) -> Transcript(GetTranscriptResponse);
        catchup_transcripts(CatchupTranscriptsRequest => TranscriptCatchup) -> TranscriptCatchup(CatchupTranscriptsResponse);
    }

    type StreamOutputStream = Frames<OutputChunk>;

    async fn stream_output(
        &self,
        request: Request<StreamOutputRequest>,
    ) -> Result<Response<Self::StreamOutputStream>, Status> {
        let StreamOutputRequest { from_offset, generation, snapshot } = request.into_inner();
        let mut follower = Follower::new(&self.0);
        follower.subscribe(&[Topic::Output]);
        let mut first = None;
        if snapshot || from_offset.is_some() {
            let place = ResumeRequest { offset: from_offset, generation, scrollback: 0 };
            let reply = follower.resume(&place).await.map_err(|error| error.status())?;
            first = Some(Ok(resumed(reply)));
        }
        let frames = Self::follow(follower, |frame| match frame {
            Frame::Output(chunk) => Some(chunk),
            Frame::Resume(reply) => Some(resumed(reply)),
            Frame::Screen(_) | Frame::Event(_) => None,
        });
        Ok(Response::new(Box::pin(stream::iter(first).chain(frames))))
    }

    type StreamScreenStream = Frames<ScreenSnapshot>;

    async fn stream_screen(
        &self,
        _request: Request<StreamScreenRequest>,
    ) -> Result<Response<Self::StreamScreenStream>, Status> {
        let mut follower = Follower::new(&self.0);
        follower.subscribe(&[Topic::Screen]);
        Ok(Response::new(Self::follow(follower, |frame| match frame {
            Frame::Screen(screen) => Some(screen),
            _ => None,
        })))
    }

    type StreamEventsStream = Frames<Event>;

    async fn stream_events(
        &self,
        request: Request<StreamEventsRequest>,
    ) -> Result<Response<Self::StreamEventsStream>, Status> {
        Ok(Response::new(self.events(request.into_inner().since, Some)))
    }

    type StreamStateStream = Frames<AgentStateEvent>;

    async fn stream_state(
        &self,
        request: Request<StreamStateRequest>,
    ) -> Result<Response<Self::StreamStateStream>, Status> {
        Ok(Response::new(self.events(request.into_inner().since, convert::state_event)))
    }

    type StreamTranscriptEventsStream = Frames<TranscriptEvent>;

    async fn stream_transcript_events(
        &self,
        request: Request<StreamTranscriptEventsRequest>,
    ) -> Result<Response<Self::StreamTranscriptEventsStream>, Status> {
        Ok(Response::new(self.events(request.into_inner().since, convert::transcript_event)))
    }
}

/// A chunk that paints and moves instead of going on.
fn resumed(reply: ResumeResponse) -> OutputChunk {
    OutputChunk { data: Vec::new(), offset: reply.offset, generation: reply.generation, resume: Some(reply) }
}
