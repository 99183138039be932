//! the list of installed files that the installer leaves, and whether they are as they were then.

use crate::source::{MOST_PROGRAM, read_whole};
use ah::quote;
use ah::receipt::sha256;
use std::path::{Path, PathBuf};

/// Where the list lies, from the folder of the programs.
const PLACE: &str = "../lib/ah/installed";

/// One installed file.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// The file.
    pub path: PathBuf,
    /// What its sha256 was.
    pub sha256: String,
}

/// The list of the installation that `bin` is a part of: lines of sha256, two spaces and a path from the top of the
/// installation, as sha256sum(1) writes them. `None` where there is none.
pub fn read(bin: &Path) -> Option<Vec<Pin>> {
    let bytes = read_whole(&bin.join(PLACE), 1 << 20).ok()?;
    let top = bin.parent()?;
    Some(parse(&String::from_utf8_lossy(&bytes), top))
}

fn parse(text: &str, top: &Path) -> Vec<Pin> {
    let line = |line: &str| {
        let (digest, name) = line.split_once("  ")?;
        let hex = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        let inside = !name.is_empty() && !name.starts_with('/') && name.split('/').all(|part| part != "..");
        (hex && inside).then(|| Pin { path: top.join(name), sha256: digest.to_owned() })
    };
    text.lines().filter_map(line).collect()
}

/// What is wrong with a file that was installed as `digest`; `None` where nothing is.
pub fn wrong(path: &Path, digest: &str) -> Option<String> {
    match read_whole(path, MOST_PROGRAM) {
        Ok(bytes) if sha256(&bytes) == digest => None,
        Ok(_) => Some(format!("{}: not the bytes that were installed", quote::path(path))),
        Err(error) => Some(format!("{}: {error}", quote::path(path))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_file_inside() {
        let digest = "a".repeat(64);
        let text = format!("{digest}  bin/ah-judge\n{digest}  ../x\n{digest}  /x\nshort  bin/x\n\n{digest}  man/a b.1\n");
        let pins = parse(&text, Path::new("/p"));
        let paths: Vec<_> = pins.iter().map(|pin| pin.path.to_string_lossy().into_owned()).collect();
        assert_eq!(paths, ["/p/bin/ah-judge", "/p/man/a b.1"]);
    }
}
