//! What a parameter expansion gives: `$x`, `${x...}`.

use super::command::HOLE;
use super::expand::Expander;
use super::pattern::{self, SEARCHED, has};
use super::tree::{Op, Param, Part};
use super::value::Value;
use super::world::LONGEST;
use std::rc::Rc;

/// What an element of a list costs of the budget for texts, in bytes.
const ELEMENT: usize = 64;

/// What a parameter stands for.
pub(super) enum Got {
    Unset,
    Text(String),
    /// One of the names that match a pattern.
    Glob(String),
    List(Vec<String>),
}

impl Expander<'_> {
    /// Pays for a list of so many elements; false if too many were made.
    fn pay_list(&mut self, count: usize) -> bool {
        let cost = count * ELEMENT;
        let paid = cost <= *self.budget;
        *self.budget -= if paid { cost } else { 0 };
        paid
    }

    fn lookup(&mut self, param: &Param) -> Got {
        let all = |list: Vec<String>| Got::List(list);
        let count = match (&param.index, self.shell.vars.get(&param.name).map(|var| &var.value)) {
            (Some(_), Some(Value::Array(elements))) => elements.len(),
            (None, _) if matches!(param.name.as_str(), "@" | "*") => self.shell.positional.len(),
            _ => 0,
        };
        if !self.pay_list(count) {
            return all(vec![HOLE.to_string()]);
        }
        if let Some(index) = &param.index {
            let key = self.single(index);
            let every = matches!(key.as_str(), "@" | "*");
            let Some(value) = self.shell.get(&param.name, self.start) else {
                return if every { all(Vec::new()) } else { Got::Unset };
            };
            if every {
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
            Some(Value::Glob(pattern)) => Got::Glob(pattern),
            Some(Value::Array(elements)) => match elements.into_iter().next() {
                Some((_, first)) => Got::Text(first),
                None => Got::Unset,
            },
        }
    }

    /// What a parameter expansion gives, and whether a list is joined (`"$*"`).
    pub(super) fn param(&mut self, param: &Param, quoted: bool) -> (Got, bool) {
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
                Got::Glob(_) => HOLE.to_string(),
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
                Got::Glob(_) => Got::Text(HOLE.to_string()),
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
            Got::Glob(_) => Some(true),
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

    /// Pays for a search of `pattern` in `text`; false if that would be too long.
    fn search(&mut self, text: &str, pattern: &str) -> bool {
        let cost = (text.len() + 8) * (text.len() + pattern.len());
        if text.len() > SEARCHED || pattern.len() > SEARCHED || cost > *self.budget {
            return false;
        }
        *self.budget -= cost;
        true
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
                if !has(&pattern, b"*?[\\") {
                    let cut = if *suffix { text.strip_suffix(&pattern) } else { text.strip_prefix(&pattern) };
                    return cut.unwrap_or(text).to_owned();
                }
                if !self.search(text, &pattern) {
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
                if *anchor == 0 && !pattern.is_empty() && !has(&pattern, b"*?[\\") {
                    return text.replacen(&pattern, &with, if *all { usize::MAX } else { 1 });
                }
                if !self.search(text, &pattern) {
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
            Op::Quote => format!("'{}'", text.replace('\'', "'\\''")),
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
