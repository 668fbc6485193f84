//! Makes the wire types from the proto file: one definition for gRPC, JSON and the OpenAPI document.

use std::error::Error;
use std::path::PathBuf;

use prost::Message as _;

const PROTO: &str = "coop/v1/coop.proto";

/// Messages that come from a client. A field we do not know is a mistake the client wants to hear about.
const REQUESTS: &[&str] = &[
    "GetHealthRequest",
    "GetStatusRequest",
    "GetScreenRequest",
    "GetScreenTextRequest",
    "GetScreenSvgRequest",
    "GetOutputRequest",
    "ResumeRequest",
    "SendInputRequest",
    "SendInputRawRequest",
    "SendKeysRequest",
    "ResizeRequest",
    "SendSignalRequest",
    "LeaseRequest",
    "ShutdownRequest",
    "RestartRequest",
    "GetEventsRequest",
    "StreamOutputRequest",
    "StreamScreenRequest",
    "StreamEventsRequest",
    "GetAgentStateRequest",
    "ExplainRequest",
    "NudgeRequest",
    "RespondRequest",
    "Answer",
    "InterruptRequest",
    "WaitRequest",
    "GetConversationRequest",
    "HookRequest",
    "ResolveStopRequest",
    "GetStopConfigRequest",
    "StopConfig",
    "GetStartConfigRequest",
    "StartConfig",
    "StartPart",
    "GetGroomConfigRequest",
    "GroomConfig",
    "GetLiftedConfigRequest",
    "LiftedConfig",
    "GetRecordingConfigRequest",
    "RecordingConfig",
    "ListTranscriptsRequest",
    "GetTranscriptRequest",
    "CatchupTranscriptsRequest",
    "StreamStateRequest",
    "StreamTranscriptEventsRequest",
];

/// Those of them that are a query, and not a body.
const QUERIES: &[&str] = &[
    "GetHealthRequest",
    "GetStatusRequest",
    "GetScreenRequest",
    "GetScreenTextRequest",
    "GetScreenSvgRequest",
    "GetOutputRequest",
    "ResumeRequest",
    "GetEventsRequest",
    "ExplainRequest",
    "WaitRequest",
    "GetConversationRequest",
    "CatchupTranscriptsRequest",
];

/// Bytes are base64 in JSON.
const BYTES: &[&str] =
    &["SendInputRawRequest.data", "GetOutputResponse.data", "ResumeResponse.data", "OutputChunk.data"];

/// JSON inside of JSON is written as it is, and not as a string.
const JSON: &[&str] = &[
    "PromptContext.input_full",
    "RespondRequest.updated_input",
    "ConversationEntry.input",
    "ConversationEntry.value",
    "HookRequest.payload",
    "HookResponse.body",
    "ResolveStopRequest.body",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    let descriptors = protox::compile([PROTO], ["proto"])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("coop.bin"), descriptors.encode_to_vec())?;
    let mut builder = tonic_prost_build::configure()
        .message_attribute(".", "#[derive(serde::Serialize, serde::Deserialize, utoipa::ToSchema)]")
        .message_attribute(".", "#[serde(default)]");
    for name in REQUESTS {
        builder = builder.message_attribute(format!("coop.v1.{name}"), "#[serde(deny_unknown_fields)]");
    }
    for name in QUERIES {
        builder = builder
            .message_attribute(format!("coop.v1.{name}"), "#[derive(utoipa::IntoParams)]")
            .message_attribute(format!("coop.v1.{name}"), "#[into_params(parameter_in = Query)]");
    }
    for field in BYTES {
        builder = builder
            .field_attribute(format!("coop.v1.{field}"), "#[serde(with = \"crate::json::base64\")]")
            .field_attribute(format!("coop.v1.{field}"), "#[schema(value_type = String, format = Byte)]");
    }
    for field in JSON {
        builder = builder
            .field_attribute(format!("coop.v1.{field}"), "#[serde(with = \"crate::json::embedded\")]")
            .field_attribute(format!("coop.v1.{field}"), "#[schema(value_type = Option<serde_json::Value>)]");
    }
    builder
        // So that it is written in the same order every time.
        .btree_map("coop.v1.StartConfig.event")
        .btree_map("coop.v1.RestartRequest.env")
        .field_attribute("coop.v1.GetScreenRequest.format", "#[serde(with = \"crate::json::format\")]")
        .field_attribute("coop.v1.GetScreenRequest.format", "#[schema(value_type = String, example = \"text\")]")
        .field_attribute("coop.v1.GetScreenRequest.format", "#[param(value_type = String, example = \"text\")]")
        .enum_attribute("coop.v1.Event.body", "#[derive(serde::Serialize, serde::Deserialize, utoipa::ToSchema)]")
        .enum_attribute("coop.v1.Event.body", "#[serde(tag = \"type\", rename_all = \"snake_case\")]")
        .field_attribute("coop.v1.Event.body", "#[serde(flatten)]")
        .field_attribute("coop.v1.Event.body.transcript_saved", "#[serde(rename = \"transcript:saved\")]")
        .compile_fds(descriptors)?;
    Ok(())
}
