//! Versions, URIs, bytes and regular expressions as text.

kukla_syntax::codes! {
    pub TEXTS;

    /// A version has three numbers, and after them perhaps a pre-release and a build: `1.2.3-rc.1+b5`.
    ///
    /// ```puppet
    /// notice(TypeSet[{ pcore_version => '1' }])    # error
    /// ```
    INVALID_VERSION as RUNTIME_ERROR: Error, "Unable to parse '{text}' as a semantic version identifier";

    /// Numbers in the pre-release of a version have no zeros in front.
    ///
    /// ```puppet
    /// notice(SemVer('1.0.0-01'))    # error
    /// notice(SemVer('1.0.0-1'))     # fine
    /// ```
    VERSION_WITH_LEADING_ZERO as RUNTIME_ERROR: Error, "Numeric pre-release identifiers MUST NOT contain leading zeroes";

    /// A range of versions consists of versions and comparisons: `>=1.2.0 <2.0.0`, `1.x`, `~1.2`.
    ///
    /// ```puppet
    /// notice(SemVerRange('newest'))    # error
    /// ```
    INVALID_VERSION_RANGE as RUNTIME_ERROR: Error, "Unparsable version range: \"{text}\"";

    /// The text is not a valid URI; characters that are not allowed in one are percent-encoded.
    ///
    /// ```puppet
    /// notice(URI('http://example.com/a b'))      # error
    /// notice(URI('http://example.com/a%20b'))    # fine
    /// ```
    INVALID_URI as RUNTIME_ERROR: Error, "bad URI(is not URI?): {text}";

    /// Only ASCII is allowed in a URI; everything else is written with percent signs.
    ///
    /// ```puppet
    /// notice(URI('http://example.com/ä'))         # error
    /// notice(URI('http://example.com/%C3%A4'))    # fine
    /// ```
    URI_NOT_ASCII as RUNTIME_ERROR: Error, "URI must be ascii only {text}";

    /// A relative URI is added to one that is not.
    ///
    /// ```puppet
    /// notice(URI('a/b') + 'c')    # error
    /// ```
    RELATIVE_URIS as RUNTIME_ERROR: Error, "both URI are relative";

    /// The formats that bytes are read in are `%b`, `%u`, `%B`, `%s` and `%r`.
    UNKNOWN_BINARY_FORMAT as RUNTIME_ERROR: Error, "Unsupported Base64 format '{format}'";

    /// The text is not base64, or not padded with equals signs. The format `%b` is not so strict.
    ///
    /// ```puppet
    /// notice(Binary('AQI', '%B'))    # error
    /// notice(Binary('AQI', '%b'))    # fine
    /// ```
    INVALID_BASE64 as RUNTIME_ERROR: Error, "invalid base64";

    /// The bytes are not valid UTF-8.
    ///
    /// ```puppet
    /// notice(String(Binary('/w=='), '%s'))    # error
    /// ```
    BINARY_NOT_UTF8 as RUNTIME_ERROR: Error, "\"\\x{byte}\" from ASCII-8BIT to UTF-8";

    /// The text is not a valid regular expression; the message is that of Ruby, which Puppet matches with.
    ///
    /// ```puppet
    /// notice(Regexp('(a'))    # error
    /// ```
    INVALID_REGEXP: Error, "{reason}: {source}";

    /// Finding out whether a text matches takes too many steps. Repetitions of repetitions are often the cause.
    ///
    /// ```puppet
    /// notice('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab' =~ /^((a)\2*)+$/)    # error
    /// ```
    REGEXP_GIVEN_UP as RUNTIME_ERROR: Error, "Matching with the regular expression {regexp} was stopped: {reason}";

    /// The replacement of a match refers to a group that the regular expression does not have.
    ///
    /// ```puppet
    /// notice(regsubst('a', '(?<x>a)', '\k<y>'))    # error
    /// ```
    UNKNOWN_GROUP as RUNTIME_ERROR: Error, "undefined group name reference: {name}";
}
