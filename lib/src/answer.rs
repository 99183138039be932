//! The canonical answer of a hook, before a harness's dialect renders it.

/// What a hook wants; each dialect renders or degrades it by its own table (`harness`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    /// Nothing is printed: the normal case.
    #[default]
    Silence,
    /// The tool call must not run; the text says why, to the agent.
    Deny(String),
    /// A person should decide; the text is shown to them.
    Ask(String),
    /// The turn must not end yet; the text is the question (Stop only).
    Block(String),
    /// Text for the agent.
    Context(String),
    /// A line for the person, where the harness has a place for it; never at Stop.
    Note(String),
    /// The tool call runs with this input instead: JSON text of the whole tool input.
    Rewrite(String),
}
