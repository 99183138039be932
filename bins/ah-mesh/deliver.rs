//! Messages reach the agent once, with the next event that takes a text.

use crate::place::Place;
use ah::answer::Answer;
use ah::clock::now_ms;
use ah::event::Event;
use ah::hook::{Context, Fate};
use ah::log;
use ah::mesh::{Board, Inbox, Kind, Message, Presence, To, file_name, frame};
use std::io;
use std::time::Duration;

/// How long another hook that hands over is waited for; what waits then waits for the next event.
const WAIT: Duration = Duration::from_millis(150);
/// Most characters of one hand-over.
const MOST: usize = 6_000;

/// What is handed over at this event.
pub fn deliver(event: &Event, context: &Context, place: &Place, presence: &Presence, now: u64) -> io::Result<Answer> {
    let takes = context.harness.can.context.contains(&event.moment);
    let id = event.session_id.to_string();
    let name = file_name(&id);
    let known: Option<Inbox> = place.files.record("inbox", &name);
    let quiet = known.as_ref().is_some_and(|inbox| inbox.unread.is_empty() && !place.files.news(inbox.cursor));
    if quiet || known.is_none() && !place.files.path("messages.jsonl").exists() {
        return Ok(Answer::Silence);
    }
    let Ok(lock) = place.files.lock(&format!("inbox-{name}.lock"), WAIT) else { return Ok(Answer::Silence) };
    let mut inbox = Inbox::of(&place.files, &id)?;
    let changed = inbox.read(&place.files, &id, &place.scope.repo, presence.started, now)?;
    if !takes || inbox.unread.is_empty() {
        if changed {
            inbox.write(&place.files, &id)?;
        }
        return Ok(Answer::Silence);
    }
    let framed = frame(&inbox.unread, &word(), MOST);
    for unread in inbox.unread.iter_mut().filter(|unread| framed.ids.contains(&unread.message.id)) {
        unread.taken = now;
    }
    // What is taken is written before it is printed: a hook that is killed in between shows it again, and says so.
    inbox.write(&place.files, &id)?;
    let (files, paths, by, repo) = (place.files.clone(), place.paths, presence.clone(), place.scope.repo.clone());
    let ids = framed.ids.clone();
    context.after(move |fate| {
        let _lock = lock;
        let noted = match fate {
            Fate::Printed => {
                inbox.showed(&ids);
                // The receipt is read over at once: the next hook finds nothing new.
                let receipt = files.append(&receipt(&by, &ids));
                let _ = inbox.read(&files, &id, &repo, by.started, now);
                inbox.write(&files, &id).and(receipt)
            }
            Fate::Undelivered | Fate::Unprinted => {
                inbox.unread.iter_mut().for_each(|unread| unread.taken = 0);
                inbox.write(&files, &id)
            }
        };
        if let Err(error) = noted {
            log::failure(paths, crate::CLI.name, &format!("cannot write down what was shown: {error}"));
        }
    });
    Ok(Answer::Context(framed.text))
}

/// That messages were shown to a session: its senders may send more.
pub fn receipt(by: &Presence, ids: &[String]) -> Message {
    let message = Message {
        t: now_ms(),
        kind: Kind::Seen,
        by: by.session.clone(),
        name: by.name.clone(),
        harness: by.harness.clone(),
        repo: by.repo_name.clone(),
        to: To::Collective.text(),
        ids: ids.to_vec(),
        ..Message::default()
    };
    message.sealed()
}

/// A word that no sender can know.
fn word() -> String {
    let mut bytes = [0_u8; 8];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut source| io::Read::read_exact(&mut source, &mut bytes));
    if read.is_err() {
        use std::hash::BuildHasher;
        bytes = std::hash::RandomState::new().hash_one(now_ms()).to_ne_bytes();
    }
    bytes.iter().fold("ah-".to_owned(), |word, byte| word + &format!("{byte:02x}"))
}
