//! Runs simple commands: substitutions, assignments, redirections, then whatever the first word names.

use super::alias;
use super::command::{Command, EnvValue, HOLE, Redirect, RedirectKind, Stdin, Word};
use super::flow::unknown_or;
use super::machine::{Machine, Step};
use super::output;
use super::state::join;
use super::tree::{Assign, List, Node, Op, Part, Redir, RedirOp, Simple, Value as Source, WordTree};
use super::value::Value;
use super::walk::{Frame, Walker};
use super::world::{Flow, World, Worlds};
use std::rc::Rc;

/// Where file descriptor 1 goes.
enum Out {
    Same,
    Lost,
    /// A file: its name, whether it is appended to.
    File(Option<String>, bool),
}

impl<M: Machine> Walker<'_, M> {
    /// Runs the substitutions in `trees`, in order; their results are kept in each world.
    pub fn results<'t>(
        &mut self,
        trees: impl Iterator<Item = &'t WordTree>,
        world: World<M::State>,
        frame: &Frame,
    ) -> Worlds<M::State> {
        let mut worlds = vec![world];
        for tree in trees {
            if tree.runs {
                worlds = self.run_parts(&tree.parts, worlds, frame);
            }
        }
        worlds
    }

    fn run_parts(&mut self, parts: &[Part], mut worlds: Worlds<M::State>, frame: &Frame) -> Worlds<M::State> {
        for part in parts {
            worlds = match part {
                Part::Command(list, _) => self.each(worlds, |walker, world| walker.capture(list, None, world, frame)),
                Part::Process(list, write) => self.each(worlds, |walker, world| walker.capture(list, Some(*write), world, frame)),
                Part::Arith(parts) => self.run_parts(parts, worlds, frame),
                Part::Param(param, _) => {
                    if let Some(index) = &param.index {
                        worlds = self.run_parts(index, worlds, frame);
                    }
                    match &param.op {
                        Op::Test { sign, colon, word } if param.index.is_none() => self.each(worlds, |walker, world| {
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
                        Op::None | Op::Case { .. } => worlds,
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
        let mut inner = frame.clone();
        inner.redirects.retain(|redirect| redirect.fd != 1);
        if process == Some(true) {
            inner.stdin = Stdin::Unknown;
            world.out.clone_from(&out);
        } else {
            inner.piped = true;
            world.out = Some(String::new());
        }
        let name = process.map(|_| {
            let number = 63usize.saturating_sub(self.pipes);
            self.pipes += 1;
            if number > 9 { format!("/dev/fd/{number}") } else { "/dev/fd/\0".to_owned() }
        });
        let key = Rc::as_ptr(list) as usize;
        let ok = world.ok;
        let mut worlds = self.subshell(world, &inner, |walker, world| walker.list(list, vec![world], &inner));
        for world in &mut worlds {
            let text = world.out.take().unwrap_or_default();
            world.out.clone_from(&out);
            match &name {
                Some(name) => {
                    world.ok = ok;
                    if process == Some(false) {
                        let known = (!text.contains(HOLE)).then_some(text);
                        Rc::make_mut(&mut world.files).insert(name.clone(), known);
                    }
                    world.results.push((key, name.clone()));
                }
                None => world.results.push((key, text)),
            }
        }
        worlds
    }

    /// One simple command of the tree.
    pub fn simple(&mut self, node: &Node, simple: &Simple, mut world: World<M::State>, frame: &Frame) -> Worlds<M::State> {
        if !self.tick("") {
            return vec![world];
        }
        if let Some(name) = simple.words.first().and_then(WordTree::bare)
            && let Some((text, sure)) = alias::lookup(name, &world.shell, self.start)
        {
            let name = name.to_owned();
            let other = (!sure).then(|| self.fork(&world));
            let mut worlds = self.aliased(node, simple, &name, &text, world, frame);
            if let Some(other) = other {
                worlds.append(&mut self.unaliased(node, simple, other, frame));
            }
            return worlds;
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
        let mut inner = frame.clone();
        inner.via.push(format!("alias {name}"));
        inner.span = Some(frame.span.unwrap_or(node.span));
        if inner.via.len() > 16 {
            self.note("too deep", name);
            return vec![world];
        }
        // The other words, as they are after expansion, become positional parameters of the text.
        let trees = simple.words[1..].iter().chain(node.redirects.iter().map(|redirect| &redirect.target));
        let worlds = self.results(trees, world, frame);
        self.each(worlds, |walker, mut world| {
            let rest = walker.expander(&mut world).words(&simple.words[1..]);
            world.results.clear();
            let mut line = text.to_owned();
            for word in &rest {
                line.push(' ');
                output::quote(word, &mut line);
            }
            walker.redirected(&node.redirects, world, &inner, |walker, mut world, inner| {
                // An alias is not expanded inside itself.
                let hidden = world.shell.aliases.get(name).cloned();
                world.shell().aliases.insert(name.to_owned(), None);
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
        let mut worlds = self.results(simple.words.iter(), world, frame);
        for assign in simple.assigns.iter().chain(&simple.declares) {
            worlds = self.each(worlds, |walker, world| {
                let worlds = walker.results(assign.index.iter(), world, frame);
                walker.each(worlds, |walker, world| match &assign.value {
                    Source::Word(tree) => walker.results(std::iter::once(tree), world, frame),
                    Source::Array(elements) => {
                        let trees = elements.iter().flat_map(|(index, tree)| index.iter().chain([tree]));
                        walker.results(trees, world, frame)
                    }
                })
            });
        }
        self.each(worlds, |walker, world| walker.expanded(node, simple, world, frame, true))
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
            return self.redirected(&node.redirects, world, frame, |walker, world, frame| {
                if frame.redirects.is_empty() {
                    return vec![world.ends(ok)];
                }
                let mut command = walker.command(&world, frame, span);
                command.words.push(Word::Literal(":".to_owned()));
                walker.report(world, &command, Some(ok))
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
                let old = world.shell.vars.get(&assign.name).cloned();
                if let Some(scope) = world.shell().locals.last_mut()
                    && !scope.iter().any(|(local, _)| *local == assign.name)
                {
                    scope.push((assign.name.clone(), old));
                }
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
        self.redirected(&node.redirects, world, frame, |walker, world, frame| {
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
        // A builtin or function sees them as variables, too.
        let shell = Rc::clone(&world.shell);
        let inner = world.shell();
        for (name, value) in own.iter().cloned() {
            let exported = true;
            inner.vars.insert(name, super::state::Var { value, exported });
        }
        let mut worlds = self.dispatch(world, command, false);
        for world in &mut worlds {
            for (name, _) in &own {
                let old = shell.vars.get(name).cloned();
                let shell = world.shell();
                match old {
                    Some(var) => shell.vars.insert(name.clone(), var),
                    None => shell.vars.remove(name),
                };
            }
        }
        worlds
    }

    /// The value of an assignment.
    fn value(&mut self, assign: &Assign, world: &mut World<M::State>) -> Value {
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

    fn assign(&mut self, assign: &Assign, value: Value, world: &mut World<M::State>) {
        let start = self.start;
        if let Some(index) = &assign.index {
            let key = self.expander(world).single(&index.parts);
            let mut whole = world.shell.vars.get(&assign.name).map_or(Value::Unset, |var| var.value.clone());
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
            let mut whole = world.shell.get(&assign.name, start).unwrap_or(Value::Unset);
            whole.append(value);
            if matches!(&whole, Value::Text(text) if text.len() > super::world::LONGEST) {
                whole = Value::unknown();
            }
            world.shell().set(&assign.name, whole, start);
        } else {
            world.shell().set(&assign.name, value, start);
        }
    }

    /// A command with all but its words.
    pub fn command(&self, world: &World<M::State>, frame: &Frame, span: (usize, usize)) -> Command {
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

    /// Runs `body` with redirections in force.
    pub fn redirected(
        &mut self,
        redirects: &[Redir],
        world: World<M::State>,
        frame: &Frame,
        mut body: impl FnMut(&mut Self, World<M::State>, &Frame) -> Worlds<M::State>,
    ) -> Worlds<M::State> {
        if redirects.is_empty() {
            return body(self, world, frame);
        }
        let trees = redirects
            .iter()
            .flat_map(|redirect| std::iter::once(&redirect.target).chain(redirect.body.as_ref().and_then(|body| body.get())));
        let worlds = self.results(trees, world, frame);
        self.each(worlds, |walker, mut world| {
            let mut inner = frame.clone();
            let mut out = Out::Same;
            let mut may_fail = false;
            for redirect in redirects {
                may_fail |= walker.one_redirect(redirect, &mut world, &mut inner, &mut out);
            }
            world.results.clear();
            let outer = world.out.take();
            world.out = match out {
                Out::Same => outer.clone(),
                Out::Lost => None,
                Out::File(..) => Some(String::new()),
            };
            let mut worlds = Vec::new();
            for mut world in body(walker, world, &inner) {
                let text = world.out.take();
                world.out = match &out {
                    Out::Same => text,
                    Out::Lost => outer.clone(),
                    Out::File(name, append) => {
                        if let Some(name) = name
                            && !name.starts_with("/dev/")
                        {
                            let text = text.filter(|text| !text.contains(HOLE));
                            world.keep(name, text, *append);
                        }
                        outer.clone()
                    }
                };
                if may_fail && world.flow == Flow::Go && world.ok == Some(true) {
                    world.ok = None;
                }
                worlds.push(world);
            }
            worlds
        })
    }

    /// Applies one redirection; true if it may fail.
    fn one_redirect(&mut self, redirect: &Redir, world: &mut World<M::State>, frame: &mut Frame, out: &mut Out) -> bool {
        let input = redirect.fd.unwrap_or(0) == 0;
        match redirect.op {
            RedirOp::Here => {
                let text = match redirect.body.as_ref().and_then(|body| body.get()) {
                    Some(tree) => self.expander(world).single(&tree.parts),
                    None => String::new(),
                };
                if input {
                    frame.stdin = Stdin::Text(text);
                    frame.redirects.retain(|redirect| redirect.fd != 0);
                }
                return false;
            }
            RedirOp::HereString => {
                let mut text = self.expander(world).single(&redirect.target.parts);
                text.push('\n');
                if input {
                    frame.stdin = Stdin::Text(text);
                    frame.redirects.retain(|redirect| redirect.fd != 0);
                }
                return false;
            }
            _ => {}
        }
        let mut words = Vec::new();
        self.expander(world).fields(&redirect.target.parts, &mut words);
        let target = match words.len() {
            1 => words.remove(0),
            0 => Word::Literal(String::new()),
            _ => Word::Unknown(HOLE.to_string()),
        };
        let text = target.literal();
        let number = text.is_some_and(|text| text == "-" || text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit()));
        let (fd, kind) = match redirect.op {
            RedirOp::DupIn => {
                if input && text != Some("0") {
                    frame.stdin = Stdin::Unknown;
                }
                return false;
            }
            RedirOp::DupOut if number => {
                if redirect.fd.unwrap_or(1) == 1 && text != Some("1") {
                    *out = Out::Lost;
                    frame.redirects.retain(|redirect| redirect.fd != 1);
                }
                return false;
            }
            RedirOp::DupOut | RedirOp::Both => (redirect.fd.unwrap_or(1), RedirectKind::Write),
            RedirOp::Write => (redirect.fd.unwrap_or(1), RedirectKind::Write),
            RedirOp::Append | RedirOp::BothAppend => (redirect.fd.unwrap_or(1), RedirectKind::Append),
            RedirOp::ReadWrite => (redirect.fd.unwrap_or(0), RedirectKind::ReadWrite),
            _ => (redirect.fd.unwrap_or(0), RedirectKind::Read),
        };
        let path = text.and_then(|text| join(world.shell.cwd.as_deref(), text));
        if fd == 0 && matches!(kind, RedirectKind::Read | RedirectKind::ReadWrite) {
            frame.stdin = match path.as_deref() {
                Some("/dev/null") => Stdin::Text(String::new()),
                Some(path) => match world.files.get(path) {
                    Some(Some(text)) => Stdin::Text(text.clone()),
                    _ => Stdin::Unknown,
                },
                None => Stdin::Unknown,
            };
        }
        if fd == 1 && matches!(kind, RedirectKind::Write | RedirectKind::Append) {
            *out = Out::File(path.clone(), kind == RedirectKind::Append);
        }
        frame.redirects.push(Redirect { fd, kind, target });
        path.is_none_or(|path| !path.starts_with("/dev/"))
    }

    /// Tells the machine of a command; `ok`: the status, where the walker knows better.
    pub fn report(&mut self, world: World<M::State>, command: &Command, ok: Option<Option<bool>>) -> Worlds<M::State> {
        let World { state, shell, files, out, results, .. } = world;
        let cleaned;
        let told = match &command.stdin {
            Stdin::Text(text) if text.contains(HOLE) => {
                cleaned = Command { stdin: Stdin::Unknown, ..command.clone() };
                &cleaned
            }
            _ => command,
        };
        let make = |state: M::State, ok: Option<bool>| World {
            state,
            shell: Rc::clone(&shell),
            files: Rc::clone(&files),
            ok,
            flow: Flow::Go,
            out: out.clone(),
            results: results.clone(),
        };
        match self.machine.run(told, state) {
            Step::Done(ends) => {
                let mut worlds = Vec::with_capacity(ends.len());
                for end in ends {
                    let mut world = make(end.state, ok.unwrap_or(end.ok));
                    if world.out.is_some() {
                        match &end.output {
                            Some(text) => world.print(Some(text)),
                            None => match output::known(command, &world.files) {
                                Some(text) => world.print(Some(&text)),
                                None => world.print(None),
                            },
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
                self.child(make(state, None), &text, args, &inner, &via)
            }
            Step::Words { words, via, state } => {
                let world = make(state, None);
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
        let args = command.words[1..].iter().map(|word| word.text().to_owned()).collect();
        let shell = world.shell();
        shell.positional = args;
        shell.locals.push(Vec::new());
        let worlds = self.deeper(world, |walker, world| walker.node(body, world, &frame));
        let mut after = Vec::with_capacity(worlds.len());
        for mut world in worlds {
            let shell = world.shell();
            shell.positional.clone_from(&outer);
            for (name, var) in shell.locals.pop().unwrap_or_default().into_iter().rev() {
                match var {
                    Some(var) => shell.vars.insert(name, var),
                    None => shell.vars.remove(&name),
                };
            }
            if world.flow == Flow::Return {
                world.flow = Flow::Go;
            }
            after.push(world);
        }
        after
    }
}

impl<S> World<S> {
    /// The line wrote a file.
    pub fn keep(&mut self, path: &str, text: Option<String>, append: bool) {
        let files = Rc::make_mut(&mut self.files);
        let text = if append {
            match (files.get(path), text) {
                (Some(Some(old)), Some(text)) if old.len() + text.len() <= super::world::LONGEST => Some(format!("{old}{text}")),
                _ => None,
            }
        } else {
            text
        };
        files.insert(path.to_owned(), text);
    }
}

fn value_runs(value: &Source) -> bool {
    match value {
        Source::Word(tree) => tree.runs,
        Source::Array(elements) => elements.iter().any(|(index, tree)| tree.runs || index.as_ref().is_some_and(|tree| tree.runs)),
    }
}
