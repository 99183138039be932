//! What of a prompt the person said: without quotations, code and pasted logs.

/// Most characters of a prompt that are looked at: a correction is said early.
const LOOKED: usize = 4_000;

/// The sentences that the person said, in small letters and with plain apostrophes.
pub fn sentences(prompt: &str) -> Vec<String> {
    let end = prompt.char_indices().nth(LOOKED).map_or(prompt.len(), |(at, _)| at);
    let text = &prompt[..end];
    let mut kept = String::new();
    let mut fenced = false;
    for line in text.lines() {
        let line = line.trim_end();
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced && !pasted(line) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    let said = unquoted(&kept).to_lowercase().replace(['’', '‘', '`'], "'");
    said.split(['.', '!', '?', ';', '\n', '—', '–'])
        .map(str::trim)
        .filter(|sentence| sentence.contains(char::is_alphabetic))
        .map(str::to_owned)
        .collect()
}

/// A quoted line, or one that a program printed.
fn pasted(line: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "    ", "\t", ">", "@@", "+++", "---", "diff --git", "--> ", "| ", "at ", "File \"", "Traceback", "error[", "error:",
        "warning:", "fatal:", "npm ERR!", "FAIL", "PASS", "panic:", "goroutine ", "thread '", "$ ", "# ", "✕", "✓", "= note:",
    ];
    let start = line.trim_start();
    BEGINNINGS.iter().any(|begin| line.starts_with(begin) || start.starts_with(begin) && !begin.starts_with(' '))
        || stamped(start)
        || ["+", "-"].iter().any(|sign| start.starts_with(sign) && !start.starts_with(&format!("{sign} ")))
        || exception(start)
}

/// `2026-11-30T10:00:01`, `10:00:01`, `[2026-11-30`: a line of a log.
fn stamped(line: &str) -> bool {
    let line = line.trim_start_matches(['[', '(']).as_bytes();
    let shape = |pattern: &[u8]| {
        line.len() >= pattern.len()
            && line.iter().zip(pattern).all(|(have, want)| if *want == b'0' { have.is_ascii_digit() } else { have == want })
    };
    shape(b"0000-00-00") || shape(b"00:00:00") || shape(b"0000/00/00")
}

/// `ValueError: no`: a name in one word that ends in Error or Exception.
fn exception(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    name.len() < line.len() && (name.ends_with("Error") || name.ends_with("Exception")) && !name.contains(' ')
}

/// The text without what stands in double quotes or backquotes, each within a line; what the words before a colon
/// announce as somebody else's goes to the end of the line.
fn unquoted(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some((at, open)) = rest.char_indices().find(|(_, c)| matches!(c, '"' | '“' | '„' | '«' | '`')) {
            let after = &rest[at + open.len_utf8()..];
            let close: &[char] = match open {
                '`' => &['`'],
                '«' => &['»'],
                '"' => &['"'],
                _ => &['”', '“', '"'],
            };
            out.push_str(&rest[..at]);
            // A stand-in, so that what follows does not become the start of a sentence.
            out.push_str(" quoted ");
            rest = after.find(close).map_or("", |end| after[end..].trim_start_matches(close));
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn what_others_said_is_left_out() {
        assert_eq!(sentences("> no\nWhy?\n```\nno\n```\n`no` and “never” end"), ["why", "quoted  and  quoted  end"]);
        assert_eq!(sentences("2026-01-01 no\n  at main.rs:1\n+no\n[10:00:00] no\nValueError: no"), Vec::<String>::new());
        assert_eq!(sentences("That’s it. OK — go\n\"open"), ["that's it", "ok", "go", "quoted"]);
        assert_eq!(sentences(&"é".repeat(5_000)).len(), 1);
        assert_eq!(sentences("```\nnever ended").len(), 0);
    }
}
