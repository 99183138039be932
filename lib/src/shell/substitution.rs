//! Substitutions: they run before the words they are in are expanded.

use super::command::{HOLE, Stdin};
use super::frame::Frame;
use super::machine::Machine;
use super::tree::{List, Op, Part, WordTree};
use super::value::Value;
use super::walk::Walker;
use super::world::{World, Worlds, Written};
use std::rc::Rc;

impl<M: Machine> Walker<'_, M> {
    /// Runs the substitutions in `trees`, in order; their results are kept in each world.
    pub fn results(
        &mut self,
        trees: &mut dyn Iterator<Item = &WordTree>,
        world: World<M::State>,
        frame: &Frame,
    ) -> Worlds<M::State> {
        let mut worlds = vec![world];
        for tree in trees {
            if tree.runs && !self.spent("") {
                worlds = self.run_parts(&tree.parts, worlds, frame);
            }
        }
        worlds
    }

    fn run_parts(&mut self, parts: &[Part], mut worlds: Worlds<M::State>, frame: &Frame) -> Worlds<M::State> {
        for part in parts {
            if self.spent("") {
                break;
            }
            worlds = match part {
                Part::Command(list, _) => self.each(worlds, &mut |walker, world| walker.capture(list, None, world, frame)),
                Part::Process(list, write) => {
                    self.each(worlds, &mut |walker, world| walker.capture(list, Some(*write), world, frame))
                }
                Part::Arith(parts) => self.run_parts(parts, worlds, frame),
                Part::Param(param, _) => {
                    if let Some(index) = &param.index {
                        worlds = self.run_parts(index, worlds, frame);
                    }
                    match &param.op {
                        Op::Test { sign, colon, word } if param.index.is_none() => self.each(worlds, &mut |walker, world| {
                            let set = match world.shell.get(&param.name, walker.start) {
                                _ if world.shell.absent(&param.name, walker.start) => Some(false),
                                Some(Value::Text(text)) if text.contains(HOLE) => None,
                                Some(Value::Text(text)) => Some(!(*colon && text.is_empty())),
                                Some(_) => None,
                                None => Some(false),
                            };
                            if set == Some(*sign != b'+') { vec![world] } else { walker.run_parts(word, vec![world], frame) }
                        }),
                        Op::Test { word, .. } => self.run_parts(word, worlds, frame),
                        Op::Trim { pattern, .. } => self.run_parts(pattern, worlds, frame),
                        Op::Replace { pattern, with, .. } => {
                            let worlds = self.run_parts(pattern, worlds, frame);
                            self.run_parts(with, worlds, frame)
                        }
                        Op::Substring { offset, length } => {
                            let worlds = self.run_parts(offset, worlds, frame);
                            self.run_parts(length.as_deref().unwrap_or_default(), worlds, frame)
                        }
                        Op::Other(parts) => self.run_parts(parts, worlds, frame),
                        Op::None | Op::Case { .. } | Op::Quote => worlds,
                    }
                }
                Part::Text(_) | Part::Quoted(_) | Part::Hole => worlds,
            };
        }
        worlds
    }

    /// Runs a substitution and keeps what it printed; `process`: it has a file name, for writing or reading.
    fn capture(&mut self, list: &Rc<List>, process: Option<bool>, mut world: World<M::State>, frame: &Frame) -> Worlds<M::State> {
        let out = world.out.take();
        let mut inner = self.copy_frame(frame);
        inner.redirects.retain(|redirect| redirect.fd != 1);
        if process == Some(true) {
            inner.stdin = Stdin::Unknown;
            world.out = self.kept(&out);
        } else {
            inner.piped = true;
            world.out = Some(String::new());
        }
        let name = process.map(|_| {
            let number = 63usize.saturating_sub(world.pipes);
            world.pipes += 1;
            if number > 9 { format!("/dev/fd/{number}") } else { "/dev/fd/\0".to_owned() }
        });
        let key = Rc::as_ptr(list) as usize;
        let ok = world.ok;
        let mut worlds = self.subshell(world, &inner, &mut |walker, world| walker.list(list, vec![world], &inner));
        for world in &mut worlds {
            let text = world.out.take().unwrap_or_default();
            world.out = self.kept(&out);
            match &name {
                Some(name) => {
                    world.ok = ok;
                    if process == Some(false) {
                        let known = (!text.contains(HOLE)).then_some(text);
                        let written = vec![Written::Text(known)];
                        if world.files.get(name) != Some(&written) {
                            world.files().insert(name.clone(), written);
                        }
                    }
                    world.result(key, name.clone());
                }
                None => world.result(key, text),
            }
        }
        worlds
    }
}
