//! Text: truth in words, patterns, base64, addresses, words of a shell, paths.

kukla_syntax::codes! {
    pub TEXT;

    /// A text says yes by `1`, `t`, `y`, `true` or `yes`, and no by `0`, `f`, `n`, `false`, `no` or nothing.
    ///
    /// ```puppet
    /// str2bool('maybe')    # error
    /// ```
    NEITHER_YES_NOR_NO as RUNTIME_ERROR: Error, "str2bool(): Unknown type of boolean given";

    /// `delete` can remove only strings from a string.
    ///
    /// ```puppet
    /// delete('a1b', 1)    # error
    /// ```
    DELETED_NO_STRING as RUNTIME_ERROR: Error, "wrong argument type {kind} (expected Regexp)";

    /// `match` cannot use the type `Regexp` alone; give it a pattern, as in `Regexp[/a+/]`.
    ///
    /// ```puppet
    /// match('aaa', Regexp)    # error
    /// ```
    REGEXP_TYPE_WITHOUT_PATTERN as RUNTIME_ERROR: Error, "Given Regexp Type has no regular expression";

    /// `match` takes a regular expression, a string that is one, the types `Regexp[/a/]` and `Pattern[/a/]`, or an array of such.
    ///
    /// ```puppet
    /// match('aaa', Integer)    # error
    /// ```
    NO_PATTERN as RUNTIME_ERROR: Error, "match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. Got {kind}";

    /// `base64` either encodes or decodes.
    ///
    /// ```puppet
    /// base64('wrap', 'abc')    # error
    /// ```
    UNKNOWN_BASE64_ACTION as RUNTIME_ERROR: Error, "base64(): the first argument must be one of 'encode' or 'decode'";

    /// `base64` knows three kinds: `default` (in lines of sixty characters), `strict` (in one line) and `urlsafe`.
    ///
    /// ```puppet
    /// base64('encode', 'abc', 'loose')    # error
    /// ```
    UNKNOWN_BASE64_KIND as RUNTIME_ERROR: Error, "base64(): the third argument must be one of 'default', 'strict', or 'urlsafe'";

    /// A quote opens in a line for a shell and never closes.
    ///
    /// ```puppet
    /// shell_split('echo "hello')    # error
    /// ```
    UNMATCHED_QUOTE as RUNTIME_ERROR: Error, "Unmatched quote: {line}";

    /// The directory of an empty path is not known. `'.'` is the path of the directory one is in.
    ///
    /// ```puppet
    /// dirname('')    # error
    /// ```
    EMPTY_PATH as RUNTIME_ERROR: Error, "dirname(): Requires a non-empty string as argument";

    /// A text is not a valid IPv4 (`10.1.2.3`) or IPv6 (`fe80::1`) address.
    ///
    /// ```puppet
    /// stdlib::ip_in_range('10.1.2', '10.0.0.0/8')    # error
    /// ```
    INVALID_ADDRESS as RUNTIME_ERROR: Error, "invalid address: {text}";

    /// Some read a number that begins with zero as octal, so addresses of IPv4 do not have such.
    ///
    /// ```puppet
    /// stdlib::ip_in_range('10.01.2.3', '10.0.0.0/8')    # error
    /// ```
    AMBIGUOUS_ADDRESS as RUNTIME_ERROR: Error, "zero-filled number in IPv4 address is ambiguous: {text}";

    /// The length behind the slash of a network is written without zeros in front.
    ///
    /// ```puppet
    /// stdlib::ip_in_range('10.1.2.3', '10.0.0.0/08')    # error
    /// ```
    PREFIX_WITH_LEADING_ZERO as RUNTIME_ERROR: Error, "leading zeros in prefix";

    /// The length behind the slash of a network is at most 32 for IPv4 and 128 for IPv6.
    ///
    /// ```puppet
    /// stdlib::ip_in_range('10.1.2.3', '10.0.0.0/33')    # error
    /// ```
    PREFIX_TOO_LONG as RUNTIME_ERROR: Error, "invalid length: {network}";

    /// The text after the slash of a network is neither a length nor a mask: `/24`, `/255.255.255.0`.
    ///
    /// ```puppet
    /// stdlib::ip_in_range('10.1.2.3', '10.0.0.0/wide')    # error
    /// ```
    INVALID_PREFIX as RUNTIME_ERROR: Error, "{cause}/{network}";

    /// The mask of a network is of the same kind as its address, IPv4 or IPv6.
    ///
    /// ```puppet
    /// stdlib::ip_in_range('10.1.2.3', '10.0.0.0/ffff::')    # error
    /// ```
    MASK_OF_OTHER_FAMILY as RUNTIME_ERROR: Error, "address family is not same: {network}";

    /// The bits of a mask are ones first and zeros after, as in 255.255.0.0.
    ///
    /// ```puppet
    /// stdlib::ip_in_range('10.1.2.3', '10.0.0.0/255.0.255.0')    # error
    /// ```
    INVALID_MASK as RUNTIME_ERROR: Error, "invalid mask {mask}: {network}";

    /// A network is written as a string.
    ///
    /// ```puppet
    /// stdlib::ip_in_range('10.1.2.3', [10])    # error
    /// ```
    NETWORK_NO_STRING as RUNTIME_ERROR: Error, "unsupported address family: 0";

    /// `enclose_ipv6` takes addresses of IPv4 and IPv6, and `*`.
    ///
    /// ```puppet
    /// enclose_ipv6('localhost')    # error
    /// ```
    NOT_AN_ADDRESS as RUNTIME_ERROR: Error, "enclose_ipv6(): Wrong argument given {text} is not an ip address.";

    /// The function escaped text for URLs by a method that Ruby no longer has. Keep an older module, or escape by `regsubst`.
    ///
    /// `modules/stdlib/metadata.json`:
    ///
    /// ```json
    /// {"name": "puppetlabs-stdlib", "version": "9.0.0"}
    /// ```
    ///
    /// ```puppet
    /// uriescape('a b')    # error
    /// ```
    URIESCAPE_UNAVAILABLE as RUNTIME_ERROR: Error, "Puppet: This function is not available in Puppet 8. URI.escape no longer exists as of Ruby 3+.";
}
