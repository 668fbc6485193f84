//! The key by which push services know this hub (VAPID): made once, for its owner's eyes only.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use coop_machine::private;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};

const FILE: &str = "push.key";

/// The one that was made before, or a new one.
pub(super) fn own(folder: &Path) -> Result<EcdsaKeyPair, String> {
    let path = folder.join(FILE);
    let random = SystemRandom::new();
    let kept = private::read_secret(&path).ok().and_then(|text| URL_SAFE_NO_PAD.decode(text.trim()).ok());
    let known = kept.and_then(|kept| EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &kept, &random).ok());
    if let Some(known) = known {
        return Ok(known);
    }
    let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random)
        .map_err(|_| "no key could be made".to_owned())?;
    private::write(&path, URL_SAFE_NO_PAD.encode(made.as_ref()).as_bytes())
        .map_err(|error| format!("the key cannot be kept in {}: {error}", path.display()))?;
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &random)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::KeyPair as _;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_key_is_made_once_and_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let first = own(folder.path()).unwrap();
        let second = own(folder.path()).unwrap();
        assert_eq!(first.public_key().as_ref(), second.public_key().as_ref());
        let mode = fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
