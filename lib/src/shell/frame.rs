//! What holds for every command in a part of the tree.

use super::command::{Command, Place, Redirect, Stdin};
use super::machine::Machine;
use super::walk::Walker;
use super::world::ENTRY;

/// What holds for every command in a part of the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub redirects: Vec<Redirect>,
    /// A text may have holes.
    pub stdin: Stdin,
    pub piped: bool,
    pub place: Place,
    pub via: Vec<String>,
    /// The span of the text's commands in the line as typed, where the text is not that line.
    pub span: Option<(usize, usize)>,
}

impl Frame {
    /// How much copying it costs, in entries, beyond what any command costs.
    pub fn weight(&self) -> usize {
        let text = match &self.stdin {
            Stdin::Text(text) => text.len() / ENTRY,
            _ => 0,
        };
        text + self.redirects.len() / 2 + self.via.len() / 4
    }

    /// What holds inside a command that runs other commands.
    pub fn inside(command: &Command, via: &str) -> Self {
        let mut names = command.via.clone();
        if !via.is_empty() {
            names.push(via.to_owned());
        }
        Self {
            redirects: command.redirects.clone(),
            stdin: command.stdin.clone(),
            piped: command.piped,
            place: command.place,
            via: names,
            span: Some(command.span),
        }
    }
}

impl<M: Machine> Walker<'_, M> {
    /// A copy of a frame, paid for.
    pub fn copy_frame(&self, frame: &Frame) -> Frame {
        self.copy(frame.weight());
        frame.clone()
    }
}
