//! Backups that are whole or refused, and authorities whose own certificate is renewed.

#![allow(clippy::disallowed_methods)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use crate::support::{Directory, text_of};
use kukla_server::ca::audit::Actor;
use kukla_server::ca::backup::restore;
use kukla_server::ca::certificate::Certificate;
use kukla_server::ca::keys::KeyKind;
use kukla_server::ca::setup::NewAuthority;
use kukla_server::ca::{Authority, CertificateOptions, Layout, Practice, Refusal, rotate, setup};

fn practice() -> Practice {
    Practice { keys: KeyKind::Ec, ..Practice::default() }
}

#[test]
fn an_authority_comes_back_as_it_was() {
    let directory = Directory::new();
    let by = Actor::default();
    let layout = Layout::at(directory.0.join("ca"));
    let authority = setup::make(&layout, practice(), "ca").unwrap();
    for name in ["web1", "web2"] {
        authority.generate(name, &CertificateOptions::default()).unwrap();
    }
    authority.revoke(&["web1".to_owned()], &by).unwrap();
    let policy = directory.write("kukla.toml", "[ca]\n");
    let file = directory.0.join("backup.json");
    let count = authority.back_up(std::slice::from_ref(&policy), &file, false, &by).unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(authority.back_up(&[], &file, false, &by).is_err(), "an existing file stays");
    assert!(count >= 13, "{count}");
    let archive = std::fs::read(&file).unwrap();

    let elsewhere = Layout::at(directory.0.join("new/ca"));
    let (restored, old) = restore(&elsewhere, practice(), &archive, false, &by).unwrap();
    assert!(old.is_none());
    assert_eq!(restored.next_serial().unwrap(), authority.next_serial().unwrap());
    let web1 = restored.signed("web1").unwrap().unwrap();
    assert!(restored.is_revoked(&web1.serial()).unwrap() && restored.has_signed(&web1));
    for name in ["ca_key.pem", "inventory.txt", "root_key.pem", "signed/web2.pem"] {
        assert_eq!(text_of(&layout.directory.join(name)), text_of(&elsewhere.directory.join(name)));
    }
    let mode = std::fs::metadata(&elsewhere.key).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(text_of(&elsewhere.directory.join("policy/kukla.toml")), "[ca]\n");

    // What happened since the backup is not undone.
    authority.generate("web3", &CertificateOptions::default()).unwrap();
    authority.revoke(&["web2".to_owned()], &by).unwrap();
    let next = authority.next_serial().unwrap();
    assert!(matches!(restore(&layout, practice(), &archive, false, &by), Err(Refusal::Rule(_))));
    let (restored, old) = restore(&layout, practice(), &archive, true, &by).unwrap();
    assert!(old.unwrap().join("signed/web3.pem").exists());
    assert_eq!(restored.next_serial().unwrap(), next);
    let web2 = restored.signed("web2").unwrap().unwrap();
    assert!(restored.is_revoked(&web2.serial()).unwrap());
}

#[test]
fn a_damaged_backup_changes_nothing() {
    let directory = Directory::new();
    let by = Actor::default();
    let layout = Layout::at(directory.0.join("ca"));
    let authority = setup::make(&layout, practice(), "ca").unwrap();
    authority.generate("web1", &CertificateOptions::default()).unwrap();
    let file = directory.0.join("backup.json");
    authority.back_up(&[], &file, false, &by).unwrap();
    let archive = std::fs::read_to_string(&file).unwrap();
    let target = Layout::at(directory.0.join("restored/ca"));
    let mut damaged = vec![
        String::new(),
        "{}".to_owned(),
        archive[..archive.len() / 2].to_owned(),
        archive.replace("\"format\":1", "\"format\":2"),
        archive.replace("signed/web1.pem", "../web1.pem"),
        archive.replace("signed/web1.pem", "signed/../../web1.pem"),
        archive.replace("signed/web1.pem", "/etc/web1.pem"),
        archive.replace("ca_crl.pem", "infra_serials"),
    ];
    let at = archive.find("\"content\":\"").unwrap() + 40;
    let other = if &archive[at..=at] == "A" { "B" } else { "A" };
    damaged.push(format!("{}{other}{}", &archive[..at], &archive[at + 1..]));
    for text in damaged {
        assert!(restore(&target, practice(), text.as_bytes(), true, &by).is_err());
        let left = std::fs::read_dir(directory.0.join("restored")).into_iter().flatten().count();
        assert_eq!(left, 0, "nothing is left behind");
    }
    // A link in place of a file is not taken into the archive.
    std::fs::remove_file(layout.signed_of("web1")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", layout.signed_of("web1")).unwrap();
    assert!(authority.back_up(&[], &directory.0.join("second.json"), false, &by).is_err());
}

#[test]
fn the_authority_is_renewed_by_an_offline_root() {
    let directory = Directory::new();
    let by = Actor::default();
    let (layout, root) = (Layout::at(directory.0.join("ca")), directory.0.join("offline"));
    let below = |root: &Path, layout: &Layout| {
        let choice = NewAuthority { offline_root: Some(root.to_owned()), ..NewAuthority::default() };
        setup::make_as(&choice, layout, practice(), "ca").unwrap()
    };
    let authority = below(&root, &layout);
    assert!(!layout.directory.join("root_key.pem").exists());
    assert_eq!(std::fs::metadata(root.join("root_key.pem")).unwrap().permissions().mode() & 0o777, 0o600);
    let (_, node) = authority.generate("web1", &CertificateOptions::default()).unwrap();
    let refused = authority.renew_own(&by).unwrap_err();
    assert!(refused.to_string().starts_with("the key of the root is not here"), "{refused}");

    let request = authority.own_request().unwrap().to_pem();
    let years = |years: u64| Some(Duration::from_secs(years * 365 * 24 * 60 * 60));
    let shorter = rotate::sign_request(&root, request.as_bytes(), years(14)).unwrap();
    let refused = authority.import_own(&shorter, &by).unwrap_err();
    assert!(refused.to_string().contains("does not expire later"), "{refused}");
    let other = below(&directory.0.join("other-root"), &Layout::at(directory.0.join("other")));
    let foreign =
        rotate::sign_request(&directory.0.join("other-root"), request.as_bytes(), years(20)).unwrap();
    assert!(
        authority.import_own(&foreign, &by).unwrap_err().to_string().contains("no certificate of the bundle")
    );
    assert!(authority.import_own(other.certificate(), &by).unwrap_err().to_string().contains("another key"));
    assert!(authority.import_own(&node, &by).is_err());
    assert!(rotate::sign_request(&root, b"nonsense", None).is_err());
    assert_eq!(Certificate::all_from_pem(&std::fs::read(&layout.certificate).unwrap()).unwrap().len(), 2);
    let longer = rotate::sign_request(&root, request.as_bytes(), years(20)).unwrap();
    authority.import_own(&longer, &by).unwrap();
    let renewed = Authority::open(layout, practice()).unwrap();
    assert_eq!((renewed.chain().len(), renewed.certificate().der()), (3, longer.der()));
    assert!(renewed.has_signed(&node) && renewed.crls().is_ok());
    let never = rotate::sign_request(&root, request.as_bytes(), years(99)).unwrap();
    assert_eq!(never.not_after(), renewed.chain()[2].not_after(), "the root does not outlive itself");
}

#[test]
fn old_and_new_certificate_overlap() {
    let there = std::process::Command::new("openssl").arg("version").output();
    if !there.is_ok_and(|output| output.status.success()) {
        return;
    }
    let directory = Directory::new();
    let by = Actor::default();
    // A self-signed authority that expires soon, as Puppet 5 made them.
    let script = "set -e; mkdir ca ca/signed ca/requests; cd ca; openssl req -x509 -newkey rsa:2048 -nodes -keyout ca_key.pem -out ca_crt.pem -days 30 -subj '/CN=Puppet CA: old' -addext 'keyUsage=critical,keyCertSign,cRLSign' 2> /dev/null";
    let made = std::process::Command::new("sh").arg("-c").arg(script).current_dir(&directory.0).status();
    assert!(made.unwrap().success());
    let layout = Layout::at(directory.0.join("ca"));
    let authority = Authority::open(layout.clone(), practice()).unwrap();
    authority.refresh_crl().unwrap();
    let (_, node) = authority.generate("web1", &CertificateOptions::default()).unwrap();
    assert_eq!(
        node.not_after(),
        authority.certificate().not_after(),
        "shortened to the end of the authority"
    );
    authority.renew_own(&by).unwrap();
    let renewed = Authority::open(layout.clone(), practice()).unwrap();
    assert_eq!(renewed.chain().len(), 2);
    assert!(renewed.certificate().not_after() > authority.certificate().not_after());
    assert!(renewed.has_signed(&node) && renewed.crls().is_ok());
    let (_, later) = renewed.generate("web2", &CertificateOptions::default()).unwrap();
    assert!(later.not_after() > authority.certificate().not_after());
    for bundle in [layout.certificate.clone(), directory.write("old.pem", authority.certificate().to_pem())] {
        for name in ["web1", "web2"] {
            let verified = std::process::Command::new("openssl")
                .args(["verify", "-CAfile"])
                .arg(&bundle)
                .arg(layout.signed_of(name))
                .output()
                .unwrap();
            assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
        }
    }
}
