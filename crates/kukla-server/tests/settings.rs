//! Settings with mistakes: unknown names, values of the wrong kind and missing files are errors that name the mistake.

#![allow(clippy::disallowed_methods)]

use crate::support::{Directory, Harness};
use kukla_server::run::prepare;
use kukla_server::settings::{Overrides, Role, Settings};

/// The settings of some files, or the problem with its help.
fn read(files: &[(&str, &str)], overrides: Overrides) -> Result<Settings, String> {
    let directory = Directory::new();
    directory.write("puppet/puppet.conf", "[server]\ncertname = a\n");
    for (name, text) in files {
        directory.write(name, text);
    }
    let overrides = Overrides { confdir: Some(directory.0.join("puppet")), ..overrides };
    Settings::read(&overrides).map_err(|problem| problem.with_help())
}

#[test]
fn a_misspelt_setting_is_an_error_wherever_it_is() {
    for (file, text, near) in [
        ("puppet/puppet.conf", "[server]\nautosing = true\n", "autosign"),
        ("puppet/puppet.conf", "[main]\nenviromentpath = /x\n", "environmentpath"),
        ("puppet/puppet.conf", "[master]\ncertnam = a\n", "certname"),
        ("puppet/kukla.toml", "[server]\ntreads = 4\n", "threads"),
        ("puppet/kukla.toml", "[sever]\nthreads = 4\n", "server"),
        ("puppet/kukla.toml", "[authorisation]\nversion = 1\n", "authorization"),
        ("puppet/kukla.toml", "[puppet]\nautosing = true\n", "autosign"),
        ("puppet/kukla.toml", "[ca]\naudit-logg = '/x'\n", "audit-log"),
        ("puppet/kukla.toml", "[[ca.signing.rules]]\nnames = ['a']\ntokne = true\n", "token"),
        (
            "puppetserver/conf.d/ca.conf",
            "certificate-authority: { allow-subject-alt-name: true }",
            "allow-subject-alt-names",
        ),
        ("puppetserver/conf.d/auth.conf", "authorisation: { version: 1 }", "authorization"),
        ("puppetserver/conf.d/puppetserver.conf", "jruby-pupet: { max-queued-requests: 1 }", "jruby-puppet"),
    ] {
        let problem = read(&[(file, text)], Overrides::default()).unwrap_err();
        assert!(problem.contains(&format!("did you mean `{near}`?")), "{text}: {problem}");
        assert!(problem.contains(file.rsplit('/').next().unwrap()), "{problem}");
    }
    let set = Overrides { settings: vec![("autosing".into(), "true".into())], ..Overrides::default() };
    assert!(read(&[], set).unwrap_err().contains("did you mean `autosign`?"));
}

#[test]
fn a_value_of_the_wrong_kind_is_an_error() {
    for (file, text) in [
        ("puppet/kukla.toml", "[server]\nthreads = 'many'\n"),
        ("puppet/kukla.toml", "[server]\nca = 'no'\n"),
        ("puppet/kukla.toml", "[server]\nrole = 'cas'\n"),
        ("puppet/kukla.toml", "[server]\nlisten = ''\n"),
        ("puppet/puppet.conf", "[server]\nallow_duplicate_certs = yes\n"),
        ("puppet/puppet.conf", "[server]\nkey_type = dsa\n"),
        ("puppet/puppet.conf", "[server]\nca_ttl = soon\n"),
        ("puppetserver/conf.d/ca.conf", "certificate-authority: { allow-auto-renewal: yes }"),
        ("puppetserver/conf.d/puppetserver.conf", "jruby-puppet: { max-queued-requests: many }"),
    ] {
        assert!(read(&[(file, text)], Overrides::default()).is_err(), "{text}");
    }
}

#[test]
fn settings_that_puppet_ignores_are_no_obstacle() {
    let conf = "[main]\ncertname = a\npluginsync = true\nstringify_facts = false\nour_own_thing = 1\n[agent]\nautosing = true\n";
    assert!(read(&[("puppet/puppet.conf", conf)], Overrides::default()).is_ok());
    let server = "profiler: { enabled: true }, webserver: { max-threads: 10, ssl-port: \"8141\" }";
    let settings = read(&[("puppetserver/conf.d/all.conf", server)], Overrides::default()).unwrap();
    assert!(settings.authority.is_some());
}

#[test]
fn files_that_settings_name_exist() {
    for conf in [
        "node_terminus = exec\nexternal_nodes = /no/such/classifier",
        "autosign = /no/such/autosign.conf",
        "trusted_external_command = /no/such/command",
        "fileserverconfig = /no/such/fileserver.conf",
    ] {
        let text = format!("[server]\ncertname = a\n{conf}\n");
        let files = [("puppet/puppet.conf", text.as_str())];
        let problem = read(&files, Overrides::default()).unwrap_err();
        assert!(problem.contains("not found /no/such/"), "{problem}");
        let manages_ca = Overrides { manages_ca: true, ..Overrides::default() };
        assert!(read(&files, manages_ca).is_ok(), "certificates can be revoked all the same");
    }
}

#[test]
fn a_server_does_its_part_of_the_work() {
    let harness = Harness::new("", |directory| {
        directory.write("code/environments/production/manifests/site.pp", "notify { 'x': }");
    });
    let overrides = |role| Overrides {
        confdir: Some(harness.directory.0.join("puppet")),
        listen: Some(([127, 0, 0, 1], 0).into()),
        role: Some(role),
        ..Overrides::default()
    };
    let (ca, _) = prepare(&overrides(Role::Ca), None).unwrap();
    assert!(ca.authority.is_some() && ca.environments.names().is_empty() && ca.store.is_none());
    let (compiler, _) = prepare(&overrides(Role::Compiler), None).unwrap();
    assert!(compiler.authority.is_none() && compiler.environments.names() == ["production"]);
    let conflict = Overrides { without_ca: true, ..overrides(Role::Ca) };
    assert!(prepare(&conflict, None).is_err());
}

#[test]
fn requests_for_the_other_part_are_answered_clearly() {
    let harness = Harness::new("", |directory| {
        directory.write("puppet/kukla.toml", "[server]\nrole = 'ca'\n");
    });
    let node = harness.node("web1");
    let refused = node.get("/puppet/v3/environments");
    assert_eq!(refused.status, 404);
    assert!(refused.text().contains("this server has the role ca"), "{}", refused.text());
    assert_eq!(node.get("/puppet-ca/v1/certificate/ca").status, 200);
    assert_eq!(node.get("/status/v1/simple").status, 200);
}
