//! How much a program may use.

kukla_syntax::codes! {
    pub LIMITS;

    /// Too much was evaluated; is there a loop without end? The setting `limit_steps` says how much is allowed.
    ///
    /// ```toml
    /// limit_steps = 1000
    /// ```
    ///
    /// ```puppet
    /// Integer[1, 5000].each |$i| { notice($i) }    # error
    /// ```
    EVALUATION_LIMIT: Error, "The evaluation took more than the {limit} steps allowed";

    /// A compilation made more than the setting `limit_memory` allows: text, collections, resources, messages. What is made and
    /// not kept counts as well.
    ///
    /// ```toml
    /// limit_memory = 100000
    /// ```
    ///
    /// ```puppet
    /// Integer[1, 500].map |$i| { [$i, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }    # error
    /// ```
    MEMORY_LIMIT: Error, "The compilation took more than the {limit} bytes of memory allowed";

    /// More resources were declared than the setting `limit_resources` allows.
    ///
    /// ```toml
    /// limit_resources = 20
    /// ```
    ///
    /// ```puppet
    /// notify { Integer[1, 21].map |$i| { "n${i}" }: }    # error
    /// ```
    TOO_MANY_RESOURCES as SIZE_LIMIT: Error, "The catalog has more than the {limit} resources allowed";

    /// More was logged than the setting `limit_logs` allows.
    ///
    /// ```toml
    /// limit_logs = 10
    /// ```
    ///
    /// ```puppet
    /// Integer[1, 11].each |$i| { notice($i) }    # error
    /// ```
    TOO_MANY_LOGS as SIZE_LIMIT: Error, "More than the {limit} messages allowed were logged";

    /// A compilation exceeded its deadline.
    DEADLINE_PASSED: Error, "The evaluation exceeded its deadline of {seconds} seconds";

    /// A function calls itself without end, or very often.
    ///
    /// ```puppet
    /// function f() { f() }    # error
    /// f()
    /// ```
    RECURSION_LIMIT: Error, "stack level too deep: more than {limit} calls inside each other";

    /// A collection is larger than the setting `limit_elements` allows.
    ///
    /// ```puppet
    /// notice(Array(Integer[1, 10000000000]))    # error
    /// ```
    TOO_MANY_ELEMENTS as SIZE_LIMIT: Error, "A collection of {count} elements is larger than the {limit} allowed";

    /// A string is longer than the setting `limit_text` allows.
    ///
    /// ```toml
    /// limit_text = 100
    /// ```
    ///
    /// ```puppet
    /// Integer[1, 10].reduce('a') |$all, $i| { "${all}${all}" }    # error
    /// ```
    TEXT_TOO_LONG as SIZE_LIMIT: Error, "A string of {count} bytes is longer than the {limit} allowed";

    /// Collections, types or objects inside each other go deeper than the setting `limit_nesting` allows.
    ///
    /// ```puppet
    /// $a = range(1, 100000).reduce([]) |$all, $i| { [$all] }    # error
    /// ```
    NESTED_TOO_DEEP as SIZE_LIMIT: Error, "Values are nested more than {limit} levels deep";

    /// A value with all that is in it has more elements than the setting `limit_elements` allows.
    TOO_MANY_ELEMENTS_IN_ALL as SIZE_LIMIT: Error, "A value of more than the {limit} elements allowed in all";

    /// A value with all that is in it has more text than the setting `limit_text` allows.
    TOO_MUCH_TEXT_IN_ALL as SIZE_LIMIT: Error, "A value with more than the {limit} bytes of text allowed in all";
}
