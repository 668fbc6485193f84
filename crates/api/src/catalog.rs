//! Every request by its name on each transport. Tests walk this table, the OpenAPI document, the proto file and the
//! WebSocket messages, and fail when one lags behind the others.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub method: &'static str,
    pub path: &'static str,
    /// `type` of the message over WebSocket.
    pub ws: &'static str,
    pub rpc: &'static str,
    /// The field that is the whole body over HTTP: what comes from elsewhere is passed on as it is.
    pub raw: Option<&'static str>,
}

const fn entry(method: &'static str, path: &'static str, ws: &'static str, rpc: &'static str) -> Entry {
    Entry { method, path, ws, rpc, raw: None }
}

const fn raw(path: &'static str, ws: &'static str, rpc: &'static str, field: &'static str) -> Entry {
    Entry { method: "post", path, ws, rpc, raw: Some(field) }
}

pub const REQUESTS: &[Entry] = &[
    entry("get", "/api/v1/health", "health_request", "GetHealth"),
    entry("get", "/api/v1/status", "status_request", "GetStatus"),
    entry("get", "/api/v1/screen", "screen_request", "GetScreen"),
    entry("get", "/api/v1/screen/text", "screen_text_request", "GetScreenText"),
    entry("get", "/api/v1/screen/svg", "screen_svg_request", "GetScreenSvg"),
    entry("get", "/api/v1/output", "output_request", "GetOutput"),
    entry("get", "/api/v1/resume", "resume", "Resume"),
    entry("post", "/api/v1/input", "input", "SendInput"),
    entry("post", "/api/v1/input/raw", "input_raw", "SendInputRaw"),
    entry("post", "/api/v1/input/keys", "keys", "SendKeys"),
    entry("post", "/api/v1/resize", "resize", "Resize"),
    entry("post", "/api/v1/signal", "signal", "SendSignal"),
    entry("post", "/api/v1/lease", "lock", "Lease"),
    entry("post", "/api/v1/shutdown", "shutdown", "Shutdown"),
    entry("post", "/api/v1/session/restart", "restart", "Restart"),
    entry("get", "/api/v1/events/catchup", "events_request", "GetEvents"),
    entry("get", "/api/v1/agent/state", "state_request", "GetAgentState"),
    entry("get", "/api/v1/agent/explain", "explain_request", "Explain"),
    entry("post", "/api/v1/agent/nudge", "nudge", "Nudge"),
    entry("post", "/api/v1/agent/respond", "respond", "Respond"),
    entry("post", "/api/v1/agent/interrupt", "interrupt", "Interrupt"),
    entry("get", "/api/v1/agent/wait", "wait", "Wait"),
    entry("get", "/api/v1/conversation", "conversation_request", "GetConversation"),
    raw("/api/v1/hooks/{event}", "hook", "Hook", "payload"),
    raw("/api/v1/stop/resolve", "stop_resolve", "ResolveStop", "body"),
    entry("get", "/api/v1/config/stop", "stop_config_request", "GetStopConfig"),
    entry("put", "/api/v1/config/stop", "stop_config", "PutStopConfig"),
    entry("get", "/api/v1/config/start", "start_config_request", "GetStartConfig"),
    entry("put", "/api/v1/config/start", "start_config", "PutStartConfig"),
    entry("get", "/api/v1/config/groom", "groom_config_request", "GetGroomConfig"),
    entry("put", "/api/v1/config/groom", "groom_config", "PutGroomConfig"),
    entry("get", "/api/v1/config/lifted", "lifted_config_request", "GetLiftedConfig"),
    entry("put", "/api/v1/config/lifted", "lifted_config", "PutLiftedConfig"),
    entry("get", "/api/v1/config/recording", "recording_config_request", "GetRecordingConfig"),
    entry("put", "/api/v1/config/recording", "recording_config", "PutRecordingConfig"),
    entry("get", "/api/v1/transcripts", "transcript:list", "ListTranscripts"),
    entry("get", "/api/v1/transcripts/{number}", "transcript:get", "GetTranscript"),
    entry("get", "/api/v1/transcripts/catchup", "transcript:catchup", "CatchupTranscripts"),
];

/// What a client can follow, by its name in a WebSocket subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    pub ws: &'static str,
    pub rpc: &'static str,
    /// Where HTTP alone can follow it.
    pub sse: Option<&'static str>,
}

pub const STREAMS: &[Stream] = &[
    Stream { ws: "output", rpc: "StreamOutput", sse: None },
    Stream { ws: "screen", rpc: "StreamScreen", sse: None },
    Stream { ws: "state", rpc: "StreamEvents", sse: Some("/api/v1/events") },
    Stream { ws: "prompts", rpc: "StreamState", sse: None },
    Stream { ws: "hooks", rpc: "StreamEvents", sse: None },
    Stream { ws: "transcripts", rpc: "StreamTranscriptEvents", sse: None },
];

/// Paths without a counterpart elsewhere: they are about HTTP itself, or files to be downloaded.
pub const HTTP_ONLY: &[&str] = &["/livez", "/ready", "/metrics", "/ws", "/api/v1/recording"];

/// Messages without a counterpart elsewhere: they are about the connection.
pub const WS_ONLY: &[&str] = &["auth", "ping", "subscribe", "replay"];
