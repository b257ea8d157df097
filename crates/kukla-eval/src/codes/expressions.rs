//! Operators, variables, selectors, types.

kukla_syntax::codes! {
    pub EXPRESSIONS;

    /// Access to an array takes one index, `$a[0]`, or a start and a length, `$a[0, 2]`.
    ///
    /// ```puppet
    /// [1, 2, 3][0, 1, 2]    # error
    /// ```
    BAD_ARRAY_SLICE_ARITY: Error, "Array supports [] with one or two arguments. Got {count}";

    /// The index into an array must be an integer.
    ///
    /// ```puppet
    /// [1, 2, 3][1.5]    # error
    /// ```
    BAD_SLICE_KEY_TYPE: Error, "An Array[] cannot use {actual} where Integer is expected";

    /// The index into a string must be an integer.
    ///
    /// ```puppet
    /// 'puppet'[1.5]    # error
    /// ```
    BAD_STRING_SLICE_KEY_TYPE: Error, "A substring operation does not accept {actual} as a character index. Expected an Integer";

    /// Several variables are assigned from a hash, which must have a value for each of them.
    ///
    /// ```puppet
    /// [$a, $b] = { 'a' => 1 }    # error
    /// ```
    MISSING_MULTI_ASSIGNMENT_KEY: Error, "No value for required key '{key}' in assignment to variables from hash";

    /// Several variables are assigned from an array, which must have as many elements.
    ///
    /// ```puppet
    /// [$a, $b] = [1, 2, 3]    # error
    /// ```
    ILLEGAL_MULTI_ASSIGNMENT_SIZE: Error, "Mismatched number of assignable entries and values, expected {expected}, got {actual}";

    /// Several variables are assigned from a class, which must have variables of the same names.
    ///
    /// ```puppet
    /// class a { $x = 1 }
    /// include a
    /// [$x, $y] = Class['a']    # error
    /// ```
    MISSING_MULTI_ASSIGNMENT_VARIABLE: Error, "No value for required variable '${name}' in assignment to variables from class reference";

    /// `+=` and `-=` need a variable on their left.
    ADDING_TO_NO_VARIABLE as ILLEGAL_ASSIGNMENT: Error, "Only a variable can be appended to or deleted from";

    /// A variable is set once in its scope. Give the new value another name.
    ///
    /// ```puppet
    /// $port = 80
    /// $port = 81    # error
    /// ```
    ILLEGAL_REASSIGNMENT: Error, "Cannot reassign variable '${name}'";

    /// Puppet sets this variable itself.
    ///
    /// ```puppet
    /// class a { $title = 'b' }    # error
    /// include a
    /// ```
    BUILT_IN_REASSIGNMENT as ILLEGAL_REASSIGNMENT: Error, "Cannot reassign built in (or already assigned) variable '${name}'";

    /// Puppet sets `$facts`, `$trusted` and `$server_facts`.
    ///
    /// ```puppet
    /// $facts = {}    # error
    /// ```
    ILLEGAL_RESERVED_ASSIGNMENT: Error, "Attempt to assign to a reserved variable name: '${name}'";

    /// No parameter or variable may be called `facts`, `trusted` or `server_facts`, which Puppet sets.
    ///
    /// ```puppet
    /// [1].each |$facts| { }    # error
    /// ```
    RESERVED_VARIABLE as RUNTIME_ERROR: Error, "Attempt to assign to a reserved variable name: '{name}'";

    /// The default of a parameter is a value; it sets no variables.
    ASSIGNMENT_IN_DEFAULT as RUNTIME_ERROR: Error, "Attempt to assign variable {name} when evaluating parameters";

    /// The variable is not set where it is used: its name is misspelled, it belongs to another scope or its class has not been evaluated
    /// yet, or there is no such fact. `getvar('x')` gives `undef` instead.
    ///
    /// ```puppet
    /// notice($prot)    # error
    /// ```
    UNKNOWN_VARIABLE: Strict, "Unknown variable: '{name}'.";

    /// A default uses a parameter that has no value.
    PARAMETER_WITHOUT_VALUE as RUNTIME_ERROR: Error, "expects a value for parameter ${name}";

    /// A default uses an earlier parameter that has no value.
    ///
    /// ```puppet
    /// class a ($b, $c = $b) { }
    /// include a    # error
    /// ```
    EARLIER_PARAMETER_WITHOUT_VALUE as UNEVALUATED_PARAMETER: Error, "{callee}: expects a value for parameter ${name}";

    /// The default of a parameter can use the parameters before it, not those after it: they have no value yet.
    ///
    /// ```puppet
    /// function f($a = $b, $b = 1) { $a }
    /// f()    # error
    /// ```
    LATER_PARAMETER_IN_DEFAULT as UNEVALUATED_PARAMETER: Error, "{callee}: default expression for ${parameter} tries to illegally access not yet evaluated ${name}";

    /// No case of the selector matches. Add a case `default =>` for all other values.
    ///
    /// ```puppet
    /// $x = 3 ? { 1 => 'one', 2 => 'two' }    # error
    /// ```
    UNMATCHED_SELECTOR: Strict, "No matching entry for selector parameter with value '{value}'";

    /// The right side of `=~` is a string, which must spell a regular expression.
    ///
    /// ```puppet
    /// 'a' =~ '('    # error
    /// ```
    MATCH_NOT_REGEXP: Error, "Can not convert right match operand to a regular expression. Caused by '{cause}'.";

    /// Only strings are matched with regular expressions.
    ///
    /// ```puppet
    /// 80 =~ /8/    # error
    /// ```
    MATCH_NOT_STRING: Error, "Left match operand must result in a String value. Got {actual}.";

    /// The result of floating-point arithmetic is not a number.
    ///
    /// ```puppet
    /// 0.0 / 0.0    # error
    /// ```
    RESULT_IS_NAN: Error, "The result of the {operator} expression is NaN";

    /// The two values have no order: numbers are compared with numbers, strings with strings.
    ///
    /// ```puppet
    /// 1 < 'two'    # error
    /// ```
    COMPARISON_NOT_POSSIBLE: Error, "Comparison of: {left} {operator} {right}, is not possible. Caused by '{reason}'.";

    /// The expression before a parameter must be a type.
    ///
    /// ```puppet
    /// function f(Integer[1, 10, 2] $x) { $x }    # error
    /// f(1)
    /// ```
    NOT_A_TYPE as TYPE_MISMATCH: Error, "expected a Type, got {actual}";

    /// `Enum` takes strings.
    ///
    /// ```puppet
    /// assert_type(Type.new('Enum[1]'), 1)    # error
    /// ```
    ENUM_OF_NO_WORDS as RUNTIME_ERROR: Error, "Enum parameters must be identifiers or strings";

    /// `Boolean` takes `true` or `false`.
    ///
    /// ```puppet
    /// assert_type(Type.new('Boolean[1]'), 1)    # error
    /// ```
    BOOLEAN_OF_NO_BOOLEAN as RUNTIME_ERROR: Error, "Boolean parameter must be true or false";

    /// This type takes no parameters in brackets.
    ///
    /// ```puppet
    /// type Port = Integer[1, 65535]
    /// assert_type(Type.new('Port[80]'), 1)    # error
    /// ```
    NOT_PARAMETERIZED as RUNTIME_ERROR: Error, "Not a parameterized type <{text}>";

    /// A type has too many or too few parameters in its brackets.
    ///
    /// ```puppet
    /// assert_type(Type.new('Boolean[true, false]'), 1)    # error
    /// ```
    TYPE_PARAMETER_COUNT as RUNTIME_ERROR: Error, "Invalid number of type parameters specified: {label} requires {wanted}, {given} provided";

    /// `break()`, `next()` and `return()` leave a block or a function, and there is none around them.
    ///
    /// ```puppet
    /// break()    # error
    /// ```
    ILLEGAL_JUMP as PARSE_ERROR: Error, "{word}() from context where this is illegal";

    /// The syntax tree contains an element that cannot be evaluated.
    NOT_LOWERED as UNSUPPORTED_EXPRESSION: Error, "This expression is not supported";
}
