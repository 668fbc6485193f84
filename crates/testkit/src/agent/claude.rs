//! Claude Code offline: `docs/agents/claude.md` says why each line is needed.

use serde_json::json;

use super::{Dialog, KEY, Kind, LaunchError, Options, Place, Resume, Setup, hooks_table, write};

const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "Stop",
    "StopFailure",
    "PreCompact",
    "PostCompact",
    "SubagentStop",
    "SessionEnd",
];

pub(super) fn set_up(place: &Place<'_>, options: &Options) -> Result<Setup, LaunchError> {
    let asks = |dialog| options.dialog == Some(dialog);
    if asks(Dialog::HooksReview) || asks(Dialog::ModelMigration) {
        return Err(LaunchError::NoSuchDialog(Kind::Claude, options.dialog.unwrap_or(Dialog::HooksReview)));
    }
    // A second start finds what the first has written.
    let state = place.home.join(".claude.json");
    if !state.exists() {
        let tail = &KEY[KEY.len() - 20..];
        let approved = if asks(Dialog::ApiKey) { vec![] } else { vec![tail] };
        let trusted = !asks(Dialog::Trust);
        let known = json!({
            "hasCompletedOnboarding": !asks(Dialog::Login), "theme": "dark", "numStartups": 3,
            "customApiKeyResponses": {"approved": approved, "rejected": []},
            "projects": {place.project.to_string_lossy(): {"hasTrustDialogAccepted": trusted}},
        });
        write(&state, &known.to_string())?;
    }
    let mut args = Vec::new();
    if let Some(table) = hooks_table(place, options, EVENTS, 60) {
        let settings = place.home.join("hooks.json");
        write(&settings, &json!({"hooks": table}).to_string())?;
        args.extend(["--settings".to_owned(), settings.to_string_lossy().into_owned()]);
    }
    // The newer version starts in a mode that asks nothing.
    if !options.args.iter().any(|arg| arg == "--permission-mode") {
        args.extend(["--permission-mode", "default"].map(str::to_owned));
    }
    if options.resume == Resume::Latest {
        args.push("--continue".to_owned());
    }
    let env = vec![
        ("ANTHROPIC_BASE_URL", place.url.to_owned()),
        ("ANTHROPIC_API_KEY", KEY.to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
    ];
    Ok(Setup { args, env })
}
