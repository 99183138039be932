//! Who made a commit, a stash entry, a remote: what a line was about to make, found again in the reflogs.
//!
//! A session's own is what one of its lines was about to make, and whose content it wrote itself: a commit or entry that
//! swept up a person's files is the person's too.

use crate::own::memory::Memory;
use crate::site::Site;
use ah::git::{LogEntry, Oid, Repo, Trouble, Vars};
use ah::session::{Made, hash_bytes, mark, path_text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// So many commits are looked into; more are a person's.
const COMMITS: usize = 50;
/// So many files of theirs.
const FILES: usize = 500;

/// Object ids that lines of the session made, and whether git alone made their content from what there was.
type Claims = BTreeMap<String, bool>;

impl Memory {
    /// Whether the session made all of these commits, and their content.
    pub fn own_commits(&self, site: &Site, oids: &[Oid]) -> bool {
        let made = self.made_in(site);
        if made.is_empty() || oids.is_empty() || oids.len() >= COMMITS {
            return false;
        }
        let log = history(site, oids).unwrap_or_default();
        let claims = claims(&made, &log);
        if !oids.iter().all(|oid| claims.contains_key(oid.as_str())) {
            return false;
        }
        let written: Vec<Oid> = oids.iter().filter(|oid| claims.get(oid.as_str()) == Some(&false)).cloned().collect();
        self.own_content(site, &made, &written).unwrap_or(false)
    }

    /// Whether the session made this stash entry, of its own files alone.
    pub fn own_stash(&self, site: &Site, oid: &str) -> bool {
        let made = self.made_in(site);
        let (Some(entry), false) = (Oid::parse(oid), made.is_empty()) else { return false };
        let looked = || -> Result<bool, Trouble> {
            let git = site.git("stash")?;
            if !stashed(&made, &git.reflog("refs/stash")?.unwrap_or_default()).contains(oid) {
                return Ok(false);
            }
            let parts: Vec<Oid> = git.parents(&entry)?.into_iter().skip(1).chain([entry.clone()]).collect();
            self.own_content(site, &made, &parts)
        };
        looked().unwrap_or(false)
    }

    /// Whether the session added this remote, which still has the address that it gave.
    pub fn own_remote(&self, site: &Site, name: &str) -> bool {
        let made = self.made_in(site);
        let urls = site.config().get_all(&format!("remote.{name}.url"));
        let [url] = urls.as_slice() else { return false };
        let act = format!("remote:{name} {}", mark(url));
        made.iter().any(|made| made.acts.contains(&act))
    }

    fn made_in(&self, site: &Site) -> Vec<Made> {
        let repo = path_text(&site.repo.common_dir);
        self.folded().map(|all| all.made().iter().filter(|m| m.repo == repo).cloned().collect()).unwrap_or_default()
    }

    /// Whether the session wrote every content that these commits brought along.
    fn own_content(&self, site: &Site, made: &[Made], commits: &[Oid]) -> Result<bool, Trouble> {
        let Some(folded) = self.folded() else { return Ok(false) };
        if commits.is_empty() {
            return Ok(true);
        }
        let git = site.git("diff-tree")?;
        let files = git.introduced(commits)?;
        if files.len() > FILES {
            return Ok(false);
        }
        let blobs: Vec<Oid> = files.iter().map(|(_, blob)| blob.clone()).collect();
        let contents = git.contents(&blobs)?;
        let mut trees: BTreeSet<&str> = BTreeSet::new();
        trees.extend(made.iter().map(|m| m.tree.as_str()));
        let vars = Vars::of_process();
        // A tree of the repository may be gone by now.
        let committed = |path: &str, hash: &str| {
            let tail = trees.iter().find_map(|tree| Path::new(path).strip_prefix(tree).ok());
            tail.map_or_else(|| self.committed(path, hash), |tail| self.was_at(&site.repo, &vars, tail, hash))
        };
        Ok(files.iter().zip(&contents).all(|((path, _), content)| {
            let hash = hash_bytes(content);
            trees.iter().any(|tree| folded.had(tree, &Path::new(tree).join(path), &hash, &committed))
        }))
    }
}

/// What the reflogs of all HEADs and branches say, oldest first, each once; and of `commits` that none of them names any
/// more (their tree and branch are gone) what they say themselves.
fn history(site: &Site, commits: &[Oid]) -> Result<Vec<LogEntry>, Trouble> {
    let repo = &site.repo;
    let mut all: Vec<LogEntry> = Vec::new();
    let mut add = |repo: &Repo, name: &str| -> Result<(), Trouble> {
        all.extend(repo.reflog(name)?.unwrap_or_default().into_iter().rev());
        Ok(())
    };
    add(repo, "HEAD")?;
    let others = repo.linked_trees().into_iter().map(|t| t.git_dir).chain([repo.common_dir.clone()]);
    for git_dir in others.filter(|dir| *dir != repo.git_dir) {
        add(&Repo { git_dir, ..repo.clone() }, "HEAD")?;
    }
    for branch in site.git("refs")?.refs("refs/heads/")? {
        add(repo, &branch.name)?;
    }
    let silent: Vec<Oid> = commits.iter().filter(|oid| !all.iter().any(|e| e.new == **oid)).cloned().collect();
    all.extend(if silent.is_empty() { Vec::new() } else { site.git("log")?.as_entries(&silent)? });
    let mut seen = BTreeSet::new();
    all.retain(|e| seen.insert((e.old.clone(), e.new.clone(), e.time, e.message.clone())));
    all.sort_by_key(|e| e.time);
    Ok(all)
}

/// When the next line of the session that made something in the same tree was there: what came later is not this one's.
fn until(made: &[Made], at: usize) -> i64 {
    let next = made[at + 1..].iter().find(|next| next.tree == made[at].tree);
    next.map_or(i64::MAX, |next| seconds(next.t) + 1)
}

fn seconds(ms: u64) -> i64 {
    i64::try_from(ms / 1000).unwrap_or(i64::MAX)
}

/// The commits that lines were about to make. An entry counts once, and only where it grew from where the line began.
fn claims(made: &[Made], log: &[LogEntry]) -> Claims {
    let mut claims = Claims::new();
    for (at, one) in made.iter().enumerate() {
        let (from, until) = (seconds(one.t), until(made, at));
        let mut head = one.head.clone();
        let mut rest = log.iter().filter(|e| (from..=until).contains(&e.time)).peekable();
        for act in &one.acts {
            let (kind, mark) = act.split_once(':').unwrap_or((act, ""));
            let fits = |e: &LogEntry, head: &Option<String>| {
                matches(kind, mark, &e.message) && (kind == "rebase" || head.as_ref().is_none_or(|h| h == e.old.as_str()))
            };
            let many = matches!(kind, "pick" | "rebase" | "revert");
            while let Some(entry) = rest.clone().position(|e| fits(e, &head)).and_then(|skip| rest.nth(skip)) {
                claims.entry(entry.new.as_str().to_owned()).or_insert(matches!(kind, "merge" | "revert"));
                head = head.map(|_| entry.new.as_str().to_owned());
                if !many {
                    break;
                }
            }
        }
    }
    claims
}

/// Whether a reflog's message is what git writes when it makes this.
fn matches(kind: &str, said: &str, message: &str) -> bool {
    let after = |prefixes: &[&str]| prefixes.iter().find_map(|p| message.strip_prefix(p));
    match kind {
        "amend" => after(&["commit (amend): "]).is_some_and(|s| said.is_empty() || mark(s) == said),
        "commit" => after(&["commit: ", "commit (initial): ", "commit (merge): "]).is_some_and(|s| mark(s) == said),
        "fixup" => after(&["commit: fixup! "]).is_some(),
        "merge" => after(&["merge "])
            .and_then(|s| s.split_once(": "))
            .is_some_and(|(rev, how)| mark(rev) == said && how != "Fast-forward"),
        "pick" => after(&["cherry-pick: "]).is_some(),
        "rebase" => {
            let how = after(&["rebase (", "rebase -i ("]).and_then(|s| s.split(')').next());
            how.is_some_and(|how| !matches!(how, "abort" | "finish" | "start"))
        }
        "revert" => after(&["revert: "]).is_some(),
        _ => false,
    }
}

/// The stash entries that lines were about to make; `log` is the stash's, newest first.
fn stashed(made: &[Made], log: &[LogEntry]) -> BTreeSet<String> {
    let mut claims = BTreeSet::new();
    for (at, one) in made.iter().enumerate() {
        let (from, until) = (seconds(one.t), until(made, at));
        // What lies below the entry that was the newest was there before.
        let old = one.stash.as_ref().and_then(|top| log.iter().position(|e| e.new.as_str() == top));
        for said in one.acts.iter().filter_map(|act| act.strip_prefix("stash:")) {
            let fits = |e: &LogEntry| match e.message.split_once(": ") {
                Some((on, _)) if said.is_empty() => on.starts_with("WIP on "),
                Some((on, text)) => on.starts_with("On ") && mark(text) == said,
                None => false,
            };
            let new = log[..old.unwrap_or(log.len())].iter().rev();
            let mut new = new.filter(|e| (from..=until).contains(&e.time) && fits(e) && !claims.contains(e.new.as_str()));
            if let Some(entry) = new.next() {
                claims.insert(entry.new.as_str().to_owned());
            }
        }
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oid(n: u8) -> String {
        format!("{n:x}").repeat(40)
    }

    fn entry(old: u8, new: u8, time: i64, message: &str) -> LogEntry {
        let parse = |n| Oid::parse(&oid(n)).unwrap();
        LogEntry { old: parse(old), new: parse(new), message: message.into(), time }
    }

    fn made(t: u64, head: Option<u8>, acts: &[&str]) -> Made {
        let acts = acts.iter().map(|a| a.split_once('=').map_or((*a).to_owned(), |(k, s)| format!("{k}:{}", mark(s)))).collect();
        Made { acts, head: head.map(oid), t, ..Made::default() }
    }

    fn claimed(made: &[Made], log: &[LogEntry]) -> Vec<String> {
        claims(made, log).into_keys().collect()
    }

    #[test]
    fn a_commit_is_claimed_where_it_grew_from_and_once() {
        let log = [
            entry(1, 2, 10, "commit: Earlier"),
            entry(2, 3, 20, "commit: Add it"),
            entry(3, 4, 21, "commit: Add it"),
            entry(4, 5, 22, "commit (amend): Add it"),
        ];
        assert_eq!(claimed(&[made(20_500, Some(2), &["commit=Add  it"])], &log), [oid(3)]);
        assert_eq!(claimed(&[made(20_500, Some(4), &["amend:"])], &log), [oid(5)]);
        // Made before, from elsewhere, with another message, or after the session went on.
        assert!(claimed(&[made(21_000, Some(2), &["commit=Add it"])], &log).is_empty());
        assert!(claimed(&[made(20_500, Some(9), &["commit=Add it"])], &log).is_empty());
        assert!(claimed(&[made(20_500, Some(2), &["commit=Add that"])], &log).is_empty());
        assert!(claimed(&[made(5_000, Some(2), &["commit=Add it"]), made(9_000, Some(2), &["stash:"])], &log).is_empty());
        assert_eq!(claimed(&[made(20_000, None, &["commit=Add it", "commit=Add it", "amend:"])], &log), [oid(3), oid(4), oid(5)]);
    }

    #[test]
    fn messages_of_git() {
        let topic = mark("topic");
        assert!(matches("merge", &topic, "merge topic: Merge made by the 'ort' strategy."));
        assert!(!matches("merge", &topic, "merge topic: Fast-forward"));
        assert!(!matches("merge", &topic, "merge other: Merge made by the 'ort' strategy."));
        assert!(matches("rebase", "", "rebase (pick): x") && !matches("rebase", "", "rebase (start): checkout main"));
        assert!(matches("pick", "", "cherry-pick: x") && matches("revert", "", "revert: Revert \"x\""));
        assert!(matches("commit", &mark("x"), "commit (initial): x") && !matches("commit", &mark("x"), "commit (amend): x"));
    }

    #[test]
    fn a_stash_entry_is_new_and_has_its_message() {
        let log =
            [entry(3, 4, 30, "On main: aside"), entry(2, 3, 29, "WIP on main: 1234567 x"), entry(0, 2, 9, "WIP on main: 1 y")];
        let mut one = made(29_000, None, &["stash:"]);
        one.stash = Some(oid(2));
        assert_eq!(stashed(&[one.clone()], &log).into_iter().collect::<Vec<_>>(), [oid(3)]);
        one.acts = made(0, None, &["stash=aside"]).acts;
        assert_eq!(stashed(&[one.clone()], &log).into_iter().collect::<Vec<_>>(), [oid(4)]);
        one.stash = Some(oid(4));
        assert!(stashed(&[one], &log).is_empty());
    }
}
