//! The gate on labelled turns: what it would score and rank, for whoever measures it.

use super::measure::measure;
use super::query::{Query, Work};
use crate::index::Index;
use serde::{Deserialize, Serialize};
use std::io;

/// A turn as a line of a file of labelled turns.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Turn {
    /// Its name.
    pub id: String,
    /// What a person asked for.
    pub prompt: String,
    /// The files touched.
    pub touches: Vec<String>,
    /// The new text of its edits.
    pub edits: String,
    /// What the agent said last.
    #[serde(rename = "final")]
    pub final_message: String,
    /// The lessons that it runs into.
    pub relevant: Vec<String>,
}

/// What the gate makes of a turn.
#[derive(Clone, Debug, Serialize)]
pub struct Evaluated {
    /// The turn's name.
    pub id: String,
    /// The best lessons, best first.
    pub ranked: Vec<String>,
    /// The measure.
    pub score: f64,
}

/// Measures one turn.
///
/// # Errors
/// The system's.
pub fn evaluate(index: &Index, turn: &Turn) -> io::Result<Evaluated> {
    let edits = [turn.edits.clone()];
    let work = Work {
        prompt: &turn.prompt,
        touches: &turn.touches,
        edits: &edits,
        final_message: &turn.final_message,
        ..Work::default()
    };
    let mut measured = measure(index, &Query::of(&work), &work)?;
    Ok(Evaluated { id: turn.id.clone(), ranked: measured.shortlist()?, score: measured.score })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn probe_eval() {
        let Ok(dir) = std::env::var("GATE_DIR") else { return };
        let dir = std::path::Path::new(&dir);
        let text: String = std::fs::read_to_string(dir.join("lessons.jsonl"))
            .unwrap()
            .lines()
            .map(|l| format!("{},\"origin_ms\":1}}\n", l.trim_end().trim_end_matches('}')))
            .collect();
        let tmp = tempfile::tempdir().unwrap();
        std::fs::write(tmp.path().join("lessons.jsonl"), text).unwrap();
        let index = Index::open(&Store::at(tmp.path().to_owned())).unwrap();
        println!("rows {}", index.live());
        let mut out = String::new();
        for line in std::fs::read_to_string(dir.join("turns.jsonl")).unwrap().lines() {
            let turn: Turn = serde_json::from_str(line).unwrap();
            out += &(serde_json::to_string(&evaluate(&index, &turn).unwrap()).unwrap() + "\n");
        }
        std::fs::write(std::env::var("GATE_OUT").unwrap(), out).unwrap();
    }
}
