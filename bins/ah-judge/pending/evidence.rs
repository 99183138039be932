//! The work before and after a delivery, as the judge sees it.

use super::Step;

/// Most characters of the work before.
const BEFORE: usize = 1_200;
/// Most characters of the work after.
const AFTER: usize = 3_600;

/// The work right before step `at`, its end; what was judged before the delivery before that is not in it.
pub fn before(steps: &[Step], at: usize) -> String {
    let texts = steps[..at].iter().rev().filter_map(text);
    let mut kept: Vec<&str> = Vec::new();
    let mut room = BEFORE;
    for text in texts {
        kept.push(text);
        room = room.saturating_sub(text.chars().count() + 1);
        if room == 0 {
            break;
        }
    }
    kept.reverse();
    tail(&kept.join("\n"), BEFORE).to_owned()
}

/// The work after step `at` and what the agent says `now`, in true order; of a long one the beginning and the end.
pub fn after(steps: &[Step], at: usize, now: &str) -> String {
    let mut texts: Vec<&str> = steps[at + 1..].iter().filter_map(text).collect();
    texts.extend((!now.trim().is_empty()).then_some(now));
    let whole = texts.join("\n");
    if whole.chars().count() <= AFTER {
        return whole;
    }
    let part = AFTER / 2 - 4;
    let end = whole.char_indices().nth(part).map_or(whole.len(), |(at, _)| at);
    format!("{}\n[…]\n{}", &whole[..end], tail(&whole, part))
}

fn text(step: &Step) -> Option<&str> {
    match step {
        Step::Said(text) | Step::Work(text) => Some(text.trim()).filter(|text| !text.is_empty()),
        Step::Delivered { .. } | Step::Judged { .. } => None,
    }
}

fn tail(text: &str, most: usize) -> &str {
    let skip = text.chars().count().saturating_sub(most);
    text.char_indices().nth(skip).map_or("", |(at, _)| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::super::tests::{shown, work};
    use super::*;

    #[test]
    fn it_is_in_true_order_and_within_its_room() {
        let steps = [
            work("one"),
            work("two"),
            shown(&["a"], true),
            work("three"),
            Step::Said("said".into()),
            shown(&["b"], true),
            work("four"),
        ];
        assert_eq!(before(&steps, 2), "one\ntwo");
        assert_eq!(after(&steps, 2, "now"), "three\nsaid\nfour\nnow");
        assert_eq!(after(&steps, 5, " "), "four");
        let long = [work(&"é".repeat(5_000)), shown(&["a"], true), work(&format!("begin{}", "x".repeat(9_000))), work("end")];
        assert_eq!(before(&long, 1).chars().count(), 1_200);
        let text = after(&long, 1, "");
        assert!(text.starts_with("begin") && text.ends_with("end") && text.chars().count() <= 3_600);
    }
}
