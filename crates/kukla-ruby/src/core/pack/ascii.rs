//! Bytes as ASCII: Base64, uuencode, quoted-printable.

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const UUENCODE: &[u8; 64] = b"`!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_";

/// Three bytes as four letters; what is missing at the end is filled up.
fn encode_group(out: &mut Vec<u8>, group: &[u8], letters: &[u8; 64], filler: u8) {
    let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
    let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    for place in 0..4 {
        let letter = letters[(bits >> (18 - 6 * place) & 63) as usize];
        out.push(if place <= group.len() { letter } else { filler });
    }
}

/// Base64, in lines of a number of bytes of input; 0 for one line without an end.
pub(super) fn base64_encode(bytes: &[u8], line: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() * 4 / 3 + 8);
    let lines = bytes.chunks(if line == 0 { bytes.len().max(1) } else { line });
    for chunk in lines {
        chunk.chunks(3).for_each(|group| encode_group(&mut out, group, BASE64, b'='));
        if line > 0 {
            out.push(b'\n');
        }
    }
    out
}

/// Base64 read as mail programs do: what does not belong to it is skipped.
pub(super) fn base64_decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let mut bits = 0u32;
    let mut count = 0;
    for byte in text {
        if *byte == b'=' && count >= 2 {
            break;
        }
        let Some(value) = base64_value(*byte) else { continue };
        bits = bits << 6 | value;
        count += 1;
        if count == 4 {
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
        }
    }
    match count {
        2 => out.push((bits >> 4) as u8),
        3 => out.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
        _ => {}
    }
    out
}

fn base64_value(byte: u8) -> Option<u32> {
    BASE64.iter().position(|letter| *letter == byte).map(|value| value as u32)
}

/// Base64 as RFC 4648 has it; `None` if it is not that.
pub(super) fn base64_decode_strictly(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let data = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let values: Option<Vec<u32>> = data.iter().map(|byte| base64_value(*byte)).collect();
    let values = values?;
    // The bits that do not count must be zero.
    let unused = match values.len() % 4 {
        2 => 0xf,
        3 => 0x3,
        _ => 0,
    };
    if values.last().is_some_and(|last| last & unused != 0) {
        return None;
    }
    Some(base64_decode(data))
}

/// Uuencode, in lines of a number of bytes of input.
pub(super) fn uuencode(bytes: &[u8], line: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in bytes.chunks(line.max(1)) {
        out.push(b' ' + chunk.len() as u8);
        chunk.chunks(3).for_each(|group| {
            let start = out.len();
            encode_group(&mut out, group, UUENCODE, b'`');
            debug_assert_eq!(out.len(), start + 4);
        });
        out.push(b'\n');
    }
    out
}

/// Decodes uuencode. Other letters count as zeros and are not skipped, and a byte after the groups of a line may be a checksum.
pub(super) fn uudecode(text: &[u8]) -> Vec<u8> {
    let most = text.len() * 3 / 4;
    let mut rest = text.iter().copied().peekable();
    let mut out = Vec::new();
    while let Some(first) = rest.next_if(|byte| (b'!'..=b'`').contains(byte)) {
        let length = usize::from((first - b' ') & 63).min(most - out.len());
        let end = out.len() + length;
        while out.len() < end {
            let bits = (0..4).fold(0u32, |bits, _| {
                let letter = rest.next_if(|byte| (b' '..=b'`').contains(byte)).unwrap_or(b' ');
                bits << 6 | u32::from((letter - b' ') & 63)
            });
            let group = &bits.to_be_bytes()[1..];
            out.extend_from_slice(&group[..group.len().min(end - out.len())]);
        }
        rest.next_if(|byte| !matches!(byte, b'\r' | b'\n'));
        rest.next_if_eq(&b'\r');
        rest.next_if_eq(&b'\n');
    }
    out
}

/// Quoted-printable, in lines with a limit on their characters.
pub(super) fn quoted_printable(bytes: &[u8], most: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut width = 0;
    let mut last = None;
    for byte in bytes {
        match byte {
            b'\n' => {
                // A blank at the end of a line would get lost.
                if matches!(last, Some(b' ' | b'\t')) {
                    out.extend_from_slice(b"=\n");
                }
                out.push(b'\n');
                width = 0;
                last = Some(b'\n');
                continue;
            }
            b'\t' | b' '..=b'<' | b'>'..=b'~' => {
                out.push(*byte);
                width += 1;
            }
            byte => {
                out.extend_from_slice(format!("={byte:02X}").as_bytes());
                width += 3;
            }
        }
        if width > most {
            out.extend_from_slice(b"=\n");
            width = 0;
            last = Some(b'\n');
            continue;
        }
        last = Some(*byte);
    }
    if width > 0 {
        out.extend_from_slice(b"=\n");
    }
    out
}

/// Quoted-printable read; what cannot be decoded stays as it is.
pub(super) fn quoted_printable_decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        if *byte != b'=' {
            out.push(*byte);
            at += 1;
            continue;
        }
        match &text[at + 1..] {
            [] => break,
            [b'\n', ..] => at += 2,
            [b'\r', b'\n', ..] => at += 3,
            [high, low, ..] => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                match (digit(*high), digit(*low)) {
                    (Some(high), Some(low)) => {
                        out.push((high * 16 + low) as u8);
                        at += 3;
                    }
                    _ => {
                        out.extend_from_slice(&text[at..]);
                        return out;
                    }
                }
            }
            _ => {
                out.extend_from_slice(&text[at..]);
                return out;
            }
        }
    }
    out
}
