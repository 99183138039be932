//! Which lessons are hidden because another has taken their place.

use crate::lesson::{Lesson, Reach};
use nanoserde::{DeBin, SerBin};
use std::collections::{BTreeMap, BTreeSet};

/// What one lesson says of others, and what is needed to know of those.
#[derive(Clone, Debug, Default, PartialEq, Eq, DeBin, SerBin)]
pub struct Claim {
    /// Who taught it.
    pub engineers: Vec<String>,
    /// Its key.
    pub id: String,
    /// When it was learned.
    pub origin_ms: u64,
    /// Its source is `queen`: it takes the place of anybody's.
    pub queen: bool,
    /// The lessons whose place it takes.
    pub supersedes: Vec<String>,
}

impl Claim {
    /// The claim of a lesson; one that was taken back claims nothing.
    #[must_use]
    pub fn of(lesson: &Lesson) -> Self {
        Self {
            engineers: lesson.engineers.clone(),
            id: lesson.id.clone(),
            origin_ms: lesson.origin_ms,
            queen: lesson.source == "queen",
            supersedes: if lesson.reach == Reach::Personal { Vec::new() } else { lesson.supersedes.clone() },
        }
    }

    /// Whether it may hide another: both name an engineer, nobody is named, or it speaks for all.
    fn outranks(&self, old: &Self) -> bool {
        let nobody = self.engineers.is_empty() && old.engineers.is_empty();
        self.queen || nobody || old.engineers.iter().any(|engineer| self.engineers.contains(engineer))
    }
}

/// Each hidden lesson with the one at the end of its chain. A lesson that is not there hides nothing, and two that would
/// replace each other, directly or by others, both stay. Of several that hide one, the newest is its successor.
pub fn hidden<'c>(claims: impl Iterator<Item = &'c Claim> + Clone) -> BTreeMap<String, String> {
    let by: BTreeMap<&str, &Claim> = claims.clone().map(|claim| (claim.id.as_str(), claim)).collect();
    let mut next: BTreeMap<&str, &Claim> = BTreeMap::new();
    for claim in claims {
        for old in claim.supersedes.iter().filter_map(|old| by.get(old.as_str())) {
            if !claim.outranks(old) || reaches(old, &claim.id, &by) {
                continue;
            }
            let newest = next.entry(&old.id).or_insert(claim);
            if (claim.origin_ms, &claim.id) > (newest.origin_ms, &newest.id) {
                *newest = claim;
            }
        }
    }
    let end = |start: &str| {
        let mut at = start;
        let mut seen = BTreeSet::new();
        while let Some(to) = next.get(at).filter(|_| seen.insert(at)) {
            at = &to.id;
        }
        at.to_owned()
    };
    next.keys().map(|id| ((*id).to_owned(), end(id))).collect()
}

/// Whether `from` supersedes `to`, directly or by others.
fn reaches(from: &Claim, to: &str, by: &BTreeMap<&str, &Claim>) -> bool {
    let mut open = vec![from];
    let mut seen = BTreeSet::new();
    while let Some(claim) = open.pop() {
        if claim.id == to {
            return true;
        }
        if seen.insert(&claim.id) {
            open.extend(claim.supersedes.iter().filter_map(|id| by.get(id.as_str()).copied()));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::Claim;
    use std::collections::BTreeMap;

    fn claim(id: &str, origin_ms: u64, supersedes: &[&str]) -> Claim {
        let supersedes = supersedes.iter().map(|id| (*id).to_owned()).collect();
        Claim { id: id.into(), origin_ms, supersedes, ..Claim::default() }
    }

    fn hidden(claims: &[Claim]) -> BTreeMap<String, String> {
        super::hidden(claims.iter())
    }

    #[test]
    fn chains_end_and_circles_hide_nothing() {
        let all = [claim("a", 1, &[]), claim("b", 2, &["a"]), claim("c", 3, &["b", "none"]), claim("d", 4, &["a"])];
        assert_eq!(hidden(&all), BTreeMap::from([("a".into(), "d".into()), ("b".into(), "c".into())]));
        let circle = [claim("a", 1, &["c"]), claim("b", 2, &["a"]), claim("c", 3, &["b"]), claim("x", 1, &["x"])];
        assert!(hidden(&circle).is_empty());
    }

    #[test]
    fn another_persons_lesson_is_hidden_by_the_queen_only() {
        let by = |claim: Claim, who: &str| Claim { engineers: vec![who.to_owned()], ..claim };
        let (old, new) = (by(claim("a", 1, &[]), "ann"), by(claim("b", 2, &["a"]), "bob"));
        assert!(hidden(&[old.clone(), new.clone()]).is_empty());
        assert!(hidden(&[old.clone(), claim("b", 2, &["a"])]).is_empty());
        assert_eq!(hidden(&[old.clone(), by(new.clone(), "ann")]).len(), 1);
        assert_eq!(hidden(&[old, Claim { queen: true, ..new }]).len(), 1);
    }
}
