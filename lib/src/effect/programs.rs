//! Programs by what they do to files: those that only look, those that change what they name.

use super::git;
use super::options::{curl_looks, files, sed};

/// What a command does.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// It looks; the arguments with these indexes are files that it reads.
    Looks(Vec<usize>),
    /// It changes something; the arguments with these indexes are files that it writes.
    Changes(Vec<usize>),
}

/// Programs that only look, whatever their arguments. Sorted.
const LOOKERS: &[&str] = &[
    ".", ":", "[", "alias", "base64", "basename", "bat", "batcat", "break", "cal", "cat", "cd", "cksum", "cloc", "cmp", "column",
    "comm", "command", "continue", "cut", "declare", "df", "diff", "dig", "dirname", "dirs", "dmesg", "du", "echo", "egrep",
    "env", "exa", "exit", "expand", "export", "expr", "eza", "factor", "false", "fgrep", "file", "fmt", "fold", "free",
    "getconf", "getopts", "grep", "groups", "hash", "head", "hexdump", "history", "host", "hostname", "id", "jobs", "join",
    "journalctl", "jq", "ldd", "less", "let", "local", "locale", "look", "ls", "lsblk", "lsof", "man", "mapfile", "md5sum",
    "more", "netstat", "nl", "nm", "nproc", "nslookup", "numfmt", "objdump", "od", "paste", "pgrep", "ping", "popd", "pr",
    "printenv", "printf", "ps", "pstree", "pushd", "pwd", "read", "readarray", "readelf", "readlink", "readonly", "realpath",
    "return", "rev", "rg", "seq", "set", "sha1sum", "sha256sum", "sha512sum", "shellcheck", "shift", "shopt", "size", "sleep",
    "ss", "stat", "strings", "sum", "tac", "tail", "test", "tokei", "top", "tr", "trap", "true", "tsort", "tty", "type",
    "typeset", "ulimit", "umask", "unalias", "uname", "unexpand", "unset", "uptime", "users", "vmstat", "wait", "wc", "whatis",
    "whereis", "which", "who", "whoami", "xxd", "yes", "zcat", "zgrep", "zless",
];

/// Lookers whose operands are files.
const READERS: &[&str] = &["bat", "batcat", "cat", "head", "less", "more", "nl", "tac", "tail", "wc", "zcat"];
/// Readers whose first operand is a pattern or program.
const SEARCHERS: &[&str] = &["awk", "egrep", "fgrep", "gawk", "grep", "jq", "rg", "sed"];
/// Programs that change all their operands.
const CHANGERS: &[&str] = &["mkdir", "rm", "rmdir", "shred", "tee", "touch", "truncate", "unlink"];

/// Words of tools of many verbs that only look: program, verbs (the first one or two operands).
const VERBS: &[(&str, &[&str])] = &[
    ("brew", &["info", "list", "search"]),
    ("bun", &["--version", "pm"]),
    ("cargo", &["--list", "--version", "-V", "help", "locate-project", "metadata", "pkgid", "search", "tree", "version"]),
    ("docker", &["--version", "images", "info", "inspect", "logs", "port", "ps", "search", "stats", "top", "version"]),
    (
        "gh",
        &[
            "--version", "auth status", "issue list", "issue status", "issue view", "pr checks", "pr diff", "pr list",
            "pr status", "pr view", "release list", "release view", "repo list", "repo view", "run list", "run view", "search",
        ],
    ),
    ("go", &["doc", "env", "help", "list", "version"]),
    ("kubectl", &["api-resources", "cluster-info", "describe", "explain", "get", "logs", "top", "version"]),
    ("npm", &["--version", "-v", "info", "list", "ll", "ls", "outdated", "root", "search", "view", "whoami"]),
    ("pip", &["--version", "check", "freeze", "list", "show"]),
    ("pip3", &["--version", "check", "freeze", "list", "show"]),
    ("pnpm", &["--version", "-v", "list", "ls", "outdated", "why"]),
    ("podman", &["--version", "images", "info", "inspect", "logs", "ps", "version"]),
    ("rustup", &["--version", "show", "which"]),
    (
        "systemctl",
        &["cat", "is-active", "is-enabled", "is-failed", "list-timers", "list-unit-files", "list-units", "show", "status"],
    ),
    ("yarn", &["--version", "-v", "info", "list", "why"]),
];

/// Programs that run whatever is in the directory, even without arguments.
pub(super) fn builds(program: &str) -> bool {
    matches!(
        program,
        "make" | "gmake" | "ninja" | "just" | "yarn" | "pytest" | "tox" | "rake" | "gradle" | "mvn" | "ant" | "bazel" | "meson"
    )
}

/// What `program` does with these arguments; `None`: not known.
pub(super) fn doing(program: &str, args: &[&str]) -> Option<Doing> {
    let program = program.strip_suffix(".exe").unwrap_or(program);
    let flag = |names: &[&str]| {
        args.iter().any(|arg| {
            names.iter().any(|name| {
                arg == name || (name.starts_with("--") && arg.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')))
            })
        })
    };
    let operands: Vec<usize> = (0..args.len()).filter(|at| !args[*at].starts_with('-')).collect();
    let looks = |yes: bool| Some(if yes { Doing::Looks(Vec::new()) } else { Doing::Changes(Vec::new()) });
    match program {
        "git" => return Some(git::doing(args)),
        "awk" | "gawk" | "mawk" | "nawk" => {
            let inplace = args.windows(2).any(|pair| pair[0] == "-i" && pair[1] == "inplace");
            return if inplace {
                Some(Doing::Changes(operands.into_iter().skip(2).collect()))
            } else {
                Some(Doing::Looks(operands.into_iter().skip(1).collect()))
            };
        }
        "sed" | "gsed" => return Some(sed(args)),
        "find" => return looks(!flag(&["-delete", "-fprint", "-fprint0", "-fprintf", "-fls"])),
        "fd" | "fdfind" => return looks(true),
        "sort" => {
            let writes =
                flag(&["--output"]) || args.iter().any(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.contains('o'));
            return looks(!writes);
        }
        "uniq" => return if operands.len() > 1 { Some(Doing::Changes(vec![operands[1]])) } else { looks(true) },
        "date" => return looks(!flag(&["-s", "--set"]) && !args.iter().any(|arg| arg.starts_with("-s"))),
        "tree" => return looks(!args.iter().any(|arg| arg.starts_with("-o"))),
        "yq" => return looks(!flag(&["-i", "--inplace", "--in-place"])),
        "curl" => return looks(curl_looks(args)),
        "wget" => {
            return looks(
                args.iter().any(|arg| {
                    matches!(*arg, "-O-" | "--spider" | "-qO-")
                        || (arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with("O-"))
                }) || args.windows(2).any(|pair| pair[0].ends_with('O') && pair[1] == "-"),
            );
        }
        "tar" | "bsdtar" => {
            let mode = args.first().map_or("", |arg| arg.trim_start_matches('-'));
            return looks(
                flag(&["--list"]) || (mode.contains('t') && !mode.starts_with('-') && !mode.contains(['x', 'c', 'r', 'u'])),
            );
        }
        "unzip" => return looks(args.iter().any(|arg| matches!(*arg, "-l" | "-t" | "-v" | "-Z" | "-p"))),
        "xargs" => return looks(args.is_empty()),
        "cp" | "install" | "ln" | "rsync" | "scp" => return Some(Doing::Changes(operands.last().copied().into_iter().collect())),
        "mv" => return Some(Doing::Changes(operands)),
        "dd" => return looks(!args.iter().any(|arg| arg.starts_with("of="))),
        "rustc" | "python" | "python3" | "node" | "ruby" | "perl" | "java" | "gcc" | "clang" | "cc" | "deno"
            if matches!(args, ["--version" | "-V" | "-v" | "-version" | "--help"]) =>
        {
            return looks(true);
        }
        _ => {}
    }
    if LOOKERS.binary_search(&program).is_ok() {
        return Some(Doing::Looks(if READERS.contains(&program) {
            files(program, args)
        } else if SEARCHERS.contains(&program) {
            let skip = usize::from(!flag(&["-e", "-f", "--regexp", "--file"]));
            files(program, args).into_iter().skip(skip).collect()
        } else {
            Vec::new()
        }));
    }
    if CHANGERS.contains(&program) {
        return Some(Doing::Changes(files(program, args)));
    }
    if let Some((_, verbs)) = VERBS.iter().find(|(name, _)| *name == program) {
        let first = args.iter().find(|arg| !arg.starts_with('-')).or(args.first()).copied().unwrap_or("");
        let second = operands.get(1).map_or("", |at| args[*at]);
        let both = format!("{first} {second}");
        return if verbs.iter().any(|verb| *verb == first || *verb == both || args.first() == Some(verb)) {
            looks(true)
        } else {
            None
        };
    }
    matches!(
        program,
        "chmod"
            | "chown"
            | "chgrp"
            | "kill"
            | "killall"
            | "pkill"
            | "crontab"
            | "patch"
            | "gzip"
            | "gunzip"
            | "zip"
            | "ed"
            | "split"
            | "csplit"
            | "mktemp"
            | "mkfifo"
            | "setfacl"
    )
    .then(|| Doing::Changes(Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(LOOKERS.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(VERBS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn files_are_told_from_options() {
        assert_eq!(doing("sed", &["-n", "1,80p", "src/x.rs"]), Some(Doing::Looks(vec![2])));
        assert_eq!(doing("sed", &["-i", "s/a/b/", "f"]), Some(Doing::Changes(vec![2])));
        assert_eq!(doing("grep", &["-e", "foo", "a.rs"]), Some(Doing::Looks(vec![2])));
        assert_eq!(doing("rg", &["-g", "*.rs", "foo", "d/f.txt"]), Some(Doing::Looks(vec![3])));
        assert_eq!(doing("head", &["-n", "5", "Makefile"]), Some(Doing::Looks(vec![2])));
        assert_eq!(doing("frobnicate", &[]), None);
    }
}
