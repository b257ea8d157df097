//! Arrays, hashes and the ways into them.

kukla_syntax::codes! {
    pub COLLECTIONS;

    /// A path leads into an array, whose elements have numbers.
    ///
    /// ```puppet
    /// dig({a => [1, 2]}, 'a', 'first')    # error
    /// ```
    EXPECTED_INTEGER_INDEX as RUNTIME_ERROR: Error, "The given data requires an Integer index at {path}, got '{actual}'";

    /// A path goes on where there is nothing to go into: only arrays and hashes have something at a key.
    ///
    /// ```puppet
    /// dig({a => 1}, 'a', 'b')    # error
    /// ```
    EXPECTED_COLLECTION as RUNTIME_ERROR: Error, "The given data does not contain a Collection at {path}, got '{actual}'";

    /// A path in dots goes into an array or a hash.
    ///
    /// ```puppet
    /// get(1, 'a.b')    # error
    /// ```
    PATH_INTO_NO_COLLECTION as RUNTIME_ERROR: Error, "'dig' parameter 'data' expects a value of type Undef or Collection, got {actual}";

    /// The keys of a path in dots are names and numbers with a dot between; keys with dots in them are quoted: `'a."b.c".0'`.
    ///
    /// ```puppet
    /// get({a => 1}, 'a..b')    # error
    /// ```
    INVALID_DOTTED_PATH as RUNTIME_ERROR: Error, "Syntax error in dotted-navigation string";

    /// After the name of a variable, what `getvar` is given ends or goes on with a dot.
    ///
    /// ```puppet
    /// getvar("facts\n")    # error
    /// ```
    NO_DOT_AFTER_VARIABLE as RUNTIME_ERROR: Error, "First character after var name in get string must be a '.' - got {found}";

    /// `tree_each` goes into arrays, hashes and objects; `container_type` chooses among those.
    ///
    /// ```puppet
    /// tree_each([1], {container_type => String})    # error
    /// ```
    TYPE_WITHOUT_MEMBERS as RUNTIME_ERROR: Error, "Only Array, Hash, and Object types can be used as container types. Got {ty}";

    /// With neither containers nor values `tree_each` would visit nothing.
    ///
    /// ```puppet
    /// tree_each([1], {include_containers => false, include_values => false})    # error
    /// ```
    NOTHING_TO_VISIT as RUNTIME_ERROR: Error, "Options 'include_containers' and 'include_values' cannot both be false";

    /// The lambda of `slice` takes the elements of each slice: as one array, or each in a parameter of its own.
    ///
    /// ```puppet
    /// slice([1, 2], 2) || { }    # error
    /// ```
    SLICE_WITHOUT_PARAMETER as RUNTIME_ERROR: Error, "slice(): block must define at least one parameter. Block has 0.";

    /// The lambda of `slice` has one parameter, or as many as a slice has elements.
    ///
    /// ```puppet
    /// slice([1, 2, 3], 3) |$a, $b| { }    # error
    /// ```
    SLICE_PARAMETER_COUNT as RUNTIME_ERROR: Error, "slice(): block must define one parameter, or the same number of parameters as the given size of the slice ({size}). Block has {count}; {names}";

    /// `member` has nothing to look for in the array.
    ///
    /// ```puppet
    /// member(['a'], [])    # error
    /// ```
    NOTHING_TO_FIND as RUNTIME_ERROR: Error, "member(): You must provide item to search for within array given";

    /// `range` cannot step by nothing.
    ///
    /// ```puppet
    /// range(1, 10, 0)    # error
    /// ```
    STEP_OF_ZERO as RUNTIME_ERROR: Error, "range(): 3rd arg (step size) must be a non zero integer (e.g. 1 or -1)";

    /// A range in one string has two ends: `'1..9'`, `'1...9'` (without the last), `'a-f'`.
    ///
    /// ```puppet
    /// range('')    # error
    /// ```
    EMPTY_RANGE as RUNTIME_ERROR: Error, "range(): Unknown range format: {text}";

    /// A range in one string has two ends: `'1..9'`, `'1...9'` (without the last), `'a-f'`.
    ///
    /// ```puppet
    /// range('1 to 9')    # error
    /// ```
    NO_RANGE as RUNTIME_ERROR: Error, "range(): Unable to compute range from the value: {text}";

    /// `values_at` needs to know which elements to collect.
    ///
    /// ```puppet
    /// values_at(['a'], [])    # error
    /// ```
    NO_INDEXES as RUNTIME_ERROR: Error, "values_at(): You must provide at least one positive index to collect";

    /// The index of an element is a number that counts from zero, `values_at` also takes ranges of them: `'0-2'`, `'0..2'`, `'0...2'`.
    ///
    /// ```puppet
    /// values_at(['a'], 'first')    # error
    /// ```
    UNKNOWN_INDEX_FORMAT as RUNTIME_ERROR: Error, "values_at(): Unknown format of given index";

    /// The index of an element is a number that counts from zero.
    ///
    /// ```puppet
    /// delete_at(['a'], 'first')    # error
    /// ```
    NO_INDEX as RUNTIME_ERROR: Error, "delete_at(): You must provide non-negative numeric index";

    /// An array of three elements has indexes from 0 to 2.
    ///
    /// ```puppet
    /// delete_at(['a', 'b', 'c'], 3)    # error
    /// ```
    INDEX_TOO_LARGE as RUNTIME_ERROR: Error, "{function}(): Given index exceeds {limit}";

    /// A range of indexes starts with the smaller one.
    ///
    /// ```puppet
    /// values_at(['a', 'b', 'c'], '2-1')    # error
    /// ```
    INDEXES_REVERSED as RUNTIME_ERROR: Error, "values_at(): Stop index in given indices range is smaller than the start index";

    /// A range of indexes ends within the array: one of three elements has indexes from 0 to 2.
    ///
    /// ```puppet
    /// values_at(['a', 'b', 'c'], '1-3')    # error
    /// ```
    INDEXES_TOO_LARGE as RUNTIME_ERROR: Error, "values_at(): Stop index in given indices range exceeds array size";

    /// An array of keys and values in turn has an even number of elements.
    ///
    /// `modules/stdlib/metadata.json`:
    ///
    /// ```json
    /// {"name": "puppetlabs-stdlib", "version": "8.5.0"}
    /// ```
    ///
    /// ```puppet
    /// hash(['a', 1, 'b'])    # error
    /// ```
    ODD_ARRAY as RUNTIME_ERROR: Error, "hash(): Unable to compute hash from array given";
}
