//! Reads the options of one git verb as git does: abbreviated, clustered, attached or apart, last one wins.

use ah::shell::Word;

/// A verb's options, one word each: `f:force` (short and long), `:soft` (long alone), `B:=` (takes a value),
/// `t:track?` (may have one attached), `n:!verify` (the short one means `--no-verify`).
pub type Spec = &'static str;

/// What was given to a verb.
#[derive(Debug, Default)]
pub struct Options {
    /// Long name (or the short letter where there is no long one), whether it was said, its value.
    given: Vec<(String, bool, Option<Word>)>,
    /// Everything that is not an option.
    pub operands: Vec<Word>,
    /// How many operands stood before `--`; `None` without one.
    pub before_dashes: Option<usize>,
    /// git would print its usage and do nothing: an ambiguous or misused option, or `-h`.
    pub refused: bool,
    /// An argument is not known, so options may be among it.
    pub unclear: bool,
}

impl Options {
    /// Reads `args` by `spec`.
    pub fn read(spec: Spec, args: &[Word]) -> Self {
        let mut out = Self::default();
        let mut rest = args.iter();
        while let Some(word) = rest.next() {
            let Some(text) = word.literal() else {
                out.unclear |= matches!(word, Word::Unknown(_));
                match word.text().strip_prefix("--") {
                    Some(part) if matches!(word, Word::Unknown(_)) => out.partial(spec, part),
                    _ => out.operands.push(word.clone()),
                }
                continue;
            };
            if out.before_dashes.is_some() || text == "-" || !text.starts_with('-') {
                out.operands.push(word.clone());
            } else if text == "--" {
                out.before_dashes = Some(out.operands.len());
            } else if let Some(long) = text.strip_prefix("--") {
                out.long(spec, long, &mut rest);
            } else {
                out.cluster(spec, &text[1..], &mut rest);
            }
        }
        out
    }

    /// Whether an option is on after all (its last mention says so).
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().rev().find(|g| g.0 == name).is_some_and(|g| g.1)
    }

    /// Which of these options was given last.
    pub fn last_of<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        self.given.iter().rev().filter(|g| g.1).find_map(|g| names.iter().find(|n| **n == g.0).copied())
    }

    /// How often an option was given.
    pub fn count(&self, name: &str) -> usize {
        self.given.iter().filter(|g| g.0 == name && g.1).count()
    }

    /// Whether the option's last mention was its `--no-` form.
    pub fn negated(&self, name: &str) -> bool {
        self.given.iter().rev().find(|g| g.0 == name).is_some_and(|g| !g.1)
    }

    /// The last value of an option.
    pub fn value(&self, name: &str) -> Option<&Word> {
        self.given.iter().rev().find(|g| g.0 == name && g.1)?.2.as_ref()
    }

    /// Every value of an option.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Word> {
        self.given.iter().filter(move |g| g.0 == name && g.1).filter_map(|g| g.2.as_ref())
    }

    /// Operands that must be paths: those after `--`.
    pub fn after_dashes(&self) -> &[Word] {
        self.before_dashes.map_or(&[], |n| &self.operands[n..])
    }

    fn long<'a>(&mut self, spec: Spec, text: &str, rest: &mut impl Iterator<Item = &'a Word>) {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(Word::Literal(value.to_owned()))),
            None => (text, None),
        };
        match find_long(spec, name) {
            Found::Option { name, kind, on } => {
                let value = if kind == Kind::Value && on && value.is_none() { rest.next().cloned() } else { value };
                self.given.push((name.to_owned(), on, value));
            }
            Found::Ambiguous => self.refused = true,
            Found::None if name == "help" => self.refused = true,
            Found::None => self.given.push((name.to_owned(), true, value)),
        }
    }

    /// A long option of which only a part is known: `--$H`. Every option it could be counts as given.
    fn partial(&mut self, spec: Spec, part: &str) {
        let known = part.split(ah::shell::HOLE).next().unwrap_or_default();
        for entry in entries(spec).filter(|e| !e.long.is_empty() && e.long.starts_with(known)) {
            self.given.push((entry.long.to_owned(), true, None));
        }
    }

    fn cluster<'a>(&mut self, spec: Spec, letters: &str, rest: &mut impl Iterator<Item = &'a Word>) {
        for (i, letter) in letters.char_indices() {
            let Some(entry) = entries(spec).find(|e| e.short == Some(letter)) else {
                self.refused |= letter == 'h';
                self.given.push((letter.to_string(), true, None));
                continue;
            };
            let tail = &letters[i + letter.len_utf8()..];
            let value = match entry.kind {
                Kind::Flag => None,
                Kind::Value if tail.is_empty() => rest.next().cloned(),
                Kind::Optional if tail.is_empty() => None,
                Kind::Value | Kind::Optional => Some(Word::Literal(tail.to_owned())),
            };
            let ends = entry.kind != Kind::Flag;
            let name = if entry.long.is_empty() { letter.to_string() } else { entry.long.to_owned() };
            self.given.push((name, entry.on, value));
            if ends {
                break;
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flag,
    Value,
    Optional,
}

struct Entry {
    short: Option<char>,
    long: &'static str,
    on: bool,
    kind: Kind,
}

fn entries(spec: Spec) -> impl Iterator<Item = Entry> {
    spec.split_ascii_whitespace().filter_map(|word| {
        let (short, long) = word.split_once(':')?;
        let (long, kind) = match (long.strip_suffix('='), long.strip_suffix('?')) {
            (Some(long), _) => (long, Kind::Value),
            (_, Some(long)) => (long, Kind::Optional),
            _ => (long, Kind::Flag),
        };
        let (long, on) = long.strip_prefix('!').map_or((long, true), |long| (long, false));
        Some(Entry { short: short.chars().next(), long, on, kind })
    })
}

enum Found {
    Option { name: &'static str, kind: Kind, on: bool },
    Ambiguous,
    None,
}

/// An exact name wins, then a unique prefix, `--no-` forms included.
fn find_long(spec: Spec, name: &str) -> Found {
    let mut found = Found::None;
    for entry in entries(spec).filter(|e| !e.long.is_empty()) {
        for on in [true, false] {
            let full = if on { entry.long.to_owned() } else { format!("no-{}", entry.long) };
            if full == name {
                return Found::Option { name: entry.long, kind: entry.kind, on };
            }
            if full.starts_with(name) {
                found = match found {
                    Found::Option { name, on: before, kind } if name == entry.long && before == on => {
                        Found::Option { name, kind, on }
                    }
                    Found::None => Found::Option { name: entry.long, kind: entry.kind, on },
                    _ => Found::Ambiguous,
                };
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(spec: Spec, line: &str) -> Options {
        let words: Vec<Word> = line.split_whitespace().map(|w| Word::Literal(w.to_owned())).collect();
        Options::read(spec, &words)
    }

    #[test]
    fn a_unique_prefix_is_the_option() {
        assert!(read("q:quiet :hard :soft", "--ha HEAD").has("hard"));
        assert!(read(":verify n:!verify", "--no-veri").negated("verify"));
        assert!(read(":force f: :force-with-lease?", "--force-w").has("force-with-lease"));
    }

    #[test]
    fn an_ambiguous_prefix_is_refused() {
        assert!(read(":staged :source=", "--s").refused);
    }

    #[test]
    fn clusters_split_and_take_values() {
        let o = read("q:quiet f:force e:exclude= d:", "-qfde pat x");
        assert!(o.has("quiet") && o.has("force") && o.has("d"));
        assert_eq!(o.value("exclude").and_then(Word::literal), Some("pat"));
        assert_eq!(o.operands.len(), 1);
    }

    #[test]
    fn the_last_mention_wins() {
        assert!(!read("n:dry-run", "-n --no-dry-run").has("dry-run"));
        assert!(read("n:!verify :verify", "--verify -n").negated("verify"));
    }

    #[test]
    fn nothing_is_an_option_after_two_dashes() {
        let o = read("f:force", "x -- -f");
        assert!(!o.has("force"));
        assert_eq!((o.before_dashes, o.after_dashes().len()), (Some(1), 1));
    }

    #[test]
    fn a_part_of_an_option_counts_as_all_it_could_be() {
        let o = Options::read(":hard :help-me :soft", &[Word::Unknown("--h\0".into())]);
        assert!(o.has("hard") && !o.has("soft") && o.unclear);
    }
}
