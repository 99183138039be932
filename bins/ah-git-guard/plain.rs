//! Lines that need no reading: plain words without any of the shell's own characters, of a program that only reads.

use crate::verb;

/// Programs that neither write a file nor run another program, whatever their words.
const READERS: &[&str] = &[
    "basename", "cat", "cksum", "cmp", "comm", "cut", "date", "df", "dirname", "du", "egrep", "fgrep", "file", "free", "grep",
    "head", "hostname", "id", "ls", "md5sum", "nproc", "pgrep", "ps", "pwd", "readlink", "realpath", "sha256sum", "sleep",
    "stat", "tac", "tail", "uname", "uptime", "wc", "which", "whoami",
];

/// Whether a line plainly loses nothing. False says only that it has to be read.
pub fn harmless(line: &str) -> bool {
    let plain = |b: u8| {
        b.is_ascii_alphanumeric()
            || matches!(b, b' ' | b'_' | b'-' | b'.' | b'/' | b':' | b'=' | b',' | b'@' | b'%' | b'+' | b'^')
    };
    if !line.bytes().all(plain) {
        return false;
    }
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("git") => words.next().is_some_and(verb::reads) && words.all(|w| !w.starts_with("--ou") && !w.starts_with("-o")),
        Some(program) => READERS.binary_search(&program).is_ok(),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_reading_needs_no_second_thought() {
        assert!(READERS.windows(2).all(|w| w[0] < w[1]));
        for line in ["ls -la", "git status", "git log --oneline -5", "cat src/main.rs", "", "grep -rn foo src"] {
            assert!(harmless(line), "{line}");
        }
    }

    #[test]
    fn everything_else_is_read() {
        for line in [
            "ls; rm x", "git status > f", "./ls", "FOO=1 ls", "git -C . status", "git diff --output=f", "git reset --hard",
            "cat $(rm x)", "echo `rm x`", "ls\nrm x", "env rm x", "cat a | sh", "ls &",
        ] {
            assert!(!harmless(line), "{line}");
        }
    }
}
