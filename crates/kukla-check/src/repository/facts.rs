//! The facts that nodes can have.

use kukla::facts::machine::legacy_names;
use rustc_hash::FxHashSet;

/// The facts of Facter itself, on any system.
const CORE: &[&str] = &[
    "agent_specified_environment",
    "aio_agent_build",
    "aio_agent_version",
    "augeas",
    "augeasversion",
    "az_metadata",
    "clientcert",
    "clientnoop",
    "clientversion",
    "cloud",
    "disks",
    "dmi",
    "ec2_metadata",
    "ec2_userdata",
    "env_windows_installdir",
    "environment",
    "facterversion",
    "filesystems",
    "fips_enabled",
    "gce",
    "hypervisors",
    "identity",
    "implementation",
    "is_virtual",
    "kernel",
    "kernelmajversion",
    "kernelrelease",
    "kernelversion",
    "ldom",
    "load_averages",
    "memory",
    "mountpoints",
    "networking",
    "nim_type",
    "os",
    "partitions",
    "path",
    "processors",
    "ps",
    "puppetversion",
    "ruby",
    "scope6",
    "solaris_zones",
    "ssh",
    "sp_number",
    "system_profiler",
    "system_uptime",
    "timezone",
    "virtual",
    "xen",
    "zfs_featurenumbers",
    "zfs_version",
    "zones",
    "zpool_featureflags",
    "zpool_featurenumbers",
    "zpool_version",
];

/// Legacy facts without a structured equivalent, and those of other systems.
const OLD: &[&str] = &[
    "blockdevices",
    "cfkey",
    "dhcp_servers",
    "hardwareisa",
    "id",
    "interfaces",
    "ipaddress",
    "lsbrelease",
    "macosx_buildversion",
    "macosx_productname",
    "macosx_productversion",
    "macosx_productversion_major",
    "macosx_productversion_minor",
    "macosx_productversion_patch",
    "memoryfree_mb",
    "memorysize_mb",
    "memorytotal",
    "netmask",
    "processors",
    "rackspace",
    "rubyplatform",
    "rubysitedir",
    "rubyversion",
    "selinux",
    "sshdsakey",
    "sshecdsakey",
    "sshed25519key",
    "sshrsakey",
    "swapfree_mb",
    "swapsize_mb",
    "system32",
    "type",
    "uniqueid",
    "windows_display_version",
    "windows_edition_id",
    "windows_installation_type",
    "windows_product_name",
    "windows_release_id",
    "zonename",
];

/// Prefixes of legacy facts that end in the name of an interface or device, or in a number.
const OLD_BEGINNINGS: &[&str] = &[
    "blockdevice_",
    "ipaddress6_",
    "ipaddress_",
    "ldom_",
    "macaddress_",
    "mtu_",
    "netmask6_",
    "netmask_",
    "network6_",
    "network_",
    "scope6_",
    "sp_",
    "sshfp_",
    "zone_",
];

/// The keys of the most used structured facts.
const INSIDE: &[(&str, &[&str])] = &[
    (
        "os",
        &["architecture", "distro", "family", "hardware", "macosx", "name", "release", "selinux", "windows"],
    ),
    (
        "networking",
        &[
            "dhcp",
            "domain",
            "fqdn",
            "hostname",
            "interfaces",
            "ip",
            "ip6",
            "mac",
            "mtu",
            "netmask",
            "netmask6",
            "network",
            "network6",
            "primary",
            "scope6",
        ],
    ),
    ("os.distro", &["codename", "description", "id", "release", "specification"]),
    ("os.distro.release", &["full", "major", "minor"]),
    ("os.release", &["branch", "build", "full", "major", "minor", "patchlevel"]),
    (
        "os.selinux",
        &["config_mode", "config_policy", "current_mode", "enabled", "enforced", "policy_version"],
    ),
    ("memory", &["swap", "system"]),
    ("processors", &["cores", "count", "extensions", "isa", "models", "physicalcount", "speed", "threads"]),
    ("identity", &["gid", "group", "privileged", "uid", "user"]),
    ("system_uptime", &["days", "hours", "seconds", "uptime"]),
    ("ruby", &["platform", "sitedir", "version"]),
    // Not a fact, but accessed like one.
    ("trusted", &["authenticated", "certname", "domain", "extensions", "external", "hostname"]),
];

/// The facts of nodes.
#[derive(Debug, Default)]
pub struct Facts {
    /// The facts of the repository's modules and fact files.
    pub own: FxHashSet<String>,
    /// Whether there are further facts with computed names.
    pub open: bool,
    /// Whether the repository has the fact sets of nodes, so that custom facts are known.
    pub has_fact_sets: bool,
    /// Whether the configuration declares the variables and facts that are not in the repository.
    pub is_declared: bool,
}

impl Facts {
    /// Whether a top-scope variable that nothing in the repository sets cannot come from a classifier or an external fact.
    pub fn is_closed(&self) -> bool {
        self.has_fact_sets || self.is_declared
    }

    /// Whether a fact of that name may exist.
    pub fn has(&self, name: &str) -> bool {
        self.own.contains(name) || is_core(name) || is_legacy(name)
    }

    /// All known names, including legacy facts.
    pub fn all_names(&self) -> impl Iterator<Item = &str> {
        self.names().chain(legacy_names().iter().map(|(old, _)| *old))
    }

    /// All known names except those of legacy facts.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        CORE.iter().copied().chain(self.own.iter().map(String::as_str))
    }
}

/// The keys of a structured fact or of a part of it, if they are known.
pub fn inside(fact: &str) -> Option<&'static [&'static str]> {
    INSIDE.iter().find(|(known, _)| *known == fact).map(|(_, inside)| *inside)
}

/// Whether current versions of Facter have a fact of that name.
pub fn is_core(name: &str) -> bool {
    CORE.contains(&name)
}

/// Whether a fact of that name is a legacy fact.
pub fn is_legacy(name: &str) -> bool {
    !is_core(name)
        && (legacy_names().iter().any(|(old, _)| *old == name)
            || OLD.contains(&name)
            || OLD_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
            || name.strip_prefix("processor").is_some_and(|rest| rest.parse::<u32>().is_ok()))
}

/// The structured equivalent of a legacy fact.
pub fn structured_name(name: &str) -> Option<&'static str> {
    legacy_names().iter().find(|(old, _)| *old == name).map(|(_, path)| *path)
}
