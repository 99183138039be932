//! What would be sent, to the letter, with everything secret masked.

use super::call::Call;
use super::child::Program;
use super::http::Post;
use super::key::Key;
use super::send;
use super::shape::Shape;
use super::{Ask, claude, codex, program};
use crate::settings::{Judge, Model};
use ah::clock::now_ms;
use ah::meter::Meter;
use ah::paths::Paths;
use ah::redact::MARK;
use std::fmt::Write as _;

/// Headers whose values are nobody's secret.
const OPEN: &[&str] = &["anthropic-beta", "anthropic-version", "content-type"];

/// The request that `ask` would become, as text.
#[must_use]
pub fn shown(settings: &Judge, ask: &Ask, paths: Option<&Paths>) -> String {
    let call = Call::of(settings, ask);
    if !settings.problems.is_empty() {
        return format!("nothing: {}\n", settings.problems.join("; "));
    }
    // What was learned of the server by trying is part of it; a key is not read to be shown.
    let learned = paths.map(Meter::of).and_then(|meter| meter.learned(&send::place(settings), now_ms()));
    let shape = Shape::read(&learned.unwrap_or_default());
    match &settings.model {
        Model::Off => "nothing: the model is off\n".to_owned(),
        Model::Words => "nothing: words are matched on this machine\n".to_owned(),
        Model::Claude(model) => command(&claude::program(&call, model, settings, None, &shape), &call),
        Model::Codex(model) => command(&codex::program(&call, model, settings), &call),
        Model::Command => command(&program::program(&call, settings), &call),
        Model::Anthropic(_) | Model::Chat(_) => {
            let key = Key::of(settings, &|name| std::env::var(name).ok());
            let masked = match &key {
                Ok(Key::Bearer(_)) => Key::Bearer(MARK.to_owned()),
                Ok(Key::Plain(_)) => Key::Plain(MARK.to_owned()),
                _ => Key::None,
            };
            let note = key.err().map_or_else(String::new, |reason| format!("({})\n", reason.text));
            send::api(settings, &call, &masked).map_or_else(String::new, |api| note + &http(&api.post(&shape)))
        }
    }
}

fn http(post: &Post) -> String {
    let mut text = format!("POST {}\n", ah::redact::redact(&post.url));
    for (name, value) in &post.headers {
        let open = OPEN.contains(&name.as_str()) || value.ends_with(MARK);
        let _ = writeln!(text, "{name}: {}", if open { value } else { MARK });
    }
    format!("{text}\n{}\n", post.body)
}

fn command(program: &Program, call: &Call) -> String {
    let words = std::iter::once(&program.name).chain(&program.args).map(ah::quote::path);
    let mut text = words.collect::<Vec<_>>().join(" ") + "\n";
    for (name, value) in &program.env {
        let _ = writeln!(text, "{name}={}", ah::redact::redact(value));
    }
    if program.args.iter().any(|arg| arg == "--system-prompt-file") {
        let _ = write!(text, "\n--- system.md\n{}", call.system);
    }
    format!("{text}\n--- standard input\n{}", program.input)
}
