//! `top` and `where`: who is there, and to whom a place belongs.

use super::{directory, here, reason};
use crate::place::Place;
use ah::cli::{Call, Cli};
use ah::clock::now_ms;
use ah::exit;
use ah::mesh::{Board, Presence, State, pauses};
use ah::quote;
use serde::Serialize;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

/// How often the screen of a terminal is drawn anew.
const DRAW: Duration = Duration::from_secs(1);

#[derive(Serialize)]
struct Row<'a> {
    state: &'static str,
    paused: bool,
    claims: usize,
    #[serde(flatten)]
    presence: &'a Presence,
}

/// Shows who is there; on a terminal until it is ended.
pub fn top(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = here(cli, call)?;
    let live = std::io::stdout().is_terminal() && !call.options.json;
    loop {
        let text = screen(&place, call.options.json);
        // Home and clear, then the whole screen in one write.
        exit::print(cli.name, &if live { format!("\u{1b}[H\u{1b}[2J{text}") } else { text });
        if !live {
            return Ok(ExitCode::from(exit::OK));
        }
        std::thread::sleep(DRAW);
    }
}

fn screen(place: &Place, json: bool) -> String {
    let now = now_ms();
    let all = place.files.presences().unwrap_or_default();
    let claims = place.files.claims().unwrap_or_default();
    let stopped = pauses(place.paths, now);
    let mut rows: Vec<Row> = Vec::new();
    for presence in &all {
        let session = &presence.session;
        rows.push(Row {
            state: presence.state(now).text(),
            paused: stopped.iter().any(|pause| pause.session == *session),
            claims: claims.iter().filter(|claim| claim.by == *session && claim.holds(now)).count(),
            presence,
        });
    }
    if json {
        return serde_json::to_string(&rows).unwrap_or_default() + "\n";
    }
    let running = all.iter().filter(|presence| presence.state(now) != State::Ended).count();
    let whose = place.scope.collective.as_deref().unwrap_or("this repository");
    let mut text = format!("{}: {running} running, {} in all\n", quote::line(whose, 64), all.len());
    text += &format!(
        "{:20} {:8} {:10} {:16} {:16} {:8} {:6} {}\n",
        "session", "id", "harness", "repository", "branch", "state", "idle", "files"
    );
    for row in &rows {
        let one = row.presence;
        let short: String = one.session.chars().take(8).collect();
        let idle = now.saturating_sub(one.t) / 1_000;
        let idle = if idle < 120 { format!("{idle}s") } else { format!("{}m", idle / 60) };
        let state = if row.paused { "paused" } else { row.state };
        let line = |text: &str, most| quote::line(text, most);
        let files = one.files.iter().map(|file| line(file, 40)).collect::<Vec<_>>().join(" ");
        text += &format!(
            "{:20} {:8} {:10} {:16} {:16} {state:8} {idle:6} {files}\n",
            line(&one.name, 20),
            line(&short, 8),
            line(&one.harness, 10),
            line(&one.repo_name, 16),
            line(&one.branch, 16)
        );
    }
    text
}

/// Explains to whom a path belongs.
pub fn place(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let dir = call.args.first().map_or_else(|| directory(call), |path| directory(call).join(path));
    let text = match Place::of(&dir) {
        Ok(place) => {
            let (repo, name) = (quote::line(&place.scope.repo, 200), quote::line(&place.scope.name, 64));
            let whose = place.scope.collective.as_deref().map_or_else(
                || "this repository on this machine only".to_owned(),
                |collective| format!("the collective {}", quote::line(collective, 64)),
            );
            format!(
                "{}\nbelongs to {whose}\nrepository {name}: {repo}\nkept in {}\n",
                quote::path(&dir),
                quote::path(place.files.path(""))
            )
        }
        Err(why) => format!("{}\nis off: {}\n", quote::path(&dir), reason(why)),
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(exit::OK))
}
