//! The steps of the demo, and how a person is led through them.

use std::time::{Duration, Instant};

use crate::Outcome;
use crate::inbox::{Inbox, News, Report};
use crate::stage::Stage;

/// Nothing the script does takes longer, and an agent on a busy machine takes a while to start.
const LIMIT: Duration = Duration::from_secs(60);
/// A key that has not worked by then was swallowed: a dialog that has just opened takes none.
const SWALLOWED: Duration = Duration::from_secs(2);
/// The screen follows a report within moments.
const PAINTED: Duration = Duration::from_secs(3);

struct Step {
    title: &'static str,
    text: &'static str,
    verb: &'static str,
    args: &'static [&'static str],
    /// What is pressed if nothing came of it.
    again: &'static str,
    /// The report that ends the step; without one, the screen does.
    until: Option<&'static str>,
    /// What the screen shows then; what is above the first row with `from` is left out.
    shows: &'static str,
    from: &'static str,
}

const STEPS: &[Step] = &[
    Step {
        title: "A turn",
        text: "Send it a message, as a paste followed by Enter.",
        verb: "input",
        args: &["--paste", "--enter", "Hello, who are you?"],
        again: "Enter",
        until: Some("done"),
        shows: "coop owns",
        from: "Hello, who are you?",
    },
    Step {
        title: "A permission",
        text: "Ask for something that it may not do by itself.",
        verb: "input",
        args: &["--paste", "--enter", "Please make a file that says hello"],
        again: "Enter",
        until: Some("blocked"),
        shows: "Do you want to proceed?",
        from: "Please make a file",
    },
    Step {
        title: "The answer",
        text: "It waits for you. Press the key of the first option: Yes.",
        verb: "keys",
        args: &["1"],
        again: "1",
        until: Some("done"),
        shows: "hello.txt is there",
        from: "Please make a file",
    },
    Step {
        title: "A question",
        text: "Now it asks something itself.",
        verb: "input",
        args: &["--paste", "--enter", "What do you need to know?"],
        again: "Enter",
        until: Some("blocked"),
        shows: "Which database should",
        from: "What do you need to know?",
    },
    Step {
        title: "The answer",
        text: "Press the key of the second option: Postgres.",
        verb: "keys",
        args: &["2"],
        again: "2",
        until: Some("done"),
        shows: "Good choice",
        from: "What do you need to know?",
    },
    Step {
        title: "Plan mode",
        text: "The agent's own command makes it plan before it acts. The last line of its screen says so.",
        verb: "input",
        args: &["--paste", "--enter", "/plan"],
        again: "Enter",
        until: None,
        shows: "plan mode on",
        from: "/plan",
    },
    Step {
        title: "A plan",
        text: "Ask for one.",
        verb: "input",
        args: &["--paste", "--enter", "Please tidy up the README"],
        again: "Enter",
        until: Some("blocked"),
        shows: "Would you like to proceed?",
        from: "Ready to code?",
    },
    Step {
        title: "The answer",
        text: "Approve it, with the key of the second option.",
        verb: "keys",
        args: &["2"],
        again: "2",
        until: Some("done"),
        shows: "The plan is approved",
        from: "User approved",
    },
];

pub(crate) fn guide(stage: &Stage, inbox: &Inbox) -> Outcome<()> {
    introduce(stage);
    reach("idle", inbox, LIMIT)?;
    for (number, step) in (1..).zip(STEPS) {
        println!("\n{number}. {}. {}\n\n    {}\n", step.title, step.text, stage.line(step.verb, step.args));
        let taken = take(step, stage, inbox);
        // Also when it went wrong: the screen says more than we do. Without one there is only the error.
        let rows = stage.rows(step.shows, PAINTED).unwrap_or_default();
        show(&rows, step.from);
        taken?;
    }
    finish(stage, inbox)
}

fn introduce(stage: &Stage) {
    println!(
        "\
Claude Code {version}, the real one, runs under coop as the session `{name}`. Its model is a script: no key, no network.

At each step, press Enter here and the command shown is run for you, or type it in another terminal yourself.
To look in at any time (Ctrl-\\ leaves again):

    {attach}

Lines with * are what the agent reports to its terminal, as `coop events` has them. Boxes are its screen, as
`coop screen` has it. Ctrl-C ends the demo.

It starts:",
        version = stage.agent.version,
        name = stage.name,
        attach = stage.line("attach", &[]),
    );
}

fn finish(stage: &Stage, inbox: &Inbox) -> Outcome<()> {
    let number = STEPS.len() + 1;
    println!("\n{number}. The end. Ask the agent to end, and wait for it.\n\n    {}\n", stage.line("stop", &[]));
    if !asked(inbox)?.is_over() {
        stage.run("stop", &[])?;
        until_over(inbox)?;
    }
    Ok(())
}

fn until_over(inbox: &Inbox) -> Outcome<()> {
    loop {
        match inbox.next(LIMIT)? {
            Some(News::Over) => return Ok(()),
            Some(News::Report(report)) => print_report(&report),
            Some(News::Enter | News::Quit) => {}
            None => return Err("the agent did not end".into()),
        }
    }
}

/// Does a step when the person wants it, or sees that the person has done it elsewhere.
fn take(step: &Step, stage: &Stage, inbox: &Inbox) -> Outcome<()> {
    let mut seen = asked(inbox)?;
    while let Go::Now = seen {
        match stage.run(step.verb, step.args) {
            Ok(_) => break,
            Err(error) if inbox.auto => return Err(error),
            Err(error) => println!("{error}\nPress Enter to try again."),
        }
        seen = asked(inbox)?;
    }
    let Some(until) = step.until else { return Ok(()) };
    if let Go::Now = seen {
        seen = insist(step.again, stage, inbox)?;
    }
    match seen {
        Go::Over => Err("the session has ended; `make demo` starts another".into()),
        Go::Reported(state) if state == until => Ok(()),
        Go::Reported(_) | Go::Now => reach(until, inbox, LIMIT),
    }
}

/// What came of waiting for the person.
enum Go {
    /// Enter, or nobody is asked.
    Now,
    /// The agent is at something else already.
    Reported(String),
    Over,
}

impl Go {
    fn is_over(&self) -> bool {
        matches!(self, Self::Over)
    }
}

fn asked(inbox: &Inbox) -> Outcome<Go> {
    if inbox.auto {
        return Ok(Go::Now);
    }
    println!("Press Enter.");
    loop {
        match inbox.next(Duration::from_secs(3600))? {
            Some(News::Enter) => return Ok(Go::Now),
            Some(News::Report(report)) => {
                print_report(&report);
                // A turn that has ended is reported twice, and the second is no news.
                if report.state != "idle" {
                    return Ok(Go::Reported(report.state));
                }
            }
            Some(News::Over) => return Ok(Go::Over),
            Some(News::Quit) | None => {}
        }
    }
}

/// Waits until the agent reports anything, and presses a key now and then until it does.
fn insist(key: &str, stage: &Stage, inbox: &Inbox) -> Outcome<Go> {
    let end = Instant::now() + LIMIT;
    while Instant::now() < end {
        match inbox.next(SWALLOWED)? {
            Some(News::Report(report)) => {
                print_report(&report);
                return Ok(Go::Reported(report.state));
            }
            Some(News::Over) => return Ok(Go::Over),
            Some(News::Enter | News::Quit) => {}
            None => drop(stage.run("keys", &[key])?),
        }
    }
    Err("the agent does not react".into())
}

/// Prints what the agent reports, up to this state.
fn reach(state: &str, inbox: &Inbox, limit: Duration) -> Outcome<()> {
    let end = Instant::now() + limit;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match inbox.next(left)? {
            Some(News::Report(report)) => {
                print_report(&report);
                if report.state == state {
                    return Ok(());
                }
                if state == "blocked" && report.state == "done" {
                    return Err("the conversation has left the script; `make demo` starts it again".into());
                }
            }
            Some(News::Over) => return Err("the session has ended; `make demo` starts another".into()),
            Some(News::Enter | News::Quit) => {}
            None => return Err(format!("the agent does not report {state:?}").into()),
        }
    }
}

fn print_report(report: &Report) {
    let details = if report.details.is_empty() { String::new() } else { format!("  ({})", report.details) };
    println!("  * {}{details}", report.state);
}

/// The rows from the first that has `from` on, without empty ones, in a box.
fn show(rows: &[String], from: &str) {
    let start = rows.iter().position(|row| row.contains(from)).unwrap_or(0);
    println!("  ┌─");
    for row in rows[start..].iter().filter(|row| !row.trim().is_empty()) {
        println!("  │ {row}");
    }
    println!("  └─");
}
