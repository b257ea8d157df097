//! Which facts there are.

use kukla::facts::machine::legacy_names;
use rustc_hash::FxHashSet;

/// The facts that Facter itself has, on some system or other.
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

/// Old facts that have no new name to be found by, and those of other systems.
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

/// Beginnings of old facts that go on with the name of an interface, a device, a number.
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

/// What the structured facts that are asked for most have in them.
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
    // It is no fact, but asked for like one.
    ("trusted", &["authenticated", "certname", "domain", "extensions", "external", "hostname"]),
];

/// The facts of nodes.
#[derive(Debug, Default)]
pub struct Facts {
    /// Those that modules and fact files of the repository have.
    pub own: FxHashSet<String>,
    /// Whether there are more, whose names are computed.
    pub open: bool,
    /// Whether the repository has the facts of nodes, so that those of its own are known.
    pub given: bool,
}

impl Facts {
    /// Whether a fact of that name may be there.
    pub fn has(&self, name: &str) -> bool {
        self.own.contains(name) || is_core(name) || is_legacy(name)
    }

    /// All names that are known, old ones too.
    pub fn all_names(&self) -> impl Iterator<Item = &str> {
        self.names().chain(legacy_names().iter().map(|(old, _)| *old))
    }

    /// All names that are known.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        CORE.iter().copied().chain(self.own.iter().map(String::as_str))
    }
}

/// What a structured fact, or a part of it, has in it, if that is known.
pub fn inside(fact: &str) -> Option<&'static [&'static str]> {
    INSIDE.iter().find(|(known, _)| *known == fact).map(|(_, inside)| *inside)
}

/// Whether Facter has a fact of that name today.
pub fn is_core(name: &str) -> bool {
    CORE.contains(&name)
}

/// Whether Facter had a fact of that name before facts were structured.
pub fn is_legacy(name: &str) -> bool {
    !is_core(name)
        && (legacy_names().iter().any(|(old, _)| *old == name)
            || OLD.contains(&name)
            || OLD_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
            || name.strip_prefix("processor").is_some_and(|rest| rest.parse::<u32>().is_ok()))
}

/// Where the value of an old fact is now.
pub fn today(name: &str) -> Option<&'static str> {
    legacy_names().iter().find(|(old, _)| *old == name).map(|(_, path)| *path)
}
