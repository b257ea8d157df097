//! Real Puppetfiles, read as r10k reads them, and modules, installed as r10k installs them. `KUKLA_PUPPETFILES` is a directory with Puppetfiles, each in a directory of its own, and `KUKLA_R10K`
//! a command that runs a Ruby script with r10k on its load path, such as `ruby -I r10k/lib`.

use std::path::{Path, PathBuf};
use std::process::Command;

use kukla_modules::install::InstallOptions;
use kukla_modules::puppetfile::{Declaration, Puppetfile, ReadOptions, Source, VersionRequest};
use kukla_world::{FileResult, World};
use serde_json::{Value as Json, json};

use crate::common::forge::{GitRepository, Server, archive};
use crate::common::scratch::Scratch;

/// The files of the disk.
#[derive(Debug)]
struct Disk;

impl World for Disk {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        std::fs::read(path).map_err(|_| kukla_world::FileError::NotFound)
    }
}

fn row(module: &Declaration) -> Json {
    let mut row = json!({
        "title": module.title, "name": module.name, "directory": module.directory.display().to_string(), "keep_spec": module.keep_spec,
    });
    match &module.source {
        Source::Forge(version) => {
            row["kind"] = "forge".into();
            row["version"] = match version {
                VersionRequest::Any => "latest".into(),
                other => other.to_string().into(),
            };
        }
        Source::Git(request) => {
            row["kind"] = "git".into();
            row["url"] = request.url.clone().into();
            row["reference"] = request.reference.as_ref().map(ToString::to_string).into();
            row["default"] = request.fallbacks.last().cloned().into();
        }
        Source::Tarball { .. } => row["kind"] = "tarball".into(),
        Source::Svn { .. } => row["kind"] = "svn".into(),
        Source::Local => row["kind"] = "local".into(),
    }
    row
}

#[test]
fn real_puppetfiles_are_read_as_r10k_reads_them() {
    let variable = |name: &str| std::env::var(name).ok();
    let (Some(directory), Some(r10k)) = (variable("KUKLA_PUPPETFILES"), variable("KUKLA_R10K")) else {
        kukla_testing::skip(
            "kukla-modules/r10k",
            "KUKLA_PUPPETFILES and KUKLA_R10K name no Puppetfiles and no r10k",
        );
        return;
    };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path().join("Puppetfile")).collect();
    files.sort();
    let mut words = r10k.split(' ');
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/r10k_read.rb");
    let output = Command::new(words.next().unwrap()).args(words).arg(script).args(&files).output().unwrap();
    let lines: Vec<Json> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), files.len(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut same, mut refused, mut more) = (0, 0, 0);
    for (file, expected) in files.iter().zip(&lines) {
        let read = Puppetfile::read(&Disk, file, &ReadOptions::default());
        match (expected["modules"].as_array(), read) {
            (Some(modules), Ok(read)) => {
                let actual: Vec<Json> = read.modules.iter().map(row).collect();
                assert_eq!(actual.len(), modules.len(), "{}", file.display());
                for (actual, expected) in actual.iter().zip(modules) {
                    assert_eq!(actual, expected, "{}", file.display());
                }
                same += 1;
            }
            (Some(_), Err(problem)) => panic!("{}: {problem}", file.display()),
            (None, Ok(_)) => more += 1,
            (None, Err(problem)) => {
                println!("refused: {problem}\n   r10k: {}", expected["error"]);
                refused += 1;
            }
        }
    }
    println!(
        "{same} Puppetfiles read as r10k reads them, {refused} refused by both, {more} that only Kukla reads"
    );
    assert!(same >= 20);
}

/// Modules as Debian installs them.
const MODULES: &str = "/usr/share/puppet/modules";

/// The files of a module, without links.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => pending.push(entry.path()),
                kind if kind.is_file() => {
                    let name = entry.path().strip_prefix(directory).unwrap().display().to_string();
                    found.push((name, std::fs::read(entry.path()).unwrap()));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[test]
fn modules_are_installed_as_r10k_installs_them() {
    let Ok(r10k) = std::env::var("KUKLA_R10K") else {
        kukla_testing::skip("kukla-modules/r10k", "KUKLA_R10K names no r10k");
        return;
    };
    let scratch = Scratch::new("r10k");
    let server = Server::start();
    server.serve_git(&scratch.root.join("git"));
    let mut puppetfile = String::new();
    let mut count = 0;
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(MODULES).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for directory in names {
        let Ok(text) = std::fs::read(directory.join("metadata.json")) else { continue };
        let metadata: Json = serde_json::from_slice(&text).unwrap();
        let (name, version) =
            (metadata["name"].as_str().unwrap().replace('/', "-"), metadata["version"].as_str().unwrap());
        let short = name.split('-').next_back().unwrap().to_owned();
        let files = files(&directory.canonicalize().unwrap());
        if files.len() > 400 || !name.contains('-') {
            continue;
        }
        if count % 3 == 2 {
            let repository = GitRepository::new(&scratch.root.join("git").join(&short));
            for (path, bytes) in &files {
                let path = repository.root.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes).unwrap();
            }
            repository.put("spec/classes/x_spec.rb", "x");
            std::os::unix::fs::symlink("metadata.json", repository.root.join("link")).unwrap();
            repository.put("bin/run", "#!/bin/sh\n");
            std::fs::set_permissions(
                repository.root.join("bin/run"),
                std::os::unix::fs::PermissionsExt::from_mode(0o755),
            )
            .unwrap();
            repository.commit("all");
            repository.git(&["tag", "v1"]);
            let spec = if count % 2 == 0 { ", exclude_spec: false" } else { "" };
            puppetfile += &format!("mod '{short}', git: '{}/git/{short}', tag: 'v1'{spec}\n", server.url);
        } else {
            let archive = archive(&format!("{name}-{version}"), &files);
            server.release_archive(&name, version, metadata.clone(), archive);
            puppetfile += &format!("mod '{name}', '{version}'\n");
        }
        count += 1;
        if count == 30 {
            break;
        }
    }
    let base = scratch.control().base;
    std::fs::write(base.join("Puppetfile"), &puppetfile).unwrap();
    let sources = scratch.sources(&server);
    let lock = scratch.pin(&sources, &puppetfile).unwrap();
    scratch.install(&sources, &lock, InstallOptions::default()).unwrap();
    let config =
        format!("cachedir: {}\nforge:\n  baseurl: {}\n", scratch.root.join("cache").display(), server.url);
    std::fs::write(scratch.root.join("r10k.yaml"), config).unwrap();
    let mut words = r10k.split(' ');
    let output = Command::new(words.next().unwrap())
        .args(words)
        .args([
            "-e",
            "require 'r10k/cli'; R10K::CLI.command.run(ARGV)",
            "--",
            "puppetfile",
            "install",
            "--moduledir",
        ])
        .arg(base.join("expected"))
        .args(["--puppetfile".as_ref(), base.join("Puppetfile").as_os_str()])
        .args(["--config".as_ref(), scratch.root.join("r10k.yaml").as_os_str()])
        .output()
        .unwrap();
    let mut expected = scratch.files("expected");
    expected.retain(|path, _| path.split('/').nth(1) != Some(".git"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!expected.is_empty(), "{errors}");
    let mut actual = scratch.files("modules");
    for (path, expected) in &expected {
        assert_eq!(actual.remove(path).as_ref(), Some(expected), "{path}: {errors}");
    }
    assert_eq!(actual.keys().collect::<Vec<_>>(), Vec::<&String>::new());
    println!("{count} modules with {} files are the same", expected.len());
}
