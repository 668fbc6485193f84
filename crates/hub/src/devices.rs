//! Devices: whoever came with a code and has a token of their own since. Of a token only its digest is kept.

use coop_core::access::{Digest, Reach};
use coop_core::fleet::text::shown;
use sha2::Digest as _;

/// What people can read to each other: no letter looks like another, and those that would are taken for them.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// 40 bits. A code is good for minutes, and for a few wrong guesses.
const CODE_LEN: usize = 8;
/// As many characters of a name are kept.
const MAX_NAME: usize = 64;

/// It may do as much as its token opens, until it is taken back.
#[derive(Clone, PartialEq, Eq)]
pub struct Device {
    /// Counts up from 1; never used again.
    pub id: u64,
    pub name: String,
    pub reach: Reach,
    /// In milliseconds since 1970.
    pub added_ms: u64,
    pub(crate) digest: Digest,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { id, name, reach, .. } = self;
        f.debug_struct("Device").field("id", id).field("name", name).field("reach", reach).finish_non_exhaustive()
    }
}

impl Device {
    /// Whether this is its token. What is compared are digests, so that the time it takes tells nothing of the token.
    #[must_use]
    pub fn has(&self, digest: &Digest) -> bool {
        self.digest == *digest
    }
}

/// A code that was made, to be shown once.
#[derive(Clone, PartialEq, Eq)]
pub struct Offered {
    pub code: String,
    /// In milliseconds since 1970.
    pub expires_ms: u64,
}

impl std::fmt::Debug for Offered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Offered").field("expires_ms", &self.expires_ms).finish_non_exhaustive()
    }
}

/// A device, and its token, which nobody is told again.
#[derive(Clone, PartialEq, Eq)]
pub struct Paired {
    pub device: Device,
    pub token: String,
}

impl std::fmt::Debug for Paired {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Paired").field("device", &self.device).finish_non_exhaustive()
    }
}

/// What is kept of a secret.
#[must_use]
pub fn digest(secret: &str) -> Digest {
    sha2::Sha256::digest(secret.as_bytes()).into()
}

/// `ABCD-EFGH`, and what is kept of it.
pub(crate) fn new_code() -> Result<(String, Digest), getrandom::Error> {
    let mut bytes = [0; CODE_LEN];
    getrandom::fill(&mut bytes)?;
    let code: String = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    let kept = code_digest(&code);
    Ok((format!("{}-{}", &code[..CODE_LEN / 2], &code[CODE_LEN / 2..]), kept))
}

/// However it was typed.
pub(crate) fn code_digest(typed: &str) -> Digest {
    let plain = typed.chars().filter(char::is_ascii_alphanumeric).map(|c| match c.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    });
    digest(&plain.collect::<String>())
}

/// 256 bits, in letters that need no quoting anywhere.
pub(crate) fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What a device is called: something, not too long, and with nothing in it that hides. It is read in the history.
pub(crate) fn name_of(given: Option<&str>, id: u64) -> String {
    let name: String = shown(given.unwrap_or_default().trim()).chars().take(MAX_NAME).collect();
    if name.is_empty() { format!("device {id}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_the_same_however_it_is_typed() {
        let (code, kept) = new_code().unwrap();
        assert!(code.len() == CODE_LEN + 1 && code.as_bytes()[4] == b'-', "{code}");
        for typed in [code.clone(), code.to_lowercase(), code.replace('-', " "), code.replace('-', "")] {
            assert_eq!(code_digest(&typed), kept, "{typed}");
        }
        assert_eq!(code_digest("O1l0"), code_digest("0110"));
        assert_ne!(code_digest(""), kept);
        assert_ne!(new_code().unwrap().0, code);
        assert_eq!(new_token().unwrap().len(), 64);
        assert_eq!((name_of(Some(" my phone "), 3), name_of(Some(""), 3)), ("my phone".into(), "device 3".into()));
        assert_eq!(name_of(Some("a\u{202e}b\u{1b}[2J"), 3), "a<U+202E>b␛[2J");
    }
}
