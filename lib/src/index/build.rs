//! Making an index of lines, from nothing or from an earlier one and what came since.

use super::impact::hash;
use super::impact::{impacts, languages, lesson_words, weight};
use super::layout::{DEAD, HEADER_AT, Header, Identity, Link, MAGIC, NONE, Part, ROW, WORD, slot, slots, varint};
use crate::lesson::Lesson;
use crate::store::hidden;
use nanoserde::SerBin;
use std::collections::HashMap;

/// A line that is a lesson.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub at: u64,
    pub length: u32,
    pub version: u64,
    pub id: u64,
}

/// The postings of one word while they are being made.
#[derive(Clone, Debug, Default)]
pub struct List {
    pub bytes: Vec<u8>,
    pub last: u32,
    /// In how many rows of the sample it is.
    pub df: u32,
}

impl List {
    fn push(&mut self, row: u32, impact: u8) {
        // The first row's distance is counted from before the first.
        varint(row.wrapping_sub(self.last), &mut self.bytes);
        self.bytes.push(impact);
        self.last = row;
    }
}

/// An index that is being made.
#[derive(Debug, Default)]
pub struct Builder {
    pub classes: Vec<u8>,
    pub invalid: u32,
    pub links: Vec<Link>,
    pub masks: Vec<u32>,
    pub rows: Vec<Row>,
    pub sample: u32,
    pub words: HashMap<u64, List>,
    pub by_id: HashMap<u64, u32>,
}

impl Builder {
    /// An earlier index, to be gone on with.
    pub fn resumed(mut self) -> Self {
        for (at, row) in self.rows.iter().enumerate() {
            if self.classes[at] != DEAD {
                self.by_id.insert(row.id, at as u32);
            }
        }
        self
    }

    /// Adds the lines of `text`, which begins at byte `from` of the file, up to its last whole line; says where that ends.
    pub fn add(&mut self, text: &[u8], from: u64) -> u64 {
        let mut fresh: Vec<HashMap<u64, f64>> = Vec::new();
        let first = self.rows.len();
        let mut at = from;
        for line in text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            let body = line.trim_ascii();
            match Lesson::read(body) {
                Ok(lesson) => fresh.push(self.row(&lesson, at, line.len() as u32)),
                Err(_) if body.is_empty() => {}
                Err(_) => self.invalid += 1,
            }
            at += line.len() as u64;
        }
        self.weigh(first, &fresh);
        at
    }

    fn row(&mut self, lesson: &Lesson, at: u64, length: u32) -> HashMap<u64, f64> {
        let (row, id) = (self.rows.len() as u32, hash(&lesson.id));
        let mask = languages(&lesson.question) | lesson.situations.iter().fold(0, |mask, text| mask | languages(text));
        let mut class = self.masks.iter().position(|known| *known == mask).unwrap_or_else(|| {
            // There are as many sets as anybody writes; of further ones nothing is known.
            self.masks.push(if self.masks.len() < usize::from(DEAD) - 1 { mask } else { 0 });
            self.masks.len() - 1
        }) as u8;
        match self.by_id.get(&id).copied() {
            Some(old) if self.rows[old as usize].version > lesson.version => class = DEAD,
            Some(old) => {
                self.classes[old as usize] = DEAD;
                self.by_id.insert(id, row);
            }
            None => drop(self.by_id.insert(id, row)),
        }
        if !lesson.supersedes.is_empty() {
            let link = Link { id: lesson.id.clone(), origin_ms: lesson.origin_ms, supersedes: lesson.supersedes.clone() };
            self.links.retain(|old| old.id != link.id || class == DEAD);
            if class != DEAD {
                self.links.push(link);
            }
        }
        self.rows.push(Row { at, length, version: lesson.version, id });
        self.classes.push(class.min(DEAD));
        lesson_words(lesson)
    }

    /// Gives the words of new rows their impacts. How often a word is, is counted over the first rows alone, the greatest
    /// power of two of them: so it changes seldom, and an index that was gone on with is the same as one made at once.
    fn weigh(&mut self, first: usize, fresh: &[HashMap<u64, f64>]) {
        if self.sample == 0 {
            self.sample = sample(self.rows.len());
        }
        for (at, words) in fresh.iter().enumerate() {
            if first + at < self.sample as usize {
                for word in words.keys() {
                    self.words.entry(*word).or_default().df += 1;
                }
            }
        }
        for (at, words) in fresh.iter().enumerate() {
            let n = self.sample;
            let known = &self.words;
            let all = impacts(words, &|word| weight(word, known.get(&word).map_or(0, |list| list.df), n));
            for (word, impact) in all {
                self.words.entry(word).or_default().push((first + at) as u32, impact);
            }
        }
    }

    /// The hidden rows: of each id that another lesson's place takes, the row of the one at the end of the chain.
    fn hidden(&self) -> Vec<(u32, u32)> {
        let mut lessons: Vec<Lesson> = Vec::new();
        for link in &self.links {
            lessons.retain(|lesson| lesson.id != link.id);
            lessons.push(Lesson {
                id: link.id.clone(),
                origin_ms: link.origin_ms,
                supersedes: link.supersedes.clone(),
                ..Lesson::default()
            });
            for old in &link.supersedes {
                if self.by_id.contains_key(&hash(old)) && !lessons.iter().any(|lesson| lesson.id == *old) {
                    lessons.push(Lesson { id: old.clone(), ..Lesson::default() });
                }
            }
        }
        let row = |id: &str| self.by_id.get(&hash(id)).copied();
        hidden(&lessons).iter().filter_map(|(old, new)| Some((row(old)?, row(new)?))).collect()
    }

    /// The bytes of the index.
    pub fn finish(self, identity: Identity) -> Vec<u8> {
        let hidden = self.hidden();
        let mut body = Vec::new();
        let mut part = |bytes: &[u8]| {
            let at = body.len() as u64;
            body.extend_from_slice(bytes);
            Part { at, length: bytes.len() as u64 }
        };
        let classes = part(&self.classes);
        let mut rows = Vec::with_capacity(self.rows.len() * ROW);
        for row in &self.rows {
            rows.extend_from_slice(&row.at.to_le_bytes());
            rows.extend_from_slice(&row.length.to_le_bytes());
            rows.extend_from_slice(&row.version.to_le_bytes());
            rows.extend_from_slice(&row.id.to_le_bytes());
        }
        let rows = part(&rows);
        let count = slots(self.by_id.len());
        let mut ids = vec![NONE; count];
        let mut order: Vec<(u64, u32)> = self.by_id.into_iter().collect();
        order.sort_unstable();
        for (id, row) in order {
            put(count, id, |at| ids[at] == NONE).into_iter().for_each(|at| ids[at] = row);
        }
        let ids = part(&ids.iter().flat_map(|row| row.to_le_bytes()).collect::<Vec<u8>>());
        let mut lists: Vec<(u64, List)> = self.words.into_iter().collect();
        lists.sort_unstable_by_key(|(word, _)| *word);
        let count = slots(lists.len());
        let mut words = vec![0u8; count * WORD];
        let mut postings = Vec::new();
        for (word, list) in lists {
            let taken = |at: usize| words[at * WORD..at * WORD + 8] == [0; 8];
            let Some(at) = put(count, word, taken) else { continue };
            let length = list.bytes.len().min(0xff_ffff);
            words[at * WORD..at * WORD + 8].copy_from_slice(&word.to_le_bytes());
            words[at * WORD + 8..at * WORD + 13].copy_from_slice(&(postings.len() as u64).to_le_bytes()[..5]);
            words[at * WORD + 13..at * WORD + 16].copy_from_slice(&(length as u32).to_le_bytes()[..3]);
            postings.extend_from_slice(&list.bytes[..length]);
        }
        let words = part(&words);
        let postings = part(&postings);
        let header = Header {
            classes,
            hidden,
            ids,
            identity,
            invalid: self.invalid,
            links: self.links,
            masks: self.masks,
            postings,
            rows,
            sample: self.sample,
            words,
        };
        let header = header.serialize_bin();
        let mut all = Vec::with_capacity(HEADER_AT + header.len() + body.len());
        all.extend_from_slice(MAGIC);
        all.extend_from_slice(&(header.len() as u32).to_le_bytes());
        all.extend_from_slice(&header);
        all.extend_from_slice(&body);
        all
    }
}

/// How many rows say how often words are.
pub fn sample(rows: usize) -> u32 {
    if rows == 0 { 0 } else { 1 << rows.ilog2() }
}

/// The first free slot of a hash.
fn put(slots: usize, hash: u64, free: impl Fn(usize) -> bool) -> Option<usize> {
    let first = slot(hash, slots);
    (0..slots).map(|step| (first + step) & (slots - 1)).find(|at| free(*at))
}
