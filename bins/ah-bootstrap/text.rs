//! A settings file's text, and which ranges of it are ours.

use ah::receipt::Span;
use std::ops::Range;

/// A text with the ranges that are ours: apart from each other, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// All of it.
    pub whole: String,
    ours: Vec<Range<usize>>,
}

impl Text {
    /// A text with nothing of ours.
    pub fn of_others(whole: &str) -> Self {
        Self { whole: whole.to_owned(), ours: Vec::new() }
    }

    /// A text in which the spans are found again, at their places or, where others changed something around them,
    /// wherever they are now. `None` where one is no more as it was written.
    pub fn with_spans(whole: &str, spans: &[Span]) -> Option<Self> {
        let exact = |span: &Span| whole.get(span.at..span.at + span.text.len()) == Some(&*span.text);
        let at: Vec<usize> = match spans.iter().all(exact) {
            true => spans.iter().map(|span| span.at).collect(),
            false => {
                let mut from = 0;
                let mut found = Vec::new();
                for span in spans {
                    let at = from + whole[from..].find(&span.text)?;
                    from = at + span.text.len();
                    found.push(at);
                }
                found
            }
        };
        let ours = at.iter().zip(spans).map(|(at, span)| *at..at + span.text.len()).collect();
        Some(Self { whole: whole.to_owned(), ours })
    }

    /// Whether anything of it is ours.
    pub fn has_ours(&self) -> bool {
        !self.ours.is_empty()
    }

    /// Puts in `text`, which is ours then.
    pub fn insert(&mut self, at: usize, text: &str) {
        self.whole.insert_str(at, text);
        let touched = self.ours.iter().position(|range| range.start <= at && at <= range.end);
        for range in self.ours.iter_mut().filter(|range| range.start > at) {
            *range = range.start + text.len()..range.end + text.len();
        }
        match touched {
            Some(one) if self.ours[one].start > at => {}
            Some(one) => self.ours[one].end += text.len(),
            None => {
                let place = self.ours.iter().position(|range| range.start > at).unwrap_or(self.ours.len());
                self.ours.insert(place, at..at + text.len());
            }
        }
    }

    /// Puts `text` in the place of a range that is wholly ours; false, and nothing is done, where it is not.
    pub fn rewrite(&mut self, range: Range<usize>, text: &str) -> bool {
        let Some(one) = self.ours.iter().position(|ours| ours.start <= range.start && range.end <= ours.end) else {
            return false;
        };
        self.whole.replace_range(range.clone(), text);
        let moved = |place: usize| place - range.len() + text.len();
        self.ours[one].end = moved(self.ours[one].end);
        for later in &mut self.ours[one + 1..] {
            *later = moved(later.start)..moved(later.end);
        }
        true
    }

    /// Puts `text` in the place of a range, whosever it is. Where it is only in part ours, nothing is known to be ours any
    /// more, and is taken out hook by hook later.
    pub fn put(&mut self, range: Range<usize>, text: &str) {
        if self.rewrite(range.clone(), text) {
            return;
        }
        if self.ours.iter().any(|ours| ours.start < range.end && range.start < ours.end) {
            self.ours.clear();
        }
        self.whole.replace_range(range.clone(), text);
        for later in self.ours.iter_mut().filter(|ours| ours.start >= range.end) {
            let moved = |place: usize| place - range.len() + text.len();
            *later = moved(later.start)..moved(later.end);
        }
    }

    /// The text without what is ours.
    pub fn without(&self) -> String {
        let mut rest = String::with_capacity(self.whole.len());
        let mut from = 0;
        for range in &self.ours {
            rest.push_str(&self.whole[from..range.start]);
            from = range.end;
        }
        rest.push_str(&self.whole[from..]);
        rest
    }

    /// What is ours, for the receipt.
    pub fn spans(&self) -> Vec<Span> {
        self.ours.iter().map(|range| Span { at: range.start, text: self.whole[range.clone()].to_owned() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_can_be_taken_out_in_any_order() {
        let base = "0123456789";
        for first in 0..=10 {
            for second in 0..=13 {
                for third in 0..=15 {
                    let mut text = Text::of_others(base);
                    text.insert(first, "abc");
                    text.insert(second, "de");
                    text.insert(third, "f");
                    assert_eq!(text.without(), base, "{first} {second} {third}: {}", text.whole);
                    let again = Text::with_spans(&text.whole, &text.spans()).unwrap();
                    assert_eq!(again, text);
                }
            }
        }
    }

    #[test]
    fn spans_are_found_where_others_moved_them() {
        let mut text = Text::of_others("0123456789");
        text.insert(2, "abc");
        text.insert(9, "abc");
        let spans = text.spans();
        let moved = Text::with_spans("xx01abc2345yabc6789z", &spans).unwrap();
        assert_eq!(moved.without(), "xx012345y6789z");
        assert!(Text::with_spans("01abc", &spans).is_none());
        assert!(Text::with_spans("é", &spans).is_none());
    }

    #[test]
    fn only_what_is_ours_is_rewritten() {
        let mut text = Text::of_others("0123");
        text.insert(1, "abc");
        text.insert(6, "xyz");
        assert!(!text.rewrite(0..2, "q"));
        assert!(text.rewrite(2..3, "long"));
        assert_eq!((&*text.whole, &*text.without()), ("0alongc12xyz3", "0123"));
    }
}
