//! Names, interfaces and addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kukla_values::Value;

use crate::machine::{Fields, Machine};

/// An address of an interface.
struct Binding {
    address: IpAddr,
    prefix: u32,
}

/// Adds `networking`.
pub fn add(machine: &Machine<'_>, facts: &mut Fields) {
    let mut networking = Fields::default();
    names(machine, &mut networking);
    let bindings = bindings(machine);
    let of = |name: &str| -> Vec<&Binding> {
        bindings.iter().filter(|(interface, _)| interface == name).map(|(_, binding)| binding).collect()
    };
    let all = machine.names("/sys/class/net").into_iter();
    // Files beside the interfaces, such as `bonding_masters`, are skipped.
    let all: Vec<String> = all.filter(|name| machine.exists(&format!("/sys/class/net/{name}/mtu"))).collect();
    let primary = default_route(machine).or_else(|| {
        let is_outside = |name: &&String| of(name).iter().any(|binding| !is_ignored(binding.address));
        all.iter().find(is_outside).cloned()
    });
    let mut interfaces = Fields::default();
    for name in &all {
        let (own4, own6): (Vec<&Binding>, Vec<&Binding>) =
            of(name).into_iter().partition(|binding| binding.address.is_ipv4());
        let mut interface = Fields::default();
        let mut short = Fields::default();
        for fields in [&mut interface, &mut short] {
            fields.put_if("mac", mac(machine, name));
            fields.put_if("mtu", number(machine, &format!("/sys/class/net/{name}/mtu")));
            fields.put_if("dhcp", dhcp(machine, name));
            for own in [&own4, &own6] {
                main_binding(fields, own);
            }
        }
        for (key, own) in [("bindings", own4), ("bindings6", own6)] {
            if !own.is_empty() {
                interface.put(
                    key,
                    own.into_iter().map(|binding| describe(machine, name, binding)).collect::<Vec<Value>>(),
                );
            }
        }
        interfaces.put_fields(name, interface);
        if primary.as_ref() == Some(name) {
            for (key, value) in &short.into_hash() {
                networking.put(key.as_str().unwrap_or_default(), value.clone());
            }
        }
    }
    networking.put_fields("interfaces", interfaces);
    networking.put_if("primary", primary);
    facts.put_fields("networking", networking);
}

fn number(machine: &Machine<'_>, path: &str) -> Option<i64> {
    machine.word(path)?.parse().ok()
}

/// `hostname`, `domain` and `fqdn`.
fn names(machine: &Machine<'_>, networking: &mut Fields) {
    let Some(own) = machine.word("/proc/sys/kernel/hostname") else { return };
    let (hostname, mut domain) = match own.split_once('.') {
        Some((host, domain)) if !host.is_empty() => (host.to_owned(), Some(domain.to_owned())),
        _ => (own, None),
    };
    let mut fqdn = None;
    if domain.is_none() {
        fqdn = canonical_name(machine, &hostname);
        domain =
            fqdn.as_deref().and_then(|name| name.strip_prefix(&format!("{hostname}.")).map(str::to_owned));
    }
    let domain = domain.or_else(|| resolver_domain(machine));
    let joined = match &domain {
        Some(domain) => format!("{hostname}.{domain}"),
        None => hostname.clone(),
    };
    networking.put("fqdn", fqdn.unwrap_or(joined));
    networking.put("hostname", hostname);
    networking.put_if("domain", domain);
}

/// The first name that `/etc/hosts` has for a host, if that is another one.
fn canonical_name(machine: &Machine<'_>, host: &str) -> Option<String> {
    let hosts = machine.text("/etc/hosts")?;
    let rows = hosts.lines().map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
    let mut names = rows.map(|words| words.skip(1).collect::<Vec<_>>());
    let names = names.find(|names| names.contains(&host))?;
    names.first().filter(|first| **first != host).map(|first| (*first).to_owned())
}

fn resolver_domain(machine: &Machine<'_>) -> Option<String> {
    let text = machine.text("/etc/resolv.conf")?;
    let first = |key: &str| {
        let mut rows = text.lines().map(str::split_whitespace);
        rows.find_map(|mut words| {
            (words.next() == Some(key)).then(|| words.next().map(str::to_owned)).flatten()
        })
    };
    first("domain").or_else(|| first("search"))
}

fn mac(machine: &Machine<'_>, name: &str) -> Option<String> {
    let address = machine.word(&format!("/sys/class/net/{name}/address"))?;
    address.bytes().any(|byte| byte != b'0' && byte != b':').then_some(address)
}

/// The server that gave an interface its address, from the leases of systemd and dhclient.
fn dhcp(machine: &Machine<'_>, name: &str) -> Option<String> {
    let index = number(machine, &format!("/sys/class/net/{name}/ifindex"))?;
    if let Some(lease) = machine.text(&format!("/run/systemd/netif/leases/{index}")) {
        return lease.lines().find_map(|line| line.strip_prefix("SERVER_ADDRESS=")).map(str::to_owned);
    }
    for directory in
        ["/var/lib/dhclient", "/var/lib/dhcp", "/var/lib/dhcp3", "/var/lib/NetworkManager", "/var/db"]
    {
        for file in machine.names(directory).into_iter().filter(|file| file.contains("lease")) {
            let Some(text) = machine.text(&format!("{directory}/{file}")) else { continue };
            if text.contains(&format!("interface \"{name}\"")) {
                let server = |line: &str| {
                    line.trim().strip_prefix("option dhcp-server-identifier ").map(str::to_owned)
                };
                return text
                    .lines()
                    .rev()
                    .find_map(server)
                    .map(|server| server.trim_end_matches(';').to_owned());
            }
        }
    }
    None
}

fn default_route(machine: &Machine<'_>) -> Option<String> {
    let text = machine.text("/proc/net/route")?;
    let mut routes = text.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let is_default = |route: &Vec<&str>| {
        route.len() > 7 && route[1] == "00000000" && route[7] == "00000000" && route[0] != "*"
    };
    routes.find(is_default).map(|route| route[0].to_owned())
}

/// The addresses of all interfaces, in the order of the kernel.
fn bindings(machine: &Machine<'_>) -> Vec<(String, Binding)> {
    match machine.output(&["ip", "-o", "addr", "show"]) {
        Some(output) => output.lines().filter_map(binding_of_ip).collect(),
        None => bindings_of_proc(machine),
    }
}

/// `2: eth0    inet 192.0.2.2/24 brd 192.0.2.255 scope global eth0`
fn binding_of_ip(line: &str) -> Option<(String, Binding)> {
    let mut words = line.split_whitespace().skip(1);
    let name = words.next()?.split('@').next()?;
    matches!(words.next()?, "inet" | "inet6").then_some(())?;
    let written = words.next()?;
    let (address, prefix) = written.split_once('/').unwrap_or((written, "32"));
    Some((name.to_owned(), Binding { address: address.parse().ok()?, prefix: prefix.parse().ok()? }))
}

/// Without the command: addresses of version 6 are in one file, those of version 4 follow from the routes.
fn bindings_of_proc(machine: &Machine<'_>) -> Vec<(String, Binding)> {
    let mut found = Vec::new();
    let trie = machine.text("/proc/net/fib_trie").unwrap_or_default();
    let mut last = None;
    for line in trie.lines().map(str::trim) {
        if let Some(address) = line.strip_prefix("|-- ") {
            last = address.parse::<Ipv4Addr>().ok();
        } else if line == "/32 host LOCAL"
            && let Some(address) = last.take()
            && !found.iter().any(|(_, binding): &(String, Binding)| binding.address == address)
            && let Some((name, prefix)) = network_of(machine, address)
        {
            found.push((name, Binding { address: address.into(), prefix }));
        }
    }
    for words in machine
        .text("/proc/net/if_inet6")
        .unwrap_or_default()
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
    {
        let [address, _, prefix, _, _, name] = words[..] else { continue };
        let (Ok(address), Ok(prefix)) = (u128::from_str_radix(address, 16), u32::from_str_radix(prefix, 16))
        else {
            continue;
        };
        found.push((name.to_owned(), Binding { address: Ipv6Addr::from(address).into(), prefix }));
    }
    found
}

/// The interface whose network an address is in, and how long that network's prefix is.
fn network_of(machine: &Machine<'_>, address: Ipv4Addr) -> Option<(String, u32)> {
    if address.is_loopback() {
        return Some(("lo".to_owned(), 8));
    }
    let text = machine.text("/proc/net/route")?;
    let routes = text.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    routes.filter(|route| route.len() > 7).find_map(|route| {
        let hex = |text: &str| u32::from_str_radix(text, 16).ok().map(u32::swap_bytes);
        let (network, mask) = (hex(route[1])?, hex(route[7])?);
        (mask != 0 && u32::from(address) & mask == network).then(|| (route[0].to_owned(), mask.count_ones()))
    })
}

/// Addresses that say nothing of where the machine can be reached.
fn is_ignored(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_link_local(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unicast_link_local() || address.is_unique_local()
        }
    }
}

fn masks(binding: &Binding) -> (String, String) {
    match binding.address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - binding.prefix.min(32)).unwrap_or(0);
            (Ipv4Addr::from(mask).to_string(), Ipv4Addr::from(u32::from(address) & mask).to_string())
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - binding.prefix.min(128)).unwrap_or(0);
            (Ipv6Addr::from(mask).to_string(), Ipv6Addr::from(u128::from(address) & mask).to_string())
        }
    }
}

fn scope(address: Ipv6Addr) -> &'static str {
    match address {
        address if address.is_unicast_link_local() => "link",
        address if address.segments()[0] & 0xffc0 == 0xfec0 => "site",
        address if address.is_loopback() => "host",
        _ => "global",
    }
}

/// The primary address of the interface.
fn main_binding(fields: &mut Fields, bindings: &[&Binding]) {
    let Some(main) = bindings.iter().find(|binding| !is_ignored(binding.address)).or(bindings.first()) else {
        return;
    };
    let (netmask, network) = masks(main);
    let suffix = if main.address.is_ipv6() { "6" } else { "" };
    fields.put(&format!("ip{suffix}"), main.address.to_string());
    fields.put(&format!("netmask{suffix}"), netmask);
    fields.put(&format!("network{suffix}"), network);
    if let IpAddr::V6(address) = main.address {
        fields.put("scope6", scope(address));
    }
}

fn describe(machine: &Machine<'_>, interface: &str, binding: &Binding) -> Value {
    let mut fields = Fields::default();
    let (netmask, network) = masks(binding);
    fields.put("address", binding.address.to_string());
    fields.put("netmask", netmask);
    fields.put("network", network);
    if let IpAddr::V6(address) = binding.address {
        fields.put("scope6", scope(address));
        fields.put_if("flags", flags(machine, interface, address));
    }
    fields.into()
}

/// The flags of an IPv6 address, by bits.
const FLAGS: &[(&str, u32)] = &[
    ("temporary", 0x01),
    ("noad", 0x02),
    ("optimistic", 0x04),
    ("dadfailed", 0x08),
    ("homeaddress", 0x10),
    ("deprecated", 0x20),
    ("tentative", 0x40),
    ("permanent", 0x80),
];

fn flags(machine: &Machine<'_>, interface: &str, address: Ipv6Addr) -> Option<Vec<Value>> {
    let text = machine.text("/proc/net/if_inet6")?;
    let wanted = format!("{:032x}", u128::from(address));
    let row = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let row = row.filter(|row| row.len() == 6).find(|row| row[0] == wanted && row[5] == interface)?;
    let bits = u32::from_str_radix(row[4], 16).ok()?;
    Some(FLAGS.iter().filter(|(_, bit)| bits & bit != 0).map(|(name, _)| Value::from(*name)).collect())
}
