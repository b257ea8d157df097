# case/when, case/in, assignments of every form.
def kind(x)
  case x
  when Integer, Float then "number"
  when /\Aa(.)/ then "a#{$1}"
  when nil then "nil"
  when ->(v) { v.respond_to?(:each) } then "list"
  else "other"
  end
end
p [1, 2.5, "abc", nil, [], :z].map { |v| kind(v) }
config = { db: { user: "admin", pass: "abc123" }, mode: "dev", list: [1, [2, 3]] }
case config
in { db: { user:, pass: String => secret }, mode: "dev" | "test" => mode, **rest }
  p user, secret, mode, rest
end
case [1, [2, [3, 4]]]
in [Integer => a, [b, [*, c]]] if a < b
  p a, b, c
end
case [1, 2, 42, "x", :y]
in [*, 40..50 => found, String => s, *post]
  p found, s, post
end
in_check = { name: "n", extra: 1 } in { name: String }
p in_check
p(({ a: 1 } in { a: 1, **nil }))
value = 5
case 5
in ^value then puts "pinned"
end
case { n: 1 }
in { n: 0 | 1 => n } unless n.zero?
  p n
end
begin
  case 7
  in String then 1
  end
rescue NoMatchingPatternError => e
  p e.class, e.message
end
begin
  { a: 1 } => { b: }
rescue NoMatchingPatternKeyError => e
  p e.message, e.key
end
class Point
  attr_reader :x, :y
  def initialize(x, y) = (@x, @y = x, y)
  def deconstruct = [x, y]
  def deconstruct_keys(keys) = { x: x, y: y }
end
case Point.new(1, 2)
in Point(x:, y: 2) then p x
end
case Point.new(3, 4)
in Point[a, b] then p [a, b]
end
a, (b, *c), d = 1, [2, 3, 4], 5
p [a, b, c, d]
*a, b = [1, 2, 3]
p a, b
a = b = 1
a, b = b + 1, a
p a, b
h = Hash.new { |hash, k| hash[k] = k * 2 }
h[1] += 1
h[5] ||= 0
h[9] &&= 1
p h
x = nil
x ||= 4
x &&= x + 1
x += 2
p x
o = Struct.new(:v, :list).new(nil, [1])
o.v ||= 3
o.v += 1
o.list[3] = 9
o&.v -= 1
p o.to_a, nil&.foo
if /(?<year>\d+)-(?<month>\d+)/ =~ "2024-05"
  p year, month, $~[:year], $`, $'
end
A, B = 1, 2
p A + B
first, = [7, 8]
p first
s = <<~ONE + <<-'TWO' + "x"
  indented #{1 + 1}
    more
ONE
  raw #{no}
  TWO
p s
p %w[a b #{c}], %W[a #{1}b], %i[x y], %q('single'), %(paren (nested)), :"quoted sym", ?c
p 0b101, 0o17, 0xff, 1_000, 1e3, 3r, 2i, 10.0 / 3
p "tab\tnew\u00e9\x41\e".inspect
p __method__.inspect, __LINE__
p [1, 2, 3].sum { |v| v * 2 }, (1...10).step(3).to_a, (1..).first(2)
puts "#{"nested #{"deep"}"}"
p((1..3).each_with_object({}) { |i, acc| acc[i] = i.to_s })
