//! Readers of what strangers send to a server.

use kukla_server::auth::Rules;
use kukla_server::ca::certificate::{Certificate, alt_names, puppet_extensions};
use kukla_server::ca::crl::Crl;
use kukla_server::ca::request::{Allowed, Request, check_name};
use kukla_server::call;

/// A request for a certificate.
pub fn certificate_request(text: &[u8]) {
    let Ok(request) = Request::from_pem(text) else { return };
    let _ = (request.common_name(), request.renews(), request.is_signed());
    let _ = request.check("web1", Allowed { alt_names: true, authorization: true });
}

/// A certificate, or a list of revoked ones.
pub fn certificate(text: &[u8]) {
    for certificate in Certificate::all_from_pem(text).into_iter().flatten() {
        let _ = (certificate.common_name(), certificate.serial(), certificate.not_after());
        let _ = (alt_names(certificate.extensions()), puppet_extensions(certificate.extensions()));
        let _ = certificate.is_signed_by(certificate.public_key());
    }
    for list in Crl::all_from_pem(text).into_iter().flatten() {
        let _ = (list.serials().count(), list.number(), list.next_update());
    }
}

/// The path and the parameters of a request.
pub fn call(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    if let Some(path) = call::path(&text) {
        assert!(path.split('/').all(|part| part != ".."), "{path}");
    }
    let _ = call::parameters(&text);
    if check_name(&text).is_ok() {
        assert!(!text.contains(['/', '\\', '\0']) && !text.starts_with('.'));
    }
}

/// Rules for who may do what.
pub fn rules(text: &[u8]) {
    let _ = Rules::parse(&String::from_utf8_lossy(text));
}
