//! The rules of values and types.

kukla_syntax::codes! {
    pub CODES;

    /// A number is needed: an operand of arithmetic, an index. A string counts if it spells one and `strict` allows it.
    ///
    /// ```puppet
    /// 'eighty' * 2    # error
    /// ```
    NOT_NUMERIC: Error, "The value '{value}' cannot be converted to Numeric.";

    /// A string that spells a number was used as that number. Convert it with `Integer($x)` or `Numeric($x)`.
    ///
    /// ```puppet
    /// '80' + 1             # error
    /// Integer('80') + 1    # fine
    /// ```
    NUMERIC_COERCION: Strict, "The string '{text}' was automatically coerced to the numerical value {number}";

    /// The operator means nothing for this kind of value.
    ///
    /// ```puppet
    /// true[0]    # error
    /// ```
    OPERATOR_NOT_APPLICABLE: Error, "Operator '{operator}' is not applicable to {operand}.";

    /// No type of this name is defined, neither by Puppet nor by a module.
    ///
    /// ```puppet
    /// $x =~ Sting    # error
    /// ```
    UNKNOWN_RESOURCE_TYPE: Error, "Resource type not found: {name}";

    /// A text that is to be read as a type does not spell one.
    ///
    /// ```puppet
    /// assert_type(Type.new('no type'), 1)    # error
    /// ```
    INVALID_TYPE_SPECIFICATION as RUNTIME_ERROR: Error, "The expression <{text}> is not a valid type specification.";
}
