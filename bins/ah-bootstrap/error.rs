//! What can go wrong, and the code that each ends with.

use ah::cli::Cli;
use ah::exit;
use ah::jsonc;
use ah::quote;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why something was not done.
#[derive(Debug)]
pub enum Error {
    /// Others changed the file, or hold the lock, all the time.
    Busy(PathBuf),
    /// A settings file that its harness cannot read either.
    Invalid(PathBuf, jsonc::Error),
    /// The system said no.
    Io(&'static str, PathBuf, io::Error),
    /// Something that is needed is not there: what, and where it was looked for.
    Missing(String),
    /// Nobody may write this file: why.
    Refused(PathBuf, String),
    /// The command line was wrong.
    Usage(String),
}

impl Error {
    /// As an error of the system about `path`.
    pub fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |error| match error.kind() {
            io::ErrorKind::ResourceBusy | io::ErrorKind::WouldBlock => Self::Busy(path),
            _ => Self::Io(what, path, error),
        }
    }

    /// Says it on standard error; the code to end with.
    pub fn tell(&self, cli: &Cli) -> ExitCode {
        match self {
            Self::Usage(what) => cli.usage_error(what),
            _ => exit::fail(cli.name, self.code(), &self.text()),
        }
    }

    /// The code to end with.
    pub fn code(&self) -> u8 {
        match self {
            Self::Busy(_) => exit::TRY_AGAIN,
            Self::Invalid(..) => exit::BAD_DATA,
            Self::Io(_, _, error) if error.kind() == io::ErrorKind::PermissionDenied => exit::NO_PERMISSION,
            Self::Io(..) => exit::CANNOT_CREATE,
            Self::Missing(_) => exit::UNAVAILABLE,
            Self::Refused(..) => exit::NO_PERMISSION,
            Self::Usage(_) => exit::USAGE,
        }
    }

    /// What failed: the object: the cause.
    pub fn text(&self) -> String {
        match self {
            Self::Busy(path) => format!("not written: {}: others change it right now; try again", quote::path(path)),
            Self::Invalid(path, error) => {
                let what = quote::line(&error.to_string(), 300);
                format!("left as it is: {}: {what}", quote::path(path))
            }
            Self::Io(what, path, error) => format!("{what}: {}: {error}", quote::path(path)),
            Self::Missing(what) | Self::Usage(what) => what.clone(),
            Self::Refused(path, why) => format!("left as it is: {}: {why}", quote::path(path)),
        }
    }
}
