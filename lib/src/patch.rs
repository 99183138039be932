//! Patch text, and what it does to which files: Codex's `*** Begin Patch` form and unified diffs.

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchKind {
    /// Makes it, or writes over what was there.
    Add,
    /// Takes it away.
    Delete,
    /// Changes it if need be, and gives it this name.
    MoveTo(String),
    /// Changes it.
    Update,
}

/// One file of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchFile {
    /// As written: usually relative to where the patch is applied. May be hostile.
    pub path: String,
    /// What happens to it.
    pub kind: PatchKind,
}

impl PatchFile {
    fn new(path: impl Into<String>, kind: PatchKind) -> Self {
        Self {
            path: path.into(),
            kind,
        }
    }
}

/// The files of a patch in the order of the text; empty when it is no patch. Linear in the text, and lenient: what
/// the tool that applies it would refuse is still listed.
#[must_use]
pub fn files(text: &str) -> Vec<PatchFile> {
    if text
        .lines()
        .any(|line| mark(line, false) == Some("Begin Patch"))
    {
        envelope(text)
    } else {
        unified(text)
    }
}

/// What follows the three stars of a header line. Inside an update an indented one is context, hence `at_margin`.
fn mark(line: &str, at_margin: bool) -> Option<&str> {
    let line = if at_margin { line } else { line.trim_start() };
    line.strip_prefix("***").map(str::trim)
}

fn envelope(text: &str) -> Vec<PatchFile> {
    let mut files = Vec::new();
    let mut updating = false;
    for line in text.lines() {
        let Some(mark) = mark(line, updating) else {
            continue;
        };
        let (word, path) = mark.split_once(':').unwrap_or((mark, ""));
        let path = path.trim();
        let kind = match word.trim_end() {
            "Add File" => PatchKind::Add,
            "Delete File" => PatchKind::Delete,
            "Update File" => PatchKind::Update,
            "Move to" => {
                if let Some(PatchFile {
                    kind: kind @ PatchKind::Update,
                    ..
                }) = files.last_mut()
                {
                    *kind = PatchKind::MoveTo(path.to_owned());
                }
                continue;
            }
            // Several patches in one text: a new one begins at no update.
            "End Patch" | "Begin Patch" => {
                updating = false;
                continue;
            }
            _ => continue,
        };
        updating = kind == PatchKind::Update;
        if !path.is_empty() {
            files.push(PatchFile::new(path, kind));
        }
    }
    files
}

/// What the headers of one file of a unified diff have said so far.
#[derive(Default)]
struct Header {
    git: Option<String>,
    old: Option<String>,
    new: Option<String>,
    from: Option<String>,
    to: Option<String>,
    copied: bool,
    added: bool,
    deleted: bool,
}

impl Header {
    fn file(self) -> Option<PatchFile> {
        let gone = |name: &Option<String>| name.as_deref() == Some("/dev/null");
        let added = self.added || gone(&self.old);
        let deleted = self.deleted || gone(&self.new);
        match (self.from, self.to) {
            (Some(_), Some(to)) if self.copied => return Some(PatchFile::new(to, PatchKind::Add)),
            (Some(from), Some(to)) => return Some(PatchFile::new(from, PatchKind::MoveTo(to))),
            _ => {}
        }
        let kind = match (added, deleted) {
            (true, _) => PatchKind::Add,
            (_, true) => PatchKind::Delete,
            _ => PatchKind::Update,
        };
        let old = self
            .old
            .filter(|name| name != "/dev/null")
            .map(|name| without_side(name, "a/"));
        let new = self
            .new
            .filter(|name| name != "/dev/null")
            .map(|name| without_side(name, "b/"));
        let path = if deleted { old.or(new) } else { new.or(old) };
        path.or(self.git)
            .filter(|path| !path.is_empty())
            .map(|path| PatchFile::new(path, kind))
    }
}

fn unified(text: &str) -> Vec<PatchFile> {
    let mut files = Vec::new();
    let mut header = Header::default();
    // Lines of the hunk still to come, old and new: `--- x` inside one is a removed line, not a header.
    let (mut old_left, mut new_left) = (0_u64, 0_u64);
    for line in text.lines() {
        if old_left > 0 || new_left > 0 {
            let taken = match line.as_bytes().first() {
                Some(b' ') | None => Some((1, 1)),
                Some(b'-') => Some((1, 0)),
                Some(b'+') => Some((0, 1)),
                Some(b'\\') => Some((0, 0)),
                // The counts lied: whatever this is stands outside the hunk.
                Some(_) => None,
            };
            if let Some((old, new)) = taken {
                (old_left, new_left) = (old_left.saturating_sub(old), new_left.saturating_sub(new));
                continue;
            }
            (old_left, new_left) = (0, 0);
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            files.extend(std::mem::take(&mut header).file());
            header.git = git_name(names);
        } else if let Some(name) = line.strip_prefix("--- ") {
            // Without a `diff` line this is where a file begins.
            if header.old.is_some() {
                files.extend(std::mem::take(&mut header).file());
            }
            header.old = Some(name_of(name));
        } else if let Some(name) = line.strip_prefix("+++ ") {
            header.new = Some(name_of(name));
        } else if let Some(name) = line.strip_prefix("rename from ") {
            header.from = Some(unquoted(name));
        } else if let Some(name) = line.strip_prefix("rename to ") {
            header.to = Some(unquoted(name));
        } else if let Some(name) = line.strip_prefix("copy from ") {
            (header.from, header.copied) = (Some(unquoted(name)), true);
        } else if let Some(name) = line.strip_prefix("copy to ") {
            header.to = Some(unquoted(name));
        } else if line.starts_with("new file mode ") {
            header.added = true;
        } else if line.starts_with("deleted file mode ") {
            header.deleted = true;
        } else if let Some((old, new)) = line.strip_prefix("@@ -").and_then(hunk) {
            (old_left, new_left) = (old, new);
        }
    }
    files.extend(header.file());
    files
}

/// The line counts of `@@ -1,2 +3,4 @@` after its first five bytes; a count left out is 1.
fn hunk(rest: &str) -> Option<(u64, u64)> {
    let (old, rest) = rest.split_once(" +")?;
    let new = rest.split_once(' ')?.0;
    let count = |range: &str| {
        range
            .split_once(',')
            .map_or(Some(1), |(_, count)| count.parse().ok())
    };
    Some((count(old)?, count(new)?))
}

/// A name of a `---` or `+++` line, without the time that `diff` puts behind a tab.
fn name_of(name: &str) -> String {
    unquoted(name.split_once('\t').map_or(name, |(name, _)| name))
}

fn without_side(name: String, side: &str) -> String {
    name.strip_prefix(side)
        .map_or_else(|| name.clone(), str::to_owned)
}

/// The name in `a/NAME b/NAME`, which is all there is for an empty file or a change of mode.
fn git_name(names: &str) -> Option<String> {
    if names.starts_with('"') {
        let end = names.find("\" ")?;
        return Some(without_side(unquoted(&names[..=end]), "a/"));
    }
    // Both halves are the same name, so the blank between them stands in the middle.
    let middle = names.len() / 2;
    let (old, new) = (names.get(..middle)?, names.get(middle + 1..)?);
    let (old, new) = (old.strip_prefix("a/")?, new.strip_prefix("b/")?);
    (old == new).then(|| old.to_owned())
}

/// A name as git quotes it: `"a\tb\303\244"`. Bytes that are not UTF-8 become U+FFFD.
fn unquoted(name: &str) -> String {
    let name = name.trim_end_matches('\r');
    let Some(inner) = name
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return name.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut value = digit - b'0';
                for _ in 0..2 {
                    let Some(next) = rest.next_if(|b| (b'0'..=b'7').contains(b)) else {
                        break;
                    };
                    value = value.wrapping_mul(8).wrapping_add(next - b'0');
                }
                bytes.push(value);
            }
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'f') => bytes.push(12),
            Some(b'n') => bytes.push(b'\n'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'v') => bytes.push(11),
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use PatchKind::{Add, Delete, MoveTo, Update};

    fn listed(text: &str) -> Vec<(String, PatchKind)> {
        files(text)
            .into_iter()
            .map(|file| (file.path, file.kind))
            .collect()
    }

    fn list(files: &[(&str, PatchKind)]) -> Vec<(String, PatchKind)> {
        files
            .iter()
            .map(|(path, kind)| ((*path).to_owned(), kind.clone()))
            .collect()
    }

    #[test]
    fn an_envelope_of_every_kind() {
        let text = "*** Begin Patch\n*** Add File: a b.txt\n+*** Delete File: content\n*** Update File: x.rs\n@@\n \
            *** Delete File: context\n-old\n+new\n*** Update File: y.rs\n*** Move to: z/y.rs\n@@\n-a\n+b\n*** End of File\n\
            *** Delete File: gone\n*** End Patch";
        let expected = [
            ("a b.txt", Add),
            ("x.rs", Update),
            ("y.rs", MoveTo("z/y.rs".into())),
            ("gone", Delete),
        ];
        assert_eq!(listed(text), list(&expected));
    }

    #[test]
    fn an_envelope_is_read_leniently() {
        let text = "cat <<'EOF'\n  *** Begin Patch  \r\n  ***  Add File:a\r\n+x\n\t*** Delete File:  b  \n*** Update File:\n";
        assert_eq!(listed(text), list(&[("a", Add), ("b", Delete)]));
        let two = "*** Begin Patch\n*** Update File: a\n*** End Patch\n *** Begin Patch\n *** Delete File: b\n*** End Patch";
        assert_eq!(listed(two), list(&[("a", Update), ("b", Delete)]));
        assert_eq!(
            listed("*** Begin Patch\n*** Move to: nowhere\n*** End Patch"),
            []
        );
    }

    #[test]
    fn unified_diffs_of_every_kind() {
        let text = "diff --git a/m b/m\nindex 1..2 100644\n--- a/m\n+++ b/m\n@@ -1,2 +1,2 @@ fn\n--- a/not\n-x\n+++ b/not\n+y\n\
            diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n\
            diff --git a/made b/made\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+z\n\
            diff --git a/empty b/empty\nnew file mode 100644\nindex 0..0\n\
            diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n\
            diff --git a/run b/run\nold mode 100644\nnew mode 100755\n\
            diff --git a/src b/dst\ncopy from src\ncopy to dst\n";
        let expected = [
            ("m", Update),
            ("old", MoveTo("new".into())),
            ("made", Add),
            ("empty", Add),
            ("gone", Delete),
            ("run", Update),
            ("dst", Add),
        ];
        assert_eq!(listed(text), list(&expected));
    }

    #[test]
    fn plain_diffs_quoted_names_and_lying_counts() {
        let text = "--- old.c\t2026-01-01 00:00:00\n+++ new.c\t2026-01-01 00:00:00\n@@ -1 +1 @@\n-a\n+b\n--- a/p\n+++ b/p\n";
        assert_eq!(listed(text), list(&[("new.c", Update), ("p", Update)]));
        let quoted = "--- \"a/t\\tb\\303\\244\"\n+++ \"b/t\\tb\\303\\244\"\n";
        assert_eq!(listed(quoted), list(&[("t\tbä", Update)]));
        let lying = "--- a/p\n+++ b/p\n@@ -1,99 +1,99 @@\n-a\ndiff --git a/q b/q\ndeleted file mode 100644\n";
        assert_eq!(listed(lying), list(&[("p", Update), ("q", Delete)]));
    }

    #[test]
    fn what_is_no_patch_has_no_files() {
        for text in [
            "",
            "echo hi",
            "--- ",
            "+++",
            "@@ -1 +1 @@",
            "diff --git ",
            "diff --git é",
            "***",
            "\0\u{202e}***",
            "\"\\",
        ] {
            assert_eq!(listed(text), [], "{text:?}");
        }
        assert_eq!(
            listed(&"@@ -1,18446744073709551615 +1,18446744073709551616 @@\n".repeat(3)),
            []
        );
    }
}
