//! The key of an authority is replaced: what the former key has signed stays valid until the rotation is finished, and a crash in between leaves an
//! authority that works.

#![allow(clippy::disallowed_methods)]

use crate::support::{Directory, Harness};
use kukla::syntax::Problem;
use kukla_server::ca::audit::Actor;
use kukla_server::ca::certificate::Certificate;
use kukla_server::ca::keys::{Key, KeyKind};
use kukla_server::ca::setup::{self, HostFiles, NewAuthority};
use kukla_server::ca::{Authority, CertificateOptions, Layout, Practice, backup, doctor, rotate};

fn practice() -> Practice {
    Practice { keys: KeyKind::Ec, ..Practice::default() }
}

fn new_key() -> Result<Key, Problem> {
    Key::generate(KeyKind::Ec)
}

fn by() -> Actor {
    Actor::local()
}

fn host(directory: &Directory) -> HostFiles {
    HostFiles { ssldir: directory.0.join("ssl"), certname: "server".to_owned() }
}

/// An authority with a certificate for the server and one for a node.
fn authority(directory: &Directory) -> Authority {
    let authority = setup::make(&Layout::at(directory.0.join("ca")), practice(), "ca").unwrap();
    setup::make_host(&authority, &host(directory), &[]).unwrap();
    authority.generate("old", &CertificateOptions::default()).unwrap();
    authority
}

fn reopened(authority: &Authority) -> Authority {
    Authority::open(authority.layout.clone(), practice()).unwrap()
}

fn generate(authority: &Authority, name: &str) -> Certificate {
    authority.generate(name, &CertificateOptions::default()).unwrap().1
}

#[test]
fn a_new_key_signs_and_the_former_one_stays_valid() {
    let directory = Directory::new();
    let before = authority(&directory);
    let old = before.signed("old").unwrap().unwrap();
    let new = before.replace_key(new_key, &by()).unwrap();
    assert_eq!(new.common_name().unwrap(), "Puppet CA: ca (2)");
    assert_ne!(new.public_key(), before.certificate().public_key());

    // A process that has not seen the change changes nothing, and so revokes nothing in the wrong list.
    let refused = before.generate("late", &CertificateOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("has changed"), "{refused}");

    let authority = reopened(&before);
    assert_eq!(authority.certificate().der(), new.der());
    assert!(authority.has_former_issuers() && authority.has_signed(&old));
    let fresh = generate(&authority, "new");
    assert!(new.has_signed(&fresh) && fresh.serial() > old.serial());
    assert!(fresh.not_after() <= new.not_after());

    // Both issuers have a list, and a node is revoked whichever of them has signed it.
    authority.revoke(&["old".to_owned(), "new".to_owned()], &by()).unwrap();
    let lists = authority.crls().unwrap();
    for issuer in [&new, before.certificate()] {
        let list = lists.iter().find(|list| list.is_of(issuer)).unwrap();
        assert!(list.revokes(&old.serial()) && list.revokes(&fresh.serial()));
    }
    assert!(authority.is_revoked(&old.serial()).unwrap());

    // One rotation after the other.
    let refused = authority.replace_key(new_key, &by()).unwrap_err();
    assert!(refused.to_string().contains("the last rotation is not finished"), "{refused}");
    let host = host(&directory);
    assert!(authority.has_signed(&server(&host)) && !new.has_signed(&server(&host)));
    assert!(authority.finish_rotation(&host, &by()).unwrap().is_empty());
    let authority = reopened(&authority);
    assert!(!authority.has_former_issuers() && !authority.has_signed(&old));
    assert!(new.has_signed(&server(&host)), "the server has a certificate of the new key");
    assert_eq!(authority.chain().len(), 2);
    let lists = authority.crls().unwrap();
    let root = authority.chain().iter().find(|each| each.is_root()).unwrap();
    let of_root = lists.iter().find(|list| list.is_of(root)).unwrap();
    assert!(of_root.revokes(&before.certificate().serial()), "the root has revoked the former issuer");
    assert!(authority.finish_rotation(&host, &by()).is_err(), "there is nothing to finish");
    assert_eq!(
        reopened(&authority).replace_key(new_key, &by()).unwrap().common_name().unwrap(),
        "Puppet CA: ca (3)"
    );
    let findings = doctor::examine(&reopened(&authority), Some(&host)).unwrap();
    assert!(findings.iter().all(|finding| finding.grade != doctor::Grade::Wrong), "{findings:?}");
}

fn server(host: &HostFiles) -> Certificate {
    Certificate::from_pem(&std::fs::read(host.certificate()).unwrap()).unwrap()
}

#[test]
fn nodes_that_a_rotation_would_lock_out_are_named() {
    let directory = Directory::new();
    let authority = authority(&directory);
    generate(&authority, "revoked");
    authority.replace_key(new_key, &by()).unwrap();
    let authority = reopened(&authority);
    generate(&authority, "new");
    authority.revoke(&["revoked".to_owned()], &by()).unwrap();
    assert_eq!(authority.nodes_of_former_issuers(&host(&directory)).unwrap(), ["old"]);
    let old = authority.signed("old").unwrap().unwrap();
    authority.renew(&old, &by()).unwrap();
    assert!(authority.nodes_of_former_issuers(&host(&directory)).unwrap().is_empty());
}

#[test]
fn the_root_of_a_rotation_may_be_offline() {
    let directory = Directory::new();
    let (root, layout) = (directory.0.join("root"), Layout::at(directory.0.join("ca")));
    let choice = NewAuthority { offline_root: Some(root.clone()), ..NewAuthority::default() };
    let authority = setup::make_as(&choice, &layout, practice(), "ca").unwrap();
    setup::make_host(&authority, &host(&directory), &[]).unwrap();
    let refused = authority.replace_key(new_key, &by()).unwrap_err();
    assert!(refused.to_string().contains("the key of the root is not here"), "{refused}");
    assert!(!layout.next_key().exists(), "no key is left behind");

    let request = authority.next_request(new_key).unwrap();
    let again = authority.next_request(|| panic!("the key is there")).unwrap();
    assert_eq!(again.public_key(), request.public_key());
    // Until the certificate is there, the present key signs.
    generate(&reopened(&authority), "meanwhile");
    let signed = rotate::sign_request(&root, request.to_pem().as_bytes(), None).unwrap();
    let by_another = setup::make(&Layout::at(directory.0.join("other")), practice(), "other").unwrap();
    for wrong in [by_another.certificate(), authority.certificate(), &generate(&by_another, "x")] {
        assert!(authority.import_own(wrong, &by()).is_err());
    }
    authority.import_own(&signed, &by()).unwrap();
    let authority = reopened(&authority);
    assert_eq!(authority.certificate().der(), signed.der());
    assert!(!layout.next_key().exists());

    // The root cannot revoke what it does not know of by itself.
    let unrevoked = authority.finish_rotation(&host(&directory), &by()).unwrap();
    assert_eq!(unrevoked, ["Puppet CA: ca"]);
    let former =
        authority.chain().iter().find(|each| each.common_name().unwrap() == "Puppet CA: ca").unwrap();
    let authority = reopened(&authority);
    let list = rotate::sign_root_list(&root, None, std::slice::from_ref(former)).unwrap();
    assert_eq!(authority.update_crls(std::slice::from_ref(&list)).unwrap(), 1);
    let of_root = authority.crls().unwrap().into_iter().find(|each| each.issuer() == list.issuer()).unwrap();
    assert!(of_root.revokes(&former.serial()));
    assert_eq!(authority.update_crls(&[list]).unwrap(), 0, "the same list is not newer");
    let foreign = generate(&authority, "node");
    let refused = rotate::sign_root_list(&root, None, &[foreign]).unwrap_err();
    assert!(refused.to_string().contains("the root has not signed"), "{refused}");
    // A lost list of the root is made again from a copy only: its number must grow.
    std::fs::remove_file(root.join("root_crl.pem")).unwrap();
    assert!(rotate::sign_root_list(&root, None, &[]).is_err());
    let known = std::fs::read(&layout.crl).unwrap();
    let next = rotate::sign_root_list(&root, Some(&known), &[]).unwrap();
    assert!(next.number() > of_root.number() && next.revokes(&former.serial()));
}

#[test]
fn an_authority_that_is_its_own_root_gets_a_new_root() {
    let directory = Directory::new();
    let made = authority(&directory);
    // As Puppet 5 made them: one certificate that signs itself and everything else.
    let root = made.chain().iter().find(|each| each.is_root()).unwrap();
    std::fs::copy(made.layout.root_key(), &made.layout.key).unwrap();
    std::fs::remove_file(made.layout.root_key()).unwrap();
    std::fs::write(&made.layout.certificate, root.to_pem()).unwrap();
    let authority = reopened(&made);
    let old = generate(&authority, "node");
    let new = authority.replace_key(new_key, &by()).unwrap();
    assert!(new.is_root() && new.is_signed_by(new.public_key()));
    let authority = reopened(&authority);
    assert!(authority.has_signed(&old) && new.has_signed(&generate(&authority, "another")));
    authority.revoke(&["node".to_owned()], &by()).unwrap();
    authority.finish_rotation(&host(&directory), &by()).unwrap();
    let authority = reopened(&authority);
    assert_eq!(authority.chain().len(), 1);
    let renewed = authority.renew_own(&by());
    assert!(renewed.is_err() || renewed.unwrap().public_key() == new.public_key());
}

/// The files of a directory, and those below it.
fn files_of(directory: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files_of(&path)),
            false => all.push((path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    all
}

/// After each step of a rotation: the files that have changed so far are new, the others old.
#[test]
fn a_crash_within_a_rotation_leaves_an_authority_that_works() {
    let directory = Directory::new();
    let made = authority(&directory);
    made.next_request(new_key).unwrap();
    let before = files_of(&made.layout.directory);
    let new = made.replace_key(|| panic!("the key is there"), &by()).unwrap();
    let layout = made.layout.clone();
    let former = std::fs::read_dir(layout.former_keys()).unwrap().next().unwrap().unwrap().path();
    let steps =
        [&former, &layout.crl, &layout.infra_crl(), &layout.certificate, &layout.key, &layout.public_key];
    let after: Vec<Vec<u8>> = steps.iter().map(|path| std::fs::read(path).unwrap()).collect();
    for done in 0..=steps.len() {
        std::fs::remove_dir_all(&layout.directory).unwrap();
        for (path, bytes) in &before {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        std::fs::create_dir_all(layout.former_keys()).unwrap();
        for (path, bytes) in steps.iter().zip(&after).take(done) {
            std::fs::write(path, bytes).unwrap();
        }
        let authority =
            Authority::open(layout.clone(), practice()).unwrap_or_else(|error| panic!("{done}: {error}"));
        generate(&authority, "during");
        authority.revoke(&["old".to_owned(), "during".to_owned()], &by()).unwrap();
        assert!(
            reopened(&authority).is_revoked(&authority.signed("during").unwrap().unwrap().serial()).unwrap()
        );
        // Who repeats the command gets a rotation that is complete.
        let authority = reopened(&authority);
        if !authority.has_former_issuers() {
            authority.replace_key(new_key, &by()).unwrap();
        }
        let authority = reopened(&authority);
        assert!(authority.has_former_issuers() && !layout.next_key().exists(), "{done}");
        assert_eq!(authority.certificate().public_key(), new.public_key(), "{done}");
    }
}

#[test]
fn a_backup_has_the_keys_of_a_rotation() {
    let directory = Directory::new();
    let authority = authority(&directory);
    authority.replace_key(new_key, &by()).unwrap();
    let archive = directory.0.join("backup.json");
    let authority = reopened(&authority);
    authority.back_up(&[], &archive, false, &by()).unwrap();
    let layout = Layout::at(directory.0.join("restored"));
    let bytes = std::fs::read(&archive).unwrap();
    let (restored, _) = backup::restore(&layout, practice(), &bytes, false, &by()).unwrap();
    assert!(restored.has_former_issuers());
    let old = authority.signed("old").unwrap().unwrap();
    restored.revoke(&["old".to_owned()], &by()).unwrap();
    assert!(restored.is_revoked(&old.serial()).unwrap());
}

#[test]
fn a_running_server_follows_a_rotation() {
    let harness = Harness::new("autosign = true", |directory| {
        directory.write("code/environments/production/manifests/site.pp", "notify { 'a': }");
    });
    let environments = "/puppet/v3/environments";
    // A node that has fetched only the first certificate of the authority.
    let old = harness.node("old");
    assert_eq!(old.get(environments).status, 200);
    let server = harness.server();
    let authority = server.authority.as_ref().unwrap().now();
    authority.replace_key(new_key, &by()).unwrap();
    let rotated = server.authority.as_ref().unwrap().now();
    assert!(rotated.has_former_issuers(), "the server has noticed");

    // Its old certificate is good, and the server's is one that it trusts.
    assert_eq!(old.get(environments).status, 200);
    let new = harness.node("new");
    assert_eq!(new.get(environments).status, 200);
    let bundle = harness.stranger().get("/puppet-ca/v1/certificate/ca").text();
    assert_eq!(bundle.matches("BEGIN").count(), 3);
    let lists = harness.stranger().get("/puppet-ca/v1/certificate_revocation_list/ca").text();
    assert_eq!(lists.matches("BEGIN").count(), 3);

    // Certificates of both keys can be revoked at once, and on open connections.
    let admin = harness.admin();
    for name in ["old", "new"] {
        let status = format!("/puppet-ca/v1/certificate_status/{name}");
        assert_eq!(admin.send("PUT", &status, &[], b"{\"desired_state\":\"revoked\"}").status, 204);
    }
    for client in [&old, &new] {
        let reply = client.try_send("GET", environments, &[], b"");
        assert!(reply.map_or(true, |reply| reply.status == 403));
    }

    let third = harness.node("third");
    let settings = &server.settings.host;
    let now = server.authority.as_ref().unwrap().now();
    now.finish_rotation(settings, &by()).unwrap();
    assert_eq!(third.get(environments).status, 200);
    // After the end of the rotation lists are still followed.
    let now = server.authority.as_ref().unwrap().now();
    assert!(!now.has_former_issuers());
    now.revoke(&["third".to_owned()], &by()).unwrap();
    let reply = third.try_send("GET", environments, &[], b"");
    assert!(reply.map_or(true, |reply| reply.status == 403));
}
