//! One call from the first look at the settings to the last line in the meter.

use super::anthropic::Messages;
use super::budget::{self, Budget};
use super::call::{Call, Heard};
use super::chat::Chat;
use super::key::Key;
use super::ollama::{self, Ollama};
use super::reason::{Code, Reason};
use super::server::{self, Api};
use super::shape::{Rung, Shape};
use super::usage::Usage;
use super::{claude, codex, program};
use crate::settings::{Judge, Model};
use ah::clock::{Deadline, now_ms, utc};
use ah::log;
use ah::meter::{Failure, Meter};
use ah::paths::Paths;
use std::time::Instant;

/// One call.
pub struct Sending<'a> {
    call: &'a Call,
    deadline: Deadline,
    meter: Option<Meter>,
    paths: Option<&'a Paths>,
    settings: &'a Judge,
}

impl<'a> Sending<'a> {
    /// Nothing is sent yet.
    pub fn new(settings: &'a Judge, call: &'a Call, deadline: Deadline, paths: Option<&'a Paths>) -> Self {
        Self { call, deadline, meter: paths.map(Meter::of), paths, settings }
    }

    /// Asks, has the answer read, and notes what became of it.
    pub fn run<T>(&self, read: impl FnOnce(&str) -> Result<T, Reason>) -> (Result<T, Reason>, Usage) {
        let begun = Instant::now();
        let mut usage = Usage::of(self.settings);
        let done = self.ask(&mut usage).and_then(|(text, key)| {
            let found = read(&text);
            self.note(&key, found.as_ref().err());
            if found.as_ref().is_err_and(|reason| reason.code == Code::NoJson) {
                self.unheld();
            }
            found
        });
        usage.ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        if let Err(reason) = &done
            && reason.code != Code::Off
        {
            self.log(&format!("not graded: {}: {}: {}", self.settings.model.text(), reason.code.text(), reason.text));
        }
        (done, usage)
    }

    /// What the model said, and its name in the meter.
    fn ask(&self, usage: &mut Usage) -> Result<(String, String), Reason> {
        let settings = self.settings;
        if !settings.problems.is_empty() {
            return Err(Reason::new(Code::Config, settings.problems.join("; ")));
        }
        let key = match settings.model {
            Model::Off | Model::Words => return Err(Reason::new(Code::Off, "no model is asked".to_owned())),
            Model::Anthropic(_) | Model::Chat(_) => Key::of(settings, &|name| std::env::var(name).ok())?,
            _ => Key::None,
        };
        let name = name(settings, &key);
        if let Some(broken) = self.meter.as_ref().and_then(|meter| meter.broken(&name, now_ms())) {
            let text = format!("left alone until {}, since it failed: {}", utc(broken.until), broken.why);
            return Err(Reason::new(Code::Breaker, text));
        }
        let budget = self.meter.as_ref().map(|meter| Budget::take(settings, self.call, meter)).transpose()?;
        budget.as_ref().and_then(Budget::trouble).inspect(|trouble| self.log(trouble));
        let place = place(settings);
        let known = self.meter.as_ref().and_then(|meter| meter.learned(&place, now_ms())).unwrap_or_default();
        let mut shape = Shape::read(&known);
        let heard = self.send(&key, budget.as_ref().and_then(|budget| budget.most), &mut shape);
        // Nobody reads what did not arrive, and what arrived may have been read whatever came back.
        let unsent = heard.said.as_ref().err().is_some_and(|reason| {
            matches!(
                reason.code,
                Code::Absent | Code::Auth | Code::Config | Code::Network | Code::NoModel | Code::Quota | Code::Status | Code::Tls
            )
        });
        usage.add(settings, heard.tokens, heard.money.as_ref(), budget::cost);
        if let Some(budget) = &budget {
            budget.settle(settings, heard.tokens, heard.money.as_ref(), !unsent);
        }
        if shape.text() != known
            && heard.said.is_ok()
            && shape != Shape::default()
            && let Some(meter) = &self.meter
        {
            let _ = meter.learn(&place, now_ms(), &shape.text());
        }
        match heard.said {
            Ok(text) => Ok((text, name)),
            Err(reason) => {
                let reason = reason.without(key.secret());
                self.note(&name, Some(&reason));
                Err(reason)
            }
        }
    }

    fn send(&self, key: &Key, most: Option<f64>, shape: &mut Shape) -> Heard {
        let Self { call, deadline, settings, .. } = *self;
        match &settings.model {
            Model::Claude(model) => claude::ask(call, model, settings, most, shape, deadline),
            Model::Codex(model) => codex::ask(call, model, settings, deadline),
            Model::Command => program::ask(call, settings, deadline),
            _ => match api(settings, call, key) {
                Some(api) => server::ask(&*api, settings, shape, deadline),
                None => Reason::new(Code::Off, "no model is asked".to_owned()).into(),
            },
        }
    }

    /// A server that took the schema and did not keep to it gets it in the prompt from now on.
    fn unheld(&self) {
        let Some(meter) = &self.meter else { return };
        let place = place(self.settings);
        let mut shape = Shape::read(&meter.learned(&place, now_ms()).unwrap_or_default());
        if shape.rung == Rung::Schema {
            shape.rung = Rung::Json;
            let _ = meter.learn(&place, now_ms(), &shape.text());
        }
    }

    /// Has the breaker know.
    fn note(&self, name: &str, reason: Option<&Reason>) {
        let Some(meter) = &self.meter else { return };
        let noted = match reason {
            None => meter.worked(name).map(|()| None),
            Some(reason) if reason.code.counts() => {
                let why = format!("{}: {}", reason.code.text(), reason.text);
                meter.failed(name, now_ms(), &Failure { pause_ms: reason.pause_ms, why })
            }
            Some(_) => Ok(None),
        };
        if let Ok(Some(until)) = noted {
            self.log(&format!("{} is left alone until {}", self.settings.model.text(), utc(until)));
        }
    }

    fn log(&self, what: &str) {
        if let Some(paths) = self.paths {
            log::failure(paths, "ah-judge", what);
        }
    }
}

/// The interface of a server; `None` for what is none.
pub fn api<'a>(settings: &'a Judge, call: &'a Call, key: &'a Key) -> Option<Box<dyn Api + 'a>> {
    Some(match &settings.model {
        Model::Anthropic(model) => Box::new(Messages { call, key, model, settings }),
        Model::Chat(model) if settings.base_url.as_deref().is_some_and(ollama::is_at) => {
            Box::new(Ollama { call, key, model, settings })
        }
        Model::Chat(model) => Box::new(Chat { call, key, model, settings }),
        _ => return None,
    })
}

/// How the meter calls a model at an address, whoever asks there.
pub fn place(settings: &Judge) -> String {
    format!("{}.{}", settings.model.text(), digest(settings.base_url.as_deref().unwrap_or_default()))
}

/// How the meter calls a model: another address or another key is another one, so that whoever mends either need not wait.
fn name(settings: &Judge, key: &Key) -> String {
    let place = settings.base_url.as_deref().unwrap_or_default();
    let told = format!("{place}\0{}\0{}", key.secret(), settings.command.join("\0"));
    format!("{}.{}", settings.model.text(), digest(&told))
}

fn digest(text: &str) -> String {
    ah::session::hash_bytes(text.as_bytes()).chars().take(8).collect()
}
