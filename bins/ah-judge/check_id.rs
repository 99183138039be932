//! The name of one check: twelve hexadecimal digits.

/// Names the check that process `pid` began at `start_ms` (milliseconds since the Unix epoch) for a session, through
/// `channel` (`stop`, `live`, `early`). The form is the reference system's, so that its records can be compared.
pub fn check_id(session: &str, channel: &str, start_ms: i64, pid: u32) -> String {
    let text = format!("borg-check-v1\0{session}\0{channel}\0{start_ms}\0{pid}");
    let mut id = blake3::hash(text.as_bytes()).to_hex().to_string();
    id.truncate(12);
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Case {
        session: String,
        channel: String,
        ms: i64,
        pid: u32,
        id: String,
    }

    #[test]
    fn golden() {
        let text = include_str!("../../tests/data/golden/check_id.json");
        let cases: Vec<Case> = serde_json::from_str(text).unwrap();
        assert!(cases.len() >= 6);
        for case in cases {
            assert_eq!(check_id(&case.session, &case.channel, case.ms, case.pid), case.id, "{}", case.session);
        }
    }
}
