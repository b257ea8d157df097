//! Resources, relationships, collectors: what becomes a catalog.

kukla_syntax::codes! {
    pub RESOURCES;

    /// The code of a defined type failed; this is the statement that declares the resource. The cause is reported with its own position.
    ///
    /// ```puppet
    /// define a { fail('b') }
    /// a { 'c': }    # error
    /// ```
    DECLARED_HERE as RUNTIME_ERROR: Error, "{cause}";

    /// A resource is declared once. If two parts of the code need the same one, put it into a class and include that from both.
    ///
    /// ```puppet
    /// notify { 'hello': }
    /// notify { 'hello': }    # error
    /// ```
    DUPLICATE_DECLARATION as RUNTIME_ERROR: Error, "Duplicate declaration: {resource} is already declared{earlier}; cannot redeclare";

    /// Two resources of a type cannot share an identifying value: an alias, or an attribute such as `path` of files.
    ///
    /// ```puppet
    /// file { 'a': path => '/etc/motd' }
    /// file { 'b': path => '/etc/motd' }    # error
    /// ```
    ALIAS_TAKEN as RUNTIME_ERROR: Error, "Cannot alias {resource} to {alias}{here}; resource [{kind}, {key}] already declared{earlier}";

    /// A resource of a defined type cannot be changed after the code of the type has run: its contents exist already.
    ///
    /// ```puppet
    /// define a ($x = 1) { }
    /// a { 'b': }
    /// define c { A <| title == 'b' |> { x => 2 } }    # error
    /// c { 'd': }
    /// ```
    OVERRIDE_AFTER_EVALUATION as PARSE_ERROR: Strict, "Attempt to override an already evaluated resource{earlier}{comma} with new values";

    /// An attribute that is set can be changed only by a class that inherits from the one that declares the resource, or by a collector.
    ///
    /// ```puppet
    /// notify { 'a': message => 'one' }
    /// Notify['a'] { message => 'two' }    # error
    /// ```
    ATTRIBUTE_ALREADY_SET as PARSE_ERROR: Error, "Parameter '{name}' is already set on {resource}{by}{earlier}; cannot redefine";

    /// No resource type of this name is known, and no defined type.
    ///
    /// ```puppet
    /// flie { '/etc/motd': }    # error
    /// ```
    UNKNOWN_RESOURCE_KIND as RUNTIME_ERROR: Error, "Unknown resource type: '{name}'";

    /// The braces of a resource follow its type.
    ///
    /// ```puppet
    /// Integer { 'a': }    # error
    /// ```
    ILLEGAL_RESOURCE_TYPE: Error, "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {actual}";

    /// A resource has a title.
    ///
    /// ```puppet
    /// notify { undef: }    # error
    /// ```
    MISSING_TITLE: Error, "Missing title. The title expression resulted in undef";

    /// Each resource has a title.
    ///
    /// ```puppet
    /// notify { ['a', undef]: }    # error
    /// ```
    MISSING_TITLE_AT: Error, "Missing title at index {index}. The title expression resulted in an undef title";

    /// A title has at least one character.
    ///
    /// ```puppet
    /// notify { '': }    # error
    /// ```
    EMPTY_STRING_TITLE_AT: Error, "Empty string title at {index}. Title strings must have a length greater than zero.";

    /// A title is a string.
    ///
    /// ```puppet
    /// notify { 1: }    # error
    /// ```
    ILLEGAL_TITLE_TYPE_AT: Error, "Illegal title type at index {index}. Expected String, got {actual}";

    /// A statement contains the same title twice.
    ///
    /// ```puppet
    /// notify { ['a', 'a']: }    # error
    /// ```
    DUPLICATE_TITLE: Error, "The title '{title}' has already been used in this resource expression";

    /// An attribute is set once.
    ///
    /// ```puppet
    /// notify { 'a': message => 'b', * => { 'message' => 'c' } }    # error
    /// ```
    DUPLICATE_ATTRIBUTE as DUPLICATE_ATTRIBUE: Error, "The attribute '{name}' has already been set";

    /// An attribute is set once, in code or by a function such as `create_resources`.
    ATTRIBUTE_GIVEN_TWICE as PARSE_ERROR: Error, "Duplicate parameter '{name}' for on {resource}";

    /// `* =>` takes attributes from a hash.
    ///
    /// ```puppet
    /// notify { 'a': * => 'message' }    # error
    /// ```
    ATTRIBUTES_FROM_NO_HASH as TYPE_MISMATCH: Error, "Expected value of type Hash, got {actual}";

    /// `* =>` takes attributes from a hash whose keys are their names.
    ///
    /// ```puppet
    /// notify { 'a': * => { 1 => 'b' } }    # error
    /// ```
    ATTRIBUTE_NAME_NO_STRING as RUNTIME_ERROR: Error, "Attribute names must be strings, got {actual}";

    /// The value of an attribute cannot be an iterator; convert it to an array with `Array($x)` or `*$x`.
    ///
    /// ```puppet
    /// notify { 'a': message => [1, 2].reverse_each }    # error
    /// ```
    ITERATOR_AS_ATTRIBUTE as RUNTIME_ERROR: Error, "Use of an Iterator is not supported here";

    /// `create_resources` takes a hash of titles, each with a hash of attributes.
    ATTRIBUTES_NO_HASH as RUNTIME_ERROR: Error, "the attributes of '{title}' must be a hash";

    /// The resource type has no such attribute.
    ///
    /// ```puppet
    /// notify { 'a': massage => 'b' }    # error
    /// ```
    UNKNOWN_ATTRIBUTE as PARSE_ERROR: Error, "no parameter named '{name}' on {resource}";

    /// A reference to a resource has a type and a title: `File['/etc/motd']`.
    ///
    /// ```puppet
    /// notify { 'a': require => 'File' }    # error
    /// ```
    NO_REFERENCE as CATALOG_VALIDATION_ERROR: Error, "No title provided and {reference} is not a valid resource reference";

    /// A relationship refers to a resource that is not in the catalog: it is misspelled, or the class that declares it is not included.
    ///
    /// ```puppet
    /// notify { 'a': require => File['/etc/motd'] }    # error
    /// ```
    UNKNOWN_REFERENCE as CATALOG_VALIDATION_ERROR: Error, "Could not find resource '{reference}' in parameter '{name}'";

    /// The left side of an arrow is not in the catalog.
    ///
    /// ```puppet
    /// notify { 'a': }
    /// File['/etc/motd'] -> Notify['a']    # error
    /// ```
    RELATIONSHIP_WITHOUT_SOURCE as ARGUMENT_ERROR: Error, "Could not find resource '{from}' for relationship on '{to}'";

    /// The right side of an arrow is not in the catalog.
    ///
    /// ```puppet
    /// notify { 'a': }
    /// Notify['a'] -> File['/etc/motd']    # error
    /// ```
    RELATIONSHIP_WITHOUT_TARGET as ARGUMENT_ERROR: Error, "Could not find resource '{to}' for relationship from '{from}'";

    /// Arrows connect resources, references to them and collectors.
    ///
    /// ```puppet
    /// notify { 'a': } -> 1    # error
    /// ```
    ILLEGAL_RELATIONSHIP_OPERAND_TYPE: Error, "Illegal relationship operand, can not form a relationship with {actual}. A Catalog type is required.";

    /// Arrows connect references to resources and classes.
    ///
    /// ```puppet
    /// notify { 'a': } -> Integer    # error
    /// ```
    NOT_CATALOG_TYPE: Error, "Illegal relationship operand, can not form a relationship with something of type {actual}. A Catalog type is required.";

    /// An attribute is read from a resource that has not been declared yet.
    ///
    /// ```puppet
    /// notice(File['/etc/motd']['mode'])    # error
    /// ```
    UNKNOWN_RESOURCE: Error, "Resource not found: {resource}";

    /// An attribute is read that the resource does not have.
    ///
    /// ```puppet
    /// notify { 'a': }
    /// notice(Notify['a']['mode'])    # error
    /// ```
    UNKNOWN_RESOURCE_PARAMETER: Error, "The resource {resource} does not have a parameter called '{name}'";

    /// Only resources can be overridden.
    ///
    /// ```puppet
    /// $x = 1
    /// $x { message => 'b' }    # error
    /// ```
    ILLEGAL_OVERRIDDEN_TYPE: Error, "Resource Override can only operate on resources, got: {actual}";

    /// A resource is overridden by the class that declares it, by one that inherits from that, or by a collector.
    ///
    /// ```puppet
    /// class a { notify { 'x': } }
    /// include a
    /// Notify['x'] { message => 'b' }    # error
    /// ```
    OVERRIDE_FROM_OUTSIDE as PARSE_ERROR: Error, "Only subclasses can override parameters";

    /// An override names a resource that is never declared.
    ///
    /// ```puppet
    /// Notify['x'] { message => 'b' }    # error
    /// ```
    OVERRIDE_OF_NOTHING as PARSE_ERROR: Error, "Could not find resource(s) {resources} for overriding";

    /// A resource is to be realized that is never declared.
    ///
    /// ```puppet
    /// realize(Notify['x'])    # error
    /// ```
    NOT_REALIZED as PARSE_ERROR: Error, "Failed to realize virtual resources {resources}";

    /// The default of an attribute is set once in its scope.
    ///
    /// ```puppet
    /// Notify { message => 'a' }
    /// Notify { message => 'b' }    # error
    /// ```
    DEFAULT_REDEFINED as PARSE_ERROR: Error, "Default already defined for {kind} { {name} }; cannot redefine";

    /// A tag is made of letters, digits, `_`, `:`, `.` and `-`, and begins with a letter, a digit or `_`.
    ///
    /// ```puppet
    /// notify { 'a': tag => '@home' }    # error
    /// ```
    INVALID_TAG as PARSE_ERROR: Error, "Invalid tag '{word}'";

    /// Only classes can be assigned to stages.
    ///
    /// ```puppet
    /// notify { 'a': stage => 'main' }    # error
    /// ```
    STAGE_OF_RESOURCE as RUNTIME_ERROR: Error, "Only classes can set 'stage'; normal resources like {resource} cannot change run stage";

    /// The stage of a class is not declared.
    ///
    /// ```puppet
    /// class a { }
    /// class { 'a': stage => 'last' }    # error
    /// ```
    UNKNOWN_STAGE as RUNTIME_ERROR: Error, "Could not find stage {stage} specified by {resource}";

    /// A collector follows a resource type.
    COLLECTOR_WITHOUT_TYPE as RUNTIME_ERROR: Error, "LHS is not a type";

    /// Classes are included, not collected.
    ///
    /// ```puppet
    /// Class <| |>    # error
    /// ```
    COLLECTED_CLASSES as RUNTIME_ERROR: Error, "Classes cannot be collected";

    /// No resource type of this name is known.
    ///
    /// ```puppet
    /// Flie <| |>    # error
    /// ```
    UNKNOWN_COLLECTED_TYPE as RUNTIME_ERROR: Error, "Resource type {name} doesn't exist";

    /// A tag in a query must be a string.
    ///
    /// ```puppet
    /// Notify <| tag == 1 |>    # error
    /// ```
    NUMBER_AS_TAG as RUNTIME_ERROR: Error, "Cannot transform a number to a tag";

    /// The value in a query is a literal or a variable.
    ///
    /// ```puppet
    /// Notify <| title == 1 + 1 |>    # error
    /// ```
    COMPUTED_QUERY as RUNTIME_ERROR: Error, "Cannot transform object of class Puppet::Pops::Model::{class}";

    /// Collecting exported resources requires a store, and none is configured; nothing is collected.
    ///
    /// ```puppet
    /// Notify <<| |>>    # warning
    /// ```
    COLLECTING_WITHOUT_STORE as RT_NO_STORECONFIGS: Warning, "You cannot collect exported resources without storeconfigs being set; the collection will be ignored";

    /// Exporting resources requires a store, and none is configured; nothing is exported.
    ///
    /// ```puppet
    /// @@notify { 'a': }    # warning
    /// ```
    EXPORTING_WITHOUT_STORE as RT_NO_STORECONFIGS_EXPORT: Warning, "You cannot collect exported resources without storeconfigs being set; the export is ignored";

    /// The store of exported resources does not answer.
    EXPORTS_UNAVAILABLE as RUNTIME_ERROR: Error, "Exported resources are not available: {reason}";

    /// A resource that another node exports is already declared.
    DUPLICATE_EXPORTED_RESOURCE as PARSE_ERROR: Error, "A duplicate resource was found while collecting exported resources, with the type and title {resource}";

    /// Defined types declare others without end.
    ///
    /// ```puppet
    /// define a($n) { a { "x${n}": n => $n + 1 } }
    /// a { 'x': n => 1 }    # error
    /// ```
    ENDLESS_DECLARATIONS as PARSE_ERROR: Error, "Somehow looped more than 1000 times while evaluating host catalog";

    /// `defined` takes a reference to one class.
    ///
    /// ```puppet
    /// defined(Class)    # error
    /// ```
    ALL_CLASSES as RUNTIME_ERROR: Error, "The given class type is a reference to all classes";

    /// `defined` takes a reference to one resource or resource type.
    ///
    /// ```puppet
    /// defined(Resource)    # error
    /// ```
    ALL_RESOURCE_TYPES as RUNTIME_ERROR: Error, "The given resource type is a reference to all kind of types";

    /// `defined` takes names and references.
    NEITHER_NAME_NOR_REFERENCE as RUNTIME_ERROR: Error, "Invalid argument of type '{actual}' to 'defined'";

    /// The declared return type of a deferred function does not match the type of its parameter.
    ///
    /// ```puppet
    /// function f() >> String { 'a' }
    /// class a (Integer $x) { }
    /// class { 'a': x => Deferred('f') }    # error
    /// ```
    DEFERRED_RESULT_MISMATCH as RUNTIME_ERROR: Error, "{subject}: {problem}";
}
