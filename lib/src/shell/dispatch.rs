//! Decides what a command is: a function, a builtin, a wrapper, a script, or a program to report.

use super::command::{Command, EnvValue, HOLE, Known, Place, RedirectKind, Stdin, Word};
use super::flow::argument;
use super::frame::Frame;
use super::machine::Machine;
use super::recipe;
use super::script::{self, Language, Operation};
use super::state::{join, place};
use super::walk::Walker;
use super::window;
use super::world::{World, Worlds, Written};
use super::wrapper::{self, Change, Inner};
use std::rc::Rc;

impl<M: Machine> Walker<'_, M> {
    /// Runs a command in one world; `plain`: functions are not looked up.
    pub fn dispatch(&mut self, world: World<M::State>, command: Command, plain: bool) -> Worlds<M::State> {
        let Some(Word::Literal(name)) = command.words.first() else {
            return if command.words.is_empty() { vec![world] } else { self.report(world, &command, None) };
        };
        if !self.tick(name) {
            return vec![world];
        }
        if let Some(path) = several(&world, &command) {
            // A world for each of its contents.
            let mut after = Vec::new();
            for text in world.files.get(&path).cloned().unwrap_or_default() {
                let mut world = self.fork(&world);
                world.files().insert(path.clone(), vec![text]);
                after.append(&mut self.dispatch(world, command.clone(), plain));
            }
            return after;
        }
        if command.via.len() > 64 {
            self.note("too deep", name);
            return vec![world];
        }
        if !name.contains('/') {
            if !plain && let Some(bodies) = world.shell.functions.get(name) {
                let bodies = bodies.clone();
                let mut after = Vec::new();
                for body in &bodies {
                    let world = self.fork(&world);
                    after.append(&mut match body {
                        Some(body) => self.call(world, body, &command),
                        None => self.dispatch(world, command.clone(), true),
                    });
                }
                return after;
            }
            if super::builtin::is_builtin(name) {
                let name = name.clone();
                return self.builtin(&name, world, command);
            }
        }
        let program = command.program().unwrap_or("");
        match wrapper::unwrap(program, &command.words) {
            Inner::Itself if name.contains('/') => self.program_file(world, command),
            inner => self.inner(inner, world, command),
        }
    }

    fn inner(&mut self, inner: Inner, world: World<M::State>, command: Command) -> Worlds<M::State> {
        match inner {
            Inner::Itself => self.report(world, &command, None),
            Inner::Words(change, words) => {
                self.copy(words.len());
                let command = Command { words: Vec::new(), ..command };
                let mut inner = self.changed(&world, &command, change);
                inner.words = words;
                self.inside(world, inner)
            }
            Inner::Text(change, text, args) => {
                let via = change.via.clone();
                let inner = self.changed(&world, &command, Change { via: String::new(), ..change });
                let args = texts(&args);
                self.child(world, text.text(), args, &inner, &via)
            }
            Inner::Window(change, text) => {
                let frame = Frame::inside(&command, &change.via);
                let text = text.text().to_owned();
                self.subshell(world, &frame, &mut |walker, world| window::walk(walker, &text, vec![world], &frame))
            }
            Inner::File(change, path, args) => match self.file_text(&world, &command, &path) {
                Some(text) => {
                    let name = path.text().rsplit('/').next().unwrap_or("").to_owned();
                    self.script(world, &text, texts(&args), &command, &name, Some(change))
                }
                None => self.report(world, &command, None),
            },
            Inner::Stdin(change, args) => match command.stdin.clone() {
                Stdin::Text(text) if !text.trim_matches([HOLE, '\n', ' ']).is_empty() => {
                    let via = change.via.clone();
                    let mut inner = self.changed(&world, &command, Change { via: String::new(), ..change });
                    inner.stdin = Stdin::Unknown;
                    self.child(world, &text, texts(&args), &inner, &via)
                }
                Stdin::Text(text) if !text.contains(HOLE) => vec![world.ends(Some(true))],
                _ => self.report(world, &command, None),
            },
            Inner::Program(language, text) => {
                let worlds = self.report(world, &command, None);
                self.each(worlds, &mut |walker, world| walker.operations(language, text.text(), world, &command))
            }
            Inner::ProgramFile(language, path) => {
                let text = self.file_text(&world, &command, &path);
                let worlds = self.report(world, &command, None);
                let Some(text) = text else { return worlds };
                self.each(worlds, &mut |walker, world| walker.operations(language, &text, world, &command))
            }
            Inner::ProgramStdin(language) => {
                let text = match &command.stdin {
                    Stdin::Text(text) => text.clone(),
                    _ => String::new(),
                };
                let worlds = self.report(world, &command, None);
                self.each(worlds, &mut |walker, world| walker.operations(language, &text, world, &command))
            }
            Inner::Several(all) => {
                let mut worlds = self.report(world, &command, None);
                for inner in all {
                    worlds = self.each(worlds, &mut |walker, world| {
                        // It may find nothing.
                        let skipped = walker.fork(&world);
                        let mut after = walker.inner(inner.clone(), world, command.clone());
                        after.push(skipped);
                        after
                    });
                }
                worlds
            }
            Inner::Feed(feed) => self.feed(&feed, world, &command),
            Inner::Recipe => self.recipe(world, &command),
        }
    }

    /// The command as its wrapper changes it, without the wrapper's words.
    fn changed(&self, world: &World<M::State>, command: &Command, change: Change) -> Command {
        let mut inner = command.clone();
        if !change.via.is_empty() {
            inner.via.push(change.via);
        }
        if change.clear {
            let mut env = std::collections::BTreeMap::new();
            for (name, _) in self.start.variables.all() {
                env.insert(name.clone(), EnvValue::Unset);
            }
            for name in command.env.keys() {
                env.insert(name.clone(), EnvValue::Unset);
            }
            inner.env = Rc::new(env);
        }
        for (name, value) in change.env {
            Rc::make_mut(&mut inner.env).insert(name, value);
        }
        if change.lost {
            inner.cwd = None;
        }
        if let Some(path) = &change.cwd {
            inner.cwd = path.literal().and_then(|path| join(world.shell.cwd.as_deref(), path));
        }
        if change.elsewhere {
            inner.place = Place::Elsewhere;
        }
        inner
    }

    /// The text of a file that a command runs: as the line wrote it, else as it is now.
    pub fn file_text(&mut self, world: &World<M::State>, command: &Command, path: &Word) -> Option<String> {
        if command.place == Place::Elsewhere {
            return None;
        }
        let path = path.literal()?;
        if matches!(path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
            return match &command.stdin {
                Stdin::Text(text) => Some(text.clone()),
                _ => None,
            };
        }
        let path = place(command.cwd.as_deref(), path)?;
        self.file_at(world, &path)
    }

    /// The text of a file by its absolute path.
    pub fn file_at(&mut self, world: &World<M::State>, path: &str) -> Known {
        match world.files.get(path).map(Vec::as_slice) {
            Some([Written::Text(text)]) => text.clone(),
            Some([_, _, ..]) => None,
            _ if path.starts_with(HOLE) => None,
            _ => self.machine.file(path, &world.state).map(|text| text.replace(HOLE, "")),
        }
    }

    /// A program named by its path: a script that can be read, or itself.
    fn program_file(&mut self, world: World<M::State>, command: Command) -> Worlds<M::State> {
        let path = command.words[0].clone();
        let system = ["/usr/", "/bin/", "/sbin/", "/lib", "/opt/", "/nix/", "/snap/"];
        let wrote = path.literal().is_some_and(|path| world.files.contains_key(path));
        if !wrote && system.iter().any(|place| path.text().starts_with(place)) {
            return self.report(world, &command, None);
        }
        match self.file_text(&world, &command, &path) {
            Some(text) if !text.starts_with("\u{7f}ELF") => {
                let name = path.text().rsplit('/').next().unwrap_or("").to_owned();
                let args = texts(&command.words[1..]);
                self.script(world, &text, args, &command, &name, None)
            }
            _ => self.report(world, &command, None),
        }
    }

    /// Runs a script's text in the language that its first line names, or as a shell's if a shell was told to.
    fn script(
        &mut self,
        world: World<M::State>,
        text: &str,
        args: Vec<String>,
        command: &Command,
        name: &str,
        shell: Option<Change>,
    ) -> Worlds<M::State> {
        if shell.is_none()
            && let Some(line) = text.strip_prefix("#!")
        {
            let line = line.lines().next().unwrap_or("");
            let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
            let mut program = words.next().unwrap_or("");
            if program == "env" {
                program = words.find(|word| !word.starts_with('-') && !word.contains('=')).unwrap_or("");
            }
            let language = match program {
                "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "fish" => None,
                "node" | "nodejs" | "bun" | "deno" => Some(Language::Node),
                "perl" => Some(Language::Perl),
                "ruby" => Some(Language::Ruby),
                "php" => Some(Language::Php),
                "awk" | "gawk" => Some(Language::Awk),
                "sed" => Some(Language::Sed),
                _ if program.starts_with("python") => Some(Language::Python),
                _ => return self.report(world, command, None),
            };
            if let Some(language) = language {
                let worlds = self.report(world, command, None);
                return self.each(worlds, &mut |walker, world| walker.operations(language, text, world, command));
            }
        }
        self.child(world, text, args, command, name)
    }

    /// Does what a program text of another language would do, as far as it can be seen.
    fn operations(&mut self, language: Language, text: &str, world: World<M::State>, command: &Command) -> Worlds<M::State> {
        let found = script::operations(language, text);
        let ok = world.ok;
        let mut worlds = vec![world];
        for operation in found {
            let mut inner = command.clone();
            inner.via.push(language.name().to_owned());
            inner.stdin = Stdin::Unknown;
            worlds = self.each(worlds, &mut |walker, world| {
                let mut after = match &operation {
                    Operation::Shell(text) => {
                        let mut inner = inner.clone();
                        inner.via.pop();
                        walker.child(world, text, Vec::new(), &inner, language.name())
                    }
                    Operation::Words(words) => {
                        let mut inner = inner.clone();
                        inner.words.clone_from(words);
                        walker.inside(world, inner)
                    }
                    Operation::Write(redirect) => {
                        let mut inner = inner.clone();
                        inner.words = vec![Word::Literal(":".to_owned())];
                        inner.redirects.push(redirect.clone());
                        if let Some(path) = redirect.target.literal().and_then(|path| join(inner.cwd.as_deref(), path)) {
                            let mut world = world;
                            world.keep(&path, None, false);
                            walker.report(world, &inner, Some(None))
                        } else {
                            walker.report(world, &inner, Some(None))
                        }
                    }
                };
                for world in &mut after {
                    world.ok = ok;
                }
                after
            });
        }
        worlds
    }

    /// `make`, `npm run`, `just`: the recipe's lines, if they can be read, behind the command itself.
    fn recipe(&mut self, world: World<M::State>, command: &Command) -> Worlds<M::State> {
        let mut worlds = self.report(world, command, None);
        let Some(request) = recipe::request(command.program().unwrap_or(""), &command.words) else {
            return worlds;
        };
        let Some(first) = worlds.first() else {
            return worlds;
        };
        let cwd = match &request.directory {
            Some(directory) => directory.literal().and_then(|path| join(command.cwd.as_deref(), path)),
            None => command.cwd.clone(),
        };
        let Some(cwd) = cwd else { return worlds };
        let mut inner = command.clone();
        inner.cwd = Some(cwd.clone());
        let mut found = None;
        for name in request.files() {
            if let Some(text) = self.file_text(first, &inner, &Word::Literal(name.to_owned())) {
                found = Some(text);
                break;
            }
        }
        let Some(text) = found else { return worlds };
        for line in recipe::lines(&request, &text) {
            worlds = self.each(worlds, &mut |walker, world| walker.child(world, &line, Vec::new(), &inner, &request.name));
        }
        worlds
    }
}

/// A file that the command names and that may have one of several contents.
fn several<S>(world: &World<S>, command: &Command) -> Option<String> {
    world.copied.set(world.copied.get() + world.files.len() / 8);
    if !world.files.values().any(|texts| texts.len() > 1) {
        return None;
    }
    let read = command.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Read).map(|redirect| &redirect.target);
    let paths = command.words.iter().chain(read).filter_map(|word| place(command.cwd.as_deref(), word.literal()?));
    paths.into_iter().find(|path| world.files.get(path).is_some_and(|texts| texts.len() > 1))
}

fn texts(words: &[Word]) -> Vec<String> {
    words.iter().map(argument).collect()
}
