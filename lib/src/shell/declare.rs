//! `declare`, `export`, `local`, `set`: variables and options by name.

use super::command::{Command, HOLE, Word};
use super::machine::Machine;
use super::value::Value;
use super::walk::Walker;
use super::world::World;

impl<M: Machine> Walker<'_, M> {
    pub fn declare(&mut self, name: &str, world: &mut World<M::State>, command: &Command) {
        let start = self.start;
        let mut export = name == "export";
        let mut off = false;
        let mut alias = false;
        for word in &command.words[1..] {
            let text = word.text();
            if let Some(flags) = text.strip_prefix('-') {
                export |= flags.contains('x');
                alias |= name != "export" && flags.contains('n');
                off |= name == "export" && flags.contains('n');
                continue;
            }
            if text.starts_with('+') {
                off |= text.contains('x');
                continue;
            }
            let (mut variable, value) = match text.split_once('=') {
                Some((variable, value)) => (variable, Some(value)),
                None => (text, None),
            };
            let append = variable.ends_with('+');
            variable = variable.trim_end_matches('+');
            if variable.is_empty() || variable.len() > 256 || !variable.bytes().all(super::parse::name_byte) {
                continue;
            }
            let known = world.shell.vars.contains_key(variable);
            let shell = world.shell();
            if (alias || value.is_none()) && matches!(name, "local" | "declare" | "typeset") {
                shell.localize(variable);
            }
            if alias {
                let target = value.filter(|target| !target.is_empty() && target.bytes().all(super::parse::name_byte));
                if let Some(target) = target {
                    shell.refs.insert(variable.to_owned(), target.to_owned());
                } else {
                    shell.set(variable, Value::unknown(), start);
                }
            } else if let Some(value) = value {
                // A word of an assignment that was expanded as one is set already, unless it came from a variable.
                if !(append || known && value == "\0") {
                    shell.set(variable, Value::Text(value.to_owned()), start);
                }
            } else if name == "local" {
                shell.set(variable, Value::Text(String::new()), start);
            }
            if export || off {
                world.shell().export(variable, export && !off, start);
            }
        }
    }
}

/// Positional parameters that `set` may give before they are given up.
const PARAMETERS: usize = 256;

fn positional(words: &[Word]) -> Vec<String> {
    if words.len() > PARAMETERS {
        return vec![HOLE.to_string()];
    }
    words.iter().map(super::flow::argument).collect()
}

/// `set`: options, then positional parameters.
pub(super) fn set<S>(world: &mut World<S>, words: &[Word]) {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let Some(text) = word.literal() else { break };
        if text == "--" || text == "-" {
            at += 1;
            let rest = words.get(at..).unwrap_or_default();
            world.shell().positional = positional(rest);
            return;
        }
        let on = text.starts_with('-');
        if text.len() < 2 || !(on || text.starts_with('+')) {
            break;
        }
        at += 1;
        for letter in text[1..].chars() {
            let shell = world.shell();
            match letter {
                'a' => shell.allexport = on,
                'e' => shell.errexit = on,
                'f' => shell.noglob = on,
                'o' => {
                    match words.get(at).map(Word::text) {
                        Some("allexport") => shell.allexport = on,
                        Some("errexit") => shell.errexit = on,
                        Some("pipefail") => shell.pipefail = on,
                        _ => {}
                    }
                    at += 1;
                }
                _ => {}
            }
        }
    }
    if at < words.len() {
        world.shell().positional = positional(&words[at..]);
    }
}
