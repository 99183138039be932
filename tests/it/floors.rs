//! The house rules that a compiler does not keep: who may import whom, and what a file looks like.

use std::fs;
use std::path::{Path, PathBuf};

const MOST_LINES: usize = 400;

/// Every `.rs` file below a folder of the package, in order.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                found.push(path);
            }
        }
    }
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    walk(&top.join(folder), &mut found);
    found.sort();
    assert!(!found.is_empty(), "no sources in {folder}");
    found
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path.strip_prefix(top).unwrap().to_path_buf(), text)
        })
        .collect()
}

/// The text without comment lines, which may name anything.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).fold(String::new(), |all, line| all + line + "\n")
}

/// The modules of the library, lowest first.
fn floors(lib: &str) -> Vec<String> {
    lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).map(str::to_owned).collect()
}

/// First names after each `crate::` (with `root` = `crate::`), those of a braced list included.
fn imports(code: &str, root: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '*').collect()
    };
    let mut found = Vec::new();
    for (at, _) in code.match_indices(root) {
        // `xcrate::` is another word.
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = &code[at + root.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            found.push(name(rest));
            continue;
        };
        let mut depth = 0;
        let mut fresh = true;
        for (here, c) in list.char_indices() {
            if fresh && depth == 0 && !c.is_whitespace() && c != '}' {
                found.push(name(&list[here..]));
                fresh = false;
            }
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => fresh = true,
                _ => {}
            }
        }
    }
    found
}

/// The library module that a file belongs to: `lib/src/shell/walk.rs` is part of `shell`.
fn module(path: &Path) -> String {
    let rest = path.strip_prefix("lib/src").unwrap();
    let first = rest.components().next().unwrap().as_os_str();
    first.to_str().unwrap().trim_end_matches(".rs").to_owned()
}

/// How many modules lie above the file's items, its own included: 2 in `lib/src/shell/walk.rs`, 1 in `shell/mod.rs`.
fn depth(path: &Path) -> usize {
    let rest = path.strip_prefix("lib/src").unwrap();
    rest.components().count() - usize::from(rest.ends_with("mod.rs"))
}

/// The longest chain of `super::`.
fn climb(code: &str) -> usize {
    let links = |at: usize| code.as_bytes()[at..].chunks(7).take_while(|link| *link == b"super::").count();
    code.match_indices("super::").map(|(at, _)| links(at)).max().unwrap_or(0)
}

#[test]
fn a_module_imports_only_what_is_listed_before_it() {
    let files = sources("lib/src");
    let lib = &files.iter().find(|(path, _)| path.ends_with("lib.rs")).unwrap().1;
    let floors = floors(lib);
    assert!(floors.len() > 10, "the list of modules was not understood: {floors:?}");
    let mut wrong = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| !path.ends_with("lib.rs")) {
        let own = module(path);
        let Some(height) = floors.iter().position(|floor| *floor == own) else {
            wrong.push(format!("{}: `{own}` is not listed in lib.rs", path.display()));
            continue;
        };
        let whole = code(text);
        for name in imports(&whole, "crate::") {
            if name != own && !floors[..height].contains(&name) {
                wrong.push(format!("{}: imports `{name}`, which is not below `{own}`", path.display()));
            }
        }
        let (before_tests, tests) = text.split_once("#[cfg(test)]").unwrap_or((text, ""));
        if climb(&code(before_tests)) >= depth(path) || climb(&code(tests)) > depth(path) {
            wrong.push(format!("{}: climbs out of `{own}` by `super::`; say `crate::`", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_import_the_library_and_never_each_other() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("lib/src/lib.rs")).unwrap();
    let floors = floors(&lib);
    let mut wrong = Vec::new();
    for (path, text) in sources("bins") {
        let code = code(&text);
        for name in imports(&code, "ah::") {
            if !floors.contains(&name) {
                wrong.push(format!("{}: `ah::{name}` is no module of the library", path.display()));
            }
        }
        for bad in ["#[path", "include!(\".."] {
            if code.contains(bad) {
                wrong.push(format!("{}: reaches out of its program by `{bad}`", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_keep_the_house_rules() {
    let mut wrong = Vec::new();
    for (path, text) in ["bins", "lib/src", "tests/it"].into_iter().flat_map(sources) {
        let mut complain = |why: &str| wrong.push(format!("{}: {why}", path.display()));
        if !text.starts_with("//! ") {
            complain("the first line is not a `//!` sentence");
        }
        if text.lines().count() > MOST_LINES {
            complain("more than 400 lines: split it by noun");
        }
        let is_root = path.ends_with("lib/src/lib.rs") || (path.starts_with("bins") && path.ends_with("main.rs"));
        if is_root && !text.contains("#![forbid(unsafe_code)]") {
            complain("no `#![forbid(unsafe_code)]`");
        }
        let before_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code(before_tests).lines().map(str::trim) {
            let import = line.strip_prefix("pub ").unwrap_or(line);
            if import.starts_with("use ") && import.contains("::*") {
                complain(&format!("glob import: {line}"));
            }
        }
        for name in ["common", "helpers", "manager", "utils"] {
            if path.file_stem().is_some_and(|stem| stem == name) {
                complain("a file is named after a noun of the domain");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn climbing_is_measured() {
    assert_eq!(climb("use super::super::a; use super::b;"), 2);
    assert_eq!(climb("let upper = 1;"), 0);
    assert_eq!(depth(Path::new("lib/src/shell.rs")), 1);
    assert_eq!(depth(Path::new("lib/src/git/config/load.rs")), 3);
    assert_eq!(depth(Path::new("lib/src/git/config/mod.rs")), 2);
}

#[test]
fn imports_are_read_in_every_form() {
    let text = "use crate::{\n    clock::{self, Time},\n    fs,\n};\nlet x = crate::shell::Word::new();\n    pub(crate) fn f() {}\nmycrate::no();";
    assert_eq!(imports(&code(text), "crate::"), ["clock", "fs", "shell"]);
    assert_eq!(imports(&code("// crate::hook\nuse crate::hook::*;"), "crate::"), ["hook"]);
    assert_eq!(imports("use ah::cli::Cli; use ah::{event, git::Repo};", "ah::"), ["cli", "event", "git"]);
}
