//! Signals by name.

use rustix::process::Signal as Number;
use std::fmt;
use std::str::FromStr;

/// The signals that make sense for an agent and its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signal {
    Hup,
    Int,
    Quit,
    Abrt,
    Kill,
    Usr1,
    Usr2,
    Term,
    Cont,
    Stop,
    Tstp,
    Winch,
}

/// A name or number that is none of [`Signal::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown signal {name:?}: it is one of {}", all_names())]
pub struct SignalError {
    name: String,
}

impl Signal {
    pub const ALL: [Self; 12] = [
        Self::Hup,
        Self::Int,
        Self::Quit,
        Self::Abrt,
        Self::Kill,
        Self::Usr1,
        Self::Usr2,
        Self::Term,
        Self::Cont,
        Self::Stop,
        Self::Tstp,
        Self::Winch,
    ];

    /// The name without `SIG`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().0
    }

    /// The number on this system: USR1, for one, differs between Linux and macOS.
    #[must_use]
    pub fn number(self) -> i32 {
        self.entry().1.as_raw()
    }

    pub(super) fn raw(self) -> Number {
        self.entry().1
    }

    fn entry(self) -> (&'static str, Number) {
        match self {
            Self::Hup => ("HUP", Number::HUP),
            Self::Int => ("INT", Number::INT),
            Self::Quit => ("QUIT", Number::QUIT),
            Self::Abrt => ("ABRT", Number::ABORT),
            Self::Kill => ("KILL", Number::KILL),
            Self::Usr1 => ("USR1", Number::USR1),
            Self::Usr2 => ("USR2", Number::USR2),
            Self::Term => ("TERM", Number::TERM),
            Self::Cont => ("CONT", Number::CONT),
            Self::Stop => ("STOP", Number::STOP),
            Self::Tstp => ("TSTP", Number::TSTP),
            Self::Winch => ("WINCH", Number::WINCH),
        }
    }
}

impl FromStr for Signal {
    type Err = SignalError;

    /// Reads `SIGINT`, `INT`, `int` and `2`.
    fn from_str(name: &str) -> Result<Self, SignalError> {
        let upper = name.to_ascii_uppercase();
        let short = upper.strip_prefix("SIG").unwrap_or(&upper);
        let is_meant = |signal: &Self| signal.name() == short || signal.number().to_string() == name;
        Self::ALL.into_iter().find(is_meant).ok_or_else(|| SignalError { name: name.to_owned() })
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SIG{}", self.name())
    }
}

fn all_names() -> String {
    Signal::ALL.map(Signal::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        for (name, expected) in [
            ("SIGINT", Some(Signal::Int)),
            ("INT", Some(Signal::Int)),
            ("int", Some(Signal::Int)),
            ("sigint", Some(Signal::Int)),
            ("2", Some(Signal::Int)),
            ("9", Some(Signal::Kill)),
            ("TERM", Some(Signal::Term)),
            ("SIGSEGV", None),
            ("0", None),
            ("-9", None),
            ("02", None),
            ("SIG", None),
            ("SIGSIGINT", None),
            ("", None),
        ] {
            assert_eq!(name.parse().ok(), expected, "{name}");
        }
        for signal in Signal::ALL {
            assert_eq!(signal.to_string().parse(), Ok(signal));
            assert_eq!(signal.number().to_string().parse(), Ok(signal));
        }
        assert_eq!(
            "FOO".parse::<Signal>().unwrap_err().to_string(),
            r#"unknown signal "FOO": it is one of HUP, INT, QUIT, ABRT, KILL, USR1, USR2, TERM, CONT, STOP, TSTP, WINCH"#
        );
    }
}
