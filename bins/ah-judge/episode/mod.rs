//! Episodes: a person's words about what the agent did, kept as they were said until something is learned from them.
//!
//! `episodes.jsonl` beside the lessons: a line for each episode in the reference system's form, and later one that says
//! what became of it.

use ah::fs;
use ah::redact::redact;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How much of the file is read from its end at most, in bytes.
const MAX_READ: u64 = 8 << 20;

/// Most characters of each text.
const TEXT: usize = 3_000;

/// One episode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    /// The session's id and the time.
    pub id: String,
    /// When, in milliseconds since the Unix epoch.
    pub ms: u64,
    /// In which repository, by its name.
    #[serde(default)]
    pub repo: String,
    /// In which session.
    #[serde(default)]
    pub session: String,
    /// What the agent had been told to do.
    #[serde(default)]
    pub task: String,
    /// What the agent had said last.
    #[serde(default)]
    pub agent: String,
    /// The tool call that was refused.
    #[serde(default)]
    pub rejected_tool: Option<String>,
    /// What the person said.
    pub correction: String,
    /// Who, by mail address; empty when that is not known.
    #[serde(default)]
    pub engineer: String,
    /// Lessons that the session had been asked before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
}

/// What became of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// A person does not want it.
    Dropped,
    /// A lesson of its own.
    Learned,
    /// It strengthened a lesson that there was.
    Merged,
    /// Nothing general was in it.
    Nothing,
    /// A lesson that takes the place of another.
    Superseded,
}

#[derive(Debug, Serialize, Deserialize)]
struct Closing {
    id: String,
    ms: u64,
    state: State,
    #[serde(default)]
    lessons: Vec<String>,
}

/// An episode and what became of it, if anything has yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The episode.
    pub episode: Episode,
    /// What became of it, and the lessons it went into.
    pub state: Option<(State, Vec<String>)>,
}

/// The episodes of a store.
#[derive(Clone, Debug)]
pub struct Episodes {
    file: PathBuf,
}

impl Episode {
    /// The same without secrets and with texts of a bounded length.
    pub fn safe(self) -> Self {
        let text = |text: String| {
            let cut = text.char_indices().nth(TEXT).map_or(text.len(), |(at, _)| at);
            redact(&text[..cut]).into_owned()
        };
        Self {
            task: text(self.task),
            agent: text(self.agent),
            rejected_tool: self.rejected_tool.map(text),
            correction: text(self.correction),
            ..self
        }
    }
}

impl Episodes {
    /// Those of the store in `dir`.
    pub fn of(dir: &Path) -> Self {
        Self { file: dir.join("episodes.jsonl") }
    }

    /// Appends an episode, unless one of this id is there; returns whether it was new.
    ///
    /// # Errors
    /// The system's.
    pub fn add(&self, episode: &Episode) -> io::Result<bool> {
        let _lock = self.lock()?;
        if self.read()?.iter().any(|kept| kept.episode.id == episode.id) {
            return Ok(false);
        }
        self.append(&episode.clone().safe())?;
        Ok(true)
    }

    /// Says what became of an episode.
    ///
    /// # Errors
    /// The system's.
    pub fn close(&self, id: &str, state: State, lessons: &[String]) -> io::Result<()> {
        self.append(&Closing { id: id.to_owned(), ms: ah::clock::now_ms(), state, lessons: lessons.to_vec() })
    }

    /// All episodes, oldest first, each once. Lines that are none are left out.
    ///
    /// # Errors
    /// The system's; a file that does not exist has none.
    pub fn read(&self) -> io::Result<Vec<Kept>> {
        let mut lines = Vec::new();
        let done = fs::lines_back(&self.file, MAX_READ, |line| {
            lines.push(line.to_vec());
            true
        });
        match done {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => lines.reverse(),
        }
        let mut all: Vec<Kept> = Vec::new();
        let mut place: BTreeMap<String, usize> = BTreeMap::new();
        for line in lines {
            if let Ok(closing) = serde_json::from_slice::<Closing>(&line) {
                if let Some(at) = place.get(&closing.id) {
                    all[*at].state = Some((closing.state, closing.lessons));
                }
            } else if let Ok(episode) = serde_json::from_slice::<Episode>(&line)
                && !place.contains_key(&episode.id)
            {
                place.insert(episode.id.clone(), all.len());
                all.push(Kept { episode, state: None });
            }
        }
        Ok(all)
    }

    fn lock(&self) -> io::Result<fs::Lock> {
        if let Some(dir) = self.file.parent() {
            fs::ensure_dir(dir)?;
        }
        fs::lock(&self.file.with_extension("lock"), Duration::from_secs(1))
    }

    fn append(&self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        fs::append(&self.file, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn episode(id: &str) -> Episode {
        Episode { id: id.into(), ms: 1, correction: "no, use the pool. password=hunter2".into(), ..Episode::default() }
    }

    #[test]
    fn they_are_kept_once_without_secrets_and_closed() {
        let dir = tempfile::tempdir().unwrap();
        let episodes = Episodes::of(&dir.path().join("store"));
        assert_eq!(episodes.read().unwrap(), []);
        assert!(episodes.add(&episode("a")).unwrap() && !episodes.add(&episode("a")).unwrap());
        assert!(episodes.add(&episode("b")).unwrap());
        fs::append(&episodes.file, b"no\n{\"id\":\"z\"}\n\xff\n").unwrap();
        episodes.close("a", State::Merged, &["L-1".into()]).unwrap();
        episodes.close("none", State::Nothing, &[]).unwrap();
        let kept = episodes.read().unwrap();
        assert_eq!(kept.iter().map(|k| k.episode.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((kept[0].state.clone(), &kept[1].state), (Some((State::Merged, vec!["L-1".to_owned()])), &None));
        assert!(!kept[0].episode.correction.contains("hunter2"));
    }

    #[test]
    fn the_references_lines_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let line = r#"{"id":"s-1","ms":5,"repo":"w","session":"s","task":"t","agent":"","rejected_tool":null,"correction":"c","engineer":""}"#;
        std::fs::write(dir.path().join("episodes.jsonl"), line).unwrap();
        let kept = Episodes::of(dir.path()).read().unwrap();
        assert_eq!(serde_json::to_string(&kept[0].episode).unwrap(), line);
    }
}
