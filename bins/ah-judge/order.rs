//! The order in which a session is shown questions: its own, so that no lesson is always the first.

/// Shuffles `items` as this session always does: Fisher-Yates from the end, driven by SplitMix64, whose seed is the
/// 64-bit FNV-1a hash of the session's id, a zero byte and `#order` (the reference system's order).
pub fn shuffle<T>(session: &str, items: &mut [T]) {
    let mut state = seed(session);
    for at in (1..items.len()).rev() {
        let with = next(&mut state) % (at as u64 + 1);
        items.swap(at, with as usize);
    }
}

fn seed(session: &str) -> u64 {
    session
        .bytes()
        .chain(*b"\0#order")
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// SplitMix64 (Steele, Lea, Flood 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Case {
        session: String,
        seed_order: String,
        order_of_0_to_7: Vec<u8>,
    }

    #[test]
    fn golden() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("../../tests/data/golden/shuffle.json")).unwrap();
        assert!(cases.len() >= 4);
        for case in cases {
            assert_eq!(seed(&case.session).to_string(), case.seed_order, "{}", case.session);
            let mut order: Vec<u8> = (0..8).collect();
            shuffle(&case.session, &mut order);
            assert_eq!(order, case.order_of_0_to_7, "{}", case.session);
        }
    }
}
