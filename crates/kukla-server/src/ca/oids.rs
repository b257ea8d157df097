//! The numbers of Puppet's certificate extensions and their names.

use der::asn1::ObjectIdentifier;

/// Extensions whose names Puppet knows, in the order of their numbers.
const NAMES: [(&str, &str); 30] = [
    ("1.3.6.1.4.1.34380.1.1.1", "pp_uuid"),
    ("1.3.6.1.4.1.34380.1.1.2", "pp_instance_id"),
    ("1.3.6.1.4.1.34380.1.1.3", "pp_image_name"),
    ("1.3.6.1.4.1.34380.1.1.4", "pp_preshared_key"),
    ("1.3.6.1.4.1.34380.1.1.5", "pp_cost_center"),
    ("1.3.6.1.4.1.34380.1.1.6", "pp_product"),
    ("1.3.6.1.4.1.34380.1.1.7", "pp_project"),
    ("1.3.6.1.4.1.34380.1.1.8", "pp_application"),
    ("1.3.6.1.4.1.34380.1.1.9", "pp_service"),
    ("1.3.6.1.4.1.34380.1.1.10", "pp_employee"),
    ("1.3.6.1.4.1.34380.1.1.11", "pp_created_by"),
    ("1.3.6.1.4.1.34380.1.1.12", "pp_environment"),
    ("1.3.6.1.4.1.34380.1.1.13", "pp_role"),
    ("1.3.6.1.4.1.34380.1.1.14", "pp_software_version"),
    ("1.3.6.1.4.1.34380.1.1.15", "pp_department"),
    ("1.3.6.1.4.1.34380.1.1.16", "pp_cluster"),
    ("1.3.6.1.4.1.34380.1.1.17", "pp_provisioner"),
    ("1.3.6.1.4.1.34380.1.1.18", "pp_region"),
    ("1.3.6.1.4.1.34380.1.1.19", "pp_datacenter"),
    ("1.3.6.1.4.1.34380.1.1.20", "pp_zone"),
    ("1.3.6.1.4.1.34380.1.1.21", "pp_network"),
    ("1.3.6.1.4.1.34380.1.1.22", "pp_securitypolicy"),
    ("1.3.6.1.4.1.34380.1.1.23", "pp_cloudplatform"),
    ("1.3.6.1.4.1.34380.1.1.24", "pp_apptier"),
    ("1.3.6.1.4.1.34380.1.1.25", "pp_hostname"),
    ("1.3.6.1.4.1.34380.1.1.26", "pp_owner"),
    ("1.3.6.1.4.1.34380.1.3.1", "pp_authorization"),
    ("1.3.6.1.4.1.34380.1.3.2", "pp_auth_auto_renew"),
    ("1.3.6.1.4.1.34380.1.3.13", "pp_auth_role"),
    ("1.3.6.1.4.1.34380.1.3.39", "pp_cli_auth"),
];

/// Its holder may manage the certificates of others.
pub const CLI_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.34380.1.3.39");
/// The attribute of a request whose sender renews its certificate by itself.
pub const AUTO_RENEW: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.34380.1.3.2");
/// A comment, for people.
pub const NETSCAPE_COMMENT: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.113730.1.13");

/// The arcs of extensions that register a node, of those private to a site, and of those that give rights.
const REGISTRATION: &str = "1.3.6.1.4.1.34380.1.1";
const PRIVATE: &str = "1.3.6.1.4.1.34380.1.2";
const AUTHORIZATION: &str = "1.3.6.1.4.1.34380.1.3";

/// The name that Puppet has for an extension, if it has one.
pub fn short_name(oid: ObjectIdentifier) -> Option<&'static str> {
    let text = oid.to_string();
    NAMES.iter().find(|(known, _)| *known == text).map(|(_, name)| *name)
}

/// The extension that Puppet calls by this name, or that is written as a number.
pub fn by_name(name: &str) -> Option<ObjectIdentifier> {
    let number = NAMES.iter().find(|(_, known)| *known == name).map_or(name, |(number, _)| number);
    ObjectIdentifier::new(number).ok()
}

/// Whether it is one of Puppet's own, which become trusted facts.
pub fn is_puppets(oid: ObjectIdentifier) -> bool {
    [REGISTRATION, PRIVATE, AUTHORIZATION].iter().any(|arc| is_below(oid, arc))
}

/// Whether it gives its holder rights.
pub fn gives_rights(oid: ObjectIdentifier) -> bool {
    is_below(oid, AUTHORIZATION)
}

fn is_below(oid: ObjectIdentifier, arc: &str) -> bool {
    oid.to_string().strip_prefix(arc).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        let role = by_name("pp_role").unwrap();
        assert_eq!(
            (role.to_string().as_str(), short_name(role)),
            ("1.3.6.1.4.1.34380.1.1.13", Some("pp_role"))
        );
        assert!(is_puppets(role) && !gives_rights(role) && gives_rights(CLI_AUTH));
        // A number that only begins alike is another one.
        assert!(!is_puppets(by_name("1.3.6.1.4.1.34380.1.10.1").unwrap()));
        assert!(by_name("pp_nothing").is_none());
    }
}
