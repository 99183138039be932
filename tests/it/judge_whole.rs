//! Gate and judge together, as they are registered: each event goes to both, a stop through the pipeline.

use crate::judge_desk::{Desk, JUDGE};
use serde_json::{Value, json};
use std::ops::{Deref, DerefMut};

/// The gate.
pub const GATE: &str = env!("CARGO_BIN_EXE_ah-prefilter");

/// A desk whose events the real recorder records.
pub struct Whole(pub Desk);

impl Whole {
    /// A desk with the sixty golden lessons.
    pub fn new() -> Self {
        Self(Desk::new())
    }

    /// A prompt of the person: recorded, then what the judge hands over.
    pub fn prompt(&self, text: &str) -> Value {
        self.both("UserPromptSubmit", &json!({"prompt": text}))
    }

    /// A tool call that has run: recorded, then what the judge hands over.
    pub fn tool(&self, fields: &Value) -> Value {
        self.both("PostToolUse", fields)
    }

    /// An event for both.
    pub fn both(&self, name: &str, fields: &Value) -> Value {
        let event = self.event(name, fields);
        assert_eq!(self.hook(GATE, &[], &event), Value::Null);
        self.hook(JUDGE, &[], &event)
    }

    /// The agent wants to stop: the pipeline's answer.
    pub fn stop(&self, message: &str) -> Value {
        self.stop_with(&json!({"last_assistant_message": message, "stop_hook_active": false}))
    }

    /// The same with other fields.
    pub fn stop_with(&self, fields: &Value) -> Value {
        let event = self.event("Stop", fields);
        let gate = self.start(GATE, &["--pass", "--harness", self.harness], &event).wait_with_output().unwrap();
        assert!(gate.status.success() && gate.stderr.is_empty(), "{gate:?}");
        self.hook(JUDGE, &[], &String::from_utf8(gate.stdout).unwrap())
    }
}

impl Deref for Whole {
    type Target = Desk;

    fn deref(&self) -> &Desk {
        &self.0
    }
}

impl DerefMut for Whole {
    fn deref_mut(&mut self) -> &mut Desk {
        &mut self.0
    }
}
