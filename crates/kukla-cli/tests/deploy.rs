//! `kukla deploy`: the manual page with repositories of its own, kills, full disks, two deployments at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::Directory;
use crate::modules::contents;
use crate::modules::forge::GitRepository;
use crate::sessions::Sessions;

#[test]
fn the_manual_page() {
    let deployments = std::cell::Cell::new(0);
    let prepare = move |directory: &Path, command: &str| {
        let repository = |name: &str| GitRepository { root: directory.join("repositories").join(name) };
        if command == "kukla deploy --dry-run" {
            let ntp = GitRepository::new(&repository("ntp").root);
            for version in ["v1.0.0", "v2.0.0"] {
                ntp.put("manifests/init.pp", &format!("# {version}\nclass ntp {{}}\n"));
                ntp.commit(version);
                ntp.git(&["tag", version]);
            }
            let control = GitRepository::new(&repository("control").root);
            control.put("manifests/site.pp", "include ntp\n");
            control.put("Puppetfile", "mod 'ntp', git: 'repositories/ntp', tag: 'v1.0.0'\n");
            control.commit("one");
            control.git(&["branch", "-m", "production"]);
            control.git(&["branch", "feature/dns-2"]);
        }
        if command == "kukla deploy" {
            deployments.set(deployments.get() + 1);
            if deployments.get() == 3 {
                let control = repository("control");
                control.put("Puppetfile", "mod 'ntp', git: 'repositories/ntp', tag: 'v2.0.0'\n");
                control.commit("two");
                control.git(&["branch", "-D", "feature/dns-2"]);
            }
        }
    };
    let store = Directory::new("deploy-manual-store");
    let sessions = Sessions {
        prepare: Some(Box::new(prepare)),
        variables: vec![("KUKLA_MODULE_STORE", store.root.display().to_string())],
        ..Sessions::default()
    };
    sessions.check("docs/manual/deploy.md", |page| page);
}

/// Two branches with a module each, and the environments in which they are deployed.
struct Site {
    directory: Directory,
    control: GitRepository,
    module: GitRepository,
}

impl Site {
    fn new(name: &str) -> Site {
        let directory = Directory::new(name);
        let module = GitRepository::new(&directory.root.join("module"));
        for number in 0..30 {
            module.put(&format!("files/{number}"), &format!("one {number}"));
        }
        module.commit("one");
        let control = GitRepository::new(&directory.root.join("control"));
        let url = format!("file://{}", module.root.display());
        control.put(
            "Puppetfile",
            &format!("mod 'a', git: '{url}', branch: 'main'\nmod 'b', git: '{url}', branch: 'main'\n"),
        );
        control.put("manifests/site.pp", "include one\n");
        control.commit("one");
        control.git(&["branch", "production"]);
        let settings = format!(
            "sources:\n  control:\n    remote: file://{}\n    basedir: environments\npostrun: [/bin/sh, -c, 'echo \"$modifiedenvs\" > postrun; echo \"$modifieddirs\" > directories']\n",
            control.root.display()
        );
        directory.put("r10k.yaml", &settings);
        Site { directory, control, module }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kukla"));
        command
            .arg("deploy")
            .args(args)
            .current_dir(&self.directory.root)
            .env("KUKLA_MODULE_STORE", self.directory.root.join("store"));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn succeed(&self, args: &[&str]) {
        let output = self.run(args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn environments(&self) -> PathBuf {
        self.directory.root.join("environments")
    }

    /// The files of an environment, without the record, which has times.
    fn environment(&self, name: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = contents(&self.environments().join(name));
        files.remove(".r10k-deploy.json");
        files
    }

    fn change(&self, word: &str) {
        for number in 0..30 {
            self.module.put(&format!("files/{number}"), &format!("{word} {number}"));
        }
        self.module.commit(word);
        self.control.put("manifests/site.pp", &format!("include {word}\n"));
        self.control.commit(word);
        self.control.git(&["branch", "-f", "production"]);
    }
}

#[test]
fn a_kill_at_any_point_leaves_whole_environments() {
    const KILLS: u32 = 200;
    let site = Site::new("deploy-kill");
    site.succeed(&["--no-postrun"]);
    let first = site.environment("production");
    let old = site.control.git(&["rev-parse", "HEAD"]);
    let old_module = site.module.git(&["rev-parse", "HEAD"]);
    site.change("two");
    let (new, new_module) =
        (site.control.git(&["rev-parse", "HEAD"]), site.module.git(&["rev-parse", "HEAD"]));
    let started = Instant::now();
    site.succeed(&["--no-postrun"]);
    let whole = started.elapsed().max(Duration::from_millis(5));
    let known = [first, site.environment("production")];
    assert_ne!(known[0], known[1]);
    for kill in 0..KILLS {
        let (commit, module) = if kill % 2 == 0 { (&old, &old_module) } else { (&new, &new_module) };
        for branch in ["main", "production"] {
            site.control.git(&["update-ref", &format!("refs/heads/{branch}"), commit]);
        }
        site.module.git(&["update-ref", "refs/heads/main", module]);
        let mut child =
            site.command(&["--no-postrun"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * 2 * (kill % 50) / 50);
        let _ = child.kill();
        child.wait().unwrap();
        for name in ["main", "production"] {
            let actual = site.environment(name);
            assert!(known.contains(&actual), "kill {kill}: {name} is neither old nor new: {actual:?}");
        }
    }
    for branch in ["main", "production"] {
        site.control.git(&["update-ref", &format!("refs/heads/{branch}"), &new]);
    }
    site.module.git(&["update-ref", "refs/heads/main", &new_module]);
    site.succeed(&["--no-postrun"]);
    assert_eq!(
        [site.environment("main"), site.environment("production")],
        [known[1].clone(), known[1].clone()]
    );
    assert_eq!(std::fs::read_dir(site.environments().join(".kukla/staging")).unwrap().count(), 0);
}

#[test]
fn readers_never_see_a_part_of_an_environment() {
    let site = Site::new("deploy-readers");
    site.succeed(&["--no-postrun"]);
    let path = site.environments().join("production");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut looks = 0_u32;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                // One open directory is one version, whatever is switched meanwhile.
                for file in ["manifests/site.pp", "modules/a/files/29", "modules/b/files/0"] {
                    assert!(path.join(file).exists(), "{file} is missing");
                }
                looks += 1;
            }
            looks
        });
        for round in 0..10 {
            site.change(&format!("round{round}"));
            site.succeed(&["--no-postrun"]);
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(reader.join().unwrap() > 0);
    });
}

#[test]
fn two_deployments_at_once_take_turns() {
    let site = Site::new("deploy-two");
    for round in 0..5 {
        site.change(&format!("round{round}"));
        let spawn =
            || site.command(&["--no-postrun"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let children = [spawn(), spawn(), spawn()];
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let text = site.environment("production")["modules/b/files/7"].clone();
        assert_eq!(String::from_utf8_lossy(&text), format!("round{round} 7"));
    }
}

#[test]
fn a_file_that_cannot_be_written_leaves_everything_as_it_was() {
    let site = Site::new("deploy-full");
    site.succeed(&["--no-postrun"]);
    let before = site.environment("production");
    site.change("two");
    site.control.put("large", &"x".repeat(200_000));
    site.control.commit("large");
    site.control.git(&["branch", "-f", "production"]);
    // A limit to the size of files fails as a full disk does, with another error.
    let script =
        format!("trap '' XFSZ; ulimit -f 50; exec {} deploy --no-postrun", env!("CARGO_BIN_EXE_kukla"));
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&site.directory.root)
        .env("KUKLA_MODULE_STORE", site.directory.root.join("store"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("cannot write") && errors.contains("2 environments"), "{errors}");
    assert_eq!(site.environment("production"), before);
    site.succeed(&["--no-postrun"]);
    assert!(site.environment("production").contains_key("large"));
}

#[test]
fn postrun_needs_permission() {
    let site = Site::new("deploy-postrun");
    let output = site.run(&[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("--commands /bin/sh") && !site.environments().exists(), "{errors}");
    site.succeed(&["--commands", "/bin/sh"]);
    let modified = || std::fs::read_to_string(site.directory.root.join("postrun")).unwrap();
    assert_eq!(modified().trim(), "main production");
    let directories = std::fs::read_to_string(site.directory.root.join("directories")).unwrap();
    let paths = ["main", "production"].map(|name| site.environments().join(name).display().to_string());
    assert_eq!(directories.trim(), paths.join(" "));
    site.control.put("x", "x");
    site.control.commit("x");
    site.succeed(&["--commands", "/bin/sh"]);
    assert_eq!(modified().trim(), "main");
}

#[test]
fn the_plan_is_data() {
    let site = Site::new("deploy-json");
    let output = site.run(&["--dry-run", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let plan: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> =
        plan["environments"].as_array().unwrap().iter().filter_map(|known| known["name"].as_str()).collect();
    assert_eq!(names, ["main", "production"]);
    assert_eq!(
        (&plan["environments"][0]["change"], &plan["environments"][0]["modules"][1]["title"]),
        (&"added".into(), &"b".into())
    );
    assert!(!site.environments().exists());
}
