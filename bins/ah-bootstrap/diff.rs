//! A unified diff for people: what would be written, made safe to print.

use ah::quote;
use ah::redact::redact;
use std::fmt::Write as _;
use std::path::Path;

/// Lines shown around a change.
const CONTEXT: usize = 3;
/// The longest line that is shown whole, in units of UTF-16.
const WIDEST: usize = 400;
/// Beyond so many changed lines the shortest description is not looked for.
const MOST_EDITS: usize = 2_000;

/// One line of the old text, the new, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Both(usize, usize),
    New(usize),
    Old(usize),
}

/// The diff between a file's bytes now and afterwards; none is no file. Secrets in the lines around are not shown.
pub fn unified(path: &Path, old: Option<&[u8]>, new: Option<&[u8]>) -> String {
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let (old_text, new_text) = (text(old), text(new));
    let (a, b): (Vec<&str>, Vec<&str>) = (old_text.split_inclusive('\n').collect(), new_text.split_inclusive('\n').collect());
    let steps = steps(&a, &b);
    if steps.iter().all(|step| matches!(step, Step::Both(..))) {
        return String::new();
    }
    let name = |is: bool| if is { quote::path(path) } else { "/dev/null".to_owned() };
    let mut out = format!("--- {}\n+++ {}\n", name(old.is_some()), name(new.is_some()));
    for hunk in hunks(&steps) {
        let count = |old: bool| {
            hunk.iter()
                .filter(|step| matches!((step, old), (Step::Both(..), _) | (Step::Old(_), true) | (Step::New(_), false)))
                .count()
        };
        let first = |old: bool| {
            let line = hunk.iter().find_map(|step| match (step, old) {
                (Step::Both(line, _) | Step::Old(line), true) | (Step::Both(_, line) | Step::New(line), false) => Some(line + 1),
                _ => None,
            });
            line.unwrap_or(0)
        };
        let _ = writeln!(out, "@@ -{},{} +{},{} @@", first(true), count(true), first(false), count(false));
        for step in hunk {
            let (sign, line) = match step {
                Step::Both(line, _) => (' ', a[*line]),
                Step::Old(line) => ('-', a[*line]),
                Step::New(line) => ('+', b[*line]),
            };
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let bare = bare.strip_suffix('\r').unwrap_or(bare);
            let _ = writeln!(out, "{sign}{}", quote::block(&redact(bare), WIDEST));
            if !line.ends_with('\n') {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// The steps with some lines around each change, apart where more than that lies between.
fn hunks(steps: &[Step]) -> Vec<&[Step]> {
    let changed: Vec<usize> = (0..steps.len()).filter(|at| !matches!(steps[*at], Step::Both(..))).collect();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for at in changed {
        let (from, to) = (at.saturating_sub(CONTEXT), (at + CONTEXT + 1).min(steps.len()));
        match ranges.last_mut() {
            Some((_, end)) if from <= *end => *end = to,
            _ => ranges.push((from, to)),
        }
    }
    ranges.into_iter().map(|(from, to)| &steps[from..to]).collect()
}

/// How the new lines come from the old, by Myers' shortest edit script ("An O(ND) Difference Algorithm", 1986).
fn steps(a: &[&str], b: &[&str]) -> Vec<Step> {
    let head = a.iter().zip(b).take_while(|(one, other)| one == other).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(one, other)| one == other).count();
    let (inner_a, inner_b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let mut all: Vec<Step> = (0..head).map(|at| Step::Both(at, at)).collect();
    all.extend(inner(inner_a, inner_b).into_iter().map(|step| match step {
        Step::Both(old, new) => Step::Both(old + head, new + head),
        Step::Old(old) => Step::Old(old + head),
        Step::New(new) => Step::New(new + head),
    }));
    all.extend((0..tail).map(|at| Step::Both(a.len() - tail + at, b.len() - tail + at)));
    all
}

fn inner(a: &[&str], b: &[&str]) -> Vec<Step> {
    let (n, m) = (a.len(), b.len());
    let most = (n + m).min(MOST_EDITS);
    let offset = most + 1;
    let mut reach = vec![0usize; 2 * most + 3];
    let mut trace = Vec::new();
    let done = 'search: {
        for d in 0..=most {
            trace.push(reach[offset - d..=offset + d].to_vec());
            for k in (0..=2 * d).step_by(2).map(|step| offset + step - d) {
                let down = k == offset - d || k != offset + d && reach[k - 1] < reach[k + 1];
                let mut x = if down { reach[k + 1] } else { reach[k - 1] + 1 };
                while let (Some(y), true) = ((x + offset).checked_sub(k), x < n) {
                    if y >= m || a[x] != b[y] {
                        break;
                    }
                    x += 1;
                }
                reach[k] = x;
                if x >= n && x + offset >= k + m {
                    break 'search Some(d);
                }
            }
        }
        None
    };
    let Some(last) = done else {
        return (0..n).map(Step::Old).chain((0..m).map(Step::New)).collect();
    };
    let mut steps = Vec::new();
    let (mut x, mut y) = (n, m);
    for d in (1..=last).rev() {
        let before = &trace[d];
        // `before` begins at diagonal -d; those of d-1 lie one further in.
        let at = |k: isize| before[usize::try_from(k + d as isize).unwrap_or(0)];
        let k = x as isize - y as isize;
        let down = k == -(d as isize) || k != d as isize && at(k - 1) < at(k + 1);
        let from_k = if down { k + 1 } else { k - 1 };
        let from_x = at(from_k);
        let from_y = usize::try_from(from_x as isize - from_k).unwrap_or(0);
        while x > from_x && y > from_y {
            x -= 1;
            y -= 1;
            steps.push(Step::Both(x, y));
        }
        if down {
            y -= 1;
            steps.push(Step::New(y));
        } else {
            x -= 1;
            steps.push(Step::Old(x));
        }
    }
    while x > 0 && y > 0 {
        x -= 1;
        y -= 1;
        steps.push(Step::Both(x, y));
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_leads_from_one_to_the_other() {
        let texts =
            ["", "a\n", "a\nb\nc\n", "a\nx\nc\n", "c\nb\na\n", "x\ny\nz\na\nb\nc\nd", "b\nb\nb\n", "a\nb\nc\nd\ne\nf\ng\nh\n"];
        for one in texts {
            for other in texts {
                let (a, b): (Vec<&str>, Vec<&str>) = (one.split_inclusive('\n').collect(), other.split_inclusive('\n').collect());
                let (mut old, mut new) = (String::new(), String::new());
                for step in steps(&a, &b) {
                    match step {
                        Step::Both(x, y) => {
                            assert_eq!(a[x], b[y]);
                            old.push_str(a[x]);
                            new.push_str(b[y]);
                        }
                        Step::Old(x) => old.push_str(a[x]),
                        Step::New(y) => new.push_str(b[y]),
                    }
                }
                assert_eq!((&*old, &*new), (one, other));
            }
        }
    }

    #[test]
    fn it_is_what_patch_reads() {
        let old = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = b"1\n2\n3\n4\nnew\n5\n6\n7\n8\n9\n";
        let text = unified(Path::new("/f"), Some(old), Some(new));
        assert_eq!(text, "--- /f\n+++ /f\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n");
        assert_eq!(
            unified(Path::new("/f"), None, Some(b"x")),
            "--- /dev/null\n+++ /f\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n"
        );
        assert_eq!(unified(Path::new("/f"), Some(old), Some(old)), "");
    }
}
