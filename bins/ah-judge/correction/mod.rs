//! Whether a prompt may correct the agent: a cheap look at its words, before any model is asked to learn from it.

mod signs;
mod spoken;

use signs::{ENOUGH, IDLE, SIGNS, SOFT};

/// Most sentences that are looked at.
const SENTENCES: usize = 6;

/// Whether the prompt may correct what the agent did. A model looks at what this lets through; what it does not is
/// lost.
pub fn looks(prompt: &str) -> bool {
    let prompt = prompt.trim();
    if prompt.len() <= 3 || prompt.starts_with(['<', '/']) {
        return false;
    }
    let sentences = spoken::sentences(prompt);
    // Somebody else's words, or the harness's: what comes after is no better.
    if sentences.first().is_some_and(|first| count(first) <= -4) {
        return false;
    }
    let mut soft = 0;
    sentences.iter().take(SENTENCES).any(|sentence| {
        // `no` alone, and more after it.
        let short = sentences.len() > 1 && matches!(&**sentence, "no" | "stop" | "don't" | "nope" | "wrong");
        let enough = short || count(sentence) + soft >= ENOUGH;
        soft = i32::from(SOFT.contains(&sentence.trim_end_matches(',')));
        enough
    })
}

/// What the signs in a sentence count together, with and without the words that it only begins with.
fn count(sentence: &str) -> i32 {
    let spaced = sentence.replace(',', " , ");
    let trim = |word: &'_ str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != ',').to_owned();
    let words: Vec<String> = spaced.split_whitespace().map(trim).filter(|word| !word.is_empty()).collect();
    // Every prompt pays for each sign: nearly all end at their first two bytes.
    let mut begins = [false; 1024];
    words.iter().for_each(|word| begins[two(word.as_bytes())] = true);
    let may = |sign: &str| {
        let sign = sign.as_bytes();
        let sign = if sign.first() == Some(&b'^') { &sign[1..] } else { sign };
        sign.first() == Some(&b'*') || begins[two(sign)]
    };
    let signs: Vec<&(&str, i32)> = SIGNS.iter().filter(|(sign, _)| may(sign)).collect();
    let sum = |words: &[String]| -> i32 { signs.iter().filter(|(sign, _)| stands(sign, words)).map(|(_, counts)| counts).sum() };
    let (mut best, mut rest, mut more) = (sum(&words), &words[..], 0);
    while let Some((skip, adds)) = beginning(rest) {
        (rest, more) = (&rest[skip..], more + adds);
        best = best.max(sum(rest) + more);
    }
    best
}

/// A place for how a word begins; a blank ends it.
fn two(word: &[u8]) -> usize {
    let byte = |at: usize| word.get(at).copied().filter(|byte| *byte != b' ').map_or(0, usize::from);
    (byte(0) * 31 + byte(1)) & 1023
}

/// How many words a soft or idle beginning has, with its comma, and what it adds.
fn beginning(words: &[String]) -> Option<(usize, i32)> {
    let kinds = [(SOFT, 1), (IDLE, 0)];
    let mut found = kinds.iter().flat_map(|(all, adds)| all.iter().map(move |begin| (begin, adds)));
    let (begin, adds) = found.find(|(begin, _)| meets(begin, words))?;
    let length = begin.split(' ').count();
    Some((length + usize::from(words.get(length).is_some_and(|word| word == ",")), *adds))
}

fn stands(sign: &str, words: &[String]) -> bool {
    let (begin, sign) = if sign.as_bytes().first() == Some(&b'^') { (true, &sign[1..]) } else { (false, sign) };
    let starts = if begin { words.len().min(1) } else { words.len() };
    let first = sign.as_bytes().first();
    (0..starts).any(|at| (first == Some(&b'*') || words[at].as_bytes().first() == first) && meets(sign, &words[at..]))
}

/// Whether the words begin with those of a sign.
fn meets(sign: &str, words: &[String]) -> bool {
    let mut rest = sign.as_bytes();
    for have in words {
        let end = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
        let (want, have) = (&rest[..end], have.as_bytes());
        let same = match want {
            [b'*', ending @ ..] => have.len() > ending.len() + 1 && have.ends_with(ending),
            _ => have == want,
        };
        if !same || end == rest.len() {
            return same;
        }
        rest = &rest[end + 1..];
    }
    false
}

#[cfg(test)]
mod tests {
    use super::looks;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Prompt {
        text: String,
        correction: bool,
        #[serde(default)]
        fresh: u8,
    }

    fn prompts() -> Vec<Prompt> {
        let lines = include_str!("../../../tests/data/corrections.jsonl").lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Corrections found, false alarms, corrections missed.
    fn figures(unseen: bool) -> [usize; 3] {
        let mut counts = [0; 3];
        for prompt in prompts().iter().filter(|prompt| (prompt.fresh == 3) == unseen) {
            match (prompt.correction, looks(&prompt.text)) {
                (true, true) => counts[0] += 1,
                (false, true) => counts[1] += 1,
                (true, false) => counts[2] += 1,
                (false, false) => {}
            }
        }
        counts
    }

    #[test]
    fn figures_on_prompts_that_the_signs_were_set_by() {
        // 354 prompts: precision 155 of 160 (0.97), recall 155 of 162 (0.96).
        assert_eq!((prompts().len(), figures(false)), (414, [155, 5, 7]));
    }

    #[test]
    fn figures_on_prompts_that_were_written_afterwards() {
        // 60 prompts: precision 15 of 17 (0.88), recall 15 of 30 (0.50).
        assert_eq!(figures(true), [15, 2, 15]);
    }

    #[test]
    fn nothing_foreign_stops_it() {
        for text in ["", "\0\0\0\0", &"no, ".repeat(100_000), &"\"".repeat(9_999), "\u{202e}no, not that", &"é".repeat(99_999)] {
            let _ = looks(text);
        }
    }
}
