//! What can be wrong with data and its configuration.

kukla_syntax::codes! {
    pub CODES;

    /// The data of the global layer, which its own `hiera.yaml` describes, could not be looked up.
    GLOBAL_LOOKUP_FAILED as LOOKUP_ERROR: Error, "Lookup of key '{key}' failed: {cause}";

    /// Data or its configuration refers to a variable that is not set: `%{facts.role}` where there is no fact of that name.
    UNDEFINED_DATA_VARIABLE as ARGUMENT_ERROR: Error, "Undefined variable '{name}'; {reason}";

    /// A `hiera.yaml` refers to a variable that is not set.
    HIERA_UNDEFINED_VARIABLE: Error, "Undefined variable '{name}'";

    /// Each level of a hierarchy has a name of its own.
    HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED: Error, "Hierarchy name '{name}' defined more than once.{earlier}";

    /// Each backend of a version 3 `hiera.yaml` is named once.
    HIERA_BACKEND_MULTIPLY_DEFINED: Error, "Backend '{name}' is defined more than once.{earlier}";
}
