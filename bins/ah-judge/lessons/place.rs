//! Which lessons a command is about: the store of the repository one works in.

use ah::cli::{Call, Cli};
use ah::config::{Config, Severity};
use ah::exit;
use ah::lesson::Lesson;
use ah::paths::Paths;
use ah::quote;
use ah::route::{Off, Repo, Route, Scope, route};
use ah::store::{Lessons, Store};
use std::path::PathBuf;
use std::process::ExitCode;

/// A store, and the repository through which it was found.
pub struct Place {
    /// Where its repository begins.
    pub root: PathBuf,
    /// To whom it belongs.
    pub scope: Scope,
    /// The lessons.
    pub store: Store,
}

impl Place {
    /// The store of the directory of `--cwd`, else of the current one.
    pub fn of(cli: &Cli, call: &Call) -> Result<Self, ExitCode> {
        let fail = |code, text: String| Err(exit::fail(cli.name, code, &text));
        let Some(paths) = Paths::from_env() else {
            return fail(exit::UNAVAILABLE, "no place for its data is known: HOME is not set".to_owned());
        };
        let named = call.value("cwd").map(PathBuf::from);
        let dir = named.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        let Ok(dir) = dir.canonicalize() else {
            return fail(exit::NO_INPUT, format!("cannot work in: {}: not a directory", quote::path(&dir)));
        };
        let repo = Repo::around(&dir);
        let root = repo.map(|repo| repo.root).unwrap_or_default();
        let (config, problems) = Config::load(paths, Some(&root).filter(|r| !r.as_os_str().is_empty()).map(PathBuf::as_path));
        let why = match route(&config, &dir) {
            Route::Scope(scope) => {
                let store = Store::of(paths, &scope);
                return Ok(Self { root, scope, store });
            }
            Route::Off(Off::Nowhere) => "it lies in no repository",
            Route::Off(Off::Invalid) => {
                let first = problems.iter().find(|p| p.severity == Severity::Error);
                let what = first.map(|p| format!("{}:{}: {}", quote::path(&p.file), p.line, quote::line(&p.what, 200)));
                return fail(exit::BAD_CONFIG, format!("the settings have a mistake: {}", what.unwrap_or_default()));
            }
            Route::Off(_) => "nothing of it is recorded (ah-config(5): off, default)",
        };
        fail(exit::UNAVAILABLE, format!("no lessons here: {}: {why}", quote::path(&dir)))
    }

    /// All lessons of the store.
    pub fn read(&self, cli: &Cli) -> Result<Lessons, ExitCode> {
        self.store.read().map_err(|error| self.cannot(cli, "read", &error))
    }

    /// Appends lessons.
    pub fn append(&self, cli: &Cli, lessons: &[Lesson]) -> Result<(), ExitCode> {
        self.store.append(lessons).map_err(|error| self.cannot(cli, "write", &error))
    }

    fn cannot(&self, cli: &Cli, what: &str, error: &std::io::Error) -> ExitCode {
        let code = match error.kind() {
            std::io::ErrorKind::PermissionDenied => exit::NO_PERMISSION,
            std::io::ErrorKind::WouldBlock => exit::TRY_AGAIN,
            std::io::ErrorKind::InvalidData => exit::BAD_DATA,
            _ => exit::CANNOT_CREATE,
        };
        exit::fail(cli.name, code, &format!("cannot {what} the lessons: {}: {error}", quote::path(self.store.lessons_file())))
    }
}

/// The operand after the command's second word.
pub fn operand<'c>(cli: &Cli, call: &'c Call, what: &str) -> Result<&'c std::ffi::OsStr, ExitCode> {
    match call.args.as_slice() {
        [_, one] => Ok(one),
        _ => Err(cli.usage_error(&format!("expected one {what}"))),
    }
}

/// The lesson that a command names.
pub fn named(cli: &Cli, call: &Call, lessons: &Lessons) -> Result<Lesson, ExitCode> {
    let id = operand(cli, call, "lesson's ID")?.to_string_lossy();
    let none = || exit::fail(cli.name, exit::NO, &format!("no such lesson: {}", quote::line(&id, 100)));
    lessons.live.iter().find(|lesson| lesson.id == id).cloned().ok_or_else(none)
}
