//! Reads simple commands: assignments, words, redirections.

use super::heredoc::Pending;
use super::parse::{Parser, name_byte};
use super::tree::{Assign, Kind, Node, Part, Redir, RedirOp, Simple, Value, WordTree};
use super::word::Inside;
use std::cell::OnceCell;
use std::rc::Rc;

impl Parser<'_> {
    /// A simple command, or a function definition.
    pub(super) fn simple(&mut self) -> Node {
        let from = self.pos;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        let mut declares = false;
        let mut end = self.pos;
        loop {
            self.blanks();
            let Some(byte) = self.peek() else { break };
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                end = self.pos;
                continue;
            }
            if matches!(byte, b'\n' | b';' | b'&' | b'|' | b')') {
                break;
            }
            if byte == b'(' {
                if simple.words.len() == 1 && simple.assigns.is_empty() && redirects.is_empty() && self.empty_parens() {
                    return self.function(&simple.words[0], from);
                }
                // A parenthesis in the middle of a command: its contents are read as commands.
                break;
            }
            if simple.words.is_empty() {
                if let Some(assign) = self.assign() {
                    simple.assigns.push(assign);
                    end = self.pos;
                    continue;
                }
            } else if declares && let Some(assign) = self.assign() {
                simple.declares.push(assign);
                end = self.pos;
                continue;
            }
            let word = self.word(Inside::Word);
            if word.parts.is_empty() && self.pos == end {
                break;
            }
            end = self.pos;
            if word.parts.is_empty() {
                continue;
            }
            if simple.words.is_empty() {
                declares = matches!(word.bare(), Some("declare" | "export" | "local" | "readonly" | "typeset"));
            }
            simple.words.push(word);
        }
        Node { kind: Kind::Simple(simple), redirects, span: self.fixed.unwrap_or((from, end)) }
    }

    /// Eats `( )`, if that is here.
    fn empty_parens(&mut self) -> bool {
        let mut at = self.pos + 1;
        while at < self.end && matches!(self.bytes[at], b' ' | b'\t') {
            at += 1;
        }
        let empty = at < self.end && self.bytes[at] == b')';
        if empty {
            self.pos = at + 1;
        }
        empty
    }

    fn function(&mut self, name: &WordTree, from: usize) -> Node {
        let mut text = String::new();
        for part in &name.parts {
            if let Part::Text(part) | Part::Quoted(part) = part {
                text.push_str(part);
            }
        }
        self.function_body(text, from)
    }

    /// `name=value`, `name+=value`, `name[subscript]=value`, `name=(..)`, if that is here.
    fn assign(&mut self) -> Option<Assign> {
        let end = self.name_end(self.pos);
        if end == self.pos || end >= self.end {
            return None;
        }
        let mut sign = end;
        let mut index = None;
        if self.bytes[end] == b'[' {
            let mut at = end + 1;
            let mut open = 1usize;
            while at < self.end {
                match self.bytes[at] {
                    b' ' | b'\t' | b'\n' | b';' => return None,
                    b'[' => open += 1,
                    b']' => open -= 1,
                    _ => {}
                }
                if open == 0 {
                    break;
                }
                at += 1;
            }
            if at >= self.end {
                return None;
            }
            sign = at + 1;
            index = Some((end + 1, at));
        }
        let append = self.bytes.get(sign) == Some(&b'+');
        let equals = sign + usize::from(append);
        if equals >= self.end || self.bytes[equals] != b'=' {
            return None;
        }
        let name = self.slice(self.pos, end).to_owned();
        let index = index.map(|(from, to)| self.sub_word(from, to));
        self.pos = equals + 1;
        let value = if self.peek() == Some(b'(') && index.is_none() {
            self.pos += 1;
            Value::Array(self.nested(Self::array))
        } else {
            Value::Word(self.word(Inside::Word))
        };
        Some(Assign { name, index, append, value })
    }

    /// The part of the text from `from` to `to` as one word.
    fn sub_word(&mut self, from: usize, to: usize) -> WordTree {
        let outer = std::mem::replace(&mut self.end, to);
        self.pos = from;
        let word = self.word(Inside::Text);
        self.end = outer;
        word
    }

    /// Behind `name=(`, up to and with the closing parenthesis.
    fn array(&mut self) -> Vec<(Option<WordTree>, WordTree)> {
        let from = self.pos;
        let mut elements = Vec::new();
        loop {
            self.lines();
            match self.peek() {
                None | Some(b')') => break,
                Some(b';' | b'&' | b'|' | b'<' | b'>' | b'(') if !matches!(self.at(1), Some(b'(')) => {
                    self.note("syntax", self.pos);
                    self.pos += 1;
                    continue;
                }
                _ => {}
            }
            let start = self.pos;
            let mut index = None;
            if self.peek() == Some(b'[') {
                let mut at = start + 1;
                while at < self.end && !matches!(self.bytes[at], b']' | b' ' | b'\n' | b')') {
                    at += 1;
                }
                if at + 1 < self.end && self.bytes[at] == b']' && self.bytes[at + 1] == b'=' {
                    index = Some(self.sub_word(start + 1, at));
                    self.pos = at + 2;
                }
            }
            let word = self.word(Inside::Word);
            if self.pos == start {
                self.pos += 1;
                continue;
            }
            elements.push((index, word));
        }
        self.close(b')', from);
        elements
    }

    /// All redirections here, behind a compound command.
    pub(super) fn redirects(&mut self) -> Vec<Redir> {
        let mut all = Vec::new();
        loop {
            self.blanks();
            match self.redirect() {
                Some(redirect) => all.push(redirect),
                None => return all,
            }
        }
    }

    /// A redirection, if one is here.
    fn redirect(&mut self) -> Option<Redir> {
        let mut at = self.pos;
        let mut fd = None;
        match self.peek()? {
            b'<' | b'>' => {}
            b'&' if self.at(1) == Some(b'>') => {}
            b'0'..=b'9' => {
                while at < self.end && self.bytes[at].is_ascii_digit() {
                    at += 1;
                }
                if !matches!(self.bytes.get(at), Some(b'<' | b'>')) || at >= self.end {
                    return None;
                }
                fd = Some(self.slice(self.pos, at).parse().unwrap_or(u32::MAX));
            }
            b'{' => {
                let end = self.name_end(at + 1);
                if end == at + 1 || self.bytes.get(end) != Some(&b'}') || !matches!(self.bytes.get(end + 1), Some(b'<' | b'>')) {
                    return None;
                }
                at = end + 1;
                fd = Some(10);
            }
            _ => return None,
        }
        let next = |ahead: usize| self.bytes.get(at + ahead).copied().filter(|_| at + ahead < self.end);
        let (op, length) = match (next(0)?, next(1), next(2)) {
            (b'&', _, Some(b'>')) => (RedirOp::BothAppend, 3),
            (b'&', _, _) => (RedirOp::Both, 2),
            (b'<' | b'>', Some(b'('), _) if fd.is_none() => return None,
            (b'<', Some(b'<'), Some(b'<')) => (RedirOp::HereString, 3),
            (b'<', Some(b'<'), Some(b'-')) => (RedirOp::Here, 3),
            (b'<', Some(b'<'), _) => (RedirOp::Here, 2),
            (b'<', Some(b'&'), _) => (RedirOp::DupIn, 2),
            (b'<', Some(b'>'), _) => (RedirOp::ReadWrite, 2),
            (b'<', _, _) => (RedirOp::Read, 1),
            (_, Some(b'>'), _) => (RedirOp::Append, 2),
            (_, Some(b'|'), _) => (RedirOp::Write, 2),
            (_, Some(b'&'), _) => (RedirOp::DupOut, 2),
            _ => (RedirOp::Write, 1),
        };
        self.pos = at + length;
        self.blanks();
        let from = self.pos;
        let target = self.word(Inside::Word);
        if target.parts.is_empty() {
            self.note("syntax", at);
        }
        let mut body = None;
        if op == RedirOp::Here {
            let cell = Rc::new(OnceCell::new());
            let quoted = target.parts.iter().any(|part| matches!(part, Part::Quoted(_)));
            let mut delimiter = String::new();
            for part in &target.parts {
                match part {
                    Part::Text(text) | Part::Quoted(text) => delimiter.push_str(text),
                    // A delimiter is not expanded.
                    _ => {
                        delimiter = self.slice(from, self.pos).to_owned();
                        break;
                    }
                }
            }
            self.pending.push(Pending { body: Rc::clone(&cell), delimiter, quoted, strip: length == 3 });
            body = Some(cell);
        }
        Some(Redir { fd, op, target, body })
    }

    /// An identifier here, eaten.
    pub(super) fn name(&mut self) -> String {
        let from = self.pos;
        while self.peek().is_some_and(name_byte) {
            self.pos += 1;
        }
        self.slice(from, self.pos).to_owned()
    }
}
