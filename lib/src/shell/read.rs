//! `read`, `mapfile`, `getopts`: variables from input.

use super::command::{Command, HOLE, Stdin, Word};
use super::machine::Start;
use super::value::Value;
use super::world::World;

/// Sets what the command reads; gives its status.
pub(super) fn read<S>(name: &str, world: &mut World<S>, command: &Command, start: &Start) -> Option<bool> {
    let words = &command.words;
    let valued = if name == "read" { "adinNptu" } else { "cCdnOsu" };
    let mut at = 1;
    let mut array = false;
    let mut other_input = false;
    let mut delimiter = '\n';
    let mut raw = false;
    while let Some(text) = words.get(at).and_then(Word::literal) {
        if !text.starts_with('-') || text.len() < 2 {
            break;
        }
        at += 1;
        if text == "--" {
            break;
        }
        for (index, letter) in text.char_indices().skip(1) {
            raw |= letter == 'r';
            if valued.contains(letter) {
                let rest = &text[index + 1..];
                let value = if rest.is_empty() { words.get(at).map_or("", Word::text) } else { rest };
                match letter {
                    'a' if name == "read" => {
                        array = true;
                        if rest.is_empty() {
                            break;
                        }
                    }
                    'd' => delimiter = value.chars().next().unwrap_or(HOLE),
                    'n' | 'N' | 'u' | 's' | 'O' => other_input = true,
                    _ => {}
                }
                if rest.is_empty() {
                    at += 1;
                }
                break;
            }
        }
    }
    let names: Vec<String> =
        words.get(at.min(words.len())..).unwrap_or_default().iter().filter_map(Word::literal).map(str::to_owned).collect();
    if name == "getopts" {
        for variable in names.iter().skip(1).take(1).map(String::as_str).chain(["OPTARG", "OPTIND"]) {
            world.shell().set(variable, Value::unknown(), start);
        }
        return None;
    }
    let text = match &command.stdin {
        Stdin::Text(text) if !other_input => Some(text.as_str()),
        _ => None,
    };
    if name != "read" {
        let variable = names.first().map_or("MAPFILE", String::as_str);
        let value = match text {
            Some(text) => {
                // Without -t each line keeps its end.
                let cut = words.iter().any(|word| word.text().starts_with('-') && word.text().contains('t'));
                let lines = if cut {
                    text.lines().map(str::to_owned).collect()
                } else {
                    text.split_inclusive('\n').map(str::to_owned).collect()
                };
                Value::indexed(lines)
            }
            None => Value::unknown(),
        };
        world.shell().set(variable, value, start);
        return Some(true);
    }
    let Some(text) = text else {
        let default = if names.is_empty() { vec!["REPLY".to_owned()] } else { names };
        for variable in default {
            world.shell().set(&variable, Value::unknown(), start);
        }
        return None;
    };
    let ended = text.contains(delimiter);
    let line = text.split(delimiter).next().unwrap_or("");
    let line = if raw { line.to_owned() } else { line.replace('\\', "") };
    let ifs = world.shell.text("IFS", start);
    let separates = |char: char| ifs.contains(char);
    if array {
        let variable = names.first().map_or("REPLY", String::as_str);
        let value = Value::indexed(line.split(separates).filter(|field| !field.is_empty()).map(str::to_owned).collect());
        world.shell().set(variable, value, start);
    } else if names.is_empty() {
        world.shell().set("REPLY", Value::Text(line.clone()), start);
    } else {
        let mut rest = line.trim_matches(|char: char| separates(char) && char.is_whitespace());
        for (index, variable) in names.iter().enumerate() {
            let value = if index + 1 == names.len() {
                rest
            } else {
                let (field, tail) = rest.split_once(separates).unwrap_or((rest, ""));
                rest = tail.trim_start_matches(|char: char| separates(char) && char.is_whitespace());
                field
            };
            // Behind a hole, which field a text is in is not known.
            let value = if line.contains(HOLE) { Value::unknown() } else { Value::Text(value.to_owned()) };
            world.shell().set(variable, value, start);
        }
    }
    if line.contains(HOLE) { None } else { Some(ended) }
}
