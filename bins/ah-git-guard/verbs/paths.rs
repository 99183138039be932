//! rm, mv: paths that git itself removes or renames.

use crate::call::{Call, Judged, done, fails, succeeds};
use crate::hits::absolute;
use crate::judge::Judge;
use crate::treasure::{Holder, Kind, Treasure};
use crate::world::World;
use ah::shell::Word;

/// `git rm`.
pub fn rm(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("dry-run") {
        return done(world);
    }
    // Git removes no directory unless it is told to; a submodule is none.
    let top = &judge.sites[call.site].root;
    let directory = |word: &Word| {
        let path = word.literal().map(|text| absolute(&call.cwd, text));
        path.is_some_and(|path| judge.is_dir(&world, &path) && (path == *top || !path.join(".git").exists()))
    };
    if !o.has("r") && o.operands.iter().any(directory) {
        return fails(world);
    }
    let before = world.clone();
    let hits = judge.hits(&mut world, call, &o.operands)?;
    let tracked = |t: &Treasure| matches!(t.kind, Kind::Edit | Kind::Staged | Kind::Resolution);
    // Without -f git refuses a file whose content is neither in HEAD nor, alone, in the file.
    let dirty = world
        .treasures
        .iter()
        .any(|t| tracked(t) && t.holders.iter().any(|h| matches!(h, Holder::Tree(p) | Holder::Index(p) if hits.contains(p))));
    if dirty && !o.has("force") {
        if o.has("cached") {
            let index_only =
                world.treasures.iter().any(|t| t.in_index() && t.tree().is_none() && hits.contains(&t.path) && t.path.exists());
            if index_only {
                return fails(before);
            }
        } else {
            return fails(before);
        }
    }
    if !o.has("cached") && !judge.remove_submodules(&mut world, call, &hits)? && !o.has("force") {
        return fails(before);
    }
    world.drop_index(|p| hits.contains(p));
    if !o.has("cached") {
        world.drop_tracked(|t, p| tracked(t) && hits.contains(p));
        if hits.contains(&judge.sites[call.site].root.join(".gitignore")) {
            world.removed.insert(judge.sites[call.site].root.join(".gitignore"));
        }
    }
    succeeds(world)
}

/// `git mv`.
pub fn mv(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    let Some((to, from)) = o.operands.split_last().filter(|_| !o.has("dry-run")) else { return done(world) };
    let Some(to) = to.literal() else { return done(world) };
    let to = absolute(&call.cwd, to);
    for word in from {
        let Some(name) = word.literal() else { continue };
        let from = absolute(&call.cwd, name);
        let target = if judge.is_dir(&world, &to) { to.join(from.file_name().unwrap_or_default()) } else { to.clone() };
        judge.load_path(&mut world, &from)?;
        judge.load_path(&mut world, &target)?;
        if judge.exists(&world, &target) && !o.has("force") {
            return fails(world);
        }
        world.drop_tree(|_, p| p == target);
        world.drop_index(|p| p == target);
        world.move_tree(&from, &target);
        judge.move_index(&mut world, &from, &target);
        world.removed.insert(from);
        world.created.insert(target);
    }
    succeeds(world)
}
