//! `full_catalog`: a control repository with everything in it.
//!
//! Puppet's scenario of that name compiles one that its suite fetches from the network. This one is generated, and has its
//! shape: a role, its profiles, the modules these use, and a deep hierarchy of data that sets their parameters.

use std::fmt::Write as _;

use crate::scenario::Scenario;

/// The levels of the hierarchy, most of which have no file for this node.
const LEVELS: [&str; 12] = [
    "nodes/%{trusted.certname}",
    "domains/%{facts.domain}/groups/%{facts.group}",
    "domains/%{facts.domain}/stages/%{facts.stage}",
    "domains/%{facts.domain}",
    "groups/%{facts.group}/%{facts.stage}",
    "groups/%{facts.group}",
    "location/%{facts.whereami}/%{facts.stage}",
    "location/%{facts.whereami}",
    "os/%{facts.os.family}/%{facts.os.name}",
    "os/%{facts.os.family}",
    "stages/%{facts.stage}",
    "common",
];

/// A role of `profiles` profiles, each with two modules of its own.
pub fn full_catalog(profiles: usize) -> Scenario {
    let mut hiera =
        String::from("version: 5\ndefaults:\n  datadir: data\n  data_hash: yaml_data\nhierarchy:\n");
    for level in LEVELS {
        let _ = writeln!(hiera, "  - name: \"{level}\"\n    path: \"{level}.yaml\"");
    }
    let mut common = String::from("---\n");
    let mut debian = String::from("---\n");
    let mut role = String::from("class role::large {\n  include profile::base\n");
    let mut scenario = Scenario::new("full_catalog", "node default {\n  include role::large\n}\n")
        .with("modules/profile/manifests/base.pp", BASE)
        .with("modules/profile/manifests/account.pp", ACCOUNT);
    for n in 0..profiles {
        let _ = writeln!(role, "  include profile::p{n}\n  Class['profile::base'] -> Class['profile::p{n}']");
        let modules = [2 * n, 2 * n + 1];
        let text = PROFILE
            .replace("PROFILE", &format!("p{n}"))
            .replace("FIRST", &format!("component{}", modules[0]))
            .replace("SECOND", &format!("component{}", modules[1]));
        scenario = scenario.with(format!("modules/profile/manifests/p{n}.pp"), text);
        let _ = writeln!(
            common,
            "profile::p{n}::accounts:\n  user{n}a: {{uid: {}, groups: [adm, web]}}\n  user{n}b: {{uid: {}}}",
            2000 + n,
            3000 + n
        );
        for module in modules {
            let name = format!("component{module}");
            let _ = writeln!(
                common,
                "{name}::port: {}\n{name}::options:\n  timeout: 30\n  listen: \"%{{facts.whereami}}-{module}\"\n  log: true",
                8000 + module
            );
            let _ = writeln!(debian, "{name}::package: {name}-server");
            for (file, text) in COMPONENT {
                scenario = scenario.with(format!("modules/{name}/{file}"), text.replace("COMPONENT", &name));
            }
        }
    }
    role.push_str("}\n");
    scenario
        .with("modules/role/manifests/large.pp", role)
        .with("hiera.yaml", hiera)
        .with("data/common.yaml", common)
        .with("data/os/Debian.yaml", debian)
        .with("data/groups/web.yaml", "---\nprofile::base::packages: [curl, vim, htop, git]\n")
}

const BASE: &str = "\
class profile::base (Array[String] $packages, String $banner = 'managed') {
  package { $packages: ensure => installed }
  file { '/etc/motd': ensure => file, content => \"${facts['networking']['fqdn']} is ${banner}\\n\" }
  case $facts['os']['family'] {
    'Debian': { $service = 'cron' }
    'RedHat': { $service = 'crond' }
    default: { fail('no such system') }
  }
  service { $service: ensure => running, enable => true, require => Package[$packages] }
}
";

const ACCOUNT: &str = "\
define profile::account (Integer[1000] $uid, Array[String] $groups = [], String $shell = '/bin/bash') {
  @user { $title: ensure => present, uid => $uid, groups => $groups, shell => $shell, tag => 'account' }
  @file { \"/home/${title}\": ensure => directory, owner => $title, mode => '0700', tag => 'account' }
}
";

const PROFILE: &str = "\
class profile::PROFILE (Hash[String, Hash] $accounts = {}) {
  include FIRST
  class { 'SECOND': workers => 8 }
  Class['FIRST'] -> Class['SECOND']
  $accounts.each |String $name, Hash $options| {
    profile::account { $name: * => $options }
  }
  User <| tag == 'account' |>
  File <| tag == 'account' |>
  Integer[1, 5].each |$n| {
    FIRST::site { \"PROFILE-${n}.example.com\": priority => $n * 10, aliases => [\"www${n}\", \"old${n}\"] }
  }
}
";

const COMPONENT: [(&str, &str); 7] = [
    (
        "manifests/init.pp",
        "\
class COMPONENT (
  Integer[1, 65535] $port,
  String $package = $COMPONENT::params::package,
  Enum['running', 'stopped'] $ensure = 'running',
  Integer[1] $workers = 4,
  Hash[String, Variant[String, Integer, Boolean]] $options = {},
) inherits COMPONENT::params {
  contain COMPONENT::install
  contain COMPONENT::config
  contain COMPONENT::service
  Class['COMPONENT::install'] -> Class['COMPONENT::config'] ~> Class['COMPONENT::service']
}
",
    ),
    (
        "manifests/params.pp",
        "\
class COMPONENT::params {
  $package = $facts['os']['family'] ? { 'Debian' => 'COMPONENT', default => 'COMPONENT-rpm' }
  $directory = \"/etc/${package}\"
}
",
    ),
    (
        "manifests/install.pp",
        "\
class COMPONENT::install {
  package { $COMPONENT::package: ensure => installed }
  user { 'COMPONENT': ensure => present, system => true }
}
",
    ),
    (
        "manifests/config.pp",
        "\
class COMPONENT::config {
  File { owner => 'root', group => 'root', mode => '0644' }
  $directory = $COMPONENT::directory
  file { [$directory, \"${directory}/sites.d\", \"${directory}/conf.d\"]: ensure => directory }
  file { \"${directory}/main.conf\":
    content => epp('COMPONENT/main.conf.epp', { 'port' => $COMPONENT::port, 'workers' => $COMPONENT::workers, 'options' => $COMPONENT::options }),
  }
  $COMPONENT::options.each |$key, $value| {
    file { \"${directory}/conf.d/${key}.conf\": content => \"${key} = ${value}\\n\" }
  }
}
",
    ),
    (
        "manifests/service.pp",
        "\
class COMPONENT::service {
  service { 'COMPONENT': ensure => $COMPONENT::ensure, enable => $COMPONENT::ensure == 'running' }
}
",
    ),
    (
        "manifests/site.pp",
        "\
define COMPONENT::site (Integer[0, 99] $priority = 50, Array[String] $aliases = [], Optional[String] $root = undef) {
  $path = $root ? { undef => \"/srv/${title}\", default => $root }
  $file = sprintf('%02d-%s.conf', $priority, regsubst($title, '\\.', '_', 'G'))
  file { \"${COMPONENT::directory}/sites.d/${file}\":
    ensure  => file,
    content => \"server ${title} ${aliases.join(' ')} ${path} ${COMPONENT::port}\\n\",
    require => Class['COMPONENT::install'],
    notify  => Service['COMPONENT'],
  }
}
",
    ),
    (
        "templates/main.conf.epp",
        "\
<%- | Integer $port, Integer $workers, Hash $options | -%>
# <%= $facts['networking']['fqdn'] %>
listen <%= $port %>
<% if $workers > 1 { -%>
workers <%= $workers %>
<% } -%>
<% $options.each |$key, $value| { -%>
<%= $key %> = <%= $value %>
<% } -%>
",
    ),
];
