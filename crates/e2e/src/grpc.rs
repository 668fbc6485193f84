//! gRPC clients: the generated one, and one that calls any method by its name.

use coop_api::v1::coop_client::CoopClient;
use coop_api::ws::Request;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tonic::Status;
use tonic::transport::{Channel, Endpoint};
use tonic_prost::ProstCodec;

use crate::{Address, in_time};

/// Connects with the first call.
#[must_use]
pub fn channel(to: &Address) -> Channel {
    let to = to.clone();
    let connector = tower::service_fn(move |_| {
        let to = to.clone();
        async move { to.connect().await.map(TokioIo::new) }
    });
    Endpoint::from_static("http://localhost").connect_with_connector_lazy(connector)
}

#[must_use]
pub fn client(to: &Address) -> CoopClient<Channel> {
    CoopClient::new(channel(to))
}

/// Calls `/package.Service/Method` with an empty message, and says what it answered. A stream that begins is fine.
pub async fn call(to: &Address, path: &str, token: Option<&str>) -> Result<(), Status> {
    let mut grpc = tonic::client::Grpc::new(channel(to));
    in_time("connecting to gRPC", grpc.ready()).await.unwrap();
    let mut request = tonic::Request::new(());
    if let Some(token) = token {
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    }
    let codec: ProstCodec<(), ()> = ProstCodec::default();
    let called = grpc.server_streaming(request, path.parse().unwrap(), codec);
    in_time(path, called).await.map(drop)
}

/// Makes the call that `request` stands for. The reply comes as JSON, for comparison with other transports.
pub async fn ask(client: &mut CoopClient<Channel>, request: Request) -> Result<Value, Status> {
    macro_rules! call {
        ($rpc:ident, $request:expr) => {{
            let reply = in_time(stringify!($rpc), client.$rpc($request)).await?;
            Ok(serde_json::to_value(reply.into_inner()).unwrap())
        }};
    }
    match request {
        Request::HealthRequest(request) => call!(get_health, request),
        Request::StatusRequest(request) => call!(get_status, request),
        Request::ScreenRequest(request) => call!(get_screen, request),
        Request::ScreenTextRequest(request) => call!(get_screen_text, request),
        Request::ScreenSvgRequest(request) => call!(get_screen_svg, request),
        Request::OutputRequest(request) => call!(get_output, request),
        Request::Resume(request) => call!(resume, request),
        Request::Input(request) => call!(send_input, request),
        Request::InputRaw(request) => call!(send_input_raw, request),
        Request::Keys(request) => call!(send_keys, request),
        Request::Resize(request) => call!(resize, request),
        Request::Signal(request) => call!(send_signal, request),
        Request::Lock(request) => call!(lease, request),
        Request::Shutdown(request) => call!(shutdown, request),
        Request::Restart(request) => call!(restart, request),
        Request::EventsRequest(request) => call!(get_events, request),
        Request::StateRequest(request) => call!(get_agent_state, request),
        Request::ExplainRequest(request) => call!(explain, request),
        Request::Nudge(request) => call!(nudge, request),
        Request::Respond(request) => call!(respond, request),
        Request::Interrupt(request) => call!(interrupt, request),
        Request::Wait(request) => call!(wait, request),
        Request::ConversationRequest(request) => call!(get_conversation, request),
        Request::Hook(request) => call!(hook, request),
        Request::StopResolve(request) => call!(resolve_stop, request),
        Request::StopConfigRequest(request) => call!(get_stop_config, request),
        Request::StopConfig(request) => call!(put_stop_config, request),
        Request::StartConfigRequest(request) => call!(get_start_config, request),
        Request::StartConfig(request) => call!(put_start_config, request),
        Request::GroomConfigRequest(request) => call!(get_groom_config, request),
        Request::GroomConfig(request) => call!(put_groom_config, request),
        Request::LiftedConfigRequest(request) => call!(get_lifted_config, request),
        Request::LiftedConfig(request) => call!(put_lifted_config, request),
        Request::RecordingConfigRequest(request) => call!(get_recording_config, request),
        Request::RecordingConfig(request) => call!(put_recording_config, request),
        Request::TranscriptList(request) => call!(list_transcripts, request),
        Request::TranscriptGet(request) => call!(get_transcript, request),
        Request::TranscriptCatchup(request) => call!(catchup_transcripts, request),
    }
}
