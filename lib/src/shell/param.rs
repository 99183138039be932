//! Reads parameter expansions: `$x`, `${x...}`.

use super::parse::{Parser, name_byte};
use super::tree::{Op, Param, Part};
use super::word::{Inside, add};
use std::rc::Rc;

impl Parser<'_> {
    /// `$x`, `$1`, `$@` without braces, at the dollar.
    pub(super) fn simple_param(&mut self, parts: &mut Vec<Part>, quoted: bool) {
        let from = self.pos + 1;
        let end = match self.at(1) {
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => from + 1,
            _ => self.name_end(from),
        };
        if end == from {
            self.pos += 1;
            add(parts, "$", quoted);
            return;
        }
        let name = self.slice(from, end).to_owned();
        self.pos = end;
        parts.push(Part::Param(Box::new(Param { name, index: None, indirect: false, length: false, op: Op::None }), quoted));
    }

    /// The end of an identifier that starts at `from`; `from` if there is none.
    pub(super) fn name_end(&self, from: usize) -> usize {
        let mut end = from;
        if end < self.end && self.bytes[end].is_ascii_digit() {
            return from;
        }
        while end < self.end && name_byte(self.bytes[end]) {
            end += 1;
        }
        end
    }

    /// Behind `${`, up to and with the closing brace.
    pub(super) fn braced(&mut self, quoted: bool) -> Option<Part> {
        let from = self.pos;
        if matches!(self.peek()?, b' ' | b'\t' | b'\n' | b'|') {
            self.pos += usize::from(self.peek() == Some(b'|'));
            self.runs += 1;
            let list = self.list_until(b'}');
            return Some(Part::Command(Rc::new(list), quoted));
        }
        let mut param = Param { name: String::new(), index: None, indirect: false, length: false, op: Op::None };
        if self.peek() == Some(b'!') && self.at(1) != Some(b'}') {
            param.indirect = true;
            self.pos += 1;
        } else if self.peek() == Some(b'#')
            && self.at(1).is_some_and(|next| name_byte(next) || matches!(next, b'@' | b'*' | b'?' | b'!'))
        {
            param.length = true;
            self.pos += 1;
        }
        let end = match self.peek()? {
            b'0'..=b'9' => {
                let mut end = self.pos;
                while end < self.end && self.bytes[end].is_ascii_digit() {
                    end += 1;
                }
                end
            }
            b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => self.pos + 1,
            _ => self.name_end(self.pos),
        };
        param.name = self.slice(self.pos, end).to_owned();
        self.pos = end;
        if self.peek() == Some(b'[') && !param.name.is_empty() {
            self.pos += 1;
            let open = self.pos;
            param.index = Some(self.parts(Inside::Bracket));
            self.close(b']', open);
        }
        param.op = self.op(quoted);
        if self.peek() != Some(b'}') && self.peek().is_some() {
            param.op = Op::Other(self.parts(Inside::Brace(quoted)));
        }
        self.close(b'}', from);
        Some(Part::Param(Box::new(param), quoted))
    }

    fn op(&mut self, quoted: bool) -> Op {
        let Some(byte) = self.peek() else {
            return Op::None;
        };
        let twice = self.at(1) == Some(byte);
        match byte {
            b'}' => Op::None,
            b':' if matches!(self.at(1), Some(b'-' | b'=' | b'?' | b'+')) => {
                let sign = self.at(1).unwrap_or(b'-');
                self.pos += 2;
                Op::Test { sign, colon: true, word: self.parts(Inside::Brace(quoted)) }
            }
            b'-' | b'=' | b'?' | b'+' => {
                self.pos += 1;
                Op::Test { sign: byte, colon: false, word: self.parts(Inside::Brace(quoted)) }
            }
            b'#' | b'%' => {
                self.pos += 1 + usize::from(twice);
                Op::Trim { suffix: byte == b'%', longest: twice, pattern: self.parts(Inside::Brace(false)) }
            }
            b'/' => {
                self.pos += 1 + usize::from(twice);
                let anchor = match self.peek() {
                    Some(sign @ (b'#' | b'%')) if !twice => {
                        self.pos += 1;
                        sign
                    }
                    _ => 0,
                };
                let pattern = self.parts(Inside::Slash);
                let mut with = Vec::new();
                if self.peek() == Some(b'/') {
                    self.pos += 1;
                    with = self.parts(Inside::Brace(false));
                }
                Op::Replace { all: twice, anchor, pattern, with }
            }
            b':' => {
                self.pos += 1;
                let offset = self.parts(Inside::Colon);
                let mut length = None;
                if self.peek() == Some(b':') {
                    self.pos += 1;
                    length = Some(self.parts(Inside::Brace(false)));
                }
                Op::Substring { offset, length }
            }
            b'@' if self.at(1) == Some(b'Q') && self.at(2) == Some(b'}') => {
                self.pos += 2;
                Op::Quote
            }
            b'^' | b',' => {
                self.pos += 1 + usize::from(twice);
                Op::Case { upper: byte == b'^', all: twice }
            }
            _ => Op::Other(self.parts(Inside::Brace(quoted))),
        }
    }
}
