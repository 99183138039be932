//! Patch text, and what it does to which files: Codex's `*** Begin Patch` form and unified diffs.

mod unified;

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
        Self { path: path.into(), kind }
    }
}

/// The files of a patch in the order of the text; empty when it is no patch. Linear in the text, and lenient: what
/// the tool that applies it would refuse is still listed.
#[must_use]
pub fn files(text: &str) -> Vec<PatchFile> {
    if text.lines().any(|line| mark(line, false) == Some("Begin Patch")) { envelope(text) } else { unified::files(text) }
}

/// The lines that a patch adds, of either form.
#[must_use]
pub fn added(text: &str) -> String {
    let added = |line: &&str| line.starts_with('+') && !line.starts_with("+++ ");
    text.lines().filter(added).map(|line| &line[1..]).collect::<Vec<_>>().join("\n")
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
                if let Some(PatchFile { kind: kind @ PatchKind::Update, .. }) = files.last_mut() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use PatchKind::{Add, Delete, MoveTo, Update};

    fn listed(text: &str) -> Vec<(String, PatchKind)> {
        files(text).into_iter().map(|file| (file.path, file.kind)).collect()
    }

    fn list(files: &[(&str, PatchKind)]) -> Vec<(String, PatchKind)> {
        files.iter().map(|(path, kind)| ((*path).to_owned(), kind.clone())).collect()
    }

    #[test]
    fn an_envelope_of_every_kind() {
        let text = "*** Begin Patch\n*** Add File: a b.txt\n+*** Delete File: content\n*** Update File: x.rs\n@@\n \
            *** Delete File: context\n-old\n+new\n*** Update File: y.rs\n*** Move to: z/y.rs\n@@\n-a\n+b\n*** End of File\n\
            *** Delete File: gone\n*** End Patch";
        let expected = [("a b.txt", Add), ("x.rs", Update), ("y.rs", MoveTo("z/y.rs".into())), ("gone", Delete)];
        assert_eq!(listed(text), list(&expected));
    }

    #[test]
    fn an_envelope_is_read_leniently() {
        let text = "cat <<'EOF'\n  *** Begin Patch  \r\n  ***  Add File:a\r\n+x\n\t*** Delete File:  b  \n*** Update File:\n";
        assert_eq!(listed(text), list(&[("a", Add), ("b", Delete)]));
        let two = "*** Begin Patch\n*** Update File: a\n*** End Patch\n *** Begin Patch\n *** Delete File: b\n*** End Patch";
        assert_eq!(listed(two), list(&[("a", Update), ("b", Delete)]));
        assert_eq!(listed("*** Begin Patch\n*** Move to: nowhere\n*** End Patch"), []);
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
        for text in ["", "echo hi", "--- ", "+++", "@@ -1 +1 @@", "diff --git ", "diff --git é", "***", "\0\u{202e}***", "\"\\"]
        {
            assert_eq!(listed(text), [], "{text:?}");
        }
        assert_eq!(listed(&"@@ -1,18446744073709551615 +1,18446744073709551616 @@\n".repeat(3)), []);
    }
}
