//! Whose work something is: what a session found when it began, and what it wrote since (the `own` lines of its log).

use crate::own::making::Making;
use crate::own::transcript::{self, Spans};
use crate::site::{Site, deadline};
use ah::clock::now_ms;
use ah::config::Config;
use ah::event::Event;
use ah::git::{self, Entry, Git, Repo, State, Vars};
use ah::paths::Paths;
use ah::route;
use ah::session::{self, Made, Own, Present, Seen, Session, hash_bytes, hash_file, mark, path_text};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

pub use ah::session::Whose;

/// What is remembered of a session; of none: nothing.
#[derive(Default)]
pub struct Memory {
    session: Option<Session>,
    folded: OnceCell<session::Memory>,
    /// The harness's own record, where it tells when commands ran.
    record: PathBuf,
    spans: OnceCell<Spans>,
    /// Hashes of what the commits of a repository have at a path.
    past: RefCell<BTreeMap<(PathBuf, PathBuf), BTreeSet<String>>>,
}

/// How the memory is had once it is needed.
pub type Recall<'l> = &'l dyn Fn() -> Memory;

/// A path that a call writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Absolute.
    pub path: PathBuf,
    /// Its text afterwards, where that is known beforehand.
    pub text: Option<String>,
    /// The text comes behind what is there.
    pub adds: bool,
    /// Where it is copied or moved from.
    pub from: Option<PathBuf>,
}

/// A file larger than this is not read before a call writes it, in bytes.
const MET: u64 = 1 << 20;
/// So many contents that a path had in commits are looked at.
const PAST: usize = 100;

impl Memory {
    /// The memory of the session that sent `event`; none where nothing may be recorded.
    pub fn of(event: &Event, config: &Config, paths: Option<&Paths>, cwd: &Path) -> Self {
        let open = || {
            let scope = route::route(config, cwd).scope()?;
            Session::open(paths?, &event.session_id, &scope.store).ok()
        };
        Self {
            session: (!event.session_id.is_empty()).then(open).flatten(),
            record: PathBuf::from(event.transcript_path.as_ref()),
            ..Self::default()
        }
    }

    /// Whose the present content of a path in a work tree is.
    pub fn whose(&self, tree: &Path, path: &Path) -> Whose {
        let Some(folded) = self.folded() else { return Whose::Unknown };
        let written = std::fs::symlink_metadata(path).and_then(|m| m.modified()).ok();
        let written = written.and_then(|at| u64::try_from(at.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok());
        let now = Present { hash: hash_file(path), written };
        let whose = folded.whose(&path_text(tree), path, &now, &|path, hash| self.committed(path, hash));
        // What nothing on a line names may have been made by it all the same.
        let opaque = whose == Whose::Person && !folded.touched(path);
        let told = || transcript::made(folded.ran(), tree, path);
        let record = || self.spans.get_or_init(|| transcript::spans(&self.record));
        let recorded = || !self.record.as_os_str().is_empty() && transcript::made(record(), tree, path);
        if opaque && (told() || recorded()) { Whose::Own } else { whose }
    }

    /// What the session's log adds up to.
    pub fn folded(&self) -> Option<&session::Memory> {
        let session = self.session.as_ref()?;
        Some(self.folded.get_or_init(|| session.memory().unwrap_or_default()))
    }

    /// Whether a commit that a ref or HEAD reaches has content of this hash at a path.
    pub fn committed(&self, path: &str, hash: &str) -> bool {
        let at = Path::new(path);
        let vars = Vars::of_process();
        let repo = at.ancestors().skip(1).find(|d| d.is_dir()).and_then(|dir| Repo::discover(dir, &vars).ok()?);
        let Some(repo) = repo else { return false };
        let tail = repo.work_tree.as_ref().and_then(|tree| at.strip_prefix(tree).ok());
        tail.is_some_and(|tail| self.was_at(&repo, &vars, tail, hash))
    }

    /// The same for a path below the work tree of a repository.
    pub fn was_at(&self, repo: &Repo, vars: &Vars, tail: &Path, hash: &str) -> bool {
        let looked = || {
            let git = Git::new(repo, vars, deadline()).ok()?;
            let all = git.contents(&git.past(tail, PAST).ok()?).ok()?;
            Some(all.iter().map(|content| hash_bytes(content)).collect::<Vec<_>>())
        };
        let mut past = self.past.borrow_mut();
        let known = past.entry((repo.common_dir.clone(), tail.to_owned())).or_insert_with(|| {
            let mut hashes = BTreeSet::new();
            hashes.extend(looked().unwrap_or_default());
            hashes
        });
        known.contains(hash)
    }

    /// Notes what is dirty and untracked in the work tree around `cwd`, once per session and tree.
    pub fn begin(&self, cwd: &Path) {
        let Some(session) = &self.session else { return };
        let vars = Vars::of_process();
        let Ok(Some(repo)) = Repo::discover(cwd, &vars) else { return };
        let Some(tree) = repo.work_tree.clone() else { return };
        let known = session.file().exists() && session.memory().is_ok_and(|m| m.knows(&path_text(&tree)));
        if known {
            return;
        }
        let site = Site::new(repo, vars, deadline());
        // Where git cannot say, everything that is there counts as a person's.
        let entries = site.status(&tree, &[], false);
        let seen = entries
            .as_ref()
            .map(|all| all.iter().filter(|e| e.state != State::Ignored).map(|e| seen(&tree, e)).collect())
            .unwrap_or_default();
        let name = path_text(&tree);
        let _ = session.remember(now_ms(), &format!("start:{name}"), Own::start(&name, seen, entries.is_err()));
    }

    /// Notes what a call that goes on writes.
    pub fn wrote(&self, event: &Event, written: &[Written]) {
        let Some(session) = self.session.as_ref().filter(|_| !written.is_empty()) else { return };
        let mut seen: Vec<Seen> = Vec::new();
        for one in written {
            let next = Seen {
                path: path_text(&one.path),
                hash: match (&one.text, &one.from) {
                    (Some(text), _) if !one.adds => Some(hash_bytes(text.as_bytes())),
                    (Some(text), _) if written.iter().filter(|w| w.path == one.path).count() == 1 => grown(&one.path, text),
                    // What the line itself changes before it copies it is not known.
                    (None, Some(from)) if !written.iter().any(|w| w.path == *from) => met(from).filter(|h| !h.is_empty()),
                    _ => None,
                },
                was: met(&one.path),
                from: one.from.as_deref().map(path_text),
            };
            // The last of a line stands for all of it.
            match seen.iter_mut().find(|known| known.path == next.path) {
                Some(known) => *known = Seen { from: next.from.or(known.from.take()), ..next },
                None => seen.push(next),
            }
        }
        let _ = session.remember(now_ms(), &event.tool_use_id, Own::wrote(seen, &event.tool_name));
    }

    /// Notes what a call made of the files whose contents were not known before it ran, and when it ran.
    pub fn became(&self, event: &Event) {
        let (Some(session), Some(folded)) = (&self.session, self.folded()) else { return };
        let now = now_ms();
        let note = |what: &str, own: Own| drop(session.remember(now, &format!("{}:{what}", event.tool_use_id), own));
        let of = |path: &str| Seen { path: path.to_owned(), hash: hash_file(Path::new(path)), ..Seen::default() };
        let seen: Vec<Seen> = folded.unknown(&event.tool_use_id).into_iter().map(of).filter(|s| s.hash.is_some()).collect();
        if !seen.is_empty() {
            note("became", Own::wrote(seen, &event.tool_name));
        }
        // What was noted before it ran says when that was; else how long it ran, which leaves out how long this took.
        let spent = event.duration_ms.map(|spent| now.saturating_sub(spent));
        let from = folded.began(&event.tool_use_id).or(spent).filter(|from| now.saturating_sub(*from) <= transcript::LONGEST);
        if let (Some(from), Some(command)) = (from, event.input("command"))
            && !transcript::carries(&command)
        {
            note("ran", Own::Ran { from, to: now });
        }
    }

    /// Notes what a call that goes on is about to make in git, and where things stand. Files are read, no git runs.
    pub fn makes(&self, event: &Event, makings: &[Making]) {
        let Some(session) = &self.session else { return };
        let vars = Vars::of_process();
        for making in makings {
            let Ok(Some(repo)) = Repo::discover(&making.dir, &vars) else { continue };
            let Some(tree) = repo.work_tree.clone() else { continue };
            let name = |name: &str| repo.resolve(name).ok().flatten().map(|oid| oid.as_str().to_owned());
            let acts = making.acts.iter().filter(|act| match act.strip_prefix("remote:").and_then(|a| a.split_once(' ')) {
                Some((remote, _)) => self.may_name(&repo, &vars, remote),
                None => true,
            });
            let made = Made {
                acts: acts.cloned().collect(),
                head: (!making.moved).then(|| name("HEAD").unwrap_or_else(|| "0".repeat(40))),
                repo: path_text(&repo.common_dir),
                stash: name("refs/stash").filter(|_| making.acts.iter().any(|a| a.starts_with("stash:"))),
                tree: path_text(&tree),
                t: 0,
            };
            if !made.acts.is_empty() {
                let _ = session.remember(now_ms(), &event.tool_use_id, Own::Made(made));
            }
        }
    }

    /// Whether a remote is new or the session's own, so that the address it gets is the session's.
    fn may_name(&self, repo: &Repo, vars: &Vars, remote: &str) -> bool {
        let config = git::Config::load(Some(repo), vars);
        let Some(url) = config.get(&format!("remote.{remote}.url")) else { return true };
        let (act, common) = (format!("remote:{remote} {}", mark(url)), path_text(&repo.common_dir));
        self.folded().is_some_and(|all| all.made().iter().any(|m| m.repo == common && m.acts.contains(&act)))
    }
}

/// What a write meets at a path: its hash, nothing, or not known.
fn met(path: &Path) -> Option<String> {
    match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() || meta.is_file() && meta.len() <= MET => hash_file(path),
        Ok(_) => None,
        Err(_) => Some(String::new()),
    }
}

/// The hash of a file with a text behind what is there.
fn grown(path: &Path, text: &str) -> Option<String> {
    let mut all = match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_file() => ah::fs::read(path, MET).ok()?,
        Ok(_) => return None,
        Err(_) => Vec::new(),
    };
    all.extend_from_slice(text.as_bytes());
    Some(hash_bytes(&all))
}

fn seen(tree: &Path, entry: &Entry) -> Seen {
    let path = tree.join(&entry.path);
    Seen { hash: hash_file(&path), path: path_text(&path), ..Seen::default() }
}
