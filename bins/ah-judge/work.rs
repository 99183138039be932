//! A turn's work as a text: what was asked for, what was done, what was said, in order.

use ah::session::Entry;
use std::fmt::Write as _;

/// Most characters of one prompt, and of what the agent said last.
const SAID: usize = 6_000;

/// The records of a turn as the model reads them. A sub-agent's are the session's work as well.
pub fn text(turn: &[Entry], message: &str) -> String {
    let mut text = String::new();
    for entry in turn {
        let _ = match entry {
            Entry::Prompt(prompt) if !prompt.machine && !prompt.sub => writeln!(text, "The person: {}", cut(&prompt.text)),
            Entry::Touch { tool, text: what, .. } if !what.trim().is_empty() => writeln!(text, "[{tool}] {what}"),
            Entry::Edit { paths, text: what, .. } => writeln!(text, "edited {}: {what}", paths.join(" ")),
            Entry::Test { pass } => writeln!(text, "tests {}", if *pass { "passed" } else { "failed" }),
            Entry::Denied { tool, text: what, words } => writeln!(text, "refused [{tool}] {what} {words}"),
            _ => Ok(()),
        };
    }
    if !message.trim().is_empty() {
        let _ = writeln!(text, "The agent: {}", cut(message));
    }
    text
}

/// Where the session works, for the names that lessons are about: the repository, the paths touched, what was asked for
/// and said.
pub fn place(repo: &str, turn: &[Entry], message: &str) -> String {
    let mut text = format!("{repo}\n");
    for entry in turn {
        match entry {
            Entry::Touch { paths, .. } | Entry::Edit { paths, .. } => paths.iter().for_each(|path| text += &format!("{path}\n")),
            Entry::Prompt(prompt) if !prompt.machine => text += &format!("{}\n", prompt.text),
            _ => {}
        }
    }
    text + message
}

/// The beginning and the end of what is too long.
fn cut(text: &str) -> String {
    let count = text.chars().count();
    if count <= SAID {
        return text.to_owned();
    }
    let half = SAID / 2;
    let begin = text.char_indices().nth(half).map_or(text, |(at, _)| &text[..at]);
    let end = text.char_indices().nth(count - half).map_or("", |(at, _)| &text[at..]);
    format!("{begin} […] {end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ah::session::Prompt;

    #[test]
    fn a_turn_is_told_in_order() {
        let turn = [
            Entry::Prompt(Prompt { text: "do it".into(), ..Prompt::default() }),
            Entry::Prompt(Prompt { machine: true, text: "task done".into(), ..Prompt::default() }),
            Entry::Touch { paths: vec!["/w/a.rs".into()], sub: false, text: "/w/a.rs".into(), tool: "Read".into() },
            Entry::Edit { paths: vec!["/w/b.rs".into()], sub: false, text: "let x".into() },
            Entry::Test { pass: false },
        ];
        let text = text(&turn, "done");
        assert_eq!(text, "The person: do it\n[Read] /w/a.rs\nedited /w/b.rs: let x\ntests failed\nThe agent: done\n");
        assert_eq!(place("w", &turn, "done"), "w\ndo it\n/w/a.rs\n/w/b.rs\ndone");
    }

    #[test]
    fn what_is_too_long_loses_its_middle() {
        let long = format!("begin{}end", "é".repeat(9_000));
        let short = cut(&long);
        assert!(short.starts_with("begin") && short.ends_with("end") && short.chars().count() <= SAID + 5);
    }
}
