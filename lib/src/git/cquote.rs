//! git's C-style quoting of odd paths, both ways.

/// The bytes of a quoted path; of an unquoted one the bytes themselves. `None` when the quoting is broken.
pub(super) fn unquote(text: &[u8]) -> Option<Vec<u8>> {
    let Some(inner) = text.strip_prefix(b"\"") else {
        return Some(text.to_vec());
    };
    let inner = inner.strip_suffix(b"\"")?;
    let mut out = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next()? {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            same @ (b'"' | b'\\') => same,
            first @ b'0'..=b'3' => {
                let (second, third) = (bytes.next()?, bytes.next()?);
                let digit = |b: u8| (b'0'..=b'7').contains(&b).then(|| b - b'0');
                (first - b'0') * 64 + digit(second)? * 8 + digit(third)?
            }
            _ => return None,
        });
    }
    Some(out)
}

/// One line that git's `--stdin-paths` reads back as these bytes.
pub(super) fn quote(bytes: &[u8]) -> Vec<u8> {
    if !bytes.contains(&b'\n') && bytes.first() != Some(&b'"') {
        return bytes.to_vec();
    }
    let mut out = vec![b'"'];
    for &byte in bytes {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            byte => out.push(byte),
        }
    }
    out.push(b'"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for bytes in [&b"plain"[..], b"\"a\nb\\", b"x\ny", b"\xff\n"] {
            assert_eq!(unquote(&quote(bytes)).as_deref(), Some(bytes));
        }
        assert_eq!(unquote(b"\"\\303\\244\\t\"").as_deref(), Some("\u{e4}\t".as_bytes()));
        for broken in [&b"\"a"[..], b"\"\\9\"", b"\"\\3\"", b"\"\\\""] {
            assert_eq!(unquote(broken), None, "{broken:?}");
        }
    }
}
