//! The state of one shell: variables, functions, aliases, directories.

use super::command::{EnvValue, HOLE, Known};
use super::machine::Start;
use super::tree::Node;
use super::value::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A variable of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// `declare -n`: name, the variable it stands for.
    pub refs: BTreeMap<String, String>,
    /// Bodies by name; several where worlds that became one had different ones, `None` where one had none.
    pub functions: BTreeMap<String, Vec<Option<Rc<Node>>>>,
    /// Texts by name, several as with functions; `None`: taken away by `unalias`.
    pub aliases: BTreeMap<String, Vec<Option<String>>>,
    /// `$1`, `$2`, ...; may have holes, each any number of words.
    pub positional: Vec<String>,
    pub cwd: Known,
    pub old: Known,
    /// The stack of `pushd`.
    pub stack: Vec<Known>,
    /// Exported variables that differ from the hook's environment.
    pub env: Rc<BTreeMap<String, EnvValue>>,
    /// What `local` hid, by function.
    pub locals: Vec<Vec<Hidden>>,
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

/// A variable as it was before one of the same name hid it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hidden {
    pub name: String,
    pub var: Option<Var>,
    pub env: Option<EnvValue>,
}

/// Variables that a shell sets itself, so that their absence from the environment says nothing.
const OWN: [&str; 21] = [
    "BASH", "BASHPID", "BASH_SOURCE", "BASH_VERSION", "COLUMNS", "DIRSTACK", "EPOCHSECONDS", "EUID", "FUNCNAME", "HOSTNAME",
    "LINENO", "LINES", "MACHTYPE", "OPTARG", "OPTIND", "PIPESTATUS", "PPID", "RANDOM", "REPLY", "SECONDS", "UID",
];

impl Shell {
    /// The value of a variable; `None`: unset.
    pub fn get(&self, name: &str, start: &Start) -> Option<Value> {
        let name = self.refs.get(name).map_or(name, String::as_str);
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
            Some(Value::Glob(_)) => HOLE.to_string(),
            Some(Value::Array(elements)) => elements.into_iter().next().map_or_else(String::new, |(_, first)| first),
        }
    }

    /// Sets a variable; one that is exported changes the environment too.
    pub fn set(&mut self, name: &str, value: Value, start: &Start) {
        let target = self.refs.get(name).cloned();
        let name = target.as_deref().unwrap_or(name);
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

    /// A variable and what a child sees of it, to be put back later.
    pub fn hide(&self, name: &str) -> Hidden {
        Hidden { name: name.to_owned(), var: self.vars.get(name).cloned(), env: self.env.get(name).cloned() }
    }

    /// `local`: the variable comes back where the function ends.
    pub fn localize(&mut self, name: &str) {
        let hidden = self.hide(name);
        if let Some(scope) = self.locals.last_mut()
            && !scope.iter().any(|known| known.name == name)
        {
            scope.push(hidden);
        }
    }

    /// Puts back what was hidden.
    pub fn restore(&mut self, hidden: Hidden) {
        let Hidden { name, var, env } = hidden;
        if self.env.get(&name) != env.as_ref() {
            let all = Rc::make_mut(&mut self.env);
            match env {
                Some(value) => all.insert(name.clone(), value),
                None => all.remove(&name),
            };
        }
        self.refs.remove(&name);
        match var {
            Some(var) => self.vars.insert(name, var),
            None => self.vars.remove(&name),
        };
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
        let vars: usize = self.vars.values().map(|var| var.value.weight()).sum();
        let rest = self.positional.len() + self.env.len() + self.stack.len() + self.locals.iter().map(Vec::len).sum::<usize>();
        2 * vars + 2 * (self.functions.len() + self.aliases.len() + self.refs.len()) + rest
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
    let base = if path.starts_with('/') { "" } else { cwd? };
    // A base that is folded already, as it mostly is, is taken as it is.
    let odd = |pair: &[u8]| matches!(pair, b"//" | b"/.");
    let plain = base.starts_with('/') && !base.ends_with('/') && !base.as_bytes().windows(2).any(odd);
    let mut folded = String::with_capacity(base.len() + 1 + path.len());
    if plain {
        folded.push_str(base);
    }
    for name in (if plain { "" } else { base }).split('/').chain(path.split('/')) {
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

/// As [`join`]; a name in a directory that is not known is kept as one, behind a [`HOLE`].
pub(super) fn place(cwd: Option<&str>, path: &str) -> Known {
    match join(cwd, path) {
        None if cwd.is_none() && path.len() <= PATH => Some(format!("{HOLE}/{path}")),
        joined => joined,
    }
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
