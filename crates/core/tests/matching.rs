//! The matcher: rules that deny or ask match what may be meant, rules that allow only what is certain.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may")]

use std::time::{Duration, Instant};

use coop_core::permission::matching::Match;
use coop_core::permission::pattern::{Pattern, Use};
use coop_core::permission::rules::{Because, Effect, Hosts, ProjectError, Rule, UNKNOWN_HOST, judge, project_folder};
use proptest::prelude::*;
use serde_json::{Value, json};

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn certainty(text: &str, tool: &str, input: &Value) -> Match {
    pattern(text).matches(&Use { tool, input, cwd: "/srv/shop", host: None }).certainty
}

fn of(text: &str, command: &str) -> Match {
    certainty(text, "Bash", &json!({ "command": command }))
}

/// Commands that run `rm`, or may: each would be denied by `Bash(rm:*)`.
#[rustfmt::skip]
const RUNS_RM: &[&str] = &[
    // Spellings of its name.
    "rm x", "/bin/rm x", "../bin/rm x", "~/bin/rm x", "r\\m x", "r'm' x", "\"rm\" x", "$'rm' x", "$'\\x72m' x", "$'\\162m' x",
    "$'r\\u006d' x", "$'rm\\0y' x", "RM x", "r\\\nm x", "\"$HOME/bin/rm\" x",
    // Only known when it runs.
    "$CMD x", "${CMD} x", "\"$CMD\" x", "$CMD", "r$X x", "${X:-rm} x", "$(which x) y", "`which x` y", "r? x", "/bin/r* x", "r[m] x",
    "{rm,-rf,x}", "/bin/{rm,ls} x", "~x x", "\"$@\"", "$1 x", "a=(rm x); \"${a[@]}\"",
    // Shells of its own.
    "bash -c 'rm x'", "sh -c \"rm x\"", "bash -lc 'rm x'", "bash -o errexit -c 'rm x'", "/bin/bash -c 'rm x'", "bash -c 'sh -c \"rm x\"'",
    "dash -c 'rm x'", "zsh -c 'rm x'", "bash -c \"$X\"", "bash x.sh", "bash", "bash < x", "ls | sh", "cat x | bash -s", "bash <<E\nrm x\nE",
    "bash <<'E'\nrm x\nE", "bash <<< 'rm x'", "bash <<E\n$X\nE", "fish -c 'ls'", "sh -c ls -c 'rm x' | sh", "bash --rcfile x -c ls",
    "BASH_ENV=x bash -c ls", "ZDOTDIR=x zsh -c ls",
    // Builtins that run text.
    "eval 'rm x'", "eval rm x", "eval \"$X\"", "trap 'rm x' EXIT", "trap \"$X\" EXIT", ". x", "source x", ". /dev/stdin",
    "alias ll='rm x'", "mapfile -C 'rm x' -c 1 a", "complete -C 'rm x' y", "hash -p /bin/rm ls; ls x", "enable -f x y", "coproc rm x",
    "command rm x", "builtin eval 'rm x'", "exec rm x", "exec -a y rm x", "fc -s x", "PS4='$(rm x)'; set -x; ls",
    // Runners.
    "sudo rm x", "sudo -u root rm x", "sudo -u root -- rm x", "doas rm x", "env rm x", "env A=1 rm x", "env -i rm x", "env -S 'rm x'",
    "env --split-string='rm x'", "env -iS 'rm x'", "nohup rm x", "setsid rm x", "setsid -w rm x", "taskset 1 rm x", "taskset -c 0 rm x", "timeout 5 rm x",
    "timeout -k 1 5 rm x", "nice rm x", "nice -n 5 rm x", "ionice -c 3 rm x", "stdbuf -o0 rm x", "chroot / rm x", "flock x rm y",
    "flock x -c 'rm y'", "strace -f rm x", "watch rm x", "watch 'rm x'", "xargs rm", "xargs -0 rm", "xargs -I{} rm {}", "xargs -n 1 sh -c 'rm x'",
    "echo rm | xargs -I% % x", "ls | xargs env", "ls | xargs bash -c", "parallel rm ::: x", "parallel 'rm {}' ::: x", "time rm x", "time -p rm x",
    "/usr/bin/time rm x", "find . -exec rm {} +", "find . -exec rm {} \\;", "find . -execdir rm {} +", "find . -exec sh -c 'rm x' \\;", "find . -exec {} \\;",
    "find . $X", "fd x -x rm", "su -c 'rm x'", "su root -c 'rm x'", "su --command='rm x'", "ssh host rm x", "ssh host 'rm x'", "ssh host \"ls $X\"",
    "script -c 'rm x' /dev/null", "busybox rm x", "busybox sh -c 'rm x'", "coreutils --coreutils-prog=rm x", "sudo $X", "sudo -u root $X", "nohup bash x",
    "sudo bash", "unshare -r rm x", "nsenter -t 1 rm x", "systemd-run rm x", "setpriv --reuid 1 rm x", "screen -d -m rm x", "tmux new -d 'rm x'",
    "at now <<< 'rm x'", "env -u A $X y", "npx rm x", "docker exec c rm x", "kubectl exec p -- rm x", "poetry run rm x",
    // Programs that no table knows, and options that are abbreviated.
    "x86_64 rm x", "i386 rm x", "choom -n 5 -- rm x", "/lib64/ld-linux-x86-64.so.2 /bin/rm x", "cmake -E env rm x", "invented --with rm x",
    "split --filt='rm x' y", "git rebase --exe 'rm x' main", "tar --checkpoint-act=exec='rm x' -cf y z", "su --comm='rm x'",
    // Structure.
    "ls; rm x", "ls && rm x", "ls || rm x", "ls | rm x", "ls & rm x", "ls\nrm x", "(rm x)", "{ rm x; }", "! rm x", "if rm x; then ls; fi", "if a; then rm x; fi",
    "if a; then ls; else rm x; fi", "while rm x; do ls; done", "until a; do rm x; done", "for i in 1; do rm x; done", "for i do rm x; done",
    "for ((i=0;i<1;i++)); do rm x; done", "case a in a) rm x;; esac", "case a in (a|b) ls;; *) rm x; esac", "f() { rm x; }; f", "function f { rm x; }; f",
    "f () (rm x); f", "rm() { ls; }; rm x", "A=1 rm x", "A=1 B=2 rm x", "a[0]=1 rm x", "> y rm x", "2>&1 rm x", "2> y rm x", "{fd}> y rm x", "<y rm x", "rm<y",
    "i\\\nf rm x; then ls; fi", "time { rm x; }", "[[ a ]] && rm x", "(( 1 )) && rm x", "select i in 1; do rm x; done", "ls &&\nrm x", "ls |\nrm x", "ls |& rm x",
    // Substitutions and documents.
    "echo $(rm x)", "echo \"$(rm x)\"", "echo `rm x`", "echo \"`rm x`\"", "echo <(rm x)", "cat < <(rm x)", "echo > >(rm x)", "echo ${X:-$(rm x)}", "echo $((1 + $(rm x)))",
    "echo $[$(rm x)]", "echo \"${X:-`rm x`}\"", "X=$(rm x)", "X=$(rm x) ls", "echo $(ls; echo $(rm x))", "echo \"$(case a in a) rm x;; esac)\"", "cat <<E\n$(rm x)\nE",
    "cat <<E\nit's\nE\nrm x", "cat <<-E\n\tit's\n\tE\nrm x", "cat <<'E'\nit's $(\nE\nrm x", "ls # it's\nrm x", "echo a#'b\n'; rm x", "ls <\\\n<E\n'\nE\nrm x",
    "cat <<A <<B\n'\nA\n'\nB\nrm x", "[[ -n $(rm x) ]]", "[[ -v a[$(rm x)] ]]", "(( a[$(rm x)] ))", "a[$(rm x)]=1", "let 'a[$(rm x)]'", "test -v 'a[$(rm x)]'",
    "[ -v 'a[$(rm x)]' ]", "printf -v 'a[$(rm x)]' y", "printf -v $'a[\\x24(rm x)0]' y", "read 'a[$(rm x)]'", "unset 'a[$(rm x)]'", "declare -i 'n=a[$(rm x)]'",
    "x='a[$(rm x)]'; echo $((x))", "x='a[$(rm x)]'; [[ x -eq 1 ]]", "x='$(rm x)'; echo ${x@P}", "a='q['; b='$'; c='(rm x)]'; x=$a$b$c; echo $((x))",
    // What cannot be read.
    "echo 'unfinished; rm x", "echo \"unfinished", "echo $(", "echo ${", "if a (", "ls\0rm x", "echo @(a|b)(", "${ rm x; }",
    // Code of other languages, and programs that carry a command.
    "python3 -c 'import os; os.system(\"rm x\")'", "python -c 'exec(chr(114))'", "perl -e 'system \"rm x\"'", "node -e 'require(\"child_process\")'",
    "awk 'BEGIN { system(\"rm x\") }'", "awk 'BEGIN { \"rm x\" | getline }'", "sed '1e rm x' y", "sed 's/.*/rm x/e' y", "ls | python3", "python3 <<< 'import os'",
    "git -c alias.x='!rm x' x", "git -c core.pager='rm x' log", "tar --checkpoint-action=exec='rm x' -cf y z", "tar -I 'rm x' -xf y", "make SHELL='rm x'", "GIT_SSH_COMMAND='rm x' git fetch",
    "PAGER='rm x' git log", "GIT_PAGER=$X git log", "rsync -e 'rm x' a b", "git bisect run rm x", "git submodule foreach 'rm x'",
];

/// Commands that certainly do not run `rm` by themselves.
#[rustfmt::skip]
const NOT_RM: &[&str] = &[
    "ls", "ls -la $HOME", "ls \"$X\" $Y *.rs {a,b} ~/x", "echo rm", "echo 'rm x'", "echo \"rm $X\"", "git rm x", "git commit -m 'rm x'", "git commit -m \"rm $X\"", "rmdir x", "docker rm x",
    "npm rm x", "grep rm x", "cat rm", "A=rm ls", "X=1; ls $X", "for f in *.rs; do wc -l \"$f\"; done", "if [ -f x ]; then cat x; fi", "[[ $x =~ ^(a|b)$ ]] && ls",
    "cat <<E\nrm x\nE", "cat > x <<'E'\nit's rm\nE", "git commit -m \"$(cat <<'E'\nIt's done: rm x\n\nE\n)\"", "echo $(ls)", "echo $((1 + 2))", "x=3; echo $((x + 1))",
    "bash -c 'ls -la'", "sh -c 'echo rm'", "sudo ls $X", "sudo -u root ls $X", "timeout 5 cargo test $X", "env A=1 ls $X", "nohup ls $X &", "nice -n 5 make $X", "xargs ls", "ls | xargs grep rm-",
    "ls | xargs -n 1 -I{} cat {}", "find . -name '*.rs'", "find \"$X\" -type f", "find . -exec cat {} +", "time ls", "! ls", "command -v rm", "type rm", "sed -n '1,5p' x", "sed 's/rm/mv/g' x", "awk '{print $1}' x",
    "awk -v x=\"$X\" '{print x}' y", "python3 x.py \"$X\"", "python3 -m pytest \"tests\"", "python3 -c 'import json, sys; print(json.load(sys.stdin))'", "trap - EXIT", "eval 'ls'", "f() { ls; }; f", "(cd x && ls)",
    "ls 2>&1 | head -5", "ls > /dev/null 2>&1", "test -f x && echo y", "[ \"$X\" = y ] && ls", "[ $n -gt 3 ] && echo x", "printf '[%s]\\n' \"$X\"", "case $X in a) ls;; *) cat x;; esac", "\"$HOME/bin/tool\" x", "~/bin/tool x",
    "while read -r line; do echo \"$line\"; done < x", "export A=1; ls", "local x=\"$1\"", "kubectl get pods -n rm", "git -C x status", "PATH=$PATH:x ls", "ls # rm x", "echo a\\;rm",
];

#[test]
fn deny_rule_matches_what_may_run() {
    for command in RUNS_RM {
        assert!(of("Bash(rm:*)", command) >= Match::Possible, "{command:?} runs rm, or may");
    }
}

#[test]
fn deny_rule_leaves_alone_what_is_understood() {
    for command in NOT_RM {
        let input = json!({ "command": command });
        let matched = pattern("Bash(rm:*)").matches(&Use { tool: "Bash", input: &input, cwd: "/srv", host: None });
        assert_eq!(matched.certainty, Match::No, "{command:?}: {:?}", matched.part);
    }
}

#[test]
fn options_before_a_subcommand_are_skipped() {
    for (text, command, expected) in [
        ("Bash(git push:*)", "git push", Match::Certain),
        ("Bash(git push:*)", "git -C . push", Match::Possible),
        ("Bash(git push:*)", "git -c x=y push origin", Match::Possible),
        ("Bash(git push:*)", "git -C . -c x=y --no-pager push", Match::Possible),
        ("Bash(git push:*)", "git --git-dir=x push", Match::Possible),
        ("Bash(git push:*)", "git --git-dir x push", Match::Possible),
        ("Bash(git push:*)", "git $X", Match::Possible),
        ("Bash(git push:*)", "git \"$X\"", Match::Possible),
        ("Bash(git push:*)", "git $X push", Match::Possible),
        ("Bash(git push:*)", "git {push,x}", Match::Possible),
        ("Bash(git push:*)", "git pus? x", Match::Possible),
        ("Bash(git push:*)", "ls | xargs git", Match::Possible),
        ("Bash(git push:*)", "git commit -m push", Match::No),
        ("Bash(git push:*)", "git log push", Match::No),
        ("Bash(git push:*)", "git commit -m \"$X\"", Match::No),
        ("Bash(git push:*)", "git status", Match::No),
        ("Bash(git push)", "git -C . push", Match::Possible),
        ("Bash(git push)", "git push origin", Match::No),
        ("Bash(git push)", "git push $X", Match::Possible),
        ("Bash(git push --force:*)", "git push origin main --force", Match::Possible),
        ("Bash(docker rm:*)", "docker --context x rm y", Match::Possible),
        ("Bash(kubectl delete:*)", "kubectl -n x delete pod y", Match::Possible),
        ("Bash(kubectl delete:*)", "kubectl get pods", Match::No),
        ("Bash(/bin/rm:*)", "rm x", Match::Possible),
        ("Bash(rm:*)", "/bin/rm x", Match::Possible),
    ] {
        assert_eq!(of(text, command), expected, "{text} and {command:?}");
    }
}

#[test]
fn allow_rule_needs_certainty() {
    for (text, command, certain) in [
        ("Bash(printf:*)", "printf '%s\\n' a", true),
        ("Bash(printf:*)", "printf '[%s]' \"$X\"", true),
        ("Bash(printf:*)", "printf -v x y", true),
        ("Bash(printf:*)", "printf -v $'a[\\x24(rm x)0]' y", false),
        ("Bash(printf:*)", "printf -v 'a[b]' y", false),
        ("Bash(printf:*)", "printf -v \"$X\" y", false),
        ("Bash(printf:*)", "printf $X y", false),
        ("Bash(printf:*)", "printf \"$X\" y", false),
        ("Bash(test:*)", "test -f x", true),
        ("Bash(test:*)", "test -v $'a[\\x24(rm x)0]'", false),
        ("Bash(test:*)", "test -v 'a[b]'", false),
        ("Bash(test:*)", "test $X", false),
        ("Bash(test:*)", "test \"$X\" y", false),
        ("Bash(read:*)", "read $'a[\\x24(rm x)0]'", false),
        ("Bash(unset:*)", "unset 'a[b]'", false),
        ("Bash(declare:*)", "declare $'a[\\x24(rm x)0]=1'", false),
        ("Bash(export:*)", "export \"$X\"", false),
        ("Bash(let:*)", "let $'a[\\x24(rm x)0]'", false),
        ("Bash(echo:*)", "echo $((a[1]))", false),
        ("Bash(echo:*)", "echo ${a[b]}", false),
        ("Bash(ls:*)", "PATH=. ls", false),
        ("Bash(ls:*)", "LD_PRELOAD=x ls", false),
        ("Bash(git:*)", "GIT_SSH_COMMAND=x git fetch", false),
        ("Bash(ls:*)", "ls > x", false),
        ("Bash(ls:*)", "ls >> x", false),
        ("Bash(ls:*)", "ls 2> x", false),
        ("Bash(ls:*)", "bash -c ls", false),
        ("Bash(ls:*)", "/bin/ls", false),
        ("Bash(ls:*)", "ls; cat x", false),
    ] {
        assert_eq!(of(text, command) == Match::Certain, certain, "{text} and {command:?}");
    }
    // A builtin that changes what later commands run is not covered together with them.
    let rules = |texts: &[&str]| -> Vec<Rule> {
        let all = texts.iter().map(|text| rule(Effect::Allow, text, None, Hosts::Here));
        all.collect()
    };
    for command in ["export PATH=x; ls", "hash -p x ls; ls", "alias ls=x; ls", "read PATH; ls", "printf -v PATH x; ls"]
    {
        let program = command.split(' ').next().unwrap();
        let rules = rules(&["Bash(ls:*)", &format!("Bash({program}:*)")]);
        assert_eq!(verdict(&rules, command, None).0, Effect::Ask, "{command}");
    }
}

#[test]
fn powershell_is_not_read_as_bash() {
    for (text, command, expected) in [
        ("PowerShell(Get-Date)", "Get-Date", Match::Certain),
        ("PowerShell(Get-Date)", "Get-Date; Remove-Item x", Match::Possible),
        ("PowerShell(Get-Date:*)", "Get-Date", Match::Possible),
        ("PowerShell(git status:*)", "git status; rm x", Match::Possible),
        ("PowerShell(git status:*)", "git status `; rm x", Match::Possible),
        ("PowerShell(rm:*)", "Remove-Item x", Match::Possible),
        ("PowerShell(Remove-Item:*)", "del x", Match::Possible),
        ("PowerShell(Remove-Item:*)", "R`emove-Item x", Match::Possible),
        ("PowerShell(Remove-Item:*)", "& $x y", Match::Possible),
        ("PowerShell(Remove-Item:*)", "iex $x", Match::Possible),
        ("PowerShell(Remove-Item:*)", "$x y", Match::Possible),
        ("PowerShell(Remove-Item:*)", "Get-Date -Format x", Match::No),
        ("PowerShell(Remove-Item:*)", "$x = 1", Match::No),
    ] {
        assert_eq!(certainty(text, "PowerShell", &json!({ "command": command })), expected, "{text} and {command:?}");
    }
}

#[test]
fn commands_are_found_under_other_keys_and_in_lists() {
    for (tool, input, expected) in [
        ("shell", json!({ "command": ["rm", "x"] }), Match::Possible),
        ("shell", json!({ "command": ["bash", "-lc", "rm x"] }), Match::Possible),
        ("shell", json!({ "command": ["bash", "-lc", "ls; rm x"], "workdir": "/srv" }), Match::Possible),
        ("shell", json!({ "command": ["sudo", "rm", "x"] }), Match::Possible),
        ("shell", json!({ "command": ["ls", "$X", "rm"] }), Match::No),
        ("shell", json!({ "command": ["bash", "-lc", "ls"] }), Match::No),
        ("shell", json!({ "command": ["echo", "rm x"] }), Match::Possible),
        ("shell", json!({ "command": [1, "rm x"] }), Match::Possible),
        ("shell", json!({ "command": 7 }), Match::Possible),
        ("shell", json!({ "cmd": "rm x" }), Match::Possible),
        ("shell", json!({ "other": { "deep": ["rm x"] } }), Match::Possible),
        ("shell", json!({ "command": "ls", "cmd": "rm x" }), Match::Possible),
        ("shell", json!({ "command": "ls", "description": "rm x" }), Match::No),
        ("shell", json!("rm x"), Match::Possible),
        // Nothing is known yet: a person is asked.
        ("shell", json!(null), Match::No),
        ("shell", json!({}), Match::No),
    ] {
        assert_eq!(certainty("shell(rm:*)", tool, &input), expected, "{input}");
    }
    // Beside the command, only fields that change nothing about what runs leave it certain.
    for (field, value, certain) in [
        ("description", json!("lists"), true),
        ("timeout", json!(5000), true),
        ("run_in_background", json!(true), true),
        ("workdir", json!("/srv/shop"), true),
        ("workdir", json!("/srv/shop/below"), true),
        ("dangerouslyDisableSandbox", json!(false), true),
        ("dangerouslyDisableSandbox", json!(true), false),
        ("workdir", json!("/tmp/hostile"), false),
        ("cwd", json!("/srv/shop/../tmp"), false),
        ("cwd", json!("/srv/shopping"), false),
        ("shell", json!("/tmp/evil/bash"), false),
        ("env", json!({ "LD_PRELOAD": "x" }), false),
        ("Command", json!("rm x"), false),
        ("unheard_of", json!("x"), false),
    ] {
        let mut input = json!({ "command": "ls" });
        input[field] = value;
        assert_eq!(certainty("shell(ls:*)", "shell", &input) == Match::Certain, certain, "{input}");
    }
    let two = json!({ "command": "ls", "cmd": "rm x" });
    assert_ne!(certainty("shell(ls:*)", "shell", &two), Match::Certain, "another command is beside it");
    let words = json!({ "command": ["ls"] });
    assert_ne!(certainty("shell(ls:*)", "shell", &words), Match::Certain, "a list is not a script");
}

#[test]
fn paths_are_found_however_they_are_written() {
    for (input, expected) in [
        (json!({ "file_path": "/etc/passwd" }), Match::Certain),
        (json!({ "file_path": "/etc/./x/../passwd" }), Match::Certain),
        (json!({ "file_path": "/../etc/passwd" }), Match::Possible),
        (json!({ "file_path": "../../../../etc/passwd" }), Match::Possible),
        (json!({ "file_path": "//etc//passwd" }), Match::Certain),
        (json!({ "file_path": "/proc/self/root/etc/passwd" }), Match::Possible),
        (json!({ "file_path": "/proc/1/root/etc/passwd" }), Match::Possible),
        (json!({ "file_path": "/proc/thread-self/root/../etc/passwd" }), Match::Possible),
        (json!({ "file_path": "/proc/self/task/7/root/etc/passwd" }), Match::Possible),
        (json!({ "file_path": "/proc/self/cwd/../../etc/passwd" }), Match::Possible),
        (json!({ "file_path": "/proc/self/fd/3" }), Match::Possible),
        (json!({ "file_path": "/dev/fd/3" }), Match::Possible),
        (json!({ "file_path": "/ETC/passwd" }), Match::Possible),
        (json!({ "file_path": "/private/etc/passwd" }), Match::Possible),
        (json!({ "file_path": "file:///etc/passwd" }), Match::Possible),
        (json!({ "file_path": "file://localhost/etc/%70asswd" }), Match::Possible),
        (json!({ "file_path": "/etc/" }), Match::Possible),
        (json!({ "path": "/etc/passwd" }), Match::Possible),
        (json!({ "paths": ["/srv/a", "/etc/passwd"] }), Match::Possible),
        (json!({ "file_path": "/srv/a", "also": { "deep": "/etc/passwd" } }), Match::Possible),
        (json!({ "files": { "/etc/passwd": 1 } }), Match::Possible),
        (json!({ "file_path": 7 }), Match::Possible),
        (json!(["/etc/passwd"]), Match::Possible),
        (json!({ "file_path": "/srv/etc/passwd" }), Match::No),
        (json!({ "file_path": "/srv/a", "content": "/etc/passwd" }), Match::No),
        (json!({ "file_path": "etc/passwd" }), Match::No),
        (json!({}), Match::No),
    ] {
        assert_eq!(certainty("Read(/etc/**)", "Read", &input), expected, "{input}");
    }
    for (text, input, expected) in [
        ("Read(/srv/u/.ssh/**)", json!({ "file_path": "~/.ssh/id" }), Match::Possible),
        ("Read(.env)", json!({ "file_path": "/srv/.ENV" }), Match::Possible),
        ("Read(.env)", json!({ "path": "x/.env" }), Match::Possible),
        ("Read(.env)", json!({ "file_path": "/srv/x.env" }), Match::No),
        ("Read(/srv/**)", json!({ "file_path": "/srv/a", "path": "/etc/x" }), Match::Possible),
    ] {
        assert_eq!(certainty(text, "Read", &input), expected, "{text} and {input}");
    }
}

#[test]
fn hosts_are_found_however_they_are_written() {
    for (url, expected) in [
        ("https://example.org/x", Match::Certain),
        ("https://a.example.org:8080", Match::Certain),
        ("https://EXAMPLE.org", Match::Certain),
        ("https://example.org./", Match::Possible),
        ("https://user@example.org/", Match::Possible),
        ("https://user:pass@Example.ORG.:443/", Match::Possible),
        ("https://example.org@evil.com/", Match::Possible),
        ("https://example.org:80@evil.com/", Match::Possible),
        ("https://example.org:@evil.com/", Match::Possible),
        ("https://example.org:80\\@evil.com", Match::Possible),
        ("https://example.org:x", Match::Possible),
        ("https:\\\\example.org\\x", Match::Possible),
        ("https://exam\tple.org", Match::Possible),
        ("https://ex%61mple.org", Match::Possible),
        ("https://ｅxample.org", Match::Possible),
        ("https://example。org", Match::Possible),
        ("HTTPS://example.org", Match::Possible),
        ("//example.org/x", Match::Possible),
        ("example.org/x", Match::Possible),
        ("http:example.org", Match::Possible),
        ("ftp://example.org", Match::Possible),
        ("https://badexample.org", Match::No),
        ("https://example.org.evil.com", Match::No),
        ("https://evil.com/example.org", Match::No),
    ] {
        assert_eq!(certainty("WebFetch(domain:example.org)", "WebFetch", &json!({ "url": url })), expected, "{url}");
    }
    for input in
        [json!({ "urls": ["https://example.org"] }), json!({ "prompt": "read https://example.org/x and stop" })]
    {
        assert_eq!(certainty("web_fetch(domain:example.org)", "web_fetch", &input), Match::Possible, "{input}");
    }
    let number = json!({ "url": "http://2130706433/" });
    assert_eq!(certainty("WebFetch(domain:127.0.0.1)", "WebFetch", &number), Match::Possible);
}

fn rule(effect: Effect, text: &str, project: Option<&str>, hosts: Hosts) -> Rule {
    Rule { id: 1, effect, pattern: pattern(text), project: project.map(Into::into), hosts }
}

fn verdict(rules: &[Rule], command: &str, host: Option<&str>) -> (Effect, Option<Match>, Option<String>) {
    let input = json!({ "command": command });
    let verdict = judge(rules, None, &Use { tool: "Bash", input: &input, cwd: "/srv/shop", host });
    assert_eq!(verdict.because.is_some(), matches!(verdict.because, Some(Because::Rules(_))));
    let (certainty, part) = verdict.matched.map(|matched| (matched.certainty, matched.part)).unzip();
    (verdict.effect, certainty, part.flatten())
}

#[test]
fn verdict_names_the_part_that_decided() {
    let rules =
        [rule(Effect::Deny, "Bash(rm:*)", None, Hosts::Here), rule(Effect::Allow, "Bash(ls:*)", None, Hosts::Here)];
    for (command, effect, certainty, part) in [
        ("ls; sudo rm -rf x | cat", Effect::Deny, Some(Match::Possible), Some("sudo rm -rf x")),
        ("rm x", Effect::Deny, Some(Match::Certain), Some("rm x")),
        ("ls; bash x.sh", Effect::Deny, Some(Match::Possible), Some("bash x.sh")),
        ("ls -la", Effect::Allow, Some(Match::Certain), Some("ls -la")),
        ("cat x; ls y", Effect::Ask, Some(Match::Possible), Some("ls y")),
        ("cat x", Effect::Ask, None, None),
    ] {
        assert_eq!(verdict(&rules, command, None), (effect, certainty, part.map(Into::into)), "{command}");
    }
}

#[test]
fn rules_are_for_a_host() {
    for (hosts, effect, [here, far, other, unknown]) in [
        (Hosts::Here, Effect::Allow, [true, false, false, false]),
        (Hosts::Named("far".into()), Effect::Allow, [false, true, false, false]),
        (Hosts::All, Effect::Allow, [true, true, true, true]),
        (Hosts::Here, Effect::Deny, [true, false, false, true]),
        (Hosts::Named("far".into()), Effect::Deny, [false, true, false, true]),
        (Hosts::All, Effect::Deny, [true, true, true, true]),
    ] {
        let rules = [rule(effect, "Bash(ls:*)", None, hosts.clone())];
        for (host, counts) in [(None, here), (Some("far"), far), (Some("other"), other), (Some(UNKNOWN_HOST), unknown)]
        {
            let expected = if counts { effect } else { Effect::Ask };
            assert_eq!(verdict(&rules, "ls", host).0, expected, "{hosts:?} {effect:?} on {host:?}");
        }
        assert_eq!(Hosts::from_name(hosts.name()), hosts);
    }
}

#[test]
fn rule_for_a_project_has_a_folder() {
    for (folder, expected) in [
        ("/srv/shop", Ok("/srv/shop")),
        ("/srv//shop/./a/..//", Ok("/srv/shop")),
        ("", Err(ProjectError::NotAbsolute)),
        ("srv", Err(ProjectError::NotAbsolute)),
        (".", Err(ProjectError::NotAbsolute)),
        ("~", Err(ProjectError::NotAbsolute)),
        ("/", Err(ProjectError::Root)),
        ("//", Err(ProjectError::Root)),
        ("/.", Err(ProjectError::Root)),
        ("/..", Err(ProjectError::Root)),
        ("/srv/..", Err(ProjectError::Root)),
    ] {
        assert_eq!(project_folder(folder), expected.map(str::to_owned), "{folder:?}");
    }
    let of = |project: &str, effect, cwd: &str| {
        let rules = [rule(effect, "Bash(ls:*)", Some(project), Hosts::Here)];
        let input = json!({ "command": "ls" });
        judge(&rules, None, &Use { tool: "Bash", input: &input, cwd, host: None }).effect
    };
    for (project, cwd, counts) in [
        ("/srv/shop", "/srv/shop", true),
        ("/srv/shop", "/srv/shop/a", true),
        ("/srv/shop", "/srv/shop/../other", false),
        ("/srv/shop", "/srv/x/../shop", true),
        ("/srv/shop", "/srv/shopping", false),
        ("/srv/shop", "", false),
        ("/srv/shop", "srv/shop", false),
        // Made by an earlier version: they allow nothing.
        ("", "/srv/shop", false),
        ("/", "/srv/shop", false),
        ("", "", false),
    ] {
        let expected = if counts { Effect::Allow } else { Effect::Ask };
        assert_eq!(of(project, Effect::Allow, cwd), expected, "{project:?} in {cwd:?}");
    }
    assert_eq!(of("/", Effect::Deny, "/srv/shop"), Effect::Deny, "what it denied stays denied");
}

/// Nested, repeated and unfinished input is read within a bound of time, and without a panic.
#[test]
fn time_is_bounded() {
    let parts = [
        "(",
        "((",
        "$(",
        "$((",
        "`",
        "\"$(",
        "${",
        "${x:-",
        "<(",
        "{ ",
        "if ",
        "case x in a) ",
        "[[ ",
        "f() { ",
        "eval '",
        "bash -c \"",
        "sudo ",
        "xargs ",
        "env -u ",
        "sudo -u ",
        "find -exec ",
        "<<E ",
        "<<E\n",
        "'",
        "\"",
        "\\",
        "\\\n",
        "$'\\x",
        "a=(",
        "a[",
        "{a,",
        "*",
        "$[",
        "$x ",
        "time ",
        "! ",
        "function ",
        "-a ",
        "é",
        "\u{202e}",
        "env env -u xargs ",
        "for ((",
        ";;",
        "| sh ",
    ];
    let start = Instant::now();
    for part in parts {
        for length in [1_000, 60_000, 600_000] {
            let command = part.repeat(length / part.len());
            let ends = ["", ")", "rm x"].map(|end| format!("{command}{end}"));
            for command in ends {
                for rule in ["Bash(rm:*)", "Bash(git push:*)"] {
                    of(rule, &command);
                }
            }
        }
    }
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(60), "{taken:?}");
    let deep = (0..200).fold(json!("/etc/x"), |value, _| json!([value]));
    assert!(certainty("Read(/etc/**)", "Read", &deep) <= Match::Possible);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_input_panics(text in "\\PC{0,80}|[ -~\n\t]{0,120}|[$'\"`\\\\(){}<>\\[\\]|&;#!*?~=a-c \n]{0,60}") {
        for pattern in ["Bash(rm:*)", "Bash(a)"] {
            of(pattern, &text);
        }
        for (pattern, tool) in [("Read(/etc/**)", "Read"), ("WebFetch(domain:a.b)", "WebFetch"), ("PowerShell(a:*)", "PowerShell")] {
            let input = json!({ "file_path": text, "url": text, "command": text });
            certainty(pattern, tool, &input);
            drop(Pattern::suggest(&Use { tool, input: &input, cwd: &text, host: Some(&text) }));
        }
        drop(text.parse::<Pattern>());
        drop(format!("Bash({text})").parse::<Pattern>());
    }
}

/// Agents trim paths and expand `~`: such a path is below no folder for certain, and may be anywhere for a rule that denies.
#[test]
fn path_that_an_agent_expands_is_not_certain() {
    let of = |rule: &str, path: &str| {
        let input = json!({ "file_path": path });
        pattern(rule).matches(&Use { tool: "Write", input: &input, cwd: "/srv/project", host: None }).certainty
    };
    for path in
        ["~/.bashrc", " /etc/passwd", "\t/etc/x", "\u{a0}/etc/passwd", "\u{feff}/etc/passwd", "file:///etc/passwd"]
    {
        assert!(of("Write(/srv/project/**)", path) < Match::Certain, "{path:?}");
    }
    for path in [" /etc/passwd", "\t/etc/x", "\n/etc/x", "\u{feff}/etc/passwd"] {
        assert!(of("Write(/etc/**)", path) >= Match::Possible, "{path:?}");
    }
    assert_eq!(of("Write(/srv/project/**)", "/srv/project/a.txt"), Match::Certain);
    assert_eq!(of("Write(/srv/project/**)", "a.txt"), Match::Certain);
}
