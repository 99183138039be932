//! What was done or would be, for people and for programs.

use crate::diff;
use crate::plan::{Fate, Plan};
use ah::harness::wiring::Wiring;
use ah::quote;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What a run tells.
#[derive(Debug, Default)]
pub struct Report {
    /// The files, in order.
    pub plans: Vec<Plan>,
    /// Whether it was done.
    pub applied: bool,
    /// Sentences for the person.
    pub notes: Vec<String>,
}

impl Report {
    /// As text: what becomes of each hook, and the diffs while nothing is written yet.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for plan in &self.plans {
            let title = Wiring::named(plan.harness).map_or("this repository", |wiring| wiring.title);
            let link = if plan.source.linked { format!(" -> {}", quote::path(&plan.source.real)) } else { String::new() };
            let _ = writeln!(out, "{title}  {}{link}", quote::path(&plan.path));
            for (fate, sentence) in SENTENCES {
                let all: Vec<&crate::plan::Outcome> = plan.outcomes.iter().filter(|one| one.fate == *fate).collect();
                let mut programs: Vec<String> = all.iter().map(|one| one.programs.join(" | ")).collect();
                programs.dedup();
                programs.sort();
                programs.dedup();
                for program in programs {
                    let events: Vec<&str> =
                        all.iter().filter(|one| one.programs.join(" | ") == program).map(|one| &*one.event).collect();
                    let at = events.join(", ");
                    let at = if at.is_empty() { at } else { format!(" at {at}") };
                    let _ = writeln!(out, "  {}", sentence.replace("{}", &format!("{program}{at}")));
                }
            }
            if plan.outcomes.is_empty() {
                out.push_str("  nothing of ah is in it\n");
            }
        }
        if !self.applied {
            for plan in self.plans.iter().filter(|plan| plan.changes()) {
                out.push('\n');
                out.push_str(&diff::unified(&plan.path, plan.source.bytes.as_deref(), plan.after.as_deref()));
            }
        }
        if !self.notes.is_empty() {
            out.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(out, "{note}");
        }
        out
    }

    /// As one object.
    pub fn json(&self) -> String {
        let files: Vec<Value> = self
            .plans
            .iter()
            .map(|plan| {
                let hooks: Vec<Value> = plan
                    .outcomes
                    .iter()
                    .map(|one| json!({"event": one.event, "programs": one.programs, "fate": one.fate.name()}))
                    .collect();
                let diff = diff::unified(&plan.path, plan.source.bytes.as_deref(), plan.after.as_deref());
                json!({"path": plan.path.to_string_lossy(), "harness": plan.harness, "scope": plan.scope, "changes": plan.changes(), "hooks": hooks, "diff": diff})
            })
            .collect();
        format!("{}\n", json!({"v": 1, "applied": self.applied, "files": files, "notes": self.notes}))
    }
}

const SENTENCES: &[(Fate, &str)] = &[
    (Fate::Added, "+ {}"),
    (Fate::Mended, "~ {}: put right"),
    (Fate::Renewed, "~ {}: told where it lies now"),
    (Fate::Removed, "- {}"),
    (Fate::There, "  {}: there"),
    (Fate::Other, "  {}: there in another form, which is not by this program; left as it is; --mend puts it right"),
    (Fate::Refused, "  {}: you took it out; --again puts it in"),
];
