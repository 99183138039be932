//! A turn as a search wants it: its words, looked up in every segment.

use super::segment::Word;
use super::state::State;
use super::words::Words;
use std::io;
use std::ops::Range;

/// A word of a turn in a piece of it, with what it is worth there, in tenths, at most 127.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The piece's number.
    pub piece: u16,
    /// In tenths.
    pub weight: u8,
    /// By hash.
    pub word: u32,
}

/// A word of a turn that some lesson of a segment has.
#[derive(Clone, Debug)]
pub struct Term {
    /// Where the word stands in the turn.
    places: Range<usize>,
    /// Where its lessons are.
    pub(super) word: Word,
}

/// A turn.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// The languages that it is about.
    pub languages: u32,
    /// How many pieces it has.
    pub pieces: usize,
    places: Vec<Place>,
    /// The words that each segment has, in order.
    pub(super) segments: Vec<Vec<Term>>,
}

impl Turn {
    /// Looks up the words of a turn; `places` are in order of words, those of one word in order of pieces.
    pub(super) fn of(state: Option<&State>, places: Vec<Place>, pieces: usize, languages: u32) -> io::Result<Self> {
        let asked = places.chunk_by(|a, b| a.word == b.word).count();
        let mut segments = Vec::new();
        for segment in state.iter().flat_map(|state| &state.segments) {
            let (mut words, mut terms, mut at) = (Words::new(segment, asked), Vec::with_capacity(asked), 0);
            for same in places.chunk_by(|a, b| a.word == b.word) {
                let places = at..at + same.len();
                at = places.end;
                terms.extend(words.find(same[0].word)?.map(|word| Term { places, word }));
            }
            segments.push(terms);
        }
        Ok(Self { languages, pieces, places, segments })
    }

    /// Where a word stands.
    pub(super) fn places(&self, term: &Term) -> &[Place] {
        &self.places[term.places.clone()]
    }
}
