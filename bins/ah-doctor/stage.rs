//! A throwaway repository with work in it that nobody saved, and a home for git; gone when dropped.

use ah::clock::now_ms;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What no commit holds.
pub const UNSAVED: &str = "// a thought, not saved anywhere\n";
/// What is committed.
const SAVED: &str = "fn main() {\n    println!(\"hello\");\n}\n";

/// The folder that holds it all.
pub struct Stage {
    top: PathBuf,
}

impl Stage {
    /// Builds it below the system's temporary folder.
    ///
    /// # Errors
    /// The system's, and where git cannot be run.
    pub fn new() -> io::Result<Self> {
        let top = std::env::temp_dir().join(format!("ah-stage-{}-{}", std::process::id(), now_ms()));
        ah::fs::ensure_dir(&top)?;
        let stage = Self { top: fs::canonicalize(top)? };
        let work = stage.work();
        fs::create_dir(&work)?;
        for args in [&["init", "-q", "-b", "main"][..], &["add", "main.rs"], &["commit", "-q", "-m", "Say hello"]] {
            if args[0] == "add" {
                fs::write(work.join("main.rs"), SAVED)?;
            }
            stage.git(args)?;
        }
        stage.dirty()?;
        Ok(stage)
    }

    /// The folder that holds it all.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The work tree.
    pub fn work(&self) -> PathBuf {
        self.top.join("work")
    }

    /// Puts unsaved work into it again.
    ///
    /// # Errors
    /// The system's.
    pub fn dirty(&self) -> io::Result<()> {
        fs::write(self.work().join("main.rs"), format!("{SAVED}{}", UNSAVED.repeat(8)))?;
        fs::write(self.work().join("notes.md"), "what we agreed on in the meeting\n")
    }

    /// Takes the unsaved work out again.
    ///
    /// # Errors
    /// The system's.
    pub fn clean(&self) -> io::Result<()> {
        fs::write(self.work().join("main.rs"), SAVED)?;
        fs::remove_file(self.work().join("notes.md"))
    }

    /// Whether the unsaved work is still there.
    pub fn whole(&self) -> bool {
        let text = fs::read_to_string(self.work().join("main.rs")).unwrap_or_default();
        text.contains(UNSAVED) && self.work().join("notes.md").exists()
    }

    /// Runs git there, without this machine's settings.
    ///
    /// # Errors
    /// The system's, and where git fails.
    fn git(&self, args: &[&str]) -> io::Result<()> {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=You", "-c", "user.email=you@example.test", "-c", "commit.gpgsign=false"]).args(args);
        let environment = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];
        environment.iter().for_each(|name| {
            command.env_remove(name);
        });
        let done = command.current_dir(self.work()).env("GIT_CONFIG_GLOBAL", "/dev/null").stdin(Stdio::null()).output()?;
        if done.status.success() {
            return Ok(());
        }
        Err(io::Error::other(String::from_utf8_lossy(&done.stderr).trim().to_owned()))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.top);
    }
}
