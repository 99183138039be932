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
