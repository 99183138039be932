//! Integer arithmetic as in `$(( ))`.

/// Nesting of parentheses and signs.
const DEEPEST: u32 = 32;

/// The value of an expression and the variables it sets; `None` where a value is not known.
pub(super) fn evaluate(text: &str, lookup: impl Fn(&str) -> Option<i64>) -> (Option<i64>, Vec<(String, Option<i64>)>) {
    let mut reader = Reader { text: text.trim_ascii(), lookup, set: Vec::new(), depth: 0 };
    let value = reader.comma();
    if reader.text.is_empty() {
        return (value, reader.set);
    }
    // Not understood: whatever it sets is not known.
    let set = reader.set.into_iter().map(|(name, _)| (name, None)).collect();
    (None, set)
}

struct Reader<'t, F> {
    /// What is still to be read; no blank first.
    text: &'t str,
    lookup: F,
    set: Vec<(String, Option<i64>)>,
    depth: u32,
}

/// Binary operators, the tightest last; longer spellings first within a level.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl<'t, F: Fn(&str) -> Option<i64>> Reader<'t, F> {
    fn go_to(&mut self, rest: &'t str) {
        self.text = rest.trim_ascii_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        let rest = self.text.strip_prefix(token);
        if let Some(rest) = rest {
            self.go_to(rest);
        }
        rest.is_some()
    }

    fn comma(&mut self) -> Option<i64> {
        let mut value = self.choice();
        while self.eat(",") {
            value = self.choice();
        }
        value
    }

    fn choice(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let cond = self.level(0);
        let value = if self.eat("?") {
            let yes = self.choice();
            if !self.eat(":") {
                return None;
            }
            let no = self.choice();
            if cond? != 0 { yes } else { no }
        } else {
            cond
        };
        self.depth -= 1;
        value
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        let text = self.text;
        for token in LEVELS[level] {
            if let Some(rest) = text.strip_prefix(token) {
                let next = rest.bytes().next();
                // Part of a longer operator or an assignment.
                let longer = match *token {
                    "|" | "&" | "<" | ">" => next == Some(token.as_bytes()[0]) || next == Some(b'='),
                    "==" | "!=" | "||" | "&&" | "<=" | ">=" => false,
                    "*" => matches!(next, Some(b'*' | b'=')),
                    _ => next == Some(b'='),
                };
                if !longer {
                    self.go_to(rest);
                    return Some(token);
                }
            }
        }
        None
    }

    fn level(&mut self, level: usize) -> Option<i64> {
        if level == LEVELS.len() {
            return self.power();
        }
        let mut left = self.level(level + 1);
        while let Some(token) = self.operator(level) {
            let right = self.level(level + 1);
            left = apply(token, left, right);
        }
        left
    }

    fn power(&mut self) -> Option<i64> {
        let base = self.unary();
        if self.eat("**") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return None;
            }
            let exponent = self.power();
            self.depth -= 1;
            return base?.checked_pow(u32::try_from(exponent?).ok()?);
        }
        base
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = if self.eat("++") || self.eat("--") {
            let name = self.name()?;
            self.set.push((name.to_owned(), None));
            None
        } else if self.eat("!") {
            self.unary().map(|value| i64::from(value == 0))
        } else if self.eat("~") {
            self.unary().map(|value| !value)
        } else if self.eat("-") {
            self.unary().and_then(i64::checked_neg)
        } else if self.eat("+") {
            self.unary()
        } else {
            self.primary()
        };
        self.depth -= 1;
        value
    }

    fn name(&mut self) -> Option<&'t str> {
        let text = self.text;
        let end = text.bytes().position(|byte| !super::parse::name_byte(byte)).unwrap_or(text.len());
        if end == 0 || text.as_bytes()[0].is_ascii_digit() {
            return None;
        }
        self.go_to(&text[end..]);
        Some(&text[..end])
    }

    fn primary(&mut self) -> Option<i64> {
        if self.eat("(") {
            let value = self.comma();
            return if self.eat(")") { value } else { None };
        }
        let text = self.text;
        if text.starts_with(|char: char| char.is_ascii_digit()) {
            let end = text.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'#').unwrap_or(text.len());
            self.go_to(&text[end..]);
            return number(&text[..end]);
        }
        let name = self.name()?;
        let old = self.set.iter().rev().find(|(set, _)| set == name).map_or_else(|| (self.lookup)(name), |(_, value)| *value);
        if self.eat("++") {
            self.set.push((name.to_owned(), old.and_then(|value| value.checked_add(1))));
            return old;
        }
        if self.eat("--") {
            self.set.push((name.to_owned(), old.and_then(|value| value.checked_sub(1))));
            return old;
        }
        for token in ["+=", "-=", "*=", "/=", "%=", "="] {
            if !self.text.starts_with("==") && self.eat(token) {
                let right = self.choice();
                let value = if token == "=" { right } else { apply(&token[..1], old, right) };
                self.set.push((name.to_owned(), value));
                return value;
            }
        }
        old
    }
}

fn number(text: &str) -> Option<i64> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return i64::from_str_radix(digits, 16).ok();
    }
    if let Some((base, digits)) = text.split_once('#') {
        let base = base.parse().ok().filter(|base| (2..=36).contains(base))?;
        return i64::from_str_radix(digits, base).ok();
    }
    if text.len() > 1 && text.starts_with('0') {
        return i64::from_str_radix(text, 8).ok();
    }
    text.parse().ok()
}

fn apply(token: &str, left: Option<i64>, right: Option<i64>) -> Option<i64> {
    let (left, right) = (left?, right?);
    Some(match token {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<<" => left.checked_shl(u32::try_from(right).ok()?)?,
        ">>" => left.checked_shr(u32::try_from(right).ok()?)?,
        "+" => left.checked_add(right)?,
        "-" => left.checked_sub(right)?,
        "*" => left.checked_mul(right)?,
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_bashs() {
        for (text, want) in [
            ("1+2*3", Some(7)),
            ("(1 + 2) * 3", Some(9)),
            ("1<<2", Some(4)),
            ("2**3**2", Some(512)),
            ("x+1", Some(6)),
            ("x == 5 && 1", Some(1)),
            ("-x", Some(-5)),
            ("0x10 + 010", Some(24)),
            ("y", None),
            ("1/0", None),
            ("x > 3 ? 7 : 8", Some(7)),
            ("x = 2, x * 2", Some(4)),
            ("$", None),
            ("", None),
        ] {
            let (value, _) = evaluate(text, |name| (name == "x").then_some(5));
            assert_eq!(value, want, "{text}");
        }
    }

    #[test]
    fn assignments_are_told() {
        let (value, set) = evaluate("i++", |_| Some(1));
        assert_eq!((value, set), (Some(1), vec![("i".to_owned(), Some(2))]));
    }

    #[test]
    fn deep_nesting_ends() {
        let text = "(".repeat(100_000);
        assert_eq!(evaluate(&text, |_| None).0, None);
    }
}
