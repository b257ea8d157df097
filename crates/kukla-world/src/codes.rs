//! The rules of reaching outside.

kukla_syntax::codes! {
    pub CODES;

    /// Policy does not allow this access. The user who runs Kukla decides what code may read, run and see; the message names the
    /// option that would allow it.
    ///
    /// ```puppet
    /// generate('/bin/true')    # error
    /// ```
    NOT_ALLOWED as RUNTIME_ERROR: Error, "{what} is not allowed; `{how}` would allow it";

    /// With `--answers DIR` questions to PuppetDB, name servers and web servers are answered from files, and this one is not among them. Add
    /// what the message shows to the file that it names.
    NO_ANSWER as RUNTIME_ERROR: Error, "no answer to '{question}' is recorded; add it to {file}, such as:\n{example}";

    /// A file of recorded answers (`--answers DIR`) cannot be read, or is not a hash of questions and answers.
    BAD_ANSWERS as RUNTIME_ERROR: Error, "{file}: {problem}";

    /// There is no PuppetDB to ask. `--store URL` names a store that answers in its place, or PuppetDB itself; `--answers DIR` has its
    /// answers recorded in a file, for tests.
    ///
    /// ```puppet
    /// puppetdb_query('nodes { }')    # error
    /// ```
    NO_PUPPETDB as RUNTIME_ERROR: Error, "there is no PuppetDB to ask; `--store URL` would name one, `--answers DIR` would answer from {file} in it";
}
