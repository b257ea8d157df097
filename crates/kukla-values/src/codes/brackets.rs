//! The parameters of types: `T[...]`.

kukla_syntax::codes! {
    pub BRACKETS;

    /// `String` takes a length, or the least and the greatest one.
    ///
    /// ```puppet
    /// 'a' =~ String[1, 2, 3]    # error
    /// 'a' =~ String[1, 2]       # fine
    /// ```
    BAD_STRING_SLICE_ARITY: Error, "String supports [] with one or two arguments. Got {count}";

    /// `NotUndef` takes a type, or a string that is the only value allowed.
    ///
    /// ```puppet
    /// 1 =~ NotUndef[1]          # error
    /// 1 =~ NotUndef[Integer]    # fine
    /// ```
    BAD_NOT_UNDEF_SLICE_TYPE: Error, "NotUndef-Type[] argument must be a Type or a String. Got {actual}";

    /// No type of this name is defined, neither by Puppet nor by a module.
    ///
    /// ```puppet
    /// 1 =~ Sting    # error
    /// ```
    UNKNOWN_RESOURCE_TYPE: Error, "Resource type not found: {name}";

    /// The type takes another number of parameters.
    ///
    /// ```puppet
    /// [1] =~ Collection[1, 2, 3]    # error
    /// [1] =~ Collection[1, 2]       # fine
    /// ```
    BAD_TYPE_SLICE_ARITY: Error, "{base}[] accepts {accepted}. Got {count}";

    /// A parameter of the type is of a kind that means nothing there.
    ///
    /// ```puppet
    /// 'a' =~ Enum[1]      # error
    /// 'a' =~ Enum['a']    # fine
    /// ```
    BAD_TYPE_SPECIALIZATION: Error, "Error creating type specialization of {base}, Cannot use {actual} where {expected} is expected";

    /// A parameter of the type must be a type itself.
    ///
    /// ```puppet
    /// ['a'] =~ Array['a']          # error
    /// ['a'] =~ Array[Enum['a']]    # fine
    /// ```
    BAD_TYPE_SLICE_TYPE: Error, "{base}[] arguments must be types. Got {actual}";

    /// `Object` and `TypeSet` are described by one hash.
    ///
    /// ```puppet
    /// 1 =~ Object[1]    # error
    /// ```
    DESCRIPTION_NO_HASH as BAD_TYPE_SLICE_TYPE: Error, "{base}[] argument must be a Hash. Got {actual}";

    /// The name of a type of the platform has at least one character.
    ///
    /// ```puppet
    /// notice(Runtime['ruby', ''])          # error
    /// notice(Runtime['ruby', 'Symbol'])    # fine
    /// ```
    EMPTY_RUNTIME_NAME as RUNTIME_ERROR: Error, "Runtime 'name_or_pattern' has wrong type, expects a value of type String[1] or Tuple[Regexp, String[1]], got String";

    /// The lower bound comes first. Write `default` for a bound that is open.
    ///
    /// ```puppet
    /// 1 =~ Integer[10, 1]    # error
    /// 1 =~ Integer[1, 10]    # fine
    /// ```
    BOUNDS_REVERSED as RUNTIME_ERROR: Error, "'from' must be less or equal to 'to'. Got ({from}, {to}";

    /// The size of a string or a collection is given by integers, `default` or one `Integer` type.
    ///
    /// ```puppet
    /// [1] =~ Array[Integer, 'many']    # error
    /// [1] =~ Array[Integer, 1]         # fine
    /// ```
    BAD_COLLECTION_SLICE_TYPE: Error, "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got {actual}";

    /// `Integer` and `Float` take the least number, or the least and the greatest one.
    ///
    /// ```puppet
    /// 1.0 =~ Float[1, 2, 3]    # error
    /// 1.0 =~ Float[1, 2]       # fine
    /// ```
    BAD_INTEGER_SLICE_ARITY: Error, "{base}-Type supports [] with one or two arguments (from, to). Got {count}";

    /// The bounds of `Integer` are integers, or `default` where there is none.
    ///
    /// ```puppet
    /// 1 =~ Integer['1']    # error
    /// 1 =~ Integer[1]      # fine
    /// ```
    BAD_INTEGER_SLICE_TYPE: Error, "Integer-Type [] requires all arguments to be integers (or default). Got {actual}";

    /// The bounds of `Float` are numbers, or `default` where there is none.
    ///
    /// ```puppet
    /// 1.0 =~ Float['1']    # error
    /// 1.0 =~ Float[1]      # fine
    /// ```
    FLOAT_BOUND_NO_NUMBER as BAD_INTEGER_SLICE_TYPE: Error, "Float-Type [] requires all arguments to be floats, or integers (or default). Got {actual}";

    /// `Integer[from, to, step]` is a list of numbers, and goes down by itself if `to` is less than `from`.
    ///
    /// ```puppet
    /// notice(Integer[5, 1, -2])    # error
    /// notice(Integer[5, 1, 2])     # fine
    /// ```
    STEP_NOT_POSITIVE as BAD_INTEGER_SLICE_TYPE: Error, "Integer-Type [] requires a positive step. Got {step}";

    /// `Integer[from, to, step]` is a list of numbers, and this one would fill the memory.
    ///
    /// ```puppet
    /// notice(Integer[1, 99999999999, 1])    # error
    /// ```
    TOO_MANY_STEPS as RUNTIME_ERROR: Error, "Integer-Type [] would make a list of {count} numbers";

    /// The text in the brackets of `URI` is a whole URI, with its scheme.
    ///
    /// ```puppet
    /// URI('a') =~ URI['a']                   # error
    /// URI('http://a') =~ URI['http://a']     # fine
    /// ```
    URI_NOT_ABSOLUTE as RUNTIME_ERROR: Error, "URI-Type parameter has wrong type, expects an absolute URI, got '{text}'";

    /// A bound of `Timestamp` or `Timespan` is a time, a number of seconds, a text or a hash that tells a time, or `default`.
    ///
    /// ```puppet
    /// Timespan(1) =~ Timespan[true]    # error
    /// Timespan(1) =~ Timespan[1]       # fine
    /// ```
    BOUND_NO_TIME as RUNTIME_ERROR: Error, "Unable to create a Puppet::Pops::Time::{kind} from a {actual}";

    /// A member of a `Struct` has a name.
    ///
    /// ```puppet
    /// $x = {} =~ Struct[{ '' => Integer }]    # error
    /// ```
    EMPTY_MEMBER_NAME as RUNTIME_ERROR: Error, "Struct element key cannot be an empty String";

    /// A member of a `Struct` is named by a string, or by `Optional` or `NotUndef` of one.
    ///
    /// ```puppet
    /// $x = {} =~ Struct[{ 1 => Integer }]                  # error
    /// $x = {} =~ Struct[{ Optional['a'] => Integer }]      # fine
    /// ```
    ILLEGAL_MEMBER_NAME as RUNTIME_ERROR: Error, "Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: {actual}";

    /// The type that names a member of a `Struct` must contain exactly one string.
    ///
    /// ```puppet
    /// $x = {} =~ Struct[{ Enum['a', 'b'] => Integer }]    # error
    /// $x = {} =~ Struct[{ Enum['a'] => Integer }]         # fine
    /// ```
    AMBIGUOUS_MEMBER_NAME as RUNTIME_ERROR: Error, "Unable to extract a non-empty literal string from Struct member key type {key}";

    /// The first parameter of `Resource` says which type of resource is meant.
    ///
    /// ```puppet
    /// notice(Resource[1])               # error
    /// notice(Resource['file', '/a'])    # fine
    /// ```
    ILLEGAL_RESOURCE_SPECIALIZATION: Error, "First argument to Resource[] must be a resource type or a String. Got {actual}.";

    /// The name of a type consists of words with `::` between them, each of letters, digits and underscores after a letter.
    ///
    /// ```puppet
    /// notice(Resource['no type'])    # error
    /// ```
    ILLEGAL_CLASSREF: Error, "Illegal type reference. The given name '{name}' does not conform to the naming rule";

    /// A class is referred to by its name, which is a string.
    ///
    /// ```puppet
    /// notice(Class[1])        # error
    /// notice(Class['ntp'])    # fine
    /// ```
    ILLEGAL_HOSTCLASS_NAME: Error, "Illegal Class name in class reference. {actual} cannot be used where a String is expected";

    /// The name of a class consists of words with `::` between them, each of letters, digits and underscores after a letter.
    ///
    /// ```puppet
    /// notice(Class['no class'])    # error
    /// ```
    ILLEGAL_NAME: Error, "Illegal name. The given name '{name}' does not conform to the naming rule /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/";
}
