//! Ruby's errors about values, in functions that Puppet implements in Ruby.

kukla_syntax::codes! {
    pub RUBY;

    /// A function that Puppet has in Ruby is given a value that it cannot use. The message is Ruby's; read it as "this is the wrong kind
    /// of value".
    ///
    /// ```puppet
    /// grep('abc', 'b')    # error
    /// ```
    NO_METHOD as RUNTIME_ERROR: Error, "undefined method `{name}' for {receiver}";

    /// Two values have no order, so they cannot be sorted. Sort values of one kind, or give a lambda that compares.
    ///
    /// ```puppet
    /// sort([1, 'a'])    # error
    /// ```
    NO_ORDER as RUNTIME_ERROR: Error, "comparison of {left} with {right} failed";

    /// Numbers and text cannot be joined, and the message to fail with was to be joined with the output of a command. Give it as a string.
    ///
    /// ```puppet
    /// validate_cmd('x', 'false', 1)    # error
    /// ```
    NO_COERCION as RUNTIME_ERROR: Error, "String can't be coerced into {kind}";

    /// A method of Ruby behind the function needs another number of arguments: `count` of a string needs the characters to count, and
    /// `merge` with a lambda goes through one value.
    ///
    /// ```puppet
    /// count('banana')    # error
    /// ```
    WRONG_METHOD_ARGUMENT_COUNT as RUNTIME_ERROR: Error, "wrong number of arguments (given {given}, expected {expected})";

    /// A function goes through the members of a value that has none. Arrays, hashes, strings, integers, ranges and iterators have members.
    NOT_ITERABLE as RUNTIME_ERROR: Error, "wrong argument type ({kind}; is not Iterable.";
}
