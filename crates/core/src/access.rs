//! Who may do what at a hub: how far a token reaches, and how a device comes by one.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::rate::{Limiter, Rate};

/// How far a token reaches. Each opens what is above it too, but for the first, which opens nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Report what an agent does, and ask on its behalf. For agents, which are not trusted with answers.
    Hooks,
    /// Look: everything that changes nothing.
    View,
    /// Answer what is asked.
    Answer,
    /// Type into sessions, message them, interrupt and end them.
    Drive,
    /// Everything: rules, devices, the end of the hub.
    Admin,
}

impl Reach {
    pub const ALL: [Self; 5] = [Self::Hooks, Self::View, Self::Answer, Self::Drive, Self::Admin];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hooks => "hooks",
            Self::View => "view",
            Self::Answer => "answer",
            Self::Drive => "drive",
            Self::Admin => "admin",
        }
    }

    /// Whether a token that reaches this far is enough where `needed` is.
    #[must_use]
    pub fn opens(self, needed: Self) -> bool {
        match needed {
            Self::Hooks => matches!(self, Self::Hooks | Self::Admin),
            _ => self.height() >= needed.height(),
        }
    }

    fn height(self) -> u8 {
        match self {
            Self::Hooks => 0,
            Self::View => 1,
            Self::Answer => 2,
            Self::Drive => 3,
            Self::Admin => 4,
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no scope `{0}`: it is view, answer, drive, admin or hooks")]
pub struct NoReach(String);

impl FromStr for Reach {
    type Err = NoReach;

    fn from_str(text: &str) -> Result<Self, NoReach> {
        Self::ALL.into_iter().find(|reach| reach.name() == text).ok_or_else(|| NoReach(text.to_owned()))
    }
}

/// Variables that decide which program is run or what code a program loads: a client that sets one starts a program of its
/// choice. A name that begins or ends with `*` stands for every name with that end or beginning.
const LOADERS: &[&str] = &[
    // The system's loader and its search path.
    "PATH",
    "LD_*",
    "DYLD_*",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "MALLOC_*",
    "GLIBC_TUNABLES",
    // Shells.
    "BASH_ENV",
    "BASH_FUNC_*",
    "ENV",
    "ZDOTDIR",
    "SHELL",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS4",
    "IFS",
    "CDPATH",
    "GLOBIGNORE",
    // Interpreters and runtimes, among them those that agents are written for.
    "NODE_*",
    "NPM_*",
    "BUN_*",
    "DENO_*",
    "ELECTRON_*",
    "PYTHON*",
    "PERL*",
    "RUBY*",
    "GEM_*",
    "LUA_*",
    "JAVA_*",
    "_JAVA_OPTIONS",
    "JDK_*",
    "CLASSPATH",
    "GOFLAGS",
    "CARGO_*",
    "RUSTC*",
    "RUSTFLAGS",
    "PHP*",
    "DOTNET_*",
    "COMPLUS_*",
    // Folders in which programs look for their settings, which name programs.
    "HOME",
    "XDG_*",
    "CLAUDE_*",
    "CODEX_*",
    "GEMINI_*",
    "COPILOT_*",
    "AIDER_*",
    "OPENCODE_*",
    "TMPDIR",
    "TMUX*",
    // Programs that run others by a variable's value.
    "GIT_*",
    "SSH_*",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "*_PAGER",
    "*_EDITOR",
    "BROWSER",
    "LESS*",
    "MAN*",
    "TAR_OPTIONS",
    "MAKEFLAGS",
    "MAKEFILES",
    "GNUMAKEFLAGS",
    "RIPGREP_CONFIG_PATH",
    "FZF_*",
    "KUBECONFIG",
    "DOCKER_*",
    // Where an agent sends its requests, and so its keys.
    "*_BASE_URL",
    "*_ENDPOINT",
    "*_PROXY",
    "*_proxy",
    "*_API_KEY",
    "*_CA_BUNDLE",
    "SSL_*",
    "ANTHROPIC_CUSTOM_HEADERS",
];

/// Whether a variable of this name decides which code a program runs.
#[must_use]
pub fn loads_code(name: &str) -> bool {
    LOADERS.iter().any(|known| match (known.strip_prefix('*'), known.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(start)) => name.starts_with(start),
        _ => name == *known,
    })
}

/// What is kept of a secret: enough to know it again, and not to tell it.
pub type Digest = [u8; 32];

/// A person is beside both devices, so that this is enough.
pub const CODE_LIFE: Duration = Duration::from_secs(300);
/// More open codes than that are not for people; the oldest goes.
const MAX_CODES: usize = 8;
/// Wrong codes of one address that are answered as wrong: a person mistypes a few times. More are told to wait. They do not
/// end the code: any stranger could end the code of the owner. A code has 40 bits and lives for minutes, and the
/// transports bound the number of guesses a second.
const GUESSES: Rate = Rate { per_second: 1, burst: 5 };

/// What whoever has the code becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub reach: Reach,
    /// What the device is to be called, where that was said.
    pub name: Option<String>,
}

#[derive(Debug)]
struct Code {
    digest: Digest,
    offer: Offer,
    expires: Instant,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairError {
    #[error("this code is wrong, has been used, or has expired")]
    Wrong,
    #[error("too many wrong codes")]
    TooMany { wait: Duration },
}

/// Codes by which devices get their tokens: each once, for a short while. Not kept anywhere: a hub that ends forgets them.
#[derive(Debug)]
pub struct Pairing {
    codes: VecDeque<Code>,
    wrong: Limiter<String>,
}

impl Default for Pairing {
    fn default() -> Self {
        Self { codes: VecDeque::new(), wrong: Limiter::new(GUESSES) }
    }
}

impl Pairing {
    /// Says until when it is good.
    pub fn offer(&mut self, now: Instant, digest: Digest, offer: Offer) -> Instant {
        let expires = now + CODE_LIFE;
        self.codes.push_back(Code { digest, offer, expires });
        if self.codes.len() > MAX_CODES {
            self.codes.pop_front();
        }
        expires
    }

    /// Somebody at `from` has a code. It is over with that.
    pub fn redeem(&mut self, now: Instant, from: &str, digest: &Digest) -> Result<Offer, PairError> {
        self.codes.retain(|code| code.expires > now);
        if let Some(place) = self.codes.iter().position(|code| code.digest == *digest)
            && let Some(code) = self.codes.remove(place)
        {
            return Ok(code.offer);
        }
        match self.wrong.take(now, from.to_owned()) {
            Ok(()) => Err(PairError::Wrong),
            Err(wait) => Err(PairError::TooMany { wait }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_reach_opens() {
        let opens = |reach: Reach| Reach::ALL.map(|needed| u8::from(reach.opens(needed)));
        for (reach, opened) in [
            //               hooks view answer drive admin
            (Reach::Hooks, [1, 0, 0, 0, 0]),
            (Reach::View, [0, 1, 0, 0, 0]),
            (Reach::Answer, [0, 1, 1, 0, 0]),
            (Reach::Drive, [0, 1, 1, 1, 0]),
            (Reach::Admin, [1, 1, 1, 1, 1]),
        ] {
            assert_eq!(opens(reach), opened, "{reach}");
            assert_eq!(reach.name().parse(), Ok(reach));
        }
        assert!("root".parse::<Reach>().is_err());
    }

    #[test]
    fn variables_that_load_code() {
        for (name, expected) in [
            ("PATH", true),
            ("LD_PRELOAD", true),
            ("DYLD_INSERT_LIBRARIES", true),
            ("NODE_OPTIONS", true),
            ("BASH_ENV", true),
            ("BASH_FUNC_ls%%", true),
            ("PYTHONSTARTUP", true),
            ("GIT_SSH_COMMAND", true),
            ("GH_PAGER", true),
            ("HOME", true),
            ("CLAUDE_CONFIG_DIR", true),
            ("ANTHROPIC_BASE_URL", true),
            ("https_proxy", true),
            ("MODEL", false),
            ("LANG", false),
            ("TERM", false),
            ("ANTHROPIC_MODEL", false),
            ("MY_PATH", false),
            ("MAX_THINKING_TOKENS", false),
        ] {
            assert_eq!(loads_code(name), expected, "{name}");
        }
    }

    fn offer() -> Offer {
        Offer { reach: Reach::Answer, name: None }
    }

    #[test]
    fn a_code_is_good_once_and_for_a_while() {
        let start = Instant::now();
        let at = |secs| start + Duration::from_secs(secs);
        let mut pairing = Pairing::default();
        assert_eq!(pairing.redeem(start, "a", &[1; 32]), Err(PairError::Wrong), "there is none");
        assert_eq!(pairing.offer(start, [1; 32], offer()), start + CODE_LIFE);
        assert_eq!(pairing.redeem(at(1), "a", &[2; 32]), Err(PairError::Wrong));
        assert_eq!(pairing.redeem(at(2), "a", &[1; 32]), Ok(offer()));
        assert_eq!(pairing.redeem(at(3), "a", &[1; 32]), Err(PairError::Wrong), "it was used");
        pairing.offer(at(3), [3; 32], offer());
        let late = at(3) + CODE_LIFE;
        assert_eq!(pairing.redeem(late, "a", &[3; 32]), Err(PairError::Wrong), "it has expired");
    }

    #[test]
    fn wrong_guesses_are_slowed_down_and_do_not_end_the_code() {
        let now = Instant::now();
        let mut pairing = Pairing::default();
        pairing.offer(now, [1; 32], offer());
        let wrong = |pairing: &mut Pairing, from: &str| pairing.redeem(now, from, &[9; 32]);
        for _ in 0..5 {
            assert_eq!(wrong(&mut pairing, "a"), Err(PairError::Wrong));
        }
        assert!(matches!(wrong(&mut pairing, "a"), Err(PairError::TooMany { .. })));
        assert_eq!(wrong(&mut pairing, "b"), Err(PairError::Wrong), "another address");
        for guess in 0..1000 {
            assert!(wrong(&mut pairing, &guess.to_string()).is_err());
        }
        assert_eq!(pairing.redeem(now, "a", &[1; 32]), Ok(offer()), "the right code, from an address that guessed");
    }

    #[test]
    fn there_are_only_so_many_codes() {
        let now = Instant::now();
        let mut pairing = Pairing::default();
        for number in 0..=u8::try_from(MAX_CODES).unwrap() {
            pairing.offer(now, [number; 32], offer());
        }
        assert!(pairing.redeem(now, "a", &[0; 32]).is_err() && pairing.redeem(now, "a", &[1; 32]).is_ok());
    }
}
