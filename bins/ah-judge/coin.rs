//! The fair coin that decides whether a verdict is given without what the agent declared.

/// Whether check `check` judges lesson `lesson` without the agent's `<id>: applies|skip`: the lowest bit of the first
/// byte of blake3 over a name of the coin, the check and the lesson, with a zero byte between. So a retry strips alike,
/// and whoever replays a log knows it. The form is the reference system's.
pub fn stripped(check: &str, lesson: &str) -> bool {
    let mut hasher = blake3::Hasher::new();
    for part in ["borg-strip-v1\0", check, "\0", lesson] {
        hasher.update(part.as_bytes());
    }
    hasher.finalize().as_bytes()[0] & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn golden() {
        let golden: Value = serde_json::from_str(include_str!("../../tests/data/golden/stripped.json")).unwrap();
        let cases = golden["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 206);
        for case in cases {
            let (check, lesson) = (case["check"].as_str().unwrap(), case["lesson"].as_str().unwrap());
            assert_eq!(stripped(check, lesson), case["stripped"].as_bool().unwrap(), "{check:?} {lesson:?}");
        }
        assert_eq!(cases.iter().filter(|case| case["stripped"] == true).count() as u64, golden["stripped"].as_u64().unwrap());
    }

    #[test]
    fn it_is_fair() {
        let heads = (0..10_000).filter(|n| stripped(&format!("{n:012x}"), "L-a")).count();
        assert!((4_800..5_200).contains(&heads), "{heads}");
    }
}
