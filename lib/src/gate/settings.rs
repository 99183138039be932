//! How the gate is set: by the environment, by the settings, by what the store's own turns were.

use super::calibration::Calibration;
use crate::config::Config;
use serde::Serialize;
use std::ffi::OsString;

/// The threshold that is shipped: no store's own falls below it. It skips seven of ten turns without a lesson among those
/// of `gate/turns.jsonl`; what a store's own turns say goes on from there.
pub const SHIPPED: f64 = 6.5;

/// The share of turns that are to be skipped, where nobody says another.
const SKIP: f64 = 0.78;

/// What opens the gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gate {
    /// Every turn that changed something (`AH_STOP_GATE=edits`).
    Edits,
    /// Every turn (`AH_PREFILTER=off`).
    Off,
    /// A measure at or above the threshold.
    #[default]
    Score,
}

/// Where a threshold is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The store's own turns.
    Calibrated,
    /// The settings.
    Config,
    /// The environment.
    Environment,
    /// The program.
    Shipped,
}

/// What a measure is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Threshold {
    /// Where it is from.
    pub source: Source,
    /// The number.
    pub value: f64,
}

/// How the gate is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// A threshold that somebody wrote, and where.
    pub fixed: Option<Threshold>,
    /// What opens it.
    pub gate: Gate,
    /// Whether turns are learned from.
    pub learns: bool,
    /// The share of turns that are to be skipped.
    pub skip: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { fixed: None, gate: Gate::Score, learns: true, skip: SKIP }
    }
}

impl Settings {
    /// By the settings, and by the environment over them: `look` answers a variable's value. A value that cannot be read
    /// is as good as none.
    #[must_use]
    pub fn of(config: &Config, look: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let mut settings = Self::default();
        let judge = config.judge().unwrap_or_default();
        let gate = &judge["gate"];
        if let Some(value) = gate["threshold"].as_f64() {
            settings.fixed = Some(Threshold { source: Source::Config, value });
        }
        if let Some(skip) = gate["skip"].as_f64().filter(|skip| (0.0..1.0).contains(skip)) {
            settings.skip = skip;
        }
        match gate["opens"].as_str() {
            Some("edits") => settings.gate = Gate::Edits,
            Some("always") => settings.gate = Gate::Off,
            _ => {}
        }
        let theirs = config.migrate.as_deref() == Some("borg");
        let variable = |ours: &str, reference: &str| {
            let value = look(ours).or_else(|| theirs.then(|| look(reference)).flatten())?;
            Some(value.to_string_lossy().trim().to_lowercase())
        };
        if let Some(value) = variable("AH_PREFILTER", "BORG_PREFILTER") {
            if value == "off" {
                settings.gate = Gate::Off;
            } else if let Ok(value) = value.parse() {
                settings.fixed = Some(Threshold { source: Source::Environment, value });
            }
        }
        if variable("AH_STOP_GATE", "BORG_STOP_GATE").as_deref() == Some("edits") {
            settings.gate = Gate::Edits;
        }
        settings
    }

    /// The threshold in force: what somebody wrote, else what the store's turns say, never below what is shipped.
    #[must_use]
    pub fn threshold(&self, calibration: &Calibration) -> Threshold {
        self.fixed.unwrap_or_else(|| match calibration.quantile(self.skip) {
            Some(value) if value > SHIPPED => Threshold { source: Source::Calibrated, value },
            _ => Threshold { source: Source::Shipped, value: SHIPPED },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)], migrate: Option<&str>) -> Settings {
        let mut config = Config::default();
        config.migrate = migrate.map(str::to_owned);
        Settings::of(&config, &|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_environment_is_read() {
        assert_eq!(with(&[], None), Settings::default());
        for off in ["off", " OFF "] {
            assert_eq!(with(&[("AH_PREFILTER", off)], None).gate, Gate::Off);
        }
        let fixed = |value: &str| with(&[("AH_PREFILTER", value)], None).threshold(&Calibration::default());
        assert_eq!(fixed("2.5"), Threshold { source: Source::Environment, value: 2.5 });
        assert_eq!(fixed("-1").value, -1.0);
        for unread in ["", "high", "0x3"] {
            assert_eq!(fixed(unread), Threshold { source: Source::Shipped, value: SHIPPED });
        }
        assert_eq!(with(&[("AH_STOP_GATE", "Edits")], None).gate, Gate::Edits);
        assert_eq!(with(&[("BORG_PREFILTER", "off")], None).gate, Gate::Score);
        assert_eq!(with(&[("BORG_PREFILTER", "off")], Some("borg")).gate, Gate::Off);
        assert_eq!(with(&[("BORG_PREFILTER", "off"), ("AH_PREFILTER", "3")], Some("borg")).gate, Gate::Score);
    }

    #[test]
    fn what_is_not_a_number_opens_or_shuts() {
        let fixed = |value: &str| with(&[("AH_PREFILTER", value)], None).threshold(&Calibration::default()).value;
        assert!(1e9 < fixed("inf"));
        assert!(fixed("nan").is_nan());
    }
}
