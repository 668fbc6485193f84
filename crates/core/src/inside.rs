//! Whether a process that connects to coop runs inside an agent's session, and what it may do then.
//!
//! An agent usually runs under the operator's account, and that account may do everything on coop's sockets. Without a
//! look at the process, an agent could answer its own prompts. The look is a guard rail and no wall: an agent that has
//! the account can also have another service start a process for it.

use crate::access::Reach;

/// A process, as the system describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ancestor {
    pub pid: u32,
    /// Start time in the system's own unit. Tells a process apart from a later one with the same number.
    pub started: u64,
    /// Kind of agent that its command line is of.
    pub agent: Option<String>,
    /// Name of the session that the environment of the process names.
    pub mark: Option<String>,
    /// It serves or holds an agent's session. Processes below it that lost their parent become its children.
    pub guards: bool,
}

/// The processes above a client, the client first. Nothing if the client has ended, or if its ancestors could not be read.
pub type Line = Option<Vec<Ancestor>>;

/// What is known of the process that decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// Its ancestors, the parent first. A client that shares an ancestor with the server is not inside because of it: an
    /// agent that started a hub of its own is the operator of that hub.
    pub above: Vec<(u32, u64)>,
    /// Marks in its own environment, which came from above it too.
    pub marks: Vec<String>,
}

/// What keeps the program of a session from doing on coop's sockets what is for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Containment {
    /// A person's shell, or a system that shows too little of processes.
    None,
    /// A guard rail: the processes that connect are looked at.
    Guarded,
    /// A wall: the program runs in namespaces of its own.
    Sealed,
}

impl Containment {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Guarded => "guarded",
            Self::Sealed => "sealed",
        }
    }
}

/// A client inside an agent's session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// Name of the session, where it is known.
    pub session: Option<String>,
    pub clue: Clue,
}

/// Why a client counts as inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clue {
    /// An ancestor is an agent that is known by its process.
    Known,
    /// An ancestor has the command line of an agent.
    Command,
    /// The environment of the client or of an ancestor names a session.
    Mark,
    /// An ancestor serves or holds an agent's session.
    Guard,
    /// The client has ended, or does not show its files.
    Unseen,
}

impl Inside {
    /// Returns what happened, for people.
    #[must_use]
    pub fn detail(&self) -> String {
        match (self.clue, &self.session) {
            (Clue::Unseen, _) => {
                "The process that connected has ended or cannot be looked at, so it may only report and look.".into()
            }
            (_, Some(session)) => {
                format!("This process runs inside session `{session}`, so it may only report and look.")
            }
            (_, None) => "This process runs inside an agent's session, so it may only report and look.".into(),
        }
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self.clue {
            Clue::Unseen => {
                "Keep the process that connected alive until it has its reply, or connect to the socket instead of the port."
            }
            _ => "Run the command in a terminal outside of the session.",
        }
    }
}

/// Whether a client inside an agent's session may do what `needed` names: report by hooks, and look.
#[must_use]
pub fn opens(needed: Reach) -> bool {
    matches!(needed, Reach::Hooks | Reach::View)
}

/// Decides whether a client is inside an agent's session. `known` names the session of an agent by its process and start
/// time.
pub fn inside(line: &Line, server: &Server, known: impl Fn(u32, u64) -> Option<String>) -> Option<Inside> {
    let Some(line) = line else { return Some(Inside { session: None, clue: Clue::Unseen }) };
    let apart: Vec<&Ancestor> =
        line.iter().take_while(|process| !server.above.contains(&(process.pid, process.started))).collect();
    let is_new = |mark: &&String| !server.marks.contains(mark);
    let marked = apart.iter().find_map(|process| process.mark.as_ref().filter(is_new)).cloned();
    let known = apart.iter().find_map(|process| known(process.pid, process.started));
    let named = |clue| Some(Inside { session: marked.clone().filter(|name| !name.is_empty()), clue });
    if let Some(session) = known {
        return Some(Inside { session: Some(session), clue: Clue::Known });
    }
    // A server of a session is not inside that session.
    if apart.iter().skip(1).any(|process| process.guards) {
        return named(Clue::Guard);
    }
    if apart.iter().any(|process| process.agent.is_some()) {
        return named(Clue::Command);
    }
    marked.is_some().then(|| named(Clue::Mark)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `pid`, and letters for what it is: `a` an agent by its command, `m` marked, `g` guards.
    fn line(processes: &[(u32, &str)]) -> Line {
        let process = |(pid, is): &(u32, &str)| Ancestor {
            pid: *pid,
            started: u64::from(*pid),
            agent: is.contains('a').then(|| "claude".to_owned()),
            mark: is.contains('m').then(|| "work".to_owned()),
            guards: is.contains('g'),
        };
        Some(processes.iter().map(process).collect())
    }

    #[test]
    fn processes_inside_a_session_are_told_apart() {
        let known = |pid, started| (pid == 77 && started == 77).then(|| "3".to_owned());
        let server = Server { above: vec![(10, 10), (1, 1)], marks: Vec::new() };
        for (what, processes, expected) in [
            ("a shell of the operator", line(&[(50, ""), (40, ""), (1, "")]), None),
            ("a tool of an agent", line(&[(50, ""), (40, "a"), (30, "g"), (1, "")]), Some(Clue::Guard)),
            ("an agent that coop did not start", line(&[(50, ""), (40, "a"), (1, "")]), Some(Clue::Command)),
            ("an agent that the hub knows", line(&[(50, ""), (77, ""), (1, "")]), Some(Clue::Known)),
            ("an orphan of a session", line(&[(50, ""), (30, "g"), (1, "")]), Some(Clue::Guard)),
            ("an orphan of a session that is over", line(&[(50, "m"), (1, "")]), Some(Clue::Mark)),
            ("a child with an empty environment", line(&[(50, ""), (40, "m"), (1, "")]), Some(Clue::Mark)),
            ("the server of a session itself", line(&[(30, "g"), (20, ""), (1, "")]), None),
            ("a server started by an agent", line(&[(30, "g"), (20, "a"), (1, "")]), Some(Clue::Command)),
            ("below an agent that also started the server", line(&[(50, ""), (10, "agm"), (1, "")]), None),
            (
                "an agent below one that started the server",
                line(&[(50, ""), (40, "a"), (10, "a")]),
                Some(Clue::Command),
            ),
            ("one that has ended", None, Some(Clue::Unseen)),
        ] {
            let found = inside(&processes, &server, known);
            assert_eq!(found.map(|inside| inside.clue), expected, "{what}");
        }
    }

    #[test]
    fn a_mark_that_the_server_has_too_is_none() {
        let marked = line(&[(50, "m"), (1, "")]);
        let server =
            |marks: &[&str]| Server { above: Vec::new(), marks: marks.iter().map(ToString::to_string).collect() };
        let none = |_, _| None;
        assert_eq!(inside(&marked, &server(&["work"]), none), None);
        assert!(inside(&marked, &server(&["other"]), none).is_some());
    }

    #[test]
    fn the_session_is_named_where_it_is_known() {
        let named = inside(&line(&[(50, "m"), (30, "g")]), &Server::default(), |_, _| None).unwrap();
        assert_eq!(named.detail(), "This process runs inside session `work`, so it may only report and look.");
        let unnamed = inside(&line(&[(50, ""), (30, "g")]), &Server::default(), |_, _| None).unwrap();
        assert!(unnamed.detail().contains("an agent's session") && unnamed.hint().contains("outside"));
    }

    #[test]
    fn inside_a_session_a_process_may_report_and_look() {
        assert_eq!(Reach::ALL.map(opens), [true, true, false, false, false]);
    }
}
