//! `coop keys`: presses keys by name.

use clap::Args;
use coop_api::v1::SendKeysRequest;
use coop_terminal::keys::{Key, modifiers, names};

use crate::sessions::Target;
use crate::{CommandError, out};

/// Press keys in a session, for example: coop keys Escape Ctrl-C Up Enter
#[derive(Debug, Args)]
pub(crate) struct Keys {
    /// Names of keys, in order; any single character is one too
    #[arg(value_name = "KEY", required_unless_present = "list")]
    keys: Vec<String>,
    /// Print all names
    #[arg(long, conflicts_with = "keys")]
    list: bool,
    #[command(flatten)]
    target: Target,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

impl Keys {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        if self.list {
            return out::print(&list());
        }
        // Here, and not only there: a typing mistake should not need a session to be found.
        for name in &self.keys {
            name.parse::<Key>().map_err(|error| CommandError::usage(error.to_string()))?;
        }
        let request = SendKeysRequest { keys: self.keys, lease: None };
        let reply = self.target.client()?.keys(&request).await?;
        if self.json { out::json(&reply) } else { Ok(()) }
    }
}

fn list() -> String {
    let line = |names: &[&str]| names.join("  ") + "\n";
    let keys: String = names().map(line).collect();
    let modifiers: String = modifiers().map(line).collect();
    format!("{keys}\nAny single character is a key. Before a key, joined with -:\n{modifiers}")
}
