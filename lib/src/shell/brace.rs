//! Brace expansion: `a{b,c}d`, `{1..3}`.

use super::tree::Part;
use std::borrow::Cow;

/// A piece of a word after brace expansion.
#[derive(Clone, Debug)]
pub(super) enum Bit<'a> {
    /// Unquoted text.
    Text(Cow<'a, str>),
    Part(&'a Part),
}

#[derive(Clone)]
enum Item<'a> {
    Char(char),
    Part(&'a Part),
}

/// More words than this are not made.
const MOST: usize = 256;
/// Groups in one word.
const GROUPS: usize = 32;

/// Whether the word could be more than one.
pub(super) fn has_braces(parts: &[Part]) -> bool {
    let mut open = false;
    let mut inside = false;
    for part in parts {
        if let Part::Text(text) = part {
            open |= text.contains('{');
            inside |= open && (text.contains(',') || text.contains(".."));
        }
    }
    open && inside
}

/// All words that the parts of one make; `None` if they are too many.
pub(super) fn expand(parts: &[Part], most: usize) -> Option<Vec<Vec<Bit<'_>>>> {
    if most < MOST / 16 {
        return None;
    }
    let mut items = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => items.extend(text.chars().map(Item::Char)),
            part => items.push(Item::Part(part)),
        }
    }
    let mut groups = 0;
    let words = product(&items, &mut groups)?;
    Some(words.iter().map(|word| bits(word)).collect())
}

fn bits<'a>(items: &[Item<'a>]) -> Vec<Bit<'a>> {
    let mut bits: Vec<Bit<'a>> = Vec::new();
    for item in items {
        match (item, bits.last_mut()) {
            (Item::Char(char), Some(Bit::Text(text))) => text.to_mut().push(*char),
            (Item::Char(char), _) => bits.push(Bit::Text(Cow::Owned(char.to_string()))),
            (Item::Part(part), _) => bits.push(Bit::Part(part)),
        }
    }
    bits
}

fn product<'a>(items: &[Item<'a>], groups: &mut usize) -> Option<Vec<Vec<Item<'a>>>> {
    let Some((open, close, commas)) = first_group(items) else {
        return Some(vec![items.to_vec()]);
    };
    *groups += 1;
    if *groups > GROUPS {
        return None;
    }
    let mut middles: Vec<Vec<Item<'a>>> = Vec::new();
    if commas.is_empty() {
        let text: String = items[open + 1..close]
            .iter()
            .map(|item| match item {
                Item::Char(char) => *char,
                Item::Part(_) => '\0',
            })
            .collect();
        for word in sequence(&text)? {
            middles.push(word.chars().map(Item::Char).collect());
        }
    } else {
        let mut from = open + 1;
        for end in commas.into_iter().chain([close]) {
            middles.append(&mut product(&items[from..end], groups)?);
            from = end + 1;
        }
    }
    let tails = product(&items[close + 1..], groups)?;
    if middles.len() * tails.len() > MOST {
        return None;
    }
    let mut words = Vec::new();
    for middle in &middles {
        for tail in &tails {
            let mut word = items[..open].to_vec();
            word.extend_from_slice(middle);
            word.extend_from_slice(tail);
            words.push(word);
        }
    }
    Some(words)
}

/// The first group that expands: its braces, its own commas.
fn first_group(items: &[Item<'_>]) -> Option<(usize, usize, Vec<usize>)> {
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut best: Option<(usize, usize, Vec<usize>)> = None;
    for (index, item) in items.iter().enumerate() {
        match item {
            Item::Char('{') => open.push((index, Vec::new())),
            Item::Char(',') => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(index);
                }
            }
            Item::Char('}') => {
                let Some((start, commas)) = open.pop() else {
                    continue;
                };
                let expands = !commas.is_empty() || is_sequence(&items[start + 1..index]);
                if expands && best.as_ref().is_none_or(|(first, ..)| start < *first) {
                    best = Some((start, index, commas));
                }
                if open.is_empty() && best.is_some() {
                    break;
                }
            }
            _ => {}
        }
    }
    best
}

fn is_sequence(items: &[Item<'_>]) -> bool {
    items.len() <= 64 && items.windows(2).any(|pair| matches!(pair, [Item::Char('.'), Item::Char('.')])) && {
        let text: String = items
            .iter()
            .map(|item| match item {
                Item::Char(char) => *char,
                Item::Part(_) => '\0',
            })
            .collect();
        ends(&text).is_some()
    }
}

fn ends(text: &str) -> Option<(i64, i64, i64, bool, usize)> {
    let mut pieces = text.split("..");
    let (from, to, step) = (pieces.next()?, pieces.next()?, pieces.next());
    if pieces.next().is_some() {
        return None;
    }
    let step = step.map_or(Some(1), |step| step.parse::<i64>().ok())?.unsigned_abs().max(1);
    let step = i64::try_from(step).ok()?;
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        return Some((from, to, step, false, 0));
    }
    let single = |text: &str| {
        let mut chars = text.chars();
        let char = chars.next()?;
        (chars.next().is_none() && char.is_ascii_alphabetic()).then_some(i64::from(u32::from(char)))
    };
    Some((single(from)?, single(to)?, step, true, 0))
}

fn sequence(text: &str) -> Option<Vec<String>> {
    let (from, to, step, letters, _) = ends(text)?;
    let width = if letters { 0 } else { padded(text) };
    let count = from.abs_diff(to) / step.unsigned_abs();
    if count >= MOST as u64 {
        return None;
    }
    let mut out = Vec::new();
    for index in 0..=i64::try_from(count).ok()? {
        let value = if from <= to { from + index * step } else { from - index * step };
        out.push(if letters {
            u32::try_from(value).ok().and_then(char::from_u32)?.to_string()
        } else {
            format!("{value:0width$}")
        });
    }
    Some(out)
}

/// The width that leading zeros ask for.
fn padded(text: &str) -> usize {
    let zero = |text: &str| text.trim_start_matches('-').starts_with('0') && text.trim_start_matches('-').len() > 1;
    let mut ends = text.split("..").take(2);
    let (from, to) = (ends.next().unwrap_or(""), ends.next().unwrap_or(""));
    if zero(from) || zero(to) { from.len().max(to.len()) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let parts = [Part::Text(text.to_owned())];
        let words = expand(&parts, MOST).unwrap_or_default();
        words
            .into_iter()
            .map(|bits| {
                bits.into_iter()
                    .map(|bit| match bit {
                        Bit::Text(text) => text.into_owned(),
                        Bit::Part(_) => String::new(),
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn braces_expand_as_in_bash() {
        assert_eq!(words("a{b,c}d"), ["abd", "acd"]);
        assert_eq!(words("{a,b{1,2}}x"), ["ax", "b1x", "b2x"]);
        assert_eq!(words("{1..3}"), ["1", "2", "3"]);
        assert_eq!(words("{3..1..2}"), ["3", "1"]);
        assert_eq!(words("{01..3}"), ["01", "02", "03"]);
        assert_eq!(words("{a..c}"), ["a", "b", "c"]);
        assert_eq!(words("{a}"), ["{a}"]);
        assert_eq!(words("stash@{0}"), ["stash@{0}"]);
        assert_eq!(words("{a{b,c}"), ["{ab", "{ac"]);
        assert_eq!(words("{,x}"), ["", "x"]);
    }

    #[test]
    fn too_many_are_none() {
        let parts = [Part::Text("{1..100000}".to_owned())];
        assert!(expand(&parts, MOST).is_none());
    }
}
