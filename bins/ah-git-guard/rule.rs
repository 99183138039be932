//! The catalogue of rules: one table for `rules`, the policy's keys, the messages and the manual.

use serde::Serialize;

/// One rule.
#[derive(Debug, Serialize)]
pub struct Rule {
    /// Stable id: `what.how`.
    pub id: &'static str,
    /// What it protects is on this machine, so that a snapshot can hold it.
    pub local: bool,
    /// What it protects.
    pub protects: &'static str,
    /// A command that loses something where there is something to lose.
    pub lost: &'static str,
    /// A like command that does not.
    pub harmless: &'static str,
    /// The same job with nothing lost; empty where there is none.
    pub safer: &'static str,
}

/// Every rule, by id.
pub const RULES: &[Rule] = &[
    Rule {
        id: "ah.disarm",
        local: false,
        protects: "ah's own settings and its entries in a harness's settings",
        lost: "ah-doctor off guard",
        harmless: "ah-git-guard policy",
        safer: "ask the person to do it in their own terminal",
    },
    Rule {
        id: "branch.delete",
        local: true,
        protects: "commits that only a branch names",
        lost: "git branch -D wip",
        harmless: "git branch -d merged",
        safer: "git branch -d (refuses what is not merged), or push the branch first",
    },
    Rule {
        id: "branch.move",
        local: true,
        protects: "commits of a branch that is written over",
        lost: "git branch -f wip main",
        harmless: "git branch keep wip",
        safer: "git branch keep BRANCH first",
    },
    Rule {
        id: "commit.drop",
        local: true,
        protects: "unpushed commits",
        lost: "git reset --hard HEAD~2",
        harmless: "git reset --soft HEAD~1",
        safer: "git branch keep first, then the same command",
    },
    Rule {
        id: "config.disarm",
        local: false,
        protects: "settings that keep what later commands would lose",
        lost: "git config gc.pruneExpire now",
        harmless: "git config user.name",
        safer: "",
    },
    Rule {
        id: "file.move",
        local: true,
        protects: "content that a moved file takes the place of",
        lost: "mv new.txt notes.txt",
        harmless: "mv notes.txt docs/",
        safer: "mv -n, or commit the target first",
    },
    Rule {
        id: "file.remove",
        local: true,
        protects: "files whose content is in no commit",
        lost: "rm notes.txt",
        harmless: "rm -rf build",
        safer: "git add FILE && git commit first, or mv it aside",
    },
    Rule {
        id: "file.replace",
        local: true,
        protects: "content written over",
        lost: "echo x > notes.txt",
        harmless: "echo x >> notes.txt",
        safer: "write to a new name, or append with >>",
    },
    Rule {
        id: "history.amend",
        local: true,
        protects: "the commit that is amended",
        lost: "git commit --amend",
        harmless: "git commit",
        safer: "git commit --fixup HEAD",
    },
    Rule {
        id: "history.rebase",
        local: true,
        protects: "commits that are rewritten",
        lost: "git rebase main",
        harmless: "git merge main",
        safer: "git branch keep first",
    },
    Rule {
        id: "history.rewrite",
        local: true,
        protects: "whole histories",
        lost: "git filter-repo --path src --force",
        harmless: "git log --follow src",
        safer: "work in a fresh clone",
    },
    Rule {
        id: "hooks.disarm",
        local: false,
        protects: "hooks that would have run",
        lost: "chmod -x .git/hooks/pre-commit",
        harmless: "ls .git/hooks",
        safer: "mend what the hook reports",
    },
    Rule {
        id: "hooks.install",
        local: false,
        protects: "which hooks run",
        lost: "git config core.hooksPath .githooks",
        harmless: "git config core.hooksPath",
        safer: "",
    },
    Rule {
        id: "hooks.skip",
        local: false,
        protects: "hooks that would have run",
        lost: "git commit --no-verify",
        harmless: "git commit",
        safer: "mend what the hook reports, then commit without the option",
    },
    Rule {
        id: "line.elsewhere",
        local: false,
        protects: "work where nothing can be looked at first",
        lost: "ssh host 'cd app && git reset --hard'",
        harmless: "ssh host 'cd app && git status'",
        safer: "look first: git status there",
    },
    Rule {
        id: "line.unread",
        local: false,
        protects: "work, from commands that cannot be read",
        lost: "git $VERB",
        harmless: "git status",
        safer: "write the command out plainly, without variables",
    },
    Rule {
        id: "merge.abort",
        local: true,
        protects: "conflicts resolved by hand",
        lost: "git merge --abort",
        harmless: "git merge --continue",
        safer: "git stash push -u, or git add and commit the resolution on a branch",
    },
    Rule {
        id: "object.prune",
        local: false,
        protects: "objects that rescue earlier mistakes",
        lost: "git gc --prune=now",
        harmless: "git gc",
        safer: "git gc (keeps two weeks)",
    },
    Rule {
        id: "push.delete",
        local: false,
        protects: "published branches and tags",
        lost: "git push origin --delete topic",
        harmless: "git push origin topic",
        safer: "",
    },
    Rule {
        id: "push.force",
        local: false,
        protects: "other people's commits on a remote",
        lost: "git push --force origin main",
        harmless: "git push origin main",
        safer: "git push --force-with-lease --force-if-includes to a branch of your own, or git pull --rebase and a plain push",
    },
    Rule {
        id: "push.mirror",
        local: false,
        protects: "everything a remote has",
        lost: "git push --mirror",
        harmless: "git push --all",
        safer: "git push --all --follow-tags",
    },
    Rule {
        id: "ref.write",
        local: true,
        protects: "refs written by plumbing",
        lost: "git update-ref -d refs/heads/wip",
        harmless: "git show-ref",
        safer: "git branch, git tag",
    },
    Rule {
        id: "reflog.expire",
        local: true,
        protects: "commits that only a reflog names",
        lost: "git reflog expire --expire=now --all",
        harmless: "git reflog",
        safer: "leave them: git forgets them by itself after 30 days",
    },
    Rule {
        id: "remote.api",
        local: false,
        protects: "shared refs, over a forge's API",
        lost: "gh api -X DELETE repos/o/r/git/refs/heads/x",
        harmless: "gh pr view",
        safer: "",
    },
    Rule {
        id: "remote.prune",
        local: true,
        protects: "the last name of a colleague's commits",
        lost: "git fetch --prune",
        harmless: "git fetch",
        safer: "git branch keep REMOTE/BRANCH first",
    },
    Rule {
        id: "remote.url",
        local: false,
        protects: "where pushes go",
        lost: "git remote set-url origin URL",
        harmless: "git remote -v",
        safer: "git remote add NAME URL",
    },
    Rule {
        id: "repo.remove",
        local: true,
        protects: "whole repositories",
        lost: "rm -rf .git",
        harmless: "rm -rf build",
        safer: "mv it aside",
    },
    Rule {
        id: "repo.write",
        local: false,
        protects: "the inside of a git directory",
        lost: "echo x > .git/refs/heads/main",
        harmless: "cat .git/config",
        safer: "the git command for it",
    },
    Rule {
        id: "secret.remove",
        local: true,
        protects: "ignored secrets that exist nowhere else",
        lost: "git clean -fdx",
        harmless: "git clean -fd",
        safer: "git clean -fdx -e '.env*'",
    },
    Rule {
        id: "stash.drop",
        local: true,
        protects: "stash entries",
        lost: "git stash drop",
        harmless: "git stash list",
        safer: "git stash branch NAME",
    },
    Rule {
        id: "stash.foreign",
        local: true,
        protects: "stash entries of another work tree",
        lost: "git stash pop",
        harmless: "git stash show -p",
        safer: "git stash list, then the entry by its name",
    },
    Rule {
        id: "submodule.update",
        local: true,
        protects: "edits inside of submodules",
        lost: "git submodule update --force",
        harmless: "git submodule update",
        safer: "git -C SUBMODULE stash push -u",
    },
    Rule {
        id: "tag.delete",
        local: true,
        protects: "commits that only a tag names",
        lost: "git tag -d keep",
        harmless: "git tag -l",
        safer: "git branch keep TAG first",
    },
    Rule {
        id: "tree.clean",
        local: true,
        protects: "untracked files",
        lost: "git clean -fd",
        harmless: "git clean -n",
        safer: "git stash push -u",
    },
    Rule {
        id: "tree.discard",
        local: true,
        protects: "unsaved and staged changes",
        lost: "git reset --hard",
        harmless: "git stash",
        safer: "git stash push -u",
    },
    Rule {
        id: "tree.overwrite",
        local: true,
        protects: "ignored files that a branch takes the place of",
        lost: "git checkout other",
        harmless: "git checkout --no-overwrite-ignore other",
        safer: "git checkout --no-overwrite-ignore",
    },
    Rule {
        id: "tree.remove",
        local: true,
        protects: "changes of files that git removes",
        lost: "git rm -f a.txt",
        harmless: "git rm a.txt",
        safer: "git rm --cached, or commit first",
    },
    Rule {
        id: "worktree.remove",
        local: true,
        protects: "what only a linked tree holds",
        lost: "git worktree remove --force ../wt",
        harmless: "git worktree remove ../wt",
        safer: "git worktree remove without --force",
    },
];

/// The rule of an id.
pub fn of(id: &str) -> Option<&'static Rule> {
    RULES.binary_search_by_key(&id, |r| r.id).ok().map(|i| &RULES[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(RULES.windows(2).all(|w| w[0].id < w[1].id));
    }
}
