//! Definitions and their names: classes, nodes, types, functions, files.

kukla_syntax::codes! {
    pub NAMES;

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

    /// The names of built-in types cannot be used for others.
    ///
    /// ```puppet
    /// type String = Integer    # error
    /// ```
    BUILT_IN_TYPE_REDEFINED as ARGUMENT_ERROR: Error, "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/{name}'. Originally set by Puppet-Type-System/Static-Loader.";

    /// The names of Puppet's resource types cannot be used for type aliases.
    ///
    /// ```puppet
    /// type File = String    # error
    /// ```
    RESOURCE_TYPE_REDEFINED as ARGUMENT_ERROR: Error, "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/{name}'. Set at unknown location";

    /// A function, a defined type or a type alias is defined in one place.
    ///
    /// ```puppet
    /// function f() { 1 }
    /// function f() { 2 }    # error
    /// ```
    ENTITY_REDEFINED as ARGUMENT_ERROR: Error, "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{what}/{name}'. Originally set at {earlier}.";

    /// A file in a module's `types` directory defines the type it is named after.
    ///
    /// `modules/site/types/port.pp`:
    ///
    /// ```puppet
    /// ```
    ///
    /// ```puppet
    /// assert_type(Site::Port, 80)    # error
    /// ```
    FILE_WITHOUT_TYPE as RUNTIME_ERROR: Error, "The code loaded from {file} does not define the type '{name}' - {reason}.";

    /// The function that a file defines has the name of the file, which is in lower case.
    ///
    /// `modules/site/functions/port.pp`:
    ///
    /// ```puppet
    /// function site::ports() { 80 }
    /// ```
    ///
    /// ```puppet
    /// site::port()    # error
    /// ```
    MISNAMED_FUNCTION as RUNTIME_ERROR: Error, "The code loaded from {file} produced function with the wrong name, expected {name}, actual {actual}";

    /// The type that a file defines has the name of the file.
    ///
    /// `modules/site/types/port.pp`:
    ///
    /// ```puppet
    /// type Site::Ports = Integer
    /// ```
    ///
    /// ```puppet
    /// assert_type(Site::Port, 80)    # error
    /// ```
    MISNAMED_TYPE as RUNTIME_ERROR: Error, "The code loaded from {file} produced type with the wrong name, expected '{name}', actual '{actual}'";

    /// A file in a module's `types` directory defines one type and nothing else.
    ///
    /// `modules/site/types/port.pp`:
    ///
    /// ```puppet
    /// type Site::Port = Integer
    /// type Site::Ports = Array[Integer]
    /// ```
    ///
    /// ```puppet
    /// assert_type(Site::Port, 80)    # error
    /// ```
    CROWDED_TYPE_FILE as RUNTIME_ERROR: Error, "The code loaded from {file} must contain only the type '{name}' - it has additional definitions.";

    /// A manifest or template cannot be read.
    FILE_NOT_READABLE: Error, "Could not read {file}: {reason}";

    /// Puppet code is UTF-8 text. Save the file in that encoding.
    FILE_NOT_UTF8 as INVALID_UTF8: Error, "{file}: {reason}";

    /// No class of this name is defined: it is misspelled, or its module is missing.
    ///
    /// ```puppet
    /// include ntpd    # error
    /// ```
    UNKNOWN_CLASS as RUNTIME_ERROR: Error, "Could not find class {name} for {node}";

    /// No class of this name is defined: it is misspelled, or its module is missing.
    ///
    /// ```puppet
    /// class { 'ntpd': }    # error
    /// ```
    UNKNOWN_DECLARED_CLASS as RUNTIME_ERROR: Error, "Could not find declared class {name}";

    /// The class that a class inherits from is not defined.
    ///
    /// ```puppet
    /// class a inherits b { }    # error
    /// include a
    /// ```
    UNKNOWN_PARENT_CLASS as PARSE_ERROR: Error, "Could not find parent resource type '::{name}' of type hostclass in {environment}";

    /// Classes inherit from each other in a circle.
    ///
    /// ```puppet
    /// class a inherits b { }    # error
    /// class b inherits a { }
    /// include a
    /// ```
    CIRCULAR_INHERITANCE as PARSE_ERROR: Error, "The class '{name}' inherits from itself: circular inheritance is not allowed";

    /// A class includes one that inherits from it, before its own evaluation has finished.
    PARENT_NOT_EVALUATED as RUNTIME_ERROR: Error, "Could not find scope for {name}";

    /// A class is named by a string or by a reference to one class.
    ///
    /// ```puppet
    /// include undef    # error
    /// ```
    NO_CLASS_NAME as RUNTIME_ERROR: Error, "Cannot use {value} as a class name";

    /// `Class` means all classes; a reference needs the name of one.
    ///
    /// ```puppet
    /// include Class    # error
    /// ```
    UNSPECIFIC_CLASS as RUNTIME_ERROR: Error, "Cannot use an unspecific Class[] Type";

    /// The reference must name a class.
    ///
    /// ```puppet
    /// include Resource    # error
    /// ```
    UNSPECIFIC_CLASS_RESOURCE as RUNTIME_ERROR: Error, "Cannot use an unspecific {name} where a Resource['class', name] is expected";

    /// The reference must be one to a class, not to another resource.
    ///
    /// ```puppet
    /// include File['/etc/motd']    # error
    /// ```
    RESOURCE_AS_CLASS as RUNTIME_ERROR: Error, "Cannot use a Resource[{name}] where a Resource['class', name] is expected";

    /// A metaparameter such as `require` cannot be a parameter of a class or define.
    ///
    /// ```puppet
    /// define a ($require) { }    # error
    /// a { 'x': require => File['/etc/motd'] }
    /// ```
    METAPARAMETER_AS_PARAMETER as PARSE_ERROR: Error, "{name} is a metaparameter; please choose another parameter name in the {owner} definition";

    /// Definitions and parameters that a module declares as private can be used within that module only.
    ///
    /// `modules/ntp/manifests/service.pp`:
    ///
    /// ```puppet
    /// private class ntp::service { }
    /// ```
    ///
    /// ```puppet
    /// include ntp::service    # error
    /// ```
    PRIVATE: Error, "{what} is private to {owner} and cannot be used from {user}";

    /// There are node definitions, and none matches the node. `node default { }` matches every node.
    ///
    /// ```puppet
    /// node 'db1.example.com' { }    # error
    /// ```
    NO_NODE_DEFINITION as PARSE_ERROR: Error, "Could not find node statement with name 'default' or '{name}'";
}
