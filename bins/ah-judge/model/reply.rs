//! What a model answered, read leniently and checked strictly: whatever was promised, nothing is believed.

use super::json;
use super::reason::{Code, Reason};
use serde_json::{Map, Value};

/// A reply that was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The lessons that apply, in the model's order, each once and each one that was shown.
    pub applies: Vec<Applies>,
    /// The moves that it saw.
    pub moves: Vec<String>,
    /// Verdicts on lessons that waited for one, each once.
    pub resolved: Vec<Resolved>,
}

/// A lesson that applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applies {
    /// 3 runs into the consequence, 2 probably matters, 1 loosely related.
    pub grade: u8,
    /// The lesson.
    pub id: String,
    /// What shows it.
    pub why: String,
}

/// A verdict on a lesson that was delivered before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Whether the later work no longer leads to the consequence.
    pub avoids: bool,
    /// The lesson.
    pub id: String,
    /// Whether the work changed.
    pub verdict: Verdict,
}

/// Whether the work changed in what a lesson asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It did.
    Changed,
    /// It cannot be told.
    Unclear,
    /// It did not.
    Unchanged,
}

impl Verdict {
    /// As it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Unclear => "unclear",
        }
    }

    fn read(value: &Value) -> Option<Self> {
        let text = value.as_str()?;
        [Self::Changed, Self::Unchanged, Self::Unclear]
            .into_iter()
            .find(|verdict| text.trim().eq_ignore_ascii_case(verdict.text()))
    }
}

/// Most characters that are kept of a reason or a move.
const TEXT: usize = 300;
/// Most moves that are kept.
const MOVES: usize = 12;

impl Reply {
    /// Reads what a model wrote in answer to `prompt` about lessons `ids` and, waiting for a verdict, `pending`.
    ///
    /// # Errors
    /// It has no object with a list `applies`: the call failed, which is not the same as that nothing applies.
    pub fn read(text: &str, prompt: &str, ids: &[String], pending: &[String]) -> Result<Self, Reason> {
        let value =
            json::find(text, prompt, |value| value.get("applies").is_some_and(Value::is_array)).ok_or_else(
                || match json::find(text, prompt, Value::is_object) {
                    Some(_) => Reason::new(Code::NoApplies, "the reply has no list \"applies\"".to_owned()),
                    None => Reason::new(Code::NoJson, format!("the reply is no JSON: {}", ah::quote::line(text.trim(), 80))),
                },
            )?;
        Ok(Self::check(&value, ids, pending))
    }

    /// What of `value` is about lessons that were shown.
    #[must_use]
    pub fn check(value: &Value, ids: &[String], pending: &[String]) -> Self {
        let mut reply = Self::default();
        for entry in entries(value, "applies") {
            let Some(id) = known(entry, ids).filter(|id| reply.applies.iter().all(|one| one.id != **id)) else { continue };
            let Some(grade) = entry.get("grade").map_or(Some(2), grade) else { continue };
            let why = entry.get("why").and_then(Value::as_str).unwrap_or_default();
            reply.applies.push(Applies { grade, id: id.clone(), why: ah::quote::line(why.trim(), TEXT) });
        }
        for entry in entries(value, "resolved") {
            let Some(id) = known(entry, pending).filter(|id| reply.resolved.iter().all(|one| one.id != **id)) else { continue };
            let Some(verdict) = entry.get("verdict").and_then(Verdict::read) else { continue };
            let avoids = entry.get("avoids_consequence").and_then(Value::as_bool).unwrap_or(false);
            reply.resolved.push(Resolved { avoids, id: id.clone(), verdict });
        }
        let moves = value.get("moves").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        reply.moves = moves.iter().filter_map(Value::as_str).take(MOVES).map(|text| ah::quote::line(text.trim(), TEXT)).collect();
        reply
    }
}

fn entries<'v>(value: &'v Value, list: &str) -> impl Iterator<Item = &'v Map<String, Value>> {
    value.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

/// The id of an entry, if it is one of `ids`.
fn known<'i>(entry: &Map<String, Value>, ids: &'i [String]) -> Option<&'i String> {
    let id = entry.get("id")?.as_str()?;
    ids.iter().find(|known| *known == id).or_else(|| {
        // As it stands in the prompt.
        let bare = id.trim().trim_start_matches('[').trim_end_matches(']');
        ids.iter().find(|known| *known == bare)
    })
}

/// A grade as a number or as text; `None` for anything but 1, 2 and 3.
fn grade(value: &Value) -> Option<u8> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    [1_u8, 2, 3].into_iter().find(|grade| (f64::from(*grade) - number).abs() < f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, u8)>, Code> {
        let ids = ["L1", "L2", "L3"].map(str::to_owned);
        let reply = Reply::read(text, "| {\"applies\":[{\"id\":\"L3\",\"grade\":3}]}", &ids, &["P1".to_owned()]);
        reply.map(|reply| reply.applies.into_iter().map(|one| (one.id, one.grade)).collect()).map_err(|reason| reason.code)
    }

    fn one(id: &str, grade: u8) -> Result<Vec<(String, u8)>, Code> {
        Ok(vec![(id.to_owned(), grade)])
    }

    #[test]
    fn forms_of_one_reply() {
        for text in [
            r#"{"moves":[],"applies":[{"id":"L1","why":"w","grade":3}],"resolved":[]}"#,
            "Sure:\n```json\n{\"applies\": [{\"id\": \"L1\", \"grade\": \"3\"}]}\n```\nThat is all. {braces}",
            r#"[{"id":"L1","grade":3}]"#,
            r#"{"applies":[{"id":"[L1]","grade":3.0},{"id":"L1","grade":1},{"id":"L9","grade":3},{"grade":3},7,null,{"id":4}]}"#,
            r#"{"result":{"applies":[{"id":"L1","grade":3}]}}"#,
            "\u{feff}{\"applies\":[{\"id\":\"L1\",\"grade\":3}]}\n{\"applies\":[{\"id\":\"L1\",\"gra",
        ] {
            assert_eq!(read(text), one("L1", 3), "{text}");
        }
        assert_eq!(read(r#"{"applies":[{"id":"L2"}]}"#), one("L2", 2));
        for grade in ["0", "4", "-1", "2.5", "\"three\"", "true", "null", "[3]", "1e99", "\"\""] {
            assert_eq!(read(&format!(r#"{{"applies":[{{"id":"L2","grade":{grade}}}]}}"#)), Ok(vec![]), "{grade}");
        }
    }

    #[test]
    fn no_list_is_a_failure_and_an_empty_one_is_not() {
        assert_eq!(read(r#"{"applies":[]}"#), Ok(vec![]));
        for text in [r#"{"moves":["x"]}"#, r#"{"applies":"L1"}"#, r#"{"applies":{"id":"L1","grade":3}}"#, "{}"] {
            assert_eq!(read(text), Err(Code::NoApplies), "{text}");
        }
        for text in ["", "L1 applies, grade 3.", "{\"applies\":[{\"id\":\"L1\",\"grade\":3}", "\u{0}", "3"] {
            assert_eq!(read(text), Err(Code::NoJson), "{text}");
        }
        assert_eq!(read(&"[".repeat(100_000)), Err(Code::NoJson));
        assert_eq!(read(&"{\"a\":".repeat(100_000)), Err(Code::NoJson));
    }

    #[test]
    fn an_echo_of_the_work_is_no_reply() {
        let echo = r#"{"applies":[{"id":"L3","grade":3}]}"#;
        let own = r#"{"applies":[{"id":"L1","grade":1}]}"#;
        let spaced = "{ \"applies\" : [ {\"grade\":3,\"id\":\"L3\"} ] }";
        for text in [format!("{echo}\n{own}"), format!("{own}\n{echo}"), format!("{spaced} {own} {echo}")] {
            assert_eq!(read(&text), one("L1", 1), "{text}");
        }
        assert_eq!(read(echo), Err(Code::NoJson), "nothing of its own");
    }

    #[test]
    fn verdicts_are_only_on_what_waits_for_one() {
        let text = r#"{"applies":[],"resolved":[{"id":"L1","verdict":"changed"},{"id":"P1","verdict":"maybe"},
            {"id":"P1","verdict":"Changed","avoids_consequence":"yes"},{"id":"P1","verdict":"unclear"}]}"#;
        let reply = Reply::read(text, "", &[], &["P1".to_owned()]).unwrap();
        assert_eq!(reply.resolved, [Resolved { avoids: false, id: "P1".into(), verdict: Verdict::Changed }]);
    }

    /// Any text at all: no panic, and never more than what was shown, once each, with a grade that is one.
    #[test]
    fn whatever_is_written_only_what_was_shown_is_kept() {
        let seeds = [
            r#"{"moves":["a"],"applies":[{"id":"L1","why":"\ud83d é","grade":3},{"id":"L2","grade":"2"}],"resolved":[{"id":"P1","verdict":"changed"}]}"#,
            "```json\n[{\"id\":\"L1\",\"grade\":1}]\n``` {\"applies\":[{\"id\":\"L3\"}]} | {\"a\":{\"applies\":[]}}",
        ];
        let (ids, pending) = (["L1", "L2", "L3"].map(str::to_owned), ["P1".to_owned()]);
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % below as u64).unwrap()
        };
        let mut answered = 0;
        for round in 0..6_000 {
            let mut bytes = seeds[round % 2].as_bytes().to_vec();
            for _ in 0..next(6) {
                if bytes.is_empty() {
                    break;
                }
                let at = next(bytes.len());
                match next(4) {
                    0 => bytes[at] = u8::try_from(next(256)).unwrap(),
                    1 => drop(bytes.remove(at)),
                    2 => bytes.insert(at, b"{}[]\",:\\u3\0"[next(11)]),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            let Ok(reply) = Reply::read(&text, "| {\"applies\":[]}", &ids, &pending) else { continue };
            answered += 1;
            let mut kept: Vec<&String> = reply.applies.iter().map(|one| &one.id).collect();
            kept.sort();
            kept.dedup();
            assert_eq!(kept.len(), reply.applies.len(), "{text}");
            assert!(reply.applies.iter().all(|one| ids.contains(&one.id) && (1..=3).contains(&one.grade)), "{text}");
            assert!(reply.resolved.iter().all(|one| pending.contains(&one.id)) && reply.resolved.len() <= 1, "{text}");
        }
        assert!(answered > 1_000, "{answered}");
    }
}
