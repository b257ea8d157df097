//! Seeded mistakes in the example site: policies, generated inputs and mutations find them.

use kukla_test::coverage::CoverageReport;
use kukla_test::generate::{self, GenerateOptions};
use kukla_test::model::{Suite, Verdict};
use kukla_test::mutation;
use kukla_test::runner::{self, RunOptions};
use kukla_test::{Project, fleet};

use crate::common;

fn failures(suites: &[Suite]) -> Vec<String> {
    let examples = suites.iter().flat_map(|suite| &suite.examples);
    let failures = examples.filter_map(|example| match &example.verdict {
        Verdict::Failed(failures) => Some(failures),
        _ => None,
    });
    failures
        .flatten()
        .map(|failure| format!("{failure} {}", failure.source.clone().unwrap_or_default()))
        .collect()
}

#[test]
fn tests_of_the_example_pass() {
    let suites = runner::run(&common::disk(), &common::tests(&common::site()), &common::options(), &());
    assert_eq!(failures(&suites), Vec::<String>::new());
    assert!(suites.iter().all(Suite::passed) && suites.len() >= 3);
}

#[test]
fn chapters_find_mistakes() {
    for (path, part, new, expected) in [
        (
            "modules/nginx/manifests/vhost.pp",
            "notify  => Service['nginx']",
            "tag     => 'x'",
            "notifies Service['nginx']",
        ),
        ("modules/chrony/data/defaults.yaml", "chronyd", "chrony", "Service['chronyd']"),
        ("modules/nginx/functions/listen.pp", "*:${port}", "${port}", "nginx::listen(8080)"),
        ("data/common.yaml", "curl", "wget", "profile::base::packages"),
    ] {
        let world = common::changed(vec![common::with(path, part, new)]);
        let options = RunOptions { fail_fast: false, ..common::options() };
        let failures = failures(&runner::run(&world, &common::tests(&common::site()), &options, &()));
        assert!(failures.iter().any(|failure| failure.contains(expected)), "{path}: {failures:#?}");
    }
}

#[test]
fn policies_find_mistakes() {
    for (path, part, new, expected) in [
        (
            "modules/profile/manifests/base.pp",
            "'0644'",
            "'0666'",
            "File[/etc/motd]: a file is not writable by everybody",
        ),
        (
            "modules/nginx/manifests/init.pp",
            "enable    => true",
            "enable    => false",
            "Service[nginx]: no service is started by hand",
        ),
        (
            "modules/profile/manifests/base.pp",
            "include chrony",
            "notice('no time')",
            "every machine runs a time server",
        ),
    ] {
        let world = common::changed(vec![common::with(path, part, new)]);
        let project = Project::locate(&world, &common::site(), &Default::default());
        let run = || fleet::run(&project, &fleet::own_policies(&project), &common::options());
        let failures = failures(&[run()]);
        assert!(failures.iter().any(|failure| failure.contains(expected)), "{path}: {failures:#?}");
    }
    let project = common::project(&common::site());
    let suite = fleet::run(&project, &fleet::own_policies(&project), &common::options());
    assert_eq!((failures(std::slice::from_ref(&suite)), suite.examples.len()), (Vec::new(), 2));
}

#[test]
fn generated_inputs_find_mistakes() {
    let inputs = GenerateOptions { count: 60, seed: 1 };
    let root = common::site().join("modules/nginx");
    let run = |world| {
        let project = Project::locate(&world, &root, &Default::default());
        failures(&generate::run(&project, &[], inputs, &common::options()))
    };
    assert_eq!(run(common::disk()), Vec::<String>::new());
    // The smallest input that shows it has nothing but this port.
    let mistake = common::with(
        "modules/nginx/manifests/vhost.pp",
        "  include nginx\n",
        "  include nginx\n  $half = 80 / ($port - 443)\n",
    );
    let found = run(common::changed(vec![mistake]));
    assert!(found.iter().any(|failure| failure.contains("port => 443")), "{found:#?}");
}

#[test]
fn mutations_find_what_is_not_tested() {
    let root = common::site().join("modules/nginx");
    let files = common::tests(&root);
    let (_, collector) = common::measure(&files);
    let project = common::project(&root);
    let report = CoverageReport::new(&project, &collector);
    let all = mutation::run(&project, &files, &report, &common::options(), 200);
    let lines: Vec<String> =
        all.survivors.iter().map(|one| format!("{}: {} → {}", one.file, one.before, one.after)).collect();
    assert!(all.total >= 20 && all.survivors.len() * 2 < all.total, "{}: {lines:#?}", all.total);
    // No chapter looks at the attribute `enable` of the service.
    assert!(lines.iter().any(|line| line.contains("enable    => true")), "{lines:#?}");
}
