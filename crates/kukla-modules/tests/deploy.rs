//! Control repositories with branches, deployed as environments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kukla_modules::deploy::plan::{Change, Plan};
use kukla_modules::deploy::selection::{RepositoryBranch, Selection};
use kukla_modules::deploy::settings::DeploySettings;
use kukla_modules::deploy::{DeployReport, Deployment, versions};
use kukla_modules::sources::{Silent, Sources};
use kukla_syntax::Problem;
use kukla_world::MemoryWorld;

use crate::common::forge::{GitRepository, Server};
use crate::common::scratch::Scratch;

/// A control repository, modules, and a directory of environments.
struct Site {
    scratch: Scratch,
    server: Server,
    control: GitRepository,
}

impl Site {
    fn new(name: &str) -> Site {
        let (scratch, server) = (Scratch::new(name), Server::start());
        for version in ["1.0.0", "2.0.0"] {
            let text = format!("class ntp {{ notice('{version}') }}\n");
            server.release("x-ntp", version, &[], &[("manifests/init.pp", &text), ("spec/a_spec.rb", "")]);
        }
        let control = GitRepository::new(&scratch.root.join("control.git"));
        control.put("manifests/site.pp", "include ntp\n");
        control.put("Puppetfile", "mod 'x/ntp', '1.0.0'\n");
        control.commit("one");
        control.git(&["branch", "production"]);
        Site { scratch, server, control }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.scratch.root.join(path)
    }

    fn environments(&self) -> PathBuf {
        self.path("environments")
    }

    fn settings(&self, more: &str) -> DeploySettings {
        let text = format!(
            "sources:\n  control:\n    remote: file://{}\n    basedir: {}\n{more}",
            self.control.root.display(),
            self.environments().display()
        );
        DeploySettings::parse(Path::new("r10k.yaml"), text.as_bytes()).unwrap()
    }

    /// The sources of one run: what a run knows about repositories, the next one asks again.
    fn sources(&self) -> Sources {
        self.scratch.sources(&self.server)
    }

    fn try_deploy(
        &self,
        settings: &DeploySettings,
        only: &[&str],
        force: bool,
    ) -> Result<DeployReport, Problem> {
        let (world, only) =
            (MemoryWorld::default(), only.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let selection = if only.is_empty() { Selection::All } else { Selection::Named(&only) };
        let sources = self.sources();
        Deployment { settings, sources: &sources, world: &world, selection, force }.run(&Silent, |_| {})
    }

    /// Deploys the environments of a branch of the control repository, or of another repository.
    fn deploy_branch(&self, settings: &DeploySettings, repository: &str, branch: &str) -> DeployReport {
        let pushed =
            [RepositoryBranch { repositories: vec![repository.to_owned()], branch: branch.to_owned() }];
        let (world, sources, selection) =
            (MemoryWorld::default(), self.sources(), Selection::Branches(&pushed));
        let deployment = Deployment { settings, sources: &sources, world: &world, selection, force: false };
        deployment.run(&Silent, |_| {}).unwrap()
    }

    fn deploy(&self, settings: &DeploySettings) -> BTreeMap<String, Change> {
        let report = self.try_deploy(settings, &[], false).unwrap();
        assert!(report.failures.is_empty(), "{:?}", report.failures);
        changes(&report.plan)
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.environments().join(path)).ok()
    }
}

fn changes(plan: &Plan) -> BTreeMap<String, Change> {
    plan.environments
        .iter()
        .map(|planned| (planned.desired.directory.clone(), planned.change.clone()))
        .collect()
}

#[test]
fn branches_become_environments_and_unchanged_ones_stay_untouched() {
    let site = Site::new("deploy-basic");
    let settings = site.settings("");
    assert!(site.deploy(&settings).values().all(|change| *change == Change::Added));
    assert_eq!(
        site.read("production/modules/ntp/manifests/init.pp").unwrap(),
        "class ntp { notice('1.0.0') }\n"
    );
    assert_eq!(site.read("production/modules/ntp/spec/a_spec.rb"), None);
    let stamp: serde_json::Value =
        serde_json::from_str(&site.read("production/.r10k-deploy.json").unwrap()).unwrap();
    assert_eq!(stamp["name"], "production");
    assert_eq!(stamp["signature"].as_str().unwrap(), site.control.git(&["rev-parse", "main"]).trim());
    assert_eq!(stamp["module_deploys"][0]["version"], "1.0.0");

    // Even an edit stays, and the Forge is not asked.
    let edited = site.environments().join("main/manifests/site.pp");
    std::fs::remove_file(&edited).unwrap();
    std::fs::write(&edited, "edited").unwrap();
    let asked = site.server.requests();
    assert!(site.deploy(&settings).values().all(|change| *change == Change::Unchanged));
    assert_eq!(
        (site.read("main/manifests/site.pp").unwrap().as_str(), site.server.requests()),
        ("edited", asked)
    );
    // `force` repairs it.
    site.try_deploy(&settings, &["main"], true).unwrap();
    assert_eq!(site.read("main/manifests/site.pp").unwrap(), "include ntp\n");

    // Only the branch with a new commit changes; a branch that is gone goes.
    site.control.git(&["branch", "feature/a-b"]);
    site.control.put("Puppetfile", "mod 'x/ntp', '2.0.0'\n");
    site.control.commit("two");
    let changes = site.deploy(&settings);
    assert!(matches!(changes["main"], Change::Changed { .. }) && changes["production"] == Change::Unchanged);
    assert_eq!(changes["feature_a_b"], Change::Added);
    assert_eq!(site.read("main/modules/ntp/manifests/init.pp").unwrap(), "class ntp { notice('2.0.0') }\n");
    site.control.git(&["branch", "-D", "feature/a-b"]);
    site.deploy(&settings);
    assert!(!site.environments().join("feature_a_b").exists());
    assert!(std::fs::read_dir(site.environments().join(".kukla/staging")).unwrap().next().is_none());
}

#[test]
fn a_branch_is_deployed_alone() {
    let site = Site::new("deploy-branch");
    let settings = site.settings("");
    let control = site.control.root.display().to_string();
    let deployed = |report: &DeployReport| changes(&report.plan).into_keys().collect::<Vec<_>>();
    assert_eq!(deployed(&site.deploy_branch(&settings, &control, "production")), ["production"]);
    assert!(!site.environments().join("main").exists());
    for (repository, branch) in
        [("ops/other", "production"), (control.as_str(), "no-such-branch"), ("", "main")]
    {
        assert!(
            deployed(&site.deploy_branch(&settings, repository, branch)).is_empty(),
            "{repository} {branch}"
        );
    }
    // Of two branches that are gone, only the environment of the one that is named goes.
    site.control.git(&["branch", "feature/a"]);
    site.control.git(&["branch", "feature/b"]);
    site.deploy(&settings);
    for gone in ["feature/a", "feature/b"] {
        site.control.git(&["branch", "-D", gone]);
    }
    let report = site.deploy_branch(&settings, &control, "feature/a");
    assert_eq!(report.plan.removed, [site.environments().join("feature_a")]);
    let exists = |name: &str| site.environments().join(name).exists();
    assert_eq!((exists("feature_a"), exists("feature_b"), exists("main")), (false, true, true));
    // A branch that is not gone loses nothing, even if a request reports so.
    assert!(site.deploy_branch(&settings, &control, "main").plan.removed.is_empty() && exists("main"));
}

#[test]
fn the_files_of_an_earlier_version_can_still_be_had() {
    let site = Site::new("deploy-versions");
    let settings = site.settings("");
    site.control.put("site/role/files/motd", "one");
    site.control.commit("with a file");
    let code_id = || {
        let stamp: serde_json::Value =
            serde_json::from_str(&site.read("main/.r10k-deploy.json").unwrap()).unwrap();
        stamp["kukla"]["code_id"].as_str().unwrap().to_owned()
    };
    site.deploy(&settings);
    let first = code_id();
    assert_eq!(first, site.control.git(&["rev-parse", "main"]).trim());
    site.control.put("site/role/files/motd", "two");
    site.control.put("Puppetfile", "mod 'x/ntp', '2.0.0'\n");
    site.control.commit("two");
    site.deploy(&settings);
    let second = code_id();
    let sources = site.sources();
    let content = |code_id: &str, path: &str| {
        let bytes = versions::content(&sources.store, &site.environments().join("main"), code_id, path)?;
        Some(String::from_utf8(bytes).unwrap())
    };
    let manifest = "modules/ntp/manifests/init.pp";
    for (code_id, motd, version) in [(&first, "one", "1.0.0"), (&second, "two", "2.0.0")] {
        assert_eq!(content(code_id, "site/role/files/motd").as_deref(), Some(motd));
        assert_eq!(content(code_id, manifest), Some(format!("class ntp {{ notice('{version}') }}\n")));
    }
    for (code_id, path) in
        [("0000", manifest), (&first, "modules/ntp"), (&first, "no/such/file"), (&first, "../x")]
    {
        assert_eq!(content(code_id, path), None, "{code_id} {path}");
    }
}

#[test]
fn a_plan_changes_nothing() {
    let site = Site::new("deploy-plan");
    let settings = site.settings("");
    let (world, sources) = (MemoryWorld::default(), site.sources());
    let deployment = Deployment {
        settings: &settings,
        sources: &sources,
        world: &world,
        selection: Selection::All,
        force: false,
    };
    let plan = deployment.plan().unwrap();
    assert_eq!(plan.to_json()["environments"][0]["modules"][0]["to"], "1.0.0");
    assert!(plan.has_changes() && !site.environments().exists());
    let named = ["prodution".to_owned()];
    let problem = Deployment { selection: Selection::Named(&named), ..deployment }.plan().unwrap_err();
    assert!(problem.with_help().contains("did you mean 'production'?"), "{}", problem.with_help());
}

#[test]
fn an_environment_that_fails_stays_and_the_others_go_on() {
    let site = Site::new("deploy-failure");
    let settings = site.settings("");
    site.deploy(&settings);
    site.control.put("Puppetfile", "mod 'x/unknown', '1.0.0'\n");
    site.control.commit("broken");
    site.control.git(&["branch", "later"]);
    site.control.git(&["checkout", "-q", "later"]);
    site.control.put("Puppetfile", "mod 'x/ntp', '2.0.0'\n");
    site.control.commit("good");
    let report = site.try_deploy(&settings, &[], false).unwrap();
    let failed: Vec<&str> = report.failures.iter().map(|failure| failure.environment.as_str()).collect();
    assert_eq!(failed, ["main"]);
    assert!(site.read("main/modules/ntp/manifests/init.pp").unwrap().contains("1.0.0"));
    assert!(site.read("later/modules/ntp/manifests/init.pp").unwrap().contains("2.0.0"));
    assert_eq!(report.modified(), ["later"]);
}

#[test]
fn modules_at_branches_follow_them_and_tags_stay() {
    let site = Site::new("deploy-branches");
    let module = GitRepository::new(&site.path("module.git"));
    module.put("manifests/init.pp", "one");
    module.commit("one");
    module.git(&["tag", "v1"]);
    let url = format!("file://{}", module.root.display());
    site.control.put("Puppetfile", &format!("mod 'follows', git: '{url}', branch: 'main'\n"));
    site.control.commit("follow");
    site.control.git(&["checkout", "-q", "production"]);
    site.control.put("Puppetfile", &format!("mod 'stays', git: '{url}', ref: 'v1'\n"));
    site.control.commit("stay");
    let settings = site.settings("");
    site.deploy(&settings);
    assert!(site.deploy(&settings).values().all(|change| *change == Change::Unchanged));
    module.put("manifests/init.pp", "two");
    module.commit("two");
    let changes = site.deploy(&settings);
    assert!(matches!(changes["main"], Change::Changed { .. }) && changes["production"] == Change::Unchanged);
    assert_eq!(site.read("main/modules/follows/manifests/init.pp").unwrap(), "two");
    assert_eq!(site.read("production/modules/stays/manifests/init.pp").unwrap(), "one");
}

#[test]
fn unmanaged_content_goes_by_the_purge_levels() {
    let site = Site::new("deploy-purge");
    let place = |path: &str| {
        let path = site.environments().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "mine").unwrap();
    };
    let fill = || {
        ["main/notes/a.txt", "main/keep/b.txt", "main/modules/hand/x", "main/.git/config"]
            .into_iter()
            .for_each(place);
        std::fs::create_dir_all(site.environments().join("stale/manifests")).unwrap();
    };
    let present = || {
        [
            "main/notes/a.txt",
            "main/keep/b.txt",
            "main/modules/hand/x",
            "main/.git/config",
            "stale/manifests",
            "main/old.txt",
        ]
        .map(|path| site.environments().join(path).exists())
    };
    let mut number = 0;
    let mut change = || {
        number += 1;
        site.control.put("number", &number.to_string());
        site.control.commit("number");
    };
    site.control.put("old.txt", "of the repository");
    site.control.commit("old");
    site.deploy(&site.settings(""));
    site.control.git(&["rm", "-q", "old.txt"]);
    fill();
    change();
    site.deploy(&site.settings(""));
    assert_eq!(present(), [true, true, false, false, false, false]);
    fill();
    change();
    site.deploy(&site.settings("deploy:\n  purge_levels: [environment]\n  purge_allowlist: ['keep/**']\n"));
    assert_eq!(present(), [false, true, true, false, true, false]);
    let listed = "deploy:\n  purge_levels: []\n";
    change();
    site.deploy(&site.settings(listed));
    assert_eq!(present(), [false, true, true, false, true, false]);
}

#[test]
fn settings_that_are_wrong_are_pointed_at() {
    let problem = |text: &str| match DeploySettings::parse(Path::new("r10k.yaml"), text.as_bytes()) {
        Ok(settings) => panic!("{settings:?}"),
        Err(problem) => problem.with_help(),
    };
    let source = "sources:\n  a:\n    remote: u\n    basedir: /e\n";
    for (text, expected) in [
        (
            format!("{source}deploy:\n  purge_levels: [deploiment]\n"),
            ["r10k.yaml:6", "did you mean 'deployment'?"],
        ),
        ("sources:\n  a:\n    basedir: /e\n".to_owned(), ["r10k.yaml:2", "remote"]),
        ("sources:\n  a:\n    remote: u\n    basedir: [x]\n".to_owned(), ["r10k.yaml:4", "got a list"]),
        (format!("{source}postrun: echo\n"), ["r10k.yaml:5", "expected a list of strings"]),
        (":cachedir: x\n".to_owned(), ["sources", "no source"]),
        ("a: [\n".to_owned(), ["r10k.yaml", "invalid settings"]),
        (format!("{source}    invalid_branches: corect\n"), ["r10k.yaml:5", "did you mean 'correct'?"]),
    ] {
        let problem = problem(&text);
        assert!(expected.iter().all(|part| problem.contains(part)), "{text}\n{problem}\n{expected:?}");
    }
    // Names as symbols, those of g10k, and unknown ones.
    let text = ":cachedir: /c\n:sources:\n  :a:\n    remote: u\n    basedir: /e/../f\n    prefix: true\n    ignore_branch_prefixes: [x]\nforge_base_url: https://f\npurge_levels: [environment]\nwrite_lock: busy\nmaxwroker: 3\n";
    let settings = DeploySettings::parse(Path::new("g10k.yaml"), text.as_bytes()).unwrap();
    assert_eq!(settings.forge.url.as_deref(), Some("https://f"));
    assert!(settings.purge.environment && !settings.purge.deployment);
    assert_eq!(settings.write_lock.as_deref(), Some("busy"));
    assert_eq!(
        (settings.sources[0].naming.prefix.as_deref(), &*settings.sources[0].basedir),
        (Some("a"), Path::new("/f"))
    );
    assert_eq!(
        settings.notes,
        ["g10k.yaml:11: unknown setting 'maxwroker' is ignored; did you mean 'maxworker'?"]
    );
}

#[test]
fn settings_without_effect_are_reported_by_name() {
    let text = "sources:\n  a:\n    remote: git@h:a.git\n    basedir: /e\n    private_key: keys/a\n    exit_if_unreachable: false\n    warn_if_branch_is_missing: true\ngit:\n  provider: rugged\n  username: deploy\n  private_key: /keys/all\n  oauth_token: /t\n  repositories:\n    - remote: git@h:b.git\n      private_key: /keys/b\n      privat_key: x\nforge:\n  proxy: http://p\n  base_url: x\nignore_unreachable_modules: true\nuse_cache_fallback: false\n";
    let settings = DeploySettings::parse(Path::new("/etc/r10k.yaml"), text.as_bytes()).unwrap();
    let noted = |part: &str| settings.notes.iter().any(|note| note.contains(part));
    for part in [
        "r10k.yaml:6: 'exit_if_unreachable' is ignored: ",
        "r10k.yaml:7: 'warn_if_branch_is_missing' is ignored: ",
        "r10k.yaml:12: 'oauth_token' is ignored: use a credential helper",
        "'privat_key' is ignored; did you mean 'private_key'?",
        "r10k.yaml:18: 'proxy' is ignored: ",
        "unknown setting 'base_url' is ignored; did you mean 'baseurl'?",
        "r10k.yaml:20: 'ignore_unreachable_modules' is ignored: ",
    ] {
        assert!(noted(part), "{part}: {:#?}", settings.notes);
    }
    assert_eq!(settings.notes.len(), 7, "{:#?}", settings.notes);
    let keys = &settings.ssh_keys;
    let key = |url: &str| keys.of(url).unwrap().display().to_string();
    assert_eq!(
        [key("git@h:a.git"), key("git@h:b.git"), key("git@h:c.git")],
        ["/etc/keys/a", "/keys/b", "/keys/all"]
    );
    assert_eq!(keys.user.as_deref(), Some("deploy"));
    let wrong = "sources:\n  a:\n    remote: u\n    basedir: /e\ngit:\n  repositories: {}\n";
    let problem = DeploySettings::parse(Path::new("r10k.yaml"), wrong.as_bytes()).unwrap_err();
    assert!(
        problem.to_string().contains("r10k.yaml:6: repositories: expected a list of mappings"),
        "{problem}"
    );
}

#[test]
fn exact_versions_can_be_required() {
    let site = Site::new("deploy-exact");
    site.control.put("Puppetfile", "mod 'x/ntp'\nmod 'x-other', :latest\n");
    site.control.commit("open");
    let settings = site.settings("    force_forge_versions: true\n");
    let report = site.try_deploy(&settings, &[], false).unwrap();
    assert_eq!(report.failures.len(), 1);
    let problem = report.failures[0].problem.to_string();
    assert!(problem.contains("'x-ntp', 'x-other'") && problem.contains("force_forge_versions"), "{problem}");
    assert!(site.read("production/manifests/site.pp").is_some());
}

#[test]
fn environments_of_lists_have_modules_of_their_own() {
    let site = Site::new("deploy-lists");
    let remote = format!("file://{}", site.control.root.display());
    let list = format!(
        "live:\n  type: git\n  remote: {remote}\n  ref: production\n  modules:\n    x/ntp: 2.0.0\nbare:\n  type: plain\n  modules:\n    tool:\n      git: {remote}\n      ref: production\n"
    );
    std::fs::write(site.path("environments.yaml"), list).unwrap();
    let text = format!(
        "sources:\n  listed:\n    type: yaml\n    config: {}\n    basedir: {}\n",
        site.path("environments.yaml").display(),
        site.environments().display()
    );
    let settings = DeploySettings::parse(Path::new("r10k.yaml"), text.as_bytes()).unwrap();
    let report = site.try_deploy(&settings, &[], false).unwrap();
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    assert!(
        report.plan.notes.iter().any(|note| note.contains("both declare ntp")),
        "{:?}",
        report.plan.notes
    );
    assert!(site.read("live/modules/ntp/manifests/init.pp").unwrap().contains("2.0.0"));
    assert_eq!(site.read("bare/modules/tool/manifests/site.pp").unwrap(), "include ntp\n");
    assert!(site.deploy(&settings).values().all(|change| *change == Change::Unchanged));
}

#[test]
fn collisions_and_locks_are_refused() {
    let site = Site::new("deploy-refused");
    site.control.git(&["branch", "a-b"]);
    site.control.git(&["branch", "a.b"]);
    let problem = site.try_deploy(&site.settings(""), &[], false).unwrap_err();
    assert!(problem.to_string().contains("two environments have the same directory"), "{problem}");
    site.control.git(&["branch", "-D", "a-b"]);
    let settings = site.settings("deploy:\n  write_lock: under repair\n");
    let problem = site.try_deploy(&settings, &[], false).unwrap_err();
    assert!(problem.to_string().contains("under repair"), "{problem}");
    assert!(!site.environments().join("main").exists());
}

/// A control repository and a module on the disk, deployed by processes of their own.
struct Killed {
    scratch: Scratch,
    control: GitRepository,
    module: GitRepository,
}

impl Killed {
    fn new(name: &str) -> Killed {
        let scratch = Scratch::new(name);
        let module = GitRepository::new(&scratch.root.join("module.git"));
        let control = GitRepository::new(&scratch.root.join("control.git"));
        let url = format!("file://{}", module.root.display());
        control.put(
            "Puppetfile",
            &format!("mod 'a', git: '{url}', branch: 'main'\nmod 'b', git: '{url}', branch: 'main'\n"),
        );
        let text = format!(
            "sources:\n  control:\n    remote: file://{}\n    basedir: environments\n",
            control.root.display()
        );
        std::fs::write(scratch.root.join("r10k.yaml"), text).unwrap();
        Killed { scratch, control, module }
    }

    /// Commits another content; both commits.
    fn change(&self, word: &str) -> [String; 2] {
        (0..30).for_each(|number| self.module.put(&format!("files/{number}"), &format!("{word} {number}")));
        self.control.put("manifests/site.pp", &format!("include {word}\n"));
        [self.control.commit(word), self.module.commit(word)]
    }

    /// Sets the branches back to commits.
    fn set(&self, [control, module]: &[String; 2]) {
        for (repository, commit) in [(&self.control, control), (&self.module, module)] {
            std::fs::write(repository.root.join(".git/refs/heads/main"), format!("{}\n", commit.trim()))
                .unwrap();
        }
    }

    /// The process that deploys; a limit of the size of files fails as a full disk does, with another error.
    fn process(&self, blocks: Option<u32>) -> std::process::Command {
        let limit = blocks.map(|blocks| format!("trap '' XFSZ; ulimit -f {blocks}; ")).unwrap_or_default();
        let binary = std::env::current_exe().unwrap();
        let script = format!("{limit}exec '{}' --exact deploy::the_process_that_deploys", binary.display());
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script]).env("KUKLA_TEST_DEPLOY", &self.scratch.root);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        command
    }

    fn deploy(&self) {
        assert!(self.process(None).status().unwrap().success());
    }

    /// The files of the environment, without the record, which has times.
    fn files(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let root = self.scratch.root.join("environments/main");
        let mut pending = vec![root.clone()];
        while let Some(next) = pending.pop() {
            for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
                let path = entry.path();
                match path.is_dir() {
                    true => pending.push(path),
                    false => {
                        let name = path.strip_prefix(&root).unwrap().display().to_string();
                        found.insert(name, std::fs::read_to_string(path).unwrap_or_default());
                    }
                }
            }
        }
        found.remove(".r10k-deploy.json");
        found
    }
}

/// The process that the tests below start and kill: it does nothing unless they say where.
#[test]
fn the_process_that_deploys() {
    let Some(root) = std::env::var_os("KUKLA_TEST_DEPLOY").map(PathBuf::from) else { return };
    let settings = DeploySettings::read(&root.join("r10k.yaml")).unwrap();
    let store = kukla_modules::store::Store::open(&root.join("store")).unwrap();
    let sources = Sources::new(store, kukla_modules::sources::SourceOptions::default());
    let world = MemoryWorld::default();
    let deployment = Deployment {
        settings: &settings,
        sources: &sources,
        world: &world,
        selection: Selection::All,
        force: false,
    };
    let report = deployment.run(&Silent, |_| {}).unwrap();
    assert!(report.failures.is_empty(), "{:?}", report.failures);
}

#[test]
fn a_kill_at_any_point_leaves_whole_environments() {
    const KILLS: u32 = 200;
    let site = Killed::new("deploy-kill");
    let old = site.change("one");
    site.deploy();
    let first = site.files();
    let new = site.change("two");
    let started = std::time::Instant::now();
    site.deploy();
    let whole = started.elapsed().max(std::time::Duration::from_millis(5));
    let known = [first, site.files()];
    assert!(known[0] != known[1] && known.iter().all(|files| files.len() == 62), "{known:?}");
    for kill in 0..KILLS {
        site.set(if kill % 2 == 0 { &old } else { &new });
        let mut child = site.process(None).spawn().unwrap();
        std::thread::sleep(whole * (kill % 50) / 40);
        let _ = child.kill();
        child.wait().unwrap();
        let actual = site.files();
        assert!(known.contains(&actual), "kill {kill}: neither old nor new: {actual:?}");
    }
    site.set(&new);
    site.deploy();
    assert_eq!(site.files(), known[1]);
    let staging = site.scratch.root.join("environments/.kukla/staging");
    assert_eq!(std::fs::read_dir(staging).unwrap().count(), 0);
}

#[test]
fn a_file_that_cannot_be_written_leaves_the_environment_as_it_was() {
    let site = Killed::new("deploy-full");
    site.change("one");
    site.deploy();
    let before = site.files();
    site.control.put("large", &"x".repeat(200_000));
    site.change("two");
    assert!(!site.process(Some(50)).status().unwrap().success());
    assert_eq!(site.files(), before);
    site.deploy();
    assert!(site.files().contains_key("large"));
}

#[test]
fn deployments_at_once_take_turns() {
    let site = Killed::new("deploy-turns");
    for word in ["one", "two", "three"] {
        site.change(word);
        let children = [(); 3].map(|()| site.process(None).spawn().unwrap());
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(site.files()["modules/b/files/7"], format!("{word} 7"));
    }
}
