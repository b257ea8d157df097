//! Values as JSON and back.

kukla_syntax::codes! {
    pub RICH_DATA;

    /// JSON knows neither infinity nor what is not a number.
    NUMBER_NOT_IN_JSON as RUNTIME_ERROR: Error, "{number} not allowed in JSON";

    /// Without rich data a catalog holds plain values only, and `default` becomes a string. Leave it out or set `rich_data`.
    ///
    /// ```toml
    /// rich_data = false
    /// ```
    ///
    /// ```puppet
    /// notify { 'a': message => default }    # error
    /// ```
    SERIALIZATION_DEFAULT_CONVERTED_TO_STRING: Strict, "{place} contains the special value default. It will be converted to the String 'default'";

    /// Without rich data a catalog holds plain values only, and this one becomes a string. Convert it or set `rich_data`.
    ///
    /// ```toml
    /// rich_data = false
    /// ```
    ///
    /// ```puppet
    /// notify { 'a': message => /x/ }    # error
    /// ```
    SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING: Strict, "{place} contains {value} value. It will be converted to the String '{text}'";

    /// Without rich data the keys of hashes in a catalog are strings, and this one becomes one. Convert it or set `rich_data`.
    ///
    /// ```toml
    /// rich_data = false
    /// ```
    ///
    /// ```puppet
    /// notify { 'a': message => { 1 => 2 } }    # error
    /// ```
    SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING: Strict, "{place} contains a hash with {key} key. It will be converted to the String '{text}'";

    /// A value nested so deeply is not written as JSON.
    SERIALIZED_TOO_DEEP as RUNTIME_ERROR: Error, "Value is nested too deeply to be serialized";

    /// Data nested so deeply is not read.
    READ_TOO_DEEP as RUNTIME_ERROR: Error, "Data is nested too deeply to be read";

    /// The value of `__ptype` in data does not describe a type.
    NO_DESCRIBED_TYPE as RUNTIME_ERROR: Error, "Unable to deserialize type from {description}";

    /// A reference in data leads nowhere.
    INVALID_LOCAL_REFERENCE as RUNTIME_ERROR: Error, "Unable to parse jsonpath \"{path}\"";

    /// Data names a type under `__ptype` that is not known.
    UNKNOWN_DATA_TYPE as RUNTIME_ERROR: Error, "No implementation mapping found for Puppet Type {name}";
}
