//! Values as text: the formats of `String.new` and of `sprintf`.

kukla_syntax::codes! {
    pub FORMATTING;

    /// A format of `String` is a percent sign, flags, a width, a precision and a letter: `%-10.2f`.
    ///
    /// ```puppet
    /// notice(String(1, 'd'))     # error
    /// notice(String(1, '%d'))    # fine
    /// ```
    INVALID_STRING_FORMAT as RUNTIME_ERROR: Error, "The format '{format}' is not a valid format on the form '%<flags><width>.<prec><format>'";

    /// A flag in a format of `String` says the same however often it is given.
    ///
    /// ```puppet
    /// notice(String(1, '%++d'))    # error
    /// ```
    REPEATED_FORMAT_FLAG as RUNTIME_ERROR: Error, "The same flag can only be used once, got '{format}'";

    /// A format of `String` names one pair of delimiters.
    ///
    /// ```puppet
    /// notice(String([1], '%[(a'))    # error
    /// ```
    SEVERAL_FORMAT_DELIMITERS as RUNTIME_ERROR: Error, "Only one of the delimiters [ { ( < | can be given in the format flags, got '{format}'";

    /// The formats of `String` are `default`, one format, or a hash of formats by type.
    FORMATS_NO_HASH as RUNTIME_ERROR: Error, "string conversion expects a Default value or a Hash of type to format mappings, got a '{actual}'";

    /// The keys of the hash with the formats of `String` are types.
    FORMAT_FOR_NO_TYPE as RUNTIME_ERROR: Error, "top level keys in the format hash must be data types, got instance of '{actual}'";

    /// The hash that tells how a container is written has keys of its own.
    UNKNOWN_CONTAINER_FORMAT as RUNTIME_ERROR: Error, "only 'separator', 'separator2', 'format', 'string_formats' are allowed in a container format, got {hash}";

    /// The letter of a format of `String` must be one that values of the type know.
    ///
    /// ```puppet
    /// notice(String(1, '%q'))    # error
    /// ```
    ILLEGAL_FORMAT_LETTER as RUNTIME_ERROR: Error, "Illegal format '{letter}' specified for value of {kind} type - expected one of the characters '{allowed}'";

    /// A value nested so deeply is not written as text.
    ///
    /// ```puppet
    /// $deep = Integer[1, 450].reduce([]) |$inner, $n| { [$inner] }
    /// notice(String($deep))    # error
    /// ```
    FORMATTED_TOO_DEEP as RUNTIME_ERROR: Error, "Value is nested too deeply to be converted to a String";

    /// The number is not that of a character.
    ///
    /// ```puppet
    /// notice(String(-1, '%c'))    # error
    /// ```
    NO_CHARACTER_NUMBER as RUNTIME_ERROR: Error, "pack(U): value out of range";

    /// The format breaks off after a percent sign. Two of them stand for the sign itself.
    ///
    /// ```puppet
    /// notice(sprintf('100%'))     # error
    /// notice(sprintf('100%%'))    # fine
    /// ```
    INCOMPLETE_FORMAT as RUNTIME_ERROR: Error, "incomplete format specifier; use %% (double %) instead";

    /// In a format flags come first: `%-5d`.
    ///
    /// ```puppet
    /// notice(sprintf('%5-d', 1))    # error
    /// ```
    LATE_FORMAT_FLAG as RUNTIME_ERROR: Error, "flag after {part}";

    /// The text after the percent sign is not a format. Two percent signs print the sign itself.
    ///
    /// ```puppet
    /// notice(sprintf('%y', 1))    # error
    /// ```
    MALFORMED_FORMAT as RUNTIME_ERROR: Error, "malformed format string - %{rest}";

    /// In a format the width comes before the precision: `%5.2f`.
    ///
    /// ```puppet
    /// notice(sprintf('%.*5d', 1, 2))    # error
    /// ```
    LATE_FORMAT_WIDTH as RUNTIME_ERROR: Error, "width after precision";

    /// A format has one width and one precision.
    ///
    /// ```puppet
    /// notice(sprintf('%5*d', 1, 2))    # error
    /// ```
    FORMAT_PART_GIVEN_TWICE as RUNTIME_ERROR: Error, "{part} given twice";

    /// A format takes one argument.
    ///
    /// ```puppet
    /// notice(sprintf('%1$2$d', 1, 2))    # error
    /// ```
    FORMAT_VALUE_GIVEN_TWICE as RUNTIME_ERROR: Error, "value given twice - {number}$";

    /// A text of this width or precision would fill the memory.
    ///
    /// ```puppet
    /// notice(sprintf('%99999999999d', 1))    # error
    /// ```
    FORMAT_PART_TOO_BIG as RUNTIME_ERROR: Error, "{part} too big";

    /// A name in a format ends with the bracket that matches its first one: `%<name>d`, `%{name}`.
    ///
    /// ```puppet
    /// notice(sprintf('%<a', { 'a' => 1 }))    # error
    /// ```
    UNCLOSED_FORMAT_NAME as RUNTIME_ERROR: Error, "malformed name - unmatched parenthesis";

    /// A percent sign with flags before its second one is not the sign itself.
    ///
    /// ```puppet
    /// notice(sprintf('%5%', 1))    # error
    /// ```
    FLAGGED_PERCENT_SIGN as RUNTIME_ERROR: Error, "invalid format character - %";

    /// All formats of a text take their arguments in one way: in order, by number (`%1$d`) or by name (`%<name>d`).
    ///
    /// ```puppet
    /// notice(sprintf('%d %1$d', 1))    # error
    /// ```
    MIXED_FORMAT_ARGUMENTS as RUNTIME_ERROR: Error, "{this} {relation} {other}";

    /// There are more formats in the text than arguments.
    ///
    /// ```puppet
    /// notice(sprintf('%d %d', 1))    # error
    /// ```
    TOO_FEW_FORMAT_ARGUMENTS as RUNTIME_ERROR: Error, "too few arguments";

    /// Formats with names take their values from one hash, the only argument.
    ///
    /// ```puppet
    /// notice(sprintf('%<a>d', 1))               # error
    /// notice(sprintf('%<a>d', { 'a' => 1 }))    # fine
    /// ```
    FORMAT_HASH_REQUIRED as RUNTIME_ERROR: Error, "one hash required";

    /// The hash has no value for a name in the format.
    ///
    /// ```puppet
    /// notice(sprintf('%<b>d', { 'a' => 1 }))    # error
    /// ```
    FORMAT_KEY_NOT_FOUND as RUNTIME_ERROR: Error, "key{name} not found";

    /// The format `%c` takes a string of one character, or the number of a character.
    ///
    /// ```puppet
    /// notice(sprintf('%c', ''))    # error
    /// ```
    NO_CHARACTER as RUNTIME_ERROR: Error, "%c requires a character";

    /// The format `%c` takes a character, not `undef`.
    ///
    /// ```puppet
    /// notice(sprintf('%<a>c', { 'a' => undef }))    # error
    /// ```
    UNDEF_AS_CHARACTER as RUNTIME_ERROR: Error, "no implicit conversion from nil to integer";

    /// The float is not a valid character code.
    ///
    /// ```puppet
    /// notice(sprintf('%c', 1.0e30))    # error
    /// ```
    FLOAT_AS_CHARACTER as RUNTIME_ERROR: Error, "float {number} out of range of integer";

    /// The integer is not a valid character code.
    ///
    /// ```puppet
    /// notice(sprintf('%c', 99999999999))    # error
    /// ```
    INTEGER_AS_CHARACTER as RUNTIME_ERROR: Error, "integer {number} too {size} to convert to `int'";

    /// There is no character of this number.
    ///
    /// ```puppet
    /// notice(sprintf('%c', 99999999))    # error
    /// ```
    INVALID_CHARACTER as RUNTIME_ERROR: Error, "invalid character";

    /// The number has more digits than formats of integers handle.
    ///
    /// ```puppet
    /// notice(sprintf('%d', Integer[1, 14].reduce('9') |$all, $i| { "${all}${all}" }))    # error
    /// ```
    NUMBER_TOO_BIG as RUNTIME_ERROR: Error, "number too big";
}
