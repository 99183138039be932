//! The table of checks.

use crate::finding::Finding;
use crate::ground::Ground;

mod agents;
mod breaker;
mod config;
mod failures;
mod lessons;
mod locks;
mod mesh;
mod programs;
mod queue;
mod sessions;
mod snapshots;
mod state;
mod switches;

/// One check.
pub struct Check {
    /// Its name on the command line.
    pub name: &'static str,
    /// Looks, and writes nothing.
    pub run: fn(&Ground) -> Vec<Finding>,
}

/// In the order in which a person would look: what runs, what calls it, what it is told, what it keeps.
pub const CHECKS: &[Check] = &[
    Check { name: "programs", run: programs::look },
    Check { name: "agents", run: agents::look },
    Check { name: "switches", run: switches::look },
    Check { name: "config", run: config::look },
    Check { name: "state", run: state::look },
    Check { name: "sessions", run: sessions::look },
    Check { name: "lessons", run: lessons::look },
    Check { name: "queue", run: queue::look },
    Check { name: "mesh", run: mesh::look },
    Check { name: "locks", run: locks::look },
    Check { name: "snapshots", run: snapshots::look },
    Check { name: "breaker", run: breaker::look },
    Check { name: "failures", run: failures::look },
];
