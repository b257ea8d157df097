//! Arithmetic, joining and taking away.

kukla_syntax::codes! {
    pub OPERATORS;

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

    /// The operator is known for the left operand, but not together with such a right one.
    ///
    /// ```puppet
    /// 7 % 2.5    # error
    /// ```
    OPERATOR_NOT_APPLICABLE_WHEN: Error, "Operator '{operator}' is not applicable to {left} when right side is {right}.";

    /// Integers are 64 bits wide, and a result that does not fit is an error instead of a wrong number. Calculate with floats where
    /// such numbers are meant.
    ///
    /// ```puppet
    /// 9223372036854775807 + 1      # error
    /// 9223372036854775807 + 1.0    # fine
    /// ```
    INTEGER_OVERFLOW as NUMERIC_OVERFLOW: Error, "A '{operator}' expression resulted in a value outside of Puppet Integer {end} range, got '{value}'";

    /// An integer or a time span cannot be divided by zero, nor is there a remainder.
    ///
    /// ```puppet
    /// 1 / 0    # error
    /// ```
    DIVISION_BY_ZERO as DIV_BY_ZERO: Error, "Division by 0";

    /// The result is too large for a float. Dividing a float by zero has such a result too.
    ///
    /// ```puppet
    /// 1.0 / 0    # error
    /// ```
    RESULT_IS_INFINITY: Error, "The result of the {operator} expression is Infinity";

    /// A number is shifted by more places than any computer has room for.
    ///
    /// ```puppet
    /// 1 << 1.0e30    # error
    /// ```
    SHIFT_TOO_FAR as RUNTIME_ERROR: Error, "shift width too big";

    /// To a point in time or to a time span only a time span or a number of seconds can be added.
    ///
    /// ```puppet
    /// Timespan('0-01:00:00') + SemVer('1.0.0')    # error
    /// Timespan('0-01:00:00') + 60                 # fine
    /// ```
    NOT_ADDABLE_TO_TIME as RUNTIME_ERROR: Error, "{operand} cannot be added to a {time}";

    /// From a point in time another one, a time span or a number of seconds can be subtracted; from a time span not the first of these.
    ///
    /// ```puppet
    /// Timespan(60) - Timestamp('2026-01-01')                   # error
    /// Timestamp('2026-01-02') - Timestamp('2026-01-01')        # fine
    /// ```
    NOT_SUBTRACTABLE_FROM_TIME as RUNTIME_ERROR: Error, "{operand} cannot be subtracted from a {time}";

    /// A time span is multiplied by a number.
    ///
    /// ```puppet
    /// Timespan(60) * Timespan(60)    # error
    /// Timespan(60) * 2               # fine
    /// ```
    FACTOR_OF_TIMESPAN as RUNTIME_ERROR: Error, "A Timestamp cannot be multiplied by {operand}";

    /// A time span is divided by a number or by another time span.
    ///
    /// ```puppet
    /// Timespan(60) / Timestamp('2026-01-01')    # error
    /// Timespan(60) / Timespan(20)               # fine
    /// ```
    DIVISOR_OF_TIMESPAN as RUNTIME_ERROR: Error, "A Timespan cannot be divided by {operand}";

    /// The remainder of a time span is that of its seconds, divided by an integer.
    ///
    /// ```puppet
    /// Timespan(60) % Timespan(7)    # error
    /// Timespan(60) % 7              # fine
    /// ```
    MODULUS_OF_TIMESPAN as RUNTIME_ERROR: Error, "Can not do modulus on a Timespan using a {operand}";

    /// Only bytes can be added to bytes.
    ///
    /// ```puppet
    /// Binary('AQI=') + 'text'                  # error
    /// Binary('AQI=') + Binary('text', '%s')    # fine
    /// ```
    BINARY_WITH_OTHER as RUNTIME_ERROR: Error, "Can only append Binary to a Binary";

    /// To a URI another one is added, which may be relative and a string.
    ///
    /// ```puppet
    /// URI('http://example.com/a/') + 1      # error
    /// URI('http://example.com/a/') + 'b'    # fine
    /// ```
    URI_WITH_OTHER as RUNTIME_ERROR: Error, "An URI can only be merged with an URI or String";

    /// To a hash another one is added, or an array of keys and values.
    ///
    /// ```puppet
    /// notice({ 'a' => 1 } + 'b')           # error
    /// notice({ 'a' => 1 } + ['b', 2])      # fine
    /// ```
    HASH_WITH_OTHER as RUNTIME_ERROR: Error, "Can only append Array or Hash to a Hash";

    /// In an array of arrays that is added to a hash each one is a key and its value.
    ///
    /// ```puppet
    /// notice({ 'a' => 1 } + [['b', 2], ['c']])        # error
    /// notice({ 'a' => 1 } + [['b', 2], ['c', 3]])     # fine
    /// ```
    NOT_A_PAIR as RUNTIME_ERROR: Error, "wrong array length at {index} (expected 2, was {length})";

    /// An array that becomes part of a hash has a value for each key.
    ///
    /// ```puppet
    /// Hash(['a', 1, 'b'])         # error
    /// Hash(['a', 1, 'b', 2])      # fine
    /// ```
    KEY_WITHOUT_VALUE as RUNTIME_ERROR: Error, "odd number of arguments for Hash";
}
