//! The repository around a path and its id, read from files without a process.

use crate::fs;
use std::path::{Path, PathBuf};

/// Largest `.git/config` that is read, in bytes; of a larger one the id is the path.
const MAX_CONFIG: u64 = 1 << 20;

/// A work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    /// Where its objects and configuration lie; linked trees share one.
    pub common: PathBuf,
    /// The folder that holds `.git`, as reached.
    pub root: PathBuf,
}

impl Repo {
    /// The repository whose work tree holds `dir`: the nearest folder upwards with a `.git`. A folder that does not
    /// exist (yet) counts as in the one above it.
    #[must_use]
    pub fn around(dir: &Path) -> Option<Self> {
        if !dir.is_absolute() {
            return None;
        }
        let mut roots = dir.ancestors().map(|root| (root, root.join(".git")));
        let (root, dot) = roots.find(|(_, dot)| dot.exists())?;
        // One that leads nowhere hides those above it, as it does from git.
        let common = if dot.is_dir() { dot } else { linked(&dot)? };
        Some(Self { common, root: root.to_path_buf() })
    }

    /// What is the same in every clone: the remote `origin`'s address, else the first remote's (see [`remote_id`]);
    /// without one the real path of the main work tree.
    #[must_use]
    pub fn id(&self) -> String {
        self.id_and_name().0
    }

    /// Its id, and the last part of the main work tree's name, for people.
    #[must_use]
    pub fn id_and_name(&self) -> (String, String) {
        let config = fs::read(&self.common.join("config"), MAX_CONFIG).unwrap_or_default();
        let remote = remote_url(&String::from_utf8_lossy(&config)).and_then(|url| remote_id(&url));
        let tree = self.main_tree();
        let name = tree.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        (remote.unwrap_or_else(|| tree.to_string_lossy().into_owned()), name)
    }

    fn main_tree(&self) -> PathBuf {
        let common = std::fs::canonicalize(&self.common).unwrap_or_else(|_| self.common.clone());
        match common.parent() {
            Some(tree) if common.ends_with(".git") => tree.to_path_buf(),
            // A submodule's or a bare repository's folder.
            _ => common,
        }
    }
}

/// The common folder that a `.git` file leads to.
fn linked(dot: &Path) -> Option<PathBuf> {
    let line = |path: &Path, before: &str| {
        let text = String::from_utf8(fs::read(path, 8192).ok()?).ok()?;
        let text = text.strip_prefix(before)?.trim_end_matches(['\n', '\r']).trim_start();
        (!text.is_empty()).then(|| path.parent().map(|dir| dir.join(text)))?
    };
    let git = line(dot, "gitdir:")?;
    if !git.is_dir() {
        return None;
    }
    Some(line(&git.join("commondir"), "").unwrap_or(git))
}

/// `remote.origin.url` of a config text, else the first `remote.*.url`; includes are not followed.
///
/// A stand-in that reads these two keys only, as A8 asks; `git` holds the whole reader.
fn remote_url(config: &str) -> Option<String> {
    let mut first = None;
    let mut remote: Option<String> = None;
    for line in config.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let (head, after) = rest.split_once(']').unwrap_or((rest, ""));
            let (section, name) = head.split_once([' ', '\t']).unwrap_or((head, ""));
            let name = name.trim().trim_matches('"');
            remote = section.eq_ignore_ascii_case("remote").then(|| name.to_owned());
            line = after.trim();
        }
        let (Some(name), Some((key, value))) = (&remote, line.split_once('=')) else {
            continue;
        };
        if !key.trim().eq_ignore_ascii_case("url") {
            continue;
        }
        let value = plain(value);
        if name == "origin" {
            return Some(value);
        }
        first = first.or(Some(value));
    }
    first
}

/// A value without its quotes and without a comment after it.
fn plain(value: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut chars = value.trim().chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => out.extend(chars.next()),
            '#' | ';' if !quoted => break,
            c => out.push(c),
        }
    }
    out.trim_end().to_owned()
}

/// A remote's address without what differs between clones: `host/path`, the host in small letters, without scheme,
/// user, password, the scheme's own port, `.git` and slashes at the ends. A path on this machine stays a path.
/// `None` for what is no address.
///
/// `git@h:o/r.git`, `https://u:p@H/o/r` and `ssh://git@h:22/o/r/` are all `h/o/r`.
#[must_use]
pub fn remote_id(url: &str) -> Option<String> {
    let url = url.trim();
    if url.is_empty() || url.len() > 1024 || url.chars().any(|c| c.is_control() || c == ' ') {
        return None;
    }
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
        None => (String::new(), url),
    };
    let (host, path) = match scheme.as_str() {
        "" => match rest.split_once(':') {
            // `host:path`, and no drive of Windows.
            Some((host, path)) if !host.contains('/') && !path.starts_with('\\') => (host, path),
            _ => ("", rest),
        },
        "file" => ("", rest),
        _ => rest.split_once('/').unwrap_or((rest, "")),
    };
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    if host.is_empty() {
        return path.starts_with('/').then(|| path.to_owned());
    }
    let host = host.rsplit('@').next().unwrap_or(host).to_ascii_lowercase();
    let own_port = match scheme.as_str() {
        "git" => ":9418",
        "http" => ":80",
        "https" => ":443",
        _ => ":22",
    };
    let host = host.strip_suffix(own_port).unwrap_or(&host);
    let path = path.trim_start_matches('/');
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_repository_are_one() {
        for url in [
            "git@h:o/r.git", "https://u:p@H/o/r", "ssh://git@h:22/o/r", "h:o/r/", "https://h:443/o/r.git/", "git://h:9418/o/r",
            "ssh://h//o/r", "git+ssh://me@H/o/r", " http://h/o/r.git ",
        ] {
            assert_eq!(remote_id(url).as_deref(), Some("h/o/r"), "{url}");
        }
        assert_eq!(remote_id("https://h:8443/o/R").as_deref(), Some("h:8443/o/R"));
        assert_eq!(remote_id("https://u:p@x@h/o/r").as_deref(), Some("h/o/r"));
        assert_eq!(remote_id("ssh://[::1]:22/o/r").as_deref(), Some("[::1]/o/r"));
        assert_eq!(remote_id("file:///srv/r.git").as_deref(), Some("/srv/r"));
        assert_eq!(remote_id("/srv/r.git").as_deref(), Some("/srv/r"));
        for bad in ["", "../r", "C:\\r", "https://", "https://h", "https://h/", "h:", "a b:c", "h:o\nr", "://", "@:/"] {
            assert_eq!(remote_id(bad), None, "{bad:?}");
        }
        assert_eq!(remote_id(&"h:".repeat(1000)), None);
    }

    #[test]
    fn origin_is_first() {
        let config = "[core]\n url = no\n[remote \"a\"]\n\turl = h:a ; c\n[REMOTE \"origin\"] URL = \"h:#o\"\n";
        assert_eq!(remote_url(config).as_deref(), Some("h:#o"));
        assert_eq!(remote_url("[remote \"x\"]\nurl=h:x\nurl=h:y").as_deref(), Some("h:x"));
        for none in ["", "[remote \"x\"]\nfetch = a", "url = x", "[remote", "\0[=]=\"\\"] {
            assert_eq!(remote_url(none), None);
        }
    }
}
