//! Whether programs and settings are as they were installed and registered.

use crate::CLI;
use crate::apply::Ledger;
use crate::error::Error;
use crate::pins;
use crate::programs;
use crate::settle::is;
use crate::source::Source;
use ah::cli::Call;
use ah::exit;
use ah::harness::wiring::{self, Wiring};
use ah::jsonc;
use ah::quote;
use ah::receipt::{Record, sha256};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// `verify`
pub fn run(call: &Call) -> Result<ExitCode, Error> {
    let bin = programs::folder(call.value("bin").map(Path::new))?;
    let ledger = Ledger::open(false)?;
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let pins = pins::read(&bin);
    let pinned = pins.iter().flatten().filter_map(|pin| pins::wrong(&pin.path, &pin.sha256));
    bad.extend(pinned);
    match &pins {
        Some(pins) => {
            good.push(format!("{} installed files looked at, in {}", pins.len(), quote::path(bin.parent().unwrap_or(&bin))))
        }
        None => good.push("no list of installed files beside these programs: built from source, or copied by hand".to_owned()),
    }
    for program in &ledger.receipt.programs {
        // An update changes the bytes; the list of the installation knows which are right then.
        let listed = pins.iter().flatten().any(|pin| pin.path == program.path);
        match pins::wrong(&program.path, &program.sha256).filter(|_| !listed) {
            Some(what) => bad.push(format!("{what} (registered as {})", program.version)),
            None => good.push(format!("{}: as registered", quote::path(&program.path))),
        }
    }
    for record in &ledger.receipt.files {
        match settings(record) {
            Ok(what) => good.push(what),
            Err(what) => bad.push(what),
        }
    }
    if ledger.receipt.files.is_empty() {
        good.push("nothing is registered".to_owned());
    }
    let text = if call.has("json") {
        format!("{}\n", json!({"v": 1, "ok": bad.is_empty(), "good": good, "bad": bad}))
    } else {
        let mut text = String::new();
        for (mark, lines) in [("ok  ", &good), ("FAIL", &bad)] {
            for line in lines {
                let _ = writeln!(text, "{mark}  {line}");
            }
        }
        text
    };
    exit::print(CLI.name, &text);
    Ok(ExitCode::from(if bad.is_empty() { exit::OK } else { exit::NO }))
}

/// Whether what was registered in a file still stands there.
fn settings(record: &Record) -> Result<String, String> {
    let path = quote::path(&record.path);
    let source = Source::read(&record.path).map_err(|error| error.text())?;
    if record.next.is_some() {
        return Err(format!("{path}: a run was cut short; ah-bootstrap --apply finishes it"));
    }
    if source.bytes.as_deref().map(sha256) == record.now.after {
        return Ok(format!("{path}: as it was written"));
    }
    let bytes = source.bytes.ok_or_else(|| format!("{path}: gone; ah-bootstrap --again --apply registers anew"))?;
    let Some(wiring) = Wiring::named(&record.harness) else { return Err(format!("{path}: not as it was written")) };
    let toml = record.path.extension().is_some_and(|ending| ending == "toml");
    let form = wiring.user.iter().find(|file| file.name.ends_with(".toml") == toml).unwrap_or(&wiring.user[0]).form;
    let found =
        wiring::found(form, &bytes).map_err(|error: jsonc::Error| format!("{path}: {}", quote::line(&error.to_string(), 300)))?;
    let gone: Vec<String> = record
        .now
        .entries
        .iter()
        .filter(|line| !found.iter().any(|one| is(one, line)))
        .map(|line| format!("{} at {}", line.programs.join(" | "), line.event))
        .collect();
    if gone.is_empty() {
        return Ok(format!("{path}: changed by others since; every hook stands there"));
    }
    Err(format!("{path}: no more there: {}; ah-bootstrap --again --apply puts them in", gone.join(", ")))
}
