//! The kernel, the operating system, who runs Kukla, and since when the machine is up.

use kukla_values::Value;

use crate::machine::{Fields, Machine};

/// Kernel, identity, time and what else is a single value.
pub fn add(machine: &Machine<'_>, facts: &mut Fields) {
    kernel(machine, facts);
    facts.put("os", os(machine));
    facts.put_fields("identity", identity(machine));
    facts.put_fields("system_uptime", uptime(machine));
    facts.put_fields("load_averages", load(machine));
    facts.put_if("timezone", machine.output(&["date", "+%Z"]).map(|zone| zone.trim().to_owned()));
    facts.put_if("path", machine.variable("PATH"));
    facts.put("facterversion", crate::VERSION);
    facts.put("fips_enabled", machine.word("/proc/sys/crypto/fips_enabled").as_deref() == Some("1"));
    facts.put_if("filesystems", filesystems(machine));
}

fn kernel(machine: &Machine<'_>, facts: &mut Fields) {
    facts.put_if("kernel", machine.word("/proc/sys/kernel/ostype"));
    let Some(release) = machine.word("/proc/sys/kernel/osrelease") else { return };
    let version = release.split('-').next().unwrap_or_default().to_owned();
    let major: Vec<&str> = version.split('.').take(2).collect();
    facts.put("kernelmajversion", major.join("."));
    facts.put("kernelversion", version.clone());
    facts.put("kernelrelease", release.clone());
}

/// File systems of the kernel that need a device.
fn filesystems(machine: &Machine<'_>) -> Option<String> {
    let text = machine.text("/proc/filesystems")?;
    let single =
        text.lines().map(str::split_whitespace).filter_map(|mut words| match (words.next(), words.next()) {
            (Some(only), None) if only != "fuseblk" => Some(only),
            _ => None,
        });
    let mut names: Vec<&str> = single.collect();
    names.sort_unstable();
    Some(names.join(","))
}

fn load(machine: &Machine<'_>) -> Fields {
    let mut fields = Fields::default();
    let text = machine.text("/proc/loadavg").unwrap_or_default();
    for (name, number) in ["1m", "5m", "15m"].into_iter().zip(text.split_whitespace()) {
        fields.put_if(name, number.parse::<f64>().ok());
    }
    fields
}

fn uptime(machine: &Machine<'_>) -> Fields {
    let mut fields = Fields::default();
    let text = machine.text("/proc/uptime").unwrap_or_default();
    let Some(seconds) = text.split('.').next().and_then(|text| text.parse::<i64>().ok()) else {
        return fields;
    };
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    fields.put("seconds", seconds);
    fields.put("hours", hours);
    fields.put("days", hours / 24);
    let shown = match hours / 24 {
        0 => format!("{hours}:{minutes:02} hours"),
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    };
    fields.put("uptime", shown);
    fields
}

fn identity(machine: &Machine<'_>) -> Fields {
    let status = machine.text("/proc/self/status").unwrap_or_default();
    // Real, effective, saved and file system numbers; the effective one counts.
    let number = |key: &str| -> Option<i64> {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    let name = |file: &str, number: Option<i64>| -> Option<String> {
        let (text, number) = (machine.text(file)?, number?.to_string());
        let mut rows = text.lines().map(|line| line.split(':').collect::<Vec<_>>());
        rows.find(|row| row.get(2) == Some(&number.as_str())).map(|row| row[0].to_owned())
    };
    let (uid, gid) = (number("Uid:"), number("Gid:"));
    let mut fields = Fields::default();
    fields.put_if("uid", uid);
    fields.put_if("gid", gid);
    fields.put_if("user", name("/etc/passwd", uid));
    fields.put_if("group", name("/etc/group", gid));
    fields.put_if("privileged", uid.map(|uid| uid == 0));
    fields
}

/// Names of distributions that belong to a family, as they occur in `/etc/os-release`.
const FAMILIES: &[(&str, &[&str])] = &[
    (
        "RedHat",
        &[
            "redhat",
            "rhel",
            "fedora",
            "centos",
            "scientific",
            "ascendos",
            "cloudlinux",
            "psbm",
            "oraclelinux",
            "ovs",
            "oel",
            "amazon",
            "xenserver",
            "xcp-ng",
            "virtuozzo",
            "photon",
            "mariner",
        ],
    ),
    ("Debian", &["debian", "ubuntu", "huaweios", "linuxmint", "devuan", "kde"]),
    ("Suse", &["sles", "sled", "suse"]),
    ("Gentoo", &["gentoo"]),
    ("Archlinux", &["arch", "manjaro"]),
    ("Mandrake", &["mandrake", "mandriva", "mageia"]),
];

fn family(id: &str, like: &str) -> String {
    let find = |text: &str| {
        let text = text.to_lowercase();
        let row = FAMILIES.iter().find(|(_, names)| names.iter().any(|name| text.contains(name)));
        row.map(|(family, _)| (*family).to_owned())
    };
    find(id).or_else(|| find(like)).unwrap_or_else(|| id.to_owned())
}

fn os(machine: &Machine<'_>) -> Value {
    let about = machine.text("/etc/os-release").unwrap_or_default();
    let about: Vec<(&str, String)> = about
        .lines()
        .filter_map(|line| line.trim().split_once('='))
        .map(|(name, value)| (name, value.replace(['"', '\''], "")))
        .collect();
    let about = |key: &str| about.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone());
    let hardware = hardware(machine);
    let name = about("NAME").map(|name| os_name(&name));
    let mut os = Fields::default();
    let family = family(&about("ID").unwrap_or_default(), &about("ID_LIKE").unwrap_or_default());
    let is_debian = family == "Debian";
    os.put_if("name", name.clone());
    os.put("architecture", architecture(&hardware, is_debian));
    os.put("hardware", hardware);
    let id = about("ID");
    let version = match id.as_deref() {
        Some("debian") => machine.word("/etc/debian_version").or_else(|| about("VERSION_ID")),
        _ => about("VERSION_ID"),
    };
    let release = version.map(|full| release(&full, id.as_deref() == Some("ubuntu")));
    os.put_if("release", release.as_ref().map(|release| release.to_value()));
    os.put_fields("distro", distro(&about, name, release.as_ref()));
    os.put("family", family);
    os.put("selinux", selinux(machine));
    os.into()
}

/// A name as facts spell it, from one as people spell it.
fn os_name(name: &str) -> String {
    let lower = name.to_lowercase();
    let words: Vec<&str> = name.split(' ').collect();
    let joined = if ["red", "oracle", "arch", "manjaro"].iter().any(|start| lower.starts_with(start)) {
        words.iter().take(2).copied().collect::<String>()
    } else if lower.ends_with("mariner") {
        words[words.len() - 1].to_owned()
    } else {
        words[0].to_owned()
    };
    match lower {
        lower if lower.starts_with("arch") || lower.starts_with("manjaro") => {
            let mut letters = joined.chars();
            let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            first + &letters.as_str().to_lowercase()
        }
        lower if lower.starts_with("virtuozzo") => joined + "Linux",
        _ => joined,
    }
}

pub fn hardware(machine: &Machine<'_>) -> String {
    machine.word("/proc/sys/kernel/arch").unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The name that packages have for the hardware.
fn architecture(hardware: &str, is_debian: bool) -> String {
    match hardware {
        "x86_64" if is_debian => "amd64".to_owned(),
        "aarch64" if is_debian => "arm64".to_owned(),
        other if other.len() == 4 && other.starts_with('i') && other.ends_with("86") => "i386".to_owned(),
        other => other.to_owned(),
    }
}

struct Release {
    full: String,
    major: String,
    minor: Option<String>,
}

impl Release {
    fn to_value(&self) -> Value {
        let mut fields = Fields::default();
        fields.put("full", self.full.clone());
        fields.put("major", self.major.clone());
        fields.put_if("minor", self.minor.clone());
        fields.into()
    }
}

fn release(full: &str, is_ubuntu: bool) -> Release {
    // Ubuntu's major release is the year and the month.
    if is_ubuntu {
        return Release { full: full.to_owned(), major: full.to_owned(), minor: None };
    }
    let mut parts = full.split('.');
    let major = parts.next().unwrap_or_default().to_owned();
    let plain = |minor: &str| match minor.strip_prefix('0') {
        Some(rest) if rest.starts_with(|digit: char| ('1'..='9').contains(&digit)) => rest.to_owned(),
        _ => minor.to_owned(),
    };
    Release { full: full.to_owned(), major, minor: parts.next().map(plain) }
}

fn distro(
    about: &impl Fn(&str) -> Option<String>,
    name: Option<String>,
    release: Option<&Release>,
) -> Fields {
    let mut fields = Fields::default();
    let codename = about("VERSION_CODENAME").or_else(|| {
        let version = about("VERSION")?;
        Some(version.split_once('(')?.1.trim_end_matches(')').to_owned())
    });
    fields.put_if("codename", codename.filter(|name| !name.is_empty()));
    fields.put_if("description", about("PRETTY_NAME"));
    fields.put_if("id", name);
    fields.put_if("release", release.map(Release::to_value));
    fields
}

fn selinux(machine: &Machine<'_>) -> Value {
    let mut fields = Fields::default();
    let mounts = machine.text("/proc/self/mounts").unwrap_or_default();
    let mount = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let mount = mount
        .filter(|words| words.get(2) == Some(&"selinuxfs"))
        .find_map(|words| words.get(1).map(|path| (*path).to_owned()));
    let config = machine.text("/etc/selinux/config");
    let (Some(mount), Some(config)) = (mount, config) else {
        fields.put("enabled", false);
        return fields.into();
    };
    let setting = |key: &str| {
        config.lines().find_map(|line| line.strip_prefix(key)).map(|value| value.trim().to_owned())
    };
    let is_enforced = machine.word(&format!("{mount}/enforce")).as_deref() == Some("1");
    fields.put("enabled", true);
    fields.put_if("config_mode", setting("SELINUX="));
    fields.put_if("config_policy", setting("SELINUXTYPE="));
    fields.put("current_mode", if is_enforced { "enforcing" } else { "permissive" });
    fields.put("enforced", is_enforced);
    fields.put_if("policy_version", machine.word(&format!("{mount}/policyvers")));
    fields.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_distributions() {
        for (given, expected) in [
            ("Debian GNU/Linux", "Debian"),
            ("Red Hat Enterprise Linux", "RedHat"),
            ("Oracle Linux Server", "OracleLinux"),
            ("Arch Linux", "Archlinux"),
            ("Ubuntu", "Ubuntu"),
            ("Virtuozzo", "VirtuozzoLinux"),
        ] {
            assert_eq!(os_name(given), expected);
        }
        assert_eq!(family("rocky", "rhel centos fedora"), "RedHat");
        assert_eq!(family("linuxmint", ""), "Debian");
        assert_eq!(family("void", ""), "void");
    }
}
