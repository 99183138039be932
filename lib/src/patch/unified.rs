//! Unified diffs, plain or git's.

use super::{PatchFile, PatchKind};

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
        let old = self.old.filter(|name| name != "/dev/null").map(|name| without_side(name, "a/"));
        let new = self.new.filter(|name| name != "/dev/null").map(|name| without_side(name, "b/"));
        let path = if deleted { old.or(new) } else { new.or(old) };
        path.or(self.git).filter(|path| !path.is_empty()).map(|path| PatchFile::new(path, kind))
    }
}

/// The files of a unified diff.
pub(super) fn files(text: &str) -> Vec<PatchFile> {
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
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    Some((count(old)?, count(new)?))
}

/// A name of a `---` or `+++` line, without the time that `diff` puts behind a tab.
fn name_of(name: &str) -> String {
    unquoted(name.split_once('\t').map_or(name, |(name, _)| name))
}

fn without_side(name: String, side: &str) -> String {
    name.strip_prefix(side).map_or_else(|| name.clone(), str::to_owned)
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
    let Some(inner) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
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
