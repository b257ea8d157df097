//! UUIDs as text.

use std::fmt::Write as _;

/// The text of a UUID of a version (RFC 9562) with these bytes; the bits of the version and the variant replace those of the bytes.
///
/// ```
/// let text = kukla_values::uuid::text(4, [0xff; 16]);
/// assert_eq!(text, "ffffffff-ffff-4fff-bfff-ffffffffffff");
/// ```
pub fn text(version: u8, mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | version << 4;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (i, byte) in bytes.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}
