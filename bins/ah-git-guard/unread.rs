//! Commands that cannot be read well enough: an unknown program, a shell or `eval` that runs unknown text.

use ah::shell::{Command, Stdin, Word};

/// Words that name a losing git verb: what an unknown program in front of them may be.
const LOSING: &[&str] = &[
    "branch", "checkout", "checkout-index", "clean", "filter-branch", "gc", "push", "rebase", "reflog", "reset", "restore", "rm",
    "stash", "switch", "update-ref", "worktree",
];

/// Programs whose output is meant to be evaluated by the shell, and that print settings only.
const SETUP: &[&str] = &[
    "brew", "conda", "dircolors", "direnv", "docker-machine", "fnm", "keychain", "lesspipe", "luarocks", "mamba", "minikube",
    "mise", "nodenv", "opam", "pyenv", "rbenv", "rtx", "ssh-agent", "starship", "tmutil", "zoxide",
];

/// Why a command cannot be read well enough, if so.
pub fn why(command: &Command) -> Option<&'static str> {
    let first = command.words.first()?;
    match first {
        Word::Literal(_) => {
            let program = command.program()?;
            let shell = matches!(program, "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish");
            let unknown = |at: usize| command.words.get(at).is_some_and(|w| matches!(w, Word::Unknown(t) if !t.contains('/')));
            if program == "eval" && (1..command.words.len()).any(unknown) {
                return Some("eval of a text that is not known");
            }
            let option = command
                .words
                .iter()
                .position(|w| w.literal().is_some_and(|t| t.starts_with('-') && !t.starts_with("--") && t.contains('c')));
            if shell && option.is_some_and(|at| command.words.get(at + 1).is_some_and(|w| w.literal().is_none())) {
                return Some("a shell runs a text that is not known");
            }
            if shell
                && command.stdin == Stdin::Unknown
                && command.words[1..].iter().all(|w| w.literal().is_some_and(|t| t.starts_with('-')))
            {
                return Some("a shell reads commands that are not known");
            }
            None
        }
        Word::Unknown(_) | Word::Glob(_) => {
            let alone = command.words.len() == 1 && first.text().chars().all(|c| c == ah::shell::HOLE);
            let verb = command.words[1..]
                .iter()
                .filter_map(Word::literal)
                .find(|t| !t.starts_with('-'))
                .is_some_and(|t| LOSING.binary_search(&t).is_ok());
            let git = first.text().contains("git");
            if verb || git {
                Some("the program is not known, its arguments are git's")
            } else if alone {
                Some("the command is not known")
            } else {
                None
            }
        }
    }
}

/// Whether `eval`'s unknown text comes from a program that prints settings.
pub fn is_setup(command: &Command, before: Option<&[Word]>) -> bool {
    let evaluated = command.program() == Some("eval") || command.via.last().is_some_and(|v| v == "eval");
    evaluated
        && before
            .and_then(|w| w.first())
            .and_then(Word::literal)
            .is_some_and(|p| SETUP.contains(&p.rsplit('/').next().unwrap_or(p)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn tables_are_sorted() {
        for table in [super::LOSING, super::SETUP] {
            assert!(table.windows(2).all(|w| w[0] < w[1]));
        }
    }
}
