//! Storing a snapshot: packs and side files first, then contents and manifest, and the ref that makes it one last.

use super::manifest::{self, Body, File, Kind, Manifest, Uncovered};
use super::part::{Draft, NO_FILE, Planned};
use super::store::{Store, texts};
use super::take::{Untaken, as_given};
use super::{Taken, prune};
use ah::clock::Deadline;
use ah::config::Snapshot;
use ah::fs::{create, create_file, ensure_dir, read_there};
use ah::git::{Git, Keep, Oid, Repo, Saving, Trouble};
use ah::paths::Paths;
use ah::session::hash_bytes;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of packs by what is in them, beside those of the snapshots.
pub const SAME: &str = "same";
const MIB: u64 = 1 << 20;
/// How much of what is not held is named.
const NAMED: usize = 1_000;
/// How long a store that is being tidied is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Stores what the drafts plan.
pub fn save(
    paths: &Paths,
    bounds: &Snapshot,
    mut drafts: Vec<Draft>,
    mut manifest: Manifest,
    deadline: Deadline,
) -> Result<Taken, Untaken> {
    let given = drafts.first_mut().map(|d| std::mem::take(&mut d.given)).unwrap_or_default();
    let bare = |d: &Draft| d.files.is_empty() && d.part.staged.is_empty() && d.part.tips.is_empty();
    if manifest.kind == Kind::Command && drafts.iter().all(bare) || drafts.is_empty() {
        return Err(Untaken::Nothing);
    }
    let store = Store::at(paths, &place(&drafts, &manifest::path(&manifest.cwd)));
    let failed = |source| Untaken::Store { path: store.dir.clone(), source };
    store.make().map_err(failed)?;
    let share = store.share(PATIENCE.min(deadline.left())).map_err(|e| match e.kind() {
        ErrorKind::WouldBlock => Untaken::Busy,
        _ => failed(e),
    })?;
    let around: Vec<&Repo> = drafts.iter().filter_map(|d| d.repo.as_ref()).map(|(repo, _)| repo).collect();
    let keep = store.keep(&around, deadline).map_err(Untaken::Git)?;
    let id = store.reserve().map_err(failed)?;
    manifest.id.clone_from(&id);
    let done = fill(&store, &keep, bounds, drafts, manifest, deadline);
    if done.is_err() {
        sweep(&store, &id);
    }
    drop(share);
    let mut manifest = done.inspect_err(|_| prune::clear(&store))?;
    as_given(&mut manifest.uncovered, &given);
    prune::if_due(paths, bounds, &store);
    Ok(Taken { id, uncovered: manifest.uncovered })
}

/// Removes what a snapshot that came to nothing, or that is no more, has beside its ref.
pub fn sweep(store: &Store, id: &str) {
    let packs = std::fs::read_dir(store.dir.join("ah/packs")).into_iter().flatten().flatten();
    for pack in packs.filter(|p| p.file_name().to_string_lossy().split(['.', '-']).next() == Some(id)) {
        let _ = std::fs::remove_file(pack.path());
    }
    // Last: the folder of side files is what tells that there is an id to sweep for.
    let _ = std::fs::remove_dir_all(store.sides(id));
}

/// The outermost of the repositories that the drafts are about. Of files in none: where the command ran if they lie
/// below, for there they are looked for; else the directory they lie in.
fn place(drafts: &[Draft], cwd: &Path) -> PathBuf {
    let repos = drafts.iter().filter(|d| !d.part.root.is_empty());
    if let Some(draft) = repos.min_by_key(|d| d.part.root.len()) {
        return manifest::path(&draft.part.common_dir);
    }
    let first = drafts.first().map(|d| d.first.as_path()).unwrap_or(cwd);
    let real = std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
    if first.starts_with(&real) { real } else { first.parent().unwrap_or(first).to_owned() }
}

fn fill(
    store: &Store,
    keep: &Keep,
    bounds: &Snapshot,
    drafts: Vec<Draft>,
    mut manifest: Manifest,
    deadline: Deadline,
) -> Result<Manifest, Untaken> {
    let most = match manifest.kind {
        // One is taken with every turn.
        Kind::Turn => bounds.max_mb * MIB / 10,
        _ => bounds.max_mb * MIB,
    };
    let mut room = Room { file: bounds.max_file_mb * MIB, files: bounds.max_files, bytes: bounds.max_mb * MIB, bounds: *bounds };
    let mut planned = Vec::new();
    for (n, mut draft) in drafts.into_iter().enumerate() {
        let file = store.pack(&manifest.id, n);
        let size = pack(&mut draft, &file, most.min(room.bytes), deadline)?;
        room.bytes -= size.min(room.bytes);
        planned.push(draft.files);
        manifest.uncovered.append(&mut draft.uncovered);
        manifest.parts.push(draft.part);
    }
    let sides = store.sides(&manifest.id);
    keep.save(move |saving| write(saving, manifest, planned, room, &sides)).map_err(|trouble| match trouble {
        Trouble::Io { path, source } => Untaken::Store { path, source },
        trouble => Untaken::Git(trouble),
    })
}

/// Writes the pack of a part; gives its size. What cannot be packed is named, unless the store is to blame.
fn pack(draft: &mut Draft, file: &Path, most: u64, deadline: Deadline) -> Result<u64, Untaken> {
    let tips = draft.part.tips.iter().filter_map(|oid| Oid::parse(oid));
    let wanted: Vec<Oid> = tips.chain(draft.blobs.drain(..)).collect();
    let Some((repo, vars)) = draft.repo.as_ref().filter(|_| !wanted.is_empty()) else {
        draft.part.whole = false;
        return Ok(0);
    };
    let failed = |source| Untaken::Store { path: file.to_owned(), source };
    let same = same(file, &wanted, draft).filter(|_| !repo.is_partial());
    // One link more to what an earlier snapshot has packed costs nothing.
    if let Some(size) = same.as_ref().and_then(|same| link(same, file, most)) {
        return Ok(size);
    }
    let packed = if draft.part.whole && larger(repo, most) {
        Err(Trouble::TooMuch { step: "pack-objects".into() })
    } else {
        let to = create_file(file).map_err(failed)?;
        Git::new(repo, vars, deadline).and_then(|git| git.pack(&wanted, &draft.held, to, most))
    };
    let why = match packed {
        Ok(size) if size == std::fs::metadata(file).map_err(failed)?.len() => {
            if !empty(file).map_err(failed)? {
                let _ = same.map(|same| std::fs::hard_link(file, same));
                return Ok(size);
            }
            // Everything is held: nothing was at stake.
            draft.part.tips.clear();
            draft.part.whole = false;
            std::fs::remove_file(file).map_err(failed)?;
            return Ok(0);
        }
        Ok(_) => return Err(failed(ErrorKind::UnexpectedEof.into())),
        Err(Trouble::Io { path, source }) => return Err(Untaken::Store { path, source }),
        Err(Trouble::TooMuch { .. }) => format!("larger than {} MiB", most / MIB),
        Err(trouble) => trouble.to_string(),
    };
    let _ = std::fs::remove_file(file);
    if !draft.part.tips.is_empty() {
        let what = format!("{} commits and stash entries of {}", draft.part.tips.len(), draft.part.root);
        draft.uncovered.push(Uncovered { what, why: why.clone() });
    }
    for staged in draft.part.staged.iter().filter(|s| !s.oid.is_empty()) {
        draft.uncovered.push(Uncovered { what: staged.path.clone(), why: format!("what is staged: {why}") });
    }
    draft.part.tips.clear();
    draft.part.stashes.clear();
    draft.part.staged.retain(|s| s.oid.is_empty());
    draft.part.whole = false;
    Ok(0)
}

/// Where the pack of the same objects lies, if an earlier snapshot wrote one.
fn same(file: &Path, wanted: &[Oid], draft: &Draft) -> Option<PathBuf> {
    let names = |oids: &[Oid]| oids.iter().map(|oid| format!("{oid} ")).collect::<String>();
    let key = [names(wanted), names(&draft.held), draft.part.shallow.join(" ")].join("^");
    let dir = file.parent()?.join(SAME);
    ensure_dir(&dir).ok()?;
    Some(dir.join(hash_bytes(key.as_bytes())))
}

/// Makes `file` a second name of the pack `same`; gives its size, `None` where there is none that fits.
fn link(same: &Path, file: &Path, most: u64) -> Option<u64> {
    let size = same.metadata().ok()?.len();
    (size <= most && std::fs::hard_link(same, file).is_ok()).then_some(size)
}

/// Whether a repository's own packs are so large that its history cannot fit.
fn larger(repo: &Repo, most: u64) -> bool {
    let packs = std::fs::read_dir(repo.common_dir.join("objects/pack")).into_iter().flatten().flatten();
    let size: u64 = packs.filter_map(|p| Some(p.metadata().ok()?.len())).sum();
    size > most.saturating_mul(4)
}

/// Whether a pack holds no object.
fn empty(pack: &Path) -> io::Result<bool> {
    use std::io::Read;
    let mut head = [0; 12];
    std::fs::File::open(pack)?.read_exact(&mut head)?;
    Ok(head[8..] == [0; 4])
}

/// What is left of the bounds.
struct Room {
    file: u64,
    files: u64,
    bytes: u64,
    bounds: Snapshot,
}

/// Reads every file once and writes all to git.
fn write(
    mut saving: Saving<'_>,
    mut manifest: Manifest,
    planned: Vec<Vec<Planned>>,
    mut room: Room,
    sides: &Path,
) -> io::Result<Manifest> {
    let mut tree = Vec::new();
    let mut number = 0;
    for (part, files) in manifest.parts.iter_mut().zip(planned) {
        for planned in files {
            let body = match read(&planned, &room) {
                Ok(Read::File(bytes, mode)) => {
                    let n = number;
                    number += 1;
                    let (size, hash) = (bytes.len() as u64, hash_bytes(&bytes));
                    room.bytes -= size;
                    if planned.side {
                        create(&sides.join(n.to_string()), &bytes)?;
                    } else {
                        tree.push((format!("files/{n}"), saving.blob(&bytes)?));
                    }
                    Body::File { n, mode, size, hash, side: planned.side }
                }
                Ok(Read::Other(body)) => body,
                Ok(Read::Nothing) => continue,
                Err(why) => {
                    manifest.uncovered.push(Uncovered { what: manifest::text(&planned.path), why });
                    continue;
                }
            };
            room.files -= 1;
            part.files.push(File { path: manifest::text(&planned.path), body, what: planned.what.into() });
        }
    }
    if manifest.uncovered.len() > NAMED {
        let more = manifest.uncovered.split_off(NAMED);
        manifest.uncovered.push(Uncovered { what: format!("{} more", more.len()), why: more[0].why.clone() });
    }
    let (text, summary) = texts(&manifest)?;
    tree.push(("manifest.json".into(), saving.blob(text.as_bytes())?));
    saving.commit(&Store::name(&manifest.id), manifest.t / 1000, &summary, &tree)?;
    Ok(manifest)
}

/// What a path holds.
enum Read {
    File(Vec<u8>, u32),
    Other(Body),
    Nothing,
}

/// Reads a path; why it cannot be held.
fn read(planned: &Planned, room: &Room) -> Result<Read, String> {
    let gone = || if planned.tracked { Read::Other(Body::Absent) } else { Read::Nothing };
    if room.files == 0 {
        return Err(format!("more than {} files", room.bounds.max_files));
    }
    let meta = match std::fs::symlink_metadata(&planned.path) {
        Ok(meta) => meta,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(gone()),
        Err(e) => return Err(e.to_string()),
    };
    if meta.is_symlink() {
        let to = std::fs::read_link(&planned.path).map_err(|e| e.to_string())?;
        return Ok(Read::Other(Body::Link { to: manifest::text(&to) }));
    }
    if meta.is_dir() {
        // A tracked file that a directory took the place of.
        return Ok(gone());
    }
    if !meta.is_file() {
        return Err(NO_FILE.into());
    }
    if meta.len() > room.file {
        return Err(format!("larger than {} MiB", room.bounds.max_file_mb));
    }
    match read_there(&planned.path, room.file.min(room.bytes)) {
        Ok((bytes, meta)) => Ok(Read::File(bytes, meta.permissions().mode() & 0o7777)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(gone()),
        Err(e) if e.kind() == ErrorKind::FileTooLarge => Err(format!("more than {} MiB in all", room.bounds.max_mb)),
        Err(e) => Err(e.to_string()),
    }
}
