//! puppetlabs-stdlib: its functions of version 9 under their old and their namespaced names, and those of version 8 that it dropped.
//!
//! An old name does what it did in version 8, without the deprecation that version 9 adds to some; the namespaced one does what it does in
//! version 9.

use kukla_eval::function::Builtin;

pub mod affixes;
pub mod arrays;
pub mod booleans;
pub mod checks;
pub mod delete;
pub mod emit;
pub mod encode;
pub mod escape;
pub mod hashes;
pub mod interfaces;
pub mod json;
pub mod misc;
pub mod network;
pub mod parse;
pub mod passwords;
pub mod paths;
pub mod random;
pub mod resources;
pub mod text;
pub mod validate;

/// The functions that version 9 has, and version 8 where it has them.
pub static CURRENT: &[&[Builtin]] = &[
    affixes::BUILTINS,
    arrays::BUILTINS,
    booleans::BUILTINS,
    delete::BUILTINS,
    emit::BUILTINS,
    encode::BUILTINS,
    escape::BUILTINS,
    hashes::BUILTINS,
    interfaces::BUILTINS,
    json::BUILTINS,
    misc::BUILTINS,
    network::BUILTINS,
    parse::BUILTINS,
    passwords::BUILTINS,
    paths::BUILTINS,
    random::BUILTINS,
    resources::BUILTINS,
    text::BUILTINS,
    validate::BUILTINS,
];

/// The functions that only version 8 has.
pub static FORMER: &[&[Builtin]] = &[
    checks::BUILTINS,
    hashes::old::BUILTINS,
    resources::old::BUILTINS,
    text::old::BUILTINS,
    validate::old::BUILTINS,
];

/// The names that only version 9 has.
pub static NEW: &[&str] = &[
    "stdlib::batch_escape",
    "stdlib::crc32",
    "stdlib::ensure_packages",
    "stdlib::fqdn_rand_string",
    "stdlib::fqdn_rotate",
    "stdlib::has_function",
    "stdlib::has_interface_with",
    "stdlib::has_ip_address",
    "stdlib::has_ip_network",
    "stdlib::merge",
    "stdlib::nested_values",
    "stdlib::os_version_gte",
    "stdlib::parsehocon",
    "stdlib::powershell_escape",
    "stdlib::rewrap_sensitive_data",
    "stdlib::seeded_rand",
    "stdlib::seeded_rand_string",
    "stdlib::sha256",
    "stdlib::shell_escape",
    "stdlib::sort_by",
    "stdlib::time",
    "stdlib::to_json",
    "stdlib::to_json_pretty",
    "stdlib::to_python",
    "stdlib::to_ruby",
    "stdlib::to_toml",
    "stdlib::to_yaml",
    "stdlib::type_of",
    "stdlib::validate_domain_name",
    "stdlib::validate_email_address",
];
