//! `inbox`, `thread` and `wait`: what was said.

use super::{failed, here, time};
use crate::deliver::receipt;
use crate::me::Me;
use crate::place::Place;
use ah::cli::{Call, Cli};
use ah::clock::{Deadline, now_ms, utc};
use ah::exit;
use ah::mesh::{Board, Cursor, Inbox, Kind, Message, Presence, file_name, quoted};
use ah::quote;
use std::process::ExitCode;
use std::time::Duration;

/// How long another hook of the same session is waited for.
const WAIT: Duration = Duration::from_secs(2);
/// How often a waiter looks.
const LOOK: Duration = Duration::from_millis(250);
/// How long a waiter waits if nobody says.
const PATIENCE: u64 = 30 * 60_000;

/// Every message of the mesh, oldest first.
fn all(cli: &Cli, place: &Place) -> Result<Vec<Message>, ExitCode> {
    let (messages, _) = place.files.since(Cursor::default()).map_err(|error| failed(cli, "cannot read messages", &error))?;
    Ok(messages.into_iter().filter(|message| message.kind != Kind::Seen).collect())
}

/// Shows what is to this session, or to the person.
pub fn inbox(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = here(cli, call)?;
    let me = Me::of(&place.files);
    let messages = all(cli, &place)?;
    if let Some(id) = call.value("show").map(|id| id.to_string_lossy().into_owned()) {
        let found = messages.iter().find(|message| message.id == id);
        let Some(found) = found else {
            return Err(exit::fail(cli.name, exit::NO, &format!("no such message: {}", quote::line(&id, 32))));
        };
        exit::print(cli.name, &told(found));
        return Ok(ExitCode::from(exit::OK));
    }
    let grep = call.value("grep").map(|text| text.to_string_lossy().to_lowercase());
    let mut shown: Vec<Message> = match &me.presence {
        Some(own) => unread(cli, call, &place, own, &messages)?,
        None => messages.into_iter().filter(|message| call.has("all") || message.to == "engineer").collect(),
    };
    shown.retain(|message| grep.as_ref().is_none_or(|grep| message.text.to_lowercase().contains(grep)));
    let text = match call.options.json {
        true => serde_json::to_string(&shown).unwrap_or_default() + "\n",
        false => shown.iter().map(told).collect(),
    };
    exit::print(cli.name, if text.is_empty() { "nothing\n" } else { &text });
    Ok(ExitCode::from(exit::OK))
}

/// What a session has not read, which counts as shown now; with `--all` everything to it.
fn unread(cli: &Cli, call: &Call, place: &Place, own: &Presence, messages: &[Message]) -> Result<Vec<Message>, ExitCode> {
    if call.has("all") {
        let mine = messages.iter().filter(|message| message.is_for(&own.session, &own.repo, own.started));
        return Ok(mine.cloned().collect());
    }
    let broken = |error: std::io::Error| failed(cli, "cannot read the inbox", &error);
    let lock = place.files.lock(&format!("inbox-{}.lock", file_name(&own.session)), WAIT).map_err(broken)?;
    let mut inbox = Inbox::of(&place.files, &own.session).map_err(broken)?;
    inbox.read(&place.files, &own.session, &own.repo, own.started, now_ms()).map_err(broken)?;
    let shown: Vec<Message> = inbox.unread.iter().map(|unread| unread.message.clone()).collect();
    let ids: Vec<String> = shown.iter().map(|message| message.id.clone()).collect();
    if !ids.is_empty() {
        inbox.showed(&ids);
        inbox.write(&place.files, &own.session).map_err(broken)?;
        place.files.append(&receipt(own, &ids)).map_err(broken)?;
    }
    drop(lock);
    Ok(shown)
}

/// A message as people and agents read it.
fn told(message: &Message) -> String {
    let who = match (message.by.as_str(), message.name.as_str()) {
        ("engineer", _) => "the person",
        ("", _) => "an unverified process",
        (_, name) => name,
    };
    let re = if message.re.is_empty() { String::new() } else { format!(" re {}", message.re) };
    let kind = format!("{:?}", message.kind).to_lowercase();
    format!(
        "{} {} UTC {who} {kind}{re} to {}\n{}",
        message.id,
        utc(message.t),
        quote::line(&message.to, 80),
        quoted(&message.text)
    )
}

/// Shows a message, what it answers and what answers it.
pub fn thread(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = here(cli, call)?;
    let Some(id) = call.args.first().map(|id| id.to_string_lossy().into_owned()) else {
        return Err(cli.usage_error("thread of which message?"));
    };
    let messages = all(cli, &place)?;
    let find = |id: &str| messages.iter().find(|message| message.id == id);
    let Some(mut root) = find(&id) else {
        return Err(exit::fail(cli.name, exit::NO, &format!("no such message: {}", quote::line(&id, 32))));
    };
    for _ in 0..100 {
        let Some(above) = find(&root.re) else { break };
        root = above;
    }
    let mut ids = vec![root.id.clone()];
    let mut text = told(root);
    for message in &messages {
        if ids.contains(&message.re) && !ids.contains(&message.id) {
            ids.push(message.id.clone());
            text += &told(message);
        }
    }
    exit::print(cli.name, &text);
    Ok(ExitCode::from(exit::OK))
}

/// Waits until this session has a message; says how many and from whom, never what.
pub fn wait(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = here(cli, call)?;
    let me = Me::of(&place.files);
    let Some(own) = me.presence.filter(|_| !me.by.is_empty()) else {
        return Err(exit::fail(cli.name, exit::UNAVAILABLE, "no session of this mesh runs this command"));
    };
    let patience = time(cli, call)?.unwrap_or(PATIENCE);
    let deadline = Deadline::after(Duration::from_millis(patience));
    let broken = |error: std::io::Error| failed(cli, "cannot read the inbox", &error);
    loop {
        // Only a look: what it says counts as shown when a hook shows it.
        let mut inbox = Inbox::of(&place.files, &own.session).map_err(broken)?;
        inbox.read(&place.files, &own.session, &own.repo, own.started, now_ms()).map_err(broken)?;
        if !inbox.unread.is_empty() {
            let mut names: Vec<&str> = inbox
                .unread
                .iter()
                .map(|unread| if unread.message.name.is_empty() { "the person" } else { &unread.message.name })
                .collect();
            names.sort_unstable();
            names.dedup();
            exit::print(cli.name, &format!("{} messages wait, from {}\n", inbox.unread.len(), names.join(", ")));
            return Ok(ExitCode::from(exit::OK));
        }
        let ended: Option<Presence> = place.files.record("presence", &file_name(&own.session));
        if deadline.passed() || ended.is_some_and(|presence| presence.event == "SessionEnd") {
            return Ok(ExitCode::from(exit::NO));
        }
        std::thread::sleep(LOOK.min(deadline.left()));
    }
}
