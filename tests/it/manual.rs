//! Help, manual pages and programs say the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Every executable, with a flag and a command that it must have, so that an empty list shows.
const PROGRAMS: &[Program] = &[
    Program { name: "ah-bootstrap", file: env!("CARGO_BIN_EXE_ah-bootstrap"), flag: "apply", command: "verify" },
    Program { name: "ah-doctor", file: env!("CARGO_BIN_EXE_ah-doctor"), flag: "deep", command: "demo" },
    Program { name: "ah-git-guard", file: env!("CARGO_BIN_EXE_ah-git-guard"), flag: "harness", command: "check" },
    Program { name: "ah-judge", file: env!("CARGO_BIN_EXE_ah-judge"), flag: "send", command: "request" },
    Program { name: "ah-mesh", file: env!("CARGO_BIN_EXE_ah-mesh"), flag: "read-only", command: "claims" },
    Program { name: "ah-prefilter", file: env!("CARGO_BIN_EXE_ah-prefilter"), flag: "pass", command: "tally" },
];

struct Program {
    name: &'static str,
    file: &'static str,
    flag: &'static str,
    command: &'static str,
}

impl Program {
    fn run(&self, args: &[&str]) -> Output {
        let home = tempfile::tempdir().unwrap();
        Command::new(self.file).args(args).env("AH_HOME", home.path()).stdin(Stdio::null()).output().unwrap()
    }

    fn help(&self) -> String {
        let done = self.run(&["--help"]);
        assert!(done.status.success() && done.stderr.is_empty());
        String::from_utf8(done.stdout).unwrap()
    }

    fn page(&self) -> String {
        page(&format!("{}.1", self.name))
    }
}

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("man").join(name);
    fs::read_to_string(path).unwrap()
}

/// The lines of one section of a page.
fn section<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let heading = format!(".Sh {name}");
    page.lines().skip_while(|line| *line != heading).skip(1).take_while(|line| !line.starts_with(".Sh ")).collect()
}

/// Words after each `Fl` that are long flags: `.It Fl h , Fl -help` gives `help`.
fn flags_of_page(page: &str) -> BTreeSet<String> {
    section(page, "OPTIONS")
        .iter()
        .filter(|line| line.starts_with(".It "))
        .flat_map(|line| line.split(" Fl -").skip(1))
        .filter_map(|rest| rest.split(' ').next().map(str::to_owned))
        .collect()
}

/// Every `--flag` that the help mentions.
fn flags_of_help(help: &str) -> BTreeSet<String> {
    help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter_map(|word| word.strip_prefix("--"))
        .filter(|flag| !flag.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The first words of the items below the help's line "Commands:".
fn commands_of_help(help: &str) -> BTreeSet<String> {
    help.lines()
        .skip_while(|line| !line.to_lowercase().starts_with("commands"))
        .skip(1)
        .take_while(|line| line.starts_with(' '))
        .filter(|line| !line.starts_with("        ")) // a wrapped description
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect()
}

fn commands_of_page(page: &str) -> BTreeSet<String> {
    section(page, "COMMANDS")
        .iter()
        .filter_map(|line| line.strip_prefix(".It Cm ")?.split(' ').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_executable_is_looked_at() {
    let bins = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("bins")).unwrap();
    let folders = bins.map(|entry| entry.unwrap()).filter(|entry| entry.path().is_dir());
    let names: BTreeSet<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    assert_eq!(names, PROGRAMS.iter().map(|program| program.name.to_owned()).collect());
}

#[test]
fn help_and_manual_have_the_same_flags_and_commands() {
    for program in PROGRAMS {
        let (help, page) = (program.help(), program.page());
        assert_eq!(flags_of_help(&help), flags_of_page(&page), "{}", program.name);
        assert!(flags_of_page(&page).contains(program.flag), "{}", program.name);
        assert_eq!(commands_of_help(&help), commands_of_page(&page), "{}", program.name);
        assert!(commands_of_page(&page).contains(program.command), "{}", program.name);
    }
}

#[test]
fn help_and_manual_begin_with_the_same_sentence() {
    for program in PROGRAMS {
        let (help, page) = (program.help(), program.page());
        let about = page.lines().find_map(|line| line.strip_prefix(".Nd ")).unwrap();
        assert!(help.lines().take(3).any(|line| line.contains(about)), "`{about}` is not at the head of\n{help}");
    }
}

#[test]
fn every_example_is_understood() {
    for program in PROGRAMS {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("events.jsonl"), "{}\n").unwrap();
        let bin = Path::new(program.file).parent().unwrap();
        let path = std::env::join_paths([bin, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
        let page = program.page();
        let examples: Vec<_> = section(&page, "EXAMPLES")
            .into_iter()
            .map(|line| line.trim_start_matches(".Dl ").trim_start_matches("$ "))
            .filter(|line| line.starts_with(program.name))
            .map(|line| line.replace("\\-", "-"))
            .collect();
        assert!(examples.len() >= 3, "{examples:?}");
        for line in examples {
            let done = Command::new("sh")
                .args(["-c", &line])
                .current_dir(home.path())
                .env("AH_HOME", home.path())
                .env("HOME", home.path())
                .env("PATH", &path)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let code = done.status.code();
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(matches!(code, Some(0 | 1 | 3)), "{line}: exit {code:?}: {said}");
        }
    }
}

#[test]
fn the_overview_names_every_executable_as_its_page_does() {
    let overview = page("ah.7");
    for program in PROGRAMS {
        let own = program.page();
        let about = own.lines().find_map(|line| line.strip_prefix(".Nd ")).unwrap();
        assert!(overview.contains(&format!(".It Xr {} 1\n{about}\n", program.name)), "{}: {about}", program.name);
        assert!(overview.contains(&format!(".Xr {} 1 ,\n", program.name)), "{}", program.name);
    }
}

#[test]
fn a_flag_that_no_page_has_is_refused() {
    for program in PROGRAMS {
        assert_eq!(program.run(&["--no-such-flag"]).status.code(), Some(64), "{}", program.name);
    }
}

#[test]
fn pages_are_well_formed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
    let mut pages: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    assert!(pages.len() >= 4);
    if Command::new("mandoc").arg("-V").stdin(Stdio::null()).output().is_err() {
        println!("SKIP mandoc: not installed");
        return;
    }
    let done = Command::new("mandoc").args(["-Tlint", "-W", "warning"]).args(&pages).output().unwrap();
    assert!(done.status.success() && done.stdout.is_empty(), "{}", String::from_utf8_lossy(&done.stdout));
}

#[test]
fn lists_are_read_from_help_and_page() {
    let help = "ah-x - about\n\nCommands:\n  check [--cwd DIR] -- COMMAND\n                    judge it\n  policy            show it\n\nOptions:\n  -h, --help   this\n      --json   that\n";
    assert_eq!(commands_of_help(help), ["check", "policy"].map(str::to_owned).into());
    assert_eq!(flags_of_help(help), ["cwd", "help", "json"].map(str::to_owned).into());
    let page = ".Sh COMMANDS\n.Bl -tag\n.It Cm check Oo Fl -cwd Ar dir Oc\n.It Cm policy\n.El\n.Sh OPTIONS\n.It Fl h , Fl -help\n.It Fl -cwd Ar dir\n.Sh FILES\n.It Fl -no\n";
    assert_eq!(commands_of_page(page), ["check", "policy"].map(str::to_owned).into());
    assert_eq!(flags_of_page(page), ["cwd", "help"].map(str::to_owned).into());
}

/// README's tables are those of ah(7): a list of the section, a row for each item, a cell for each line of it.
#[test]
fn the_tables_of_the_readme_are_those_of_the_manual() {
    let manual = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/man/ah.7")).unwrap();
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap().replace('`', "");
    for (section, header) in [("VERDICTS", "| verdict |"), ("PROGRAMS", "| program |"), ("AGENTS", "| agent |")] {
        let lines: Vec<&str> =
            readme.lines().skip_while(|line| !line.starts_with(header)).take_while(|l| l.starts_with('|')).collect();
        let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        let columns = cells(lines[0]);
        let list = manual.split_once(&format!(".Sh {section}\n")).unwrap().1.split_once(".El\n").unwrap().0;
        let items = list.split(".It ").skip(1).map(|item| {
            let mut row: Vec<String> = item.trim_end().lines().map(|line| line.replace("\\-", "-")).collect();
            for (cell, column) in row.iter_mut().zip(&columns).skip(1) {
                let text = cell.trim_end_matches(['.', ';', ':']);
                *cell = text.strip_prefix(&format!("{column}: ")).unwrap_or(text).to_owned();
            }
            row.resize(columns.len(), String::new());
            row
        });
        assert_eq!(items.collect::<Vec<_>>(), lines[2..].iter().map(|row| cells(row)).collect::<Vec<_>>(), "{section}");
    }
}
