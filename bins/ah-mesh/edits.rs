//! Claims of what a session is about to edit: taken before the edit, confirmed after it.

use crate::place::{Conflict, Place};
use ah::answer::Answer;
use ah::clock::utc;
use ah::effect::effect_in;
use ah::event::{Event, Moment};
use ah::hook::Context;
use ah::mesh::{Board, Claim, Claimed, Inbox, Message, Presence, To, file_name};
use ah::quote;
use ah::route::{Repo, Route, real, route_target};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most paths of one event that are claimed.
const MOST: usize = 100;
/// How long another hook of the same session is waited for.
const WAIT: Duration = Duration::from_millis(100);

/// Whether a call is of a tool that may write a file.
fn may_write(event: &Event) -> bool {
    matches!(&*event.tool_name, "Edit" | "MultiEdit" | "Write" | "NotebookEdit" | "Bash" | "PowerShell")
}

/// What a call certainly writes in the session's own collective: work tree and path in it, links resolved.
fn written(event: &Event, place: &Place) -> Vec<(PathBuf, PathBuf)> {
    let Some(input) = event.tool_input.filter(|_| may_write(event)) else { return Vec::new() };
    let effect = effect_in(event.tool(), input, Some(&event.cwd));
    let mut found = Vec::new();
    for path in effect.writes.iter().take(MOST) {
        let path = Path::new(&*event.cwd).join(path);
        // What lies in another collective, or where nothing is recorded, is not this mesh's business.
        let here =
            matches!(route_target(&place.config, place.paths, &path), Route::Scope(scope) if scope.store == place.scope.store);
        let Some(repo) = Repo::around(&path).filter(|_| here) else { continue };
        let (tree, path) = (real(&repo.root), real(&path));
        if let Ok(inner) = path.strip_prefix(&tree)
            && !inner.starts_with(".git")
            && !inner.as_os_str().is_empty()
        {
            let pair = (tree.clone(), inner.to_path_buf());
            if !found.contains(&pair) {
                found.push(pair);
            }
        }
    }
    found
}

/// Takes the paths of a call that is about to run; what to say where another session holds one.
pub fn claim(event: &Event, context: &Context, place: &Place, now: u64) -> io::Result<Answer> {
    if place.conflict == Conflict::Off {
        return Ok(Answer::Silence);
    }
    let paths = written(event, place);
    if paths.is_empty() {
        return Ok(Answer::Silence);
    }
    let own: Option<Presence> = place.files.record("presence", &file_name(&event.session_id));
    let name = own.map(|own| own.name).unwrap_or_default();
    let lives = |session: &str| place.files.lives(session, now);
    let (mut lost, mut taken) = (Vec::new(), Vec::new());
    for (tree, path) in &paths {
        let want = Claim::of(&place.scope.repo, tree, path, &event.session_id, &name, now);
        match place.files.claim(&want, now, &lives)? {
            Claimed::Lost(held) => lost.push(held),
            // An edit that never ran was nobody's work.
            Claimed::Won(Some(old)) if !old.tentative => taken.push(old),
            Claimed::Mine | Claimed::Won(_) => {}
        }
    }
    if lost.is_empty() {
        return if taken.is_empty() { Ok(Answer::Silence) } else { took(event, place, &name, &taken, now) };
    }
    let text = conflict(&lost);
    context.explain.say(|| text.clone());
    Ok(match place.conflict {
        Conflict::Deny => Answer::Deny(text),
        Conflict::Ask => Answer::Ask(text),
        // Once for each path and holder.
        Conflict::Advise if first(event, place, &lost)? => Answer::Context(text),
        Conflict::Advise | Conflict::Off => Answer::Silence,
    })
}

/// What was taken over is told to both: the new holder now, the old one, where it goes on, with its next message.
fn took(event: &Event, place: &Place, name: &str, taken: &[Claim], now: u64) -> io::Result<Answer> {
    let own: Option<Presence> = place.files.record("presence", &file_name(&event.session_id));
    let own = own.unwrap_or_default();
    let mut text = "ah-mesh: another session worked on this before, and may have left it unfinished:\n".to_owned();
    for old in taken {
        let lives = place.files.lives(&old.by, now);
        let how = if lives { "it holds it no longer" } else { "its session has ended" };
        let (path, who) = (quote::line(&old.path, 200), quote::line(&old.name, 64));
        text += &format!("- {path}: {who}, last edit {} UTC; {how}\n", utc(old.touched));
        if lives {
            let told = Message {
                t: now,
                by: event.session_id.to_string(),
                name: name.to_owned(),
                harness: own.harness.clone(),
                repo: own.repo_name.clone(),
                to: To::Session(old.by.clone()).text(),
                text: format!("I edit {} now, which you have not edited since {} UTC.", old.path, utc(old.touched)),
                ..Message::default()
            };
            place.files.append(&told.sealed())?;
        }
    }
    Ok(Answer::Context(text))
}

/// Whether the session was not told of one of these yet; it counts as told from now on.
fn first(event: &Event, place: &Place, lost: &[Claim]) -> io::Result<bool> {
    let _lock = place.files.lock(&format!("inbox-{}.lock", file_name(&event.session_id)), WAIT)?;
    let mut inbox = Inbox::of(&place.files, &event.session_id)?;
    let fresh: Vec<String> =
        lost.iter().map(|held| format!("{} {}", held.key, held.by)).filter(|one| !inbox.told.contains(one)).collect();
    if fresh.is_empty() {
        return Ok(false);
    }
    inbox.told.extend(fresh);
    let surplus = inbox.told.len().saturating_sub(200);
    inbox.told.drain(..surplus);
    inbox.write(&place.files, &event.session_id)?;
    Ok(true)
}

/// Who holds what, for an agent.
fn conflict(lost: &[Claim]) -> String {
    let mut text = "ah-mesh: another session works on this:\n".to_owned();
    for held in lost.iter().take(5) {
        let why = if held.why.is_empty() { String::new() } else { format!(" ({})", quote::line(&held.why, 100)) };
        let (path, name) = (quote::line(&held.path, 200), quote::line(&held.name, 64));
        text += &format!("- {path}: {name}{why}, since {} UTC, last edit {} UTC\n", utc(held.t), utc(held.touched));
    }
    let holder = lost.first().map(|held| quote::line(&held.name, 64)).unwrap_or_default();
    text + &format!("Both would write the same file. Ask first: ah-mesh ask {holder} TEXT")
}

/// What a call has written, for the presence; its claims are confirmed, and given back where it failed.
pub fn done(event: &Event, place: &Place, now: u64) -> io::Result<Vec<String>> {
    let paths = written(event, place);
    let mut names = Vec::new();
    for (tree, path) in &paths {
        let mut want = Claim::of(&place.scope.repo, tree, path, &event.session_id, "", now);
        let held: Option<Claim> = place.files.record("claims", &want.key);
        let Some(held) = held.filter(|held| held.by == event.session_id) else { continue };
        if event.moment == Moment::PostToolUseFailure {
            if held.tentative {
                place.files.release(&event.session_id, Some(&want.key))?;
            }
            continue;
        }
        want.tentative = false;
        want.name = held.name;
        place.files.claim(&want, now, &|_| true)?;
        names.push(path.to_string_lossy().into_owned());
    }
    if event.moment == Moment::PostToolUse && names.is_empty() {
        names = paths.iter().map(|(_, path)| path.to_string_lossy().into_owned()).collect();
    }
    Ok(names)
}
