//! `tell`, `ask` and `veto`: a message to others.

use super::target::target;
use super::{failed, here};
use crate::me::Me;
use ah::cli::{Call, Cli};
use ah::clock::now_ms;
use ah::exit;
use ah::mesh::{Board, Cursor, Kind, LONGEST, Message, To};
use ah::person;
use ah::quote;
use std::collections::BTreeSet;
use std::process::ExitCode;

/// Unread messages to one that a sender begins with.
const FIRST: usize = 4;
/// Unread messages to one, at most.
const MOST: usize = 64;

/// Sends a message.
pub fn say(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let fail = |code, text: &str| exit::fail(cli.name, code, text);
    let word = call.command.unwrap_or_default();
    let mut words = call.args.iter().map(|word| word.to_string_lossy().into_owned());
    let Some(to) = words.next() else { return Err(cli.usage_error(&format!("{word} whom?"))) };
    let text = words.collect::<Vec<_>>().join(" ");
    if text.trim().is_empty() {
        return Err(cli.usage_error(&format!("{word} {} what?", quote::line(&to, 64))));
    }
    if text.len() > LONGEST {
        return Err(fail(
            exit::BAD_DATA,
            &format!("not sent: {} bytes of text, {LONGEST} at most: send where it can be read", text.len()),
        ));
    }
    let place = here(cli, call)?;
    let now = now_ms();
    let (to, presence) = target(&place, &to, now).map_err(|why| fail(exit::NO, &why))?;
    let me = Me::of(&place.files);
    let kind = match word {
        "ask" => Kind::Ask,
        "veto" => Kind::Veto,
        _ => Kind::Tell,
    };
    if kind == Kind::Veto {
        if text.chars().count() < 4 || presence.is_none() {
            return Err(cli.usage_error("veto one session, and say why"));
        }
        let name = presence.as_ref().map(|presence| presence.name.clone()).unwrap_or_default();
        let shown = format!("{name} will be told: no: {}", quote::line(&text, 200));
        if let Err(why) = person::confirm(&shown, "tell it so", "tells it nothing") {
            return Err(fail(exit::NO_PERMISSION, &format!("only a person at a terminal can veto: {why}")));
        }
    }
    let own = me.presence.clone().unwrap_or_default();
    let re = call.value("re").map(|re| quote::line(&re.to_string_lossy(), 32)).unwrap_or_default();
    let mut message = Message {
        t: now,
        kind,
        by: me.by.clone(),
        name: own.name,
        harness: own.harness,
        repo: own.repo_name,
        to: to.text(),
        re,
        text,
        ..Message::default()
    };
    let (log, _) = place.files.since(Cursor::default()).map_err(|error| failed(cli, "cannot read messages", &error))?;
    let unread = unread(&log, &message.by, &message.to, now);
    if call.has("replace") {
        message.ids.clone_from(&unread);
    } else if let (Some(most), true) = (window(&log, &message.by, &message.to, now), kind != Kind::Veto)
        && unread.len() >= most
    {
        let text = format!(
            "not sent: {} of yours were not read yet, {most} at most: wait until they are, or --replace them",
            unread.len()
        );
        return Err(fail(exit::NO, &text));
    }
    let message = message.sealed();
    place.files.append(&message).map_err(|error| failed(cli, "cannot send", &error))?;
    let whom = match (&to, &presence) {
        (_, Some(presence)) => presence.name.clone(),
        (To::Repo(_), _) => format!("every session of {}", place.scope.name),
        (To::Engineer, _) => "the person".to_owned(),
        _ => "every session here".to_owned(),
    };
    exit::print(cli.name, &format!("{} to {whom}: it is shown with that session's next prompt or tool call\n", message.id));
    Ok(ExitCode::from(exit::OK))
}

/// Messages of a sender to one that nobody has seen, oldest first.
fn unread(log: &[Message], by: &str, to: &str, now: u64) -> Vec<String> {
    let seen: BTreeSet<&str> =
        log.iter().filter(|m| m.kind == Kind::Seen).flat_map(|m| m.ids.iter().map(String::as_str)).collect();
    let replaced: BTreeSet<&str> = log.iter().filter(|m| m.by == by).flat_map(|m| m.ids.iter().map(String::as_str)).collect();
    let mine = log.iter().filter(|m| m.kind != Kind::Seen && m.by == by && m.to == to && m.is_fresh(now));
    mine.filter(|m| !seen.contains(&*m.id) && !replaced.contains(&*m.id)).map(|m| m.id.clone()).collect()
}

/// How many may be unread: twice as many for each that was read, half for each that nobody read in a week.
fn window(log: &[Message], by: &str, to: &str, now: u64) -> Option<usize> {
    // A person, and whoever waits for one, is not held back.
    if by == "engineer" {
        return None;
    }
    let seen: BTreeSet<&str> =
        log.iter().filter(|m| m.kind == Kind::Seen).flat_map(|m| m.ids.iter().map(String::as_str)).collect();
    let mut most = FIRST;
    for message in log.iter().filter(|m| m.kind != Kind::Seen && m.by == by && m.to == to) {
        if seen.contains(&*message.id) {
            most = (most * 2).min(MOST);
        } else if !message.is_fresh(now) {
            most = (most / 2).max(1);
        }
    }
    Some(most)
}
