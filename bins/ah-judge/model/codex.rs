//! The Codex command line as a model: read-only, without the person's settings and hooks, nothing kept.

use super::call::{Call, Heard};
use super::child::{self, Private, Program};
use super::reason::{Code, Reason};
use crate::settings::{Judge, Tokens};
use ah::clock::Deadline;
use serde_json::Value;
use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

/// Files in the private folder: the rubric (named in the settings below), the schema, and the last message.
const SYSTEM: &str = "system.md";
const SCHEMA: &str = "schema.json";
const OUT: &str = "reply.json";
/// The person's login, in the folder that Codex keeps.
const LOGIN: &str = "auth.json";
/// The longest reply, in bytes.
const MOST: u64 = 1 << 20;
/// Settings, each of which takes a way of acting from the model or keeps something of the person's out.
const SETTINGS: &[&str] = &[
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "features.apps=false",
    "features.goals=false",
    "features.hooks=false",
    "features.image_generation=false",
    "features.memories=false",
    "features.multi_agent=false",
    "features.plugins=false",
    "features.shell_tool=false",
    "features.unified_exec=false",
    "features.view_image=false",
    "history.persistence=\"none\"",
    "include_environment_context=false",
    "include_permissions_instructions=false",
    "model_instructions_file=\"system.md\"",
    "project_doc_max_bytes=0",
    "skills.bundled.enabled=false",
    "skills.include_instructions=false",
    "web_search=\"disabled\"",
];

/// Asks.
pub fn ask(call: &Call, model: &str, settings: &Judge, deadline: Deadline) -> Heard {
    let answer = || {
        let dir = Private::new()?;
        let cannot = |error: std::io::Error| Reason::new(Code::Program, format!("private folder: {error}"));
        std::fs::write(dir.path().join(SCHEMA), &call.schema).map_err(cannot)?;
        std::fs::write(dir.path().join(SYSTEM), &call.system).map_err(cannot)?;
        let mut program = program(call, model, settings);
        let home = Home::beside(real_home(), dir.path());
        program.env.extend(home.as_ref().map(|home| ("CODEX_HOME", home.path.to_string_lossy().into_owned())));
        let ran = child::run(&program, dir.path(), deadline)?;
        drop(home);
        let last = ah::fs::read_there(&dir.path().join(OUT), MOST).map(|(bytes, _)| bytes).unwrap_or_default();
        let mut heard = read(&ran.out, String::from_utf8_lossy(&last).trim());
        if let Err(reason) = &heard.said
            && reason.text.is_empty()
        {
            let error = ran.error.lines().next().unwrap_or("it said nothing");
            heard.said = Err(Reason::new(Code::Program, format!("codex: {error}")));
        }
        Ok(heard)
    };
    answer().unwrap_or_else(Reason::into)
}

/// A folder of its own for Codex, where the person's has standing instructions: it reads those whatever it is told.
struct Home {
    path: PathBuf,
    real: PathBuf,
}

impl Home {
    /// One in `dir`, with the person's login; `None` where none is needed, or where the login is kept elsewhere.
    fn beside(real: Option<PathBuf>, dir: &Path) -> Option<Self> {
        let real = real?;
        let speaks = |name: &&str| std::fs::metadata(real.join(*name)).is_ok_and(|meta| meta.len() > 0);
        ["AGENTS.md", "AGENTS.override.md"].into_iter().find(speaks)?;
        let home = Self { path: dir.join("home"), real };
        DirBuilder::new().mode(0o700).create(&home.path).ok()?;
        let (login, own) = (home.real.join(LOGIN), home.path.join(LOGIN));
        let linked = login.is_file() && symlink(login, own).is_ok();
        (linked || std::env::var_os("CODEX_API_KEY").is_some()).then_some(home)
    }
}

impl Drop for Home {
    /// A login that was renewed is the person's; most versions write it through the link.
    fn drop(&mut self) {
        if let Ok((bytes, _)) = ah::fs::read_there(&self.path.join(LOGIN), MOST)
            && !bytes.is_empty()
        {
            let _ = ah::fs::replace(&self.real.join(LOGIN), &bytes);
        }
    }
}

/// Where Codex keeps what it knows of the person.
fn real_home() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("CODEX_HOME").or_else(|| Some(set("HOME")?.join(".codex")))
}

/// The command.
pub fn program(call: &Call, model: &str, settings: &Judge) -> Program {
    let mut args: Vec<String> = vec!["exec".to_owned()];
    let mut add = |words: &[&str]| args.extend(words.iter().map(|word| (*word).to_owned()));
    if !model.is_empty() {
        add(&["-m", model]);
    }
    add(&["--ignore-user-config", "--ignore-rules", "--ephemeral", "--skip-git-repo-check", "-s", "read-only"]);
    SETTINGS.iter().for_each(|setting| add(&["-c", setting]));
    if let Some(effort) = settings.effort.as_deref().filter(|effort| !effort.is_empty()) {
        add(&["-c", &format!("model_reasoning_effort={}", Value::from(effort))]);
    }
    if let Some(base) = &settings.base_url {
        add(&["-c", &format!("openai_base_url={}", Value::from(base.as_str()))]);
    }
    add(&["--json", "--output-schema", SCHEMA, "-o", OUT, "-"]);
    let name = settings.command.first().map_or("codex", String::as_str).into();
    Program { args: args.into_iter().map(Into::into).collect(), env: Vec::new(), input: call.prompt.clone(), name }
}

/// What its events say; `last` is the file with its last message.
fn read(out: &[u8], last: &str) -> Heard {
    let text = String::from_utf8_lossy(out);
    let (mut said, mut wrong, mut tokens) = (last.to_owned(), None, None);
    for event in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        match event["type"].as_str().unwrap_or_default() {
            "item.completed" if event["item"]["type"] == "agent_message" && last.is_empty() => {
                event["item"]["text"].as_str().unwrap_or_default().clone_into(&mut said);
            }
            "turn.completed" => {
                let count = |name: &str| event["usage"][name].as_u64().unwrap_or_default();
                let cached = count("cached_input_tokens").min(count("input_tokens"));
                let input = count("input_tokens") - cached;
                tokens = Some(Tokens { cache_read: cached, cache_write: 0, input, output: count("output_tokens") });
            }
            "turn.failed" => wrong = event["error"]["message"].as_str().map(str::to_owned),
            "error" if wrong.is_none() => wrong = event["message"].as_str().map(str::to_owned),
            _ => {}
        }
    }
    let said = match wrong {
        Some(wrong) if said.is_empty() => Err(Reason::new(kind(&wrong), format!("codex: {wrong}"))),
        None if said.is_empty() => Err(Reason::new(Code::Program, String::new())),
        _ => Ok(said),
    };
    Heard { money: None, said, tokens }
}

fn kind(wrong: &str) -> Code {
    let wrong = wrong.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| wrong.contains(word));
    match () {
        () if has(&["401", "403", "unauthorized", "log in", "login"]) => Code::Auth,
        () if has(&["usage limit", "quota", "billing"]) => Code::Quota,
        () if has(&["429", "rate limit"]) => Code::Rate,
        () if has(&["404", "model_not_found", "does not exist"]) => Code::NoModel,
        () if has(&["500", "502", "503", "529", "overloaded"]) => Code::Server,
        () => Code::Program,
    }
}

#[cfg(test)]
mod tests {
    use super::Home;

    #[test]
    fn standing_instructions_are_left_behind_and_a_renewed_login_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let (real, own) = (dir.path().join("real"), dir.path().join("own"));
        [&real, &own].iter().for_each(|dir| std::fs::create_dir(dir).unwrap());
        std::fs::write(real.join("auth.json"), "old").unwrap();
        assert!(Home::beside(Some(real.clone()), &own).is_none(), "nothing stands there");
        std::fs::write(real.join("AGENTS.md"), "Always agree.").unwrap();
        for through in [true, false] {
            let home = Home::beside(Some(real.clone()), &own).unwrap();
            let login = home.path.join("auth.json");
            assert!(!home.path.join("AGENTS.md").exists());
            if !through {
                std::fs::write(own.join("new"), "by rename").unwrap();
                std::fs::rename(own.join("new"), &login).unwrap();
            } else {
                std::fs::write(&login, "by the link").unwrap();
            }
            drop(home);
            let renewed = std::fs::read_to_string(real.join("auth.json")).unwrap();
            assert_eq!(renewed, if through { "by the link" } else { "by rename" });
            std::fs::remove_dir_all(own.join("home")).unwrap();
        }
    }
}
