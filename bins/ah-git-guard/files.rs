//! Programs that remove, move or replace files, told in one vocabulary: what happens to which path.

use crate::options::{Options, Spec};
use ah::patch::{PatchFile, PatchKind};
use ah::shell::{Command, Redirect, RedirectKind, Stdin, Word};

/// What happens to a path. Editing in place is none of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is gone afterwards, with everything below it.
    Remove(Word),
    /// It is gone afterwards if it is no directory.
    Unlink(Word),
    /// Its content is another one afterwards.
    Replace(Word),
    /// It goes to another name (or into a directory of that name), over what is there unless that is kept.
    Move { from: Word, to: Word, over: bool },
    /// The same, and stays where it was.
    Copy { from: Word, to: Word },
    /// It loses its execute bit.
    Disarm(Word),
    /// Everything below it that the other side lacks goes.
    Mirror { from: Word, to: Word },
    /// The Write tool: new content that the agent has thought about.
    Write(Word),
    /// Edited in place: no loss, but some files are not for an agent to edit.
    Edit(Word),
    /// A new, empty or unknown file or directory, if there was none.
    Make(Word),
}

impl Change {
    /// The path it is about, for a message.
    pub fn path(&self) -> &str {
        match self {
            Self::Remove(w)
            | Self::Unlink(w)
            | Self::Replace(w)
            | Self::Disarm(w)
            | Self::Write(w)
            | Self::Edit(w)
            | Self::Make(w) => w.text(),
            Self::Move { from, .. } | Self::Copy { from, .. } | Self::Mirror { from, .. } => from.text(),
        }
    }
}

/// Options of the programs read here; GNU and BSD spellings.
const SPECS: &[(&str, Spec)] = &[
    ("chmod", "R:recursive f:silent v:verbose c:changes :reference="),
    (
        "cp",
        "a:archive b: :backup? f:force i:interactive H: l:link L:dereference n:no-clobber P: p: R:recursive r:recursive s:symbolic-link S:suffix= t:target-directory= T:no-target-directory u:update? v:verbose x: d: Z: :remove-destination :reflink? :sparse= :preserve? :parents",
    ),
    (
        "curl",
        "o:output= O:remote-name X:request= H:header= d:data= F:form= u:user= A:user-agent= e:referer= b:cookie= c:cookie-jar= m:max-time= T:upload-file= w:write-out= x:proxy= s:silent S:show-error L:location f:fail k:insecure",
    ),
    (
        "install",
        "b: :backup? C: d:directory D: g:group= m:mode= o:owner= p: s: S:suffix= t:target-directory= T:no-target-directory v:verbose",
    ),
    (
        "ln",
        "b: :backup? f:force i:interactive n:no-dereference s:symbolic r:relative t:target-directory= T:no-target-directory v:verbose L: P: S:suffix=",
    ),
    ("mkdir", "p:parents m:mode= v:verbose Z:"),
    (
        "mv",
        "b: :backup? f:force i:interactive n:no-clobber S:suffix= t:target-directory= T:no-target-directory u:update? v:verbose Z:",
    ),
    (
        "rm",
        "f:force i: I: r:recursive R:recursive d:dir v:verbose :one-file-system :no-preserve-root :preserve-root? :interactive?",
    ),
    (
        "rsync",
        "a:archive r:recursive v:verbose n:dry-run u:update z:compress e:rsh= :delete :del :delete-before :delete-after :delete-during :delete-excluded :exclude= f:filter= :include= :files-from= b:backup :backup-dir= :ignore-existing :existing",
    ),
    ("shred", "f:force n:iterations= s:size= u:remove? v:verbose x:exact z:zero :random-source="),
    ("tee", "a:append i:ignore-interrupts p: :output-error?"),
    ("touch", "a: c:no-create d:date= m: r:reference= t: h:"),
    ("truncate", "c:no-create o:io-blocks r:reference= s:size="),
    (
        "wget",
        "O:output-document= q:quiet P:directory-prefix= c:continue o:output-file= N:timestamping r:recursive :header= :user=",
    ),
];

/// What a simple command does to files, its redirections first; empty for one that only reads or edits.
pub fn changes(command: &Command) -> Vec<Change> {
    let mut out = redirects(&command.redirects);
    out.extend(edited(command).into_iter().map(Change::Edit));
    let Some(program) = command.program() else { return out };
    let args = &command.words[1..];
    let o = SPECS.binary_search_by_key(&program, |s| s.0).map(|i| Options::read(SPECS[i].1, args));
    let read = o.unwrap_or_default();
    match program {
        "apply_patch" | "applypatch" => {
            let given = match (&command.stdin, args.first()) {
                (_, Some(word)) => word.literal(),
                (Stdin::Text(text), None) => Some(text.as_str()),
                _ => None,
            };
            out.extend(given.map(|text| patched(&ah::patch::files(text))).unwrap_or_default());
        }
        "rm" | "unlink" | "shred" | "del" | "erase" | "srm" | "grm" => {
            // Without -r, rm refuses a directory; what is no POSIX program may have a switch of its own for it.
            let files_only = matches!(program, "shred" | "unlink") || (program == "rm" && !read.has("recursive"));
            let words = if program == "rm" || program == "shred" { read.operands } else { args.to_vec() };
            // rm refuses `.` and `..` by themselves.
            let refused = |w: &Word| matches!(w.text().trim_end_matches('/').rsplit('/').next(), Some("." | ".."));
            let words = words.into_iter().filter(|w| program != "rm" || !refused(w));
            out.extend(words.map(if files_only { Change::Unlink } else { Change::Remove }));
        }
        "mv" | "cp" | "install" | "gmv" | "gcp" => out.extend(transfers(program.trim_start_matches('g'), &read)),
        "ln" => out.extend(links(&read)),
        "tee" | "sponge" if !read.has("append") => out.extend(read.operands.into_iter().map(Change::Replace)),
        "truncate" if !read.value("size").is_some_and(|w| w.text().starts_with(['+', '%', '/'])) => {
            out.extend(read.operands.into_iter().map(Change::Replace))
        }
        "dd" => out.extend(
            args.iter().filter_map(|w| w.literal()?.strip_prefix("of=")).map(|p| Change::Replace(Word::Literal(p.to_owned()))),
        ),
        "curl" => out.extend(read.value("output").cloned().map(Change::Replace)),
        "wget" => out.extend(read.value("output-document").filter(|w| w.literal() != Some("-")).cloned().map(Change::Replace)),
        "mkdir" | "touch" => out.extend(read.operands.into_iter().map(Change::Make)),
        "chmod" => out.extend(disarmed(args)),
        "rsync" if !read.has("dry-run") => out.extend(synced(&read)),
        _ => {}
    }
    out
}

/// What a patch does to its files.
pub fn patched(files: &[PatchFile]) -> Vec<Change> {
    let literal = |p: &str| Word::Literal(p.to_owned());
    let change = |f: &PatchFile| match &f.kind {
        PatchKind::Add => Change::Write(literal(&f.path)),
        PatchKind::Delete => Change::Remove(literal(&f.path)),
        PatchKind::MoveTo(to) => Change::Move { from: literal(&f.path), to: literal(to), over: true },
        PatchKind::Update => Change::Edit(literal(&f.path)),
    };
    files.iter().map(change).collect()
}

/// What the command changes in place: no loss, but not every file is for an agent to edit.
pub fn edited(command: &Command) -> Vec<Word> {
    let appended = command.redirects.iter().filter(|r| matches!(r.kind, RedirectKind::Append | RedirectKind::ReadWrite));
    let mut out: Vec<Word> = appended.map(|r| r.target.clone()).collect();
    let option = |names: &[&str]| command.words[1..].iter().any(|w| names.iter().any(|n| w.text().starts_with(n)));
    let edits = match command.program() {
        Some("sed" | "gsed" | "perl" | "ruby") => option(&["-i", "--in-place", "-pi", "-ni", "-Ei", "-ri", "-pe -i"]),
        Some("tee") => option(&["-a", "--append"]),
        Some("ed" | "ex" | "vi" | "vim" | "nano" | "emacs") => true,
        _ => false,
    };
    if edits {
        out.extend(command.words[1..].iter().filter(|w| !w.text().starts_with('-')).cloned());
    }
    out
}

fn redirects(redirects: &[Redirect]) -> Vec<Change> {
    redirects
        .iter()
        .filter(|r| r.kind == RedirectKind::Write && !r.target.text().starts_with("/dev/"))
        .map(|r| Change::Replace(r.target.clone()))
        .collect()
}

/// `mv`, `cp`, `install`: all but the last operand go to the last, or to `-t`.
fn transfers(program: &str, o: &Options) -> Vec<Change> {
    if program == "install" && o.has("directory") {
        return o.operands.iter().cloned().map(Change::Make).collect();
    }
    let over = !(o.has("no-clobber") || o.has("b") || o.has("backup"));
    if !over && program != "mv" {
        return Vec::new();
    }
    let (to, from) = match (o.value("target-directory"), o.operands.split_last()) {
        (Some(to), _) => (to.clone(), o.operands.as_slice()),
        (None, Some((to, from))) => (to.clone(), from),
        _ => return Vec::new(),
    };
    let make = |from: &Word| match program {
        "mv" => Change::Move { from: from.clone(), to: to.clone(), over },
        _ => Change::Copy { from: from.clone(), to: to.clone() },
    };
    from.iter().map(make).collect()
}

fn links(o: &Options) -> Vec<Change> {
    if !o.has("force") || o.has("b") || o.has("backup") || o.value("target-directory").is_some() {
        return Vec::new();
    }
    match o.operands.as_slice() {
        [_, to] => vec![Change::Replace(to.clone())],
        _ => Vec::new(),
    }
}

/// `chmod -x`, `chmod a-x`, `chmod 644`: the files named.
fn disarmed(args: &[Word]) -> Vec<Change> {
    let Some(at) =
        args.iter().position(|w| w.literal().is_some_and(|t| !t.starts_with("--") && t != "-R" && t != "-v" && t != "-f"))
    else {
        return Vec::new();
    };
    let mode = args[at].text();
    let octal = mode.bytes().all(|b| b.is_ascii_digit()) && !mode.is_empty();
    let off = if octal {
        mode.bytes().all(|b| b.is_ascii_digit() && (b - b'0') & 1 == 0)
    } else {
        mode.split(',').any(|m| {
            m.split_once('-').is_some_and(|(_, bits)| bits.contains('x'))
                || m.split_once('=').is_some_and(|(_, bits)| !bits.contains(['x', 'X']))
        })
    };
    if off { args[at + 1..].iter().cloned().map(Change::Disarm).collect() } else { Vec::new() }
}

fn synced(o: &Options) -> Vec<Change> {
    let Some((to, from)) = o.operands.split_last() else { return Vec::new() };
    let remote = |w: &Word| w.text().split('/').next().is_some_and(|p| p.contains(':'));
    if remote(to) || from.is_empty() {
        return Vec::new();
    }
    let deletes = ["delete", "del", "delete-before", "delete-after", "delete-during", "delete-excluded"].iter().any(|d| o.has(d));
    let backed = o.has("backup") || o.value("backup-dir").is_some();
    let one = |from: &Word| {
        if deletes {
            Change::Mirror { from: from.clone(), to: to.clone() }
        } else {
            Change::Copy { from: from.clone(), to: to.clone() }
        }
    };
    from.iter().filter(|_| !backed).map(one).collect()
}

/// Programs that read a file and print a version of it: what they print still is that content.
pub fn is_filter(program: &str) -> bool {
    matches!(
        program,
        "awk"
            | "base64"
            | "cat"
            | "clang-format"
            | "envsubst"
            | "expand"
            | "fmt"
            | "fold"
            | "gawk"
            | "iconv"
            | "jq"
            | "nl"
            | "perl"
            | "prettier"
            | "sed"
            | "sort"
            | "tac"
            | "tr"
            | "unexpand"
            | "uniq"
            | "yq"
            | "python3"
            | "python"
            | "xmllint"
            | "gofmt"
            | "rustfmt"
            | "black"
    )
}

/// Whether the program, by its name alone, might remove or replace a file: what the survey asks.
pub fn may_change(program: &str) -> bool {
    SPECS.binary_search_by_key(&program, |s| s.0).is_ok()
        || matches!(
            program,
            "apply_patch"
                | "applypatch"
                | "dd"
                | "del"
                | "erase"
                | "find"
                | "gcp"
                | "gmv"
                | "grm"
                | "patch"
                | "sponge"
                | "srm"
                | "tar"
                | "bsdtar"
                | "unlink"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<Change> {
        let words = line.split_whitespace().map(|w| Word::Literal(w.to_owned())).collect();
        changes(&Command { words, ..Command::default() })
    }

    fn lit(text: &str) -> Word {
        Word::Literal(text.to_owned())
    }

    #[test]
    fn removing_and_replacing() {
        assert_eq!(read("rm -rf a -- -b"), [Change::Remove(lit("a")), Change::Remove(lit("-b"))]);
        assert_eq!(read("rm -f a"), [Change::Unlink(lit("a"))]);
        assert_eq!(read("mv -f a b"), [Change::Move { from: lit("a"), to: lit("b"), over: true }]);
        assert_eq!(read("cp -t d a"), [Change::Copy { from: lit("a"), to: lit("d") }]);
        assert_eq!(read("truncate -s 0 f"), [Change::Replace(lit("f"))]);
        assert_eq!(read("dd if=x of=y"), [Change::Replace(lit("y"))]);
        assert_eq!(read("chmod -x h"), [Change::Disarm(lit("h"))]);
        assert_eq!(read("chmod 644 h"), [Change::Disarm(lit("h"))]);
    }

    #[test]
    fn what_keeps_the_content() {
        assert_eq!(read("tee -a f"), [Change::Edit(lit("f"))]);
        assert!(read("cp -n a b").is_empty());
        assert_eq!(read("mv --backup=t a b"), [Change::Move { from: lit("a"), to: lit("b"), over: false }]);
        assert!(read("truncate -s +1K f").is_empty());
        assert!(read("chmod +x f").is_empty());
        assert!(read("ln -s a b").is_empty());
        assert!(read("rsync -n --delete a/ b/").is_empty());
    }
}
