//! The configuration reader against `git config --list`.

use std::fs;

use ah::git::{Config, Repo, Vars};

use crate::support::TestRepo;

/// What git lists, as the reader's form; `None` when git refuses the configuration.
fn as_git(t: &TestRepo, vars: &Vars) -> Option<Vec<(String, Option<String>)>> {
    let mut command = std::process::Command::new("git");
    command.args(["config", "--list", "-z"]).current_dir(t.work()).env_clear().envs(vars.iter());
    let out = command.output().expect("git runs");
    let fields = out.stdout.split(|b| *b == 0).filter(|f| !f.is_empty()).map(|f| {
        let text = String::from_utf8_lossy(f).into_owned();
        match text.split_once('\n') {
            Some((k, v)) => (k.to_owned(), Some(v.to_owned())),
            None => (text, None),
        }
    });
    out.status.success().then(|| fields.collect())
}

fn as_we(t: &TestRepo, vars: &Vars) -> Option<Vec<(String, Option<String>)>> {
    let repo = Repo::discover(&t.work(), vars).expect("readable").expect("a repository");
    let config = Config::load(Some(&repo), vars);
    assert!(!config.incomplete);
    let broken = config.broken.is_some();
    (!broken).then(|| config.settings().iter().map(|s| (s.key.clone(), s.value.clone())).collect())
}

fn same(t: &TestRepo, vars: &Vars, what: &str) {
    let git = as_git(t, vars);
    let we = as_we(t, vars);
    assert_eq!(we, git, "{what}");
}

#[test]
fn generated_nasty_files_read_alike() {
    let t = TestRepo::new();
    let mut vars = t.vars();
    let nasty = t.root().join("nasty");
    vars.set("GIT_CONFIG_GLOBAL", &nasty);
    const PIECES: [&str; 44] = [
        "[a]\n",
        "[a \"B c\"]",
        "[a \"q\\\"x\\\\\"]\n",
        "[A.Sub]\n",
        "[a-b.9]\n",
        "[]\n",
        "[ a]\n",
        "[a ]\n",
        "[a \"x]\n",
        "[a\n",
        "[a\t\"t\"]\n",
        "k = v\n",
        "K9-x=v\n",
        "k\n",
        "k ",
        "k=\n",
        "9k = v\n",
        "-k = 1\n",
        "k = \"x  y\"  \n",
        "k = x  y  # c\n",
        "k = x;y\n",
        "k = \"a#b\" ; c\n",
        "k = a\\\n  b\n",
        "k = \\t\\n\\b\\\\\\\"\n",
        "k = \\q\n",
        "k = \"open\n",
        "k = a \"b\" c\n",
        "k = a\tb\t\n",
        "k = x\r\n",
        "k\r\n",
        "k = a\rb\n",
        "# comment\n",
        "; c \\\n",
        "\n",
        "  ",
        "\t",
        "k = \u{e4}\n",
        "k =   lead",
        "k = x   \\\n\n",
        "k = \"\"\n",
        "k = \"\" \"\" x\n",
        "=\n",
        "k==v\n",
        "\"\n",
    ];
    let mut seed = 7_u64;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let mut good = 0;
    for round in 0..300 {
        let mut text = String::from(if round % 7 == 0 { "\u{feff}[s]\n" } else { "[s]\n" });
        for _ in 0..next(7) + 1 {
            text.push_str(PIECES[next(PIECES.len())]);
        }
        fs::write(&nasty, &text).expect("written");
        same(&t, &vars, &format!("{text:?}"));
        good += usize::from(as_we(&t, &vars).is_some());
    }
    assert!((30..270).contains(&good), "both kinds must occur: {good}");
}

#[test]
fn files_in_order_with_includes() {
    let t = TestRepo::new();
    t.git_in(&t.root(), ["init", "-q", "system"]);
    let root = t.root();
    let home = root.join("home");
    fs::create_dir_all(home.join(".config/git")).expect("made");
    fs::create_dir_all(home.join("inc")).expect("made");
    let write = |file: &std::path::Path, text: &str| fs::write(file, text).expect("written");
    write(&root.join("sys"), "[x]\nfrom = system\n");
    write(&home.join(".config/git/config"), "[x]\nfrom = xdg\n");
    let conditions = [
        format!("gitdir:{}/", root.display()),
        format!("gitdir:{}/work/.git", root.display()),
        "gitdir:work/".to_owned(),
        "gitdir:WORK/".to_owned(),
        "gitdir/i:WORK/".to_owned(),
        "gitdir:~/../work/".to_owned(),
        "gitdir:**/.git".to_owned(),
        "gitdir:./work/".to_owned(),
        "gitdir:/nowhere/**".to_owned(),
        "onbranch:main".to_owned(),
        "onbranch:ma*".to_owned(),
        "onbranch:feature/".to_owned(),
        "unknown:x".to_owned(),
    ];
    let mut text =
        String::from("[x]\nfrom = home\n[include]\npath = inc/plain\npath = ~/inc/tilde\npath = inc/missing\n[y]\nz = 1\n");
    for (i, condition) in conditions.iter().enumerate() {
        text.push_str(&format!("[includeIf \"{condition}\"]\npath = inc/c{i}\n"));
        write(&home.join(format!("inc/c{i}")), &format!("[c]\nhit = {i}\n"));
    }
    write(&home.join(".gitconfig"), &text);
    write(&home.join("inc/plain"), "[x]\nfrom = plain\n[include]\npath = second\n");
    write(&home.join("inc/second"), "[x]\nfrom = second\n");
    write(&home.join("inc/tilde"), "[x]\nfrom = tilde\n");
    t.git(["config", "x.from", "local"]);
    t.git(["config", "extensions.worktreeConfig", "true"]);
    t.git(["config", "--worktree", "x.from", "tree"]);
    let mut vars = t.vars();
    vars.unset("GIT_CONFIG_NOSYSTEM");
    vars.set("GIT_CONFIG_SYSTEM", root.join("sys"));
    same(&t, &vars, "all files");
    t.git(["checkout", "-qb", "feature/x"]);
    same(&t, &vars, "on a branch");
    t.git(["checkout", "-q", "--detach"]);
    same(&t, &vars, "detached");
    t.git(["checkout", "-q", "main"]);

    vars.set("GIT_CONFIG_COUNT", "2");
    vars.set("GIT_CONFIG_KEY_0", "X.From");
    vars.set("GIT_CONFIG_VALUE_0", "counted");
    vars.set("GIT_CONFIG_KEY_1", "include.path");
    vars.set("GIT_CONFIG_VALUE_1", home.join("inc/second"));
    vars.add_config("x.from", Some("it's -c!"));
    vars.add_config("filter.a=b.clean", Some("cat"));
    vars.add_config("core.alone", None);
    same(&t, &vars, "environment");
    let repo = t.facts();
    assert_eq!(Config::load(Some(&repo), &vars).get("x.from"), Some("it's -c!"));

    vars.set("GIT_CONFIG_GLOBAL", root.join("sys"));
    same(&t, &vars, "a global file by name");
    vars.set("GIT_CONFIG_NOSYSTEM", "true");
    vars.set("GIT_CONFIG_GLOBAL", "/dev/null");
    same(&t, &vars, "none");
}

#[test]
fn settings_of_the_command_line_as_git_writes_them() {
    let t = TestRepo::new();
    let list = t.root().join("home/list");
    t.script(&list, "printf %s \"$GIT_CONFIG_PARAMETERS\"");
    let alias = format!("alias.reveal=!{}", list.display());
    let value = "x.y=a 'b' !c \"d\" $e";
    let written = t.git(["-c", value, "-c", "x.bare", "-c", "f.a=b.c=d", "-c", &alias, "reveal"]);
    let mut vars = t.vars();
    vars.set("GIT_CONFIG_PARAMETERS", written);
    let repo = t.facts();
    let config = Config::load(Some(&repo), &vars);
    assert_eq!(config.get("x.y"), Some("a 'b' !c \"d\" $e"));
    assert_eq!(config.bool("x.bare"), Some(true));
    assert_eq!(config.alias("reveal"), Some(&alias["alias.reveal=".len()..]));
}

#[test]
fn bounds() {
    let t = TestRepo::new();
    let home = t.root().join("home");
    // A file that includes itself twice, and one that never ends.
    fs::write(home.join(".gitconfig"), "[include]\npath = .gitconfig\npath = .gitconfig\n").expect("written");
    let repo = t.facts();
    assert!(Config::load(Some(&repo), &t.vars()).incomplete);
    fs::write(home.join(".gitconfig"), format!("[a]\nb = {}\n", "x".repeat(5 << 20))).expect("written");
    assert!(Config::load(Some(&repo), &t.vars()).incomplete);
    let mut vars = t.vars();
    vars.set("GIT_CONFIG_GLOBAL", "/dev/zero");
    assert!(Config::load(Some(&repo), &vars).get("a.b").is_none());
    assert!(Config::load(None, &t.vars()).settings().is_empty());
}

#[test]
fn branches_and_remotes() {
    let t = TestRepo::new();
    t.git(["remote", "add", "team", "https://example.test/x"]);
    t.git(["remote", "add", "fork", "https://example.test/y"]);
    t.git(["config", "remote.fork.pushurl", "ssh://example.test/y"]);
    t.git(["config", "branch.main.remote", "team"]);
    t.git(["config", "branch.main.merge", "refs/heads/trunk"]);
    let load = || {
        let repo = t.facts();
        Config::load(Some(&repo), &t.vars())
    };
    let up = load().upstream("main").expect("an upstream");
    assert_eq!((up.remote.as_str(), up.tracking.as_deref()), ("team", Some("refs/remotes/team/trunk")));
    assert_eq!(load().tracked("team", "refs/remotes/team/a/b").as_deref(), Some("refs/heads/a/b"));
    assert_eq!(load().upstream("side"), None);
    assert_eq!(load().push_remote(Some("main")), "team");
    assert_eq!(load().push_remote(Some("side")), "origin");
    t.git(["config", "remote.pushDefault", "fork"]);
    assert_eq!(load().push_remote(Some("main")), "fork");
    t.git(["config", "branch.main.pushRemote", "team"]);
    assert_eq!(load().push_remote(Some("main")), "team");
    assert_eq!(load().push_urls("fork"), ["ssh://example.test/y"]);
    assert_eq!(load().remotes(), ["team", "fork"]);
}
