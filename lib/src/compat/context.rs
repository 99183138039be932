//! The state text of a session: prompts, touches and the reference's own lines, which begin with `#borg-`.

/// What the reference's own lines begin with.
pub const PREFIX: &str = "#borg-";

/// What begins a line that closes a turn.
pub const MARKERS: [&str; 2] = ["#borg-asked", "#borg-skip"];

/// The present turn: what stands behind the last line that begins with a marker, unless the next line begins with
/// `#borg-live `, which says that the question came during the turn.
#[must_use]
pub fn turn(context: &str) -> &str {
    let live = [PREFIX, "live "].concat();
    let mut start = 0;
    let mut at = 0;
    while at < context.len() {
        let end = context[at..].find('\n').map_or(context.len(), |newline| at + newline + 1);
        if MARKERS.iter().any(|marker| context[at..].starts_with(marker)) && !context[end..].starts_with(&live) {
            start = end;
        }
        at = end;
    }
    &context[start..]
}

/// The text without the reference's own lines.
#[must_use]
pub fn work_text(context: &str) -> String {
    context.split_inclusive('\n').filter(|line| !line.starts_with(PREFIX)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_work_text() {
        let rows: Vec<serde_json::Value> =
            serde_json::from_str(include_str!("../../../tests/data/golden/work_text.json")).unwrap();
        assert!(rows.len() > 5);
        for row in rows {
            assert_eq!(work_text(row["in"].as_str().unwrap()), row["out"].as_str().unwrap(), "{row}");
        }
    }

    #[test]
    fn a_turn_of_a_turn_is_itself() {
        for text in ["", "a\n#borg-skip 1\nb\n", "#borg-asked x", "a\n#borg-asked x\n#borg-live x ms=1\nb"] {
            assert_eq!(turn(turn(text)), turn(text));
        }
    }
}
