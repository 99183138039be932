//! New lines of a store, compiled in memory.

use super::head::Head;
use super::sample::{Form, Sample};
use super::segment::{Doc, GONE, LOCAL, PERSONAL, SCOPED, Segment};
use super::state::State;
use super::write::{Rest, Writer};
use crate::lesson::{Lesson, Reach};
use crate::store::{Claim, hidden};
use nanoserde::{DeBin, SerBin};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

/// Most lessons of one chunk.
pub const MOST: usize = 64 << 10;

/// Bits of a lesson's number within a chunk, beside the word's 32 and the level's 8.
const BITS: u32 = 24;

/// A claim with the number of its lesson.
#[derive(Clone, Debug, Default, DeBin, SerBin)]
pub struct Link {
    pub doc: u32,
    pub claim: Claim,
}

/// Lessons that go on from a state of the index.
pub struct Chunk<'s> {
    dead: BTreeSet<u32>,
    docs: Vec<Doc>,
    first: u32,
    form: &'s Form,
    ids: HashMap<String, (u32, u64)>,
    languages: Vec<u8>,
    lessons: u32,
    links: BTreeMap<String, Link>,
    live: u32,
    named: u32,
    postings: Vec<u64>,
    sample: &'s Sample,
    state: &'s State,
}

impl<'s> Chunk<'s> {
    /// An empty one.
    ///
    /// # Errors
    /// The system's.
    pub fn new(state: &'s State, form: &'s Form, sample: &'s Sample) -> io::Result<Self> {
        let links = state.links()?;
        Ok(Self {
            dead: BTreeSet::new(),
            docs: Vec::new(),
            first: state.docs(),
            form,
            ids: HashMap::new(),
            languages: Vec::new(),
            lessons: state.lessons(),
            links: links.into_iter().map(|link| (link.claim.id.clone(), link)).collect(),
            live: state.live(),
            named: state.languages(),
            postings: Vec::new(),
            sample,
            state,
        })
    }

    /// Whether it holds as much as it should.
    pub fn is_full(&self) -> bool {
        self.docs.len() >= MOST
    }

    /// How many lines are lessons, with those before.
    pub fn lessons(&self) -> u32 {
        self.lessons
    }

    /// Takes a line, which need be no lesson.
    ///
    /// # Errors
    /// The system's, when an older line of the same id cannot be read.
    pub fn line(&mut self, offset: u64, line: &[u8]) -> io::Result<()> {
        let Ok(lesson) = Lesson::read(line) else { return Ok(()) };
        self.lessons += 1;
        if let Some((at, version)) = self.ids.get(&lesson.id) {
            if *version > lesson.version {
                return Ok(());
            }
            let old = &mut self.docs[*at as usize];
            self.live -= u32::from(old.flags & PERSONAL == 0);
            old.flags |= GONE;
        } else if let Some((doc, old)) = self.state.named(&lesson.id)? {
            if old.version > lesson.version {
                return Ok(());
            }
            self.dead.insert(doc);
            self.live -= u32::from(old.reach != Reach::Personal);
        }
        let at = self.docs.len() as u32;
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        let flags = flag(lesson.reach == Reach::Repo, LOCAL)
            | flag(lesson.reach == Reach::Personal, PERSONAL)
            | flag(!lesson.scope.is_empty(), SCOPED);
        self.docs.push(Doc { flags, offset, length: line.len() as u32 });
        let mut languages = 0;
        if lesson.reach != Reach::Personal {
            self.live += 1;
            let words = self.form.words(&lesson, self.sample);
            self.postings.extend(
                words.iter().map(|(word, level)| u64::from(*word) << 32 | u64::from(at) << (32 - BITS) | u64::from(*level)),
            );
            languages = (self.form.languages)(&lesson);
            self.named |= languages;
        }
        self.languages.extend(languages.to_le_bytes());
        self.links.remove(&lesson.id);
        let claim = Claim::of(&lesson);
        self.ids.insert(lesson.id, (at, lesson.version));
        if !claim.supersedes.is_empty() {
            self.links.insert(claim.id.clone(), Link { doc: self.first + at, claim });
        }
        Ok(())
    }

    /// The claims of lessons whose place another claims, as far as they are there.
    fn claimed(&mut self) -> io::Result<()> {
        let all: BTreeSet<String> = self.links.values().flat_map(|link| link.claim.supersedes.iter().cloned()).collect();
        for id in all {
            if self.links.contains_key(&id) {
                continue;
            }
            let found = match self.ids.get(&id) {
                Some((at, _)) => self.state.lesson_at(&self.docs[*at as usize])?.map(|lesson| (self.first + at, lesson)),
                None => self.state.named(&id)?,
            };
            if let Some((doc, lesson)) = found {
                self.links.insert(id, Link { doc, claim: Claim::of(&lesson) });
            }
        }
        Ok(())
    }

    /// The segment, in memory; `head` says which bytes of the store it is of.
    ///
    /// # Errors
    /// The system's.
    pub fn segment(mut self, mut head: Head) -> io::Result<Segment> {
        self.claimed()?;
        self.postings.sort_unstable();
        let mut writer = Writer::new(Vec::new(), self.first)?;
        for word in self.postings.chunk_by(|a, b| a >> 32 == b >> 32) {
            let all = word.iter().map(|posting| ((posting >> (32 - BITS)) as u32 & ((1 << BITS) - 1), *posting as u8));
            let alive = all.filter(|(at, _)| self.docs[*at as usize].flags & GONE == 0);
            writer.word((word[0] >> 32) as u32, alive.map(|(at, level)| (self.first + at, level)))?;
        }
        let mut ids: Vec<(u64, u32)> =
            self.ids.iter().map(|(id, (at, _))| (super::head::mix(id.as_bytes()), self.first + at)).collect();
        ids.sort_unstable();
        let doc = |id: &String| self.links.get(id).map(|link| link.doc);
        let hidden = hidden(self.links.values().map(|link| &link.claim));
        let mut pairs: Vec<(u32, u32)> = hidden.iter().filter_map(|(old, new)| Some((doc(old)?, doc(new)?))).collect();
        pairs.sort_unstable();
        let links: Vec<Link> = self.links.into_values().collect();
        let rest = Rest {
            docs: self.docs.iter().flat_map(Doc::bytes).collect(),
            languages: self.languages,
            ids: ids.iter().flat_map(|(hash, doc)| [&hash.to_le_bytes()[..], &doc.to_le_bytes()].concat()).collect(),
            dead: self.dead.iter().flat_map(|doc| doc.to_le_bytes()).collect(),
            sample: if self.first == 0 { pair_bytes(self.sample.pairs()) } else { Vec::new() },
            hidden: pair_bytes(pairs),
            links: if links.is_empty() { Vec::new() } else { links.serialize_bin() },
        };
        head.docs = self.docs.len() as u32;
        head.live = self.live;
        head.form = self.form.version;
        head.languages = self.named;
        head.lessons = self.lessons;
        head.sample = self.sample.n;
        let mut bytes = writer.end(&rest, &mut head)?;
        let start = head.bytes();
        bytes[..start.len()].copy_from_slice(&start);
        Segment::memory(bytes)
    }
}

/// Rows of two numbers.
pub fn pair_bytes(pairs: impl IntoIterator<Item = (u32, u32)>) -> Vec<u8> {
    pairs.into_iter().flat_map(|(a, b)| [a.to_le_bytes(), b.to_le_bytes()].concat()).collect()
}
