//! How a sidecar elsewhere gets to a hub: it calls, and is called back over the same connection.
//!
//! The sidecar asks the hub to [`register`](PATH) it and to change the protocol to [`PROTOCOL`]. From then on the hub is
//! the client, in HTTP/2. Each `CONNECT` of it is a stream of bytes as a connection to the sidecar's socket would be.

use serde::{Deserialize, Serialize};

pub const PATH: &str = "/api/v1/hosts/register";
pub const PROTOCOL: &str = "coop-sidecar";

/// The one place there is to connect to.
pub const AUTHORITY: &str = "sidecar:1";

/// What a sidecar says of itself when it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// The machine it is on, as people know it.
    pub host: String,
    /// The name of the session.
    pub name: String,
    /// Another one for each program: two of them may have one host and one number of a process.
    pub instance: u64,
    /// The folder that its program was started in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cwd: Option<String>,
    /// The branch which that folder was on when it called.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<String>,
}
