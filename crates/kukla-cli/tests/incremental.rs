//! `kukla compile --all --cache`: whatever changes in a control repository, a run with a cache says the same as one without.
//!
//! `KUKLA_EDITS` is how many edits are made at random, `KUKLA_SEED` decides which.

#![allow(clippy::disallowed_methods)] // a test reads the disk

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::common::{Chance, Directory, Edit, FILES, NODES, number, role};

struct Repository {
    directory: Directory,
}

impl Repository {
    fn new(name: &str) -> Repository {
        let repository = Repository { directory: Directory::new(&format!("incremental-{name}")) };
        repository.mend();
        repository
    }

    /// Everything as it was in the beginning.
    fn mend(&self) {
        FILES.iter().for_each(|(path, text)| self.put(path, text));
        (0..NODES).for_each(|n| self.put_facts(n, "Debian", 1));
    }

    fn root(&self) -> &Path {
        &self.directory.root
    }

    fn put(&self, path: &str, text: &str) {
        self.directory.put(&format!("site/{path}"), text);
    }

    fn remove(&self, path: &str) {
        self.directory.remove(&format!("site/{path}"));
    }

    fn put_facts(&self, n: usize, os: &str, uptime: usize) {
        let role = role(n);
        self.put(
            &format!("facts/n{n}.json"),
            &format!(
                "{{\"os\": \"{os}\", \"role\": \"{role}\", \"kernel\": \"Linux\", \"uptime\": {uptime}}}"
            ),
        );
    }

    /// The exit code and output of a run, and the catalogs it writes.
    fn run(&self, output: &str, more: &[&str]) -> (String, BTreeMap<String, String>) {
        let run = Command::new(env!("CARGO_BIN_EXE_kukla"))
            .args(["compile", "--all", "site", "--set", "strict=warning", "--output", output])
            .args(more)
            .current_dir(self.root())
            .env("SOURCE_DATE_EPOCH", "1700000000")
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let printed = format!("{:?}\n{}{}", run.status.code(), text(&run.stdout), text(&run.stderr));
        (printed, catalogs(&self.root().join(output)))
    }

    /// The same, into a directory that was empty before.
    fn clean(&self) -> (String, BTreeMap<String, String>) {
        let _ = std::fs::remove_dir_all(self.root().join("clean"));
        self.run("clean", &[])
    }
}

fn catalogs(directory: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

/// The directory of the one way of compiling that is cached.
fn way(repository: &Repository) -> PathBuf {
    let entries = std::fs::read_dir(repository.root().join("cache")).unwrap().flatten();
    entries.map(|entry| entry.path()).find(|path| path.is_dir()).unwrap()
}

const EDITS_UNTIL_MENDED: usize = 12;

#[test]
fn a_cache_never_changes_what_is_said() {
    let repository = Repository::new("edits");
    let mut chance = Chance(number("KUKLA_SEED", 7) as u64);
    let edits = number("KUKLA_EDITS", 60);
    let mut kept = 0;
    for edit in 0..edits {
        // Sooner or later an edit breaks a file that every node needs, and nothing is kept of what fails.
        if edit % EDITS_UNTIL_MENDED == 0 {
            repository.mend();
        }
        let what = Edit::next(&mut chance);
        match &what {
            Edit::Facts(node, os, uptime) => repository.put_facts(*node, os, *uptime),
            Edit::Remove(path) => repository.remove(path),
            Edit::Put(path, text) => repository.put(path, text),
        }
        let (cached, kept_catalogs) = repository.run("kept", &["--cache", "cache", "--explain-cache"]);
        let (reasons, cached): (Vec<_>, Vec<_>) =
            cached.lines().partition(|line| line.contains(" was compiled: "));
        kept += NODES - reasons.len().min(NODES);
        let (clean, clean_catalogs) = repository.clean();
        assert_eq!(cached.join("\n") + "\n", clean, "edit {edit}: {what}\n{reasons:#?}");
        // What fails leaves no catalog; an earlier one stays.
        for (name, text) in &clean_catalogs {
            assert_eq!(kept_catalogs.get(name), Some(text), "edit {edit}: {what}: {name}\n{reasons:#?}");
        }
    }
    // A cache that keeps nothing would pass as well.
    assert!(kept * 5 > edits * NODES, "only {kept} of {} catalogs came from the cache", edits * NODES);
}

#[test]
fn only_what_an_edit_touches_is_compiled() {
    let repository = Repository::new("touched");
    let (printed, _) = repository.clean();
    assert!(printed.starts_with("Some(0)"), "{printed}");
    let compiled = || {
        let (printed, _) = repository.run("kept", &["--cache", "cache", "--explain-cache"]);
        printed.lines().filter(|line| line.contains(" was compiled: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(compiled().len(), NODES);
    assert_eq!(compiled(), Vec::<String>::new());
    repository
        .put("data/common.yaml", "app::more: {a: \"%{lookup('greeting')}\"}\ngreeting: hello\nunused: 2\n");
    assert_eq!(compiled(), Vec::<String>::new(), "nobody asked for this key");
    repository.put("data/nodes/n1.yaml", "app::more: {b: 2}\n");
    let only = compiled();
    assert!(
        only.len() == 1
            && only[0].starts_with("n1 was compiled: ")
            && only[0].ends_with("has another value of 'app::more'"),
        "{only:?}"
    );
    repository.put_facts(2, "Debian", 1000);
    let uptime = compiled();
    assert!(uptime.len() <= 1, "{uptime:?}");
    repository.put("modules/app/manifests/thing.pp", "define app::thing { }\n");
    assert_eq!(compiled().len(), NODES / 2, "a define that half of the nodes have");
}

#[test]
fn a_cache_that_has_everything_is_left_alone() {
    let repository = Repository::new("same");
    let index = || {
        repository.run("kept", &["--cache", "cache"]);
        let index = way(&repository).join("index");
        index.metadata().unwrap().ino()
    };
    // Stamps are recorded once files have been the same for a second, so the first runs write the index again.
    let mut first = index();
    let is_left_alone = (0..500).any(|_| {
        let before = std::mem::replace(&mut first, index());
        before == first
    });
    assert!(is_left_alone, "it was written again");
    repository.put_facts(0, "RedHat", 2);
    assert_ne!(index(), first, "what is new was not kept");
}

#[test]
fn a_cache_that_cannot_be_used_is_said_and_ignored() {
    let repository = Repository::new("damaged");
    let (clean, _) = repository.clean();
    repository.run("kept", &["--cache", "cache"]);
    let index = || way(&repository).join("index");
    let whole = std::fs::read(index()).unwrap();
    for damage in [b"".to_vec(), b"something else".to_vec(), whole[..whole.len() / 2].to_vec(), {
        let mut bytes = whole.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes
    }] {
        std::fs::write(index(), damage).unwrap();
        let (printed, _) = repository.run("kept", &["--cache", "cache"]);
        assert!(printed.contains("ignoring the cache in cache: it "), "{printed}");
        assert!(printed.contains(&clean[..clean.find('\n').unwrap()]), "{printed}");
    }
    // A damaged catalog is compiled again.
    let catalogs = index().with_file_name("catalogs");
    for directory in std::fs::read_dir(&catalogs).unwrap().flatten() {
        for file in std::fs::read_dir(directory.path()).unwrap().flatten() {
            std::fs::write(file.path(), "damaged").unwrap();
        }
    }
    let (_, written) = repository.run("again", &["--cache", "cache"]);
    assert_eq!(written, repository.clean().1);
}

#[test]
fn what_was_not_written_does_not_count_as_written() {
    let repository = Repository::new("twice");
    repository.run("kept", &["--cache", "cache"]);
    let catalog = repository.root().join("kept/n0.json");
    std::fs::write(&catalog, "something else").unwrap();
    let facts = std::fs::read_to_string(repository.root().join("site/facts/n0.json")).unwrap();
    repository.put("facts/again.json", &facts.replacen('{', "{\"clientcert\": \"n0\", ", 1));
    let (printed, _) = repository.run("kept", &["--cache", "cache"]);
    assert!(printed.contains("several nodes have this name"), "{printed}");
    assert_eq!(std::fs::read_to_string(&catalog).unwrap(), "something else");
    repository.remove("facts/again.json");
    assert_eq!(repository.run("kept", &["--cache", "cache"]).1, repository.clean().1);
}

#[test]
fn what_an_agent_would_refuse_is_found_again() {
    let repository = Repository::new("validated");
    repository.put(
        "modules/app/lib/puppet/type/limited.rb",
        "require 'puppet_x/limit'
Puppet::Type.newtype(:limited) do
  newparam(:name)
  newparam(:size) do
    validate { |value| raise ArgumentError, \"#{value} is too much\" if value.to_i > PuppetX::LIMIT * Facter.value(:uptime).to_i }
  end
end
",
    );
    repository.put("modules/app/lib/puppet_x/limit.rb", "module PuppetX; LIMIT = 10; end\n");
    repository.put("manifests/site.pp", "limited { 'a': size => 5 }\n");
    let same = |refused: usize| {
        let (clean, _) = repository.run("clean", &["--validate"]);
        assert_eq!(clean.contains("5 is too much"), refused > 0, "{clean}");
        assert!(clean.contains(&format!("{refused} failed")), "{clean}");
        let (cached, _) = repository.run("kept", &["--validate", "--cache", "cache", "--explain-cache"]);
        let (reasons, printed): (Vec<_>, Vec<_>) =
            cached.lines().partition(|line| line.contains(" was compiled: "));
        assert_eq!(printed.join("\n") + "\n", clean);
        reasons.len()
    };
    assert_eq!(same(0), NODES);
    assert_eq!(same(0), 0);
    // A cache entry without a verdict does not count as one.
    repository.run("kept", &["--cache", "cache"]);
    repository.put("modules/app/lib/puppet_x/limit.rb", "module PuppetX; LIMIT = 1; end\n");
    assert_eq!(same(NODES), NODES);
    repository.put("modules/app/lib/puppet_x/limit.rb", "module PuppetX; LIMIT = 10; end\n");
    assert_eq!(same(0), NODES);
    repository.put_facts(3, "Debian", 0);
    assert_eq!(same(1), 1);
}

#[test]
fn only_what_is_compiled_takes_time() {
    let repository = Repository::new("profiled");
    let profiled = || {
        let (printed, _) = repository.run("kept", &["--cache", "cache", "--profile"]);
        assert!(printed.contains("in all"), "{printed}");
        printed.contains("all of kind class")
    };
    assert!(profiled());
    assert!(!profiled());
}

#[test]
fn several_processes_share_a_cache() {
    let repository = Repository::new("shared");
    let (_, clean) = repository.clean();
    std::thread::scope(|scope| {
        let run = |n: usize| repository.run(&format!("out{n}"), &["--cache", "cache"]).1;
        let runs: Vec<_> = (0..4).map(|n| scope.spawn(move || run(n))).collect();
        runs.into_iter().for_each(|run| assert_eq!(run.join().unwrap(), clean));
    });
}

/// A process that is stopped at the end.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn watching_prints_what_an_edit_changes() {
    let repository = Repository::new("watched");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kukla"));
    command
        .args(["compile", "--all", "site", "--watch", "--cache", "cache", "--validate", "--profile"])
        .current_dir(repository.root());
    let mut watching = Watching(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let lines = |pipe: Box<dyn Read + Send>| {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        lines
    };
    let out = lines(Box::new(watching.0.stdout.take().unwrap()));
    let err = lines(Box::new(watching.0.stderr.take().unwrap()));
    let wait_for = |lines: &Receiver<String>, text: &str| {
        let mut seen = Vec::new();
        loop {
            let line = lines
                .recv_timeout(Duration::from_secs(60))
                .unwrap_or_else(|_| panic!("no {text:?} in {seen:#?}"));
            seen.push(line);
            if seen.last().is_some_and(|line| line.contains(text)) {
                return seen;
            }
        }
    };
    wait_for(&out, "8 compiled, 0 failed");
    wait_for(&err, "stop with Ctrl-C");
    repository.put("modules/app/files/plain", "fancy");
    wait_for(&out, "+ Notify[");
    repository.put("data/nodes/n2.yaml", "app::size: 22\n");
    let lines = wait_for(&out, "+ size => 22");
    assert!(lines.iter().any(|line| line == "n2:"), "{lines:#?}");
    repository
        .put("data/common.yaml", "app::more: {a: \"%{lookup('greeting')}\"}\ngreeting: hello\nunused: 3\n");
    wait_for(&out, "no catalog changes");
    repository.put("manifests/site.pp", "include nothing\n");
    wait_for(&err, "on 8 nodes: n0, n1 and 6 more");
    repository.put("manifests/site.pp", "include app\nif $facts['role'] == 'db' { include app::db }\n");
    wait_for(&out, "n0 compiles again");
    // Catalogs that an agent would refuse are reported as well, and where the time of each edit went.
    repository.put("manifests/site.pp", "include app\nfile { 'odd': mode => 'rw', path => '/odd' }\n");
    wait_for(&err, "on 8 nodes: n0, n1 and 6 more");
    wait_for(&err, "self ms");
}
