//! The index beside what it stands for: every lesson scored by itself.

use super::sample::Counter;
use super::{FORM, Index, Limits, Place, hash};
use crate::fs;
use crate::lesson::{Lesson, Reach};
use crate::store::Store;
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

/// Numbers that look like chance and are the same each time (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % most
    }

    /// A word, of which some come much oftener than others.
    fn word(&mut self) -> String {
        let spread = self.below(300) + 1;
        let n = self.below(spread);
        match n {
            0 => "rust".to_owned(),
            1 => "python".to_owned(),
            n => format!("w{}", (b'a' + (n % 26) as u8) as char).repeat(1 + n as usize / 26) + "q",
        }
    }

    fn text(&mut self, words: u64) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn lesson(&mut self, n: u64) -> Lesson {
        let words = 2 + self.below(20);
        let id = if self.below(8) == 0 { self.below(n + 1) } else { n };
        let supersedes = if self.below(9) == 0 { vec![format!("L{}", self.below(n + 3))] } else { Vec::new() };
        let reach = [Reach::Team, Reach::Team, Reach::Team, Reach::Repo, Reach::Personal][self.below(5) as usize];
        Lesson {
            id: format!("L{id}"),
            origin_ms: n,
            question: self.text(words),
            consequence: self.text(3),
            version: self.below(3),
            reach,
            supersedes,
            ..Lesson::default()
        }
    }

    fn lines(&mut self, from: u64, to: u64) -> String {
        let line = |dice: &mut Self, n| match dice.below(20) {
            0 => "{\"id\":1}\n".to_owned(),
            1 => "\n".to_owned(),
            _ => dice.lesson(n).to_line() + "\n",
        };
        (from..to).map(|n| line(self, n)).collect()
    }
}

/// A turn as words with their pieces and worths, and languages.
struct Asked {
    words: BTreeMap<u32, Vec<(u16, u8)>>,
    pieces: usize,
    languages: u32,
}

impl Asked {
    fn places(&self) -> Vec<Place> {
        let each = |(word, places): (&u32, &Vec<(u16, u8)>)| {
            places.iter().map(|(piece, weight)| Place { word: *word, piece: *piece, weight: *weight }).collect::<Vec<_>>()
        };
        self.words.iter().flat_map(each).collect()
    }
}

fn asked(dice: &mut Dice) -> Asked {
    // With many pieces a window holds few lessons.
    let pieces = if dice.below(3) == 0 { 90 + dice.below(40) } else { 1 + dice.below(9) } as usize;
    let mut words: BTreeMap<u32, BTreeMap<u16, u8>> = BTreeMap::new();
    for _ in 0..dice.below(60) {
        let place = dice.below(pieces as u64) as u16;
        words.entry(hash(&dice.word())).or_default().insert(place, [2, 7, 10, 12][dice.below(4) as usize]);
    }
    let languages = if dice.below(2) == 0 { super::language_bit("rust") } else { 0 };
    Asked { words: words.into_iter().map(|(word, places)| (word, places.into_iter().collect())).collect(), pieces, languages }
}

/// By the index: ids with scores, best first.
fn by_index(index: &Index, asked: &Asked, keep: usize) -> Vec<(String, u32)> {
    let turn = index.turn(asked.places(), asked.pieces, asked.languages).unwrap();
    let hits = index.search(&turn, keep, 1).unwrap();
    hits.iter().map(|hit| (index.lesson(hit.doc).unwrap().unwrap().id, hit.score)).collect()
}

/// A lesson that counts: its line, its id, its words and its languages.
type Counted = (usize, String, Vec<(u32, u8)>, u32);

/// The lessons of a text that count.
struct Hand(Vec<Counted>);

impl Hand {
    fn of(text: &str) -> Self {
        let mut counter = Counter::default();
        let mut last: BTreeMap<String, (usize, Lesson)> = BTreeMap::new();
        let lessons: Vec<Lesson> = text.lines().filter_map(|line| Lesson::read(line.as_bytes()).ok()).collect();
        let _ = lessons.iter().all(|lesson| counter.take(lesson, &FORM));
        let sample = counter.sample();
        for (at, lesson) in lessons.into_iter().enumerate() {
            if last.get(&lesson.id).is_none_or(|(_, old)| old.version <= lesson.version) {
                last.insert(lesson.id.clone(), (at, lesson));
            }
        }
        let live = last.into_values().filter(|(_, lesson)| lesson.reach != Reach::Personal);
        let row = |(at, lesson): (usize, Lesson)| {
            let (words, named) = (FORM.words(&lesson, &sample), (FORM.languages)(&lesson));
            (at, lesson.id, words, named)
        };
        Self(live.map(row).collect())
    }

    /// Each lesson by itself: ids with scores, best first.
    fn search(&self, asked: &Asked) -> Vec<(String, u32)> {
        let mut all = Vec::new();
        for (at, id, words, named) in &self.0 {
            let mut sums = vec![0u32; asked.pieces];
            for (word, level) in words {
                for (piece, weight) in asked.words.get(word).into_iter().flatten() {
                    sums[usize::from(*piece)] += u32::from(*weight) * u32::from(*level);
                }
            }
            let best = sums.into_iter().max().unwrap_or(0).min(65535);
            let score = match (*named, named & asked.languages) {
                (0, _) => best,
                (_, 0) => best / 2,
                _ => best * super::language::SAME_TIMES,
            };
            all.push((score, at, id));
        }
        all.retain(|(score, _, _)| *score > 0);
        all.sort_unstable_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)));
        all.into_iter().map(|(score, _, id)| (id.clone(), score)).collect()
    }
}

fn check(index: &Index, text: &str, dice: &mut Dice, what: &str) {
    let hand = Hand::of(text);
    for round in 0..6 {
        let asked = asked(dice);
        let all = hand.search(&asked);
        for keep in [1, 30, if round == 0 { 10_000 } else { 7 }] {
            let found = by_index(index, &asked, keep);
            assert_eq!(found, all[..keep.min(all.len())], "{what}, {round}, {keep}");
        }
    }
}

/// Small steps, so that second files are written and taken in.
const EAGER: Limits = Limits { bytes: u64::MAX, fold: u64::MAX, keep: true, wait: Duration::from_secs(20) };

#[test]
fn an_index_that_was_gone_on_with_answers_as_each_lesson_does() {
    for seed in 0..4 {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().to_owned());
        let mut dice = Dice(seed);
        let (mut text, mut n) = (String::new(), 0);
        for _ in 0..5 {
            let more = 1 + dice.below(if seed % 2 == 0 { 60 } else { 300 });
            let new = dice.lines(n, n + more);
            n += more;
            fs::append(store.lessons_file(), new.as_bytes()).unwrap();
            text += &new;
            let index = Index::within(&store, &FORM, &EAGER).unwrap();
            check(&index, &text, &mut dice, "gone on with");
            let memory = Index::within(&store, &FORM, &Limits::MEMORY).unwrap();
            assert_eq!(index.live(), memory.live());
            check(&memory, &text, &mut dice, "in memory");
            let read = store.read().unwrap();
            assert_eq!(index.live() as usize, read.live.iter().filter(|lesson| lesson.reach != Reach::Personal).count());
            for (old, new) in &read.hidden {
                let (from, _) = index.state.as_ref().unwrap().named(old).unwrap().unwrap();
                let to = index.successor(from).unwrap().unwrap();
                assert_eq!(index.lesson(to).unwrap().unwrap().id, *new);
            }
        }
    }
}

#[test]
fn a_second_file_follows_a_large_first_one_and_is_taken_in() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path().to_owned());
    let mut dice = Dice(77);
    let mut text = dice.lines(0, 2600);
    std::fs::write(store.lessons_file(), &text).unwrap();
    let tail = dir.path().join("lessons.tail.idx");
    check(&Index::within(&store, &FORM, &EAGER).unwrap(), &text, &mut dice, "first");
    let mut seen = false;
    for step in 0..5 {
        let new = dice.lines(2600 + step * 200, 2800 + step * 200);
        fs::append(store.lessons_file(), new.as_bytes()).unwrap();
        text += &new;
        let before = std::fs::metadata(dir.path().join("lessons.idx")).unwrap().modified().unwrap();
        let index = Index::open(&store).unwrap();
        check(&index, &text, &mut dice, "two files");
        let same = std::fs::metadata(dir.path().join("lessons.idx")).unwrap().modified().unwrap() == before;
        assert_eq!(same, tail.exists(), "{step}");
        seen |= tail.exists();
        check(&Index::open(&store).unwrap(), &text, &mut dice, "read back");
    }
    assert!(seen && !dir.path().join("lessons.idx.tmp").exists());
}

/// More windows than a number has bits: their size doubles.
#[test]
fn many_windows_are_gone_through_to_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path().to_owned());
    let mut dice = Dice(21);
    let lesson =
        |n: u64, dice: &mut Dice| Lesson { id: n.to_string(), origin_ms: n, question: dice.text(3), ..Lesson::default() };
    let text: String = (0..20_000).map(|n| lesson(n, &mut dice).to_line() + "\n").collect();
    std::fs::write(store.lessons_file(), &text).unwrap();
    let index = Index::within(&store, &FORM, &Limits::MEMORY).unwrap();
    let hand = Hand::of(&text);
    for _ in 0..3 {
        let mut asked = asked(&mut dice);
        asked.pieces = 128;
        let all = hand.search(&asked);
        assert_eq!(by_index(&index, &asked, 20), all[..20.min(all.len())]);
    }
}

#[test]
fn a_hook_compiles_a_bounded_part_and_goes_on_the_next_time() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path().to_owned());
    let text = Dice(5).lines(0, 1500);
    std::fs::write(store.lessons_file(), &text).unwrap();
    let limits = Limits { bytes: 40 << 10, ..EAGER };
    let mut covered = 0;
    for _ in 0..100 {
        let index = Index::within(&store, &FORM, &limits).unwrap();
        if index.covered() == text.len() as u64 {
            check(&index, &text, &mut Dice(6), "in parts");
            return;
        }
        assert!(index.covered() > covered && index.covered() <= covered + (40 << 10));
        covered = index.covered();
    }
    panic!("never done");
}

#[test]
fn what_was_changed_otherwise_is_compiled_anew() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path().to_owned());
    let mut dice = Dice(9);
    let one = dice.lines(0, 300);
    std::fs::write(store.lessons_file(), &one).unwrap();
    check(&Index::open(&store).unwrap(), &one, &mut dice, "as it was");
    // Shorter, of the same length, and another file of its name.
    let short = &one[..one[..one.len() / 2].rfind('\n').unwrap() + 1];
    std::fs::write(store.lessons_file(), short).unwrap();
    check(&Index::open(&store).unwrap(), short, &mut dice, "cut short");
    let other = short.replace("wc", "wd");
    std::fs::write(store.lessons_file(), &other).unwrap();
    std::fs::File::options()
        .append(true)
        .open(store.lessons_file())
        .unwrap()
        .set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    check(&Index::open(&store).unwrap(), &other, &mut dice, "written over");
    fs::replace(store.lessons_file(), one.as_bytes()).unwrap();
    check(&Index::open(&store).unwrap(), &one, &mut dice, "replaced");
    // A line that is being written counts once it is whole.
    let mut writer = std::fs::File::options().append(true).open(store.lessons_file()).unwrap();
    writer.write_all(b"{\"id\":\"torn\",\"origin_ms\":1,\"question\":\"wcq ").unwrap();
    check(&Index::open(&store).unwrap(), &one, &mut dice, "torn");
    writer.write_all(b"wdq\"}\n").unwrap();
    let text = std::fs::read_to_string(store.lessons_file()).unwrap();
    let index = Index::open(&store).unwrap();
    check(&index, &text, &mut dice, "whole");
    assert_eq!(index.covered(), text.len() as u64);
    assert_eq!(index.get(&["torn", "none"]).unwrap().len(), 1);
}

#[test]
fn a_damaged_index_is_made_anew_and_never_believed() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path().to_owned());
    let mut dice = Dice(11);
    let text = dice.lines(0, 60);
    std::fs::write(store.lessons_file(), &text).unwrap();
    let file = dir.path().join("lessons.idx");
    Index::open(&store).unwrap();
    let good = std::fs::read(&file).unwrap();
    let asked = asked(&mut dice);
    for round in 0..200 {
        let mut bad = good.clone();
        match round % 3 {
            0 => bad.truncate(dice.below(good.len() as u64) as usize),
            _ => {
                for _ in 0..=dice.below(4) {
                    let at = dice.below(good.len() as u64) as usize;
                    bad[at] = dice.below(256) as u8;
                }
            }
        }
        std::fs::write(&file, &bad).unwrap();
        let Ok(index) = Index::open(&store) else { continue };
        let Ok(turn) = index.turn(asked.places(), asked.pieces, asked.languages) else { continue };
        for hit in index.search(&turn, 20, 1).unwrap_or_default() {
            let _ = (index.flags(hit.doc), index.lesson(hit.doc), index.successor(hit.doc));
        }
        // What is appended meets the damage too.
        fs::append(store.lessons_file(), (dice.lesson(round).to_line() + "\n").as_bytes()).unwrap();
        let _ = Index::open(&store);
        std::fs::write(store.lessons_file(), &text).unwrap();
    }
}
