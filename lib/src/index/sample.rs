//! How often words are in a store, counted over its first lessons alone.

use super::level::level;
use crate::lesson::{Lesson, Reach};
use std::collections::{BTreeMap, HashMap};

/// So many lessons are counted at most.
const MOST: u32 = 1024;

/// Words, as hashes, each with what it is worth by where it stands.
pub type Worths = BTreeMap<u32, f64>;

/// How lessons become words with levels. Whoever changes anything changes the version.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Words with what each would add to a turn's score, in order, from what they are worth and how often they are.
    pub impacts: fn(&Worths, &Sample) -> Vec<(u32, f64)>,
    /// The languages that a lesson names, as bits.
    pub languages: fn(&Lesson) -> u32,
    /// An index of another version is built anew.
    pub version: u32,
    /// The words of a lesson, as hashes, with what each is worth.
    pub worths: fn(&Lesson) -> Worths,
}

/// What was counted. It is of a power of two of lessons, so that it changes seldom while a store is small and never
/// after: an index that was gone on with is the same as one that was made at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    df: HashMap<u32, u32>,
    /// Of how many lessons.
    pub n: u32,
}

/// Of how many of so many lessons it is.
#[must_use]
pub fn size(lessons: u32) -> u32 {
    if lessons == 0 { 0 } else { 1 << lessons.min(MOST).ilog2() }
}

impl Sample {
    /// The sample of these pairs of word and number.
    #[must_use]
    pub fn of(n: u32, df: impl Iterator<Item = (u32, u32)>) -> Self {
        Self { df: df.collect(), n }
    }

    /// In how many lessons a word is.
    #[must_use]
    pub fn df(&self, word: u32) -> u32 {
        self.df.get(&word).copied().unwrap_or(0)
    }

    /// The pairs, in order of words.
    #[must_use]
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        let mut all: Vec<(u32, u32)> = self.df.iter().map(|(word, df)| (*word, *df)).collect();
        all.sort_unstable();
        all
    }
}

/// Counts lessons, in the order of their lines.
#[derive(Debug, Default)]
pub struct Counter {
    /// The words of the lessons so far.
    lessons: Vec<Vec<u32>>,
}

impl Counter {
    /// Takes a lesson; says whether it wants more.
    pub fn take(&mut self, lesson: &Lesson, form: &Form) -> bool {
        let words = if lesson.reach == Reach::Personal { BTreeMap::new() } else { (form.worths)(lesson) };
        self.lessons.push(words.into_keys().collect());
        self.lessons.len() < MOST as usize
    }

    /// The sample.
    #[must_use]
    pub fn sample(self) -> Sample {
        let n = size(self.lessons.len() as u32);
        let mut df = HashMap::new();
        self.lessons[..n as usize].iter().flatten().for_each(|word| *df.entry(*word).or_default() += 1);
        Sample { df, n }
    }
}

impl Form {
    /// The words of a lesson, each once with the level of its impact, in order.
    pub fn words(&self, lesson: &Lesson, sample: &Sample) -> Vec<(u32, u8)> {
        let all = (self.impacts)(&(self.worths)(lesson), sample);
        all.into_iter().map(|(word, impact)| (word, level(impact))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn a_sample_is_a_power_of_two_and_bounded() {
        assert_eq!([0, 1, 2, 3, 1023, 1024, 1 << 20].map(size), [0, 1, 2, 2, 512, 1024, 1024]);
    }
}
