//! Whether a person sits at this process's terminal: no harness above it, and an answer that only who reads the screen can give.

mod programs;

pub use programs::{named, of};

use crate::fs;
use crate::quote;
use rustix::termios::{QueueSelector, isatty, tcflush, tcgetpgrp};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};

/// More ancestors than any terminal has.
const MOST_ANCESTORS: usize = 64;
/// The longest answer that is read, in bytes.
const MOST_ANSWER: usize = 256;
/// Programs that make a terminal for another program to type into.
const FAKERS: &[&str] = &["expect", "script", "socat", "unbuffer"];

/// Letters and digits that nobody takes for one another.
const LETTERS: &[u8; 31] = b"23456789abcdefghjkmnpqrstuvwxyz";

/// A process, as the system shows it.
#[derive(Clone, Debug)]
pub struct Process {
    /// The first words it was started with.
    pub argv: Vec<String>,
    /// Its name.
    pub name: String,
    /// The process that started it; 0 for none.
    pub parent: u32,
}

/// Shows a process; `None` where there is none, or the system does not say.
pub type Look<'l> = &'l dyn Fn(u32) -> Option<Process>;

/// Shows `shown` on the controlling terminal and has a person there type a word that is only shown there. `to` says
/// what the word does, `otherwise` what anything else does (`let it through once`, `leaves it stopped`).
///
/// # Errors
/// Why there is no person, or that they said no.
pub fn confirm(shown: &str, to: &str, otherwise: &str) -> Result<(), String> {
    if let Some(why) = refusal(std::process::id(), &look) {
        return Err(why);
    }
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty");
    let mut terminal = terminal.ok().filter(|t| isatty(t)).ok_or("there is no terminal to ask at")?;
    if tcgetpgrp(&terminal).ok() != Some(rustix::process::getpgrp()) {
        return Err("it does not run in the foreground of its terminal".into());
    }
    let word = word().ok_or("no random word could be had")?;
    let cannot = |error| format!("the terminal cannot be used: {error}");
    // What was typed before the question was there answers nothing.
    tcflush(&terminal, QueueSelector::IFlush).map_err(|error| cannot(error.into()))?;
    let text = format!("{shown}\nTo {to}, type {word} and press Enter. Anything else {otherwise}: ");
    terminal.write_all(text.as_bytes()).map_err(cannot)?;
    let answer = answer(&mut terminal).map_err(cannot)?;
    if answer.trim().eq_ignore_ascii_case(&word) { Ok(()) } else { Err("the answer was not the word".into()) }
}

/// Why whoever started a process cannot be told to be a person; `None` where nothing speaks against it.
#[must_use]
pub fn refusal(process: u32, look: Look) -> Option<String> {
    let unknown = || Some("its ancestors cannot be known on this system".to_owned());
    let mut next = process;
    for _ in 0..MOST_ANCESTORS {
        let Some(found) = look(next) else { return unknown() };
        // This process itself was started by whoever is looked for.
        if next != process {
            if let Some(harness) = of(&found.name, &found.argv) {
                return Some(format!("it was started below {}: open another terminal", quote::line(&harness, 40)));
            }
            if let Some(faker) = FAKERS.iter().find(|f| found.name == **f) {
                return Some(format!("its terminal was made by {faker}: open another"));
            }
        }
        match found.parent {
            0 => return None,
            parent if parent == next => return unknown(),
            parent => next = parent,
        }
    }
    unknown()
}

/// One line of the terminal.
fn answer(terminal: &mut File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while bytes.len() < MOST_ANSWER && terminal.read(&mut byte)? == 1 && byte != [b'\n'] {
        bytes.extend(byte);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Four letters from the start of `seed`, none of which is taken for another.
#[must_use]
pub fn letters(seed: &[u8]) -> String {
    seed.iter().take(4).map(|b| char::from(LETTERS[usize::from(*b) % LETTERS.len()])).collect()
}

/// Four letters that nobody can know beforehand.
fn word() -> Option<String> {
    let mut seed = [0; 4];
    File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut seed)).ok()?;
    Some(letters(&seed))
}

/// A process of this system, from `/proc`.
#[cfg(target_os = "linux")]
#[must_use]
pub fn look(process: u32) -> Option<Process> {
    const MOST: u64 = 8 << 20;
    let read = |name: &str| fs::read(format!("/proc/{process}/{name}").as_ref(), MOST).ok();
    let stat = read("stat")?;
    // The name stands in parentheses and may hold some itself.
    let (open, close) = (stat.iter().position(|b| *b == b'(')?, stat.iter().rposition(|b| *b == b')')?);
    let name = String::from_utf8_lossy(stat.get(open + 1..close)?).into_owned();
    let rest = String::from_utf8_lossy(&stat[close + 1..]).into_owned();
    let parent = rest.split_ascii_whitespace().nth(1)?.parse().ok()?;
    let line = read("cmdline")?;
    let argv = line.split(|b| *b == 0).take(8).map(|w| String::from_utf8_lossy(w).into_owned()).collect();
    Some(Process { argv, name, parent })
}

/// A process of this system, from ps(1).
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn look(process: u32) -> Option<Process> {
    let ask = |what: &str| {
        let done = std::process::Command::new("/bin/ps").args(["-o", what, "-p", &process.to_string()]).output().ok()?;
        done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim().to_owned())
    };
    let name = ask("comm=")?.rsplit('/').next().unwrap_or_default().to_owned();
    let argv = ask("args=")?.split_ascii_whitespace().take(8).map(str::to_owned).collect();
    Some(Process { argv, name, parent: ask("ppid=")?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Refusal of the last of a line of processes, the first of all first.
    fn refused(line: &[(&str, &str)]) -> Option<String> {
        let look = |id: u32| {
            let (name, argv) = line.get(id as usize - 1)?;
            Some(Process { argv: argv.split(' ').map(str::to_owned).collect(), name: (*name).to_owned(), parent: id - 1 })
        };
        refusal(u32::try_from(line.len()).unwrap(), &look)
    }

    const GUARD: (&str, &str) = ("ah-git-guard", "ah-git-guard allow k7f2");

    #[test]
    fn a_persons_terminal() {
        for above in [
            &[("systemd", "/sbin/init"), ("gnome-terminal-", "/usr/libexec/gnome-terminal-server"), ("zsh", "-zsh")][..],
            &[("systemd", "/sbin/init"), ("tmux: server", "tmux new -s claude"), ("bash", "-bash")],
            &[("launchd", "/sbin/launchd"), ("code", "/usr/share/code/code"), ("zsh", "/bin/zsh -i")],
            &[("init", "init"), ("cursor", "/opt/cursor/cursor --type=utility"), ("fish", "fish")],
            &[("bash", "bash")],
        ] {
            assert_eq!(refused(&[above, &[GUARD]].concat()), None, "{above:?}");
        }
    }

    #[test]
    fn a_tool_call() {
        let claude = ("claude", "claude");
        for above in [
            &[("init", "init"), ("bash", "-bash"), claude, ("zsh", "/bin/zsh -c x")][..],
            &[claude, ("bash", "bash -c x")],
            &[("init", "init"), claude, ("bash", "bash -c x"), ("script", "script -qc x /dev/null"), ("sh", "sh -c x")],
            &[("init", "init"), ("node", "node /x/@anthropic-ai/claude-code/cli.js"), ("bash", "bash")],
            &[("init", "init"), ("script", "script -qc x /dev/null"), ("sh", "sh -c x")],
        ] {
            assert!(refused(&[above, &[GUARD]].concat()).is_some(), "{above:?}");
        }
    }

    #[test]
    fn what_cannot_be_known_is_refused() {
        assert!(refusal(7, &|_| None).is_some());
        assert!(refusal(7, &|id| Some(Process { argv: Vec::new(), name: "sh".into(), parent: id })).is_some());
        assert!(refusal(7, &|id| Some(Process { argv: Vec::new(), name: "sh".into(), parent: id + 1 })).is_some());
        assert!(refusal(7, &|id| (id != 3).then(|| Process { argv: Vec::new(), name: "sh".into(), parent: id - 1 })).is_some());
    }

    #[test]
    fn this_process_is_seen() {
        let me = look(std::process::id()).unwrap();
        assert!(me.parent > 0 && !me.name.is_empty() && !me.argv.is_empty());
    }
}
