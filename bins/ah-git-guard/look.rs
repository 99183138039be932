//! The two looks at a line: the walker's machine is either of them. (One type, so that the walker is compiled once.)

use crate::machine::Guard;
use crate::script;
use crate::survey::Survey;
use crate::verdict::Finding;
use crate::world::World;
use ah::shell::{Command, End, Known, Machine, Step};
use std::path::Path;

/// Who looks.
pub enum Look<'l, 'j, 'a> {
    /// The first look, at the words alone.
    First(Survey<'l>),
    /// The second look, with the repository.
    Second(Guard<'j, 'a>),
}

impl Machine for Look<'_, '_, '_> {
    type State = World;

    fn run(&mut self, command: &Command, world: World) -> Step<World> {
        match self {
            Self::First(survey) => {
                survey.run(command);
                Step::Done(vec![End { state: world, ok: None, output: None }])
            }
            Self::Second(guard) => guard.run(command, world),
        }
    }

    fn file(&mut self, path: &str, _: &World) -> Known {
        script::read(path)
    }

    /// A directory that is not there may be made by something that is not read.
    fn is_dir(&mut self, path: &str, world: &World) -> Option<bool> {
        let path = Path::new(path);
        let made = world.created.iter().any(|c| c.starts_with(path) || path.starts_with(c));
        let there = || path.is_dir() && !path.ancestors().any(|p| world.removed.contains(p));
        (made || there()).then_some(true)
    }

    fn same(&self, one: &World, other: &World) -> bool {
        one == other
    }

    fn merge(&mut self, worlds: Vec<World>) -> World {
        // Findings of all, content of the one that holds the least.
        let findings: Vec<Finding> = worlds.iter().flat_map(|w| w.findings.clone()).collect();
        let mut worst = worlds.into_iter().max_by_key(|w| w.badness()).unwrap_or_default();
        worst.findings = findings;
        worst
    }
}
