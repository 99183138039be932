//! Refs, HEAD and the stash: what lost its name, and giving it one again.

use super::super::manifest::Part;
use super::plan::{Does, Row, Way, What};
use ah::git::{Git, Head, Oid, Question, Reflogs, Trouble};

/// The most commits without any name that get one.
const LOOSE: usize = 100;

/// What is asked while refs are planned.
struct Refs<'r> {
    git: &'r Git<'r>,
    id: &'r str,
    at: usize,
    rows: Vec<Row>,
    /// What the rows so far give a name.
    named: Vec<Oid>,
}

/// Rows for what was there when the snapshot `id` was taken and has no name any more.
///
/// # Errors
/// Those of git.
pub fn plan(at: usize, part: &Part, git: &Git<'_>, id: &str) -> Result<Vec<Row>, Trouble> {
    let mut refs = Refs { git, id, at, rows: Vec::new(), named: Vec::new() };
    let present = git.refs("refs/")?;
    let recorded = part.refs.iter().filter(|(name, _)| name != "refs/stash" && !name.starts_with("refs/ah/"));
    let mut moved = Vec::new();
    for (name, text) in recorded {
        let Some(oid) = Oid::parse(text) else { continue };
        match present.iter().find(|r| r.name == *name) {
            Some(now) if now.oid == oid => {}
            Some(now) => moved.push((name.as_str(), oid, now.oid.clone())),
            None if refs.is_lost(&oid, false)? || refs.is_tag(&oid)? && present.iter().all(|r| r.oid != oid) => {
                refs.create(name, oid);
            }
            None => {}
        }
    }
    for (name, oid, now) in moved {
        if !refs.is_lost(&oid, true)? {
            continue;
        }
        match refs.forward(name, &oid, &now)? {
            Some(way) => refs.add(name.to_owned(), oid, way),
            None => refs.recover(name, oid)?,
        }
    }
    if let Some(tip) = Oid::parse(&part.head)
        && refs.is_lost(&tip, true)?
    {
        match git.head()? {
            Head::Detached(from) if git.is_ancestor(&from, &tip).unwrap_or(false) => {
                refs.add("HEAD".into(), tip, Way::Forward { from, here: true });
            }
            _ => refs.recover("HEAD", tip)?,
        }
    }
    let stashes = git.stashes()?;
    for (text, message) in &part.stashes {
        let Some(oid) = Oid::parse(text).filter(|oid| stashes.iter().all(|s| s.oid != *oid)) else { continue };
        refs.named.push(oid.clone());
        refs.rows.push(Row::new(at, What::Stash(oid, message.clone()), Does::BringBack));
    }
    refs.rest(part)?;
    Ok(refs.rows)
}

/// Rows for what only reflogs named, once the repository is made again.
///
/// # Errors
/// Those of git.
pub fn plan_rest(at: usize, part: &Part, git: &Git<'_>, id: &str) -> Result<Vec<Row>, Trouble> {
    let mut refs = Refs { git, id, at, rows: Vec::new(), named: Vec::new() };
    refs.named.extend(part.stashes.iter().filter_map(|(oid, _)| Oid::parse(oid)));
    refs.rest(part)?;
    Ok(refs.rows)
}

impl Refs<'_> {
    /// Commits at stake that have no name, and that no other row gives one.
    fn rest(&mut self, part: &Part) -> Result<(), Trouble> {
        let tips = part.tips.iter().filter(|tip| part.stashes.iter().all(|(oid, _)| oid != *tip));
        let mut tips: Vec<Oid> = tips.filter_map(|tip| Oid::parse(tip)).take(LOOSE).collect();
        // What others are made on gets its name with them.
        let heads = self.git.independent(&tips).unwrap_or_else(|_| tips.clone());
        tips.sort_by_key(|tip| !heads.contains(tip));
        for tip in tips {
            // What a reflog still names is where it was.
            if self.is_unnamed(&tip)? {
                let short: String = tip.as_str().chars().take(8).collect();
                self.recover(&short, tip)?;
            }
        }
        Ok(())
    }

    /// Whether no ref and no HEAD reaches it, with `rows` none that comes back either.
    fn is_lost(&self, oid: &Oid, rows: bool) -> Result<bool, Trouble> {
        self.is_unheld(oid, if rows { &self.named } else { &[] }, Reflogs::No)
    }

    fn is_unnamed(&self, oid: &Oid) -> Result<bool, Trouble> {
        self.is_unheld(oid, &self.named, Reflogs::Moved)
    }

    fn is_unheld(&self, oid: &Oid, also: &[Oid], reflogs: Reflogs) -> Result<bool, Trouble> {
        if also.contains(oid) {
            return Ok(false);
        }
        if !self.git.complete(std::slice::from_ref(oid))? {
            return Ok(true);
        }
        // Only what is there can be asked about.
        let mut there = Vec::new();
        for oid in also {
            there.extend(self.git.commit_of(oid)?);
        }
        let question = Question { also: &there, reflogs, show: 1, tips: std::slice::from_ref(oid), without: &[] };
        Ok(self.git.unheld(&question)?.total > 0)
    }

    fn is_tag(&self, oid: &Oid) -> Result<bool, Trouble> {
        Ok(self.git.commit_of(oid)?.is_some_and(|commit| commit != *oid))
    }

    fn add(&mut self, name: String, oid: Oid, way: Way) {
        self.named.push(oid.clone());
        self.rows.push(Row::new(self.at, What::Ref(name, oid, way), Does::BringBack));
    }

    fn create(&mut self, name: &str, oid: Oid) {
        self.add(name.to_owned(), oid, Way::Create);
    }

    /// Under a name of its own.
    fn recover(&mut self, name: &str, oid: Oid) -> Result<(), Trouble> {
        let new = recovered(self.id, name);
        if self.git.repo().resolve(&new).ok().flatten().is_none_or(|now| now != oid) {
            self.add(new, oid, Way::Create);
        }
        Ok(())
    }

    /// How a branch goes forward to where it was; `None` where it has gone another way, or another tree is on it.
    fn forward(&self, name: &str, oid: &Oid, from: &Oid) -> Result<Option<Way>, Trouble> {
        // What only the pack has is compared with nothing.
        if !name.starts_with("refs/heads/") || !self.git.is_ancestor(from, oid).unwrap_or(false) {
            return Ok(None);
        }
        let on = |head: Option<Head>| matches!(head, Some(Head::Branch(branch)) if branch == name);
        let repo = self.git.repo();
        if repo.work_tree.is_some() && on(self.git.head().ok()) {
            return Ok(Some(Way::Forward { from: from.clone(), here: true }));
        }
        let elsewhere = repo.linked_trees().into_iter().any(|tree| on(tree.head)) || on(repo.main_head().ok());
        Ok((!elsewhere || repo.bare).then(|| Way::Forward { from: from.clone(), here: false }))
    }
}

/// The name under which something comes back that cannot have its own.
fn recovered(id: &str, name: &str) -> String {
    let (space, rest) = match name.strip_prefix("refs/tags/") {
        Some(rest) => ("tags", rest),
        None => ("heads", ["refs/heads/", "refs/remotes/", "refs/"].iter().find_map(|p| name.strip_prefix(p)).unwrap_or(name)),
    };
    format!("refs/{space}/recovered/{id}/{rest}")
}

/// The branch of what was staged on a commit that HEAD is not at any more.
pub fn staging(id: &str) -> String {
    recovered(id, "index")
}

/// A ref's name as people say it.
pub fn short(name: &str) -> &str {
    ["refs/heads/", "refs/tags/", "refs/remotes/"].iter().find_map(|p| name.strip_prefix(p)).unwrap_or(name)
}

/// Gives names back. `own`: git with the person's filters.
pub fn apply(rows: &mut [Row], at: usize, id: &str, git: &Git<'_>, own: &Git<'_>) {
    let why = format!("ah-git-guard undo {id}");
    for row in rows.iter_mut().filter(|row| row.part == at && row.does == Does::BringBack) {
        let done = match &row.what {
            What::Ref(_, oid, _) if !git.complete(std::slice::from_ref(oid)).unwrap_or(false) => {
                row.fail("its history is not all there");
                continue;
            }
            What::Ref(name, oid, way) => {
                let done = match way {
                    Way::Create => git.set_ref(name, oid, None, &why),
                    Way::Forward { from, here: false } => git.set_ref(name, oid, Some(from), &why),
                    Way::Forward { here: true, .. } => own.forward(oid),
                };
                let new = recovered(id, name);
                match done {
                    // Something is in the way: a name of its own never is.
                    Err(_) if !name.contains("/recovered/") => {
                        let again = git.set_ref(&new, oid, None, &why);
                        row.why = format!("as {}", short(&new));
                        again
                    }
                    done => done,
                }
            }
            What::Stash(oid, message) => git.store_stash(oid, message),
            _ => continue,
        };
        if let Err(trouble) = done {
            row.fail(trouble.to_string());
        }
    }
}

/// HEAD, where the last thing that happened to it is that it left the branch which it was on, and nothing is in the way.
///
/// # Errors
/// Those of git.
pub fn plan_head(at: usize, part: &Part, git: &Git<'_>) -> Result<Option<Row>, Trouble> {
    let branch = Some(part.head.as_str()).filter(|head| head.starts_with("refs/heads/"));
    let Some(branch) = branch.filter(|_| !part.files.is_empty() || !part.staged.is_empty()) else { return Ok(None) };
    let on = match git.head()? {
        Head::Branch(name) | Head::Unborn(name) => name == branch,
        Head::Detached(_) => false,
    };
    let last = git.reflog("HEAD")?.and_then(|log| log.into_iter().next());
    if on {
        // The command moved it back, and nothing happened since: whatever else names the commit, it goes forward again.
        let Some((tip, from)) = Oid::parse(&part.tip).zip(git.rev_parse("HEAD^{commit}").ok().flatten()) else { return Ok(None) };
        let moved = from != tip && last.is_some_and(|entry| entry.old == tip) && git.is_ancestor(&from, &tip).unwrap_or(false);
        let way = Way::Forward { from, here: true };
        return Ok(moved.then(|| Row::new(at, What::Ref(branch.to_owned(), tip, way), Does::BringBack)));
    }
    if git.repo().resolve(branch).ok().flatten().is_none_or(|tip| tip.as_str() != part.tip) {
        return Ok(None);
    }
    let left = format!("checkout: moving from {} to ", short(branch));
    let row = Row::new(at, What::Head(branch.to_owned()), Does::BringBack);
    Ok(match last {
        Some(entry) if entry.message.starts_with(&left) && git.unchanged()? => Some(row),
        _ => Some(Row { does: Does::LeaveAlone, ..row }.why("other things happened here since")),
    })
}
