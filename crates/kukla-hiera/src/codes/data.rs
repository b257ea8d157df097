//! Errors in data and in lookups.

kukla_syntax::codes! {
    pub DATA;

    /// A key is made of names and numbers with dots between them; quotes keep a dot in a name.
    ///
    /// ```puppet
    /// lookup('a..b')    # error
    /// ```
    KEY_SYNTAX as LOOKUP_ERROR: Error, "Syntax error in key: '{key}'";

    /// The value of a key refers to itself, perhaps through others.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// a: "%{lookup('b')}"
    /// b: "%{lookup('a')}"
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    RECURSIVE_LOOKUP as RECURSIVE_LOOKUP_ERROR: Error, "Recursive lookup detected in [{names}]";

    /// The data of the global layer, which its own `hiera.yaml` describes, could not be looked up.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// a: "%{lookup('b')}"
    /// b: "%{lookup('a')}"
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    GLOBAL_LOOKUP_FAILED as LOOKUP_ERROR: Error, "Lookup of key '{key}' failed: {cause}";

    /// A dotted key reaches into a value that is neither a hash nor an array.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// port: 80
    /// ```
    ///
    /// ```puppet
    /// lookup('port.number')    # error
    /// ```
    KEY_INTO_SCALAR as LOOKUP_ERROR: Error, "Data Provider type mismatch: Got {actual} when a hash-like object was expected to access value using '{segment}' from key '{key}'";

    /// The older functions cannot merge the values of a dotted key.
    MERGED_DOTTED_KEY as LOOKUP_ERROR: Error, "Resolution type :{strategy} is illegal when accessing values using dotted keys. Offending key was '{key}'";

    /// Values are merged in one of the ways `first`, `unique`, `hash` and `deep`.
    ///
    /// ```puppet
    /// lookup('a', { 'merge' => 'uniqe' })    # error
    /// ```
    UNKNOWN_MERGE_STRATEGY as ARGUMENT_ERROR: Error, "Unknown merge strategy: '{name}'";

    /// Merge options require a `strategy`.
    ///
    /// ```puppet
    /// lookup('a', { 'merge' => { 'knockout_prefix' => '--' } })    # error
    /// ```
    MERGE_WITHOUT_STRATEGY as ARGUMENT_ERROR: Error, "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'";

    /// Elements that begin with the knockout prefix are removed; an empty prefix would remove everything.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, paths: [a.yaml, b.yaml] }]
    /// ```
    ///
    /// `data/a.yaml`:
    ///
    /// ```yaml
    /// a: { x: 1 }
    /// ```
    ///
    /// `data/b.yaml`:
    ///
    /// ```yaml
    /// a: { y: 1 }
    /// ```
    ///
    /// ```puppet
    /// lookup('a', { 'merge' => { 'strategy' => 'deep', 'knockout_prefix' => '' } })    # error
    /// ```
    EMPTY_KNOCKOUT_PREFIX as INVALID_PARAMETER: Error, "knockout_prefix cannot be an empty string in deep_merge!";

    /// Data nested this deep cannot be merged.
    MERGE_TOO_DEEP as LOOKUP_ERROR: Error, "data nested deeper than 500 levels cannot be merged";

    /// `sort_merged_arrays` sorts arrays whose elements have an order.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, paths: [a.yaml, b.yaml] }]
    /// ```
    ///
    /// `data/a.yaml`:
    ///
    /// ```yaml
    /// a: { x: [1] }
    /// ```
    ///
    /// `data/b.yaml`:
    ///
    /// ```yaml
    /// a: { x: [b] }
    /// ```
    ///
    /// ```puppet
    /// lookup('a', { 'merge' => { 'strategy' => 'deep', 'sort_merged_arrays' => true } })    # error
    /// ```
    UNORDERED_MERGE as ARGUMENT_ERROR: Error, "comparison of {left} with {right} failed";

    /// A key of `lookup_options` that begins with `^` is a regular expression.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// lookup_options: { "^(": { merge: hash } }
    /// a: 1
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    LOOKUP_OPTIONS_PATTERN as REGEXP_ERROR: Error, "{cause}";

    /// `lookup_options` is a hash of keys and their options.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// lookup_options: merge
    /// a: 1
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    LOOKUP_OPTIONS_NO_HASH as LOOKUP_ERROR: Error, "value of lookup_options must be a hash";

    /// A module can set options for its own keys only.
    ///
    /// `modules/ntp/manifests/init.pp`:
    ///
    /// ```puppet
    /// class ntp ($a) { }
    /// ```
    ///
    /// `modules/ntp/hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// ```
    ///
    /// `modules/ntp/data/common.yaml`:
    ///
    /// ```yaml
    /// lookup_options: { chrony::a: { merge: hash } }
    /// ntp::a: 1
    /// ```
    ///
    /// ```puppet
    /// include ntp    # error
    /// ```
    LOOKUP_OPTIONS_OF_OTHERS as LOOKUP_ERROR: Error, "all lookup_options {kind} module name '{module}'";

    /// `convert_to` names a type.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// lookup_options: { a: { convert_to: "no type" } }
    /// a: 1
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    CONVERT_TO_NO_TYPE as LOOKUP_ERROR: Error, "Invalid data type in lookup_options for key '{key}' could not parse '{name}', error: '{cause}";

    /// The value cannot be converted to the type that `convert_to` names.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// lookup_options: { a: { convert_to: Integer } }
    /// a: eighty
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    CONVERT_TO_FAILED as LOOKUP_ERROR: Error, "The convert_to lookup_option for key '{key}' raised error: {cause}";

    /// `convert_to` names a type that does not exist.
    INSTANCE_OF_NOTHING as RUNTIME_ERROR: Error, "Creation of new instance of type 'TypeReference['{name}']' is not supported";

    /// `convert_to` is a type, or an array of one and the arguments for making an instance.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// lookup_options: { a: { convert_to: 1 } }
    /// a: 1
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    CONVERT_TO_NO_NAME as RUNTIME_ERROR: Error, "'{value}' is not a type";

    /// A data file is not valid in the format of its level.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// a: [1, 2
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    UNPARSEABLE_DATA as LOOKUP_ERROR: Error, "Unable to parse {reason}";

    /// A data file holds a hash of keys and values.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// - a
    /// - b
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    DATA_NO_HASH as LOOKUP_ERROR: Strict, "{file}: file does not contain a valid yaml hash";

    /// A required file does not exist.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, data_hash: f }]
    /// ```
    ///
    /// ```puppet
    /// function f($options, $context) { $context.cached_file_data('/no/file') }
    /// lookup('a')    # error
    /// ```
    MISSING_DATA_FILE as ENOENT: Error, "No such file or directory @ rb_sysopen - {file}";

    /// A file cannot be read.
    UNREADABLE_DATA_FILE as FILE_UNREADABLE: Error, "{reason} - {file}";

    /// An encrypted value cannot be decrypted; the message says why.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, lookup_key: eyaml_lookup_key, path: a.eyaml, options: { pkcs7_private_key: no_key.pem } }]
    /// ```
    ///
    /// `data/a.eyaml`:
    ///
    /// ```yaml
    /// a: ENC[PKCS7,bm8=]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    DECRYPTION_FAILED as LOOKUP_ERROR: Error, "hiera-eyaml backend error decrypting ENC[...] when looking up {key} in {file}. Error was {reason}";

    /// A backend returned a value that is not data: strings, numbers, booleans, arrays and hashes of these.
    NO_LOOKUP_VALUE as TYPE_ASSERTION_ERROR: Error, "{source} has wrong type, expects Puppet::LookupValue, got {actual}";

    /// Data or its configuration refers to a variable that is not set: `%{facts.role}` where there is no fact of that name.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// a: "%{no_such_variable}"
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    UNDEFINED_DATA_VARIABLE as ARGUMENT_ERROR: Strict, "Undefined variable '{name}'; {reason}";

    /// A `hiera.yaml` refers to a variable that is not set.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, lookup_key: f, options: { b: "%{no_such_variable}" } }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_UNDEFINED_VARIABLE: Error, "Undefined variable '{name}'";

    /// The text between `%{` and `}` is a variable or a call of `lookup`, `alias`, `hiera`, `scope` or `literal`.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// a: "%{facts..os}"
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    INTERPOLATION_SYNTAX as LOOKUP_ERROR: Error, "Syntax error in string: {text}";

    /// Paths and options interpolate variables only.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, path: "%{lookup('b')}.yaml" }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED: Error, "Interpolation using method syntax is not allowed in this context";

    /// `%{alias('key')}` is replaced by the value of another key unchanged, so it must be the whole string.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// a: 1
    /// b: "the %{alias('a')}"
    /// ```
    ///
    /// ```puppet
    /// lookup('b')    # error
    /// ```
    HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING: Error, "'alias' interpolation is only permitted if the expression is equal to the entire string";

    /// The methods of interpolation are `lookup`, `hiera`, `alias`, `scope` and `literal`.
    ///
    /// `data/common.yaml`:
    ///
    /// ```yaml
    /// a: "%{lokup('b')}"
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD: Error, "Unknown interpolation method '{name}'";
}
