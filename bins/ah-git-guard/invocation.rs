//! One `git` call: its global options, the verb, and what is left for the verb.

use ah::shell::{Command, EnvValue, Word};

/// A `git` command line taken apart as far as git itself takes it before it looks at the verb.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// `-C` directories in order.
    pub dirs: Vec<Word>,
    /// `--git-dir`, else `GIT_DIR` as the line sets it.
    pub git_dir: Option<Word>,
    /// `--work-tree`, else `GIT_WORK_TREE` as the line sets it.
    pub work_tree: Option<Word>,
    /// `-c` and `--config-env`: key as written, value (`None`: true, as git reads a key alone).
    pub overrides: Vec<(String, Option<Word>)>,
    /// The verb; `None` where git only prints something (`--version`, `--help`, nothing at all).
    pub verb: Option<Word>,
    /// Everything after the verb.
    pub args: Vec<Word>,
}

/// Global options that take their value as the next word or after `=`.
const VALUED: &[&str] = &["--attr-source", "--git-dir", "--namespace", "--super-prefix", "--work-tree"];

impl Invocation {
    /// Takes `command`, whose program is `git`, apart.
    pub fn read(command: &Command) -> Self {
        let mut out =
            Self { git_dir: env_word(command, "GIT_DIR"), work_tree: env_word(command, "GIT_WORK_TREE"), ..Self::default() };
        let mut rest = command.words[1..].iter();
        while let Some(word) = rest.next() {
            let text = match word.literal() {
                Some(text) if text.starts_with('-') => text,
                _ => {
                    out.verb = Some(word.clone());
                    break;
                }
            };
            let (name, attached) = match text.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(Word::Literal(value.to_owned()))),
                _ => (text, None),
            };
            match name {
                "-C" => out.dirs.extend(rest.next().cloned()),
                "-c" => match rest.next() {
                    Some(pair) => out.push_pair(pair),
                    None => return out,
                },
                "--config-env" => {
                    let pair = attached.or_else(|| rest.next().cloned());
                    if let Some((key, name)) = pair.as_ref().and_then(Word::literal).and_then(|t| t.rsplit_once('=')) {
                        out.overrides.push((
                            key.to_owned(),
                            Some(env_word(command, name).unwrap_or(Word::Unknown(ah::shell::HOLE.to_string()))),
                        ));
                    }
                }
                "--exec-path" if attached.is_some() => {}
                "--exec-path" | "--help" | "-h" | "--version" | "-v" | "--html-path" | "--man-path" | "--info-path"
                | "--list-cmds" => return out,
                name if VALUED.contains(&name) => {
                    let value = attached.or_else(|| rest.next().cloned());
                    match name {
                        "--git-dir" => out.git_dir = value,
                        "--work-tree" => out.work_tree = value,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        out.args = rest.cloned().collect();
        out
    }

    /// The verb as text, when it is known.
    pub fn verb(&self) -> Option<&str> {
        self.verb.as_ref()?.literal()
    }

    /// The value an override gives a key: compared as git compares keys (section and name without case).
    pub fn override_of(&self, key: &str) -> Option<&Option<Word>> {
        self.overrides.iter().rev().find(|(k, _)| same_key(k, key)).map(|(_, v)| v)
    }

    /// Whether the verb's help is asked for, so that nothing runs.
    pub fn wants_help(&self) -> bool {
        let ends = |w: &&Word| w.literal() != Some("--");
        self.verb() == Some("help")
            || self.args.iter().take_while(ends).any(|w| w.literal() == Some("--help"))
            || (self.args.len() == 1 && self.args[0].literal() == Some("-h"))
    }

    fn push_pair(&mut self, pair: &Word) {
        match pair {
            Word::Literal(text) => {
                let (key, value) =
                    text.split_once('=').map_or((text.as_str(), None), |(k, v)| (k, Some(Word::Literal(v.to_owned()))));
                self.overrides.push((key.to_owned(), value));
            }
            Word::Unknown(text) | Word::Glob(text) => {
                let (key, _) = text.split_once('=').unwrap_or((text, ""));
                self.overrides.push((key.to_owned(), Some(Word::Unknown(ah::shell::HOLE.to_string()))));
            }
        }
    }
}

/// Whether two configuration keys are the same: the subsection in the middle keeps its case.
pub fn same_key(a: &str, b: &str) -> bool {
    fn parts(key: &str) -> Option<(&str, &str, &str)> {
        let (section, rest) = key.split_once('.')?;
        let (middle, name) = rest.rsplit_once('.').unwrap_or(("", rest));
        Some((section, middle, name))
    }
    match (parts(a), parts(b)) {
        (Some(a), Some(b)) => a.0.eq_ignore_ascii_case(b.0) && a.1 == b.1 && a.2.eq_ignore_ascii_case(b.2),
        _ => false,
    }
}

fn env_word(command: &Command, name: &str) -> Option<Word> {
    match command.env.get(name)? {
        EnvValue::Set(text) => Some(Word::Literal(text.clone())),
        EnvValue::Unknown => Some(Word::Unknown(ah::shell::HOLE.to_string())),
        EnvValue::Unset => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Invocation {
        let words = line.split_whitespace().map(|w| Word::Literal(w.to_owned())).collect();
        Invocation::read(&Command { words, ..Command::default() })
    }

    #[test]
    fn global_options_end_at_the_verb() {
        let i = read("git -C . -c a.b=c --git-dir=x --work-tree y -p --literal-pathspecs reset --hard -C z");
        assert_eq!(i.verb(), Some("reset"));
        assert_eq!((i.dirs.len(), i.args.len()), (1, 3));
        assert_eq!(i.git_dir.as_ref().and_then(Word::literal), Some("x"));
        assert_eq!(i.work_tree.as_ref().and_then(Word::literal), Some("y"));
        assert!(i.override_of("A.B").is_some());
    }

    #[test]
    fn help_runs_nothing() {
        assert!(read("git reset --hard --help").wants_help());
        assert!(read("git reset -h").wants_help());
        assert!(!read("git checkout -- --help").wants_help());
        assert!(read("git --version").verb.is_none());
    }

    #[test]
    fn keys_compare_as_git_compares_them() {
        assert!(same_key("core.hookspath", "CORE.hooksPath"));
        assert!(same_key("alias.x", "Alias.x") && !same_key("branch.A.merge", "branch.a.merge"));
    }
}
