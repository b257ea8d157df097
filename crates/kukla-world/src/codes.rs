//! The rules of reaching outside.

kukla_syntax::codes! {
    pub CODES;

    /// Policy keeps code from doing this. Whoever runs Kukla decides what code may read, run and see; the message names the
    /// option that would allow it.
    ///
    /// ```puppet
    /// generate('/bin/true')    # error
    /// ```
    NOT_ALLOWED as RUNTIME_ERROR: Error, "{what} is not allowed; `{how}` would allow it";
}
