//! Numbers: rounding, limits, bases, random numbers.

kukla_syntax::codes! {
    pub NUMBERS;

    /// An integer has 64 bits. The result of rounding, or of taking the sign away, does not fit.
    ///
    /// ```puppet
    /// round(1.0e300)    # error
    /// ```
    RESULT_TOO_LARGE as NUMERIC_OVERFLOW: Error, "the result is outside the range of an Integer";

    /// A string given in place of a number does not spell one. Convert before calling, as in `Float($text)`, which says what is wrong.
    ///
    /// ```puppet
    /// floor('high')    # error
    /// ```
    NOT_CONVERTIBLE_TO_FLOAT as RUNTIME_ERROR: Error, "{function}(): cannot convert given value to a floating point value.";

    /// `abs` takes a number, or a string that spells one in decimal digits.
    ///
    /// ```puppet
    /// abs('high')    # error
    /// ```
    NOT_DECIMAL as RUNTIME_ERROR: Error, "abs(): Requires float or integer to work with - was given non decimal string";

    /// `num2bool` takes a number, or a string that spells one.
    ///
    /// ```puppet
    /// num2bool('yes')    # error
    /// ```
    LOOKS_LIKE_NO_NUMBER as RUNTIME_ERROR: Error, "num2bool(): '{text}' does not look like a number: {cause}";

    /// `clamp` takes three numbers, or strings of digits.
    ///
    /// ```puppet
    /// clamp(1, 'ten', 20)    # error
    /// ```
    CLAMP_OF_TEXT as RUNTIME_ERROR: Error, "clamp(): Required explicit numeric ({text}:String)";

    /// `convert_base` converts integers, or strings of decimal digits.
    ///
    /// ```puppet
    /// convert_base('ff', 10)    # error
    /// ```
    NOT_IN_BASE_TEN as RUNTIME_ERROR: Error, "convert_base(): First argument must be an integer or a string corresponding to an integer in base 10";

    /// Digits and letters write numbers in bases from 2 to 36.
    ///
    /// ```puppet
    /// convert_base(255, 64)    # error
    /// ```
    BASE_OUT_OF_RANGE as RUNTIME_ERROR: Error, "convert_base(): base must be at least 2 and must not be greater than 36";

    /// `to_bytes` knows the units `b`, `k`, `M`, `G`, `T`, `P` and `E`, in this case of letters.
    ///
    /// ```puppet
    /// to_bytes('1 m')    # error
    /// ```
    UNKNOWN_UNIT as RUNTIME_ERROR: Error, "to_bytes(): Unknown prefix {prefix}";

    /// A random number is drawn from zero up to a limit, which has to be positive.
    ///
    /// ```puppet
    /// fqdn_rand(0)    # error
    /// ```
    NO_RANDOM_LIMIT as RUNTIME_ERROR: Error, "invalid argument - {limit}";

    /// Two values have no order: NaN is neither less nor greater than any number.
    NOT_COMPARABLE as RUNTIME_ERROR: Error, "{reason}";
}
