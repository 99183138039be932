//! Makes the syntax tree of a text: one pass, bounded depth, and a note instead of a failure.

use super::heredoc::Pending;
use super::machine::Unread;
use super::tree::{AndOr, Joint, List, Node, Part, Pipeline};
use super::word::Inside;

/// How deep constructs may lie in one another.
pub(super) const DEEPEST: u32 = 64;
/// How often reading starts again behind a part that was too deep.
const RESTARTS: usize = 32;
/// So many notes are kept, and the first of each kind.
const NOTES: usize = 32;
/// Commands, and closing words that nothing opened, read of one text: more than the walk could ever run.
const PIECES: u32 = 20_000;

/// Whether one more note of this kind is kept.
pub(super) fn room(unread: &[Unread], why: &str) -> bool {
    unread.len() < NOTES || unread.iter().all(|note| note.why != why)
}

/// A reader of one text.
pub(super) struct Parser<'t> {
    pub text: &'t str,
    pub bytes: &'t [u8],
    pub pos: usize,
    pub end: usize,
    pub depth: u32,
    /// Too deep: everything ends here.
    pub halted: bool,
    /// Here-documents whose bodies come behind this line.
    pub pending: Vec<Pending>,
    /// How many substitutions were met.
    pub runs: u32,
    /// The span of the whole text in the line as typed, where it is not that line.
    pub fixed: Option<(usize, usize)>,
    pub unread: Vec<Unread>,
    /// Commands and stray closing words so far.
    pieces: u32,
    /// What may still be looked at ahead, in bytes: keeps `((((((` linear.
    pub ahead: usize,
}

/// Whether a byte may be in a variable's name.
pub(super) fn name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Reads a text. [`HOLE`](super::HOLE)s in it are parts that are not known.
pub(super) fn parse(text: &str, fixed: Option<(usize, usize)>) -> (List, Vec<Unread>) {
    let mut parser = Parser::new(text, fixed);
    let mut list = parser.top();
    for _ in 0..RESTARTS {
        if !parser.halted {
            break;
        }
        // Too deep there; what lies behind is read as commands all the same.
        parser.halted = false;
        parser.depth = 0;
        parser.pending.clear();
        list.items.append(&mut parser.top().items);
    }
    (list, parser.unread)
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, fixed: Option<(usize, usize)>) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            end: text.len(),
            depth: 0,
            halted: false,
            pending: Vec::new(),
            runs: 0,
            fixed,
            unread: Vec::new(),
            pieces: 0,
            ahead: text.len() * 4 + 1024,
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        if self.pos < self.end && !self.halted { Some(self.bytes[self.pos]) } else { None }
    }

    pub(super) fn at(&self, ahead: usize) -> Option<u8> {
        let index = self.pos + ahead;
        if index < self.end && !self.halted { Some(self.bytes[index]) } else { None }
    }

    pub(super) fn char(&self) -> Option<char> {
        self.text.get(self.pos..self.end)?.chars().next()
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or("")
    }

    pub(super) fn note(&mut self, why: &'static str, from: usize) {
        if self.halted || !room(&self.unread, why) {
            return;
        }
        let mut from = from.min(self.text.len());
        while !self.text.is_char_boundary(from) {
            from -= 1;
        }
        let part = self.text[from..].chars().take(80).collect();
        self.unread.push(Unread { why, part });
    }

    /// Runs `read` one level deeper, or stops reading.
    pub(super) fn nested<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEEPEST {
            self.note("too deep", self.pos);
            self.halted = true;
            return T::default();
        }
        self.depth += 1;
        let out = read(self);
        self.depth -= 1;
        out
    }

    /// Counts a command or a stray closing word; behind too many nothing is read.
    pub(super) fn count(&mut self) {
        self.pieces += 1;
        if self.pieces > PIECES {
            self.note("too many steps", self.pos);
            self.pos = self.end;
        }
    }

    /// Eats `byte`, or notes that it is missing.
    pub(super) fn close(&mut self, byte: u8, from: usize) {
        if self.peek() == Some(byte) {
            self.pos += 1;
        } else {
            self.note("syntax", from);
        }
    }

    /// The text up to `byte`, which is eaten.
    pub(super) fn until(&mut self, byte: u8) -> &'t str {
        let from = self.pos;
        if let Some(length) = self.bytes[from..self.end].iter().position(|&next| next == byte) {
            self.pos = from + length + 1;
            return self.slice(from, from + length);
        }
        self.note("syntax", from);
        self.pos = self.end;
        self.slice(from, self.end)
    }

    /// Where `))` ends the arithmetic that began before `from`; `None` if this is not arithmetic.
    pub(super) fn arith_end(&mut self, from: usize) -> Option<usize> {
        let mut open = 0usize;
        let mut at = from;
        while at < self.end && self.ahead > 0 {
            self.ahead -= 1;
            match self.bytes[at] {
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' => return (at + 1 < self.end && self.bytes[at + 1] == b')').then_some(at),
                b'\\' => at += 1,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Reads a text inside this one (backquotes) as commands.
    pub(super) fn inner_list(&mut self, text: &str, span: (usize, usize)) -> List {
        self.inner(text, span, |parser| parser.top())
    }

    /// Reads a text inside this one (a here-document) as if in double quotes.
    pub(super) fn inner_parts(&mut self, text: &str, span: (usize, usize)) -> Vec<Part> {
        self.inner(text, span, |parser| parser.parts(Inside::Text))
    }

    fn inner<T>(&mut self, text: &str, span: (usize, usize), read: impl FnOnce(&mut Parser<'_>) -> T) -> T {
        let mut parser = Parser::new(text, Some(self.fixed.unwrap_or(span)));
        parser.depth = self.depth;
        parser.pieces = self.pieces;
        let out = read(&mut parser);
        self.pieces = parser.pieces;
        self.runs += parser.runs;
        for note in parser.unread {
            if room(&self.unread, note.why) {
                self.unread.push(note);
            }
        }
        out
    }

    pub(super) fn span(&self, from: usize) -> (usize, usize) {
        self.fixed.unwrap_or((from, self.pos))
    }

    /// Everything, stray closing words included.
    fn top(&mut self) -> List {
        let mut all = self.list();
        while self.peek().is_some() {
            let from = self.pos;
            self.stray(from, &mut all);
        }
        all
    }

    /// Commands up to a closing byte, which is eaten.
    pub(super) fn list_until(&mut self, byte: u8) -> List {
        let from = self.pos;
        let mut list = self.list();
        // Another construct's closing word in here is an error; reading goes on behind it.
        while self.peek().is_some_and(|next| next != byte) {
            self.stray(from, &mut list);
        }
        self.close(byte, from);
        list
    }

    /// A closing word that nothing opened: reading goes on behind it.
    fn stray(&mut self, from: usize, list: &mut List) {
        self.note("syntax", from);
        self.count();
        if self.peek().is_none() {
            return;
        }
        self.pos += match self.reserved() {
            Some(word) => word.len(),
            None => self.char().map_or(1, char::len_utf8),
        };
        self.more(list);
    }

    /// Blanks, continued lines and a comment.
    pub(super) fn blanks(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => self.pos += 1,
                b'\\' if self.at(1) == Some(b'\n') => self.pos += 2,
                b'#' => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
                        self.pos += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Blanks and ends of lines.
    pub(super) fn lines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.newline();
        }
    }

    /// The reserved word or word-like thing here, if it stands alone.
    pub(super) fn reserved(&self) -> Option<&'t str> {
        let mut end = self.pos;
        while end < self.end
            && (self.bytes[end].is_ascii_lowercase() || matches!(self.bytes[end], b'{' | b'}' | b'!' | b'[' | b']'))
        {
            end += 1;
        }
        let alone = end >= self.end
            || matches!(self.bytes[end], b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
            || (self.bytes[end] == b'\\' && self.bytes.get(end + 1) == Some(&b'\n'));
        (end > self.pos && end - self.pos <= 8 && alone && !self.halted).then(|| self.slice(self.pos, end))
    }

    /// Whether what is here ends a list.
    fn closes(&self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => matches!(self.at(1), Some(b';' | b'&')),
            Some(b'}' | b'd' | b'e' | b'f' | b't') => {
                matches!(self.reserved(), Some("}" | "do" | "done" | "elif" | "else" | "esac" | "fi" | "then"))
            }
            _ => false,
        }
    }

    /// Commands up to anything that closes.
    pub(super) fn list(&mut self) -> List {
        let mut list = List::default();
        self.more(&mut list);
        list
    }

    fn more(&mut self, list: &mut List) {
        loop {
            self.lines();
            if self.closes() {
                break;
            }
            let from = self.pos;
            let mut item = self.and_or();
            self.blanks();
            match self.peek() {
                Some(b';') if !matches!(self.at(1), Some(b';' | b'&')) => self.pos += 1,
                Some(b'&') => {
                    self.pos += 1;
                    item.background = true;
                }
                Some(b'\n') => self.newline(),
                _ => {}
            }
            list.items.push(item);
            if self.pos == from && self.peek().is_some() {
                self.note("syntax", from);
                self.pos += self.char().map_or(1, char::len_utf8);
            }
        }
    }

    fn and_or(&mut self) -> AndOr {
        let first = self.pipeline();
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let joint = match (self.peek(), self.at(1)) {
                (Some(b'&'), Some(b'&')) => Joint::And,
                (Some(b'|'), Some(b'|')) => Joint::Or,
                _ => break,
            };
            self.pos += 2;
            self.lines();
            rest.push((joint, self.pipeline()));
        }
        AndOr { first, rest, background: false }
    }

    fn pipeline(&mut self) -> Pipeline {
        let mut negated = false;
        loop {
            self.blanks();
            let next = self.at(1);
            if self.peek() == Some(b'!') && matches!(next, None | Some(b' ' | b'\t' | b'\n' | b'(')) {
                negated = !negated;
                self.pos += 1;
            } else if self.peek() == Some(b't') && self.reserved() == Some("time") {
                self.pos += 4;
                self.blanks();
                while self.peek() == Some(b'-')
                    && matches!(self.at(1), Some(b'p' | b'-'))
                    && matches!(self.at(2), Some(b' ' | b'\t'))
                {
                    self.pos += 2;
                    self.blanks();
                }
            } else {
                break;
            }
        }
        let mut stages: Vec<Node> = Vec::with_capacity(1);
        loop {
            stages.push(self.node());
            self.blanks();
            if self.peek() != Some(b'|') || self.at(1) == Some(b'|') {
                break;
            }
            self.pos += 1 + usize::from(self.at(1) == Some(b'&'));
            self.lines();
        }
        Pipeline { negated, stages }
    }
}
