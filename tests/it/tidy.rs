//! What the repository says about itself is true, and names no machine.

use std::path::Path;
use std::process::Command;

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn run(program: &str, args: &[&str]) -> String {
    let done = Command::new(program).args(args).current_dir(top()).output().unwrap();
    assert!(done.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn the_changelog_has_this_version() {
    let text = std::fs::read_to_string(top().join("CHANGELOG.md")).unwrap();
    let heading = format!("## [{}]", env!("CARGO_PKG_VERSION"));
    assert!(text.lines().any(|line| line.starts_with(&heading)), "CHANGELOG.md has no `{heading}`");
}

#[test]
fn no_file_names_a_machine() {
    // Spelled in parts, so that this file does not name what it looks for.
    let names = [
        ["/wo", "rk/"].concat(),
        ["/ro", "ot/"].concat(),
        [".lib", "rary"].concat(),
        ["registry.npm", "js.org"].concat(),
        ["\"reso", "lved\": \"http"].concat(),
    ];
    let mut wrong = Vec::new();
    for path in run("git", &["ls-files", "-co", "--exclude-standard"]).lines() {
        let Ok(bytes) = std::fs::read(top().join(path)) else {
            continue; // deleted, not yet committed
        };
        let text = String::from_utf8_lossy(&bytes);
        for (number, line) in text.lines().enumerate() {
            let found = names.iter().any(|name| {
                line.match_indices(name.as_str()).any(|(at, _)| {
                    // `$RUN/work/a.txt` and `../work/` are relative to something.
                    !line[..at].ends_with(|c: char| c.is_alphanumeric() || "}.)_".contains(c)) || !name.starts_with('/')
                })
            });
            if found {
                wrong.push(format!("{path}:{}: {}", number + 1, line.chars().take(120).collect::<String>()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn guard_and_gate_build_without_network_and_digest() {
    let tree = |args: &[&str]| -> Vec<String> {
        let args = [&["tree", "--offline", "--locked", "-e", "normal", "--prefix", "none"], args].concat();
        run(env!("CARGO"), &args).lines().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect()
    };
    let (small, whole) = (tree(&["--no-default-features"]), tree(&[]));
    for name in ["sha2", "toml_edit", "ureq"] {
        assert!(!small.iter().any(|found| found == name), "{name} is in the guard's tree");
        assert!(whole.iter().any(|found| found == name), "{name} is not in the default tree");
    }
    assert!(small.iter().any(|found| found == "serde_json"), "the tree was not understood");
}

/// The tests that the tables name are there.
#[test]
fn each_report_has_its_test() {
    let text = std::fs::read_to_string(top().join("ARCHITECTURE.md")).unwrap();
    let table = text.split_once("| report | test |").unwrap().1.split_once("\n\n").unwrap().0;
    let rows: Vec<&str> =
        table.lines().filter_map(|row| row.strip_suffix(" |")?.rsplit_once("| ").map(|(_, test)| test)).collect();
    let named = rows.iter().filter(|row| row.starts_with('`')).count();
    assert_eq!(named, 23, "{rows:?}");
    for row in rows.iter().filter(|row| row.starts_with('`')) {
        let name = row.split('`').nth(1).unwrap();
        let Some((file, test)) = name.split_once("::") else {
            assert!(top().join(name).is_file(), "{name}");
            continue;
        };
        let source = std::fs::read_to_string(top().join("tests/it").join(file).with_extension("rs")).unwrap();
        assert!(source.contains(&format!("#[test]\nfn {test}()")), "{name}");
    }
}
