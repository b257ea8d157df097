//! What the built-in functions can object to.

kukla_syntax::codes! {
    pub CODES;

    /// The text of a template in Puppet (EPP) cannot be read; the message goes on with what is wrong and where in the template.
    ///
    /// ```puppet
    /// inline_epp('<%= 1 + %>')    # error
    /// ```
    INVALID_TEMPLATE as RUNTIME_ERROR: Error, "{function}(): Invalid EPP: {cause}";

    /// A function that Puppet has in Ruby is given a value that it cannot use. The message is Ruby's; read it as "this is the wrong kind
    /// of value".
    ///
    /// ```puppet
    /// squeeze([1], 'a')    # error
    /// ```
    NO_METHOD as RUNTIME_ERROR: Error, "undefined method `{name}' for {receiver}";
}
