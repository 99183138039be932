//! The key of a server: from a private file or the environment, and nowhere else.

use super::http;
use super::reason::{Code, Reason};
use crate::settings::{Judge, Model};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The longest key, in bytes.
const MOST: u64 = 8 << 10;
/// The variable that holds the key of any server.
const OURS: &str = "AH_JUDGE_KEY";

/// A key.
#[derive(Clone, PartialEq, Eq)]
pub enum Key {
    /// Sent as `authorization: Bearer`, whatever the interface.
    Bearer(String),
    /// There is none, and none may be needed.
    None,
    /// Sent as the interface sends keys.
    Plain(String),
}

impl Key {
    /// The key for the model of these settings.
    ///
    /// # Errors
    /// There is none where one is needed; its file cannot be read, or others could read it too.
    pub fn of(settings: &Judge, look: &dyn Fn(&str) -> Option<String>) -> Result<Self, Reason> {
        let set = |name: &str| look(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        if let Some(file) = &settings.key_file {
            return Self::checked(file_key(file)?);
        }
        if let Some(key) = set(OURS) {
            return Self::checked(key);
        }
        // A key of a vendor goes to that vendor only.
        let (base, key, token) = match settings.model {
            Model::Anthropic(_) => (super::anthropic::BASE, "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
            _ => (super::chat::BASE, "OPENAI_API_KEY", ""),
        };
        let own = http::host(settings.base_url.as_deref().unwrap_or(base)) == http::host(base);
        let sent = settings.headers.iter().any(|(name, _)| matches!(name.as_str(), "authorization" | "x-api-key" | "api-key"));
        if !own || sent {
            return Ok(Self::None);
        }
        if let Some(key) = set(key) {
            return Self::checked(key);
        }
        if let Some(token) = set(token) {
            return Self::checked(token).map(|key| Self::Bearer(key.secret().to_owned()));
        }
        Err(Reason::new(Code::Key, format!("no key: neither judge.key_file nor {OURS} nor {key} is set")))
    }

    /// The key itself, to be kept out of what is said.
    pub fn secret(&self) -> &str {
        match self {
            Self::Bearer(key) | Self::Plain(key) => key,
            Self::None => "",
        }
    }

    fn checked(key: String) -> Result<Self, Reason> {
        if key.bytes().all(|b| b.is_ascii_graphic()) {
            return Ok(Self::Plain(key));
        }
        Err(Reason::new(Code::Key, "the key has characters that no key has".to_owned()))
    }
}

fn file_key(file: &Path) -> Result<String, Reason> {
    let wrong = |what: String| Reason::new(Code::Key, format!("key file: {}: {what}", ah::quote::path(file)));
    let meta = std::fs::metadata(file).map_err(|error| wrong(error.to_string()))?;
    if meta.mode() & 0o077 != 0 {
        return Err(wrong(format!("others may read it (mode {:03o}); chmod 600 it", meta.mode() & 0o777)));
    }
    let bytes = ah::fs::read(file, MOST).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("not text".to_owned()))?;
    let key = text.trim();
    if key.is_empty() {
        return Err(wrong("empty".to_owned()));
    }
    Ok(key.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn of(model: &str, base: Option<&str>, set: &[(&str, &str)]) -> Result<Key, Code> {
        let settings = Judge { base_url: base.map(str::to_owned), model: Model::named(model).unwrap(), ..Judge::default() };
        let look = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Key::of(&settings, &look).map_err(|reason| reason.code)
    }

    #[test]
    fn a_vendors_key_goes_to_the_vendor_only() {
        let both = [("ANTHROPIC_API_KEY", "a-key"), ("OPENAI_API_KEY", "o-key\n")];
        assert!(of("anthropic:m", None, &both) == Ok(Key::Plain("a-key".into())));
        assert!(of("chat:m", None, &both) == Ok(Key::Plain("o-key".into())));
        assert!(of("chat:m", Some("http://127.0.0.1:1/v1"), &both) == Ok(Key::None));
        assert!(of("anthropic:m", Some("https://api.anthropic.com.evil.example"), &both) == Ok(Key::None));
        assert!(of("chat:m", Some("https://gateway.example"), &[(OURS, "k")]) == Ok(Key::Plain("k".into())));
        assert!(of("anthropic:m", None, &[("ANTHROPIC_AUTH_TOKEN", "t")]) == Ok(Key::Bearer("t".into())));
        assert!(of("anthropic:m", None, &[]) == Err(Code::Key));
        assert!(of("chat:m", None, &[(OURS, "two\nlines")]) == Err(Code::Key));
    }

    #[test]
    fn a_key_file_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("key");
        std::fs::write(&file, "sk-secret\n").unwrap();
        let settings = Judge { key_file: Some(file.clone()), ..Judge::default() };
        let read = |mode| {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            Key::of(&settings, &|_| None)
        };
        assert!(read(0o600) == Ok(Key::Plain("sk-secret".into())));
        for mode in [0o640, 0o604, 0o666] {
            let reason = read(mode).err().unwrap();
            assert!(reason.code == Code::Key && !reason.text.contains("sk-secret"), "{}", reason.text);
        }
    }
}
