//! Rows and properties: secrets go, words stay.

use super::*;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn every_pattern_is_one_and_names_its_secret() {
    let all = patterns::all();
    assert_eq!(PATTERNS.len(), all.len(), "a pattern does not compile");
    for pattern in PATTERNS.iter() {
        assert!(pattern.capture_names().flatten().any(|name| name == "s"), "{pattern}");
    }
    assert!(RUNS.is_some());
}

#[test]
fn secrets_are_taken_out_and_words_stay() {
    let mut mask = Mask::new(Some("/srv/ann/"));
    for (text, expected) in [
        ("see /srv/ann/src and -srv-ann-src", "see ~/src and ~-src"),
        ("sk-ant-0123456789abcdef", "masked-1"),
        ("twice sk-ant-0123456789abcdef.", "twice masked-1."),
        ("Authorization: Bearer abcdef123", "Authorization: Bearer masked-2"),
        ("password: hunter22 ok", "password: masked-3 ok"),
        ("export API_KEY=hunter23", "export API_KEY=masked-4"),
        ("9bfe54d2-077b-446d-b5e1-6b060ce91b55", "masked-5"),
        ("dGhpc0lzQVNlY3JldDEyMzQ1Njc4OTA", "masked-6"),
        ("e3024dac-66fd-42c1-8172-589239fe6582", "masked-7"),
        ("echo hunter22 again", "echo masked-3 again"),
        ("20261115235429905000000", "20261115235429905000000"),
        ("crates/terminal/src/screen.rs:120", "crates/terminal/src/screen.rs:120"),
        ("the_same_states_and_answers_as_under_coop2", "the_same_states_and_answers_as_under_coop2"),
        ("getUtf8StringFromEncoder", "getUtf8StringFromEncoder"),
        ("crates/drivers/testdata/claude/2.1.325/plan", "crates/drivers/testdata/claude/2.1.325/plan"),
        ("2026-11-15T23:54:29.905Z", "2026-11-15T23:54:29.905Z"),
        ("keys: Enter, Escape", "keys: Enter, Escape"),
        ("tokens: 12000, input_tokens: 15.3k", "tokens: 12000, input_tokens: 15.3k"),
        ("is read-only: READ-ONLY", "is read-only: READ-ONLY"),
        (
            "mkdir -p target/debug; docker run -p 8080:80 -p8080:80 x",
            "mkdir -p target/debug; docker run -p 8080:80 -p8080:80 x",
        ),
        ("http://127.0.0.1:8123/docs", "http://127.0.0.1:8123/docs"),
        ("────────────────────────────", "────────────────────────────"),
        ("", ""),
    ] {
        assert_eq!(mask.text(text), expected, "{text}");
    }
    assert_eq!(mask.count(), 7);
}

/// Each has `SECRET` where the secret is.
#[test]
fn each_shape_of_a_secret_is_known() {
    const SECRET: &str = "Kq7!zP2w";
    const WORD: &str = "hunterx";
    for row in [
        "password = SECRET",
        "password=SECRET",
        "db.password : SECRET",
        "DB_PASSWORD_PROD=SECRET",
        "\"password\": \"SECRET\"",
        "{\\\"password\\\": \\\"SECRET\\\"}",
        "'secret' => 'SECRET'",
        "password := `SECRET`",
        "password: \"SECRET",
        "client_secret = \"SECRET with blanks\"",
        "api-key: SECRET",
        "x-api-key: SECRET",
        "AccountKey=SECRET;EndpointSuffix=core",
        "the password is SECRET",
        "login --password SECRET now",
        "login --password=SECRET now",
        "login --password 'SECRET and more' now",
        "tool -token SECRET",
        "vault --auth-token=\"SECRET\"",
        "mysql -u root -pSECRET shop",
        "mysqldump --host h -p SECRET",
        "sshpass -p 'SECRET' ssh h",
        "redis-cli -h h -a SECRET ping",
        "curl -u ann:SECRET https://h",
        "curl --user 'ann:SECRET' https://h",
        "curl -b 'sid=SECRET' https://h",
        "https://ann:SECRET@example.org/x",
        "postgres://ann:SECRET@db:5432/shop",
        "https://SECRET@github.com/x/y.git",
        "Authorization: Basic SECRET",
        "authorization: Bearer SECRET",
        "curl -H \"Authorization: token SECRET\"",
        "Authorization: Digest username=\"a\", response=\"SECRET\"",
        "Proxy-Authorization: SECRET",
        "Cookie: a=b; session=SECRET",
        "Set-Cookie: id=SECRET; Path=/",
        "openssl rsa -passin pass:SECRET",
        "CREATE USER ann IDENTIFIED BY 'SECRET'",
        "machine h login ann password SECRET",
        "db.example.org:5432:shop:ann:SECRET",
        "passphrase: correct SECRET staple",
        "https://h/x?access_token=SECRET&y=1",
    ] {
        for secret in [SECRET, WORD] {
            let text = row.replace("SECRET", secret);
            let masked = Mask::new(None).text(&format!("before\n{text}\nafter"));
            assert!(!masked.contains(secret), "{masked}");
            assert!(masked.starts_with("before\n") && masked.ends_with("\nafter"), "{masked}");
        }
    }
    for secret in [
        "sk_live_4eC39HqLyjW",
        "sk_test_abcdefghij",
        "rk_live_4eC39HqLyjW",
        "sk-proj-abcdefghij",
        "sk-ant-api03-abcdefgh",
        "whsec_abcdefgh",
        "ghp_abcdefghij",
        "github_pat_abcdefghij",
        "glpat-abcdefghij",
        "xoxb-abcd-efgh",
        "AKIAIOSFODNN",
        "AIzaabcdefghij",
        "ya29.abcdefghij",
        "GOCSPX-abcdefghij",
        "npm_abcdefghij",
        "pypi-abcdefghij",
        "hf_abcdefghijkl",
        "dop_v1_abcdef",
        "SG.abcdefgh.ijklmnop",
        "hvs.abcdefgh",
        "AGE-SECRET-KEY-1ABCDEF",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "ABCD-EFGH",
        "J4K7-9XZ2",
        "123456789:abcdefghijklmnopqrstuvwxyzabcdefghi",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "JBSWY3DPEHPK3PXP",
        "d41d8cd98f00b204",
    ] {
        for (before, after) in [("", ""), ("see ", " there"), ("\"", "\","), ("(", ")"), ("at=", "\n"), ("x:", ".")] {
            let masked = Mask::new(None).text(&format!("{before}{secret}{after}"));
            assert!(!masked.contains(secret) && masked.contains("masked-"), "{before}{secret}{after}: {masked}");
        }
    }
    for text in ["http://10.0.0.2:8123/pair#abcd-efgh", "Code: wxyz-1234   good once", "pairing code: 1234-5678"] {
        let masked = Mask::new(None).text(text);
        assert!(masked.contains("masked-1") && !masked.contains("efgh") && !masked.contains("1234"), "{masked}");
    }
}

#[test]
fn keys_in_pem_form_are_taken_out_whole() {
    let key =
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIB\nabcd+/==\n-----END RSA PRIVATE KEY-----";
    let mut mask = Mask::new(None);
    assert_eq!(mask.text(&format!("a\n{key}\nb")), "a\nmasked-1\nb");
    assert_eq!(mask.text(&format!("a {} b", key.replace('\n', "\\n"))), "a masked-2 b");
    let cut = mask.text("x\n-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkq\nhkiG9w0BAQEFAASC\n$ ls");
    assert!(!cut.contains("MIIB") && !cut.contains("hkiG") && cut.ends_with("$ ls"), "{cut}");
}

#[test]
fn values_of_fields_with_telling_names_are_taken_out() {
    let mut values = [
        json!({ "said": "it was hunter22", "pin": 1234, "max_tokens": 4096, "ok": true }),
        json!({ "token": "hunter22", "looks": "idle", "turn": "9bfe54d2-077b-446d-b5e1-6b060ce91b55" }),
        json!({ "argv": ["mysql", "--password", "a b", "x"], "secrets": { "a": ["bcd"] }, "apiKey": null }),
    ];
    Mask::new(None).values(&mut values);
    let expected = [
        json!({ "said": "it was masked-2", "pin": "masked-1", "max_tokens": 4096, "ok": true }),
        json!({ "token": "masked-2", "looks": "idle", "turn": "masked-3" }),
        json!({ "argv": ["mysql", "--password", "masked-4", "x"], "secrets": { "a": ["masked-5"] }, "apiKey": null }),
    ];
    assert_eq!(values, expected);
}

/// Words that stand around secrets on screens and in logs.
fn surroundings() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-z]{1,8}|[0-9]{1,4}|[-+*/|&;:.,(){}<>]|\\n", 0..8).prop_map(|words| words.join(" "))
}

/// A name that tells, as people write it.
fn named() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["password", "API_KEY", "authToken", "client-secret", "db.passwd", "TOKEN_V2"]);
    let sign = prop::sample::select(vec!["=", " = ", ": ", ":", "\": \"", "='", " := "]);
    (name, sign).prop_map(|(name, sign)| format!("{name}{sign}"))
}

/// What a secret can follow: its name, a flag, the user of an address, a header.
fn lead() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "--password ",
        "--token=",
        "-secret ",
        "Authorization: Bearer ",
        "Authorization: Basic ",
        "Cookie: id=",
        "curl -u ann:",
        "mysql -p",
    ]);
    prop_oneof![named(), fixed.prop_map(str::to_owned)]
}

proptest! {
    #[test]
    fn no_named_secret_survives(
        before in surroundings(), lead in lead(), secret in "[A-Za-z0-9!#$%^&*+/_.~-]{4,20}[A-Z][0-9]", after in surroundings(),
    ) {
        let text = format!("{before} {lead}{secret} {after}");
        let masked = Mask::new(None).text(&text);
        prop_assert!(!masked.contains(&secret), "{text:?} -> {masked:?}");
    }

    #[test]
    fn no_password_in_an_address_survives(
        before in surroundings(), secret in "[A-Za-z0-9!$%^&*+_.~@/-]{3,20}[A-Z][0-9]", after in surroundings(),
    ) {
        let text = format!("{before} https://ann:{secret}@example.org/x {after}");
        let masked = Mask::new(None).text(&text);
        prop_assert!(!masked.contains(&secret), "{text:?} -> {masked:?}");
    }

    /// Without a name, a key is known by its looks: groups of letters and digits in turn.
    #[test]
    fn no_random_key_survives(
        before in surroundings(), secret in "([A-Za-z]{1,3}[0-9]{1,2}){8,12}", after in surroundings(),
    ) {
        let text = format!("{before} {secret} {after}");
        let masked = Mask::new(None).text(&text);
        prop_assert!(!masked.contains(&secret), "{text:?} -> {masked:?}");
    }

    /// Masking what is masked changes nothing, and never fails.
    #[test]
    fn masking_is_stable(text in any::<String>()) {
        let mut mask = Mask::new(None);
        let once = mask.text(&text);
        prop_assert_eq!(mask.text(&once), once);
    }
}
