//! Readers of what strangers send: whatever the bytes are, there is an answer and no fault.

#![allow(clippy::disallowed_methods)]

use kukla_server::auth::Rules;
use kukla_server::ca::audit::Actor;
use kukla_server::ca::certificate::{
    Certificate, alt_names, alt_names_extension, puppet_extensions, text_extension,
};
use kukla_server::ca::crl::Crl;
use kukla_server::ca::keys::{Key, KeyKind, pem};
use kukla_server::ca::request::{Allowed, Request, alt_name, check_name};
use kukla_server::ca::{CertificateOptions, Layout, Practice, oids, setup, time};
use kukla_server::call;
use proptest::prelude::*;

fn seed_request() -> Vec<u8> {
    let key = Key::generate(KeyKind::Ec).unwrap();
    let role = text_extension(oids::by_name("pp_role").unwrap(), "web").unwrap();
    let names =
        alt_names_extension(vec![alt_name("www").unwrap(), alt_name("IP:10.0.0.1").unwrap()]).unwrap();
    Request::new("web1", &key, vec![role, names]).unwrap().der().to_vec()
}

/// Bytes with some of them changed, taken away or doubled.
fn mutated(bytes: &[u8], changes: &[(u16, u8, u8)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (place, kind, value) in changes {
        let at = usize::from(*place) % bytes.len().max(1);
        match kind % 4 {
            0 => bytes[at] = *value,
            1 => bytes[at] ^= 1 << (value % 8),
            2 => {
                bytes.remove(at);
            }
            _ => bytes.insert(at, *value),
        }
    }
    bytes
}

fn read_request(bytes: &[u8]) {
    let Ok(request) = Request::from_pem(pem("CERTIFICATE REQUEST", bytes).as_bytes()) else { return };
    let _ = (request.common_name(), request.renews(), request.is_signed(), request.extensions());
    let _ = request.check("web1", Allowed { alt_names: true, authorization: true });
}

fn read_certificate(bytes: &[u8]) {
    let Ok(certificate) = Certificate::from_der(bytes) else { return };
    let _ = (
        certificate.common_name(),
        certificate.serial(),
        certificate.not_after(),
        certificate.key_identifier(),
    );
    let _ = (
        certificate.issuer_identifier(),
        alt_names(certificate.extensions()),
        puppet_extensions(certificate.extensions()),
    );
    let _ = certificate.is_signed_by(certificate.public_key());
}

fn read_list(bytes: &[u8]) {
    let Ok(list) = Crl::from_der(bytes) else { return };
    let _ = (list.serials().count(), list.number(), list.next_update());
}

fn changes() -> impl Strategy<Value = Vec<(u16, u8, u8)>> {
    proptest::collection::vec(any::<(u16, u8, u8)>(), 1..6)
}

#[test]
fn damaged_certificates_requests_and_lists() {
    let directory = std::env::temp_dir().join(format!("kukla-untrusted-{}", std::process::id()));
    let practice = Practice { keys: KeyKind::Ec, ..Practice::default() };
    let authority = setup::make(&Layout::at(&directory), practice, "ca").unwrap();
    let (_, certificate) = authority.generate("web1", &CertificateOptions::default()).unwrap();
    authority.revoke(&["web1".to_owned()], &Actor::default()).unwrap();
    let list = authority.crls().unwrap().remove(0);
    std::fs::remove_dir_all(&directory).unwrap();
    let request = seed_request();
    proptest!(ProptestConfig::with_cases(3000), |(changes in changes())| {
        read_request(&mutated(&request, &changes));
        read_certificate(&mutated(certificate.der(), &changes));
        read_list(&mutated(list.der(), &changes));
    });
}

proptest! {
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read_request(&bytes);
        read_certificate(&bytes);
        read_list(&bytes);
        let _ = Request::from_pem(&bytes);
        let _ = Certificate::all_from_pem(&bytes);
        let _ = Crl::all_from_pem(&bytes);
        let _ = Key::from_pem(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        let _ = (call::path(&text), call::parameters(&text), check_name(&text), time::from_http(&text), time::duration(&text));
    }

    #[test]
    fn any_rules(text in "[a-z{}:\\[\\]\",* $\\^/()\n-]{0,200}") {
        let _ = Rules::parse(&text);
        let _ = Rules::parse(&format!("authorization: {{ version: 1, rules: [ {text} ] }}"));
    }

    #[test]
    fn names_that_are_good_are_names_of_files(name in "[ -~]{0,40}") {
        if check_name(&name).is_ok() {
            prop_assert!(!name.contains(['/', '\\', '*', '\0']) && !name.starts_with('.') && !name.is_empty());
        }
    }
}
