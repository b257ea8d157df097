//! The rules of values, types and data.

use kukla_syntax::{Diagnostic, diagnostic};

use crate::Str;

kukla_syntax::codes! {
    pub CODES;

    /// A number is needed: an operand of arithmetic, an index. A string counts if it spells one and `strict` allows it.
    ///
    /// ```puppet
    /// 'eighty' * 2    # error
    /// ```
    NOT_NUMERIC: Error, "The value '{value}' cannot be converted to Numeric.";

    /// A string that spells a number was used as that number. Convert it with `Integer($x)` or `Numeric($x)`.
    ///
    /// ```puppet
    /// notice('80' + 1)             # error
    /// notice(Integer('80') + 1)    # fine
    /// ```
    NUMERIC_COERCION: Strict, "The string '{text}' was automatically coerced to the numerical value {number}";

    /// The operator means nothing for this kind of value.
    ///
    /// ```puppet
    /// true[0]    # error
    /// ```
    OPERATOR_NOT_APPLICABLE: Error, "Operator '{operator}' is not applicable to {operand}.";

    /// No type of this name is defined, neither by Puppet nor by a module.
    ///
    /// ```puppet
    /// 'a' =~ Sting    # error
    /// ```
    UNKNOWN_RESOURCE_TYPE: Error, "Resource type not found: {name}";

    /// A text that is to be read as a type does not spell one.
    ///
    /// ```puppet
    /// assert_type(Type.new('no type'), 1)    # error
    /// ```
    INVALID_TYPE_SPECIFICATION as RUNTIME_ERROR: Error, "The expression <{text}> is not a valid type specification.";

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
