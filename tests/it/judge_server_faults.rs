//! Servers that fail in every way: what is said of it, how long it takes, and how often they are asked.

use crate::model_server::{APPLIES, Home, Server, Turn, chat, graded, one, question};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

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
fn a_state_that_cannot_be_written_stops_nothing() {
    let server = Server::new(&[Turn::chat(APPLIES)]);
    let mut home = chat(&server, &json!({"per_turn": {"asks": 1}}));
    home.env.push(("AH_STATE_HOME", "/proc/self/no".into()));
    for _ in 0..3 {
        assert_eq!(graded(&home.send(&question())), one("L1", 3));
    }
}
