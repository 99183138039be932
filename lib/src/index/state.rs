//! Segments one behind the other, and the store that they are of.

use super::chunk::Link;
use super::head::{Section, mix};
use super::merge::numbers;
use super::sample::Sample;
use super::segment::{Doc, GONE, Segment, damaged, number};
use crate::lesson::Lesson;
use nanoserde::DeBin;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What of a line is read to name its lesson.
#[derive(serde::Deserialize)]
struct Id {
    id: String,
}

/// The segments. Those after the first only hold what came later.
#[derive(Debug)]
pub struct State {
    pub segments: Vec<Segment>,
    pub store: File,
}

impl State {
    /// How many lessons have a number.
    pub fn docs(&self) -> u32 {
        self.segments.last().map_or(0, |segment| segment.head.first + segment.head.docs)
    }

    /// How many live.
    pub fn live(&self) -> u32 {
        self.segments.last().map_or(0, |segment| segment.head.live)
    }

    /// The end of what is indexed of the store.
    pub fn to(&self) -> u64 {
        self.segments.last().map_or(0, |segment| segment.head.to)
    }

    /// What supersedes what.
    pub fn links(&self) -> io::Result<Vec<Link>> {
        let bytes = self.segments.last().map_or(Ok(Vec::new()), |segment| segment.section(Section::Links))?;
        if bytes.is_empty() {
            return Ok(Vec::new());
        }
        Vec::<Link>::deserialize_bin(&bytes).map_err(|_| damaged())
    }

    /// The segment of a lesson.
    pub fn segment(&self, doc: u32) -> io::Result<&Segment> {
        self.segments.iter().rev().find(|segment| segment.head.first <= doc).ok_or_else(damaged)
    }

    /// A lesson's place; `None` if a later line replaced it.
    pub fn doc(&self, doc: u32) -> io::Result<Option<Doc>> {
        let place = self.segment(doc)?.doc(doc)?;
        if place.flags & GONE != 0 {
            return Ok(None);
        }
        for segment in self.segments.iter().filter(|segment| segment.head.first > doc) {
            if segment.search(Section::Dead, 4, |row| (number(row) as u32).cmp(&doc))?.is_some() {
                return Ok(None);
            }
        }
        Ok(Some(place))
    }

    /// The lesson whose line lies there; `None` if there is no such line any more.
    pub fn lesson_at(&self, place: &Doc) -> io::Result<Option<Lesson>> {
        let mut line = vec![0; place.length as usize];
        match self.store.read_exact_at(&mut line, place.offset) {
            Ok(()) => Ok(Lesson::read(&line).ok()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The id on the line there; only that is read.
    pub fn id_at(&self, place: &Doc) -> io::Result<Option<String>> {
        let mut line = vec![0; place.length as usize];
        match self.store.read_exact_at(&mut line, place.offset) {
            Ok(()) => Ok(serde_json::from_slice(&line).ok().map(|Id { id }| id)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The newest line of an id, with its number.
    pub fn named(&self, id: &str) -> io::Result<Option<(u32, Lesson)>> {
        let hash = mix(id.as_bytes());
        for segment in self.segments.iter().rev() {
            if let Some(doc) = segment.id(hash)? {
                let lesson = self.lesson_at(&segment.doc(doc)?)?;
                return Ok(lesson.filter(|lesson| lesson.id == id).map(|lesson| (doc, lesson)));
            }
        }
        Ok(None)
    }

    /// The lesson that took the place of another.
    pub fn successor(&self, doc: u32) -> io::Result<Option<u32>> {
        let Some(last) = self.segments.last() else { return Ok(None) };
        let row = last.search(Section::Hidden, 8, |row| (number(&row[..4]) as u32).cmp(&doc))?;
        Ok(row.map(|row| number(&row[4..8]) as u32))
    }

    /// The languages that lessons name.
    pub fn languages(&self) -> u32 {
        self.segments.last().map_or(0, |segment| segment.head.languages)
    }

    /// How many lines are lessons.
    pub fn lessons(&self) -> u32 {
        self.segments.last().map_or(0, |segment| segment.head.lessons)
    }

    /// How often words are.
    pub fn sample(&self) -> io::Result<Sample> {
        let Some(first) = self.segments.first() else { return Ok(Sample::default()) };
        let pair = |row: &[u8]| (number(&row[..4]) as u32, number(&row[4..]) as u32);
        Ok(Sample::of(first.head.sample, first.section(Section::Sample)?.chunks_exact(8).map(pair)))
    }

    /// Lessons of a segment that a later one replaced.
    pub fn dead_in(&self, at: usize) -> io::Result<Vec<u32>> {
        let mut all = Vec::new();
        for segment in &self.segments[at + 1..] {
            all.extend(numbers(&segment.section(Section::Dead)?));
        }
        all.sort_unstable();
        Ok(all)
    }
}
