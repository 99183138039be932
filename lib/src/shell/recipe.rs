//! Recipes of `make`, `npm`, `just`: the shell lines that a target runs.

use super::command::{HOLE, Word};
use super::pattern::has;
use super::wrapper::options;

/// What of a recipe file is asked for.
#[derive(Debug)]
pub(super) struct Request {
    kind: Kind,
    /// What to call it in `via`.
    pub name: String,
    /// `-C DIR`
    pub directory: Option<Word>,
    file: Option<String>,
    targets: Vec<String>,
    /// `NAME=value` on the command line.
    variables: Vec<(String, String)>,
    /// Words behind an npm script's name.
    args: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Just,
    Make,
    Package,
}

/// Lines taken of one file.
const LINES: usize = 200;
/// Depth of prerequisites and variables.
const DEEPEST: u32 = 16;

/// What the command asks for; `None` if it runs no recipe.
pub(super) fn request(program: &str, words: &[Word]) -> Option<Request> {
    match program {
        "make" | "gmake" => (!shows_only(words)).then(|| make(words)),
        "just" => {
            let mut request = operands(Kind::Just, words, "fd", &["justfile", "working-directory", "set", "shell"]);
            request.targets.truncate(1);
            Some(request)
        }
        _ => package(program, words),
    }
}

fn operands(kind: Kind, words: &[Word], short: &str, long: &[&str]) -> Request {
    let mut request = Request {
        kind,
        name: words[0].text().rsplit('/').next().unwrap_or("").to_owned(),
        directory: None,
        file: None,
        targets: Vec::new(),
        variables: Vec::new(),
        args: String::new(),
    };
    let mut at = 1;
    while at < words.len() {
        let text = words[at].text();
        let next = options(words, at, short, long);
        if next > at {
            // The options up to the next operand.
            for index in at..next {
                let value = || words.get(index + 1).cloned();
                match words[index].text() {
                    "-C" | "--directory" | "-d" | "--working-directory" => request.directory = value(),
                    "-f" | "--file" | "--makefile" | "--justfile" => request.file = value().map(|word| word.text().to_owned()),
                    _ => {}
                }
            }
            at = next;
            continue;
        }
        match text.split_once('=') {
            Some((name, value)) => request.variables.push((name.to_owned(), value.to_owned())),
            None => request.targets.push(text.to_owned()),
        }
        at += 1;
    }
    request
}

/// Whether make only shows or asks (`-n`, `-q`, `-t`).
fn shows_only(words: &[Word]) -> bool {
    let long = ["--just-print", "--dry-run", "--recon", "--question", "--touch"];
    words[1..].iter().map(Word::text).any(|text| {
        let cluster = text.starts_with('-') && !text.starts_with("--") && !has(text, b"CfIjoW");
        long.contains(&text) || (cluster && has(text, b"nqt"))
    })
}

fn make(words: &[Word]) -> Request {
    operands(Kind::Make, words, "CfIoWE", &["directory", "file", "makefile", "include-dir", "old-file", "what-if", "eval"])
}

fn package(program: &str, words: &[Word]) -> Option<Request> {
    let at = options(words, 1, "Cw", &["prefix", "cwd", "dir", "workspace", "filter"]);
    let verb = words.get(at)?.literal()?;
    let (script, rest) = match verb {
        "run" | "run-script" | "rum" | "urn" => (words.get(options(words, at + 1, "w", &["workspace"]))?.literal()?, at + 2),
        "test" | "t" | "tst" => ("test", at + 1),
        "start" | "stop" | "restart" => (verb, at + 1),
        "install" | "ci" | "i" | "add" | "remove" | "publish" | "pack" | "exec" | "dlx" | "x" => {
            return None;
        }
        // Only yarn, pnpm and bun run a script by its bare name.
        _ if program != "npm" => (verb, at + 1),
        _ => return None,
    };
    let args: Vec<&str> = words.get(rest..).unwrap_or_default().iter().map(Word::text).filter(|text| *text != "--").collect();
    let directory = words[1..at]
        .windows(2)
        .find(|pair| matches!(pair[0].text(), "--prefix" | "--cwd" | "-C" | "--dir"))
        .map(|pair| pair[1].clone());
    Some(Request {
        kind: Kind::Package,
        name: format!("{program} run {script}"),
        directory,
        file: None,
        targets: vec![script.to_owned()],
        variables: Vec::new(),
        args: args.join(" "),
    })
}

impl Request {
    /// Names of the file that may hold the recipe, the first that exists counts.
    pub fn files(&self) -> Vec<&str> {
        if let Some(file) = &self.file {
            return vec![file];
        }
        match self.kind {
            Kind::Just => vec!["justfile", "Justfile", ".justfile"],
            Kind::Make => vec!["GNUmakefile", "makefile", "Makefile"],
            Kind::Package => vec!["package.json"],
        }
    }
}

/// The shell lines that the request runs, in order.
pub(super) fn lines(request: &Request, text: &str) -> Vec<String> {
    match request.kind {
        Kind::Package => scripts(request, text),
        kind => {
            let book = Book::read(text, kind);
            let mut out = Vec::new();
            let mut seen = Vec::new();
            let targets = if request.targets.is_empty() { book.first.iter().cloned().collect() } else { request.targets.clone() };
            for target in targets {
                book.target(&target, request, 0, &mut seen, &mut out);
            }
            out
        }
    }
}

fn scripts(request: &Request, text: &str) -> Vec<String> {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else {
        return Vec::new();
    };
    let Some(script) = request.targets.first() else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for name in [format!("pre{script}"), script.clone(), format!("post{script}")] {
        if let Some(line) = json.get("scripts").and_then(|scripts| scripts.get(&name)).and_then(serde_json::Value::as_str) {
            let args = if name == *script && !request.args.is_empty() { format!(" {}", request.args) } else { String::new() };
            out.push(format!("{line}{args}"));
        }
    }
    out
}

/// A Makefile or justfile.
struct Book {
    kind: Kind,
    first: Option<String>,
    variables: Vec<(String, String)>,
    rules: Vec<Rule>,
}

struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
    lines: Vec<String>,
}

impl Book {
    fn read(text: &str, kind: Kind) -> Self {
        let mut book = Self { kind, first: None, variables: Vec::new(), rules: Vec::new() };
        let joined = text.replace("\\\n", " ");
        let mut in_rule = false;
        for line in joined.lines().take(20_000) {
            let indented = line.starts_with('\t') || (kind == Kind::Just && line.starts_with(' '));
            if indented && in_rule {
                if let Some(rule) = book.rules.last_mut() {
                    rule.lines.push(line.trim().to_owned());
                }
                continue;
            }
            let line = line.split(" #").next().unwrap_or("").trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let assign = [":::=", "::=", ":=", "?=", "+=", "!=", "="]
                .iter()
                .find_map(|sign| line.split_once(sign))
                .filter(|(name, _)| !name.trim().is_empty() && !name.contains(':') && !name.trim().contains(' '));
            if let Some((name, value)) = assign {
                in_rule = false;
                book.variables.push((name.trim().to_owned(), value.trim().trim_matches(['\'', '"']).to_owned()));
            } else if let Some((targets, needs)) = line.split_once(':') {
                in_rule = true;
                let (needs, inline) = needs.split_once(';').map_or((needs, None), |(needs, line)| (needs, Some(line)));
                let all: Vec<String> = targets.split_whitespace().map(|name| name.trim_start_matches('@').to_owned()).collect();
                let names = if kind == Kind::Just { all.into_iter().take(1).collect() } else { all };
                if book.first.is_none()
                    && let Some(first) = names.first()
                    && !first.starts_with('.')
                {
                    book.first = Some(first.clone());
                }
                book.rules.push(Rule {
                    targets: names,
                    needs: needs
                        .trim_start_matches(':')
                        .split_whitespace()
                        .filter(|name| *name != "|")
                        .map(str::to_owned)
                        .collect(),
                    lines: inline.map(|line| line.trim().to_owned()).into_iter().collect(),
                });
            }
        }
        book
    }

    fn target(&self, name: &str, request: &Request, depth: u32, seen: &mut Vec<String>, out: &mut Vec<String>) {
        if depth > DEEPEST || out.len() > LINES || seen.iter().any(|known| known == name) || seen.len() > LINES {
            return;
        }
        seen.push(name.to_owned());
        for rule in self.rules.iter().filter(|rule| rule.targets.iter().any(|target| target == name)) {
            for need in &rule.needs {
                let need = self.fill(need, request, name, 0);
                self.target(&need, request, depth + 1, seen, out);
            }
            for line in &rule.lines {
                let line = line.trim_start_matches(['@', '-', '+', ' ']);
                let line = self.fill(line, request, name, 0);
                if !line.is_empty() {
                    out.push(line);
                }
            }
        }
    }

    /// Variables put in; what is not known becomes a hole.
    fn fill(&self, text: &str, request: &Request, target: &str, depth: u32) -> String {
        let mut out = String::new();
        let mut rest = text;
        let (open, close) = if self.kind == Kind::Just { ("{{", "}}") } else { ("$", "") };
        while let Some(at) = rest.find(open) {
            out.push_str(&rest[..at]);
            rest = &rest[at + open.len()..];
            if self.kind == Kind::Just {
                let end = rest.find(close).unwrap_or(rest.len());
                out.push_str(&self.variable(rest[..end].trim(), request, target, depth));
                rest = rest.get(end + 2..).unwrap_or("");
                continue;
            }
            let Some(next) = rest.chars().next() else {
                break;
            };
            rest = &rest[next.len_utf8()..];
            match next {
                '$' => out.push('$'),
                '(' | '{' => {
                    let end = rest.find(if next == '(' { ')' } else { '}' }).unwrap_or(rest.len());
                    let name = &rest[..end];
                    out.push_str(&self.variable(name, request, target, depth));
                    rest = rest.get(end + 1..).unwrap_or("");
                }
                '@' => out.push_str(target),
                name => out.push_str(&self.variable(&name.to_string(), request, target, depth)),
            }
            if out.len() > 1 << 16 {
                return HOLE.to_string();
            }
        }
        out.push_str(rest);
        out
    }

    fn variable(&self, name: &str, request: &Request, target: &str, depth: u32) -> String {
        if depth > DEEPEST {
            return HOLE.to_string();
        }
        if name == "MAKE" {
            return "make".to_owned();
        }
        let own = request.variables.iter().rev().find(|(known, _)| known == name);
        match own.or_else(|| self.variables.iter().rev().find(|(known, _)| known == name)) {
            Some((_, value)) if value.len() < 4096 => self.fill(value, request, target, depth + 4),
            Some(_) => HOLE.to_string(),
            // Unset in the file: the environment may have it.
            None if name.bytes().all(super::parse::name_byte) => HOLE.to_string(),
            None => HOLE.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str, text: &str) -> Vec<String> {
        let words: Vec<Word> = line.split(' ').map(|text| Word::Literal(text.to_owned())).collect();
        let request = request(words[0].text(), &words);
        request.map(|request| lines(&request, text)).unwrap_or_default()
    }

    #[test]
    fn make_targets_give_their_lines() {
        let text = "GIT = git\n.PHONY: clean\nall: build\n\t@echo all\nbuild:\n\tcc x\nclean: build\n\t-$(GIT) reset \\\n\t  --hard\n\trm -rf $(OUT)\n";
        assert_eq!(run("make", text), ["cc x", "echo all"]);
        assert_eq!(run("make clean OUT=x", text), ["cc x", "git reset  \t  --hard", "rm -rf x"]);
        assert_eq!(run("make -C d clean", text).len(), 3);
        assert_eq!(run("make nothing", text), [""; 0]);
    }

    #[test]
    fn make_variables_in_circles_end() {
        let text = "A = $(B)$(B)\nB = $(A)$(A)\nall:\n\techo $(A)\n";
        assert!(run("make", text)[0].len() < 1 << 17);
    }

    #[test]
    fn npm_scripts_give_their_lines() {
        let text = r#"{"scripts":{"preclean":"echo pre","clean":"git clean -fd","test":"t"}}"#;
        assert_eq!(run("npm run clean -- -x", text), ["echo pre", "git clean -fd -x"]);
        assert_eq!(run("yarn clean", text), ["echo pre", "git clean -fd"]);
        assert_eq!(run("npm test", text), ["t"]);
        assert_eq!(run("npm install", text), [""; 0]);
    }

    #[test]
    fn just_recipes_give_their_lines() {
        let text = "x := 'hard'\nreset: prep\n    git reset --{{x}}\nprep:\n    echo p\n";
        assert_eq!(run("just reset", text), ["echo p", "git reset --hard"]);
    }
}
