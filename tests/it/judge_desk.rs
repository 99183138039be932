//! A home, a repository and a scripted model behind the judge, for its tests.

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// The recorder and gate.
pub const GATE: &str = env!("CARGO_BIN_EXE_ah-prefilter");
/// The judge.
pub const JUDGE: &str = env!("CARGO_BIN_EXE_ah-judge");

/// A fresh home in which the model is a script.
pub struct Desk {
    top: TempDir,
    /// Further variables of every hook.
    pub env: Vec<(String, String)>,
    /// The real recorder and gate run before the judge; else their records are written here, and every turn is open.
    pub gate: bool,
    /// Whose events these are.
    pub harness: &'static str,
    /// The session's id.
    pub session: String,
}

impl Desk {
    /// A repository `w`, the sixty golden lessons, and a model that says that nothing applies.
    pub fn new() -> Self {
        let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden/inputs/lessons60.jsonl");
        Self::with(&fs::read_to_string(golden).unwrap())
    }

    /// The same with these lessons.
    pub fn with(lessons: &str) -> Self {
        let desk =
            Self { top: TempDir::new().unwrap(), env: Vec::new(), gate: false, harness: "claude", session: "sess-1".into() };
        for dir in ["home", "w/.git", "ah/config", "ah/data/collectives/team", "ah/state"] {
            fs::create_dir_all(desk.path(dir)).unwrap();
        }
        fs::write(desk.path("w/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(desk.path("w/.git/config"), "[core]\n").unwrap();
        fs::write(desk.path("ah/data/collectives/team/lessons.jsonl"), lessons).unwrap();
        // What it was asked is kept; the count of calls is the number of those files.
        let script = format!(
            "#!/bin/sh\ncat > {top}/call.$$\nmv {top}/call.$$ {top}/asked.$(date +%s%N)\n[ -f {top}/slow ] && sleep \"$(cat {top}/slow)\"\nexec cat {top}/reply\n",
            top = desk.top.path().display()
        );
        fs::write(desk.path("model"), script).unwrap();
        fs::set_permissions(desk.path("model"), fs::Permissions::from_mode(0o755)).unwrap();
        desk.reply(&[]);
        desk.settings(&json!({}));
        desk
    }

    /// A path below its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.top.path().canonicalize().unwrap().join(name)
    }

    /// The judge's settings, over the ones that every test has.
    pub fn settings(&self, judge: &Value) {
        let mut section = json!({"model": "command", "command": [self.path("model")], "timeout_s": 20});
        for (key, value) in judge.as_object().unwrap() {
            section[key] = value.clone();
        }
        let config = json!({"collectives": [{"name": "team", "paths": [self.path("w")]}], "judge": section});
        fs::write(self.path("ah/config/config.json"), config.to_string()).unwrap();
    }

    /// What the model says from now on: lessons with their grades.
    pub fn reply(&self, applies: &[(&str, u8)]) {
        let applies: Vec<Value> = applies.iter().map(|(id, grade)| json!({"id": id, "why": "w", "grade": grade})).collect();
        self.say(&json!({"moves": ["hold a lock"], "applies": applies, "resolved": []}).to_string());
    }

    /// What the model prints from now on.
    pub fn say(&self, text: &str) {
        fs::write(self.path("reply"), text).unwrap();
    }

    /// What the model was asked, in order.
    pub fn calls(&self) -> Vec<Value> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.top.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.file_name().unwrap().to_string_lossy().starts_with("asked."));
        files.sort();
        files.iter().map(|file| serde_json::from_slice(&fs::read(file).unwrap()).unwrap()).collect()
    }

    /// A program in its environment.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.path("home"));
        for (kind, folder) in [("CONFIG", "config"), ("DATA", "data"), ("STATE", "state")] {
            command.env(format!("AH_{kind}_HOME"), self.path("ah").join(folder));
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value))).current_dir(self.path("w"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// An event of the session with what `fields` say.
    pub fn event(&self, name: &str, fields: &Value) -> String {
        let mut event =
            json!({"hook_event_name": name, "session_id": self.session, "cwd": self.path("w"), "permission_mode": "default"});
        for (key, value) in fields.as_object().unwrap() {
            event[key] = value.clone();
        }
        event.to_string()
    }

    /// Starts a program with an input.
    pub fn start(&self, program: &str, args: &[&str], input: &str) -> Child {
        let mut child = self.command(program).args(args).spawn().unwrap();
        // One that leaves at once does not read it.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child
    }

    /// Runs a hook that must be quiet and succeed; what it answers, null for silence.
    pub fn hook(&self, program: &str, args: &[&str], input: &str) -> Value {
        let done = self.start(program, &[&["--harness", self.harness], args].concat(), input).wait_with_output().unwrap();
        assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
        answer(&done)
    }

    /// Appends records as the recorder does.
    pub fn record(&self, records: &[Value]) {
        let folder = self.path("ah/state/sessions");
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("{}.jsonl", self.session));
        let mut bytes = fs::read(&file).unwrap_or_default();
        let mut text = match bytes.last() {
            None => json!({"v": 1, "t": 1, "session": self.session, "scope": "team"}).to_string() + "\n",
            Some(b'\n') => String::new(),
            Some(_) => "\n".to_owned(),
        };
        for record in records {
            let mut line = json!({"t": now(), "key": ""});
            for (key, value) in record.as_object().unwrap() {
                line[key] = value.clone();
            }
            // Readers look for the kind near the beginning of a line.
            let (t, kind, key) = (line["t"].take(), line["k"].take(), line["key"].take());
            let rest = line.to_string();
            let fields: Vec<String> = serde_json::from_str::<serde_json::Map<String, Value>>(&rest)
                .unwrap()
                .into_iter()
                .filter(|(name, _)| !["t", "k", "key"].contains(&name.as_str()))
                .map(|(name, value)| format!(",{}:{value}", Value::String(name)))
                .collect();
            text += &format!("{{\"t\":{t},\"k\":{kind},\"key\":{key}{}}}\n", fields.concat());
        }
        bytes.extend(text.bytes());
        fs::write(&file, bytes).unwrap();
    }

    /// Has an event recorded: by the real recorder, or as this record.
    fn recorded(&self, event: &str, record: &Value) {
        if self.gate {
            assert_eq!(self.hook(GATE, &[], event), Value::Null);
        } else {
            self.record(std::slice::from_ref(record));
        }
    }

    /// A prompt of the person: recorded, then what the judge hands over.
    pub fn prompt(&self, text: &str) -> Value {
        let event = self.event("UserPromptSubmit", &json!({"prompt": text}));
        self.recorded(&event, &json!({"k": "prompt", "text": text}));
        self.hook(JUDGE, &[], &event)
    }

    /// A tool call that has run: what the judge hands over.
    pub fn tool(&self, fields: &Value) -> Value {
        let mut event = json!({"tool_name": "Read", "tool_input": {"file_path": "a.rs"}});
        for (key, value) in fields.as_object().unwrap() {
            event[key] = value.clone();
        }
        let event = self.event("PostToolUse", &event);
        self.recorded(&event, &json!({"k": "touch", "tool": "Read", "text": "a.rs", "paths": ["a.rs"]}));
        self.hook(JUDGE, &[], &event)
    }

    /// The agent wants to stop: what the gate and the judge behind it answer.
    pub fn stop(&self, message: &str) -> Value {
        if !self.gate {
            return self.hook(JUDGE, &[], &self.open(message));
        }
        self.piped(&json!({"last_assistant_message": message, "stop_hook_active": false}))
    }

    /// A stop through the pipe of gate and judge.
    fn piped(&self, fields: &Value) -> Value {
        let args = ["--pass", "--harness", self.harness];
        let gate = self.start(GATE, &args, &self.event("Stop", fields)).wait_with_output().unwrap();
        assert!(gate.status.success() && gate.stderr.is_empty(), "{gate:?}");
        self.hook(JUDGE, &[], &String::from_utf8(gate.stdout).unwrap())
    }

    /// The event of such a stop, as the gate passes it on once the turn is closed.
    pub fn open(&self, message: &str) -> String {
        let key = format!("stop:{}", self.records("open").len() + 1);
        self.record(&[
            json!({"k": "final", "key": key, "text": message}),
            json!({"k": "open", "key": key, "why": "score", "score": 1.0, "threshold": 0.5, "shortlist": []}),
        ]);
        let ah = json!({"score": 1.0, "threshold": 0.5, "why": "score", "shortlist": [], "open": key});
        self.event("Stop", &json!({"last_assistant_message": message, "stop_hook_active": false, "ah": ah}))
    }

    /// The stop after a question.
    pub fn stop_again(&self, message: &str) -> Value {
        let fields = json!({"last_assistant_message": message, "stop_hook_active": true});
        if self.gate {
            return self.piped(&fields);
        }
        self.hook(JUDGE, &[], &self.event("Stop", &fields))
    }

    /// Runs the judge as a person would, on a terminal of its own; `WORD` in the answer is the word that is asked for.
    /// What was shown, and the code; `None` without python3.
    pub fn at_terminal(&self, answer: &str, args: &[&str]) -> Option<(String, i32)> {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/terminal.py");
        let out = self.command("python3").arg(script).arg(answer).arg(JUDGE).args(args).stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let (shown, code) = text.trim_end().rsplit_once("\nexit ").expect("a code");
        Some((shown.to_owned(), code.parse().unwrap()))
    }

    /// The session's log, without line 1.
    pub fn log(&self) -> Vec<Value> {
        let folder = self.path("ah/state/sessions");
        let file = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let file = file.into_iter().find(|file| file.extension().is_some_and(|end| end == "jsonl"));
        let text = file.map(|file| fs::read_to_string(file).unwrap()).unwrap_or_default();
        text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The records of a kind.
    pub fn records(&self, kind: &str) -> Vec<Value> {
        self.log().into_iter().filter(|line| line["k"] == kind).collect()
    }

    /// The failure log's texts.
    pub fn failures(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("ah/state/log.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["what"].as_str().unwrap().to_owned()).collect()
    }
}

/// Milliseconds since the Unix epoch.
pub fn now() -> u64 {
    ah::clock::now_ms()
}

/// What a hook printed.
pub fn answer(done: &Output) -> Value {
    if done.stdout.is_empty() { Value::Null } else { serde_json::from_slice(&done.stdout).unwrap() }
}

/// The ids of a block's questions, sorted.
pub fn asked(answer: &Value) -> Vec<String> {
    let mut ids = items(answer["reason"].as_str().unwrap_or_default(), |line| line.split_once(". ")?.1.strip_prefix('['));
    ids.sort();
    ids
}

/// The ids of what is handed over, in order.
pub fn handed(answer: &Value) -> Vec<String> {
    items(answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default(), |line| line.strip_prefix("- ["))
}

fn items(text: &str, begin: impl Fn(&str) -> Option<&str>) -> Vec<String> {
    text.lines().filter_map(|line| Some(begin(line)?.split_once(']')?.0.to_owned())).collect()
}
