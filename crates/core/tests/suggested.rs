//! Suggestions: a pattern covers what the person was shown, and no more.
#![allow(clippy::unwrap_used, reason = "helpers of tests may")]

use coop_core::permission::pattern::{Pattern, Use};
use serde_json::{Value, json};

fn bash(command: &str) -> Value {
    json!({ "command": command })
}

fn file(path: &str) -> Value {
    json!({ "file_path": path, "content": "" })
}

fn suggestion(tool: &str, input: &Value) -> Option<Pattern> {
    Pattern::suggest(&Use { tool, input, cwd: "/srv/shop", host: None })
}

#[test]
fn suggestion_is_exact() {
    for (tool, input, suggested) in [
        ("Bash", bash("rm file.txt"), "Bash(rm file.txt)"),
        ("Bash", bash("touch a 'b c'"), "Bash(touch a 'b c')"),
        ("Bash", bash("git commit -m 'a b'"), "Bash(git commit -m 'a b')"),
        ("Bash", bash("git -C x status"), "Bash(git -C x status)"),
        ("Bash", bash("cargo test"), "Bash(cargo test)"),
        ("Bash", bash("'a b' c"), "Bash('a b' c)"),
        // These only report.
        ("Bash", bash("git status -s"), "Bash(git status:*)"),
        ("Bash", bash("ls -la $HOME"), "Bash(ls:*)"),
        ("Write", file("/srv/shop/file.py"), "Write(/srv/shop/file.py)"),
        ("Edit", file("src/a*b.rs"), "Edit(/srv/shop/src/a[*]b.rs)"),
        ("Write", file("data.json"), "Write(/srv/shop/data.json)"),
        ("WebFetch", json!({ "url": "https://example.org/x", "prompt": "read" }), "WebFetch(domain:example.org)"),
        ("mcp__a__b", json!({ "q": "x" }), "mcp__a__b({\"q\":\"x\"})"),
        ("PowerShell", bash("Get-Date"), "PowerShell(Get-Date)"),
    ] {
        let pattern = suggestion(tool, &input);
        assert_eq!(pattern.as_ref().map(Pattern::to_string).as_deref(), Some(suggested), "{input}");
        let wanted = Use { tool, input: &input, cwd: "/srv/shop", host: None };
        assert!(pattern.unwrap().covers(&wanted), "{input}: the suggestion does not cover it");
    }
}

#[test]
fn suggestion_covers_nothing_else() {
    for (tool, shown, others) in [
        (
            "Bash",
            bash("rm a.txt"),
            vec![bash("rm b.txt"), bash("rm a.txt b.txt"), bash("rm -rf /"), bash("rm a.txt; rm b")],
        ),
        ("Bash", bash("touch a"), vec![bash("touch a b"), bash("touch ~/.bashrc")]),
        ("Edit", file("a.json"), vec![file("b.json"), file(".claude/settings.json"), file("/srv/other/a.json")]),
        ("Write", file("/srv/u/Makefile.am"), vec![file("/srv/u/.bashrc"), file("/srv/u/x")]),
        (
            "mcp__sh__run",
            json!({ "command": "ls" }),
            vec![json!({ "command": "rm -rf /" }), json!({}), json!({ "command": "ls", "root": true })],
        ),
    ] {
        let pattern = suggestion(tool, &shown).unwrap();
        for input in others {
            let wanted = Use { tool, input: &input, cwd: "/srv/shop", host: None };
            assert!(!pattern.covers(&wanted), "{pattern} covers {input}");
        }
    }
}

#[test]
fn no_suggestion_for_what_runs_others() {
    for command in [
        "coop rules list",
        "coop pair",
        "sed -i s/a/b/ x",
        "awk 1 x",
        "find . -name x",
        "xargs ls",
        "git config user.name x",
        "git -c core.pager=less log",
        "git push origin main",
        "git rebase main",
        "git submodule update",
        "ssh host ls",
        "npm run build",
        "npm exec x",
        "npx x",
        "make",
        "make all",
        "python3 x.py",
        "python3.12 x.py",
        "node x.js",
        "tar xf x.tar",
        "bash -c 'a b'",
        "sudo rm x",
        "env ls",
        "timeout 5 ls",
        "./build.sh",
        "/usr/bin/git status",
        "docker run x",
        "kubectl exec x",
        "vim x",
        "eval ls",
        "source x",
        ". x",
        "crontab x",
        "chmod +x y",
        "ln -s a b",
        "cargo run",
        "cargo install x",
        "cargo --config x build",
        "pip install x",
        "go run .",
        "rsync -e ssh a b",
        "command ls",
        "exec ls",
        "perl x.pl",
        "less x",
        "man ls",
        "hash -p a b",
        // Settings, hooks, hidden folders.
        "touch .env",
        "cp x .git/hooks/pre-commit",
        "rm -r .claude",
        "cp x ~/.ssh/config",
        "tee /etc/hosts",
        "touch --reference=.x y",
        "cp x package.json",
        "cp x hooks/a",
        // More than one command, or one that is not certain.
        "a; b",
        "a > x",
        "a $X",
        "a $(b)",
        "A=1 b",
        "printf -v x y",
        "export A=1",
    ] {
        // `printf -v` and `export` change nothing outside the shell, and exactly as shown they are harmless.
        let exactly = ["printf -v x y", "export A=1"].contains(&command);
        let pattern = suggestion("Bash", &bash(command));
        assert_eq!(pattern.is_some(), exactly, "{command}: {pattern:?}");
    }
    for (tool, input) in [
        ("Edit", file(".claude/settings.json")),
        ("Edit", file("settings.json")),
        ("Write", file("CLAUDE.md")),
        ("Write", file("package.json")),
        ("Write", file("Makefile")),
        ("Write", file(".git/hooks/pre-commit")),
        ("Write", file("hooks/pre-commit")),
        ("Write", file("/srv/u/.bashrc")),
        ("Write", file("/etc/passwd")),
        ("Read", file("/srv/u/.ssh/id_rsa")),
        ("Write", file("../../../../x")),
        ("Write", file("/proc/self/root/etc/passwd")),
        ("Write", json!({ "file_path": 7 })),
        ("WebFetch", json!({ "url": "http://localhost:8123/api" })),
        ("WebFetch", json!({ "url": "http://127.0.0.1/" })),
        ("WebFetch", json!({ "url": "https://user@example.org/" })),
        ("mcp__a__b", json!(null)),
        ("mcp__a__b", json!({ "q": "x".repeat(3000) })),
        ("PowerShell", bash("a\nb")),
    ] {
        let pattern = suggestion(tool, &input);
        assert!(pattern.is_none(), "{tool} {input}: {pattern:?}");
    }
}
