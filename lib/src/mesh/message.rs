//! A message between sessions, and how a reader knows that it is one.

use crate::quote;
use crate::redact::redact;
use serde::{Deserialize, Serialize};

/// The longest text, in bytes. A longer one is refused, never cut.
pub const LONGEST: usize = 16 << 10;
/// How long a message is worth showing, in milliseconds.
const FRESH: u64 = 7 * 86_400_000;
/// How far another clock may be ahead, in milliseconds.
const AHEAD: u64 = 60_000;

/// What kind of message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Wants an answer.
    Ask,
    /// Says that others were shown: never news.
    Seen,
    /// Tells.
    #[default]
    Tell,
    /// A person says no to what a session does.
    Veto,
}

/// To whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// Every session of the collective.
    Collective,
    /// The person.
    Engineer,
    /// Every session of one repository.
    Repo(String),
    /// One session, by its id.
    Session(String),
}

/// A message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Message {
    /// 1.
    pub v: u32,
    /// When, in milliseconds since the epoch.
    pub t: u64,
    /// What it is.
    pub kind: Kind,
    /// `m` and twelve digits of a hash over the rest.
    pub id: String,
    /// The sender's session; `engineer` for a person, empty for nobody known.
    pub by: String,
    /// The sender's name, for people.
    pub name: String,
    /// The sender's harness.
    pub harness: String,
    /// The sender's repository, for people.
    pub repo: String,
    /// `session:ID`, `repo:ID`, `collective` or `engineer`.
    pub to: String,
    /// What it answers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub re: String,
    /// What it says.
    pub text: String,
    /// Messages that were shown, or that this one takes the place of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
}

impl To {
    /// As a message has it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Collective => "collective".to_owned(),
            Self::Engineer => "engineer".to_owned(),
            Self::Repo(id) => format!("repo:{id}"),
            Self::Session(id) => format!("session:{id}"),
        }
    }

    /// What a message has; `None` for anything else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        Some(match text {
            "collective" => Self::Collective,
            "engineer" => Self::Engineer,
            _ => match text.split_once(':')? {
                ("repo", id) if !id.is_empty() => Self::Repo(id.to_owned()),
                ("session", id) if !id.is_empty() => Self::Session(id.to_owned()),
                _ => return None,
            },
        })
    }
}

impl Message {
    /// The same, cleaned, without secrets, and with its id.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        self.v = 1;
        self.text = quote::block(&redact(&self.text.replace("\r\n", "\n")), usize::MAX);
        self.name = quote::line(&self.name, 64);
        self.harness = quote::line(&self.harness, 64);
        self.repo = quote::line(&self.repo, 64);
        self.id = self.hash();
        self
    }

    fn hash(&self) -> String {
        let t = self.t.to_string();
        let kind = format!("{:?}", self.kind);
        let fields =
            [&t, &kind, &self.by, &self.name, &self.harness, &self.repo, &self.to, &self.re, &self.text, &self.ids.join(",")];
        let all = fields.map(|field| field.as_str()).join("\0");
        format!("m{}", &blake3::hash(all.as_bytes()).to_hex()[..12])
    }

    /// A line of a log as a message; `None` for anything that no writer of ours made.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        let message: Self = serde_json::from_slice(line).ok()?;
        let sound = message.v == 1 && message.id == message.hash() && To::read(&message.to).is_some();
        let clean = quote::block(&message.text, usize::MAX) == message.text && quote::line(&message.name, 64) == message.name;
        let fits = message.text.len() <= 4 * LONGEST && (message.kind == Kind::Seen) == message.text.is_empty();
        (sound && clean && fits).then_some(message)
    }

    /// As a line of a log.
    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Whether it is worth showing at `now_ms`.
    #[must_use]
    pub fn is_fresh(&self, now_ms: u64) -> bool {
        self.t <= now_ms.saturating_add(AHEAD) && now_ms.saturating_sub(self.t) <= FRESH
    }

    /// Whether a session gets it: one of `repo` that runs since `started`.
    #[must_use]
    pub fn is_for(&self, session: &str, repo: &str, started: u64) -> bool {
        if self.kind == Kind::Seen || self.by == session {
            return false;
        }
        let heard = started <= self.t.saturating_add(AHEAD);
        match To::read(&self.to) {
            Some(To::Collective) => heard,
            Some(To::Repo(id)) => heard && id == repo,
            Some(To::Session(id)) => id == session,
            Some(To::Engineer) | None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        Message { t: 1_000_000, by: "s1".into(), to: "repo:r".into(), text: text.into(), ..Message::default() }.sealed()
    }

    #[test]
    fn c1_a_line_that_nobody_wrote_is_none() {
        let line = message("hello\nthere").line();
        assert!(Message::read(line.as_bytes()).is_some());
        for (from, to) in [
            ("hello", "Hello"),
            ("repo:r", "repo:"),
            ("\"v\":1", "\"v\":2"),
            ("s1", "s2"),
            ("tell", "veto"),
            ("\"t\":1", "\"t\":2"),
        ] {
            assert!(Message::read(line.replace(from, to).as_bytes()).is_none(), "{from}");
        }
        for junk in ["", "{}", "[]", "null", "{\"v\":1}", "\u{0}"] {
            assert!(Message::read(junk.as_bytes()).is_none());
        }
    }

    #[test]
    fn c2_c10_who_gets_it_and_how_long() {
        let broadcast = message("x");
        assert!(broadcast.is_for("s2", "r", 1_000_000) && broadcast.is_for("s2", "r", 1_060_000));
        assert!(
            !broadcast.is_for("s1", "r", 0) && !broadcast.is_for("s2", "other", 0) && !broadcast.is_for("s2", "r", 1_060_001)
        );
        let direct = Message { to: "session:s2".into(), ..message("x") };
        assert!(direct.is_for("s2", "other", u64::MAX) && !direct.is_for("s3", "r", 0));
        assert!(broadcast.is_fresh(1_000_000 + FRESH) && !broadcast.is_fresh(1_000_001 + FRESH));
        assert!(broadcast.is_fresh(940_000) && !broadcast.is_fresh(939_999));
    }

    #[test]
    fn c8_secrets_go_before_anything_is_written() {
        let line = message("use token=abcdef0123456789\r\nat 1a2b3c4d5e6f\u{202e}").line();
        assert!(!line.contains("abcdef0123456789") && line.contains("1a2b3c4d5e6f") && !line.contains('\u{202e}'), "{line}");
    }
}
