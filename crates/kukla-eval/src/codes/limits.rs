//! How much a program may use.

kukla_syntax::codes! {
    pub LIMITS;

    /// Too much was evaluated; is there a loop without end? The setting `limit_steps` says how much is allowed.
    EVALUATION_LIMIT: Error, "The evaluation took more than the {limit} steps allowed";

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
    TEXT_TOO_LONG as SIZE_LIMIT: Error, "A string of {count} bytes is longer than the {limit} allowed";

    /// Collections in collections go deeper than the setting `limit_nesting` allows.
    ///
    /// ```puppet
    /// $a = range(1, 100000).reduce([]) |$all, $i| { [$all] }    # error
    /// ```
    NESTED_TOO_DEEP as SIZE_LIMIT: Error, "Collections are nested more than {limit} levels deep";

    /// Types in types go deeper than the setting `limit_nesting` allows.
    TYPES_NESTED_TOO_DEEP as SIZE_LIMIT: Error, "Types are nested more than {limit} levels deep";

    /// A value with all that is in it has more elements than the setting `limit_elements` allows.
    TOO_MANY_ELEMENTS_IN_ALL as SIZE_LIMIT: Error, "A value of more than the {limit} elements allowed in all";

    /// A value with all that is in it has more text than the setting `limit_text` allows.
    TOO_MUCH_TEXT_IN_ALL as SIZE_LIMIT: Error, "A value with more than the {limit} bytes of text allowed in all";

    /// Defined types declare others without end.
    ///
    /// ```puppet
    /// define a($n) { a { "x${n}": n => $n + 1 } }
    /// a { 'x': n => 1 }    # error
    /// ```
    ENDLESS_DECLARATIONS as PARSE_ERROR: Error, "Somehow looped more than 1000 times while evaluating host catalog";
}
