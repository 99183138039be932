//! A person's refusal of a tool call, and what was said with it.

use crate::event::Event;

/// How a client begins to tell the model that a person refused.
const REFUSED: [&str; 5] = [
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "Permission for this tool use was denied.",
    "User rejected",
    "User denied",
];

/// What stands before the person's own words.
const SAID: [&str; 2] = ["the user said:", "The user provided the following reason for the rejection:"];

/// What the person said who refused the call, which may be nothing; `None` where nobody refused.
///
/// Only the beginning tells: what a command prints comes behind its exit code, and can refuse nothing.
pub(super) fn of<'e>(event: &'e Event) -> Option<&'e str> {
    let error = event.error.trim();
    if !event.is_interrupt && !REFUSED.iter().any(|begin| error.starts_with(begin)) {
        return None;
    }
    let said = SAID.iter().filter_map(|mark| error.split_once(mark)).map(|(_, words)| words.trim()).next();
    Some(said.filter(|_| !event.is_interrupt).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(error: &str) -> Option<String> {
        let event = Event { error: error.into(), ..Event::default() };
        of(&event).map(str::to_owned)
    }

    #[test]
    fn a_refusal_is_told_by_its_beginning() {
        let no = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit)";
        assert_eq!(refused(no).as_deref(), Some(""));
        assert_eq!(refused(&format!("{no}. To tell you how to proceed, the user said:\nkeep it\n")).as_deref(), Some("keep it"));
        assert_eq!(refused(&format!("Exit code 1\n{no}")), None);
        assert_eq!(refused("Exit code 3"), None);
        let stopped = Event { is_interrupt: true, error: "x the user said: y".into(), ..Event::default() };
        assert_eq!(of(&stopped), Some(""));
    }
}
