//! `kukla mod`: the manual page with a Forge on the loopback interface, revisions with locks of their own, kills and full disks.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::common::Directory;
use crate::sessions::Sessions;

#[path = "../../kukla-modules/tests/common/forge.rs"]
pub mod forge;

use forge::{GitRepository, Server};

/// A Forge with the modules of the manual.
fn serve() -> Server {
    let server = Server::start();
    let text = |suffix: &str| {
        format!("function text::frame(String $text) >> String {{ \"*** ${{text}} {suffix}***\\n\" }}\n")
    };
    let motd = |mode: &str| {
        format!(
            "class motd {{\n  file {{ '/etc/issue':\n    content => text::frame('Welcome'),\n    mode    => '{mode}',\n  }}\n}}\n"
        )
    };
    for (version, suffix) in [("2.0.0", ""), ("2.1.0", ""), ("3.0.0", "! ")] {
        server.release("example-text", version, &[], &[("functions/frame.pp", &text(suffix))]);
    }
    server.release(
        "example-motd",
        "1.0.0",
        &[("example-text", ">= 2.1.0 < 3.0.0")],
        &[("manifests/init.pp", &motd("0644"))],
    );
    server.release(
        "example-motd",
        "2.0.0",
        &[("example-text", ">= 3.0.0 < 4.0.0")],
        &[("manifests/init.pp", &motd("0444"))],
    );
    server.release(
        "example-banner",
        "1.0.0",
        &[("example-text", ">= 3.0.0 < 4.0.0")],
        &[("manifests/init.pp", "class banner {}\n")],
    );
    server.deprecate("example-text", "example-words");
    server
}

#[test]
fn the_manual_page() {
    let server = serve();
    // The state before the update is the last commit.
    let prepare = |directory: &Path, command: &str| {
        if command.starts_with("kukla mod outdated") {
            let repository = GitRepository::new(&directory.join("examples/site"));
            repository.put(".gitignore", "/modules/motd/\n/modules/text/\n/.kukla/\n");
            repository.commit("the site with its lock");
        }
    };
    let sessions = Sessions {
        prepare: Some(Box::new(prepare)),
        variables: vec![("KUKLA_FORGE", server.url.clone())],
        words: vec![("https://forge.example.com", server.url.clone())],
        ..Sessions::default()
    };
    sessions.check("docs/manual/modules.md", |page| without_commit(&page));
}

/// The page without the number of its commit, which depends on the example site.
fn without_commit(page: &str) -> String {
    let Some((before, after)) = page.split_once("\nHEAD (") else { return page.to_owned() };
    format!("{before}\nHEAD (0123456789{}", after.get(10..).unwrap_or_default())
}

/// A control repository whose modules come from a server.
struct Site {
    directory: Directory,
    url: String,
}

impl Site {
    fn new(name: &str, server: &Server, puppetfile: &str) -> Site {
        let site = Site { directory: Directory::new(name), url: server.url.clone() };
        site.directory.put("control/Puppetfile", puppetfile);
        site
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kukla"));
        command
            .args(args)
            .current_dir(self.directory.root.join("control"))
            .env("KUKLA_FORGE", &self.url)
            .env("KUKLA_MODULE_STORE", self.directory.root.join("store"));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a command that must succeed; its output.
    fn succeed(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let text =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "kukla {args:?}: {text}");
        text
    }
}

#[test]
fn revisions_have_the_modules_of_their_own_lock() {
    let server = serve();
    let site = Site::new("mod-revisions", &server, "mod 'example/motd', '1.0.0'\n");
    let repository = GitRepository::new(&site.directory.root.join("control"));
    repository.put("manifests/site.pp", "node 'web1.example.com' { include motd }\n");
    repository.put("facts/web1.example.com.json", "{\"kernel\": \"Linux\"}\n");
    repository.put(".gitignore", "/modules/\n");
    site.succeed(&["mod", "lock"]);
    repository.commit("one");
    site.succeed(&["mod", "update"]);
    repository.commit("two");
    // Nothing is installed, neither here nor there.
    let output = site.run(&["diff", "HEAD~1..HEAD"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for expected in ["~ File[/etc/issue]", "\"0644\"", "\"0444\"", "Welcome ! ***"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert!(!text.contains("both sides were compiled with the modules that are installed now"), "{text}");
    assert!(site.succeed(&["compile", "--node", "web1.example.com"]).contains("Welcome ! ***"));
    let checked = site.run(&["check"]);
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stderr));

    // Modules that are installed from an older lock are seen as the lock says.
    repository.git(&["checkout", "-q", "HEAD~1"]);
    site.succeed(&["mod", "sync"]);
    repository.git(&["checkout", "-q", "main"]);
    assert!(site.succeed(&["compile", "--node", "web1.example.com"]).contains("Welcome ! ***"));

    // Without them in the store, a side says so.
    std::fs::remove_dir_all(site.directory.root.join("store")).unwrap();
    site.succeed(&["mod", "sync", "--fetch-only"]);
    let output = site.run(&["diff", "HEAD~1..HEAD"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("not in the store: example-motd") && errors.contains("--fetch-only --revision"),
        "{errors}"
    );
    site.succeed(&["mod", "sync", "--revision", "HEAD~1"]);
    assert_eq!(site.run(&["diff", "HEAD~1..HEAD"]).status.code(), Some(1));
}

/// All files of a directory with their content.
pub fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            match entry.path().is_dir() {
                true => pending.push(entry.path()),
                false => {
                    let name = entry.path().strip_prefix(directory).unwrap().display().to_string();
                    found.insert(name, std::fs::read(entry.path()).unwrap_or_default());
                }
            }
        }
    }
    found
}

#[test]
fn a_kill_at_any_point_leaves_whole_modules() {
    const KILLS: u64 = 200;
    let server = Server::start();
    for version in ["1.0.0", "2.0.0"] {
        for module in ["a", "b", "c"] {
            let files: Vec<(String, String)> = (0..30)
                .map(|number| (format!("files/{number}"), format!("{module} {version} {number}")))
                .collect();
            let files: Vec<(&str, &str)> =
                files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            server.release(&format!("x-{module}"), version, &[], &files);
        }
    }
    let puppetfile =
        |version: &str| ["a", "b", "c"].map(|module| format!("mod 'x/{module}', '{version}'\n")).concat();
    let site = Site::new("mod-kill", &server, &puppetfile("1.0.0"));
    let control = site.directory.root.join("control");
    let mut expected = Vec::new();
    for version in ["1.0.0", "2.0.0"] {
        site.directory.put("control/Puppetfile", &puppetfile(version));
        site.succeed(&["mod", "sync", "--force"]);
        expected.push(["a", "b", "c"].map(|module| contents(&control.join("modules").join(module))));
    }
    let started = std::time::Instant::now();
    site.succeed(&["mod", "sync"]);
    let whole = started.elapsed().max(Duration::from_millis(5));
    for kill in 0..KILLS {
        let version = ["1.0.0", "2.0.0"][usize::from(kill % 2 == 0)];
        site.directory.put("control/Puppetfile", &puppetfile(version));
        // Every fourth time the store is empty, too.
        if kill % 4 == 0 {
            let _ = std::fs::remove_dir_all(site.directory.root.join("store"));
        }
        let mut child =
            site.command(&["mod", "sync"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * 2 * u32::try_from(kill % 50).unwrap() / 50);
        let _ = child.kill();
        child.wait().unwrap();
        for (index, module) in ["a", "b", "c"].iter().enumerate() {
            let actual = contents(&control.join("modules").join(module));
            assert!(
                expected.iter().any(|known| known[index] == actual),
                "kill {kill}: {module} is neither old nor new: {actual:?}"
            );
        }
    }
    // The next run puts everything right.
    site.directory.put("control/Puppetfile", &puppetfile("2.0.0"));
    site.succeed(&["mod", "sync"]);
    assert_eq!(["a", "b", "c"].map(|module| contents(&control.join("modules").join(module))), expected[1]);
    assert!(!control.join(".kukla/staging").exists());
}

#[test]
fn a_file_that_cannot_be_written_leaves_everything_as_it_was() {
    let server = Server::start();
    let large = "x".repeat(200_000);
    server.release("x-a", "1.0.0", &[], &[("files/small", "1")]);
    server.release("x-a", "2.0.0", &[], &[("files/small", "2"), ("files/large", &large)]);
    let site = Site::new("mod-full", &server, "mod 'x/a', '1.0.0'\n");
    site.succeed(&["mod", "sync"]);
    let before = contents(&site.directory.root.join("control/modules"));
    site.directory.put("control/Puppetfile", "mod 'x/a', '2.0.0'\n");
    // A limit to the size of files fails as a full disk does, with another error.
    let script = format!("trap '' XFSZ; ulimit -f 50; exec {} mod sync", env!("CARGO_BIN_EXE_kukla"));
    let command = site.command(&[]);
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(site.directory.root.join("control"))
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("cannot write"), "{errors}");
    assert_eq!(contents(&site.directory.root.join("control/modules")), before);
    site.succeed(&["mod", "sync"]);
    assert_eq!(
        std::fs::read_to_string(site.directory.root.join("control/modules/a/files/small")).unwrap(),
        "2"
    );
}

#[test]
fn commands_change_puppetfile_and_lock_together() {
    let server = serve();
    let site = Site::new("mod-change", &server, "# our modules\nmod 'example/motd', '1.0.0' # pinned\n");
    site.succeed(&["mod", "lock"]);
    let read = |file: &str| std::fs::read_to_string(site.directory.root.join("control").join(file)).unwrap();
    // A conflict changes nothing.
    let (puppetfile, lock) = (read("Puppetfile"), read("Puppetfile.lock"));
    let output = site.run(&["mod", "add", "example/banner@1.0.0"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("example-banner 1.0.0 requires example-text >= 3.0.0 < 4.0.0"), "{errors}");
    assert_eq!((read("Puppetfile"), read("Puppetfile.lock")), (puppetfile, lock));
    site.succeed(&["mod", "update", "motd"]);
    assert_eq!(read("Puppetfile"), "# our modules\nmod 'example/motd', '2.0.0' # pinned\n");
    site.succeed(&["mod", "add", "example/banner"]);
    assert_eq!(
        read("Puppetfile"),
        "# our modules\nmod 'example/motd', '2.0.0' # pinned\nmod 'example/banner', '1.0.0'\n"
    );
    assert_eq!(site.run(&["mod", "lock", "--check"]).status.code(), Some(0));
    site.succeed(&["mod", "remove", "banner", "motd"]);
    assert_eq!(read("Puppetfile"), "# our modules\n");
    assert!(!read("Puppetfile.lock").contains("[[module]]"));
    site.directory.put("control/Puppetfile", "mod 'example/text', '2.0.0'\n");
    assert_eq!(site.run(&["mod", "lock", "--check"]).status.code(), Some(1));
    let output = site.run(&["mod", "sync"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("update it with `kukla mod lock`"));
    let sbom = site.succeed(&["mod", "lock"]) + &site.succeed(&["mod", "sbom"]);
    assert!(
        sbom.contains("\"bomFormat\": \"CycloneDX\"") && sbom.contains("pkg:puppet/example/text@2.0.0"),
        "{sbom}"
    );
}
