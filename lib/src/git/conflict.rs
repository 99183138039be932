//! Conflicts that nobody has worked on yet.

use std::fs;
use std::path::PathBuf;

use super::{Entry, Git, State, Trouble};

/// The most conflicts that are merged again, each by a process; the rest counts as worked on.
const MOST: usize = 50;

impl Git<'_> {
    /// The paths in conflict whose file still is what the merge wrote: its conflict markers, and nobody's work.
    /// A git before 2.43 cannot say; then every conflict counts as worked on.
    ///
    /// # Errors
    /// `NotARepository` without a work tree; those of the process.
    pub fn untouched(&self, entries: &[Entry]) -> Result<Vec<PathBuf>, Trouble> {
        let top = self.repo().work_tree.as_deref().ok_or(Trouble::NotARepository)?;
        let mut out = Vec::new();
        for entry in entries.iter().filter(|e| matches!(e.state, State::Unmerged { .. })).take(MOST) {
            let State::Unmerged { stages: [Some(base), Some(ours), Some(theirs)], .. } = &entry.state else { continue };
            let Ok(now) = fs::read(top.join(&entry.path)) else { continue };
            // As git writes it, or as `checkout --conflict` wrote it again.
            for style in ["--no-diff3", "--diff3", "--zdiff3"] {
                let call = self.call(&["merge-file", style, "-p", "--object-id", ours.as_str(), base.as_str(), theirs.as_str()]);
                // The exit status is the number of conflicts, or 255 for an error.
                match self.run(call.good(CONFLICTS)) {
                    Ok(reply) if unlabelled(&now) == unlabelled(&reply.out) => {
                        out.push(entry.path.clone());
                        break;
                    }
                    Ok(_) | Err(Trouble::Failed { .. }) => {}
                    Err(trouble) => return Err(trouble),
                }
            }
        }
        Ok(out)
    }
}

/// Exit statuses of `merge-file` that mean conflicts.
const CONFLICTS: &[i32] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/// The text with the names behind conflict markers cut off: they differ between two merges of the same blobs.
fn unlabelled(text: &[u8]) -> Vec<&[u8]> {
    let marks: [&[u8]; 3] = [b"<<<<<<<", b">>>>>>>", b"|||||||"];
    text.split(|b| *b == b'\n').map(|line| marks.into_iter().find(|m| line.starts_with(m)).unwrap_or(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::unlabelled;

    #[test]
    fn labels_do_not_count() {
        assert_eq!(
            unlabelled(b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"),
            unlabelled(b"<<<<<<< 1234\na\n=======\nb\n>>>>>>> 5678\n")
        );
        assert_ne!(unlabelled(b"<<<<<<< HEAD\na\n"), unlabelled(b"a\n"));
    }
}
