//! One line of a session log: `{"t":ms,"k":kind,"key":...}` and what the kind says besides.

use super::own::Own;
use crate::redact::redact;
use serde::{Deserialize, Serialize};

/// What happened. Each kind has one writer.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A kind that this program does not read; kept as it is. The text is the whole line.
    Other {
        /// Its kind.
        kind: String,
        /// The line as read.
        raw: String,
    },
    /// The guard: whose work is it.
    Own(Own),
    /// The recorder: a prompt was sent.
    Prompt(Prompt),
}

/// A prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// Made by a machine (a task's end, a tool's result): it starts no turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub machine: bool,
    /// From a sub-agent, which never closes a turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sub: bool,
    /// Redacted when it is written.
    #[serde(default)]
    pub text: String,
}

/// A record with its time and key.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What makes it one: recording the same kind and key again changes nothing. Empty: each line counts.
    pub key: String,
    /// What happened.
    pub record: Record,
    /// Milliseconds since the Unix epoch.
    pub t: u64,
}

/// How every line begins.
#[derive(Deserialize, Serialize)]
struct Head<'a> {
    t: u64,
    k: &'a str,
    #[serde(default)]
    key: std::borrow::Cow<'a, str>,
}

impl Record {
    /// The word for the kind.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Other { kind, .. } => kind,
            Self::Own(_) => "own",
            Self::Prompt(_) => "prompt",
        }
    }

    /// Whether it ends a turn.
    #[must_use]
    pub fn closes(&self) -> bool {
        matches!(self.kind(), "open" | "skip")
    }
}

impl Line {
    /// Reads a line; `None` for a torn one, the first of a file, and anything else that is no record.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let head: Head<'_> = serde_json::from_slice(bytes).ok()?;
        // A known kind in a form that is newer than this program is as good as an unknown one.
        let other = || Some(Record::Other { kind: head.k.to_owned(), raw: std::str::from_utf8(bytes).ok()?.to_owned() });
        let known = match head.k {
            "own" => serde_json::from_slice(bytes).ok().map(Record::Own),
            "prompt" => serde_json::from_slice(bytes).ok().map(Record::Prompt),
            _ => None,
        };
        Some(Self { record: known.or_else(other)?, key: head.key.into_owned(), t: head.t })
    }

    /// The line with its newline.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let head = Head { t: self.t, k: self.record.kind(), key: self.key.as_str().into() };
        let text = match &self.record {
            Record::Other { raw, .. } => Ok(raw.replace('\n', " ")),
            Record::Own(own) => own.to_json().and_then(|body| joined(&head, &body)),
            Record::Prompt(prompt) => {
                let body = Prompt { text: redact(&prompt.text).into_owned(), ..prompt.clone() };
                serde_json::to_string(&body).and_then(|body| joined(&head, &body))
            }
        };
        // Texts and numbers always can be written.
        out.extend_from_slice(text.unwrap_or_default().as_bytes());
        out.push(b'\n');
    }
}

/// One object of the fields of two; neither is empty.
fn joined(head: &Head, body: &str) -> serde_json::Result<String> {
    let mut text = serde_json::to_string(head)?;
    text.pop();
    text.push(',');
    text.push_str(&body[1..]);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Made, Seen};

    fn written(line: &Line) -> String {
        let mut out = Vec::new();
        line.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_come_back() {
        for record in [
            Record::Prompt(Prompt { machine: true, sub: true, text: "a\n\"b\"\0é".into() }),
            Record::Prompt(Prompt::default()),
            Record::Own(Own::start("/r", vec![Seen { path: "/r/a".into(), ..Seen::default() }], true)),
            Record::Own(Own::wrote(vec![Seen { path: "/r/b".into(), hash: Some("00".into()), ..Seen::default() }], "Edit")),
            Record::Own(Own::Made(Made { acts: vec!["stash:".into()], head: Some("0".into()), ..Made::default() })),
        ] {
            let line = Line { t: 7, key: "k\n1".into(), record };
            let text = written(&line);
            assert_eq!(text.matches('\n').count(), 1);
            assert_eq!(Line::read(text.trim_end().as_bytes()).unwrap(), line);
        }
    }

    #[test]
    fn prompts_are_redacted() {
        let record = Record::Prompt(Prompt { text: "password=hunter2".into(), ..Prompt::default() });
        assert!(!written(&Line { t: 1, key: String::new(), record }).contains("hunter2"));
    }

    #[test]
    fn other_kinds_pass_through() {
        let raw = r#"{"t":1,"k":"open","key":"s1","why":"x","new":[1]}"#;
        let line = Line::read(raw.as_bytes()).unwrap();
        assert!(line.record.closes());
        assert_eq!(written(&line), format!("{raw}\n"));
        let newer = r#"{"t":1,"k":"own","key":"","is":"later"}"#;
        assert!(matches!(Line::read(newer.as_bytes()).unwrap().record, Record::Other { .. }));
    }

    #[test]
    fn what_is_no_record_is_none() {
        for bad in [&b""[..], b"{", b"{\"t\":1,\"k\":\"own\"", b"null", b"[]", b"\xff", b"{\"k\":1,\"t\":1}", b"{\"v\":1}"] {
            assert_eq!(Line::read(bad), None);
        }
        let deep = [b"{\"t\":1,\"k\":\"own\",\"is\":".as_slice(), &b"[".repeat(100_000)].concat();
        assert_eq!(Line::read(&deep), None);
    }
}
