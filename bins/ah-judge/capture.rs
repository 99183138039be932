//! What a person said against the agent's work, as episodes: at a prompt, at a refused tool call, or after one.

use crate::correction;
use crate::episode::Episode;

/// A tool call that a person refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The harness's id of the call.
    pub key: String,
    /// The tool and its input, in a line.
    pub call: String,
    /// What the person said with it; often nothing.
    pub words: String,
}

/// What the session's log has of the time before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// What the agent said last.
    pub agent: String,
    /// Lessons that were asked.
    pub asked: Vec<String>,
    /// Tool calls that were refused since the last prompt, in order.
    pub refusals: Vec<Refusal>,
    /// The last prompt that was no correction.
    pub task: String,
}

/// An episode and what makes it one in the session's log.
pub type Keyed = (String, Episode);

/// The episodes of this moment: of refusals with words, and of the prompt, if there is one now. `base` has the session,
/// the repository and the time.
pub fn episodes(prompt: Option<(&str, &str)>, past: &Past, base: &Episode) -> Vec<Keyed> {
    let make = |key: String, call: Option<&str>, words: &str, n: u64| {
        let episode = Episode {
            id: format!("{}-{}", base.session, base.ms + n),
            ms: base.ms + n,
            task: past.task.clone(),
            agent: past.agent.clone(),
            rejected_tool: call.map(str::to_owned),
            correction: words.to_owned(),
            asked: past.asked.clone(),
            ..base.clone()
        };
        (key, episode)
    };
    let mut all: Vec<Keyed> = Vec::new();
    for refusal in past.refusals.iter().filter(|refusal| !refusal.words.trim().is_empty()) {
        all.push(make(format!("denied:{}", refusal.key), Some(&refusal.call), &refusal.words, all.len() as u64));
    }
    let Some((key, text)) = prompt.filter(|(_, text)| said(text)) else { return all };
    // A refusal without a word is explained by what is said next.
    let silent = past.refusals.last().filter(|refusal| refusal.words.trim().is_empty());
    if silent.is_some() || !past.task.is_empty() && correction::looks(text) {
        all.push(make(key.to_owned(), silent.map(|refusal| refusal.call.as_str()), text, all.len() as u64));
    }
    all
}

/// Whether a person said something: no command of the harness, no machine's note.
pub fn said(prompt: &str) -> bool {
    let prompt = prompt.trim();
    prompt.len() > 3 && !prompt.starts_with(['<', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(refusals: &[(&str, &str)]) -> Past {
        let refusal = |(call, words): &(&str, &str)| Refusal { key: "t".into(), call: (*call).into(), words: (*words).into() };
        Past { task: "write the uploader".into(), refusals: refusals.iter().map(refusal).collect(), ..Past::default() }
    }

    fn said(prompt: Option<&str>, past: &Past) -> Vec<(String, Option<String>)> {
        let base = Episode { session: "s".into(), ms: 7, ..Episode::default() };
        let all = episodes(prompt.map(|text| ("p1", text)), past, &base);
        assert!(all.iter().enumerate().all(|(n, (_, e))| e.id == format!("s-{}", 7 + n) && e.task == past.task));
        all.into_iter().map(|(_, episode)| (episode.correction, episode.rejected_tool)).collect()
    }

    #[test]
    fn a_correction_at_a_prompt() {
        assert_eq!(said(Some("no, don't retry without a delay"), &past(&[])), [("no, don't retry without a delay".into(), None)]);
        assert!(said(Some("now the tests"), &past(&[])).is_empty());
        // The first prompt of a session corrects nothing.
        assert!(said(Some("no, don't retry without a delay"), &Past::default()).is_empty());
    }

    #[test]
    fn a_refusal_with_words_and_one_that_is_explained_later() {
        assert_eq!(
            said(None, &past(&[("Bash rm y", "keep the backups")])),
            [("keep the backups".into(), Some("Bash rm y".into()))]
        );
        let silent = past(&[("Bash rm x", " ")]);
        assert_eq!(
            said(Some("use the wrapper we have"), &silent),
            [("use the wrapper we have".into(), Some("Bash rm x".into()))]
        );
        for none in ["ok", "/clear", "<task-notification>x</task-notification>"] {
            assert!(said(Some(none), &silent).is_empty(), "{none}");
        }
        let both = past(&[("a", "never that"), ("b", "")]);
        assert_eq!(said(Some("use the wrapper we have"), &both).len(), 2);
    }
}
