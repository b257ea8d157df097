//! Data in text: JSON, YAML, HOCON, PSON, from files and other hosts.

kukla_syntax::codes! {
    pub PARSING;

    /// A text is not valid JSON; the message names the position. Functions that parse accept a default value for that case.
    ///
    /// ```puppet
    /// parsejson('{"a": }')    # error
    /// ```
    INVALID_JSON as RUNTIME_ERROR: Error, "{reason}";

    /// A text is not valid YAML; the message names the position. Functions that parse accept a default value for that case.
    ///
    /// ```puppet
    /// parseyaml('a: [1')    # error
    /// ```
    INVALID_YAML as RUNTIME_ERROR: Error, "{reason}";

    /// A text is not valid HOCON; the message names the position. Functions that parse accept a default value for that case.
    ///
    /// ```puppet
    /// parsehocon('a = [1')    # error
    /// ```
    INVALID_HOCON as RUNTIME_ERROR: Error, "{reason}";

    /// There is no data in a text.
    ///
    /// ```puppet
    /// parsepson(' ')    # error
    /// ```
    NO_PSON as RUNTIME_ERROR: Error, "source did not contain any PSON!";

    /// PSON, an old kind of JSON, is an array or an object.
    ///
    /// ```puppet
    /// parsepson('1')    # error
    /// ```
    NOT_PSON as RUNTIME_ERROR: Error, "source '{text}' not in PSON!";

    /// A value holds collections within collections to a greater depth than the option `max_nesting` allows, which is 100 unless given.
    ///
    /// ```puppet
    /// to_json_pretty([[1]], false, {max_nesting => 1})    # error
    /// ```
    JSON_TOO_DEEP as RUNTIME_ERROR: Error, "nesting of {depth} is too deep";

    /// A value cannot be written as YAML: it is neither plain data nor a regular expression. Convert it first, as in `String($value)`.
    ///
    /// ```puppet
    /// to_yaml({ every => Timespan(60) })    # error
    /// ```
    UNWRITABLE_YAML as RUNTIME_ERROR: Error, "{reason}";

    /// Data is fetched from other hosts by the program `curl`, and there is none.
    NO_CURL as RUNTIME_ERROR: Error, "{url}: there is no curl to fetch it with";

    /// The program `curl`, which fetches data from other hosts, could not be run, or was stopped because it took too long or wrote too much.
    CURL_NOT_RUN as RUNTIME_ERROR: Error, "{url}: {reason}";

    /// Data could not be fetched from another host; the message is that of `curl`.
    FETCH_FAILED as RUNTIME_ERROR: Error, "{reason}";
}
