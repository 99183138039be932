//! What is wrong in the settings, with the place of each mistake.

use crate::finding::Finding;
use crate::ground::Ground;
use ah::config::Severity;
use ah::quote;

/// Each problem of each layer.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for problem in &ground.problems {
        let place = format!("{}:{}:{}", quote::path(&problem.file), problem.line, problem.column);
        let key = if problem.key.is_empty() { String::new() } else { format!("{}: ", quote::line(&problem.key, 60)) };
        let what = format!("{place}: {key}{}", quote::line(&problem.what, 200));
        let edit = format!("edit {} at line {}", quote::path(&problem.file), problem.line.max(1));
        found.push(match problem.severity {
            Severity::Error => {
                let what =
                    format!("{what}; until it is mended gate, judge and mesh are off and the guard uses its built-in policy");
                Finding::fail("config.invalid", "config", what, edit)
            }
            Severity::Warning => Finding::warn("config.warning", "config", what).mend(edit),
        });
    }
    if found.is_empty() {
        let file = ground.paths.config_file();
        let what = if file.exists() {
            format!("{} is as it should be", quote::path(&file))
        } else {
            "no file: the built-in values hold".into()
        };
        found.push(Finding::ok("config.ok", "config", what));
    }
    found
}
