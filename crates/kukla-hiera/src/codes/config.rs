//! Errors in `hiera.yaml`.

kukla_syntax::codes! {
    pub CONFIG;

    /// A `hiera.yaml` is not valid YAML.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: [5
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    UNPARSEABLE_CONFIG as YAML_LOAD_ERROR: Error, "{reason}";

    /// The `version` of a `hiera.yaml` is 5; older versions are supported, newer ones do not exist.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 6
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_UNSUPPORTED_VERSION: Error, "This runtime does not support hiera.yaml version {version}";

    /// Version 4 of `hiera.yaml` was for environments and modules.
    HIERA_UNSUPPORTED_VERSION_IN_GLOBAL: Error, "hiera.yaml version 4 cannot be used in the global layer";

    /// Version 3 of `hiera.yaml` was for the global layer.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 3
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_VERSION_3_NOT_GLOBAL: Strict, "hiera.yaml version 3 cannot be used in {place}";

    /// The defaults name one kind of function.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// defaults: { data_hash: yaml_data, lookup_key: eyaml_lookup_key }
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT: Error, "Only one of {keys} can be defined in defaults";

    /// Options named `path` and `uri` are reserved: Puppet sets them.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// defaults: { options: { path: a } }
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET: Error, "Option key '{key}' used in defaults is reserved by Puppet";

    /// Only modules can have a `default_hierarchy`.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// default_hierarchy: [{ name: a, path: a.yaml }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE: Error, "'default_hierarchy' is only allowed in the module layer";

    /// A level names the function that reads its data, unless the defaults do.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// defaults: { datadir: data }
    /// hierarchy: [{ name: a, path: a.yaml }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_MISSING_DATA_PROVIDER_FUNCTION: Error, "One of {keys} must be defined in hierarchy '{name}'";

    /// A level names one function.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, path: a.yaml, data_hash: yaml_data, lookup_key: eyaml_lookup_key }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS: Error, "Only one of {keys} can be defined in hierarchy '{name}'";

    /// Backends of Hiera 3 were for the global layer.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, hiera3_backend: mongodb }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_V3_BACKEND_NOT_GLOBAL: Error, "'hiera3_backend' is only allowed in the global layer";

    /// The functions of these backends are built in.
    HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH: Error, "Use \"data_hash: {name}_data\" instead of \"hiera3_backend: {name}\"";

    /// A level has only one of `path`, `paths`, `glob`, `globs`, `uri`, `uris` and `mapped_paths`.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, path: a.yaml, glob: "*.yaml" }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_MULTIPLE_LOCATION_SPECS: Error, "Only one of {keys} can be defined in hierarchy '{name}'";

    /// Options named `path` and `uri` are reserved: Puppet sets them.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, lookup_key: f, options: { path: a } }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_OPTION_RESERVED_BY_PUPPET: Error, "Option key '{key}' used in hierarchy '{name}' is reserved by Puppet";

    /// Version 4 of `hiera.yaml` supports the backends `yaml`, `json` and `hocon`.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 4
    /// hierarchy: [{ name: a, backend: xml }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_NO_PROVIDER_FOR_BACKEND: Error, "No data provider is registered for backend '{name}'";

    /// The function that a level names does not exist.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, lookup_key: site::no_such_function }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND: Error, "Unable to find '{kind}' function named '{name}'";

    /// A level with data files requires a path.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, data_hash: yaml_data }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    DATA_HASH_WITHOUT_PATH as ARGUMENT_ERROR: Error, "'{function}' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function";

    /// A level with encrypted data files requires a path.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, lookup_key: eyaml_lookup_key }]
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    EYAML_WITHOUT_PATH as ARGUMENT_ERROR: Error, "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this lookup_key function";

    /// A `uri` of a level is not a valid URI.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, lookup_key: f, uri: "no uri" }]
    /// ```
    ///
    /// ```puppet
    /// function f($key, $options, $context) { $context.not_found }
    /// lookup('a')    # error
    /// ```
    BAD_URI as URI_INVALID_URI_ERROR: Error, "bad URI(is not URI?): {uri}";

    /// The data providers of Puppet 4 are `none`, `hiera` and `function`.
    UNKNOWN_DATA_PROVIDER as ERROR: Error, "Environment '{environment}', cannot find {setting} '{name}'";

    /// Two levels of a hierarchy have the same name.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy:
    ///   - name: a
    ///     path: a.yaml
    ///   - name: a
    ///     path: b.yaml
    /// ```
    ///
    /// ```puppet
    /// lookup('a')    # error
    /// ```
    HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED: Error, "Hierarchy name '{name}' defined more than once.{earlier}";

    /// A version 3 `hiera.yaml` names the same backend twice.
    HIERA_BACKEND_MULTIPLY_DEFINED: Error, "Backend '{name}' is defined more than once.{earlier}";
}
