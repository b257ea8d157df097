//! The table of systems, `systems.txt`, read once.

use std::sync::LazyLock;

/// The kinds of systems, which differ in the facts that they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Linux,
    Bsd,
    Windows,
    Macos,
    Solaris,
    Aix,
}

/// A line of the table.
#[derive(Debug)]
pub struct System {
    pub kind: Kind,
    columns: Vec<&'static str>,
    /// The values of the line, then those that it shares with others.
    values: Vec<(&'static str, &'static str)>,
}

impl System {
    /// The name of the set for the default architecture.
    pub fn name(&self) -> &'static str {
        self.columns[0]
    }

    /// A column; none if it is empty.
    pub fn column(&self, index: usize) -> Option<&'static str> {
        self.columns.get(index).copied().filter(|text| !text.is_empty() && *text != "-")
    }

    /// The text of a column that every system of the kind has.
    pub fn text(&self, index: usize) -> &'static str {
        self.column(index).unwrap_or_default()
    }

    /// A value by its key.
    pub fn value(&self, key: &str) -> Option<&'static str> {
        let found = self.values.iter().find(|(own, _)| *own == key);
        found.map(|(_, value)| *value).filter(|value| !value.is_empty())
    }

    /// The architectures, the default first.
    pub fn architectures(&self) -> impl Iterator<Item = &'static str> {
        self.value("arch").unwrap_or_default().split(',')
    }

    /// The provider of services, and its version if that is in the table.
    pub fn init(&self) -> (&'static str, Option<&'static str>) {
        let init = self.value("init").unwrap_or_default();
        init.split_once(',').map_or((init, None), |(name, version)| (name, Some(version)))
    }

    /// The name and the release of the operating system, as `os.name` and `os.release.full` have them.
    pub fn os(&self) -> (&'static str, &'static str) {
        match self.kind {
            Kind::Linux | Kind::Bsd => (self.text(1), self.text(2)),
            Kind::Windows => ("windows", self.text(1)),
            Kind::Macos => ("Darwin", self.text(1)),
            Kind::Solaris => ("Solaris", self.text(1)),
            Kind::Aix => ("AIX", self.text(1)),
        }
    }
}

/// All systems, in the order of the table.
pub static SYSTEMS: LazyLock<Vec<System>> = LazyLock::new(|| read(include_str!("systems.txt")));

fn read(table: &'static str) -> Vec<System> {
    let (mut kind, mut shared, mut systems) = (Kind::Linux, Vec::new(), Vec::new());
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(head) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            kind = match head.split(' ').next() {
                Some("bsd") => Kind::Bsd,
                Some("windows") => Kind::Windows,
                Some("macos") => Kind::Macos,
                Some("solaris") => Kind::Solaris,
                Some("aix") => Kind::Aix,
                _ => Kind::Linux,
            };
            shared = pairs(head);
            continue;
        }
        let mut columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let own = columns.pop_if(|last| last.contains('=')).map(pairs).unwrap_or_default();
        let values = own.into_iter().chain(shared.iter().copied()).collect();
        systems.push(System { kind, columns, values });
    }
    systems
}

fn pairs(text: &'static str) -> Vec<(&'static str, &'static str)> {
    text.split(' ').filter_map(|pair| pair.split_once('=')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_has_the_columns_of_its_kind() {
        assert!(SYSTEMS.len() >= 60, "{}", SYSTEMS.len());
        for system in SYSTEMS.iter() {
            let columns = match system.kind {
                Kind::Linux | Kind::Windows => 7,
                Kind::Macos => 4,
                Kind::Bsd => 3,
                Kind::Solaris | Kind::Aix => 2,
            };
            assert_eq!(system.columns.len(), columns, "{}", system.name());
            for key in ["arch", "family", "package", "init"] {
                assert!(system.value(key).is_some(), "{} has no {key}", system.name());
            }
        }
    }
}
