//! Codex offline: `docs/agents/codex.md` says why each line is needed.

use serde_json::json;

use super::{Dialog, Hooks, KEY, Kind, LaunchError, Options, Place, Resume, Setup, hooks_table, write};

const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreModelRequest",
    "PostModelRequest",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "Stop",
    "Interrupt",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
];

pub(super) fn set_up(place: &Place<'_>, options: &Options) -> Result<Setup, LaunchError> {
    let asks = |dialog| options.dialog == Some(dialog);
    if asks(Dialog::ApiKey) {
        return Err(LaunchError::NoSuchDialog(Kind::Codex, Dialog::ApiKey));
    }
    let config = place.home.join(".codex/config.toml");
    if !config.exists() {
        write(&config, &config_text(place, options.dialog))?;
    }
    if asks(Dialog::Trust) {
        // It asks about folders that have something to trust: settings, or a repository.
        write(&place.project.join(".codex/config.toml"), "")?;
    }
    // Without it a daemon outlives the terminal, and its hooks see another session's environment.
    let mut args = vec!["--no-daemon".to_owned()];
    if let Some(table) = hooks_table(place, options, EVENTS, 60) {
        write(&place.home.join(".codex/hooks.json"), &json!({"hooks": table}).to_string())?;
        if !asks(Dialog::HooksReview) && options.hooks != Hooks::None {
            args.push("--dangerously-bypass-hook-trust".to_owned());
        }
    }
    if options.resume == Resume::Latest {
        args.extend(["resume", "--last"].map(str::to_owned));
    }
    Ok(Setup { args, env: vec![("SCRIPTED_API_KEY", KEY.to_owned())] })
}

fn config_text(place: &Place<'_>, dialog: Option<Dialog>) -> String {
    let provider = match dialog {
        Some(Dialog::Login) => String::new(),
        _ => "model_provider = \"scripted\"\n".to_owned(),
    };
    let migrated = match dialog {
        Some(Dialog::ModelMigration) => "",
        _ => "[notice.model_migrations]\n\"gpt-5.5\" = \"gpt-6-sol\"\n",
    };
    let trusted = match dialog {
        Some(Dialog::Trust) => String::new(),
        _ => format!("[projects.{:?}]\ntrust_level = \"trusted\"\n", place.project),
    };
    // Few retries and a short patience, so that errors come in seconds.
    format!(
        "model = \"gpt-5.5\"\n{provider}check_for_update_on_startup = false\n\
         [model_providers.scripted]\nname = \"Scripted\"\nbase_url = \"{url}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"SCRIPTED_API_KEY\"\nrequest_max_retries = 1\nstream_max_retries = 1\nstream_idle_timeout_ms = 20000\n\
         [analytics]\nenabled = false\n[tools.update_plan]\nenabled = true\n{migrated}{trusted}",
        url = place.url,
    )
}
