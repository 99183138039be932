//! One HTTP request within what time is left: no redirect, bounded answer, the person's proxy and certificates.

use super::reason::{Code, Reason};
use crate::settings::Judge;
use ah::clock::Deadline;
use std::io::{self, Read};
use std::time::Duration;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Error, Proxy};

/// How long reaching a server may take; what answers at all answers sooner.
const CONNECT: Duration = Duration::from_secs(3);
/// The longest answer, in bytes: forty times what a reply needs.
const MOST: u64 = 1 << 20;
/// The largest file of certificates, in bytes.
const MOST_CERTIFICATES: u64 = 4 << 20;

/// A request to be posted.
#[derive(Clone, Debug, Default)]
pub struct Post {
    /// JSON.
    pub body: String,
    /// Names in small letters, and values.
    pub headers: Vec<(String, String)>,
    /// Where to.
    pub url: String,
}

/// What a server answered.
#[derive(Debug)]
pub struct Answer {
    /// The body.
    pub body: Vec<u8>,
    /// What it says about trying again.
    pub again: Option<bool>,
    /// When to try again, in milliseconds from now.
    pub after_ms: Option<u64>,
    /// Its status.
    pub status: u16,
}

/// Why there was no answer, and whether the same request may be sent once more.
#[derive(Debug)]
pub struct Fault {
    /// Nothing was answered yet, and it may go better at once.
    pub again: bool,
    /// Why.
    pub reason: Reason,
}

/// Posts.
pub fn post(settings: &Judge, post: &Post, deadline: Deadline) -> Result<Answer, Fault> {
    let fail = |reason| Fault { again: false, reason };
    let left = deadline.left();
    let mut tls = TlsConfig::builder();
    if let Some(roots) = roots(settings).map_err(fail)? {
        tls = tls.root_certs(roots);
    }
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        // Whoever answers with another address gets neither key nor text there.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(proxy(&post.url, &|name| std::env::var(name).ok()).map_err(fail)?)
        .timeout_connect(Some(CONNECT.min(left)))
        .timeout_global(Some(left))
        .timeout_resolve(Some(CONNECT.min(left)))
        .tls_config(tls.build())
        .user_agent(concat!("ah-judge/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent();
    let mut request = agent.post(&post.url);
    for (name, value) in &post.headers {
        request = request.header(name, value);
    }
    let mut response = request.send(post.body.as_bytes()).map_err(|error| fault(&error))?;
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let after_ms = header("retry-after-ms")
        .and_then(|text| text.trim().parse::<f64>().ok())
        .or_else(|| header("retry-after").and_then(|text| wait_ms(&text, ah::clock::now_ms())))
        .filter(|ms| *ms >= 0.0)
        .map(|ms| ms as u64);
    let again = header("x-should-retry").and_then(|text| text.trim().parse().ok());
    let status = response.status().as_u16();
    let mut body = Vec::new();
    let reader = response.body_mut().with_config().limit(MOST).reader();
    // The limit is on what comes over the wire, which may be packed.
    let read = reader.take(MOST + 1).read_to_end(&mut body);
    read.map_err(|error| Fault { again: false, ..fault(&Error::from(error)) })?;
    if body.len() as u64 > MOST {
        return Err(fail(Reason::new(Code::TooLarge, format!("the answer is longer than {MOST} bytes"))));
    }
    Ok(Answer { body, again, after_ms, status })
}

fn fault(error: &Error) -> Fault {
    let (code, again) = match error {
        Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => (Code::Network, false),
        Error::Timeout(_) => (Code::Timeout, false),
        Error::BodyExceedsLimit(_) => (Code::TooLarge, false),
        Error::Rustls(_) | Error::Tls(_) | Error::Pem(_) => (Code::Tls, false),
        Error::BadUri(_) | Error::Http(_) | Error::InvalidProxyUrl => (Code::Config, false),
        Error::Io(error) => match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => (Code::Timeout, false),
            // What rustls cannot accept comes wrapped.
            io::ErrorKind::InvalidData => (Code::Tls, false),
            io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
                (Code::Network, true)
            }
            _ => (Code::Network, false),
        },
        _ => (Code::Network, false),
    };
    Fault { again, reason: Reason::new(code, error.to_string()) }
}

/// Milliseconds of a `retry-after`: seconds, or a date.
fn wait_ms(text: &str, now_ms: u64) -> Option<f64> {
    if let Ok(seconds) = text.trim().parse::<f64>() {
        return Some(seconds * 1_000.0).filter(|ms| ms.is_finite());
    }
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = words[..] else { return None };
    let month = MONTHS.find(month).filter(|at| at % 3 == 0 && month.len() == 3)? / 3 + 1;
    let at = ah::clock::moment_ms(&format!("{year}-{month:02}-{day}T{time}Z"))?;
    Some(at.saturating_sub(now_ms) as f64)
}

/// The certificates of the settings, else of `SSL_CERT_FILE`; `None` for the built-in ones.
fn roots(settings: &Judge) -> Result<Option<RootCerts>, Reason> {
    let named = std::env::var_os("SSL_CERT_FILE").filter(|value| !value.is_empty()).map(Into::into);
    let Some(file) = settings.ca_file.clone().or(named) else { return Ok(None) };
    let wrong = |what: String| Reason::new(Code::Config, format!("certificates: {}: {what}", ah::quote::path(&file)));
    let bytes = ah::fs::read(&file, MOST_CERTIFICATES).map_err(|error| wrong(error.to_string()))?;
    let certificates: Vec<_> = parse_pem(&bytes)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if certificates.is_empty() {
        return Err(wrong("it has none".to_owned()));
    }
    Ok(Some(RootCerts::from(certificates)))
}

/// The proxy for an address, by the environment as other programs read it; none for this machine itself.
fn proxy(url: &str, look: &dyn Fn(&str) -> Option<String>) -> Result<Option<Proxy>, Reason> {
    let (scheme, host) = host(url);
    let either = |name: &str| look(&name.to_lowercase()).or_else(|| look(name)).filter(|value| !value.trim().is_empty());
    if is_loopback(&host) || either("NO_PROXY").is_some_and(|list| exempt(&list, &host)) {
        return Ok(None);
    }
    let named = either(if scheme == "https" { "HTTPS_PROXY" } else { "HTTP_PROXY" }).or_else(|| either("ALL_PROXY"));
    let Some(named) = named else { return Ok(None) };
    // The address may have a password.
    let wrong = |_| Reason::new(Code::Config, "the proxy of the environment has no usable address".to_owned());
    Proxy::new(named.trim()).map(Some).map_err(wrong)
}

/// Scheme and host of an address, the host in small letters and without brackets, port or user.
pub fn host(url: &str) -> (String, String) {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let place = authority.rsplit('@').next().unwrap_or_default();
    let host = match place.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => place.split(':').next().unwrap_or_default(),
    };
    (scheme.to_lowercase(), host.trim_end_matches('.').to_lowercase())
}

/// Whether a host is this machine.
pub fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.ends_with(".localhost") || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether a list like `corp.example, .lan, 10.0.0.7` names a host or a domain it is in.
fn exempt(list: &str, host: &str) -> bool {
    list.split([',', ' ']).map(|entry| entry.trim().to_lowercase()).filter(|entry| !entry.is_empty()).any(|entry| {
        let name = entry.trim_start_matches("*.").trim_start_matches('.');
        let name = name.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(name, |(name, _)| name);
        entry == "*" || host == name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_from_addresses() {
        for (url, host_of) in [
            ("https://api.example.com/v1", "api.example.com"),
            ("http://user:p@ss@LOCALHOST.:8080?x", "localhost"),
            ("http://[::1]:11434/api", "::1"),
            ("http://127.9.0.1", "127.9.0.1"),
        ] {
            assert_eq!(host(url).1, host_of);
        }
        assert!(["localhost", "::1", "127.9.0.1", "a.localhost"].iter().all(|host| is_loopback(host)));
        assert!(!["localhost.example.com", "10.0.0.1", "127.0.0.1.example.com", ""].iter().any(|host| is_loopback(host)));
    }

    #[test]
    fn the_proxy_is_the_one_others_would_use() {
        let of = |url: &str, set: &[(&str, &str)]| {
            let look = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            proxy(url, &look).map(|found| found.map(|proxy| proxy.host().to_owned())).map_err(|reason| reason.code)
        };
        let both =
            [("HTTPS_PROXY", "http://s:1"), ("http_proxy", "http://h:1"), ("NO_PROXY", "corp.example, .lan,*.x:443,10.0.0.7")];
        assert_eq!(of("https://api.example", &both), Ok(Some("s".into())));
        assert_eq!(of("http://api.example", &both), Ok(Some("h".into())));
        for url in [
            "https://corp.example", "https://a.corp.example", "https://b.lan", "https://y.x", "http://10.0.0.7",
            "http://localhost:1", "http://[::1]:1",
        ] {
            assert_eq!(of(url, &both), Ok(None), "{url}");
        }
        assert_eq!(of("https://notcorp.example", &both), Ok(Some("s".into())));
        assert_eq!(of("https://api.example", &[("ALL_PROXY", "http://a:1"), ("no_proxy", "")]), Ok(Some("a".into())));
        assert_eq!(of("https://api.example", &[("HTTPS_PROXY", "http://s:1"), ("no_proxy", "*")]), Ok(None));
        assert_eq!(of("https://api.example", &[("HTTPS_PROXY", "::::")]), Err(Code::Config));
    }

    #[test]
    fn waits_are_seconds_or_a_date() {
        assert_eq!(wait_ms("2.5", 0), Some(2_500.0));
        assert_eq!(wait_ms("Thu, 01 Jan 1970 00:01:00 GMT", 1_000), Some(59_000.0));
        assert_eq!(wait_ms("Thu, 01 Jan 1970 00:00:00 GMT", 1_000), Some(0.0));
        for text in ["", "soon", "Thu, 01 anF 1970 00:00:00 GMT", "1e999"] {
            assert_eq!(wait_ms(text, 0), None, "{text}");
        }
    }
}
