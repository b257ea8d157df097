//! The checker and the compiler agree: each mistake is put where a compilation reaches it, in every kind of body, and each of its
//! corrections, too. The checker reports an error exactly where the compilation fails.

use std::path::Path;
use std::sync::Arc;

use kukla::facts::machine::FactSet;
use kukla::world::World;
use kukla::{Compiler, MemoryWorld, Node, SiteSpec};
use kukla_check::repository::Shape;
use kukla_check::{Checker, DeclaredNames, Options};

/// The files that every program has beside the one with the mistake.
const FILES: &[(&str, &str)] = &[
    ("environment.conf", ""),
    ("hiera.yaml", "version: 5\nhierarchy:\n  - {name: Common, path: common.yaml}\n"),
    ("data/common.yaml", "motd: hello\nlist: [1, 2]\nbound::port: 80\nmapped:\n  inner: 1\n"),
    ("modules/bound/manifests/init.pp", "class bound(Integer $port) { }"),
    ("modules/required/manifests/init.pp", "class required(Integer $port) { }"),
    (
        "modules/plain/manifests/init.pp",
        "class plain(Integer $port = 80, Optional[String] $name_ = undef) { package { 'plain': } }",
    ),
    ("modules/plain/manifests/server.pp", "class plain::server { package { 'plain': } }"),
    ("modules/plain/manifests/vhost.pp", "define plain::vhost(Integer $port, Boolean $tls = true) { }"),
    ("modules/plain/manifests/shared.pp", "define plain::shared { package { 'shared': } }"),
    ("modules/plain/functions/twice.pp", "function plain::twice(Integer $n) >> Integer { $n * 2 }"),
    (
        "modules/plain/lib/puppet/functions/plain/broken.rb",
        "Puppet::Functions.create_function(:'plain::broken') do\n  def broken\n    [1, 2\n  end\nend\n",
    ),
    (
        "modules/plain/lib/puppet/functions/plain/sound.rb",
        "Puppet::Functions.create_function(:'plain::sound') do\n  def sound\n    [1, 2]\n  end\nend\n",
    ),
    ("modules/plain/types/port.pp", "type Plain::Port = Integer[1, 65535]"),
    ("modules/plain/templates/unclosed.erb", "<% if true %>\nx\n"),
    ("modules/plain/templates/closed.erb", "<% if true %>\nx\n<% end %>\n"),
    (
        "modules/plain/templates/site.epp",
        "<%- | Integer $port, String $host = 'a' | -%>\n<%= $port %> <%= $host %>\n",
    ),
    ("modules/plain/templates/broken.epp", "<%- | Integer $port | -%>\n<%= $port\n"),
    ("modules/plain/files/motd", "hello\n"),
];

/// A mistake, and its correction. Statements, which any body may contain.
const MISTAKES: &[(&str, &str)] = &[
    // Variables and facts.
    ("notice($nosuchvariable_)", "$nosuchvariable_ = 1 notice($nosuchvariable_)"),
    ("$docroot = '/srv' notice($docrot)", "$docroot = '/srv' notice($docroot)"),
    ("notice($osfamilly_)", "notice($facts['os']['family'])"),
    ("notice($facts['oss']['family'])", "notice($facts['oss'])"),
    ("notice($facts['networkin']['ip'])", "notice($facts['networking']['ip'])"),
    ("notice($facts['os']['relase']['major'])", "notice($facts['os']['release']['major'])"),
    ("notice($plain::nosuch)", "include plain notice($plain::port)"),
    // Reassignment.
    ("$a = 1 $a = 2", "$a = 1 $b = 2"),
    ("$a = 1 if true { $a = 2 }", "if true { $a = 1 } else { $a = 2 }"),
    (
        "if $facts['kernel'] == 'Linux' { $a = 1 } else { $a = 2 } $a = 3",
        "if $facts['kernel'] == 'Linux' { $a = 1 } else { $a = 2 } notice($a)",
    ),
    (
        "case $facts['kernel'] { 'Linux': { $a = 1 } default: { $a = 2 } } $a = 3",
        "case $facts['kernel'] { 'Linux': { $a = 1 } default: { $a = 2 } }",
    ),
    ("[$a, $b] = [1, 2] $b = 3", "[$a, $b] = [1, 2] $c = 3"),
    ("[1].each |$x| { $x = 2 }", "$x = 1 [1].each |$y| { $x = 2 }"),
    ("$a = 1 unless false { $a = 2 }", "$a = 1 unless defined('$a') { $a = 2 }"),
    // Resources.
    ("package { 'a': } package { 'a': }", "package { 'a': } package { 'b': }"),
    ("package { ['a', 'a']: }", "package { ['a', 'b']: }"),
    ("package { 'a': name => 'x' } package { 'x': }", "package { 'a': name => 'y' } package { 'x': }"),
    ("file { '/a': } file { '/a/': }", "file { '/a': } file { '/a/b/': }"),
    ("file { 'a': path => '/x' } file { '/x': }", "file { 'a': path => '/y' } file { '/x': }"),
    ("exec { 'a': command => '/b' } exec { 'a': }", "exec { 'a': command => '/b' } exec { '/b': }"),
    ("file { '/a': mode => '0644', mode => '0600' }", "file { '/a': mode => '0644' }"),
    ("realize(User['nosuchuser'])", "@user { 'u': } realize(User['u'])"),
    ("notice(1 =~ /a/)", "notice('1' =~ /a/ and 1 =~ Integer)"),
    ("$number = 1 notice($number['a'])", "$list = [1] notice($list[0])"),
    ("include plain include plain::server", "include plain package { 'other': }"),
    ("include plain class { 'plain': port => 1 }", "class { 'plain': port => 1 } include plain"),
    ("plain::shared { ['a', 'b']: }", "plain::shared { 'a': }"),
    ("@package { 'a': } package { 'a': }", "@package { 'a': }"),
    ("file { '/a': contents => 'x' }", "file { '/a': content => 'x' }"),
    ("pakage { 'a': }", "package { 'a': }"),
    ("plain::vhost { 'a': prot => 80 }", "plain::vhost { 'a': port => 80 }"),
    ("plain::vhost { 'a': port => '80' }", "plain::vhost { 'a': port => 80, tls => false }"),
    ("plain::vhost { 'a': tls => true }", "plain::vhost { 'a': port => 1, tls => true }"),
    ("plain::vhosts { 'a': port => 80 }", "plain::vhost { 'a': port => 80 }"),
    (
        "service { 'a': require => Package['nosuchpackage'] }",
        "package { 'p': } service { 'a': require => Package['p'] }",
    ),
    (
        "package { 'nginx': } service { 'a': require => Package['ngnix'] }",
        "package { 'nginx': } service { 'a': require => Package['nginx'] }",
    ),
    ("service { 'a': notify => 'b' }", "exec { '/b': } service { 'a': notify => Exec['/b'] }"),
    ("package { 'a': tag => 'not valid' }", "package { 'a': tag => 'valid' }"),
    // Classes.
    ("include nosuchclass", "include plain"),
    ("include plain::servr", "include plain"),
    ("include required", "class { 'required': port => 1 }"),
    ("class { 'plain': port => 'x' }", "class { 'plain': port => 8080 }"),
    ("class { 'plain': prot => 1 }", "include bound"),
    // Functions, types and data.
    ("notice(plain::twise(1))", "notice(plain::twice(1))"),
    ("notice(plain::twice('x'))", "notice(plain::twice(2))"),
    ("notice(plain::twice(1, 2))", "notice(plain::twice(2))"),
    ("notice(nosuchfunction(1))", "notice(size('a'))"),
    ("notice(1 + 'x')", "notice(1 + 2)"),
    ("notice(plain::broken())", "notice(plain::sound())"),
    ("notice(1 =~ Plain::Prot)", "notice(1 =~ Plain::Port)"),
    ("notice(lookup('mtd'))", "notice(lookup('motd'))"),
    ("notice(lookup('nosuch', String))", "notice(lookup('nosuch', String, 'first', 'default'))"),
    ("notice(lookup('mapped', { 'merge' => 'depp' }))", "notice(lookup('mapped', { 'merge' => 'deep' }))"),
    ("notice(lookup('mapped', Hash, 'hsah'))", "notice(lookup('mapped', Hash, { 'strategy' => 'hash' }))"),
    ("notice(lookup('nosuch.inner'))", "notice(lookup('mapped.inner'))"),
    ("notice(lookup('nosuch'))", "notice(lookup('nosuch', { 'default_value' => 1 }))"),
    // Templates and files.
    ("notice(template('plain/unclosed.erb'))", "notice(template('plain/closed.erb'))"),
    ("notice(template('plain/nosuch.erb'))", "notice(template('plain/closed.erb'))"),
    ("notice(inline_template('<% if true %>'))", "notice(inline_template('<% if true %>x<% end %>'))"),
    ("notice(epp('plain/site.epp'))", "notice(epp('plain/site.epp', { 'port' => 1 }))"),
    (
        "notice(epp('plain/site.epp', { 'port' => 'x' }))",
        "notice(epp('plain/site.epp', { 'port' => 1, 'host' => 'b' }))",
    ),
    (
        "notice(epp('plain/site.epp', { 'port' => 1, 'hosts' => 'b' }))",
        "notice(epp('plain/site.epp', { 'port' => 1 }))",
    ),
    ("notice(epp('plain/broken.epp', { 'port' => 1 }))", "notice(epp('plain/site.epp', { 'port' => 1 }))"),
    ("notice(file('plain/mtd'))", "notice(file('plain/motd'))"),
    // Constant expressions.
    ("notice(1 / 0)", "notice(1 / 2)"),
    ("notice([1, 2]['a'])", "notice([1, 2][0])"),
    ("$list = [1, 2] notice($list['a'])", "$list = [1, 2] notice($list[0])"),
    ("notice('80' + 1)", "notice(80 + 1)"),
    ("notice(1 < 'two')", "notice(1 < 2)"),
    ("notice('abc' =~ '(')", "notice('abc' =~ '(a)')"),
    ("notice(1 =~ Integer[10, 1])", "notice(1 =~ Integer[1, 10])"),
    ("notice('a' =~ Enum[1])", "notice('a' =~ Enum['1'])"),
    (
        "notice(lookup('nosuch', Integer[0, infinity], 'first', 1))",
        "notice(lookup('nosuch', Integer[0], 'first', 1))",
    ),
    ("notice(Integer('many'))", "notice(Integer('12'))"),
    ("notice(sprintf('%d', 'x'))", "notice(sprintf('%d', 1))"),
    ("notice(3 ? { 1 => 'a' })", "notice(3 ? { 1 => 'a', default => 'b' })"),
    ("if true { notice(1 / 0) }", "if false { notice(1 / 0) }"),
    ("notice([1, 2].map |$n| { $n + 'x' })", "notice([1, 2].map |$n| { $n + 1 })"),
    ("notice(inline_epp('<%= 1 + %>'))", "notice(inline_epp('<%= 1 + 1 %>'))"),
    ("[$a, $b] = [1, 2, 3]", "[$a, $b, $c] = [1, 2, 3]"),
    ("[$a, $b] = { 'a' => 1 }", "[$a, $b] = { 'a' => 1, 'b' => 2 }"),
    ("include undef", "include plain"),
    ("realize('motd')", "realize([])"),
    ("package { undef: }", "package { 'a': }"),
    ("class { '': }", "class { 'plain': }"),
    ("package { 'a': } -> 1", "package { ['a', 'b']: } Package['a'] -> Package['b']"),
    ("notice(call('nosuchfunction', 1))", "notice(call('abs', 1))"),
    // Reserved variables, and nothing to leave.
    ("$facts = 1", "$other = 1"),
    ("$trusted = 1", "$other = 1"),
    // Attributes from hashes.
    ("package { 'a': * => { 'nosuch' => 1 } }", "package { 'a': * => { 'ensure' => 'present' } }"),
    ("$given = { 'nosuch' => 1 } package { 'a': * => $given }", "package { 'a': * => {} }"),
    (
        "package { 'a': ensure => 'present', * => { 'ensure' => 'absent' } }",
        "package { 'a': ensure => 'present', * => { 'source' => '/a' } }",
    ),
    ("plain::vhost { 'a': * => { 'port' => 'x' } }", "plain::vhost { 'a': * => { 'port' => 1 } }"),
    ("plain::vhost { 'a': * => {} }", "plain::vhost { 'a': port => 1, * => {} }"),
    (
        "create_resources('plain::vhost', { 'a' => { 'prot' => 1, 'port' => 1 } })",
        "create_resources('plain::vhost', { 'a' => { 'port' => 1 } })",
    ),
    (
        "create_resources('plain::vhost', { 'a' => {} })",
        "create_resources('plain::vhost', { 'a' => {} }, { 'port' => 1 })",
    ),
    (
        "create_resources('package', { 'a' => { 'nosuch' => 1 } })",
        "create_resources('package', { 'a' => { 'ensure' => 'present' } })",
    ),
    (
        "create_resources('class', { 'plain' => { 'port' => 'x' } })",
        "create_resources('class', { 'plain' => { 'port' => 1 } })",
    ),
    (
        "create_resources('class', { 'plain::servr' => {} })",
        "create_resources('class', { 'plain::server' => {} })",
    ),
    // Syntax.
    ("notice(1", "notice(1)"),
    ("file { '/a' content => 'x' }", "file { '/a': content => 'x' }"),
];

/// Bodies, where `%` is the statements; all are evaluated.
const PLACES: &[(&str, &str, &str)] = &[
    ("the top of the site manifest", "%", ""),
    ("a node definition", "node default { % }", ""),
    ("a class", "include place", "class place { % }"),
    ("a class with a parameter", "class { 'place': value => 1 }", "class place(Integer $value) { % }"),
    ("a parent class", "include place", "class place inherits place::parent { } class place::parent { % }"),
    ("a defined type", "place { 'title': }", "define place { % }"),
    ("a branch", "if $facts['kernel'] == 'Linux' { % }", ""),
    ("a branch of a case", "case $facts['kernel'] { 'Linux': { % } default: { } }", ""),
    ("a branch in a class", "include place", "class place($on = true) { if $on { % } }"),
    ("the other branch", "unless $facts['kernel'] == 'AIX' { % }", ""),
    ("a lambda", "[1].each |$element| { % }", ""),
];

/// The errors of a check, and the error of a compilation.
fn outcomes(site: &str, module: &str) -> (Vec<String>, Option<String>) {
    let mut world = MemoryWorld::default();
    let used: Vec<&(&str, &str)> = FILES.iter().filter(|(name, _)| is_used(name, site, module)).collect();
    for (name, text) in used {
        world = world.with(Path::new("/repo").join(name), *text);
    }
    world = world.with("/repo/manifests/site.pp", site);
    if !module.is_empty() {
        world = world.with("/repo/modules/place/manifests/init.pp", module);
    }
    let world: Arc<dyn World> = Arc::new(world);
    // No classifier sets variables.
    let declared = DeclaredNames { facts: vec!["site".to_owned()], ..DeclaredNames::default() };
    let options = Options { declared, ..Options::default() };
    let report = Checker::new(Arc::clone(&world), "/repo".into(), Shape::Control, options).check().unwrap();
    let errors = report.findings.iter().filter(|found| found.diagnostic.is_error());
    let errors =
        errors.map(|found| format!("{}: {}", found.diagnostic.code.name, found.diagnostic.message()));
    let mut node = Node::named("web1.example.com");
    node.facts = FactSet::named("debian-12").unwrap().facts("web1.example.com");
    let compiled = match Compiler::new(world).open(&SiteSpec::at("/repo")) {
        Ok(site) => site.compile(&node).result.err(),
        Err(wrong) => Some(wrong),
    };
    (errors.collect(), compiled.map(|wrong| wrong.message()))
}

/// Whether a file takes part: those with mistakes of their own only where they are named.
fn is_used(name: &str, site: &str, module: &str) -> bool {
    let stem = name.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default();
    let is_broken = matches!(stem, "broken" | "unclosed");
    !is_broken || [site, module].iter().any(|text| text.contains(stem) && text.contains(kind_of(name)))
}

/// The function that uses a file.
fn kind_of(name: &str) -> &str {
    match name.rsplit('.').next() {
        Some("epp") => "epp(",
        Some("erb") => "template(",
        _ => "plain::",
    }
}

#[test]
fn errors_of_a_check_are_errors_of_a_compilation() {
    let mut wrong = Vec::new();
    for (mistake, correction) in MISTAKES {
        for (place, site, module) in PLACES {
            for (statements, is_mistake) in [(mistake, true), (correction, false)] {
                let (site, module) = (site.replace('%', statements), module.replace('%', statements));
                let (errors, compiled) = outcomes(&site, &module);
                if errors.is_empty() != compiled.is_none() || is_mistake != compiled.is_some() {
                    wrong.push(format!(
                        "{statements}\n  in {place}\n  check: {errors:?}\n  compile: {compiled:?}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} disagreements\n{}", wrong.len(), wrong.join("\n"));
}

/// Definitions, each with its correction, and code that uses them.
const DEFINITIONS: &[(&str, &str, &str)] = &[
    ("class a inherits a { }", "class a { }", "include a"),
    ("class a inherits b { } class b inherits a { }", "class a inherits b { } class b { }", "include a"),
    ("class a { } define a { }", "class a { } define b { }", "include a"),
    ("define a($tag) { }", "define a($tag = 'x') { }", "a { 'x': tag => 'y' }"),
    ("type String = Integer", "type Text = Integer", ""),
    ("type File = Integer", "type Files = Integer", ""),
    ("type T = T", "type T = Array[T]", "notice([] =~ T)"),
    ("type T = Integer[5, 1]", "type T = Integer[1, 5]", "notice(1 =~ T)"),
    (
        "type T = Object[{ attributes => { x => { type => Integer, kind => derived, value => 1 } } }]",
        "type T = Object[{ attributes => { x => { type => Integer, value => 1 } } }]",
        "notice(T())",
    ),
    ("function f() { break() }", "function f() { next(1) }", "notice(f())"),
    ("function f() { $facts = 1 }", "function f() { $title = 1 }", "notice(f())"),
    ("node default { } node default { }", "node 'other' { } node default { }", ""),
    ("class a { break() }", "class a { [1].each |$n| { break() } }", "include a"),
    ("node default { next() }", "class a { next() }", ""),
];

#[test]
fn mistakes_of_definitions_are_errors_of_a_compilation() {
    let mut wrong = Vec::new();
    for (mistake, correction, used) in DEFINITIONS {
        for (definition, is_mistake) in [(mistake, true), (correction, false)] {
            let site = format!("{definition}\n{used}");
            let (errors, compiled) = outcomes(&site, "");
            if errors.is_empty() == is_mistake || compiled.is_some() != is_mistake {
                wrong.push(format!("{site}\n  check: {errors:?}\n  compile: {compiled:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} disagreements\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn attributes_of_objects_are_called_like_functions() {
    let object = "type T = Object[{ attributes => { x => Integer } }]";
    let (errors, compiled) = outcomes(&format!("{object} notice(T(1).x)"), "");
    assert_eq!((errors, compiled), (Vec::new(), None));
}
