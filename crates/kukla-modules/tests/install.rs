//! Locking and installing.

use kukla_modules::install::{InstallOptions, Purge};
use kukla_modules::lock::{Lock, LockOptions, Origin, Update};
use kukla_modules::sources::Silent;
use kukla_syntax::ProblemKind;

use crate::common::forge::{GitRepository, Server, archive};
use crate::common::scratch::Scratch;

/// A Forge with some modules, and a git repository `site`.
fn serve(scratch: &Scratch) -> (Server, GitRepository) {
    let server = Server::start();
    let stdlib = &[
        ("manifests/init.pp", "class stdlib {}\n"),
        ("files/run.sh", "#!/bin/sh\n"),
        ("spec/x_spec.rb", "x\n"),
    ];
    for version in ["8.0.0", "9.0.0", "9.4.1", "10.0.0-rc1"] {
        server.release("puppetlabs-stdlib", version, &[], stdlib);
    }
    let apache = &[("manifests/init.pp", "class apache {}\n")];
    server.release("puppetlabs-apache", "11.0.0", &[("puppetlabs-stdlib", ">= 8.0.0 < 9.0.0")], apache);
    server.release("puppetlabs-apache", "12.0.0", &[("puppetlabs-stdlib", ">= 9.0.0 < 10.0.0")], apache);
    let repository = GitRepository::new(&scratch.root.join("git/site"));
    repository.put(
        "metadata.json",
        r#"{"name": "acme-site", "version": "1.0.0", "dependencies": [{"name": "puppetlabs/stdlib"}]}"#,
    );
    repository.put("manifests/init.pp", "class site {}\n");
    repository.put("bin/tool", "#!/bin/sh\n");
    std::fs::set_permissions(
        repository.root.join("bin/tool"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    std::os::unix::fs::symlink("../manifests/init.pp", repository.root.join("bin/link")).unwrap();
    repository.commit("one");
    repository.git(&["tag", "-a", "v1.0.0", "-m", "v1.0.0"]);
    repository.put("manifests/init.pp", "class site { notify { 'two': } }\n");
    repository.commit("two");
    server.serve_git(&scratch.root.join("git"));
    (server, repository)
}

#[test]
fn modules_of_the_forge_and_of_git_are_locked_with_dependencies_and_installed() {
    let scratch = Scratch::new("install");
    let (server, repository) = serve(&scratch);
    let sources = scratch.sources(&server);
    let tarball = archive(".", &[("manifests/init.pp".to_owned(), b"class tar {}\n".to_vec())]);
    std::fs::write(scratch.control().base.join("tar.tar.gz"), tarball).unwrap();
    let text = format!(
        "mod 'puppetlabs/apache', '12.0.0'\nmod 'site', git: '{0}/git/site', tag: 'v1.0.0'\nmod 'branch', git: '{0}/git/site', branch: :control_branch\nmod 'tar', tarball: 'tar.tar.gz'\nmod 'own', local: true\n",
        server.url
    );
    let locked = scratch.lock(&sources, &text).unwrap().lock;
    let versions: Vec<String> =
        locked.modules.iter().map(|module| format!("{} {}", module.title, module.shown_version())).collect();
    let head = repository.git(&["rev-parse", "HEAD"]);
    let tag = repository.git(&["rev-parse", "v1.0.0^{commit}"]);
    assert_eq!(
        versions,
        [
            "puppetlabs-apache 12.0.0".to_owned(),
            format!("branch main ({})", &head[..10]),
            "own local".to_owned(),
            format!("site v1.0.0 ({})", &tag[..10]),
            "puppetlabs-stdlib 9.4.1".to_owned(),
            format!("tar {}", &locked.find("tar").unwrap().archive.as_ref().unwrap().as_str()[..10]),
        ]
    );
    assert!(locked.find("stdlib").unwrap().declared.is_none());
    let report = scratch.install(&sources, &locked, InstallOptions::default()).unwrap();
    assert_eq!((report.added.len(), report.unchanged), (5, 0));
    let files = scratch.files("modules");
    let mode = |path: &str| files[path].0;
    assert_eq!(files["site/manifests/init.pp"].1, "class site {}\n");
    assert_eq!(files["branch/manifests/init.pp"].1, "class site { notify { 'two': } }\n");
    assert_eq!(files["site/bin/link"].1, "-> ../manifests/init.pp");
    assert_eq!(
        (mode("site/bin/tool"), mode("site/manifests/init.pp"), mode("stdlib/files/run.sh")),
        (0o755, 0o644, 0o755)
    );
    assert_eq!(files["tar/manifests/init.pp"].1, "class tar {}\n");
    assert!(!files.keys().any(|path| path.starts_with("stdlib/spec/")), "as r10k, without spec");

    // Nothing changes the second time, and nobody is asked.
    let before = server.requests();
    let mut again = Lock::parse("Puppetfile.lock".as_ref(), &locked.to_text()).unwrap();
    assert_eq!(again, locked);
    sources.fetch(&mut again, &scratch.control(), &Silent).unwrap();
    let report = scratch.install(&sources, &again, InstallOptions::default()).unwrap();
    assert_eq!((report.has_changes(), report.unchanged), (false, 5));
    assert_eq!(server.requests(), before);

    // Another checkout gets the same without connections.
    let offline = scratch.sources_with(&server, |options| options.network.offline = true);
    std::fs::remove_dir_all(scratch.control().base.join("modules")).unwrap();
    offline.fetch(&mut again, &scratch.control(), &Silent).unwrap();
    scratch.install(&offline, &again, InstallOptions::default()).unwrap();
    assert_eq!(scratch.files("modules"), files);
    assert_eq!(server.requests(), before);
}

#[test]
fn the_same_modules_have_the_same_lock() {
    let text = |server: &Server| {
        format!("mod 'puppetlabs/apache'\nmod 'site', git: '{}/git/site', tag: 'v1.0.0'\n", server.url)
    };
    let scratch = Scratch::new("same-1");
    let (server, _) = serve(&scratch);
    let one = scratch.lock(&scratch.sources(&server), &text(&server)).unwrap().lock.to_text();
    let other = Scratch::new("same-2");
    let again = other.lock(&other.sources(&server), &text(&server)).unwrap().lock.to_text();
    assert_eq!(one, again);
    assert!(one.contains("version = \"9.4.1\"") && one.contains("declared = \"forge any version\""), "{one}");
}

#[test]
fn locked_versions_stay_until_they_are_updated() {
    let scratch = Scratch::new("update");
    let (server, repository) = serve(&scratch);
    let text =
        format!("mod 'puppetlabs/stdlib'\nmod 'site', git: '{}/git/site', branch: 'main'\n", server.url);
    let first = scratch.lock(&scratch.sources(&server), &text).unwrap().lock;
    server.release("puppetlabs-stdlib", "9.5.0", &[], &[]);
    repository.put("new", "x");
    let head = repository.commit("three");
    let lock = |update| {
        let options = LockOptions { previous: Some(&first), update, ..LockOptions::default() };
        let sources = scratch.sources(&server);
        sources.lock(&scratch.puppetfile(&text), &scratch.control(), &options, &Silent).unwrap().lock
    };
    assert_eq!(lock(Update::Nothing), first);
    let site = lock(Update::Modules(vec!["site".to_owned()]));
    assert_eq!(site.find("stdlib"), first.find("stdlib"));
    assert!(matches!(&site.find("site").unwrap().origin, Origin::Git { commit, .. } if *commit == head));
    assert_eq!(lock(Update::All).find("stdlib").unwrap().version.as_deref(), Some("9.5.0"));
}

#[test]
fn without_a_lock_exactly_the_declared_modules_are_installed() {
    let scratch = Scratch::new("pin");
    let (server, _) = serve(&scratch);
    let lock = scratch.pin(&scratch.sources(&server), "mod 'puppetlabs/apache', :latest\n").unwrap();
    let titles: Vec<&str> = lock.modules.iter().map(|module| &*module.title).collect();
    assert_eq!((titles, lock.modules[0].version.as_deref()), (vec!["puppetlabs-apache"], Some("12.0.0")));
}

#[test]
fn an_outdated_lock_is_noticed() {
    let scratch = Scratch::new("stale");
    let (server, _) = serve(&scratch);
    let lock = scratch.lock(&scratch.sources(&server), "mod 'puppetlabs/stdlib', '9.0.0'\n").unwrap().lock;
    lock.require_current(&scratch.puppetfile("mod 'puppetlabs/stdlib', '9.0.0'\n")).unwrap();
    for text in [
        "mod 'puppetlabs/stdlib', '9.4.1'\n",
        "",
        "mod 'puppetlabs/stdlib', '9.0.0'\nmod 'own', local: true\n",
        "moduledir 'x'\nmod 'puppetlabs/stdlib', '9.0.0'\n",
    ] {
        let problem = lock.require_current(&scratch.puppetfile(text)).unwrap_err();
        assert!(problem.with_help().contains("kukla mod lock"), "{}", problem.with_help());
    }
}

#[test]
fn edited_modules_are_replaced_only_by_force() {
    let scratch = Scratch::new("edited");
    let (server, _) = serve(&scratch);
    let sources = scratch.sources_with(&server, |_| {});
    let old = scratch
        .pin(&sources, "mod 'puppetlabs/stdlib', '8.0.0'\nmod 'puppetlabs/apache', '11.0.0'\n")
        .unwrap();
    scratch.install(&sources, &old, InstallOptions::default()).unwrap();
    let base = scratch.control().base;
    let edited = base.join("modules/stdlib/manifests/init.pp");
    // An editor writes a new file; the store is not affected.
    std::fs::remove_file(&edited).unwrap();
    std::fs::write(&edited, "class stdlib { notify { 'mine': } }\n").unwrap();
    let new = scratch.pin(&sources, "mod 'puppetlabs/stdlib', '9.0.0'\n").unwrap();
    let problem = scratch.install(&sources, &new, InstallOptions::default()).unwrap_err();
    assert_eq!(problem.kind(), ProblemKind::Conflict);
    assert!(
        problem.with_help().contains("modules/stdlib: it was edited")
            && problem.with_help().contains("--force"),
        "{}",
        problem.with_help()
    );
    assert!(std::fs::read_to_string(&edited).unwrap().contains("mine"), "nothing is touched");
    assert!(base.join("modules/apache").exists(), "nothing is touched");
    let dry = InstallOptions { force: true, dry: true, ..InstallOptions::default() };
    assert!(scratch.install(&sources, &new, dry).unwrap().has_changes());
    assert!(base.join("modules/apache").exists());
    let report =
        scratch.install(&sources, &new, InstallOptions { force: true, ..InstallOptions::default() }).unwrap();
    assert_eq!((report.replaced.len(), report.removed.len()), (1, 1));
    assert!(!base.join("modules/apache").exists() && !base.join(".kukla/staging").exists());

    // A module of somebody else stays, unless everything else is to be purged.
    std::fs::create_dir_all(base.join("modules/mine")).unwrap();
    assert!(!scratch.install(&sources, &new, InstallOptions::default()).unwrap().has_changes());
    let purge = InstallOptions { purge: Purge::All, ..InstallOptions::default() };
    assert_eq!(
        scratch.install(&sources, &new, purge).unwrap().removed,
        ["modules/mine".as_ref() as &std::path::Path]
    );
}

#[test]
fn modules_that_another_tool_installed_are_adopted_if_they_are_the_same() {
    let scratch = Scratch::new("adopt");
    let (server, _) = serve(&scratch);
    let sources = scratch.sources(&server);
    let lock = scratch.pin(&sources, "mod 'puppetlabs/stdlib', '9.0.0'\n").unwrap();
    scratch.install(&sources, &lock, InstallOptions::default()).unwrap();
    std::fs::remove_dir_all(scratch.control().base.join(".kukla")).unwrap();
    let report = scratch.install(&sources, &lock, InstallOptions::default()).unwrap();
    assert_eq!((report.has_changes(), report.unchanged), (false, 1));
    std::fs::remove_dir_all(scratch.control().base.join(".kukla")).unwrap();
    std::fs::write(scratch.control().base.join("modules/stdlib/more"), "x").unwrap();
    assert!(scratch.install(&sources, &lock, InstallOptions::default()).is_err());
}

#[test]
fn a_fork_satisfies_the_requirement_of_the_module_that_it_replaces() {
    let scratch = Scratch::new("fork");
    let (server, _) = serve(&scratch);
    let text = format!(
        "mod 'puppetlabs/apache', '12.0.0'\nmod 'fork/stdlib', git: '{}/git/site', tag: 'v1.0.0'\n",
        server.url
    );
    let locked = scratch.lock(&scratch.sources(&server), &text).unwrap();
    assert_eq!(locked.lock.modules.len(), 2);
    assert_eq!(locked.violations.len(), 1, "version 1.0.0 is outside of the bounds: {:?}", locked.violations);
}

#[test]
fn short_commits_and_missing_branches() {
    let scratch = Scratch::new("refs");
    let (server, repository) = serve(&scratch);
    let sources = scratch.sources(&server);
    let commit = repository.git(&["rev-parse", "v1.0.0^{commit}"]);
    let text = |reference: &str| format!("mod 'site', git: '{}/git/site', {reference}\n", server.url);
    for reference in [
        format!("commit: '{}'", &commit[..8]),
        format!("ref: '{commit}'"),
        "tag: 'gone', default_branch: 'v1.0.0'".to_owned(),
    ] {
        let lock = scratch.pin(&sources, &text(&reference)).unwrap();
        assert!(
            matches!(&lock.modules[0].origin, Origin::Git { commit: found, .. } if *found == commit),
            "{reference}"
        );
    }
    let local = format!("mod 'site', git: '{}', tag: 'v1.0.0'\n", scratch.root.join("git/site").display());
    assert!(
        matches!(&scratch.pin(&sources, &local).unwrap().modules[0].origin, Origin::Git { commit: found, .. } if *found == commit)
    );
    let problem = scratch.pin(&sources, &text("branch: 'mian'")).unwrap_err().with_help();
    assert!(
        problem.contains("no branch, tag or commit 'mian'") && problem.contains("did you mean 'main'?"),
        "{problem}"
    );
}
