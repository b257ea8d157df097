//! The codes of stores.

kukla_syntax::codes! {
    pub CODES;

    /// A URL names no store. It begins with `sqlite:`, `postgres://` or `puppetdb+https://`.
    BAD_STORE_URL as RUNTIME_ERROR: Error, "{url} is not the URL of a store: {problem}";

    /// The store cannot be reached: the server does not run or is elsewhere, or the directory of the file is not there.
    STORE_UNREACHABLE as RUNTIME_ERROR: Error, "the store {url} cannot be reached: {problem}";

    /// The server of the store does not trust this machine, or this machine does not trust the server. Both show certificates, and each is to be
    /// signed by an authority that the other knows.
    STORE_CERTIFICATE as RUNTIME_ERROR: Error, "the store {url} and this machine do not trust each other: {problem}";

    /// Another process keeps the file of the store to itself and does not let go of it.
    STORE_LOCKED as RUNTIME_ERROR: Error, "the store {url} is in use: {problem}";

    /// There is no room for what is to be stored. Nothing of it was.
    STORE_FULL as RUNTIME_ERROR: Error, "the store {url} has no room: {problem}";

    /// The store was made by a newer version of Kukla, and this one does not know its way about in it.
    STORE_TOO_NEW as RUNTIME_ERROR: Error, "the store {url} has layout {found}, and this version of Kukla knows layouts up to {known}";

    /// The file or the database is not a store of Kukla, or it is damaged.
    NOT_A_STORE as RUNTIME_ERROR: Error, "{url} is not a store: {problem}";

    /// The store does not do what it was asked.
    STORE_FAILED as RUNTIME_ERROR: Error, "the store {url} refuses: {problem}";

    /// A query in PQL or as an array is not written as it should be, or asks for something that is not there.
    BAD_STORE_QUERY as RUNTIME_ERROR: Error, "the query cannot be answered: {problem}";

    /// A report lacks what every report of an agent has.
    BAD_REPORT as RUNTIME_ERROR: Error, "this is not the report of an agent: {problem}";
}
