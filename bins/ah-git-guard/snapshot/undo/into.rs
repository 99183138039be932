//! A snapshot's files written below a folder of the person's choice: nothing else is touched, and nothing is replaced.

use super::super::manifest::{self, Body, File, Manifest};
use super::files::Source;
use super::plan::{Does, Row, What};
use super::spot::{Now, Spot};
use std::path::{Path, PathBuf};

/// The directory that all files of a snapshot are seen from: the outermost root, or what all of them share.
fn base(manifest: &Manifest) -> PathBuf {
    let roots = manifest.parts.iter().filter(|p| !p.root.is_empty()).map(|p| manifest::path(&p.root));
    let outside = manifest.parts.iter().filter(|p| p.root.is_empty()).flat_map(|p| &p.files);
    let parents = outside.filter_map(|f| manifest::path(&f.path).parent().map(Path::to_owned));
    roots
        .chain(parents)
        .reduce(|a, b| a.ancestors().find(|dir| b.starts_with(dir)).unwrap_or(Path::new("/")).to_owned())
        .unwrap_or_default()
}

/// Writes them below `dir`, which exists, with links resolved; `wanted` chooses.
pub fn write(manifest: &Manifest, source: &Source<'_>, dir: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<Row> {
    let base = base(manifest);
    let target = |file: &File| dir.join(manifest::path(&file.path).strip_prefix(&base).unwrap_or(Path::new("")));
    let mut rows = Vec::new();
    for (at, part) in manifest.parts.iter().enumerate() {
        for file in part.files.iter().filter(|f| f.body != Body::Absent && wanted(&manifest::path(&f.path))) {
            let path = target(file);
            let row = Row::new(at, What::File(file.clone()), Does::BringBack);
            rows.push(match (Spot { root: Some(dir), path: &path }).now(&file.body) {
                Now::Nothing => row,
                Now::Same => Row { does: Does::AsItWas, ..row },
                Now::Closed(why) => Row { does: Does::LeaveAlone, ..row }.why(why),
                Now::Directory | Now::Mode | Now::Other(_) => {
                    Row { does: Does::LeaveAlone, ..row }.why("something of that name is there")
                }
            });
        }
    }
    let open: Vec<usize> = (0..rows.len()).filter(|at| rows[*at].does == Does::BringBack).collect();
    let files: Vec<File> = open
        .iter()
        .filter_map(|at| match &rows[*at].what {
            What::File(file) => Some(file.clone()),
            _ => None,
        })
        .collect();
    source.each(&files.iter().collect::<Vec<_>>(), |n, content| {
        let path = target(&files[n]);
        let spot = Spot { root: Some(dir), path: &path };
        if let Err(why) = content.and_then(|content| spot.put(&content).map_err(|e| e.to_string())) {
            rows[open[n]].fail(why);
        }
    });
    rows
}
