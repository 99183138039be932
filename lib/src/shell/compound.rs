//! Reads compound commands: loops, conditions, groups, functions.

use super::parse::Parser;
use super::tree::{Arm, Kind, List, Next, Node, Simple, WordTree};
use super::word::Inside;
use std::rc::Rc;

impl Default for Node {
    fn default() -> Self {
        Self { kind: Kind::Simple(Simple::default()), redirects: Vec::new(), span: (0, 0) }
    }
}

impl Parser<'_> {
    /// One command.
    pub(super) fn node(&mut self) -> Node {
        self.blanks();
        self.count();
        let from = self.pos;
        let Some(byte) = self.peek() else {
            return Node::default();
        };
        let kind = match byte {
            b'(' if self.at(1) == Some(b'(') => match self.arith_end(self.pos + 2) {
                Some(end) => {
                    self.pos += 2;
                    let before = self.runs;
                    let parts = self.within(end);
                    self.pos = (end + 2).min(self.end);
                    Some(Kind::Arith(WordTree { parts, runs: self.runs != before }))
                }
                None => Some(self.subshell()),
            },
            b'(' => Some(self.subshell()),
            b'{' | b'c' | b'f' | b'i' | b's' | b'u' | b'w' | b'[' => self.compound(),
            _ => None,
        };
        let Some(kind) = kind else {
            return self.simple();
        };
        if matches!(kind, Kind::Function { .. }) {
            return Node { kind, redirects: Vec::new(), span: self.span(from) };
        }
        let redirects = self.redirects();
        Node { kind, redirects, span: self.span(from) }
    }

    fn subshell(&mut self) -> Kind {
        self.pos += 1;
        Kind::Subshell(self.nested(|parser| parser.list_until(b')')))
    }

    fn compound(&mut self) -> Option<Kind> {
        let word = self.reserved()?;
        let from = self.pos;
        let read: fn(&mut Self) -> Option<Kind> = match word {
            "{" => |parser| {
                let list = parser.list_until(b'}');
                Some(Kind::Group(list))
            },
            "[[" => |parser| Some(parser.test()),
            "case" => |parser| Some(parser.case()),
            "coproc" => |parser| Some(parser.coproc()),
            "for" => |parser| Some(parser.each(false)),
            "function" => |parser| Some(parser.function_keyword()),
            "if" => |parser| Some(parser.condition()),
            "select" => |parser| Some(parser.each(true)),
            "until" => |parser| Some(parser.repeat(true)),
            "while" => |parser| Some(parser.repeat(false)),
            _ => return None,
        };
        self.pos += word.len();
        match self.nested(read) {
            Some(kind) => Some(kind),
            None => {
                self.pos = from + word.len();
                Some(Kind::Group(List::default()))
            }
        }
    }

    /// Eats a reserved word, or notes that it is missing.
    fn expect(&mut self, word: &str) -> bool {
        self.lines();
        let found = self.reserved() == Some(word);
        if found {
            self.pos += word.len();
        } else {
            self.note("syntax", self.pos);
        }
        found
    }

    fn condition(&mut self) -> Kind {
        let cond = self.list();
        self.expect("then");
        let mut arms = vec![(cond, self.list())];
        let mut other = None;
        loop {
            match self.reserved() {
                Some("elif") => {
                    self.pos += 4;
                    let cond = self.list();
                    self.expect("then");
                    arms.push((cond, self.list()));
                }
                Some("else") => {
                    self.pos += 4;
                    other = Some(self.list());
                }
                _ => break,
            }
        }
        self.expect("fi");
        Kind::If { arms, other }
    }

    fn repeat(&mut self, until: bool) -> Kind {
        let cond = self.list();
        let body = self.body();
        Kind::Loop { until, cond, body }
    }

    /// `do .. done` or `{ .. }`.
    fn body(&mut self) -> List {
        self.lines();
        if self.peek() == Some(b'{') {
            self.pos += 1;
            return self.list_until(b'}');
        }
        self.expect("do");
        let list = self.list();
        self.expect("done");
        list
    }

    fn each(&mut self, select: bool) -> Kind {
        self.blanks();
        if self.peek() == Some(b'(')
            && self.at(1) == Some(b'(')
            && let Some(end) = self.arith_end(self.pos + 2)
        {
            self.pos += 2;
            let before = self.runs;
            let parts = self.within(end);
            self.pos = (end + 2).min(self.end);
            let header = WordTree { parts, runs: self.runs != before };
            self.separator();
            return Kind::ArithFor { header, body: self.body() };
        }
        let name = self.name();
        self.lines();
        let mut words = None;
        if self.reserved() == Some("in") {
            self.pos += 2;
            let mut list = Vec::new();
            loop {
                self.blanks();
                let from = self.pos;
                let word = self.word(Inside::Word);
                if self.pos == from {
                    break;
                }
                list.push(word);
            }
            words = Some(list);
        }
        self.separator();
        let body = self.body();
        Kind::For { name, words, body, select }
    }

    fn separator(&mut self) {
        self.blanks();
        if self.peek() == Some(b';') {
            self.pos += 1;
        }
        self.lines();
    }

    fn case(&mut self) -> Kind {
        self.blanks();
        let word = self.word(Inside::Word);
        self.expect("in");
        let mut arms = Vec::new();
        loop {
            self.lines();
            if self.peek().is_none() || self.reserved() == Some("esac") {
                break;
            }
            let from = self.pos;
            if self.peek() == Some(b'(') {
                self.pos += 1;
            }
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.word(Inside::Word));
                self.blanks();
                if self.peek() != Some(b'|') {
                    break;
                }
                self.pos += 1;
            }
            self.close(b')', from);
            let body = self.list();
            let next = match (self.peek(), self.at(1), self.at(2)) {
                (Some(b';'), Some(b'&'), _) => Next::Fall,
                (Some(b';'), Some(b';'), Some(b'&')) => Next::Look,
                _ => Next::Leave,
            };
            if self.peek() == Some(b';') {
                self.pos += 2 + usize::from(next == Next::Look);
                self.pos = self.pos.min(self.end);
            } else if self.reserved() != Some("esac") {
                // Not a case arm's end: leave the rest to the list outside.
                arms.push(Arm { patterns, body, next });
                if self.pos == from {
                    self.pos += self.char().map_or(1, char::len_utf8);
                }
                self.note("syntax", from);
                if self.peek() == Some(b')') || self.reserved().is_some() {
                    return Kind::Case { word, arms };
                }
                continue;
            }
            arms.push(Arm { patterns, body, next });
        }
        self.expect("esac");
        Kind::Case { word, arms }
    }

    fn function_keyword(&mut self) -> Kind {
        self.blanks();
        let from = self.pos;
        while self
            .peek()
            .is_some_and(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'(' | b'{' | b';' | b'&' | b'|' | b')' | b'<' | b'>'))
        {
            self.pos += 1;
        }
        let name = self.slice(from, self.pos).to_owned();
        self.blanks();
        if self.peek() == Some(b'(') && self.at(1) == Some(b')') {
            self.pos += 2;
        }
        self.function_body(name, from).kind
    }

    /// The body of a function: any command.
    pub(super) fn function_body(&mut self, name: String, from: usize) -> Node {
        self.lines();
        let body = self.nested(Self::node);
        Node { kind: Kind::Function { name, body: Rc::new(body) }, redirects: Vec::new(), span: self.span(from) }
    }

    fn coproc(&mut self) -> Kind {
        self.blanks();
        let from = self.pos;
        let name = self.name();
        self.blanks();
        let compound = self.peek() == Some(b'(')
            || matches!(self.reserved(), Some("{" | "case" | "for" | "if" | "select" | "until" | "while" | "[["));
        if name.is_empty() || !compound || matches!(name.as_str(), "case" | "for" | "if" | "select" | "until" | "while") {
            self.pos = from;
        }
        Kind::Coproc(Box::new(self.node()))
    }

    fn test(&mut self) -> Kind {
        let from = self.pos;
        let mut words = Vec::new();
        let mut regex = false;
        loop {
            self.lines();
            let Some(byte) = self.peek() else {
                self.note("syntax", from);
                break;
            };
            if byte == b']' && self.at(1) == Some(b']') {
                self.pos += 2;
                break;
            }
            let operator = match (byte, self.at(1)) {
                (b'&', Some(b'&')) | (b'|', Some(b'|')) => 2,
                (b'(' | b')' | b'<' | b'>' | b'&' | b'|' | b';', _) if !(regex && byte == b'(') => 1,
                _ => 0,
            };
            if operator > 0 {
                words.push(WordTree {
                    parts: vec![super::tree::Part::Text(self.slice(self.pos, self.pos + operator).to_owned())],
                    runs: false,
                });
                self.pos += operator;
                regex = false;
                continue;
            }
            let start = self.pos;
            let word = self.word(if regex { Inside::Regex } else { Inside::Word });
            if self.pos == start {
                self.pos += self.char().map_or(1, char::len_utf8);
                continue;
            }
            regex = word.bare() == Some("=~");
            words.push(word);
        }
        Kind::Test(words)
    }
}
