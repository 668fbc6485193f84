//! The matcher against the real bash: commands from a grammar are run in a folder whose programs only log that they ran.
//!
//! A rule that denies a program possibly matches every command in which that program ran. A rule that certainly allows
//! covers no command in which another program ran, or which wrote a file.
//!
//! The programs have names that no system has, so that none can be run by mistake, whatever a generated command does to
//! the path. The grammar writes no files but by names in the folder of the case.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use coop_core::permission::matching::{Match, Reading, matches};
use coop_core::permission::pattern::{Pattern, Use};
use serde_json::json;

/// Random commands besides those that try each form once.
const RANDOM: usize = 700;
/// On a slow machine fewer random commands are tried.
const MAX_TIME: Duration = Duration::from_secs(12);

/// Programs that only log how they were called.
const STUBS: [&str; 3] = ["zapx", "vcsx", "lstx"];
/// Programs that run others. Those that a system does not have are left out.
const RUNNERS: [&str; 12] =
    ["bash", "sh", "env", "xargs", "setsid", "nohup", "timeout", "nice", "find", "stdbuf", "taskset", "cat"];

/// Spellings of a program's name. `@` is the name, `%` its first letter, `~` the rest, `^` the folder of programs.
const SPELLINGS: &[&str] = &[
    "@",
    "'@'",
    "\"@\"",
    "%\\~",
    "%'~'",
    "%\"\"~",
    "$'@'",
    "^/@",
    "\"^\"/@",
    "^/%*",
    "^/?~",
    "{@,a}",
    "${X:-@}",
    "\"${X:-@}\"",
    "$(echo @)",
    "`echo @`",
    "\"$(echo @)\"",
    "%${X}~",
    "%\\\n~",
    "^//./@",
    "%$X~",
    "${X-@}",
];

/// Commands that run a command. `@` is the command, `'@'` the command in quotes.
const FORMS: &[&str] = &[
    "@",
    "@ &",
    "! @",
    "time @",
    "time -p @",
    "( @ )",
    "(@)",
    "{ @; }",
    "lstx; @",
    "lstx && @",
    "lstx || @; @",
    "lstx | @",
    "@ | lstx",
    "lstx\n@",
    "lstx # it's\n@",
    "if @; then lstx; fi",
    "if true; then @; fi",
    "if false; then lstx; else @; fi",
    "while @; do break; done",
    "until ! @; do break; done",
    "for i in 1; do @; done",
    "for i in 1\ndo @; done",
    "for ((i=0;i<1;i++)); do @; done",
    "for ((i=0;i<1;i++)) { @; }",
    "case a in a) @;; esac",
    "case a in (b) lstx;; *) @; esac",
    "case a in a) lstx;& b) @;; esac",
    "f() { @; }; f",
    "f () ( @ ); f",
    "function f { @; }; f",
    "function f () { @; }\nf",
    "A=1 @",
    "A=1 B='x y' @",
    "> out @",
    "2>&1 @",
    "2> out @",
    "{fd}> out @",
    "@ > out",
    "@ 2>&1",
    "< /dev/null @",
    "echo \"$(@)\"",
    "echo $(@)",
    "echo `@`",
    "echo \"`@`\"",
    "echo <(@) > out",
    ": < <(@)",
    ": > >(@)",
    ": ${X:-$(@)}",
    ": \"${X:=$(@)}\"",
    ": $((1 + $(@; echo 1)))",
    ": $[1 + $(@; echo 1)]",
    "X=$(@)",
    "X=$(@) lstx",
    "X=`@`; lstx",
    "a=($(@))",
    "a[$(@; echo 0)]=1",
    "(( a[$(@; echo 0)] ))",
    "cat <<E\n$(@)\nE",
    "cat <<E\nit's\nE\n@",
    "cat <<'E'\n$(lstx it's\nE\n@",
    "cat <<-E\n\tit's\n\tE\n@",
    ": 'a#b' # it's \"\n@",
    ": a#'b\n'; @",
    "[[ -n $(@) ]]",
    "[[ a == a ]] && @",
    "[[ a =~ (a|b) ]] && @",
    "[[ a == a && -z '' ]] && { @; }",
    "test -n x && @",
    "echo \"$(case a in a) @;; esac)\"",
    "echo \"${X:-\"$(@)\"}\"",
    "echo \"a $(echo \"b $(@)\")\"",
    "echo $(echo `@`)",
    "@; exit",
    "trap : EXIT; @",
    "set -e; @",
    // Quoted: shells, and builtins that run text.
    "bash -c '@'",
    "sh -c '@'",
    "bash -ec '@'",
    "bash -o errexit -c '@'",
    "bash --norc -c '@'",
    "bash -c -e '@'",
    "bash -c 'eval \"$1\"' x '@'",
    "bash -c '$0' '@'",
    "bash <<'E'\n@\nE",
    "bash <<E\n@\nE",
    "bash <<< '@'",
    "echo '@' | bash",
    "printf '%s\\n' '@' | sh",
    "echo '@' > f; . ./f",
    "echo '@' > f; source ./f",
    "echo '@' > f; bash f",
    "echo '@' > f; bash < f",
    // Without the first line, every shell that the command starts would read the file again, without an end.
    "echo 'unset BASH_ENV' > f; echo '@' >> f; BASH_ENV=./f bash -c :",
    "eval '@'",
    "eval 'lstx;' '@'",
    "trap '@' EXIT",
    "trap '@' 0",
    "X='@'; eval \"$X\"",
    "X='@'; $X",
    "X='@'; bash -c \"$X\"",
    "set -- '@'; $1",
    "set -- '@'; eval \"$@\"",
    "read -r X <<< '@'; $X",
    "printf -v X %s '@'; $X",
    "for c in '@'; do $c; done",
    "a=('@'); ${a[0]}",
    "shopt -s expand_aliases; alias q='@'\nq",
    "builtin eval '@'",
    "command eval '@'",
    "mapfile -t -C '@;:' -c 1 a <<< x",
    "printf -v 'a[$(@)0]' x",
    "test -v 'a[$(@)0]'",
    "[ -v 'a[$(@)0]' ]",
    "[[ -v 'a[$(@)0]' ]]",
    "x='a[$(@)0]'; : $((x))",
    "x='a[$(@)0]'; let x",
    "x='a[$(@)0]'; [[ x -eq 0 ]]",
    "read 'a[$(@)0]' <<< x",
    "unset 'a[$(@)0]'",
    "declare -i 'n=a[$(@)0]'",
    "x='a[$(@)0]'; declare -i n=x",
    "x='$(@)'; : \"${x@P}\"",
    "PS4='$(@)'; set -x; :",
    "env bash -c '@'",
    "echo x | xargs sh -c '@'",
    "find . -maxdepth 0 -exec sh -c '@' \\;",
    "timeout 5 bash -c '@'",
    "nohup sh -c '@'",
    "echo '@' | xargs -I% sh -c %",
    "echo '@' | xargs -d '\\n' bash -c",
    "bash -c 'bash -c \"$0\"' '@'",
    "bash -s <<'E'\n@\nE",
    "bash /dev/stdin <<'E'\n@\nE",
    "exec bash -c '@'",
];

/// Programs that run the words after them. `@` is a simple command.
const WORDS: &[&str] = &[
    "env @",
    "env A=1 @",
    "env -u A @",
    "env -- @",
    "nohup @",
    "setsid @",
    "setsid -w @",
    "timeout 5 @",
    "timeout -k 1 5 @",
    "timeout --kill-after=1 5 @",
    "nice @",
    "nice -n 1 @",
    "nice -1 @",
    "xargs @ < /dev/null",
    "echo x | xargs @",
    "echo x | xargs -n 1 @",
    "echo x | xargs -I% @ %",
    "echo x | xargs -n1 env @",
    "find . -maxdepth 0 -exec @ \\;",
    "find . -maxdepth 0 -exec @ {} +",
    "find . -maxdepth 0 -execdir env @ \\;",
    "command @",
    "command -p -- @",
    "exec @",
    "exec -a y @",
    "stdbuf -o0 @",
    "taskset 1 @",
    "a=(@); \"${a[@]}\"",
    "set -- @; \"$@\"",
    "env env nohup @",
    "eval @",
    "command eval @",
    "coproc @ < /dev/null; wait",
];

/// Simple commands by the words after the name.
const ARGUMENTS: &[(&str, &str)] = &[
    ("zapx", "y"),
    ("zapx", ""),
    ("vcsx", "push"),
    ("vcsx", "-C . push"),
    ("vcsx", "-c a=b -v push o"),
    ("vcsx", "$Y push"),
    ("vcsx", "p'us'h"),
    ("vcsx", "status"),
    ("vcsx", "status $HOME"),
    ("lstx", "zapx"),
    ("lstx", "$Y"),
];

/// Pieces that follow a command which a rule allows.
const TAILS: &[&str] = &[
    "",
    " x",
    " $Y",
    " \"$Y\"",
    " '$(zapx)'",
    " $(zapx)",
    " `zapx`",
    " > out",
    " 2>&1",
    " >&2",
    " > /dev/null",
    "; zapx",
    " && zapx",
    " | zapx",
    " & zapx",
    "\nzapx",
    " # zapx",
    " <(zapx)",
    " {a,b}",
    " *",
    " ~",
    " $'\\x3b zapx'",
    " ${Y:-$(zapx)}",
    " ${Y}",
    " \\; zapx",
    " ';' zapx",
    " $((1))",
    " <<< x",
    " \\\n x",
    " -v $'a[\\x24(zapx)0]' x",
    " -v 'a[$(zapx)0]'",
    " -v \"$Y\" x",
    " $'a[\\x24(zapx)0]'",
    "; exit",
    " || zapx",
    " 3> out",
    " &> out",
    " >| out",
    " $Y[1]",
    " [a",
    " '['",
];

/// Beginnings of commands that a rule allows.
const HEADS: &[&str] = &[
    "vcsx status",
    "lstx",
    "printf",
    "printf %s",
    "test",
    "echo",
    "[ -n x ]",
    "[",
    "read",
    "unset",
    "A=1 lstx",
    "! lstx",
    "time lstx",
    "'lstx'",
    "true;",
    "declare",
    "export A=1;",
    "let",
    "\"lstx\" \"a b\"",
];

/// Rules that allow, and how their programs log.
const ALLOWED: &[(&str, Option<&str>)] = &[
    ("Bash(vcsx status:*)", Some("vcsx status")),
    ("Bash(lstx:*)", Some("lstx")),
    ("Bash(printf:*)", None),
    ("Bash(test:*)", None),
    ("Bash(echo:*)", None),
    ("Bash(read:*)", None),
    ("Bash(unset:*)", None),
    ("Bash(declare:*)", None),
    ("Bash(export:*)", None),
    ("Bash(true:*)", None),
];

struct Sandbox {
    folder: tempfile::TempDir,
    cases: usize,
}

impl Sandbox {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let programs = folder.path().join("programs");
        fs::create_dir(&programs).unwrap();
        for name in STUBS {
            let stub = programs.join(name);
            fs::write(&stub, format!("#!/bin/sh\necho \"{name} $*\" >> ran\n")).unwrap();
            fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
        }
        for name in RUNNERS {
            let found =
                ["/bin", "/usr/bin"].map(|folder| Path::new(folder).join(name)).into_iter().find(|path| path.exists());
            if let Some(found) = found {
                symlink(found, programs.join(name)).unwrap();
            }
        }
        Self { folder, cases: 0 }
    }

    fn programs(&self) -> PathBuf {
        self.folder.path().join("programs")
    }

    /// Runs a command. Returns what ran, and whether it wrote another file.
    fn run(&mut self, command: &str) -> (Vec<String>, bool) {
        self.cases += 1;
        let place = self.folder.path().join(format!("case{}", self.cases));
        fs::create_dir(&place).unwrap();
        // No generated command goes on for ever.
        let limit = ["/usr/bin/timeout", "/bin/timeout"].into_iter().find(|path| Path::new(path).exists());
        let mut words = limit.map_or_else(Vec::new, |path| vec![path, "-k", "1", "10"]);
        let limited = "ulimit -t 2; exec /bin/bash --norc --noprofile -c \"$1\"";
        words.extend(["/bin/bash", "--norc", "--noprofile", "-c", limited, "x", command]);
        let status = Command::new(words[0])
            .args(&words[1..])
            .env_clear()
            .env("PATH", self.programs())
            .env("HOME", &place)
            .current_dir(&place)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.unwrap();
        let ran = fs::read_to_string(place.join("ran")).unwrap_or_default();
        let wrote = fs::read_dir(&place).unwrap().flatten().any(|file| file.file_name() != "ran");
        (ran.lines().map(str::to_owned).collect(), wrote)
    }
}

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn certainty<'a>(patterns: impl Iterator<Item = &'a Pattern> + Clone, command: &str) -> Match {
    let input = json!({ "command": command });
    let wanted = Use { tool: "Bash", input: &input, cwd: "/srv", host: None };
    matches(patterns, &Reading::new(&wanted)).certainty
}

/// A number generator with a fixed start, so that a failure can be repeated.
struct Random(u64);

impl Random {
    /// `COOP_TEST_SEED` tries other commands.
    fn new(seed: u64) -> Self {
        let other = std::env::var("COOP_TEST_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
        Self(seed ^ other.unwrap_or_default().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// Puts a command into a form, in single quotes where the form has them.
fn put(form: &str, command: &str) -> String {
    let quoted = format!("'{}'", command.replace('\'', "'\\''"));
    form.replace("'@'", &quoted).replace('@', command)
}

fn spelled(spelling: &str, name: &str, programs: &Path) -> String {
    let (first, rest) = name.split_at(1);
    spelling.replace('~', rest).replace('%', first).replace('^', &programs.display().to_string()).replace('@', name)
}

fn simple(random: &mut Random, programs: &Path, plainly: bool) -> String {
    let (name, arguments) = ARGUMENTS[random.below(ARGUMENTS.len())];
    let spelling = if plainly { "@" } else { random.of(SPELLINGS) };
    format!("{} {arguments}", spelled(spelling, name, programs)).trim_end().to_owned()
}

/// A command from the grammar, up to so many forms around each other.
fn generated(random: &mut Random, programs: &Path, depth: usize) -> String {
    let plainly = random.below(3) == 0;
    let mut command = simple(random, programs, plainly);
    if random.below(3) == 0 {
        command = random.of(WORDS).replace('@', &command);
    }
    for _ in 0..random.below(depth + 1) {
        command = put(random.of(FORMS), &command);
    }
    command
}

struct Check {
    sandbox: Sandbox,
    zap: Pattern,
    push: Pattern,
    allowed: Vec<(Pattern, Option<&'static str>)>,
    ran: usize,
    certain: usize,
    /// Commands that a rule judged wrongly.
    wrong: Vec<String>,
}

impl Check {
    fn new() -> Self {
        let allowed = ALLOWED.iter().map(|(text, logs)| (pattern(text), *logs)).collect();
        let (zap, push) = (pattern("Bash(zapx:*)"), pattern("Bash(vcsx push:*)"));
        Self { sandbox: Sandbox::new(), zap, push, allowed, ran: 0, certain: 0, wrong: Vec::new() }
    }

    fn check(&mut self, command: &str) {
        let (ran, wrote) = self.sandbox.run(command);
        self.ran += usize::from(!ran.is_empty());
        let zap = |line: &&String| line.split(' ').next() == Some("zapx");
        let push = |line: &&String| line.starts_with("vcsx ") && line.split(' ').any(|word| word == "push");
        let denied = [(&self.zap, ran.iter().find(zap)), (&self.push, ran.iter().find(push))];
        for (rule, line) in denied {
            if let Some(line) = line
                && certainty(std::iter::once(rule), command) < Match::Possible
            {
                self.wrong.push(format!("deny {rule} misses {line:?} in {command:?}"));
            }
        }
        for (rule, logs) in &self.allowed {
            if certainty(std::iter::once(rule), command) == Match::Certain {
                self.certain += 1;
                let named = |line: &String| logs.is_some_and(|logs| line.starts_with(logs));
                if wrote || !ran.iter().all(named) {
                    self.wrong.push(format!("allow {rule} covers {command:?}: ran {ran:?}, wrote {wrote}"));
                }
            }
        }
        if certainty(self.allowed.iter().map(|(rule, _)| rule), command) == Match::Certain {
            let named = |line: &String| line.starts_with("vcsx status") || line.starts_with("lstx");
            if wrote || !ran.iter().all(named) {
                self.wrong.push(format!("allow rules cover {command:?}: ran {ran:?}, wrote {wrote}"));
            }
        }
    }

    fn finish(&self) {
        assert!(self.wrong.is_empty(), "{} wrong:\n{}", self.wrong.len(), self.wrong.join("\n"));
    }
}

/// Each form, each runner and each spelling once.
#[test]
fn deny_rule_misses_no_form() {
    let mut check = Check::new();
    let programs = check.sandbox.programs();
    for form in FORMS {
        check.check(&put(form, "zapx y"));
    }
    for form in WORDS {
        for command in ["zapx y", "vcsx -C . push"] {
            check.check(&form.replace('@', command));
        }
    }
    for spelling in SPELLINGS {
        check.check(&format!("{} y", spelled(spelling, "zapx", &programs)));
        check.check(&format!("env {} y", spelled(spelling, "zapx", &programs)));
    }
    let tried = FORMS.len() + 2 * WORDS.len() + 2 * SPELLINGS.len();
    check.finish();
    // Some need a newer shell, or a program that the system does not have.
    assert!(check.ran * 10 > tried * 9, "only {} of {tried} forms ran anything", check.ran);
}

#[test]
fn deny_rule_misses_nothing_that_ran() {
    let start = Instant::now();
    let mut check = Check::new();
    let programs = check.sandbox.programs();
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    for _ in 0..RANDOM {
        let command = generated(&mut random, &programs, 3);
        check.check(&command);
        if start.elapsed() > MAX_TIME {
            break;
        }
    }
    check.finish();
    assert!(check.ran > 20, "only {} commands ran anything", check.ran);
}

#[test]
fn allow_rule_covers_nothing_else_that_ran() {
    let start = Instant::now();
    let mut check = Check::new();
    let mut random = Random::new(0x2545_f491_4f6c_dd1d);
    let mut commands: Vec<String> =
        HEADS.iter().flat_map(|head| TAILS.iter().map(move |tail| format!("{head}{tail}"))).collect();
    for _ in 0..RANDOM {
        commands.push(format!("{}{}{}", random.of(HEADS), random.of(TAILS), random.of(TAILS)));
    }
    for command in commands {
        // Running takes long: what no rule covers need not be run.
        if certainty(check.allowed.iter().map(|(rule, _)| rule), &command) == Match::Certain {
            check.check(&command);
        }
        if start.elapsed() > MAX_TIME {
            break;
        }
    }
    check.finish();
    assert!(check.certain > 50, "only {} commands were covered", check.certain);
}
