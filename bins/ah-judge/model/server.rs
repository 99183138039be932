//! A model behind HTTP: the request in the shape that the server takes, tried again where that helps.

use super::call::Heard;
use super::http::{self, Answer, Post};
use super::json::mended;
use super::reason::{Code, Reason};
use super::shape::Shape;
use crate::settings::Judge;
use ah::clock::Deadline;
use serde::Deserialize;
use std::time::Duration;

/// An interface of a kind of server.
pub trait Api {
    /// Fields that a server may not know and that can be left out.
    fn optional(&self) -> &'static [&'static str];
    /// The request.
    fn post(&self, shape: &Shape) -> Post;
    /// What an answer with a good status says.
    fn read(&self, body: &[u8]) -> Heard;
}

/// Requests in all: three forms, a few fields, one trial more.
const MOST: usize = 7;
/// The shortest pause before a second trial, where the server names none.
const PAUSE: Duration = Duration::from_millis(500);
/// Less than this is no time to ask anything.
const LEAST: Duration = Duration::from_millis(300);

/// Asks. `shape` is what is known of the server, and is brought up to date.
pub fn ask(api: &dyn Api, settings: &Judge, shape: &mut Shape, deadline: Deadline) -> Heard {
    let mut tried = false;
    for _ in 0..MOST {
        if deadline.left() < LEAST {
            break;
        }
        let (reason, again, wait) = match http::post(settings, &api.post(shape), deadline) {
            Ok(answer) if (200..300).contains(&answer.status) => {
                return api.read(mended(&String::from_utf8_lossy(&answer.body)).as_bytes());
            }
            Ok(answer) if matches!(answer.status, 400 | 422) && shape.lower(&message(&answer.body), api.optional()) => continue,
            Ok(answer) => {
                let (reason, again) = refused(&answer);
                (reason, answer.again.unwrap_or(again), answer.after_ms.map(Duration::from_millis))
            }
            Err(fault) => (fault.reason, fault.again, None),
        };
        let wait = wait.unwrap_or_else(|| PAUSE + jitter());
        if tried || !again || wait + LEAST > deadline.left() {
            return reason.into();
        }
        tried = true;
        std::thread::sleep(wait);
    }
    Reason::new(Code::Timeout, "no time was left to ask".to_owned()).into()
}

/// Up to half of the pause, so that hooks that failed together do not come back together.
fn jitter() -> Duration {
    Duration::from_millis(u64::from(std::process::id()) * 37 % 250)
}

/// What a bad status means, and whether the same may be sent again.
fn refused(answer: &Answer) -> (Reason, bool) {
    let message = message(&answer.body);
    let lower = message.to_lowercase();
    let empty = ["insufficient_quota", "billing_error", "credit balance"].iter().any(|word| lower.contains(word));
    let (code, again) = match answer.status {
        401 | 403 => (Code::Auth, false),
        402 => (Code::Quota, false),
        429 if empty => (Code::Quota, false),
        404 => (Code::NoModel, false),
        429 => (Code::Rate, true),
        408 | 409 | 500 | 502 | 503 | 504 | 529 => (Code::Server, true),
        500.. => (Code::Server, false),
        _ if empty => (Code::Quota, false),
        _ => (Code::Status, false),
    };
    let text = format!("status {}: {}", answer.status, if message.is_empty() { "no message" } else { &message });
    (Reason::new(code, text).after(answer.after_ms), again)
}

/// What an error says: the words of the usual forms, else the beginning of the body.
fn message(body: &[u8]) -> String {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Error {
        Text(String),
        Parts {
            #[serde(default)]
            code: serde_json::Value,
            #[serde(default)]
            message: String,
            #[serde(default, rename = "type")]
            kind: String,
        },
    }
    #[derive(Deserialize)]
    struct Body {
        #[serde(alias = "detail", alias = "message")]
        error: Error,
    }
    match serde_json::from_slice::<Body>(body) {
        Ok(Body { error: Error::Text(text) }) => text,
        Ok(Body { error: Error::Parts { code, message, kind } }) => {
            let code = code.as_str().unwrap_or_default();
            [kind.as_str(), code, &message].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
        }
        Err(_) => String::from_utf8_lossy(&body[..body.len().min(400)]).trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn errors_are_read_in_any_form() {
        for (body, text) in [
            (r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#, "overloaded_error: m"),
            (r#"{"error":{"code":"insufficient_quota","message":"m","type":"t","param":null}}"#, "t: insufficient_quota: m"),
            (r#"{"error":{"code":429,"status":"X","message":"m"}}"#, "m"),
            (r#"{"error":"m"}"#, "m"),
            (r#"{"detail":"m"}"#, "m"),
            ("<html>", "<html>"),
            ("", ""),
        ] {
            assert_eq!(message(body.as_bytes()), text);
        }
    }
}
