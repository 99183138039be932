//! Who grades: the kinds of model, and how a setting names them.

/// Who grades.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// Anthropic's Messages interface, and what imitates it.
    Anthropic(String),
    /// Any server with OpenAI's Chat Completions, and Ollama's own interface.
    Chat(String),
    /// The Claude Code command line; empty for its default model.
    Claude(String),
    /// The Codex command line; empty for its default model.
    Codex(String),
    /// A program of the person's: one JSON object in, the reply out.
    Command,
    /// Nobody.
    Off,
    /// The word matching of the gate: no network, no cost.
    #[default]
    Words,
}

impl Model {
    /// The model a setting names; `None` for none.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        let text = text.trim();
        let (kind, name) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim().to_owned();
        Some(match (kind, name.is_empty()) {
            ("anthropic", false) => Self::Anthropic(name),
            ("chat", false) => Self::Chat(name),
            ("claude", _) => Self::Claude(name),
            ("codex", _) => Self::Codex(name),
            ("command", true) => Self::Command,
            ("off", true) => Self::Off,
            ("words", true) => Self::Words,
            _ => return None,
        })
    }

    /// As a setting names it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Anthropic(name) => format!("anthropic:{name}"),
            Self::Chat(name) => format!("chat:{name}"),
            Self::Claude(name) => format!("claude:{name}"),
            Self::Codex(name) => format!("codex:{name}"),
            Self::Command => "command".to_owned(),
            Self::Off => "off".to_owned(),
            Self::Words => "words".to_owned(),
        }
    }
}
