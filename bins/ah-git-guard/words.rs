//! Commands as text, and text as words.

use ah::shell::{HOLE, Word};

/// A command as a person would write it; what is not known is `…`.
pub fn words(words: &[Word]) -> String {
    let one = |w: &Word| {
        let text = w.text().replace(HOLE, "…");
        if text.is_empty() || text.contains([' ', '\n', '\t', '"', '\'', ';', '&', '|', '$', '`']) {
            format!("'{}'", text.replace('\'', "'\\''"))
        } else {
            text
        }
    };
    words.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Splits an alias as git does: blanks, single and double quotes, backslashes.
pub fn split(text: &str) -> Vec<String> {
    let (mut out, mut word, mut quote, mut some) = (Vec::new(), String::new(), None, false);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', q) if q != Some('\'') => {
                word.extend(chars.next());
                some = true;
            }
            (c @ ('\'' | '"'), None) => {
                quote = Some(c);
                some = true;
            }
            (c, Some(q)) if c == q => quote = None,
            (c, None) if c.is_whitespace() => {
                if some || !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
                some = false;
            }
            (c, _) => word.push(c),
        }
    }
    if some || !word.is_empty() {
        out.push(word);
    }
    out
}
