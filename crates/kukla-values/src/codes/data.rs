//! Data that is not there.

use kukla_syntax::{Diagnostic, diagnostic};

use crate::Str;

kukla_syntax::codes! {
    pub DATA;

    /// No level of any hierarchy has the key, and there is no default. `kukla lookup KEY --explain` shows where it was looked for.
    ///
    /// ```puppet
    /// lookup('no_such_key')    # error
    /// ```
    KEY_NOT_FOUND as LOOKUP_ERROR: Error, "Function lookup() did not find a value for the name '{name}'";

    /// No level of any hierarchy has one of the keys, and there is no default.
    ///
    /// ```puppet
    /// lookup(['one_key', 'another_key'])    # error
    /// ```
    KEYS_NOT_FOUND as LOOKUP_ERROR: Error, "Function lookup() did not find a value for any of the names [{names}]";
}

/// That none of these keys has a value in any data.
pub fn missing(names: &[Str]) -> Diagnostic {
    match names {
        [name] => diagnostic!(KEY_NOT_FOUND { name }),
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            diagnostic!(KEYS_NOT_FOUND { names: names.join(", ") })
        }
    }
}
