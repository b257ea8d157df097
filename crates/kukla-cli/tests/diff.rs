//! `kukla diff`: what it says is what comparing everything would say, however the sides came to be.
//!
//! `KUKLA_EDITS` is how many edits are made at random, `KUKLA_SEED` decides which.

#![allow(clippy::disallowed_methods)] // a test reads the disk

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use kukla::cache::Cache;
use kukla::catalog::Difference;
use kukla::diff::{
    Changes, Compared, Comparison, DiffCache, Failure, Files, Kind, Outcome, Rules, Subject, Tree,
};
use kukla::world::record::{Digest, Recorded};
use kukla::world::{Stamp, World};
use kukla::{Catalog, Compiler, MemoryWorld, Node, Site, SiteSpec};
use serde_json::Value as Json;

use crate::common::{Chance, Directory, Edit, FILES, NODES, number, role};

const ROOT: &str = "/site";

/// A control repository in memory, with the facts of its nodes.
#[derive(Clone)]
struct State {
    world: MemoryWorld,
    facts: Vec<(&'static str, usize)>,
}

impl State {
    fn new() -> State {
        let put =
            |world: MemoryWorld, (path, text): &(&str, &str)| world.with(format!("{ROOT}/{path}"), *text);
        State { world: FILES.iter().fold(MemoryWorld::default(), put), facts: vec![("Debian", 1); NODES] }
    }

    fn edited(&self, edit: &Edit) -> State {
        let mut state = self.clone();
        match edit {
            Edit::Facts(node, os, uptime) => state.facts[*node] = (os, *uptime),
            Edit::Remove(path) => drop(state.world.files.remove(&Path::new(ROOT).join(path))),
            Edit::Put(path, text) => state.world = state.world.with(format!("{ROOT}/{path}"), *text),
        }
        state
    }

    fn node(&self, number: usize) -> Node {
        let mut node = Node::named(format!("n{number}"));
        let (os, uptime) = self.facts[number];
        node.facts.insert("os", os);
        node.facts.insert("role", role(number));
        node.facts.insert("kernel", "Linux");
        node.facts.insert("uptime", uptime as i64);
        node
    }
}

/// A world in memory of which one can tell at different times whether it is the same.
#[derive(Clone, Debug)]
struct Edited(MemoryWorld);

impl World for Edited {
    fn inner(&self) -> Option<&dyn World> {
        Some(&self.0)
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        let content = format!("{:?} {:?}", self.0.files.get(path), self.0.list(path));
        let version = u32::from_le_bytes(*Digest::of([&content]).0.first_chunk()?);
        self.exists(path).then(|| Stamp { version: version.into(), length: content.len() as u64 })
    }
}

fn site(compiler: &Compiler) -> Result<Arc<Site>, Box<kukla::Diagnostic>> {
    let mut spec = SiteSpec::at(ROOT);
    spec.settings.set("strict", "warning".into()).unwrap();
    compiler.open(&spec)
}

/// The changes the other way round, without what is known of one side only.
fn mirrored(changes: &Changes) -> Changes {
    let mut mirror = changes.clone();
    for change in &mut mirror.resources {
        change.kind = match change.kind {
            Kind::Added => Kind::Removed,
            Kind::Removed => Kind::Added,
            Kind::Changed => Kind::Changed,
        };
        std::mem::swap(&mut change.place_before, &mut change.place_after);
        std::mem::swap(&mut change.tags_added, &mut change.tags_removed);
        change.exported = (change.exported.1, change.exported.0);
        change.moved = change.moved.take().map(|(from, to)| (to, from));
        for part in change.attributes.iter_mut().flat_map(|attribute| &mut attribute.parts) {
            std::mem::swap(&mut part.before, &mut part.after);
        }
    }
    std::mem::swap(&mut mirror.classes_added, &mut mirror.classes_removed);
    std::mem::swap(&mut mirror.relations_added, &mut mirror.relations_removed);
    std::mem::swap(&mut mirror.cycles_added, &mut mirror.cycles_removed);
    mirror
}

/// Changes with the parts of attributes sorted: which keys come first depends on the direction of the comparison.
fn sort_parts(mut changes: Changes) -> Changes {
    for attribute in changes.resources.iter_mut().flat_map(|change| &mut change.attributes) {
        attribute.parts.sort_by_key(|part| format!("{:?}", part.path));
    }
    changes
}

#[test]
fn what_is_not_compiled_does_not_change_and_differences_have_a_mirror() {
    let mut chance = Chance(number("KUKLA_SEED", 11) as u64);
    let edits = number("KUKLA_EDITS", 320);
    let mut state = State::new();
    let (mut skipped, mut changed, mut spared) = (0, 0, 0);
    let directory = Directory::new("diff-at-random");
    for edit in 0..edits {
        let what = Edit::next(&mut chance);
        let next = state.edited(&what);
        let before = Compiler::new(Recorded::new(Edited(state.world.clone())));
        let after = Compiler::new(Recorded::new(Edited(next.world.clone()))).sharing(&before);
        let root = Path::new(ROOT);
        let (old, new) = (Tree { world: before.world(), root }, Tree { world: after.world(), root });
        let files = Files::compare(old, new);
        let quick = Comparison::new(Some(&files), Rules { tags: true, exact: true, ..Rules::default() });
        let (old_site, new_site) = (site(&before), site(&after));
        // The same with what earlier comparisons found, in a world of its own.
        let (cache, wrong) = Cache::open(&directory.root, Digest::of(["a way"]), "a build");
        assert!(wrong.is_none(), "{wrong:?}");
        let again = Compiler::new(Recorded::new(Edited(state.world.clone()))).sharing(&before);
        let mut kept = Comparison::new(Some(&files), quick.rules.clone());
        kept.cache = Some(DiffCache::new(&cache, again.world(), &files, edit % 2 != 0));
        let again_site = site(&again);
        let mut compiled = 0;
        for n in 0..NODES {
            let subject = |state: &State, site: &Result<Arc<Site>, _>| -> Result<Subject, Failure> {
                Ok(Subject { node: state.node(n), site: site.clone() })
            };
            let compared = quick.node(subject(&state, &old_site), subject(&next, &new_site));
            let by_cache = kept.node(subject(&state, &again_site), subject(&next, &new_site));
            assert_eq!(describe(&compared), describe(&by_cache), "edit {edit}: {what}: n{n}");
            let catalog =
                |state: &State, site: &Result<Arc<Site>, Box<kukla::Diagnostic>>| -> Option<Catalog> {
                    site.as_ref().ok()?.compile(&state.node(n)).result.ok()
                };
            let (old, new) = (catalog(&state, &old_site), catalog(&next, &new_site));
            compiled += usize::from(new.is_some());
            let place = format!("edit {edit}: {what}: n{n}");
            match (&old, &new, compared) {
                (Some(old), Some(new), compared) => {
                    let whole = Changes::between(old, new);
                    match compared {
                        Compared::Changed(changes) => {
                            changed += 1;
                            assert_eq!(*changes, whole, "{place}");
                        }
                        Compared::Otherwise(outcome) => {
                            skipped += usize::from(matches!(outcome, Outcome::SameInputs));
                            assert!(outcome.is_unchanged() && whole.is_empty(), "{place}: {whole:?}");
                        }
                    }
                    assert!(Changes::between(old, old).is_empty(), "{place}");
                    let back = Changes::between(new, old);
                    assert_eq!(sort_parts(mirrored(&whole)), sort_parts(back), "{place}");
                    let difference = Difference::between(old, new);
                    let made = difference.applied_to(old);
                    assert!(Difference::between(&made, new).is_empty(), "{place}");
                    assert_eq!(Difference::between(new, old), difference.reversed(), "{place}");
                }
                (Some(_), None, compared) => {
                    assert!(matches!(compared, Compared::Otherwise(Outcome::Breaks(_))), "{place}");
                }
                (None, Some(_), compared) => {
                    assert!(matches!(compared, Compared::Otherwise(Outcome::Repaired(_))), "{place}");
                }
                (None, None, compared) => {
                    let is_reported =
                        matches!(compared, Compared::Otherwise(Outcome::Fails(..) | Outcome::SameInputs));
                    assert!(is_reported, "{place}");
                }
            }
        }
        let ledger = again.world().ledger().unwrap();
        spared += usize::from(!ledger.all().iter().any(|input| format!("{input:?}").contains("a.epp")));
        kept.cache.take().unwrap().save(&Vec::from_iter(again_site)).unwrap();
        // An edit that breaks most nodes is dropped: the next one would compare little.
        if compiled * 2 >= NODES {
            state = next;
        }
    }
    // A comparison that skips nothing, or sees no change, would pass as well.
    assert!(skipped > edits && changed > edits / 4, "{skipped} skipped, {changed} changed");
    assert!(spared > edits / 10, "only {spared} comparisons could do without a compilation before");
}

/// The result of a comparison as text.
fn describe(compared: &Compared) -> String {
    match compared {
        Compared::Changed(changes) => format!("{changes:?}"),
        Compared::Otherwise(outcome) => format!("{} {:?}", outcome.name(), outcome.failures()),
    }
}

/// A git repository on disk, and beside it a directory for caches.
struct Repository {
    directory: Directory,
    root: PathBuf,
}

impl Repository {
    /// One with two nodes, committed once.
    fn new(name: &str) -> Repository {
        let directory = Directory::new(&format!("diff-{name}"));
        let repository = Repository { root: directory.root.join("site"), directory };
        for (path, text) in [
            ("environment.conf", "modulepath = modules\n"),
            ("hiera.yaml", "version: 5\nhierarchy:\n- name: All\n  path: common.yaml\n"),
            ("data/common.yaml", "---\nntp::servers:\n- a\n- b\nother: 1\n"),
            ("manifests/site.pp", "include ntp\nif $facts['role'] == 'db' { include ntp::db }\n"),
            (
                "modules/ntp/manifests/init.pp",
                "# Time.\nclass ntp (Array $servers) {\n  file { '/etc/ntp.conf':\n    content => epp('ntp/conf.epp'),\n    mode => '0644',\n  }\n  file { '/etc/keys': source => 'puppet:///modules/ntp/keys' }\n}\n",
            ),
            ("modules/ntp/manifests/db.pp", "class ntp::db { notify { 'db': } }\n"),
            ("modules/ntp/templates/conf.epp", "servers <%= $ntp::servers.join(' ') %>\nend\n"),
            ("modules/ntp/files/keys", "one\ntwo\n"),
            ("facts/web.json", "{\"role\": \"web\"}"),
            ("facts/db.json", "{\"role\": \"db\"}"),
        ] {
            repository.put(path, text);
        }
        repository.git(&["init", "-q", "-b", "main"]);
        repository.commit("first");
        repository
    }

    fn put(&self, path: &str, text: &str) {
        self.directory.put(&format!("site/{path}"), text);
    }

    fn git(&self, arguments: &[&str]) {
        let names =
            ["-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "protocol.file.allow=always"];
        let run = Command::new("git").args(names).args(arguments).current_dir(&self.root).output().unwrap();
        assert!(run.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// The exit code and what was printed.
    fn diff(&self, arguments: &[&str]) -> (i32, String) {
        let run = Command::new(env!("CARGO_BIN_EXE_kukla"))
            .arg("diff")
            .args(arguments)
            .current_dir(&self.root)
            .env("XDG_CACHE_HOME", self.directory.root.join("caches"))
            .output()
            .unwrap();
        let output = [run.stdout, run.stderr].concat();
        (run.status.code().unwrap_or(-1), String::from_utf8_lossy(&output).into_owned())
    }

    fn json(&self, arguments: &[&str]) -> Json {
        let (_, output) = self.diff(&[arguments, &["--format", "json"]].concat());
        serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"))
    }
}

fn has(output: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(output.contains(part), "no {part:?} in\n{output}"));
}

#[test]
fn edits_are_compared_with_the_last_commit() {
    let repository = Repository::new("edits");
    let (status, output) = repository.diff(&[]);
    assert_eq!(status, 0, "{output}");
    has(&output, &["nothing changes; 2 nodes"]);
    repository.put("data/common.yaml", "---\nother: 1\nntp::servers:\n- a\n- c\n");
    let (status, output) = repository.diff(&[]);
    assert_eq!(status, 1, "{output}");
    has(
        &output,
        &[
            "2 nodes: db, web: 2 resources changed",
            "- servers a b\n",
            "+ servers a c\n",
            "because of data/common.yaml:3 ntp::servers",
            "data/common.yaml (modified) changes 2 nodes",
        ],
    );
    repository.put("data/common.yaml", "---\nntp::servers:\n- a\n- b\nother: 2\n");
    let json = repository.json(&[]);
    assert_eq!(json["counts"]["same_inputs"], 2, "nobody asked for this key: {json:#}");
}

#[test]
fn a_comment_changes_nothing() {
    let repository = Repository::new("comment");
    let path = "modules/ntp/manifests/init.pp";
    let text = std::fs::read_to_string(repository.root.join(path)).unwrap();
    repository.put(path, &text.replace("# Time.", "# What the time is,\n# and where it comes from."));
    repository.put("data/common.yaml", "---\n# Servers.\nntp::servers: [a, b]\nother: 1\n");
    let (status, output) = repository.diff(&[]);
    assert_eq!(status, 0, "{output}");
    has(&output, &["says the same as before", "2 unchanged, as none of their inputs differs"]);
}

#[test]
fn files_that_nodes_fetch_are_compared() {
    let repository = Repository::new("fetched");
    repository.put("modules/ntp/files/keys", "one\n2\n");
    let (status, output) = repository.diff(&[]);
    assert_eq!(status, 1, "{output}");
    has(&output, &["~ File[/etc/keys]", "- two\n", "+ 2\n", "because of modules/ntp/files/keys"]);
    repository.put("modules/ntp/files/keys", "one\0two\n");
    has(&repository.diff(&[]).1, &["(binary, 8 bytes)"]);
}

#[test]
fn revisions_are_named_as_in_git() {
    let repository = Repository::new("revisions");
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository.put("modules/ntp/manifests/db.pp", "class ntp::db { notify { 'other': } }\n");
    repository.commit("topic");
    repository.git(&["checkout", "-q", "main"]);
    repository.put("data/common.yaml", "---\nntp::servers: [z]\n");
    repository.commit("main goes on");
    for (arguments, nodes) in [
        (&["main~1..main"][..], 2),
        (&["main~1..topic"], 1),
        (&["main...topic"], 1),
        (&["main..topic"], 2),
        (&["main~1", "topic"], 1),
        (&["main.."], 0),
        (&["topic"], 2),
    ] {
        let json = repository.json(arguments);
        assert_eq!(json["counts"]["changed"], nodes, "{arguments:?}: {json:#}");
    }
    let there = repository.json(&["main~1..topic"])["groups"].to_string();
    let back = repository.json(&["topic..main~1"])["groups"].to_string();
    assert!(there.contains("\"change\":\"added\"") && back.contains("\"change\":\"removed\""));
}

#[test]
fn what_is_not_in_git_is_as_it_is() {
    let repository = Repository::new("ignored");
    repository.put(".gitignore", "/modules/extra\n");
    repository.put("Puppetfile", "mod 'me-other'\n");
    repository.put("manifests/site.pp", "include ntp, extra, other, linked\n");
    repository.put("modules/linked_to/manifests/init.pp", "class linked { notify { 'linked': } }\n");
    std::os::unix::fs::symlink("linked_to", repository.root.join("modules/linked")).unwrap();
    repository.commit("uses more");
    repository.put("modules/extra/manifests/init.pp", "class extra { notify { 'extra': } }\n");
    repository.put("modules/other/manifests/init.pp", "class other { notify { 'other': } }\n");
    let (status, output) = repository.diff(&["HEAD~1..HEAD"]);
    assert_eq!(status, 1, "{output}");
    has(
        &output,
        &[
            "+ Notify[extra]",
            "+ Notify[other]",
            "+ Notify[linked]",
            "taken from the working directory on both sides: modules/extra, modules/other",
        ],
    );
    repository.put("modules/linked_to/manifests/init.pp", "class linked { notify { 'by a link': } }\n");
    has(&repository.diff(&[]).1, &["+ Notify[by a link]", "- Notify[linked]"]);
}

#[test]
fn submodules_are_revisions_of_their_own() {
    let repository = Repository::new("submodules");
    let other = Repository::new("submodule-origin");
    other.put("manifests/init.pp", "class sub { notify { 'sub one': } }\n");
    other.commit("one");
    let origin = other.root.display().to_string();
    repository.git(&["submodule", "-q", "add", &origin, "modules/sub"]);
    repository.put("manifests/site.pp", "include ntp, sub\n");
    repository.commit("with a submodule");
    other.put("manifests/init.pp", "class sub { notify { 'sub two': } }\n");
    other.commit("two");
    repository.git(&["-C", "modules/sub", "pull", "-q"]);
    repository.commit("a newer submodule");
    let (status, output) = repository.diff(&["HEAD~1..HEAD"]);
    assert_eq!(status, 1, "{output}");
    has(&output, &["- Notify[sub one]", "+ Notify[sub two]", "modules/sub/manifests/init.pp (modified)"]);
    repository.git(&["submodule", "-q", "deinit", "-f", "modules/sub"]);
    std::fs::remove_dir_all(repository.root.join(".git/modules")).unwrap();
    let (status, output) = repository.diff(&["HEAD~1..HEAD"]);
    assert_eq!(status, 4, "{output}");
    has(&output, &["submodules that are not checked out", "git submodule update --init"]);
}

#[test]
fn failures_are_rows_of_the_report() {
    let repository = Repository::new("failures");
    repository.put("modules/ntp/manifests/db.pp", "class ntp::db { include nowhere }\n");
    let (status, output) = repository.diff(&[]);
    assert_eq!(status, 2, "{output}");
    has(
        &output,
        &[
            "db: cannot be compiled after",
            "db.pp (modified) changes 1 node",
            "nowhere",
            "1 no longer compile",
            "1 unchanged",
        ],
    );
    repository.commit("broken");
    let json = repository.json(&["HEAD..HEAD~1"]);
    assert_eq!(json["counts"]["repaired"], 1, "{json:#}");
    repository.put("data/common.yaml", "---\nntp::servers: [x]\n");
    let (status, output) = repository.diff(&[]);
    assert_eq!(status, 4, "{output}");
    has(&output, &["web: 2 resources changed", "1 compile on neither side"]);
    repository.put("names", "web\nghost\n");
    let (status, output) = repository.diff(&["--nodes-from", "names", "HEAD"]);
    assert_eq!(status, 2, "{output}");
    has(&output, &["ghost", "no facts found for this node"]);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let repository = Repository::new("wrong");
    let (status, output) = repository.diff(&["nonsense"]);
    assert_eq!(status, 2);
    has(&output, &["unknown revision 'nonsense'"]);
    has(&repository.diff(&["--in", "/"]).1, &["/ is not in a git repository"]);
    has(&repository.diff(&["--facts", "nowhere"]).1, &["nowhere: no such file or directory"]);
    has(&repository.diff(&["--ignore", "File["]).1, &["--ignore: invalid rule 'File['"]);
    has(&repository.diff(&["data", "manifests/site.pp"]).1, &["one is a file, the other a directory"]);
    has(&repository.diff(&["manifests/site.pp", "hiera.yaml"]).1, &["invalid catalog in manifests/site.pp"]);
    repository.put("x", "");
    repository.commit("second");
    let clone = repository.root.join("shallow");
    let url = format!("file://{}", repository.root.display());
    repository.git(&["clone", "-q", "--depth", "1", &url, &clone.display().to_string()]);
    let (status, output) = repository.diff(&["--in", "shallow", "HEAD~1"]);
    assert_eq!(status, 2);
    has(&output, &["unknown revision 'HEAD~1'", "git fetch --unshallow"]);
}

#[test]
fn sides_differ_in_facts_environments_and_settings() {
    let repository = Repository::new("sides");
    repository.put("more/web.json", "{\"role\": \"db\"}");
    repository.put("more/new.json", "{\"role\": \"db\"}");
    let json = repository.json(&["--from-facts", "facts", "--to-facts", "more"]);
    let counts = &json["counts"];
    assert_eq!((&counts["changed"], &counts["added"], &counts["removed"]), (&1.into(), &1.into(), &1.into()));
    repository.put("manifests/site.pp", "$twice = { a => 1, a => 2 }\n");
    let (status, output) = repository.diff(&["--from-set", "strict=warning", "--to-set", "strict=error"]);
    assert_eq!(status, 2, "{output}");
    has(&output, &["strict=warning to strict=error", "2 no longer compile"]);
    repository.put("envs/environments/one/manifests/site.pp", "notify { 'one': }\n");
    repository.put("envs/environments/two/manifests/site.pp", "notify { 'two': }\n");
    let (_, output) = repository.diff(&[
        "--in",
        "envs",
        "--facts",
        "facts",
        "--from-environment",
        "one",
        "--to-environment",
        "two",
    ]);
    has(&output, &["- Notify[one]", "+ Notify[two]", "one to two: 2 nodes: 2 changed"]);
}

#[test]
fn noise_is_left_out_and_what_is_protected_is_denied() {
    let repository = Repository::new("noise");
    let path = "modules/ntp/manifests/init.pp";
    let text = std::fs::read_to_string(repository.root.join(path)).unwrap();
    repository.put(path, &text.replace("mode => '0644'", "mode => '644'"));
    assert_eq!(repository.diff(&[]).0, 0);
    assert_eq!(repository.diff(&["--exact"]).0, 1);
    repository.put(path, &text.replace("mode => '0644'", "mode => '0600', owner => root"));
    assert_eq!(repository.diff(&["--ignore", "File[/etc/*] mode", "--ignore", "* owner"]).0, 0);
    let (status, output) = repository.diff(&["--only", "File mode"]);
    assert!(status == 1 && !output.contains("owner"), "{output}");
    let (status, output) = repository.diff(&["--deny", "File[/etc/ntp.conf]"]);
    assert_eq!(status, 3, "{output}");
    has(&output, &["denied by File[/etc/ntp.conf]: File[/etc/ntp.conf] on 2 nodes"]);
    repository.put(".kukla-diff", "# Who owns files does not matter.\nignore File owner\nignore File mode\n");
    assert_eq!(repository.diff(&[]).0, 0);
    repository.put(".kukla-diff", "forget File\n");
    has(&repository.diff(&[]).1, &[".kukla-diff:1: expected `ignore`, `only` or `deny`"]);
}

#[test]
fn secrets_are_not_shown() {
    let repository = Repository::new("secrets");
    let text =
        |secret: &str| format!("class ntp::db {{ notify {{ 'db': message => Sensitive('{secret}') }} }}\n");
    repository.put("modules/ntp/manifests/db.pp", &text("alpha"));
    repository.commit("alpha");
    repository.put("modules/ntp/manifests/db.pp", &text("beta"));
    for format in ["human", "json"] {
        let (status, output) = repository.diff(&["--format", format]);
        assert!(status == 1 && !output.contains("alpha") && !output.contains("beta"), "{output}");
    }
    has(&repository.diff(&[]).1, &["message has changed; it is sensitive and not shown"]);
}

#[test]
fn what_is_encrypted_in_data_is_not_shown() {
    let repository = Repository::new("eyaml");
    let secrets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kukla/tests/secrets");
    let read = |name: &str| std::fs::read_to_string(secrets.join(name)).unwrap();
    let data = read("data.eyaml");
    let encrypted = |key: &str| {
        let line = data.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        format!("---\nplain: 1\nntp::password: {line}\n")
    };
    repository.put("private_key.pem", &read("private_key.pem"));
    repository.put(
        "hiera.yaml",
        &format!(
            "version: 5\nhierarchy:\n- name: All\n  path: common.yaml\n- name: Secrets\n  lookup_key: eyaml_lookup_key\n  path: secrets.eyaml\n  options: {{pkcs7_private_key: {}}}\n",
            repository.root.join("private_key.pem").display()
        ),
    );
    repository.put(
        "modules/ntp/manifests/db.pp",
        "class ntp::db ($password = lookup('ntp::password')) {\n  file { '/plain': content => $password }\n  file { '/part': content => \"user\\n${password}\\n\" }\n  file { '/erb': content => inline_template('<%= @password %>') }\n}\n",
    );
    repository.put("data/secrets.eyaml", &encrypted("password: "));
    repository.commit("a secret");
    repository.put("data/secrets.eyaml", &encrypted("url: "));
    for format in ["human", "json", "markdown", "html", "github", "junit"] {
        let (status, output) = repository.diff(&["--format", format]);
        assert_eq!(status, 1, "{output}");
        for secret in ["correct horse", "battery staple"] {
            assert!(!output.contains(secret), "{format}:\n{output}");
        }
    }
    has(
        &repository.diff(&[]).1,
        &[
            "content has changed; it is sensitive and not shown",
            "because of data/secrets.eyaml:3 ntp::password",
        ],
    );
    let caches = repository.directory.root.join("caches");
    let kept = Command::new("grep").args(["-r", "-c", "correct horse"]).arg(&caches).output().unwrap();
    assert_eq!(kept.status.code(), Some(1), "nothing secret is kept: {kept:?}");
}

#[test]
fn what_nodes_export_to_others_is_followed() {
    let repository = Repository::new("exports");
    repository.put("puppet.conf", "[server]\nstoreconfigs = true\n");
    let site = |port: &str| {
        format!(
            "node web {{\n  @@notify {{ 'member web': message => '{port}' }}\n}}\nnode db {{\n  Notify <<| |>>\n}}\n"
        )
    };
    repository.put("manifests/site.pp", &site("80"));
    repository.commit("exports");
    repository.put("manifests/site.pp", &site("81"));
    for cached in ["without a cache", "with a cache"] {
        let json = repository.json(&[]);
        assert_eq!(json["counts"]["changed"], 2, "{cached}: {json:#}");
    }
    let (_, output) = repository.diff(&[]);
    has(
        &output,
        &[
            "db: 1 resource changed",
            "web: 1 resource changed",
            "+ message => \"81\"",
            "because of manifests/site.pp:2",
        ],
    );
    assert_eq!(output.matches("because of manifests/site.pp:2").count(), 2, "{output}");
    // A node that is gone no longer exports.
    repository.git(&["checkout", "-q", "."]);
    repository.git(&["rm", "-q", "facts/web.json"]);
    let (_, output) = repository.diff(&[]);
    has(&output, &["db: 1 resource removed", "- Notify[member web]"]);
    // For a node that is new or gone, every resource it collects is counted, whichever node exports it.
    repository.git(&["reset", "-q", "--hard"]);
    let found = |json: &Json, node: &str| {
        let all = json["nodes"].as_array().unwrap();
        all.iter().find(|one| one["node"] == node).unwrap()["resources"].clone()
    };
    repository.git(&["rm", "-q", "facts/db.json"]);
    let gone = found(&repository.json(&[]), "db");
    repository.put("manifests/site.pp", &site("80").replace("Notify <<| |>>", "Notify <<| title == x |>>"));
    let without = found(&repository.json(&[]), "db");
    assert_eq!(gone, without, "what it collected counts, and what the other side has does not");
    repository.git(&["reset", "-q", "--hard"]);
    repository.git(&["rm", "-q", "facts/db.json"]);
    repository.commit("a node less");
    repository.put("facts/db.json", "{\"role\": \"db\"}");
    let come = found(&repository.json(&[]), "db");
    assert_eq!(come, gone);
    repository.put("manifests/site.pp", &site("80").replace("Notify <<| |>>", ""));
    let alone = found(&repository.json(&[]), "db");
    assert_eq!(come.as_u64(), alone.as_u64().map(|count| count + 1));
}

#[test]
fn facts_that_cannot_be_read_and_patterns_that_fit_nobody_are_told() {
    let repository = Repository::new("misspelt");
    repository.put("facts/db.json", "no facts");
    let (status, output) = repository.diff(&[]);
    assert_eq!(status, 2);
    has(&output, &["db: cannot be compiled after", "facts/db.json (modified) changes 1 node"]);
    repository.git(&["checkout", "-q", "."]);
    let (status, output) = repository.diff(&["--nodes", "wbe*"]);
    assert_eq!(status, 2);
    has(&output, &["no node matches 'wbe*'"]);
}

#[test]
fn catalogs_are_kept_where_that_is_asked_for() {
    let repository = Repository::new("kept-catalogs");
    let cache = repository.directory.root.join("mine");
    let cache = ["--cache", cache.to_str().unwrap()];
    let site = "manifests/site.pp";
    let before = "node web { notify { 'a': message => 'one' } }\nnode db {}\n";
    repository.put(site, before);
    repository.commit("one");
    repository.put(site, &before.replace("one", "two"));
    let first = repository.diff(&cache).1;
    has(&first, &["web: 1 resource changed", "+ message => \"two\""]);
    assert_eq!(repository.diff(&cache).1, first);
    repository.put(site, &before.replace("one", "three"));
    has(&repository.diff(&cache).1, &["- message => \"one\"", "+ message => \"three\""]);
    // A catalog that is damaged, or gone, is compiled again.
    let kept = || {
        let find = Command::new("find").arg(cache[1]).args(["-path", "*catalogs*", "-type", "f"]).output();
        let found = String::from_utf8(find.unwrap().stdout).unwrap();
        found.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(!kept().is_empty());
    for file in kept() {
        std::fs::write(file, "damaged").unwrap();
    }
    has(&repository.diff(&cache).1, &["- message => \"one\"", "+ message => \"three\""]);
    // The revision before is another one now.
    repository.commit("three");
    repository.put(site, &before.replace("one", "four"));
    has(&repository.diff(&cache).1, &["- message => \"three\"", "+ message => \"four\""]);
}

#[test]
fn the_template_that_changed_is_the_reason() {
    let repository = Repository::new("templates");
    repository.put("modules/ntp/templates/conf.epp", "servers <%= $ntp::servers.join(' ') %>\nthe end\n");
    for file in ["a", "b", "c", "d"] {
        repository.put(&format!("modules/ntp/templates/{file}.epp"), "nothing\n");
    }
    has(&repository.diff(&[]).1, &["+ the end", "because of modules/ntp/templates/conf.epp:2"]);
    repository.put(
        "modules/ntp/manifests/db.pp",
        "class ntp::db {\n  $level = lookup('level')\n  $more = template('ntp/more.erb')\n  notify { 'db': message => $more }\n}\n",
    );
    repository.put("modules/ntp/templates/more.erb", "<%# Much. -%>\nlevel <%= @level %>\n");
    repository.put("data/common.yaml", "---\nntp::servers: [a, b]\nlevel: 1\n");
    repository.commit("a template in Ruby");
    repository.put("modules/ntp/templates/more.erb", "<%# Much. -%>\nLevel <%= @level %>\n");
    has(&repository.diff(&[]).1, &["because of modules/ntp/templates/more.erb:2"]);
    repository.git(&["checkout", "-q", "."]);
    repository.put("data/common.yaml", "---\nntp::servers: [a, b]\nlevel: 2\n");
    has(&repository.diff(&[]).1, &["because of data/common.yaml:3 level"]);
    repository.git(&["checkout", "-q", "."]);
    repository.put("modules/ntp/templates/more.erb", "<%# Not much. -%>\nlevel <%= @level %>\n");
    has(
        &repository.diff(&[]).1,
        &["says the same as before", "2 unchanged, as none of their inputs differs"],
    );
}

#[test]
fn what_is_kept_changes_no_answer() {
    let repository = Repository::new("kept");
    repository.put("modules/ntp/files/keys", "one\n2\n");
    let expected = repository.diff(&["--no-cache"]);
    assert!(!repository.directory.root.join("caches").exists(), "nothing is kept");
    for _ in 0..2 {
        assert_eq!(repository.diff(&[]), expected);
        assert_eq!(repository.diff(&["--cache", "../elsewhere"]), expected);
    }
    assert!(repository.directory.root.join("elsewhere").is_dir());
    let (status, output) = repository.diff(&["--randomness", "on", "--cache", "../elsewhere"]);
    assert_eq!(status, 2, "{output}");
    has(&output, &["catalogs cannot be cached: code may use the network"]);
    let (status, output) = repository.diff(&["--writes", "/srv/cache", "--cache", "../elsewhere"]);
    assert_eq!(status, 2, "{output}");
    has(&output, &["catalogs cannot be cached: code may change files"]);
    assert_eq!(repository.diff(&["--randomness", "on"]), expected, "what is not asked for is not refused");
    repository.commit("keys");
    repository.put("data/common.yaml", "---\nntp::servers: [a]\n");
    assert_eq!(repository.diff(&[]), repository.diff(&["--no-cache"]));
    let place = repository.directory.root.join("caches/kukla");
    let mut entries = std::fs::read_dir(place).unwrap().flatten().map(|entry| entry.path());
    let way = entries.find(|path| path.is_dir()).unwrap();
    std::fs::write(way.join("index"), "damaged").unwrap();
    assert_eq!(repository.diff(&[]), repository.diff(&["--no-cache"]));
}

/// Options that decide which differences are reported.
const REPORT_OPTIONS: [&[&str]; 6] = [
    &[],
    &["--tags", "--exact"],
    &["--ignore", "Notify[*n2*]", "--ignore", "tag db"],
    &["--only", "File", "--only", "Class[app] size"],
    &["--ignore", "where $attribute == 'content' and $after =~ /size/", "--deny", "Notify"],
    &["--nodes", "n?", "--cache", "../mine"],
];

#[test]
fn reports_are_the_same_to_the_byte_whatever_is_cached() {
    let mut chance = Chance(number("KUKLA_SEED", 5) as u64);
    let repository = Repository::new("bytes");
    repository.git(&["rm", "-q", "-r", "."]);
    FILES.iter().for_each(|(path, text)| repository.put(path, text));
    let facts = |n: usize, os: &str, uptime: usize| {
        let role = role(n);
        let facts =
            serde_json::json!({"os": os, "role": role, "kernel": "Linux", "uptime": uptime, "number": n});
        repository.put(&format!("facts/n{n}.json"), &facts.to_string());
    };
    (0..NODES).for_each(|n| facts(n, "Debian", 1));
    repository.commit("all of it");
    let mut changed = 0;
    for edit in 0..number("KUKLA_EDITS", 320) / 8 {
        let what = Edit::next(&mut chance);
        match &what {
            Edit::Facts(node, os, uptime) => facts(*node, os, *uptime),
            Edit::Remove(path) => repository.directory.remove(&format!("site/{path}")),
            Edit::Put(path, text) => repository.put(path, text),
        }
        let options = REPORT_OPTIONS[edit % REPORT_OPTIONS.len()];
        let options = [options, &["--set", "strict=warning", "--format", "json"]].concat();
        let of_cache = ["--cache", "../mine"];
        let without = options.iter().copied().filter(|option| !of_cache.contains(option));
        let expected = repository.diff(&without.chain(["--no-cache"]).collect::<Vec<_>>());
        let report: Json = serde_json::from_str(&expected.1).unwrap();
        changed += usize::from(report["counts"]["changed"] != 0);
        for _ in 0..2 {
            assert_eq!(repository.diff(&options), expected, "edit {edit}: {what}: {options:?}");
        }
        // An edit that breaks nodes is dropped: the next one would compare little.
        match (expected.0, chance.below(4)) {
            (2, _) => {
                repository.git(&["add", "-A"]);
                repository.git(&["reset", "-q", "--hard"]);
            }
            (_, 0) => {
                repository.git(&["add", "-A"]);
                repository.git(&["commit", "-q", "--allow-empty", "-m", "next"]);
            }
            _ => {}
        }
    }
    assert!(changed > 5, "only {changed} comparisons found a change");
}

#[test]
fn the_default_cache_holds_no_catalogs_and_a_named_one_does() {
    let repository = Repository::new("spared");
    let code = "class c { notify { \"of ${trusted['certname']}\": message => $facts['role'] } }\n";
    repository.put("modules/c/manifests/init.pp", code);
    repository.put("manifests/site.pp", "include c\n");
    (0..30).for_each(|n| repository.put(&format!("facts/n{n}.json"), "{\"role\": \"web\"}"));
    repository.commit("many nodes");
    repository.put("modules/c/manifests/init.pp", &code.replace("of $", "from $"));
    let first = repository.diff(&["--stat"]);
    assert_eq!(repository.diff(&["--stat"]), first);
    has(&first.1, &["32 nodes: 32 changed"]);
    let of_key = |cache: &str| {
        let entries = std::fs::read_dir(repository.directory.root.join(cache)).unwrap().flatten();
        entries.map(|entry| entry.path()).find(|path| path.is_dir()).unwrap()
    };
    let default = of_key("caches/kukla");
    let index = std::fs::read(default.join("index")).unwrap();
    for title in ["of n1", "of "] {
        assert!(!index.windows(title.len()).any(|part| part == title.as_bytes()), "{title}");
    }
    assert!(!default.join("catalogs").exists());
    let named = ["--stat", "--cache", "../mine"];
    assert_eq!((repository.diff(&named), repository.diff(&named)), (first.clone(), first));
    assert!(std::fs::read_dir(of_key("mine").join("catalogs")).unwrap().count() > 0);
}

#[test]
fn catalogs_and_directories_can_be_compared() {
    let repository = Repository::new("catalogs");
    let compile = |output: &str| {
        let run = Command::new(env!("CARGO_BIN_EXE_kukla"))
            .args(["compile", "--all", "--output", output])
            .current_dir(&repository.root)
            .output()
            .unwrap();
        assert!(run.status.success());
    };
    compile("old");
    repository.put("modules/ntp/manifests/db.pp", "class ntp::db { notify { 'other': } }\n");
    compile("new");
    let (status, output) = repository.diff(&["old", "new"]);
    assert_eq!(status, 1, "{output}");
    has(&output, &["db: 1 resource added, 1 resource removed", "1 changed, 1 unchanged"]);
    let copy = |to: &str| {
        let mut run = Command::new("cp");
        run.args(["-r", "modules", "manifests", "data", "facts", "hiera.yaml", "environment.conf", to]);
        assert!(run.current_dir(&repository.root).status().unwrap().success());
    };
    std::fs::create_dir(repository.root.join("copy")).unwrap();
    copy("copy");
    repository.put("modules/ntp/manifests/db.pp", "class ntp::db { notify { 'third': } }\n");
    let (status, output) = repository.diff(&["copy", "."]);
    assert_eq!(status, 1, "{output}");
    has(&output, &["+ Notify[third]", "copy to .: 2 nodes: 1 changed"]);
    assert_eq!(repository.diff(&["old/web.json", "new/web.json"]).0, 0);
    assert_eq!(repository.diff(&["old/db.json", "new/db.json"]).0, 1);
}
