//! Fact sets: the facts of a machine that has one of many operating systems, for nodes whose own facts are not at hand.
//!
//! A set is a line of a table (`systems.txt`), expanded by code. Facts that differ from machine to machine follow from the node's name.

mod agent;
#[cfg(test)]
mod facterdb;
mod hardware;
mod networking;
mod os;
mod seed;
mod table;

use kukla_syntax::{Problem, suggest};
use kukla_values::Hash;

use crate::machine::Fields;
use crate::{legacy, sorted};
use table::{Kind, SYSTEMS, System};

/// The facts of an operating system on one architecture.
#[derive(Clone, Copy, Debug)]
pub struct FactSet {
    system: &'static System,
    architecture: &'static str,
}

impl PartialEq for FactSet {
    fn eq(&self, other: &FactSet) -> bool {
        self.name() == other.name()
    }
}

impl Eq for FactSet {}

impl FactSet {
    /// All sets, in the order of the table.
    pub fn all() -> impl Iterator<Item = FactSet> {
        let sets = |system: &'static System| {
            system.architectures().map(move |architecture| FactSet { system, architecture })
        };
        SYSTEMS.iter().flat_map(sets)
    }

    /// The set of a name: that of a system, with or without its architecture, in any case of letters.
    pub fn named(name: &str) -> Option<FactSet> {
        let name = name.to_lowercase();
        FactSet::all().find(|set| set.names().any(|own| own == name))
    }

    /// The set of a name that must exist.
    pub fn require(name: &str) -> Result<FactSet, Problem> {
        FactSet::named(name).ok_or_else(|| {
            let problem = Problem::not_found("unknown fact set").on(format!("'{name}'"));
            let problem = match FactSet::nearest(name) {
                Some(near) => problem.help(format!("did you mean '{near}'?")),
                None => problem,
            };
            problem.help("`kukla facts list` lists all sets")
        })
    }

    /// The name of a set that is almost this name, or of the newest release of the same system.
    pub fn nearest(name: &str) -> Option<String> {
        let name = name.to_lowercase();
        let system = name.split(|letter: char| letter == '-' || letter.is_ascii_digit()).next()?;
        let same = FactSet::all().filter(|set| set.is_default()).filter(|set| {
            let mut names = set.names();
            names.any(|own| own.split('-').next() == Some(system))
        });
        let same = same.last().map(|set| set.name());
        let names: Vec<String> = FactSet::all().flat_map(|set| set.names().collect::<Vec<_>>()).collect();
        let near = suggest::nearest(&name, names.iter().map(String::as_str)).map(str::to_owned);
        near.or(same)
    }

    /// The set of the system that these facts describe: the same system, release and architecture.
    pub fn like(facts: &Hash) -> Option<FactSet> {
        let text = |path: &str| crate::dig(facts, path).and_then(|value| Some(value.as_str()?.to_owned()));
        let (name, major, hardware) = (text("os.name")?, text("os.release.major")?, text("os.hardware")?);
        FactSet::all().find(|set| {
            let mut facts = Fields::default();
            os::add(set, &mut facts);
            let facts = facts.into_hash();
            let own = |path: &str| crate::dig(&facts, path);
            own("os.name") == Some(name.as_str().into())
                && set.hardware() == hardware
                && (own("os.release.major") == Some(major.as_str().into()) || name == "Archlinux")
        })
    }

    /// The set's name; one of an architecture that is not the default ends in it.
    pub fn name(&self) -> String {
        match self.is_default() {
            true => self.system.name().to_owned(),
            false => format!("{}-{}", self.system.name(), self.architecture),
        }
    }

    /// The name of the node whose facts these are if no other is chosen.
    pub fn default_node(&self) -> String {
        format!("{}.example.com", self.name().replace(['.', '_'], "-"))
    }

    /// The set's architecture.
    pub fn architecture(&self) -> &'static str {
        self.architecture
    }

    fn is_default(&self) -> bool {
        self.system.architectures().next() == Some(self.architecture)
    }

    /// Every name that chooses this set.
    fn names(&self) -> impl Iterator<Item = String> {
        let set = *self;
        let bases = [self.system.name()].into_iter().chain(self.system.value("aka"));
        let other = match self.architecture {
            "x86_64" => Some("amd64"),
            "aarch64" => Some("arm64"),
            _ => None,
        };
        bases.flat_map(move |base| {
            let short = set.is_default().then(|| base.to_owned());
            let long = [Some(set.architecture), other].into_iter().flatten();
            short.into_iter().chain(long.map(move |architecture| format!("{base}-{architecture}")))
        })
    }

    /// The facts of a node of this name, without those that have another name since facts are structured.
    pub fn structured_facts(&self, node: &str) -> Hash {
        let mut facts = Fields::default();
        os::add(self, &mut facts);
        networking::add(self, node, &mut facts);
        hardware::add(self, node, &mut facts);
        agent::add(self, node, &mut facts);
        facts.into_hash()
    }

    /// All facts of a node of this name, with those that have had another name before facts were structured.
    pub fn facts(&self, node: &str) -> Hash {
        let mut facts = self.structured_facts(node);
        let mut old = Fields::default();
        legacy::add(&mut old, &facts);
        for (name, value) in &old.into_hash() {
            // A current fact is not replaced by an old one.
            if !facts.contains_key(name) {
                facts.insert(name.clone(), value.clone());
            }
        }
        sorted(&facts)
    }

    /// The name of the kernel, and its release.
    pub fn kernel(&self) -> String {
        let kernel = os::kernel(self);
        format!("{} {}", kernel.name, kernel.release)
    }

    /// The name and the release of the operating system.
    pub fn os(&self) -> (&'static str, &'static str) {
        self.system.os()
    }

    /// The machine's name, as `uname -m` has it.
    fn hardware(&self) -> &'static str {
        match (self.system.kind, self.architecture) {
            (Kind::Bsd, "x86_64") => "amd64",
            (Kind::Bsd | Kind::Macos, "aarch64") => "arm64",
            (Kind::Aix, _) => "IBM,9009-22A",
            (_, architecture) => architecture,
        }
    }

    fn debian_name(&self) -> &'static str {
        if self.architecture == "aarch64" { "arm64" } else { "amd64" }
    }

    /// `os.architecture`
    fn os_architecture(&self) -> &'static str {
        match (self.system.kind, self.system.value("family")) {
            (Kind::Linux, Some("Debian")) if self.architecture == "x86_64" => "amd64",
            (Kind::Windows, _) => "x64",
            (Kind::Aix, _) => "PowerPC_POWER9",
            _ => self.hardware(),
        }
    }

    /// `processors.isa`
    fn isa(&self) -> &'static str {
        match (self.system.kind, self.architecture) {
            (Kind::Linux, architecture) => self.system.value("isa").unwrap_or(architecture),
            (Kind::Windows, _) => "x64",
            (Kind::Macos, "aarch64") => "arm",
            (Kind::Macos, _) | (Kind::Solaris, "i86pc") => "i386",
            (Kind::Solaris, _) => "sparc",
            (Kind::Aix, _) => "powerpc",
            (Kind::Bsd, _) => self.hardware(),
        }
    }
}

#[cfg(test)]
mod tests {
    use kukla_values::Value;

    use super::*;

    fn fact(set: &str, path: &str) -> Option<Value> {
        crate::dig(&FactSet::named(set)?.facts("web1.example.com"), path)
    }

    #[test]
    fn sets_have_the_facts_of_their_system() {
        for (set, path, value) in [
            ("debian-12", "os.family", "Debian"),
            ("debian-12", "os.architecture", "amd64"),
            ("debian-12-arm64", "kernelrelease", "6.1.0-29-arm64"),
            ("debian-12", "service_provider", "systemd"),
            ("rhel-9", "os.distro.codename", "Plow"),
            ("ubuntu-24.04", "os.release.major", "24.04"),
            ("centos-7", "os.release.minor", "9"),
            ("windows-2012r2", "os.release.full", "2012 R2"),
            ("windows-2022-core", "os.windows.installation_type", "Server Core"),
            ("macos-14-aarch64", "os.macosx.version.major", "14"),
            ("freebsd-12", "os.release.patchlevel", "6"),
            ("rocky-9", "operatingsystem", "Rocky"),
            ("rocky-9", "os.selinux.config_policy", "targeted"),
            ("debian-12", "networking.domain", "example.com"),
            ("debian-12", "fqdn", "web1.example.com"),
            ("debian-12", "clientcert", "web1.example.com"),
        ] {
            assert_eq!(fact(set, path), Some(value.into()), "{set} {path}");
        }
        assert_eq!(fact("centos-9", "os.distro.codename"), None);
    }

    #[test]
    fn names_are_unique_and_every_set_expands() {
        let mut names = std::collections::BTreeSet::new();
        for set in FactSet::all() {
            for name in set.names() {
                assert!(names.insert(name.clone()), "{name}");
                assert_eq!(FactSet::named(&name), Some(set));
            }
            let facts = set.facts("db.example.org");
            for name in [
                "os",
                "kernel",
                "networking",
                "processors",
                "memory",
                "identity",
                "path",
                "osfamily",
                "ipaddress",
            ] {
                assert!(facts.get(name).is_some(), "{} has no {name}", set.name());
            }
            assert_eq!(FactSet::like(&facts).map(|found| found.system.os().0), Some(set.system.os().0));
        }
    }

    #[test]
    fn facts_follow_from_the_name_of_the_node() {
        let set = FactSet::named("debian-12").unwrap();
        assert_eq!(set.facts("web1"), set.facts("web1"));
        let (one, other) = (set.facts("web1"), set.facts("web2"));
        for name in ["ipaddress", "macaddress", "sshrsakey", "uuid"] {
            assert_ne!(one.get(name), other.get(name), "{name}");
        }
        assert_eq!(one.get("os"), other.get("os"));
    }

    #[test]
    fn unknown_names_suggest_others() {
        assert_eq!(FactSet::nearest("debian12").as_deref(), Some("debian-12"));
        assert_eq!(FactSet::nearest("ubunto-24.04").as_deref(), Some("ubuntu-24.04"));
        assert_eq!(FactSet::nearest("rocky-linux").as_deref(), Some("rocky-10"));
        assert!(FactSet::require("plan9").is_err());
    }
}
