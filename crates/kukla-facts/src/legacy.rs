//! The names that facts had before they were structured.

use kukla_values::{Hash, Value};

use crate::dig;
use crate::machine::Fields;

/// Old names of single values, and where the values are now.
pub const NAMES: &[(&str, &str)] = &[
    ("architecture", "os.architecture"),
    ("augeasversion", "augeas.version"),
    ("bios_release_date", "dmi.bios.release_date"),
    ("bios_vendor", "dmi.bios.vendor"),
    ("bios_version", "dmi.bios.version"),
    ("boardassettag", "dmi.board.asset_tag"),
    ("boardmanufacturer", "dmi.board.manufacturer"),
    ("boardproductname", "dmi.board.product"),
    ("boardserialnumber", "dmi.board.serial_number"),
    ("chassisassettag", "dmi.chassis.asset_tag"),
    ("chassistype", "dmi.chassis.type"),
    ("domain", "networking.domain"),
    ("fqdn", "networking.fqdn"),
    ("gid", "identity.group"),
    ("hardwareisa", "processors.isa"),
    ("hardwaremodel", "os.hardware"),
    ("hostname", "networking.hostname"),
    ("id", "identity.user"),
    ("ipaddress", "networking.ip"),
    ("ipaddress6", "networking.ip6"),
    ("lsbdistcodename", "os.distro.codename"),
    ("lsbdistdescription", "os.distro.description"),
    ("lsbdistid", "os.distro.id"),
    ("lsbdistrelease", "os.distro.release.full"),
    ("lsbmajdistrelease", "os.distro.release.major"),
    ("lsbminordistrelease", "os.distro.release.minor"),
    ("lsbrelease", "os.distro.specification"),
    ("macaddress", "networking.mac"),
    ("macosx_buildversion", "os.macosx.build"),
    ("macosx_productname", "os.macosx.product"),
    ("macosx_productversion", "os.macosx.version.full"),
    ("macosx_productversion_major", "os.macosx.version.major"),
    ("macosx_productversion_minor", "os.macosx.version.minor"),
    ("manufacturer", "dmi.manufacturer"),
    ("memoryfree", "memory.system.available"),
    ("memorysize", "memory.system.total"),
    ("netmask", "networking.netmask"),
    ("netmask6", "networking.netmask6"),
    ("network", "networking.network"),
    ("network6", "networking.network6"),
    ("operatingsystem", "os.name"),
    ("operatingsystemmajrelease", "os.release.major"),
    ("operatingsystemrelease", "os.release.full"),
    ("osfamily", "os.family"),
    ("physicalprocessorcount", "processors.physicalcount"),
    ("processorcount", "processors.count"),
    ("productname", "dmi.product.name"),
    ("rubyplatform", "ruby.platform"),
    ("rubysitedir", "ruby.sitedir"),
    ("rubyversion", "ruby.version"),
    ("scope6", "networking.scope6"),
    ("selinux", "os.selinux.enabled"),
    ("selinux_config_mode", "os.selinux.config_mode"),
    ("selinux_config_policy", "os.selinux.config_policy"),
    ("selinux_current_mode", "os.selinux.current_mode"),
    ("selinux_enforced", "os.selinux.enforced"),
    ("selinux_policyversion", "os.selinux.policy_version"),
    ("serialnumber", "dmi.product.serial_number"),
    ("swapfree", "memory.swap.available"),
    ("swapsize", "memory.swap.total"),
    ("system32", "os.windows.system32"),
    ("uptime", "system_uptime.uptime"),
    ("uptime_days", "system_uptime.days"),
    ("uptime_hours", "system_uptime.hours"),
    ("uptime_seconds", "system_uptime.seconds"),
    ("uuid", "dmi.product.uuid"),
    ("windows_display_version", "os.windows.display_version"),
    ("windows_edition_id", "os.windows.edition_id"),
    ("windows_installation_type", "os.windows.installation_type"),
    ("windows_product_name", "os.windows.product_name"),
    ("windows_release_id", "os.windows.release_id"),
];

/// Old names that end in that of an interface, and what they are there.
const OF_INTERFACES: &[(&str, &str)] = &[
    ("ipaddress_", "ip"),
    ("ipaddress6_", "ip6"),
    ("macaddress_", "mac"),
    ("mtu_", "mtu"),
    ("netmask_", "netmask"),
    ("netmask6_", "netmask6"),
    ("network_", "network"),
    ("network6_", "network6"),
    ("scope6_", "scope6"),
];

/// Adds the old names to facts.
pub fn add(facts: &mut Fields, known: &Hash) {
    for (name, path) in NAMES {
        facts.put_if(name, dig(known, path));
    }
    for (name, path) in [
        ("memoryfree_mb", "memory.system.available_bytes"),
        ("memorysize_mb", "memory.system.total_bytes"),
        ("swapfree_mb", "memory.swap.available_bytes"),
        ("swapsize_mb", "memory.swap.total_bytes"),
    ] {
        if let Some(Value::Integer(bytes)) = dig(known, path) {
            facts.put(name, bytes as f64 / f64::from(1 << 20));
        }
    }
    if let Some(Value::Hash(interfaces)) = dig(known, "networking.interfaces") {
        interfaces_of(facts, &interfaces);
    }
    if let Some(Value::Array(models)) = dig(known, "processors.models") {
        for (number, model) in models.iter().enumerate() {
            facts.put(&format!("processor{number}"), model.clone());
        }
    }
    if let Some(Value::Hash(disks)) = dig(known, "disks") {
        let names: Vec<&str> = disks.iter().filter_map(|(name, _)| name.as_str()).collect();
        facts.put("blockdevices", names.join(","));
        for (name, key) in names.iter().flat_map(|name| ["model", "vendor", "size"].map(|key| (name, key))) {
            let field = if key == "size" { "size_bytes" } else { key };
            let value = disks.get(*name).and_then(Value::as_hash).and_then(|disk| disk.get(field)).cloned();
            facts.put_if(&format!("blockdevice_{name}_{key}"), value);
        }
    }
    if let Some(Value::Hash(keys)) = dig(known, "ssh") {
        for (name, key) in keys.iter().filter_map(|(name, key)| Some((name.as_str()?, key.as_hash()?))) {
            facts.put_if(&format!("ssh{name}key"), key.get("key").cloned());
            let print = |kind: &str| dig(key, &format!("fingerprints.{kind}"))?.as_str().map(str::to_owned);
            let prints = print("sha1").zip(print("sha256"));
            facts.put_if(&format!("sshfp_{name}"), prints.map(|(one, other)| format!("{one}\n{other}")));
        }
    }
}

fn interfaces_of(facts: &mut Fields, interfaces: &Hash) {
    let plain =
        |name: &str| name.replace(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_', "_");
    let names: Vec<String> = interfaces.iter().filter_map(|(name, _)| name.as_str().map(plain)).collect();
    facts.put("interfaces", names.join(","));
    for (interface, about) in interfaces {
        let (Some(interface), Some(about)) = (interface.as_str(), about.as_hash()) else { continue };
        for (name, key) in OF_INTERFACES {
            facts.put_if(&format!("{name}{}", plain(interface)), about.get(*key).cloned());
        }
    }
}
