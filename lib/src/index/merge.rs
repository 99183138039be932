//! Two segments, one behind the other, made into one.

use super::head::{Head, Section};
use super::postings::{Held, Postings};
use super::segment::{DOC, Doc, GONE, ID, Segment, WORD, Word, damaged, number};
use super::write::{Rest, Writer};
use std::io::{self, Write};

/// Writes to `to` what `older` and `newer` hold together, and gives the head, which belongs at the start.
///
/// # Errors
/// The system's; `InvalidData` if a segment is damaged.
pub fn merge<W: Write>(older: &Segment, newer: &Segment, to: W) -> io::Result<(W, Head)> {
    let first = older.head.first;
    if newer.head.first != first + older.head.docs {
        return Err(damaged());
    }
    let mut dead = numbers(&older.section(Section::Dead)?);
    dead.extend(numbers(&newer.section(Section::Dead)?));
    dead.sort_unstable();
    dead.dedup();
    let (outside, inside) = dead.split_at(dead.partition_point(|doc| *doc < first));

    let mut writer = Writer::new(to, first)?;
    let (old, new) = (older.section(Section::Words)?, newer.section(Section::Words)?);
    // The last entry only ends the one before it.
    let (old, new) = (old.as_chunks::<WORD>().0, new.as_chunks::<WORD>().0);
    let entry = |rows: &[[u8; WORD]], at: usize| Some(Word::read(rows.get(at)?, rows.get(at + 1)?));
    let (mut a, mut b) = (0, 0);
    let mut postings = Vec::new();
    loop {
        let (one, two) = (entry(old, a), entry(new, b));
        let Some(hash) = [one, two].iter().flatten().map(|word| word.hash).min() else { break };
        postings.clear();
        for (word, segment, at) in [(one, older, &mut a), (two, newer, &mut b)] {
            let Some(word) = word.filter(|word| word.hash == hash) else { continue };
            *at += 1;
            let (low, beyond) = (segment.head.first, segment.head.first + segment.head.docs);
            let here = postings.len();
            let mut list = Postings::new(word.postings);
            list.take(segment, Held { end: beyond, to: &mut postings })?;
            if !list.ended() || postings[here..].iter().any(|(doc, _)| *doc < low || *doc >= beyond) {
                return Err(damaged());
            }
        }
        if !inside.is_empty() {
            postings.retain(|(doc, _)| inside.binary_search(doc).is_err());
        }
        writer.word(hash, postings.iter().copied())?;
    }

    let mut docs = older.section(Section::Docs)?;
    docs.extend(newer.section(Section::Docs)?);
    for doc in inside {
        let row = docs.get_mut((doc - first) as usize * DOC..).ok_or_else(damaged)?.get_mut(..DOC).ok_or_else(damaged)?;
        let mut read = Doc::read(row);
        read.flags |= GONE;
        row.copy_from_slice(&read.bytes());
    }
    let rest = Rest {
        docs,
        languages: [older.section(Section::Languages)?, newer.section(Section::Languages)?].concat(),
        ids: ids(&older.section(Section::Ids)?, &newer.section(Section::Ids)?),
        dead: outside.iter().flat_map(|doc| doc.to_le_bytes()).collect(),
        sample: older.section(Section::Sample)?,
        hidden: newer.section(Section::Hidden)?,
        links: newer.section(Section::Links)?,
    };
    let mut head =
        Head { base: older.head.base, docs: older.head.docs + newer.head.docs, from: older.head.from, ..newer.head.clone() };
    let to = writer.end(&rest, &mut head)?;
    Ok((to, head))
}

/// Both in order; of one id the newer lesson only.
fn ids(old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity(old.len() + new.len());
    let (mut a, mut b) = (old.chunks_exact(ID).peekable(), new.chunks_exact(ID).peekable());
    loop {
        let hash = |row: &&[u8]| number(&row[..8]);
        match (a.peek().map(hash), b.peek().map(hash)) {
            (Some(one), Some(two)) if one == two => {
                a.next();
            }
            (Some(one), Some(two)) if one < two => all.extend(a.next().into_iter().flatten()),
            (Some(_), None) => all.extend(a.next().into_iter().flatten()),
            (_, Some(_)) => all.extend(b.next().into_iter().flatten()),
            (None, None) => return all,
        }
    }
}

/// A section of numbers.
pub fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|row| number(row) as u32).collect()
}
