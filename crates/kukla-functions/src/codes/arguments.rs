//! Arguments that functions of the old API refuse: they check for themselves, each in its author's words.

kukla_syntax::codes! {
    pub ARGUMENTS;

    /// A function was given more or fewer arguments than it takes. `kukla pages functions` shows what it takes.
    ///
    /// ```puppet
    /// concat([1])    # error
    /// ```
    WRONG_ARGUMENT_COUNT as RUNTIME_ERROR: Error, "{function}: {objection}";

    /// A function was given a value of a kind that it does not work with. `kukla pages functions` shows what it takes; a value of another kind is
    /// converted first, as in `Array($value, true)` or `String($value)`.
    ///
    /// ```puppet
    /// concat('a', ['b'])    # error
    /// ```
    WRONG_ARGUMENT_TYPE as RUNTIME_ERROR: Error, "{function}: {objection}";

    /// A function does not know what to work on: an argument is missing, or is undef or false.
    ///
    /// ```puppet
    /// getparam(false, 'message')    # error
    /// ```
    MISSING_ARGUMENT as RUNTIME_ERROR: Error, "Must specify {what}";

    /// A function that parses a text needs that text.
    ///
    /// ```puppet
    /// parsejson()    # error
    /// ```
    NOTHING_TO_PARSE as RUNTIME_ERROR: Error, "Wrong number of arguments. 1 or 2 arguments should be provided.";

    /// `pick_default` needs at least one value, the last of which is the default.
    ///
    /// ```puppet
    /// pick_default()    # error
    /// ```
    NOTHING_TO_PICK_FROM as RUNTIME_ERROR: Error, "Must receive at least one argument.";

    /// None of the values given to `pick` is anything but undef or an empty string. Give a last one that always is, or use `pick_default`.
    ///
    /// ```puppet
    /// pick(undef, '')    # error
    /// ```
    NOTHING_PICKED as RUNTIME_ERROR: Error, "pick(): must receive at least one non empty value";

    /// Functions of the old API do not know iterators. Make an array of the iterator first: `Array($iterator)`, or `*$iterator` for its
    /// members.
    ///
    /// ```puppet
    /// concat([0], [1, 2].reverse_each)    # error
    /// ```
    ITERATOR_AS_ARGUMENT as RUNTIME_ERROR: Error, "Use of an Iterator is not supported here";

    /// Functions of the old API get resources for references to classes and resources; `CatalogEntry` may be either.
    ///
    /// ```puppet
    /// sprintf('%s', CatalogEntry)    # error
    /// ```
    ENTRY_AS_ARGUMENT as RUNTIME_ERROR: Error, "Cannot split the type Puppet::Pops::Types::PCatalogEntryType, it represents neither a PClassType, nor a PResourceType.";

    /// `shell_join` joins the words of an array.
    ///
    /// ```puppet
    /// shell_join('ls -l')    # error
    /// ```
    WORDS_NO_ARRAY as RUNTIME_ERROR: Error, "First argument is not an Array: {value}";
}
