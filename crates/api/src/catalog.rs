//! Every request by its name on each transport. Tests walk this table, the OpenAPI document, the proto file and the
//! WebSocket messages, and fail when one lags behind the others.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub method: &'static str,
    pub path: &'static str,
    /// `type` of the message over WebSocket.
    pub ws: &'static str,
    pub rpc: &'static str,
}

const fn entry(method: &'static str, path: &'static str, ws: &'static str, rpc: &'static str) -> Entry {
    Entry { method, path, ws, rpc }
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
    entry("get", "/api/v1/events/catchup", "events_request", "GetEvents"),
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
];

/// Paths without a counterpart elsewhere: they are about HTTP itself.
pub const HTTP_ONLY: &[&str] = &["/livez", "/ready", "/metrics", "/ws"];

/// Messages without a counterpart elsewhere: they are about the connection.
pub const WS_ONLY: &[&str] = &["auth", "ping", "subscribe", "replay"];
