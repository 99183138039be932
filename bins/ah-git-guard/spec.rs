//! The options of the git verbs that the guard judges, as `git VERB -h` of 2.47 lists them.

use crate::options::Spec;

/// Options by verb, sorted; verbs of two words stand for a verb and its subcommand.
const SPECS: &[(&str, Spec)] = &[
    (
        "add",
        "n:dry-run v:verbose i:interactive p:patch e:edit f:force u:update :renormalize N:intent-to-add A:all :ignore-removal :refresh :ignore-errors :ignore-missing :sparse :chmod= :pathspec-from-file= :pathspec-file-nul",
    ),
    (
        "am",
        "i:interactive n:!verify :verify 3:3way q:quiet s:signoff u:utf8 k:keep :keep-non-patch m:message-id :keep-cr c:scissors :quoted-cr= :whitespace= :ignore-space-change :ignore-whitespace :directory= :exclude= :include= C:= p:= :patch-format= :reject :resolvemsg= :continue r:resolved :skip :abort :quit :show-current-patch? :retry :allow-empty :committer-date-is-author-date :ignore-date :rerere-autoupdate S:gpg-sign? :empty=",
    ),
    (
        "apply",
        ":exclude= :include= p:= :add :stat :numstat :summary :check :index N:intent-to-add :cached :unsafe-paths :apply 3:3way :ours :theirs :union :build-fake-ancestor= z: C:= :whitespace= :ignore-space-change :ignore-whitespace R:reverse :unidiff-zero :reject :allow-overlap v:verbose q:quiet :inaccurate-eof :recount :directory= :allow-empty",
    ),
    (
        "branch",
        "v:verbose q:quiet t:track? u:set-upstream-to= :unset-upstream :color? r:remotes :contains= :abbrev? a:all d:delete D: m:move M: :omit-empty c:copy C: l:list :show-current :create-reflog :edit-description f:force :merged? :column? :sort= :points-at= i:ignore-case :recurse-submodules :format=",
    ),
    (
        "checkout",
        "b:= B:= l: :guess :overlay q:quiet :recurse-submodules? :progress m:merge :conflict= d:detach t:track? f:force :orphan= :overwrite-ignore :ignore-other-worktrees 2:ours 3:theirs p:patch :ignore-skip-worktree-bits :pathspec-from-file= :pathspec-file-nul",
    ),
    (
        "checkout-index",
        "a:all :ignore-skip-worktree-bits f:force q:quiet n:!create :create u:index z: :stdin :temp :prefix= :stage=",
    ),
    (
        "cherry-pick",
        ":quit :continue :abort :skip :cleanup= n:!commit :commit e:edit s:signoff m:mainline= :rerere-autoupdate :strategy= X:strategy-option= S:gpg-sign? x: :ff :allow-empty :allow-empty-message :keep-redundant-commits :empty=",
    ),
    ("clean", "q:quiet n:dry-run f:force i:interactive d: e:exclude= x: X:"),
    (
        "clone",
        "v:verbose q:quiet :progress :reject-shallow n:!checkout :checkout :bare :mirror l:local :hardlinks s:shared :recurse-submodules? :recursive? j:jobs= :template= :reference= :reference-if-able= :dissociate o:origin= b:branch= u:upload-pack= :depth= :shallow-since= :shallow-exclude= :single-branch :tags :shallow-submodules :separate-git-dir= :ref-format= c:config= :server-option= 4:ipv4 6:ipv6 :filter= :also-filter-submodules :remote-submodules :sparse :bundle-uri=",
    ),
    (
        "commit",
        "q:quiet v:verbose F:file= :author= :date= m:message= c:reedit-message= C:reuse-message= :fixup= :squash= :reset-author :trailer= s:signoff t:template= e:edit :cleanup= :status S:gpg-sign? a:all i:include :interactive p:patch o:only n:!verify :verify :dry-run :short :branch :ahead-behind :porcelain :long z:null :amend :post-rewrite u:untracked-files? :pathspec-from-file= :pathspec-file-nul :allow-empty :allow-empty-message",
    ),
    ("commit-tree", "p:= m:= F:= S:gpg-sign?"),
    (
        "config",
        ":global :system :local :worktree f:file= :blob= :get :get-all :get-regexp :get-urlmatch :replace-all :add :unset :unset-all :rename-section :remove-section l:list e:edit :get-color :get-colorbool z:null :name-only :type= :bool :int :bool-or-int :path :expiry-date :show-origin :show-scope :includes :default= :fixed-value :comment= :all :value= :append :regexp :url=",
    ),
    (
        "fetch",
        "v:verbose q:quiet :all :set-upstream a:append :atomic :upload-pack= f:force m:multiple t:tags n: j:jobs= :prefetch p:prune P:prune-tags :recurse-submodules? :dry-run :porcelain :write-fetch-head k:keep u:update-head-ok :progress :depth= :shallow-since= :shallow-exclude= :deepen= :unshallow :refetch :update-shallow :refmap= o:server-option= 4:ipv4 6:ipv6 :negotiation-tip= :negotiate-only :filter= :auto-maintenance :auto-gc :show-forced-updates :write-commit-graph :stdin",
    ),
    (
        "filter-branch",
        "f:force d:= :setup= :subdirectory-filter= :env-filter= :tree-filter= :index-filter= :parent-filter= :msg-filter= :commit-filter= :tag-name-filter= :prune-empty :original= :state-branch=",
    ),
    ("filter-repo", "n:dry-run f:force"),
    ("gc", "q:quiet :prune? :cruft :max-cruft-size= :aggressive :auto :detach :force :keep-largest-pack"),
    (
        "merge",
        "n: :stat :summary :log? :squash :commit e:edit :cleanup= :ff :ff-only :rerere-autoupdate :verify-signatures s:strategy= X:strategy-option= m:message= F:file= :into-name= v:verbose q:quiet :abort :quit :continue :allow-unrelated-histories :progress S:gpg-sign? :autostash :overwrite-ignore :signoff :verify",
    ),
    ("mv", "v:verbose n:dry-run f:force k: :sparse"),
    ("prune", "n:dry-run v:verbose :progress :expire= :exclude-promisor-objects"),
    (
        "pull",
        "v:verbose q:quiet :progress :recurse-submodules? r:rebase? n: :stat :log? :signoff? :squash :commit :edit :cleanup= :ff :ff-only :verify :verify-signatures :autostash s:strategy= X:strategy-option= S:gpg-sign? :allow-unrelated-histories :all a:append :upload-pack= f:force t:tags p:prune j:jobs? :dry-run k:keep :depth= :shallow-since= :shallow-exclude= :deepen= :unshallow :update-shallow :refmap= o:server-option= 4:ipv4 6:ipv6 :negotiation-tip= :show-forced-updates :set-upstream",
    ),
    (
        "push",
        "v:verbose q:quiet :repo= :all :branches :mirror d:delete :tags n:dry-run :porcelain f:force :force-with-lease? :force-if-includes :recurse-submodules= :thin :receive-pack= :exec= u:set-upstream :progress :prune :verify :follow-tags :signed? :atomic o:push-option= 4:ipv4 6:ipv6",
    ),
    (
        "read-tree",
        ":index-output= :empty v:verbose m: :trivial :aggressive :reset :prefix= u: :exclude-per-directory= i: n:dry-run :sparse-checkout :debug-unpack :recurse-submodules? q:quiet",
    ),
    (
        "rebase",
        ":onto= :keep-base :verify q:quiet v:verbose n:!stat :stat :signoff :committer-date-is-author-date :reset-author-date C:= :ignore-whitespace :whitespace= f:force-rebase :ff :continue :skip :abort :quit :edit-todo :show-current-patch :apply m:merge i:interactive :rerere-autoupdate :empty= :autosquash :update-refs S:gpg-sign? :autostash x:exec= r:rebase-merges? :fork-point s:strategy= X:strategy-option= :root :reschedule-failed-exec :reapply-cherry-picks",
    ),
    ("reflog delete", "n:dry-run :rewrite :updateref :verbose"),
    ("reflog expire", "n:dry-run :rewrite :updateref :verbose :expire= :expire-unreachable= :stale-fix :all :single-worktree"),
    (
        "repack",
        "a: A: :cruft :cruft-expiration= :max-cruft-size= d: f: F: n: q:quiet l:local b:write-bitmap-index i:delta-islands :unpack-unreachable= k:keep-unreachable :window= :window-memory= :depth= :threads= :max-pack-size= :filter= :pack-kept-objects :keep-pack= g:geometric= m:write-midx :expire-to= :filter-to=",
    ),
    ("replace", "l:list d:delete e:edit g:graft :convert-graft-file f:force :raw :format="),
    (
        "reset",
        "q:quiet :refresh :mixed :soft :hard :merge :keep :recurse-submodules? p:patch N:intent-to-add :pathspec-from-file= :pathspec-file-nul",
    ),
    (
        "restore",
        "s:source= S:staged W:worktree :ignore-unmerged :overlay q:quiet :recurse-submodules? :progress m:merge :conflict= 2:ours 3:theirs p:patch :ignore-skip-worktree-bits :pathspec-from-file= :pathspec-file-nul",
    ),
    (
        "revert",
        ":quit :continue :abort :skip :cleanup= n:!commit :commit e:edit s:signoff m:mainline= :rerere-autoupdate :strategy= X:strategy-option= S:gpg-sign? :reference",
    ),
    ("rm", "n:dry-run q:quiet :cached f:force r: :ignore-unmatch :sparse :pathspec-from-file= :pathspec-file-nul"),
    (
        "stash",
        "k:keep-index S:staged p:patch q:quiet u:include-untracked a:all m:message= :index :pathspec-from-file= :pathspec-file-nul :only-untracked",
    ),
    (
        "submodule",
        "q:quiet f:force :all b:branch= :name= :reference= :depth= :init :recursive :remote N:!fetch :fetch :checkout :merge :rebase j:jobs= :cached :files",
    ),
    (
        "switch",
        "c:create= C:force-create= :guess :discard-changes q:quiet :recurse-submodules? :progress m:merge :conflict= d:detach t:track? f:force :orphan= :overwrite-ignore :ignore-other-worktrees",
    ),
    ("symbolic-ref", "q:quiet d:delete :short :recurse m:="),
    (
        "tag",
        "l:list n:? d:delete v:verify a:annotate m:message= F:file= :trailer= e:edit s:sign :cleanup= u:local-user= f:force :create-reflog :column? :contains= :merged= :omit-empty :sort= :points-at= :format= :color? i:ignore-case",
    ),
    (
        "update-index",
        "q: :ignore-submodules :add :replace :remove :unmerged :refresh :really-refresh :cacheinfo= :chmod= :assume-unchanged :skip-worktree :ignore-skip-worktree-entries :info-only :force-remove z: :stdin :index-info :unresolve g:again :ignore-missing :verbose :clear-resolve-undo",
    ),
    ("update-ref", "m:= d: :deref z: :stdin :create-reflog"),
    (
        "worktree",
        "f:force n:dry-run v:verbose :expire= b:= B:= d:detach :orphan :checkout :lock :reason= q:quiet :track :guess-remote :porcelain z:",
    ),
];

/// The options of a verb; empty for one that is not listed.
pub fn of(verb: &str) -> Spec {
    SPECS.binary_search_by_key(&verb, |s| s.0).map_or("", |i| SPECS[i].1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sorted() {
        assert!(super::SPECS.windows(2).all(|w| w[0].0 < w[1].0));
    }
}
