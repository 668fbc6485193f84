//! Real shells under coop: one that marks its prompt, and two that are known by who has the terminal.
#![allow(clippy::unwrap_used, reason = "helpers of tests may")]

mod common;

use std::fs;

use common::{Running, World, finish};
use serde_json::Value;

/// What terminals have people put into their bashrc: D, A and B around the prompt, C before a command.
const MARKS: &str = r#"
PS1='\[\e]133;D;$?\a\e]133;A\a\]$ \[\e]133;B\a\]'
PS0='\e]133;C\a'
"#;

/// Takes the whole screen, and gives it back when it is let go on.
const EDITOR: &str = "printf '\\033[?1049h\\033[2J\\033[Heditor'; cat gate >/dev/null; printf '\\033[?1049l'\n";

struct Shell {
    world: World,
    name: &'static str,
    running: Running,
}

impl Shell {
    fn new(args: &[&str]) -> Self {
        let world = World::new();
        let write = |file: &str, text: &str| fs::write(world.path().join(file), text).unwrap();
        write("marks", MARKS);
        write("editor", EDITOR);
        let gate = world.path().join("gate");
        assert_eq!(finish(world.command("mkfifo", &[gate.to_str().unwrap()])).code, Some(0));
        let folder = world.path().to_str().unwrap().to_owned();
        let running = world.start(&[&["--name", "it", "--cwd", &folder, "--"], args].concat());
        Self { world, name: "it", running }
    }

    /// The three kinds. The file is found because the shell starts in its folder.
    fn marking() -> Self {
        Self::new(&["bash", "--rcfile", "marks", "-i"])
    }

    fn bash() -> Self {
        Self::new(&["bash", "--norc"])
    }

    fn plain() -> Self {
        Self::new(&["sh", "-i"])
    }

    fn waits_for(&self, state: &str) {
        self.world.verb(&["wait", state, "--timeout", "60", "-s", self.name]);
    }

    fn says(&self, command: &str) {
        self.world.verb(&["nudge", "-s", self.name, "--", command]);
    }

    fn says_and_waits(&self, command: &str) -> Value {
        let said = self.world.verb(&["nudge", "--wait", "--timeout", "60", "--json", "-s", self.name, "--", command]);
        serde_json::from_str(&said).unwrap()
    }

    /// Lets what reads the gate go on with this.
    fn lets_go(&self, text: &str) {
        let line = format!("echo {text} >'{}/gate'", self.world.path().display());
        assert_eq!(finish(self.world.command("timeout", &["30", "sh", "-c", &line])).code, Some(0));
    }

    fn shows(&self, text: &str) -> String {
        self.world.shows(self.name, text)
    }
}

#[test]
fn a_shell_is_idle_at_its_prompt_and_works_otherwise() {
    for shell in [Shell::marking(), Shell::bash(), Shell::plain()] {
        shell.waits_for("idle");
        for round in ["one", "two"] {
            shell.says("cat gate");
            shell.waits_for("working");
            shell.lets_go(round);
            shell.waits_for("idle");
            shell.shows(&format!("\n{round}\n$"));
        }
        // What takes the whole screen is at no prompt, whatever is in its first line.
        shell.says("sh editor");
        shell.shows("editor");
        shell.waits_for("working");
        shell.lets_go("done");
        shell.waits_for("idle");
    }
}

#[test]
fn a_message_is_a_command_and_its_turn_ends_with_it() {
    for shell in [Shell::marking(), Shell::bash(), Shell::plain()] {
        shell.waits_for("idle");
        for (command, shown) in
            [("echo a$((1+1))", "\na2\n$"), ("printf 'no line'; printf ' end'; true", "no line end$")]
        {
            let said = shell.says_and_waits(command);
            assert_eq!((&said["delivered"], &said["state_after"]), (&true.into(), &"idle".into()), "{said}");
            shell.shows(shown);
        }
        // A line that fills the screen's more than once.
        let word = "x".repeat(300);
        let said = shell.says_and_waits(&format!("echo {word} | wc -c"));
        assert_eq!(said["delivered"], true, "{said}");
        shell.shows("\n301\n$");
    }
}

#[test]
fn several_lines_are_pasted_or_refused() {
    let lines = "echo l$((1+0))\necho l$((1+1))";
    for shell in [Shell::marking(), Shell::bash()] {
        shell.waits_for("idle");
        assert_eq!(shell.says_and_waits(lines)["delivered"], true);
        shell.shows("\nl1\nl2\n$");
    }
    let shell = Shell::plain();
    shell.waits_for("idle");
    let refused = shell.world.run(&["nudge", "-s", shell.name, "--", lines]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("one line after the other"), "{refused:?}");
    shell.says_and_waits("echo l$((1+2))");
    assert!(!shell.shows("\nl3\n$").contains("l1"), "none of it was run");
}

/// Without marks, whatever a shell does itself looks like its prompt.
#[test]
fn marks_tell_of_builtins_and_how_a_command_ended() {
    let shell = Shell::marking();
    shell.waits_for("idle");
    shell.says("read -p 'name? ' name");
    shell.waits_for("working");
    shell.shows("name?");
    shell.world.verb(&["input", "--enter", "-s", shell.name, "somebody"]);
    shell.waits_for("idle");
    for (command, code) in [("(exit 3)", "exit code 3"), ("true", "exit code 0"), ("echo )", "exit code 2")] {
        assert_eq!(shell.says_and_waits(command)["last_message"], code, "{command}");
    }
    let why = shell.world.verb(&["explain", "-s", shell.name]);
    assert!(why.contains("report"), "{why}");
}

#[test]
fn a_command_is_interrupted_and_what_somebody_typed_is_not_run() {
    for shell in [Shell::marking(), Shell::bash(), Shell::plain()] {
        shell.waits_for("idle");
        shell.says("cat gate");
        shell.waits_for("working");
        shell.world.verb(&["interrupt", "-s", shell.name]);
        shell.waits_for("idle");

        shell.world.verb(&["input", "-s", shell.name, "echo half"]);
        shell.shows("$ echo half");
        let refused = shell.world.run(&["nudge", "echo whole", "-s", shell.name]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains("echo half"), "{refused:?}");
        shell.world.verb(&["nudge", "--replace-draft", "--wait", "echo wh''ole", "-s", shell.name]);
        assert!(!shell.shows("\nwhole\n$").contains("\nhalf"), "it was not given");
    }
}

#[test]
fn a_shell_says_what_it_cannot_do_and_ends_as_it_is_told() {
    for mut shell in [Shell::marking(), Shell::plain()] {
        shell.waits_for("idle");
        assert!(shell.world.verb(&["ls"]).contains("shell"));
        let state: Value = serde_json::from_str(&shell.world.verb(&["state", "--json", "-s", shell.name])).unwrap();
        let can = &state["capabilities"];
        assert_eq!((&can["nudge"], &can["interrupt"]), (&true.into(), &true.into()), "{state}");
        for cannot in ["respond_by_keys", "respond_by_hook", "nudge_while_working", "conversation", "stop_gate"] {
            assert_eq!(can[cannot], false, "{cannot}: {state}");
        }
        shell.world.verb(&["input", "--enter", "-s", shell.name, "exit 5"]);
        assert_eq!(shell.running.wait().0, Some(5));
    }
}
