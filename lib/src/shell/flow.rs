//! Control flow: lists, pipelines, loops, conditions, functions.

use super::command::{HOLE, Stdin, Word};
use super::frame::Frame;
use super::machine::Machine;
use super::pattern;
use super::tree::{AndOr, Arm, Joint, Kind, List, Next, Node, Part, Pipeline, WordTree};
use super::value::Value;
use super::walk::Walker;
use super::world::{Flow, World, Worlds};
use std::rc::Rc;

impl<M: Machine> Walker<'_, M> {
    pub fn and_or(&mut self, item: &AndOr, worlds: Worlds<M::State>, frame: &Frame) -> Worlds<M::State> {
        if item.background {
            return self.each(worlds, &mut |walker, world| {
                let mut after = walker.subshell(world, frame, &mut |walker, world| walker.chain(item, vec![world], frame));
                for world in &mut after {
                    world.ok = Some(true);
                }
                after
            });
        }
        self.chain(item, worlds, frame)
    }

    fn chain(&mut self, item: &AndOr, worlds: Worlds<M::State>, frame: &Frame) -> Worlds<M::State> {
        if item.rest.is_empty() {
            return self.pipeline(&item.first, worlds, frame);
        }
        self.cond += 1;
        let mut worlds = self.pipeline(&item.first, worlds, frame);
        for (index, (joint, pipeline)) in item.rest.iter().enumerate() {
            if index + 1 == item.rest.len() {
                self.cond -= 1;
            }
            if self.spent("") {
                continue;
            }
            let wanted = *joint == Joint::And;
            let (go, stay) = self.part(worlds, wanted);
            worlds = self.pipeline(pipeline, go, frame);
            worlds.extend(stay);
            worlds = self.bound(worlds);
        }
        worlds
    }

    /// The worlds whose last status is `wanted`, and the others; those that may be either are in both.
    pub fn part(&mut self, worlds: Worlds<M::State>, wanted: bool) -> (Worlds<M::State>, Worlds<M::State>) {
        let (mut go, mut stay) = (Vec::new(), Vec::new());
        for world in worlds {
            match world.ok {
                _ if world.flow != Flow::Go => stay.push(world),
                Some(ok) if ok == wanted => go.push(world),
                Some(_) => stay.push(world),
                None => {
                    stay.push(self.fork(&world).ends(Some(!wanted)));
                    go.push(world.ends(Some(wanted)));
                }
            }
        }
        (go, stay)
    }

    fn pipeline(&mut self, pipeline: &Pipeline, worlds: Worlds<M::State>, frame: &Frame) -> Worlds<M::State> {
        self.cond += u32::from(pipeline.negated);
        let mut worlds = match pipeline.stages.as_slice() {
            [node] => self.each(worlds, &mut |walker, world| walker.node(node, world, frame)),
            stages => self.each(worlds, &mut |walker, world| walker.pipe(stages, world, frame)),
        };
        if pipeline.negated {
            self.cond -= 1;
            for world in &mut worlds {
                world.ok = world.ok.map(|ok| !ok);
            }
        } else if self.cond == 0 {
            let mut ended = Vec::new();
            for world in &mut worlds {
                if world.shell.errexit && world.flow == Flow::Go && world.ok != Some(true) {
                    match world.ok {
                        Some(_) => world.flow = Flow::Exit,
                        None => {
                            // What comes after the line itself nobody asks; after a shell inside it a command may wait.
                            if self.shells > 0 {
                                let mut left = world.clone().ends(Some(false));
                                left.flow = Flow::Exit;
                                ended.push(left);
                            }
                            world.ok = Some(true);
                        }
                    }
                }
            }
            if !ended.is_empty() {
                worlds.append(&mut ended);
                worlds = self.bound(worlds);
            }
        }
        worlds
    }

    fn pipe(&mut self, stages: &[Node], mut world: World<M::State>, frame: &Frame) -> Worlds<M::State> {
        let out = world.out.take();
        let pipefail = world.shell.pipefail;
        let mut worlds = vec![world];
        let mut all_ok = true;
        for (index, stage) in stages.iter().enumerate() {
            if self.spent("") {
                break;
            }
            let last = index + 1 == stages.len();
            let mut inner = self.copy_frame(frame);
            if !last {
                inner.piped = true;
                inner.redirects.retain(|redirect| redirect.fd != 1);
            }
            worlds = self.each(worlds, &mut |walker, mut world| {
                let mut inner = inner.clone();
                if index > 0 {
                    let text = world.out.take().unwrap_or_default();
                    inner.stdin = if text == "\0" { Stdin::Unknown } else { Stdin::Text(text) };
                    inner.redirects.retain(|redirect| redirect.fd != 0);
                }
                world.out = if last { walker.kept(&out) } else { Some(String::new()) };
                walker.subshell(world, &inner, &mut |walker, world| walker.node(stage, world, &inner))
            });
            all_ok &= worlds.iter().all(|world| world.ok == Some(true));
        }
        if pipefail && !all_ok {
            for world in &mut worlds {
                if world.ok == Some(true) {
                    world.ok = None;
                }
            }
        }
        worlds
    }

    /// Runs one command with its redirections.
    pub fn node(&mut self, node: &Node, world: World<M::State>, frame: &Frame) -> Worlds<M::State> {
        let pipes = world.pipes;
        let mut worlds = self.command_node(node, world, frame);
        let assigns = matches!(&node.kind, Kind::Simple(simple) if simple.words.is_empty() && !simple.assigns.is_empty());
        // A variable may have been given the name; else the next command's names begin where this one's did.
        if !assigns {
            for world in &mut worlds {
                world.pipes = pipes;
            }
        }
        worlds
    }

    fn command_node(&mut self, node: &Node, world: World<M::State>, frame: &Frame) -> Worlds<M::State> {
        match &node.kind {
            Kind::Simple(simple) => self.simple(node, simple, world, frame),
            Kind::Function { name, body } => {
                let mut world = world;
                world.shell().functions.insert(name.clone(), vec![Some(Rc::clone(body))]);
                vec![world.ends(Some(true))]
            }
            kind if node.redirects.is_empty() => self.compound(kind, world, frame),
            kind => {
                self.redirected(&node.redirects, world, frame, &mut |walker, world, frame| walker.compound(kind, world, frame))
            }
        }
    }

    fn compound(&mut self, kind: &Kind, mut world: World<M::State>, frame: &Frame) -> Worlds<M::State> {
        if !self.tick("") {
            return vec![world];
        }
        match kind {
            Kind::Simple(_) | Kind::Function { .. } => vec![world],
            Kind::Subshell(list) => self.subshell(world, frame, &mut |walker, world| walker.list(list, vec![world], frame)),
            Kind::Group(list) => self.list(list, vec![world], frame),
            Kind::If { arms, other } => self.condition(arms, other.as_ref(), world, frame),
            Kind::Loop { until, cond, body } => self.repeat(*until, cond, body, world, frame),
            Kind::For { name, words, body, select } => {
                let trees = words.as_deref().unwrap_or_default();
                let worlds = self.results(&mut trees.iter(), world, frame);
                self.each(worlds, &mut |walker, mut world| {
                    let values = match words {
                        Some(trees) => walker.expander(&mut world).words(trees),
                        None => world.shell.positional.iter().map(|text| unknown_or(text)).collect(),
                    };
                    world.results.clear();
                    walker.for_each(name, &values, *select, body, world, frame)
                })
            }
            Kind::ArithFor { header, body } => {
                let worlds = self.results(&mut std::iter::once(header), world, frame);
                self.each(worlds, &mut |walker, mut world| {
                    world.results.clear();
                    for part in &header.parts {
                        if let Part::Quoted(text) = part {
                            for name in text
                                .split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
                                .filter(|name| !name.is_empty())
                                .take(16)
                            {
                                world.shell().set(name, Value::unknown(), walker.start);
                            }
                        }
                    }
                    walker.once(body, world, frame, true)
                })
            }
            Kind::Case { word, arms } => self.case(word, arms, world, frame),
            Kind::Test(words) => {
                let worlds = self.results(&mut words.iter(), world, frame);
                self.each(worlds, &mut |walker, mut world| {
                    let ok = walker.double_bracket(words, &mut world);
                    world.results.clear();
                    vec![world.ends(ok)]
                })
            }
            Kind::Arith(tree) => {
                let worlds = self.results(&mut std::iter::once(tree), world, frame);
                self.each(worlds, &mut |walker, mut world| {
                    let mut expander = walker.expander(&mut world);
                    let text = expander.single(&tree.parts);
                    let value = expander.arith(&text);
                    world.results.clear();
                    let ok = if value.contains(HOLE) { None } else { Some(value != "0") };
                    vec![world.ends(ok)]
                })
            }
            Kind::Coproc(node) => {
                let out = world.out.take();
                world.out = Some(String::new());
                let mut inner = self.copy_frame(frame);
                inner.piped = true;
                let mut worlds = self.subshell(world, &inner, &mut |walker, world| walker.node(node, world, &inner));
                for world in &mut worlds {
                    world.out = self.kept(&out);
                    world.ok = Some(true);
                }
                worlds
            }
        }
    }

    fn condition(
        &mut self,
        arms: &[(List, List)],
        other: Option<&List>,
        world: World<M::State>,
        frame: &Frame,
    ) -> Worlds<M::State> {
        let mut after = Vec::new();
        let mut rest = vec![world];
        for (cond, body) in arms {
            self.cond += 1;
            let tested = self.list(cond, rest, frame);
            self.cond -= 1;
            let (go, stay) = self.part(tested, true);
            after.append(&mut self.list(body, go, frame));
            rest = Vec::new();
            for world in stay {
                if world.flow == Flow::Go { rest.push(world) } else { after.push(world) }
            }
        }
        match other {
            Some(body) => after.append(&mut self.list(body, rest, frame)),
            None => after.extend(rest.into_iter().map(|world| world.ends(Some(true)))),
        }
        self.bound(after)
    }

    fn case(&mut self, word: &WordTree, arms: &[Arm], world: World<M::State>, frame: &Frame) -> Worlds<M::State> {
        let mut trees = std::iter::once(word).chain(arms.iter().flat_map(|arm| &arm.patterns));
        let worlds = self.results(&mut trees, world, frame);
        self.each(worlds, &mut |walker, mut world| {
            let text = walker.expander(&mut world).single(&word.parts);
            let patterns: Vec<Vec<String>> = arms
                .iter()
                .map(|arm| arm.patterns.iter().map(|tree| walker.expander(&mut world).pattern(&tree.parts)).collect())
                .collect();
            world.results.clear();
            let mut after = Vec::new();
            // Worlds that look at the next arm's patterns, and those that run its body in any case.
            let mut looking = vec![world.ends(Some(true))];
            let mut falling = Vec::new();
            for (arm, patterns) in arms.iter().zip(&patterns) {
                let mut go = std::mem::take(&mut falling);
                match any(patterns.iter().map(|pattern| fits(&text, pattern))) {
                    Some(true) => go.append(&mut looking),
                    Some(false) => {}
                    None => go.extend(looking.iter().map(|world| walker.fork(world))),
                }
                if go.is_empty() {
                    continue;
                }
                let ran = walker.list(&arm.body, go, frame);
                match arm.next {
                    Next::Leave => after.extend(ran),
                    Next::Fall => falling = ran,
                    Next::Look => looking.extend(ran),
                }
            }
            after.append(&mut falling);
            after.append(&mut looking);
            after
        })
    }
}

fn fits(text: &str, pattern: &str) -> Option<bool> {
    if pattern == "*" {
        return Some(true);
    }
    if text.contains(HOLE) || pattern.contains(HOLE) || pattern.contains('(') || text.len() > 4096 || pattern.len() > 256 {
        return None;
    }
    Some(pattern::matches(pattern, text))
}

/// Whether any is true, as far as it is known.
fn any(all: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for one in all {
        match one {
            Some(true) => return Some(true),
            Some(false) => {}
            None => known = false,
        }
    }
    known.then_some(false)
}

/// A word as an argument that is kept; of a pattern it is not known what it becomes.
pub(super) fn argument(word: &Word) -> String {
    match word {
        Word::Glob(_) => HOLE.to_string(),
        word => word.text().to_owned(),
    }
}

/// A text as a word.
pub(super) fn unknown_or(text: &str) -> Word {
    if text.contains(HOLE) { Word::Unknown(text.to_owned()) } else { Word::Literal(text.to_owned()) }
}
