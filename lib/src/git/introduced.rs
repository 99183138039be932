//! What commits brought along: contents that none of their parents has, and contents that a path had before.

use std::path::{Path, PathBuf};

use super::process::LISTING;
use super::{Git, LogEntry, Oid, Trouble, read};

/// The most bytes of contents that are read at once.
const CONTENTS: usize = 32 << 20;

impl Git<'_> {
    /// The files of each commit that differ from those of all its parents: path and blob. A content that the same
    /// commit took from another path is left out, and so are submodules.
    ///
    /// # Errors
    /// Those of the process; `TooMuch` beyond 64 MiB.
    pub fn introduced(&self, commits: &[Oid]) -> Result<Vec<(PathBuf, Oid)>, Trouble> {
        let input: String = commits.iter().flat_map(|oid| [oid.as_str(), "\n"]).collect();
        let args = ["diff-tree", "--stdin", "-r", "-c", "--root", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-abbrev"];
        let reply = self.run(self.call(&args).input(input.into_bytes()).limit(LISTING))?;
        Ok(introduced(&reply.out))
    }

    /// Commits as the reflog entries that `git commit` wrote of them; merges are left out.
    ///
    /// # Errors
    /// Those of the process; `Failed` when one is no commit here.
    pub fn as_entries(&self, commits: &[Oid]) -> Result<Vec<LogEntry>, Trouble> {
        let call = self.call(&["log", "--no-walk=unsorted", "-z", "--format=%H %P|%ct %s", "--end-of-options"]);
        let names: Vec<&str> = commits.iter().map(Oid::as_str).collect();
        let reply = self.run(call.more(&names))?;
        let entries = reply.out.split(|b| *b == 0).filter_map(|line| {
            let line = String::from_utf8_lossy(line);
            let (oids, said) = line.split_once('|')?;
            let (time, subject) = said.split_once(' ')?;
            let (new, old) = oids.split_once(' ')?;
            let old = if old.is_empty() { Oid::parse(&"0".repeat(new.len()))? } else { Oid::parse(old)? };
            Some(LogEntry { new: Oid::parse(new)?, old, message: format!("commit: {subject}"), time: time.parse().ok()? })
        });
        Ok(entries.collect())
    }

    /// The parents of a commit.
    ///
    /// # Errors
    /// Those of the process; `Failed` when it is no commit here.
    pub fn parents(&self, commit: &Oid) -> Result<Vec<Oid>, Trouble> {
        let reply = self.run(self.call(&["rev-list", "--parents", "--max-count=1", commit.as_str(), "--"]))?;
        let words = reply.out.split(|b| b.is_ascii_whitespace()).skip(1);
        Ok(words.filter_map(Oid::parse_bytes).collect())
    }

    /// The blobs that a path had in the commits that refs and HEAD reach, the newest first, at most `limit`.
    ///
    /// # Errors
    /// `NotARepository` without a work tree; those of the process.
    pub fn past(&self, path: &Path, limit: usize) -> Result<Vec<Oid>, Trouble> {
        let top = self.repo().work_tree.as_deref().ok_or(Trouble::NotARepository)?;
        let mut call = self.call(&["--literal-pathspecs", "rev-list", "--objects", "--missing=allow-any", "--all"]).at(top);
        if self.rev_parse("HEAD^{tree}")?.is_some() {
            call = call.more(&["HEAD"]);
        }
        let reply = self.run(call.more(&["--"]).more(&[path]).limit(LISTING))?;
        let lines = reply.out.split(|b| *b == b'\n').filter_map(|line| {
            let space = line.iter().position(|b| *b == b' ')?;
            (read::path(&line[space + 1..]) == path).then(|| Oid::parse_bytes(&line[..space]))?
        });
        Ok(lines.take(limit).collect())
    }

    /// The contents of blobs, in order.
    ///
    /// # Errors
    /// Those of the process; `TooMuch` beyond 32 MiB; `Failed` when one is missing or no blob.
    pub fn contents(&self, blobs: &[Oid]) -> Result<Vec<Vec<u8>>, Trouble> {
        let input: String = blobs.iter().flat_map(|oid| [oid.as_str(), "\n"]).collect();
        let reply =
            self.run(self.call(&["cat-file", "--batch=%(objecttype) %(objectsize)"]).input(input.into_bytes()).limit(CONTENTS))?;
        contents(&reply.out)
            .filter(|all| all.len() == blobs.len())
            .ok_or_else(|| Trouble::Failed { args: "cat-file --batch".into(), line: "not one blob a question".into() })
    }
}

/// `<commit> NUL`, then `:<modes> <oids> <letters> NUL <path> NUL` for each file, with a colon a parent.
fn introduced(out: &[u8]) -> Vec<(PathBuf, Oid)> {
    let mut fields = out.split(|b| *b == 0).peekable();
    let mut all = Vec::new();
    while fields.peek().is_some() {
        let (mut olds, mut news) = (Vec::new(), Vec::new());
        // The commit's own line.
        if fields.next_if(|f| !f.starts_with(b":")).is_none() && fields.peek().is_none() {
            break;
        }
        while let Some(head) = fields.next_if(|f| f.starts_with(b":")) {
            let parents = head.iter().take_while(|b| **b == b':').count();
            let words: Vec<&[u8]> = head[parents..].split(|b| *b == b' ').collect();
            let Some(path) = fields.next() else { break };
            let oids: Vec<Oid> = words.iter().skip(parents + 1).filter_map(|w| Oid::parse_bytes(w)).collect();
            let submodule = words.get(parents).is_some_and(|mode| *mode == b"160000");
            if let (Some((new, old)), false) = (oids.split_last(), submodule) {
                olds.extend_from_slice(old);
                news.push((read::path(path), new.clone()));
            }
        }
        all.extend(news.into_iter().filter(|(_, oid)| !oid.is_zero() && !olds.contains(oid)));
    }
    all
}

/// `<type> <size> LF <bytes> LF`, repeated.
fn contents(mut out: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    while !out.is_empty() {
        let end = out.iter().position(|b| *b == b'\n')?;
        let size: usize = std::str::from_utf8(out[..end].strip_prefix(b"blob ")?).ok()?.parse().ok()?;
        let body = out.get(end + 1..)?.get(..size)?;
        all.push(body.to_vec());
        out = out.get(end + 1 + size + 1..).unwrap_or_default();
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_and_combined_lines() {
        let oid = |c: char| c.to_string().repeat(40);
        let (a, b, c, z) = (oid('a'), oid('b'), oid('c'), oid('0'));
        let out = format!(
            "{a}\0:100644 100644 {a} {b} M\0x\0:000000 100644 {z} {a} A\0moved\0:100644 000000 {a} {z} D\0y\0{b}\0::100644 100644 100644 {a} {b} {c} MM\0m\n\0:000000 160000 {z} {c} A\0sub\0"
        );
        let all: Vec<(String, String)> =
            introduced(out.as_bytes()).into_iter().map(|(p, o)| (p.display().to_string(), o.as_str().to_owned())).collect();
        assert_eq!(all, [("x".to_owned(), b), ("m\n".to_owned(), c)]);
        assert!(introduced(b"").is_empty() && introduced(b"junk").is_empty() && introduced(b":junk\0").is_empty());
    }

    #[test]
    fn bodies() {
        assert_eq!(contents(b"blob 3\na\nb\nblob 0\n\n"), Some(vec![b"a\nb".to_vec(), Vec::new()]));
        assert_eq!(contents(b"tree 1\nx\n"), None);
        assert_eq!(contents(b"blob 9\nx\n"), None);
        assert_eq!(contents(b"0000 missing\n"), None);
    }
}
