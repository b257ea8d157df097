//! `os` and the kernel of a fact set.

use kukla_values::Value;

use super::FactSet;
use super::table::Kind;
use crate::machine::Fields;

/// Adds `os`, `kernel` and the kernel's releases.
pub fn add(set: &FactSet, facts: &mut Fields) {
    let system = set.system;
    let mut os = Fields::default();
    let (name, full) = system.os();
    os.put("name", name);
    os.put("family", system.value("family").unwrap_or_default());
    os.put("architecture", set.os_architecture());
    os.put("hardware", set.hardware());
    os.put_fields("release", release(set.system.kind, name, full));
    match system.kind {
        Kind::Linux => linux(set, &mut os),
        Kind::Windows => os.put("windows", windows(set)),
        Kind::Macos => os.put("macosx", macos(set)),
        Kind::Bsd | Kind::Solaris | Kind::Aix => {}
    }
    facts.put("os", os);
    let kernel = kernel(set);
    facts.put("kernel", kernel.name);
    facts.put("kernelrelease", kernel.release);
    facts.put("kernelversion", kernel.version);
    facts.put("kernelmajversion", kernel.major);
}

fn release(kind: Kind, name: &str, full: &str) -> Fields {
    let mut fields = Fields::default();
    fields.put("full", full);
    let (number, branch) = full.split_once('-').unwrap_or((full, ""));
    let mut parts = number.split('.');
    let major = parts.next().unwrap_or_default();
    match kind {
        // A release of Ubuntu is the year and the month; Windows has no minor releases.
        Kind::Windows => fields.put("major", full),
        Kind::Linux if name == "Ubuntu" => fields.put("major", full),
        _ => {
            fields.put("major", major);
            fields.put_if("minor", parts.next());
        }
    }
    if name == "FreeBSD" {
        fields.put("branch", branch);
        fields.put_if("patchlevel", branch.split_once("-p").map(|(_, level)| level));
    }
    fields
}

fn linux(set: &FactSet, os: &mut Fields) {
    let system = set.system;
    let (name, full) = system.os();
    let mut distro = Fields::default();
    distro.put_if("codename", system.column(4));
    distro.put("id", system.text(5));
    distro.put("description", system.text(6));
    let own = system.value("distro");
    distro.put_fields("release", release(Kind::Linux, name, own.unwrap_or(full)));
    // These two have lsb_release, and it has no value for this.
    distro.put_if("specification", own.map(|_| "n/a"));
    os.put("distro", distro);
    let mut selinux = Fields::default();
    selinux.put("enabled", false);
    if let Some((mode, policy)) = system.value("selinux").and_then(|text| text.split_once(',')) {
        selinux.put("enabled", true);
        selinux.put("config_mode", mode);
        selinux.put("config_policy", "targeted");
        selinux.put("current_mode", mode);
        selinux.put("enforced", mode == "enforcing");
        selinux.put("policy_version", policy);
    }
    os.put("selinux", selinux);
}

fn windows(set: &FactSet) -> Value {
    let system = set.system;
    let mut fields = Fields::default();
    fields.put("product_name", system.text(3));
    fields.put("edition_id", system.text(4));
    fields.put_if("release_id", system.column(5));
    fields.put_if("display_version", system.column(6));
    fields.put("installation_type", system.value("kind").unwrap_or_default().replace(',', " "));
    fields.put("system32", "C:\\Windows\\system32");
    fields.into()
}

fn macos(set: &FactSet) -> Value {
    let full = set.system.text(2);
    let mut parts = full.split('.');
    let mut part = || parts.next().unwrap_or("0");
    let (mut version, first) = (Fields::default(), part());
    version.put("full", full);
    // Before macOS 11 the first two numbers were the major release.
    if first == "10" {
        version.put("major", format!("10.{}", part()));
        version.put("minor", part());
    } else {
        version.put("major", first);
        version.put("minor", part());
        version.put("patch", part());
    }
    let mut fields = Fields::default();
    fields.put("product", if first == "10" { "Mac OS X" } else { "macOS" });
    fields.put("build", set.system.text(3));
    fields.put("version", version);
    fields.into()
}

/// The kernel of a system.
pub struct Kernel {
    pub name: &'static str,
    pub release: String,
    version: String,
    major: String,
}

/// The kernel's name and releases.
pub fn kernel(set: &FactSet) -> Kernel {
    let system = set.system;
    let (name, full) = system.os();
    let first = |text: &str, count: usize| text.split('.').take(count).collect::<Vec<_>>().join(".");
    match system.kind {
        Kind::Linux => {
            let release =
                system.text(3).replace("{arch}", set.hardware()).replace("{deb}", set.debian_name());
            let end = release.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
            let version = release[..end.unwrap_or(release.len())].to_owned();
            Kernel { name: "Linux", major: first(&version, 2), version, release }
        }
        Kind::Bsd => {
            let version = full.split('-').next().unwrap_or_default().to_owned();
            Kernel { name, release: full.to_owned(), major: first(&version, 1), version }
        }
        Kind::Windows | Kind::Macos => {
            let release = system.text(if system.kind == Kind::Windows { 2 } else { 1 }).to_owned();
            Kernel { name, major: first(&release, 2), version: release.clone(), release }
        }
        Kind::Solaris => Kernel {
            name: "SunOS",
            release: "5.11".to_owned(),
            version: full.to_owned(),
            major: first(full, 1),
        },
        Kind::Aix => {
            let major = full.split('-').next().unwrap_or_default().to_owned();
            Kernel { name, release: full.to_owned(), version: major.clone(), major }
        }
    }
}
