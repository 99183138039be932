//! The process between a hook and a model's program: where the hook dies, nothing that it started goes on.
//!
//! It is this executable under another name. As *keeper* it leads a process group, starts the program in it and reads
//! its own standard input, which the hook holds open as long as it lives; at its end the whole group is killed. As
//! *bound* it asks the system to be killed with the keeper and becomes the program. So neither a kill of the hook nor
//! one of the keeper, nor of both at once, leaves the program behind.

use rustix::process::{Pid, Signal, getpid, kill_process_group};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::thread;

/// The first word of a keeper's command line.
pub const KEEPER: &str = "ah-judge: keeper";
const BOUND: &str = "ah-judge: bound";
/// What the names of private folders begin with.
pub const FOLDER: &str = "ah-judge-";
/// The exit code of a program that could not be started, as shells have it.
pub const NOT_STARTED: u8 = 127;
/// The longest input, in bytes.
const MOST: u64 = 64 << 20;

/// What this process is for, if it was started as one of the two; it ends with the code.
pub fn run() -> Option<ExitCode> {
    let mut words = std::env::args_os();
    let code = match words.next()?.to_str()? {
        KEEPER => keep(&words.collect::<Vec<_>>()),
        BOUND => bound(&words.collect::<Vec<_>>()),
        _ => return None,
    };
    Some(ExitCode::from(code))
}

/// This executable, even where its file was replaced meanwhile.
pub fn own() -> io::Result<PathBuf> {
    let linux = PathBuf::from("/proc/self/exe");
    if linux.exists() { Ok(linux) } else { std::env::current_exe() }
}

/// What the hook writes first: how long the program's input is, and the input.
pub fn framed(input: &str) -> Vec<u8> {
    let mut bytes = (input.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(input.as_bytes());
    bytes
}

/// Starts the program, feeds it, and ends with it, or with the hook.
fn keep(command: &[OsString]) -> u8 {
    let Ok(input) = unframed() else { return NOT_STARTED };
    let mine = getpid().as_raw_nonzero().to_string();
    let spawned = own().and_then(|own| {
        // Started by the first thread, which lives as long as the process: the system looks at the thread.
        Command::new(own).arg0(BOUND).arg(mine).args(command).stdin(Stdio::piped()).spawn()
    });
    let Ok(mut child) = spawned else { return NOT_STARTED };
    if let Some(mut pipe) = child.stdin.take() {
        // It may end without reading all of it; what it then says is its answer.
        thread::spawn(move || drop(pipe.write_all(&input)));
    }
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        gone();
    });
    let code = child.wait().ok().and_then(|status| status.code());
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

fn unframed() -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    let mut stdin = io::stdin().lock();
    stdin.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MOST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut input = Vec::new();
    stdin.take(length).read_to_end(&mut input)?;
    // A hook that died while it wrote asked nothing.
    if input.len() as u64 == length { Ok(input) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// The hook is gone: its private folder goes, and the group with this process in it.
fn gone() {
    if let Ok(dir) = std::env::current_dir()
        && dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(FOLDER))
    {
        let _ = std::fs::remove_dir_all(dir);
    }
    let _ = kill_process_group(getpid(), Signal::KILL);
}

/// Becomes the program, to be killed with the keeper.
fn bound(words: &[OsString]) -> u8 {
    let [keeper, program, args @ ..] = words else { return NOT_STARTED };
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    // It may have died before that was asked for.
    let parent = rustix::process::getppid().map(Pid::as_raw_nonzero);
    if parent.is_none_or(|parent| keeper.to_str() != Some(&parent.to_string())) {
        return NOT_STARTED;
    }
    let error = Command::new(program).args(args).exec();
    let _ = writeln!(io::stderr(), "{error}");
    NOT_STARTED
}
