//! Objects as one pack, taken out of a repository without writing to it.

use std::fs::File;

use super::{Git, Oid, Trouble};

impl Git<'_> {
    /// Writes everything that `wanted` (objects of any kind) reach and `held` do not, as a pack that stands by itself,
    /// and gives its size. What a partial clone has not fetched stays out. A held object that is not there is passed over.
    ///
    /// # Errors
    /// `TooMuch` beyond `most` bytes: what was written then is no pack; `Failed` where a wanted object is missing; those
    /// of the process.
    pub fn pack(&self, wanted: &[Oid], held: &[Oid], to: File, most: u64) -> Result<u64, Trouble> {
        let held = self.known(held.iter())?;
        let wanted = wanted.iter().flat_map(|oid| [oid.as_str(), "\n"]);
        let input: String = wanted.chain(held.iter().flat_map(|oid| ["^", oid.as_str(), "\n"])).collect();
        // A tag's own words go with what it names.
        let args =
            ["pack-objects", "--revs", "--stdout", "--quiet", "--include-tag", "--delta-base-offset", "--missing=allow-promisor"];
        let (_, file) = self.run_into(self.call(&args).input(input.into_bytes()).most(most), to)?;
        let io = |source| Trouble::Io { path: "a pack".into(), source };
        file.sync_all().map_err(io)?;
        Ok(file.metadata().map_err(io)?.len())
    }
}
