//! Reads words: quotes, expansions, substitutions.

use super::parse::Parser;
use super::tree::{Part, WordTree};
use std::rc::Rc;

/// What a run of parts is inside of, hence where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inside {
    /// A plain word: ends at blanks and operators.
    Word,
    /// The right side of `=~`: parentheses and `|` belong to it.
    Regex,
    /// Double quotes.
    Double,
    /// `${..}` up to `}`, quoted or not.
    Brace(bool),
    /// The pattern of `${x/pattern/with}`: up to `/` or `}`.
    Slash,
    /// A subscript: up to `]`.
    Bracket,
    /// The offset of `${x:offset:length}`: up to `:` or `}`.
    Colon,
    /// Arithmetic or a here-document: up to the end of the text.
    Text,
}

impl Inside {
    fn quoted(self) -> bool {
        matches!(self, Self::Double | Self::Brace(true) | Self::Text)
    }

    fn word(self) -> bool {
        matches!(self, Self::Word | Self::Regex)
    }

    /// Whether `byte`, followed by `next`, ends it.
    fn ends(self, byte: u8, next: Option<u8>) -> bool {
        match self {
            Self::Word => {
                matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')')
                    || (matches!(byte, b'<' | b'>') && next != Some(b'('))
            }
            Self::Regex => {
                matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b')')
                    || (byte == b'|' && next == Some(b'|'))
                    || (matches!(byte, b'<' | b'>') && next != Some(b'('))
            }
            Self::Double => byte == b'"',
            Self::Brace(_) => byte == b'}',
            Self::Slash => matches!(byte, b'/' | b'}'),
            Self::Bracket => byte == b']',
            Self::Colon => matches!(byte, b':' | b'}'),
            Self::Text => false,
        }
    }
}

/// Adds unquoted or quoted text, joining it with text of its kind before it.
pub(super) fn add(parts: &mut Vec<Part>, text: &str, quoted: bool) {
    match (parts.last_mut(), quoted) {
        (Some(Part::Text(last)), false) | (Some(Part::Quoted(last)), true) => last.push_str(text),
        (_, false) => parts.push(Part::Text(text.to_owned())),
        (_, true) => parts.push(Part::Quoted(text.to_owned())),
    }
}

/// A character that never ends or begins anything.
fn plain(byte: u8) -> bool {
    byte >= 0x80 || byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b',' | b'=' | b'~' | b'%' | b'^')
}

impl Parser<'_> {
    /// Reads one word; empty if there is none here.
    pub(super) fn word(&mut self, inside: Inside) -> WordTree {
        let before = self.runs;
        let parts = self.parts(inside);
        WordTree { parts, runs: self.runs != before }
    }

    /// Reads parts up to where `inside` ends; the ending character is left.
    pub(super) fn parts(&mut self, inside: Inside) -> Vec<Part> {
        let mut parts = Vec::new();
        while let Some(byte) = self.peek() {
            if inside.ends(byte, self.at(1)) {
                let extended = byte == b'(' && inside == Inside::Word && self.opens_pattern(&parts);
                if !extended {
                    break;
                }
                self.group(&mut parts, inside);
            } else if byte == b'(' && inside == Inside::Regex {
                self.group(&mut parts, inside);
            } else {
                self.piece(&mut parts, byte, inside);
            }
        }
        parts
    }

    /// Whether `(` here belongs to a pattern like `@(a|b)`.
    fn opens_pattern(&self, parts: &[Part]) -> bool {
        matches!(parts.last(), Some(Part::Text(text)) if text.ends_with(['?', '*', '+', '@', '!']))
    }

    /// A parenthesis and all up to its partner, as pattern text.
    fn group(&mut self, parts: &mut Vec<Part>, inside: Inside) {
        let mut open = 0usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                b' ' | b'\n' | b'\t' | b';' | b'&' | b'|' | b'<' | b'>' => {}
                _ => {
                    self.piece(parts, byte, inside);
                    continue;
                }
            }
            self.take(parts, 1, false);
            if open == 0 {
                return;
            }
        }
        self.note("syntax", self.pos);
    }

    /// One quote, expansion or run of text.
    fn piece(&mut self, parts: &mut Vec<Part>, byte: u8, inside: Inside) {
        let quoted = inside.quoted();
        match byte {
            b'\\' => {
                self.pos += 1;
                self.escape(parts, inside);
            }
            b'\'' if !quoted => {
                self.pos += 1;
                let text = self.until(b'\'');
                add(parts, text, true);
            }
            b'"' if inside != Inside::Text => {
                self.pos += 1;
                self.double(parts);
            }
            b'$' => self.dollar(parts, quoted),
            b'`' => self.backquote(parts, quoted),
            0 => {
                self.pos += 1;
                parts.push(Part::Hole);
            }
            b'<' | b'>' if inside.word() && self.at(1) == Some(b'(') => {
                self.pos += 2;
                let list = self.nested(|parser| parser.list_until(b')'));
                self.runs += 1;
                parts.push(Part::Process(Rc::new(list), byte == b'>'));
            }
            _ => {
                let mut end = self.pos + 1;
                while end < self.end && plain(self.bytes[end]) {
                    end += 1;
                }
                self.take(parts, end - self.pos, quoted);
            }
        }
    }

    fn take(&mut self, parts: &mut Vec<Part>, bytes: usize, quoted: bool) {
        let text = self.slice(self.pos, self.pos + bytes);
        self.pos += bytes;
        add(parts, text, quoted);
    }

    /// Behind a backslash.
    fn escape(&mut self, parts: &mut Vec<Part>, inside: Inside) {
        let Some(next) = self.char() else {
            add(parts, "\\", true);
            return;
        };
        if next == '\n' {
            self.pos += 1;
            return;
        }
        let special = match inside {
            Inside::Double => matches!(next, '$' | '`' | '"' | '\\'),
            Inside::Brace(true) => matches!(next, '$' | '`' | '"' | '\\' | '}'),
            Inside::Text => matches!(next, '$' | '`' | '\\'),
            _ => true,
        };
        if !special {
            add(parts, "\\", true);
        }
        if next == '\0' {
            return;
        }
        self.take(parts, next.len_utf8(), true);
    }

    /// Behind an opening double quote, up to and with the closing one.
    fn double(&mut self, parts: &mut Vec<Part>) {
        let from = self.pos;
        let inner = self.parts(Inside::Double);
        if inner.is_empty() {
            add(parts, "", true);
        }
        for part in inner {
            match part {
                Part::Quoted(text) => add(parts, &text, true),
                part => parts.push(part),
            }
        }
        self.close(b'"', from);
    }

    fn dollar(&mut self, parts: &mut Vec<Part>, quoted: bool) {
        let Some(next) = self.at(1) else {
            self.take(parts, 1, quoted);
            return;
        };
        match next {
            b'(' if self.at(2) == Some(b'(') => match self.arith_end(self.pos + 3) {
                Some(end) => {
                    self.pos += 3;
                    let inner = self.within(end);
                    self.pos = (end + 2).min(self.end);
                    parts.push(Part::Arith(inner));
                }
                None => self.command(parts, quoted),
            },
            b'(' => self.command(parts, quoted),
            b'[' => {
                self.pos += 2;
                let from = self.pos;
                let inner = self.nested(|parser| parser.parts(Inside::Bracket));
                self.close(b']', from);
                parts.push(Part::Arith(inner));
            }
            b'{' => {
                self.pos += 2;
                if let Some(part) = self.nested(|parser| parser.braced(quoted)) {
                    parts.push(part);
                }
            }
            b'\'' if !quoted => {
                self.pos += 2;
                let text = self.ansi();
                add(parts, &text, true);
            }
            b'"' if !quoted => {
                self.pos += 2;
                self.double(parts);
            }
            _ => self.simple_param(parts, quoted),
        }
    }

    /// `$(`, here.
    fn command(&mut self, parts: &mut Vec<Part>, quoted: bool) {
        self.pos += 2;
        self.runs += 1;
        // Here-documents of the line outside start behind that line's end, not behind one in here.
        let pending = std::mem::take(&mut self.pending);
        let list = self.nested(|parser| parser.list_until(b')'));
        let mut all = pending;
        all.append(&mut self.pending);
        self.pending = all;
        parts.push(Part::Command(Rc::new(list), quoted));
    }

    /// The parts from here to `end`, which are read as if quoted.
    pub(super) fn within(&mut self, end: usize) -> Vec<Part> {
        let outer = std::mem::replace(&mut self.end, end);
        let parts = self.nested(|parser| parser.parts(Inside::Text));
        self.end = outer;
        parts
    }

    fn backquote(&mut self, parts: &mut Vec<Part>, quoted: bool) {
        let from = self.pos;
        self.pos += 1;
        let mut inner = String::new();
        let mut closed = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'`' => {
                    self.pos += 1;
                    closed = true;
                    break;
                }
                b'\\' => {
                    let next = self.at(1);
                    let drop = matches!(next, Some(b'`' | b'\\' | b'$')) || (quoted && next == Some(b'"'));
                    self.pos += 1;
                    if !drop {
                        inner.push('\\');
                    }
                    if drop && let Some(next) = next {
                        inner.push(char::from(next));
                        self.pos += 1;
                    }
                }
                _ => {
                    let start = self.pos;
                    while self.pos < self.end && !matches!(self.bytes[self.pos], b'`' | b'\\') {
                        self.pos += 1;
                    }
                    inner.push_str(self.slice(start, self.pos));
                }
            }
        }
        if !closed {
            self.note("syntax", from);
        }
        let list = self.nested(|parser| parser.inner_list(&inner, (from, parser.pos)));
        self.runs += 1;
        parts.push(Part::Command(Rc::new(list), quoted));
    }
}
