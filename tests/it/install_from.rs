//! Releases that are fetched; installations that are killed, and several at once.

use crate::install_world::{World, said, tree};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn a_release_is_fetched_past_proxies() {
    let world = World::new();
    if ["curl", "python3"].iter().any(|tool| !Path::new("/usr/bin").join(tool).exists()) {
        println!("SKIP fetch: no curl or python3");
        return;
    }
    // A server that also serves as a proxy: what it is asked for, whole address or path, ends with the name.
    let script = "import http.server,os,sys\nclass H(http.server.SimpleHTTPRequestHandler):\n def do_GET(s):\n  s.path='/'+s.path.rsplit('/',1)[-1]\n  super().do_GET()\n def log_message(s,*a): pass\nh=http.server.HTTPServer(('127.0.0.1',0),H)\nprint(h.server_port,flush=True)\nh.serve_forever()";
    let mut server =
        Command::new("python3").args(["-c", script]).current_dir(world.out()).stdout(Stdio::piped()).spawn().unwrap();
    let mut port = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(server.stdout.take().unwrap()), &mut port).unwrap();
    let url = format!("http://127.0.0.1:{}/x", port.trim());
    let from = |url: &str, proxy: Option<&str>| {
        let mut command = world.command(&["--from", url]);
        command.envs(proxy.map(|proxy| ("http_proxy", proxy)));
        said(&command.output().unwrap())
    };
    let direct = from(&url, None);
    // Nobody listens on that port; only the proxy knows the way.
    let behind = from("http://127.0.0.1:1/x", Some(&url));
    let nobody = from("http://127.0.0.1:1/x", None);
    let gone = fs::remove_file(world.archive()).map(|()| from(&url, None));
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(direct.0, 0, "{}", direct.1);
    assert_eq!(behind.0, 0, "{}", behind.1);
    assert!(nobody.0 == 69 && nobody.1.contains("HTTPS_PROXY") && nobody.1.contains("--from DIR"), "{} {}", nobody.0, nobody.1);
    assert_eq!(gone.unwrap().0, 69);
}

#[test]
fn a_server_with_a_ca_of_its_own_is_believed_only_by_its_file() {
    let world = World::new();
    if ["curl", "openssl", "python3"].iter().any(|tool| !Path::new("/usr/bin").join(tool).exists()) {
        println!("SKIP tls: no curl, openssl or python3");
        return;
    }
    let (key, cert) = (world.top().join("key.pem"), world.top().join("ca file.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext"])
        .args(["subjectAltName=DNS:localhost", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&cert)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(made.success());
    let script = "import http.server,ssl,sys\nc=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\nc.load_cert_chain(sys.argv[2],sys.argv[1])\nclass H(http.server.SimpleHTTPRequestHandler):\n def log_message(s,*a): pass\nh=http.server.ThreadingHTTPServer(('127.0.0.1',0),H)\nh.socket=c.wrap_socket(h.socket,server_side=True,do_handshake_on_connect=False)\nprint(h.server_port,flush=True)\nh.serve_forever()";
    let mut server = Command::new("python3")
        .args(["-c", script])
        .args([&key, &cert])
        .current_dir(world.out())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut port = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(server.stdout.take().unwrap()), &mut port).unwrap();
    let url = format!("https://localhost:{}", port.trim());
    let strange = said(&world.command(&["--from", &url]).output().unwrap());
    let known = said(&world.command(&["--from", &url]).env("SSL_CERT_FILE", &cert).output().unwrap());
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(strange.0 == 69 && strange.1.contains("SSL_CERT_FILE"), "{} {}", strange.0, strange.1);
    assert_eq!(known.0, 0, "{}", known.1);
}

#[test]
fn a_killed_run_leaves_either_state_and_the_next_heals() {
    let world = World::new();
    assert_eq!(world.install(&[]).0, 0);
    let first = tree(&world.home());
    world.release("2");
    let started = std::time::Instant::now();
    assert_eq!(world.install(&[]).0, 0);
    let whole = started.elapsed();
    let second = tree(&world.home());
    let steps = 24;
    for step in 0..=steps {
        world.release("1");
        assert_eq!(world.install(&[]).0, 0);
        assert!(tree(&world.home()) == first, "{step}");
        world.release("2");
        kill_after(world.command(&[]).arg("--from").arg(world.out()), whole * step / steps);
        for name in ["bin/ah-git-guard", "bin/ah-bootstrap"] {
            let output = Command::new(world.home().join(".local").join(name)).arg("--version").output().unwrap();
            assert!(output.status.success(), "{step}: {name} is broken");
        }
        let (code, text) = world.install(&[]);
        assert_eq!(code, 0, "{step}: {text}");
        assert!(tree(&world.home()) == second, "{step}: not healed");
    }
    for step in 0..=steps {
        assert_eq!(world.install(&[]).0, 0);
        kill_after(&mut world.command(&["--uninstall"]), whole * step / steps);
        let (code, text) = world.uninstall();
        assert!(matches!(code, 0 | 66), "{step}: {text}");
        fs::remove_file(world.home().join("calls")).ok();
        assert!(tree(&world.home()).keys().all(|path| path.ends_with(".local")), "{step}: {:?}", tree(&world.home()).keys());
    }
}

/// Starts a script with a process group of its own, and kills all of it after a while.
fn kill_after(command: &mut Command, after: Duration) {
    use std::os::unix::process::CommandExt;
    let mut child = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    let group = rustix::process::Pid::from_child(&child);
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    child.wait().unwrap();
}

#[test]
fn several_at_once_take_turns() {
    let world = World::new();
    let children: Vec<_> = (0..4)
        .map(|_| world.command(&[]).arg("--from").arg(world.out()).env("AH_WAIT", "30").stdout(Stdio::null()).spawn().unwrap())
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(world.uninstall().0, 0);
    fs::remove_file(world.home().join("calls")).unwrap();
    assert!(tree(&world.home()).is_empty());
}
