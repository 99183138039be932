//! Whether the content of a file is kept anywhere in the repository.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::object::has_attributes;
use super::process::LISTING;
use super::{Git, Oid, Paths, Trouble, cquote};

/// The largest file that is named without a process, in bytes.
const WHOLE: u64 = 20 << 20;
/// The most symbolic links that are hashed, each by a process.
const LINKS: usize = 64;
/// The most ref tips that are searched for a path.
const TIPS: usize = 500;
/// The most (tip, path) pairs.
const PAIRS: usize = 50_000;

/// Where the present content of a file is kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kept {
    /// There is no such file, or it is no regular file and no link.
    Absent,
    /// In the tree of HEAD, at any path.
    Head,
    /// In some older commit that a ref or HEAD reaches, at the same path.
    History,
    /// In the index, at any path.
    Index,
    /// In no place that was searched.
    Nowhere,
    /// In the tree of a ref's tip, at the same path.
    Tip,
}

impl Git<'_> {
    /// Where the present content of each path is kept: HEAD first, then the index (where `index` says that it counts),
    /// then other refs. Content counts both as it is and as git would store it (line ends); filter drivers are not run.
    ///
    /// # Errors
    /// `NotARepository` without a work tree; those of the process.
    pub fn kept(&self, paths: &[PathBuf], index: bool) -> Result<Vec<Kept>, Trouble> {
        let stored = self.hash(paths, true)?;
        let mut all = self.places(paths, &stored, index)?;
        let open: Vec<usize> = (0..all.len()).filter(|i| all[*i] == Kept::Nowhere).collect();
        let names: Vec<PathBuf> = open.iter().map(|i| paths[*i].clone()).collect();
        let mut raw = self.hash(&names, false)?;
        for (i, hash) in open.iter().zip(&mut raw) {
            if *hash == stored[*i] {
                *hash = None;
            }
        }
        for (i, place) in open.into_iter().zip(self.places(&names, &raw, index)?) {
            if place != Kept::Absent {
                all[i] = place;
            }
        }
        Ok(all)
    }

    /// Where blobs are kept besides the index and the work tree: for content that only the index may hold. Each comes
    /// with the path at which other commits are searched.
    ///
    /// # Errors
    /// As [`Git::kept`].
    pub fn blobs_kept(&self, blobs: &[(PathBuf, Oid)]) -> Result<Vec<Kept>, Trouble> {
        let (paths, oids): (Vec<PathBuf>, Vec<Option<Oid>>) = blobs.iter().map(|(p, o)| (p.clone(), Some(o.clone()))).unzip();
        self.places(&paths, &oids, false)
    }

    /// The blob that each path's content makes; `None` where there is no regular file or link. `stored`: as git would
    /// store it (line ends), else byte for byte.
    ///
    /// # Errors
    /// As [`Git::kept`]; `TooMuch` for more than 64 links.
    pub fn hash(&self, paths: &[PathBuf], stored: bool) -> Result<Vec<Option<Oid>>, Trouble> {
        let top = self.repo().work_tree.as_deref().ok_or(Trouble::NotARepository)?;
        let mut all = vec![None; paths.len()];
        let (mut files, mut input, mut links) = (Vec::new(), Vec::new(), 0);
        for (i, path) in paths.iter().enumerate() {
            let full = top.join(path);
            let Ok(meta) = fs::symlink_metadata(&full) else {
                continue;
            };
            if meta.is_file() && File::open(&full).is_ok() {
                if let Some(name) = self.name_of(path, &full, meta.len(), stored) {
                    all[i] = Some(name);
                    continue;
                }
                files.push(i);
                input.extend(cquote::quote(path.as_os_str().as_bytes()));
                input.push(b'\n');
            } else if meta.is_symlink()
                && let Ok(target) = fs::read_link(&full)
            {
                all[i] = self.repo().blob_name(target.as_os_str().as_bytes());
                if all[i].is_some() {
                    continue;
                }
                links += 1;
                if links > LINKS {
                    return Err(Trouble::TooMuch { step: "symbolic links".into() });
                }
                let call = self.call(&["hash-object", "--stdin"]).input(target.as_os_str().as_bytes().to_vec());
                all[i] = Oid::parse_bytes(self.run(call)?.out.trim_ascii());
            }
        }
        if files.is_empty() {
            return Ok(all);
        }
        let call = self.call(&["hash-object", "--stdin-paths"]);
        let call = if stored { call } else { call.more(&["--no-filters"]) };
        let reply = self.run(call.at(top).input(input).limit(LISTING))?;
        for (i, line) in files.into_iter().zip(reply.out.split(|b| *b == b'\n')) {
            all[i] = Oid::parse_bytes(line);
        }
        Ok(all)
    }

    /// The blob's name without a process, where git would change nothing of the bytes: no attribute holds, no line ends
    /// to convert.
    fn name_of(&self, path: &Path, full: &Path, size: u64, stored: bool) -> Option<Oid> {
        if size > WHOLE || stored && (self.env.attributes || has_attributes(self.repo(), path)) {
            return None;
        }
        let bytes = crate::fs::read(full, WHOLE).ok()?;
        if stored && bytes.contains(&b'\r') {
            return None;
        }
        self.repo().blob_name(&bytes)
    }

    fn places(&self, paths: &[PathBuf], hashes: &[Option<Oid>], index: bool) -> Result<Vec<Kept>, Trouble> {
        let mut all: Vec<Kept> = hashes.iter().map(|h| if h.is_some() { Kept::Nowhere } else { Kept::Absent }).collect();
        let known = self.known(hashes.iter().flatten())?;
        let mut open: Vec<usize> = (0..all.len()).filter(|i| hashes[*i].as_ref().is_some_and(|h| known.contains(h))).collect();
        let mut settle = |open: &mut Vec<usize>, kept: Kept, held: &dyn Fn(usize, &Oid) -> bool| {
            open.retain(|i| {
                let found = hashes[*i].as_ref().is_some_and(|h| held(*i, h));
                if found {
                    all[*i] = kept;
                }
                !found
            });
        };
        let head = if open.is_empty() { None } else { self.rev_parse("HEAD^{tree}")? };
        if let Some(head) = &head {
            let tree: HashSet<Oid> = self.tree_paths(head, &[])?.into_iter().map(|(_, oid)| oid).collect();
            settle(&mut open, Kept::Head, &|_, h| tree.contains(h));
        }
        if index && !open.is_empty() {
            let index: HashSet<Oid> = self.index_entries(Paths::All)?.into_iter().map(|e| e.oid).collect();
            settle(&mut open, Kept::Index, &|_, h| index.contains(h));
        }
        if !open.is_empty() {
            let tips: HashSet<Oid> = self.refs("refs/")?.into_iter().map(|r| r.oid).take(TIPS).collect();
            let pairs = tips.iter().flat_map(|t| open.iter().map(move |i| (*i, (t, &paths[*i]))));
            let (owners, pairs): (Vec<usize>, Vec<(&Oid, &PathBuf)>) = pairs.take(PAIRS).unzip();
            let mut found: HashMap<usize, HashSet<Oid>> = HashMap::new();
            for (i, blob) in owners.into_iter().zip(self.blobs_at(&pairs)?) {
                found.entry(i).or_default().extend(blob);
            }
            settle(&mut open, Kept::Tip, &|i, h| found.get(&i).is_some_and(|f| f.contains(h)));
        }
        if !open.is_empty() {
            let top = self.repo().work_tree.as_deref().ok_or(Trouble::NotARepository)?;
            let named: Vec<&Path> = open.iter().take(200).map(|i| paths[*i].as_path()).collect();
            let mut call = self.call(&["--literal-pathspecs", "rev-list", "--objects", "--missing=allow-any", "--all"]).at(top);
            if head.is_some() {
                call = call.more(&["HEAD"]);
            }
            let reply = self.run(call.more(&["--"]).more(&named).limit(LISTING))?;
            let words = reply.out.split(|b| *b == b'\n').filter_map(|l| l.split(|b| *b == b' ').next());
            let past: HashSet<Oid> = words.filter_map(Oid::parse_bytes).collect();
            settle(&mut open, Kept::History, &|_, h| past.contains(h));
        }
        Ok(all)
    }

    /// Those of the objects that are in the object store.
    pub(super) fn known<'o>(&self, oids: impl Iterator<Item = &'o Oid>) -> Result<HashSet<Oid>, Trouble> {
        let mut known = HashSet::new();
        let mut input = String::new();
        for oid in oids {
            match self.repo().has(oid, self.env.elsewhere) {
                Some(true) => known.extend([oid.clone()]),
                Some(false) => {}
                None => input.extend([oid.as_str(), "\n"]),
            }
        }
        if input.is_empty() {
            return Ok(known);
        }
        let call = self.call(&["cat-file", "--batch-check=%(objectname) %(objecttype)"]).input(input.into_bytes()).limit(LISTING);
        let reply = self.run(call)?;
        let lines = reply.out.split(|b| *b == b'\n').filter(|l| !l.ends_with(b" missing"));
        known.extend(lines.filter_map(|l| Oid::parse_bytes(l.split(|b| *b == b' ').next()?)));
        Ok(known)
    }

    /// The blob at each path of each commit; `None` where there is none. A path with a line end counts as absent.
    pub(super) fn blobs_at(&self, pairs: &[(&Oid, &PathBuf)]) -> Result<Vec<Option<Oid>>, Trouble> {
        let mut input = Vec::new();
        for (commit, path) in pairs {
            let path = path.as_os_str().as_bytes();
            // One question a line: for a path that holds a line end, one that has no answer.
            if path.contains(&b'\n') {
                input.extend(b"^\n");
            } else {
                input.extend([commit.as_str().as_bytes(), b":", path, b"\n"].concat());
            }
        }
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.call(&["cat-file", "--batch-check=%(objectname)"]).input(input).limit(LISTING);
        let reply = self.run(call)?;
        let answers: Vec<Option<Oid>> = reply.out.split(|b| *b == b'\n').map(Oid::parse_bytes).collect();
        // One line a question, and an empty one after the last line end.
        if answers.len() != pairs.len() + 1 {
            return Err(Trouble::Failed { args: "cat-file --batch-check".into(), line: "not one answer a question".into() });
        }
        Ok(answers.into_iter().take(pairs.len()).collect())
    }
}
