//! Object types and type sets.

kukla_syntax::codes! {
    pub OBJECTS;

    /// Only an object type that declares `type_parameters` takes any in brackets.
    ///
    /// ```puppet
    /// type Point = Object[{ attributes => { x => Integer } }]
    /// notice(1 =~ Point[1])    # error
    /// ```
    NO_TYPE_PARAMETERS as RUNTIME_ERROR: Error, "The {ty}-Type cannot be parameterized using []";

    /// The object type declares no type parameter of this name.
    ///
    /// ```puppet
    /// type Point = Object[{ type_parameters => { p => String } }]
    /// notice(1 =~ Point[{ q => 'a' }])    # error
    /// ```
    UNKNOWN_TYPE_PARAMETER as RUNTIME_ERROR: Error, "'{name}' is not a known type parameter for {ty}-Type";

    /// Brackets after an object type give at least one of its type parameters a value.
    ///
    /// ```puppet
    /// type Point = Object[{ type_parameters => { p => String } }]
    /// notice(1 =~ Point[default])    # error
    /// ```
    EMPTY_TYPE_PARAMETERS as RUNTIME_ERROR: Error, "The {ty}-Type cannot be parameterized using an empty parameter list";

    /// The parent of an object type is not defined.
    ///
    /// ```puppet
    /// type Point = Object[{ parent => Shape }]
    /// notice(Point())    # error
    /// ```
    UNKNOWN_PARENT_TYPE as RUNTIME_ERROR: Error, "reference to unresolved type '{name}'";

    /// An object type cannot be its own ancestor.
    ///
    /// ```puppet
    /// type Point = Object[{ parent => Point }]
    /// notice(Point())    # error
    /// ```
    OBJECT_INHERITS_ITSELF as RUNTIME_ERROR: Error, "The Object type '{ty}' inherits from itself";

    /// An attribute and a function of an object type cannot share a name.
    ///
    /// ```puppet
    /// type Point = Object[{ attributes => { x => Integer }, functions => { x => Callable[Integer] } }]
    /// notice(Point(1))    # error
    /// ```
    FUNCTION_NAMED_LIKE_ATTRIBUTE as RUNTIME_ERROR: Error, "{function} conflicts with attribute with the same name";

    /// A name under `constants` must not be under `attributes` too.
    ///
    /// ```puppet
    /// type Point = Object[{ attributes => { x => Integer }, constants => { x => 1 } }]
    /// notice(Point(1))    # error
    /// ```
    CONSTANT_AND_ATTRIBUTE as RUNTIME_ERROR: Error, "attribute {ty}[{name}] is defined as both a constant and an attribute";

    /// The names `__ptype` and `__pvalue` mark values of such types in serialized data.
    ///
    /// ```puppet
    /// type Point = Object[{ attributes => { __ptype => Integer } }]
    /// notice(Point(1))    # error
    /// ```
    RESERVED_ATTRIBUTE as RUNTIME_ERROR: Error, "The attribute '{name}' is reserved and cannot be used";

    /// A constant is final, so it cannot be declared as not final.
    ///
    /// ```puppet
    /// type Point = Object[{ attributes => { x => { type => Integer, kind => constant, value => 1, final => false } } }]
    /// notice(Point())    # error
    /// ```
    CONSTANT_NOT_FINAL as RUNTIME_ERROR: Error, "{attribute} of kind 'constant' cannot be combined with final => false";

    /// The value of an attribute that is derived comes from elsewhere, so it cannot have one in the definition.
    ///
    /// ```puppet
    /// type Point = Object[{ attributes => { x => { type => Integer, kind => derived, value => 1 } } }]
    /// notice(Point())    # error
    /// ```
    DERIVED_WITH_VALUE as RUNTIME_ERROR: Error, "{attribute} of kind '{kind}' cannot be combined with an attribute value";

    /// A constant has its value in the definition.
    ///
    /// ```puppet
    /// type Point = Object[{ attributes => { x => { type => Integer, kind => constant } } }]
    /// notice(Point())    # error
    /// ```
    CONSTANT_WITHOUT_VALUE as RUNTIME_ERROR: Error, "{attribute} of kind 'constant' requires a value";

    /// A member declared to override another needs one of the same name in an ancestor.
    ///
    /// ```puppet
    /// type Point = Object[{ attributes => { x => { type => Integer, override => true } } }]
    /// notice(Point(1))    # error
    /// ```
    OVERRIDE_OF_NO_MEMBER as RUNTIME_ERROR: Error, "expected {member} to override an inherited {feature}, but no such {feature} was found";

    /// A final member cannot be overridden.
    ///
    /// ```puppet
    /// type Shape = Object[{ attributes => { x => { type => Integer, final => true } } }]
    /// type Point = Object[{ parent => Shape, attributes => { x => { type => Integer, override => true } } }]
    /// notice(Point(1))    # error
    /// ```
    OVERRIDE_OF_FINAL as RUNTIME_ERROR: Error, "{member} attempts to override final {inherited}";

    /// An attribute cannot override a function, nor a function an attribute.
    ///
    /// ```puppet
    /// type Shape = Object[{ attributes => { x => Integer } }]
    /// type Point = Object[{ parent => Shape, functions => { x => { type => Callable[Integer], override => true } } }]
    /// notice(Point(1))    # error
    /// ```
    OVERRIDE_OF_OTHER_KIND as RUNTIME_ERROR: Error, "{member} attempts to override {inherited}";

    /// A member that overrides another says so with `override => true`.
    ///
    /// ```puppet
    /// type Shape = Object[{ attributes => { x => Integer } }]
    /// type Point = Object[{ parent => Shape, attributes => { x => Integer } }]
    /// notice(Point(1))    # error
    /// ```
    OVERRIDE_NOT_DECLARED as RUNTIME_ERROR: Error, "{member} attempts to override {inherited} without having override => true";

    /// A member that overrides another allows nothing that the other does not.
    ///
    /// ```puppet
    /// type Shape = Object[{ attributes => { x => Integer } }]
    /// type Point = Object[{ parent => Shape, attributes => { x => { type => String, override => true } } }]
    /// notice(Point('1'))    # error
    /// ```
    OVERRIDE_WITH_OTHER_TYPE as RUNTIME_ERROR: Error, "{member} attempts to override {inherited} with a type that does not match";

    /// Objects of different types are equal at most if no attributes are listed that decide it.
    ///
    /// ```puppet
    /// type Point = Object[{ attributes => { x => Integer }, equality => x, equality_include_type => false }]
    /// notice(Point(1))    # error
    /// ```
    EQUALITY_WITHOUT_TYPE as RUNTIME_ERROR: Error, "equality_include_type = false cannot be combined with non empty equality specification";

    /// An attribute that decides the equality of an ancestor does so here already.
    ///
    /// ```puppet
    /// type Shape = Object[{ attributes => { x => Integer }, equality => x }]
    /// type Point = Object[{ parent => Shape, equality => x }]
    /// notice(Point(1))    # error
    /// ```
    EQUALITY_INHERITED as RUNTIME_ERROR: Error, "{ty} equality is referencing {attribute} which is included in equality of {ancestor}";

    /// A constant is the same in all objects and cannot decide whether they are equal.
    ///
    /// ```puppet
    /// type Point = Object[{ constants => { x => 1 }, equality => x }]
    /// notice(Point())    # error
    /// ```
    EQUALITY_OF_CONSTANT as RUNTIME_ERROR: Error, "{ty} equality is referencing constant {attribute}. Reference to constant is not allowed in equality";

    /// Attributes decide whether objects are equal, functions do not.
    ///
    /// ```puppet
    /// type Point = Object[{ functions => { x => Callable[Integer] }, equality => x }]
    /// notice(Point())    # error
    /// ```
    EQUALITY_OF_FUNCTION as RUNTIME_ERROR: Error, "{ty} equality is referencing {function}. Only attribute references are allowed";

    /// Attributes that decide whether objects are equal must exist.
    ///
    /// ```puppet
    /// type Point = Object[{ attributes => { x => Integer }, equality => y }]
    /// notice(Point(1))    # error
    /// ```
    EQUALITY_OF_NOTHING as RUNTIME_ERROR: Error, "{ty} equality is referencing non existent attribute '{name}'";

    /// A type set is written in version 1 of the type system: `pcore_version => '1.0.0'`.
    ///
    /// ```puppet
    /// type Shapes = TypeSet[{ pcore_version => '2.0.0', version => '1.0.0' }]
    /// notice(Shapes)    # error
    /// ```
    UNKNOWN_PCORE_VERSION as RUNTIME_ERROR: Error, "The pcore version for TypeSet '{name}' is not understood by this runtime. Expected range 1.x, got {version}";

    /// A type set refers to another one once, unless the versions that will do have none in common.
    ///
    /// ```puppet
    /// type Shapes = TypeSet[{
    ///   pcore_version => '1.0.0', version => '1.0.0',
    ///   references => {
    ///     A => { name => 'Colours', version_range => '1.x' },
    ///     B => { name => 'Colours', version_range => '1.x' } } }]
    /// notice(Shapes)    # error
    /// ```
    TYPE_SET_REFERENCED_TWICE as RUNTIME_ERROR: Error, "TypeSet '{name}' references TypeSet '{authority}/{referenced}' more than once using overlapping version ranges";

    /// The name under which a type set uses another one cannot be that of one of its types.
    ///
    /// ```puppet
    /// type Shapes = TypeSet[{
    ///   pcore_version => '1.0.0', version => '1.0.0',
    ///   types => { A => Integer },
    ///   references => { A => { name => 'Colours', version_range => '1.x' } } }]
    /// notice(Shapes)    # error
    /// ```
    REFERENCE_NAMED_LIKE_TYPE as RUNTIME_ERROR: Error, "TypeSet '{name}' references a TypeSet using alias '{alias}'. The alias collides with the name of a declared type";

    /// A type set that another one refers to does not exist.
    ///
    /// ```puppet
    /// type Shapes = TypeSet[{
    ///   pcore_version => '1.0.0', version => '1.0.0',
    ///   references => { A => { name => 'Colours', version_range => '1.x' } } }]
    /// notice(Shapes)    # error
    /// ```
    UNKNOWN_TYPE_SET as RUNTIME_ERROR: Error, "TypeSet '{name}' reference to TypeSet named '{referenced}' cannot be resolved";

    /// The target of a type set's reference is not a type set.
    ///
    /// ```puppet
    /// type Colours = Integer
    /// type Shapes = TypeSet[{
    ///   pcore_version => '1.0.0', version => '1.0.0',
    ///   references => { A => { name => 'Colours', version_range => '1.x' } } }]
    /// notice(Shapes)    # error
    /// ```
    REFERENCE_TO_NO_TYPE_SET as RUNTIME_ERROR: Error, "TypeSet '{name}' reference to TypeSet named '{referenced}' resolves to a {actual}";

    /// The type set that another one refers to exists, but in a version that will not do.
    ///
    /// ```puppet
    /// type Colours = TypeSet[{ pcore_version => '1.0.0', version => '2.0.0' }]
    /// type Shapes = TypeSet[{
    ///   pcore_version => '1.0.0', version => '1.0.0',
    ///   references => { A => { name => 'Colours', version_range => '1.x' } } }]
    /// notice(Shapes)    # error
    /// ```
    WRONG_TYPE_SET_VERSION as RUNTIME_ERROR: Error, "TypeSet '{name}' reference to TypeSet named '{referenced}' resolves to an incompatible version. Expected {range}, got {version}";
}
