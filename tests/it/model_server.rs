//! A scripted model server on loopback, and the judge asking it.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// What the server does with one request.
#[derive(Clone, Debug)]
pub enum Turn {
    /// Answers with a status, headers and a body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// Sends a body without end.
    Big,
    /// Sends a small body that unpacks to a gibibyte.
    Bomb,
    /// Closes without a word.
    Close,
    /// Answers half of a body and closes.
    Half,
    /// Says nothing, for so long.
    Hang(Duration),
    /// Sends one byte of a body at a time, for ever.
    Trickle,
}

impl Turn {
    /// A good answer.
    pub fn ok(body: &Value) -> Self {
        Self::Answer(200, Vec::new(), body.to_string())
    }

    /// A bad one.
    pub fn status(status: u16, message: &str) -> Self {
        Self::Answer(status, Vec::new(), json!({"error": {"type": "some_error", "message": message}}).to_string())
    }

    /// A Chat Completions reply that says `text`.
    pub fn chat(text: &str) -> Self {
        Self::ok(&json!({
            "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 50, "prompt_tokens_details": {"cached_tokens": 600}},
        }))
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub body: String,
    pub headers: BTreeMap<String, String>,
    pub line: String,
}

impl Request {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }
}

/// The server; it answers by its script, and the last turn for ever.
pub struct Server {
    pub port: u16,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn new(turns: &[Turn]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let turns = Arc::new(Mutex::new(VecDeque::from(turns.to_vec())));
        let kept = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, turns) = (Arc::clone(&kept), Arc::clone(&turns));
                thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    let turn = {
                        let mut turns = turns.lock().unwrap();
                        kept.lock().unwrap().push(request);
                        if turns.len() > 1 { turns.pop_front().unwrap() } else { turns[0].clone() }
                    };
                    let _ = play(stream, turn);
                });
            }
        });
        Self { port, seen }
    }

    /// The same behind TLS, with the certificate of tests/data/tls.
    pub fn with_tls(host: &str, turns: &[Turn]) -> Self {
        let inner = Self::new(turns);
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls");
        let read = |name: &str| fs::read(data.join(name)).expect("a file of tests/data/tls");
        let chain = CertificateDer::pem_slice_iter(&read("server.pem")).map(|one| one.expect("a certificate")).collect();
        let key = PrivateKeyDer::from_pem_slice(&read("server.key")).expect("a key");
        let config = rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).expect("a pair");
        let config = Arc::new(config);
        let listener = TcpListener::bind((host, 0)).expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let plain = inner.port;
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let config = Arc::clone(&config);
                thread::spawn(move || drop(unwrap_tls(stream, config, plain)));
            }
        });
        Self { port, ..inner }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

/// One request and its answer between a TLS stream and the server without.
fn unwrap_tls(mut outer: TcpStream, config: Arc<rustls::ServerConfig>, plain: u16) -> std::io::Result<()> {
    let mut session = rustls::ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut tls = rustls::Stream::new(&mut session, &mut outer);
    let mut inner = TcpStream::connect(("127.0.0.1", plain))?;
    let (mut request, mut chunk) = (Vec::new(), [0; 16 << 10]);
    let whole = |request: &[u8]| {
        let text = String::from_utf8_lossy(request);
        let (head, body) = text.split_once("\r\n\r\n")?;
        let length = head.to_lowercase().split_once("content-length: ")?.1.lines().next()?.parse::<usize>().ok()?;
        (body.len() >= length).then_some(())
    };
    while whole(&request).is_none() {
        let count = tls.read(&mut chunk)?;
        request.extend_from_slice(&chunk[..count]);
    }
    inner.write_all(&request)?;
    let mut answer = Vec::new();
    inner.read_to_end(&mut answer)?;
    tls.write_all(&answer)?;
    tls.conn.send_close_notify();
    tls.flush()
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut headers = BTreeMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { body: String::from_utf8(body).ok()?, headers, line: line.trim_end().to_owned() })
}

fn play(mut stream: TcpStream, turn: Turn) -> std::io::Result<()> {
    match turn {
        Turn::Answer(status, headers, body) => {
            let mut text = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n", body.len());
            headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
            stream.write_all(format!("{text}connection: close\r\n\r\n{body}").as_bytes())
        }
        Turn::Big => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n")?;
            let chunk = vec![b'x'; 1 << 16];
            (0..1 << 14).try_for_each(|_| stream.write_all(&chunk))
        }
        Turn::Bomb => {
            let packed = Command::new("sh").args(["-c", "head -c 1073741824 /dev/zero | gzip -1"]).output()?.stdout;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n", packed.len());
            stream.write_all(&[head.as_bytes(), &packed].concat())
        }
        Turn::Close => Ok(()),
        Turn::Half => stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\":[{\"mess"),
        Turn::Hang(time) => {
            thread::sleep(time);
            Ok(())
        }
        Turn::Trickle => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")?;
            loop {
                stream.write_all(b" ")?;
                thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

/// A question about two lessons.
pub fn question() -> Value {
    json!({
        "lessons": [
            {"id": "L1", "question": "Is the lock held across the await?", "consequence": "every other task waits"},
            {"id": "L2", "question": "Are the parameters bound?", "consequence": "the query can be injected"},
        ],
        "session": "s1", "turn": "stop:1", "work": "I hold the guard while I await the reply.",
    })
}

/// A reply that says that L1 applies.
pub const APPLIES: &str =
    r#"{"moves":["hold a lock"],"applies":[{"id":"L1","why":"the guard lives across the await","grade":3}]}"#;

/// A home with settings, and the judge run in it.
pub struct Home {
    pub dir: TempDir,
    pub env: Vec<(&'static str, String)>,
}

impl Home {
    /// With this `judge` section.
    pub fn new(judge: &Value) -> Self {
        let home = Self { dir: TempDir::new().expect("a folder"), env: Vec::new() };
        home.set(judge);
        home
    }

    /// Writes the `judge` section anew.
    pub fn set(&self, judge: &Value) {
        fs::create_dir_all(self.path("config")).expect("a folder");
        fs::write(self.path("config/config.json"), json!({ "judge": judge }).to_string()).expect("settings");
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The judge with these words, to be fed with the question.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ah-judge"));
        command.args(words).env_clear().env("AH_HOME", self.dir.path()).env("HOME", self.dir.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("TMPDIR", self.dir.path());
        command.envs(self.env.iter().map(|(name, value)| (name, value))).current_dir(self.dir.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, words: &[&str], input: &str) -> Output {
        let mut child = self.command(words).spawn().expect("the judge runs");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
        child.wait_with_output().expect("it ends")
    }

    /// Sends the question; what came of it.
    pub fn send(&self, question: &Value) -> Value {
        let done = self.run(&["request", "--send"], &question.to_string());
        let text = String::from_utf8(done.stdout).expect("text");
        let told: Value =
            serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&done.stderr)));
        assert_eq!(done.status.code(), Some(if told["outcome"] == "answered" { 0 } else { 69 }), "{told}");
        told
    }

    /// What a file of the state says; empty where there is none.
    pub fn state(&self, name: &str) -> String {
        fs::read_to_string(self.path("state").join(name)).unwrap_or_default()
    }
}

/// A home whose judge asks this server by Chat Completions, with more keys.
pub fn chat(server: &Server, more: &Value) -> Home {
    let mut judge = json!({"model": "chat:m", "base_url": server.url("/v1")});
    for (key, value) in more.as_object().unwrap() {
        judge[key] = value.clone();
    }
    Home::new(&judge)
}

/// Ids and grades of what came of a question.
pub fn graded(told: &Value) -> Vec<(String, u64)> {
    let applies = told["applies"].as_array().unwrap_or_else(|| panic!("{told}"));
    applies.iter().map(|one| (one["id"].as_str().unwrap().to_owned(), one["grade"].as_u64().unwrap())).collect()
}

/// What one lesson with a grade looks like there.
pub fn one(id: &str, grade: u64) -> Vec<(String, u64)> {
    vec![(id.to_owned(), grade)]
}
