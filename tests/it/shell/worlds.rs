//! Worlds that become one, and loops: what any of them could run stays possible. One test for each kind of fault that
//! the comparison with bash brought up.

use super::{Recorder, finds, gits, read, start};
use ah::shell::{Source, Word, walk};

/// More worlds than are followed one by one: each step may fail, and says so in a variable.
const MANY: &str = "a || X=1; b || Y=1; c || Z=1; d || U=1; ";

#[test]
fn a_function_that_one_world_lacks_may_also_be_no_function() {
    let recorder = read(&format!("{MANY} e || fn() {{ :; }}; {MANY} fn || git a"));
    assert!(gits(&recorder).contains(&"git a".to_owned()));
}

#[test]
fn an_alias_that_differs_keeps_every_text() {
    let line = format!("shopt -s expand_aliases; alias q='git a'; {MANY} e || alias q='git b'; {MANY} q");
    let found = gits(&read(&line));
    assert!(found.contains(&"git a".to_owned()) && found.contains(&"git b".to_owned()), "{found:?}");
}

#[test]
fn a_file_that_differs_is_run_with_every_text() {
    let line = format!("echo 'git a' > s.sh; {MANY} e || echo 'git b' > s.sh; {MANY} bash s.sh");
    let found = gits(&read(&line));
    assert!(found.contains(&"git a".to_owned()) && found.contains(&"git b".to_owned()), "{found:?}");
}

#[test]
fn a_file_in_an_unknown_directory_is_still_run() {
    finds("cd \"$(foo)\"; echo 'git a' > s.sh; bash s.sh", &["git a"]);
}

#[test]
fn a_local_of_an_exported_variable_ends_with_its_function() {
    finds("export V=a; f() { local V=b; }; f; bash -c 'git $V'", &["git a"]);
    finds("export V=a; f() { bash -c 'git $V'; }; V=b f; bash -c 'git $V'", &["git b", "git a"]);
}

#[test]
fn a_round_meets_what_the_round_before_left() {
    for line in [
        "while x; do bash -c \"git $1\"; set -- a; done",
        "while x; do git $N; eval 'N=1'; done",
        "while x; do git $N; fn() { N=1; }; fn; done",
        "for x in $(y); do git $N; (( N = 1 )); done",
    ] {
        let recorder = read(line);
        let open = |word: &Word| matches!(word, Word::Unknown(_));
        assert!(
            recorder.commands.iter().any(|command| command.program() == Some("git") && command.words.iter().any(open)),
            "{line}"
        );
    }
    let recorder = read("while x; do git a; cd ..; done");
    assert!(recorder.commands.iter().any(|command| command.program() == Some("git") && command.cwd.is_none()));
    finds("while x; do f; f() { git a; }; done", &["git a"]);
}

#[test]
fn a_shell_that_may_end_at_an_error_may_have_failed() {
    finds("bash -c 'set -e; foo; true' || git a", &["git a"]);
}

#[test]
fn one_of_the_matches_of_a_pattern_is_that_pattern() {
    let recorder = read("for f in a/*.md '*'; do git rm \"$f\" ./$f.bak; done");
    let words: Vec<&Word> = recorder.commands.iter().flat_map(|command| &command.words[2..]).collect();
    let glob = |text: &str| Word::Glob(text.to_owned());
    let literal = |text: &str| Word::Literal(text.to_owned());
    for word in [glob("a/*.md"), glob("./a/*.md.bak"), literal("*"), glob("./*.bak")] {
        assert!(words.contains(&&word), "{word:?}: {words:?}");
    }
    finds("f() { git rm \"$1\"; }; f *.md", &["git rm ?"]);
    finds("set -- *.md; git rm \"$1\"", &["git rm ?"]);
}

#[test]
fn texts_of_files_are_known() {
    for line in [
        "cat s.sh | bash",
        "bash < s.sh",
        "bash -s < s.sh",
        "bash -c \"$(cat s.sh)\"",
        "bash -c \"$(< s.sh)\"",
        "source <(cat s.sh)",
        "xargs -a l git < /dev/null",
        "while read -r x; do git $x; done < l",
        "cat l | xargs git",
    ] {
        let mut recorder = Recorder { files: vec![("/w/s.sh", "git a b\n"), ("/w/l", "a b\n")], ..Recorder::default() };
        walk(line, Source::Shell, &start(true), &mut recorder, ());
        assert_eq!(gits(&recorder), ["git a b"], "{line}");
    }
}

#[test]
fn runners_come_off() {
    for line in [
        "npx git a",
        "pnpm exec git a",
        "yarn exec git a",
        "npm exec -- git a",
        "uv run git a",
        "poetry run git a",
        "bundle exec git a",
        "mise exec node@20 -- git a",
        "direnv exec . git a",
        "nix develop .#x -c git a",
        "corepack git a",
        "dotenv -e .env -- git a",
        "op run --env-file=x -- git a",
        "pipenv run git a",
        "conda run -n x git a",
        "caffeinate -i git a",
        "systemd-run --user git a",
        "firejail --quiet git a",
        "strace -f -o x git a",
        "ltrace git a",
        "perf stat -e x git a",
        "valgrind git a",
        "gdb --args git a",
        "/usr/bin/time -f %e git a",
        "nix-shell --run 'git a'",
    ] {
        finds(line, &["git a"]);
    }
}

#[test]
fn names_that_stand_for_others_and_quoting_are_followed() {
    finds("declare -n r=V; V=a; r=b; git \"$V\"", &["git b"]);
    finds("x=\"it's a\"; eval git ${x@Q}", &["git it's a"]);
    finds("case b in a) git a;; b) git b;& c) git c;; d) git d;; esac", &["git b", "git c"]);
    finds("case b in b) git b;;& c) git c;; b*) git d;; *) git e;; esac", &["git b", "git d"]);
}

#[test]
fn process_substitutions_have_a_name_while_their_command_runs() {
    let again = "sh <(echo git a); ".repeat(70) + "sh <(echo git b)";
    finds(&again, &["git a", "git b"]);
    finds("f() { sh <(echo git b); sh $1; }; f <(echo git a)", &["git b", "git a"]);
    finds("for x in <(echo git a) <(echo git b); do sh <(echo git c); sh $x; done", &["git c", "git a", "git b"]);
    finds("x=<(echo git a); sh <(echo git b); sh $x", &["git b", "git a"]);
    finds("sh <(sh <(echo echo git a))", &["git a"]);
}

#[test]
fn a_script_is_read_once_for_all_rounds() {
    // Six rounds of a script that is a quarter of what may be read.
    let text = format!("cat > x <<'E'\n{}git a\nE\n", "# nothing\n".repeat(6_000));
    let line = text + "for i in 1 2 3 4 5 6; do sh x; done";
    finds(&line, &["git a"]);
}
