//! A model's program as a child: its own group, a private empty folder, a clean environment, one deadline.

use super::keeper::{self, FOLDER, KEEPER, NOT_STARTED};
use super::reason::{Code, Reason};
use ah::clock::Deadline;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The most output, in bytes.
const OUTPUT: usize = 4 << 20;
/// How much of standard error is kept, in bytes.
const ERROR: usize = 4 << 10;
/// How long output may still come after the program's end: something that it started may hold the pipe for ever.
const DRAIN: Duration = Duration::from_secs(1);

/// A program to be run.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Arguments; never the prompt, which everyone on the machine could read there.
    pub args: Vec<OsString>,
    /// Variables beside the inherited ones.
    pub env: Vec<(&'static str, String)>,
    /// Standard input.
    pub input: String,
    /// Its name or path.
    pub name: OsString,
}

/// What a program left.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// The first of its standard error.
    pub error: String,
    /// Its standard output.
    pub out: Vec<u8>,
}

/// An empty folder that only this user can look into; gone when dropped.
#[derive(Debug)]
pub struct Private(PathBuf);

impl Private {
    /// Makes one.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new() -> Result<Self, Reason> {
        let path = std::env::temp_dir().join(super::fence::word().replacen("ah-", FOLDER, 1));
        let made = DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|error| Reason::new(Code::Program, format!("private folder: {}: {error}", ah::quote::path(&path))))?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a program in `dir` until it ends or time is up; whatever it started is then ended too.
///
/// # Errors
/// It cannot be started, says too much, or time is up.
pub fn run(program: &Program, dir: &Path, deadline: Deadline) -> Result<Ran, Reason> {
    let name = ah::quote::path(&program.name);
    let cannot = |error: io::Error| Reason::new(Code::Absent, format!("cannot run: {name}: {error}"));
    let mut command = Command::new(keeper::own().map_err(cannot)?);
    command.arg0(KEEPER).arg(&program.name).args(&program.args).current_dir(dir).process_group(0);
    std::env::vars_os().map(|(name, _)| name).filter(|name| unwanted(&name.to_string_lossy())).for_each(|name| {
        command.env_remove(name);
    });
    command.env("AH_JUDGE", "1").env("PWD", dir).envs(program.env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = Group(command.spawn().map_err(cannot)?);
    let (tell, told) = mpsc::channel();
    let alive = feed(&mut group.0, keeper::framed(&program.input));
    let out = gather(group.0.stdout.take(), OUTPUT, tell.clone());
    let (quiet, silent) = mpsc::channel();
    let error = gather(group.0.stderr.take(), ERROR, quiet);
    watch(Pid::from_child(&group.0), tell);
    let ended = wait(&told, deadline);
    // Nobody of the group is needed any more, whichever way it went; its leader is not yet forgotten by the system, so
    // that no other group can have its number.
    let code = group.end();
    drop(alive);
    ended.map_err(|code| match code {
        Code::TooLarge => Reason::new(code, format!("{name} printed more than {OUTPUT} bytes")),
        _ => Reason::new(code, format!("{name} did not answer in time")),
    })?;
    let out = std::mem::take(&mut *out.lock().unwrap_or_else(PoisonError::into_inner));
    // Whoever could write there is gone; what they wrote may not be read yet.
    let _ = silent.recv_timeout(Duration::from_millis(200));
    let error = error.lock().unwrap_or_else(PoisonError::into_inner);
    let error = String::from_utf8_lossy(&error).trim().to_owned();
    if code == Some(i32::from(NOT_STARTED)) && out.is_empty() {
        return Err(Reason::new(Code::Absent, format!("cannot run: {name}: {}", error.lines().next().unwrap_or("not started"))));
    }
    Ok(Ran { code, error, out })
}

/// Something that happened to the child.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    /// It has closed its output.
    Closed,
    /// It has ended.
    Ended,
    /// It says more than is read.
    Full,
}

/// Waits for its end and that of its output.
fn wait(told: &Receiver<Event>, deadline: Deadline) -> Result<(), Code> {
    let (mut closed, mut ended) = (false, false);
    while !(closed && ended) {
        let left = if ended { DRAIN.min(deadline.left()) } else { deadline.left() };
        match told.recv_timeout(left) {
            Ok(Event::Closed) => closed = true,
            Ok(Event::Ended) => ended = true,
            Ok(Event::Full) => return Err(Code::TooLarge),
            // What it said before its end counts, even if something else holds the pipe.
            Err(_) if ended => return Ok(()),
            Err(_) => return Err(Code::Timeout),
        }
    }
    Ok(())
}

/// Writes `input` and holds the pipe until what is returned is dropped: its end is how the keeper learns of ours.
fn feed(child: &mut Child, input: Vec<u8>) -> Sender<()> {
    let (alive, wait) = mpsc::channel::<()>();
    if let Some(mut pipe) = child.stdin.take() {
        thread::spawn(move || {
            let _ = pipe.write_all(&input).and_then(|()| pipe.flush());
            let _ = wait.recv();
        });
    }
    alive
}

/// Reads at most `most` bytes of a pipe in a thread that nobody waits for, and tells when it is full or at its end.
fn gather(pipe: Option<impl Read + Send + 'static>, most: usize, tell: Sender<Event>) -> Arc<Mutex<Vec<u8>>> {
    let all = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&all);
    thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let mut chunk = [0; 16 << 10];
        let end = loop {
            match pipe.read(&mut chunk) {
                Ok(0) => break Event::Closed,
                Ok(count) => {
                    let mut all = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    let room = count.min(most - all.len());
                    all.extend_from_slice(&chunk[..room]);
                    if room < count {
                        break Event::Full;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break Event::Closed,
            }
        };
        let _ = tell.send(end);
        // A program that talks on is not held up by a full pipe.
        let _ = io::copy(&mut pipe, &mut io::sink());
    });
    all
}

/// Waits for a child's end in a thread, without taking its exit code: its number stays its own.
fn watch(pid: Pid, tell: Sender<Event>) {
    thread::spawn(move || {
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {}
        let _ = tell.send(Event::Ended);
    });
}

/// A child that leads a group, and does not outlive its owner.
struct Group(Child);

impl Group {
    /// Ends the group; the leader's exit code.
    fn end(&mut self) -> Option<i32> {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        self.0.wait().ok().and_then(|status| status.code())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            self.end();
        }
    }
}

/// Whether a variable speaks of the agent that is judged, of its session or its repository: a program that sees it
/// thinks that it runs inside, or on something.
fn unwanted(name: &str) -> bool {
    const KEPT: &[&str] =
        &["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "CODEX_API_KEY", "CODEX_CA_CERTIFICATE", "CODEX_HOME"];
    const KEPT_BEGINNINGS: &[&str] = &[
        "CLAUDE_CODE_API_KEY", "CLAUDE_CODE_CLIENT_", "CLAUDE_CODE_DISABLE_", "CLAUDE_CODE_MAX_", "CLAUDE_CODE_SKIP_",
        "CLAUDE_CODE_USE_",
    ];
    const BEGINNINGS: &[&str] = &["CLAUDE", "CODEX_", "GIT_", "PLUGIN_"];
    if KEPT.contains(&name) || KEPT_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) {
        return false;
    }
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) || matches!(name, "AH_JUDGE_KEY" | "AI_AGENT" | "OLDPWD")
}

#[cfg(test)]
mod tests {
    use super::unwanted;

    #[test]
    fn what_speaks_of_the_session_is_left_out_and_what_logs_in_is_kept() {
        for name in [
            "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "GIT_DIR", "AH_JUDGE_KEY",
            "CODEX_THREAD_ID",
        ] {
            assert!(unwanted(name), "{name}");
        }
        for name in [
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CODEX_HOME",
            "PATH",
            "HOME",
            "HTTPS_PROXY",
            "ANTHROPIC_API_KEY",
            "AH_HOME",
        ] {
            assert!(!unwanted(name), "{name}");
        }
    }
}
