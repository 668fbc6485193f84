//! Settings that have no effect are remarked on; none is silently ignored.

use crate::args;

/// Says once which variables have no effect.
pub(super) fn remark() {
    let outer = outer_variables();
    if !outer.is_empty() {
        tracing::warn!("inside a session variables do not count, use flags instead of {}", outer.join(", "));
    }
}

/// Settings somebody made inside a session. Its own socket and address are there always, and meant for clients.
fn outer_variables() -> Vec<String> {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let setting = |name: &String| {
        let known = args::definition().get_arguments().any(|arg| arg.get_env().is_some_and(|env| env == name.as_str()));
        known && name.starts_with("COOP_") && name != "COOP_SOCKET"
    };
    if args::is_nested() { names.filter(setting).collect() } else { Vec::new() }
}
