//! One git process: bounded output, one deadline, no deadlock, nothing left running.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::environ::{self, Environment, Filters};
use super::{Repo, Trouble, Vars};
use crate::clock::Deadline;

/// The most output of a call, in bytes.
pub(super) const OUTPUT: usize = 8 << 20;
/// The most output of a call that lists a whole tree, in bytes.
pub(super) const LISTING: usize = 64 << 20;
/// How much of standard error is kept.
const ERROR: u64 = 4096;

/// git, ready to be asked about one repository.
pub struct Git<'a> {
    deadline: Deadline,
    pub(super) env: Environment,
    program: PathBuf,
    repo: &'a Repo,
}

/// A call to be made.
pub(super) struct Call<'a> {
    args: Vec<OsString>,
    dir: &'a Path,
    env: Vec<(&'static str, &'a Path)>,
    input: Option<Feed>,
    limit: u64,
    good: &'static [i32],
}

/// Writes the standard input of a call, in a thread that nobody waits for.
pub(super) type Feed = Box<dyn FnOnce(&mut dyn Write) + Send>;

/// What a call gave.
pub(super) struct Reply {
    pub code: i32,
    pub out: Vec<u8>,
}

impl<'a> Git<'a> {
    /// Finds git and prepares its environment. Starts nothing.
    ///
    /// # Errors
    /// `NoGit`; `Unsafe` or `TooMuch` when the repository's filters cannot be made harmless.
    pub fn new(repo: &'a Repo, vars: &Vars, deadline: Deadline) -> Result<Self, Trouble> {
        let program = environ::program(&[repo], vars).ok_or(Trouble::NoGit)?;
        Ok(Self { deadline, env: environ::environment(repo, vars, Filters::Off)?, program, repo })
    }

    /// As [`Git::new`], but the person's filter drivers run: for checking files out.
    ///
    /// # Errors
    /// As [`Git::new`].
    pub fn with_filters(repo: &'a Repo, vars: &Vars, deadline: Deadline) -> Result<Self, Trouble> {
        let program = environ::program(&[repo], vars).ok_or(Trouble::NoGit)?;
        Ok(Self { deadline, env: environ::environment(repo, vars, Filters::On)?, program, repo })
    }

    /// A git whose program and environment were chosen elsewhere.
    pub(super) fn prepared(repo: &'a Repo, program: PathBuf, env: Environment, deadline: Deadline) -> Self {
        Self { deadline, env, program, repo }
    }

    /// The repository that is asked about.
    #[must_use]
    pub fn repo(&self) -> &'a Repo {
        self.repo
    }

    /// git's own version, as it says it.
    ///
    /// # Errors
    /// Those of the process.
    pub fn version(&self) -> Result<String, Trouble> {
        let reply = self.run(self.call(&["--version"]).limit(ERROR as usize))?;
        Ok(String::from_utf8_lossy(&reply.out).trim().to_owned())
    }

    /// A call in the directory of the command.
    pub(super) fn call(&self, args: &[&str]) -> Call<'_> {
        let all = Call {
            args: vec!["--no-pager".into()],
            dir: &self.repo.cwd,
            env: Vec::new(),
            input: None,
            limit: OUTPUT as u64,
            good: &[0],
        };
        all.more(args)
    }

    pub(super) fn run(&self, call: Call<'_>) -> Result<Reply, Trouble> {
        let (code, out) = self.run_into(call, Vec::new())?;
        Ok(Reply { code, out })
    }

    /// Runs a call whose output goes to `to`, which is given back with the exit code.
    pub(super) fn run_into<W: Write + Send + 'static>(&self, call: Call<'_>, to: W) -> Result<(i32, W), Trouble> {
        let step = call.step();
        if self.deadline.passed() {
            return Err(Trouble::Deadline { step });
        }
        let io = |source| Trouble::Io { path: self.program.clone(), source };
        let mut command = Command::new(&self.program);
        command.args(&call.args).current_dir(call.dir).env_clear().envs(self.env.variables.iter().map(|(n, v)| (n, v)));
        command.envs(call.env.iter().copied());
        command.stdin(if call.input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = Running(command.spawn().map_err(io)?);

        if let (Some(input), Some(mut pipe)) = (call.input, child.0.stdin.take()) {
            beside(Box::new(move || input(&mut pipe)));
        }
        let (Some(out), Some(error)) = (child.0.stdout.take(), child.0.stderr.take()) else { unreachable!("both are piped") };
        let error = gather(Box::new(error), ERROR, Vec::new());
        let out = gather(Box::new(out), call.limit.saturating_add(1), to);
        let (out, count) = match out.recv_timeout(self.deadline.left()) {
            Ok(out) => out.map_err(io)?,
            Err(RecvTimeoutError::Timeout) => return Err(Trouble::Deadline { step }),
            Err(RecvTimeoutError::Disconnected) => return Err(io(io::ErrorKind::BrokenPipe.into())),
        };
        if count > call.limit {
            return Err(Trouble::TooMuch { step });
        }
        let status = child.wait(self.deadline).map_err(io)?.ok_or(Trouble::Deadline { step })?;
        let code = status.code().unwrap_or(-1);
        if call.good.contains(&code) {
            return Ok((code, out));
        }
        let error = error.recv_timeout(self.deadline.left().min(Duration::from_millis(100)));
        Err(failure(&call.args, &error.ok().and_then(Result::ok).unwrap_or_default().0))
    }
}

/// What was read, and how many bytes.
type Gathered<W> = io::Result<(W, u64)>;

/// Reads at most `most` bytes of a pipe in a thread; what comes after them is read too, so that git does not wait.
fn gather<W: Write + Send + 'static>(mut pipe: Box<dyn Read + Send>, most: u64, mut to: W) -> Receiver<Gathered<W>> {
    let (sender, receiver) = mpsc::channel();
    beside(Box::new(move || {
        let read = io::copy(&mut pipe.by_ref().take(most), &mut to);
        let _ = sender.send(read.map(|count| (to, count)));
        let _ = io::copy(&mut pipe, &mut io::sink());
    }));
    receiver
}

/// Runs `work` in a thread that nobody waits for.
fn beside(work: Box<dyn FnOnce() + Send>) {
    thread::spawn(work);
}

impl<'a> Call<'a> {
    /// In another directory.
    pub fn at(mut self, dir: &'a Path) -> Self {
        self.dir = dir;
        self
    }

    /// With a variable that names a file.
    pub fn with(mut self, name: &'static str, file: &'a Path) -> Self {
        self.env.push((name, file));
        self
    }

    /// With standard input.
    pub fn input(self, input: Vec<u8>) -> Self {
        // git may stop reading early; what it then says is the answer.
        self.feed(Box::new(move |pipe| drop(pipe.write_all(&input))))
    }

    /// With standard input that is made while git reads it.
    pub fn feed(mut self, feed: Feed) -> Self {
        self.input = Some(feed);
        self
    }

    /// With another bound on its output.
    pub fn limit(self, limit: usize) -> Self {
        self.most(limit as u64)
    }

    /// With another bound on output that goes elsewhere than to memory.
    pub fn most(mut self, bytes: u64) -> Self {
        self.limit = bytes;
        self
    }

    /// With these exit codes as answers.
    pub fn good(mut self, codes: &'static [i32]) -> Self {
        self.good = codes;
        self
    }

    /// With more arguments.
    pub fn more<S: AsRef<OsStr>>(mut self, args: &[S]) -> Self {
        self.args.extend(args.iter().map(|a| a.as_ref().to_owned()));
        self
    }

    fn step(&self) -> String {
        let word = self.args.iter().find(|a| !a.as_encoded_bytes().starts_with(b"-"));
        word.map_or_else(String::new, |a| a.to_string_lossy().into_owned())
    }
}

/// A child that does not outlive its owner, nor does what it started.
struct Running(Child);

impl Running {
    /// Its end; `None` when the deadline comes first.
    fn wait(&mut self, deadline: Deadline) -> io::Result<Option<ExitStatus>> {
        let mut pause = Duration::from_micros(50);
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(Some(status));
            }
            if deadline.passed() {
                return Ok(None);
            }
            // It has closed its output, so it is about to end.
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(1));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        // A process that a dead file server holds does not end even so; it is not waited for.
        let _ = self.wait(Deadline::after(Duration::from_millis(100)));
    }
}

fn failure(args: &[OsString], error: &[u8]) -> Trouble {
    let text = String::from_utf8_lossy(error);
    if text.contains("dubious ownership") {
        return Trouble::Dubious;
    }
    if text.contains("not a git repository") {
        return Trouble::NotARepository;
    }
    let words: Vec<_> = args.iter().skip(1).take(8).map(|a| a.to_string_lossy()).collect();
    // Warnings may come first; what ended it begins with one of these.
    let fatal = text.lines().find(|l| l.starts_with("fatal:") || l.starts_with("error:"));
    let line = fatal.or_else(|| text.lines().next()).unwrap_or_default();
    Trouble::Failed { args: words.join(" "), line: line.chars().take(300).collect() }
}
