//! Assignments: `x=..`, `x+=..`, `x[i]=..`, `x=(..)`.

use super::command::{HOLE, Word};
use super::machine::Machine;
use super::tree::{Assign, Value as Source};
use super::value::Value;
use super::walk::Walker;
use super::world::World;

impl<M: Machine> Walker<'_, M> {
    /// The value of an assignment.
    pub fn value(&mut self, assign: &Assign, world: &mut World<M::State>) -> Value {
        match &assign.value {
            Source::Word(tree) => Value::Text(self.expander(world).single(&tree.parts)),
            Source::Array(elements) => {
                let mut value = Value::Array(Vec::new());
                let mut next = 0u64;
                for (index, tree) in elements {
                    let mut expander = self.expander(world);
                    match index {
                        Some(index) => {
                            let key = expander.single(&index.parts);
                            let element = expander.single(&tree.parts);
                            next = key.parse::<u64>().map_or(next, |key| key.saturating_add(1));
                            value.set(&key, element);
                        }
                        None => {
                            let mut words = Vec::new();
                            expander.fields(&tree.parts, &mut words);
                            for word in words {
                                let text = match &word {
                                    Word::Literal(text) | Word::Unknown(text) => text.clone(),
                                    // Names of files that are not looked up here.
                                    Word::Glob(_) => HOLE.to_string(),
                                };
                                value.set(&next.to_string(), text);
                                next = next.saturating_add(1);
                            }
                        }
                    }
                }
                value
            }
        }
    }

    pub fn assign(&mut self, assign: &Assign, value: Value, world: &mut World<M::State>) {
        let start = self.start;
        if let Some(index) = &assign.index {
            let key = self.expander(world).single(&index.parts);
            let mut whole = taken(&assign.name, world).unwrap_or(Value::Unset);
            let mut element = match value {
                Value::Text(text) => text,
                _ => HOLE.to_string(),
            };
            if assign.append {
                element = format!("{}{element}", whole.element(&key).unwrap_or(""));
            }
            whole.set(&key, element);
            world.shell().set(&assign.name, whole, start);
        } else if assign.append {
            let mut whole = taken(&assign.name, world).or_else(|| world.shell.get(&assign.name, start)).unwrap_or(Value::Unset);
            whole.append(value);
            if matches!(&whole, Value::Text(text) if text.len() > super::world::LONGEST) {
                whole = Value::unknown();
            }
            world.shell().set(&assign.name, whole, start);
        } else {
            world.shell().set(&assign.name, value, start);
        }
    }
}

/// The value of a variable, taken out to be changed and set again: an array is not copied for one more element.
fn taken<S>(name: &str, world: &mut World<S>) -> Option<Value> {
    world.shell.vars.get(name)?;
    world.shell().vars.get_mut(name).map(|var| std::mem::replace(&mut var.value, Value::Unset))
}

pub(super) fn value_runs(value: &Source) -> bool {
    match value {
        Source::Word(tree) => tree.runs,
        Source::Array(elements) => elements.iter().any(|(index, tree)| tree.runs || index.as_ref().is_some_and(|tree| tree.runs)),
    }
}
