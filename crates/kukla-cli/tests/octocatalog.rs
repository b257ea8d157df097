//! `kukla diff` beside octocatalog-diff: on the same two revisions of a repository they find the same changes. Where the package
//! `octocatalog-diff`, Puppet or git is missing, this says so and does nothing. The times of both are printed, and nothing is
//! expected of them.

#![allow(clippy::disallowed_methods)] // a test reads the disk

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Files of both revisions.
const SAME: [(&str, &str); 5] = [
    ("environment.conf", "modulepath = modules\n"),
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - name: Role\n    path: \"role/%{facts.role}.yaml\"\n  - name: Everything\n    path: common.yaml\n",
    ),
    ("manifests/site.pp", "include \"role::${facts['role']}\"\n"),
    ("modules/role/manifests/db.pp", "class role::db { include base }\n"),
    (
        "modules/app/manifests/site.pp",
        "define app::site (Integer $port, Array[String] $names = []) {\n  file { \"/etc/app/${title}.conf\": content => epp('app/site.epp', { port => $port, names => $names }) }\n}\n",
    ),
];

/// Files that differ: before and after; an empty one is not there.
const DIFFERENT: [(&str, &str, &str); 10] = [
    (
        "modules/role/manifests/web.pp",
        "class role::web { include base\n  include app }\n",
        "class role::web { include base\n  include app\n  include cache }\n",
    ),
    (
        "modules/base/manifests/init.pp",
        "class base (Array[String] $servers) {\n  package { 'ntp': ensure => '4.2' }\n  file { '/etc/ntp.conf': content => template('base/ntp.erb'), mode => '0644', require => Package['ntp'] }\n  service { 'ntp': ensure => running, subscribe => File['/etc/ntp.conf'] }\n  file { '/etc/old': ensure => file, content => 'old' }\n  exec { '/bin/true': environment => ['A=1', 'B=2'] }\n  file { '/etc/motd': source => 'puppet:///modules/base/motd' }\n}\n",
        "class base (Array[String] $servers) {\n  package { 'ntp': ensure => '4.3' }\n  file { '/etc/ntp.conf': content => template('base/ntp.erb'), mode => '0600', require => Package['ntp'] }\n  service { 'ntp': ensure => running, enable => true, subscribe => File['/etc/ntp.conf'], tag => 'time' }\n  exec { '/bin/true': environment => ['A=1', 'C=3'] }\n  file { '/etc/motd': source => 'puppet:///modules/base/motd' }\n}\n",
    ),
    ("modules/base/files/motd", "Welcome\nto this machine\n", "Welcome\nto that machine\n"),
    (
        "modules/base/templates/ntp.erb",
        "# for <%= @facts['role'] %>\n<% @servers.each do |server| -%>\nserver <%= server %>\n<% end -%>\n",
        "# for <%= @facts['role'] %>\n<% @servers.each do |server| -%>\nserver <%= server %> iburst\n<% end -%>\n",
    ),
    (
        "modules/app/manifests/init.pp",
        "class app (Hash $sites) {\n  $sites.each |$name, $site| { app::site { $name: * => $site } }\n  user { 'app': ensure => present, groups => ['www', 'adm'] }\n}\n",
        "class app (Hash $sites) {\n  $sites.each |$name, $site| { app::site { $name: * => $site } }\n  user { 'app': ensure => present, groups => ['www'], shell => '/bin/false' }\n}\n",
    ),
    (
        "modules/app/templates/site.epp",
        "<%- | Integer $port, Array[String] $names | -%>\nlisten <%= $port %>\n<% $names.each |$name| { -%>\nname <%= $name %>\n<% } -%>\n",
        "<%- | Integer $port, Array[String] $names | -%>\nlisten 0.0.0.0:<%= $port %>\n<% $names.each |$name| { -%>\nname <%= $name %>\n<% } -%>\n",
    ),
    (
        "modules/cache/manifests/init.pp",
        "",
        "class cache {\n  package { 'varnish': ensure => installed }\n  -> service { 'varnish': ensure => running }\n}\n",
    ),
    (
        "data/common.yaml",
        "base::servers: [a.example.com, b.example.com]\n",
        "base::servers: [a.example.com, c.example.com]\n",
    ),
    (
        "data/role/web.yaml",
        "app::sites:\n  shop: {port: 8080, names: [shop.example.com]}\n  blog: {port: 8081}\n",
        "app::sites:\n  shop: {port: 8443, names: [shop.example.com, www.example.com]}\n  wiki: {port: 8082}\n",
    ),
    ("data/role/db.yaml", "", "base::servers: [db.example.com]\n"),
];

const NODES: [(&str, &str); 2] = [("web1.example.com", "web"), ("db1.example.com", "db")];

fn missing() -> Option<&'static str> {
    let runs =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success());
    ["git", "octocatalog-diff", "puppet"].into_iter().find(|program| !runs(program))
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(
        matches!(output.status.code(), Some(0..=2)),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// A repository with the revisions `old` and `new`, and facts beside it.
fn repository(scratch: &Path) {
    let write = |root: &Path, name: &str, text: &str| {
        let file = root.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        if text.is_empty() { drop(std::fs::remove_file(file)) } else { std::fs::write(file, text).unwrap() }
    };
    let repository = scratch.join("repository");
    std::fs::create_dir_all(&repository).unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Test", "-c", "user.email=test@example.com"]);
        assert!(run(command.args(arguments).current_dir(&repository)).status.success());
    };
    git(&["init", "--quiet", "."]);
    for (revision, is_new) in [("old", false), ("new", true)] {
        git(&["checkout", "--quiet", "-b", revision]);
        SAME.iter().for_each(|(name, text)| write(&repository, name, text));
        for (name, old, new) in DIFFERENT {
            write(&repository, name, if is_new { new } else { old });
        }
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "-m", revision]);
    }
    for (node, role) in NODES {
        let facts = json!({"role": role, "fqdn": node, "clientcert": node});
        write(scratch, &format!("facts/{node}.json"), &facts.to_string());
        let yaml = format!(
            "--- !ruby/object:Puppet::Node::Facts\nname: {node}\nvalues:\n  role: {role}\n  fqdn: {node}\n"
        );
        write(scratch, &format!("{node}.yaml"), &yaml);
    }
    write(scratch, "mended.rb", MENDED);
}

/// octocatalog-diff 2.1 does not survive Ruby 3 where a collection has changed: it passes a block on in a way that Ruby 3 no longer allows.
const MENDED: &str = "require 'octocatalog-diff'
require 'octocatalog-diff/catalog-diff/filter/compilation_dir'
class OctocatalogDiff::CatalogDiff::Filter::CompilationDir
  def traverse(value, &block)
    case value
    when Array then value.each { |one| traverse(one, &block) }
    when Hash then traverse(value.values, &block)
    else block.call(value)
    end
  end
end
";

/// A change: the resource, and for one that both revisions have the attribute, with its values unless they are collections.
type Change = (String, Option<(String, Value, Value)>);

fn of_octocatalog(scratch: &Path, node: &str) -> (BTreeSet<String>, Duration) {
    let start = Instant::now();
    let output = run(Command::new("ruby")
        .arg("-r")
        .arg(scratch.join("mended.rb"))
        .args(["-S", "octocatalog-diff"])
        .args(["-n", node, "-f", "old", "-t", "new", "--output-format", "json", "--include-tags"])
        .args(["--hiera-config", "hiera.yaml", "--no-hiera-path", "--puppet-binary", "/usr/bin/puppet"])
        .arg("--basedir")
        .arg(scratch.join("repository"))
        .arg("--fact-file")
        .arg(scratch.join(format!("{node}.yaml"))));
    let took = start.elapsed();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let change = |one: &Value| -> Change {
        let name = format!("{}[{}]", one["type"].as_str().unwrap(), one["title"].as_str().unwrap());
        let place: Vec<&str> =
            one["structure"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        match (one["diff_type"].as_str().unwrap(), place.as_slice()) {
            (sign @ ("+" | "-"), _) => (format!("{sign} {name}"), None),
            (_, ["parameters", attribute]) => {
                (name, Some(((*attribute).to_owned(), one["old_value"].clone(), one["new_value"].clone())))
            }
            (_, ["parameters", attribute, ..]) => {
                (name, Some(((*attribute).to_owned(), json!([]), json!([]))))
            }
            (_, [other, ..]) => (name, Some(((*other).to_owned(), json!([]), json!([])))),
            _ => (name, None),
        }
    };
    (report["diff"].as_array().unwrap().iter().map(change).map(describe).collect(), took)
}

fn of_kukla(report: &Value, node: &str) -> BTreeSet<String> {
    let groups = report["groups"].as_array().unwrap().iter();
    let groups = groups.filter(|group| group["nodes"].as_array().unwrap().contains(&json!(node)));
    let resources = groups.flat_map(|group| group["changes"]["resources"].as_array().into_iter().flatten());
    let mut changes = Vec::<Change>::new();
    // octocatalog-diff leaves out classes, as what they do is what counts.
    for one in resources.filter(|one| one["type"] != "Class") {
        let name = format!("{}[{}]", one["type"].as_str().unwrap(), one["title"].as_str().unwrap());
        match one["change"].as_str().unwrap() {
            "added" => changes.push((format!("+ {name}"), None)),
            "removed" => changes.push((format!("- {name}"), None)),
            _ => {
                for attribute in one["attributes"].as_array().into_iter().flatten() {
                    let parts = attribute["parts"].as_array().unwrap();
                    let (old, new) = match parts.as_slice() {
                        [part] if part["path"].is_null() => (part["before"].clone(), part["after"].clone()),
                        _ => (json!([]), json!([])),
                    };
                    // The text of a file that is fetched: octocatalog-diff reports it as if it were in the catalog.
                    let fetched =
                        parts.iter().find(|part| attribute["name"] == "source" && !part["path"].is_null());
                    if let Some(part) = fetched {
                        let content = ("content".to_owned(), part["before"].clone(), part["after"].clone());
                        changes.push((name.clone(), Some(content)));
                        continue;
                    }
                    let attribute = attribute["name"].as_str().unwrap().to_owned();
                    changes.push((name.clone(), Some((attribute, old, new))));
                }
                if !one["tags_added"].is_null() || !one["tags_removed"].is_null() {
                    changes.push((name, Some(("tags".to_owned(), json!([]), json!([])))));
                }
            }
        }
    }
    changes.into_iter().map(describe).collect()
}

/// A change as text, in the format of neither tool. Where collections differ, one tool shows all of them and the other what is different.
fn describe((name, attribute): Change) -> String {
    let Some((attribute, old, new)) = attribute else { return name };
    let is_collection = |value: &Value| value.is_array() || value.is_object();
    if is_collection(&old) || is_collection(&new) {
        return format!("{name} {attribute}");
    }
    format!("{name} {attribute}: {old} to {new}")
}

#[test]
fn the_same_changes_as_octocatalog_diff() {
    if let Some(program) = missing() {
        return kukla_testing::skip("kukla-cli/octocatalog", &format!("no {program}"));
    }
    let scratch = std::env::temp_dir().join(format!("kukla-octocatalog-{}", std::process::id()));
    repository(&scratch);
    let start = Instant::now();
    let output = run(Command::new(env!("CARGO_BIN_EXE_kukla"))
        .args(["diff", "old..new", "--format", "json", "--tags", "--facts", "../facts", "--no-cache"])
        .current_dir(scratch.join("repository")));
    let took = start.elapsed();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let mut theirs = Duration::ZERO;
    for (node, _) in NODES {
        let (expected, took) = of_octocatalog(&scratch, node);
        theirs += took;
        let found = of_kukla(&report, node);
        assert!(found.len() > 5, "{found:#?}");
        let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>();
        assert!(
            found == expected,
            "{node}: only kukla {:#?}, only octocatalog-diff {:#?}",
            only(&found, &expected),
            only(&expected, &found)
        );
    }
    let _ = writeln!(
        std::io::stderr(),
        "\n{} nodes: kukla diff {took:?}, octocatalog-diff {theirs:?}, {:.0} times",
        NODES.len(),
        theirs.as_secs_f64() / took.as_secs_f64()
    );
    std::fs::remove_dir_all(&scratch).unwrap();
}
