//! The root of a repository, the modules that are not reported, and names that are set elsewhere.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::MemoryWorld;
use kukla::world::World;
use kukla_check::repository::Shape;
use kukla_check::{Checker, DeclaredNames, Options, Report, root_of};

fn world(files: &[(&str, &str)]) -> Arc<dyn World> {
    let add =
        |world: MemoryWorld, (name, text): &(&str, &str)| world.with(Path::new("/repo").join(name), *text);
    Arc::new(files.iter().fold(MemoryWorld::default(), add))
}

/// The report of a check of a directory of the repository.
fn report(world: &Arc<dyn World>, directory: &str, options: Options) -> Report {
    let directory = Path::new("/repo").join(directory);
    let (root, shape) = root_of(&**world, &directory).expect("a repository");
    let options = Options { only: vec![directory], ..options };
    Checker::new(Arc::clone(world), root, shape, options).check().expect("it can be read")
}

/// The findings of a report: severity, rule, file and line.
fn lines(report: &Report) -> Vec<String> {
    let line = |found: &kukla_check::Finding| {
        let place = found.diagnostic.position.as_ref().expect("a position");
        let file = place.file().expect("a file").trim_start_matches("/repo/").to_owned();
        let severity = found.diagnostic.severity;
        format!("{severity} {} {file}:{}", found.diagnostic.code.name, place.line().unwrap_or(0))
    };
    report.findings.iter().map(line).collect()
}

fn check(files: &[(&str, &str)]) -> Vec<String> {
    lines(&report(&world(files), "", Options::default()))
}

const NONE: [&str; 0] = [];

/// A control repository with a mistake in each part, and a profile that looks like a control repository.
const PARTS: &[(&str, &str)] = &[
    ("environment.conf", "modulepath = site:modules\n"),
    ("metadata.json", "{\"name\": \"me-control\"}"),
    ("hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, path: a.yaml}\n"),
    ("data/a.yaml", "profile::base::prot: 1\n"),
    ("manifests/site.pp", "include profile::bse\n"),
    ("site/profile/hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, path: a.yaml}\n"),
    ("site/profile/data/a.yaml", "profile::base::potr: 1\n"),
    ("site/profile/manifests/base.pp", "class profile::base($port = 1) { ntp::pool { 'a': sever => 1 } }\n"),
    ("site/profile/templates/a.epp", "<% | $x | %><%= $xyzw %>"),
    ("modules/ntp/Puppetfile", "mod 'a/b'\n"),
    ("modules/ntp/manifests/pool.pp", "define ntp::pool($server) { include ntp::own }\n"),
    ("modules/ntp/functions/own.pp", "function ntp::own() { ntp::other() }\n"),
];

#[test]
fn a_part_has_the_findings_of_the_whole() {
    let world = world(PARTS);
    let whole = lines(&report(&world, "", Options::default()));
    assert!(whole.len() >= 7, "{whole:?}");
    let mut directories: Vec<PathBuf> = Vec::new();
    for (file, _) in PARTS {
        directories.extend(Path::new(file).ancestors().skip(1).map(Path::to_owned));
    }
    for directory in directories {
        assert_eq!(
            root_of(&*world, &Path::new("/repo").join(&directory)),
            Some(("/repo".into(), Shape::Control))
        );
        let part = lines(&report(&world, &directory.to_string_lossy(), Options::default()));
        let is_inside = |line: &&String| {
            let file = line.rsplit(' ').next().unwrap_or_default();
            Path::new(file).starts_with(&directory)
        };
        let expected: Vec<String> = whole.iter().filter(is_inside).cloned().collect();
        assert_eq!(part, expected, "{}", directory.display());
    }
}

#[test]
fn roots() {
    let root = |files: &[(&str, &str)], path: &str| {
        root_of(&*world(files), &Path::new("/repo").join(path))
            .map(|(root, shape)| (root.display().to_string(), shape))
    };
    let control = |path: &str| Some((path.to_owned(), Shape::Control));
    // A module whose tests have a Puppetfile, a nested environment, and modules below a directory with a Puppetfile.
    let module = [("metadata.json", "{}"), ("Puppetfile", ""), ("manifests/init.pp", "")];
    assert_eq!(root(&module, "manifests"), Some(("/repo".into(), Shape::Module)));
    let nested = [
        ("Puppetfile", ""),
        ("environments/dev/environment.conf", ""),
        ("environments/dev/manifests/a.pp", ""),
    ];
    assert_eq!(root(&nested, "environments/dev/manifests"), control("/repo/environments/dev"));
    let below = [
        ("environment.conf", "modulepath = modules/own\n"),
        ("modules/Puppetfile", ""),
        ("modules/own/a/manifests/init.pp", ""),
    ];
    assert_eq!(root(&below, "modules"), control("/repo"));
    assert_eq!(root(&below, "modules/own/a/manifests"), control("/repo"));
    let plain = [
        ("hiera.yaml", ""),
        ("site-modules/profile/hiera.yaml", ""),
        ("site-modules/profile/manifests/a.pp", ""),
    ];
    assert_eq!(root(&plain, "site-modules/profile"), control("/repo"));
}

#[test]
fn third_party_modules_are_read_but_not_reported() {
    let wrong = "class apt { include apt::nosuch }";
    let own = ("site/profile/manifests/init.pp", "class profile { include apt, apt::other }");
    let ignored = [
        (".git/HEAD", ""),
        (".gitignore", "/modules/\n"),
        ("environment.conf", "modulepath = site:modules\n"),
        own,
        ("modules/apt/manifests/init.pp", wrong),
    ];
    let installed = [
        ("Puppetfile", "moduledir 'modules'\nmod 'puppetlabs/apt', '1.0.0'\n"),
        ("environment.conf", "modulepath = site:modules\n"),
        own,
        ("modules/apt/manifests/init.pp", wrong),
    ];
    for files in [&ignored[..], &installed[..]] {
        assert_eq!(check(files), ["error unknown-class site/profile/manifests/init.pp:1"]);
        let all = report(&world(files), "", Options { all_modules: true, ..Options::default() });
        assert_eq!(lines(&all).len(), 2);
    }
}

#[test]
fn modules_that_are_not_installed_are_one_note() {
    let files = [
        ("Puppetfile", "mod 'puppetlabs/apt', '1.0.0'\n"),
        ("manifests/site.pp", "include apt, apt::update\napt::source { 'x': }\n"),
    ];
    let report = report(&world(&files), "", Options::default());
    assert_eq!(lines(&report), NONE);
    assert_eq!(report.notes.len(), 1);
    assert!(
        report.notes[0].contains("not installed") && report.notes[0].ends_with("apt"),
        "{:?}",
        report.notes
    );
    // So is a directory of modules that exists only where the repository is deployed.
    let files = [
        ("environment.conf", "modulepath = modules:/srv/private/modules\n"),
        ("manifests/site.pp", "include passwords::root\n"),
    ];
    assert_eq!(check(&files), NONE);
}

#[test]
fn a_hidden_module_is_one_warning() {
    let files = [
        ("environment.conf", "modulepath = site:modules\n"),
        ("site/ntp/manifests/init.pp", "class ntp { }"),
        ("modules/ntp/manifests/init.pp", "class ntp { include ntp::nosuch }"),
        ("modules/ntp/manifests/pool.pp", "class ntp::pool { include ntp::nosuch }"),
    ];
    assert_eq!(check(&files), ["warning hidden-module modules/ntp/manifests/init.pp:1"]);
}

#[test]
fn a_file_with_syntax_errors_may_define_anything_it_names() {
    let files = [
        ("environment.conf", ""),
        ("manifests/site.pp", "include a::b\na::d { 'x': }\nnotice(a::f(), $a::b::c, A::T, $top)\n"),
        ("modules/a/manifests/b.pp", "class a::b { $c = 1 "),
        ("modules/a/manifests/d.pp", "define a::d( { }"),
        ("modules/a/functions/f.pp", "function a::f() { 1 +"),
        ("modules/a/types/t.pp", "type A::T = [["),
    ];
    let found = check(&files);
    assert!(found.iter().all(|line| !line.contains("unknown-") || line.starts_with("warning")), "{found:?}");
    let broken = found.iter().take_while(|line| line.contains("modules/a/")).count();
    assert!(broken >= 4, "syntax errors come first: {found:?}");
}

#[test]
fn templates_without_parameters_get_the_keys_of_the_hash() {
    let template = "<%= $start %> <%= epp('a/inner.epp', { stop => 1 }) %>";
    let files = |call| {
        [
            ("environment.conf", ""),
            ("modules/a/manifests/init.pp", call),
            ("modules/a/templates/outer.epp", template),
            ("modules/a/templates/inner.epp", "<%= $stop %>"),
        ]
    };
    assert_eq!(check(&files("class a($h) { notice(epp('a/outer.epp', { start => 1 })) }")), NONE);
    assert_eq!(check(&files("class a($h) { notice(epp('a/outer.epp', $h)) }")), NONE);
    let found = check(&files("class a($h) { notice(epp('a/outer.epp', { begin => 1 })) }"));
    assert_eq!(found, ["warning unknown-variable modules/a/templates/outer.epp:1"]);
}

#[test]
fn variables_of_a_classifier_are_never_errors() {
    let files = [("environment.conf", ""), ("manifests/site.pp", "notice($role, $tier)\nnotice($_local)\n")];
    let error = "error unknown-variable manifests/site.pp:2";
    assert_eq!(check(&files), [error]);
    let class = [("environment.conf", ""), ("modules/a/manifests/init.pp", "class a { notice($tier) }")];
    assert_eq!(check(&class), ["warning unknown-variable modules/a/manifests/init.pp:1"]);
    // With declared names, the others are errors.
    let declared = DeclaredNames { variables: vec!["role".into()], facts: vec!["tier".into()] };
    let report = report(&world(&files), "", Options { declared, ..Options::default() });
    assert_eq!(lines(&report), [error]);
}

#[test]
fn data_of_the_deployed_environment_is_that_of_the_repository() {
    for directory in
        ["/etc/puppetlabs/code/environments/%{environment}/hieradata", "/code/%{::environment}/hieradata"]
    {
        let hierarchy =
            format!("version: 5\nhierarchy:\n  - {{name: a, path: a.yaml, datadir: \"{directory}\"}}\n");
        let files = [
            ("environment.conf", ""),
            ("hiera.yaml", &hierarchy),
            ("hieradata/a.yaml", "ntp::sever: a\n"),
            ("modules/ntp/manifests/init.pp", "class ntp($server) { }"),
        ];
        assert_eq!(check(&files), ["error unknown-data-key hieradata/a.yaml:1"], "{directory}");
    }
    let outside = [
        ("environment.conf", ""),
        ("hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, path: a.yaml, datadir: /srv/data}\n"),
        ("manifests/site.pp", ""),
    ];
    let report = report(&world(&outside), "", Options::default());
    assert!(report.notes.iter().any(|note| note.contains("`/srv/data`")), "{:?}", report.notes);
}

#[test]
fn a_default_of_false_counts_as_given() {
    let chain = "require 'puppet/resource_api'\nPuppet::ResourceApi.register_type(name: 'chain', docs: 'x', features: [], attributes: { name: { type: 'String', behaviour: :namevar, desc: 'n' }, foreign: { type: 'Boolean', default: false, desc: 'f' }, size: { type: 'Integer', desc: 's' } })\n";
    let files = |site| {
        [("environment.conf", ""), ("modules/a/lib/puppet/type/chain.rb", chain), ("manifests/site.pp", site)]
    };
    assert_eq!(check(&files("chain { 'a': size => 1 }")), NONE);
    assert_eq!(
        check(&files("chain { 'a': foreign => true }")),
        ["error refused-resource manifests/site.pp:1"]
    );
}

#[test]
fn a_file_of_another_name_does_not_define_a_class_twice() {
    let files = [
        ("environment.conf", ""),
        ("modules/a/manifests/old/b.pp", "class a::b { }"),
        ("modules/a/manifests/b.pp", "class a::b { }"),
    ];
    assert_eq!(check(&files), ["error ILLEGAL_DEFINITION_LOCATION modules/a/manifests/old/b.pp:1"]);
}

#[test]
fn files_of_absent_submodules_are_unknown() {
    let mut files = vec![
        ("environment.conf", ""),
        (".gitmodules", "[submodule \"a\"]\n\tpath = modules/web/files/a\n\turl = https://example.com/a\n"),
        (
            "modules/web/manifests/init.pp",
            "class web {\n  file { '/a': source => 'puppet:///modules/web/a/b' }\n  file { '/c': source => 'puppet:///modules/web/c' }\n}\n",
        ),
    ];
    let found = report(&world(&files), "", Options::default());
    assert_eq!(lines(&found), ["error unknown-file modules/web/manifests/init.pp:3"]);
    assert!(found.notes.iter().any(|note| note.contains("modules/web/files/a")), "{:?}", found.notes);
    files.push(("modules/web/files/a/other", ""));
    assert_eq!(check(&files).len(), 2);
}

#[test]
fn modules_in_absent_submodules_are_unknown() {
    let files = [
        ("environment.conf", ""),
        (".gitmodules", "[submodule \"apache\"]\npath = modules/apache\n"),
        ("modules/web/manifests/init.pp", "class web { include apache  include web::nosuch }"),
    ];
    assert_eq!(check(&files), ["error unknown-class modules/web/manifests/init.pp:1"]);
}

#[test]
fn only_typos_of_data_files_are_reported() {
    let hierarchy = "version: 5\nhierarchy:\n  - {name: a, paths: [comon.yaml, local.yaml, common.yaml]}\n";
    let files = [("environment.conf", ""), ("hiera.yaml", hierarchy), ("data/common.yaml", "a: 1\n")];
    assert_eq!(check(&files), ["warning hiera-path-without-file hiera.yaml:3"]);
}

#[test]
fn names_without_an_at_sign_in_templates() {
    let files = |template: &'static str| {
        [
            ("environment.conf", ""),
            ("modules/web/manifests/init.pp", "class web($port = 80) { notice(template('web/a')) }"),
            ("modules/web/templates/a", template),
        ]
    };
    let error = ["error bare-template-variable modules/web/templates/a:1"];
    assert_eq!(check(&files("<%= port %>")), error);
    assert_eq!(check(&files("<%= prot %>")), error);
    assert_eq!(check(&files("<%= @port %><% port = 1 %><%= port %>")), NONE);
    assert_eq!(check(&files("<% if @port %><%= port %><% end %>")), NONE);
    assert_eq!(
        check(&files("<%= @prot.to_s %>")),
        ["warning unknown-template-variable modules/web/templates/a:1"]
    );
    assert_eq!(
        check(&files("<%= @prot.upcase %>")),
        ["error unknown-template-variable modules/web/templates/a:1"]
    );
}

#[test]
fn a_class_that_its_parent_declares_is_not_a_duplicate() {
    let files = [
        ("environment.conf", ""),
        ("modules/a/manifests/init.pp", "class a { class { 'a::setup': } }"),
        ("modules/a/manifests/setup.pp", "class a::setup inherits a { }"),
    ];
    assert_eq!(check(&files), NONE);
    let again = "class a { include a::setup\n  class { 'a::setup': } }";
    let files = [files[0], ("modules/a/manifests/init.pp", again), files[2]];
    assert_eq!(check(&files), ["error duplicate-resource modules/a/manifests/init.pp:2"]);
}

#[test]
fn modules_of_the_puppetfile_beside_the_module_path() {
    // The directory is a part of a module path that the server configures.
    let files = [
        (
            "Puppetfile",
            "moduledir 'r10k_modules'\nmod 'puppetlabs-apt', '1.0.0'\nmod 'puppetlabs-stdlib', '4.0.0'\n",
        ),
        ("manifests/site.pp", "include apt\nensure_packages([['a']])\n"),
        ("r10k_modules/apt/manifests/init.pp", "class apt { $a = 1 $a = 2 }"),
        ("r10k_modules/own/manifests/init.pp", "class own { $a = 1 $a = 2 }"),
    ];
    let world = world(&files);
    let extra: Vec<PathBuf> = files[2..].iter().map(|(name, _)| Path::new("/repo").join(name)).collect();
    let check = |all_modules: bool| {
        let options = Options { extra: extra.clone(), all_modules, ..Options::default() };
        lines(&report(&world, "", options))
    };
    let own = "error reassigned-variable r10k_modules/own/manifests/init.pp:1".to_owned();
    assert_eq!(check(false), std::slice::from_ref(&own));
    assert_eq!(check(true), [own.replace("own/", "apt/"), own]);
}

/// A control repository with classes and a site manifest.
fn site<'t>(site: &'t str, classes: &[(&'t str, &'t str)]) -> Vec<(&'t str, &'t str)> {
    let mut files = vec![
        ("environment.conf", ""),
        (
            "hiera.yaml",
            "version: 5\nhierarchy:\n  - {name: a, paths: ['%{trusted.certname}.yaml', common.yaml]}\n",
        ),
        ("data/common.yaml", "other: 1\n"),
        ("manifests/site.pp", site),
    ];
    files.extend(classes);
    files
}

#[test]
fn a_wrong_default_is_an_error_only_if_it_may_be_used() {
    const FILE: &str = "modules/web/manifests/init.pp";
    let found = |class: &str, declaration: &str| check(&site(declaration, &[(FILE, class)]));
    let error = [format!("error wrong-default {FILE}:1")];
    let warning = [format!("warning wrong-default {FILE}:1")];
    assert_eq!(found("class web(Integer $port = 'x') { }", "include web"), error);
    assert_eq!(found("class web(Integer $port = 'x') { }", ""), error);
    // Data has another value, for all nodes or for some.
    let bound = [(FILE, "class web(Integer $port = 'x') { }"), ("data/common.yaml", "web::port: 1\n")];
    assert_eq!(check(&site("include web", &bound)), warning);
    // Every declaration sets it.
    assert_eq!(found("class web(Integer $port = 'x') { }", "class { 'web': port => 1 }"), warning);
    assert_eq!(found("class web(Integer $port = 'x') { }", "class { 'web': * => $facts['web'] }"), warning);
    assert_eq!(found("define web(Integer $port = 'x') { }", "web { 'a': port => 1 }"), warning);
    assert_eq!(found("define web(Integer $port = 'x') { }", "web { 'a': port => 1 } web { 'b': }"), error);
}

#[test]
fn a_deferred_value_fits_every_parameter() {
    const FUNCTION: (&str, &str) = (
        "modules/web/functions/secret.pp",
        "function web::secret() >> Deferred { Deferred('lookup', ['x']) }",
    );
    let class = ("modules/web/manifests/init.pp", "class web(String $key, Array[String] $more = []) { }");
    let found = |declaration: &str| check(&site(declaration, &[FUNCTION, class]));
    assert_eq!(found("class { 'web': key => web::secret() }"), NONE);
    assert_eq!(found("class { 'web': key => Deferred('lookup', ['x']) }"), NONE);
    assert_eq!(found("class { 'web': key => 'x', more => web::secret() }"), NONE);
    assert_eq!(found("class { 'web': key => 1 }"), ["error wrong-parameter-type manifests/site.pp:1"]);
    let default = ("modules/web/manifests/init.pp", "class web(String $key = web::secret()) { }");
    assert_eq!(check(&site("include web", &[FUNCTION, default])), NONE);
}

#[test]
fn files_outside_of_repositories_know_their_own_definitions() {
    let check = |files: &[(&str, &str)]| {
        let paths: Vec<PathBuf> = files.iter().map(|(name, _)| Path::new("/repo").join(name)).collect();
        let options = Options { extra: paths.clone(), only: paths, ..Options::default() };
        let mut checker = Checker::new(world(files), "/repo".into(), Shape::Loose, options);
        lines(&checker.check().expect("it can be read"))
    };
    let define = "define web::vhost($port) { }\n";
    let wrong = format!("{define}web::vhost {{ 'a': prot => 1 }}");
    let found = ["error unknown-parameter a.pp:2", "error missing-parameter a.pp:2"];
    let mut sorted = check(&[("a.pp", &wrong)]);
    sorted.sort_by(|a, b| b.cmp(a));
    assert_eq!(sorted, found);
    // Names of other files and of modules are not known, and two files may define the same name.
    assert_eq!(check(&[("a.pp", "include nosuch\nnosuch::define { 'a': }")]), NONE);
    let other = format!("define web::vhost($prot) {{ }}\n{}", "web::vhost { 'a': prot => 1 }");
    assert_eq!(check(&[("a.pp", define), ("b.pp", &other)]), NONE);
}

#[test]
fn resources_in_a_circle() {
    let found = |code: &str, classes: &[(&str, &str)]| {
        let all = check(&site(code, classes));
        all.into_iter().filter(|line| line.contains("dependency-cycle")).collect::<Vec<_>>()
    };
    let one = |line: &str| vec![format!("error dependency-cycle {line}")];
    let top = one("manifests/site.pp:1");
    // Attributes and arrows, in both directions, of resources and references.
    for code in [
        "notify { 'a': require => Notify['b'] } notify { 'b': require => Notify['a'] }",
        "notify { 'a': before => Notify['b'] } notify { 'b': notify => [Notify['a']] }",
        "notify { 'a': } -> notify { 'b': } -> notify { 'c': } Notify['c'] ~> Notify['a']",
        "notify { 'a': } <- notify { 'b': } Notify['a'] -> Notify['b']",
        "file { '/a/': require => File['/b'] } file { '/b': require => File['/a'] }",
        "notify { ['a', 'b']: } Notify['a'] -> Notify['b'] [Notify['b']] -> Notify['c', 'a'] notify { 'c': }",
        "if $facts['kernel'] == 'Linux' { Notify['b'] -> Notify['a'] } notify { ['a', 'b']: } Notify['a'] -> Notify['b']",
        "notify { 'a': require => Notify['a'] }",
    ] {
        assert_eq!(found(code, &[]), top, "{code}");
    }
    for code in [
        "notify { 'a': require => Notify['b'] } notify { 'b': }",
        "@notify { 'a': require => Notify['b'] } notify { 'b': require => Notify['a'] }",
        "if $facts['kernel'] == 'Linux' { Notify['a'] -> Notify['b'] } else { Notify['b'] -> Notify['a'] } notify { ['a', 'b']: }",
        "notify { 'a': } -> notify { 'b': } -> Class['main']",
    ] {
        assert_eq!(found(code, &[]), NONE, "{code}");
    }
    // What a class or an instance of a defined type declares is between its beginning and its end.
    const FILE: &str = "modules/web/manifests/init.pp";
    let class = |body: &str| format!("class web {{ {body} }}");
    let own = class("notify { 'a': require => Class['web'] }");
    assert_eq!(found("include web", &[(FILE, &own)]), one(&format!("{FILE}:1")));
    let first = class("notify { 'a': }");
    let code = "include web notify { 'b': require => Class['web'] } Notify['b'] -> Notify['a']";
    assert_eq!(found(code, &[(FILE, &first)]), top);
    let required = class("require web::other");
    let other =
        ("modules/web/manifests/other.pp", "class web::other { notify { 'a': require => Class['web'] } }");
    assert_eq!(found("include web", &[(FILE, &required), other]).len(), 1);
    let contained = class("contain web::other");
    assert_eq!(found("include web", &[(FILE, &contained), other]).len(), 1);
    let included = class("include web::other");
    assert_eq!(found("include web", &[(FILE, &included), other]), NONE);
    let define =
        "define web { notify { $title: require => Web['x'] } notify { 'own': require => Web['x'] } }";
    assert_eq!(found("web { 'x': }", &[(FILE, define)]), one(&format!("{FILE}:1")));
}
