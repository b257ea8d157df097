//! Facts under old names.

use crate::manifest::Manifest;
use crate::report::{Edit, Report};
use crate::rule::{Done, rules};
use crate::settings::Settings;
use crate::token::{At, Kind};

rules! {
    RULES;

    /// A fact is used under a name that Facter 4 only has for compatibility, and Puppet 8 not at all by default. In Hiera data the
    /// interpolations are searched as well. The fix writes the structured fact.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $family = $facts['osfamily']
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $family = $facts['os']['family']
    /// ```
    LEGACY_FACTS = "legacy_facts": Warning, "puppet-lint", on, Value, legacy_facts, "legacy fact '{name}'";

    /// A fact is read as a variable at top scope. It may also be a variable that a classifier sets; `--top-scope-variables` names those.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// $kernel = $::kernelversion
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// $kernel = $facts['kernelversion']
    /// ```
    TOP_SCOPE_FACTS = "top_scope_facts": Warning, "puppet-lint", on, Value, top_scope, "top scope fact instead of facts hash";
}

/// Facts that have no structured counterpart.
const UNCONVERTIBLE: [&str; 11] = [
    "memoryfree_mb",
    "memorysize_mb",
    "swapfree_mb",
    "swapsize_mb",
    "blockdevices",
    "interfaces",
    "zones",
    "sshfp_dsa",
    "sshfp_ecdsa",
    "sshfp_ed25519",
    "sshfp_rsa",
];

/// Facts and the keys of their structured counterparts, separated by dots.
const STRUCTURED: [(&str, &str); 68] = [
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
    ("lsbrelease", "os.distro.release.specification"),
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
    ("selinux", "os.selinux.enabled"),
    ("selinux_config_mode", "os.selinux.config_mode"),
    ("selinux_config_policy", "os.selinux.config_policy"),
    ("selinux_current_mode", "os.selinux.current_mode"),
    ("selinux_enforced", "os.selinux.enforced"),
    ("selinux_policyversion", "os.selinux.policy_version"),
    ("serialnumber", "dmi.product.serial_number"),
    ("swapencrypted", "memory.swap.encrypted"),
    ("swapfree", "memory.swap.available"),
    ("swapsize", "memory.swap.total"),
    ("system32", "os.windows.system32"),
    ("uptime", "system_uptime.uptime"),
    ("uptime_days", "system_uptime.days"),
    ("uptime_hours", "system_uptime.hours"),
    ("uptime_seconds", "system_uptime.seconds"),
    ("uuid", "dmi.product.uuid"),
    ("xendomains", "xen.domains"),
    ("zonename", "solaris_zones.current"),
];

/// The facts of the table above that `top_scope_facts` leaves to `legacy_facts`, as puppet-lint does.
fn is_left_to_legacy_facts(name: &str) -> bool {
    const ALSO: [&str; 2] = ["trusted", "facts"];
    ALSO.iter().any(|known| name.starts_with(known))
        || STRUCTURED.iter().any(|(known, _)| name.starts_with(known))
}

fn index(keys: &str) -> String {
    keys.split('.').fold("facts".to_owned(), |text, key| format!("{text}['{key}']"))
}

/// The facts whose names contain other names, such as that of an interface: the prefix, and what may follow.
fn interpolated(name: &str) -> Option<String> {
    let after = |prefix: &str| name.strip_prefix(prefix);
    let split_end = |text: &str, ends: &[&'static str]| {
        ends.iter()
            .find_map(|end| text.strip_suffix(end)?.strip_suffix('_').map(|middle| (middle.to_owned(), *end)))
    };
    if let Some((device, attribute)) =
        after("blockdevice_").and_then(|rest| split_end(rest, &["model", "size", "vendor"]))
    {
        return Some(format!("facts['disks']['{device}']['{attribute}']"));
    }
    const ADDRESSES: [&str; 8] =
        ["ipaddress", "ipaddress6", "macaddress", "mtu", "netmask", "netmask6", "network", "network6"];
    for address in ADDRESSES {
        if let Some(interface) = after(address).and_then(|rest| rest.strip_prefix('_')) {
            let attribute = address.replacen("address", "", 1);
            return Some(format!("facts['networking']['interfaces']['{interface}']['{attribute}']"));
        }
    }
    if let Some(id) =
        after("processor").filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return Some(format!("facts['processors']['models'][{id}]"));
    }
    if let Some(rest) = after("sp_") {
        return Some(format!("facts['system_profiler']['{rest}']"));
    }
    let algorithm = after("ssh").and_then(|rest| rest.strip_suffix("key"));
    if let Some(algorithm) = algorithm.filter(|name| ["dsa", "ecdsa", "ed25519", "rsa"].contains(name)) {
        return Some(format!("facts['ssh']['{algorithm}']['key']"));
    }
    if let Some(rest) = after("ldom_") {
        return Some(format!("facts['ldom']['{rest}']"));
    }
    const ZONE: [&str; 7] = ["brand", "iptype", "name", "uuid", "id", "path", "status"];
    let (zone, attribute) = after("zone_").and_then(|rest| split_end(rest, &ZONE))?;
    Some(format!("facts['solaris_zones']['zones']['{zone}']['{attribute}']"))
}

/// The structured counterpart of a legacy fact. `None` if it is none, `Some(None)` if there is no counterpart.
fn structured(name: &str) -> Option<Option<String>> {
    if let Some((_, keys)) = STRUCTURED.iter().find(|(known, _)| *known == name) {
        return Some(Some(index(keys)));
    }
    if UNCONVERTIBLE.contains(&name) {
        return Some(None);
    }
    interpolated(name).map(Some)
}

fn legacy_facts(manifest: &Manifest<'_>, _: &Settings, report: &mut Report) -> Done {
    if manifest.is_data {
        interpolations(manifest, report);
        return Ok(());
    }
    for at in manifest.of_kinds(&[Kind::Variable, Kind::UnencVariable]) {
        let value = manifest.value(at);
        let (name, end) = if let Some(name) = indexed(value) {
            (name, at)
        } else if value == "facts" {
            match key(manifest, at) {
                Some((name, end)) => (name, end),
                None => continue,
            }
        } else if let Some(name) = value.strip_prefix("::") {
            (name, at)
        } else {
            continue;
        };
        let Some(new) = structured(name) else { continue };
        let finding = report.at(manifest, at, &LEGACY_FACTS);
        finding.fact("name", name);
        if let Some(new) = new {
            let start = manifest.get(at).end() - value.len();
            finding.fixed_by([Edit::between(start, manifest.get(end).end(), new)]);
        }
    }
    Ok(())
}

/// Reports the interpolations of a data file that name a legacy fact.
fn interpolations(manifest: &Manifest<'_>, report: &mut Report) {
    let mut offset = 0u32;
    for (number, line) in (1u32..).zip(manifest.lines()) {
        let code = without_comment(line);
        for (at, _) in code.match_indices("%{") {
            let inside = &code[at + 2..];
            let inside =
                ["facts.", "::", ":"].iter().find_map(|prefix| inside.strip_prefix(prefix)).unwrap_or(inside);
            let end = inside.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
            let Some(name) = end.filter(|end| inside[*end..].starts_with('}')).map(|end| &inside[..end])
            else {
                continue;
            };
            if structured(name).is_some() {
                let start = offset + u32::try_from(at).unwrap_or(0);
                let finding = report.push(&LEGACY_FACTS, number, 1, start, start + 2);
                finding.fact("name", name);
            }
        }
        offset = offset.saturating_add(u32::try_from(line.len()).unwrap_or(u32::MAX)).saturating_add(1);
    }
}

/// A line of YAML without the comment at its end.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut before) = (None, ' ');
    for (at, char) in line.char_indices() {
        match (quote, char) {
            (None, '#') if before.is_whitespace() => return &line[..at],
            (None, '\'' | '"') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            _ => {}
        }
        before = char;
    }
    line
}

/// The name in `facts['name']` or `facts[name]`.
fn indexed(value: &str) -> Option<&str> {
    let value = value.strip_prefix("::").unwrap_or(value);
    let inside = value.strip_prefix("facts[")?.strip_suffix(']')?;
    let quoted = inside.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    quoted.filter(|name| !name.is_empty()).or(Some(inside)).filter(|name| !name.is_empty())
}

/// The key after `facts` where the index is made of tokens, and the bracket that closes it.
fn key<'t>(manifest: &Manifest<'t>, at: At) -> Option<(&'t str, At)> {
    let bracket = manifest.next_code(at).filter(|at| manifest.kind(*at) == Kind::Lbrack)?;
    let key = manifest.next_code(bracket)?;
    let is_key = matches!(manifest.kind(key), Kind::String | Kind::Sstring | Kind::Name);
    let close = (key..manifest.tokens.len()).find(|at| manifest.kind(*at) == Kind::Rbrack);
    is_key.then(|| (manifest.value(key), close.unwrap_or(key)))
}

fn top_scope(manifest: &Manifest<'_>, settings: &Settings, report: &mut Report) -> Done {
    for at in manifest.of_kinds(&[Kind::Variable, Kind::UnencVariable]) {
        let value = manifest.value(at);
        let Some(name) = value.strip_prefix("::") else { continue };
        let is_allowed =
            settings.top_scope_variables.iter().any(|allowed| name.starts_with(allowed.as_str()));
        if is_allowed || is_left_to_legacy_facts(name) || super::variable::is_of_class(value) {
            continue;
        }
        let (fact, keys) = name.split_at(name.find('[').unwrap_or(name.len()));
        let start = manifest.get(at).end() - value.len();
        let edit = Edit::between(start, manifest.get(at).end(), format!("facts['{fact}']{keys}"));
        report.at(manifest, at, &TOP_SCOPE_FACTS).fixed_by([edit]);
    }
    Ok(())
}
