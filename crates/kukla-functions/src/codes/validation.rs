//! Checks by functions, which types of parameters do better: `validate_*`, `type3x`.

kukla_syntax::codes! {
    pub VALIDATION;

    /// A value is not what it was checked to be.
    ///
    /// ```puppet
    /// validate_domain_name('-example.com')    # error
    /// ```
    NOT_VALID as RUNTIME_ERROR: Error, "{value} is not {wanted}";

    /// A number is greater than the limit.
    ///
    /// `modules/stdlib/metadata.json`:
    ///
    /// ```json
    /// {"name": "puppetlabs-stdlib", "version": "8.5.0"}
    /// ```
    ///
    /// ```toml
    /// strict = "warning"
    /// ```
    ///
    /// ```puppet
    /// validate_integer(11, 10)    # error
    /// ```
    ABOVE_LIMIT as RUNTIME_ERROR: Error, "{function}(): Expected {value} to be smaller or equal to {limit}, got {value}.";

    /// A number is less than the limit.
    ///
    /// `modules/stdlib/metadata.json`:
    ///
    /// ```json
    /// {"name": "puppetlabs-stdlib", "version": "8.5.0"}
    /// ```
    ///
    /// ```toml
    /// strict = "warning"
    /// ```
    ///
    /// ```puppet
    /// validate_integer(0, 10, 1)    # error
    /// ```
    BELOW_LIMIT as RUNTIME_ERROR: Error, "{function}(): Expected {value} to be greater or equal to {limit}, got {value}.";

    /// The greatest number allowed is given first, and then the least.
    ///
    /// `modules/stdlib/metadata.json`:
    ///
    /// ```json
    /// {"name": "puppetlabs-stdlib", "version": "8.5.0"}
    /// ```
    ///
    /// ```toml
    /// strict = "warning"
    /// ```
    ///
    /// ```puppet
    /// validate_integer(5, 1, 10)    # error
    /// ```
    LIMITS_REVERSED as RUNTIME_ERROR: Error, "{function}(): Expected second argument to be larger than third argument, got {max} < {min}";

    /// The greatest length allowed is given first, and then the least.
    ///
    /// `modules/stdlib/metadata.json`:
    ///
    /// ```json
    /// {"name": "puppetlabs-stdlib", "version": "8.5.0"}
    /// ```
    ///
    /// ```toml
    /// strict = "warning"
    /// ```
    ///
    /// ```puppet
    /// validate_slength('abc', 1, 10)    # error
    /// ```
    LENGTHS_REVERSED as RUNTIME_ERROR: Error, "validate_slength(): Expected second argument to be equal to or larger than third argument";

    /// A text is too long or too short.
    ///
    /// `modules/stdlib/metadata.json`:
    ///
    /// ```json
    /// {"name": "puppetlabs-stdlib", "version": "8.5.0"}
    /// ```
    ///
    /// ```toml
    /// strict = "warning"
    /// ```
    ///
    /// ```puppet
    /// validate_slength('abcdef', 5)    # error
    /// ```
    LENGTH_OUT_OF_RANGE as RUNTIME_ERROR: Error, "validate_slength(): Expected length of {value} to be between {min} and {max}, was {length}";

    /// A text matches none of some regular expressions.
    ///
    /// `modules/stdlib/metadata.json`:
    ///
    /// ```json
    /// {"name": "puppetlabs-stdlib", "version": "8.5.0"}
    /// ```
    ///
    /// ```toml
    /// strict = "warning"
    /// ```
    ///
    /// ```puppet
    /// validate_re('abc', '^x')    # error
    /// ```
    NO_PATTERN_MATCHES as RUNTIME_ERROR: Error, "validate_re(): {value} does not match {patterns}";

    /// A text matches none of some regular expressions; the message is the program's own.
    ///
    /// `modules/stdlib/metadata.json`:
    ///
    /// ```json
    /// {"name": "puppetlabs-stdlib", "version": "8.5.0"}
    /// ```
    ///
    /// ```toml
    /// strict = "warning"
    /// ```
    ///
    /// ```puppet
    /// validate_re('abc', '^x', 'names begin with x')    # error
    /// ```
    NO_PATTERN_MATCHES_WITH_MESSAGE as RUNTIME_ERROR: Error, "{message}";

    /// The command that checks a file failed; the message continues with its output.
    ///
    /// ```puppet
    /// validate_cmd('content', '/bin/false')    # error
    /// ```
    CONTENT_REFUSED as RUNTIME_ERROR: Error, "validate_cmd(): failed to validate content with command {command}\n{cause}";

    /// The command that checks a file failed; the message is the program's own, and continues with the command's output.
    ///
    /// ```puppet
    /// validate_cmd('content', '/bin/false', 'invalid content')    # error
    /// ```
    CONTENT_REFUSED_WITH_MESSAGE as RUNTIME_ERROR: Error, "{message}\n{cause}";

    /// The command that checks a file must be a string. It is always reported as the cause of another error.
    ///
    /// ```puppet
    /// validate_cmd('content', 1)    # error
    /// ```
    COMMAND_NO_STRING as RUNTIME_ERROR: Error, "TypeError {cause}";

    /// Commands run in a shell, and there is none. It is always reported as the cause of another error.
    NO_SHELL as RUNTIME_ERROR: Error, "there is no shell to run '{command}' with";

    /// The function checks texts by the lenses of Augeas, which is not at hand.
    ///
    /// ```puppet
    /// validate_augeas('root:x:0:0:root:/root:/bin/sh', 'Passwd.lns')    # error
    /// ```
    NO_AUGEAS as RUNTIME_ERROR: Error, "validate_augeas(): this function requires the augeas feature. See http://docs.puppetlabs.com/guides/augeas.html#pre-requisites for how to activate it.";

    /// `validate_legacy` takes a type, the name of an older function, a value, and what else that function takes.
    ///
    /// ```puppet
    /// validate_legacy(Integer, 'validate_integer')    # error
    /// ```
    TOO_FEW_TO_VALIDATE as RUNTIME_ERROR: Error, "'validate_legacy' expects at least 4 arguments, got {given}";

    /// `validate_legacy` takes a type, the name of an older function, a value, and what else that function takes.
    ///
    /// ```puppet
    /// validate_legacy(Integer, 1, 1)    # error
    /// ```
    NOTHING_TO_VALIDATE_BY as RUNTIME_ERROR: Error, "The function 'validate_legacy' was called with arguments it does not accept. It expects one of:{signatures}";

    /// `type3x` names the kinds of values that old versions of Puppet knew. `type` knows all.
    ///
    /// `modules/stdlib/metadata.json`:
    ///
    /// ```json
    /// {"name": "puppetlabs-stdlib", "version": "8.5.0"}
    /// ```
    ///
    /// ```puppet
    /// type3x(Integer)    # error
    /// ```
    KIND_WITHOUT_OLD_NAME as RUNTIME_ERROR: Error, "type3x(): Unknown type";
}
