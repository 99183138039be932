//! worktree: a linked tree is removed with what only it holds.

use crate::call::{Call, Judged, done, fails, succeeds};
use crate::hits::absolute;
use crate::judge::Judge;
use crate::world::{Tip, World};
use std::path::PathBuf;

/// `git worktree`.
pub fn worktree(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    match call.operand(0) {
        Some("add") => add(judge, world, call),
        Some("remove") => {
            let Some(word) = o.operands.get(1) else { return fails(world) };
            let trees: Vec<PathBuf> = match word.literal() {
                Some(name) => vec![judge.linked_tree(call, name).unwrap_or_else(|| absolute(&call.cwd, name))],
                None => judge.sites[call.site].linked_trees(),
            };
            for tree in trees {
                if judge.locked(call, &tree) && o.count("force") < 2 {
                    return fails(world);
                }
                let before = world.clone();
                // Without --force git refuses a tree with changes or untracked files; a locked one wants it twice.
                let force = o.count("force");
                let lost = judge.remove_tree(&mut world, call, &tree)?;
                if lost && force == 0 {
                    return fails(before);
                }
                judge.leave_tree(&mut world, call, &tree)?;
                world.removed.insert(tree);
            }
            succeeds(world)
        }
        // A tree whose folder is gone: its HEAD may be the last name of commits.
        Some("prune") if !o.has("dry-run") => {
            for tree in judge.sites[call.site].linked_trees() {
                if !judge.exists(&world, &tree) {
                    judge.leave_tree(&mut world, call, &tree)?;
                }
            }
            done(world)
        }
        _ => done(world),
    }
}

/// A new tree; its branch counts as a name from here on.
fn add(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    let Some(path) = call.operand(1).map(|p| absolute(&call.cwd, p)) else { return done(world) };
    let start = match o.operands.get(2) {
        Some(word) => judge.rev(&mut world, call, word.text())?.unwrap_or(Tip::Unknown),
        None => judge.refs(&mut world, call.site)?.head_tip().unwrap_or(Tip::Unknown),
    };
    let name = o.value("b").or_else(|| o.value("B")).map(|w| format!("refs/heads/{}", w.text()));
    let implied = (o.operands.len() < 3 && !o.has("detach"))
        .then(|| format!("refs/heads/{}", path.file_name().unwrap_or_default().to_string_lossy()));
    if let Some(name) = name.or(implied) {
        let forced = o.value("B").is_some();
        let refs = judge.refs(&mut world, call.site)?;
        let old = refs.names.get(&name).cloned();
        if old.is_none() || forced {
            refs.names.insert(name, start.clone());
        }
        if let Some(old) = old.filter(|old| forced && *old != start) {
            judge.left(&mut world, call, old, None, "branch.move", true)?;
        }
    }
    world.created.insert(path);
    succeeds(world)
}
