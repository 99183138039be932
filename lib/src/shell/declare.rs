//! `declare`, `export`, `local`, `set`: variables and options by name.

use super::command::{Command, Word};
use super::machine::Machine;
use super::value::Value;
use super::walk::Walker;
use super::world::World;

impl<M: Machine> Walker<'_, M> {
    pub fn declare(&mut self, name: &str, world: &mut World<M::State>, command: &Command) {
        let start = self.start;
        let mut export = name == "export";
        let mut off = false;
        for word in &command.words[1..] {
            let text = word.text();
            if let Some(flags) = text.strip_prefix('-') {
                export |= flags.contains('x');
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
            if matches!(name, "local" | "declare" | "typeset") {
                let old = shell.vars.get(variable).cloned();
                if let Some(scope) = shell.locals.last_mut()
                    && !scope.iter().any(|(local, _)| local == variable)
                    && value.is_none()
                {
                    scope.push((variable.to_owned(), old));
                }
            }
            if let Some(value) = value {
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

/// `set`: options, then positional parameters.
pub(super) fn set<S>(world: &mut World<S>, words: &[Word]) {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let Some(text) = word.literal() else { break };
        if text == "--" || text == "-" {
            at += 1;
            let rest = words.get(at..).unwrap_or_default();
            world.shell().positional = rest.iter().map(|word| word.text().to_owned()).collect();
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
        world.shell().positional = words[at..].iter().map(|word| word.text().to_owned()).collect();
    }
}
