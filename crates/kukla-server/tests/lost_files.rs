//! Files of an authority that are lost, cut off or old: nobody who was revoked is let in, and no serial number is given twice.

#![allow(clippy::disallowed_methods)]

use crate::support::{Directory, Harness};
use kukla_server::ca::audit::Actor;
use kukla_server::ca::keys::KeyKind;
use kukla_server::ca::{
    Authority, CertificateOptions, Layout, Practice, RevokedCertificates, inventory, setup,
};
use kukla_server::run::prepare;
use kukla_server::settings::Overrides;
use kukla_server::tls::Tls;

fn practice() -> Practice {
    Practice { keys: KeyKind::Ec, ..Practice::default() }
}

/// An authority that has signed certificates for `web1` and `web2` and revoked that of `web1`.
fn authority(directory: &Directory) -> Authority {
    let authority = setup::make(&Layout::at(directory.0.join("ca")), practice(), "ca").unwrap();
    for name in ["web1", "web2"] {
        authority.generate(name, &CertificateOptions::default()).unwrap();
    }
    authority.revoke(&["web1".to_owned()], &Actor::default()).unwrap();
    authority
}

/// Every way of damaging a file of lists: gone, empty, and cut off after each byte of its last part.
fn damages(whole: &[u8]) -> Vec<Option<Vec<u8>>> {
    let second = whole.windows(10).rposition(|bytes| bytes == b"-----BEGIN").unwrap();
    let cuts = (1..second).step_by(37).chain(second + 1..whole.len() - 1);
    let mut all = vec![None, Some(Vec::new()), Some(b"\n\n".to_vec()), Some(b"nonsense\n".to_vec())];
    all.extend(cuts.map(|cut| Some(whole[..cut].to_vec())));
    all
}

fn damage(path: &std::path::Path, content: Option<&[u8]>) {
    match content {
        Some(bytes) => std::fs::write(path, bytes).unwrap(),
        None => std::fs::remove_file(path).unwrap(),
    }
}

#[test]
fn an_authority_without_its_list_does_not_start() {
    let directory = Directory::new();
    let layout = authority(&directory).layout.clone();
    let whole = std::fs::read(&layout.crl).unwrap();
    for content in damages(&whole) {
        damage(&layout.crl, content.as_deref());
        let refused = Authority::open(layout.clone(), practice());
        assert!(refused.is_err(), "{:?}", content.map(|bytes| bytes.len()));
        assert!(
            RevokedCertificates::open(layout.crl.clone(), layout.certificate.clone()).is_err()
                || content.is_some()
        );
        std::fs::write(&layout.crl, &whole).unwrap();
    }
    // The list of the root alone does not say which nodes are revoked.
    let second = whole.windows(10).rposition(|bytes| bytes == b"-----BEGIN").unwrap();
    std::fs::write(&layout.crl, &whole[second..]).unwrap();
    let refused = Authority::open(layout.clone(), practice()).unwrap_err();
    assert!(refused.to_string().starts_with("the CRL of 'Puppet CA: ca' is missing"), "{refused}");
    std::fs::write(&layout.crl, &whole).unwrap();
    assert!(Authority::open(layout, practice()).is_ok());
}

#[test]
fn a_lost_list_is_recreated_only_on_request_and_errs_on_the_safe_side() {
    let directory = Directory::new();
    let authority = authority(&directory);
    let by = Actor::default();
    assert!(authority.recreate_crl(&by).is_err(), "the list is there");
    let serials = |name: &str| {
        let all = inventory::read(&authority.layout.inventory).unwrap();
        all.into_iter().find(|entry| entry.name == name).unwrap().serial
    };
    authority.delete("web1", &by).unwrap();
    let number = authority.crls().unwrap()[0].number();
    std::fs::remove_file(&authority.layout.crl).unwrap();
    assert!(authority.refresh_crl().is_err() && authority.is_revoked(&serials("web2")).is_err());
    assert!(!authority.layout.crl.exists(), "nothing writes an empty list");
    assert_eq!(authority.recreate_crl(&by).unwrap(), ["web2"]);
    let reopened = Authority::open(authority.layout.clone(), practice()).unwrap();
    assert!(
        reopened.is_revoked(&serials("web1")).unwrap() && !reopened.is_revoked(&serials("web2")).unwrap()
    );
    assert!(reopened.crls().unwrap()[0].number() > number);
}

#[test]
fn a_server_keeps_the_last_good_list() {
    let harness = Harness::new("", |_| {});
    let server = harness.server();
    let authority = server.authority.as_ref().unwrap().now();
    let revoked = authority.generate("web1", &CertificateOptions::default()).unwrap();
    let serial = revoked.1.serial();
    let client = harness.client(Some(revoked));
    let mut open = client.connect();
    let environments = "/puppet/v3/environments";
    assert_eq!(open.send("GET", environments, &[], b"").unwrap().status, 200);
    let before = std::fs::read(&authority.layout.crl).unwrap();
    authority.revoke(&["web1".to_owned()], &Actor::default()).unwrap();
    assert_eq!(open.send("GET", environments, &[], b"").unwrap().status, 403);
    let whole = std::fs::read(&authority.layout.crl).unwrap();
    let mut contents = damages(&whole);
    contents.truncate(12);
    // An older list that does not revoke anyone is as bad as none.
    contents.push(Some(before));
    for content in contents {
        damage(&authority.layout.crl, content.as_deref());
        assert!(server.revoked.now().revokes(authority.certificate().subject(), &serial));
        // The handshake fails, or the request is refused.
        let reply = client.try_send("GET", environments, &[], b"");
        assert!(reply.as_ref().is_err() || reply.is_ok_and(|reply| reply.status == 403));
        std::fs::write(&authority.layout.crl, &whole).unwrap();
    }
}

#[test]
fn a_server_without_a_list_does_not_start() {
    let harness = Harness::new("", |_| {});
    harness.node("web1");
    let settings = harness.server().settings.clone();
    let overrides = Overrides {
        confdir: Some(harness.directory.0.join("puppet")),
        listen: Some(([127, 0, 0, 1], 0).into()),
        ..Overrides::default()
    };
    let compiler = Overrides { without_ca: true, ..overrides.clone() };
    assert!(prepare(&overrides, None).is_ok() && prepare(&compiler, None).is_ok());
    for path in [settings.tls.crl.clone(), settings.host.crl()] {
        let whole = std::fs::read(&path).unwrap();
        for content in [None, Some(b"".as_slice()), Some(&whole[..whole.len() / 4])] {
            damage(&path, content);
            let overrides = if path == settings.tls.crl { &overrides } else { &compiler };
            assert!(prepare(overrides, None).is_err(), "{} {content:?}", path.display());
            let files = kukla_server::settings::TlsFiles { crl: path.clone(), ..settings.tls.clone() };
            assert!(Tls::new(files, true).is_err());
            std::fs::write(&path, &whole).unwrap();
        }
    }
}

#[test]
fn serial_numbers_continue_after_the_inventory() {
    let directory = Directory::new();
    let authority = authority(&directory);
    let layout = authority.layout.clone();
    let next = |authority: &Authority| authority.next_serial().map(|serial| serial.to_string()).ok();
    assert_eq!(next(&authority).as_deref(), Some("3"));
    for content in [None, Some(b"".as_slice()), Some(b"0001"), Some(b"\n")] {
        damage(&layout.serial, content);
        assert_eq!(next(&authority).as_deref(), Some("3"), "{content:?}");
        let reopened = Authority::open(layout.clone(), practice()).unwrap();
        assert_eq!(next(&reopened).as_deref(), Some("3"), "{content:?}");
        std::fs::write(&layout.serial, "0003").unwrap();
    }
    std::fs::write(&layout.serial, "many").unwrap();
    assert_eq!(next(&authority), None);
    std::fs::remove_file(&layout.serial).unwrap();
    std::fs::remove_file(&layout.inventory).unwrap();
    let reopened = Authority::open(layout.clone(), practice()).unwrap();
    let refused = reopened.generate("web3", &CertificateOptions::default()).unwrap_err();
    assert!(
        refused.to_string().starts_with("the serial number of the next certificate is unknown"),
        "{refused}"
    );
    assert!(!layout.signed_of("web3").exists());
}
