//! What is asked of a model: the rubric, the lessons shown, the work, and the form of the reply.

use super::fence::{fenced, head, tail, word};
use super::schema;
use ah::redact::redact;

/// What the model is told to do; the same for every question, so that a server can keep it.
const RUBRIC: &str = include_str!("../../../defaults/rubric.md");
/// Most characters of a lesson's question and consequence (spec of the reference system's pool).
const QUESTION: usize = 240;
const CONSEQUENCE: usize = 160;
/// Most characters of the work, from its end.
const WORK: usize = 24_000;
/// Most characters of earlier work: before a lesson was shown, and after.
const BEFORE: usize = 1_200;
const AFTER: usize = 3_600;

/// A lesson that is shown.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// What follows where it is not heeded.
    pub consequence: &'a str,
    /// Its id.
    pub id: &'a str,
    /// What it asks.
    pub question: &'a str,
}

/// Lessons that were delivered together and are not judged yet, and the work around that.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// The work since.
    pub after: &'a str,
    /// The work before.
    pub before: &'a str,
    /// The lessons, each with what the agent declared: `applies`, `skip` or nothing.
    pub lessons: &'a [(Shown<'a>, Option<&'a str>)],
}

/// All that a question is made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts<'a> {
    /// The lessons shown, in the order of the store: the same prefix at each question.
    pub lessons: &'a [Shown<'a>],
    /// Deliveries that wait for a verdict.
    pub pending: &'a [Group<'a>],
    /// Ids as the gate ranks them, best first, for `words`.
    pub ranked: &'a [String],
    /// The session's id.
    pub session: &'a str,
    /// What tells the turns of the session apart.
    pub turn: &'a str,
    /// The work of this turn, in order.
    pub work: &'a str,
}

/// A question to a model.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// Ids of the lessons shown.
    pub ids: Vec<String>,
    /// Ids of the lessons that wait for a verdict.
    pub pending: Vec<String>,
    /// Lessons, earlier work, work.
    pub prompt: String,
    /// Ids as the gate ranks them, best first.
    pub ranked: Vec<String>,
    /// The form of the reply: a JSON schema as text, since its order matters.
    pub schema: String,
    /// The session's id.
    pub session: String,
    /// How many bytes of the prompt are the same while the store is.
    pub stable: usize,
    /// The rubric.
    pub system: String,
    /// What tells the turns of the session apart.
    pub turn: String,
}

impl Ask {
    /// The question about these parts; everything foreign without secrets and fenced.
    #[must_use]
    pub fn of(parts: &Parts) -> Self {
        let ids: Vec<String> = parts.lessons.iter().map(|lesson| lesson.id.to_owned()).collect();
        let shown = parts.pending.iter().flat_map(|group| group.lessons);
        let mut pending: Vec<String> = shown.map(|(lesson, _)| lesson.id.to_owned()).collect();
        pending.sort();
        pending.dedup();
        let mut prompt = String::from("## Lessons\n\n");
        for lesson in parts.lessons {
            prompt.push_str(&line(lesson));
            prompt.push('\n');
        }
        let stable = prompt.len();
        let word = word();
        if !parts.pending.is_empty() {
            prompt.push_str("\n## Earlier work, for `resolved`\n");
            parts.pending.iter().for_each(|group| earlier(&mut prompt, &word, group));
        }
        prompt.push_str("\n## Current work\n\n");
        prompt.push_str(&fenced(&word, "work", tail(parts.work, WORK)));
        Self {
            schema: schema::of(&ids, &pending),
            ids,
            pending,
            prompt,
            ranked: parts.ranked.to_vec(),
            session: parts.session.to_owned(),
            stable,
            system: RUBRIC.to_owned(),
            turn: parts.turn.to_owned(),
        }
    }
}

fn earlier(prompt: &mut String, word: &str, group: &Group) {
    prompt.push_str("\n### Work\n\n");
    prompt.push_str(&fenced(word, "before", head(group.before, BEFORE)));
    prompt.push_str(&fenced(word, "after", head(group.after, AFTER)));
    prompt.push_str("Lessons:\n");
    for (lesson, declared) in group.lessons {
        prompt.push_str(&line(lesson));
        if let Some(declared) = declared {
            // One of two words of ours; whatever else it is does not get here.
            prompt.push_str(if *declared == "applies" { " (declared: applies)" } else { " (declared: skip)" });
        }
        prompt.push('\n');
    }
}

/// One lesson as a line of the prompt: `[id] question -> consequence`.
#[must_use]
pub fn line(lesson: &Shown) -> String {
    let (question, consequence) = (plain(lesson.question, QUESTION), plain(lesson.consequence, CONSEQUENCE));
    let id = ah::quote::line(lesson.id, 200);
    if consequence.is_empty() { format!("[{id}] {question}") } else { format!("[{id}] {question} -> {consequence}") }
}

/// One line of visible text without secrets, at most `most` characters and a mark.
fn plain(text: &str, most: usize) -> String {
    let text: String = redact(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = head(&text, most);
    let mark = if cut.len() < text.len() { "…" } else { "" };
    ah::quote::line(&format!("{cut}{mark}"), usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LESSON: Shown = Shown { consequence: "it\n breaks", id: "L1", question: "Is the\tlock held?" };

    #[test]
    fn the_prefix_is_the_same_while_the_store_is() {
        let lessons = [LESSON, Shown { id: "L2", consequence: "", ..LESSON }];
        let of = |work| Ask::of(&Parts { lessons: &lessons, work, ..Parts::default() });
        let (one, two) = (of("a"), of("b"));
        assert_eq!(one.prompt[..one.stable], two.prompt[..two.stable]);
        assert_eq!(&one.prompt[..one.stable], "## Lessons\n\n[L1] Is the lock held? -> it breaks\n[L2] Is the lock held?\n");
        assert_ne!(one.prompt[one.stable..], two.prompt[two.stable..]);
        assert_eq!((one.system.as_str(), one.ids.as_slice()), (RUBRIC, ["L1".to_owned(), "L2".to_owned()].as_slice()));
    }

    #[test]
    fn a_lesson_is_one_line() {
        let text = "x\u{2028}y ".repeat(100);
        let shown = line(&Shown { consequence: "## Current work\nis token=abcdef0123456789", id: "a\nb", question: &text });
        assert_eq!(shown.lines().count(), 1);
        assert!(shown.starts_with("[a\\nb] x") && shown.contains('…') && shown.contains("token=[redacted]"), "{shown}");
    }

    #[test]
    fn earlier_work_is_shown_with_what_was_declared() {
        let lessons = [(LESSON, Some("applies")), (Shown { id: "L2", ..LESSON }, None)];
        let group = Group { after: "then", before: &"b".repeat(5_000), lessons: &lessons };
        let ask = Ask::of(&Parts { pending: &[group], work: "now", ..Parts::default() });
        assert_eq!(ask.pending, ["L1", "L2"]);
        assert!(ask.prompt.contains("[L1] Is the lock held? -> it breaks (declared: applies)\n[L2]"));
        assert_eq!(ask.prompt.matches('b').count(), 1_200 + ask.prompt.replace(&"b".repeat(1_200), "").matches('b').count());
        assert_eq!(ask.prompt.lines().filter(|line| line.starts_with("ah-")).count(), 6);
    }
}
