//! Loops: rounds that are known one by one, others once with what they assign not known.

use super::command::{HOLE, Stdin, Word};
use super::machine::Machine;
use super::tree::{Kind, List, Node, WordTree};
use super::value::Value;
use super::walk::{Frame, Walker};
use super::world::{Flow, World, Worlds};
use std::rc::Rc;

impl<M: Machine> Walker<'_, M> {
    pub fn repeat(
        &mut self,
        until: bool,
        cond: &List,
        body: &List,
        mut world: World<M::State>,
        frame: &Frame,
    ) -> Worlds<M::State> {
        self.blur(&[cond, body], &mut world);
        let mut inner = frame.clone();
        if !matches!(inner.stdin, Stdin::Inherited) {
            // Each round reads on where the round before stopped.
            inner.stdin = Stdin::Unknown;
        }
        self.cond += 1;
        let tested = self.list(cond, vec![world], &inner);
        self.cond -= 1;
        let (go, stay) = self.part(tested, !until);
        let mut after: Worlds<M::State> = Vec::new();
        for world in stay {
            // A loop whose body never ran has succeeded.
            let ok = if world.flow == Flow::Go { Some(true) } else { world.ok };
            after.push(world.ends(ok));
        }
        let ran = self.list(body, go, &inner);
        after.extend(ran.into_iter().map(|world| world.ends(None)));
        self.looped(after)
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
        self.each(after, |_, world| vec![world])
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
        let known = values.len() <= ROUNDS && values.iter().all(|word| matches!(word, Word::Literal(_)));
        if !known || select {
            let text = match values {
                [Word::Unknown(text)] => text.clone(),
                // One word of a pattern or list, which one is not known.
                _ => HOLE.to_string(),
            };
            let value = if select && known && values.len() == 1 { values[0].text().to_owned() } else { text };
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
            worlds = self.each(worlds, |walker, mut world| {
                world.shell().set(name, Value::Text(value.text().to_owned()), walker.start);
                walker.list(body, vec![world], frame)
            });
            let mut next = Vec::new();
            for mut world in worlds {
                match world.flow {
                    Flow::Go => next.push(world),
                    Flow::Continue(0 | 1) => {
                        world.flow = Flow::Go;
                        next.push(world);
                    }
                    _ => done.push(world),
                }
            }
            worlds = next;
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
        after.append(&mut self.list(body, vec![world], frame));
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
            for body in bodies.unwrap_or_default() {
                if !seen.iter().any(|known| Rc::ptr_eq(known, &body)) {
                    assigned_in(&body, &mut names);
                    seen.push(body);
                }
            }
            at += 1;
        }
        names.retain(|name| !name.starts_with('\0'));
        for name in names {
            world.shell().set(&name, Value::unknown(), self.start);
        }
    }
}

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
        Kind::Subshell(_) | Kind::Function { .. } | Kind::Test(_) | Kind::Arith(_) | Kind::Coproc(_) => {}
    }
}
