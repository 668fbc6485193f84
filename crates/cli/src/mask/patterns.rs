//! What secrets look like: a table of patterns. In each, the group `s` is the secret.
//!
//! Text of reports is often JSON in JSON: quotes may have backslashes before them.

/// How what is given a name or a flag may be quoted. The first that fits counts.
const VALUE: &str = r#"(?:\\*"(?P<a>(?:[^"\\\r\n]|\\[^"\r\n])+)\\*"|\\*'(?P<b>[^'\r\n]+)'|`(?P<c>[^`\r\n]+)`|\\*["'`]?(?P<s>[^\s"'`]+))"#;

/// Names whose value is a secret, whatever it looks like. What follows may be part of the name: `PASSWORD_PROD`.
const STRONG: &str = r"(?:passw(?:or)?d|passwd|passphrase|passcode|pwd|secret|credential|token|api[_-]?key|private[_-]?key|auth[_-]?key)";
/// Names that have to end so: `key` is part of too many words.
const WEAK: &str = r"(?:key|auth|pass|pin|otp|dsn|sid|jwt|nonce|signature|cookie|session[_-]?id|conn(?:ection)?[_-]?str(?:ing)?|webhook)";

/// The table, in the order in which it is applied: what tells most comes first.
pub(super) fn all() -> Vec<String> {
    let mut all: Vec<String> = FIXED.iter().map(|row| (*row).to_owned()).collect();
    all.extend(PREFIXES.iter().map(|prefix| format!(r"(?:^|[^A-Za-z0-9])(?P<s>{prefix})")));
    // `--password x`, `--token=x`, `-password x`
    all.push(format!(
        r"(?i)(?:^|[\s\x22'`\[,(])--?[a-z0-9_-]*?(?:{STRONG}[a-z0-9_-]*|{WEAK})(?:\\*[\x22'`]?,?\s+|\s*=\s*){VALUE}"
    ));
    // `key = value`, `"key": "value"`, `key := value`, `password is x`
    all.push(format!(r"(?i)[a-z0-9_.$-]*(?:{STRONG}[a-z0-9_-]*|{WEAK})\\*[\x22'`\])]*\s*(?::=|=>|->|[:=])\s*{VALUE}"));
    all.push(format!(r"(?i)\b(?:password|passphrase|passcode|pin|code|token|secret|key)\s+(?:is|was)[:\s]\s*{VALUE}"));
    all
}

/// Rows that stand for themselves.
const FIXED: &[&str] = &[
    // A key in PEM form; one that is cut off goes as far as it looks like one.
    r"(?s)(?P<s>-----BEGIN [A-Z0-9 ]+-----(?:.*?-----END [A-Z0-9 ]+-----|(?:\s|\\[nr]|[A-Za-z0-9+/=:,-]{4,})*))",
    // `https://user:password@host`, also with characters in the password that had better be escaped.
    r"://(?P<s>[^\s\x22'`/]*:[^\s\x22'`]*)@",
    r"://(?P<s>[^\s\x22'`/?#@]+)@",
    // `Authorization: Basic …`; schemes with parameters go to the end of the line.
    r"(?i)authorization[\x22'\\]*\s*[:=]\s*[\x22'\\]*(?:digest|hawk|oauth|signature|negotiate|ntlm|aws4-hmac-sha256)\s+(?P<s>[^\r\n]+)",
    r"(?i)authorization[\x22'\\]*\s*[:=]\s*[\x22'\\]*(?:(?:basic|bearer|token|apikey)\s+)?(?P<s>[^\r\n\x22']+)",
    r"(?i)\b(?:bearer|apikey)\s+(?P<s>[a-z0-9._~+/=-]{6,})",
    r"(?i)\bbasic\s+(?P<s>[a-z0-9+/_-]{4,}={1,2})",
    // All of a cookie.
    r"(?i)\b(?:set-)?cookie2?[\x22'\\]*\s*:\s*[\x22'\\]*(?P<s>[^\r\n\x22']+)",
    r"(?i)(?:^|\s)(?:-b|--cookie)(?:\s+|=)[\x22']?(?P<s>[^\s\x22';]+=[^\r\n\x22']+)",
    // `curl -u user:password`
    r"(?i)(?:^|\s)(?:-u|--user|--proxy-user)(?:\s*=\s*|\s*)[\x22']?(?P<s>[^\s\x22':]+:[^\s\x22']+)",
    // Programs whose short flag is a password, with a blank after it or without.
    r"(?i)\b(?:mysql[a-z]*|mariadb[a-z-]*|sshpass|7z[a-z]?|rar|unrar|zip|mongo[a-z]*|ldap[a-z]+|smbclient|redis-cli|sqlcmd|docker\s+login)\b[^\r\n|;&]*?\s-[paw]\s?[\x22']?(?P<s>[^\s\x22']+)",
    // Anything else with `-pSECRET`, unless it is a word, a number or a port.
    r"(?:^|\s)-p[\x22']?(?P<s>[A-Za-z]*(?:[^A-Za-z0-9\s\x22':-]|[0-9][A-Za-z0-9]*[^0-9\s\x22':])[^\s\x22']*)",
    r"(?i)\bpass:(?P<s>[^\s\x22']+)",
    r"(?i)\bidentified\s+by\s+[\x22']?(?P<s>[^\s\x22';]+)",
    r"(?i)\blogin\s+\S+\s+password\s+(?P<s>\S+)",
    r"(?:^|\s)[^\s:/]+:(?:\d{2,5}|\*):[^\s:/]+:[^\s:/]+:(?P<s>[^\s]+)",
    r"(?i)\bpassphrase\s*[:=]\s*[\x22']?(?P<s>[^\r\n\x22']+)",
    // Codes that let a device in: as coop prints them, and in an address.
    r"(?i)\bpair(?:ing)?(?:\s+code)?\s*[#:=]\s*(?P<s>[0-9a-z]{4}-?[0-9a-z]{4})\b",
    r"(?i)\bcode\s*[:=]?\s+(?P<s>[0-9a-z]{4}-[0-9a-z]{4})\b",
    r"\b(?P<s>[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4})\b",
    // Addresses that are secrets.
    r"(?i)hooks\.slack\.com/(?:services|workflows)/(?P<s>[^\s\x22'<>]+)",
    r"(?i)discord(?:app)?\.com/api/webhooks/(?P<s>[^\s\x22'<>]+)",
    r"(?P<s>\b\d{8,10}:[A-Za-z0-9_-]{35})",
    r"(?i)[?&#](?:sig|signature|code|state|x-amz-[a-z-]+|access_token|id_token)=(?P<s>[^\s&\x22'<>]{4,})",
];

/// How keys begin that are known.
const PREFIXES: &[&str] = &[
    // Anthropic, OpenAI and those that write theirs alike; Stripe, with its webhooks.
    r"sk-[A-Za-z0-9_-]{6,}",
    r"[srp]k_(?:live|test)_[A-Za-z0-9_]{4,}",
    r"whsec_[A-Za-z0-9+/=_-]{4,}",
    r"(?:gsk|r8|nvapi|pplx|xai|tvly|fw|hf|lin_api|figd|glsa|ops|rnd)[_-][A-Za-z0-9_-]{10,}",
    // GitHub, GitLab, npm, PyPI, Docker.
    r"gh[opsur]_[A-Za-z0-9]{6,}",
    r"github_pat_[A-Za-z0-9_]{6,}",
    r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_.-]{6,}",
    r"npm_[A-Za-z0-9]{8,}",
    r"pypi-[A-Za-z0-9_-]{8,}",
    r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{6,}",
    // Slack, Amazon, Google, DigitalOcean, SendGrid, Shopify, Square, Atlassian, Postman, New Relic, Vault, Tailscale.
    r"xox[a-z]-[A-Za-z0-9-]{6,}",
    r"xapp-[A-Za-z0-9-]{6,}",
    r"(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{8,}",
    r"AIza[A-Za-z0-9_-]{8,}",
    r"ya29\.[A-Za-z0-9_.-]{6,}",
    r"1//0[A-Za-z0-9_-]{8,}",
    r"GOCSPX-[A-Za-z0-9_-]{6,}",
    r"do[opr]_v1_[a-f0-9]{6,}",
    r"SG\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}",
    r"shp(?:at|ss|ca|pa|tka)_[A-Za-z0-9]{6,}",
    r"sq0[a-z]{3}-[A-Za-z0-9_-]{6,}",
    r"ATATT3[A-Za-z0-9_=.-]{6,}",
    r"PMAK-[A-Za-z0-9-]{6,}",
    r"NRAK-[A-Z0-9]{6,}",
    r"hv[sbr]\.[A-Za-z0-9_-]{6,}",
    r"tskey-[A-Za-z0-9-]{6,}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{6,}",
    // JSON in base64: a JWT, or part of one.
    r"eyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_=-]*)*",
];
