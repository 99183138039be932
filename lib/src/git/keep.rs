//! A bare repository of ah's own, outside of every other: raw bytes under names of its choice.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use super::environ::{self, Environment, Filters};
use super::process::LISTING;
use super::{Git, Repo, Trouble, Vars};
use crate::clock::Deadline;
use crate::fs::{ensure_dir, replace};

/// Up to so many bytes of packs, contents are stored as what differs between them.
const LIKENESS: u64 = 256 << 20;

/// No clean-up by git itself, no template, files for this user alone; on the disk before a command goes on.
const CONFIG: &str = "[core]
\trepositoryformatversion = 0
\tbare = true
\tcompression = 1
\tfsync = committed,reference
\tlogAllRefUpdates = false
\tsharedRepository = 0600
[fastimport]
\tunpackLimit = 0
[gc]
\tauto = 0
[maintenance]
\tauto = false
";

/// The repository, ready to be written and read.
#[derive(Debug)]
pub struct Keep {
    deadline: Deadline,
    env: Environment,
    program: PathBuf,
    repo: Repo,
}

/// A ref of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Named {
    /// The full name.
    pub name: String,
    /// The first line of its commit's message.
    pub text: String,
    /// The commit's time in this machine's zone, `YYYY-MM-DD HH:MM`.
    pub when: String,
}

/// A commit that is being written.
pub struct Saving<'p> {
    marks: u32,
    pipe: BufWriter<&'p mut dyn Write>,
}

impl Saving<'_> {
    /// Writes the content of a file; gives the number to name it by.
    ///
    /// # Errors
    /// Of the pipe to git.
    pub fn blob(&mut self, bytes: &[u8]) -> io::Result<u32> {
        self.marks += 1;
        write!(self.pipe, "blob\nmark :{}\ndata {}\n", self.marks, bytes.len())?;
        self.pipe.write_all(bytes)?;
        self.pipe.write_all(b"\n")?;
        Ok(self.marks)
    }

    /// Names what was written: the ref comes to be only once all of it is there. `time` is in seconds since the Unix
    /// epoch; `files` are paths of plain characters with the numbers of their contents.
    ///
    /// # Errors
    /// Of the pipe to git.
    pub fn commit(mut self, name: &str, time: u64, message: &str, files: &[(String, u32)]) -> io::Result<()> {
        let count = message.len();
        write!(self.pipe, "commit {name}\ncommitter ah <ah> {time} +0000\ndata {count}\n{message}\n")?;
        for (path, mark) in files {
            writeln!(self.pipe, "M 100644 :{mark} {path}")?;
        }
        self.pipe.write_all(b"\ndone\n")?;
        self.pipe.flush()
    }
}

impl Keep {
    /// Makes the repository if need be. Two at once may do so.
    ///
    /// # Errors
    /// The system's.
    pub fn make(dir: &Path) -> io::Result<()> {
        if dir.join("HEAD").exists() {
            return Ok(());
        }
        for part in ["objects/info", "objects/pack", "refs"] {
            ensure_dir(&dir.join(part))?;
        }
        replace(&dir.join("config"), CONFIG.as_bytes())?;
        // Last: with it, it is a repository.
        replace(&dir.join("HEAD"), b"ref: refs/heads/none\n")
    }

    /// Finds git and prepares its environment: nothing of the process's own that selects a repository or settings is
    /// handed on. Starts nothing. Files of `around`, and of the repository around this process, are never run as git.
    ///
    /// # Errors
    /// `NoGit`; those of the configuration.
    pub fn open(dir: &Path, around: &[&Repo], deadline: Deadline) -> Result<Self, Trouble> {
        let dir = dir.to_owned();
        let repo = Repo {
            bare: true,
            common_dir: dir.clone(),
            cwd: dir.clone(),
            foreign: None,
            git_dir: dir.clone(),
            is_linked: false,
            is_submodule: false,
            work_tree: None,
        };
        let kept = ["PATH", "TMPDIR", "TZ"].into_iter().filter_map(|name| Some((OsString::from(name), env::var_os(name)?)));
        let set = [
            ("GIT_CONFIG_GLOBAL", OsString::from("/dev/null")),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_DIR", dir.into_os_string()),
        ];
        let vars: Vars = kept.chain(set.map(|(name, value)| (name.into(), value))).collect();
        let own = env::current_dir().ok().and_then(|dir| Repo::discover(&dir, &Vars::default()).ok().flatten());
        let repos: Vec<&Repo> = around.iter().copied().chain(&own).collect();
        let program = environ::program(&repos, &vars).ok_or(Trouble::NoGit)?;
        Ok(Self { deadline, env: environ::environment(&repo, &vars, Filters::Off)?, program, repo })
    }

    fn git(&self) -> Git<'_> {
        Git::prepared(&self.repo, self.program.clone(), self.env.clone(), self.deadline)
    }

    /// Writes one commit. `work` runs in a thread of its own, which is left alone once the deadline has passed.
    ///
    /// # Errors
    /// `Io` where `work` failed; those of the process. The ref is then not there.
    pub fn save<T: Send + 'static>(&self, work: impl FnOnce(Saving<'_>) -> io::Result<T> + Send + 'static) -> Result<T, Trouble> {
        let (sender, receiver) = mpsc::channel();
        let git = self.git();
        let call = git.call(&["fast-import", "--quiet", "--done", "--depth=0"]).feed(Box::new(move |pipe| {
            let _ = sender.send(work(Saving { marks: 0, pipe: BufWriter::with_capacity(1 << 16, pipe) }));
        }));
        let run = git.run(call);
        match (run, receiver.recv_timeout(Duration::from_millis(100))) {
            // What ended the work is the cause; a broken pipe only says that git ended first.
            (Err(_), Ok(Err(source))) if source.kind() != ErrorKind::BrokenPipe => {
                Err(Trouble::Io { path: self.repo.git_dir.clone(), source })
            }
            (Err(trouble), _) => Err(trouble),
            (Ok(_), Ok(done)) => done.map_err(|source| Trouble::Io { path: self.repo.git_dir.clone(), source }),
            (Ok(_), Err(_)) => Err(Trouble::Deadline { step: "fast-import".into() }),
        }
    }

    /// The refs whose names begin with `prefix`.
    ///
    /// # Errors
    /// Those of the process.
    pub fn list(&self, prefix: &str) -> Result<Vec<Named>, Trouble> {
        let git = self.git();
        let format = "--format=%(refname) %(committerdate:format-local:%Y-%m-%d %H:%M) %(contents:subject)";
        let reply = git.run(git.call(&["for-each-ref", format, prefix]).limit(LISTING))?;
        let text = String::from_utf8_lossy(&reply.out);
        let named = text.lines().filter_map(|line| {
            let (name, rest) = line.split_once(' ')?;
            let (when, text) = rest.split_at_checked("YYYY-MM-DD HH:MM".len())?;
            Some(Named { name: name.to_owned(), text: text.trim_start().to_owned(), when: when.to_owned() })
        });
        Ok(named.collect())
    }

    /// The content of a file in a commit (`refs/x/y:path`); `None` where there is none.
    ///
    /// # Errors
    /// `TooMuch` beyond `most` bytes; those of the process.
    pub fn content(&self, spec: &str, most: usize) -> Result<Option<Vec<u8>>, Trouble> {
        let git = self.git();
        let reply = git.run(git.call(&["cat-file", "blob", spec]).limit(most).good(&[0, 128]))?;
        Ok((reply.code == 0).then_some(reply.out))
    }

    /// The contents of several files, in their order, in one process; `None` where there is none.
    ///
    /// # Errors
    /// `TooMuch` beyond `most` bytes in all; those of the process.
    pub fn contents(&self, specs: &[String], most: usize) -> Result<Vec<Option<Vec<u8>>>, Trouble> {
        let git = self.git();
        let input: String = specs.iter().flat_map(|spec| [spec.as_str(), "\n"]).collect();
        let reply = git.run(git.call(&["cat-file", "--batch"]).input(input.into_bytes()).limit(most))?;
        let (mut rest, mut all) = (reply.out.as_slice(), Vec::with_capacity(specs.len()));
        while let Some(end) = rest.iter().position(|b| *b == b'\n') {
            let head = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest = &rest[end + 1..];
            let size = head.rsplit(' ').next().and_then(|size| size.parse().ok());
            let content = size.filter(|_| !head.ends_with(" missing")).and_then(|size: usize| rest.get(..size));
            rest = content.map_or(rest, |content| rest.get(content.len() + 1..).unwrap_or_default());
            all.push(content.map(<[u8]>::to_vec));
        }
        let whole = all.len() == specs.len();
        let broken = || Trouble::Failed { args: "cat-file --batch".into(), line: "not one answer a question".into() };
        if whole { Ok(all) } else { Err(broken()) }
    }

    /// Removes refs; one that is not there any more is passed over.
    ///
    /// # Errors
    /// Those of the process.
    pub fn forget(&self, names: &[String]) -> Result<(), Trouble> {
        let git = self.git();
        let input: String = names.iter().flat_map(|name| ["delete ", name, "\n"]).collect();
        git.run(git.call(&["update-ref", "--no-deref", "--stdin"]).input(input.into_bytes())).map(drop)
    }

    /// Writes all that the refs reach as one pack, and gives the files of the other packs: nothing needs them as long as
    /// no ref has come since.
    ///
    /// # Errors
    /// Those of the process.
    pub fn repack(&self) -> Result<Vec<PathBuf>, Trouble> {
        let dir = self.repo.git_dir.join("objects/pack");
        let old: Vec<PathBuf> = fs::read_dir(&dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        let size: u64 = old.iter().filter_map(|path| Some(path.metadata().ok()?.len())).sum();
        // To look for likenesses in very much takes longer than anybody waits.
        let window = if size < LIKENESS { "--window=5" } else { "--window=0" };
        let git = self.git();
        let call = git.call(&["pack-objects", "--all", "--non-empty", "--quiet", "--threads=1", window]);
        let reply = git.run(call.more(&[dir.join("pack")]))?;
        let one = format!("pack-{}", String::from_utf8_lossy(reply.out.trim_ascii()));
        let other = |path: &PathBuf| path.file_stem().is_some_and(|stem| is_pack(stem) && stem != one.as_str());
        Ok(old.into_iter().filter(other).collect())
    }
}

fn is_pack(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"pack-")
}
