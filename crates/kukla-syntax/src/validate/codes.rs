//! Errors in a program that can be parsed, under the names Puppet gives these issues.

crate::codes! {
    pub CODES;

    /// A text has too many problems to list all of them.
    MORE_PROBLEMS: Error, "{count} more problems are not listed";

    /// A class, define or node is inside a construct other than a class: a condition, a lambda, a define.
    ///
    /// ```puppet
    /// if $facts['virtual'] == 'kvm' {
    ///   class kvm { }     # error: declare the class at the top and `include kvm` here
    /// }
    /// ```
    NOT_TOP_LEVEL: Error, "Classes, definitions, and nodes may only appear at toplevel or inside other classes";

    /// A function or a type alias is inside a class or a block; these belong at the top of a file.
    ///
    /// ```puppet
    /// class a {
    ///   function f() { 1 }    # error
    /// }
    /// ```
    NOT_ABSOLUTE_TOP_LEVEL: Error, "{construct} may only appear at toplevel";

    /// A variable of another namespace cannot be set from outside it.
    ///
    /// ```puppet
    /// $apache::port = 80    # error: pass a parameter to the class instead
    /// ```
    CROSS_SCOPE_ASSIGNMENT: Error, "Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces";

    /// The left-hand side of `=` is neither a variable nor a list of variables.
    ///
    /// ```puppet
    /// 'a' = 1    # error
    /// ```
    ILLEGAL_ASSIGNMENT: Error, "Illegal attempt to assign to '{construct}'. Not an assignable reference";

    /// `$0`, `$1` and so on are set by matching a regular expression, never by assignment.
    ///
    /// ```puppet
    /// $1 = 'a'    # error
    /// ```
    ILLEGAL_NUMERIC_ASSIGNMENT: Error, "Illegal attempt to assign to the numeric match result variable '${name}'. Numeric variables are not assignable";

    /// The default value of a parameter may not set variables.
    ///
    /// ```puppet
    /// class a ($x = [$y = 1]) { }    # error
    /// ```
    ILLEGAL_ASSIGNMENT_CONTEXT: Error, "Assignment not allowed here";

    /// A parameter cannot have a number for a name: those are the results of matching.
    ///
    /// ```puppet
    /// define a ($1) { }    # error
    /// ```
    ILLEGAL_NUMERIC_PARAMETER: Error, "The numeric parameter name '${name}' cannot be used (clashes with numeric match result variables)";

    /// The type of a class parameter should be spelled out rather than computed.
    ///
    /// ```puppet
    /// class a (Enum[$b] $c) { }    # error
    /// ```
    ILLEGAL_NONLITERAL_PARAMETER_TYPE: Deprecation, "The parameter '${name}' must be a literal type, not a Puppet::Pops::Model::AccessExpression";

    /// Arrays and hashes never change, so an element cannot be set; make a new one with `+`.
    ///
    /// ```puppet
    /// $a = [1]
    /// $a[0] = 2    # error
    /// ```
    ILLEGAL_INDEXED_ASSIGNMENT: Error, "Illegal attempt to assign via [index/key]. Not an assignable reference";

    /// A construct that produces no value is used where a value is needed.
    ///
    /// ```puppet
    /// $a = class b { }    # error
    /// ```
    NOT_RVALUE: Error, "Invalid use of expression. {construct} does not produce a value";

    /// `+>` adds to what a resource already has, so it is for overrides and collectors only.
    ///
    /// ```puppet
    /// file { '/x': require +> Package['x'] }      # error: use =>
    /// File['/x'] { require +> Package['x'] }      # fine
    /// ```
    ILLEGAL_ATTRIBUTE_APPEND: Error, "Illegal +> operation on attribute {name}. This operator can not be used in {construct}";

    /// A parameter's name begins with a lower-case letter or `_`, and has no `::`.
    ///
    /// ```puppet
    /// define a ($B) { }    # error
    /// ```
    ILLEGAL_PARAM_NAME: Error, "Illegal parameter name. The given name '{name}' does not conform to the naming rule /^[a-z_]\\w*$/";

    /// A variable's name begins with a lower-case letter or `_`; its namespaces begin with lower-case letters.
    ///
    /// ```puppet
    /// notice($a::B)    # error
    /// ```
    ILLEGAL_VAR_NAME: Error, "Illegal variable name, The given name '{name}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/";

    /// A variable whose name begins with a digit is the result of a match: `$0`, `$1`, and no leading zeros.
    ///
    /// ```puppet
    /// notice($01)    # error
    /// ```
    ILLEGAL_NUMERIC_VAR_NAME: Error, "Illegal numeric variable name, The given name '{name}' must be a decimal value if it starts with a digit 0-9";

    /// A node's name holds letters, digits, `_`, `-` and `.`; anything else needs a regular expression.
    ///
    /// ```puppet
    /// node 'a b' { }    # error
    /// ```
    ILLEGAL_HOSTNAME_CHARS: Error, "The hostname '{name}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)";

    /// The name of a node is fixed text; use a regular expression to match several nodes.
    ///
    /// ```puppet
    /// node "a${1}" { }    # error
    /// ```
    ILLEGAL_HOSTNAME_INTERPOLATION: Error, "An interpolated expression is not allowed in a hostname of a node";

    /// A construct is used where only another kind is allowed, such as a number in place of a function's name.
    ///
    /// ```puppet
    /// 1()    # error
    /// ```
    ILLEGAL_EXPRESSION: Error, "Illegal expression. {construct} is unacceptable as {feature} in {container}";

    /// A collector selects with `==` and `!=`, joined by `and` and `or`; nothing else can be asked.
    ///
    /// ```puppet
    /// File <| title =~ /a/ |>    # error
    /// ```
    ILLEGAL_QUERY_EXPRESSION: Error, "Illegal query expression. {construct} cannot be used in a query";

    /// Defaults and overrides apply to resources; they cannot be virtual or exported themselves.
    ///
    /// ```puppet
    /// @File { mode => '0644' }    # error
    /// ```
    NOT_VIRTUALIZEABLE: Error, "Resource Defaults are not virtualizable";

    /// Classes are declared or not; they cannot be virtual or exported.
    ///
    /// ```puppet
    /// @class { 'a': }    # error
    /// ```
    CLASS_NOT_VIRTUALIZABLE: Error, "Classes are not virtualizable";

    /// The construct is reserved and means nothing yet.
    ///
    /// ```puppet
    /// type A inherits B { }    # error
    /// ```
    UNSUPPORTED_EXPRESSION: Error, "Expressions of type {construct} are not supported in this version of Puppet";

    /// A definition's name begins with a lower-case letter in each of its segments.
    ///
    /// ```puppet
    /// class A { }    # error
    /// ```
    ILLEGAL_DEFINITION_NAME: Error, "Unacceptable name. The name '{name}' is unacceptable as the name of {construct}";

    /// A file in a module may only define names that begin with the module's name and follow its path.
    ///
    /// `modules/ntp/manifests/server.pp` is where `ntp::server` is looked for, and where nothing else is.
    ///
    /// `modules/ntp/manifests/init.pp`:
    ///
    /// ```puppet
    /// class chrony { }
    /// ```
    ///
    /// ```puppet
    /// include ntp    # error
    /// ```
    ILLEGAL_DEFINITION_LOCATION: Error, "Unacceptable location. The name '{name}' is unacceptable in file '{file}'";

    /// Files of a module hold definitions only: code outside a class or define would run at some unpredictable moment.
    ///
    /// `modules/ntp/manifests/init.pp`:
    ///
    /// ```puppet
    /// class ntp { }
    /// notice('a')
    /// ```
    ///
    /// ```puppet
    /// include ntp    # error
    /// ```
    ILLEGAL_TOP_CONSTRUCT_LOCATION: Error, "{this} is unacceptable as a top level construct in this location";

    /// With the setting `tasks` a script runs, which makes no catalog; catalogs are made in `apply` blocks.
    ///
    /// ```toml
    /// tasks = true
    /// ```
    ///
    /// ```puppet
    /// notify { 'a': }    # error
    /// ```
    EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING: Error, "{construct} is only available when compiling a catalog";

    /// The block of an `apply` makes a catalog, and something in it belongs to scripts or asks a database.
    EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING: Error, "{construct} is not available when compiling a catalog";

    /// A mapping between a type and a type of the runtime pairs one with one, or a pattern with a pattern.
    ///
    /// ```puppet
    /// type Runtime[ruby, 'A'] = [1]    # error
    /// ```
    ILLEGAL_TYPE_MAPPING: Error, "Illegal type mapping. Expected {expected} on the left side, got {construct}";

    /// A parameter that takes all remaining arguments (`*$rest`) must be the last one.
    ///
    /// ```puppet
    /// [1].each |*$a, $b| { }    # error
    /// ```
    CAPTURES_REST_NOT_LAST: Error, "Parameter ${name} is not last, and has 'captures rest'";

    /// Attributes are given by name, so a class or define has no use for `*$rest`.
    ///
    /// ```puppet
    /// class a (*$b) { }    # error
    /// ```
    CAPTURES_REST_NOT_SUPPORTED: Error, "Parameter ${name} has 'captures rest' - not supported in {construct}";

    /// A value is computed and nothing uses it, often because of a missing operator or a misplaced line break.
    ///
    /// ```puppet
    /// 1 + 1    # error
    /// notice('a')
    /// ```
    IDEM_EXPRESSION_NOT_LAST: Error, "This {construct} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)";

    /// A resource needs a title before the colon.
    ///
    /// ```puppet
    /// file { ensure => present }                  # error
    /// file { '/etc/motd': ensure => present }     # fine
    /// ```
    RESOURCE_WITHOUT_TITLE: Error, "This expression is invalid. Did you try declaring a '{name}' resource without a title?";

    /// The body of a class, define or node ends with a value that nothing can use.
    ///
    /// ```puppet
    /// class a {
    ///   1 + 1    # error
    /// }
    /// ```
    IDEM_NOT_ALLOWED_LAST: Error, "This {construct} has no effect. {container} can not end with a value-producing expression without other effect";

    /// A word is kept for the language. Quote it if it is meant to be text.
    ///
    /// ```puppet
    /// notice(attr)    # error
    /// ```
    RESERVED_WORD: Error, "Use of reserved word: {word}, must be quoted if intended to be a String value";

    /// A word may become part of the language.
    ///
    /// ```puppet
    /// class plan { }    # warning
    /// ```
    FUTURE_RESERVED_WORD: Deprecation, "Use of future reserved word: '{word}'";

    /// The name belongs to a type of the language itself.
    ///
    /// ```puppet
    /// class any { }    # error
    /// ```
    RESERVED_TYPE_NAME: Error, "The name: '{name}' is already defined by Puppet and can not be used as the name of {construct}.";

    /// Nodes do not inherit from nodes; put what they share into a class.
    ///
    /// ```puppet
    /// node 'a' inherits 'b' { }    # error
    /// ```
    ILLEGAL_NODE_INHERITANCE: Error, "Node inheritance is not supported in Puppet >= 4.0.0. See http://links.puppet.com/puppet-node-inheritance-deprecation";

    /// Two parameters of one list have the same name.
    ///
    /// ```puppet
    /// define a ($b, $b) { }    # error
    /// ```
    DUPLICATE_PARAMETER: Error, "The parameter '{name}' is declared more than once in the parameter list";

    /// A key occurs twice in a hash; only the last one would count.
    ///
    /// ```puppet
    /// notice({ 'a' => 1, 'a' => 2 })    # error
    /// ```
    DUPLICATE_KEY: Strict, "The key '{key}' is declared more than once";

    /// The second `default` of a `case` or selector can never be reached.
    ///
    /// ```puppet
    /// case 1 {
    ///   default: { }
    ///   default: { }    # error
    /// }
    /// ```
    DUPLICATE_DEFAULT: Error, "This {construct} already has a 'default' entry - this is a duplicate";

    /// `$name` and `$title` exist in every class and define.
    ///
    /// ```puppet
    /// define a ($title) { }    # error
    /// ```
    RESERVED_PARAMETER: Error, "The parameter ${name} redefines a built in parameter in {construct}";

    /// A resource takes attributes from one hash at most (`* =>`); merge the hashes with `+`.
    ///
    /// ```puppet
    /// notify { 'a': * => {}, * => {} }    # error
    /// ```
    MULTIPLE_ATTRIBUTES_UNFOLD: Error, "Unfolding of attributes from Hash can only be used once per resource body";

    /// An integer has 64 bits: from -9223372036854775808 to 9223372036854775807.
    ///
    /// ```puppet
    /// notice(9223372036854775808)    # error
    /// ```
    NUMERIC_OVERFLOW: Error, "A Literal Integer resulted in a value outside of Puppet Integer max range, got '{value}'";

    /// A heredoc tagged `json` is not JSON.
    ///
    /// ```puppet
    /// notice(@(END:json))
    ///   {"a": }    # error
    ///   | END
    /// ```
    ILLEGAL_JSON: Error, "Invalid produced text having syntax: '{syntax}'. JSON syntax checker: Cannot parse invalid JSON string. \"{detail}\"";

    /// A heredoc tagged `pp` is not a Puppet program.
    ///
    /// ```puppet
    /// notice(@(END:pp))
    ///   1 + )    # error
    ///   | END
    /// ```
    ILLEGAL_PP: Error, "Invalid produced text having syntax: '{syntax}'. PP syntax checker: \"{cause}\"";

    /// A heredoc tagged `epp` is not a template.
    ///
    /// ```puppet
    /// notice(@(END:epp))
    ///   <% 1    # error
    ///   | END
    /// ```
    ILLEGAL_EPP: Error, "Invalid produced text having syntax: '{syntax}'. EPP syntax checker: \"{cause}\"";

    /// A heredoc tagged `base64` does not hold Base64.
    ///
    /// ```puppet
    /// notice(@(END:base64))
    ///   # error
    ///   | END
    /// ```
    ILLEGAL_BASE64: Error, "Invalid produced text having syntax: '{syntax}'. Base64 syntax checker: Cannot parse invalid Base64 string - {detail}";
}
