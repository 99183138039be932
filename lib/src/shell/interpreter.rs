//! Shells and interpreters: where their text comes from.

use super::command::{HOLE, Word};
use super::script::Language;
use super::wrapper::{Inner, options, via};

/// What an interpreter named `program` runs.
pub(super) fn unwrap(program: &str, words: &[Word]) -> Inner {
    if only_checks(program, words) {
        return Inner::Itself;
    }
    match program {
        "ash" | "bash" | "dash" | "ksh" | "mksh" | "rbash" | "sh" | "zsh" | "fish" => shell(program, words),
        "awk" | "gawk" | "mawk" | "nawk" => awk(words),
        "node" | "nodejs" => program_text(Language::Node, words, "ep", &["eval", "print"], "r", &["require", "import", "loader"]),
        "deno" => match words.get(1).map(Word::text) {
            Some("eval") => words.get(2).map_or(Inner::Itself, |word| Inner::Program(Language::Node, word.clone())),
            Some("run") => {
                let at = options(words, 2, "cL", &["config"]);
                words.get(at).map_or(Inner::Itself, |word| Inner::ProgramFile(Language::Node, word.clone()))
            }
            _ => Inner::Itself,
        },
        "perl" => program_text(Language::Perl, words, "eE", &[], "IMm", &[]),
        "ruby" => program_text(Language::Ruby, words, "e", &[], "CEIrW", &["encoding"]),
        "php" => program_text(Language::Php, words, "rR", &["run"], "cdz", &[]),
        "sed" | "gsed" => sed(words),
        "powershell" | "pwsh" => window(program, words),
        "cmd" => {
            match words.iter().position(|word| word.text().eq_ignore_ascii_case("/c") || word.text().eq_ignore_ascii_case("//c"))
            {
                Some(at) if at + 1 < words.len() => Inner::Text(via("cmd"), super::wrapper::joined(&words[at + 1..]), Vec::new()),
                _ => Inner::Itself,
            }
        }
        _ if is_python(program) => program_text(Language::Python, words, "c", &[], "mWXQ", &["check-hash-based-pycs"]),
        _ => Inner::Itself,
    }
}

/// Whether an option asks only for the syntax to be checked: nothing runs.
fn only_checks(program: &str, words: &[Word]) -> bool {
    let (letter, long) = match program {
        "node" | "nodejs" => ("-c", "--check"),
        "perl" | "ruby" => ("-c", "-wc"),
        "php" => ("-l", "--syntax-check"),
        _ => return false,
    };
    let options = words[1..].iter().map_while(|word| word.literal().filter(|text| text.starts_with('-') && *text != "--"));
    options.into_iter().any(|text| text == letter || text == long)
}

fn is_python(program: &str) -> bool {
    let version = program.strip_prefix("python").or_else(|| program.strip_prefix("pypy"));
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'w'))
}

fn shell(program: &str, words: &[Word]) -> Inner {
    let mut at = 1;
    let mut command = false;
    let mut stdin = false;
    while let Some(text) = words.get(at).and_then(Word::literal) {
        if text == "--" || text == "-" {
            at += 1;
            break;
        }
        if let Some(name) = text.strip_prefix("--") {
            at += 1;
            match name {
                "rcfile" | "init-file" => at += 1,
                "command" if program == "fish" => command = true,
                "help" | "version" => return Inner::Itself,
                _ => {}
            }
        } else if (text.starts_with('-') || text.starts_with('+')) && text.len() > 1 {
            at += 1;
            for letter in text[1..].chars() {
                match letter {
                    // It only checks the syntax.
                    'n' if text.starts_with('-') => return Inner::Itself,
                    'c' => command = true,
                    's' => stdin = true,
                    'o' | 'O' => at += 1,
                    _ => {}
                }
            }
        } else {
            break;
        }
    }
    let rest = words.get(at.min(words.len())..).unwrap_or_default();
    let args = |from: usize| rest.get(from..).unwrap_or_default().to_vec();
    if command {
        return match rest.first() {
            Some(text) => Inner::Text(via(&format!("{program} -c")), text.clone(), args(2)),
            None => Inner::Itself,
        };
    }
    match rest.first() {
        Some(path) if !stdin => Inner::File(via(program), path.clone(), args(1)),
        _ => Inner::Stdin(via(program), args(0)),
    }
}

/// Options of an interpreter up to its text: `eval` letters and names bring the text, `valued` ones another value.
fn program_text(language: Language, words: &[Word], eval: &str, eval_long: &[&str], valued: &str, valued_long: &[&str]) -> Inner {
    let mut at = 1;
    let mut texts: Vec<String> = Vec::new();
    while let Some(text) = words.get(at).and_then(Word::literal) {
        if text == "--" {
            at += 1;
            break;
        }
        if let Some(name) = text.strip_prefix("--") {
            at += 1;
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (name, None),
            };
            if matches!(name, "version" | "help") {
                return Inner::Itself;
            }
            if eval_long.contains(&name) {
                match value {
                    Some(value) => texts.push(value.to_owned()),
                    None => {
                        texts.extend(words.get(at).map(|word| word.text().to_owned()));
                        at += 1;
                    }
                }
            } else if valued_long.contains(&name) && value.is_none() {
                at += 1;
            }
        } else if text.starts_with('-') && text.len() > 1 {
            at += 1;
            let letters = &text[1..];
            if let Some(found) = letters.find(|letter| eval.contains(letter) || valued.contains(letter)) {
                let letter = &letters[found..=found];
                let rest = &letters[found + 1..];
                let (value, used) = if rest.is_empty() || (language == Language::Node && eval.contains(letter)) {
                    (words.get(at).map(|word| word.text().to_owned()), 1)
                } else {
                    (Some(rest.to_owned()), 0)
                };
                at += used;
                if eval.contains(letter) {
                    texts.extend(value);
                    if language == Language::Python {
                        break;
                    }
                } else if letter == "m" && language == Language::Python {
                    return Inner::Itself;
                }
            }
        } else {
            break;
        }
    }
    if !texts.is_empty() {
        let text = texts.join("\n");
        return Inner::Program(language, super::flow::unknown_or(&text));
    }
    match words.get(at) {
        None => Inner::ProgramStdin(language),
        Some(word) if word.literal() == Some("-") => Inner::ProgramStdin(language),
        Some(word) => Inner::ProgramFile(language, word.clone()),
    }
}

fn awk(words: &[Word]) -> Inner {
    let at = options(words, 1, "FvfieElE", &["field-separator", "assign", "file", "include", "source"]);
    let file = words[1..at.min(words.len())].iter().position(|word| word.text().starts_with("-f"));
    if let Some(found) = file {
        let word = &words[1 + found];
        let path = match word.text().strip_prefix("-f") {
            Some("") => words.get(2 + found).cloned(),
            Some(path) => Some(Word::Literal(path.to_owned())),
            None => None,
        };
        return path.map_or(Inner::Itself, |path| Inner::ProgramFile(Language::Awk, path));
    }
    match words.get(at) {
        Some(text) => Inner::Program(Language::Awk, text.clone()),
        None => Inner::Itself,
    }
}

fn sed(words: &[Word]) -> Inner {
    let mut texts = Vec::new();
    let mut at = 1;
    let mut first = None;
    while let Some(word) = words.get(at) {
        let text = word.literal().unwrap_or("");
        at += 1;
        if text == "-e" || text == "--expression" {
            texts.extend(words.get(at).map(|word| word.text().to_owned()));
            at += 1;
        } else if let Some(value) = text.strip_prefix("--expression=") {
            texts.push(value.to_owned());
        } else if text == "-f" || text == "--file" {
            return words.get(at).map_or(Inner::Itself, |path| Inner::ProgramFile(Language::Sed, path.clone()));
        } else if text.starts_with('-') && text.len() > 1 {
            if !text.starts_with("--") && !text.starts_with("-i") && text.ends_with('e') {
                texts.extend(words.get(at).map(|word| word.text().to_owned()));
                at += 1;
            }
        } else if first.is_none() {
            first = Some(word.text().to_owned());
        }
    }
    if texts.is_empty() {
        texts.extend(first);
    }
    if texts.is_empty() {
        return Inner::Itself;
    }
    Inner::Program(Language::Sed, super::flow::unknown_or(&texts.join("\n")))
}

fn window(program: &str, words: &[Word]) -> Inner {
    let mut at = 1;
    while let Some(text) = words.get(at).and_then(Word::literal) {
        let Some(name) = text.strip_prefix('-') else {
            break;
        };
        let name = name.to_ascii_lowercase();
        at += 1;
        if !name.is_empty() && ("command".starts_with(&name) || name == "commandwithargs") {
            return if at < words.len() {
                Inner::Window(via(program), super::wrapper::joined(&words[at..]))
            } else {
                Inner::Itself
            };
        }
        if "encodedcommand".starts_with(&name) || name == "ec" {
            let text = words.get(at).and_then(Word::literal).and_then(encoded);
            return Inner::Window(via(program), text.map_or_else(|| Word::Unknown(HOLE.to_string()), Word::Literal));
        }
        if matches!(
            name.as_str(),
            "executionpolicy"
                | "ep"
                | "ex"
                | "file"
                | "f"
                | "outputformat"
                | "inputformat"
                | "version"
                | "windowstyle"
                | "w"
                | "workingdirectory"
                | "wd"
                | "configurationname"
        ) {
            at += 1;
        }
    }
    if at < words.len() && program == "powershell" {
        return Inner::Window(via(program), super::wrapper::joined(&words[at..]));
    }
    Inner::Itself
}

/// `-EncodedCommand`: base64 of UTF-16.
fn encoded(text: &str) -> Option<String> {
    let bytes = super::output::base64(text)?;
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    Some(String::from_utf16_lossy(&units).replace(HOLE, ""))
}
