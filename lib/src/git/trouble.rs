//! Why a fact about a repository could not be had.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a fact could not be had.
#[derive(Debug)]
pub enum Trouble {
    /// The deadline passed during this step.
    Deadline {
        /// The git command that was running.
        step: String,
    },
    /// git refuses the repository because another user owns it; it would refuse the person's command too.
    Dubious,
    /// git ended with an error.
    Failed {
        /// Its arguments, without the environment.
        args: String,
        /// The first line it wrote to standard error.
        line: String,
    },
    /// Only git itself can read this repository's files: the name of the format.
    Foreign(&'static str),
    /// A file could not be read or a process not started.
    Io {
        /// The file or program.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// No `git` on the PATH.
    NoGit,
    /// What should be a repository is not one; git would refuse too.
    NotARepository,
    /// An answer or a file is larger than its bound.
    TooMuch {
        /// What was asked.
        step: String,
    },
    /// git cannot be asked without the risk that it runs a program of the repository's.
    Unsafe {
        /// The setting that could not be made harmless.
        what: String,
    },
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadline { step } => write!(f, "no answer in time: git {step}"),
            Self::Dubious => f.write_str("git refuses the repository: another user owns it"),
            Self::Failed { args, line } => write!(f, "git {args}: {line}"),
            Self::Foreign(format) => write!(f, "only git can read the format {format}"),
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::NoGit => f.write_str("no git on the PATH"),
            Self::NotARepository => f.write_str("not a git repository"),
            Self::TooMuch { step } => write!(f, "too large to read: {step}"),
            Self::Unsafe { what } => write!(f, "cannot be made harmless: {what}"),
        }
    }
}

impl Error for Trouble {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
