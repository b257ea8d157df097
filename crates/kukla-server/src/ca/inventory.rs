//! The serial number that comes next, and the inventory of all certificates that were ever signed.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
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

/// The number in the file `serial`; none if the file is missing or empty.
pub fn written_serial(file: &Path) -> Result<Option<BigUint>, Problem> {
    let bytes = read_if_there(file)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    if text.trim().is_empty() {
        return Ok(None);
    }
    let serial = BigUint::parse_bytes(text.trim().as_bytes(), 16).ok_or_else(|| {
        let reason = format!("expected a hexadecimal number, got '{}'", text.trim().escape_debug());
        Problem::invalid("invalid serial number in").on(file.display()).because(reason)
    })?;
    Ok(Some(serial))
}

/// Writes the number that the next certificate gets.
pub fn write_serial(file: &Path, serial: &BigUint) -> Result<(), Problem> {
    write_whole(file, hexadecimal(serial).as_bytes(), 0o644)
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
    let serial = serial_of(words.next()?)?;
    let (_, not_after, subject) = (words.next()?, words.next()?, words.next()?);
    let name = subject.split(['/', ',']).find_map(|part| part.trim().strip_prefix("CN="))?;
    Some(Entry { serial, not_after: time::from_inventory(not_after), name: name.trim().to_owned() })
}

fn serial_of(word: &str) -> Option<BigUint> {
    BigUint::parse_bytes(word.strip_prefix("0x")?.as_bytes(), 16)
}

/// The highest serial number of an inventory. The file only grows, so after the first time only its new lines are read.
#[derive(Debug, Default)]
pub struct HighestSerial(Mutex<ScannedInventory>);

#[derive(Debug, Default)]
struct ScannedInventory {
    inode: u64,
    length: u64,
    highest: BigUint,
}

impl HighestSerial {
    /// The highest number, or zero.
    pub fn read(&self, file: &Path) -> Result<BigUint, Problem> {
        let mut scanned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        scanned.update(file).map_err(|error| Problem::io("read", file, &error))?;
        Ok(scanned.highest.clone())
    }
}

impl ScannedInventory {
    fn update(&mut self, path: &Path) -> std::io::Result<()> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            other => other?,
        };
        let about = file.metadata()?;
        if about.ino() != self.inode || about.len() < self.length {
            // Another file: what the old one had still counts.
            (self.inode, self.length) = (about.ino(), 0);
        }
        file.seek(SeekFrom::Start(self.length))?;
        let mut new = Vec::new();
        file.take(about.len() - self.length).read_to_end(&mut new)?;
        // A line that another process is writing is read when it is whole.
        let whole = new.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let text = String::from_utf8_lossy(&new[..whole]);
        let serials = text.lines().filter_map(|line| serial_of(line.split(' ').next()?));
        self.highest = serials.max().unwrap_or_default().max(std::mem::take(&mut self.highest));
        self.length += whole as u64;
        Ok(())
    }
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

    #[test]
    fn the_highest_number_of_a_file_that_grows() {
        let file = std::env::temp_dir().join(format!("kukla-inventory-{}", std::process::id()));
        let highest = HighestSerial::default();
        let read = || highest.read(&file).unwrap();
        assert_eq!(read(), BigUint::ZERO);
        std::fs::write(&file, "0x0009 a b /CN=x\nnothing\n0x0003 a b /CN=y\n").unwrap();
        assert_eq!(read(), BigUint::from(9_u32));
        append_line(&file, "0x000B a b /CN=z", 0o644).unwrap();
        assert_eq!(read(), BigUint::from(11_u32));
        std::fs::write(&file, "0x0001 a b /CN=x\n").unwrap();
        assert_eq!(read(), BigUint::from(11_u32), "numbers that were seen stay taken");
        std::fs::remove_file(&file).unwrap();
    }
}
