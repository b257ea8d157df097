//! All error codes of Kukla, and the codes about requests, environments and their files.

use kukla_syntax::Code;

/// Every code that Kukla can report.
pub fn all() -> impl Iterator<Item = &'static Code> {
    kukla_syntax::codes::CODES
        .iter()
        .chain(kukla_syntax::validate::codes::CODES)
        .chain(CODES)
        .chain(kukla_world::codes::CODES)
        .chain(kukla_catalog::codes::CODES)
        .copied()
        .chain(kukla_values::codes::all())
        .chain(kukla_eval::codes::all())
        .chain(kukla_hiera::codes::all())
        .chain(kukla_functions::codes::all())
        .chain(kukla_extensions::CODES.iter().copied())
        .chain(kukla_facts::CODES.iter().copied())
}

kukla_syntax::codes! {
    pub CODES;

    /// Puppet code is UTF-8 text. Save the file in that encoding; the message has the position of the first invalid byte.
    INVALID_UTF8: Error, "invalid byte sequence in UTF-8 at byte {offset}";

    /// A resource does not do what a policy (`policies/*.pp`) claims of it, or a resource that a policy requires is missing. Change the resource, or
    /// the policy if it claims too much.
    ///
    /// ```puppet
    /// # policies/files.pp
    /// policy('files have an owner', File) |$file| { $file['owner'] }
    /// ```
    POLICY_VIOLATED: Error, "{claim}";

    /// A line of `environment.conf` is neither a section nor a setting.
    ///
    /// `environment.conf`:
    ///
    /// ```ini
    /// no setting
    /// ```
    ///
    /// ```puppet
    /// notice('a')    # error
    /// ```
    BAD_ENVIRONMENT_CONF as PARSE_ERROR: Error, "{problem}";

    /// The `environment.conf` cannot be read.
    UNREADABLE_ENVIRONMENT_CONF as BAD_ENVIRONMENT: Error, "{file}: {reason}";

    /// The value of `environment_timeout` is `unlimited`, or a number with a unit: `30s`, `5m`, `1h`.
    ///
    /// `environment.conf`:
    ///
    /// ```ini
    /// environment_timeout = soon
    /// ```
    ///
    /// ```puppet
    /// notice('a')    # error
    /// ```
    BAD_ENVIRONMENT_TIMEOUT as BAD_ENVIRONMENT: Error, "Invalid 'time to live' format '\"{text}\"' for parameter: environment_timeout";

    /// A setting in `environment.conf` has an invalid value.
    ///
    /// `environment.conf`:
    ///
    /// ```ini
    /// rich_data = maybe
    /// ```
    ///
    /// ```puppet
    /// notice('a')    # error
    /// ```
    BAD_SETTING as BAD_ENVIRONMENT: Error, "{problem}";

    /// A node is named like a certificate: printable ASCII without slashes, and without dots at the beginning that would lead
    /// up in a path. Names come with facts, requests and classifiers, and nobody should reach another node's files with one.
    BAD_NODE_NAME as BAD_REQUEST: Error, "{name} cannot be the name of a node: it may have up to 250 printable ASCII characters but no slashes, and not begin with '..'";

    /// A request of the machine interface has a wrong shape.
    BAD_REQUEST: Error, "{problem}";

    /// An agent would refuse a resource of the catalog: a value that its type does not take, or attributes that do not go together. The
    /// message is the agent's. `kukla compile --validate` finds it before any agent does.
    REFUSED_BY_AGENT: Error, "{message}";

    /// The exports of nodes depend on what they collect from each other in such a way that they never settle: each compilation changes the resources that
    /// the next one finds. The message names the nodes and resources that change.
    UNSETTLED_EXPORTS as RUNTIME_ERROR: Error, "exported resources do not settle after {passes} passes: {nodes}";

    /// Resources of a catalog depend on each other in a cycle, so there is no order to apply them in, and an agent refuses the catalog. Remove one of the
    /// relations: a `require`, `before`, `notify` or `subscribe`, an arrow, or the containment in a class that another relation names.
    ///
    /// ```puppet
    /// notify { 'a': require => Notify['b'] }
    /// notify { 'b': require => Notify['a'] }    # warning
    /// ```
    CYCLE: Warning, "dependency cycle on {nodes}: {cycle}";

    /// The run was cancelled before the node was compiled.
    CANCELLED as RUNTIME_ERROR: Error, "The run was cancelled";

    /// A Ruby script takes more steps or memory, or writes more, than it may.
    SCRIPT_LIMIT as EVALUATION_LIMIT: Error, "The script {passes} than it may";

    /// A bug in Kukla. Please report it.
    INTERNAL_FAILURE as INTERNAL_ERROR: Error, "Kukla failed, please report it: {what}";
}
