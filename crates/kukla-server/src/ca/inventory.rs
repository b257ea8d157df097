//! The serial number that comes next, and the inventory of all certificates that were ever signed.

use std::path::Path;
use std::time::SystemTime;

use kukla::syntax::Problem;
use num_bigint::BigUint;

use super::certificate::Certificate;
use super::time;
use crate::files::{append_line, read_if_there, write_whole};

/// One certificate of the inventory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub serial: BigUint,
    /// Until when it is valid.
    pub not_after: Option<SystemTime>,
    /// Its subject's common name.
    pub name: String,
}

/// The number that the next certificate gets. It is taken before anything is signed, so that none is ever given twice.
pub fn take_serial(file: &Path) -> Result<BigUint, Problem> {
    let serial = next_serial(file)?;
    write_whole(file, hexadecimal(&(&serial + 1_u32)).as_bytes(), 0o644)?;
    Ok(serial)
}

/// The number that the next certificate will get.
pub fn next_serial(file: &Path) -> Result<BigUint, Problem> {
    let Some(bytes) = read_if_there(file)? else { return Ok(BigUint::from(1_u32)) };
    let text = String::from_utf8_lossy(&bytes);
    BigUint::parse_bytes(text.trim().as_bytes(), 16).ok_or_else(|| {
        let reason = format!("expected a hexadecimal number, got '{}'", text.trim());
        Problem::invalid("invalid serial number in").on(file.display()).because(reason)
    })
}

/// A number as Puppet writes it, with four digits at least.
pub fn hexadecimal(serial: &BigUint) -> String {
    format!("{:0>4}", format!("{serial:X}"))
}

/// Adds a certificate to the inventory.
pub fn add(file: &Path, certificate: &Certificate) -> Result<(), Problem> {
    let line = format!(
        "0x{} {} {} /{}",
        hexadecimal(&certificate.serial()),
        time::in_inventory(certificate.not_before()),
        time::in_inventory(certificate.not_after()),
        certificate.subject()
    );
    append_line(file, &line, 0o644)
}

/// All certificates of the inventory; lines that are none are passed over.
pub fn read(file: &Path) -> Result<Vec<Entry>, Problem> {
    let bytes = read_if_there(file)?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).lines().filter_map(entry).collect())
}

fn entry(line: &str) -> Option<Entry> {
    let mut words = line.splitn(4, ' ');
    let serial = BigUint::parse_bytes(words.next()?.strip_prefix("0x")?.as_bytes(), 16)?;
    let (_, not_after, subject) = (words.next()?, words.next()?, words.next()?);
    let name = subject.split(['/', ',']).find_map(|part| part.trim().strip_prefix("CN="))?;
    Some(Entry { serial, not_after: time::from_inventory(not_after), name: name.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_puppets_inventories() {
        let line = "0x0002 2026-11-15T05:27:16UTC 2031-11-15T05:27:16UTC /CN=web1.example.com";
        let read = entry(line).unwrap();
        assert_eq!((read.serial, read.name.as_str()), (BigUint::from(2_u32), "web1.example.com"));
        assert_eq!(entry("# Inventory of signed certificates"), None);
        assert_eq!(entry("0x00"), None);
        assert_eq!(hexadecimal(&BigUint::from(10_u32)), "000A");
        assert_eq!(hexadecimal(&BigUint::from(0x12_345_u32)), "12345");
    }
}
