//! Here-documents: bodies that begin behind the line that names them.

use super::parse::Parser;
use super::tree::{Part, WordTree};
use std::cell::OnceCell;
use std::rc::Rc;

/// A here-document whose body is still to come.
pub(super) struct Pending {
    /// Where the body goes.
    pub body: Rc<OnceCell<WordTree>>,
    /// The line that ends it.
    pub delimiter: String,
    /// The delimiter was quoted: nothing in the body is expanded.
    pub quoted: bool,
    /// `<<-`: leading tabs do not count.
    pub strip: bool,
}

impl Parser<'_> {
    /// The end of a line: the bodies that wait are read.
    pub(super) fn newline(&mut self) {
        self.pos += 1;
        if self.pending.is_empty() {
            return;
        }
        for pending in std::mem::take(&mut self.pending) {
            let tree = self.here_body(&pending);
            let _ = pending.body.set(tree);
        }
    }

    fn here_body(&mut self, pending: &Pending) -> WordTree {
        let from = self.pos;
        let mut text = String::new();
        while self.pos < self.end {
            let rest = &self.bytes[self.pos..self.end];
            let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            let line = self.slice(self.pos, self.pos + length);
            self.pos = (self.pos + length + 1).min(self.end);
            let kept = if pending.strip { line.trim_start_matches('\t') } else { line };
            if kept == pending.delimiter {
                break;
            }
            text.push_str(kept);
            text.push('\n');
        }
        if text.is_empty() {
            return WordTree::default();
        }
        if pending.quoted {
            return WordTree { parts: vec![Part::Quoted(text)], runs: false };
        }
        let before = self.runs;
        let span = (from, self.pos);
        let parts = self.nested(|parser| parser.inner_parts(&text, span));
        WordTree { parts, runs: self.runs != before }
    }
}
