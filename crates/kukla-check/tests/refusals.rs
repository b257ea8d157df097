//! Demands of bodies on their parameters, references, and resources that types refuse.

use std::path::PathBuf;
use std::sync::Arc;

use kukla::MemoryWorld;
use kukla_check::repository::Shape;
use kukla_check::{Checker, Options};

/// The findings in a repository: rules and lines.
fn findings(files: &[(&str, &str)]) -> Vec<String> {
    let mut world = MemoryWorld::default().with("/repo/environment.conf", "");
    for (name, text) in files {
        world = world.with(PathBuf::from("/repo").join(name), *text);
    }
    let mut checker = Checker::new(Arc::new(world), "/repo".into(), Shape::Control, Options::default());
    let report = checker.check().unwrap();
    let each = report.findings.iter().map(|found| {
        let place = found.diagnostic.position.as_ref().unwrap();
        let file = place.file().unwrap().trim_start_matches("/repo/");
        format!("{} {file}:{}", found.diagnostic.code.name, place.line().unwrap())
    });
    each.collect()
}

/// The findings in a class of `modules/a/manifests/init.pp`, beside a define that requires an integer.
fn in_class(text: &str) -> Vec<String> {
    let port = "define a::port($number) { assert_type(Integer, $number) }";
    findings(&[("modules/a/manifests/init.pp", text), ("modules/a/manifests/port.pp", port)])
}

const DEFAULT: [&str; 1] = ["wrong-default modules/a/manifests/init.pp:1"];

#[test]
fn defaults_that_fail_in_the_body() {
    for body in [
        "assert_type(Integer, $x)",
        "$y = [1, abs($x)]",
        "a::port { 'p': number => $x }",
        "if $x { assert_type(Integer, $x) }",
        "if $facts['y'] { assert_type(Integer, $x) } else { assert_type(Float, $x) }",
        "case $facts['y'] { 'a': { a::port { 'p': number => $x } } default: { abs($x) } }",
        "notice($x * 2)",
    ] {
        assert_eq!(in_class(&format!("class a($x = ['text']) {{ {body} }}")), DEFAULT, "{body}");
    }
    assert_eq!(in_class("class a($x = {'a' => 1}) { file { $x: } }"), DEFAULT);
}

#[test]
fn uncertain_problems_are_not_reported() {
    for body in [
        "if $facts['y'] { assert_type(Integer, $x) }",
        "if $facts['y'] { return() } assert_type(Integer, $x)",
        "if $facts['y'] and abs($x) == 1 { notice('a') }",
        "@a::port { 'p': number => $x }",
        "a::port { $facts['ports']: number => $x }",
        "[1].each |$x| { abs($x) }",
        "if $facts['y'] { assert_type(Integer, $x) } else { notice($x) }",
        "assert_type(Integer, $x) |$wanted, $is| { 1 }",
    ] {
        assert!(in_class(&format!("class a($x = ['text']) {{ {body} }}")).is_empty(), "{body}");
    }
    assert!(in_class("class a($x = undef) { assert_type(Integer, $x) }").is_empty());
    assert!(in_class("class a($x = false) { if $x { assert_type(Integer, $x) } }").is_empty());
}

#[test]
fn values_that_fail_further_on() {
    let class = "class a($x = 1) { a::port { 'p': number => $x } }";
    let files = |site| {
        let port = "define a::port($number) { assert_type(Integer, $number) }";
        [
            ("modules/a/manifests/init.pp", class),
            ("modules/a/manifests/port.pp", port),
            ("manifests/site.pp", site),
        ]
    };
    assert_eq!(findings(&files("class { 'a': x => 'text' }")), ["wrong-parameter-type manifests/site.pp:1"]);
    assert!(findings(&files("class { 'a': x => 2 }")).is_empty());
}

#[test]
fn resources_in_data() {
    let define = ("modules/a/manifests/site.pp", "define a::site(Integer $port = 80) { }");
    let data = "a::sites:\n  one:\n    port: 81\n  two:\n    prot: 82\n";
    let hierarchy = "version: 5\nhierarchy:\n  - name: all\n    path: all.yaml\n";
    for body in [
        "$sites.each |$name, $given| { a::site { $name: * => $given } }",
        "create_resources('a::site', $sites)",
    ] {
        let class = format!("class a($sites = {{}}) {{ {body} }}");
        let files = [
            define,
            ("modules/a/manifests/init.pp", &class),
            ("data/all.yaml", data),
            ("hiera.yaml", hierarchy),
        ];
        assert_eq!(findings(&files), ["wrong-data-type data/all.yaml:5"], "{body}");
    }
}

#[test]
fn variables_that_templates_iterate_over() {
    let files = |default| {
        let class = format!("class a($list = {default}) {{ notice(template(\"${{module_name}}/a.erb\")) }}");
        [("modules/a/manifests/init.pp".to_owned(), class), {
            let template = "<% @list.each do |x| %><%= x %><% end %>";
            ("modules/a/templates/a.erb".to_owned(), template.to_owned())
        }]
    };
    let findings = |default| {
        let files = files(default);
        findings(&files.each_ref().map(|(name, text)| (name.as_str(), text.as_str())))
    };
    assert_eq!(findings("7"), DEFAULT);
    assert!(findings("[7]").is_empty() && findings("undef").is_empty());
}

#[test]
fn references_to_computed_titles() {
    let refers = |made: &str, title: &str| {
        let site = format!("{made}\nservice {{ 'x': require => Package['{title}'] }}");
        findings(&[("manifests/site.pp", &site)])
    };
    let ensured = "package { 'bacula-fd': }\nensure_packages(['bacula-sd'])";
    assert!(refers(ensured, "bacula-sd").iter().all(|one| !one.starts_with("unknown-reference")));
    assert_eq!(refers("package { \"lib${facts['x']}\": }", "ntp"), ["unknown-reference manifests/site.pp:2"]);
    assert!(refers("package { \"lib${facts['x']}\": }", "libntp").is_empty());
    assert!(refers("package { 'a': }\nPackage <<| |>>", "ntp").is_empty());
    assert!(findings(&[("manifests/site.pp", "stage { 'last': require => Stage['main'] }")]).is_empty());
}

#[test]
fn references_may_use_names_instead_of_titles() {
    let services = |name: &str| {
        format!(
            "class a($n) {{ service {{ 'libvirt': name => {name} }} notify {{ 'x': require => Service['libvirtd'] }} }}"
        )
    };
    // A computed name may match the reference.
    assert_eq!(in_class(&services("$n")), [""; 0]);
    assert_eq!(in_class(&services("'libvirtd'")), [""; 0]);
    assert_eq!(in_class(&services("'libvirt-bin'")), ["unknown-reference modules/a/manifests/init.pp:1"]);
}

#[test]
fn resources_that_their_types_refuse() {
    let shelf = r#"Puppet::Type.newtype(:shelf) do
  newparam(:name, namevar: true)
  newproperty(:material) { newvalues(:wood, :steel) }
  newproperty(:colour) { munge { |colour| Integer(colour) } }
  newproperty(:width) { validate { |width| Nowhere.check(width) } }
  newproperty(:height) { validate { |_| raise ArgumentError, 'no parameter named height; Munging failed' } }
  newproperty(:depth) { munge { |depth| resource[:nosuch] = depth } }
  newproperty(:lock) do
    validate do |lock|
      Object.const_get(lock)
    rescue NameError
      raise ArgumentError, "no lock is called #{lock}"
    end
  end
  newproperty(:hinge) do
    validate do |hinge|
      Nowhere.check(hinge)
    rescue StandardError => e
      raise ArgumentError, "invalid hinge: #{e.message}"
    end
  end
  newproperty(:door) do
    validate do |door|
      resource[:nosuch] = door
    rescue Puppet::Error
      raise ArgumentError, 'shelves have no doors'
    end
  end
  validate { raise Puppet::Error, 'Parameter width failed' if self[:name] == 'both' }
end"#;
    let shelf = |attributes: &str| {
        let site = format!("shelf {{ {attributes}\n}}");
        findings(&[("modules/a/lib/puppet/type/shelf.rb", shelf), ("manifests/site.pp", &site)])
    };
    assert_eq!(shelf("'a':\n material => 'steel'"), [""; 0]);
    // The attribute is underlined, or the resource if none is to blame, whatever the words of the message.
    assert_eq!(
        shelf("'a':\n ensure => 'x',\n material => 'steel'"),
        ["unknown-attribute manifests/site.pp:2"]
    );
    assert_eq!(shelf("'a':\n material => 'stell'"), ["refused-resource manifests/site.pp:2"]);
    assert_eq!(shelf("'a':\n height => 1"), ["refused-resource manifests/site.pp:2"]);
    assert_eq!(shelf("'both':\n material => 'wood'"), ["refused-resource manifests/site.pp:1"]);
    // A type that handles an error and raises its own refuses the value; the error that it handled does not count.
    assert_eq!(shelf("'a':\n lock => 'Yale'"), ["refused-resource manifests/site.pp:2"]);
    assert_eq!(shelf("'a':\n door => 'left'"), ["refused-resource manifests/site.pp:2"]);
    // A failure inside of Ruby code may be a gap of our interpreter, also if the type reports it in its own words.
    assert_eq!(shelf("'a':\n hinge => 1"), [""; 0]);
    assert_eq!(shelf("'a':\n colour => 'red'"), [""; 0]);
    assert_eq!(shelf("'a':\n width => 1"), [""; 0]);
    assert_eq!(shelf("'a':\n depth => 1"), [""; 0]);
}
