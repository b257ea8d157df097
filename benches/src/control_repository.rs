//! A generated control repository of any number of nodes, as large sites have them: roles, profiles, modules with templates of
//! both kinds, and data for every node, rack, site and role.

#![allow(clippy::disallowed_methods)] // a repository is written to the disk

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

/// How many modules there are; a role has two of each profile, ten profiles each.
const MODULES: usize = 50;
const PROFILES: usize = 25;
const ROLES: usize = 20;
const RACKS: usize = 470;
const SITES: usize = 9;
/// Resources of its own defined type that each module declares; together with theirs and the class's, 50 resources a module.
const ITEMS: usize = 14;

/// Writes a repository with `nodes` nodes. Each has about 1,000 resources; of 1,000 nodes there are 1,500 data files.
pub fn write(root: &Path, nodes: usize) -> io::Result<()> {
    let put = |path: &str, text: &str| {
        let path = root.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, text)
    };
    put("environment.conf", "modulepath = site:modules\n")?;
    put("manifests/site.pp", "node default {\n  include \"role::${facts['role']}\"\n}\n")?;
    put(
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - name: layers\n    paths:\n      - nodes/%{trusted.certname}.yaml\n      - racks/%{facts.rack}.yaml\n      - roles/%{facts.role}.yaml\n      - sites/%{facts.site}.yaml\n      - common.yaml\n",
    )?;
    for role in 0..ROLES {
        let profiles: String = (0..10).fold(String::new(), |text, n| {
            text + &format!("  include profile::p{:02}\n", (role + n * 2) % PROFILES)
        });
        put(
            &format!("site/role/manifests/r{role:02}.pp"),
            &format!(
                "# What a machine of the kind {role} is for.\nclass role::r{role:02} {{\n{profiles}}}\n"
            ),
        )?;
        put(
            &format!("data/roles/r{role:02}.yaml"),
            &(0..MODULES).fold("---\n".to_owned(), |text, m| {
                text + &format!("m{m:02}::port: {}\nm{m:02}::owner: role{role}\n", 1000 + role * 100 + m)
            }),
        )?;
    }
    for profile in 0..PROFILES {
        let (one, other) = (profile * 2, profile * 2 + 1);
        put(
            &format!("site/profile/manifests/p{profile:02}.pp"),
            &format!(
                "# Two modules that belong together.\nclass profile::p{profile:02} (\n  String $greeting = 'hello',\n) {{\n  include m{one:02}\n  include m{other:02}\n  Class['m{one:02}'] -> Class['m{other:02}']\n  notify {{ \"profile {profile}: ${{greeting}} from ${{facts['site']}}\": }}\n}}\n"
            ),
        )?;
    }
    (0..MODULES).try_for_each(|number| module(&put, number))?;
    let mut common = String::from("---\nlookup_options:\n  '^m\\d\\d::settings$':\n    merge: deep\n");
    for m in 0..MODULES {
        let _ = writeln!(
            common,
            "m{m:02}::settings:\n  debug: false\n  level: {m}\n  paths: [/srv/a, /srv/b]\nm{m:02}::servers:\n  - a.example.com\n  - b.example.com"
        );
    }
    put("data/common.yaml", &common)?;
    for site in 0..SITES {
        let text = (0..MODULES)
            .fold("---\n".to_owned(), |text, m| text + &format!("m{m:02}::settings:\n  site: s{site}\n"));
        put(&format!("data/sites/s{site}.yaml"), &text)?;
    }
    for rack in 0..RACKS {
        put(
            &format!("data/racks/rack{rack:03}.yaml"),
            &format!("---\nm{:02}::settings:\n  rack: {rack}\n", rack % MODULES),
        )?;
    }
    for number in 0..nodes {
        let name = format!("node{number:05}.example.com");
        put(
            &format!("data/nodes/{name}.yaml"),
            &format!("---\nprofile::p{:02}::greeting: I am {number}\n", number % PROFILES),
        )?;
        put(&format!("facts/{name}.json"), &facts(number, &name))?;
    }
    Ok(())
}

/// A module: a class with parameters from data, a package, a service, files from templates of both kinds, a defined type.
fn module(put: &impl Fn(&str, &str) -> io::Result<()>, number: usize) -> io::Result<()> {
    let m = format!("m{number:02}");
    put(
        &format!("modules/{m}/manifests/init.pp"),
        &format!(
            "# The service {m}.
class {m} (
  Integer[1, 65535] $port,
  String[1] $owner,
  Hash[String, Data] $settings,
  Array[String] $servers,
  Enum['present', 'absent'] $ensure = 'present',
) {{
  package {{ '{m}': ensure => $ensure }}
  file {{
    default:
      ensure => file,
      owner  => $owner,
      mode   => '0644',
      ;
    '/etc/{m}.conf':
      content => epp('{m}/main.epp', {{ 'port' => $port, 'settings' => $settings, 'servers' => $servers }}),
      ;
    '/etc/{m}.erb.conf':
      content => template('{m}/main.erb'),
  }}
  service {{ '{m}':
    ensure    => running,
    enable    => true,
    subscribe => File['/etc/{m}.conf', '/etc/{m}.erb.conf'],
  }}
  Package['{m}'] -> File['/etc/{m}.conf']
  range(1, {ITEMS}).each |$n| {{
    {m}::item {{ \"{m}-item-${{n}}\":
      order => $n,
      value => \"${{facts['os']['name']}} ${{n}} ${{settings['level']}}\",
    }}
  }}
}}
"
        ),
    )?;
    put(
        &format!("modules/{m}/manifests/item.pp"),
        &format!(
            "# A part of the configuration of {m}.
define {m}::item (
  Integer $order,
  String $value,
) {{
  $path = sprintf('/etc/{m}.d/%02d-%s.conf', $order, $title)
  file {{ $path:
    content => \"# managed\\n${{value}}\\n\",
    mode    => '0600',
  }}
  if $order > 0 {{
    exec {{ \"check ${{path}}\":
      command     => \"/usr/bin/test -f ${{path}}\",
      refreshonly => true,
      subscribe   => File[$path],
    }}
  }}
}}
"
        ),
    )?;
    put(
        &format!("modules/{m}/templates/main.epp"),
        "<%- | Integer $port, Hash $settings, Array $servers | -%>\nport = <%= $port %>\n<% $settings.each |$key, $value| { -%>\n<%= $key %> = <%= $value %>\n<% } -%>\n<% $servers.each |$server| { -%>\nserver <%= $server %>\n<% } -%>\n",
    )?;
    put(
        &format!("modules/{m}/templates/main.erb"),
        "# <%= @owner %> on <%= @facts['networking']['fqdn'] %>\n<% @settings.sort.each do |key, value| -%>\n<%= key %>: <%= value.is_a?(Array) ? value.join(':') : value %>\n<% end -%>\n<% @servers.each_with_index do |server, n| -%>\nserver.<%= n %> = <%= server.upcase %>\n<% end -%>\nport <%= @port + 1 %>\n",
    )
}

fn facts(number: usize, name: &str) -> String {
    format!(
        r#"{{"name": "{name}", "values": {{"role": "r{:02}", "rack": "rack{:03}", "site": "s{}", "kernel": "Linux", "os": {{"name": "Debian", "family": "Debian", "release": {{"major": "12", "full": "12.5"}}}}, "networking": {{"fqdn": "{name}", "hostname": "node{number:05}", "domain": "example.com", "ip": "10.{}.{}.{}"}}, "memory": {{"system": {{"total_bytes": {}}}}}, "uptime_seconds": {}}}}}
"#,
        number % ROLES,
        number % RACKS,
        number % SITES,
        number / 65536,
        number / 256 % 256,
        number % 256,
        (number % 64 + 1) << 30,
        number * 7919 % 1_000_000,
    )
}
