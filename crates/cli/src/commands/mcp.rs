//! `coop mcp`: the fleet for an agent, over the Model Context Protocol on standard input and output.
//!
//! Every tool is a request to the hub, made with the token this was given, so that the hub decides what is allowed.

mod tools;

use std::sync::Arc;

use clap::{Args, ValueEnum};
use coop_api::client::{Client, ClientError};
use coop_core::access::Reach;
use coop_core::text::shown;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value;

use crate::CommandError;
use crate::sessions::HubTarget;
use tools::{SPECS, Spec};

const EXAMPLES: &str = "\
Examples:
  claude mcp add coop -- coop mcp                   Claude Code can see what all other agents do
  codex mcp add coop -- coop mcp

With --scope view the tools list sessions, read their state, screen and conversation, search, and wait. `answer` adds an
answer to what they ask, `drive` a message to one. On the hub's socket an agent may only look: for more, pair it like a
device (coop pair --scope drive) and give it that token in COOP_AUTH_TOKEN. docs/containment.md says how far that holds.";

const ABOUT: &str = "coop knows the coding agents that run on this machine or were started by its user: what each does, \
what it asks, and what was said. Sessions have a number (`id`). Only those whose `control` is `owned` have a screen and \
take messages.";

/// Offer the hub to an agent over MCP, on standard input and output
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Mcp {
    /// Which tools the agent gets
    #[arg(long, value_enum, default_value_t = Scope::View)]
    scope: Scope,
    #[command(flatten)]
    target: HubTarget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// Look, search and wait
    View,
    /// And answer what agents ask
    Answer,
    /// And message them
    Drive,
}

impl Mcp {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let reach = match self.scope {
            Scope::View => Reach::View,
            Scope::Answer => Reach::Answer,
            Scope::Drive => Reach::Drive,
        };
        let failed = |error: &dyn std::fmt::Display| CommandError::failed(format!("MCP ended: {error}"));
        let server = Fleet { target: self.target, reach };
        let served = server.serve(rmcp::transport::stdio()).await;
        match served {
            Ok(running) => running.waiting().await.map(drop).map_err(|error| failed(&error)),
            // Whoever started it has changed its mind.
            Err(error) if error.to_string().contains("closed") => Ok(()),
            Err(error) => Err(failed(&error)),
        }
    }
}

struct Fleet {
    target: HubTarget,
    reach: Reach,
}

impl Fleet {
    fn offered(&self) -> impl Iterator<Item = &'static Spec> {
        SPECS.iter().filter(|spec| self.reach.opens(spec.needs))
    }

    /// Each call looks for the hub anew: it may have been started since, or again.
    async fn call(&self, name: &str, arguments: Value) -> Result<String, String> {
        let spec = self.offered().find(|spec| spec.name == name);
        let spec = spec.ok_or_else(|| format!("There is no tool `{name}`, or this server was not started for it."))?;
        let plan = (spec.plan)(&arguments)?;
        let client: Client = self.target.client().map_err(|error| error.message().to_owned())?;
        let said: Result<Value, ClientError> =
            client.hub_request(plan.limit, plan.post, &plan.path, &plan.message).await;
        said.map(|said| (spec.show)(&said)).map_err(|error| match error.hint() {
            Some(hint) => format!("{error} {hint}"),
            None => error.to_string(),
        })
    }
}

fn described(spec: &Spec) -> Tool {
    let schema = match (spec.schema)() {
        Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    Tool::new(spec.name, spec.about, Arc::new(schema))
}

impl ServerHandler for Fleet {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("coop", env!("CARGO_PKG_VERSION")))
            .with_instructions(ABOUT)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.offered().map(described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        // The agent reads it, and its terminal may show it to the operator.
        let result = match self.call(&request.name, arguments).await {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(shown(&text))]),
            Err(why) => CallToolResult::error(vec![ContentBlock::text(shown(&why))]),
        };
        Ok(result.into())
    }
}
