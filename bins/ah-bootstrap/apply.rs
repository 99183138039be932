//! Carrying a plan out: under a lock, the receipt first and last, and nothing written over what others wrote meanwhile.

use crate::error::Error;
use crate::orphan;
use crate::plan::Plan;
use ah::fs::{self, Lock};
use ah::paths::Paths;
use ah::receipt::{Program, Receipt, Record};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another bootstrap is waited for.
const WAIT: Duration = Duration::from_secs(30);
/// How often a file is planned for anew when others change it meanwhile.
const TRIES: u32 = 40;

/// The receipt, and the lock that makes it this process's own.
#[derive(Debug)]
pub struct Ledger {
    /// What is written down.
    pub receipt: Receipt,
    path: PathBuf,
    _lock: Option<Lock>,
}

impl Ledger {
    /// Reads the receipt; takes the lock first where something is `about_to` be written.
    pub fn open(about_to: bool) -> Result<Self, Error> {
        let paths = Paths::from_env().ok_or_else(|| Error::Missing("HOME is not set, or not absolute".into()))?;
        let path = paths.receipt();
        // The folder that is there anyway: a lock file of its own would be left behind.
        let place = paths.home().map(Path::to_path_buf).filter(|home| home.is_dir());
        let place = place.or_else(|| path.ancestors().find(|folder| folder.is_dir()).map(Path::to_path_buf));
        let place = place.unwrap_or_else(|| PathBuf::from("/"));
        let lock = match about_to {
            true => Some(fs::lock_dir(&place, WAIT).map_err(Error::io("cannot lock", &place))?),
            false => None,
        };
        if about_to {
            path.ancestors().for_each(orphan::sweep);
        }
        let receipt = Receipt::read(&path).map_err(Error::io("cannot read", &path))?;
        Ok(Self { receipt, path, _lock: lock })
    }

    /// Carries out what `plan` makes of the file and its record; the plan that was carried out.
    pub fn carry_out(&mut self, path: &Path, plan: &dyn Fn(Option<&Record>) -> Result<Plan, Error>) -> Result<Plan, Error> {
        for attempt in 0..TRIES {
            let planned = plan(self.receipt.of(path))?;
            match self.once(&planned) {
                Err(Error::Busy(_)) if attempt + 1 < TRIES => {
                    std::thread::sleep(Duration::from_millis(u64::from(attempt % 10) * 5))
                }
                done => return done.map(|()| planned),
            }
        }
        Err(Error::Busy(path.to_path_buf()))
    }

    fn once(&mut self, plan: &Plan) -> Result<(), Error> {
        let known = self.receipt.of(&plan.path).cloned();
        let keeps =
            !plan.state.spans.is_empty() || !plan.state.entries.is_empty() || plan.harness.is_empty() && plan.after.is_some();
        if !plan.changes()
            && known.as_ref().is_none_or(|known| known.next.is_none() && known.now == plan.state)
            && (keeps || known.is_none())
        {
            return Ok(());
        }
        let mut record = known.unwrap_or_else(|| Record {
            path: plan.path.clone(),
            harness: plan.harness.to_owned(),
            scope: plan.scope.to_owned(),
            now: crate::settle::untouched(plan.source.bytes.as_deref()),
            ..Record::default()
        });
        let folder = plan.source.real.parent().unwrap_or(Path::new("/")).to_path_buf();
        if plan.after.is_some() {
            let missing = missing(&folder);
            record.folders.extend(missing.into_iter().filter(|one| !record.folders.contains(one)).collect::<Vec<_>>());
        }
        record.next = Some(plan.state.clone());
        self.receipt.put(record.clone());
        self.save()?;
        orphan::sweep(&plan.source.real);
        if plan.changes() {
            match &plan.after {
                Some(bytes) => {
                    let mode = if plan.scope == "project" { 0o777 } else { 0o700 };
                    DirBuilder::new().recursive(true).mode(mode).create(&folder).map_err(Error::io("cannot make", &folder))?;
                    fs::replace_unchanged(&plan.source.real, plan.source.bytes.as_deref(), bytes, plan.mode)
                        .map_err(Error::io("cannot write", &plan.path))?;
                }
                None => unlink(plan)?,
            }
        }
        if keeps || !plan.state.refused.is_empty() {
            record.now = plan.state.clone();
            record.next = None;
            self.receipt.put(record);
        } else {
            if plan.after.is_none() {
                record.folders.iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
            }
            self.receipt.files.retain(|one| one.path != plan.path);
        }
        self.save()
    }

    /// Writes down which programs were registered.
    pub fn programs(&mut self, programs: Vec<Program>) -> Result<(), Error> {
        let mut all: Vec<Program> = self.receipt.programs.clone();
        all.retain(|old| programs.iter().all(|new| new.path != old.path) && old.path.exists());
        all.extend(programs);
        all.sort_by(|one, other| one.path.cmp(&other.path));
        if self.receipt.files.is_empty() || all == self.receipt.programs {
            return Ok(());
        }
        self.receipt.programs = all;
        self.save()
    }

    /// Puts the receipt in its place; where nothing is left to write down, it goes, with the folders made for it.
    fn save(&mut self) -> Result<(), Error> {
        let folder = self.path.parent().unwrap_or(Path::new("/")).to_path_buf();
        if self.receipt.files.is_empty() {
            let folders = std::mem::take(&mut self.receipt.folders);
            orphan::vanish(&self.path, &folders).map_err(Error::io("cannot remove", &self.path))?;
            self.receipt = Receipt::default();
            return Ok(());
        }
        let missing = missing(&folder);
        let fresh: Vec<PathBuf> = missing.iter().filter(|one| !self.receipt.folders.contains(one)).cloned().collect();
        self.receipt.folders.extend(fresh);
        let written = match missing.first() {
            Some(first) => self.with_folders(first),
            None => self.receipt.write(&self.path),
        };
        written.map_err(Error::io("cannot write", &self.path))
    }

    /// Writes the receipt together with the folders it lies in, of which `first` is the outermost: made beside and
    /// renamed as one, so that no folder is ever there that no receipt knows.
    fn with_folders(&self, first: &Path) -> io::Result<()> {
        let (Some(around), Some(name)) = (first.parent(), first.file_name()) else { return self.receipt.write(&self.path) };
        let beside = around.join(orphan::name(name));
        let place = beside.join(self.path.strip_prefix(first).unwrap_or(Path::new("receipt.json")));
        let made = self.receipt.write(&place).and_then(|()| std::fs::rename(&beside, first));
        if made.is_err() {
            let _ = std::fs::remove_dir_all(&beside);
            // Others made it meanwhile.
            return self.receipt.write(&self.path);
        }
        Ok(())
    }
}

/// Removes a file, unless others changed it meanwhile.
fn unlink(plan: &Plan) -> Result<(), Error> {
    let path = &plan.source.real;
    let now = fs::read(path, crate::source::MOST).ok();
    if now != plan.source.bytes {
        return Err(Error::Busy(plan.path.clone()));
    }
    std::fs::remove_file(path).map_err(Error::io("cannot remove", path))
}

/// The folders from `folder` up that are not there, outermost first.
fn missing(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
    all.reverse();
    all
}
