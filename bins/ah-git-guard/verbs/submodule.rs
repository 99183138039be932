//! submodule: work inside of a submodule is not in the index of the repository around it.

use crate::call::{Call, Judged, done};
use crate::judge::Judge;
use crate::world::World;

/// `git submodule update|deinit`. (`foreach` runs a command: the machine reads that.)
pub fn submodule(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    let force = o.has("force");
    if call.operand(0) == Some("update") && !["cached", "merge", "rebase"].iter().any(|f| o.has(f)) {
        judge.leave_submodules(&mut world, call)?;
    }
    match call.operand(0) {
        Some("update") if force => judge.discard_submodules(&mut world, call)?,
        Some("deinit") if force => judge.empty_submodules(&mut world, call)?,
        _ => {}
    }
    done(world)
}
