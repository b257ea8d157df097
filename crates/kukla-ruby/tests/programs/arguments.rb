# Every kind of parameter, and the complaints about arguments.
def all(a, b = a + 1, *c, d, e:, f: e, **g, &h) = [a, b, c, d, e, f, g, h&.call]
p all(1, 2, e: 3)
p all(1, 2, 3, 4, 5, e: 6, f: 7, z: 8) { 9 }
def complain
  yield
rescue ArgumentError => error
  puts error.message
end
complain { all }
complain { all(1, 2) }
def keywords(a:, b: 1) = [a, b]
complain { keywords }
complain { keywords(a: 1, x: 2, y: 3) }
complain { keywords(1, a: 1) }
def optional(a, b = 2) = [a, b]
complain { optional }
complain { optional(1, 2, 3) }
def rest(a, *) = a
complain { rest }
def none(**nil) = 1
complain { none(a: 1) }
def hash_last(a) = a
p hash_last(a: 1, "b" => 2)
def forward(...) = all(...)
p forward(1, 2, e: 3) { 4 }
def anonymous(*a, **k, &) = all(*a, **k, &)
p anonymous(1, 2, e: 5) { 6 }
p [[1, [2, 3]], [4, [5, 6]]].map { |a, (b, c)| [a, b, c] }
p [[1, 2, 3]].map { |a, *b| [a, b] }
p [[1, 2]].map { |a, | a }
p [[1, 2]].each_with_index.map { |(a, b), i| [a, b, i] }
p proc { |a, b = 5, *c| [a, b, c] }.call([1])
p lambda { |a, b = 5| [a, b] }.call(1)
complain { lambda { |a| a }.call(1, 2) }
p [1, 2, 3].map { _1 * 2 }
p [[1, 2]].map { _1 + _2 }
h = { b: 2 }
p keywords(a: 1, **h)
p hash_last(**h)
p [*1..3, *nil, *[4]]
def zsuper_base(a, b = 2, *r, k: 1) = [a, b, r, k]
class Base; def m(a, b = 2, *r, k: 1) = [a, b, r, k]; end
class Derived < Base
  def m(a, b = 3, *r, k: 5)
    a += 1
    [super, super(a), super(a, k: 9)]
  end
end
p Derived.new.m(1)
