//! Why a model call gave nothing, and what that means for the next one.

use ah::quote;
use ah::redact::redact;

/// What kind of failure it was; the word is what the records say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The program is not there, or cannot be started.
    Absent,
    /// The key was refused, or the account may not.
    Auth,
    /// A failure before; it is left alone for a while.
    Breaker,
    /// A cap would be passed.
    Budget,
    /// The settings are wrong.
    Config,
    /// The server cut the prompt.
    Context,
    /// The reply reached its length and was cut.
    Cut,
    /// The key is missing, or its file is open to others.
    Key,
    /// The server could not be reached, or closed.
    Network,
    /// JSON without a list of lessons.
    NoApplies,
    /// No JSON.
    NoJson,
    /// There is no such model.
    NoModel,
    /// A person switched it off.
    Off,
    /// The program failed, or said nothing.
    Program,
    /// The account is empty.
    Quota,
    /// Too many requests.
    Rate,
    /// The model declined.
    Refusal,
    /// The server says that it failed.
    Server,
    /// The request was not accepted.
    Status,
    /// Time is up.
    Timeout,
    /// The certificate is not trusted, or it is no TLS.
    Tls,
    /// More than any reply needs.
    TooLarge,
}

impl Code {
    /// As records have it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Auth => "auth",
            Self::Breaker => "breaker",
            Self::Budget => "budget",
            Self::Config => "config",
            Self::Context => "context",
            Self::Cut => "cut",
            Self::Key => "key",
            Self::Network => "network",
            Self::NoApplies => "no_applies",
            Self::NoJson => "no_json",
            Self::NoModel => "no_model",
            Self::Off => "off",
            Self::Program => "program",
            Self::Quota => "quota",
            Self::Rate => "rate",
            Self::Refusal => "refusal",
            Self::Server => "server",
            Self::Status => "status",
            Self::Timeout => "timeout",
            Self::Tls => "tls",
            Self::TooLarge => "too_large",
        }
    }

    /// For how long it is pointless to try again, in milliseconds, as far as the kind of failure says; `None` where
    /// only failing again and again says so.
    #[must_use]
    pub fn pause_ms(self) -> Option<u64> {
        match self {
            // Somebody must do something first.
            Self::Auth | Self::NoModel | Self::Quota => Some(30 * 60_000),
            _ => None,
        }
    }

    /// Whether it was the model's or the server's doing: those are counted.
    #[must_use]
    pub fn counts(self) -> bool {
        !matches!(self, Self::Breaker | Self::Budget | Self::Config | Self::Key | Self::Off | Self::Refusal)
    }
}

/// Why a model call gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What kind of failure.
    pub code: Code,
    /// For how long it is pointless to try again, in milliseconds, where the server said so.
    pub pause_ms: Option<u64>,
    /// What failed, in a line without secrets.
    pub text: String,
}

impl Reason {
    /// A reason; what `text` has of others is made one safe line without secrets.
    #[must_use]
    pub fn new(code: Code, text: String) -> Self {
        Self { code, pause_ms: code.pause_ms(), text: quote::line(&redact(&text), 300) }
    }

    /// The same, not before so many milliseconds.
    #[must_use]
    pub fn after(mut self, pause_ms: Option<u64>) -> Self {
        self.pause_ms = pause_ms.or(self.pause_ms);
        self
    }

    /// The same without a text that must not be seen.
    #[must_use]
    pub fn without(mut self, secret: &str) -> Self {
        if secret.len() >= 4 {
            self.text = self.text.replace(secret, ah::redact::MARK);
        }
        self
    }
}
