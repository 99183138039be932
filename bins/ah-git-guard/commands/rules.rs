//! `rules`: the catalogue, or one rule of it.

use crate::rule::{self, RULES};
use ah::cli::{Call, Cli};
use ah::exit;
use ah::quote;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Serialize)]
struct Rules<'a> {
    rules: Vec<&'a rule::Rule>,
    v: u32,
}

/// `rules [ID]`.
pub fn rules(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let shown: Vec<&rule::Rule> = match call.args.first() {
        None => RULES.iter().collect(),
        Some(id) => match rule::of(&id.to_string_lossy()) {
            Some(rule) => vec![rule],
            None => {
                return Err(exit::fail(
                    cli.name,
                    exit::NO,
                    &format!("no such rule: {}: ah-git-guard rules lists them", quote::path(id)),
                ));
            }
        },
    };
    let text = if call.options.json {
        serde_json::to_string(&Rules { rules: shown, v: 1 }).unwrap_or_default() + "\n"
    } else if call.args.is_empty() {
        shown.iter().map(|r| format!("{:18} {}\n", r.id, r.protects)).collect()
    } else {
        let rule = shown[0];
        format!(
            "{}\n  protects  {}\n  lost      {}\n  harmless  {}\n  safer     {}\n",
            rule.id,
            rule.protects,
            rule.lost,
            rule.harmless,
            if rule.safer.is_empty() { "-" } else { rule.safer }
        )
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}
