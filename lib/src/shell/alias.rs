//! Aliases: the line's, the person's, and the common ones of oh-my-zsh.

use super::machine::Start;
use super::state::Shell;

/// Common aliases that can lose something, or lead there. Names that are programs of their own are left out. Sorted.
const COMMON: &[(&str, &str)] = &[
    ("gaa", "git add --all"),
    ("gam", "git am"),
    ("gama", "git am --abort"),
    ("gapa", "git add --patch"),
    ("gbD", "git branch --delete --force"),
    ("gbd", "git branch --delete"),
    ("gbm", "git branch --move"),
    ("gca!", "git commit --verbose --all --amend"),
    ("gcam", "git commit --all --message"),
    ("gcan!", "git commit --verbose --all --no-edit --amend"),
    ("gcb", "git checkout -b"),
    ("gcB", "git checkout -B"),
    ("gclean", "git clean --interactive -d"),
    ("gcmsg", "git commit --message"),
    ("gcn!", "git commit --verbose --no-edit --amend"),
    ("gco", "git checkout"),
    ("gcp", "git cherry-pick"),
    ("gcpa", "git cherry-pick --abort"),
    ("gfa", "git fetch --all --tags --prune"),
    ("ggf", "git push --force origin HEAD"),
    ("ggfl", "git push --force-with-lease origin HEAD"),
    ("gma", "git merge --abort"),
    ("gpf", "git push --force-with-lease --force-if-includes"),
    ("gpf!", "git push --force"),
    ("gpristine", "git reset --hard && git clean --force -dfx"),
    ("gpsup", "git push --set-upstream origin HEAD"),
    ("gpsupf", "git push --set-upstream origin HEAD --force-with-lease --force-if-includes"),
    ("grb", "git rebase"),
    ("grba", "git rebase --abort"),
    ("grbc", "git rebase --continue"),
    ("grbi", "git rebase --interactive"),
    ("grbs", "git rebase --skip"),
    ("grev", "git revert"),
    ("grh", "git reset"),
    ("grhh", "git reset --hard"),
    ("grhk", "git reset --keep"),
    ("grhs", "git reset --soft"),
    ("groh", "git reset origin/$(git branch --show-current) --hard"),
    ("grs", "git restore"),
    ("grss", "git restore --source"),
    ("grst", "git restore --staged"),
    ("gru", "git reset --"),
    ("gsta", "git stash push"),
    ("gstaa", "git stash apply"),
    ("gstall", "git stash --all"),
    ("gstc", "git stash clear"),
    ("gstd", "git stash drop"),
    ("gstp", "git stash pop"),
    ("gstu", "git stash push --include-untracked"),
    ("gsw", "git switch"),
    ("gswc", "git switch --create"),
    ("gunwip", "git rev-list --max-count=1 --format='%s' HEAD | grep -q '\\--wip--' && git reset HEAD~1"),
    (
        "gwip",
        "git add -A; git rm $(git ls-files --deleted) 2>/dev/null; git commit --no-verify --no-gpg-sign --message '--wip-- [skip ci]'",
    ),
    ("gwipe", "git reset --hard && git clean --force -df"),
    ("gwtrm", "git worktree remove"),
];

/// What a name may stand for: texts of aliases, `None` for itself; empty if it is no alias.
pub(super) fn lookup(name: &str, shell: &Shell, start: &Start) -> Vec<Option<String>> {
    if let Some(texts) = shell.aliases.get(name) {
        let mut texts = texts.clone();
        if texts.iter().all(Option::is_none) {
            return Vec::new();
        }
        // In a script aliases hold only where they are switched on.
        if !shell.expand_aliases && !texts.contains(&None) {
            texts.push(None);
        }
        return texts;
    }
    if shell.child {
        return Vec::new();
    }
    if let Some((_, text)) = start.aliases.iter().find(|(known, _)| known == name) {
        return vec![Some(text.clone())];
    }
    if !name.starts_with('g') || shell.functions.contains_key(name) {
        return Vec::new();
    }
    COMMON.iter().find(|(known, _)| *known == name).map_or_else(Vec::new, |(_, text)| vec![Some((*text).to_owned())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (index, (name, _)) in COMMON.iter().enumerate() {
            assert!(COMMON[index + 1..].iter().all(|(other, _)| other != name), "{name}");
        }
    }
}
