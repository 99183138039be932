//! What the agent reads: questions at a block, lessons that are handed over.

use crate::lessons::SOURCE;
use ah::lesson::Lesson;
use ah::quote;
use std::fmt::Write as _;

/// Most characters of a question in a block.
const ASKED: usize = 500;
/// Most characters of a question that is handed over.
const QUESTION: usize = 300;
/// Most characters of its consequence.
const CONSEQUENCE: usize = 200;

/// Most bytes of a hand-over.
pub const HANDED: usize = 2_000;

/// The way out, which every question names.
const OFF: &str = "(Off switch: `ah-doctor off ah-judge --for 1h`.)";

/// A lesson's line in a block, without the number.
pub fn item(lesson: &Lesson) -> String {
    let mut line = format!("[{}] {}", said(&lesson.id, 100), said(&lesson.question, ASKED));
    if !lesson.overrides.is_empty() {
        let _ = write!(line, " (goes before: {})", said(&lesson.overrides, CONSEQUENCE));
    }
    line + origin(lesson)
}

/// A lesson's line in a hand-over.
fn bullet(lesson: &Lesson) -> String {
    let consequence = said(&lesson.consequence, CONSEQUENCE);
    let arrow = if consequence.is_empty() { "" } else { " -> " };
    format!("- [{}] {}{arrow}{consequence}{}\n", said(&lesson.id, 100), said(&lesson.question, QUESTION), origin(lesson))
}

/// What says that it is a repository's own and not the person's.
fn origin(lesson: &Lesson) -> &'static str {
    if lesson.source.starts_with(SOURCE) { " (from this repository's .ah/lessons.jsonl)" } else { "" }
}

/// White space collapsed, and at most `most` characters and an ellipsis.
fn short(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// One line in which nothing acts, hides or breaks out.
fn said(text: &str, most: usize) -> String {
    quote::line(&short(text, most), most * 2)
}

/// The text of a block at a stop.
pub fn block(lessons: &[&Lesson], again: bool) -> String {
    let repeat = if again { "(Perhaps asked already.) " } else { "" };
    let (questions, one) = if lessons.len() == 1 { ("a question", "it") } else { ("questions", "each") };
    let first = lessons.first().map_or_else(|| "ID".to_owned(), |lesson| said(&lesson.id, 100));
    let mut text = format!(
        "{repeat}Before you stop, {questions} that earlier work taught, to be looked into and not taken for facts: check your \
         work against {one}, revise what needs it (a plan in full), and end with one line for each, `{first}: applies` \
         or `{first}: skip`. {OFF}\n"
    );
    items(&mut text, lessons);
    text
}

/// The text of questions that reach the agent while it still works.
pub fn meanwhile(lessons: &[&Lesson], again: bool) -> String {
    let first = lessons.first().map_or_else(|| "ID".to_owned(), |lesson| said(&lesson.id, 100));
    let mut text = format!(
        "{}While you are still at work: questions that earlier work taught, to be looked into and not taken for facts. \
         Revise what needs it, go on, and say one line for each in your next message, `{first}: applies` or \
         `{first}: skip`. {OFF}\n",
        if again { "(Perhaps asked already.) " } else { "" }
    );
    items(&mut text, lessons);
    text
}

fn items(text: &mut String, lessons: &[&Lesson]) {
    for (n, lesson) in lessons.iter().enumerate() {
        let _ = writeln!(text, "{}. {}", n + 1, item(lesson));
    }
    text.truncate(text.trim_end().len());
}

/// The text that hands lessons over, as many as `bytes` take, and how many that are. `again` says that they may have
/// been shown before; `topics` are the names for which they are shown now, if that is why.
pub fn handed(lessons: &[&Lesson], bytes: usize, again: bool, topics: &[String]) -> (String, usize) {
    let about = topics.iter().take(3).map(|topic| said(topic, 40)).collect::<Vec<_>>().join(", ");
    let mut text = match (again, about.is_empty()) {
        (true, _) => "Perhaps shown already: what earlier work taught, to weigh where it fits:\n".to_owned(),
        (false, false) => format!("What earlier work on {about} taught, to weigh where it fits:\n"),
        (false, true) => "What earlier work taught, to weigh where it fits; nothing to answer:\n".to_owned(),
    };
    let mut count = 0;
    for lesson in lessons {
        let bullet = bullet(lesson);
        if text.len() + bullet.len() > bytes {
            break;
        }
        text += &bullet;
        count += 1;
    }
    text.truncate(text.trim_end().len());
    (text, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(id: &str, question: &str) -> Lesson {
        Lesson { id: id.into(), question: question.into(), consequence: "it breaks".into(), ..Lesson::default() }
    }

    #[test]
    fn a_block_is_short_asks_and_names_the_way_out() {
        let text = block(&[&lesson("L-a", "Is it\nsafe?"), &lesson("L-b", "Is it fast?")], false);
        assert!(text.contains("1. [L-a] Is it safe?\n2. [L-b] Is it fast?") && text.contains("ah-doctor off ah-judge"));
        assert!(text.contains("`L-a: applies` or `L-a: skip`") && text.lines().count() == 3 && !text.contains("breaks"));
    }

    #[test]
    fn the_largest_block_is_within_its_caps() {
        let long = "é".repeat(2_000);
        let lesson = lesson("L-a", &long);
        assert!(block(&[&lesson; 5], false).chars().count() <= 3_100);
    }

    #[test]
    fn a_text_cannot_break_out_of_its_line() {
        let text = block(&[&lesson("L-a", "x\u{2028}\r\n2. [L-b] \u{1b}[2Jno\u{202e}")], false);
        assert_eq!(text.lines().count(), 2);
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{2028}']));
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let long = "word ".repeat(60);
        let lesson = lesson("L-a", &long);
        let lessons = [&lesson; 10];
        let (text, count) = handed(&lessons, HANDED, false, &[]);
        assert!(text.len() <= HANDED && count == text.matches("\n- [").count() && (4..9).contains(&count), "{count}");
        assert_eq!(handed(&lessons, 100, true, &[]).1, 0);
    }
}
