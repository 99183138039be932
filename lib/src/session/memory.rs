//! What the notes of a session add up to: whose work something is.

use super::origin::{DEPTH, Left};
use super::own::{Made, Own, path_text};
use super::{Line, Record};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The longest that a tool call runs, in milliseconds: what is newer than that after a call was not written by it.
const LONGEST_CALL: u64 = 600_000;

/// Whose the present content of a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The session wrote it, where nothing of anybody's was, and as far as is known nobody changed it since.
    Own,
    /// It was there before, or the session did not write it.
    Person,
    /// Nothing is remembered that would tell; to be treated as a person's.
    Unknown,
}

/// What is at a path now.
#[derive(Clone, Debug, Default)]
pub struct Present {
    /// Its hash; `None` when that is not known.
    pub hash: Option<String>,
    /// When it was last written, in milliseconds since the Unix epoch.
    pub written: Option<u64>,
}

/// Whether a commit of the path's repository has a content of this hash at that path.
pub type Committed<'l> = &'l dyn Fn(&str, &str) -> bool;

/// What is remembered of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The beginning of the log was out of reach.
    pub(super) cut: bool,
    /// What lines were about to make in git, by time.
    pub(super) made: Vec<Made>,
    /// When shell calls ran, from and to, by time.
    pub(super) ran: Vec<(u64, u64)>,
    /// By work tree.
    pub(super) starts: BTreeMap<String, Start>,
    /// By path, each by time.
    pub(super) wrote: BTreeMap<String, Vec<Wrote>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Start {
    #[serde(default)]
    pub(super) overflow: bool,
    pub(super) paths: BTreeMap<String, Option<String>>,
    #[serde(default)]
    pub(super) t: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Wrote {
    pub(super) t: u64,
    #[serde(default)]
    pub(super) key: String,
    #[serde(rename = "h", default, skip_serializing_if = "Option::is_none")]
    pub(super) hash: Option<String>,
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    pub(super) was: Option<String>,
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<String>,
}

impl Memory {
    /// The memory that lines add up to, in whatever order they are.
    #[must_use]
    pub fn fold<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Self {
        let mut memory = Self::default();
        for line in lines {
            if let Record::Own(own) = &line.record {
                memory.add(line.t, &line.key, own);
            }
        }
        memory
    }

    /// Adds one record. What was first found in a tree stands, and everything that was written and made; the order of
    /// adding changes nothing.
    pub(super) fn add(&mut self, t: u64, key: &str, own: &Own) {
        match own {
            Own::Made(made) => self.make(Made { t, ..made.clone() }),
            Own::Ran { from, to } => self.run((*from, *to)),
            Own::Start { overflow, paths, tree } => {
                let mut start = Start { overflow: *overflow, paths: BTreeMap::new(), t };
                start.paths.extend(paths.iter().map(|seen| (seen.path.clone(), seen.hash.clone())));
                self.start(tree, start);
            }
            Own::Summary(summary) => {
                for (tree, start) in &summary.starts {
                    self.start(tree, start.clone());
                }
                for (path, all) in &summary.wrote {
                    all.iter().for_each(|wrote| self.write(path, wrote.clone()));
                }
                summary.made.iter().for_each(|made| self.make(made.clone()));
                summary.ran.iter().for_each(|span| self.run(*span));
                self.cut |= summary.cut;
            }
            Own::Wrote { paths, via: _ } => {
                for seen in paths {
                    let (hash, was, from) = (seen.hash.clone(), seen.was.clone(), seen.from.clone());
                    self.write(&seen.path, Wrote { t, key: key.to_owned(), hash, was, from });
                }
            }
        }
    }

    fn start(&mut self, tree: &str, start: Start) {
        match self.starts.get_mut(tree) {
            // Two of one time are two looks at one moment: what either saw was there.
            Some(old) if old.t == start.t => {
                old.overflow |= start.overflow;
                old.paths.extend(start.paths);
            }
            Some(old) if old.t < start.t => {}
            _ => {
                self.starts.insert(tree.to_owned(), start);
            }
        }
    }

    fn write(&mut self, path: &str, wrote: Wrote) {
        let all = self.wrote.entry(path.to_owned()).or_default();
        if let Err(at) = all.binary_search(&wrote) {
            all.insert(at, wrote);
        }
    }

    fn make(&mut self, made: Made) {
        let order = |m: &Made| (m.t, m.repo.clone(), m.tree.clone(), m.acts.clone());
        if let Err(at) = self.made.binary_search_by_key(&order(&made), order) {
            self.made.insert(at, made);
        }
    }

    fn run(&mut self, span: (u64, u64)) {
        if let Err(at) = self.ran.binary_search(&span) {
            self.ran.insert(at, span);
        }
    }

    /// When shell calls ran, from and to in milliseconds since the Unix epoch, as far as that was told.
    #[must_use]
    pub fn ran(&self) -> &[(u64, u64)] {
        &self.ran
    }

    /// When a call that writes was about to run, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn began(&self, call: &str) -> Option<u64> {
        self.wrote.values().flatten().filter(|wrote| wrote.key == call).map(|wrote| wrote.t).min()
    }

    /// Paths that a call wrote to, whose contents after it are not known.
    #[must_use]
    pub fn unknown(&self, call: &str) -> Vec<&str> {
        let open = |all: &Vec<Wrote>| all.iter().any(|wrote| wrote.key == call && wrote.hash.is_none());
        self.wrote.iter().filter(|(_, all)| open(all)).map(|(path, _)| path.as_str()).collect()
    }

    /// Whether what was dirty in `tree` at the start is known.
    #[must_use]
    pub fn knows(&self, tree: &str) -> bool {
        self.starts.contains_key(tree)
    }

    /// What lines of the session were about to make in git, by time.
    #[must_use]
    pub fn made(&self) -> &[Made] {
        &self.made
    }

    /// Whose the content of `path` in `tree` is; `tree` is empty for a path that lies in no repository.
    ///
    /// It is a person's where it was dirty or untracked at the start, whatever the session did to it since, and where
    /// a write of the session met what was neither its own nor committed.
    #[must_use]
    pub fn whose(&self, tree: &str, path: &Path, now: &Present, committed: Committed) -> Whose {
        // In no tree nothing was looked at when the session began: what it met when it wrote is all there is to know.
        let nowhere = Start::default();
        let start = if tree.is_empty() { Some(&nowhere) } else { self.starts.get(tree) };
        let Some(start) = start else { return Whose::Unknown };
        let path = path_text(path);
        if self.found(&path) {
            return Whose::Person;
        }
        let all = self.left(&path, u64::MAX, committed, DEPTH);
        let Some(last) = all.last() else {
            return if self.cut { Whose::Unknown } else { Whose::Person };
        };
        if start.overflow || self.cut {
            return Whose::Unknown;
        }
        let known = |left: &Left| left.own && left.hash.is_some() && left.hash == now.hash.as_deref();
        match last.hash {
            _ if all.iter().any(known) => Whose::Own,
            _ if !last.own => Whose::Person,
            Some(_) if now.hash.is_none() => Whose::Unknown,
            Some(_) => Whose::Person,
            None if now.written.is_some_and(|at| at > last.t + LONGEST_CALL) => Whose::Person,
            None => Whose::Own,
        }
    }

    /// Whether anything is noted of a path itself: that it was there at the start, or that the session wrote it.
    #[must_use]
    pub fn touched(&self, path: &Path) -> bool {
        let path = path_text(path);
        self.wrote.contains_key(&path) || self.found(&path)
    }
}

#[cfg(test)]
mod tests {
    use super::super::own::Seen;
    use super::*;

    fn seen(path: &str, hash: Option<&str>) -> Seen {
        Seen { path: path.into(), hash: hash.map(Into::into), ..Seen::default() }
    }

    fn over(path: &str, was: &str, hash: Option<&str>) -> Seen {
        Seen { was: Some(was.into()), ..seen(path, hash) }
    }

    fn line(t: u64, own: Own) -> Line {
        Line { t, key: t.to_string(), record: Record::Own(own) }
    }

    fn lines() -> Vec<Line> {
        vec![
            line(1, Own::start("/r", vec![seen("/r/dirty", Some("d"))], false)),
            line(2, Own::wrote(vec![over("/r/new", "", Some("n1")), seen("/r/dirty", Some("x"))], "Write")),
            line(3, Own::wrote(vec![over("/r/new", "n1", Some("n2"))], "Write")),
            line(4, Own::wrote(vec![seen("/r/edited", None)], "Edit")),
            line(5, Own::start("/r", vec![seen("/r/new", Some("n2"))], false)),
            line(6, Own::start("/big", vec![], true)),
            line(7, Own::wrote(vec![seen("/big/a", None)], "Edit")),
            line(8, Own::Made(Made { acts: vec!["commit:1".into()], repo: "/r/.git".into(), t: 8, ..Made::default() })),
        ]
    }

    fn whose(memory: &Memory, tree: &str, path: &str, hash: Option<&str>) -> Whose {
        let now = Present { hash: hash.map(Into::into), written: Some(9) };
        memory.whose(tree, Path::new(path), &now, &|_, hash| hash == "committed")
    }

    #[test]
    fn tells_whose_it_is() {
        let memory = Memory::fold(&lines());
        let whose = |tree: &str, path: &str, now| whose(&memory, tree, path, now);
        assert_eq!(whose("/r", "/r/dirty", Some("x")), Whose::Person);
        assert_eq!(whose("/r", "/r/new", Some("n2")), Whose::Own);
        assert_eq!(whose("/r", "/r/new", Some("n1")), Whose::Own);
        assert_eq!(whose("/r", "/r/new", Some("n3")), Whose::Person);
        assert_eq!(whose("/r", "/r/new", None), Whose::Unknown);
        assert_eq!(whose("/r", "/r/edited", Some("e")), Whose::Own);
        assert_eq!(whose("/r", "/r/other", Some("o")), Whose::Person);
        assert_eq!(whose("/big", "/big/a", Some("a")), Whose::Unknown);
        assert_eq!(whose("/none", "/none/a", None), Whose::Unknown);
    }

    #[test]
    fn what_a_person_wrote_in_between_stays_theirs() {
        let mut all = lines();
        all.push(line(10, Own::wrote(vec![over("/r/new", "n2 and a person's line", Some("mixed"))], "Edit")));
        all.push(line(11, Own::wrote(vec![over("/r/base", "committed", Some("b1"))], "Edit")));
        all.push(line(12, Own::wrote(vec![over("/r/theirs", "never committed", Some("t1"))], "Edit")));
        let memory = Memory::fold(&all);
        assert_eq!(whose(&memory, "/r", "/r/new", Some("mixed")), Whose::Person);
        assert_eq!(whose(&memory, "/r", "/r/base", Some("b1")), Whose::Own);
        assert_eq!(whose(&memory, "/r", "/r/theirs", Some("t1")), Whose::Person);
        let had = |path: &str, hash: &str| memory.had("/r", Path::new(path), hash, &|_, hash| hash == "committed");
        assert!(had("/r/new", "n1") && had("/r/elsewhere", "n1") && had("/r/edited", "any"));
        assert!(!had("/r/new", "mixed") && !had("/r/dirty", "x") && !had("/r/never", "z"));
        // Long after the call that wrote it, somebody did.
        let late = Present { hash: Some("e".into()), written: Some(5 + LONGEST_CALL) };
        assert_eq!(memory.whose("/r", Path::new("/r/edited"), &late, &|_, _| false), Whose::Person);
    }

    #[test]
    fn copies_are_as_their_source_was() {
        let mut all = lines();
        let copy = |t, path: &str, from: &str, hash: Option<&str>| {
            line(t, Own::wrote(vec![Seen { from: Some(from.into()), ..over(path, "", hash) }], "Bash"))
        };
        all.extend([copy(20, "/r/c1", "/r/new", None), copy(21, "/r/c2", "/r/dirty", None), copy(22, "/r/c3", "/r/c1", None)]);
        all.extend([copy(25, "/r/dir", "/r/sub", None), line(15, Own::wrote(vec![over("/r/sub/s", "", Some("s1"))], "Write"))]);
        all.extend([copy(23, "/r/c4", "/r/tracked", Some("committed")), copy(24, "/r/c5", "/r/c5", None)]);
        let memory = Memory::fold(&all);
        assert_eq!(whose(&memory, "/r", "/r/c1", Some("n2")), Whose::Own);
        assert_eq!(whose(&memory, "/r", "/r/c2", Some("x")), Whose::Person);
        assert_eq!(whose(&memory, "/r", "/r/c3", Some("n2")), Whose::Own);
        assert_eq!(whose(&memory, "/r", "/r/c4", Some("committed")), Whose::Own);
        assert_eq!(whose(&memory, "/r", "/r/c5", Some("x")), Whose::Person);
        assert_eq!(whose(&memory, "/r", "/r/dir/s", Some("s1")), Whose::Own);
        assert_eq!(whose(&memory, "/r", "/r/dir/s", Some("s2")), Whose::Person);
        assert_eq!(whose(&memory, "/r", "/r/dir/t", Some("t")), Whose::Person);
    }

    #[test]
    fn order_changes_nothing_and_a_summary_is_the_same() {
        let lines = lines();
        let memory = Memory::fold(&lines);
        assert_eq!(Memory::fold(lines.iter().rev()), memory);
        let summary = line(9, Own::Summary(memory.clone()));
        assert_eq!(Memory::fold([&summary]), memory);
        assert_eq!(Memory::fold(lines.iter().chain([&summary])), memory);
        let cut = Memory { cut: true, ..Memory::fold(&lines[1..]) };
        assert_eq!(whose(&cut, "/r", "/r/x", None), Whose::Unknown);
        assert_eq!(whose(&cut, "/r", "/r/edited", None), Whose::Unknown);
    }
}
