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

/// Whether it asks for hooks where they are not there by themselves.
pub(crate) fn wants_hooks(config: Option<&Value>) -> Result<bool, LaunchError> {
    wants(config, "hooks")
}

/// Whether it asks for something that is not there by itself.
pub(crate) fn wants(config: Option<&Value>, name: &str) -> Result<bool, LaunchError> {
    match config.and_then(|config| config.get(name)) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(wanted)) => Ok(*wanted),
        Some(_) => Err(LaunchError::Config { part: name.to_owned(), expected: "true or false" }),
    }
}

/// Objects are merged, lists are joined with what is there first, and of anything else the later one counts.
pub(crate) fn merge(base: &mut Map<String, Value>, over: Map<String, Value>) {
    for (name, value) in over {
        match (base.get_mut(&name), value) {
            (Some(Value::Object(base)), Value::Object(over)) => merge(base, over),
            (Some(Value::Array(base)), Value::Array(over)) => base.extend(over),
            (_, value) => {
                base.insert(name, value);
            }
        }
    }
}
