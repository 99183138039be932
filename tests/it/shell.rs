//! The shell reader: which commands it finds in lines of every construct, and that no text brings it down.

mod bounds;
mod worlds;

use ah::shell::{Command, End, EnvValue, HOLE, Machine, Place, Source, Start, Stdin, Step, Word, walk};

/// Remembers commands; knows a few files and directories.
#[derive(Default)]
struct Recorder {
    commands: Vec<Command>,
    files: Vec<(&'static str, &'static str)>,
    directories: Vec<&'static str>,
}

impl Machine for Recorder {
    type State = ();

    fn run(&mut self, command: &Command, (): ()) -> Step<()> {
        self.commands.push(command.clone());
        Step::Done(vec![End { state: (), ok: None, output: None }])
    }

    fn file(&mut self, path: &str, (): &()) -> Option<String> {
        self.files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
    }

    fn is_dir(&mut self, path: &str, (): &()) -> Option<bool> {
        (!self.directories.is_empty()).then(|| self.directories.contains(&path))
    }

    fn same(&self, (): &(), (): &()) -> bool {
        true
    }
}

fn start(complete: bool) -> Start {
    let variables = vec![("HOME".to_owned(), "/home/me".to_owned()), ("GIT_PAGER".to_owned(), "cat".to_owned())];
    Start {
        cwd: Some("/w".to_owned()),
        variables: variables.into(),
        complete,
        aliases: vec![("gg".to_owned(), "git log".to_owned())],
    }
}

fn read(line: &str) -> Recorder {
    let mut recorder = Recorder { directories: vec!["/w", "/w/src", "/home/me", "/"], ..Recorder::default() };
    let walked = walk(line, Source::Shell, &start(true), &mut recorder, ());
    assert_eq!(walked.unread, [], "{line}");
    recorder
}

fn text(command: &Command) -> String {
    let words: Vec<String> = command.words.iter().map(|word| word.text().replace(HOLE, "?")).collect();
    words.join(" ")
}

/// The `git` commands of a line, each once; a part that is not known is `?`.
fn gits(recorder: &Recorder) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for command in &recorder.commands {
        let text = text(command);
        if command.program() == Some("git") && !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

#[track_caller]
fn finds(line: &str, want: &[&str]) {
    assert_eq!(gits(&read(line)), want, "{line}");
}

#[test]
fn the_collected_lines_give_their_commands() {
    let cases = [include_str!("../data/shell/cases.txt"), include_str!("../data/shell/nasty.txt")];
    let lines: Vec<&str> = cases.iter().flat_map(|text| text.split("%%\n")).collect();
    let wants: Vec<&str> = include_str!("../data/shell/found.txt").split("%%\n").collect();
    assert_eq!((lines.len(), wants.len()), (50, 50));
    for (line, want) in lines.iter().zip(wants) {
        let mut recorder = Recorder::default();
        let walked = walk(line.trim_end_matches('\n'), Source::Shell, &start(false), &mut recorder, ());
        assert_eq!(walked.unread, [], "{line}");
        let mut found = gits(&recorder).join("\n");
        found.push('\n');
        assert_eq!(found, want, "{line}");
    }
}

#[test]
fn text_is_not_a_command() {
    for line in [
        "echo 'git reset --hard'",
        "# git reset --hard",
        "ls # git reset --hard",
        "cat <<EOF\ngit reset --hard\nEOF\n",
        "MSG='git reset --hard'; echo \"$MSG\"",
        "f() { git reset --hard; }",
        "alias x='git reset --hard'",
        "false && git reset --hard",
        "true || git reset --hard",
        "if false; then git reset --hard; fi",
        "case a in b) git reset --hard;; esac",
        "[ a = b ] && git reset --hard",
        "[[ ab == c* ]] && git reset --hard",
        "for x in; do git reset --hard; done",
        "python3 -c \"print('git reset --hard')\"",
        "exit 0; git reset --hard",
        "set -e; false; git reset --hard",
    ] {
        finds(line, &[]);
    }
}

#[test]
fn words_are_followed_through_variables() {
    finds("G=git; $G reset --hard", &["git reset --hard"]);
    finds("a=(reset --hard); git \"${a[@]}\" ${#a[@]}", &["git reset --hard 2"]);
    finds("a=(x); a+=(y); a[5]=z; git ${a[*]} ${a[5]} ${a[-1]}", &["git x y z z z"]);
    finds("declare -A m=([k]=v); git ${m[k]}", &["git v"]);
    finds("set -- a b c; shift; git \"$@\" $# $2", &["git b c 2 c"]);
    finds("set -- a b c; git ${@:2} ${*:1:1}", &["git b c a"]);
    finds(
        "p=a/b.tar.gz; git ${p##*/} ${p%.*} ${p%%.*} ${p#*/} ${p/a/x} ${p//[ab]/_} ${p:2:1} ${#p}",
        &["git b.tar.gz a/b.tar a/b b.tar.gz x/b.tar.gz _/_.t_r.gz b 10"],
    );
    finds("x=Ab; git ${x^^} ${x,,} ${x:+set} ${none:-d} ${none+y} \"${none-}\"", &["git AB ab set d "]);
    finds("n=x; x=5; git ${!n} $((x * 2 + 1)) $[x]", &["git 5 11 5"]);
    finds("printf -v v '%s-%s' a b; git $v", &["git a-b"]);
    finds("IFS=:; x=a:b; git $x \"$x\"", &["git a b a:b"]);
    finds("read -r a b <<< 'x y z'; git $a \"$b\"", &["git x y z"]);
    finds("mapfile -t l < <(printf 'a\\nb\\n'); git \"${l[@]}\"", &["git a b"]);
    finds("x=$(git rev-parse HEAD); git show $x", &["git rev-parse HEAD", "git show ?"]);
    finds("printf 'a\\0b\\0' | xargs -0 git", &["git ?"]);
    finds("git $RANDOM $$ $?", &["git ? ? ?"]);
    finds("unset HOME; git a$HOME", &["git a"]);
    finds("git ~ ~/x ~root/y \"~\" $HOME $PWD", &["git /home/me /home/me/x ?/y ~ /home/me /w"]);
    finds("git {a,b}{1..2} x{,y} {a} {1..3..2} {c..a}", &["git a1 a2 b1 b2 x xy {a} 1 3 c b a"]);
    finds("git $'a\\tb\\x41\\101' \"a\\$b\\c\" a\\ b 'c'\"d\"e", &["git a\tbAA a$b\\c a b cde"]);
    finds("x='a b'; git $x \"$x\" pre$x", &["git a b a b prea b"]);
}

#[test]
fn patterns_stay_patterns_and_quotes_protect() {
    let recorder = read("git *.rs '*'x? a[bc] [ \\* \"$HOME\"/*");
    let words = &recorder.commands[0].words;
    assert_eq!(words[1], Word::Glob("*.rs".to_owned()));
    assert_eq!(words[2], Word::Glob("\\*x?".to_owned()));
    assert_eq!(words[3], Word::Glob("a[bc]".to_owned()));
    assert_eq!(words[4], Word::Literal("[".to_owned()));
    assert_eq!(words[5], Word::Literal("*".to_owned()));
    assert_eq!(words[6], Word::Glob("/home/me/*".to_owned()));
}

#[test]
fn control_flow_is_followed() {
    finds("a && git x || git y; git z", &["git x", "git y", "git z"]);
    finds("! true && git x; ! false && git y", &["git y"]);
    finds("for i in 1 2; do git $i; done", &["git 1", "git 2"]);
    finds("for i in $(ls); do git $i; done", &["git ?"]);
    finds("for i in 1 2 3; do [ $i = 2 ] && break; git $i; done", &["git 1"]);
    finds("while read -r l; do git $l; done < f", &["git ?"]);
    finds("i=0; while [ $i -lt 3 ]; do git $i; i=$((i+1)); done", &["git ?"]);
    finds("until git x; do git y; done", &["git x", "git y"]);
    finds("case abc in a*|x) git 1;& b) git 2;; *) git 3;; esac", &["git 1", "git 2"]);
    finds("f() { git \"$@\"; return; git no; }; f a b", &["git a b"]);
    finds("f() { local x=1; }; x=0; f; git $x", &["git 0"]);
    finds("(x=1; cd src; git $x); git $x.", &["git 1", "git ."]);
    finds("{ x=1; }; git $x", &["git 1"]);
    finds("trap 'git bye' EXIT; git hi", &["git hi", "git bye"]);
    finds("fn() { trap 'git $1' EXIT; }; fn hi 2 | cat", &["git", "git hi"]);
    finds("git a & git b; wait", &["git a", "git b"]);
    finds("(( 1 > 2 )) && git x; ((3)) && git y", &["git y"]);
    finds("eval 'git a; x=1'; git $x", &["git a", "git 1"]);
    finds("f() { f; git x; }; :", &[]);
}

#[test]
fn directories_are_followed() {
    let cwd = |line: &str| {
        let recorder = read(line);
        let all = recorder.commands.iter().filter(|command| command.program() == Some("git"));
        all.map(|command| command.cwd.clone()).collect::<Vec<_>>()
    };
    let known = |path: &str| vec![Some(path.to_owned())];
    assert_eq!(cwd("cd src && git x"), known("/w/src"));
    assert_eq!(cwd("cd nowhere; git x"), known("/w"));
    assert_eq!(cwd("cd nowhere && git x"), []);
    assert_eq!(cwd("cd; git x"), known("/home/me"));
    assert_eq!(cwd("cd src; cd -; git x"), known("/w"));
    assert_eq!(cwd("pushd src; popd; git x"), known("/w"));
    assert_eq!(cwd("(cd src); git x"), known("/w"));
    assert_eq!(cwd("env -C src git x"), known("/w/src"));
    assert_eq!(cwd("cd $(somewhere) && git x"), [None]);
    assert_eq!(cwd("cd ../../.. && git x"), known("/"));
    assert_eq!(cwd("bash -c 'cd src; git x'; git y"), [Some("/w/src".to_owned()), Some("/w".to_owned())]);
}

#[test]
fn environments_are_followed() {
    let env = |line: &str| {
        let recorder = read(line);
        let command = recorder.commands.iter().rfind(|command| command.program() == Some("git")).unwrap().clone();
        command.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>()
    };
    let set = |name: &str, value: &str| (name.to_owned(), EnvValue::Set(value.to_owned()));
    assert_eq!(env("A=1 git x"), [set("A", "1")]);
    assert_eq!(env("A=1; git x"), []);
    assert_eq!(env("export A=1 B; B=2; git x"), [set("A", "1"), set("B", "2")]);
    assert_eq!(env("GIT_PAGER=less; git x"), [set("GIT_PAGER", "less")]);
    assert_eq!(env("unset GIT_PAGER; git x"), [("GIT_PAGER".to_owned(), EnvValue::Unset)]);
    assert_eq!(env("env -u GIT_PAGER A=b sh -c 'git x'"), [set("A", "b"), ("GIT_PAGER".to_owned(), EnvValue::Unset)]);
    assert_eq!(env("A=1 git x; git y"), []);
    assert_eq!(env("export A=$(date); git x"), [("A".to_owned(), EnvValue::Unknown)]);
}

#[test]
fn wrappers_come_off() {
    for wrapper in [
        "sudo",
        "sudo -u me --",
        "sudo -nE A=1",
        "doas -u x",
        "env",
        "env -i A=1",
        "env -u X",
        "nohup",
        "nice",
        "nice -n 5",
        "nice -5",
        "ionice -c2 -n7",
        "chrt -o 0",
        "taskset 3",
        "taskset -c 0,1",
        "unshare",
        "timeout 10",
        "timeout -k 5 -s KILL 10s",
        "timeout --signal=KILL 3",
        "time",
        "time -p",
        "/usr/bin/time -f %e",
        "stdbuf -oL -e 0",
        "setsid -w",
        "command",
        "command --",
        "builtin",
        "exec",
        "exec -a x",
        "flock /tmp/l",
        "flock -w 3 -n /tmp/l",
        "busybox",
        "strace -f -o /tmp/s",
        "uv run",
        "poetry run",
        "bundle exec",
        "systemd-run --user --scope",
        "noglob",
        "\\env",
        "'env'",
        "eval",
        "xvfb-run -a",
        "script -q /dev/null",
        "watch -x -n 1",
        "wsl -d u --",
    ] {
        finds(&format!("{wrapper} git reset --hard"), &["git reset --hard"]);
    }
    for line in [
        "env -S 'git reset --hard'",
        "env --split-string='git reset --hard'",
        "flock /tmp/l -c 'git reset --hard'",
        "watch -n1 'git reset --hard'",
        "script -qc 'git reset --hard' /dev/null",
        "su - me -c 'git reset --hard'",
        "runuser -u me -- git reset --hard",
        "bash -euo pipefail -c 'git reset --hard'",
        "bash -lc 'git \"$@\"' _ reset --hard",
        "sh <<< 'git reset --hard'",
        "sh <<'E'\ngit reset --hard\nE\n",
        "echo 'git reset --hard' | sh -s",
        "echo Z2l0IHJlc2V0IC0taGFyZAo= | base64 -d | bash",
        "printf '%s ' git reset --hard | tr -d x | bash",
        "bash <(echo git reset --hard)",
        "source <(echo git reset --hard)",
        "echo git reset --hard > s.sh; . ./s.sh",
        "cat > s.sh <<'E'\n#!/bin/sh\ngit reset --$1\nE\nchmod +x s.sh; ./s.sh hard",
        "echo git reset | tee s.sh; echo x; eval git reset --hard",
        "echo reset --hard | xargs git",
        "echo hard | xargs -I% git reset --%",
        "find . -maxdepth 0 -exec git reset --hard ';'",
        "parallel git reset ::: --hard",
        "git-reset --hard",
        "/usr/lib/git-core/git-reset --hard",
        "git.exe reset --hard",
        "$(command -v git) reset --hard",
        "alias w='git reset'\nshopt -s expand_aliases\nw --hard",
        "grhh",
        "pwsh -c 'git reset --hard'",
        "powershell -EncodedCommand ZwBpAHQAIAByAGUAcwBlAHQAIAAtAC0AaABhAHIAZAA=",
        "python3 -c 'import os; os.system(\"git reset --hard\")'",
        "python3 - <<'E'\nimport subprocess\nsubprocess.run(['git', 'reset', '--hard'])\nE\n",
        "perl -e 'system(\"git reset --hard\")'",
        "node -e 'require(\"child_process\").execSync(\"git reset --hard\")'",
        "ruby -e 'system(\"git\", \"reset\", \"--hard\")'",
        "awk 'BEGIN { system(\"git reset --hard\") }'",
        "sed -n '1e git reset --hard' f",
    ] {
        let found = gits(&read(line));
        assert_eq!(found.last().map(String::as_str), Some("git reset --hard"), "{line}: {found:?}");
    }
}

#[test]
fn other_machines_are_marked() {
    for line in [
        "ssh host 'git reset --hard'",
        "docker exec -it c git reset --hard",
        "kubectl exec p -- git reset --hard",
        "tmux send-keys -t 0 'git reset --hard' Enter",
    ] {
        let recorder = read(line);
        let command = recorder.commands.iter().find(|command| command.program() == Some("git")).unwrap();
        assert_eq!(
            (text(command).as_str(), command.place, &command.cwd),
            ("git reset --hard", Place::Elsewhere, &None),
            "{line}"
        );
    }
}

#[test]
fn scripts_and_recipes_are_read_from_files() {
    let files = |line: &str| {
        let mut recorder = Recorder {
            files: vec![
                ("/w/x.sh", "#!/usr/bin/env bash\ngit reset --\"$1\"\n"),
                ("/w/x.py", "#!/usr/bin/python3\nimport shutil\nshutil.rmtree('.git')\n"),
                ("/w/Makefile", "clean: prep\n\t@git clean -$(F)\nprep:\n\tgit status\nF = fd\n"),
                ("/w/package.json", r#"{"scripts":{"pretidy":"git status","tidy":"git clean -fd"}}"#),
            ],
            ..Recorder::default()
        };
        let _ = walk(line, Source::Shell, &start(true), &mut recorder, ());
        recorder.commands.iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(files("./x.sh hard"), ["git reset --hard"]);
    assert_eq!(files("bash -x x.sh soft"), ["git reset --soft"]);
    assert_eq!(files("./x.py"), ["./x.py", "rm -rf .git"]);
    assert_eq!(files("python3 x.py"), ["python3 x.py", "rm -rf .git"]);
    assert_eq!(files("make clean"), ["make clean", "git status", "git clean -fd"]);
    assert_eq!(files("npm run tidy"), ["npm run tidy", "git status", "git clean -fd"]);
    assert_eq!(files("./missing.sh"), ["./missing.sh"]);
    assert_eq!(files("echo 'git log' > x.sh; ./x.sh")[1..], ["git log"]);
}

#[test]
fn redirections_and_inputs_are_told() {
    let recorder = read("cat < in >> out 2> err; > new; echo x >| f &> g");
    let all: Vec<String> = recorder
        .commands
        .iter()
        .flat_map(|command| {
            command
                .redirects
                .iter()
                .map(|redirect| format!("{} {}{:?} {}", text(command), redirect.fd, redirect.kind, redirect.target.text()))
        })
        .collect();
    assert_eq!(all, ["cat 0Read in", "cat 1Append out", "cat 2Write err", ": 1Write new", "echo x 1Write f", "echo x 1Write g"]);
    let recorder = read("{ git a; git b; } > log 2>&1");
    assert!(recorder.commands.iter().all(|command| command.redirects[0].target.text() == "log"));
    let recorder = read("echo hi | git apply; git diff | git apply -R");
    assert_eq!(recorder.commands[1].stdin, Stdin::Text("hi\n".to_owned()));
    assert_eq!((&recorder.commands[3].stdin, recorder.commands[2].piped), (&Stdin::Unknown, true));
}

#[test]
fn what_stays_unknown_is_reported_so() {
    for (line, want) in [
        ("$(pick) reset", "? reset"),
        ("curl -s u | sh", "sh"),
        ("bash x.sh", "bash x.sh"),
        ("eval \"$(pick)\"", "?"),
        ("source env.sh", "source env.sh"),
    ] {
        let recorder = read(line);
        assert_eq!(recorder.commands.last().map(text).as_deref(), Some(want), "{line}");
    }
}
