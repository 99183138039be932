//! What the tests of the lower floors share: places in a temporary folder, modes, numbers that look random.

use ah::paths::Paths;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Places under `dir`: HOME is `dir`/home, the organisation's floor `dir`/etc.
pub fn paths_in(dir: &Path) -> Paths {
    let home = dir.join("home");
    Paths::new(&|name| (name == "HOME").then(|| home.clone().into_os_string())).unwrap().with_system(dir.join("etc"))
}

/// Permission bits.
pub fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// Writes a file and the folders above it.
pub fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A repeatable source of numbers (xorshift64*).
pub struct Numbers(pub u64);

impl Numbers {
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }

    /// So many characters of `alphabet`.
    pub fn text(&mut self, length: usize, alphabet: &[u8]) -> String {
        (0..length).map(|_| char::from(alphabet[self.below(alphabet.len())])).collect()
    }
}
