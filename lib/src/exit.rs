//! How a program ends: the suite's exit codes, printing, and one form for error text.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Yes, or done.
pub const OK: u8 = 0;
/// No, or problems were found.
pub const NO: u8 = 1;
/// A person should decide (`ah-git-guard check` only).
pub const ASK: u8 = 3;
/// The command line was wrong.
pub const USAGE: u8 = 64;
/// The input was not what it should be.
pub const BAD_DATA: u8 = 65;
/// The input does not exist or cannot be read.
pub const NO_INPUT: u8 = 66;
/// Something that is needed cannot be reached.
pub const UNAVAILABLE: u8 = 69;
/// A bug.
pub const BUG: u8 = 70;
/// A file could not be written.
pub const CANNOT_CREATE: u8 = 73;
/// Busy; the same call may work later.
pub const TRY_AGAIN: u8 = 75;
/// Not allowed.
pub const NO_PERMISSION: u8 = 77;
/// A configuration file is wrong.
pub const BAD_CONFIG: u8 = 78;

/// Prints `text` to standard output as it is.
///
/// A reader that went away (`| head`) ends the process quietly with 0, so that no caller has to think of it; any
/// other failure (a full disk) is told on standard error and ends it with `CANNOT_CREATE`.
pub fn print(name: &str, text: &str) {
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(i32::from(OK));
        }
        let _ = fail(name, CANNOT_CREATE, &format!("cannot print: {error}"));
        std::process::exit(i32::from(CANNOT_CREATE));
    }
}

/// Says on standard error what failed, as `ah-x: what failed: object: cause`, and gives the code to end with.
///
/// `text` is the part after the program's name. Text from elsewhere must have gone through `quote` before.
#[must_use]
pub fn fail(name: &str, code: u8, text: &str) -> ExitCode {
    // One write, so that lines of parallel programs do not mix. Nobody can be told when standard error is gone.
    let _ = io::stderr().write_all(format!("{name}: {text}\n").as_bytes());
    ExitCode::from(code)
}
