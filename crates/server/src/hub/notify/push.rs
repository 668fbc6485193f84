//! Web Push: what is sent is sealed for the browser alone (RFC 8291), and signed for its push service (RFC 8292).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{EcdsaKeyPair, KeyPair as _};
use serde_json::json;

/// How long a service may take the signature for good: half of what it allows.
const SIGNED_SECS: u64 = 12 * 60 * 60;
/// One record holds all of it.
const RECORD: u32 = 4096;
/// Whom a service could ask about us. Nobody, but it wants one.
const SUBJECT: &str = "mailto:coop@example.org";

#[derive(Debug)]
pub(super) struct Push {
    key: EcdsaKeyPair,
    random: SystemRandom,
}

/// How many bytes are wanted of a key derivation.
struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

impl Push {
    pub(super) fn new(key: EcdsaKeyPair) -> Self {
        Self { key, random: SystemRandom::new() }
    }

    /// What browsers subscribe with.
    pub(super) fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.key.public_key().as_ref())
    }

    /// The header that says who sends, for the origin of a push service.
    pub(super) fn authorization(&self, origin: &str, now_secs: u64) -> Option<String> {
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let head = part(json!({ "typ": "JWT", "alg": "ES256" }));
        let claims = part(json!({ "aud": origin, "exp": now_secs + SIGNED_SECS, "sub": SUBJECT }));
        let signed = format!("{head}.{claims}");
        let signature = self.key.sign(&self.random, signed.as_bytes()).ok()?;
        let signature = URL_SAFE_NO_PAD.encode(signature.as_ref());
        Some(format!("vapid t={signed}.{signature}, k={}", self.public()))
    }

    /// Sealed with the keys that the browser gave, both in base64.
    pub(super) fn seal(&self, public: &str, secret: &str, plain: &[u8]) -> Option<Vec<u8>> {
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
        let (browser, secret) = (decode(public)?, decode(secret)?);
        let own = EphemeralPrivateKey::generate(&ECDH_P256, &self.random).ok()?;
        let own_public = own.compute_public_key().ok()?;
        let mut salt = [0; 16];
        self.random.fill(&mut salt).ok()?;
        let peer = UnparsedPublicKey::new(&ECDH_P256, &browser);
        let keys = agree_ephemeral(own, &peer, |shared| derive(shared, &secret, &browser, own_public.as_ref(), &salt));
        let (key, nonce) = keys.ok()??;
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).ok()?);
        let mut sealed = [plain, &[2]].concat();
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut sealed).ok()?;
        let length = u8::try_from(own_public.as_ref().len()).ok()?;
        Some([&salt[..], &RECORD.to_be_bytes(), &[length], own_public.as_ref(), &sealed].concat())
    }
}

/// The key and the nonce of one message.
fn derive(
    shared: &[u8],
    secret: &[u8],
    browser: &[u8],
    own: &[u8],
    salt: &[u8],
) -> Option<([u8; 16], [u8; NONCE_LEN])> {
    let mut ikm = [0; 32];
    expand(secret, shared, &[b"WebPush: info\0", browser, own], &mut ikm)?;
    let (mut key, mut nonce) = ([0; 16], [0; NONCE_LEN]);
    expand(salt, &ikm, &[b"Content-Encoding: aes128gcm\0"], &mut key)?;
    expand(salt, &ikm, &[b"Content-Encoding: nonce\0"], &mut nonce)?;
    Some((key, nonce))
}

fn expand(salt: &[u8], secret: &[u8], info: &[&[u8]], out: &mut [u8]) -> Option<()> {
    let prk = Salt::new(HKDF_SHA256, salt).extract(secret);
    prk.expand(info, Length(out.len())).ok()?.fill(out).ok()
}
