//! The rules of a CLAUDE.md or AGENTS.md: each list item, and each paragraph that says what must or must not be done.

/// Longest rule that is taken, in characters; beyond it is prose that happens to stand in a list.
const LONGEST: usize = 600;
/// Shortest, in characters.
const SHORTEST: usize = 8;

/// Words by which a paragraph is a rule.
const CUES: &[&str] = &[
    "always", "avoid", "do not", "don't", "ensure", "every time", "make sure", "must", "mustn't", "never", "only use", "prefer",
    "should", "shouldn't", "use ",
];

/// A rule and where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// Its words, on one line, without marks of emphasis.
    pub text: String,
}

/// The rules of a text in Markdown, in order, each once. Code, comments, tables, quotations and front matter hold none.
pub fn rules(text: &str) -> Vec<Rule> {
    let mut reader = Reader::default();
    let text = without_comments(text);
    let mut lines = text.trim_start_matches('\u{feff}').lines().peekable();
    if lines.peek().is_some_and(|line| line.trim_end() == "---") {
        lines.next();
        // A first line of dashes that nothing ends is a rule of the typographer's kind.
        if text.lines().skip(1).any(|line| line.trim_end() == "---") {
            lines.by_ref().take_while(|line| line.trim_end() != "---").for_each(drop);
        }
    }
    lines.for_each(|line| reader.line(line));
    reader.end();
    reader.found
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        kept += before;
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

#[derive(Default)]
struct Reader {
    fence: Option<String>,
    found: Vec<Rule>,
    headings: Vec<(usize, String)>,
    /// Items that are open: how far in, and their words.
    items: Vec<(usize, String)>,
    paragraph: String,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let text = line.trim();
        let depth = line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum::<usize>();
        if let Some(fence) = &self.fence {
            if text.starts_with(fence.as_str()) && text.trim_matches(|c| fence.starts_with(c)).is_empty() {
                self.fence = None;
            }
            return;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark)) {
            let mark = mark.chars().next().unwrap_or('`');
            self.fence = Some(text.chars().take_while(|c| *c == mark).collect());
            return self.end_paragraph();
        }
        if text.is_empty() {
            return self.end_paragraph();
        }
        let level = text.chars().take_while(|c| *c == '#').count();
        if (1..=6).contains(&level) && text[level..].starts_with([' ', '\t']) {
            self.end();
            self.headings.retain(|(above, _)| *above < level);
            return self.headings.push((level, plain(text.trim_matches('#'))));
        }
        if text.starts_with(['>', '|', '@']) || text.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | ' ')) {
            return self.end();
        }
        if let Some(item) = item(text) {
            self.end_paragraph();
            while self.items.last().is_some_and(|(at, _)| *at >= depth) {
                self.close();
            }
            return self.items.push((depth, item.to_owned()));
        }
        match self.items.last_mut() {
            // What is no further in than the item, after an empty line, is a paragraph of its own.
            Some((at, item)) if depth > *at || self.paragraph.is_empty() && !item.ends_with('\n') => {
                item.push(' ');
                item.push_str(text);
            }
            _ => {
                self.close_all();
                self.paragraph.push(' ');
                self.paragraph.push_str(text);
            }
        }
    }

    fn end(&mut self) {
        self.end_paragraph();
        self.close_all();
    }

    fn end_paragraph(&mut self) {
        let text = std::mem::take(&mut self.paragraph);
        let lower = text.to_lowercase();
        if CUES.iter().any(|cue| {
            lower.split(['.', ';', ',']).any(|part| part.trim_start().starts_with(cue) || part.contains(&format!(" {cue}")))
        }) {
            self.add(&[], &text);
        }
        // A paragraph of the item may follow, further in.
        if let Some((_, item)) = self.items.last_mut() {
            item.push('\n');
        }
    }

    fn close_all(&mut self) {
        while !self.items.is_empty() {
            self.close();
        }
    }

    /// Ends the innermost item. One that only introduces those below it is part of each of them and no rule.
    fn close(&mut self) {
        let Some((_, text)) = self.items.pop() else { return };
        if text.trim_end().ends_with(':') {
            return;
        }
        let above: Vec<String> =
            self.items.iter().map(|(_, text)| text.clone()).filter(|t| t.trim_end().ends_with(':')).collect();
        self.add(&above, &text);
    }

    fn add(&mut self, above: &[String], text: &str) {
        let words = above.iter().map(String::as_str).chain([text]).map(plain).collect::<Vec<_>>().join(" ");
        let length = words.chars().count();
        let rule = Rule { headings: self.headings.iter().map(|(_, text)| text.clone()).collect(), text: words };
        if (SHORTEST..=LONGEST).contains(&length) && rule.text.contains(' ') && self.found.iter().all(|r| r.text != rule.text) {
            self.found.push(rule);
        }
    }
}

/// The words of a list item, without its mark and box.
fn item(text: &str) -> Option<&str> {
    let numbered = || {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < text.len()).then(|| rest.strip_prefix(['.', ')']))?
    };
    let rest = text.strip_prefix(['-', '*', '+']).or_else(numbered)?;
    let words = rest.strip_prefix([' ', '\t'])?.trim_start();
    Some(["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| words.strip_prefix(mark)).unwrap_or(words))
}

/// One line without marks of emphasis; code keeps its words, a link its text.
fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let link = || {
            let (label, after) = rest.strip_prefix('[')?.split_once("](")?;
            let (_, after) = after.split_once(')')?;
            (!label.contains(['[', ']'])).then_some((label, after))
        };
        if let Some((label, after)) = link() {
            out += label;
            rest = after;
        } else if let Some(after) = rest.strip_prefix("**").or_else(|| rest.strip_prefix("__")) {
            rest = after;
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        rules(text).into_iter().map(|rule| rule.text).collect()
    }

    #[test]
    fn one_lesson_per_rule() {
        let text = "---\nname: x\n- not a rule here\n---\n# Rules\n\nAbout this project.\n\n## Style\n- **Never** use `unwrap` in\n  library code\n\
                    * [ ] See [the guide](https://x.test/a) before a release\n  1. Ask first.\n- Tests:\n    - run them with nextest\n\
                    \n```sh\n- rm -rf everything now\n```\n> - quoted words here\n| - a | table row |\n@other.md\n\
                    \nYou must update the changelog with each change.\n\n<!-- - hidden rule words -->\n- - -\n- one\n";
        assert_eq!(
            texts(text),
            [
                "Never use `unwrap` in library code",
                "Ask first.",
                "See the guide before a release",
                "Tests: run them with nextest",
                "You must update the changelog with each change.",
            ]
        );
        let headings = &rules(text)[0].headings;
        assert_eq!(*headings, ["Rules", "Style"]);
    }

    #[test]
    fn hostile_texts_end() {
        for text in ["", "---", "```\n- a b c d e f", "<!--", "- ", "#", "[](", "1.", "- a\0b c d e f", &"- ".repeat(100_000)] {
            rules(text);
        }
        assert!(texts(&format!("- {}", "long words ".repeat(200))).is_empty());
        assert_eq!(texts("- the same rule\n- the same rule"), ["the same rule"]);
    }

    #[test]
    fn what_comes_before_its_parts_comes_after_none_of_them() {
        assert_eq!(
            texts("- outer rule words\n\n  more words of it\n\nprose without a cue\n- next rule words"),
            ["outer rule words more words of it", "next rule words"]
        );
    }
}
