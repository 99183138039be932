//! What simple programs print when their input is known.

use super::command::{Command, HOLE, Known, Stdin, Word};
use super::format::{echo, join_words, printf, unescape};
use super::pattern::has;
use super::state::join;
use super::world::LONGEST;

/// What a command prints without a file being read; `None` where not all of it is known.
#[must_use]
pub fn prints(command: &Command) -> Known {
    known(command, &mut |_| None).filter(|text| !text.contains(HOLE))
}

/// What a command prints; `None` where it is not known. A known text may have holes.
pub(super) fn known(command: &Command, file: &mut dyn FnMut(&str) -> Known) -> Option<String> {
    let program = command.program()?;
    let args = &command.words[1..];
    let text = match program {
        "echo" => echo(args),
        "printf" if args.first().is_some_and(|word| word.text() == "-v") => String::new(),
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
            let input = input(program, command, file)?;
            filter(program, args, &input)?
        }
        _ => return None,
    };
    (text.len() <= LONGEST).then_some(text)
}

/// What a filter reads: its files, or its input.
fn input(program: &str, command: &Command, file: &mut dyn FnMut(&str) -> Known) -> Option<String> {
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
            text.push_str(&file(&join(command.cwd.as_deref(), path)?)?);
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
                || has(from, b"\\[.*^$")
                || has(to, b"\\&")
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
    if step <= 0 || to.saturating_sub(from) / step > 256 {
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
        known(&command, &mut |_| None)
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
