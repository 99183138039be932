//! Options of single programs: which arguments are files, which make a looker write.

use super::programs::Doing;

/// Operands, without the values of the options that take one.
pub(super) fn files(program: &str, args: &[&str]) -> Vec<usize> {
    let valued = match program {
        "head" | "tail" => &["-n", "-c"][..],
        "truncate" => &["-s", "-r"],
        "touch" => &["-d", "-t", "-r"],
        "mkdir" => &["-m"],
        "rg" => &["-g", "-t", "-T", "-e", "-f", "-A", "-B", "-C", "-m", "-r", "-j"],
        "grep" | "egrep" | "fgrep" => &["-e", "-f", "-A", "-B", "-C", "-m"],
        "jq" => &["--arg", "--argjson", "--indent"],
        _ => &[],
    };
    let mut out = Vec::new();
    let mut at = 0;
    let mut plain = false;
    while at < args.len() {
        if !plain && args[at] == "--" {
            plain = true;
        } else if !plain && args[at].starts_with('-') && args[at].len() > 1 {
            at += usize::from(valued.contains(&args[at]));
        } else {
            out.push(at);
        }
        at += 1;
    }
    out
}

/// `sed`: with `-i` it writes its files, which come behind the script.
pub(super) fn sed(args: &[&str]) -> Doing {
    let inplace = args.iter().any(|arg| {
        arg.starts_with("--in-place")
            || (arg.starts_with('-')
                && !arg.starts_with("--")
                && arg.chars().skip(1).take_while(|letter| "nErsuzi".contains(*letter)).any(|letter| letter == 'i'))
    });
    let mut out = Vec::new();
    let mut at = 0;
    let mut script = false;
    while at < args.len() {
        if matches!(args[at], "-e" | "-f" | "--expression" | "--file") {
            script = true;
            at += 1;
        } else if !args[at].starts_with('-') {
            out.push(at);
        }
        at += 1;
    }
    let files = out.into_iter().skip(usize::from(!script)).collect();
    if inplace { Doing::Changes(files) } else { Doing::Looks(files) }
}

/// `curl` that neither sends nor keeps anything.
pub(super) fn curl_looks(args: &[&str]) -> bool {
    let long = [
        "--data", "--data-binary", "--data-raw", "--data-urlencode", "--form", "--json", "--output", "--remote-name",
        "--upload-file", "--cookie-jar", "--dump-header",
    ];
    let mut at = 0;
    while at < args.len() {
        let arg = args[at];
        if arg == "-X" || arg == "--request" {
            if !args.get(at + 1).is_some_and(|verb| matches!(*verb, "GET" | "HEAD")) {
                return false;
            }
            at += 1;
        } else if let Some(name) = arg.strip_prefix("--") {
            if long.iter().any(|known| known[2..] == *name.split('=').next().unwrap_or(""))
                && args.get(at + 1) != Some(&"/dev/null")
            {
                return false;
            }
        } else if arg.starts_with('-') {
            if arg.ends_with('o') && matches!(args.get(at + 1), Some(&("/dev/null" | "-"))) {
                at += 1;
            } else if arg.contains(['o', 'O', 'd', 'F', 'T']) || arg.starts_with("-X") {
                return false;
            }
        }
        at += 1;
    }
    true
}
