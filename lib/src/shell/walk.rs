//! Goes through a text as bash would and tells a [`Machine`] of every simple command.

use super::command::{Command, EnvValue, HOLE};
use super::expand::Expander;
use super::frame::Frame;
use super::machine::{Machine, Source, Start, Unread, Walked};
use super::parse::{parse, room};
use super::state::{Shell, Var};
use super::tree::List;
use super::value::Value;
use super::window;
use super::world::{Flow, World, Worlds};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Commands and redirections looked at in all, a program twice.
const STEPS: u32 = 12_000;
/// The longest line that is read, in bytes; expansions may make as much and twice the line.
const TEXT: usize = 1 << 20;
/// Texts read for a line in all, in bytes: scripts, `sh -c`, `eval`.
const INNER: usize = 1 << 18;
/// Texts that are kept as they were read.
const PARSED: usize = 4;
/// Copying of shell states and words, in entries.
const COPIES: usize = 80_000;
/// How deep lists, functions, scripts and `sh -c` may lie in one another.
const DEEPEST: u32 = 64;

/// A text that was read, and the span of its commands.
type Parsed = (String, Option<(usize, usize)>, Rc<List>);

/// The walker and what it may still spend.
pub(super) struct Walker<'m, M: Machine> {
    pub machine: &'m mut M,
    pub start: &'m Start,
    pub budget: usize,
    pub unread: Vec<Unread>,
    /// Above zero inside conditions, where `set -e` does not end the shell.
    pub cond: u32,
    /// Shells inside the line's own.
    pub shells: u32,
    steps: u32,
    /// It was said that there were too many steps.
    told: bool,
    text: usize,
    /// The latest texts read, the last first: several worlds run the same script.
    parsed: Vec<Parsed>,
    pub copied: Rc<Cell<usize>>,
    depth: u32,
}

/// What runs in one world and gives those it may end in.
pub(super) type Body<'b, 'm, M> = &'b mut dyn FnMut(&mut Walker<'m, M>, World<State<M>>) -> Worlds<State<M>>;
/// What runs in one world inside a frame of its own.
pub(super) type Framed<'b, 'm, M> = &'b mut dyn FnMut(&mut Walker<'m, M>, World<State<M>>, &Frame) -> Worlds<State<M>>;
type State<M> = <M as Machine>::State;

/// Walks `line` from `start` in the world `state`.
pub fn walk<M: Machine>(line: &str, source: Source, start: &Start, machine: &mut M, state: M::State) -> Walked<M::State> {
    let mut walker = Walker {
        machine,
        start,
        budget: 2 * line.len().min(TEXT) + TEXT,
        unread: Vec::new(),
        cond: 0,
        shells: 0,
        steps: STEPS,
        told: false,
        text: line.len().min(TEXT) + INNER,
        parsed: Vec::new(),
        copied: Rc::default(),
        depth: 0,
    };
    let shell = Shell { cwd: start.cwd.clone(), ..Shell::default() };
    let world = World {
        state,
        shell: Rc::new(shell),
        files: Rc::new(BTreeMap::new()),
        ok: Some(true),
        flow: Flow::Go,
        out: None,
        results: Vec::new(),
        pipes: 0,
        copied: Rc::clone(&walker.copied),
    };
    let frame = Frame::default();
    let worlds = match source {
        Source::Shell => {
            // No shell is ever given a NUL; here it would read as a part that is not known.
            let kept;
            let line = if line.contains(HOLE) {
                kept = line.replace(HOLE, "");
                &kept
            } else {
                line
            };
            walker.text(line, vec![world], &frame)
        }
        Source::PowerShell => window::walk(&mut walker, line, vec![world], &frame),
    };
    let worlds = walker.leave(worlds, &frame);
    Walked { worlds: worlds.into_iter().map(|world| world.state).collect(), unread: walker.unread }
}

impl<'m, M: Machine> Walker<'m, M> {
    pub fn note(&mut self, why: &'static str, part: &str) {
        if room(&self.unread, why) && self.unread.last().is_none_or(|last| last.why != why || last.part != part) {
            self.unread.push(Unread { why, part: part.chars().filter(|char| *char != HOLE).take(80).collect() });
        }
    }

    /// Counts a step; false when there were too many.
    pub fn tick(&mut self, what: &str) -> bool {
        if self.spent(what) {
            return false;
        }
        self.steps -= 1;
        true
    }

    /// Whether there were too many steps: the rest of the line is left out, and the walk says so.
    pub fn spent(&mut self, what: &str) -> bool {
        if self.steps > 0 && self.copied.get() <= COPIES {
            return false;
        }
        self.steps = 0;
        if !std::mem::replace(&mut self.told, true) {
            self.note("too many steps", what);
        }
        true
    }

    /// Reads and runs a text in the shells of `worlds`.
    pub fn text(&mut self, text: &str, worlds: Worlds<M::State>, frame: &Frame) -> Worlds<M::State> {
        let same = |(known, span, _): &&Parsed| *span == frame.span && known == text;
        if let Some((_, _, list)) = self.parsed.iter().find(same) {
            let list = Rc::clone(list);
            return self.list(&list, worlds, frame);
        }
        if text.len() > self.text {
            self.note("too long", text);
            return worlds;
        }
        self.text -= text.len();
        let (list, unread) = parse(text, frame.span);
        for note in unread {
            self.note(note.why, &note.part);
        }
        let list = Rc::new(list);
        if self.shells > 0 {
            self.parsed.truncate(PARSED - 1);
            self.parsed.insert(0, (text.to_owned(), frame.span, Rc::clone(&list)));
        }
        self.list(&list, worlds, frame)
    }

    /// Runs a list one level deeper.
    pub fn list(&mut self, list: &List, mut worlds: Worlds<M::State>, frame: &Frame) -> Worlds<M::State> {
        if self.depth >= DEEPEST {
            self.note("too deep", frame.via.last().map_or("", String::as_str));
            return worlds;
        }
        self.depth += 1;
        for item in &list.items {
            if worlds.iter().all(|world| world.flow != Flow::Go) {
                break;
            }
            if self.spent("") {
                break;
            }
            worlds = self.and_or(item, worlds, frame);
        }
        self.depth -= 1;
        worlds
    }

    /// Runs a command that another one runs.
    pub fn inside(&mut self, world: World<M::State>, command: Command) -> Worlds<M::State> {
        let mut command = Some(command);
        self.deeper(world, &mut |walker, world| match command.take() {
            Some(command) => walker.dispatch(world, command, true),
            None => vec![world],
        })
    }

    /// Runs `step` one level deeper.
    pub fn deeper(&mut self, world: World<M::State>, step: Body<'_, 'm, M>) -> Worlds<M::State> {
        if self.depth >= DEEPEST {
            self.note("too deep", "");
            return vec![world];
        }
        self.depth += 1;
        let worlds = step(self, world);
        self.depth -= 1;
        worlds
    }

    /// Runs `step` in each world that still goes on.
    pub fn each(&mut self, mut worlds: Worlds<M::State>, step: Body<'_, 'm, M>) -> Worlds<M::State> {
        if worlds.len() == 1 {
            // As it mostly is: no list to be joined.
            let only = worlds.pop();
            let after = only.map(|world| if world.flow == Flow::Go { step(self, world) } else { vec![world] });
            return self.bound(after.unwrap_or_default());
        }
        let mut after = Vec::with_capacity(worlds.len());
        for world in worlds {
            if world.flow == Flow::Go {
                after.append(&mut step(self, world));
            } else {
                after.push(world);
            }
        }
        self.bound(after)
    }

    /// A copy of a world, paid for.
    pub fn fork(&mut self, world: &World<M::State>) -> World<M::State> {
        self.copy(1);
        world.clone()
    }

    /// Pays for copying so many entries.
    pub fn copy(&self, entries: usize) {
        self.copied.set(self.copied.get() + entries);
    }

    /// An expander for one world.
    pub fn expander<'a>(&'a mut self, world: &'a mut World<M::State>) -> Expander<'a> {
        Expander { shell: &mut world.shell, start: self.start, results: &world.results, budget: &mut self.budget }
    }

    /// The shell of `worlds` ends: its EXIT trap runs.
    pub fn leave(&mut self, mut worlds: Worlds<M::State>, frame: &Frame) -> Worlds<M::State> {
        if worlds.iter().all(|world| world.shell.trap.is_none()) {
            for world in &mut worlds {
                world.flow = Flow::Go;
            }
            return worlds;
        }
        let mut after = Vec::with_capacity(worlds.len());
        for mut world in worlds {
            world.flow = Flow::Go;
            if world.shell.trap.is_some() {
                let text = world.shell().trap.take().unwrap_or_default();
                let ok = world.ok;
                let mut inner = self.copy_frame(frame);
                inner.via.push("trap".to_owned());
                for mut world in self.text(&text, vec![world], &inner) {
                    world.ok = ok;
                    world.flow = Flow::Go;
                    after.push(world);
                }
            } else {
                after.push(world);
            }
        }
        after
    }

    /// Runs `body` in a shell of its own: variables and directory do not come back.
    pub fn subshell(&mut self, world: World<M::State>, frame: &Frame, body: Body<'_, 'm, M>) -> Worlds<M::State> {
        let shell = Rc::clone(&world.shell);
        let mut inner = world;
        let results = std::mem::take(&mut inner.results);
        if inner.shell.trap.is_some() {
            inner.shell().trap = None;
        }
        self.shells += 1;
        let worlds = body(self, inner);
        self.shells -= 1;
        let mut worlds = self.leave(worlds, frame);
        let mut results = Some(results);
        let last = worlds.len().saturating_sub(1);
        for (index, world) in worlds.iter_mut().enumerate() {
            world.shell = Rc::clone(&shell);
            world.results = if index == last { results.take().unwrap_or_default() } else { results.clone().unwrap_or_default() };
        }
        worlds
    }

    /// Runs a text in a new shell that `command` starts, with the positional parameters `args`.
    pub fn child(
        &mut self,
        mut world: World<M::State>,
        text: &str,
        args: Vec<String>,
        command: &Command,
        via: &str,
    ) -> Worlds<M::State> {
        let frame = Frame::inside(command, via);
        let shell = Rc::clone(&world.shell);
        let mut child = shell.child(args);
        child.cwd.clone_from(&command.cwd);
        child.env = Rc::clone(&command.env);
        for (name, value) in command.env.iter() {
            let value = match value {
                EnvValue::Set(text) => Value::Text(text.clone()),
                EnvValue::Unknown => Value::unknown(),
                EnvValue::Unset => Value::Unset,
            };
            let exported = value != Value::Unset;
            child.vars.insert(name.clone(), Var { value, exported, maybe: false });
        }
        world.shell = Rc::new(child);
        self.shells += 1;
        // Whether its status is asked about outside does not matter to `set -e` inside.
        let cond = std::mem::take(&mut self.cond);
        let worlds = self.text(text, vec![world], &frame);
        self.cond = cond;
        self.shells -= 1;
        let mut worlds = self.leave(worlds, &frame);
        for world in &mut worlds {
            world.shell = Rc::clone(&shell);
        }
        worlds
    }
}
