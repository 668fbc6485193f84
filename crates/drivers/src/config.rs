//! The orchestrator's configuration of an agent (`--agent-config`).

use serde_json::{Map, Value};

use crate::launch::LaunchError;

/// An object of it.
pub(crate) fn part<'a>(config: Option<&'a Value>, name: &str) -> Result<Option<&'a Map<String, Value>>, LaunchError> {
    match config.and_then(|config| config.get(name)) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(part)) => Ok(Some(part)),
        Some(_) => Err(LaunchError::Config { part: name.to_owned(), expected: "an object" }),
    }
}
