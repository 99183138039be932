//! The words of a lesson, as bytes: by them a lesson that may be the best is scored, so that the longest lists of lessons,
//! those of common words, need not be read.

use super::segment::number;

/// Bytes before the words: the languages that the lesson names.
pub const LANGUAGES: usize = 4;

/// Bytes of a word: its hash and its level.
pub const ROW: usize = 5;

/// What stands for several languages where one byte must do.
pub const SEVERAL: u8 = u8::MAX;

/// Writes a lesson's words, which are in order.
pub fn put(to: &mut Vec<u8>, languages: u32, words: &[(u32, u8)]) {
    to.extend(languages.to_le_bytes());
    words.iter().for_each(|(word, level)| {
        to.extend(word.to_le_bytes());
        to.push(*level);
    });
}

/// The languages, and the words with their levels, in order.
pub fn read(bytes: &[u8]) -> (u32, impl Iterator<Item = (u32, u8)>) {
    let (languages, rows) = bytes.split_at(LANGUAGES.min(bytes.len()));
    (number(languages) as u32, rows.chunks_exact(ROW).map(|row| (number(&row[..4]) as u32, row[4])))
}

/// Languages in one byte: 0 for none, else one more than the number of the only one, or [`SEVERAL`].
#[must_use]
pub fn code(languages: u32) -> u8 {
    match languages.count_ones() {
        0 => 0,
        1 => languages.trailing_zeros() as u8 + 1,
        _ => SEVERAL,
    }
}

/// The languages that a byte stands for; all of them for several, since it may be any.
#[must_use]
pub fn named(code: u8) -> u32 {
    match code {
        0 => 0,
        SEVERAL => u32::MAX,
        one => 1u32.checked_shl(u32::from(one) - 1).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_comes_back() {
        let mut bytes = Vec::new();
        put(&mut bytes, 9, &[(1, 2), (u32::MAX, 255)]);
        let (languages, words) = read(&bytes);
        assert_eq!((languages, words.collect::<Vec<_>>()), (9, vec![(1, 2), (u32::MAX, 255)]));
        assert_eq!(read(&bytes[..3]).1.count() + read(&[]).1.count(), 0);
    }

    #[test]
    fn languages_fit_a_byte() {
        assert_eq!([0, 1, 1 << 31, 3].map(code), [0, 1, 32, SEVERAL]);
        assert_eq!([0, 1, 32, 33, SEVERAL].map(named), [0, 1, 1 << 31, 0, u32::MAX]);
    }
}
