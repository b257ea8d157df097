//! Codes about data lookup.

kukla_syntax::codes! {
    pub DATA;

    /// A function that serves as a Hiera backend failed; the error names the function's own mistake.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, data_hash: f }]
    /// ```
    ///
    /// ```puppet
    /// function f($options, $context) { fail('no data') }
    /// lookup('a')    # error
    /// ```
    BACKEND_FAILED as RUNTIME_ERROR: Error, "{cause}";

    /// Code looks up data in a compilation that has none.
    NO_DATA as RUNTIME_ERROR: Error, "There is no data to look anything up in";

    /// A function of the lookup context was called with arguments that it does not take.
    ///
    /// `hiera.yaml`:
    ///
    /// ```yaml
    /// version: 5
    /// hierarchy: [{ name: a, data_hash: f }]
    /// ```
    ///
    /// ```puppet
    /// function f($options, $context) { $context.not_found(1) }
    /// lookup('a')    # error
    /// ```
    WRONG_CONTEXT_ARGUMENTS as RUNTIME_ERROR: Error, "'function Puppet::LookupContext[{method}]' {problem}";
}
