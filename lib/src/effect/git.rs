//! Git by its verbs: those that only look, and with which options they do.

use super::programs::Doing;

/// Verbs that only look, whatever follows (but `--output`). Sorted.
const LOOKING: &[&str] = &[
    "annotate", "blame", "cat-file", "check-attr", "check-ignore", "check-mailmap", "check-ref-format", "cherry",
    "count-objects", "describe", "diff", "diff-files", "diff-index", "diff-tree", "for-each-ref", "fsck", "get-tar-commit-id",
    "grep", "help", "log", "ls-files", "ls-remote", "ls-tree", "merge-base", "name-rev", "range-diff", "rev-list", "rev-parse",
    "shortlog", "show", "show-branch", "show-ref", "status", "var", "verify-commit", "verify-pack", "verify-tag", "version",
    "whatchanged",
];

/// Global options with a value in the next word.
const VALUED: [&str; 7] = ["--attr-source", "--exec-path", "--git-dir", "--namespace", "--work-tree", "-C", "-c"];

pub(super) fn doing(args: &[&str]) -> Doing {
    let mut at = 0;
    while at < args.len() && args[at].starts_with('-') {
        if matches!(args[at], "-h" | "--help" | "--version" | "-v" | "--exec-path" | "--html-path" | "--man-path" | "--info-path")
            && args.len() == at + 1
        {
            return Doing::Looks(Vec::new());
        }
        at += 1 + usize::from(VALUED.contains(&args[at]));
    }
    let Some(verb) = args.get(at) else {
        return Doing::Looks(Vec::new());
    };
    if looks(verb, &args[at + 1..]) { Doing::Looks(Vec::new()) } else { Doing::Changes(Vec::new()) }
}

fn looks(verb: &str, rest: &[&str]) -> bool {
    let options = rest.iter().take_while(|arg| **arg != "--");
    let flag = |names: &[&str]| options.clone().any(|arg| names.contains(&arg.split('=').next().unwrap_or(arg)));
    let operands: Vec<&str> = rest.iter().copied().filter(|arg| !arg.starts_with('-')).collect();
    let first = operands.first().copied().unwrap_or("");
    if flag(&["--help"]) || rest.first() == Some(&"-h") {
        return true;
    }
    if LOOKING.binary_search(&verb).is_ok() {
        return !flag(&["--output", "--lost-found", "--write"]);
    }
    match verb {
        "archive" => !flag(&["--output", "-o"]),
        "bisect" => matches!(first, "log" | "view" | "visualize" | "help"),
        "branch" | "tag" => {
            let changing = flag(&[
                "-d", "-D", "-m", "-M", "-c", "-C", "-f", "-u", "-s", "--delete", "--move", "--copy", "--force",
                "--set-upstream-to", "--unset-upstream", "--edit-description", "--sign", "--annotate", "--track", "-t",
            ]) || (verb == "tag" && flag(&["-a"]));
            let listing = flag(&[
                "-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--show-current", "-n",
                "-v", "-vv", "--sort",
            ]);
            !changing && (operands.is_empty() || listing)
        }
        "bundle" => matches!(first, "verify" | "list-heads"),
        "config" => {
            flag(&["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l"])
                || matches!(first, "get" | "list")
                || (operands.len() == 1 && !flag(&["--unset", "--unset-all", "--edit", "-e", "--remove-section"]))
        }
        "notes" => matches!(first, "" | "list" | "show"),
        "reflog" => !matches!(first, "expire" | "delete" | "drop"),
        "remote" => matches!(first, "" | "show" | "get-url"),
        "stash" => matches!(first, "list" | "show"),
        "submodule" => matches!(first, "" | "status" | "summary"),
        "symbolic-ref" => operands.len() == 1 && !flag(&["-d", "--delete"]),
        "worktree" => first == "list",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_sorted() {
        assert!(LOOKING.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
