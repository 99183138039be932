//! Takes snapshots with the built guard, and reads what they hold with real git.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use serde_json::Value;

use crate::guard_hostile::picture;
use crate::guard_run::{Run, call};
use crate::support::TestRepo;

/// The one store whose name begins so.
pub fn store(t: &TestRepo, name: &str) -> PathBuf {
    let dir = t.root().join("ah/state/snapshots");
    let entries = fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())).flatten().map(|e| e.path());
    let begins = |p: &PathBuf| p.file_name().unwrap().to_string_lossy().starts_with(&format!("{name}-"));
    let found: Vec<PathBuf> = entries.filter(begins).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

/// Real git on a store.
pub fn git(dir: &Path, args: &[&str]) -> Vec<u8> {
    let done = Command::new("git").arg("--git-dir").arg(dir).args(args).output().expect("git runs");
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    done.stdout
}

/// The manifest of a snapshot.
pub fn manifest(store: &Path, id: &str) -> Value {
    serde_json::from_slice(&git(store, &["cat-file", "blob", &format!("refs/ah/{id}:manifest.json")])).expect("JSON")
}

/// A snapshot by hand; its id.
#[track_caller]
pub fn snapshot(t: &TestRepo, args: &[&str]) -> (String, Run) {
    let run = call(t, ["snapshot"].iter().chain(args));
    assert!(matches!(run.code, Some(0 | 1)) && run.stderr.is_empty(), "{run:?}");
    (run.stdout.lines().next().expect("an id").to_owned(), run)
}

fn path_of(text: &str) -> PathBuf {
    let Some(hex) = text.strip_prefix('\0') else { return text.into() };
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
    OsStr::from_bytes(&bytes).into()
}

/// Every file of a snapshot: what it holds, or `-> target`, or `absent`.
pub fn files(store: &Path, id: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let manifest = manifest(store, id);
    let parts = manifest["parts"].as_array().expect("parts");
    let all = parts.iter().flat_map(|p| p["files"].as_array().expect("files"));
    let read = |file: &Value| match file["is"].as_str() {
        Some("file") => {
            let n = file["n"].as_u64().unwrap();
            let bytes = if file["side"] == Value::Bool(true) {
                fs::read(store.join(format!("ah/sides/{id}/{n}"))).expect("a side file")
            } else {
                git(store, &["cat-file", "blob", &format!("refs/ah/{id}:files/{n}")])
            };
            assert_eq!(bytes.len() as u64, file["size"].as_u64().unwrap());
            bytes
        }
        Some("link") => format!("-> {}", path_of(file["to"].as_str().unwrap()).display()).into_bytes(),
        Some("absent") => b"absent".to_vec(),
        other => panic!("{other:?}"),
    };
    all.map(|file| (path_of(file["path"].as_str().unwrap()), read(file))).collect()
}

pub fn uncovered(store: &Path, id: &str) -> BTreeMap<String, String> {
    let all = manifest(store, id)["uncovered"].as_array().expect("a list").clone();
    all.iter().map(|u| (u["what"].as_str().unwrap().to_owned(), u["why"].as_str().unwrap().to_owned())).collect()
}

/// A new repository with the pack of a part taken in.
pub fn unpacked(t: &TestRepo, pack: &Path, format: &str) -> PathBuf {
    let dir = t.root().join(format!("unpacked-{}", pack.file_stem().unwrap().to_string_lossy()));
    t.git_in(&t.root(), ["init", "-q", "--bare", &format!("--object-format={format}"), dir.to_str().unwrap()]);
    let mut index = Command::new("git");
    index.arg("--git-dir").arg(&dir).args(["index-pack", "--stdin"]).stdin(fs::File::open(pack).expect("a pack"));
    assert!(index.stdout(Stdio::null()).status().expect("git runs").success());
    dir
}

/// Everything of a work tree and its git directory.
pub fn everything(dir: &Path) -> BTreeMap<PathBuf, (String, SystemTime, Vec<u8>)> {
    let mut all = BTreeMap::new();
    picture(dir, &mut all);
    all
}
