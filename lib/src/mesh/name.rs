//! A short name for a session, the same for its life.

/// First and second words of names.
const FIRST: &[&str] = &[
    "amber", "azure", "brave", "bright", "calm", "clever", "coral", "crisp", "early", "fair", "gentle", "golden", "grand",
    "green", "happy", "jolly", "keen", "kind", "light", "lucky", "mellow", "misty", "noble", "proud", "quick", "quiet", "rapid",
    "silver", "solar", "steady", "swift", "warm",
];
const SECOND: &[&str] = &[
    "badger", "beaver", "bison", "crane", "curlew", "dolphin", "eagle", "falcon", "finch", "fox", "gecko", "heron", "ibis",
    "jay", "kite", "koala", "lark", "lynx", "marten", "mole", "moose", "newt", "otter", "owl", "panda", "puffin", "raven",
    "robin", "seal", "swan", "tern", "wren",
];

/// The name of a session that none of `taken` has.
#[must_use]
pub fn name(session: &str, taken: &[&str]) -> String {
    let hash = blake3::hash(session.as_bytes());
    let [first, second, ..] = hash.as_bytes();
    let base = format!("{}-{}", FIRST[usize::from(*first) % FIRST.len()], SECOND[usize::from(*second) % SECOND.len()]);
    let numbered = (2..).map(|n: u32| format!("{base}-{n}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| !taken.contains(&name.as_str())).unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn b4_a_name_stays_and_is_nobody_elses() {
        let one = name("s1", &[]);
        assert_eq!(one, name("s1", &["other"]));
        assert_eq!(name("s1", &[&one]), format!("{one}-2"));
    }
}
