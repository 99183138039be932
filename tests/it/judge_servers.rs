//! Models behind HTTP: the exact request, every way it can go wrong, and what is remembered of it.

use crate::model_server::{APPLIES, Home, Server, Turn, chat, graded, one, question};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

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
