//! Runs simple commands: substitutions, assignments, redirections, then whatever the first word names.

use super::alias;
use super::assignment::value_runs;
use super::command::{Command, EnvValue, HOLE, Place, Stdin, Word};
use super::flow::{argument, unknown_or};
use super::frame::Frame;
use super::machine::{Machine, Step};
use super::output;
use super::tree::{Node, RedirOp, Simple, Value as Source, WordTree};
use super::value::Value;
use super::walk::Walker;
use super::world::{ENTRY, Flow, World, Worlds};
use std::rc::Rc;

impl<M: Machine> Walker<'_, M> {
    /// One simple command of the tree.
    pub fn simple(&mut self, node: &Node, simple: &Simple, mut world: World<M::State>, frame: &Frame) -> Worlds<M::State> {
        if !self.tick("") {
            return vec![world];
        }
        if let Some(name) = simple.words.first().and_then(WordTree::bare) {
            let texts = alias::lookup(name, &world.shell, self.start);
            if !texts.is_empty() {
                let mut worlds = Vec::new();
                for text in texts {
                    let world = self.fork(&world);
                    worlds.append(&mut match text {
                        Some(text) => self.aliased(node, simple, name, &text, world, frame),
                        None => self.unaliased(node, simple, world, frame),
                    });
                }
                return worlds;
            }
        }
        world.ok = Some(true);
        self.unaliased(node, simple, world, frame)
    }

    /// A command whose first word is an alias: its text, with the other words behind its last command.
    fn aliased(
        &mut self,
        node: &Node,
        simple: &Simple,
        name: &str,
        text: &str,
        world: World<M::State>,
        frame: &Frame,
    ) -> Worlds<M::State> {
        let mut inner = self.copy_frame(frame);
        inner.via.push(format!("alias {name}"));
        inner.span = Some(frame.span.unwrap_or(node.span));
        if inner.via.len() > 16 {
            self.note("too deep", name);
            return vec![world];
        }
        // The other words, as they are after expansion, become positional parameters of the text.
        let mut trees = simple.words[1..].iter().chain(node.redirects.iter().map(|redirect| &redirect.target));
        let worlds = self.results(&mut trees, world, frame);
        self.each(worlds, &mut |walker, mut world| {
            let rest = walker.expander(&mut world).words(&simple.words[1..]);
            world.results.clear();
            let mut line = text.to_owned();
            for word in &rest {
                line.push(' ');
                output::quote(word, &mut line);
            }
            walker.redirected(&node.redirects, world, &inner, &mut |walker, mut world, inner| {
                // An alias is not expanded inside itself.
                let hidden = world.shell.aliases.get(name).cloned();
                world.shell().aliases.insert(name.to_owned(), vec![None]);
                let mut worlds = walker.text(&line, vec![world], inner);
                for world in &mut worlds {
                    match &hidden {
                        Some(text) => world.shell().aliases.insert(name.to_owned(), text.clone()),
                        None => world.shell().aliases.remove(name),
                    };
                }
                worlds
            })
        })
    }

    fn unaliased(&mut self, node: &Node, simple: &Simple, world: World<M::State>, frame: &Frame) -> Worlds<M::State> {
        let runs = simple.words.iter().any(|tree| tree.runs)
            || simple
                .assigns
                .iter()
                .chain(&simple.declares)
                .any(|assign| value_runs(&assign.value) || assign.index.as_ref().is_some_and(|tree| tree.runs));
        if !runs {
            return self.expanded(node, simple, world, frame, false);
        }
        let mut worlds = self.results(&mut simple.words.iter(), world, frame);
        for assign in simple.assigns.iter().chain(&simple.declares) {
            worlds = self.each(worlds, &mut |walker, world| {
                let worlds = walker.results(&mut assign.index.iter(), world, frame);
                walker.each(worlds, &mut |walker, world| match &assign.value {
                    Source::Word(tree) => walker.results(&mut std::iter::once(tree), world, frame),
                    Source::Array(elements) => {
                        let mut trees = elements.iter().flat_map(|(index, tree)| index.iter().chain([tree]));
                        walker.results(&mut trees, world, frame)
                    }
                })
            });
        }
        self.each(worlds, &mut |walker, world| walker.expanded(node, simple, world, frame, true))
    }

    fn expanded(
        &mut self,
        node: &Node,
        simple: &Simple,
        mut world: World<M::State>,
        frame: &Frame,
        ran: bool,
    ) -> Worlds<M::State> {
        let mut words = self.expander(&mut world).words(&simple.words);
        // As many as most commands have come with the command.
        self.copy(words.len().saturating_sub(8));
        if words.is_empty() {
            for assign in &simple.assigns {
                let value = self.value(assign, &mut world);
                self.assign(assign, value, &mut world);
            }
            world.results.clear();
            let ok = if ran { world.ok } else { Some(true) };
            let span = frame.span.unwrap_or(node.span);
            if node.redirects.is_empty() {
                return vec![world.ends(ok)];
            }
            return self.redirected(&node.redirects, world, frame, &mut |walker, world, frame| {
                if frame.redirects.is_empty() {
                    return vec![world.ends(ok)];
                }
                let mut command = walker.command(&world, frame, span);
                command.words.push(Word::Literal(":".to_owned()));
                let out = walker.kept(&world.out);
                let mut worlds = walker.report(world, &command, Some(ok));
                // `$(< file)` is the file's text; in all other places a redirection alone prints nothing.
                let alone = simple.assigns.is_empty() && matches!(node.redirects.as_slice(), [one] if one.op == RedirOp::Read);
                for world in &mut worlds {
                    world.out = walker.kept(&out);
                    match &command.stdin {
                        Stdin::Text(text) if alone => world.print(Some(text)),
                        _ if alone => world.print(None),
                        _ => {}
                    }
                }
                worlds
            });
        }
        for assign in &simple.declares {
            let value = self.value(assign, &mut world);
            let text = match &value {
                Value::Text(text) => text.clone(),
                _ => HOLE.to_string(),
            };
            let sign = if assign.append { "+=" } else { "=" };
            words.push(unknown_or(&format!("{}{sign}{text}", assign.name)));
            if !world.shell.locals.is_empty()
                && matches!(words[0].text(), "declare" | "local" | "typeset")
                && !words.iter().any(|word| word.text() == "-g")
            {
                world.shell().localize(&assign.name);
            }
            self.assign(assign, value, &mut world);
        }
        // Variables before the command are for it alone.
        let mut own = Vec::new();
        for assign in &simple.assigns {
            let value = self.value(assign, &mut world);
            own.push((assign.name.clone(), value));
        }
        world.results.clear();
        let span = frame.span.unwrap_or(node.span);
        if node.redirects.is_empty() {
            let mut command = self.command(&world, frame, span);
            command.words = words;
            return self.with_own(world, command, own);
        }
        self.redirected(&node.redirects, world, frame, &mut |walker, world, frame| {
            let mut command = walker.command(&world, frame, span);
            command.words.clone_from(&words);
            walker.with_own(world, command, own.clone())
        })
    }

    fn with_own(&mut self, mut world: World<M::State>, mut command: Command, own: Vec<(String, Value)>) -> Worlds<M::State> {
        if own.is_empty() {
            return self.dispatch(world, command, false);
        }
        let mut env = Rc::clone(&command.env);
        for (name, value) in &own {
            let entry = match value {
                Value::Text(text) if !text.contains(HOLE) => EnvValue::Set(text.clone()),
                _ => EnvValue::Unknown,
            };
            Rc::make_mut(&mut env).insert(name.clone(), entry);
        }
        command.env = env;
        // A builtin or function sees them as variables, too, and so do the programs that it runs.
        let shell = Rc::clone(&world.shell);
        let inner = world.shell();
        inner.env = Rc::clone(&command.env);
        for (name, value) in own.iter().cloned() {
            let exported = true;
            inner.vars.insert(name, super::state::Var { value, exported, maybe: false });
        }
        let mut worlds = self.dispatch(world, command, false);
        for world in &mut worlds {
            for (name, _) in &own {
                world.shell().restore(shell.hide(name));
            }
        }
        worlds
    }

    /// A command with all but its words.
    pub fn command(&self, world: &World<M::State>, frame: &Frame, span: (usize, usize)) -> Command {
        self.copy(frame.weight());
        Command {
            words: Vec::new(),
            redirects: frame.redirects.clone(),
            cwd: world.shell.cwd.clone(),
            env: Rc::clone(&world.shell.env),
            stdin: frame.stdin.clone(),
            piped: frame.piped,
            place: frame.place,
            via: frame.via.clone(),
            span,
        }
    }

    /// A copy of what was printed so far, paid for.
    pub fn kept(&self, out: &Option<String>) -> Option<String> {
        self.copy(out.as_ref().map_or(0, |out| out.len() / ENTRY));
        out.clone()
    }

    /// Tells the machine of a command; `ok`: the status, where the walker knows better.
    pub fn report(&mut self, world: World<M::State>, command: &Command, ok: Option<Option<bool>>) -> Worlds<M::State> {
        let World { state, shell, files, mut out, results, pipes, copied, .. } = world;
        let cleaned;
        let told = match &command.stdin {
            Stdin::Text(text) if text.contains(HOLE) => {
                cleaned = Command { stdin: Stdin::Unknown, ..command.clone() };
                &cleaned
            }
            _ => command,
        };
        let make = |state: M::State, ok: Option<bool>, out: Option<String>| World {
            state,
            shell: Rc::clone(&shell),
            files: Rc::clone(&files),
            ok,
            flow: Flow::Go,
            out,
            results: results.clone(),
            pipes,
            copied: Rc::clone(&copied),
        };
        match self.machine.run(told, state) {
            Step::Done(ends) => {
                self.copy(ends.len() * results.len());
                let mut worlds = Vec::with_capacity(ends.len());
                let last = ends.len().saturating_sub(1);
                for (index, end) in ends.into_iter().enumerate() {
                    let out = if index == last { out.take() } else { self.kept(&out) };
                    let mut world = make(end.state, ok.unwrap_or(end.ok), out);
                    if world.out.is_some() {
                        match &end.output {
                            Some(text) => world.print(Some(text)),
                            None => {
                                let here = command.place == Place::Here;
                                let mut file = |path: &str| if here { self.file_at(&world, path) } else { None };
                                let text = output::known(command, &mut file);
                                world.print(text.as_deref());
                            }
                        }
                    }
                    worlds.push(world);
                }
                worlds
            }
            Step::Shell { text, args, cwd, via, state } => {
                let mut inner = command.clone();
                if cwd.is_some() {
                    inner.cwd = cwd;
                }
                let args = args.iter().map(|word| word.text().to_owned()).collect();
                self.child(make(state, None, out), &text, args, &inner, &via)
            }
            Step::Words { words, via, state } => {
                let world = make(state, None, out);
                if words.is_empty() || command.via.len() > 64 {
                    return vec![world];
                }
                let mut inner = command.clone();
                inner.words = words;
                inner.via.push(via);
                self.dispatch(world, inner, true)
            }
        }
    }

    /// Calls a function.
    pub fn call(&mut self, mut world: World<M::State>, body: &Rc<Node>, command: &Command) -> Worlds<M::State> {
        if command.via.len() > 64 {
            self.note("too deep", command.words[0].text());
            return vec![world];
        }
        let name = command.words[0].text();
        let frame = Frame { span: None, ..Frame::inside(command, &format!("{name}()")) };
        let outer = world.shell.positional.clone();
        let args = command.words[1..].iter().map(argument).collect();
        let shell = world.shell();
        shell.positional = args;
        shell.locals.push(Vec::new());
        let worlds = self.deeper(world, &mut |walker, world| walker.node(body, world, &frame));
        let mut after = Vec::with_capacity(worlds.len());
        for mut world in worlds {
            let shell = world.shell();
            shell.positional.clone_from(&outer);
            for hidden in shell.locals.pop().unwrap_or_default().into_iter().rev() {
                shell.restore(hidden);
            }
            if world.flow == Flow::Return {
                world.flow = Flow::Go;
            }
            after.push(world);
        }
        after
    }
}
