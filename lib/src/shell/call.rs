//! Calls in a program text: by the name of what is called, what it does.

use super::command::HOLE;
use super::script::{Language, Operation, Reader, Value};

impl Reader {
    /// One call: `name` is the last name of what is called.
    pub(super) fn call(&mut self, name: &str, at: usize, args: &[Value], end: usize) {
        let object = if at >= 2 && self.mark(at - 1, '.') { self.name(at - 2).map(str::to_owned) } else { None };
        let method = at >= 1 && self.mark(at - 1, '.');
        let text = |index: usize| match args.get(index) {
            Some(Value::Text(text)) => Some(text.clone()),
            Some(_) => Some(HOLE.to_string()),
            None => None,
        };
        let lists = || -> Vec<String> {
            args.iter()
                .flat_map(|value| match value {
                    Value::Text(text) => vec![text.clone()],
                    Value::List(list) => list.clone(),
                    Value::Other => Vec::new(),
                })
                .collect()
        };
        let object = object.as_deref().unwrap_or("");
        match name {
            "system"
            | "popen"
            | "getoutput"
            | "getstatusoutput"
            | "shell_exec"
            | "passthru"
            | "readpipe"
            | "create_subprocess_shell" => self.run(args, false),
            "exec"
            | "execSync"
            | "spawn"
            | "spawnSync"
            | "execFile"
            | "execFileSync"
            | "capture2"
            | "capture2e"
            | "capture3"
            | "execa"
            | "execaSync"
            | "create_subprocess_exec"
            | "proc_open"
            | "posix_spawn" => {
                self.run(args, matches!(name, "spawn" | "spawnSync" | "execFile" | "execFileSync"));
            }
            "run" | "call" | "check_call" | "check_output" | "Popen"
                if self.language == Language::Python && (object == "subprocess" || !method || object == "sp") =>
            {
                self.run(args, false)
            }
            "execv" | "execvp" | "execve" | "execvpe" | "spawnv" | "spawnvp" => {
                if let Some(Value::List(list)) = args.iter().find(|value| matches!(value, Value::List(_))) {
                    self.words(&[], &list.clone());
                }
            }
            "execl" | "execlp" | "execle" => {
                let list = lists();
                self.words(&[], list.get(1..).unwrap_or_default());
            }
            "rmtree" | "rm_rf" | "rm_r" | "remove_tree" | "rmSync" | "rimraf" | "rimrafSync" | "removeSync" | "emptyDirSync"
            | "remove_dir" | "remove_entry" | "rm" | "removedirs" => self.words(&["rm", "-rf"], &lists()),
            "rmdir" | "rmdirSync" => self.words(&["rmdir"], &lists()),
            "remove" if matches!(object, "os" | "fs" | "fse" | "Deno" | "FileUtils") => self.words(&["rm", "-rf"], &lists()),
            "unlink" | "unlinkSync" | "delete" | "rm_f" if !args.is_empty() && (name != "delete" || object == "File") => {
                self.words(&["rm", "-f"], &lists())
            }
            "rename" | "renameSync" | "renames" | "replace" | "move" | "moveSync" | "mv"
                if args.len() >= 2 && (name != "replace" || object == "os") =>
            {
                self.words(&["mv", "-f"], &lists()[..2.min(lists().len())])
            }
            "copyfile" | "copy" | "copy2" | "copyFile" | "copyFileSync" | "copySync" | "cp" | "cpSync" | "cp_r" | "copytree"
                if args.len() >= 2 =>
            {
                self.words(&["cp", "-rf"], &lists()[..2.min(lists().len())]);
            }
            "writeFile" | "writeFileSync" | "outputFile" | "outputFileSync" | "createWriteStream" | "file_put_contents"
            | "writeTextFile" | "writeTextFileSync" => {
                if let Some(path) = text(0) {
                    self.write(&path, false);
                }
            }
            "write" if matches!(object, "File" | "IO" | "Bun") => {
                if let Some(path) = text(0) {
                    self.write(&path, false);
                }
            }
            "appendFile" | "appendFileSync" => {
                if let Some(path) = text(0) {
                    self.write(&path, true);
                }
            }
            "truncate" | "truncateSync" => {
                if let Some(path) = text(0) {
                    self.words(&["truncate", "-s", "0"], &[path]);
                }
            }
            "open" | "openSync" | "fopen" | "new" if matches!(name, "open" | "openSync" | "fopen") || object == "File" => {
                self.open(args)
            }
            "readFile" | "readFileSync" | "readTextFile" | "readTextFileSync" | "file_get_contents" => self.reads.extend(text(0)),
            "read" if matches!(object, "File" | "IO") => self.reads.extend(text(0)),
            "Path" | "PosixPath" => self.path(args, end),
            _ => {}
        }
    }

    /// A program or shell text that is run; `program`: the first argument is a program's name alone.
    fn run(&mut self, args: &[Value], program: bool) {
        match args {
            [Value::List(list), ..] if !list.is_empty() => self.words(&[], &list.clone()),
            [Value::Text(name), Value::List(list), ..] => {
                let mut all = vec![name.clone()];
                all.extend(list.iter().cloned());
                self.words(&[], &all);
            }
            [Value::Text(name), rest @ ..]
                if rest.iter().any(|value| matches!(value, Value::Text(_)))
                    && !matches!(self.language, Language::Node | Language::Php) =>
            {
                let mut all = vec![name.clone()];
                all.extend(rest.iter().filter_map(|value| match value {
                    Value::Text(text) => Some(text.clone()),
                    _ => None,
                }));
                self.words(&[], &all);
            }
            [Value::Text(text), ..] if program && !text.contains(' ') => self.words(&[], std::slice::from_ref(text)),
            [Value::Text(text), ..] => self.out.push(Operation::Shell(text.clone())),
            _ => {}
        }
    }

    fn open(&mut self, args: &[Value]) {
        let texts: Vec<&str> = args
            .iter()
            .filter_map(|value| match value {
                Value::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let (path, mode) = match (self.language, texts.as_slice()) {
            // open(F, '>', name), open(F, '>name')
            (Language::Perl, [.., mode, path]) if mode.starts_with(['>', '+']) => (*path, mode.trim_start_matches('+')),
            (Language::Perl, [.., both]) if both.starts_with('>') => (both.trim_start_matches(['>', ' ']), *both),
            (Language::Perl, _) => return,
            (_, [path, mode, ..]) => (*path, *mode),
            (_, [path]) => (*path, "r"),
            _ => return,
        };
        if mode.starts_with(['w', 'x']) || (mode.starts_with('>') && !mode.starts_with(">>")) {
            let path = path.to_owned();
            self.write(&path, false);
        } else if mode.starts_with('a') || mode.starts_with(">>") {
            let path = path.to_owned();
            self.write(&path, true);
        } else if mode.starts_with('r') {
            self.reads.push(path.to_owned());
        }
    }

    /// `Path('x').unlink()` and its like: `end` is at the parenthesis behind the path.
    fn path(&mut self, args: &[Value], end: usize) {
        let Some(Value::Text(path)) = args.first().cloned() else {
            return;
        };
        if !self.mark(end, ')') || !self.mark(end + 1, '.') || !self.mark(end + 3, '(') {
            return;
        }
        let Some(method) = self.name(end + 2).map(str::to_owned) else {
            return;
        };
        let (args, _) = self.arguments(end + 4);
        match method.as_str() {
            "unlink" => self.words(&["rm", "-f"], &[path]),
            "rmdir" => self.words(&["rmdir"], &[path]),
            "read_text" | "read_bytes" => self.reads.push(path),
            "write_text" | "write_bytes" => self.write(&path, false),
            "open" => {
                let mut all = vec![Value::Text(path)];
                all.extend(args);
                self.open(&all);
            }
            "rename" | "replace" => {
                if let Some(Value::Text(to)) = args.first() {
                    self.words(&["mv", "-f"], &[path, to.clone()]);
                }
            }
            _ => {}
        }
    }
}
