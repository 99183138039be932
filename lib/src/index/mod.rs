//! The compiled index beside a lesson store, by which the cost of a question does not depend on the store's size.
//!
//! `lessons.idx` holds most lessons, `lessons.tail.idx` those that came since. Neither is ever needed: what is missing is
//! compiled in memory, with the same answer. Files are read at the places that the words of a question name.

mod background;
mod chunk;
mod files;
mod head;
mod impact;
mod language;
mod level;
mod lines;
mod merge;
mod postings;
mod sample;
mod search;
mod segment;
mod state;
mod sums;
#[cfg(test)]
mod tests;
mod turn;
mod window;
mod words;
mod write;

pub use files::Limits;
pub use impact::{FORM, hash};
pub use language::{language_bit, languages};
pub use level::ONE;
pub use sample::Form;
pub use search::Hit;
pub use segment::{LOCAL, PERSONAL, SCOPED};
pub use turn::{Place, Turn};

use crate::lesson::Lesson;
use crate::store::Store;
use state::State;
use std::io;

/// An index, up to date with its store as far as its limits allow.
#[derive(Debug)]
pub struct Index {
    state: Option<State>,
}

impl Index {
    /// The index of a store as far as a hook may bring it up to date, on the disk where that can be written. A store that
    /// does not exist has an empty one.
    ///
    /// # Errors
    /// The system's for the store; what is wrong with the index is none.
    pub fn open(store: &Store) -> io::Result<Self> {
        Self::within(store, &FORM, &Limits::HOOK)
    }

    /// As [`Index::open`] with another form and limits.
    ///
    /// # Errors
    /// As [`Index::open`].
    pub fn within(store: &Store, form: &Form, limits: &Limits) -> io::Result<Self> {
        Ok(Self { state: files::open(store.lessons_file(), form, limits)? })
    }

    /// How many lessons live, hidden ones too and those that were taken back not.
    #[must_use]
    pub fn live(&self) -> u32 {
        self.state.as_ref().map_or(0, State::live)
    }

    /// How many bytes of the store are compiled.
    #[must_use]
    pub fn covered(&self) -> u64 {
        self.state.as_ref().map_or(0, State::to)
    }

    /// A turn of so many pieces about these languages. Its words are in order, each with the pieces it is in, in order.
    ///
    /// # Errors
    /// The system's; `InvalidData` if the index is damaged.
    pub fn turn(&self, places: Vec<Place>, pieces: usize, languages: u32) -> io::Result<Turn> {
        Turn::of(self.state.as_ref(), places, pieces, languages)
    }

    /// The best `keep` lessons for a turn that score at least `least`, the best first, of equal ones the later first.
    /// Hidden ones are among them.
    ///
    /// # Errors
    /// As [`Index::turn`].
    pub fn search(&self, turn: &Turn, keep: usize, least: u32) -> io::Result<Vec<Hit>> {
        self.state.as_ref().map_or_else(|| Ok(Vec::new()), |state| search::search(state, turn, keep, least))
    }

    /// The flags of a lesson ([`LOCAL`], [`SCOPED`], ...); `None` if a later line replaced it.
    ///
    /// # Errors
    /// As [`Index::turn`].
    pub fn flags(&self, doc: u32) -> io::Result<Option<u8>> {
        let place = self.state.as_ref().map_or(Ok(None), |state| state.doc(doc))?;
        Ok(place.map(|place| place.flags))
    }

    /// The lesson of a number, read at its place; `None` if its line is not there any more.
    ///
    /// # Errors
    /// As [`Index::turn`].
    pub fn lesson(&self, doc: u32) -> io::Result<Option<Lesson>> {
        let Some(state) = &self.state else { return Ok(None) };
        state.doc(doc)?.map_or(Ok(None), |place| state.lesson_at(&place))
    }

    /// The id of a lesson; `None` if its line is not there any more.
    ///
    /// # Errors
    /// As [`Index::turn`].
    pub fn id(&self, doc: u32) -> io::Result<Option<String>> {
        let Some(state) = &self.state else { return Ok(None) };
        state.doc(doc)?.map_or(Ok(None), |place| state.id_at(&place))
    }

    /// The lesson that took the place of one.
    ///
    /// # Errors
    /// As [`Index::turn`].
    pub fn successor(&self, doc: u32) -> io::Result<Option<u32>> {
        self.state.as_ref().map_or(Ok(None), |state| state.successor(doc))
    }

    /// The living lesson of an id, with its number.
    ///
    /// # Errors
    /// As [`Index::turn`].
    pub fn find(&self, id: &str) -> io::Result<Option<(u32, Lesson)>> {
        self.state.as_ref().map_or(Ok(None), |state| state.named(id))
    }

    /// The lessons of these ids, in the order of the ids; what there is none of is left out.
    ///
    /// # Errors
    /// As [`Index::turn`].
    pub fn get(&self, ids: &[&str]) -> io::Result<Vec<Lesson>> {
        let Some(state) = &self.state else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for id in ids {
            all.extend(state.named(id)?.map(|(_, lesson)| lesson));
        }
        Ok(all)
    }
}
