//! Making values of other values with `new`.

kukla_syntax::codes! {
    pub CONVERSIONS;

    /// Integers are 64 bits wide, and this number does not fit.
    ///
    /// ```puppet
    /// notice(Integer('9223372036854775808'))    # error
    /// ```
    OUTSIDE_INTEGER_RANGE as NUMERIC_OVERFLOW: Error, "The value {value} is outside of Puppet Integer range";

    /// Infinity, and what is not a number at all, cannot become an integer.
    NOT_FINITE as RUNTIME_ERROR: Error, "{number}";

    /// The text does not spell an integer, or not in this radix. A leading zero means octal unless a radix is given.
    ///
    /// ```puppet
    /// notice(Integer('08'))        # error
    /// notice(Integer('08', 10))    # fine
    /// ```
    NO_INTEGER as RUNTIME_ERROR: Error, "invalid value for Integer(): {text}";

    /// The text does not spell a number.
    ///
    /// ```puppet
    /// notice(sprintf('%f', 'much'))    # error
    /// ```
    NO_FLOAT as RUNTIME_ERROR: Error, "invalid value for Float(): {text}";

    /// Integers are read with the radix 2, 8, 10 or 16; `default` goes by the prefix.
    ///
    /// ```puppet
    /// notice(Integer('12', 7))    # error
    /// ```
    ILLEGAL_RADIX as RUNTIME_ERROR: Error, "Illegal radix: {radix}, expected 2, 8, 10, 16, or default";

    /// The string does not spell a value of the type.
    ///
    /// ```puppet
    /// notice(Integer('many'))    # error
    /// ```
    STRING_NOT_CONVERTIBLE as RUNTIME_ERROR: Error, "'{function}' The string '{text}' cannot be converted to {target}";

    /// A value of such a type does not stand for one of the other type.
    ///
    /// ```puppet
    /// notice(Integer([1]))    # error
    /// ```
    VALUE_NOT_CONVERTIBLE as RUNTIME_ERROR: Error, "'{function}' Value of type {actual} cannot be converted to {target}";

    /// A hash is made from a hash, from an array or from something else that has elements.
    ///
    /// ```puppet
    /// notice(Hash(true))    # error
    /// ```
    NOT_CONVERTIBLE_TO_HASH as RUNTIME_ERROR: Error, "Value of type {actual} cannot be converted to Hash";

    /// In the pairs from which a hash is built as a tree, the empty path means the tree itself, which must be a hash or an array.
    ///
    /// ```puppet
    /// notice(Hash([[[], 1]], 'tree'))           # error
    /// notice(Hash([[[], { 'a' => 1 }]], 'tree'))    # fine
    /// ```
    TREE_OF_ONE_VALUE as RUNTIME_ERROR: Error, "no implicit conversion of {actual} into Hash";

    /// In the pairs that a hash is grown from as a tree, a path leads through a value that an earlier pair has put there and that
    /// has no members.
    ///
    /// ```puppet
    /// notice(Hash([[['a'], 1], [['a', 'b'], 2]], 'tree'))    # error
    /// ```
    TREE_THROUGH_VALUE as RUNTIME_ERROR: Error, "undefined method `[]=' for {value}";

    /// In the pairs that a hash is grown from as a tree, a path leads to an index that its array cannot have.
    ///
    /// ```puppet
    /// notice(Hash([[['a'], [1]], [['a', -5], 2]], 'tree'))    # error
    /// ```
    TREE_OUTSIDE_ARRAY as RUNTIME_ERROR: Error, "index {index} outside of array";

    /// Ruby, in whose words Puppet says it, does not make a number or a string of such a value.
    ///
    /// ```puppet
    /// notice(sprintf('%d', [1]))    # error
    /// ```
    NOT_CONVERTIBLE as RUNTIME_ERROR: Error, "can't convert {operand} into {target}";

    /// Ruby, in whose words Puppet says it, wants a value of a certain class there and takes no other for it.
    ///
    /// ```puppet
    /// notice(sprintf('%c', [1]))    # error
    /// ```
    NO_IMPLICIT_CONVERSION as RUNTIME_ERROR: Error, "no implicit conversion of {operand} into {target}";
}
