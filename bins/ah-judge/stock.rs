//! The lessons that one event needs: all of a small store, a bounded part of a large one, found by its index.

use ah::fs;
use ah::index::Index;
use ah::lesson::Lesson;
use ah::store::Store;
use std::collections::BTreeMap;
use std::io;

/// Largest file of lessons that is read whole, in bytes: some ten milliseconds.
const SMALL: u64 = 2 << 20;
/// Of a larger store, so many of the newest lines are looked at beside those that are named: about twice as many as there
/// is room for.
const NEWEST: usize = 500;

/// Lessons that take part; hidden ones do not.
#[derive(Clone, Debug, Default)]
pub struct Stock {
    /// In the order of the store.
    pub lessons: Vec<Lesson>,
}

impl Stock {
    /// All lessons of the store; of a large one those of `named` ids and the newest.
    ///
    /// # Errors
    /// The system's.
    pub fn of<'i>(store: &Store, named: impl Iterator<Item = &'i str>) -> io::Result<Self> {
        if store.lessons_file().metadata().map_or(0, |meta| meta.len()) > SMALL {
            return Self::part(store, named, NEWEST);
        }
        let all = store.read()?;
        let lessons = all.live.into_iter().filter(|lesson| !all.hidden.contains_key(&lesson.id)).collect();
        Ok(Self { lessons })
    }

    /// The lessons of these ids alone, whatever the store's size.
    ///
    /// # Errors
    /// The system's.
    pub fn named<'i>(store: &Store, ids: impl Iterator<Item = &'i str>) -> io::Result<BTreeMap<String, Lesson>> {
        let found = Self::part(store, ids, 0)?.lessons;
        Ok(found.into_iter().map(|lesson| (lesson.id.clone(), lesson)).collect())
    }

    fn part<'i>(store: &Store, ids: impl Iterator<Item = &'i str>, newest: usize) -> io::Result<Self> {
        let index = Index::open(store)?;
        let mut found: BTreeMap<u32, Lesson> = BTreeMap::new();
        let mut add = |id: &str| -> io::Result<()> {
            if let Some((number, lesson)) = index.find(id)?
                && index.successor(number)?.is_none()
            {
                found.insert(number, lesson);
            }
            Ok(())
        };
        ids.into_iter().try_for_each(&mut add)?;
        for id in newest_ids(store, newest)? {
            // A line that a later one replaces leads to that one.
            add(&id)?;
        }
        Ok(Self { lessons: found.into_values().collect() })
    }
}

/// The ids of the last lines of a store.
fn newest_ids(store: &Store, most: usize) -> io::Result<Vec<String>> {
    let mut ids = Vec::new();
    if most > 0 {
        fs::lines_back(store.lessons_file(), SMALL, |line| {
            ids.extend(Lesson::read(line).ok().map(|lesson| lesson.id));
            ids.len() < most
        })?;
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(dir: &std::path::Path) -> Store {
        let store = Store::at(dir.to_path_buf());
        let lesson = |id: &str, version, supersedes: &[&str]| Lesson {
            id: id.into(),
            question: format!("Is {id} of version {version} kept?"),
            version,
            supersedes: supersedes.iter().map(|id| (*id).to_owned()).collect(),
            ..Lesson::default()
        };
        store.append(&[lesson("a", 1, &[]), lesson("b", 1, &[]), lesson("c", 1, &["b"]), lesson("a", 2, &[])]).unwrap();
        store
    }

    fn ids(lessons: &[Lesson]) -> Vec<(&str, u64)> {
        lessons.iter().map(|lesson| (lesson.id.as_str(), lesson.version)).collect()
    }

    #[test]
    fn hidden_ones_take_no_part_and_the_latest_version_counts() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let whole = Stock::of(&store, std::iter::empty()).unwrap();
        assert_eq!(ids(&whole.lessons).len(), 2);
        assert!(ids(&whole.lessons).contains(&("a", 2)) && ids(&whole.lessons).contains(&("c", 1)));
        let part = Stock::part(&store, ["b", "c", "none"].into_iter(), 2).unwrap();
        assert!(ids(&part.lessons).contains(&("a", 2)) && ids(&part.lessons).contains(&("c", 1)) && part.lessons.len() == 2);
        let named = Stock::named(&store, ["a", "b"].into_iter()).unwrap();
        assert_eq!(named.into_keys().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn a_store_that_does_not_exist_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().join("none"));
        assert!(Stock::of(&store, ["a"].into_iter()).unwrap().lessons.is_empty());
        assert!(Stock::named(&store, ["a"].into_iter()).unwrap().is_empty());
    }
}
