//! What the configuration says about branches and remotes.

use super::Config;

/// Where a branch pulls from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Upstream {
    /// The remote's name; `.` for this repository itself.
    pub remote: String,
    /// The full ref there.
    pub merge: String,
    /// The ref that follows it here (`refs/remotes/origin/main`), if the fetch refspecs make one.
    pub tracking: Option<String>,
}

impl Config {
    /// The upstream of a branch (short name); `None` when it has none.
    #[must_use]
    pub fn upstream(&self, branch: &str) -> Option<Upstream> {
        let remote = self.get(&format!("branch.{branch}.remote"))?.to_owned();
        let merge = self.get(&format!("branch.{branch}.merge"))?.to_owned();
        let tracking = if remote == "." { Some(merge.clone()) } else { self.tracking(&remote, &merge) };
        Some(Upstream { remote, merge, tracking })
    }

    /// The ref here that follows a full ref of a remote, by its fetch refspecs.
    #[must_use]
    pub fn tracking(&self, remote: &str, name: &str) -> Option<String> {
        let specs = self.get_all(&format!("remote.{remote}.fetch"));
        if specs.iter().any(|s| s.strip_prefix('^').is_some_and(|s| mapped(s, s, name).is_some())) {
            return None;
        }
        specs.iter().find_map(|spec| {
            let (from, to) = spec.strip_prefix('+').unwrap_or(spec).split_once(':')?;
            mapped(from, to, name).filter(|n| !n.is_empty())
        })
    }

    /// The full ref of the remote that a ref here follows: the way back of [`Config::tracking`].
    #[must_use]
    pub fn tracked(&self, remote: &str, tracking: &str) -> Option<String> {
        self.get_all(&format!("remote.{remote}.fetch")).iter().find_map(|spec| {
            let (from, to) = spec.strip_prefix('+').unwrap_or(spec).split_once(':')?;
            mapped(to, from, tracking)
        })
    }

    /// The names of all remotes with a URL or refspec.
    #[must_use]
    pub fn remotes(&self) -> Vec<&str> {
        self.sections("remote")
    }

    /// The remote that a push without one goes to, on this branch (short name).
    #[must_use]
    pub fn push_remote(&self, branch: Option<&str>) -> String {
        let of = |name: &str| branch.and_then(|b| self.get(&format!("branch.{b}.{name}")));
        if let Some(remote) = of("pushremote").or_else(|| self.get("remote.pushdefault")).or_else(|| of("remote")) {
            return remote.to_owned();
        }
        match self.remotes().as_slice() {
            [only] => (*only).to_owned(),
            _ => "origin".to_owned(),
        }
    }

    /// Where a push to a remote goes: its push URLs, else its URLs; `insteadOf` is not applied.
    #[must_use]
    pub fn push_urls(&self, remote: &str) -> Vec<&str> {
        let urls = self.get_all(&format!("remote.{remote}.pushurl"));
        if urls.is_empty() { self.get_all(&format!("remote.{remote}.url")) } else { urls }
    }
}

/// `name` through a refspec whose halves may hold one `*` each.
fn mapped(from: &str, to: &str, name: &str) -> Option<String> {
    let Some((start, end)) = from.split_once('*') else {
        return (from == name).then(|| to.to_owned());
    };
    let middle = name.strip_prefix(start)?.strip_suffix(end)?;
    let (left, right) = to.split_once('*')?;
    Some(format!("{left}{middle}{right}"))
}

#[cfg(test)]
mod tests {
    use super::mapped;

    #[test]
    fn refspecs() {
        let to = |from, to, name| mapped(from, to, name);
        assert_eq!(to("refs/heads/*", "refs/remotes/o/*", "refs/heads/a/b").as_deref(), Some("refs/remotes/o/a/b"));
        assert_eq!(to("refs/heads/*-x", "refs/r/*", "refs/heads/a-x").as_deref(), Some("refs/r/a"));
        assert_eq!(to("refs/heads/*-x", "refs/r/*", "refs/heads/a"), None);
        assert_eq!(to("refs/heads/m", "refs/r/m", "refs/heads/m").as_deref(), Some("refs/r/m"));
        assert_eq!(to("refs/heads/*", "refs/r/m", "refs/heads/m"), None);
        assert_eq!(to("aa*a", "b*", "aa"), None);
    }
}
