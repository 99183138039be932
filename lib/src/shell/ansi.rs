//! Reads `$'..'`: quotes with escapes.

use super::parse::Parser;

impl Parser<'_> {
    /// Behind `$'`: decodes up to and with the closing quote.
    pub(super) fn ansi(&mut self) -> String {
        let from = self.pos;
        let mut out: Vec<u8> = Vec::new();
        let mut cut = false;
        loop {
            let Some(byte) = self.peek() else {
                self.note("syntax", from);
                break;
            };
            self.pos += 1;
            match byte {
                b'\'' => break,
                b'\\' => {
                    if let Some(code) = self.ansi_escape(&mut out) {
                        // A NUL ends the text as bash keeps it.
                        cut |= code == 0;
                        if !cut {
                            let mut buffer = [0; 4];
                            out.extend_from_slice(code_bytes(code, &mut buffer));
                        }
                    }
                }
                _ if cut => {}
                _ => out.push(byte),
            }
        }
        String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// Behind a backslash in `$'..'`: the code of the character, or nothing where the text was kept as it is.
    fn ansi_escape(&mut self, out: &mut Vec<u8>) -> Option<u32> {
        let byte = self.peek()?;
        self.pos += 1;
        let code = match byte {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => u32::from(byte),
            b'0'..=b'7' => {
                self.pos -= 1;
                self.digits(8, 3) & 0xff
            }
            b'x' => {
                let value = self.digits(16, 2);
                if value >= 0x80 {
                    out.push(u8::try_from(value & 0xff).unwrap_or(b'?'));
                    return None;
                }
                value
            }
            b'u' => self.digits(16, 4),
            b'U' => self.digits(16, 8),
            b'c' => {
                let control = u32::from(self.peek()?) & 0x1f;
                self.pos += self.char().map_or(0, char::len_utf8);
                control
            }
            _ => {
                out.push(b'\\');
                out.push(byte);
                return None;
            }
        };
        Some(code)
    }

    fn digits(&mut self, base: u32, most: u32) -> u32 {
        let mut value = 0u32;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(base)) else {
                break;
            };
            value = value.wrapping_mul(base).wrapping_add(digit);
            self.pos += 1;
        }
        value
    }
}

fn code_bytes(code: u32, buffer: &mut [u8; 4]) -> &[u8] {
    char::from_u32(code).unwrap_or('\u{fffd}').encode_utf8(buffer).as_bytes()
}
