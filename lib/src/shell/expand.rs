//! Turns words of the tree into words of an argument vector.

use super::arith;
use super::brace::{self, Bit};
use super::command::{HOLE, Word};
use super::lookup::Got;
use super::machine::Start;
use super::state::Shell;
use super::tree::{List, Part, WordTree};
use super::value::Value;
use super::world::LONGEST;
use std::borrow::Cow;
use std::rc::Rc;

/// Expands the words of one command in one world.
pub(super) struct Expander<'a> {
    pub shell: &'a mut Rc<Shell>,
    pub start: &'a Start,
    /// Results of substitutions by the address of their tree.
    pub results: &'a [(usize, String)],
    /// Bytes that may still be made.
    pub budget: &'a mut usize,
}

/// What a word made of braces costs of the budget, in bytes.
const WORD: usize = 128;
/// What each letter of it, or of arithmetic, costs on top.
const LETTER: usize = 32;

/// A field being built.
#[derive(Default)]
struct Field {
    text: String,
    /// Where unquoted pattern characters are.
    specials: Vec<usize>,
    /// There is a field even if the text is empty.
    open: bool,
}

impl Field {
    fn push(&mut self, text: &str, quoted: bool) {
        if !quoted {
            let from = self.text.len();
            let special = |(index, byte)| matches!(byte, b'*' | b'?' | b'[' | b'(').then_some(from + index);
            self.specials.extend(text.bytes().enumerate().filter_map(special));
        }
        self.text.push_str(text);
        self.open = true;
    }

    /// A pattern whose quoted characters are behind backslashes.
    fn push_pattern(&mut self, pattern: &str) {
        let mut chars = pattern.chars();
        while let Some(char) = chars.next() {
            match char {
                '\\' => self.text.extend(chars.next()),
                char => {
                    if matches!(char, '*' | '?' | '[' | '(') {
                        self.specials.push(self.text.len());
                    }
                    self.text.push(char);
                }
            }
        }
        self.open = true;
    }

    fn finish(&mut self, out: &mut Vec<Word>) {
        let field = std::mem::take(self);
        if !field.open {
            return;
        }
        out.push(field.word());
    }

    fn word(self) -> Word {
        let Self { text, specials, .. } = self;
        if text.contains(HOLE) {
            return Word::Unknown(text);
        }
        let close = text.rfind(']').unwrap_or(0);
        let glob = specials.iter().any(|&at| match text.as_bytes()[at] {
            b'[' => at < close,
            b'(' => false,
            _ => true,
        });
        let extended = specials.iter().any(|&at| {
            text.as_bytes()[at] == b'(' && at > 0 && matches!(text.as_bytes()[at - 1], b'?' | b'*' | b'+' | b'@' | b'!')
        });
        if extended {
            return Word::Unknown(HOLE.to_string());
        }
        if !glob {
            return Word::Literal(text);
        }
        let mut escaped = String::with_capacity(text.len());
        let mut live = specials.into_iter().peekable();
        for (index, char) in text.char_indices() {
            let special = live.next_if_eq(&index).is_some();
            if matches!(char, '*' | '?' | '[' | '\\') && !special {
                escaped.push('\\');
            }
            escaped.push(char);
        }
        Word::Glob(escaped)
    }
}

impl Expander<'_> {
    /// All words of a command.
    pub fn words(&mut self, trees: &[WordTree]) -> Vec<Word> {
        let mut out = Vec::with_capacity(trees.len());
        for tree in trees {
            self.fields(&tree.parts, &mut out);
        }
        out
    }

    /// The words that one word makes.
    pub fn fields(&mut self, parts: &[Part], out: &mut Vec<Word>) {
        match parts {
            [Part::Text(text)] if !text.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'(' | b'{' | b'~')) => {
                out.push(self.plain(text));
                return;
            }
            [Part::Quoted(text)] => {
                out.push(self.plain(text));
                return;
            }
            _ => {}
        }
        if !brace::has_braces(parts) {
            self.split(
                parts.iter().map(|part| match part {
                    Part::Text(text) => Bit::Text(Cow::Borrowed(text)),
                    part => Bit::Part(part),
                }),
                out,
            );
            return;
        }
        let most = *self.budget / WORD;
        match brace::expand(parts, most) {
            Some(words) => {
                let text = |bit: &Bit<'_>| if let Bit::Text(text) = bit { text.len() } else { 0 };
                let letters: usize = words.iter().flatten().map(text).sum();
                *self.budget = self.budget.saturating_sub(words.len() * WORD + letters * LETTER);
                for bits in words {
                    self.split(bits.into_iter(), out);
                }
            }
            None => out.push(Word::Unknown(HOLE.to_string())),
        }
    }

    /// One word without splitting: an assignment's value, a redirection's target.
    pub fn single(&mut self, parts: &[Part]) -> String {
        let mut text = String::new();
        for (index, part) in parts.iter().enumerate() {
            match part {
                Part::Text(piece) => {
                    if index == 0 && piece.starts_with('~') {
                        let piece = self.tilde(piece, parts.len() == 1);
                        text.push_str(&piece);
                    } else {
                        text.push_str(piece);
                    }
                }
                part => {
                    let piece = self.part(part);
                    text.push_str(&piece);
                }
            }
        }
        self.spend(&text)
    }

    /// A word as a pattern: quoted special characters behind backslashes.
    pub fn pattern(&mut self, parts: &[Part]) -> String {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(piece) => text.push_str(piece),
                Part::Param(_, false) | Part::Command(_, false) => {
                    let piece = self.part(part);
                    text.push_str(&piece);
                }
                part => {
                    for char in self.part(part).chars() {
                        if matches!(char, '*' | '?' | '[' | ']' | '\\') {
                            text.push('\\');
                        }
                        text.push(char);
                    }
                }
            }
        }
        self.spend(&text)
    }

    /// A word as it stands; not known where it is too long.
    fn plain(&mut self, text: &str) -> Word {
        let text = self.spend(text);
        if text.contains(HOLE) { Word::Unknown(text) } else { Word::Literal(text) }
    }

    /// Charges for a text, and gives up its contents where too much was made.
    fn spend(&mut self, text: &str) -> String {
        if text.len() > LONGEST || text.len() > *self.budget {
            return HOLE.to_string();
        }
        *self.budget -= text.len();
        text.to_owned()
    }

    fn split<'p>(&mut self, bits: impl Iterator<Item = Bit<'p>>, out: &mut Vec<Word>) {
        let mut field = Field::default();
        let mut first = true;
        let mut bits = bits.peekable();
        while let Some(bit) = bits.next() {
            match bit {
                Bit::Text(text) => {
                    if first && text.starts_with('~') {
                        let text = self.tilde(&text, bits.peek().is_none());
                        field.push(&text, true);
                    } else {
                        field.push(&text, false);
                    }
                }
                Bit::Part(part) => self.bit(part, &mut field, out),
            }
            first = false;
            if field.text.len() > LONGEST || field.text.len() > *self.budget {
                field.text = HOLE.to_string();
                field.specials.clear();
            }
        }
        *self.budget = self.budget.saturating_sub(field.text.len());
        field.finish(out);
    }

    fn bit(&mut self, part: &Part, field: &mut Field, out: &mut Vec<Word>) {
        match part {
            Part::Text(text) => field.push(text, false),
            Part::Quoted(text) => field.push(text, true),
            Part::Hole => field.push("\0", false),
            Part::Arith(_) => {
                let text = self.part(part);
                field.push(&text, true);
            }
            Part::Process(..) => {
                let text = self.part(part);
                field.push(&text, true);
            }
            Part::Command(_, quoted) => {
                let text = self.part(part);
                if *quoted {
                    field.push(&text, true);
                } else {
                    self.unquoted(&text, field, out);
                }
            }
            Part::Param(param, quoted) => {
                let (got, joined) = self.param(param, *quoted);
                match got {
                    Got::Unset if *quoted => {
                        field.open = true;
                    }
                    Got::Unset => {}
                    Got::Glob(pattern) => field.push_pattern(&pattern),
                    Got::Text(text) if *quoted => field.push(&text, true),
                    Got::Text(text) => self.unquoted(&text, field, out),
                    Got::List(list) if *quoted && joined => field.push(&list.join(" "), true),
                    Got::List(list) => {
                        let many = list.len();
                        for (index, text) in list.iter().enumerate() {
                            if *quoted {
                                field.push(text, true);
                            } else {
                                self.unquoted(text, field, out);
                            }
                            if index + 1 < many {
                                field.finish(out);
                            }
                        }
                    }
                }
            }
        }
    }

    /// The result of an unquoted expansion: split where `IFS` says.
    fn unquoted(&mut self, text: &str, field: &mut Field, out: &mut Vec<Word>) {
        if matches!(text, "" | "\0") {
            field.open |= !text.is_empty();
            field.text.push_str(text);
            return;
        }
        let ifs = self.shell.text("IFS", self.start);
        if ifs.contains(HOLE) {
            field.push("\0", false);
            return;
        }
        if 4 * text.len() > *self.budget {
            field.push("\0", false);
            return;
        }
        *self.budget -= 4 * text.len();
        let blank = |char: char| ifs.contains(char) && matches!(char, ' ' | '\t' | '\n');
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|char| ifs.contains(char)).unwrap_or(rest.len());
            if end > 0 {
                field.push(&rest[..end], false);
            }
            rest = &rest[end..];
            if rest.is_empty() {
                break;
            }
            // One separator: blanks, at most one other character of IFS, blanks.
            rest = rest.trim_start_matches(blank);
            if let Some(char) = rest.chars().next()
                && ifs.contains(char)
                && !blank(char)
            {
                field.open = true;
                rest = rest[char.len_utf8()..].trim_start_matches(blank);
            }
            field.finish(out);
            if out.len() > 4096 {
                field.push("\0", false);
                return;
            }
        }
    }

    /// A word that begins with a tilde; `whole`: nothing follows this text in it.
    fn tilde(&self, text: &str, whole: bool) -> String {
        let end = text.find('/').unwrap_or(text.len());
        if end == text.len() && !whole {
            return text.to_owned();
        }
        let base = match &text[1..end] {
            "" => self.shell.text("HOME", self.start),
            "+" => self.shell.text("PWD", self.start),
            "-" => self.shell.text("OLDPWD", self.start),
            name if name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') => HOLE.to_string(),
            _ => return text.to_owned(),
        };
        format!("{base}{}", &text[end..])
    }

    /// What a substitution gave.
    fn result(&self, list: &Rc<List>) -> Option<&str> {
        let key = Rc::as_ptr(list) as usize;
        self.results.iter().rev().find(|(address, _)| *address == key).map(|(_, text)| text.as_str())
    }

    /// One part as text.
    fn part(&mut self, part: &Part) -> String {
        match part {
            Part::Text(text) | Part::Quoted(text) => text.clone(),
            Part::Hole => HOLE.to_string(),
            Part::Process(list, _) => self.result(list).map_or_else(|| "/dev/fd/\0".to_owned(), str::to_owned),
            Part::Arith(parts) => {
                let text = self.single(parts);
                self.arith(&text)
            }
            Part::Command(list, _) => match self.result(list) {
                Some(text) => text.trim_end_matches('\n').to_owned(),
                None => HOLE.to_string(),
            },
            Part::Param(param, quoted) => match self.param(param, *quoted).0 {
                Got::Unset => String::new(),
                Got::Text(text) => text,
                Got::Glob(_) => HOLE.to_string(),
                Got::List(list) => list.join(" "),
            },
        }
    }

    /// The value of an arithmetic expression.
    pub fn arith(&mut self, text: &str) -> String {
        let cost = text.len() * LETTER;
        if text.contains(HOLE) || cost > *self.budget {
            return HOLE.to_string();
        }
        *self.budget -= cost;
        let (value, changed) = arith::evaluate(text, |name| {
            let text = self.shell.text(name, self.start);
            let text = text.trim();
            if text.is_empty() { Some(0) } else { text.parse().ok() }
        });
        for (name, value) in changed {
            let value = value.map_or_else(Value::unknown, |value| Value::Text(value.to_string()));
            Rc::make_mut(self.shell).set(&name, value, self.start);
        }
        value.map_or_else(|| HOLE.to_string(), |value| value.to_string())
    }
}
