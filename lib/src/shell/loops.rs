//! Loops: rounds that are known one by one, others once with what they assign not known.

use super::command::{HOLE, Stdin, Word};
use super::frame::Frame;
use super::machine::Machine;
use super::pattern::has;
use super::tree::{Kind, List, Node, WordTree};
use super::value::Value;
use super::walk::{Body, Walker};
use super::world::{Flow, World, Worlds};
use std::rc::Rc;

impl<'m, M: Machine> Walker<'m, M> {
    pub fn repeat(
        &mut self,
        until: bool,
        cond: &List,
        body: &List,
        mut world: World<M::State>,
        frame: &Frame,
    ) -> Worlds<M::State> {
        if !until && let Some(lines) = lines(cond, &frame.stdin) {
            return self.read_lines(cond, body, &lines, world, frame);
        }
        self.blur(&[cond, body], &mut world);
        let mut inner = self.copy_frame(frame);
        if !matches!(inner.stdin, Stdin::Inherited) {
            // Each round reads on where the round before stopped.
            inner.stdin = Stdin::Unknown;
        }
        let mut after: Worlds<M::State> = Vec::new();
        let ran = self.rounds(world, &mut |walker, world| {
            walker.cond += 1;
            let tested = walker.list(cond, vec![world], &inner);
            walker.cond -= 1;
            let (go, stay) = walker.part(tested, !until);
            for world in stay {
                // A loop whose body never ran has succeeded.
                let ok = if world.flow == Flow::Go { Some(true) } else { world.ok };
                after.push(world.ends(ok));
            }
            walker.list(body, go, &inner)
        });
        after.extend(ran.into_iter().map(|world| world.ends(None)));
        self.looped(after)
    }

    /// `while read x; do ..; done` over lines that are known: a round for each.
    fn read_lines(
        &mut self,
        cond: &List,
        body: &List,
        lines: &[String],
        world: World<M::State>,
        frame: &Frame,
    ) -> Worlds<M::State> {
        let mut inner = self.copy_frame(frame);
        // The body may read lines, too: then some rounds do not come, and what it reads is not known.
        inner.stdin = Stdin::Unknown;
        let mut done = Vec::new();
        let mut worlds = vec![world];
        for line in lines {
            if !self.tick("read") {
                break;
            }
            let mut reading = self.copy_frame(frame);
            reading.stdin = Stdin::Text(line.clone());
            worlds = self.each(worlds, &mut |walker, world| walker.list(cond, vec![world], &reading));
            worlds = self.each(worlds, &mut |walker, world| walker.list(body, vec![world], &inner));
            worlds = go_on(worlds, &mut done);
        }
        done.extend(worlds.into_iter().map(|world| world.ends(None)));
        self.looped(done)
    }

    /// Reads a loop's round, again where the round leaves what the next would meet otherwise, until one reading stands for all.
    fn rounds(&mut self, mut world: World<M::State>, round: Body<'_, 'm, M>) -> Worlds<M::State> {
        let mut all = Vec::new();
        for _ in 0..READINGS {
            let mut next = world.clone();
            let ran = round(self, world);
            let mut open = false;
            for after in &ran {
                if matches!(after.flow, Flow::Go | Flow::Continue(0 | 1)) && !next.covers(after) {
                    if !open {
                        self.copy(READING);
                    }
                    open = true;
                    let after = self.fork(after);
                    next = self.merge(next, after);
                }
            }
            all.extend(ran);
            if !open {
                return all;
            }
            next.flow = Flow::Go;
            world = next;
        }
        self.note("too many steps", "");
        all
    }

    /// Ends `break` and `continue` at the loop they name.
    pub fn looped(&mut self, worlds: Worlds<M::State>) -> Worlds<M::State> {
        let mut after = Vec::with_capacity(worlds.len());
        for mut world in worlds {
            world.flow = match world.flow {
                Flow::Break(0 | 1) | Flow::Continue(0 | 1) => Flow::Go,
                Flow::Break(count) => Flow::Break(count - 1),
                Flow::Continue(count) => Flow::Continue(count - 1),
                flow => flow,
            };
            after.push(world);
        }
        self.bound(after)
    }

    pub fn for_each(
        &mut self,
        name: &str,
        values: &[Word],
        select: bool,
        body: &List,
        mut world: World<M::State>,
        frame: &Frame,
    ) -> Worlds<M::State> {
        let known = values.len() <= ROUNDS && values.iter().all(|word| !matches!(word, Word::Unknown(_)));
        if !known || select {
            let text = match values {
                [Word::Unknown(text)] => text.clone(),
                // One word of a pattern or list, which one is not known.
                _ => HOLE.to_string(),
            };
            let value = if select && matches!(values, [Word::Literal(_)]) { values[0].text().to_owned() } else { text };
            world.shell().set(name, Value::Text(value), self.start);
            return self.once(body, world, frame, true);
        }
        if values.is_empty() {
            return vec![world.ends(Some(true))];
        }
        let mut done = Vec::new();
        let mut worlds = vec![world];
        for value in values {
            if !self.tick(name) {
                break;
            }
            worlds = self.each(worlds, &mut |walker, mut world| {
                if let Word::Glob(pattern) = value {
                    world.shell().set(name, Value::Glob(pattern.clone()), walker.start);
                    return walker.once(body, world, frame, true);
                }
                world.shell().set(name, Value::Text(value.text().to_owned()), walker.start);
                walker.list(body, vec![world], frame)
            });
            worlds = go_on(worlds, &mut done);
            if worlds.is_empty() {
                break;
            }
        }
        done.extend(worlds);
        self.looped(done)
    }

    /// A loop whose rounds are not known: none, or one that stands for all.
    pub fn once(&mut self, body: &List, mut world: World<M::State>, frame: &Frame, may_skip: bool) -> Worlds<M::State> {
        let mut after = Vec::new();
        if may_skip {
            after.push(self.fork(&world).ends(Some(true)));
        }
        self.blur(&[body], &mut world);
        after.append(&mut self.rounds(world, &mut |walker, world| walker.list(body, vec![world], frame)));
        self.looped(after)
    }

    /// Variables that a loop's body assigns are not known in it.
    pub fn blur(&mut self, lists: &[&List], world: &mut World<M::State>) {
        let mut names = Vec::new();
        let mut seen: Vec<Rc<Node>> = Vec::new();
        for list in lists {
            assigned(list, &mut names);
        }
        // Functions that the body calls assign for it.
        let mut at = 0;
        while at < names.len() && at < 256 {
            let call = names[at].strip_prefix('\0').unwrap_or("");
            let bodies = world.shell.functions.get(call).cloned();
            for body in bodies.into_iter().flatten().flatten() {
                if !seen.iter().any(|known| Rc::ptr_eq(known, &body)) {
                    assigned_in(&body, &mut names);
                    seen.push(body);
                }
            }
            at += 1;
        }
        self.copy(names.len());
        names.retain(|name| !name.starts_with('\0'));
        for name in names {
            world.shell().set(&name, Value::unknown(), self.start);
        }
    }
}

/// The lines that `read` as a loop's condition reads one by one, if they are known.
fn lines(cond: &List, stdin: &Stdin) -> Option<Vec<String>> {
    let [item] = cond.items.as_slice() else { return None };
    let [node] = item.first.stages.as_slice() else { return None };
    let (Kind::Simple(simple), Stdin::Text(text)) = (&node.kind, stdin) else {
        return None;
    };
    let words: Option<Vec<&str>> = simple.words.iter().map(WordTree::bare).collect();
    let plain =
        matches!(words?.as_slice(), ["read", rest @ ..] if rest.iter().all(|word| !word.starts_with('-') || *word == "-r"));
    if !plain || !item.rest.is_empty() || item.background || item.first.negated || !node.redirects.is_empty() {
        return None;
    }
    // A last line without an end is read, but ends the loop.
    let lines: Vec<String> = text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(str::to_owned).collect();
    (!has(text, b"\\\0") && lines.len() <= ROUNDS).then_some(lines)
}

/// Readings of one loop before it is given up.
const READINGS: usize = 4;

/// What reading a loop once more costs, in entries copied.
const READING: usize = 128;

/// A loop over so many known words runs its body for each.
const ROUNDS: usize = 64;

/// The names that a list assigns, as far as its text says.
fn assigned(list: &List, names: &mut Vec<String>) {
    for item in &list.items {
        for pipeline in std::iter::once(&item.first).chain(item.rest.iter().map(|(_, pipeline)| pipeline)) {
            for node in &pipeline.stages {
                assigned_in(node, names);
            }
        }
    }
}

fn assigned_in(node: &Node, names: &mut Vec<String>) {
    match &node.kind {
        Kind::Simple(simple) => {
            for assign in simple.assigns.iter().chain(&simple.declares) {
                names.push(assign.name.clone());
            }
            match simple.words.first().and_then(WordTree::bare) {
                Some("printf") if simple.words.get(1).and_then(WordTree::bare) == Some("-v") => {
                    names.extend(simple.words.get(2).and_then(WordTree::bare).map(str::to_owned));
                }
                // A call: looked up by the caller.
                Some(name) => names.push(format!("\0{name}")),
                None => {}
            }
            if let Some("read" | "mapfile" | "readarray" | "getopts" | "unset" | "let") =
                simple.words.first().and_then(WordTree::bare)
            {
                for word in &simple.words[1..] {
                    if let Some(name) = word.bare()
                        && name.bytes().all(super::parse::name_byte)
                    {
                        names.push(name.to_owned());
                    }
                }
            }
        }
        Kind::Group(list) => assigned(list, names),
        Kind::If { arms, other } => {
            for (cond, body) in arms {
                assigned(cond, names);
                assigned(body, names);
            }
            if let Some(list) = other {
                assigned(list, names);
            }
        }
        Kind::Loop { cond, body, .. } => {
            assigned(cond, names);
            assigned(body, names);
        }
        Kind::For { name, body, .. } => {
            names.push(name.clone());
            assigned(body, names);
        }
        Kind::ArithFor { body, .. } => assigned(body, names),
        Kind::Case { arms, .. } => {
            for arm in arms {
                assigned(&arm.body, names);
            }
        }
        // It may be called in the loop.
        Kind::Function { body, .. } => assigned_in(body, names),
        Kind::Subshell(_) | Kind::Test(_) | Kind::Arith(_) | Kind::Coproc(_) => {}
    }
}

/// The worlds that go on to the next round; those that leave the loop are `done`.
fn go_on<S>(worlds: Worlds<S>, done: &mut Worlds<S>) -> Worlds<S> {
    let mut next = Vec::new();
    for mut world in worlds {
        if matches!(world.flow, Flow::Go | Flow::Continue(0 | 1)) {
            world.flow = Flow::Go;
            next.push(world);
        } else {
            done.push(world);
        }
    }
    next
}
