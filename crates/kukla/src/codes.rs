//! Every rule that Kukla can find broken, and those about requests, environments and their files.

use kukla_syntax::Code;

/// Every code that Kukla can report.
pub fn all() -> impl Iterator<Item = &'static Code> {
    kukla_syntax::codes::CODES
        .iter()
        .chain(kukla_syntax::validate::codes::CODES)
        .chain(kukla_eval::codes::CODES)
        .chain(kukla_hiera::codes::CODES)
        .chain(CODES)
        .chain(kukla_catalog::codes::CODES)
        .copied()
        .chain(kukla_values::codes::all())
        .chain(kukla_functions::codes::all())
}

kukla_syntax::codes! {
    pub CODES;

    /// Puppet code is UTF-8 text. Save the file in that encoding; the message says where the first byte is that does not fit.
    INVALID_UTF8: Error, "invalid byte sequence in UTF-8 at byte {offset}";

    /// A function that serves as a Hiera backend failed; what is wrong is said where it is wrong.
    BACKEND_FAILED as RUNTIME_ERROR: Error, "{cause}";
}
