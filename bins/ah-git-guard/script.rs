//! Files that a line runs: scripts, Makefiles, package.json. Only small ones, never a device, never outside of where people work.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest script that is read, in bytes (spec: 64 KiB).
const MOST: u64 = 64 << 10;

/// The text of a script, `None` where it is too large, no regular file, or not text.
pub fn read(path: &str) -> Option<String> {
    let path = Path::new(path);
    if ["/usr", "/bin", "/sbin", "/lib", "/opt", "/etc", "/proc", "/dev", "/nix", "/snap"].iter().any(|d| path.starts_with(d)) {
        return None;
    }
    let meta = std::fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MOST {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(MOST + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= MOST && !text.contains('\0')).then_some(text)
}
