//! The state of one shell: variables, functions, aliases, directories.

use super::command::{EnvValue, HOLE, Known};
use super::machine::Start;
use super::tree::Node;
use super::value::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A variable of the line.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub value: Value,
    pub exported: bool,
    /// Exported in some of the worlds that became this one: a child may see it or not.
    pub maybe: bool,
}

/// What one shell knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Shell {
    pub vars: BTreeMap<String, Var>,
    /// Bodies by name; several where worlds that became one had different ones.
    pub functions: BTreeMap<String, Vec<Rc<Node>>>,
    /// `None`: taken away by `unalias`.
    pub aliases: BTreeMap<String, Option<String>>,
    /// `$1`, `$2`, ...; may have holes, each any number of words.
    pub positional: Vec<String>,
    pub cwd: Known,
    pub old: Known,
    /// The stack of `pushd`.
    pub stack: Vec<Known>,
    /// Exported variables that differ from the hook's environment.
    pub env: Rc<BTreeMap<String, EnvValue>>,
    /// What `local` hid, by function.
    pub locals: Vec<Vec<(String, Option<Var>)>>,
    /// The text of `trap .. EXIT`.
    pub trap: Option<String>,
    pub errexit: bool,
    pub pipefail: bool,
    pub allexport: bool,
    pub expand_aliases: bool,
    pub noglob: bool,
    /// Started by the line: the person's aliases do not hold in it.
    pub child: bool,
}

/// Bodies of one function that are kept.
const BODIES: usize = 4;

/// Variables that a shell sets itself, so that their absence from the environment says nothing.
const OWN: [&str; 21] = [
    "BASH", "BASHPID", "BASH_SOURCE", "BASH_VERSION", "COLUMNS", "DIRSTACK", "EPOCHSECONDS", "EUID", "FUNCNAME", "HOSTNAME",
    "LINENO", "LINES", "MACHTYPE", "OPTARG", "OPTIND", "PIPESTATUS", "PPID", "RANDOM", "REPLY", "SECONDS", "UID",
];

impl Shell {
    /// The value of a variable; `None`: unset.
    pub fn get(&self, name: &str, start: &Start) -> Option<Value> {
        if let Some(var) = self.vars.get(name) {
            return match &var.value {
                Value::Unset => None,
                value => Some(value.clone()),
            };
        }
        match name {
            "PWD" => return Some(self.cwd.clone().map_or_else(Value::unknown, Value::Text)),
            "OLDPWD" => return Some(self.old.clone().map_or_else(Value::unknown, Value::Text)),
            "IFS" => return Some(Value::Text(" \t\n".to_owned())),
            "_" | "0" | "?" | "$" | "!" | "-" => return Some(Value::unknown()),
            _ => {}
        }
        if let Some(value) = inherited(start, name) {
            return Some(Value::Text(value.to_owned()));
        }
        if !start.complete || OWN.contains(&name) || name.starts_with("BASH_") {
            return Some(Value::unknown());
        }
        None
    }

    /// Whether neither the line nor its environment sets a variable (nor the shell itself).
    pub fn absent(&self, name: &str, start: &Start) -> bool {
        match self.vars.get(name) {
            Some(var) => var.value == Value::Unset,
            None => {
                inherited(start, name).is_none()
                    && !OWN.contains(&name)
                    && !matches!(name, "PWD" | "OLDPWD" | "IFS" | "_" | "0" | "?" | "$" | "!" | "-" | "#" | "@" | "*")
            }
        }
    }

    /// The value as one text; empty if unset.
    pub fn text(&self, name: &str, start: &Start) -> String {
        match self.get(name, start) {
            None | Some(Value::Unset) => String::new(),
            Some(Value::Text(text)) => text,
            Some(Value::Array(elements)) => elements.into_iter().next().map_or_else(String::new, |(_, first)| first),
        }
    }

    /// Sets a variable; one that is exported changes the environment too.
    pub fn set(&mut self, name: &str, value: Value, start: &Start) {
        let old = self.vars.get(name);
        let maybe = old.is_some_and(|var| var.maybe);
        let exported = match old {
            Some(var) => var.exported,
            None => inherited(start, name).is_some(),
        } || self.allexport;
        if exported && maybe {
            self.publish(name, &Value::unknown(), start);
        } else if exported {
            self.publish(name, &value, start);
        }
        let var = Var { value, exported, maybe };
        match self.vars.get_mut(name) {
            Some(old) => *old = var,
            None => {
                self.vars.insert(name.to_owned(), var);
            }
        }
    }

    /// Exports a variable, or stops exporting it.
    pub fn export(&mut self, name: &str, on: bool, start: &Start) {
        let value = match self.get(name, start) {
            Some(value) => value,
            None => Value::Unset,
        };
        if on {
            self.publish(name, &value, start);
        } else {
            Rc::make_mut(&mut self.env).insert(name.to_owned(), EnvValue::Unset);
        }
        self.vars.insert(name.to_owned(), Var { value, exported: on, maybe: false });
    }

    /// Sets a variable for the environment of one command or of a child.
    pub fn publish(&mut self, name: &str, value: &Value, start: &Start) {
        let entry = match value {
            Value::Unset => EnvValue::Unset,
            Value::Text(text) if !text.contains(HOLE) => EnvValue::Set(text.clone()),
            _ => EnvValue::Unknown,
        };
        let same = match &entry {
            EnvValue::Set(text) => inherited(start, name) == Some(text),
            EnvValue::Unset => start.complete && inherited(start, name).is_none(),
            EnvValue::Unknown => false,
        };
        if same && !self.env.contains_key(name) {
            return;
        }
        let env = Rc::make_mut(&mut self.env);
        if same {
            env.remove(name);
        } else {
            env.insert(name.to_owned(), entry);
        }
    }

    /// Removes a variable.
    pub fn unset(&mut self, name: &str, start: &Start) {
        if self.vars.get(name).map_or_else(|| inherited(start, name).is_some(), |var| var.exported) {
            self.publish(name, &Value::Unset, start);
        }
        self.vars.insert(name.to_owned(), Var { value: Value::Unset, exported: false, maybe: false });
    }

    /// A shell that this one starts: only the environment goes with it.
    pub fn child(&self, args: Vec<String>) -> Self {
        let mut vars = BTreeMap::new();
        for (name, var) in self.vars.iter().filter(|(_, var)| var.exported || var.value == Value::Unset) {
            let mut var = var.clone();
            if var.maybe {
                var.value = Value::unknown();
            }
            vars.insert(name.clone(), var);
        }
        Self {
            vars,
            positional: args,
            cwd: self.cwd.clone(),
            old: self.old.clone(),
            env: Rc::clone(&self.env),
            child: true,
            ..Self::default()
        }
    }

    /// How much copying this shell costs, in entries.
    pub fn weight(&self) -> usize {
        self.vars.len() + self.functions.len() + self.aliases.len() + self.positional.len()
    }

    /// What two shells have in common; where they differ nothing is known.
    pub fn merge(&mut self, other: &Self) {
        for (name, var) in &other.vars {
            let mine = self.vars.entry(name.clone()).or_insert_with(|| Var {
                value: Value::unknown(),
                exported: var.exported,
                maybe: var.exported,
            });
            if mine.value != var.value {
                mine.value = Value::unknown();
            }
            mine.maybe |= var.maybe || mine.exported != var.exported;
            mine.exported |= var.exported;
        }
        for (name, var) in &mut self.vars {
            if !other.vars.contains_key(name) {
                var.value = Value::unknown();
                var.maybe |= var.exported;
            }
        }
        for (name, bodies) in &other.functions {
            let mine = self.functions.entry(name.clone()).or_default();
            for body in bodies {
                if mine.len() < BODIES && !mine.iter().any(|known| Rc::ptr_eq(known, body)) {
                    mine.push(Rc::clone(body));
                }
            }
        }
        for (name, text) in &other.aliases {
            self.aliases.entry(name.clone()).or_insert_with(|| text.clone());
        }
        if self.positional != other.positional {
            self.positional = vec![HOLE.to_string()];
        }
        if self.cwd != other.cwd {
            self.cwd = None;
        }
        if self.old != other.old {
            self.old = None;
        }
        if self.stack != other.stack {
            self.stack.clear();
        }
        if self.env != other.env {
            let env = Rc::make_mut(&mut self.env);
            for (name, value) in other.env.iter() {
                if env.get(name) != Some(value) {
                    env.insert(name.clone(), EnvValue::Unknown);
                }
            }
            for (name, value) in env.iter_mut() {
                if !other.env.contains_key(name) {
                    *value = EnvValue::Unknown;
                }
            }
        }
        match (&mut self.trap, &other.trap) {
            (Some(mine), Some(other)) if mine != other && mine.len() < 4096 => {
                mine.push('\n');
                mine.push_str(other);
            }
            (None, Some(other)) => self.trap = Some(other.clone()),
            _ => {}
        }
        self.errexit &= other.errexit;
        self.expand_aliases |= other.expand_aliases;
    }
}

/// A variable of the hook's own environment.
pub(super) fn inherited<'s>(start: &'s Start, name: &str) -> Option<&'s str> {
    start.variables.all().iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// No system takes a longer path, in bytes.
const PATH: usize = 4096;

/// Joins a path to a directory and folds `.` and `..` as text.
pub(super) fn join(cwd: Option<&str>, path: &str) -> Known {
    let mut folded = String::new();
    let base = if path.starts_with('/') { "" } else { cwd? };
    for name in base.split('/').chain(path.split('/')) {
        match name {
            "" | "." => {}
            ".." => folded.truncate(folded.rfind('/').unwrap_or(0)),
            name => {
                folded.push('/');
                folded.push_str(name);
            }
        }
    }
    if folded.len() > PATH {
        return None;
    }
    if folded.is_empty() {
        folded.push('/');
    }
    Some(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_fold() {
        assert_eq!(join(Some("/a/b"), "../c/./d").as_deref(), Some("/a/c/d"));
        assert_eq!(join(Some("/a"), "../../..").as_deref(), Some("/"));
        assert_eq!(join(None, "/x//y/").as_deref(), Some("/x/y"));
        assert_eq!(join(None, "x"), None);
    }
}
