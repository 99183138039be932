//! What is registered where: each harness's settings files and their form, and an entry per executable and event.
//!
//! A table of its own, beside the dialects: a hook that runs has no use for it and does not carry it.

use crate::event::Moment;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

mod entry;
mod found;
mod json;
#[cfg(feature = "toml")]
mod toml;
#[cfg(all(feature = "digest", feature = "toml"))]
mod trust;

pub use entry::{Entry, Scope, entries};
pub use found::{Found, Trouble, found, programs};
pub use json::{Layout, cuts, insert, instead};
#[cfg(feature = "toml")]
pub use toml::append;
#[cfg(all(feature = "digest", feature = "toml"))]
pub use trust::{is_trusted, trusting};

/// Every harness that hooks are registered in, in the order of [`super::ALL`].
pub const ALL: &[&Wiring] = &[&super::claude::WIRING, &super::codex::WIRING];

/// The executables that are registered as hooks.
pub const PROGRAMS: &[&str] = &["ah-git-guard", "ah-judge", "ah-mesh", "ah-prefilter"];

/// Where and how one harness is told of hooks.
#[derive(Debug)]
pub struct Wiring {
    /// What `--harness` calls it.
    pub harness: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The executable by which it is started.
    pub client: &'static str,
    /// The variable that names its folder of settings, and where that is below HOME otherwise.
    pub folder: (&'static str, &'static str),
    /// Its settings files in that folder; the first is made where none is there.
    pub user: &'static [File],
    /// The same below a project's top.
    pub project: &'static [File],
    /// The organisation's file, which a person cannot change.
    pub managed: &'static str,
    /// Whether it starts a program without a shell when told its arguments as a list.
    pub exec: bool,
    /// Whether an entry may say that a call is stopped when the hook fails.
    pub on_failure: bool,
    /// How many of its units of time a second has.
    pub per_second: u64,
    /// The matcher for tools whose calls can lose work.
    pub guarded: &'static str,
    /// The matcher for tools that change files.
    pub edits: &'static str,
    /// The moments that it tells hooks of, all by their canonical name.
    pub moments: &'static [Moment],
    /// What an entry of a project is, with its program, this harness and the event in place of `{}`.
    pub project_command: &'static [&'static str],
    /// What only the person can do after a change, if anything.
    pub then: &'static str,
}

/// A settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, with folders below where it belongs.
    pub name: &'static str,
    /// How it is written.
    pub form: Form,
}

/// How a settings file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON without comments; a comment makes the harness ignore all of it.
    Json,
    /// JSON in which the harness bears comments and a comma too many.
    Jsonc,
    /// TOML.
    Toml,
}

/// A group of hooks that a person chooses as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The guard.
    Guard,
    /// Presence, messages and claims.
    Mesh,
    /// Lessons: gate and judge.
    Judge,
    /// The judge's check while the agent works.
    Live,
}

impl Part {
    /// Every part, in the order in which their hooks stand in a file.
    pub const ALL: [Self; 4] = [Self::Guard, Self::Mesh, Self::Judge, Self::Live];

    /// What `--with` calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::Mesh => "mesh",
            Self::Judge => "judge",
            Self::Live => "live",
        }
    }

    /// The part that `--with` calls `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }
}

/// Which tools an entry is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tools {
    /// Every one; also for events that are about no tool.
    All,
    /// Those that change files.
    Edits,
    /// Those whose calls can lose work.
    Guarded,
}

/// One line of the table: what runs at an event.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    /// The part it belongs to.
    pub part: Part,
    /// When it runs.
    pub moment: Moment,
    /// What runs: the words of one program, or of several, each reading what the one before wrote.
    pub run: &'static [&'static [&'static str]],
    /// For which tools.
    pub tools: Tools,
    /// How long it may take, in seconds.
    pub seconds: u64,
}

const GUARD: &[&[&str]] = &[&["ah-git-guard"]];
const JUDGE: &[&[&str]] = &[&["ah-judge"]];
const MESH: &[&[&str]] = &[&["ah-mesh"]];
const PREFILTER: &[&[&str]] = &[&["ah-prefilter"]];
/// The gate lets only those turns through that are worth a model.
const STOP: &[&[&str]] = &[&["ah-prefilter", "--pass"], &["ah-judge"]];

/// Long enough for a slow disk, short enough for a person who waits.
const SHORT: u64 = 10;
/// A model answers within it, or the turn ends without.
const MODEL: u64 = 120;

const fn hook(part: Part, moment: Moment, run: &'static [&'static [&'static str]], tools: Tools, seconds: u64) -> Hook {
    Hook { part, moment, run, tools, seconds }
}

/// What runs when: at most one process per executable and event.
pub const HOOKS: &[Hook] = &[
    hook(Part::Guard, Moment::PreToolUse, GUARD, Tools::Guarded, SHORT),
    hook(Part::Guard, Moment::SessionStart, GUARD, Tools::All, SHORT),
    hook(Part::Guard, Moment::UserPromptSubmit, GUARD, Tools::All, SHORT),
    hook(Part::Mesh, Moment::SessionStart, MESH, Tools::All, SHORT),
    hook(Part::Mesh, Moment::UserPromptSubmit, MESH, Tools::All, SHORT),
    // Every tool: a session that is paused pauses at whatever it does next.
    hook(Part::Mesh, Moment::PreToolUse, MESH, Tools::All, SHORT),
    hook(Part::Mesh, Moment::PostToolUse, MESH, Tools::Edits, SHORT),
    // A claim of a call that failed is given back.
    hook(Part::Mesh, Moment::PostToolUseFailure, MESH, Tools::Edits, SHORT),
    hook(Part::Mesh, Moment::Stop, MESH, Tools::All, SHORT),
    hook(Part::Mesh, Moment::Interrupt, MESH, Tools::All, SHORT),
    hook(Part::Mesh, Moment::SessionEnd, MESH, Tools::All, SHORT),
    hook(Part::Judge, Moment::UserPromptSubmit, PREFILTER, Tools::All, SHORT),
    hook(Part::Judge, Moment::UserPromptSubmit, JUDGE, Tools::All, SHORT),
    hook(Part::Judge, Moment::PostToolUse, PREFILTER, Tools::All, SHORT),
    hook(Part::Judge, Moment::PostToolUseFailure, PREFILTER, Tools::All, SHORT),
    hook(Part::Judge, Moment::Stop, STOP, Tools::All, MODEL),
    hook(Part::Judge, Moment::SessionEnd, PREFILTER, Tools::All, SHORT),
    hook(Part::Judge, Moment::SessionEnd, JUDGE, Tools::All, SHORT),
    hook(Part::Live, Moment::PostToolUse, JUDGE, Tools::All, SHORT),
];

impl Wiring {
    /// The harness that `--harness` calls `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|wiring| wiring.harness == name)
    }

    /// Its folder of settings, by the environment that `look` answers for; `None` without HOME.
    #[must_use]
    pub fn home(&self, look: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let absolute = |name: &str| look(name).map(PathBuf::from).filter(|path| path.is_absolute());
        absolute(self.folder.0).or_else(|| Some(absolute("HOME")?.join(self.folder.1)))
    }

    /// Which of `files` below `top` holds the hooks: the first that has hooks, else the first that is a file at all
    /// and only ever holds hooks, else the first of the list. `has_hooks` looks into one.
    #[must_use]
    pub fn file(files: &'static [File], top: &Path, has_hooks: &dyn Fn(File, &Path) -> bool) -> (File, PathBuf) {
        let place = |file: &File| (*file, top.join(file.name));
        let with = files.iter().map(place).find(|(file, path)| has_hooks(*file, path));
        with.unwrap_or_else(|| place(&files[0]))
    }
}
