//! The text of `--help` and `--version`.

use super::{Cli, Flag};
use std::fmt::Write as _;

impl Flag {
    /// `-h, --help` or `    --event NAME`, as the help shows it.
    fn shown(&self) -> String {
        let short = self.short.map_or_else(|| "    ".to_owned(), |short| format!("-{short}, "));
        let value = self.value.map(|value| format!(" {value}")).unwrap_or_default();
        format!("{short}--{}{value}", self.long)
    }
}

impl Cli {
    /// The text of `--help`.
    #[must_use]
    pub fn help(&self) -> String {
        let mut text = format!("{}: {}\n\n{}", self.name, self.about, self.usage());
        let commands = self.commands.iter().map(|c| (format!("{} {}", c.name, c.args).trim_end().to_owned(), c.help));
        section(&mut text, "Commands", commands.collect());
        section(&mut text, "Flags", self.flags.iter().map(|flag| (flag.shown(), flag.help)).collect());
        let _ = writeln!(text, "\nManual: {}(1)", self.name);
        text
    }

    /// The text of `--version`.
    #[must_use]
    pub fn version(&self) -> String {
        format!("{} {}\n", self.name, env!("CARGO_PKG_VERSION"))
    }

    /// The ways to call it, a line each.
    pub(super) fn usage(&self) -> String {
        let mut text = String::new();
        for (nth, usage) in self.usage.iter().enumerate() {
            let word = if nth == 0 { "Usage:" } else { "      " };
            let _ = writeln!(text, "{word} {} {usage}", self.name);
        }
        text
    }
}

/// Two columns; where the left one is too wide, the right one goes below it.
fn section(text: &mut String, title: &str, rows: Vec<(String, &str)>) {
    const WIDEST: usize = 28;
    if rows.is_empty() {
        return;
    }
    let width = rows.iter().map(|(left, _)| left.chars().count()).filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let _ = write!(text, "\n{title}:\n");
    for (left, right) in rows {
        if left.chars().count() > width {
            let _ = writeln!(text, "  {left}\n  {:width$}  {right}", "");
        } else {
            let _ = writeln!(text, "  {left:width$}  {right}");
        }
    }
}
