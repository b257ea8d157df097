//! Types, and whether values are of them.

kukla_syntax::codes! {
    pub TYPES;

    /// A text that is to be read as a type does not spell one.
    ///
    /// ```puppet
    /// assert_type(Type.new('no type'), 1)    # error
    /// ```
    INVALID_TYPE_SPECIFICATION as RUNTIME_ERROR: Error, "The expression <{text}> is not a valid type specification.";

    /// A type alias that mentions itself must say more than that: what an end of the recursion looks like.
    ///
    /// ```puppet
    /// type Tree = Tree
    /// notice(1 =~ Tree)    # error
    /// ```
    ENDLESS_TYPE_ALIAS as RUNTIME_ERROR: Error, "Type alias '{name}' cannot be resolved to a real type";

    /// A value is not of the type that is asked for there; the message says which part of it is not.
    ///
    /// ```puppet
    /// notice(Integer[1, 5].new('9'))    # error
    /// ```
    WRONG_TYPE as RUNTIME_ERROR: Error, "{mismatch}";

    /// A type allows values that the other one, which limits it, does not: the function that data comes from is declared to return
    /// something else than data.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy:
    ///   - name: own
    ///     data_hash: ntp::data
    /// ```
    ///
    /// `modules/ntp/functions/data.pp`:
    ///
    /// ```puppet
    /// function ntp::data(Hash $options, Puppet::LookupContext $context) >> Integer { 1 }
    /// ```
    ///
    /// ```puppet
    /// lookup('ntp::server')    # error
    /// ```
    TYPE_NOT_WITHIN as RUNTIME_ERROR: Error, "{mismatch}";

    /// Parameters of a class, a defined type or a template are missing, unknown or of the wrong type; each is on a line of its own
    /// if there are several.
    ///
    /// ```puppet
    /// class ntp(String $server) { }
    /// class { 'ntp': server => 1 }    # error
    /// ```
    WRONG_PARAMETERS as RUNTIME_ERROR: Error, "{subject}:{problems}";

    /// The arguments given to `new` do not fit the ways in which a value of the type can be made.
    ///
    /// ```puppet
    /// notice(Timespan(true))    # error
    /// ```
    WRONG_NEW_ARGUMENTS as RUNTIME_ERROR: Error, "{description}";

    /// Values of this type cannot be made with `new`.
    ///
    /// ```puppet
    /// notice(Enum.new('a'))    # error
    /// ```
    NO_NEW as RUNTIME_ERROR: Error, "Creation of new instance of type '{ty}' is not supported";

    /// The further parameters of `Init` are arguments of `new`, and must be such that `new` takes them.
    ///
    /// ```puppet
    /// Init[Integer, 'x'].new('1')    # error
    /// Init[Integer, 16].new('1')     # fine
    /// ```
    WRONG_INIT_ARGUMENTS as RUNTIME_ERROR: Error, "The type '{init}' does not represent a valid set of parameters for {name}.new()";

    /// `Init` makes a value of one argument.
    ///
    /// ```puppet
    /// Init[Integer].new('1', '2')    # error
    /// ```
    WRONG_INIT_COUNT as RUNTIME_ERROR: Error, "'new_Init' expects 1 argument, got {count}";
}
