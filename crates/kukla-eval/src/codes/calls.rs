//! Functions, lambdas, templates, objects.

kukla_syntax::codes! {
    pub CALLS;

    /// No function of this name is built in or defined by a module.
    ///
    /// ```puppet
    /// joint(['a', 'b'])    # error
    /// ```
    UNKNOWN_FUNCTION: Error, "Unknown function: '{name}'.";

    /// A function that is called by a name in a string does not exist.
    ///
    /// ```puppet
    /// call('joint', ['a', 'b'])    # error
    /// ```
    UNKNOWN_CALLED_FUNCTION as RUNTIME_ERROR: Error, "Unknown function '{name}'";

    /// A function is written in Ruby, and running Ruby is not available here.
    RUBY_FUNCTION: Error, "{name}(): is written in Ruby, and no Ruby is run here: {file}";

    /// The arguments do not match the function's signature: their number, their types or the block.
    ///
    /// ```puppet
    /// join('a', 'b', 'c')    # error
    /// ```
    WRONG_ARGUMENTS as RUNTIME_ERROR: Error, "{description}";

    /// The arguments do not match the function's signature.
    ///
    /// ```puppet
    /// getvar('1a')    # error
    /// ```
    REFUSED_ARGUMENTS as RUNTIME_ERROR: Error, "'{function}' {reason}";

    /// A parameter without a default has no value.
    ///
    /// ```puppet
    /// [1].with |$a, $b| { $b }    # error
    /// ```
    MISSING_REQUIRED_PARAMETER: Error, "Parameter ${name} is required but no value was given";

    /// Optional parameters come after required ones.
    ///
    /// ```puppet
    /// function f($a = 1, $b) { $b }    # error
    /// f(1, 2)
    /// ```
    REQUIRED_PARAMETER_AFTER_OPTIONAL: Error, "Parameter ${name} is required but appears after optional parameters";

    /// A file in a module's `functions` directory defines the function it is named after.
    ///
    /// `modules/site/functions/port.pp`:
    ///
    /// ```puppet
    /// ```
    ///
    /// ```puppet
    /// site::port()    # error
    /// ```
    FILE_WITHOUT_FUNCTION as RUNTIME_ERROR: Error, "The code loaded from {file} does not define the function '{name}' - {reason}.";

    /// A type declares a function whose code is in Ruby, which is not implemented here.
    METHOD_NOT_IMPLEMENTED as RUNTIME_ERROR: Error, "no method is implemented for {label}";

    /// The text is not a template.
    NO_TEMPLATE as RUNTIME_ERROR: Error, "{function}(): the parser did not produce an EppExpression";

    /// A template only produces text; define classes, defined types and functions in manifests.
    DEFINITION_IN_TEMPLATE as RUNTIME_ERROR: Error, "{function}(): The EPP template contains illegal expressions (definitions)";

    /// `$0`, `$1` and so on are set by matching regular expressions.
    ///
    /// ```puppet
    /// inline_epp('<%= $x %>', {'0' => 1})    # error
    /// ```
    NUMERIC_TEMPLATE_VARIABLE as RUNTIME_ERROR: Error, "Cannot assign to a numeric match result variable '${name}'";

    /// A template produces a string; `return` and `next` in it must return one too.
    ///
    /// ```puppet
    /// inline_epp('<% next(1) %>')    # error
    /// ```
    TEMPLATE_WITHOUT_TEXT as RUNTIME_ERROR: Error, "value returned from function '{function}' has wrong type, expects a value of type String or Sensitive[String], got {actual}";

    /// A function calls `not_found` on its context and does not serve as a source of data.
    ///
    /// ```puppet
    /// function f($options, $context) { {} }
    /// $context = Puppet::LookupContext('a')
    /// $context.not_found    # error
    /// ```
    STRAY_NOT_FOUND as LOOKUP_NOT_FOUND: Error, "not found";

    /// The declaration of a built-in function is wrong, which is a mistake in Kukla.
    UNREADABLE_SIGNATURE as RUNTIME_ERROR: Error, "the signature of '{function}' cannot be read: {cause}";

    /// A mistake in Kukla. Please report it.
    INTERNAL_ERROR: Error, "internal error: {what}";

    /// `--overrides DIR` has a table of calls for this function, and this call is not in it. Add the row that the message shows.
    NO_OVERRIDDEN_CALL as RUNTIME_ERROR: Error, "{file} has no result for this call of '{name}'; add a row such as:\n{example}";

    /// A table of calls in the directory of `--overrides` cannot be read. It is a list of rows: `{"arguments": [1], "result": 2}`; a row without
    /// `arguments` is for all other calls.
    BAD_OVERRIDE as RUNTIME_ERROR: Error, "{file}: {problem}";
}
