//! The hooks that stand in a settings file, ours and others'.

use super::{Form, PROGRAMS, json};
use crate::jsonc;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub use crate::jsonc::Error as Trouble;

/// One hook as it stands in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The event, as written.
    pub event: String,
    /// Which of the event's groups, and which hook in that group, from 0.
    pub place: (usize, usize),
    /// The group's matcher, if it has one.
    pub matcher: Option<String>,
    /// `type`: `command` for all of ours.
    pub kind: String,
    /// The command as written; empty where there is none.
    pub command: String,
    /// `args`, where it is there.
    pub args: Option<Vec<String>>,
    /// The timeout as written, in the harness's unit.
    pub timeout: Option<f64>,
    /// Whether the call is stopped when the hook fails.
    pub block_on_failure: bool,
    /// Our executables in it, as written, first to last; empty for a hook of others.
    pub programs: Vec<PathBuf>,
    /// Where the group lies in the bytes of the file.
    pub group: Range<usize>,
    /// Where the hook itself lies.
    pub range: Range<usize>,
    /// Its first line, from 1.
    pub line: usize,
}

impl Found {
    /// Whether our executable `name` is in it.
    #[must_use]
    pub fn runs(&self, name: &str) -> bool {
        self.programs.iter().any(|path| path.file_name().is_some_and(|base| base == name))
    }

    /// The names of our executables in it.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        PROGRAMS.iter().copied().filter(|name| self.runs(name)).collect()
    }
}

/// Every hook in the bytes of a settings file.
///
/// # Errors
/// The harness cannot read the file, or its hooks have another shape than the harness takes.
pub fn found(form: Form, bytes: &[u8]) -> Result<Vec<Found>, Trouble> {
    let (skipped, text) = jsonc::text(bytes)?;
    let mut all = match form {
        Form::Json => json::found(text, false)?,
        Form::Jsonc => json::found(text, true)?,
        #[cfg(feature = "toml")]
        Form::Toml => super::toml::found(text)?,
        #[cfg(not(feature = "toml"))]
        Form::Toml => return Err(jsonc::wrong(text, 0, "this program does not read TOML")),
    };
    // Ascending, so that lines are counted once through.
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|at| all[*at].range.start);
    let (mut line, mut seen) = (1, 0);
    for at in order {
        let one = &mut all[at];
        line += text[seen..one.range.start].matches('\n').count();
        seen = one.range.start;
        one.line = line;
        one.programs = programs(&one.command, one.args.as_deref());
        one.group = one.group.start + skipped..one.group.end + skipped;
        one.range = one.range.start + skipped..one.range.end + skipped;
    }
    Ok(all)
}

/// Our executables in a command, as written: the first word of each part of a pipe, or what a project's script is told
/// to run. Others' are none of ours, whatever their text mentions.
#[must_use]
pub fn programs(command: &str, args: Option<&[String]>) -> Vec<PathBuf> {
    let parts = match args {
        Some(args) => vec![[command.to_owned()].into_iter().chain(args.iter().cloned()).collect()],
        None => words(command),
    };
    let ours = |path: &Path| path.file_name().is_some_and(|base| PROGRAMS.iter().any(|name| base == *name));
    let mut found = Vec::new();
    for part in parts {
        let Some(first) = part.first().map(PathBuf::from) else { continue };
        if ours(&first) {
            found.push(first);
        } else if let Some(told) = by_script(&part) {
            found.extend(told.split('+').map(PathBuf::from).filter(|path| ours(path)));
        }
    }
    found
}

/// What the project's script is told to run.
fn by_script(words: &[String]) -> Option<&str> {
    let script = |word: &String| word.ends_with(".ah/hook");
    match words {
        [first, told, ..] if script(first) => Some(told),
        [sh, flag, text, _, told, ..] if sh == "sh" && flag == "-c" && text.contains(".ah/hook") => Some(told),
        _ => None,
    }
}

/// The words of each part of a pipe, quotes taken off. What is more than plain words and quotes is cut there: ours are
/// not.
fn words(line: &str) -> Vec<Vec<String>> {
    let mut parts = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                while let Some(inner) = chars.next().filter(|inner| *inner != c) {
                    match inner {
                        '\\' if c == '"' => word.extend(chars.next()),
                        _ => word.push(inner),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            '|' => {
                parts.last_mut().into_iter().for_each(|part| part.extend(word.take()));
                parts.push(Vec::new());
            }
            c if c.is_whitespace() => parts.last_mut().into_iter().for_each(|part| part.extend(word.take())),
            c => word.get_or_insert_default().push(c),
        }
    }
    parts.last_mut().into_iter().for_each(|part| part.extend(word.take()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(command: &str) -> Vec<String> {
        programs(command, None).iter().map(|path| path.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn only_what_runs_is_ours() {
        assert_eq!(ours("/a/ah-git-guard --harness codex"), ["/a/ah-git-guard"]);
        assert_eq!(ours("'/my bin/it'\\''s/ah-judge' x"), ["/my bin/it's/ah-judge"]);
        assert_eq!(ours("/a/ah-prefilter --pass | '/b c/ah-judge'"), ["/a/ah-prefilter", "/b c/ah-judge"]);
        for other in ["echo /a/ah-git-guard", "/a/ah-git-guard-old", "my-ah-git-guard", "", "|", "'", "cat ah-judge | tee"] {
            assert_eq!(ours(other), Vec::<String>::new(), "{other}");
        }
        assert_eq!(ours("sh -c 'exec \"$d/.ah/hook\" \"$@\"' ah ah-prefilter+ah-judge codex Stop"), ["ah-prefilter", "ah-judge"]);
        let args = ["ah-git-guard".to_owned(), "claude".to_owned()];
        assert_eq!(programs("${CLAUDE_PROJECT_DIR}/.ah/hook", Some(&args)), [PathBuf::from("ah-git-guard")]);
        assert_eq!(programs("/a b/ah-mesh", Some(&[])), [PathBuf::from("/a b/ah-mesh")]);
    }
}
