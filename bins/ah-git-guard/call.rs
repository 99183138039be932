//! One git verb as it meets one repository: what every verb's rules are given, and how they end.

use crate::invocation::Invocation;
use crate::options::Options;
use crate::verdict::{Finding, Verdict};
use crate::world::{SiteId, World};
use ah::git::Trouble;
use ah::shell::{Command, Stdin, Word};
use std::path::PathBuf;

/// A git verb, its options read, in its repository.
pub struct Call<'a> {
    /// The simple command it came from.
    pub command: &'a Command,
    /// Where git runs, after `cd` and `-C`.
    pub cwd: PathBuf,
    /// Global options.
    pub invocation: &'a Invocation,
    /// The verb's own options.
    pub options: Options,
    /// The repository.
    pub site: SiteId,
    /// The command as a person would write it.
    pub text: String,
}

/// The worlds a command can end in, each with its exit status as far as it is known.
pub type Ends = Vec<(World, Option<bool>)>;

/// What a verb's rules give back.
pub type Judged = Result<Ends, Trouble>;

/// One end whose exit status is not known.
pub fn done(world: World) -> Judged {
    Ok(vec![(world, None)])
}

/// One end that succeeded.
pub fn succeeds(world: World) -> Judged {
    Ok(vec![(world, Some(true))])
}

/// One end that failed.
pub fn fails(world: World) -> Judged {
    Ok(vec![(world, Some(false))])
}

/// Two ends: `after` where it succeeded, `before` where it failed and changed nothing.
pub fn either(after: World, before: World) -> Judged {
    Ok(vec![(after, Some(true)), (before, Some(false))])
}

impl Call<'_> {
    /// A finding about this command.
    pub fn finding(&self, rule: &'static str, verdict: Verdict, detail: impl Into<String>) -> Finding {
        Finding::new(rule, verdict, &self.text, detail)
    }

    /// Operand `n`, when its text is known.
    pub fn operand(&self, n: usize) -> Option<&str> {
        self.options.operands.get(n)?.literal()
    }

    /// The paths of `--pathspec-from-file`, when the option is there: `Some(None)` when they are not known.
    pub fn listed_paths(&self) -> Option<Option<Vec<Word>>> {
        let file = self.options.value("pathspec-from-file")?;
        let text = match (&self.command.stdin, file.literal()) {
            (Stdin::Text(text), Some("-")) => text,
            _ => return Some(None),
        };
        let end = if self.options.has("pathspec-file-nul") { '\0' } else { '\n' };
        Some(Some(text.split(end).filter(|l| !l.is_empty()).map(|l| Word::Literal(l.to_owned())).collect()))
    }
}
