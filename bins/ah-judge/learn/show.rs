//! What a person sees of an episode and of what is about to be learned from it.

use super::apply::Change;
use crate::episode::{Episode, State};
use ah::clock;
use ah::lesson::{Lesson, Reach};
use ah::quote;
use std::fmt::Write as _;

/// Most characters of each text that is shown.
const TEXT: usize = 600;

/// An episode as people read it.
pub fn episode(episode: &Episode) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "episode {}  {}  {}", one(&episode.id), clock::utc(episode.ms), one(&episode.repo));
    let mut row = |name: &str, value: &str| {
        if !value.trim().is_empty() {
            let _ = writeln!(text, "  {name:11} {}", one(value));
        }
    };
    row("task", &episode.task);
    row("refused", episode.rejected_tool.as_deref().unwrap_or_default());
    row("said", &episode.correction);
    text
}

/// A change as people read it.
pub fn change(change: &Change) -> String {
    let Some(lesson) = &change.lesson else {
        return format!("  nothing     {}\n", one(&change.why));
    };
    let before = change.before.as_ref();
    let what = match (change.state, before) {
        (State::Merged, Some(old)) => format!("  strengthens {}, which asked: {}\n", one(&old.id), one(&old.question)),
        (_, Some(old)) => format!("  replaces    {}, which asked: {}\n", one(&old.id), one(&old.question)),
        _ => "  new lesson\n".to_owned(),
    };
    what + &texts(lesson)
}

fn texts(lesson: &Lesson) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: &str| {
        if !value.trim().is_empty() {
            let _ = writeln!(text, "  {name:11} {}", one(value));
        }
    };
    row("id", &lesson.id);
    row("question", &lesson.question);
    row("consequence", &lesson.consequence);
    lesson.situations.iter().for_each(|situation| row("situation", situation));
    row("scope", &lesson.scope.join(", "));
    row("reach", if lesson.reach == Reach::Repo { "repo" } else { "team" });
    text
}

/// How a person words an episode by hand.
pub fn by_hand(episode: &Episode) -> String {
    let id = quote::path(&episode.id);
    format!(
        "  word it     ah-judge learn {id} --question 'Do I ...?' --consequence '...' --situation '...'\n  or drop it  ah-judge learn {id} --drop\n"
    )
}

fn one(text: &str) -> String {
    quote::line(&quote::cut(text.trim(), TEXT), TEXT * 2)
}
