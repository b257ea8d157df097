//! The rules that evaluation can find broken.

kukla_syntax::codes! {
    pub CODES;

    /// The code of a defined type failed; this is the statement that declares the resource. What is wrong is said where it is wrong.
    DECLARED_HERE as RUNTIME_ERROR: Error, "{cause}";

    /// A resource is declared once. Where two parts of the code want the same one, put it into a class and include that from both.
    ///
    /// ```puppet
    /// notify { 'hello': }
    /// notify { 'hello': }    # error
    /// ```
    DUPLICATE_DECLARATION as RUNTIME_ERROR: Error, "Duplicate declaration: {resource} is already declared{earlier}; cannot redeclare";

    /// Two resources of a type cannot share what identifies them: an alias, or an attribute such as `path` of files.
    ///
    /// ```puppet
    /// file { 'a': path => '/etc/motd' }
    /// file { 'b': path => '/etc/motd' }    # error
    /// ```
    ALIAS_TAKEN as RUNTIME_ERROR: Error, "Cannot alias {resource} to {alias}{here}; resource [{kind}, {key}] already declared{earlier}";

    /// A class is defined in one place.
    ///
    /// ```puppet
    /// class ntp { }
    /// class ntp { }    # error
    /// ```
    CLASS_REDEFINED as PARSE_ERROR: Error, "Class '{name}' is already defined{earlier}; cannot redefine";

    /// Classes and defined types share their names.
    ///
    /// ```puppet
    /// define ntp { }
    /// class ntp { }    # error
    /// ```
    DEFINE_REDEFINED_AS_CLASS as PARSE_ERROR: Error, "Definition '{name}' is already defined{earlier}; cannot be redefined as a class";

    /// Nodes and classes share their names.
    ///
    /// ```puppet
    /// node ntp { }
    /// class ntp { }    # error
    /// ```
    NODE_REDEFINED_AS_CLASS as PARSE_ERROR: Error, "Node '{name}' is already defined{earlier}; cannot be redefined as a class";

    /// Classes and defined types share their names.
    ///
    /// ```puppet
    /// class ntp { }
    /// define ntp { }    # error
    /// ```
    CLASS_REDEFINED_AS_DEFINE as PARSE_ERROR: Error, "'{name}' is already defined{earlier} as a class; cannot redefine as a definition";

    /// A node is defined once.
    ///
    /// ```puppet
    /// node 'web' { }
    /// node 'web' { }    # error
    /// ```
    NODE_REDEFINED as PARSE_ERROR: Error, "Node '{name}' is already defined{earlier}; cannot redefine";

    /// Nodes and classes share their names.
    ///
    /// ```puppet
    /// class web { }
    /// node 'web' { }    # error
    /// ```
    CLASS_REDEFINED_AS_NODE as PARSE_ERROR: Error, "Class '{name}' is already defined{earlier}; cannot be redefined as a node";

    /// A resource whose code has run cannot be changed any more: it was declared as a defined type, and what it contains exists already.
    OVERRIDE_AFTER_EVALUATION as PARSE_ERROR: Strict, "Attempt to override an already evaluated resource{earlier}{comma} with new values";

    /// An attribute that is set can be changed only by a class that inherits from the one that declares the resource, or by a collector.
    ///
    /// ```puppet
    /// notify { 'a': message => 'one' }
    /// Notify['a'] { message => 'two' }    # error
    /// ```
    ATTRIBUTE_ALREADY_SET as PARSE_ERROR: Error, "Parameter '{name}' is already set on {resource}{by}{earlier}; cannot redefine";
}
