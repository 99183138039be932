//! The guard stays a small program: a size that a reader can remember, and nothing linked in that it does not need.

use std::fs;
use std::path::{Path, PathBuf};

/// 2.25 MiB. The aim was 1 MiB, which it does not reach: an empty Rust program is 0.45 MiB with the standard library's
/// backtraces, reading shell and git 0.5, judging 0.5, snapshots and undo 0.2. Lower this when the executable shrinks;
/// raising it needs a reason as good.
const MOST_BYTES: usize = (9 << 20) / 4;
const DYNAMIC: u32 = 2; // PT_DYNAMIC, from the ELF specification

/// The release build that tests/run.sh names, or the one of an ordinary `cargo build --release`.
fn release() -> Option<PathBuf> {
    let named = std::env::var_os("AH_RELEASE").map(PathBuf::from);
    assert!(named.as_ref().is_none_or(|path| path.is_file()), "AH_RELEASE names no file");
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/release/ah-git-guard");
    named.or_else(|| built.is_file().then_some(built))
}

#[test]
fn the_guard_is_small_stripped_and_dynamic() {
    let Some(path) = release() else {
        println!("SKIP size: no release build of ah-git-guard");
        return;
    };
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() <= MOST_BYTES, "{} is {} bytes, limit {MOST_BYTES}", path.display(), bytes.len());
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        println!("SKIP size: not a 64-bit little-endian ELF file, so its parts were not looked at");
        return;
    }
    let number =
        |at: usize, len: usize| -> usize { bytes[at..at + len].iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte)) };
    let headers = number(32, 8);
    let dynamic = (0..number(56, 2)).any(|n| number(headers + n * number(54, 2), 4) == DYNAMIC as usize);
    assert!(dynamic, "{} is linked statically", path.display());
    let symbols = bytes.windows(8).any(|window| window == b".symtab\0");
    assert!(!symbols, "{} is not stripped", path.display());
}

/// One library more to find, map and relocate is a tenth of what a silent hook costs; `ah::math` is there instead.
#[test]
fn no_program_loads_the_mathematics_of_c() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let built = top.join("target/release");
    let named = release().and_then(|path| path.parent().map(Path::to_path_buf));
    for folder in [Some(built), named].into_iter().flatten() {
        for name in ["ah-git-guard", "ah-judge", "ah-mesh", "ah-prefilter"] {
            let Ok(bytes) = fs::read(folder.join(name)) else { continue };
            let loads = bytes.windows(9).any(|window| window == b"libm.so.6");
            assert!(!loads, "{name} loads libm: it calls ln, exp, powf or the like of f64");
        }
    }
}
