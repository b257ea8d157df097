//! What can be wrong with a request, an environment and their files.

kukla_syntax::codes! {
    pub CODES;

    /// A function that serves as a Hiera backend failed; what is wrong is said where it is wrong.
    BACKEND_FAILED as RUNTIME_ERROR: Error, "{cause}";
}
