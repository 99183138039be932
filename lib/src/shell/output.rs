//! What simple programs print when their input is known.

use super::command::{Command, HOLE, Known, Stdin, Word};
use super::state::join;
use super::world::LONGEST;
use std::collections::BTreeMap;

/// What a command prints; `None` where it is not known. A known text may have holes.
pub(super) fn known(command: &Command, files: &BTreeMap<String, Known>) -> Option<String> {
    let program = command.program()?;
    let args = &command.words[1..];
    let text = match program {
        "echo" => echo(args),
        "printf" => printf(args)?,
        "basename" => {
            let [path, rest @ ..] = args else { return None };
            let name = path.literal()?.trim_end_matches('/').rsplit('/').next()?;
            let name = rest.first().and_then(Word::literal).and_then(|end| name.strip_suffix(end)).unwrap_or(name);
            format!("{name}\n")
        }
        "dirname" => {
            let path = args.first()?.literal()?.trim_end_matches('/');
            format!("{}\n", path.rsplit_once('/').map_or(".", |(head, _)| if head.is_empty() { "/" } else { head }))
        }
        "command" | "which" | "type" => which(args)?,
        "find" => printed(args)?,
        "seq" => seq(args)?,
        "yes" => format!("{}\n", if args.is_empty() { "y".to_owned() } else { join_words(args) }),
        "cat" | "tac" | "rev" | "tr" | "base64" | "tee" | "head" | "tail" | "sort" | "xxd" | "sed" => {
            let input = input(program, command, files)?;
            filter(program, args, &input)?
        }
        _ => return None,
    };
    (text.len() <= LONGEST).then_some(text)
}

/// What a filter reads: its files, or its input.
fn input(program: &str, command: &Command, files: &BTreeMap<String, Known>) -> Option<String> {
    let mut operands: Vec<&str> = Vec::new();
    for word in &command.words[1..] {
        match word.literal() {
            Some("-") | None => {}
            Some(text) if text.starts_with('-') => {}
            Some(text) => operands.push(text),
        }
    }
    let reads = matches!(program, "cat" | "tac" | "rev" | "base64" | "sort");
    if reads && !operands.is_empty() {
        let mut text = String::new();
        for path in operands {
            text.push_str(files.get(&join(command.cwd.as_deref(), path)?)?.as_deref()?);
            if text.len() > LONGEST {
                return None;
            }
        }
        return Some(text);
    }
    match &command.stdin {
        Stdin::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn filter(program: &str, args: &[Word], input: &str) -> Option<String> {
    let option = |name: &str| args.iter().any(|word| word.text() == name);
    Some(match program {
        "cat" if args.iter().all(|word| !word.text().starts_with('-') || matches!(word.text(), "-" | "-u" | "--")) => {
            input.to_owned()
        }
        "tee" => input.to_owned(),
        "rev" => input
            .split_inclusive('\n')
            .flat_map(|line| {
                let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
                body.chars().rev().chain(end.chars()).collect::<Vec<char>>()
            })
            .collect(),
        "tac" if !input.contains(HOLE) => input.split_inclusive('\n').rev().collect(),
        "base64" if ["-d", "-D", "--decode", "-di"].into_iter().any(option) => {
            String::from_utf8(base64(input)?).ok()?.replace(HOLE, "")
        }
        "xxd" if args.iter().any(|word| word.text().contains('r')) && args.iter().any(|word| word.text().contains('p')) => {
            let digits: Vec<u32> = input.chars().filter_map(|char| char.to_digit(16)).collect();
            let bytes = digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap_or(0)).collect();
            String::from_utf8(bytes).ok()?.replace(HOLE, "")
        }
        "tr" => tr(args, input)?,
        "head" | "tail" | "sort" if input.lines().count() <= 1 && !input.contains(HOLE) => input.to_owned(),
        "head" if args.is_empty() && !input.contains(HOLE) => input.split_inclusive('\n').take(10).collect(),
        "head" => {
            let count: usize = match args {
                [one] => one.literal()?.trim_start_matches("-n").trim_start_matches('-').parse().ok()?,
                [flag, count] if flag.text() == "-n" => count.literal()?.parse().ok()?,
                _ => return None,
            };
            input.split_inclusive('\n').take(count).collect()
        }
        "sed" => {
            // Only the plain form: sed s/text/text/[g].
            let [script] = args else { return None };
            let script = script.literal()?.strip_prefix('s')?;
            let mark = script.chars().next()?;
            let mut pieces = script[mark.len_utf8()..].split(mark);
            let (from, to, flags) = (pieces.next()?, pieces.next()?, pieces.next()?);
            if from.is_empty()
                || from.contains(['\\', '[', '.', '*', '^', '$'])
                || to.contains(['\\', '&'])
                || !matches!(flags, "" | "g")
                || pieces.next().is_some()
            {
                return None;
            }
            let count = if flags == "g" { usize::MAX } else { 1 };
            if input.len() * (to.len() + 1) > LONGEST {
                return None;
            }
            input.split_inclusive('\n').map(|line| line.replacen(from, to, count)).collect()
        }
        _ => return None,
    })
}

fn join_words(words: &[Word]) -> String {
    let texts: Vec<&str> = words
        .iter()
        .map(|word| match word {
            Word::Literal(text) | Word::Unknown(text) => text.as_str(),
            // Names of files that may match.
            Word::Glob(_) => "\0",
        })
        .collect();
    texts.join(" ")
}

fn echo(args: &[Word]) -> String {
    let mut at = 0;
    let (mut newline, mut escapes) = (true, false);
    while let Some(text) = args.get(at).and_then(Word::literal) {
        if text.len() < 2 || !text.starts_with('-') || !text[1..].bytes().all(|byte| matches!(byte, b'n' | b'e' | b'E')) {
            break;
        }
        for letter in text[1..].chars() {
            match letter {
                'n' => newline = false,
                'e' => escapes = true,
                _ => escapes = false,
            }
        }
        at += 1;
    }
    let mut text = join_words(&args[at..]);
    if escapes {
        let (decoded, stopped) = unescape(&text, true);
        text = decoded;
        newline &= !stopped;
    }
    if newline {
        text.push('\n');
    }
    text
}

/// Decodes backslashes as `printf` (and `echo -e`) does; whether `\c` stopped the output.
fn unescape(text: &str, echo: bool) -> (String, bool) {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        let Some(next) = chars.next() else {
            out.push('\\');
            break;
        };
        let mut number = |base: u32, most: usize, first: u32| {
            let mut value = first;
            for _ in 0..most {
                let Some(digit) = chars.peek().and_then(|char| char.to_digit(base)) else {
                    break;
                };
                value = value.wrapping_mul(base).wrapping_add(digit);
                chars.next();
            }
            value
        };
        let code = match next {
            'a' => 7,
            'b' => 8,
            'c' if echo => return (out, true),
            'e' | 'E' => 27,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            '\\' => 92,
            '0' => number(8, 3, 0),
            digit @ '1'..='7' if !echo => number(8, 2, digit.to_digit(8).unwrap_or(0)),
            'x' => number(16, 2, 0),
            'u' => number(16, 4, 0),
            'U' => number(16, 8, 0),
            other => {
                out.push('\\');
                out.push(other);
                continue;
            }
        };
        if let Some(char) = char::from_u32(code).filter(|char| *char != HOLE) {
            out.push(char);
        }
    }
    (out, false)
}

/// `printf format arguments`; `None` where the format is not known or has something rare.
pub(super) fn printf(args: &[Word]) -> Option<String> {
    let args = if args.first().and_then(Word::literal) == Some("--") { &args[1..] } else { args };
    let (format, args) = args.split_first()?;
    let format = format.text();
    let values: Vec<&str> = args
        .iter()
        .map(|word| match word {
            Word::Glob(_) => "\0",
            word => word.text(),
        })
        .collect();
    let mut out = String::new();
    let mut next = 0;
    loop {
        let before = next;
        let mut chars = format.char_indices();
        let mut from = 0;
        while let Some((index, char)) = chars.next() {
            if char == '\\' {
                chars.next();
                continue;
            }
            if char != '%' {
                continue;
            }
            out.push_str(&unescape(&format[from..index], false).0);
            let (end, kind) = chars.find(|(_, char)| char.is_ascii_alphabetic() || *char == '%')?;
            let flags = &format[index + 1..end];
            from = end + kind.len_utf8();
            if kind == '%' {
                out.push('%');
                continue;
            }
            let value = values.get(next).copied().unwrap_or("");
            next += 1;
            match kind {
                _ if value.contains(HOLE) => out.push_str(value),
                's' if flags.is_empty() => out.push_str(value),
                'b' if flags.is_empty() => out.push_str(&unescape(value, true).0),
                'q' => quote(&Word::Literal(value.to_owned()), &mut out),
                'c' => out.extend(value.chars().next()),
                'd' | 'i' if flags.is_empty() => out.push_str(&value.parse::<i64>().unwrap_or(0).to_string()),
                _ => out.push(HOLE),
            }
        }
        out.push_str(&unescape(format.get(from..)?, false).0);
        if next >= values.len() || next == before || out.len() > LONGEST {
            break;
        }
    }
    Some(out)
}

/// `which git`, `command -v git`: a name that stands for the program.
fn which(args: &[Word]) -> Option<String> {
    let names: Vec<&str> = args.iter().filter_map(Word::literal).filter(|text| !text.starts_with('-')).collect();
    match names.as_slice() {
        [name] => Some(format!("{name}\n")),
        _ => None,
    }
}

/// `find -printf` with a text that names nothing of the file.
fn printed(args: &[Word]) -> Option<String> {
    let at = args.iter().position(|word| word.text() == "-printf")?;
    let format = args.get(at + 1)?.literal()?;
    (!format.contains('%')).then(|| unescape(format, false).0)
}

fn seq(args: &[Word]) -> Option<String> {
    let numbers: Option<Vec<i64>> = args.iter().map(|word| word.literal()?.parse().ok()).collect();
    let (from, step, to) = match numbers?.as_slice() {
        [to] => (1, 1, *to),
        [from, to] => (*from, 1, *to),
        [from, step, to] => (*from, *step, *to),
        _ => return None,
    };
    if step <= 0 || to.saturating_sub(from) / step > 1000 {
        return None;
    }
    let mut out = String::new();
    let mut value = from;
    while value <= to {
        out.push_str(&value.to_string());
        out.push('\n');
        value = value.checked_add(step)?;
    }
    Some(out)
}

fn tr(args: &[Word], input: &str) -> Option<String> {
    let delete = args.first()?.text() == "-d";
    let sets: Option<Vec<Vec<char>>> = args.iter().skip(usize::from(delete)).map(|word| set(word.literal()?)).collect();
    let sets = sets?;
    match (delete, sets.as_slice()) {
        (true, [gone]) => Some(input.chars().filter(|char| !gone.contains(char)).collect()),
        (false, [from, to]) if !to.is_empty() => Some(
            input
                .chars()
                .map(|char| match from.iter().position(|old| *old == char) {
                    Some(at) => *to.get(at).or(to.last()).unwrap_or(&char),
                    None => char,
                })
                .collect(),
        ),
        _ => None,
    }
}

fn set(text: &str) -> Option<Vec<char>> {
    let text = match text {
        "[:lower:]" => "a-z",
        "[:upper:]" => "A-Z",
        text if text.starts_with('-') || text.contains("[:") => return None,
        text => text,
    };
    let chars: Vec<char> = unescape(text, false).0.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if chars.get(at + 1) == Some(&'-') && at + 2 < chars.len() {
            out.extend((chars[at]..=chars[at + 2]).take(256));
            at += 3;
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    Some(out)
}

/// The bytes of a base64 text; characters that are not of it are skipped, as a lenient decoder does.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            0 => return None,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(out)
}

/// Adds a word to a shell text so that it is read as that word again.
pub(super) fn quote(word: &Word, out: &mut String) {
    match word {
        Word::Literal(text) => {
            out.push('\'');
            out.push_str(&text.replace('\'', "'\\''"));
            out.push('\'');
        }
        Word::Glob(text) | Word::Unknown(text) => out.push_str(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str], stdin: &str) -> Option<String> {
        let command = Command {
            words: words.iter().map(|text| Word::Literal((*text).to_owned())).collect(),
            stdin: Stdin::Text(stdin.to_owned()),
            ..Command::default()
        };
        known(&command, &BTreeMap::new())
    }

    #[test]
    fn prints_what_the_programs_print() {
        for (words, stdin, want) in [
            (&["echo", "-n", "a", "b"][..], "", Some("a b")),
            (&["echo", "-e", "a\\tb"], "", Some("a\tb\n")),
            (&["printf", "%s %s\\n", "a", "b", "c"], "", Some("a b\nc \n")),
            (&["printf", "100%%\\n"], "", Some("100%\n")),
            (&["base64", "-d"], "Z2l0Cg==", Some("git\n")),
            (&["rev"], "tig\nsl", Some("git\nls")),
            (&["tr", "a-c", "A-C"], "abcd", Some("ABCd")),
            (&["tr", "-d", "x"], "gxit", Some("git")),
            (&["dirname", "/a/b"], "", Some("/a\n")),
            (&["basename", "/a/b.c", ".c"], "", Some("b\n")),
            (&["seq", "3"], "", Some("1\n2\n3\n")),
            (&["which", "git"], "", Some("git\n")),
            (&["sed", "s/x/i/g"], "gxt\n", Some("git\n")),
            (&["date"], "", None),
        ] {
            assert_eq!(run(words, stdin).as_deref(), want, "{words:?}");
        }
    }
}
