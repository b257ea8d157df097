//! Deploys the same environments with Kukla and other tools, and prints what each took: cold, and with nothing changed.
//!
//! ```text
//! cargo run --release -p kukla-modules --example compare -- kukla='kukla deploy --config' g10k='g10k -config' r10k='r10k deploy environment --modules --config'
//! ```
//!
//! Each argument is a name and a command, to which the path of its settings is appended. 30 modules of `KUKLA_MODULES` (a directory of modules, by default
//! /usr/share/puppet/modules) come from a Forge and a git server on the loopback interface, for ten branches of a control repository. The times of the
//! servers are not counted. Deployed files are compared, except `.git` and the records of the tools.

#![allow(clippy::disallowed_methods)] // it measures other programs

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use serde_json::Value as Json;

#[path = "../tests/common/forge.rs"]
mod forge;

use flate2::Compression;
use flate2::write::GzEncoder;
use forge::{GitRepository, Server};

const MODULES: usize = 30;
const ENVIRONMENTS: usize = 10;

fn main() -> ExitCode {
    let tools: Vec<(String, String)> = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.split_once('=').map(|(name, command)| (name.into(), command.into())))
        .collect();
    if tools.is_empty() {
        eprintln!("usage: compare NAME=COMMAND …");
        return ExitCode::from(2);
    }
    let root = std::env::temp_dir().join(format!("kukla-compare-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    let server = serve(&root);
    println!("{MODULES} modules, {ENVIRONMENTS} environments\n");
    println!(
        "| tool | cold: wall s | CPU s | unchanged: wall s | CPU s | files |\n|---|---:|---:|---:|---:|---:|"
    );
    let mut deployed: Vec<(&str, BTreeMap<String, Vec<u8>>)> = Vec::new();
    for (name, command) in &tools {
        let directory = root.join(name);
        write_settings(&directory, &server);
        let (cold, unchanged) = (run(&directory, command), run(&directory, command));
        let files = files(&directory.join("environments"));
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} | {:.2} | {} |",
            cold.wall,
            cold.cpu,
            unchanged.wall,
            unchanged.cpu,
            files.len()
        );
        deployed.push((name, files));
    }
    let mut is_equal = true;
    let (first, expected) = &deployed[0];
    for (name, files) in &deployed[1..] {
        let of_either = expected.keys().chain(files.keys().filter(|path| !expected.contains_key(*path)));
        let different: Vec<&String> =
            of_either.filter(|path| expected.get(*path) != files.get(*path)).collect();
        println!("\n{first} and {name}: {} different files", different.len());
        different.iter().take(5).for_each(|path| println!("  {path}"));
        is_equal &= different.is_empty();
    }
    let _ = std::fs::remove_dir_all(&root);
    if is_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A server with the modules, half of them on the Forge, and a control repository with a branch for each environment.
fn serve(root: &Path) -> Server {
    let server = Server::start();
    server.serve_git(&root.join("git"));
    let directory =
        std::env::var_os("KUKLA_MODULES").map_or_else(|| "/usr/share/puppet/modules".into(), PathBuf::from);
    let mut modules: Vec<PathBuf> =
        std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    modules.sort();
    let metadata = |module: &Path| -> Option<Json> {
        let metadata: Json =
            serde_json::from_slice(&std::fs::read(module.join("metadata.json")).ok()?).ok()?;
        // A few modules have a name without an author, which no Forge has.
        metadata["name"].as_str()?.contains(['-', '/']).then_some(metadata)
    };
    modules.retain(|module| metadata(module).is_some());
    assert!(modules.len() >= MODULES, "{} has less than {MODULES} modules", directory.display());
    let mut puppetfile = String::new();
    for (number, module) in modules.iter().take(MODULES).enumerate() {
        let metadata = metadata(module).unwrap();
        let name = metadata["name"].as_str().unwrap().replace('/', "-");
        let version = metadata["version"].as_str().unwrap();
        let files: Vec<(String, Vec<u8>)> = files(module).into_iter().collect();
        if number % 2 == 0 {
            let archive = archive(&format!("{name}-{version}"), &files);
            server.release_archive(&name, version, metadata.clone(), archive);
            puppetfile += &format!("mod '{name}', '{version}'\n");
        } else {
            let repository = GitRepository::new(&root.join("git").join(&name));
            for (path, bytes) in &files {
                let path = repository.root.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes).unwrap();
            }
            repository.git(&["add", "-A", "--force"]);
            repository.commit("one");
            repository.git(&["tag", "v1"]);
            puppetfile +=
                &format!("mod '{name}',\n  :git => '{}/git/{name}/.git',\n  :tag => 'v1'\n", server.url);
        }
    }
    let control = GitRepository::new(&root.join("git/control"));
    control.put("Puppetfile", &puppetfile);
    control.put("manifests/site.pp", "node default {}\n");
    control.commit("one");
    for number in 1..ENVIRONMENTS {
        control.git(&["checkout", "-q", "-b", &format!("environment_{number}")]);
        control.put("manifests/site.pp", &format!("# {number}\nnode default {{}}\n"));
        control.commit("a change");
    }
    server
}

/// An archive as the Forge has it: with an entry for each directory, which g10k requires.
fn archive(root: &str, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut append = |path: &Path, kind: tar::EntryType, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(if kind.is_dir() { 0o755 } else { 0o644 });
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, path, bytes).unwrap();
    };
    let mut directories: BTreeSet<PathBuf> = BTreeSet::new();
    for (path, bytes) in files {
        let path = Path::new(root).join(path);
        let mut above: Vec<&Path> =
            path.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty()).collect();
        above.reverse();
        for directory in above {
            if directories.insert(directory.to_owned()) {
                append(directory, tar::EntryType::Directory, &[]);
            }
        }
        append(&path, tar::EntryType::Regular, bytes);
    }
    builder.into_inner().unwrap().finish().unwrap()
}

/// Settings that all tools understand.
fn write_settings(directory: &Path, server: &Server) {
    std::fs::create_dir_all(directory.join("environments")).unwrap();
    let (path, url) = (directory.display(), &server.url);
    let text = format!(
        "---\n:cachedir: '{path}/cache'\nforge_base_url: '{url}'\nforge:\n  baseurl: '{url}'\n  allow_puppetfile_override: true\ndeploy:\n  exclude_spec: false\nsources:\n  control:\n    remote: '{url}/git/control/.git'\n    basedir: '{path}/environments/'\n"
    );
    std::fs::write(directory.join("settings.yaml"), text).unwrap();
}

/// The time of a command in seconds.
struct Time {
    wall: f64,
    cpu: f64,
}

/// Runs a command in a shell that measures it, so that the children of the servers are not counted.
fn run(directory: &Path, command: &str) -> Time {
    let script = format!(
        "{command} '{}' > '{}' 2>&1; echo $?; times",
        directory.join("settings.yaml").display(),
        directory.join("log").display()
    );
    let begun = Instant::now();
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(directory)
        .env("HOME", directory)
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .env("KUKLA_MODULE_STORE", directory.join("store"))
        .output()
        .unwrap();
    let wall = begun.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines();
    if lines.next() != Some("0") {
        eprintln!(
            "`{command}` failed:\n{}",
            std::fs::read_to_string(directory.join("log")).unwrap_or_default()
        );
    }
    // The second line is that of the children: `0m1.234s 0m0.567s`.
    let seconds = |word: &str| {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    let cpu = lines.nth(1).unwrap_or_default().split(' ').filter_map(seconds).sum();
    Time { wall, cpu }
}

/// The files below a directory, except those that belong to git and to the tools.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if [".git", ".kukla", ".r10k-deploy.json", ".g10k-deploy.json", ".latest_commit"]
                .iter()
                .any(|own| name == **own)
            {
                continue;
            }
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => pending.push(entry.path()),
                kind if kind.is_file() => {
                    let name = entry.path().strip_prefix(directory).unwrap().display().to_string();
                    found.insert(name, std::fs::read(entry.path()).unwrap());
                }
                _ => {}
            }
        }
    }
    found
}
