//! What the agent declares of a question, `<id>: applies` or `<id>: skip`, read and taken out.

/// How far behind the id the word may begin or end, in characters.
const WINDOW: usize = 16;

/// What the text declares of lesson `id`, in whatever case: true for `applies`, false for `skip`; the last word
/// counts. Between id and word only `]`, backquotes, `*`, `:`, dashes and blanks may stand.
pub fn declared(text: &str, id: &str) -> Option<bool> {
    if id.is_empty() {
        return None;
    }
    let (text, id) = (text.to_lowercase(), id.to_lowercase());
    text.match_indices(&id).filter_map(|(at, _)| word(&text[at + id.len()..])).last()
}

fn word(after: &str) -> Option<bool> {
    let end = after.char_indices().nth(WINDOW).map_or(after.len(), |(end, _)| end);
    let word = after[..end].trim_start_matches([']', '`', '*', ':', '-', '–', ' ', '\t']);
    match word {
        _ if word.starts_with("skip") => Some(false),
        _ if word.starts_with("applies") || word.starts_with("apply") => Some(true),
        _ => None,
    }
}

/// The text without the lines that declare anything of any of `ids`.
///
/// The reference cuts out id and word, which leaves brackets and halves of words that tell what stood there; a whole
/// line leaves nothing.
pub fn without(text: &str, ids: &[&str]) -> String {
    let declares = |line: &str| ids.iter().any(|id| declared(line, id).is_some() || loose(line, id));
    text.split_inclusive('\n').filter(|line| !declares(line)).collect()
}

/// A declaration that is not read as one, because too much stands between, tells the judge as much.
fn loose(line: &str, id: &str) -> bool {
    let (line, id) = (line.to_lowercase(), id.to_lowercase());
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    line.match_indices(&id).filter(|_| !id.is_empty()).any(|(at, _)| {
        let after = &line[at + id.len()..];
        let whole = !line[..at].ends_with(part) && !after.starts_with(part);
        let word = after.trim_start_matches(|c: char| !c.is_alphanumeric());
        whole && ["appl", "skip"].iter().any(|said| word.starts_with(said))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn golden() {
        let cases: Vec<Value> = serde_json::from_str(include_str!("../../tests/data/golden/declared.json")).unwrap();
        assert_eq!(cases.len(), 18);
        for case in cases {
            let (text, id) = (case["text"].as_str().unwrap(), case["id"].as_str().unwrap());
            assert_eq!(declared(text, id), case["declared"].as_bool(), "{text:?}");
            // Where the reference takes something out, the line goes here; what it keeps whole may still go.
            let kept = without(text, &[id]);
            assert!(kept.is_empty() || kept == text && case["without"] == text, "{text:?} {kept:?}");
            assert_eq!(declared(&kept, id), None);
        }
    }

    #[test]
    fn whole_lines_go_for_all_that_were_asked() {
        let text =
            "I moved the lock.\n- [L-lock]: **applies**\r\nL-ws - skip, no socket here\n(L-utc): applies\nL-lock-2 applies too";
        assert_eq!(without(text, &["L-lock", "L-ws", "L-utc"]), "I moved the lock.\nL-lock-2 applies too");
        assert_eq!(without("I skipped the tests of L-lock\n", &["L-lock"]), "I skipped the tests of L-lock\n");
        assert_eq!(without("any", &[""]), "any");
        assert_eq!(declared("", ""), None);
    }

    #[test]
    fn characters_are_not_cut() {
        assert_eq!(declared("L1: ééééééééééééééééé", "l1"), None);
        assert_eq!(declared("İ L1: skip", "L1"), Some(false));
    }
}
