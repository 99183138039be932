//! Programs that run a command for each of many items: `xargs`, `parallel`, `find`, `fd`.

use super::command::{Command, HOLE, Stdin, Word};
use super::flow::unknown_or;
use super::machine::Machine;
use super::walk::Walker;
use super::world::{World, Worlds};
use super::wrapper::{Feed, Inner, joined, options, via};

/// Items of `xargs` and `parallel` that are followed one by one.
const ITEMS: usize = 64;

impl<M: Machine> Walker<'_, M> {
    /// `xargs` and `parallel`.
    pub fn feed(&mut self, feed: &Feed, world: World<M::State>, command: &Command) -> Worlds<M::State> {
        let input = match &feed.file {
            Some(path) => self.file_text(&world, command, path).map_or(Stdin::Unknown, Stdin::Text),
            None => command.stdin.clone(),
        };
        let items = feed.items.clone().or_else(|| items(feed, &input));
        let via = if feed.shell { "parallel" } else { "xargs" };
        let mut inner = command.clone();
        inner.via.push(via.to_owned());
        inner.stdin = Stdin::Text(String::new());
        let hole = || Word::Unknown(HOLE.to_string());
        let batches: Vec<Vec<Word>> = match (items, &feed.replace) {
            (None, _) => vec![vec![hole()]],
            (Some(items), Some(_)) if items.len() <= ITEMS => items.into_iter().map(|item| vec![item]).collect(),
            (Some(items), None) => match feed.most {
                Some(most) if most > 0 && items.len() > most => items.chunks(most).take(ITEMS).map(<[Word]>::to_vec).collect(),
                _ => vec![items],
            },
            _ => vec![vec![hole()]],
        };
        let mut worlds = vec![world];
        for batch in batches {
            self.copy(feed.words.len() + batch.len());
            worlds = self.each(worlds, &mut |walker, world| {
                let mut words = Vec::new();
                match &feed.replace {
                    Some(name) => {
                        let item = batch.first().map_or("", Word::text);
                        let mut used = false;
                        for word in &feed.words {
                            used |= word.text().contains(name.as_str());
                            words.push(if word.text().contains(name.as_str()) {
                                unknown_or(&word.text().replace(name.as_str(), item))
                            } else {
                                word.clone()
                            });
                        }
                        if feed.shell
                            && !used
                            && let Some(word) = words.first_mut()
                        {
                            *word = Word::Unknown(format!("{} {item}", word.text()).trim_start().to_owned());
                        }
                    }
                    None => {
                        words.clone_from(&feed.words);
                        words.extend(batch.iter().cloned());
                    }
                }
                if feed.shell {
                    let text = words.first().map_or("", Word::text).to_owned();
                    let mut inner = inner.clone();
                    inner.via.pop();
                    return walker.child(world, &text, Vec::new(), &inner, via);
                }
                let mut inner = inner.clone();
                inner.words = words;
                walker.inside(world, inner)
            });
        }
        worlds
    }
}

/// The items on `xargs`'s input; `None`: not known.
fn items(feed: &Feed, stdin: &Stdin) -> Option<Vec<Word>> {
    let Stdin::Text(text) = stdin else {
        return None;
    };
    let by = |mark: char| text.split(mark).filter(|item| !item.is_empty()).map(unknown_or).collect();
    Some(match (feed.delimiter, feed.shell || feed.replace.is_some()) {
        // What separates NUL items is lost to a hole, so they are not known.
        (Some('\0'), _) if text.contains(HOLE) => return None,
        (Some(mark), _) => by(mark),
        (None, true) => text.lines().map(|line| unknown_or(line.trim_start())).collect(),
        (None, false) => super::environment::split(&Word::Unknown(text.clone())),
    })
}

/// `xargs [options] command ...`
pub(super) fn xargs(words: &[Word]) -> Inner {
    let mut feed = Feed::default();
    let mut at = 1;
    while let Some(text) = words.get(at).and_then(Word::literal) {
        if text == "--" {
            at += 1;
            break;
        }
        if !text.starts_with('-') || text.len() < 2 {
            break;
        }
        let next = words.get(at + 1).map(Word::text);
        let (letter, value, used) = if let Some(name) = text.strip_prefix("--") {
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (name, None),
            };
            let letter = match name {
                "null" => '0',
                "arg-file" => 'a',
                "delimiter" => 'd',
                "eof" => 'e',
                "max-args" => 'n',
                "max-chars" => 's',
                "max-lines" => 'l',
                "max-procs" => 'P',
                "process-slot-var" => 'p',
                "replace" => 'i',
                _ => ' ',
            };
            let takes = matches!(letter, 'a' | 'd' | 'n' | 's' | 'P') && value.is_none();
            (letter, if takes { next } else { value }, usize::from(takes))
        } else {
            let letters = &text[1..];
            match letters.find(|letter| "EILPadnsielJR".contains(letter)) {
                Some(found) => {
                    feed.delimiter = if letters[..found].contains('0') { Some('\0') } else { feed.delimiter };
                    let letter = letters[found..].chars().next().unwrap_or(' ');
                    let rest = &letters[found + 1..];
                    let optional = matches!(letter, 'i' | 'e' | 'l');
                    if rest.is_empty() && !optional {
                        (letter, next, 1)
                    } else {
                        (letter, Some(rest).filter(|rest| !rest.is_empty()), 0)
                    }
                }
                None if letters.contains('0') => ('0', None, 0),
                None => (' ', None, 0),
            }
        };
        match letter {
            '0' => feed.delimiter = Some('\0'),
            'a' => feed.file = value.map(|path| Word::Literal(path.to_owned())),
            'd' => feed.delimiter = value.and_then(delimiter),
            'I' | 'J' => feed.replace = value.map(str::to_owned),
            'i' => feed.replace = Some(value.unwrap_or("{}").to_owned()),
            'L' | 'n' => feed.most = value.and_then(|value| value.parse().ok()),
            'l' => feed.most = Some(value.and_then(|value| value.parse().ok()).unwrap_or(1)),
            _ => {}
        }
        at += 1 + used;
    }
    if at >= words.len() {
        return Inner::Itself;
    }
    feed.words = words[at..].to_vec();
    Inner::Feed(feed)
}

fn delimiter(text: &str) -> Option<char> {
    match text {
        "\\n" => Some('\n'),
        "\\0" => Some('\0'),
        "\\t" => Some('\t'),
        text => text.chars().next(),
    }
}

/// `parallel [options] command ... [::: items]`: the command is shell text.
pub(super) fn parallel(words: &[Word]) -> Inner {
    let at = options(
        words,
        1,
        "jnNISaPLdC",
        &[
            "jobs", "max-args", "max-procs", "delay", "timeout", "joblog", "results", "retries", "colsep", "arg-file",
            "sshlogin", "tmpdir", "workdir", "load", "memfree",
        ],
    );
    let end = words
        .iter()
        .skip(at)
        .position(|word| matches!(word.text(), ":::" | ":::+" | "::::"))
        .map_or(words.len(), |index| at + index);
    let mut feed = Feed { words: vec![joined(&words[at..end])], replace: Some("{}".to_owned()), shell: true, ..Feed::default() };
    if end < words.len() {
        feed.items = Some(if words[end].text() == ":::" && !words[end + 1..].iter().any(|word| word.text().starts_with(":::")) {
            words[end + 1..].to_vec()
        } else {
            vec![Word::Unknown(HOLE.to_string())]
        });
    }
    Inner::Feed(feed)
}

/// `find` and `fd`: the commands behind `-exec` and its like, and the search itself.
pub(super) fn find(program: &str, words: &[Word]) -> Inner {
    let mut all = Vec::new();
    let mut at = 1;
    while at < words.len() {
        let text = words[at].text();
        let starts = if program == "find" {
            matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir")
        } else {
            matches!(text, "-x" | "--exec" | "-X" | "--exec-batch")
        };
        at += 1;
        if !starts {
            continue;
        }
        let from = at;
        while at < words.len() && !(words[at].text() == ";" || (words[at].text() == "+" && program == "find")) {
            at += 1;
        }
        if at > from {
            let mut inner: Vec<Word> = words[from..at]
                .iter()
                .map(
                    |word| {
                        if word.text().contains("{}") { Word::Unknown(word.text().replace("{}", "\0")) } else { word.clone() }
                    },
                )
                .collect();
            if program != "find" && !words[from..at].iter().any(|word| word.text().contains('{')) {
                inner.push(Word::Unknown(HOLE.to_string()));
            }
            all.push(Inner::Words(via(&format!("{program} {text}")), inner));
        }
    }
    if all.is_empty() { Inner::Itself } else { Inner::Several(all) }
}
