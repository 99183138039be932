//! What an event is judged with: to whom its session belongs, the session's log, the lessons, the settings.

use crate::ledger::Ledger;
use crate::live::Live;
use crate::settings::Judge;
use ah::event::Event;
use ah::gate::Settings;
use ah::paths::Paths;
use ah::route::Scope;
use ah::session::{Home, Session};
use ah::store::Store;

/// Everything that is known before anything is judged.
pub struct Desk {
    /// What opens the gate.
    pub gate: Settings,
    /// How checks run in the background.
    pub live: Live,
    /// ah's own places.
    pub paths: &'static Paths,
    /// To whom the session belongs.
    pub scope: Scope,
    /// Its log.
    pub session: Session,
    /// Its id.
    pub session_id: String,
    /// The judge's settings.
    pub settings: Judge,
    /// The lessons.
    pub store: Store,
}

impl Desk {
    /// `None` where nothing of the session may be recorded, or where it cannot be known to whom it belongs; a reason
    /// for people is then said through `say`.
    pub fn of(event: &Event, say: &dyn Fn(&str)) -> Option<Self> {
        let paths = Paths::from_env()?;
        let home = match Home::of(paths, event, say) {
            Ok(home) => home?,
            Err(error) => {
                ah::log::failure(paths, crate::CLI.name, &format!("cannot read the session: {error}"));
                return None;
            }
        };
        let look = |name: &str| std::env::var_os(name);
        let (gate, live) = (Settings::of(&home.config, &look), Live::of(&home.config, &look));
        let settings = Judge::of(&home.config);
        let store = Store::of(paths, &home.scope);
        let Home { scope, session, .. } = home;
        Some(Self { gate, live, paths, scope, session, session_id: event.session_id.to_string(), settings, store })
    }

    /// What is written down beside the lessons.
    pub fn ledger(&self) -> Ledger {
        Ledger { log: self.store.outcomes_file(), repo: self.scope.name.clone(), session: self.session_id.clone() }
    }
}
