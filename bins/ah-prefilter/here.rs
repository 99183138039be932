//! The repository around the current directory, and its newest session.

use ah::cli::{Call, Cli};
use ah::config::Config;
use ah::event::Event;
use ah::exit;
use ah::gate::Settings;
use ah::paths::Paths;
use ah::route::{Repo, route};
use ah::session::{Home, newest};
use ah::store::Store;
use std::cell::RefCell;
use std::process::ExitCode;

/// The environment's places.
pub fn paths(cli: &Cli) -> Result<&'static Paths, ExitCode> {
    Paths::from_env().ok_or_else(|| exit::fail(cli.name, exit::UNAVAILABLE, "HOME is not set"))
}

/// How the gate is set here; nothing is learned from a turn that a person asks about.
pub fn settings(config: &Config) -> Settings {
    Settings { learns: false, ..Settings::of(config, &|name| std::env::var_os(name)) }
}

/// The settings here, and the lessons where the directory belongs to somebody.
pub fn store(cli: &Cli) -> Result<(Config, Option<Store>), ExitCode> {
    let paths = paths(cli)?;
    let cwd = std::env::current_dir().unwrap_or_default();
    let root = Repo::around(&cwd).map(|repo| repo.root);
    let (config, _) = Config::load(paths, root.as_deref());
    let scope = root.and_then(|_| route(&config, &cwd).scope());
    Ok((config, scope.map(|scope| Store::of(paths, &scope))))
}

/// The session that `--session` names, or the newest one.
pub fn session(cli: &Cli, call: &Call) -> Result<Home<'static>, ExitCode> {
    let paths = paths(cli)?;
    let cwd = std::env::current_dir().unwrap_or_default();
    let named = call.value("session").map(|id| id.to_string_lossy().into_owned());
    let why = RefCell::new("no session of here is recorded".to_owned());
    let open = |id: String| {
        let event = Event { session_id: id.into(), cwd: cwd.to_string_lossy(), ..Event::default() };
        Home::of(paths, &event, &|text| *why.borrow_mut() = text.to_owned()).ok().flatten()
    };
    let id = named.or_else(|| newest(paths, &open("-".to_owned())?.scope.store));
    let home = id.and_then(open).filter(|home| home.session.file().exists());
    home.ok_or_else(|| exit::fail(cli.name, exit::NO_INPUT, &format!("nothing to ask about: {}", why.borrow())))
}
