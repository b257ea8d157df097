//! Resources, classes, facts and data: what functions know of the node being compiled.

kukla_syntax::codes! {
    pub RESOURCES;

    /// Scripts, which run with the setting `tasks`, make no catalog, so nothing can be declared or realized in one.
    ///
    /// ```toml
    /// tasks = true
    /// ```
    ///
    /// ```puppet
    /// realize(User['alice'])    # error
    /// ```
    CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING: Error, "The catalog operation '{operation}' is only available when compiling a catalog";

    /// A reference in text has a type and a title: `File[/etc/motd]`.
    ///
    /// ```puppet
    /// realize('motd')    # error
    /// ```
    REFERENCE_WITHOUT_TITLE as RUNTIME_ERROR: Error, "No title provided and {reference} is not a valid resource reference";

    /// A reference to a resource is a type such as `File['/etc/motd']`, or the same in text.
    ///
    /// ```puppet
    /// defined_with_params(Integer)    # error
    /// ```
    REFERENCE_NOT_UNDERSTOOD as RUNTIME_ERROR: Error, "Reference is not understood: '{kind}'";

    /// `stdlib::str2resource` finds resources that are declared above; the title within the brackets has no quotes.
    ///
    /// ```puppet
    /// stdlib::str2resource('File[/etc/motd]')    # error
    /// ```
    RESOURCE_NOT_DECLARED as RUNTIME_ERROR: Error, "stdlib::str2resource(): could not find {reference}, this is parse order dependent and values should not be quoted";

    /// A class or defined type is for its own module alone, and was declared from elsewhere. Use what the module offers in its place.
    ///
    /// `modules/ntp/manifests/config.pp`:
    ///
    /// ```puppet
    /// class ntp::config {
    ///   assert_private()
    /// }
    /// ```
    ///
    /// ```puppet
    /// include ntp::config    # error
    /// ```
    PRIVATE_TO_MODULE as RUNTIME_ERROR: Error, "{kind} {name} is private";

    /// A class or defined type is for its own module alone, and was declared from elsewhere; its author says what to do.
    ///
    /// `modules/ntp/manifests/config.pp`:
    ///
    /// ```puppet
    /// class ntp::config {
    ///   assert_private('please include ntp')
    /// }
    /// ```
    ///
    /// ```puppet
    /// include ntp::config    # error
    /// ```
    PRIVATE_WITH_MESSAGE as RUNTIME_ERROR: Error, "{message}";

    /// `has_interface_with` and its kin look into the facts `networking` or `interfaces`, and the node has neither.
    ///
    /// ```puppet
    /// has_interface_with('lo')    # error
    /// ```
    NO_INTERFACES_FACT as RUNTIME_ERROR: Error, "Undefined variable 'interfaces'; ";

    /// The modules of an environment are the directories in its module path, each named after its module.
    ///
    /// ```puppet
    /// get_module_path('no_such_module')    # error
    /// ```
    UNKNOWN_MODULE as RUNTIME_ERROR: Error, "Could not find module {module} in environment {environment}";

    /// A module says what it is in a file `metadata.json`. The second argument of `load_module_metadata`, if true, allows for its absence.
    ///
    /// `modules/ntp/manifests/init.pp`:
    ///
    /// ```puppet
    /// class ntp { }
    /// ```
    ///
    /// ```puppet
    /// load_module_metadata('ntp')    # error
    /// ```
    NO_MODULE_METADATA as RUNTIME_ERROR: Error, "load_module_metadata(): No metadata.json file for module {module}";

    /// `hiera_include` includes the classes that the data names, and there is no such data. Add it, or use `lookup` with a default value.
    ///
    /// ```puppet
    /// hiera_include('classes', undef)    # error
    /// ```
    NO_CLASSES_IN_DATA as RUNTIME_ERROR: Error, "Could not find data item {key}";

    /// A function that reads a data file requires its path in `hiera.yaml`: `path`, `paths`, `glob`, `globs` or `mapped_paths`.
    NO_DATA_PATH as RUNTIME_ERROR: Error, "one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function";
}
