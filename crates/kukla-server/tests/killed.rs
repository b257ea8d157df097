//! An authority whose process is killed in the middle of its work: nothing is half there.
//!
//! `KUKLA_KILLS` says how often (20 by default).

#![allow(clippy::disallowed_methods)]

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::Directory;
use kukla_server::ca::audit::Actor;
use kukla_server::ca::certificate::Certificate;
use kukla_server::ca::crl::Crl;
use kukla_server::ca::keys::KeyKind;
use kukla_server::ca::{Authority, CertificateOptions, Layout, Practice, doctor, inventory, setup};
use kukla_server::report;

const DIRECTORY: &str = "KUKLA_TEST_AUTHORITY";

fn practice() -> Practice {
    Practice { keys: KeyKind::Ec, ..Practice::default() }
}

/// Not a test of its own: the process that is killed. It signs, revokes, cleans and keeps reports until then, and tells what it has
/// acknowledged.
#[test]
fn works_until_it_is_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let authority = Authority::open(Layout::at(directory.join("ca")), practice()).unwrap();
    let start = authority.next_serial().unwrap();
    for number in 0..100_000 {
        let name = format!("n{start}-{number}");
        authority.generate(&name, &CertificateOptions::default()).unwrap();
        let report = serde_json::json!({"host": name, "status": "changed"});
        let kept = report::store(&directory.join("reports"), &name, &report.to_string()).unwrap();
        // The test relies on this line.
        println!("kept {}", kept.display());
        if number % 3 == 0 {
            authority.revoke(std::slice::from_ref(&name), &Actor::default()).unwrap();
            println!("revoked {name}");
        }
        if number % 7 == 0 {
            authority.delete(&name, &Actor::default()).unwrap();
        }
    }
}

#[test]
fn nothing_is_half_there() {
    let kills: u64 = std::env::var("KUKLA_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    let directory = Directory::new();
    let layout = Layout::at(directory.0.join("ca"));
    setup::make(&layout, practice(), "ca").unwrap();
    let mut acknowledged = Vec::new();
    for round in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed::works_until_it_is_killed", "--nocapture"])
            .env(DIRECTORY, &directory.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        // The first process gets something done; the others are killed at any moment of their work.
        match round {
            0 => {
                while !line.starts_with("kept ") {
                    line.clear();
                    assert_ne!(lines.read_line(&mut line).unwrap(), 0, "the process ends by itself");
                }
            }
            _ => std::thread::sleep(Duration::from_millis(20 + round * 37 % 180)),
        }
        child.kill().unwrap();
        child.wait().unwrap();
        lines.read_to_string(&mut line).unwrap();
        // The last line may be a part of one.
        acknowledged.extend(
            line.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(|line| line.trim().to_owned()),
        );
        examine(&layout, &directory.0);
    }
    let authority = Authority::open(layout.clone(), practice()).unwrap();
    let lists = Crl::all_from_pem(&std::fs::read(&layout.crl).unwrap()).unwrap();
    let known = inventory::read(&layout.inventory).unwrap();
    for line in &acknowledged {
        if let Some(path) = line.strip_prefix("kept ") {
            assert!(
                std::fs::read_to_string(path).is_ok_and(|text| text.contains("status: changed")),
                "{line}"
            );
        } else if let Some(name) = line.strip_prefix("revoked ") {
            let entry = known.iter().find(|entry| entry.name == name).unwrap();
            assert!(lists[0].revokes(&entry.serial), "{line}");
        }
    }
    let wrong: Vec<_> = doctor::examine(&authority, None)
        .unwrap()
        .into_iter()
        .filter(|each| each.grade == doctor::Grade::Wrong)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(acknowledged.iter().any(|line| line.starts_with("kept ")), "the processes got nowhere");
}

/// Checks what holds at any time, even before a recovery.
fn examine(layout: &Layout, directory: &Path) {
    let mut serials = HashSet::new();
    for entry in std::fs::read_dir(&layout.signed).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if let Some(name) = name.strip_suffix(".pem") {
            let certificate = Certificate::from_pem(&std::fs::read(entry.path()).unwrap()).unwrap();
            assert_eq!(certificate.common_name().as_deref(), Some(name));
            assert!(serials.insert(certificate.serial()), "{name} has a number that another one has");
        } else {
            assert!(name.ends_with(".kukla-new"), "{name}");
        }
    }
    let next = inventory::written_serial(&layout.serial).unwrap().unwrap();
    let known = inventory::read(&layout.inventory).unwrap();
    assert!(serials.iter().all(|serial| *serial < next && known.iter().any(|entry| entry.serial == *serial)));
    assert_eq!(Crl::all_from_pem(&std::fs::read(&layout.crl).unwrap()).unwrap().len(), 2);
    let reports = std::fs::read_dir(directory.join("reports")).into_iter().flatten().flatten();
    for file in reports.flat_map(|node| std::fs::read_dir(node.path()).unwrap().flatten()) {
        if file.path().extension().is_some_and(|ending| ending == "yaml") {
            assert!(std::fs::read_to_string(file.path()).unwrap().contains("status: changed"));
        }
    }
}
