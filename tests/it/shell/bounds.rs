//! Errors, bounds and mutations: no text brings the reader down.

use super::{Recorder, gits, start};
use crate::dice::Dice;
use ah::shell::{Source, walk};

#[test]
fn errors_are_noted_and_the_rest_is_read() {
    for line in [
        "git a; )", "git a; done", "if x; then git a", "git a; echo 'open", "git a \"$(", "git a; ${x", "git a\n((",
        "git a; case x in",
    ] {
        let mut recorder = Recorder::default();
        let walked = walk(line, Source::Shell, &start(true), &mut recorder, ());
        assert!(!walked.unread.is_empty(), "{line}");
        assert!(gits(&recorder).iter().any(|text| text.starts_with("git a")), "{line}: {:?}", gits(&recorder));
    }
    let deep = format!("{}git a{}; git b", "$(".repeat(70), ")".repeat(70));
    let mut recorder = Recorder::default();
    let walked = walk(&deep, Source::Shell, &start(true), &mut recorder, ());
    assert_eq!(walked.unread[0].why, "too deep");
    assert_eq!(gits(&recorder), ["git a", "git b"]);
}

fn unread(line: &str) -> Vec<&'static str> {
    let mut recorder = Recorder::default();
    walk(line, Source::Shell, &start(true), &mut recorder, ()).unread.iter().map(|note| note.why).collect()
}

#[test]
fn bounds_hold() {
    let why = |line: &str| {
        let mut recorder = Recorder::default();
        let walked = walk(line, Source::Shell, &start(true), &mut recorder, ());
        assert!(walked.worlds.len() <= 16, "{} worlds", walked.worlds.len());
        (walked.unread.first().map(|note| note.why), recorder.commands.len())
    };
    assert_eq!(why("f() { f; }; f").0, Some("too deep"));
    assert_eq!(why("f() { f | f; }; f").0, Some("too deep"));
    let rounds = "for i in {1..60}; do ".repeat(4) + "foo; " + &"done; ".repeat(4);
    let (reason, count) = why(&rounds);
    assert_eq!(reason, Some("too many steps"));
    assert!(count <= 12_000);
    // What is neither a command nor text counts, too; nothing may be lost behind it without a word.
    for many in ["a | ", "a && ", "`a` ", "<x ", ">(a) ", "for x in $y; do ", "x=$(a) ", "sh -c a; "] {
        let line = many.repeat(90_000 / many.len()) + "git a";
        let notes = unread(&line);
        assert!(notes.iter().any(|note| note.starts_with("too ")), "{many}: {notes:?}");
    }
    // Errors do not hide that reading stopped for another reason.
    let notes = unread(&(") ".repeat(100) + &"a; ".repeat(20_000)));
    assert!(notes.contains(&"syntax") && notes.contains(&"too many steps"), "{notes:?}");
    assert!(unread(&") ".repeat(30_000)).contains(&"too many steps"));
    assert_eq!(unread(&("git a\n".repeat(5_000) + "git b")), [""; 0]);
    assert_eq!(why(&"x && ".repeat(100)).0, None);
    let doubling = "x=ab; ".to_owned() + &"x=$x$x; ".repeat(60) + "git $x";
    assert_eq!(why(&doubling).0, None);
}

#[test]
fn mutated_lines_never_panic() {
    let corpus = [include_str!("../../data/shell/cases.txt"), include_str!("../../data/shell/nasty.txt")].join("%%\n");
    let seeds: Vec<&str> = corpus.split("%%\n").collect();
    let pieces = [
        "$(", ")", "`", "'", "\"", "${", "}", "<<A\n", "\nA\n", "((", "))", "[[", "]]", "\\", "\0", "é", "|", "&", ";;", "{a,b}",
        "$'", "\n", "<(", "=(", "*", "eval ", "sh -c ", "if ", "done", "case ", "x[", "~", "#", "!",
    ];
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..40_000 {
        let mut line: Vec<char> = seeds[dice.roll(seeds.len())].chars().collect();
        for _ in 0..=dice.roll(4) {
            let at = dice.roll(line.len() + 1);
            match dice.roll(4) {
                0 if at < line.len() => drop(line.remove(at)),
                1 => drop(line.splice(at..at, pieces[dice.roll(pieces.len())].chars())),
                2 => {
                    let other: Vec<char> = seeds[dice.roll(seeds.len())].chars().collect();
                    let from = dice.roll(other.len() + 1);
                    line.splice(at..at, other[from..].iter().copied().take(20));
                }
                _ => line.truncate(at.max(1)),
            }
        }
        let line: String = line.into_iter().collect();
        for source in [Source::Shell, Source::PowerShell] {
            let _ = walk(&line, source, &start(true), &mut Recorder::default(), ());
        }
    }
}
