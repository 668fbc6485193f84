//! Who may connect: where the token comes from, and when there must be one.

use std::fs;
use std::net::IpAddr;
use std::path::Path;

use super::flags::AccessFlags;
use crate::CommandError;

const HOW_TO_GET_ONE: &str = "Make one with `coop token`, and give it in the variable COOP_AUTH_TOKEN.";

/// The token clients must send, if there is one.
pub(super) fn token(flags: &AccessFlags) -> Result<Option<String>, CommandError> {
    token_of(flags.auth_token.as_deref(), flags.auth_token_file.as_deref())
}

/// The token that was given, or the one in the file.
pub(crate) fn token_of(given: Option<&str>, file: Option<&Path>) -> Result<Option<String>, CommandError> {
    let token = match (given, file) {
        (Some(token), _) => Some(token.to_owned()),
        (None, Some(path)) => Some(read(path)?),
        (None, None) => None,
    };
    match token {
        Some(token) if token.is_empty() => Err(CommandError::usage("The token is empty").with_hint(HOW_TO_GET_ONE)),
        Some(token) if !token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Err(CommandError::usage("The token has a blank or another character that no header may have")
                .with_hint(HOW_TO_GET_ONE))
        }
        token => Ok(token),
    }
}

/// Whoever can connect can do all that the program can. Beyond this machine that takes a token.
pub(crate) fn check_host(host: IpAddr, token: Option<&str>) -> Result<(), CommandError> {
    if host.to_canonical().is_loopback() || token.is_some() {
        return Ok(());
    }
    let message = format!("Listening on {host} lets other machines in, and needs a token");
    Err(CommandError::usage(message).with_hint(HOW_TO_GET_ONE))
}

/// Closes the memory of this process: the program inside runs as the same user, and could read the token there. The
/// environment has none by then (see [`crate::secret`]).
pub(crate) fn hide_from_program() {
    if let Err(error) = coop_terminal::secret::close_memory() {
        tracing::warn!(%error, "the program can read the memory of coop");
    }
}

fn read(path: &Path) -> Result<String, CommandError> {
    let text = fs::read_to_string(path);
    let text = text
        .map_err(|error| CommandError::failed(format!("The token cannot be read from {}: {error}", path.display())))?;
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(auth_token: Option<&str>, auth_token_file: Option<&Path>) -> AccessFlags {
        AccessFlags {
            auth_token: auth_token.map(Into::into),
            auth_token_file: auth_token_file.map(Into::into),
            allow_host: Vec::new(),
            allow_origin: Vec::new(),
            input_rate: None,
        }
    }

    #[test]
    fn where_it_comes_from() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        fs::write(&file, "from-a-file\n").unwrap();
        assert_eq!(token(&flags(None, None)).unwrap(), None);
        assert_eq!(token(&flags(Some("t"), None)).unwrap().as_deref(), Some("t"));
        assert_eq!(token(&flags(None, Some(&file))).unwrap().as_deref(), Some("from-a-file"));
        assert!(token(&flags(Some(""), None)).is_err());
        assert!(token(&flags(Some("a b"), None)).is_err());
        assert!(token(&flags(None, Some(&folder.path().join("none")))).is_err());
        assert!(!format!("{:?}", flags(Some("secret"), None)).contains("secret"));
    }

    #[test]
    fn when_there_must_be_one() {
        for (host, needs) in [
            ("127.0.0.1", false),
            ("127.1.2.3", false),
            ("::1", false),
            ("::ffff:127.0.0.1", false),
            ("0.0.0.0", true),
            ("::", true),
            ("10.0.0.7", true),
        ] {
            let host: IpAddr = host.parse().unwrap();
            assert_eq!(check_host(host, None).is_err(), needs, "{host}");
            assert!(check_host(host, Some("t")).is_ok());
        }
    }
}
