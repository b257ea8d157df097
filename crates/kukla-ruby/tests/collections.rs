//! Collections against Ruby itself: thousands of calls, seeded, each held against what `ruby` answers, does to the receiver, or complains.
//!
//! Runs where `ruby` is at hand, since nothing else can tell.

#![allow(clippy::disallowed_methods, reason = "the reference is another process")]

#[path = "differential/calls.rs"]
mod calls;

use calls::{Calls, compare};

const PRELUDE: &str = r#"
$stdout.sync = true
require 'set'
class Each
  include Enumerable
  def initialize(*items) = @items = items
  def each
    return to_enum(:each) unless block_given?
    @items.each { |item| item.is_a?(Array) ? yield(*item) : yield(item) }
    self
  end
  def inspect = "Each#{@items.inspect}"
end
class Pair
  include Comparable
  attr_reader :key
  def initialize(key) = @key = key
  def <=>(other) = other.is_a?(Pair) ? key <=> other.key : nil
  def succ = Pair.new(key + 1)
  def ==(other) = other.is_a?(Pair) && key == other.key
  def eql?(other) = self == other
  def hash = key.hash
  def to_s = "P#{key}"
  def inspect = "P#{key}"
  def coerce(other) = [Pair.new(other), self]
  def +(other) = Pair.new(key + (other.is_a?(Pair) ? other.key : other))
end
class ToAry
  def to_ary = [7, 8]
  def inspect = "ToAry"
end
class ToInt
  def to_int = 2
  def inspect = "ToInt"
end
class Wrong
  def to_ary = 1
  def to_int = "x"
  def to_hash = 1
  def to_str = 1
  def inspect = "Wrong"
end
class List < Array; end
class Table < Hash; end
Point = Struct.new(:x, :y)
Named = Struct.new(:name, :size, keyword_init: true)
class Sub < Point
  def sum2 = x + y
end
Empty = Struct.new(:only)
"#;

#[rustfmt::skip]
const VALUES: &[&str] = &[
    "nil", "true", "false", "0", "1", "-1", "2", "3", "7", "1.5", "-0.0", "2.0", "2**70", "'a'", "'b'", "''",
    ":a", ":b", "[]", "[1]", "[1, 2]", "{}", "{a: 1}", "(1..2)", "Pair.new(2)", "1r", "Float::NAN",
    "ToAry.new", "ToInt.new", "Wrong.new", "Object",
];

#[rustfmt::skip]
const INTEGERS: &[&str] = &[
    "0", "1", "2", "3", "5", "-1", "-2", "-5", "1.9", "ToInt.new", "nil", "'1'", "Wrong.new", "2**64", "10",
];

#[rustfmt::skip]
const RANGES: &[&str] = &[
    "(0..1)", "(1..)", "(..1)", "(1...3)", "(-2..-1)", "(3..1)", "(5..9)", "(-9..2)", "(2..2)", "(0...0)",
    "(nil..nil)", "((1..) % 2)", "(3..3)", "(4..5)", "(-3..)", "(1.0..2.5)", "((..2) % -1)",
];

#[rustfmt::skip]
const LISTS: &[&str] = &[
    "[]", "[1]", "[1, 2, 3]", "[3, 1, 2]", "[1, 1, 2, nil, 2]", "[nil, false]", "['b', 'a', 'c']", "[:b, :a]",
    "[1, 'a', :b, 2.5, nil]", "[[1, 2], [3, 4]]", "[[2, :a], [1, :b], [2, :c]]", "[[1, [2, [3]]], 4]",
    "[1.5, 2, 0.1, 0.2]", "[0.1, 0.2, 0.3]", "[Pair.new(3), Pair.new(1)]", "List[1, 2, 3]",
    "[5, 3, 9, 1, 7, 3]", "[1, 2, 3].freeze", "[{a: 1}, {b: 2}]", "['x', ['y', ['z']]]",
    "[2**70, 1, -(2**70)]", "[1, [2, ToAry.new]]", "(1..12).to_a", "[[1, 2], [3]]", "[[], [nil]]",
    "[true, false, true]", "[3, 3.0, 1r, 2]",
];

#[rustfmt::skip]
const TABLES: &[&str] = &[
    "{}", "{a: 1}", "{a: 1, b: 2, c: 3}", "{'x' => 1, :y => nil, 3 => [4]}", "{1 => :a, 1.0 => :b, 2 => :a}",
    "Hash.new(5)", "Hash.new { |h, k| h[k] = k.to_s * 2 }", "{a: {b: {c: 1}}}", "{[1] => 2, {a: 1} => 3}",
    "Table[a: 1]", "{a: 1, b: 2}.freeze", "{b: 1, a: 2}", "{nil => nil, false => true}",
    "Hash[[[:k, 1], [:l, 2]]].compare_by_identity", "{a: nil, b: false, c: 0}",
    "(1..12).to_h { |n| [n, n * n] }", "{Pair.new(1) => 1, Pair.new(2) => 2}",
];

#[rustfmt::skip]
const SPANS: &[&str] = &[
    "(1..5)", "(1...5)", "(5..1)", "(1..1)", "(1...1)", "('a'..'e')", "('a'...'e')", "('y'..'ab')",
    "(:a..:d)", "(1..)", "(..5)", "(nil..nil)", "(1.0..3.5)", "(1..3.5)", "(1.5..4)",
    "(Pair.new(1)..Pair.new(4))", "(Pair.new(1)...Pair.new(4))", "(2**64..2**64 + 3)", "(-3..3)", "(1r..3r)",
    "('08'..'11')", "(0..0)", "(-5...-1)",
];

#[rustfmt::skip]
const STREAMS: &[&str] = &[
    "Each.new", "Each.new(1)", "Each.new(3, 1, 2)", "Each.new([1, 2], 3, [4, 5])", "Each.new('b', 'a')",
    "Each.new(nil, 1, false)", "Each.new(1, 'a')", "Each.new(1.5, 2, 0.1)", "[4, 5].each",
    "{a: 1, b: 2}.each", "(1..4).each_slice(2)", "[1, 2, 3].each_with_index",
    "Enumerator.new { |y| y << 1 << 2; y.yield 3, 4; :done }", "(1..3).each_entry", "[3, 1].map",
    "Enumerator.produce(1) { |x| raise StopIteration if x > 4; x + 1 }", "(1..7).step(3)", "1.step(10, 4)",
    "(1.0..2.0).step(0.5)", "[1, 2, 3, 4].each_cons(2)", "Point.new(2, 1)", "Set[3, 1, 2]",
];

#[rustfmt::skip]
const LAZIES: &[&str] = &[
    "(1..6).lazy", "[3, 1, 2].lazy", "(1..).lazy", "{a: 1, b: 2}.lazy", "Each.new([1, 2], 3).lazy",
    "[nil, 1, 1, nil].lazy",
];

#[rustfmt::skip]
const STRUCTS: &[&str] = &[
    "Point.new(1, 2)", "Point.new", "Point.new([1, [2]], nil)", "Named.new(name: 'n', size: 3)", "Named.new",
    "Sub.new(3, 4)", "Point.new(1, 2).freeze", "Empty.new(1)", "Point.new(1.0, 2)",
];

#[rustfmt::skip]
const SETS: &[&str] = &[
    "Set[]", "Set[1, 2, 3]", "Set[3, 1]", "Set['a', :b, nil]", "Set[[1], [2]]", "Set[Set[1], Set[2, Set[3]]]",
    "Set[1, 2].freeze", "Set.new([1, 2, 2, 1.0])",
];

#[rustfmt::skip]
const OTHER_SETS: &[&str] = &[
    "Set[1, 2]", "Set[3]", "Set[]", "[1, 5]", "Set[1, 2, 3]", "(1..2)", "3", "nil", "Set[Set[1]]", "{1 => 2}",
];

/// What `Enumerable` gives to everything.
#[rustfmt::skip]
const ENUMERABLE: &[&str] = &[
    "to_a", "entries", "first", "first({i})", "take({i})", "drop({i})", "include?({v})", "member?({v})",
    "count", "count({v})", "count { |x| x == 1 }", "map { |x| [x] }", "collect { |x, y| [x, y] }",
    "flat_map { |x| [x, [x]] }", "flat_map { |x| x }", "select { |x| x }", "filter { |x, y| y }",
    "reject { |x| x }", "partition { |x| x == 1 }", "group_by { |x| x.class }", "min", "max", "minmax",
    "sort", "sum", "sum(0.0)", "sum('')", "min({i})", "max({i})", "sort { |a, b| b <=> a }",
    "min { |a, b| b <=> a }", "max { |a, b| b <=> a }", "min_by { |x| x.to_s }", "max_by { |x| x.to_s }",
    "minmax_by { |x| x.to_s }", "min_by({i}) { |x| x.to_s }", "max_by({i}) { |x| x.to_s }",
    "sort_by { |x| x.to_s }", "sum { |x| 2 }", "inject(:+)", "inject { |a, b| [a, b] }",
    "inject({v}) { |a, b| [a, b] }", "reduce(1, :+)", "inject({v}, :==)", "inject({v})",
    "each_with_index.to_a", "each_with_index { |x, i| i }", "each_with_object([]) { |x, m| m << x }",
    "each_slice({i}).to_a", "each_cons({i}).to_a", "each_slice(2).map { |a| a }", "each_cons(2).size",
    "each_slice(2).size", "each_entry.to_a", "zip([1, 2])", "zip({l}, {l})", "zip({v})",
    "zip(1..3) { |x| x }", "to_h { |x| [x, 1] }", "to_h", "to_h { |x| {v} }", "to_set", "uniq",
    "uniq { |x| x.class }", "tally", "chunk { |x| x == 1 }.to_a", "chunk { |x| x ? true : nil }.to_a",
    "chunk_while { |a, b| a == b }.to_a", "slice_when { |a, b| a != b }.to_a",
    "slice_before { |x| x == 1 }.to_a", "slice_after(1).to_a", "slice_before({l}).to_a",
    "find { |x| x == 2 }", "detect { |x| x }", "find_index({v})", "find_index { |x| x == 2 }",
    "find(-> { :none }) { |x| false }", "all?", "any?", "none?", "one?", "all?(Integer)", "any?({v})",
    "none?({v})", "one?({v})", "all? { |x| x }", "any? { |x| x == 1 }", "none? { |x| x == 9 }",
    "one? { |x| x }", "cycle(3) { |x| x }", "cycle(-1) { |x| x }", "cycle(2).to_a", "cycle.first(3)",
    "cycle(2).size", "take_while { |x| x }", "drop_while { |x| x }", "grep(Integer)",
    "grep(1..2) { |x| [x] }", "grep_v(Integer)", "reverse_each.to_a", "filter_map { |x| x && [x] }",
    "compact", "each_entry { |x| x }", "lazy.map { |x| [x] }.first(2)", "chain([9]).to_a", "to_enum.next",
    "each_entry.with_index(1).to_a", "map.with_index { |x, i| [i, x] }",
    "each_with_index.map { |x, i| [i, x] }", "select.with_index { |x, i| i > 0 }",
    "group_by.with_index { |x, i| i % 2 }", "min_by", "each_slice(2)", "each_with_object([])", "inject",
    "first('x')", "lazy", "lazy.select { |x| x }.to_a", "reject.each { |x| x }",
];

#[rustfmt::skip]
const ARRAY: &[&str] = &[
    "[{i}]", "[{i}, {i}]", "[{r}]", "slice({i})", "slice({r})", "at({i})", "fetch({i})", "fetch({i}, {v})",
    "fetch({i}) { |x| [x] }", "dig({i})", "dig(0, {i})", "dig({i}, 0, 0)", "last", "last({i})",
    "values_at({i}, {r})", "values_at({i}, {i})", "values_at", "[{i}] = {v}", "[{i}, {i}] = {v}",
    "[{i}, {i}] = {l}", "[{r}] = {v}", "[{r}] = {l}", "slice!({i})", "slice!({i}, {i})", "slice!({r})",
    "fill({v})", "fill({v}, {i})", "fill({v}, {i}, {i})", "fill({v}, {r})", "fill { |i| i * 2 }",
    "fill({i}) { |i| i }", "fill({i}, {i}) { |i| i }", "fill", "insert({i}, {v})", "insert({i}, {v}, {v})",
    "insert({i})", "delete_at({i})", "<< {v}", "push({v}, {v})", "push", "append({v})", "pop", "pop({i})",
    "shift", "shift({i})", "unshift({v})", "prepend({v}, {v})", "concat({l})", "concat({l}, {l})",
    "concat({v})", "replace({l})", "replace({v})", "clear", "delete({v})", "delete({v}) { :none }",
    "each { |x| x }", "each", "each_index.to_a", "reverse_each.to_a", "map", "map! { |x| [x] }",
    "collect! { |x| x.to_s }", "cycle.size", "select! { |x| x }", "filter! { |x| x }", "reject! { |x| x }",
    "keep_if { |x| x }", "delete_if { |x| x == 1 }", "uniq!", "uniq! { |x| x.class }", "compact!",
    "index({v})", "index { |x| x }", "rindex({v})", "rindex { |x| x }", "assoc({v})", "rassoc({v})",
    "bsearch { |x| x >= 2 }", "bsearch { |x| 2 <=> x }", "bsearch { |x| {v} }",
    "bsearch_index { |x| x >= 2 }", "sort!", "sort! { |a, b| b <=> a }", "sort_by! { |x| x.to_s }", "reverse",
    "reverse!", "rotate", "rotate({i})", "rotate!({i})", "shuffle(random: Random.new({n}))",
    "shuffle!(random: Random.new({n}))", "sample(random: Random.new({n}))",
    "sample({i}, random: Random.new({n}))", "sample(4, random: Random.new({n}))",
    "sample(9, random: Random.new({n}))", "== {l}", "== {v}", "eql?({l})", "hash == {l}.hash", "<=> {l}",
    "<=> {v}", "inspect", "to_s", "join", "join({v})", "join('-')", "+ {l}", "+ {v}", "- {l}", "- {v}",
    "difference({l}, {l})", "& {l}", "& {v}", "intersection({l})", "| {l}", "| {v}", "union({l}, {l})",
    "* {i}", "* ','", "* {v}", "flatten", "flatten({i})", "flatten!", "flatten!({i})", "transpose",
    "product({l})", "product({l}, [1, 2])", "product({v})", "combination({i}).to_a", "combination({i}).size",
    "permutation({i}).first(20)", "permutation.size", "permutation({i}).size",
    "repeated_combination(2).first(20)", "repeated_permutation(2).first(20)",
    "repeated_combination({i}).size", "repeated_permutation(2).size", "to_h { |x| [x, x] }", "size", "length",
    "empty?", "frozen?", "to_ary", "dup << 1", "clone << 1", "take({v})", "drop({v})", "first({v})",
    "sum({v})", "none?", "one?", "pack('C*')", "deconstruct", "each_slice({v}).to_a", "min({v})", "max(2)",
    "minmax { |a, b| b.to_s <=> a.to_s }", "each_index { |i| i }", "find_all { |x| x }",
    "filter_map.with_index { |x, i| i }", "sort.first", "zip", "step(2)", "class", "to_a.class",
    "select { |x| x }.class", "intersect?({l})",
];

#[rustfmt::skip]
const HASH: &[&str] = &[
    "[{v}]", "[:a]", "[:zz]", "fetch({v})", "fetch(:a)", "fetch(:zz, {v})", "fetch({v}) { |k| [k] }",
    "dig(:a)", "dig(:a, :b, :c)", "dig(:a, {v})", "key?({v})", "has_key?(:a)", "include?({v})", "member?(:b)",
    "value?({v})", "has_value?(1)", "key({v})", "key(1)", "keys", "values", "values_at(:a, {v})",
    "fetch_values(:a)", "fetch_values(:a, :q) { |k| k }", "assoc({v})", "assoc(:a)", "rassoc({v})",
    "[{v}] = {v}", "store('s', 1)", "delete({v})", "delete(:a)", "delete(:zz) { |k| [k] }", "shift", "clear",
    "replace({h})", "replace({v})", "merge({h})", "merge({h}, {h})", "merge({h}) { |k, a, b| [k, a, b] }",
    "merge", "merge({v})", "merge!({h})", "update({h}) { |k, a, b| a }", "delete_if { |k, v| v == 1 }",
    "reject! { |k, v| v }", "keep_if { |k, v| v }", "select! { |k, v| v }", "filter! { |k, v| k }", "compact",
    "compact!", "transform_values { |v| [v] }", "transform_values!(&:to_s)", "transform_keys(&:to_s)",
    "transform_keys({a: :z})", "transform_keys({a: :z}) { |k| k.to_s }", "transform_keys!(&:to_s)",
    "transform_keys!({a: :b})", "invert", "flatten", "flatten({i})", "slice(:a, {v})", "except(:a, {v})",
    "select { |k, v| v }", "filter { |k| k }", "reject { |k, v| v }", "each { |k, v| k }", "each",
    "each_pair.to_a", "each_key.to_a", "each_value { |v| v }", "any?", "any? { |k, v| v }", "any?([:a, 1])",
    "all? { |k, v| v }", "count", "count { |k, v| v }", "find { |k, v| v == 2 }", "map { |k, v| [v, k] }",
    "flat_map { |k, v| [k] }", "min_by { |k, v| v.to_s }", "sort_by { |k, v| k.to_s }", "sum { |k, v| 1 }",
    "group_by { |k, v| v.class }", "partition { |k, v| v }", "each_with_index.to_a",
    "each_with_object([]) { |(k, v), m| m << k }", "inject { |a, b| a + b }", "to_h",
    "to_h { |k, v| [v, k] }", "to_h { |k, v| {v} }", "to_a", "to_hash", "size", "length", "empty?", "default",
    "default({v})", "default = {v}", "default_proc", "default_proc = {v}", "compare_by_identity",
    "compare_by_identity?", "rehash", "to_proc.call({v})", "== {h}", "== {v}", "eql?({h})",
    "hash == {h}.hash", "<= {h}", "< {h}", ">= {h}", "> {h}", "<= {v}", "inspect", "to_s",
    "dup.store(:new, 1)", "filter_map { |k, v| v }", "zip([1])", "each_slice(2).to_a", "sort", "min",
    "max_by { |k, v| k.to_s }", "reduce(0) { |a, (k, v)| a + 1 }", "first", "first({i})", "each_entry.to_a",
    "deconstruct_keys(nil)", "tally", "uniq", "each { |k, v| delete(k) }", "frozen?", "class",
    "select { |k, v| v }.class", "merge({}).class", "to_h.class", "reject { |k| k }.class",
    "sum { |k, v| v.to_s.size }", "none?", "entries", "find_all { |k, v| v }", "each_cons(2).to_a",
    "lazy.map { |k, v| v }.to_a", "default_proc&.arity", "filter_map.to_a", "take_while { |k, v| v }",
    "drop(1)",
];

#[rustfmt::skip]
const RANGE: &[&str] = &[
    "begin", "end", "first({i})", "last", "last({i})", "min", "max", "minmax", "min { |a, b| b <=> a }",
    "max({i})", "size", "exclude_end?", "to_s", "inspect", "== {s}", "eql?({s})", "hash == {s}.hash",
    "=== {v}", "include?({v})", "member?({v})", "cover?({v})", "cover?({s})", "step({i}).first(5)",
    "step(2).class", "% 2", "step({i})", "step(0.5).first(4)", "bsearch { |x| x >= 3 }",
    "bsearch { |x| 3 <=> x }", "frozen?", "dup", "each_slice(2).first(2)", "each_with_index.first(2)",
    "first", "lazy.map { |x| [x] }.first(2)", "each { |x| break x }", "each_entry.first(2)",
    "step(2).inspect", "to_a.size", "find { |x| x }",
];

/// Only for ranges that end.
#[rustfmt::skip]
const FINITE_RANGE: &[&str] = &[
    "sum", "count", "to_a", "reverse_each.to_a", "step(2) { |x| x }", "zip([1])", "step(2).to_a",
    "sum { |x| 1 }", "inject(:+)", "each { |x| x }", "count({v})", "each_slice(2).to_a", "entries",
    "step(3).last", "map { |x| x }", "to_set", "partition { |x| x == 1 }", "step(2).size", "tally",
    "minmax_by { |x| x.to_s }",
];

#[rustfmt::skip]
const LAZY: &[&str] = &[
    "map { |x| [x] }.first(2)", "select { |x| x }.first(2)", "reject { |x| x == 1 }.first(2)", "take(2).to_a",
    "take({i}).first(2)", "take_while { |x| x == 1 }.to_a", "drop(1).first(2)",
    "drop_while { |x| x == 1 }.first(1)", "flat_map { |x| [x, x] }.first(3)", "flat_map { |x| x }.first(3)",
    "zip([7, 8]).first(2)", "zip(4..).first(2)", "uniq.first(2)", "uniq { |x| x.class }.first(1)",
    "with_index.first(2)", "with_index(3).first(1)", "with_index { |x, i| i }.first(2)",
    "each_with_index.first(1)", "compact.first(1)", "filter_map { |x| x && [x] }.first(2)",
    "grep(Integer).first(1)", "grep(Integer) { |x| -x }.first(1)", "grep_v(Integer).first(0)", "inspect",
    "map { |x| x }.select { |x| x }.inspect", "take(3).inspect", "size", "map { |x| x }.size", "take(2).size",
    "select { |x| x }.size", "first", "first(2)", "eager.class", "lazy.class", "take(2).force", "include?(1)",
    "map", "next", "map { |x| [x] }.next", "take(2).map { |x| [x] }.to_a",
    "chunk_while { |a, b| false }.first(1)", "slice_when { |a, b| true }.first(1)",
    "take(4).each_slice(2).to_a", "zip(3)", "find { |x| x }",
];

#[rustfmt::skip]
const ENUMERATOR: &[&str] = &[
    "next", "peek", "size", "inspect.sub(/0x\\h+/, '')", "rewind.next", "with_index.to_a",
    "with_index({i}).to_a", "with_index(2) { |x, i| [x, i] }", "with_object([]).to_a",
    "with_object([]) { |x, m| m << x }", "each_with_index.to_a", "next_values", "peek_values", "take(2)",
    "+ [1]", "each.class", "dup.next", "to_a", "lazy.map { |x| [x] }.to_a", "with_index.with_index.to_a",
];

#[rustfmt::skip]
const STRUCT: &[&str] = &[
    "x", "y", "x = {v}", "[{i}]", "[:x]", "['y']", "[:zz]", "['zz']", "[{v}]", "[{i}] = {v}", "[:x] = {v}",
    "[:zz] = 1", "to_a", "deconstruct", "to_h", "to_h { |k, v| [v, k] }", "each { |v| v }", "each.to_a",
    "each_pair.to_a", "each_pair { |k, v| k }", "== Point.new(1, 2)", "eql?(Point.new(1, 2))",
    "hash == Point.new(1, 2).hash", "values_at({i})", "values_at({r})", "values_at(0, 1)", "dig(:x)",
    "dig(:x, 1, 0)", "dig({v})", "dig(:zz)", "select { |v| v }", "filter(&:nil?)", "size", "length",
    "members", "class.members", "inspect", "to_s", "deconstruct_keys([:x])", "deconstruct_keys(nil)",
    "deconstruct_keys([:x, :q])", "deconstruct_keys({v})", "dup", "dup.to_a", "class.keyword_init?", "values",
    "sum", "map { |v| v }", "first", "name", "size = 4", "frozen?", "eql?({v})", "== {v}",
    "instance_variables", "class.new(1, 2, 3)", "class.new(q: 1)", "class[1]", "zip([1])", "sum2",
];

#[rustfmt::skip]
const SET: &[&str] = &[
    "size", "empty?", "include?({v})", "=== {v}", "member?({v})", "add({v})", "<< {v}", "add?({v})",
    "delete({v})", "delete?({v})", "clear", "merge({o})", "subtract({o})", "replace({o})", "| {o}", "+ {o}",
    "union({o})", "& {o}", "- {o}", "^ {o}", "subset?({o})", "<= {o}", "< {o}", "proper_subset?({o})",
    "superset?({o})", ">= {o}", "> {o}", "<=> {o}", "== {o}", "eql?({o})", "hash == {o}.hash",
    "intersect?({o})", "disjoint?({o})", "to_a", "to_set", "first", "first({i})", "join('-')", "inspect",
    "to_s", "each { |x| x }", "each", "map! { |x| [x] }", "select! { |x| x }", "reject! { |x| x }",
    "filter! { |x| x == 1 }", "keep_if { |x| x }", "delete_if { |x| x }", "flatten", "flatten!",
    "classify { |x| x.class }", "divide { |x| x.class }", "group_by { |x| x.class }", "partition { |x| x }",
    "dup << 9", "freeze.frozen?", "compare_by_identity.size", "reset", "map { |x| x }", "select { |x| x }",
    "sum { |x| 1 }", "sort_by { |x| x.to_s }", "count", "count({v})", "collect! { |x| 1 }", "clone.frozen?",
    "disjoint?([9])",
];

#[test]
fn collections_behave_as_in_ruby() {
    let mut calls = Calls::new(PRELUDE, 20_261_116);
    calls.holes = vec![
        ("{v}", VALUES),
        ("{i}", INTEGERS),
        ("{r}", RANGES),
        ("{l}", LISTS),
        ("{h}", TABLES),
        ("{s}", SPANS),
        ("{o}", OTHER_SETS),
        ("{n}", &["1", "2", "42", "123456789"]),
    ];
    calls.table(LISTS, ARRAY, 1);
    calls.table(LISTS, ENUMERABLE, 1);
    calls.table(TABLES, HASH, 1);
    calls.table(STREAMS, ENUMERABLE, 1);
    calls.table(&STREAMS[8..20], ENUMERATOR, 1);
    calls.table(SPANS, RANGE, 1);
    let finite: Vec<&str> = SPANS.iter().copied().filter(|span| !span.contains("..)")).collect();
    calls.table(&finite, FINITE_RANGE, 1);
    calls.table(LAZIES, LAZY, 1);
    calls.table(STRUCTS, STRUCT, 1);
    calls.table(SETS, SET, 2);
    compare("collections", &calls);
}
