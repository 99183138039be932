//! `cd`, `pushd`, `popd`: the working directory.

use super::command::{Command, HOLE, Place, Word};
use super::machine::Machine;
use super::state::join;
use super::walk::Walker;
use super::world::{World, Worlds};

/// Directories of `pushd` that are remembered.
const STACK: usize = 64;

impl<M: Machine> Walker<'_, M> {
    /// `cd`, `pushd`, `popd`.
    pub fn directory(&mut self, name: &str, mut world: World<M::State>, command: &Command) -> Worlds<M::State> {
        let operands: Vec<&Word> = command.words[1..]
            .iter()
            .filter(|word| {
                !word.literal().is_some_and(|text| {
                    text.starts_with('-') && text.len() > 1 && !text[1..].starts_with(|char: char| char.is_ascii_digit())
                })
            })
            .collect();
        let here = world.shell.cwd.clone();
        let target = if name == "popd" || (name == "pushd" && operands.is_empty()) {
            let shell = world.shell();
            let top = shell.stack.pop().flatten();
            if name == "pushd" {
                shell.stack.push(here.clone());
            }
            top
        } else {
            match operands.as_slice() {
                [] => Some(world.shell.text("HOME", self.start)).filter(|home| !home.contains(HOLE)),
                [Word::Literal(text), ..] if text == "-" => world.shell.old.clone(),
                [Word::Literal(text), ..] if text.is_empty() => here.clone(),
                [Word::Literal(text), ..] => join(here.as_deref(), text),
                _ => None,
            }
        };
        let exists = match &target {
            Some(path) if command.place == Place::Here => self.machine.is_dir(path, &world.state),
            _ => None,
        };
        let mut worlds = self.report(world, command, Some(None));
        let mut after = Vec::new();
        for mut world in worlds.drain(..) {
            if exists != Some(true) {
                after.push(self.fork(&world).ends(Some(false)));
            }
            if exists != Some(false) {
                let shell = world.shell();
                if name == "pushd" && !operands.is_empty() {
                    if shell.stack.len() >= STACK {
                        shell.stack.remove(0);
                    }
                    shell.stack.push(here.clone());
                }
                shell.old.clone_from(&here);
                shell.cwd.clone_from(&target);
                shell.vars.remove("PWD");
                shell.vars.remove("OLDPWD");
                // The world in which it worked comes first: it is the likely one.
                after.insert(0, world.ends(Some(true)));
            }
        }
        after
    }
}
