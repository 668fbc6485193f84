//! The user's arguments for another start: what chooses a conversation is decided by then, and a message has been said.

use super::launch::{CHOOSE_SESSION, flag_of};
use crate::table::Arguments;

/// With these nobody is there to say it again: the message is what it runs for.
const PRINT: [&str; 2] = ["-p", "--print"];
/// Goes on in a copy, which would be another one each time.
const FORK: &str = "--fork-session";

/// How an argument belongs to those before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Message,
    Value,
    Values,
}

pub(super) fn chooses(args: &[String]) -> bool {
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    args[..end].iter().any(|arg| CHOOSE_SESSION.contains(&flag_of(arg)))
}

pub(super) fn args(table: &Arguments, args: &[String]) -> Vec<String> {
    let prints = args.iter().take_while(|arg| *arg != "--").any(|arg| PRINT.contains(&arg.as_str()));
    let mut kept = Vec::new();
    let mut next = Next::Message;
    let mut dropping = false;
    for (place, arg) in args.iter().enumerate() {
        if arg == "--" {
            kept.extend(args[place..].iter().filter(|_| prints).cloned());
            break;
        }
        if arg.starts_with('-') && arg.len() > 1 {
            let flag = flag_of(arg);
            dropping = CHOOSE_SESSION.contains(&flag) || flag == FORK;
            next = match () {
                () if arg.contains('=') || table.switches.iter().any(|switch| switch == flag) => Next::Message,
                () if table.lists.iter().any(|list| list == flag) => Next::Values,
                () => Next::Value,
            };
            kept.extend((!dropping).then(|| arg.clone()));
            continue;
        }
        let keeps = if next == Next::Message { prints } else { !dropping };
        kept.extend(keeps.then(|| arg.clone()));
        if next == Next::Value {
            next = Next::Message;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_been_said_is_not_said_again() {
        for (given, expected) in [
            ("", ""),
            ("fix", ""),
            ("--verbose fix", "--verbose"),
            ("--model opus fix", "--model opus"),
            ("--model=opus fix", "--model=opus"),
            ("--add-dir a b --verbose fix", "--add-dir a b --verbose"),
            ("--verbose -- --fix", "--verbose"),
            ("-p fix --verbose", "-p fix --verbose"),
            ("-p -- fix", "-p -- fix"),
            ("--resume abc --verbose", "--verbose"),
            ("--resume=abc fix", ""),
            ("-r abc fix -c --model opus", "--model opus"),
            ("--continue fix", ""),
            ("--session-id abc --fork-session --settings x.json", "--settings x.json"),
        ] {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(args(&super::super::TABLE.arguments, &words(given)), words(expected), "{given}");
        }
    }
}
