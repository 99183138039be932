//! What a command line chooses.

use crate::error::Error;
use crate::programs;
use crate::target;
use ah::cli::Call;
use ah::config::{Config, Fail};
use ah::harness::wiring::{self, Entry, Part, Scope, Wiring};
use ah::paths::Paths;
use std::path::{Path, PathBuf};

/// What is to be done, and where.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The harnesses.
    pub harnesses: Vec<&'static Wiring>,
    /// Whether each was named by the person.
    pub named: bool,
    /// Whose settings.
    pub scope: Scope,
    /// What is registered, or taken out.
    pub parts: Vec<Part>,
    /// Where the programs lie.
    pub bin: PathBuf,
    /// Whether a call is to be stopped when the guard fails.
    pub closed: bool,
    /// Whether what the person took out is put in again.
    pub again: bool,
    /// Whether what stands there in another form is put right.
    pub mend: bool,
    /// Whether it is done, or only shown.
    pub apply: bool,
    /// Whether the person agreed beforehand to whatever would be asked.
    pub yes: bool,
}

impl Choice {
    /// What a command line chooses.
    pub fn of(call: &Call) -> Result<Self, Error> {
        let scope = call.value("scope").and_then(|name| Scope::named(name.to_str()?)).unwrap_or(Scope::User);
        let named = list(call, "harness")?;
        let all = |words: &[String]| words.iter().any(|word| word == "all");
        let harnesses: Vec<&Wiring> = match &named {
            Some(words) if all(words) => wiring::ALL.to_vec(),
            Some(words) => each(words, "--harness", &harness_names(), &Wiring::named)?,
            // A project is shared with people who have other agents than this machine has.
            None if scope != Scope::User => wiring::ALL.to_vec(),
            None => wiring::ALL.iter().copied().filter(|wiring| target::is_found(wiring)).collect(),
        };
        let removing = call.has("remove");
        let parts = match list(call, "with")? {
            Some(words) if all(&words) && removing => Part::ALL.to_vec(),
            Some(words) if all(&words) => vec![Part::Guard, Part::Mesh, Part::Judge],
            Some(words) => {
                let mut parts = each(&words, "--with", "guard, judge, mesh, live, all", &Part::named)?;
                if !removing {
                    parts.push(Part::Guard);
                }
                parts
            }
            None if removing => Part::ALL.to_vec(),
            None => vec![Part::Guard],
        };
        let parts = Part::ALL.into_iter().filter(|part| parts.contains(part)).collect();
        let bin = programs::folder(call.value("bin").map(Path::new))?;
        let closed = Paths::from_env().is_some_and(|paths| Config::load(paths, None).0.git_guard.fail == Fail::Closed);
        let (again, apply, mend, yes) = (call.has("again"), call.has("apply"), call.has("mend"), call.has("yes"));
        Ok(Self { harnesses, named: named.is_some(), scope, parts, bin, closed, again, mend, apply, yes })
    }

    /// The entries that a harness is to have.
    pub fn entries(&self, wiring: &Wiring) -> Vec<Entry> {
        wiring::entries(wiring, &self.parts, &self.bin, self.scope, self.closed)
    }
}

fn harness_names() -> String {
    let names: Vec<&str> = wiring::ALL.iter().map(|wiring| wiring.harness).chain(["all"]).collect();
    names.join(", ")
}

/// The words of a flag that takes a list.
fn list(call: &Call, flag: &str) -> Result<Option<Vec<String>>, Error> {
    let Some(value) = call.value(flag) else { return Ok(None) };
    let text = value.to_str().ok_or_else(|| Error::Usage(format!("--{flag}: not text")))?;
    let words: Vec<String> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    if words.is_empty() { Err(Error::Usage(format!("--{flag}: names nothing"))) } else { Ok(Some(words)) }
}

fn each<T: Copy>(words: &[String], flag: &str, known: &str, named: &dyn Fn(&str) -> Option<T>) -> Result<Vec<T>, Error> {
    let unknown = |word: &String| Error::Usage(format!("{flag}: not one of {known}: {}", ah::quote::line(word, 40)));
    words.iter().map(|word| named(word).ok_or_else(|| unknown(word))).collect()
}
