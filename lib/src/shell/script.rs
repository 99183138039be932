//! What a program text of another language would do to files and which commands it would run.

use super::command::{HOLE, Redirect, RedirectKind, Word};
use super::flow::unknown_or;
use super::source::{Token, tokens};

/// A language whose texts are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Awk,
    Node,
    Perl,
    Php,
    Python,
    Ruby,
    Sed,
}

impl Language {
    pub fn name(self) -> &'static str {
        match self {
            Self::Awk => "awk",
            Self::Node => "node",
            Self::Perl => "perl",
            Self::Php => "php",
            Self::Python => "python",
            Self::Ruby => "ruby",
            Self::Sed => "sed",
        }
    }
}

/// One thing a program text does.
#[derive(Clone, Debug)]
pub(super) enum Operation {
    /// Runs a shell text.
    Shell(String),
    /// Runs a program, or does what this program would.
    Words(Vec<Word>),
    /// Opens a file for writing.
    Write(Redirect),
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    List(Vec<String>),
    Other,
}

/// Operations listed of one text.
const MOST: usize = 200;
/// Tokens of one argument list that are looked at.
const ARGUMENTS: usize = 400;

/// The operations in a text, in its order.
pub(super) fn operations(language: Language, text: &str) -> Vec<Operation> {
    if language == Language::Sed {
        return super::sed::sed(text);
    }
    let mut reader = Reader { tokens: tokens(language, text), known: Vec::new(), out: Vec::new(), reads: Vec::new(), language };
    reader.all();
    // What is read and written again by its name is edited.
    for operation in &mut reader.out {
        if let Operation::Write(redirect) = operation
            && redirect.kind == RedirectKind::Write
            && redirect.target.literal().is_some_and(|path| reader.reads.iter().any(|read| read == path))
        {
            redirect.kind = RedirectKind::ReadWrite;
        }
    }
    reader.out
}

pub(super) struct Reader {
    pub tokens: Vec<Token>,
    /// Variables that were given a text or list.
    known: Vec<(String, Value)>,
    pub out: Vec<Operation>,
    /// Files that are opened for reading.
    pub reads: Vec<String>,
    pub language: Language,
}

impl Reader {
    pub(super) fn mark(&self, at: usize, mark: char) -> bool {
        self.tokens.get(at) == Some(&Token::Mark(mark))
    }

    pub(super) fn name(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn all(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() && self.out.len() < MOST {
            match &self.tokens[at] {
                Token::Shell(text) => {
                    let text = text.clone();
                    self.out.push(Operation::Shell(text));
                }
                Token::Name(name) => {
                    let name = name.clone();
                    if self.mark(at + 1, '=') && !self.mark(at + 2, '=') {
                        let (value, _) = self.value(at + 2, 0);
                        if !matches!(value, Value::Other) && self.known.len() < 256 {
                            self.known.push((name, value));
                        }
                    } else if self.mark(at + 1, '(') {
                        let (args, end) = self.arguments(at + 2);
                        self.call(&name, at, &args, end);
                    } else if matches!(self.tokens.get(at + 1), Some(Token::Text(_) | Token::Mark('[' | '$')))
                        && !matches!(self.language, Language::Python | Language::Node)
                    {
                        // Perl and Ruby call without parentheses.
                        let (args, end) = self.arguments(at + 1);
                        self.call(&name, at, &args, end);
                    }
                }
                Token::Mark('|') if self.language == Language::Awk => {
                    if let Some(Token::Text(text)) = self.tokens.get(at + 1) {
                        let text = text.clone();
                        self.out.push(Operation::Shell(text));
                    }
                }
                Token::Mark('>') if self.language == Language::Awk => {
                    let append = self.mark(at + 1, '>');
                    let next = at + 1 + usize::from(append);
                    // Behind print: a file. In a condition `$3 > 5` there is a number.
                    if let Some(Token::Text(text)) = self.tokens.get(next) {
                        let text = text.clone();
                        self.write(&text, append);
                    }
                }
                Token::Text(text)
                    if self.language == Language::Awk && self.mark(at + 1, '|') && self.name(at + 2) == Some("getline") =>
                {
                    let text = text.clone();
                    self.out.push(Operation::Shell(text));
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Arguments from here to the closing parenthesis, or the end of the statement; where they end.
    pub(super) fn arguments(&self, from: usize) -> (Vec<Value>, usize) {
        let mut out = Vec::new();
        let mut at = from;
        let last = (from + ARGUMENTS).min(self.tokens.len());
        while at < last {
            match &self.tokens[at] {
                Token::Mark(')') => return (out, at),
                Token::Mark(';' | '\n') if !matches!(self.language, Language::Python | Language::Node) => {
                    return (out, at);
                }
                Token::Mark(',' | '\n') => at += 1,
                _ => {
                    // name=value, name: value
                    if self.name(at).is_some() && (self.mark(at + 1, '=') || self.mark(at + 1, ':')) && !self.mark(at + 2, ':') {
                        at += 2;
                        let (_, end) = self.value(at, 0);
                        at = end.max(at);
                        continue;
                    }
                    let (value, end) = self.value(at, 0);
                    out.push(value);
                    at = end.max(at + 1);
                }
            }
        }
        (out, at)
    }

    /// An expression as far as it is a text or a list of texts; where it ends.
    fn value(&self, from: usize, depth: u32) -> (Value, usize) {
        let mut text: Option<String> = None;
        let mut list: Option<Vec<String>> = None;
        let mut at = from;
        let mut open = 0usize;
        let mut unknown = false;
        let last = (from + ARGUMENTS).min(self.tokens.len());
        while at < last {
            match &self.tokens[at] {
                Token::Text(part) if open == 0 => {
                    text.get_or_insert_default().push_str(part);
                    at += 1;
                }
                Token::Mark('[') if open == 0 && text.is_none() && list.is_none() && depth == 0 => {
                    let mut elements = Vec::new();
                    at += 1;
                    while at < last && !self.mark(at, ']') {
                        if self.mark(at, ',') || self.mark(at, '\n') {
                            at += 1;
                            continue;
                        }
                        let (value, end) = self.value(at, depth + 1);
                        elements.push(match value {
                            Value::Text(text) => text,
                            _ => HOLE.to_string(),
                        });
                        at = end.max(at + 1);
                    }
                    at += 1;
                    list = Some(elements);
                }
                Token::Mark('(' | '[' | '{') => {
                    open += 1;
                    at += 1;
                }
                Token::Mark(')' | ']' | '}') if open == 0 => break,
                Token::Mark(')' | ']' | '}') => {
                    open -= 1;
                    at += 1;
                }
                Token::Mark(',' | ';' | '\n') if open == 0 => break,
                Token::Mark('+' | '.' | '$') => at += 1,
                Token::Name(name) if open == 0 => {
                    let known = self.known.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
                    let call = self.mark(at + 1, '(');
                    match known {
                        Some(Value::Text(part)) if !call && !self.mark(at + 1, '.') => {
                            text.get_or_insert_default().push_str(&part)
                        }
                        Some(Value::List(known)) if !call => list = Some(known),
                        _ if call && name == "Path" => {
                            // Path('x') stands for its text.
                            if let Some(Token::Text(part)) = self.tokens.get(at + 2) {
                                text.get_or_insert_default().push_str(part);
                            }
                        }
                        _ if call
                            && name == "join"
                            && matches!(self.language, Language::Python | Language::Node | Language::Ruby) =>
                        {
                            let (args, end) = self.join_arguments(at + 2, depth);
                            text = Some(args);
                            at = end;
                        }
                        _ if call && matches!(name.as_str(), "split" | "str" | "String" | "new") => {}
                        _ => {
                            unknown = true;
                            if text.is_some() || !self.mark(at + 1, '.') {
                                text.get_or_insert_default().push(HOLE);
                            }
                        }
                    }
                    at += 1;
                }
                _ => {
                    unknown |= open == 0;
                    at += 1;
                }
            }
        }
        let value = match (text, list) {
            (_, Some(list)) => Value::List(list),
            (Some(text), None) => Value::Text(text),
            (None, None) => Value::Other,
        };
        let _ = unknown;
        (value, at)
    }

    /// `join(a, b)`: a path.
    fn join_arguments(&self, from: usize, depth: u32) -> (String, usize) {
        let mut parts = Vec::new();
        let mut at = from;
        if depth < 4 {
            while at < self.tokens.len() && at < from + ARGUMENTS && !self.mark(at, ')') {
                if self.mark(at, ',') {
                    at += 1;
                    continue;
                }
                let (value, end) = self.value(at, depth + 1);
                parts.push(match value {
                    Value::Text(text) => text,
                    _ => HOLE.to_string(),
                });
                at = end.max(at + 1);
            }
        }
        (parts.join("/"), at)
    }

    pub(super) fn write(&mut self, path: &str, append: bool) {
        let kind = if append { RedirectKind::Append } else { RedirectKind::Write };
        let target = unknown_or(path);
        self.out.push(Operation::Write(Redirect { fd: 1, kind, target }));
    }

    pub(super) fn words(&mut self, front: &[&str], rest: &[String]) {
        let words =
            front.iter().map(|text| Word::Literal((*text).to_owned())).chain(rest.iter().map(|text| unknown_or(text))).collect();
        self.out.push(Operation::Words(words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: Language, text: &str) -> Vec<String> {
        operations(language, text)
            .iter()
            .map(|operation| match operation {
                Operation::Shell(text) => format!("$ {text}"),
                Operation::Words(words) => words.iter().map(Word::text).collect::<Vec<_>>().join(" "),
                Operation::Write(redirect) => {
                    format!("{:?} {}", redirect.kind, redirect.target.text())
                }
            })
            .collect()
    }

    #[test]
    fn operations_are_found() {
        use Language::{Awk, Node, Perl, Python, Ruby, Sed};
        for (language, text, want) in [
            (Python, "import subprocess; subprocess.run(['git','reset','--hard'], check=True)", &["git reset --hard"][..]),
            (Python, "import os; os.system('git reset --hard')", &["$ git reset --hard"]),
            (Python, "import os\nos.remove('a.txt')\nos.rename('a', 'b')", &["rm -rf a.txt", "mv -f a b"]),
            (Python, "p='.git'\nshutil.rmtree(p)", &["rm -rf .git"]),
            (Python, "shutil.rmtree(os.path.join('a', \"b\"))", &["rm -rf a/b"]),
            (Python, "from pathlib import Path; Path('x').unlink(); Path('y').write_text('z')", &["rm -f x", "Write y"]),
            (Python, "with open('f', 'w') as f: f.write('x')", &["Write f"]),
            (Python, "print('git reset --hard')  # os.system('rm x')", &[]),
            (Python, "subprocess.run(f'git reset {x}', shell=True)", &["$ git reset \0"]),
            (Python, "'a'.replace('b','c')", &[]),
            (Node, "require('fs').rmSync('.git',{recursive:true})", &["rm -rf .git"]),
            (Node, "require('child_process').execSync('git reset --hard')", &["$ git reset --hard"]),
            (Node, "spawnSync('git', ['reset', '--hard'])", &["git reset --hard"]),
            (Node, "fs.writeFileSync(\"a\", 'x')", &["Write a"]),
            (Node, "fs.writeFileSync('a', fs.readFileSync('a', 'utf8').trim())", &["ReadWrite a"]),
            (Python, "f='a'\nd=json.load(open(f))\njson.dump(d, open(f, 'w'))", &["ReadWrite a"]),
            (
                Python,
                "p=Path('a').read_text(); Path('a').write_text(p); open('b').read(); open('c','w')",
                &["ReadWrite a", "Write c"],
            ),
            (Perl, "system(\"git reset --hard\")", &["$ git reset --hard"]),
            (Perl, "system 'git', 'reset', '--hard';", &["git reset --hard"]),
            (Perl, "unlink 'a'; open(F, '>', 'b'); my $x = `git log`;", &["rm -f a", "Write b", "$ git log"]),
            (Perl, "s/beta/B/", &[]),
            (Ruby, "FileUtils.rm_rf('x'); File.delete(\"y\"); %x(git log)", &["rm -rf x", "rm -f y", "$ git log"]),
            (Awk, "BEGIN{system(\"git reset --hard\")}", &["$ git reset --hard"]),
            (Awk, "$3 > 5", &[]),
            (Awk, "{print > \"out\"}", &["Write out"]),
            (Sed, "1e git reset --hard", &["$ git reset --hard"]),
            (Sed, "s/a/b/w out", &["Write out"]),
            (Sed, "s/a/b/;s/c/d/e", &["$ \0"]),
            (Sed, "s/the/there/g", &[]),
            (Sed, "/x/d", &[]),
        ] {
            assert_eq!(found(language, text), want, "{text}");
        }
    }
}
