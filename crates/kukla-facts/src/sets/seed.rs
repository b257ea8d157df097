//! Values that follow from the name of a node: the same name gives the same values, another name others.

use std::net::{Ipv4Addr, Ipv6Addr};

use sha2::{Digest, Sha256};

/// A source of values for one node.
pub struct Seed<'n>(pub &'n str);

impl Seed<'_> {
    /// Bytes for a purpose; other purposes get other bytes.
    pub fn bytes(&self, purpose: &str, length: usize) -> Vec<u8> {
        let block = |number: u64| Sha256::digest(format!("{}\n{purpose}\n{number}", self.0)).to_vec();
        (0..).flat_map(block).take(length).collect()
    }

    /// A number below a limit.
    pub fn below(&self, purpose: &str, limit: u64) -> u64 {
        let bytes = self.bytes(purpose, 8);
        bytes.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte)) % limit.max(1)
    }

    pub fn hex(&self, purpose: &str, digits: usize) -> String {
        let mut text: String =
            self.bytes(purpose, digits.div_ceil(2)).iter().map(|byte| format!("{byte:02x}")).collect();
        text.truncate(digits);
        text
    }

    /// A random UUID, version 4.
    pub fn uuid(&self, purpose: &str) -> String {
        let hex = self.hex(purpose, 32);
        format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
    }

    /// The hardware address, with the prefix of virtual machines of QEMU.
    pub fn mac(&self) -> [u8; 6] {
        let own = self.bytes("mac", 3);
        [0x52, 0x54, 0x00, own[0], own[1], own[2]]
    }

    /// The address in a private network of 24 bits.
    pub fn ip(&self) -> Ipv4Addr {
        let own = self.bytes("network", 2);
        Ipv4Addr::new(10, own[0], own[1], 10 + self.below("host", 240) as u8)
    }

    /// An IPv6 address that follows from the hardware address, with this prefix of 64 bits.
    pub fn ip6(&self, prefix: [u16; 4]) -> Ipv6Addr {
        let [a, b, c, d, e, f] = self.mac().map(u16::from);
        let [p, q, r, s] = prefix;
        Ipv6Addr::new(p, q, r, s, (a ^ 2) << 8 | b, c << 8 | 0xff, 0xfe00 | d, e << 8 | f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_from_the_name() {
        let (one, other) = (Seed("web1"), Seed("web2"));
        assert_eq!(one.bytes("a", 100), Seed("web1").bytes("a", 100));
        assert_ne!(one.bytes("a", 100), one.bytes("b", 100));
        assert_ne!((one.mac(), one.ip()), (other.mac(), other.ip()));
        let uuid = one.uuid("disk");
        assert_eq!((uuid.len(), uuid.as_bytes()[14]), (36, b'4'));
        assert!(one.ip6([0xfe80, 0, 0, 0]).to_string().starts_with("fe80::5054:ff:fe"));
    }
}
