//! Another program, run with a deadline: what it printed and how it ended.

use ah::clock::Deadline;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// The program that the shell would find.
pub fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// What is read of each stream, in bytes.
const MOST: u64 = 4 << 20;

/// How a program ended and what it printed.
pub struct Done {
    /// Its exit code; `None` when a signal or the deadline ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// How long it took.
    pub took: Duration,
    /// It was still running at its deadline.
    pub late: bool,
}

impl Done {
    /// The end in words.
    pub fn ending(&self) -> String {
        match (self.late, self.code, self.signal) {
            (true, ..) => format!("no end within {} s", self.took.as_secs()),
            (_, Some(code), _) => format!("exit {code}"),
            (_, _, Some(signal)) => format!("signal {signal}"),
            _ => "no status".to_owned(),
        }
    }
}

/// Runs `file` with this process's environment.
///
/// # Errors
/// The system's, when it cannot be started.
pub fn output<S: AsRef<OsStr>>(file: &Path, args: &[S], stdin: &[u8], wait: Duration) -> io::Result<Done> {
    let mut command = Command::new(file);
    command.args(args);
    finish(&mut command, stdin, wait)
}

/// Runs `command` to its end, or ends it and all it started after `wait`.
///
/// # Errors
/// The system's, when it cannot be started.
pub fn finish(command: &mut Command, stdin: &[u8], wait: Duration) -> io::Result<Done> {
    talk(command, stdin, b"", wait)
}

/// Runs `command` until it ends, or has printed a line with `until` in it (empty: to its end), or `wait` is over.
/// Until then its standard input stays open where it is to print something: a server ends with its input.
///
/// # Errors
/// The system's, when it cannot be started.
pub fn talk(command: &mut Command, stdin: &[u8], until: &'static [u8], wait: Duration) -> io::Result<Done> {
    let begun = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn()?;
    let (mut feed, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let stdin = stdin.to_vec();
    // A program that reads nothing must not hold this one up, so each stream has its thread.
    let feeder = thread::spawn(move || {
        feed.as_mut().map(|feed| feed.write_all(&stdin));
        feed.filter(|_| !until.is_empty())
    });
    let (said, heard) = mpsc::channel();
    let (out, err) = (drain(out, until, Some(said)), drain(err, b"", None));
    let late = !ended(&mut child, Deadline::after(wait), &heard);
    if late || !until.is_empty() {
        // The whole group, so that what it started goes too.
        if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
    let status = child.wait()?;
    let took = begun.elapsed();
    let _ = feeder.join();
    let read = |thread: thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(Done { code: status.code().filter(|_| !late), signal: status.signal(), stderr: read(err), stdout: read(out), took, late })
}

/// Reads a stream to its end; says so when a line with `until` has come.
fn drain(
    stream: Option<impl Read + Send + 'static>,
    until: &'static [u8],
    said: Option<Sender<()>>,
) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut lines = stream.map(|stream| BufReader::new(stream.take(MOST)));
        while let Some(stream) = &mut lines {
            let start = bytes.len();
            if !matches!(stream.read_until(b'\n', &mut bytes), Ok(read) if read > 0) {
                break;
            }
            let found = !until.is_empty() && bytes[start..].windows(until.len()).any(|part| part == until);
            if let Some(said) = said.as_ref().filter(|_| found) {
                let _ = said.send(());
            }
        }
        bytes
    })
}

/// Whether it ended, or said what was waited for, in time.
fn ended(child: &mut Child, deadline: Deadline, heard: &Receiver<()>) -> bool {
    let mut pause = Duration::from_micros(200);
    loop {
        if heard.try_recv().is_ok() || matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
            return true;
        }
        if deadline.passed() {
            return false;
        }
        thread::sleep(pause.min(deadline.left()));
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_is_ended_with_what_it_started() {
        let done = output(Path::new("/bin/sh"), &["-c", "sleep 60 & echo here; wait"], b"", Duration::from_millis(300)).unwrap();
        assert!(done.late && done.code.is_none() && done.stdout == b"here\n");
    }

    #[test]
    fn a_program_that_reads_nothing_is_no_matter() {
        let done = output(Path::new("/bin/true"), &[""; 0], &[b'x'; 1 << 20], Duration::from_secs(10)).unwrap();
        assert_eq!((done.code, done.late), (Some(0), false));
    }
}
