//! The six programs, and how each is called in short.

/// Every program.
pub const ALL: &[&str] = &["ah-bootstrap", "ah-doctor", "ah-git-guard", "ah-judge", "ah-mesh", "ah-prefilter"];

/// Those that agents call.
pub const HOOKS: &[&str] = &["ah-git-guard", "ah-judge", "ah-mesh", "ah-prefilter"];

/// The hook that a person means: `judge` and `guard` are as good as the whole names.
pub fn hook(word: &str) -> Option<&'static str> {
    HOOKS.iter().copied().find(|name| {
        let short = name.strip_prefix("ah-").unwrap_or(name);
        word == *name || word == short || word == "guard" && short == "git-guard"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_understood() {
        assert_eq!(hook("guard"), Some("ah-git-guard"));
        assert_eq!(hook("git-guard"), Some("ah-git-guard"));
        assert_eq!(hook("ah-mesh"), Some("ah-mesh"));
        assert_eq!(hook("doctor"), None);
    }
}
