//! A turn as the words that are looked up.

use super::concept::concepts;
use crate::index::{hash, language_bit};
use crate::tokens::{language, words};

/// What a turn said and did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work<'a> {
    /// What a person asked for.
    pub prompt: &'a str,
    /// The files and commands that tools touched.
    pub touches: &'a [String],
    /// The new text of edits.
    pub edits: &'a [String],
    /// What the agent said last.
    pub final_message: &'a str,
    /// The repository's name: a lesson may hold in one only.
    pub repo: &'a str,
    /// Where the session works, in words: names of repositories and paths, for lessons with a scope.
    pub place: &'a str,
}

/// How much a piece counts, in tenths; and one of the code's unsaid words beside a said one, in fifths.
const PROMPT: u16 = 7;
const FINAL: u16 = 10;
const EDITS: u16 = 11;
pub(super) const SAID: u16 = 5;
pub(super) const UNSAID: u16 = 2;
/// A word of a touched path, in fifths: it is about every piece, a little.
const TOUCHED: u16 = 1;

/// How much text of each kind is looked at, in bytes: what is longer is data more than words.
const MOST: usize = 64 << 10;
/// So many sentences of each.
const SENTENCES: usize = 200;

/// A piece of a turn within which words belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// In tenths.
    pub factor: u16,
}

/// A word of a turn in a piece of it, in one number, which is quick to sort by: by word, by piece, what counts most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u64);

impl Place {
    fn new(word: u32, piece: u16, worth: u16) -> Self {
        Self(u64::from(word) << 32 | u64::from(piece) << 16 | u64::from(!worth))
    }

    /// The word, by hash.
    #[must_use]
    pub fn word(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The piece's number.
    #[must_use]
    pub fn piece(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// How much the word counts there, in fifths.
    #[must_use]
    pub fn worth(self) -> u16 {
        !(self.0 as u16)
    }
}

/// The words of a turn.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Whether text was edited.
    pub edited: bool,
    /// The languages of touched files.
    pub languages: u32,
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// Each word once for each piece that has it, in order of words and then of pieces.
    pub places: Vec<Place>,
}

impl Query {
    /// The words of a turn.
    #[must_use]
    pub fn of(work: &Work) -> Self {
        let mut query = Self::default();
        query.sentences(work.prompt, PROMPT);
        query.sentences(work.final_message, FINAL);
        query.edits(work.edits);
        query.touched(work.touches);
        // Of one word in one piece what counts most.
        query.places.sort_unstable_by_key(|place| place.0);
        query.places.dedup_by_key(|place| place.0 >> 16);
        let bits = work.touches.iter().flat_map(|path| language(path));
        query.languages = bits.fold(0, |bits, name| bits | language_bit(name));
        query
    }

    /// How many different words there are.
    #[must_use]
    pub fn words(&self) -> usize {
        self.places.chunk_by(|a, b| a.word() == b.word()).count()
    }

    fn sentences(&mut self, text: &str, factor: u16) {
        let mut rest = start(text);
        for _ in 0..SENTENCES {
            if rest.is_empty() {
                return;
            }
            let end = sentence(rest);
            self.piece(factor, &rest[..end], "");
            rest = &rest[end..];
        }
        self.piece(factor, rest, "");
    }

    fn edits(&mut self, edits: &[String]) {
        let mut whole = String::new();
        for edit in edits {
            whole.push_str(start(edit));
            whole.push('\n');
        }
        let whole = start(&whole);
        if whole.trim().is_empty() {
            return;
        }
        self.edited = true;
        let mut unsaid = String::new();
        concepts(whole, |words| {
            unsaid.push_str(words);
            unsaid.push(' ');
        });
        self.piece(EDITS, whole, &unsaid);
    }

    /// The words of touched paths, in every piece.
    fn touched(&mut self, paths: &[String]) {
        let mut all = Vec::new();
        for path in paths.iter().take(SENTENCES) {
            words(start(path), |word| all.push(hash(word)));
        }
        all.sort_unstable();
        all.dedup();
        let pieces = self.pieces.len() as u16;
        self.places.reserve(all.len() * usize::from(pieces));
        for word in all {
            self.places.extend((0..pieces).map(|piece| Place::new(word, piece, TOUCHED)));
        }
    }

    fn piece(&mut self, factor: u16, said: &str, unsaid: &str) {
        let piece = self.pieces.len() as u16;
        let before = self.places.len();
        for (text, worth) in [(said, SAID), (unsaid, UNSAID)] {
            words(text, |word| self.places.push(Place::new(hash(word), piece, worth)));
        }
        if self.places.len() > before {
            self.pieces.push(Piece { factor });
        }
    }
}

/// The first bytes of a text.
fn start(text: &str) -> &str {
    let mut end = MOST.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Where the first sentence ends: behind a mark and a blank, or at a line's end.
fn sentence(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |at: &usize| match bytes[*at] {
        b'\n' => true,
        b'.' | b'!' | b'?' | b';' | b':' => bytes.get(at + 1).is_some_and(u8::is_ascii_whitespace),
        _ => false,
    };
    (0..bytes.len()).find(ends).map_or(bytes.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_pieces() {
        let work = Work { prompt: "Fix it. Then test v1.2!", final_message: "Done.\nAll 3 pass", ..Work::default() };
        let query = Query::of(&work);
        assert_eq!(query.pieces.len(), 4, "{query:?}");
        assert!(!query.edited);
    }

    #[test]
    fn huge_and_odd_text_is_bounded() {
        let text = "é. ".repeat(1 << 20);
        let edits = ["x\n".repeat(1 << 20), "\0".repeat(1 << 20)];
        let query = Query::of(&Work { prompt: &text, edits: &edits, ..Work::default() });
        assert!(query.pieces.len() <= 2 * SENTENCES + 2);
    }
}
