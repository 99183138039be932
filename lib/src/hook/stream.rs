//! `--jsonl`: a filter over many events, one line in and one line out.

use super::{MAX_BYTES, Program, respond, silenced};
use crate::answer::Answer;
use crate::cli::Options;
use crate::exit;
use std::io::{self, BufRead, ErrorKind, Write};
use std::process::ExitCode;

/// Runs the filter from standard input to standard output.
pub fn run(program: &Program, options: &Options) -> ExitCode {
    match answer_lines(program, options, &mut io::stdin().lock(), &mut io::stdout().lock()) {
        Ok(objected) => ExitCode::from(if objected && options.fail { exit::NO } else { exit::OK }),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::from(exit::OK),
        Err(error) => exit::fail(program.cli.name, exit::CANNOT_CREATE, &format!("cannot go on: {error}")),
    }
}

/// Answers every line of `input` with a line on `output`, in order: `{}` for silence, and for what is no event. Says
/// whether any answer was a deny or an ask.
///
/// # Errors
/// Input or output failed.
pub fn answer_lines(program: &Program, options: &Options, input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<bool> {
    // An audit is no hook: it looks even where the hooks are switched off.
    let silent = options.record && silenced(program);
    let options = &Options { jsonl: true, ..options.clone() };
    let mut objected = false;
    let mut line = Vec::new();
    while next_line(input, &mut line)? {
        let mut printed = Ok(());
        let mut put = |reply: &str| {
            let reply = if reply.is_empty() { "{}" } else { reply };
            printed = output.write_all(format!("{reply}\n").as_bytes()).and_then(|()| output.flush());
            printed.is_ok()
        };
        if silent {
            put("");
        } else {
            let answer = respond(program, options, &line, &mut put);
            objected |= matches!(answer, Answer::Deny(_) | Answer::Ask(_));
        }
        printed?;
    }
    Ok(objected)
}

/// The next line without its end; of one that is too long just enough to show that it is. `false` at the end.
fn next_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut any = false;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let text = &chunk[..end.unwrap_or(chunk.len())];
        let room = (MAX_BYTES + 1).saturating_sub(line.len());
        line.extend_from_slice(&text[..text.len().min(room)]);
        let used = end.map_or(chunk.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}
