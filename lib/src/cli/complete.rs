//! Completions for bash, zsh and fish, from the table.

use super::{Cli, Flag};
use std::fmt::Write as _;

impl Cli {
    /// A completion script for `shell`, which is `bash`, `zsh` or `fish`; `None` for any other.
    #[must_use]
    pub fn completions(&self, shell: &str) -> Option<String> {
        match shell {
            "bash" => Some(self.bash()),
            "zsh" => Some(self.zsh()),
            "fish" => Some(self.fish()),
            _ => None,
        }
    }

    fn bash(&self) -> String {
        let (name, function) = (self.name, self.function());
        let commands: Vec<&str> = self.commands.iter().map(|command| command.name).collect();
        let flags: Vec<String> = self.flags.iter().flat_map(dashed).collect();
        let mut choices = String::new();
        for flag in self.flags {
            if let Some(value) = flag.value {
                // A value without a choice is left to file names, which `-o default` gives.
                let words = if value.contains('|') { value.replace('|', " ") } else { String::new() };
                let _ = writeln!(choices, "    --{}) COMPREPLY=($(compgen -W '{words}' -- \"$word\")); return ;;", flag.long);
            }
        }
        format!(
            "# bash completion for {name}\n\
            {function}() {{\n  \
              local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n  \
              COMPREPLY=()\n  \
              case $before in\n{choices}  esac\n  \
              case $word in\n    \
                -*) COMPREPLY=($(compgen -W '{flags}' -- \"$word\")) ;;\n    \
                *) if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W '{commands}' -- \"$word\")); fi ;;\n  \
              esac\n\
            }}\n\
            complete -o default -F {function} {name}\n",
            flags = flags.join(" "),
            commands = commands.join(" "),
        )
    }

    fn zsh(&self) -> String {
        let (name, function) = (self.name, self.function());
        let mut text = format!("#compdef {name}\n{function}() {{\n  local -a commands\n  commands=(\n");
        for command in self.commands {
            let _ = writeln!(text, "    {}", single(&format!("{}:{}", command.name, command.help)));
        }
        text.push_str("  )\n  _arguments \\\n");
        for flag in self.flags {
            let help = flag.help.replace('[', "\\[").replace(']', "\\]").replace(':', "\\:");
            let value = match flag.value {
                Some(value) if value.contains('|') => {
                    format!(":{}:({})", flag.long, value.replace('|', " "))
                }
                Some(value) => format!(":{value}:_files"),
                None => String::new(),
            };
            for dashed in dashed(flag) {
                let _ = writeln!(text, "    {} \\", single(&format!("{dashed}[{help}]{value}")));
            }
        }
        let _ = write!(
            text,
            "    '1: :{{_describe command commands}}' \\\n    '*:argument:_files'\n}}\n\
            if [ \"$funcstack[1]\" = {function} ]; then\n  {function} \"$@\"\nelse\n  compdef {function} {name}\nfi\n"
        );
        text
    }

    fn fish(&self) -> String {
        let name = self.name;
        let mut text = format!("# fish completion for {name}\n");
        for command in self.commands {
            let help = fish_single(command.help);
            let _ = writeln!(text, "complete -c {name} -n __fish_use_subcommand -f -a {} -d {help}", command.name);
        }
        for flag in self.flags {
            let short = flag.short.map(|short| format!(" -s {short}")).unwrap_or_default();
            let value = match flag.value {
                Some(value) if value.contains('|') => {
                    format!(" -x -a '{}'", value.replace('|', " "))
                }
                Some(_) => " -r".to_owned(),
                None => String::new(),
            };
            let _ = writeln!(text, "complete -c {name} -l {}{short}{value} -d {}", flag.long, fish_single(flag.help));
        }
        text
    }

    /// A shell function's name for this program.
    fn function(&self) -> String {
        format!("_{}", self.name.replace('-', "_"))
    }
}

fn dashed(flag: &Flag) -> Vec<String> {
    let short = flag.short.map(|short| format!("-{short}"));
    short.into_iter().chain([format!("--{}", flag.long)]).collect()
}

/// In single quotes, for shells in which nothing escapes a quote inside them.
fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// In single quotes, for fish, where a backslash escapes inside them.
fn fish_single(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
