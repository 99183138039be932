//! Builtins that change the shell: directories, variables, aliases, the end of things.

use super::command::{Command, HOLE, Word};
use super::frame::Frame;
use super::machine::Machine;
use super::state::Shell;
use super::value::Value;
use super::walk::Walker;
use super::world::{Flow, World, Worlds};
use std::rc::Rc;

/// Whether bash runs this name itself, in a way that matters here.
pub(super) fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "." | ":"
            | "["
            | "alias"
            | "break"
            | "builtin"
            | "cd"
            | "chdir"
            | "command"
            | "continue"
            | "declare"
            | "echo"
            | "eval"
            | "exec"
            | "exit"
            | "export"
            | "false"
            | "getopts"
            | "let"
            | "local"
            | "mapfile"
            | "noglob"
            | "popd"
            | "printf"
            | "pushd"
            | "pwd"
            | "read"
            | "readarray"
            | "readonly"
            | "return"
            | "set"
            | "shift"
            | "shopt"
            | "source"
            | "test"
            | "trap"
            | "true"
            | "typeset"
            | "unalias"
            | "unset"
            | "wait"
    )
}

impl<M: Machine> Walker<'_, M> {
    pub fn builtin(&mut self, name: &str, mut world: World<M::State>, command: Command) -> Worlds<M::State> {
        let start = self.start;
        match name {
            "break" | "continue" => {
                let count = command.words.get(1).and_then(|word| word.text().parse().ok()).unwrap_or(1);
                world.flow = if name == "break" { Flow::Break(count) } else { Flow::Continue(count) };
                vec![world.ends(Some(true))]
            }
            "return" | "exit" => {
                let ok = match command.words.get(1) {
                    Some(word) => word.literal().map(|text| text.trim() == "0"),
                    None => world.ok,
                };
                world.flow = if name == "exit" { Flow::Exit } else { Flow::Return };
                vec![world.ends(ok)]
            }
            "true" | ":" | "false" => {
                let ok = Some(name != "false");
                if command.redirects.is_empty() { vec![world.ends(ok)] } else { self.report(world, &command, Some(ok)) }
            }
            "shift" => {
                let count = command.words.get(1).map_or(Ok(1), |word| word.text().parse::<usize>()).unwrap_or(0);
                let shell = world.shell();
                if shell.positional.iter().take(count).any(|text| text == "\0") {
                    shell.positional = vec![HOLE.to_string()];
                } else {
                    let count = count.min(shell.positional.len());
                    shell.positional.drain(..count);
                }
                vec![world.ends(Some(true))]
            }
            "noglob" | "builtin" => {
                let mut command = command;
                command.words.remove(0);
                self.inside(world, command)
            }
            "command" => self.command_builtin(world, command),
            "exec" => self.exec(world, command),
            "eval" => {
                let text: Vec<&str> = command.words[1..].iter().map(Word::text).filter(|text| *text != "--").collect();
                let text = text.join(" ");
                let frame = Frame::inside(&command, "eval");
                self.text(&text, vec![world.ends(Some(true))], &frame)
            }
            "source" | "." => self.source(world, command),
            "cd" | "chdir" | "pushd" | "popd" => self.directory(name, world, &command),
            "test" | "[" => {
                let words: Vec<&str> = command.words[1..].iter().map(Word::text).collect();
                let words = if name == "[" { words.strip_suffix(&["]"]).unwrap_or(&words) } else { &words };
                let plain = command.words.iter().all(|word| matches!(word, Word::Literal(_)));
                let ok = if plain { super::status::plain(words) } else { None };
                self.report(world, &command, Some(ok))
            }
            "declare" | "typeset" | "local" | "export" | "readonly" => {
                let mut command = command;
                // One holder less, so that the table need not be copied to be changed.
                command.env = Rc::default();
                self.declare(name, &mut world, &command);
                command.env = Rc::clone(&world.shell.env);
                self.report(world, &command, Some(Some(true)))
            }
            "unset" => {
                for word in &command.words[1..] {
                    match word.literal() {
                        Some(text) if text.starts_with('-') => {}
                        Some(text) => {
                            let functions = command.words.get(1).and_then(Word::literal) == Some("-f");
                            let shell = world.shell();
                            if functions || !(shell.vars.contains_key(text) || super::state::inherited(start, text).is_some()) {
                                shell.functions.remove(text);
                            }
                            if !functions {
                                let name = text.split('[').next().unwrap_or(text);
                                if name == text {
                                    shell.unset(text, start);
                                } else {
                                    shell.set(name, Value::unknown(), start);
                                }
                            }
                        }
                        None => {}
                    }
                }
                self.report(world, &command, Some(Some(true)))
            }
            "set" => {
                super::declare::set(&mut world, &command.words[1..]);
                self.report(world, &command, Some(Some(true)))
            }
            "shopt" => {
                let on = command.words.get(1).map(Word::text) == Some("-s");
                if command.words.iter().any(|word| word.text() == "expand_aliases") {
                    world.shell().expand_aliases = on;
                }
                self.report(world, &command, Some(Some(true)))
            }
            "trap" => {
                let words: Vec<&str> = command.words[1..].iter().map(Word::text).filter(|text| *text != "--").collect();
                if let [text, signals @ ..] = words.as_slice()
                    && signals.iter().any(|signal| matches!(*signal, "EXIT" | "0" | "exit"))
                {
                    world.shell().trap = (*text != "-" && !text.is_empty()).then(|| lasting(text, &world.shell));
                } else if let [text, _, ..] = words.as_slice()
                    && !matches!(*text, "-" | "" | "-l" | "-p")
                {
                    // A signal may come at any time: the text runs here, or not.
                    let text = (*text).to_owned();
                    let skipped = self.fork(&world).ends(Some(true));
                    let frame = Frame::inside(&command, "trap");
                    let mut after = self.text(&text, vec![world], &frame);
                    after.push(skipped);
                    return after;
                }
                self.report(world, &command, Some(Some(true)))
            }
            "alias" => {
                for word in &command.words[1..] {
                    if let Some((name, text)) = word.text().split_once('=') {
                        world.shell().aliases.insert(name.to_owned(), vec![Some(text.to_owned())]);
                    }
                }
                self.report(world, &command, Some(Some(true)))
            }
            "unalias" => {
                for word in &command.words[1..] {
                    world.shell().aliases.insert(word.text().to_owned(), vec![None]);
                }
                self.report(world, &command, Some(None))
            }
            "read" | "mapfile" | "readarray" | "getopts" => {
                let ok = super::read::read(name, &mut world, &command, start);
                self.report(world, &command, Some(ok))
            }
            "let" => {
                for word in &command.words[1..] {
                    let text = word.text().to_owned();
                    self.expander(&mut world).arith(&text);
                }
                self.report(world, &command, Some(None))
            }
            "printf" if command.words.get(1).map(Word::text) == Some("-v") => {
                let text =
                    super::format::printf(&command.words[3.min(command.words.len())..]).unwrap_or_else(|| HOLE.to_string());
                if let Some(name) = command.words.get(2).and_then(Word::literal) {
                    world.shell().set(name, Value::Text(text), start);
                }
                self.report(world, &command, Some(Some(true)))
            }
            "pwd" => {
                let text = command.cwd.as_ref().map(|cwd| format!("{cwd}\n"));
                let out = world.out.take();
                let mut worlds = self.report(world, &command, Some(Some(true)));
                for world in &mut worlds {
                    world.out = self.kept(&out);
                    world.print(text.as_deref());
                }
                worlds
            }
            "wait" => self.report(world, &command, Some(None)),
            _ => self.report(world, &command, Some(Some(true))),
        }
    }

    /// `command name ...`, or a question about a name.
    fn command_builtin(&mut self, world: World<M::State>, mut command: Command) -> Worlds<M::State> {
        let mut at = 1;
        while let Some(text) = command.words.get(at).and_then(Word::literal) {
            if text == "--" {
                at += 1;
                break;
            }
            if !text.starts_with('-') {
                break;
            }
            if text.contains(['v', 'V']) {
                return self.report(world, &command, None);
            }
            at += 1;
        }
        command.words.drain(..at.min(command.words.len()));
        if command.words.is_empty() {
            return vec![world.ends(Some(true))];
        }
        self.inside(world, command)
    }

    fn exec(&mut self, world: World<M::State>, mut command: Command) -> Worlds<M::State> {
        let at = super::wrapper::options(&command.words, 1, "a", &[]);
        command.words.drain(..at);
        if command.words.is_empty() {
            if command.redirects.is_empty() {
                return vec![world.ends(Some(true))];
            }
            command.words.push(Word::Literal(":".to_owned()));
            return self.report(world, &command, Some(Some(true)));
        }
        command.via.push("exec".to_owned());
        // If the program cannot be run, a shell goes on in some cases.
        let failed = self.fork(&world).ends(Some(false));
        let mut worlds = self.inside(world, command);
        for world in &mut worlds {
            world.flow = Flow::Exit;
        }
        if failed.shell.errexit { worlds } else { worlds.into_iter().chain([failed]).collect() }
    }

    fn source(&mut self, mut world: World<M::State>, command: Command) -> Worlds<M::State> {
        let path = match command.words.get(1) {
            Some(word) if word.literal() == Some("--") => command.words.get(2),
            word => word,
        };
        let Some(text) = path.cloned().and_then(|path| self.file_text(&world, &command, &path)) else {
            return self.report(world, &command, None);
        };
        let name = path.map_or("", Word::text).rsplit('/').next().unwrap_or("").to_owned();
        let frame = Frame::inside(&command, &name);
        let outer = world.shell.positional.clone();
        let args: Vec<String> = command.words.iter().skip(2).map(|word| word.text().to_owned()).collect();
        let changed = !args.is_empty();
        if changed {
            world.shell().positional = args;
        }
        let mut worlds = self.text(&text, vec![world.ends(Some(true))], &frame);
        for world in &mut worlds {
            if world.flow == Flow::Return {
                world.flow = Flow::Go;
            }
            if changed {
                world.shell().positional.clone_from(&outer);
            }
        }
        worlds
    }
}

/// The text of an EXIT trap. One set in a function of a pipeline may run with the function's own arguments, else with
/// those of the shell: it is read with both.
fn lasting(text: &str, shell: &Shell) -> String {
    if shell.locals.is_empty() || shell.positional.is_empty() || !text.contains('$') {
        return text.to_owned();
    }
    let quoted = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
    let args: Vec<String> = shell.positional.iter().map(quoted).collect();
    format!("{text}\n(set -- {}\n{text}\n)", args.join(" "))
}
