//! The built-in functions: those that Puppet ships, and those of puppetlabs-stdlib.
//!
//! One file for each function or close family. A function is its documentation, its Puppet signatures and its body; see
//! [`kukla_eval::function`].

use kukla_eval::function::Builtin;
use kukla_eval::registry::{FunctionOrigin, Library};

pub mod annotate;
pub mod catalog;
pub mod codes;
pub mod collections;
pub mod control;
pub mod dig;
pub mod digests;
pub mod epp;
pub mod files;
pub mod items;
pub mod iterate;
pub mod legacy;
pub mod letters;
pub mod logging;
pub mod lookup;
pub mod numbers;
pub mod order;
pub mod patterns;
pub mod policy;
pub mod puppetdb;
pub mod ruby;
pub mod scan;
pub mod stdlib;
pub mod text;
pub mod tree_each;
pub mod types;
pub mod unique;
pub mod x509;

/// Every function, by where it comes from.
pub static LIBRARIES: &[Library] = &[
    Library { origin: FunctionOrigin::Core, tables: CORE, originals: &[] },
    Library {
        origin: FunctionOrigin::Beside,
        tables: &[policy::BUILTINS, puppetdb::BUILTINS],
        originals: &[],
    },
    Library {
        origin: FunctionOrigin::Stdlib,
        tables: stdlib::CURRENT,
        originals: stdlib::originals::ORIGINALS,
    },
    Library { origin: FunctionOrigin::FormerStdlib, tables: stdlib::FORMER, originals: &[] },
    Library { origin: FunctionOrigin::LaterStdlib, tables: stdlib::LATER, originals: &[] },
];

/// The functions that Puppet ships, and two of stdlib's that the language's own documents know (`type_of`, `is_a`).
static CORE: &[&[Builtin]] = &[
    annotate::BUILTINS,
    catalog::BUILTINS,
    collections::BUILTINS,
    control::BUILTINS,
    dig::BUILTINS,
    digests::BUILTINS,
    epp::BUILTINS,
    files::BUILTINS,
    iterate::BUILTINS,
    letters::BUILTINS,
    logging::BUILTINS,
    lookup::BUILTINS,
    numbers::BUILTINS,
    order::BUILTINS,
    patterns::BUILTINS,
    text::BUILTINS,
    tree_each::BUILTINS,
    types::BUILTINS,
    unique::BUILTINS,
];

#[cfg(test)]
mod blocks;
#[cfg(test)]
mod tests {
    use kukla_eval::fit::misfits;
    use kukla_eval::registry::Registry;

    use super::LIBRARIES;

    #[test]
    fn every_body_takes_what_its_signature_lets_through() {
        let mut wrong: Vec<String> = Vec::new();
        for function in Registry::new(LIBRARIES).all() {
            match misfits(function) {
                Ok(misfits) => wrong.extend(misfits),
                Err(raise) => wrong.push(format!("{raise:?}")),
            }
        }
        wrong.sort();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
