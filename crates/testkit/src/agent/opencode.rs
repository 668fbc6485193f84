//! opencode offline: `docs/agents/opencode.md` says why each line is needed.

use serde_json::json;

use super::{KEY, Kind, LaunchError, Options, Place, Resume, Setup, write};

/// One that it knows without asking for a list.
const MODEL: &str = "anthropic/claude-sonnet-4-5";

pub(super) fn set_up(place: &Place<'_>, options: &Options) -> Result<Setup, LaunchError> {
    if let Some(dialog) = options.dialog {
        return Err(LaunchError::NoSuchDialog(Kind::OpenCode, dialog));
    }
    let config = json!({
        "autoupdate": false,
        "share": "disabled",
        "model": MODEL,
        "small_model": MODEL,
        "provider": {"anthropic": {"options": {"baseURL": format!("{}/v1", place.url), "apiKey": KEY}}},
        "permission": {"bash": "ask", "edit": "ask"},
    });
    write(&place.home.join(".config/opencode/opencode.json"), &config.to_string())?;
    let args = if options.resume == Resume::Latest { vec!["--continue".to_owned()] } else { Vec::new() };
    let off = ["OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_LSP_DOWNLOAD"];
    Ok(Setup { args, env: off.map(|name| (name, "1".to_owned())).to_vec() })
}
