//! BM25 over groups of documents (Robertson and others, 1994; k1 = 1.2, b = 0.75): the best document speaks for its group.

use crate::math;
use std::collections::HashMap;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Documents in groups, ready to be asked.
#[derive(Clone, Debug)]
pub struct Bm25 {
    /// In how many groups each word is.
    df: HashMap<String, u32>,
    groups: Vec<Vec<Document>>,
    mean: f64,
}

#[derive(Clone, Debug)]
struct Document {
    length: usize,
    tf: HashMap<String, u32>,
}

impl Bm25 {
    /// Takes the groups of documents, each document as its words.
    #[must_use]
    pub fn new(groups: &[Vec<Vec<String>>]) -> Self {
        let mut df: HashMap<String, u32> = HashMap::new();
        let mut all = Vec::with_capacity(groups.len());
        let (mut documents, mut total) = (0usize, 0usize);
        for group in groups {
            let mut seen: Vec<&String> = group.iter().flatten().collect();
            seen.sort_unstable();
            seen.dedup();
            for word in seen {
                *df.entry(word.clone()).or_default() += 1;
            }
            documents += group.len();
            let read = |words: &Vec<String>| {
                let mut tf = HashMap::new();
                words.iter().for_each(|word| *tf.entry(word.clone()).or_default() += 1);
                Document { length: words.len(), tf }
            };
            total += group.iter().map(Vec::len).sum::<usize>();
            all.push(group.iter().map(read).collect());
        }
        Self { df, groups: all, mean: total as f64 / documents.max(1) as f64 }
    }

    /// The score of each group for a query, its words in order of first appearance; a word counts once.
    #[must_use]
    pub fn scores(&self, query: &[String]) -> Vec<f64> {
        let mut words: Vec<&String> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        words.extend(query.iter().filter(|word| seen.insert(*word)));
        let n = self.groups.len().max(1) as f64;
        let idf: Vec<f64> = words.iter().map(|word| idf(n, f64::from(self.df.get(*word).copied().unwrap_or(0)))).collect();
        let score = |document: &Document| {
            let norm = K1 * (1.0 - B + B * document.length as f64 / self.mean);
            let word = |(word, idf): (&&String, &f64)| {
                let tf = f64::from(document.tf.get(*word).copied()?);
                Some(idf * tf * (K1 + 1.0) / (tf + norm))
            };
            words.iter().zip(&idf).filter_map(word).sum::<f64>()
        };
        self.groups.iter().map(|group| group.iter().map(score).fold(0.0, f64::max)).collect()
    }
}

/// How rare a word is that stands in `df` of `n` groups.
fn idf(n: f64, df: f64) -> f64 {
    math::ln(1.0 + (n - df + 0.5) / (df + 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tokens;

    #[test]
    fn golden() {
        let rows: Vec<serde_json::Value> = serde_json::from_str(include_str!("../../../tests/data/golden/bm25.json")).unwrap();
        assert!(rows.len() > 3);
        for row in rows {
            let groups: Vec<Vec<Vec<String>>> = serde_json::from_value(row["tokens"].clone()).unwrap();
            let query = tokens(row["query"].as_str().unwrap());
            let best: Vec<f64> = serde_json::from_value(row["best"].clone()).unwrap();
            let scores = Bm25::new(&groups).scores(&query);
            assert!(
                scores.len() == best.len() && scores.iter().zip(&best).all(|(a, b)| (a - b).abs() < 1e-9),
                "{row} {scores:?}"
            );
        }
    }
}
