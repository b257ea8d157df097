//! `networking` of a fact set: one interface and the loopback, with addresses that follow from the node's name.

use std::net::Ipv4Addr;

use kukla_values::Value;

use super::FactSet;
use super::seed::Seed;
use super::table::Kind;
use crate::machine::Fields;

const NETMASK6: &str = "ffff:ffff:ffff:ffff::";
const HOST_MASK6: &str = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";

/// Adds `networking`.
pub fn add(set: &FactSet, node: &str, facts: &mut Fields) {
    let seed = Seed(node);
    let mut networking = Fields::default();
    let (host, domain) = node.split_once('.').map_or((node, None), |(host, domain)| (host, Some(domain)));
    networking.put("hostname", host);
    networking.put_if("domain", domain);
    networking.put("fqdn", node);
    let is_linux = set.system.kind == Kind::Linux;
    let [first, second, third, _] = seed.ip().octets();
    let prefix = [0x2001, 0xdb8, u16::from(second), u16::from(third)];
    let global =
        address6(&seed.ip6(prefix).to_string(), "global", &subnet(prefix), is_linux.then_some(&[][..]));
    let link = seed.ip6([0xfe80, 0, 0, 0]).to_string();
    let link = address6(&link, "link", "fe80::", is_linux.then_some(&["permanent"][..]));
    let dhcp = Ipv4Addr::new(first, second, third, 1).to_string();
    let mac = seed.mac().map(|byte| format!("{byte:02x}")).join(":");
    let mac = if set.system.kind == Kind::Windows { mac.to_uppercase() } else { mac };

    let mut main = Fields::default();
    main.put("ip", seed.ip().to_string());
    main.put("netmask", "255.255.255.0");
    let network = Ipv4Addr::new(first, second, third, 0).to_string();
    main.put("network", network.clone());
    main.put("ip6", seed.ip6(prefix).to_string());
    main.put("netmask6", NETMASK6);
    main.put("network6", subnet(prefix));
    main.put("scope6", "global");
    main.put("mac", mac);
    main.put("mtu", 1500i64);
    if set.system.kind != Kind::Bsd {
        main.put("dhcp", dhcp);
    }
    let main = main.into_hash();
    let mut interface = Fields::default();
    for (key, value) in &main {
        let key = key.as_str().unwrap_or_default();
        networking.put(key, value.clone());
        interface.put(key, value.clone());
    }
    interface.put("bindings", vec![address(&seed.ip().to_string(), "255.255.255.0", &network)]);
    interface.put("bindings6", vec![global, link]);
    if is_linux {
        interface.put("operational_state", "up");
        interface.put("physical", true);
    }
    let (primary, loopback) = names(set);
    networking.put("primary", primary);
    let mut interfaces = Fields::default();
    interfaces.put(primary, interface);
    if let Some((name, mtu)) = loopback {
        interfaces.put(name, lo(mtu, is_linux));
    }
    networking.put("interfaces", interfaces);
    facts.put("networking", networking);
}

/// The names of the interface and of the loopback, with the MTU of that.
fn names(set: &FactSet) -> (&'static str, Option<(&'static str, i64)>) {
    match (set.system.kind, set.system.os().0) {
        (Kind::Linux, _) => ("eth0", Some(("lo", 65536))),
        (Kind::Bsd, "OpenBSD") => ("vio0", Some(("lo0", 32768))),
        (Kind::Bsd, _) => ("em0", Some(("lo0", 16384))),
        (Kind::Windows, _) => ("Ethernet", None),
        (Kind::Macos, _) => ("en0", Some(("lo0", 16384))),
        (Kind::Solaris, _) => ("net0", Some(("lo0", 8232))),
        (Kind::Aix, _) => ("en0", Some(("lo0", 16896))),
    }
}

fn subnet([a, b, c, d]: [u16; 4]) -> String {
    std::net::Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).to_string()
}

fn address(ip: &str, netmask: &str, network: &str) -> Value {
    let mut fields = Fields::default();
    fields.put("address", ip);
    fields.put("netmask", netmask);
    fields.put("network", network);
    fields.into()
}

fn address6(ip: &str, scope: &str, network: &str, flags: Option<&[&str]>) -> Value {
    let mut fields = Fields::default();
    fields.put("address", ip);
    fields.put("netmask", if scope == "host" { HOST_MASK6 } else { NETMASK6 });
    fields.put("network", network);
    fields.put("scope6", scope);
    fields
        .put_if("flags", flags.map(|flags| flags.iter().map(|flag| Value::from(*flag)).collect::<Vec<_>>()));
    fields.into()
}

fn lo(mtu: i64, is_linux: bool) -> Fields {
    let mut main = Fields::default();
    main.put("ip", "127.0.0.1");
    main.put("netmask", "255.0.0.0");
    main.put("network", "127.0.0.0");
    let bindings = vec![address("127.0.0.1", "255.0.0.0", "127.0.0.0")];
    main.put("bindings", bindings);
    main.put("bindings6", vec![address6("::1", "host", "::1", is_linux.then_some(&["permanent"][..]))]);
    main.put("ip6", "::1");
    main.put("netmask6", HOST_MASK6);
    main.put("network6", "::1");
    main.put("scope6", "host");
    main.put("mtu", mtu);
    if is_linux {
        main.put("operational_state", "unknown");
        main.put("physical", false);
    }
    main
}
