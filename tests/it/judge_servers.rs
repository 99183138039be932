//! Models behind HTTP: the exact request, every way it can go wrong, and what is remembered of it.

use crate::model_server::{APPLIES, Home, Server, Turn, question};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

fn chat(server: &Server, more: &Value) -> Home {
    let mut judge = json!({"model": "chat:m", "base_url": server.url("/v1")});
    for (key, value) in more.as_object().unwrap() {
        judge[key] = value.clone();
    }
    Home::new(&judge)
}

fn graded(told: &Value) -> Vec<(String, u64)> {
    let applies = told["applies"].as_array().unwrap_or_else(|| panic!("{told}"));
    applies.iter().map(|one| (one["id"].as_str().unwrap().to_owned(), one["grade"].as_u64().unwrap())).collect()
}

fn one(id: &str, grade: u64) -> Vec<(String, u64)> {
    vec![(id.to_owned(), grade)]
}

#[test]
fn chat_sends_what_its_interface_asks_for() {
    let server = Server::new(&[Turn::chat(APPLIES)]);
    let prices = json!({"m": {"in": 1.0, "out": 10.0, "cache_read": 0.1}});
    let mut home = chat(&server, &json!({"headers": {"X-Team": "core"}, "prices": prices}));
    home.env.push(("AH_JUDGE_KEY", "k-123".into()));
    let told = home.send(&question());
    assert_eq!(graded(&told), one("L1", 3));
    assert_eq!(told["usage"], json!({"tokens_in": 300.0, "tokens_cache_read": 600.0, "tokens_out": 50.0, "usd": 0.00086}));
    let seen = server.seen();
    let request = &seen[0];
    assert_eq!((seen.len(), request.line.as_str()), (1, "POST /v1/chat/completions HTTP/1.1"));
    assert_eq!(request.headers["authorization"], "Bearer k-123");
    assert_eq!((request.headers["x-team"].as_str(), request.headers["content-type"].as_str()), ("core", "application/json"));
    let body = request.json();
    let keys: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["max_tokens", "messages", "model", "response_format", "stream", "temperature"]);
    assert_eq!((&body["model"], &body["stream"], &body["temperature"]), (&json!("m"), &json!(false), &json!(0)));
    let format = &body["response_format"];
    assert_eq!((&format["type"], &format["json_schema"]["strict"]), (&json!("json_schema"), &json!(true)));
    let ids = &format["json_schema"]["schema"]["properties"]["applies"]["items"]["properties"]["id"]["enum"];
    assert_eq!(ids, &json!(["L1", "L2"]));
    let [system, user] = [0, 1].map(|n| body["messages"][n]["content"].as_str().unwrap().to_owned());
    assert!(system.starts_with("You review the work"));
    assert!(user.starts_with("## Lessons\n\n[L1] Is the lock held across the await? -> every other task waits\n[L2] "), "{user}");
    assert!(user.contains("\n| I hold the guard while I await the reply.\n"), "{user}");
}

#[test]
fn anthropic_sends_what_its_interface_asks_for() {
    let reply = json!({"type": "message", "stop_reason": "end_turn", "content": [{"type": "text", "text": APPLIES}],
        "usage": {"input_tokens": 210, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 1830, "output_tokens": 58}});
    let server = Server::new(&[Turn::ok(&reply)]);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "sk-ant-1\n").unwrap();
    std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o600)).unwrap();
    let home = Home::new(&json!({"model": "anthropic:claude-x", "base_url": server.url(""), "key_file": file.path()}));
    let mut long = question();
    long["lessons"][0]["consequence"] = json!("x".repeat(100));
    let lessons: Vec<_> =
        (0..60).map(|n| json!({"id": format!("L{n}"), "question": "q ".repeat(110), "consequence": "c"})).collect();
    long["lessons"] = json!(lessons);
    let told = home.send(&long);
    assert_eq!(graded(&told), one("L1", 3));
    assert_eq!(
        told["usage"],
        json!({"tokens_in": 210.0, "tokens_cache_write": 7.0, "tokens_cache_read": 1830.0, "tokens_out": 58.0})
    );
    let seen = server.seen();
    let request = &seen[0];
    assert_eq!(request.line, "POST /v1/messages HTTP/1.1");
    assert_eq!(
        (request.headers["x-api-key"].as_str(), request.headers["anthropic-version"].as_str()),
        ("sk-ant-1", "2023-06-01")
    );
    assert!(!request.headers.contains_key("authorization") && !request.headers.contains_key("anthropic-beta"));
    let body = request.json();
    let keys: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["max_tokens", "messages", "model", "output_config", "system"]);
    assert_eq!(body["output_config"]["effort"], "low");
    assert_eq!(body["output_config"]["format"]["type"], "json_schema");
    assert_eq!(body["output_config"]["format"]["schema"]["required"], json!(["moves", "applies"]));
    let content = &body["messages"][0]["content"];
    // The lessons are a prefix worth keeping; the work is not in it.
    assert_eq!(content[0]["cache_control"], json!({"type": "ephemeral"}));
    assert!(content[1].get("cache_control").is_none() && content[1]["text"].as_str().unwrap().contains("I hold the guard"));
    // A short one is not.
    home.send(&question());
    assert!(server.seen()[1].json()["messages"][0]["content"][0].get("cache_control").is_none());
}

#[test]
fn ollama_is_asked_for_a_context_that_holds_the_prompt_and_a_cut_prompt_is_seen() {
    let said = |count: u64| {
        Turn::ok(&json!({"message": {"content": APPLIES}, "done_reason": "stop", "prompt_eval_count": count, "eval_count": 9}))
    };
    let server = Server::new(&[said(1_500), said(300)]);
    let home = Home::new(&json!({"model": "chat:llama", "base_url": server.url("/api")}));
    let mut long = question();
    long["work"] = json!("word ".repeat(4_800));
    assert_eq!(home.send(&long)["reason"], "context");
    let body = server.seen()[0].json();
    assert_eq!(server.seen()[0].line, "POST /api/chat HTTP/1.1");
    assert_eq!((&body["stream"], &body["think"], &body["format"]["type"]), (&json!(false), &json!(false), &json!("object")));
    assert_eq!((&body["options"]["temperature"], &body["options"]["num_predict"]), (&json!(0), &json!(760)));
    assert!(body["options"]["num_ctx"].as_u64().unwrap() >= 12_288, "{}", body["options"]);
    let told = home.send(&question());
    assert_eq!((told["reason"].as_str(), &told["applies"][0]["id"]), (None, &json!("L1")), "{told}");
}

#[test]
fn a_server_that_knows_less_is_asked_for_less_and_remembered() {
    let server = Server::new(&[
        Turn::status(400, "Unsupported parameter: 'temperature' is not supported with this model."),
        Turn::status(400, "'max_tokens' is not supported; use 'max_completion_tokens' instead."),
        Turn::status(400, "response_format: json_schema is not supported"),
        Turn::status(422, "response_format must be text"),
        Turn::chat(&format!("Sure!\n```json\n{APPLIES}\n```")),
        Turn::chat(APPLIES),
    ]);
    let home = chat(&server, &json!({}));
    assert_eq!(graded(&home.send(&question())), one("L1", 3));
    let bodies: Vec<_> = server.seen().iter().map(|request| request.json()).collect();
    assert_eq!(bodies.len(), 5);
    assert!(bodies[0].get("temperature").is_some() && bodies[1].get("temperature").is_none());
    assert!(bodies[2].get("max_tokens").is_none() && bodies[2]["max_completion_tokens"] == bodies[0]["max_tokens"]);
    assert_eq!(bodies[3]["response_format"], json!({"type": "json_object"}));
    assert!(bodies[4].get("response_format").is_none());
    assert!(bodies[4]["messages"][1]["content"].as_str().unwrap().contains("fits this JSON schema"));
    // The next call begins where this one ended.
    assert_eq!(graded(&home.send(&question())), one("L1", 3));
    assert_eq!(server.seen().len(), 6);
    assert_eq!(
        server.seen()[5].json().as_object().unwrap().keys().collect::<Vec<_>>(),
        ["max_completion_tokens", "messages", "model", "stream"]
    );
}

#[test]
fn a_server_that_ignores_the_schema_gets_it_in_the_prompt() {
    let server = Server::new(&[Turn::chat("L1 applies."), Turn::chat(APPLIES)]);
    let home = chat(&server, &json!({}));
    assert_eq!(home.send(&question())["reason"], "no_json");
    assert_eq!(graded(&home.send(&question())), one("L1", 3));
    let body = server.seen()[1].json();
    assert_eq!(body["response_format"], json!({"type": "json_object"}));
    assert!(body["messages"][1]["content"].as_str().unwrap().contains("fits this JSON schema"));
}

#[test]
fn anthropic_falls_back_to_a_tool() {
    let tool = json!({"stop_reason": "tool_use", "content": [{"type": "text", "text": "I will."},
        {"type": "tool_use", "id": "t", "name": "verdicts", "input": serde_json::from_str::<Value>(APPLIES).unwrap()}]});
    let server = Server::new(&[
        Turn::status(400, "output_config.effort: unknown"),
        Turn::status(400, "output_config: Extra inputs are not permitted"),
        Turn::ok(&tool),
    ]);
    let home = Home::new(&json!({"model": "anthropic:m", "base_url": server.url("/v1")}));
    let told = home.send(&question());
    assert_eq!((graded(&told), &told["usage"]), (one("L1", 3), &json!({})));
    let body = server.seen()[2].json();
    assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "verdicts", "disable_parallel_tool_use": true}));
    assert_eq!((&body["tools"][0]["strict"], &body["tools"][0]["input_schema"]["type"]), (&json!(true), &json!("object")));
    assert!(body.get("output_config").is_none());
}

#[test]
fn what_goes_wrong_is_told_apart() {
    let prose = "The lesson L1 applies to this work, grade 3.";
    let of = |extra: Value| Turn::ok(&json!({"choices": [extra]}));
    let cases: Vec<(Turn, &str)> = vec![
        (Turn::chat(prose), "no_json"),
        (Turn::chat(r#"{"moves":["x"]}"#), "no_applies"),
        (Turn::chat(""), "no_json"),
        (Turn::chat("{\"applies\":[{\"id\":\"L1\",\"grade\":3}"), "no_json"),
        (of(json!({"message": {"content": APPLIES}, "finish_reason": "length"})), "cut"),
        (of(json!({"message": {"content": null, "refusal": "no"}})), "refusal"),
        (Turn::ok(&json!({"choices": []})), "no_json"),
        (Turn::Answer(200, vec![], "<html>busy</html>".into()), "no_json"),
        (Turn::Answer(200, vec![], "[".repeat(200_000)), "no_json"),
        (Turn::status(401, "bad key"), "auth"),
        (Turn::status(404, "no such model"), "no_model"),
        (Turn::status(402, "pay"), "quota"),
        (Turn::status(429, "insufficient_quota"), "quota"),
        (Turn::status(413, "too long"), "status"),
        (Turn::Answer(302, vec![("location", "http://127.0.0.1:1/".into())], String::new()), "status"),
        (Turn::Big, "too_large"),
        (Turn::Half, "network"),
        (Turn::Close, "network"),
    ];
    for (turn, reason) in cases {
        let server = Server::new(std::slice::from_ref(&turn));
        let home = chat(&server, &json!({"timeout_s": 5}));
        let begun = Instant::now();
        let told = home.send(&question());
        assert_eq!((told["outcome"].as_str(), told["reason"].as_str()), (Some("failed"), Some(reason)), "{turn:?}: {told}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{turn:?}");
        let log = home.state("log.jsonl");
        assert!(log.contains(&format!("not graded: chat:m: {reason}: ")), "{turn:?}: {log}");
    }
}

#[test]
fn a_packed_answer_is_bounded_too() {
    let server = Server::new(&[Turn::Bomb]);
    let home = chat(&server, &json!({"timeout_s": 40}));
    let mut own = home.command(&["request", "--send"]);
    // A gibibyte would not fit.
    let limited = format!("ulimit -v 400000; exec '{}' request --send", own.get_program().to_string_lossy());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &limited]).env_clear().envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    own = shell;
    own.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = own.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), question().to_string().as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(told["reason"], "too_large", "{told}");
}

#[test]
fn time_is_kept_whatever_the_server_does() {
    for turn in [Turn::Hang(Duration::from_secs(60)), Turn::Trickle] {
        let server = Server::new(std::slice::from_ref(&turn));
        let home = chat(&server, &json!({"timeout_s": 1}));
        let begun = Instant::now();
        assert_eq!(home.send(&question())["reason"], "timeout", "{turn:?}");
        assert!(begun.elapsed() < Duration::from_millis(2_500), "{turn:?}: {:?}", begun.elapsed());
        assert_eq!(server.seen().len(), 1);
    }
    // Nobody there, and no TLS where some is expected.
    let home = Home::new(&json!({"model": "chat:m", "base_url": "http://127.0.0.1:9/v1"}));
    assert_eq!(home.send(&question())["reason"], "network");
    let plain = Server::new(&[Turn::chat(APPLIES)]);
    let home = Home::new(&json!({"model": "chat:m", "base_url": format!("https://127.0.0.1:{}/v1", plain.port)}));
    let told = home.send(&question());
    assert!(matches!(told["reason"].as_str(), Some("tls" | "network")), "{told}");
}

#[test]
fn a_busy_server_is_asked_once_more_if_there_is_time() {
    let busy = |status, header: (&'static str, &str)| Turn::Answer(status, vec![(header.0, header.1.to_owned())], "{}".into());
    for first in [busy(429, ("retry-after", "0")), busy(503, ("retry-after-ms", "50")), busy(529, ("x", "y")), Turn::Close] {
        let server = Server::new(&[first.clone(), Turn::chat(APPLIES)]);
        let told = chat(&server, &json!({"timeout_s": 10})).send(&question());
        match first {
            // Whether a closed connection counts as reset is the system's to say.
            Turn::Close => assert!(server.seen().len() <= 2, "{told}"),
            _ => assert_eq!((graded(&told), server.seen().len()), (one("L1", 3), 2), "{first:?}"),
        }
    }
    // Never a third time, not where the server says no, and not where the wait would not fit.
    for (first, times) in [
        (busy(503, ("retry-after", "0")), 2),
        (busy(503, ("x-should-retry", "false")), 1),
        (busy(429, ("retry-after", "900")), 1),
    ] {
        let server = Server::new(&[first]);
        let home = chat(&server, &json!({"timeout_s": 5}));
        assert_eq!(home.send(&question())["outcome"], "failed");
        assert_eq!(server.seen().len(), times);
    }
}

#[test]
fn a_model_that_fails_is_left_alone_and_says_why() {
    // At once, where somebody must do something first or the server says when.
    for (turn, reason) in [
        (Turn::status(401, "invalid x-api-key"), "auth"),
        (Turn::status(404, "model: claude-retired"), "no_model"),
        (Turn::Answer(429, vec![("retry-after", "600".into())], "{}".into()), "rate"),
    ] {
        let server = Server::new(&[turn]);
        let home = chat(&server, &json!({}));
        assert_eq!(home.send(&question())["reason"], reason);
        let told = home.send(&question());
        assert_eq!(told["reason"], "breaker");
        assert!(told["text"].as_str().unwrap().contains(reason), "{told}");
        assert_eq!(server.seen().len(), 1);
        assert!(home.state("log.jsonl").contains("is left alone until 20"));
    }
    // After three in a row otherwise; what works in between counts.
    let (bad, good) = (Turn::chat("no"), Turn::chat(APPLIES));
    let server = Server::new(&[bad.clone(), bad.clone(), good, bad.clone(), bad.clone(), bad]);
    let home = chat(&server, &json!({"per_turn": {"asks": null}}));
    let reasons: Vec<_> = (0..7).map(|_| home.send(&question())["reason"].as_str().unwrap_or("-").to_owned()).collect();
    assert_eq!(reasons, ["no_json", "no_json", "-", "no_json", "no_json", "no_json", "breaker"]);
    // Another address is another model.
    let other = Server::new(&[Turn::chat(APPLIES)]);
    home.set(&json!({"model": "chat:m", "base_url": other.url("/v1"), "per_turn": {"asks": null}}));
    assert_eq!(home.send(&question())["outcome"], "answered");
}

#[test]
fn caps_are_kept_in_calls_tokens_and_money() {
    let server = Server::new(&[Turn::chat(APPLIES)]);
    let home = chat(&server, &json!({"per_turn": {"asks": 2}}));
    let reasons =
        |home: &Home| (0..3).map(|_| home.send(&question())["reason"].as_str().unwrap_or("-").to_owned()).collect::<Vec<_>>();
    assert_eq!(reasons(&home), ["-", "-", "budget"]);
    let mut next = question();
    next["turn"] = json!("stop:2");
    assert_eq!(home.send(&next)["outcome"], "answered");
    // 950 tokens each; a call may need 2,000 and more before it is known.
    let home = chat(&server, &json!({"per_day": {"tokens": 3_000}}));
    assert_eq!(reasons(&home), ["-", "-", "budget"]);
    let spent: Value = serde_json::from_str(&home.state("meter.json")).unwrap();
    assert_eq!(spent["sessions"]["s1"]["all"]["tokens"], 1_900);
    let text = home.send(&question())["text"].as_str().unwrap().to_owned();
    assert!(text.contains("judge.per_day is 3000 tokens"), "{text}");
    // Money without a price is a cap that cannot be kept.
    let capped = json!({"per_session": {"money": 0.01}});
    let text = chat(&server, &capped).send(&question())["text"].as_str().unwrap().to_owned();
    assert!(text.contains("no price for chat:m"), "{text}");
    let prices = json!({"per_session": {"money": 0.03}, "prices": {"m": {"in": 10, "out": 10}}, "currency": "EUR"});
    let home = chat(&server, &prices);
    assert_eq!(home.send(&question())["usage"]["eur"], 0.0095);
    assert_eq!(reasons(&home), ["-", "budget", "budget"]);
}

#[test]
fn keys_are_nowhere_but_in_the_request() {
    const KEY: &str = "sk-live-0123456789abcdef";
    let server = Server::new(&[Turn::status(401, &format!("Incorrect API key provided: {KEY}."))]);
    let mut home = chat(&server, &json!({"headers": {"x-extra": "hidden-value-42"}}));
    home.env.push(("AH_JUDGE_KEY", KEY.into()));
    let shown = home.run(&["request"], &question().to_string());
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("authorization: Bearer [redacted]\n") && shown.contains("x-extra: [redacted]\n"), "{shown}");
    let told = home.send(&question()).to_string();
    assert_eq!(server.seen()[0].headers["authorization"], format!("Bearer {KEY}"));
    for text in [&told, &shown, &home.state("log.jsonl"), &home.state("meter.json")] {
        assert!(!text.contains(KEY) && !text.contains("hidden-value-42"), "{text}");
    }
    // A file that others can read is not used.
    let file = home.path("key");
    std::fs::write(&file, KEY).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    home.set(&json!({"model": "chat:m", "base_url": server.url("/v1"), "key_file": file}));
    let told = home.send(&question());
    assert_eq!((told["reason"].as_str(), server.seen().len()), (Some("key"), 1), "{told}");
}

#[test]
fn what_is_shown_is_what_is_sent() {
    let server = Server::new(&[Turn::chat(APPLIES)]);
    let home = chat(&server, &json!({}));
    let done = home.run(&["request"], &question().to_string());
    let shown = String::from_utf8(done.stdout).unwrap();
    let (head, body) = shown.split_once("\n\n").unwrap();
    assert_eq!(server.seen().len(), 0, "nothing was sent");
    home.send(&question());
    // All but the word that is drawn for each.
    let plain = |body: &str| {
        let word = body.split("ah-").nth(1).unwrap()[..32].to_owned();
        body.trim().replace(&word, "WORD")
    };
    assert_eq!(plain(body), plain(&server.seen()[0].body));
    assert_eq!(head.lines().next().unwrap(), format!("POST {}", server.url("/v1/chat/completions")));
}

#[test]
fn proxies_are_used_but_not_for_this_machine() {
    let server = Server::new(&[Turn::chat(APPLIES)]);
    let mut home = chat(&server, &json!({}));
    home.env.push(("HTTP_PROXY", "http://127.0.0.1:9".into()));
    home.env.push(("ALL_PROXY", "http://127.0.0.1:9".into()));
    assert_eq!(graded(&home.send(&question())), one("L1", 3));
    // Elsewhere it is: the proxy is asked for the host.
    let proxy = Server::new(&[Turn::chat(APPLIES)]);
    home.env = vec![("http_proxy", proxy.url("")), ("AH_JUDGE_KEY", "k".into())];
    home.set(&json!({"model": "chat:m", "base_url": "http://model.invalid/v1"}));
    home.send(&question());
    let seen = proxy.seen();
    let line = seen.first().map(|request| request.line.clone()).unwrap_or_default();
    assert!(line.contains("model.invalid"), "{line}");
    home.env.push(("NO_PROXY", "other.example,.invalid".into()));
    let told = home.send(&question());
    assert_eq!((told["outcome"].as_str(), proxy.seen().len()), (Some("failed"), seen.len()), "{told}");
}

#[test]
fn certificates_are_checked_against_the_built_in_ones_or_those_of_a_file() {
    let server = Server::with_tls("127.0.0.1", &[Turn::chat(APPLIES)]);
    let ca = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls/ca.pem");
    let of = |host: &str, more: Value| {
        let mut judge = json!({"model": "chat:m", "base_url": format!("https://{host}:{}/v1", server.port), "timeout_s": 5});
        more.as_object().unwrap().iter().for_each(|(key, value)| judge[key] = value.clone());
        Home::new(&judge)
    };
    // Nobody known has signed it.
    let told = of("localhost", json!({})).send(&question());
    assert_eq!((told["reason"].as_str(), server.seen().len()), (Some("tls"), 0), "{told}");
    assert_eq!(graded(&of("localhost", json!({"ca_file": ca})).send(&question())), one("L1", 3));
    let mut home = of("127.0.0.1", json!({}));
    home.env.push(("SSL_CERT_FILE", ca.to_str().unwrap().to_owned()));
    assert_eq!(graded(&home.send(&question())), one("L1", 3));
    // It is for another name.
    let other = Server::with_tls("127.0.0.2", &[Turn::chat(APPLIES)]);
    let home = Home::new(&json!({"model": "chat:m", "base_url": format!("https://127.0.0.2:{}/v1", other.port), "ca_file": ca}));
    let told = home.send(&question());
    assert_eq!((told["reason"].as_str(), other.seen().len()), (Some("tls"), 0), "{told}");
    // No certificates in it, no such file.
    for file in ["tests/data/tls/server.key", "no/such/file"] {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        assert_eq!(of("localhost", json!({"ca_file": file})).send(&question())["reason"], "config");
    }
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn a_state_that_cannot_be_written_stops_nothing() {
    let server = Server::new(&[Turn::chat(APPLIES)]);
    let mut home = chat(&server, &json!({"per_turn": {"asks": 1}}));
    home.env.push(("AH_STATE_HOME", "/proc/self/no".into()));
    for _ in 0..3 {
        assert_eq!(graded(&home.send(&question())), one("L1", 3));
    }
}
