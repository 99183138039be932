//! `changes`: whether tool calls change anything, a JSON line `{"tool","input"}` each.

use ah::cli::{Call, Cli};
use ah::compat;
use ah::effect::effect;
use ah::exit;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::process::ExitCode;

/// Longest line that is read, in bytes.
const LONGEST: u64 = 16 << 20;

#[derive(Deserialize)]
struct Asked<'a> {
    #[serde(borrow)]
    tool: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Told {
    changes: bool,
    reason: String,
}

/// Answers each line on a line, in order. A line that is no call is an error on standard error and `{}`; the code is
/// then 65, and the others are answered all the same.
pub fn changes(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("changes reads its calls from standard input"));
    }
    match each(cli, call.has("compat")) {
        Ok(0) => Ok(ExitCode::from(exit::OK)),
        Ok(_) => Ok(ExitCode::from(exit::BAD_DATA)),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::from(exit::OK)),
        Err(error) => Err(exit::fail(cli.name, exit::UNAVAILABLE, &format!("cannot go on: {error}"))),
    }
}

/// Gives how many lines were no calls.
fn each(cli: &Cli, compat: bool) -> io::Result<usize> {
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let (mut line, mut number, mut bad) = (Vec::new(), 0usize, 0);
    loop {
        line.clear();
        if input.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            return Ok(bad);
        }
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let told = serde_json::from_slice::<Asked>(&line).map(|asked| tell(&asked, compat));
        let text = match told {
            Ok(told) => serde_json::to_string(&told)?,
            Err(error) => {
                bad += 1;
                let _ = exit::fail(cli.name, exit::BAD_DATA, &format!("not a tool call: line {number}: {error}"));
                "{}".to_owned()
            }
        };
        out.write_all(format!("{text}\n").as_bytes())?;
    }
}

fn tell(asked: &Asked, compat: bool) -> Told {
    let Some(input) = asked.input else {
        return Told { changes: false, reason: "reads".to_owned() };
    };
    if compat {
        let changes = compat::changes(&asked.tool, input);
        return Told { changes, reason: if changes { "changes" } else { "reads" }.to_owned() };
    }
    let effect = effect(&asked.tool, input);
    Told { changes: effect.may_change(), reason: effect.reason() }
}
