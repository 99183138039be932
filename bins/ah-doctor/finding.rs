//! What a check found: a stable code, the subject, the evidence, and the exact command that mends it.

use ah::quote;
use serde::Serialize;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Works, but not as somebody may think.
    Warn,
    /// Does not work.
    Fail,
}

/// What mends a finding.
#[derive(Serialize)]
pub struct Fix {
    /// What a person types.
    pub command: String,
    /// What `--fix` does; nothing where a person should see what it does.
    #[serde(skip)]
    pub act: Option<Act>,
}

/// A safe mend: it may be done twice, and what it does can be undone or was of no use.
pub type Act = Box<dyn Fn() -> io::Result<()>>;

/// One finding.
#[derive(Serialize)]
pub struct Finding {
    /// The check that found it.
    pub check: &'static str,
    /// What kind of finding it is; stable over versions: `check.kind`, or `check.ok`.
    pub code: &'static str,
    /// What is seen, for people; from quoted text only.
    pub evidence: String,
    /// What mends it; a failure always has one.
    pub fix: Option<Fix>,
    /// How bad.
    pub level: Level,
    /// What it is about: a program, a harness, a file.
    pub subject: String,
}

impl Finding {
    /// As it should be.
    pub fn ok(code: &'static str, subject: impl Into<String>, evidence: impl Into<String>) -> Self {
        Self { check: head(code), code, evidence: evidence.into(), fix: None, level: Level::Ok, subject: subject.into() }
    }

    /// Not as somebody may think.
    pub fn warn(code: &'static str, subject: impl Into<String>, evidence: impl Into<String>) -> Self {
        Self { level: Level::Warn, ..Self::ok(code, subject, evidence) }
    }

    /// Broken; `command` mends it.
    pub fn fail(code: &'static str, subject: impl Into<String>, evidence: impl Into<String>, command: impl Into<String>) -> Self {
        Self { level: Level::Fail, ..Self::ok(code, subject, evidence) }.mend(command)
    }

    /// The same with what a person types to mend it.
    pub fn mend(self, command: impl Into<String>) -> Self {
        Self { fix: Some(Fix { command: command.into(), act: None }), ..self }
    }

    /// The same with what `--fix` does.
    pub fn act(mut self, act: impl Fn() -> io::Result<()> + 'static) -> Self {
        if let Some(fix) = &mut self.fix {
            fix.act = Some(Box::new(act));
        }
        self
    }

    /// One line for people.
    pub fn row(&self) -> String {
        let level = match self.level {
            Level::Ok => "ok  ",
            Level::Warn => "warn",
            Level::Fail => "FAIL",
        };
        let mut row = format!("{level}  {:<10} {}", quote::line(&self.subject, 60), quote::line(&self.evidence, 400));
        if let Some(fix) = &self.fix {
            let _ = write!(row, "     mend: {}", quote::line(&fix.command, 300));
        }
        row + "\n"
    }
}

/// What puts a file away, so that nothing of it is lost.
pub fn aside(file: &Path) -> String {
    let name = quote::path(file);
    format!("mv {name} {name}.away")
}

/// The check of a code.
fn head(code: &'static str) -> &'static str {
    code.split_once('.').map_or(code, |(check, _)| check)
}
