//! `lessons`: what is listed, added, changed, brought in, shared and trusted by hand.

mod import;
mod place;
mod rules;
mod share;
mod show;
mod stat;
mod write;

pub use place::Place;
pub use share::SOURCE;
pub use write::said;

use ah::cli::{Call, Cli, Flag};
use std::process::ExitCode;

/// `--all`
pub const ALL: Flag = Flag { long: "all", short: None, value: None, help: "with lessons: those too that are hidden or retired" };
/// `--area NAME`
pub const AREA: Flag =
    Flag { long: "area", short: None, value: Some("NAME"), help: "what a lesson is about (security, reuse, ...)" };
/// `--consequence TEXT`
pub const CONSEQUENCE: Flag =
    Flag { long: "consequence", short: None, value: Some("TEXT"), help: "what follows where a lesson is not heeded" };
/// `--cwd DIR`
pub const CWD: Flag = Flag { long: "cwd", short: None, value: Some("DIR"), help: "the repository whose lessons are meant" };
/// `--overrides TEXT`
pub const OVERRIDES: Flag =
    Flag { long: "overrides", short: None, value: Some("TEXT"), help: "the outside rule that a lesson replaces" };
/// `--question TEXT`
pub const QUESTION: Flag =
    Flag { long: "question", short: Some('q'), value: Some("TEXT"), help: "a lesson as a question to oneself" };
/// `--reach WHERE`
pub const REACH: Flag =
    Flag { long: "reach", short: None, value: Some("repo|team"), help: "whether a lesson holds in its repository only" };
/// `--scope NAME`
pub const SCOPE: Flag = Flag {
    long: "scope",
    short: None,
    value: Some("NAME"),
    help: "a name without which a lesson never applies; may be repeated",
};
/// `--situation TEXT`
pub const SITUATION: Flag =
    Flag { long: "situation", short: None, value: Some("TEXT"), help: "when a lesson applies; may be repeated" };
/// `--starter`
pub const STARTER: Flag =
    Flag { long: "starter", short: None, value: None, help: "with lessons import: the lessons that come with ah" };
/// `--stat`
pub const STAT: Flag =
    Flag { long: "stat", short: None, value: None, help: "with lessons: how often each was asked, and what came of it" };
/// `-y`, `--yes`
pub const YES: Flag = Flag { long: "yes", short: Some('y'), value: None, help: "do it without asking" };

/// `lessons WHAT`.
pub fn lessons(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let what = call.args.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    match what.as_str() {
        "add" => write::add(cli, call),
        "edit" => write::edit(cli, call),
        "export" => show::export(cli, call),
        "import" => import::import(cli, call),
        "" | "list" if call.has("stat") => stat::stat(cli, call),
        "" | "list" => show::list(cli, call),
        "retire" => write::retire(cli, call),
        "share" => share::share(cli, call),
        "show" => show::show(cli, call),
        "trust" => share::trust(cli, call),
        "unmute" => stat::unmute(cli, call),
        "why" => stat::why(cli, call),
        other => {
            let words = "add, edit, export, import, list, retire, share, show, trust, unmute, why";
            Err(cli.usage_error(&format!("lessons {}: expected {words}", ah::quote::line(other, 40))))
        }
    }
}
