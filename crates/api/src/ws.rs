//! The messages of the WebSocket.

use coop_core::access::{Reach, loads_code};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::v1::event::Body;
use crate::v1::{
    CatchupTranscriptsRequest, CatchupTranscriptsResponse, Event, ExplainRequest, ExplainResponse,
    GetAgentStateRequest, GetAgentStateResponse, GetConversationRequest, GetConversationResponse, GetEventsRequest,
    GetEventsResponse, GetGroomConfigRequest, GetHealthRequest, GetHealthResponse, GetLiftedConfigRequest,
    GetOutputRequest, GetOutputResponse, GetRecordingConfigRequest, GetScreenRequest, GetScreenResponse,
    GetScreenSvgRequest, GetScreenSvgResponse, GetScreenTextRequest, GetScreenTextResponse, GetStartConfigRequest,
    GetStatusRequest, GetStatusResponse, GetStopConfigRequest, GetTranscriptRequest, GetTranscriptResponse,
    GroomConfig, HookRequest, HookResponse, InterruptRequest, InterruptResponse, LeaseRequest, LeaseResponse,
    LiftedConfig, ListTranscriptsRequest, ListTranscriptsResponse, NudgeRequest, NudgeResponse, OutputChunk, Recording,
    RecordingConfig, ResizeRequest, ResizeResponse, ResolveStopRequest, ResolveStopResponse, RespondRequest,
    RespondResponse, RestartRequest, RestartResponse, ResumeRequest, ResumeResponse, ScreenSnapshot,
    SendInputRawRequest, SendInputRawResponse, SendInputRequest, SendInputResponse, SendKeysRequest, SendKeysResponse,
    SendSignalRequest, SendSignalResponse, ShutdownRequest, ShutdownResponse, StartConfig, StopConfig, WaitRequest,
    WaitResponse,
};
use crate::{ApiError, Code};

/// Close codes beyond those of the protocol.
pub const CLOSE_UNAUTHORIZED: u16 = 4401;
pub const CLOSE_FORBIDDEN: u16 = 4403;
pub const CLOSE_NOT_READY: u16 = 4503;

/// A request in any transport's clothes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    HealthRequest(GetHealthRequest),
    StatusRequest(GetStatusRequest),
    ScreenRequest(GetScreenRequest),
    ScreenTextRequest(GetScreenTextRequest),
    ScreenSvgRequest(GetScreenSvgRequest),
    OutputRequest(GetOutputRequest),
    Resume(ResumeRequest),
    Input(SendInputRequest),
    InputRaw(SendInputRawRequest),
    Keys(SendKeysRequest),
    Resize(ResizeRequest),
    Signal(SendSignalRequest),
    Lock(LeaseRequest),
    Shutdown(ShutdownRequest),
    Restart(RestartRequest),
    EventsRequest(GetEventsRequest),
    StateRequest(GetAgentStateRequest),
    ExplainRequest(ExplainRequest),
    Nudge(NudgeRequest),
    Respond(RespondRequest),
    Interrupt(InterruptRequest),
    Wait(WaitRequest),
    ConversationRequest(GetConversationRequest),
    Hook(HookRequest),
    StopResolve(ResolveStopRequest),
    StopConfigRequest(GetStopConfigRequest),
    StopConfig(StopConfig),
    StartConfigRequest(GetStartConfigRequest),
    StartConfig(StartConfig),
    GroomConfigRequest(GetGroomConfigRequest),
    GroomConfig(GroomConfig),
    LiftedConfigRequest(GetLiftedConfigRequest),
    LiftedConfig(LiftedConfig),
    RecordingConfigRequest(GetRecordingConfigRequest),
    RecordingConfig(RecordingConfig),
    #[serde(rename = "transcript:list")]
    TranscriptList(ListTranscriptsRequest),
    #[serde(rename = "transcript:get")]
    TranscriptGet(GetTranscriptRequest),
    #[serde(rename = "transcript:catchup")]
    TranscriptCatchup(CatchupTranscriptsRequest),
}

impl Request {
    /// Returns the scope that a client needs for it. It depends on what the request carries.
    #[must_use]
    pub fn needs(&self) -> Reach {
        match self {
            Self::HealthRequest(_)
            | Self::StatusRequest(_)
            | Self::ScreenRequest(_)
            | Self::ScreenTextRequest(_)
            | Self::ScreenSvgRequest(_)
            | Self::OutputRequest(_)
            | Self::Resume(_)
            | Self::EventsRequest(_)
            | Self::StateRequest(_)
            | Self::ExplainRequest(_)
            | Self::Wait(_)
            | Self::ConversationRequest(_)
            | Self::StopConfigRequest(_)
            | Self::StartConfigRequest(_)
            | Self::GroomConfigRequest(_)
            | Self::LiftedConfigRequest(_)
            | Self::RecordingConfigRequest(_)
            | Self::TranscriptList(_)
            | Self::TranscriptGet(_)
            | Self::TranscriptCatchup(_) => Reach::View,
            // It replaces what the agent runs, which is more than a yes or a no.
            Self::Respond(respond) if respond.updated_input.is_some() => Reach::Drive,
            Self::Respond(_) => Reach::Answer,
            Self::Restart(restart) if restart.env.keys().chain(&restart.unset).any(|name| loads_code(name)) => {
                Reach::Admin
            }
            Self::Input(_)
            | Self::InputRaw(_)
            | Self::Keys(_)
            | Self::Resize(_)
            | Self::Signal(_)
            | Self::Lock(_)
            | Self::Shutdown(_)
            | Self::Restart(_)
            | Self::Nudge(_)
            | Self::Interrupt(_)
            | Self::StopResolve(_)
            | Self::StopConfig(_)
            | Self::StartConfig(_)
            | Self::GroomConfig(_)
            | Self::LiftedConfig(_)
            | Self::RecordingConfig(_) => Reach::Drive,
            Self::Hook(_) => Reach::Hooks,
        }
    }

    /// Whether its answer may take as long as a person or an agent does.
    #[must_use]
    pub fn may_wait(&self) -> bool {
        matches!(self, Self::Nudge(_) | Self::Respond(_) | Self::Wait(_) | Self::Hook(_) | Self::Restart(_))
    }

    /// The `type` of the message.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::HealthRequest(_) => "health_request",
            Self::StatusRequest(_) => "status_request",
            Self::ScreenRequest(_) => "screen_request",
            Self::ScreenTextRequest(_) => "screen_text_request",
            Self::ScreenSvgRequest(_) => "screen_svg_request",
            Self::OutputRequest(_) => "output_request",
            Self::Resume(_) => "resume",
            Self::Input(_) => "input",
            Self::InputRaw(_) => "input_raw",
            Self::Keys(_) => "keys",
            Self::Resize(_) => "resize",
            Self::Signal(_) => "signal",
            Self::Lock(_) => "lock",
            Self::Shutdown(_) => "shutdown",
            Self::Restart(_) => "restart",
            Self::EventsRequest(_) => "events_request",
            Self::StateRequest(_) => "state_request",
            Self::ExplainRequest(_) => "explain_request",
            Self::Nudge(_) => "nudge",
            Self::Respond(_) => "respond",
            Self::Interrupt(_) => "interrupt",
            Self::Wait(_) => "wait",
            Self::ConversationRequest(_) => "conversation_request",
            Self::Hook(_) => "hook",
            Self::StopResolve(_) => "stop_resolve",
            Self::StopConfigRequest(_) => "stop_config_request",
            Self::StopConfig(_) => "stop_config",
            Self::StartConfigRequest(_) => "start_config_request",
            Self::StartConfig(_) => "start_config",
            Self::GroomConfigRequest(_) => "groom_config_request",
            Self::GroomConfig(_) => "groom_config",
            Self::LiftedConfigRequest(_) => "lifted_config_request",
            Self::LiftedConfig(_) => "lifted_config",
            Self::RecordingConfigRequest(_) => "recording_config_request",
            Self::RecordingConfig(_) => "recording_config",
            Self::TranscriptList(_) => "transcript:list",
            Self::TranscriptGet(_) => "transcript:get",
            Self::TranscriptCatchup(_) => "transcript:catchup",
        }
    }
}

/// What answers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "one at a time, and for a moment")]
pub enum Reply {
    Health(GetHealthResponse),
    Status(GetStatusResponse),
    Screen(GetScreenResponse),
    ScreenText(GetScreenTextResponse),
    ScreenSvg(GetScreenSvgResponse),
    Output(GetOutputResponse),
    Resume(ResumeResponse),
    Input(SendInputResponse),
    InputRaw(SendInputRawResponse),
    Keys(SendKeysResponse),
    Resize(ResizeResponse),
    Signal(SendSignalResponse),
    Lease(LeaseResponse),
    Shutdown(ShutdownResponse),
    Restart(RestartResponse),
    Events(GetEventsResponse),
    State(GetAgentStateResponse),
    Explain(ExplainResponse),
    Nudge(NudgeResponse),
    Respond(RespondResponse),
    Interrupt(InterruptResponse),
    Wait(WaitResponse),
    Conversation(GetConversationResponse),
    Hook(HookResponse),
    StopResolve(ResolveStopResponse),
    StopConfig(StopConfig),
    StartConfig(StartConfig),
    GroomConfig(GroomConfig),
    LiftedConfig(LiftedConfig),
    Recording(Recording),
    TranscriptList(ListTranscriptsResponse),
    Transcript(GetTranscriptResponse),
    TranscriptCatchup(CatchupTranscriptsResponse),
}

/// Messages about the connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Control {
    /// The first message, unless the token came with the connection.
    Auth {
        token: String,
    },
    Ping,
    /// Replaces what the connection follows.
    Subscribe {
        streams: Vec<Topic>,
    },
    /// Send the output again from here on.
    Replay {
        offset: u64,
    },
}

/// What a connection can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    Output,
    Screen,
    /// What happens, but for what the topics below are for.
    State,
    /// What the agent asks, and what becomes of it.
    Prompts,
    /// The hooks the agent calls.
    Hooks,
    /// Conversations that were kept.
    Transcripts,
}

impl Topic {
    pub const ALL: [Topic; 6] =
        [Topic::Output, Topic::Screen, Topic::State, Topic::Prompts, Topic::Hooks, Topic::Transcripts];
    /// Those that together carry every event.
    pub const EVENTS: [Topic; 4] = [Topic::State, Topic::Prompts, Topic::Hooks, Topic::Transcripts];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Topic::Output => "output",
            Topic::Screen => "screen",
            Topic::State => "state",
            Topic::Prompts => "prompts",
            Topic::Hooks => "hooks",
            Topic::Transcripts => "transcripts",
        }
    }

    /// Whether it carries events of this kind.
    #[must_use]
    pub fn carries(self, event: &Event) -> bool {
        let Some(body) = &event.body else { return true };
        match (self, body) {
            (Topic::Output | Topic::Screen, _) => false,
            // Whoever follows anything wants to know that it is over, and what was missed.
            (_, Body::Exit(_) | Body::Gap(_)) => true,
            (Topic::State, body) => !matches!(body, Body::Hook(_) | Body::TranscriptSaved(_)),
            (Topic::Prompts, Body::StateChange(change)) => change.prompt.is_some(),
            (Topic::Prompts, body) => matches!(body, Body::Prompt(_) | Body::PromptResolved(_)),
            (Topic::Hooks, body) => matches!(body, Body::Hook(_) | Body::Stop(_)),
            (Topic::Transcripts, body) => matches!(body, Body::TranscriptSaved(_)),
        }
    }
}

/// A message from a client, with the id it wants to see in the reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientMessage {
    pub id: Option<Value>,
    pub body: ClientBody,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ClientBody {
    Request(Request),
    Control(Control),
}

impl ClientMessage {
    pub fn parse(text: &str) -> Result<Self, (Option<Value>, ApiError)> {
        let bad = |error: serde_json::Error| ApiError::bad_request(format!("The message cannot be read: {error}."));
        let mut fields: Map<String, Value> = serde_json::from_str(text).map_err(|error| (None, bad(error)))?;
        let id = fields.remove("id");
        let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
        let body = if crate::catalog::WS_ONLY.contains(&kind) {
            serde_json::from_value(Value::Object(fields)).map(ClientBody::Control)
        } else {
            serde_json::from_value(Value::Object(fields)).map(ClientBody::Request)
        };
        match body {
            Ok(body) => Ok(Self { id, body }),
            Err(error) => Err((id, bad(error))),
        }
    }
}

/// A message to a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "one at a time, and for a moment")]
pub enum ServerMessage {
    Tagged(Tagged),
    /// An event has its own `type`.
    Event(Event),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Tagged {
    /// First of all: what this is, and where its output and events are.
    Hello {
        session: String,
        version: String,
        generation: u64,
        offset: u64,
        event_seq: u64,
        cols: u16,
        rows: u16,
    },
    Output(OutputChunk),
    /// The screen after a change, or as asked for.
    Screen {
        #[serde(flatten)]
        screen: ScreenSnapshot,
        /// The same as `sequence`.
        seq: u64,
    },
    /// Paint `data` if there is any; output goes on at `offset`.
    Resume {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        id: Option<Value>,
        #[serde(flatten)]
        resume: ResumeResponse,
    },
    /// Answers a request.
    Reply {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        id: Option<Value>,
        /// The `type` of the request.
        request: String,
        result: Value,
    },
    /// A request failed. What HTTP says beyond this follows from the code.
    Error {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        id: Option<Value>,
        message: String,
        code: Code,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        hint: Option<String>,
    },
    Pong {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        id: Option<Value>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::{
        BellEvent, ExitEvent, GapEvent, HookEvent, PromptContext, PromptResolvedEvent, StateChangeEvent, StopEvent,
        TranscriptSavedEvent,
    };

    #[test]
    fn scope_of_a_request_depends_on_what_it_carries() {
        let env = |name: &str| RestartRequest { env: [(name.into(), "x".into())].into(), ..RestartRequest::default() };
        let unset = RestartRequest { unset: vec!["PATH".into()], ..RestartRequest::default() };
        let updated = RespondRequest { updated_input: Some("{}".into()), ..RespondRequest::default() };
        for (request, expected) in [
            (Request::Respond(RespondRequest::default()), Reach::Answer),
            (Request::Respond(updated), Reach::Drive),
            (Request::Restart(env("MODEL")), Reach::Drive),
            (Request::Restart(env("LD_PRELOAD")), Reach::Admin),
            (Request::Restart(unset), Reach::Admin),
            (Request::ScreenRequest(GetScreenRequest::default()), Reach::View),
            (Request::Hook(HookRequest::default()), Reach::Hooks),
        ] {
            assert_eq!(request.needs(), expected, "{request:?}");
        }
    }

    #[test]
    fn topics_carry_what_they_are_called_after() {
        let asks = StateChangeEvent { prompt: Some(PromptContext::default()), ..StateChangeEvent::default() };
        for (body, expected) in [
            (Body::Bell(BellEvent {}), "state"),
            (Body::StateChange(StateChangeEvent::default()), "state"),
            (Body::StateChange(asks), "state prompts"),
            (Body::PromptResolved(PromptResolvedEvent::default()), "state prompts"),
            (Body::Hook(HookEvent::default()), "hooks"),
            (Body::Stop(StopEvent::default()), "state hooks"),
            (Body::TranscriptSaved(TranscriptSavedEvent::default()), "transcripts"),
            (Body::Exit(ExitEvent::default()), "state prompts hooks transcripts"),
            (Body::Gap(GapEvent::default()), "state prompts hooks transcripts"),
        ] {
            let event = Event { seq: 1, generation: 1, body: Some(body) };
            let topics: Vec<&str> = Topic::ALL.into_iter().filter(|t| t.carries(&event)).map(Topic::name).collect();
            assert_eq!(topics.join(" "), expected, "{event:?}");
            assert!(Topic::EVENTS.iter().any(|topic| topic.carries(&event)), "nothing is left out");
        }
    }

    #[test]
    fn messages() {
        let parse = |text: &str| ClientMessage::parse(text).map(|m| (m.id, m.body)).map_err(|(id, e)| (id, e.detail));
        let input = SendInputRequest { text: "hello\r".into(), ..Default::default() };
        assert_eq!(
            parse(r#"{"type":"input","text":"hello\r","id":7}"#),
            Ok((Some(7.into()), ClientBody::Request(Request::Input(input))))
        );
        assert_eq!(parse(r#"{"type":"ping"}"#), Ok((None, ClientBody::Control(Control::Ping))));
        let refused = |text: &str| parse(text).unwrap_err();
        assert!(refused("hello").1.contains("cannot be read"));
        assert!(refused(r#"{"type":"inptu","id":1}"#).1.contains("unknown variant `inptu`"));
        assert_eq!(refused(r#"{"type":"inptu","id":1}"#).0, Some(1.into()));
        assert!(refused(r#"{"type":"input","txt":"x"}"#).1.contains("unknown field `txt`"));
        assert!(refused(r#"{"type":"input_raw","data":"%"}"#).1.contains("not base64"));
        assert!(refused(r#"{"text":"x"}"#).1.contains("type"));
    }
}
