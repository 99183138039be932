//! Turns words of the tree into words of an argument vector.

use super::arith;
use super::brace::{self, Bit};
use super::command::{HOLE, Word};
use super::machine::Start;
use super::pattern;
use super::state::Shell;
use super::tree::{List, Op, Param, Part, WordTree};
use super::value::Value;
use super::world::LONGEST;
use std::borrow::Cow;
use std::rc::Rc;

/// Texts longer than this are not searched for patterns, which takes quadratic time.
const SEARCHED: usize = 128;

/// Expands the words of one command in one world.
pub(super) struct Expander<'a> {
    pub shell: &'a mut Rc<Shell>,
    pub start: &'a Start,
    /// Results of substitutions by the address of their tree.
    pub results: &'a [(usize, String)],
    /// Bytes that may still be made.
    pub budget: &'a mut usize,
}

/// A field being built.
#[derive(Default)]
struct Field {
    text: String,
    /// Where unquoted pattern characters are.
    specials: Vec<usize>,
    /// There is a field even if the text is empty.
    open: bool,
}

/// What a parameter stands for.
enum Got {
    Unset,
    Text(String),
    List(Vec<String>),
}

impl Field {
    fn push(&mut self, text: &str, quoted: bool) {
        if !quoted && text.contains(['*', '?', '[', '(']) {
            for (index, char) in text.char_indices() {
                if matches!(char, '*' | '?' | '[' | '(') {
                    self.specials.push(self.text.len() + index);
                }
            }
        }
        self.text.push_str(text);
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
        let glob = specials.iter().any(|&at| match text.as_bytes()[at] {
            b'[' => text[at..].contains(']'),
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
            [Part::Text(text)] if !text.contains(['*', '?', '[', '(', '{', '~']) => {
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
        match brace::expand(parts) {
            Some(words) => {
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
            if field.text.len() > LONGEST {
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
        let ifs = self.shell.text("IFS", self.start);
        if ifs.contains(HOLE) {
            field.push("\0", false);
            return;
        }
        *self.budget = self.budget.saturating_sub(text.len());
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
                Got::List(list) => list.join(" "),
            },
        }
    }

    /// The value of an arithmetic expression.
    pub fn arith(&mut self, text: &str) -> String {
        if text.contains(HOLE) {
            return HOLE.to_string();
        }
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

    fn lookup(&mut self, param: &Param) -> Got {
        let all = |list: Vec<String>| Got::List(list);
        if let Some(index) = &param.index {
            let key = self.single(index);
            let Some(value) = self.shell.get(&param.name, self.start) else {
                return Got::Unset;
            };
            if matches!(key.as_str(), "@" | "*") {
                return all(value.list());
            }
            if key.contains(HOLE) {
                return Got::Text(HOLE.to_string());
            }
            if let Some(element) = value.element(&key) {
                return Got::Text(element.to_owned());
            }
            let key = match self.arith(&key).as_str() {
                number if number.starts_with('-') => {
                    let list = value.list();
                    let back = number[1..].parse::<usize>().unwrap_or(usize::MAX);
                    return list.len().checked_sub(back).map_or(Got::Unset, |at| Got::Text(list[at].clone()));
                }
                number => number.to_owned(),
            };
            return value.element(&key).map_or(Got::Unset, |element| Got::Text(element.to_owned()));
        }
        let positional = &self.shell.positional;
        match param.name.as_str() {
            "@" | "*" => return all(positional.clone()),
            "#" => {
                return Got::Text(if positional.iter().any(|text| text.contains(HOLE)) {
                    HOLE.to_string()
                } else {
                    positional.len().to_string()
                });
            }
            name if name != "0" && name.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => {
                let at: usize = name.parse().unwrap_or(usize::MAX);
                // A hole may be any number of words: from there on nothing is known.
                if positional.iter().take(at).any(|text| text == "\0") {
                    return Got::Text(HOLE.to_string());
                }
                return match positional.get(at - 1) {
                    Some(text) => Got::Text(text.clone()),
                    None => Got::Unset,
                };
            }
            _ => {}
        }
        match self.shell.get(&param.name, self.start) {
            None | Some(Value::Unset) => Got::Unset,
            Some(Value::Text(text)) => Got::Text(text),
            Some(Value::Array(elements)) => match elements.into_iter().next() {
                Some((_, first)) => Got::Text(first),
                None => Got::Unset,
            },
        }
    }

    /// What a parameter expansion gives, and whether a list is joined (`"$*"`).
    fn param(&mut self, param: &Param, quoted: bool) -> (Got, bool) {
        let star = param.name == "*" || matches!(param.index.as_deref(), Some([Part::Text(text)]) if text == "*");
        if param.indirect {
            return (self.indirect(param), star);
        }
        if param.name.is_empty() {
            return (Got::Text(HOLE.to_string()), star);
        }
        let got = self.lookup(param);
        if param.length {
            let text = match got {
                Got::Unset => "0".to_owned(),
                Got::Text(text) if text.contains(HOLE) => HOLE.to_string(),
                Got::Text(text) => text.chars().count().to_string(),
                Got::List(list) if list.iter().any(|text| text.contains(HOLE)) => HOLE.to_string(),
                Got::List(list) => list.len().to_string(),
            };
            return (Got::Text(text), star);
        }
        let got = match &param.op {
            Op::None => got,
            Op::Other(_) => Got::Text(HOLE.to_string()),
            Op::Test { sign, colon, word } => self.test(param, got, (*sign, *colon), word, quoted),
            op => match got {
                Got::Unset => Got::Unset,
                Got::Text(text) => Got::Text(self.change(&text, op)),
                Got::List(list) => match op {
                    Op::Substring { offset, length } => {
                        self.slice(&list, matches!(param.name.as_str(), "@" | "*"), offset, length.as_deref())
                    }
                    op => Got::List(list.iter().map(|text| self.change(text, op)).collect()),
                },
            },
        };
        (got, star)
    }

    fn indirect(&mut self, param: &Param) -> Got {
        let Got::Text(name) = self.lookup(param) else {
            return Got::Text(HOLE.to_string());
        };
        if param.index.is_some()
            || !matches!(param.op, Op::None)
            || name.contains(HOLE)
            || !name.bytes().all(super::parse::name_byte)
        {
            return Got::Text(HOLE.to_string());
        }
        match self.shell.get(&name, self.start) {
            Some(Value::Text(text)) => Got::Text(text),
            None => Got::Unset,
            _ => Got::Text(HOLE.to_string()),
        }
    }

    fn test(&mut self, param: &Param, got: Got, (sign, colon): (u8, bool), word: &[Part], _quoted: bool) -> Got {
        let absent = param.index.is_none()
            && self.shell.absent(&param.name, self.start)
            && !param.name.bytes().all(|byte| byte.is_ascii_digit());
        let set = match &got {
            Got::Unset => Some(false),
            Got::Text(_) if absent => Some(false),
            Got::Text(text) if text == "\0" => None,
            Got::Text(text) => Some(!(colon && text.is_empty())),
            Got::List(list) => Some(!list.is_empty()),
        };
        match (sign, set) {
            (b'+', Some(true)) => self.default(word),
            (b'+', Some(false)) => Got::Unset,
            (b'+', None) => Got::Text(HOLE.to_string()),
            (_, Some(true)) => got,
            (b'?', _) => Got::Text(HOLE.to_string()),
            (b'=', Some(false)) => {
                let text = self.single(word);
                Rc::make_mut(self.shell).set(&param.name, Value::Text(text.clone()), self.start);
                Got::Text(text)
            }
            (_, Some(false)) => self.default(word),
            (_, None) => Got::Text(HOLE.to_string()),
        }
    }

    /// The word behind `:-` or `:+`; a list stays one.
    fn default(&mut self, word: &[Part]) -> Got {
        if let [Part::Param(param, quoted)] = word {
            return self.param(param, *quoted).0;
        }
        Got::Text(self.single(word))
    }

    fn change(&mut self, text: &str, op: &Op) -> String {
        let unknown = || HOLE.to_string();
        if text.contains(HOLE) {
            return unknown();
        }
        match op {
            Op::Trim { suffix, longest, pattern } => {
                let pattern = self.pattern(pattern);
                if pattern.contains(HOLE) {
                    return unknown();
                }
                if !pattern.contains(['*', '?', '[', '\\']) {
                    let cut = if *suffix { text.strip_suffix(&pattern) } else { text.strip_prefix(&pattern) };
                    return cut.unwrap_or(text).to_owned();
                }
                if text.len() > SEARCHED || pattern.len() > SEARCHED {
                    return unknown();
                }
                pattern::trim(text, &pattern, *suffix, *longest).to_owned()
            }
            Op::Replace { all, anchor, pattern, with } => {
                let pattern = self.pattern(pattern);
                let with = self.single(with);
                if pattern.contains(HOLE) || with.contains(HOLE) || with.len() * text.len() > LONGEST {
                    return unknown();
                }
                if *anchor == 0 && !pattern.is_empty() && !pattern.contains(['*', '?', '[', '\\']) {
                    return text.replacen(&pattern, &with, if *all { usize::MAX } else { 1 });
                }
                if text.len() > SEARCHED || pattern.len() > SEARCHED {
                    return unknown();
                }
                pattern::replace(text, &pattern, &with, *all, *anchor)
            }
            Op::Substring { offset, length } => {
                let chars: Vec<char> = text.chars().collect();
                match self.range(chars.len(), offset, length.as_deref()) {
                    Some((from, to)) => chars[from..to].iter().collect(),
                    None => unknown(),
                }
            }
            Op::Case { upper, all } => {
                let mut chars = text.chars();
                let first = chars.next().map(String::from).unwrap_or_default();
                let turn = |text: &str| {
                    if *upper { text.to_uppercase() } else { text.to_lowercase() }
                };
                let rest = chars.as_str();
                format!("{}{}", turn(&first), if *all { turn(rest) } else { rest.to_owned() })
            }
            _ => unknown(),
        }
    }

    fn slice(&mut self, list: &[String], positional: bool, offset: &[Part], length: Option<&[Part]>) -> Got {
        if list.iter().any(|text| text == "\0") {
            return Got::List(vec![HOLE.to_string()]);
        }
        if !positional {
            return match self.range(list.len(), offset, length) {
                Some((from, to)) => Got::List(list[from..to].to_vec()),
                None => Got::List(vec![HOLE.to_string()]),
            };
        }
        // `${@:1}` starts with the first parameter, `${@:0}` with the shell's name.
        match self.range(list.len() + 1, offset, length) {
            Some((0, to)) => {
                Got::List(std::iter::once(HOLE.to_string()).chain(list[..to.saturating_sub(1)].iter().cloned()).collect())
            }
            Some((from, to)) => Got::List(list[from - 1..to.max(from) - 1].to_vec()),
            None => Got::List(vec![HOLE.to_string()]),
        }
    }

    fn range(&mut self, size: usize, offset: &[Part], length: Option<&[Part]>) -> Option<(usize, usize)> {
        let text = self.single(offset);
        let offset: i64 = self.arith(&text).parse().ok()?;
        let size = i64::try_from(size).ok()?;
        let from = if offset < 0 { (size + offset).max(0) } else { offset.min(size) };
        let to = match length {
            None => size,
            Some(length) => {
                let text = self.single(length);
                let length: i64 = self.arith(&text).parse().ok()?;
                if length < 0 { size + length } else { from.saturating_add(length).min(size) }
            }
        };
        Some((usize::try_from(from).ok()?, usize::try_from(to.max(from)).ok()?))
    }
}
