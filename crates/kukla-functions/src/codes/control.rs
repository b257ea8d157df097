//! Where a program leaves its way: `fail`, discontinued and deprecated functions, assertions, annotations.

kukla_syntax::codes! {
    pub CONTROL;

    /// The program called `fail`; the message is its author's.
    ///
    /// ```puppet
    /// fail('this operating system is not supported')    # error
    /// ```
    FAIL_CALLED as RUNTIME_ERROR: Error, "{message}";

    /// `policy` checks finished catalogs, and this code runs while one is compiled. Policies belong into files of their own, `policies/*.pp`.
    ///
    /// ```puppet
    /// policy('files have an owner', File) |$file| { $file['owner'] }    # error
    /// ```
    NO_INSPECTED_CATALOG as RUNTIME_ERROR: Error, "policy(): there is no catalog to check";

    /// Manifests no longer import others. Classes and defined types are found in modules by their names, and the main manifest may be a
    /// directory, whose files are read in the order of their names.
    ///
    /// ```puppet
    /// import('nodes/*.pp')    # error
    /// ```
    DISCONTINUED_IMPORT: Error, "Use of 'import' has been discontinued in favor of a manifest directory. See http://links.puppet.com/puppet-import-deprecation";

    /// A module says that something is deprecated, and the setting `strict` is `error`. Do as the message says, or set `strict` to `warning`.
    ///
    /// ```puppet
    /// deprecation('old_parameter', 'please use the new one')    # error
    /// ```
    DEPRECATED as RUNTIME_ERROR: Error, "deprecation. {key}. {message}";

    /// A value is not of the type that it was asserted to be. A lambda given to `assert_type` decides what happens then.
    ///
    /// ```puppet
    /// assert_type(Integer, 'one')    # error
    /// ```
    ASSERTED_TYPE as RUNTIME_ERROR: Error, "{mismatch}";

    /// An annotation in the definition of a type belongs to the type and cannot be replaced or removed.
    ///
    /// ```puppet
    /// type Origin = Object[{ parent => Annotation, attributes => { file => String } }]
    /// type Point = Object[{ attributes => { x => Integer }, annotations => { Origin => { file => 'map.txt' } } }]
    /// Origin.annotate(Point, 'clear')    # error
    /// ```
    ANNOTATION_OF_DEFINITION as RUNTIME_ERROR: Error, "attempt to {action} {annotation} annotation declared on {holder}";

    /// An annotation is an instance of a type of its own, whose parent is `Annotation`.
    NO_ANNOTATION_TYPE as RUNTIME_ERROR: Error, "{ty} is not the type of an annotation";

    /// Annotations attach to one value; strings, numbers and the like have no identity to attach them to.
    ///
    /// ```puppet
    /// type Origin = Object[{ parent => Annotation, attributes => { file => String } }]
    /// Origin.annotate('here', { 'file' => 'map.txt' })    # error
    /// ```
    NOT_ANNOTATABLE as RUNTIME_ERROR: Error, "can't modify frozen {kind}: {value}";

    /// The function stops for a debugger of Ruby, and there is no Ruby here. Use `notice` to look at values.
    ///
    /// ```puppet
    /// pry()    # error
    /// ```
    NO_DEBUGGER as RUNTIME_ERROR: Error, "pry(): Requires the 'pry' rubygem to use, but it was not found";
}
