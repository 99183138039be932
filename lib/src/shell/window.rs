//! PowerShell: words of simple commands, with its names for file commands turned into the Unix ones.

use super::command::{HOLE, Redirect, RedirectKind, Word};
use super::flow::unknown_or;
use super::frame::Frame;
use super::machine::Machine;
use super::state::join;
use super::walk::Walker;
use super::world::Worlds;

/// Commands and aliases of PowerShell that lose or move files: name, Unix name.
const NAMES: &[(&str, &str)] = &[
    ("clear-content", "truncate"),
    ("copy", "cp"),
    ("copy-item", "cp"),
    ("cpi", "cp"),
    ("del", "rm"),
    ("erase", "rm"),
    ("mi", "mv"),
    ("move", "mv"),
    ("move-item", "mv"),
    ("rd", "rm"),
    ("remove-item", "rm"),
    ("ren", "mv"),
    ("rename-item", "mv"),
    ("ri", "rm"),
    ("rmdir", "rm"),
];

#[derive(Default)]
struct Simple {
    words: Vec<Word>,
    writes: Vec<Redirect>,
}

/// Walks a PowerShell text: its commands in order, each of which may run or not.
pub(super) fn walk<M: Machine>(
    walker: &mut Walker<'_, M>,
    text: &str,
    mut worlds: Worlds<M::State>,
    frame: &Frame,
) -> Worlds<M::State> {
    for simple in commands(text) {
        if walker.spent("") {
            break;
        }
        worlds = walker.each(worlds, &mut |walker, mut world| {
            let mut command = walker.command(&world, frame, frame.span.unwrap_or((0, text.len())));
            command.redirects.extend(simple.writes.iter().cloned());
            command.words.clone_from(&simple.words);
            let name = simple.words.first().map_or("", Word::text).to_ascii_lowercase();
            if matches!(name.as_str(), "set-location" | "cd" | "sl" | "chdir" | "push-location" | "pushd") {
                let path = simple.words.iter().skip(1).find(|word| !word.text().starts_with('-'));
                let cwd =
                    path.and_then(Word::literal).and_then(|path| join(world.shell.cwd.as_deref(), &path.replace('\\', "/")));
                world.shell().cwd = cwd;
                return vec![world];
            }
            if let Some((_, unix)) = NAMES.iter().find(|(known, _)| *known == name) {
                command.words = unix_words(unix, &simple.words[1..]);
            }
            walker.inside(world, command)
        });
    }
    worlds
}

fn unix_words(unix: &str, args: &[Word]) -> Vec<Word> {
    let mut words = vec![Word::Literal(unix.to_owned())];
    match unix {
        "rm" => words.push(Word::Literal("-rf".to_owned())),
        "truncate" => words.extend(["-s", "0"].map(|text| Word::Literal(text.to_owned()))),
        _ => {}
    }
    let mut at = 0;
    while at < args.len() {
        let text = args[at].text();
        if text.starts_with('-') {
            let name = text.to_ascii_lowercase();
            // Parameters with a value that is not a path to act on.
            if matches!(name.as_str(), "-erroraction" | "-ea" | "-filter" | "-include" | "-exclude") {
                at += 1;
            }
        } else {
            for path in text.split(',').filter(|path| !path.is_empty()) {
                words.push(unknown_or(&path.replace('\\', "/")));
            }
        }
        at += 1;
    }
    words
}

/// Simple commands of a text: separated by `;`, `|`, `&&`, `||`, ends of lines and braces.
fn commands(text: &str) -> Vec<Simple> {
    let mut out: Vec<Simple> = Vec::new();
    let mut current = Simple::default();
    let mut word = String::new();
    let mut open = false;
    let mut write: Option<RedirectKind> = None;
    let mut chars = text.chars().peekable();
    loop {
        let char = chars.next();
        let ends = matches!(char, None | Some(' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' | '{' | '}' | '(' | ')' | '>'));
        if ends && open {
            let target = unknown_or(&std::mem::take(&mut word));
            open = false;
            match write.take() {
                Some(kind) => current.writes.push(Redirect { fd: 1, kind, target }),
                None => current.words.push(target),
            }
        }
        match char {
            None => break,
            Some('\n' | ';' | '|' | '&' | '{' | '}' | '(' | ')') => {
                if !current.words.is_empty() {
                    out.push(std::mem::take(&mut current));
                }
                if out.len() > 2000 {
                    break;
                }
            }
            Some('>') => {
                // 2>&1 and its like: the number before is no word.
                if matches!(current.words.last().and_then(Word::literal), Some("2" | "1" | "*")) {
                    current.words.pop();
                }
                let append = chars.next_if_eq(&'>').is_some();
                if chars.next_if_eq(&'&').is_some() {
                    chars.next();
                } else {
                    write = Some(if append { RedirectKind::Append } else { RedirectKind::Write });
                }
            }
            Some(' ' | '\t' | '\r') => {}
            Some('#') if !open => while chars.next_if(|char| *char != '\n').is_some() {},
            Some('\'') => {
                open = true;
                while let Some(char) = chars.next() {
                    if char == '\'' && chars.next_if_eq(&'\'').is_none() {
                        break;
                    }
                    word.push(char);
                }
            }
            Some('"') => {
                open = true;
                while let Some(char) = chars.next() {
                    match char {
                        '"' => break,
                        '`' => word.extend(chars.next()),
                        '$' => {
                            word.push(HOLE);
                            while chars.next_if(|char| char.is_alphanumeric() || matches!(char, '_' | ':')).is_some() {}
                        }
                        char => word.push(char),
                    }
                }
            }
            Some('`') => {
                if let Some(next) = chars.next()
                    && next != '\n'
                {
                    open = true;
                    word.push(next);
                }
            }
            Some('$') => {
                open = true;
                word.push(HOLE);
                while chars.next_if(|char| char.is_alphanumeric() || matches!(char, '_' | ':')).is_some() {}
            }
            Some(char) => {
                open = true;
                word.push(char);
            }
        }
    }
    if !current.words.is_empty() {
        out.push(current);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split() {
        let all: Vec<Vec<String>> = commands("git reset --hard; if ($x) { Remove-Item -Recurse 'a b' 2>&1 } # c")
            .iter()
            .map(|simple| simple.words.iter().map(|word| word.text().to_owned()).collect())
            .collect();
        assert_eq!(all[0], ["git", "reset", "--hard"]);
        assert_eq!(all.last().map(Vec::as_slice), Some(&["Remove-Item".to_owned(), "-Recurse".to_owned(), "a b".to_owned()][..]));
    }
}
