//! The face: one hook run from standard input to standard output.

use crate::answer::Answer;
use crate::cli::{Cli, Options};
use crate::event::{Event, Moment, text};
use crate::harness::{self, Env, Harness};
use crate::log;
use crate::off;
use crate::paths::Paths;
use crate::quote;
use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;

mod context;
mod last_words;
mod stream;

pub use context::{Context, Explain, Fate};
pub use stream::answer_lines;

/// The largest event that is read, in bytes.
pub const MAX_BYTES: usize = 16 << 20;

/// One executable as a hook.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// What it answers to an event.
    pub answer: fn(&Event, &Context) -> Answer,
    /// Its name and usage.
    pub cli: &'static Cli,
    /// The world outside this process.
    pub edges: Edges,
    /// Whether it leaves at once inside a model that this project itself asked (`AH_JUDGE=1`).
    pub heeds_judge: bool,
    /// What it answers, from the input's text alone, when it has just shown a bug. Must not panic.
    pub panicked: fn(&str) -> Answer,
    /// What it answers to an input that is no event.
    pub unreadable: fn(&[u8]) -> Answer,
}

/// What the face needs of the world outside; parameters, so that tests need change neither process nor home.
#[derive(Clone, Copy, Debug)]
pub struct Edges {
    /// Looks up an environment variable.
    pub env: Env,
    /// Appends a line to the failure log: program, what failed.
    pub failure: fn(&str, &str),
    /// Whether a person has switched this program off.
    pub off: fn(&str) -> bool,
}

impl Edges {
    /// This process's environment and this person's places.
    pub const SYSTEM: Self = Self {
        env: |name| std::env::var_os(name),
        failure: |program, what| {
            if let Some(paths) = Paths::from_env() {
                log::failure(paths, program, what);
            }
        },
        off: |program| Paths::from_env().is_some_and(|paths| off::is_off(paths, program)),
    };
}

/// Runs `program` as a hook: one event in, at most one answer out. With `--jsonl` it is a filter over many.
///
/// The code is 0 whatever happens, because others block or break the session that is served; only a person's call
/// (a terminal, `--jsonl`) gets others.
pub fn run(program: &'static Program, options: &Options) -> ExitCode {
    if io::stdin().is_terminal() {
        return program.cli.usage_error("no command, and standard input is a terminal");
    }
    last_words::prepare(program, options);
    if options.jsonl {
        return stream::run(program, options);
    }
    if silenced(program) {
        return ExitCode::SUCCESS;
    }
    let mut bytes = Vec::with_capacity(8 << 10);
    match io::stdin().lock().take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes) {
        Ok(_) => {
            let bytes = last_words::keep(bytes);
            respond(program, options, bytes, &mut |reply| reply.is_empty() || put(&format!("{reply}\n")));
        }
        Err(error) => (program.edges.failure)(program.cli.name, &format!("cannot read the event: {error}")),
    }
    ExitCode::SUCCESS
}

/// What [`run`] would print for this input.
#[must_use]
pub fn answer_bytes(program: &Program, bytes: &[u8], options: &Options) -> Vec<u8> {
    let mut printed = Vec::new();
    if !silenced(program) {
        respond(program, options, bytes, &mut |reply| {
            printed.extend_from_slice(reply.as_bytes());
            true
        });
    }
    printed
}

/// Whether a person, or the model call that this process runs in, wants no hook now.
fn silenced(program: &Program) -> bool {
    let set = |name| (program.edges.env)(name).is_some_and(|value| value == "1");
    set("AH_OFF") || program.heeds_judge && set("AH_JUDGE") || (program.edges.off)(program.cli.name)
}

/// Answers one input. `put` prints a reply, which is empty for silence, and says whether that worked.
fn respond(program: &Program, options: &Options, bytes: &[u8], put: &mut dyn FnMut(&str) -> bool) -> Answer {
    let explain = if options.explain { Explain::ON } else { Explain::OFF };
    let probing = options.jsonl && !options.record;
    let fail = |what: &str| {
        explain.say(|| what.to_owned());
        if !probing {
            (program.edges.failure)(program.cli.name, what);
        }
    };
    if bytes.trim_ascii().is_empty() {
        put("");
        return Answer::Silence;
    }
    if bytes.len() > MAX_BYTES {
        fail(&format!("event not read: longer than {MAX_BYTES} bytes"));
        put("");
        return Answer::Silence;
    }
    let named = options.harness.as_deref().and_then(Harness::named);
    if let (None, Some(name)) = (named, &options.harness) {
        fail(&format!("unknown harness: {}", quote::line(name, 40)));
    }
    let env = program.edges.env;
    let (harness, mut event) = match harness::read(bytes, named, options.event.as_deref(), env) {
        Ok(read) => read,
        Err(why) => {
            fail(&format!("event not read: {why}"));
            let answer = (program.unreadable)(bytes);
            let event = Event { moment: guessed_moment(bytes, options), ..Event::default() };
            put(&named.unwrap_or_else(|| Harness::around(env)).render(&answer, &event).stdout);
            return answer;
        }
    };
    event.probe |= probing;
    last_words::heard(harness, event.moment);
    explain.say(|| format!("{} event from {}", quote::line(&event.event_name, 40), harness.title));
    let can_ask = harness.can_ask(&event, env);
    let context = Context::new(harness, can_ask, explain, event.probe, bytes);
    let answer = (program.answer)(&event, &context);
    let mut reply = harness.render(&answer, &event);
    if let Some(line) = context.passed_on() {
        reply.stdout = line;
    }
    let fate = match put(&reply.stdout) {
        _ if reply.undelivered => Fate::Undelivered,
        true => Fate::Printed,
        false => Fate::Unprinted,
    };
    explain.say(|| match reply.stdout.is_empty() {
        true => format!("printed nothing ({fate:?})"),
        false => format!("printed {} ({fate:?})", quote::line(&reply.stdout, 2_000)),
    });
    context.tell(fate);
    answer
}

/// The moment of an input that could not be read: what the command line says, else what follows the key.
fn guessed_moment(bytes: &[u8], options: &Options) -> Moment {
    const KEY: &[u8] = b"\"hook_event_name\"";
    let sent = || {
        let at = bytes.windows(KEY.len()).position(|window| window == KEY)?;
        let value = bytes[at + KEY.len()..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let end = value.iter().skip(1).position(|byte| *byte == b'"')? + 2;
        let raw = serde_json::from_slice(&value[..end]).ok()?;
        Some(Moment::named(&text(raw)?))
    };
    sent().or_else(|| options.event.as_deref().map(Moment::named)).unwrap_or_default()
}

/// Prints in one write where the system allows it; a reader that went away is no matter.
fn put(text: &str) -> bool {
    last_words::spoken();
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
}
