//! Addresses: `enclose_ipv6`, `stdlib::ip_in_range`, and what Ruby's IPAddr reads as an address.

use std::net::Ipv6Addr;

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_syntax::{bail, diagnostic};
use kukla_values::{Result, Str, Value};

use crate::codes::{
    AMBIGUOUS_ADDRESS, INVALID_ADDRESS, INVALID_MASK, INVALID_PREFIX, MASK_OF_OTHER_FAMILY,
    NETWORK_NO_STRING, NOT_AN_ADDRESS, PREFIX_TOO_LONG, PREFIX_WITH_LEADING_ZERO,
};
use crate::legacy::{LEGACY, legacy, wrong_number_of, wrong_type};
use crate::ruby;

builtins! {
    /// Addresses with brackets around those of IPv6; `*` passes.
    ///
    /// ```puppet
    /// enclose_ipv6(['127.0.0.1', '::1'])    # => ['127.0.0.1', '[::1]']
    /// ```
    "enclose_ipv6" {
        LEGACY => enclose_ipv6;
        tools "Variant[String, Array[String]] $addresses >> Array[String]"
    }

    /// Whether an address is in a network or in one of several.
    ///
    /// ```puppet
    /// stdlib::ip_in_range('10.1.2.3', '10.1.0.0/16')                  # => true
    /// stdlib::ip_in_range('10.1.2.3', ['10.2.0.0/16', '::/0'])        # => false
    /// ```
    "stdlib::ip_in_range": TypedResult { "String $ipaddress, Variant[String, Array] $range >> Boolean" => ip_in_range }
}

/// An address or network as Ruby's IPAddr holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// The bits of the first address.
    first: u128,
    /// The bits of the last address.
    last: u128,
    /// Whether it is of IPv6.
    pub v6: bool,
    zone: Option<String>,
}

impl Address {
    /// Reads `1.2.3.4`, `1.2.3.0/24`, `1.2.3.0/255.255.255.0`, `::1`, `[::1]`, `fe80::1%eth0`.
    pub fn parse(text: &str) -> Result<Address> {
        let (plain, prefix) = match text.split_once('/') {
            Some((plain, prefix)) => (plain, Some(prefix)),
            None => (text, None),
        };
        let bracketed = plain.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        let mut address = match bracketed {
            Some(inner) => v6(inner),
            None if plain.contains(':') => v6(plain),
            None => v4(plain).map_err(|ZeroFilled| diagnostic!(AMBIGUOUS_ADDRESS { text }))?,
        }
        .ok_or_else(|| diagnostic!(INVALID_ADDRESS { text }))?;
        if let Some(prefix) = prefix {
            address.mask(prefix, text)?;
        }
        Ok(address)
    }

    fn width(&self) -> u32 {
        if self.v6 { 128 } else { 32 }
    }

    fn mask(&mut self, prefix: &str, network: &str) -> Result<()> {
        let all = u128::MAX >> (128 - self.width());
        let digits = !prefix.is_empty() && prefix.bytes().all(|b| b.is_ascii_digit());
        if digits && prefix.len() > 1 && prefix.starts_with('0') {
            bail!(PREFIX_WITH_LEADING_ZERO);
        }
        let mask = if digits {
            let length: u32 = prefix.parse().unwrap_or(u32::MAX);
            if length > self.width() {
                bail!(PREFIX_TOO_LONG { network });
            }
            all & all.checked_shl(self.width() - length).unwrap_or(0)
        } else {
            let mask = Address::parse(prefix)
                .map_err(|cause| diagnostic!(INVALID_PREFIX { network }).because(cause))?;
            if mask.v6 != self.v6 {
                bail!(MASK_OF_OTHER_FAMILY { network });
            }
            let host = all ^ mask.first;
            if host.wrapping_add(1) & host != 0 {
                bail!(INVALID_MASK { mask: prefix, network });
            }
            mask.first
        };
        self.first &= mask;
        self.last = self.first | (all ^ mask);
        Ok(())
    }

    fn includes(&self, other: &Address) -> bool {
        self.v6 == other.v6 && self.first <= other.first && other.last <= self.last
    }
}

/// A number of an address that begins with zero.
struct ZeroFilled;

fn v4(text: &str) -> std::result::Result<Option<Address>, ZeroFilled> {
    let octets: Vec<&str> = text.split('.').collect();
    if octets.len() != 4 || !octets.iter().all(|o| !o.is_empty() && o.bytes().all(|b| b.is_ascii_digit())) {
        return Ok(None);
    }
    let mut bits = 0u128;
    for octet in octets {
        if octet.len() > 1 && octet.starts_with('0') {
            return Err(ZeroFilled);
        }
        match octet.parse::<u8>() {
            Ok(byte) => bits = bits << 8 | u128::from(byte),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(Address { first: bits, last: bits, v6: false, zone: None }))
}

fn v6(text: &str) -> Option<Address> {
    let (plain, zone) = match text.split_once('%') {
        Some((plain, zone)) if !zone.is_empty() => (plain, Some(format!("%{zone}"))),
        Some(_) => return None,
        None => (text, None),
    };
    let bits = u128::from(plain.parse::<Ipv6Addr>().ok()?);
    Some(Address { first: bits, last: bits, v6: true, zone })
}

impl std::fmt::Display for Address {
    /// As IPAddr prints it: the first longest run of zero groups is left out; the last two groups alone print as IPv4.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let octet = |shift: u32| self.first >> shift & 0xff;
        if !self.v6 {
            return write!(f, "{}.{}.{}.{}", octet(24), octet(16), octet(8), octet(0));
        }
        let groups: Vec<u128> = (0..8).rev().map(|at| self.first >> (16 * at) & 0xffff).collect();
        let zone = self.zone.as_deref().unwrap_or_default();
        let run = |length: usize| {
            (0..=8 - length).find(|start| groups[*start..start + length].iter().all(|g| *g == 0))
        };
        let Some((start, length)) = (2..=8).rev().find_map(|length| Some((run(length)?, length))) else {
            let text: Vec<String> = groups.iter().map(|group| format!("{group:x}")).collect();
            return write!(f, "{}{zone}", text.join(":"));
        };
        let text = |groups: &[u128]| groups.iter().map(|g| format!("{g:x}")).collect::<Vec<_>>().join(":");
        let (head, tail) = (&groups[..start], &groups[start + length..]);
        match (head, tail) {
            ([], [_, _]) | ([], [0xffff, _, _]) => {
                let mapped = if tail.len() == 3 { "ffff:" } else { "" };
                write!(f, "::{mapped}{}.{}.{}.{}{zone}", octet(24), octet(16), octet(8), octet(0))
            }
            _ => write!(f, "{}::{}{zone}", text(head), text(tail)),
        }
    }
}

fn enclose_ipv6(Rest(args): Rest) -> Result<Vec<Value>> {
    let args = legacy(args)?;
    let [given] = args.as_slice() else {
        return Err(wrong_number_of("enclose_ipv6", args.len(), 1));
    };
    if !matches!(given, Value::String(_) | Value::Array(_)) {
        let class = ruby::class(given);
        let objection = format_args!("Wrong argument type given {class} expected String or Array");
        return Err(wrong_type("enclose_ipv6", objection));
    }
    let mut result = Vec::new();
    for value in ruby::flatten(&args).into_iter().filter(|value| !value.is_undef()) {
        if value.as_str() == Some("*") {
            result.push(value);
            continue;
        }
        let text = ruby::to_s(&value);
        let address = Address::parse(&text).map_err(|_| diagnostic!(NOT_AN_ADDRESS { text }))?;
        result.push(if address.v6 { format!("[{address}]").into() } else { value });
    }
    Ok(ruby::unique(result))
}

fn ip_in_range(address: Str, range: Value) -> Result<bool> {
    let address = Address::parse(&address)?;
    let ranges = ruby::to_array(&range);
    let ranges: Vec<Address> = ranges
        .iter()
        .map(|range| match range {
            Value::String(text) => Address::parse(text),
            _ => bail!(NETWORK_NO_STRING),
        })
        .collect::<Result<_>>()?;
    Ok(ranges.iter().any(|range| range.includes(&address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_print_as_ruby_prints_them() {
        let shown = |text: &str| {
            Address::parse(text).map(|address| address.to_string()).unwrap_or_else(|e| e.to_string())
        };
        assert_eq!(shown("2001:0db8::0001"), "2001:db8::1");
        assert_eq!(shown("::1:2"), "::0.1.0.2");
        assert_eq!(shown("::ffff:1.2.3.4"), "::ffff:1.2.3.4");
        assert_eq!(shown("1:0:2:0:0:3:4:5"), "1:0:2::3:4:5");
        assert_eq!(shown("::"), "::");
        assert_eq!(shown("fe80::1%eth0"), "fe80::1%eth0");
        assert_eq!(shown("10.1.2.3/255.255.0.0"), "10.1.0.0");
        assert_eq!(shown("10.1.2.300"), "invalid address: 10.1.2.300");
        assert_eq!(shown("10.01.2.3"), "zero-filled number in IPv4 address is ambiguous: 10.01.2.3");
    }
}
