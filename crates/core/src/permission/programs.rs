//! Programs and builtins that run others, or can: how a command is found in their arguments.

/// How a program runs other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A shell of the Bourne family: runs the text of `-c`, a file, or its standard input.
    Shell,
    /// Another language of commands, or a file of commands: cannot be read.
    Opaque,
    /// Builtin that runs its arguments as text.
    Evaluates,
    /// Builtin that evaluates names of variables or numbers, which can hold substitutions.
    Calculates,
    /// Runs the command in its arguments, after options and so many other arguments.
    Runs(usize),
    /// The same, and an argument may be a whole script.
    RunsText(usize),
    /// Runs the commands after `-exec` and the like.
    Finds,
    /// Interprets code of another language in its options or its standard input.
    Interprets,
    /// Interprets its first argument as code that is applied to lines.
    Lines,
    /// Can run a command that is somewhere in its arguments.
    Carries,
}

/// Any argument may be the command.
const ANYWHERE: usize = usize::MAX;

#[rustfmt::skip]
const KINDS: &[(Kind, &[&str])] = &[
    (Kind::Shell, &["ash", "bash", "dash", "ksh", "ksh93", "lksh", "mksh", "oksh", "posh", "rbash", "rzsh", "sh", "yash", "zsh"]),
    (Kind::Opaque, &[
        ".", "source", "fc", "enable", "csh", "tcsh", "fish", "nu", "elvish", "xonsh", "pwsh", "powershell", "cmd", "rc", "es",
        "at", "atq", "batch", "crontab", "m4", "expect", "run-parts",
    ]),
    (Kind::Evaluates, &["eval", "trap", "alias", "bind", "complete", "compgen", "mapfile", "readarray"]),
    (Kind::Calculates, &[
        "printf", "test", "[", "let", "declare", "typeset", "local", "export", "readonly", "read", "unset", "getopts", "wait",
    ]),
    (Kind::Runs(0), &[
        "builtin", "busybox", "caffeinate", "catchsegv", "cgexec", "chpst", "chronic", "command", "coreutils", "daemonize",
        "doas", "dumb-init", "env", "exec", "faketime", "fakeroot", "firejail", "gosu", "hyperfine", "ionice", "jobs", "linux32",
        "linux64", "ltrace", "nice", "nocache", "noglob", "nohup", "nsenter", "numactl", "perf", "pkexec", "prlimit",
        "proot", "proxychains", "proxychains4", "rlwrap", "setarch", "setpriv", "setsid", "softlimit", "sshpass", "stdbuf",
        "strace", "su-exec", "sudo", "systemd-run", "tini", "time", "torify", "torsocks", "toybox", "trickle", "unbuffer",
        "uname26", "unshare", "valgrind", "xvfb-run", "dbus-run-session", "dbus-launch", "gdb", "lldb", "entr", "inotifywait",
        "nodemon", "watchexec", "tsocks", "cpulimit", "bwrap", "systemd-inhibit", "sg", "newgrp", "aa-exec", "runcon", "zmodload",
    ]),
    (Kind::Runs(1), &["chroot", "chrt", "capsh", "schroot", "taskset", "timeout", "gtimeout", "setuidgid", "envdir", "envuidgid"]),
    (Kind::RunsText(ANYWHERE), &["screen", "tmux", "zellij", "start-stop-daemon", "socat", "nc", "ncat", "netcat", "logrotate"]),
    (Kind::RunsText(0), &["parallel", "watch", "xargs", "dtach", "abduco", "gnome-terminal", "xterm", "konsole", "alacritty", "kitty"]),
    (Kind::RunsText(1), &["flock", "script", "scriptreplay", "su", "runuser", "ssh", "mosh", "rsh", "autossh", "dsh", "pdsh"]),
    (Kind::Finds, &["find", "gfind", "fd", "fdfind"]),
    (Kind::Interprets, &[
        "bun", "deno", "jshell", "julia", "lua", "luajit", "node", "nodejs", "osascript", "perl",
        "php", "pypy", "pypy3", "python", "python2", "python3", "r", "rscript", "ruby", "irb", "scala", "swift", "tclsh", "wish",
        "ed", "ex", "vi", "vim", "nvim", "emacs", "guile", "racket", "sbcl", "clisp", "ghc", "runghc", "elixir",
        "erl", "groovy", "kotlin", "sqlite3", "psql", "mysql", "bc", "dc",
    ]),
    (Kind::Lines, &["awk", "gawk", "gsed", "mawk", "nawk", "sed"]),
    (Kind::Carries, &[
        "ansible", "bundle", "bunx", "cargo", "conda", "coop", "corepack", "cpio", "direnv", "docker", "dotenv", "ftp", "git",
        "gem", "gmake", "hash", "helm", "just", "kubectl", "less", "lftp", "make", "mail", "mailx", "man", "mise", "more", "nix",
        "nix-shell", "ninja", "npm", "npx", "nerdctl", "pipenv", "pipx", "pnpm", "pnpx", "podman", "poetry", "rake", "rbenv",
        "rsync", "rtx", "scp", "sftp", "sort", "split", "systemctl", "tar", "bsdtar", "gtar", "task", "tcpdump", "uv", "uvx",
        "vagrant", "wget", "yarn", "zip", "pyenv", "asdf", "tox", "nox", "oc", "lxc", "incus", "crictl", "machinectl",
    ]),
];

/// Arguments of programs from which on they carry a command; every argument of those that are not here.
#[rustfmt::skip]
const MARKS: &[(&[&str], &[&str])] = &[
    (&["cargo"], &["--config", "-Z", "run", "r"]),
    (&["docker", "nerdctl", "podman", "lxc", "incus", "crictl"], &[
        "exec", "run", "create", "build", "buildx", "compose", "healthcheck", "--entrypoint", "-H",
    ]),
    (&["git"], &[
        "-c", "-x", "-O", "-u", "--config-env", "--exec", "--exec-path", "--ext-diff", "--open-files-in-pager", "--receive-pack",
        "--textconv", "--upload-pack", "alias", "bisect", "config", "credential", "difftool", "filter-branch", "foreach", "mergetool",
        "ls-remote", "clone", "fetch", "pull", "push", "submodule",
    ]),
    (&["helm"], &["--post-renderer", "plugin"]),
    (&["kubectl", "oc"], &["exec", "run", "debug", "attach", "--", "rsh"]),
    (&["npm", "pnpm", "yarn", "corepack"], &[
        "exec", "x", "dlx", "run", "run-script", "explore", "config", "set", "edit", "--script-shell", "--node-options",
    ]),
    (&["poetry", "pipenv", "pipx", "uv", "bundle", "conda", "mise", "rtx", "asdf", "rbenv", "pyenv", "direnv", "tox", "nox"], &[
        "run", "exec", "x", "shell", "tool", "--",
    ]),
    (&["rsync"], &["-e", "--rsh", "--rsync-path"]),
    (&["scp", "sftp"], &["-o", "-S", "-D", "-F"]),
    (&["sort"], &["--compress-program"]),
    (&["split"], &["--filter"]),
    (&["systemctl"], &["edit", "link", "enable", "set-environment"]),
    (&["tar", "bsdtar", "gtar"], &[
        "--checkpoint-action", "--to-command", "-I", "--use-compress-program", "--rsh-command", "-F", "--info-script",
        "--new-volume-script",
    ]),
    (&["wget"], &["--use-askpass", "-e", "--execute"]),
    (&["zip"], &["-TT", "--unzip-command"]),
];

/// Options that have no value of their own, by program. The next argument may be the command.
#[rustfmt::skip]
const FLAGS: &[(&str, &[&str])] = &[
    ("command", &["-p"]),
    ("doas", &["-n", "-s"]),
    ("env", &["-i", "-", "-0", "-v", "--ignore-environment", "--null"]),
    ("exec", &["-c", "-l"]),
    ("python", &["-u", "-B", "-O", "-s", "-S", "-I", "-q", "-v", "-E"]),
    ("python3", &["-u", "-B", "-O", "-s", "-S", "-I", "-q", "-v", "-E"]),
    ("setsid", &["-c", "-f", "-w", "--ctty", "--fork", "--wait"]),
    ("strace", &["-f", "-ff", "-c", "-C", "-q", "-t", "-tt", "-v", "-y"]),
    ("sudo", &["-n", "-E", "-H", "-S", "-b", "-k", "-A", "-P", "--non-interactive", "--preserve-env"]),
    ("time", &["-p", "-v", "-a", "-l"]),
    ("timeout", &["-v", "--verbose", "--foreground", "--preserve-status"]),
    ("watch", &["-t", "-d", "-e", "-g", "-c", "-b", "-x", "-p"]),
    ("xargs", &["-0", "-r", "-t", "-p", "-x", "--null", "--no-run-if-empty", "--verbose"]),
];

/// Options whose value is the next argument, by program.
#[rustfmt::skip]
const VALUES: &[(&str, &[&str])] = &[
    ("env", &["-u", "-C"]),
    ("exec", &["-a"]),
    ("ionice", &["-c", "-n"]),
    ("nice", &["-n"]),
    ("ssh", &["-b", "-D", "-E", "-F", "-i", "-J", "-L", "-l", "-p", "-R", "-S", "-W"]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("strace", &["-e", "-o", "-s", "-u"]),
    ("sudo", &["-u", "-g", "-h", "-p", "-C"]),
    ("timeout", &["-k", "-s"]),
    ("xargs", &["-I", "-n", "-P", "-L", "-d", "-s", "-E", "-a"]),
];

/// Variables that programs read a command, or a file of commands, from.
const VARIABLES: &[&str] = &[
    "bash_env",
    "zdotdir",
    "prompt_command",
    "ps4",
    "pager",
    "manpager",
    "editor",
    "visual",
    "browser",
    "shell",
    "sshcommand",
    "git_ssh",
    "git_ssh_command",
    "git_pager",
    "git_editor",
    "git_askpass",
    "ssh_askpass",
    "git_external_diff",
    "git_config_count",
    "git_proxy_command",
    "git_sequence_editor",
    "lessopen",
    "lessclose",
    "make",
    "makeflags",
    "rustc_wrapper",
    "rustc",
    "cargo_build_rustc_wrapper",
    "cc",
    "cxx",
    "ld",
    "ar",
    "rsync_rsh",
    "cvs_rsh",
    "tar_options",
    "node_options",
    "perl5opt",
    "pythonstartup",
    "pythoninspect",
    "rubyopt",
    "ld_preload",
    "ld_audit",
    "ld_library_path",
    "dyld_insert_libraries",
    "path",
];

/// Words of code that start a program, or make code out of text.
const CODE: &[&str] = &[
    "system",
    "popen",
    "exec",
    "execl",
    "execv",
    "execve",
    "execvp",
    "execfile",
    "spawn",
    "spawnsync",
    "execsync",
    "fork",
    "forkpty",
    "subprocess",
    "os",
    "posix",
    "pty",
    "child_process",
    "eval",
    "compile",
    "__import__",
    "import_module",
    "importlib",
    "getattr",
    "globals",
    "builtins",
    "__builtins__",
    "ctypes",
    "ffi",
    "dlopen",
    "syscall",
    "qx",
    "open3",
    "open",
    "io",
    "kernel",
    "process",
    "function",
    "require",
    "binding",
    "getline",
    "shell",
    "shell_exec",
    "passthru",
    "proc_open",
    "pcntl_exec",
    "command",
    "startprocess",
    "runtime",
    "processbuilder",
    "do",
    "vm",
    "worker_threads",
    "cluster",
    "send",
    "instance_eval",
    "asyncio",
    "multiprocessing",
    "runpy",
    "code",
    "pickle",
    "marshal",
    "commands",
    "pipe",
    "deno",
    "bun",
];

/// Returns how a program runs others. Nothing for one that does not by its arguments.
pub(super) fn kind(program: &str) -> Option<Kind> {
    let exactly = |name: &str| KINDS.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| *kind);
    // `python3.12`, `bash-5.2`
    let without_version = || program.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    exactly(program).or_else(|| Some(without_version()).filter(|name| !name.is_empty()).and_then(exactly))
}

/// What the argument after an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// An argument like any other.
    Argument,
    /// The value of the option.
    Value,
    Either,
}

pub(super) fn after_option(program: &str, option: &str) -> Next {
    let is_in = |table: &[(&str, &[&str])], option: &str| {
        table.iter().any(|(name, options)| *name == program && options.contains(&option))
    };
    let attached = option.get(..2).filter(|start| option.len() > 2 && *start != "--");
    if is_in(FLAGS, option)
        || option.contains('=')
        || option == "--"
        || attached.is_some_and(|start| is_in(VALUES, start))
    {
        Next::Argument
    } else if is_in(VALUES, option) {
        Next::Value
    } else {
        Next::Either
    }
}

/// Returns the place of the argument from which on a program may carry a command.
pub(super) fn carries(program: &str, mut arguments: impl Iterator<Item = String>) -> Option<usize> {
    let Some((_, marks)) = MARKS.iter().find(|(names, _)| names.contains(&program)) else { return Some(0) };
    let fits = |argument: &str, mark: &str| match argument.strip_prefix(mark) {
        _ if mark.starts_with("--") => is_long_option(argument, mark),
        Some("") => true,
        Some(_) => mark.starts_with('-') && mark.len() == 2,
        None => false,
    };
    arguments.position(|argument| marks.iter().any(|mark| fits(&argument, mark)))
}

/// Returns whether an argument is this long option, with a value or without. Programs take each beginning of an option that
/// is unique among theirs: `--filt=` is `--filter=`.
pub(super) fn is_long_option(argument: &str, option: &str) -> bool {
    let name = argument.split('=').next().unwrap_or_default();
    name.len() > "--".len() && name.starts_with("--") && option.starts_with(name)
}

/// Programs and builtins that run nothing that their arguments name.
#[rustfmt::skip]
const INERT: &[&str] = &[
    "alias", "apropos", "apt", "apt-cache", "apt-get", "arch", "b2sum", "base32", "base64", "basename", "break", "brew",
    "bzip2", "cal", "cat", "cc", "cd", "chgrp", "chmod", "chown", "cksum", "clang", "clear", "cmp", "col", "column", "comm",
    "continue", "cp", "curl", "cut", "date", "dd", "df", "diff", "dig", "dirname", "dirs", "dnf", "dpkg", "du", "echo", "egrep",
    "exit", "expand", "expr", "factor", "false", "fgrep", "file", "fmt", "fold", "free", "g++", "gcc", "getconf", "getent",
    "grep", "groups", "gunzip", "gzip", "head", "hexdump", "host", "hostname", "iconv", "id", "info", "install", "join", "jq",
    "kill", "killall", "link", "ln", "locale", "locate", "logger", "logname", "ls", "lsblk", "lsof", "md5sum", "mkdir", "mkfifo",
    "mknod", "mktemp", "mv", "netstat", "nl", "nproc", "nslookup", "numfmt", "od", "pacman", "paste", "patch", "pgrep", "pidof",
    "ping", "pip", "pip3", "pkill", "popd", "pr", "printenv", "ps", "pushd", "pwd", "readlink", "realpath", "return", "rev", "rg",
    "rm", "rmdir", "rustc", "seq", "set", "sha1sum", "sha256sum", "sha512sum", "shift", "shred", "shuf", "sleep", "ss", "stat",
    "strings", "stty", "sum", "sync", "tac", "tail", "tee", "touch", "tput", "tr", "tree", "true", "truncate", "tsort",
    "tty", "type", "ulimit", "umask", "unalias", "uname", "unexpand", "uniq", "unlink", "unxz", "unzip", "uptime", "users",
    "vdir", "wc", "whatis", "whereis", "which", "who", "whoami", "xxd", "xz", "yes", "yq", "yum", "zcat",
];

/// Returns whether a program is known to run nothing that its arguments name.
pub(super) fn is_inert(program: &str) -> bool {
    INERT.contains(&program)
}

/// Whether a variable holds a command for some program.
pub(super) fn holds_command(variable: &str) -> bool {
    let name = variable.to_ascii_lowercase();
    VARIABLES.contains(&name.as_str())
        || ["_command", "_pager", "_editor", "_askpass", "_shell", "_wrapper", "_runner", "_hook"]
            .iter()
            .any(|end| name.ends_with(end))
        || name.starts_with("git_config_")
        || name.starts_with("bash_func_")
}

/// Whether code of another language may start programs.
pub(super) fn code_runs(code: &str) -> bool {
    let lower = code.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '_');
    code.contains(['`', '|']) || code.contains("\\x") || code.contains("\\u") || words.any(|word| CODE.contains(&word))
}
