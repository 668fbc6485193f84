//! The Gemini CLI offline: `docs/agents/gemini.md` says why each line is needed.

use serde_json::json;

use super::{Dialog, KEY, Kind, LaunchError, Options, Place, Resume, Setup, hooks_table, write};

/// Not `PreCompress` and not those about the model: they come with every request and each costs 80 ms.
const EVENTS: &[&str] =
    &["SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "Notification"];

pub(super) fn set_up(place: &Place<'_>, options: &Options) -> Result<Setup, LaunchError> {
    let trusted = match options.dialog {
        Some(Dialog::Trust) => None,
        Some(Dialog::Login) | None => Some(("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned())),
        Some(other) => return Err(LaunchError::NoSuchDialog(Kind::Gemini, other)),
    };
    let mut settings = json!({
        "general": {"disableAutoUpdate": true, "disableUpdateNag": true},
        "privacy": {"usageStatisticsEnabled": false},
    });
    if options.dialog != Some(Dialog::Login) {
        settings["security"] = json!({"auth": {"selectedType": "gemini-api-key"}});
    }
    // The timeout of a hook is in milliseconds here.
    if let Some(table) = hooks_table(place, options, EVENTS, 60_000) {
        settings["hooks"] = table;
    }
    write(&place.home.join(".gemini/settings.json"), &settings.to_string())?;
    let mut args = ["-m", "gemini-2.5-flash"].map(str::to_owned).to_vec();
    if options.resume == Resume::Latest {
        args.extend(["--resume", "latest"].map(str::to_owned));
    }
    let mut env = vec![("GOOGLE_GEMINI_BASE_URL", place.url.to_owned())];
    if options.dialog != Some(Dialog::Login) {
        env.push(("GEMINI_API_KEY", KEY.to_owned()));
    }
    // One process, which dies when it is told to. When it is trusted it ends with code 199, to be started again.
    if options.dialog != Some(Dialog::Trust) {
        env.push(("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()));
    }
    env.extend(trusted);
    Ok(Setup { args, env })
}
