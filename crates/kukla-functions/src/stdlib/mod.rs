//! puppetlabs-stdlib: its functions of version 9 under their old and their namespaced names, and those of version 8 that it dropped.
//!
//! A namespaced name does what it does in version 9. An old one does what it did in version 8, and with version 9 among the modules what it
//! does there.

use kukla_eval::function::Builtin;

pub mod affixes;
pub mod arrays;
pub mod booleans;
pub mod checks;
pub mod delete;
pub mod emit;
pub mod encode;
pub mod escape;
pub mod glob;
pub mod hashes;
pub mod interfaces;
pub mod json;
pub mod misc;
pub mod network;
pub mod originals;
pub mod parse;
pub mod passwords;
pub mod paths;
pub mod random;
pub mod resources;
pub mod since9;
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
    glob::BUILTINS,
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

/// The functions that only version 8 has, and what some were in it.
pub static FORMER: &[&[Builtin]] = &[
    checks::BUILTINS,
    hashes::old::BUILTINS,
    misc::old::BUILTINS,
    resources::old::BUILTINS,
    text::old::BUILTINS,
    validate::old::BUILTINS,
];

/// Functions of version 9 that differ from those of version 8.
pub static LATER: &[&[Builtin]] = &[since9::BUILTINS];

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

/// The names of version 8 that Puppet has taken over; its own function counts.
pub static TAKEN_OVER: &[&str] = &[
    "abs",
    "camelcase",
    "capitalize",
    "ceiling",
    "chomp",
    "chop",
    "dig",
    "downcase",
    "empty",
    "flatten",
    "floor",
    "getvar",
    "join",
    "keys",
    "length",
    "lstrip",
    "max",
    "min",
    "round",
    "rstrip",
    "size",
    "sort",
    "strip",
    "type",
    "unique",
    "upcase",
    "values",
];

/// Names of both versions that Kukla knows without the module, as the language's own documents do.
pub static ALWAYS: &[&str] = &["is_a", "type_of"];

/// The functions of puppetlabs-stdlib with a name, in versions 8 and 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// Whether version 8 has it.
    pub eight: bool,
    /// Whether version 9 has it.
    pub nine: bool,
}

/// The versions that have a function, if it is one of stdlib's.
pub fn versions(name: &str) -> Option<Versions> {
    let has =
        |tables: &[&[Builtin]]| tables.iter().any(|table| table.iter().any(|builtin| builtin.name == name));
    if NEW.contains(&name) {
        Some(Versions { eight: false, nine: true })
    } else if ALWAYS.contains(&name) || has(CURRENT) {
        Some(Versions { eight: true, nine: true })
    } else if TAKEN_OVER.contains(&name) || has(FORMER) {
        Some(Versions { eight: true, nine: false })
    } else {
        None
    }
}
