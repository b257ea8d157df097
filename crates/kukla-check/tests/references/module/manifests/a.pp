# frozen
# A class
# @param a doc a
#   more
#
#
#     indented
# @param [Integer] d
# back to text
# @summary sum
# @note n1
# @example Foo
#
#   code
#     x
#
# @example
#   bar
# @see http://x.y Text here
#   more see
# @see foo
# @since 1.2
# @todo todo1
# @deprecated gone
# @option a [String] :x The x
# @option a :y
# @enum a foo Bar baz
# @author Me
# @raise SomeError when
# @unknown foo
class a (
  $a = $facts['x'] ? { 'a' => 1, default => 2, },
  Optional[String[1]] $b = @("EOT"),
    hello
      world
    | EOT
  $c = (1 + 2) * -3,
  $d = foo($x) |$y| { $y } ,
  Hash $e = $x.map |$k| { $k } ,
  $f = "a${x}b" ,
  $g = $x ? { a => [1], default => $z ? { 1 => 2 } },
  $h = !$x ,
  $i = $x.size ,
  $j = -1,
  $k = if $x { 1 } else { 2 },
  Enum['a', 'b'] $l = 'a',
  $m = [ 'x', $x ? { a => 1 } ],
  $n = { a => 1 },
  $o = $a + $x ? { a => 1 },
  $p = @(X/L),
    foo
    | X
) inherits b {
  class n { }
}
# dup
class a2 { }
# T
type Foo = Optional[ Variant[String,
  Integer], ]
type Bar = Foo
type Baz = Struct[{ a => String,
   Optional[b] => Integer, }]
type Enumm = Enum[
  'a', # foo
  'b',
]

# func

function ff(String $x = 'a', Integer *$rest)   >>   Hash[String, Integer] { }
# @return [Foo] bar
# @param x [Foo] ddd
function gg($x) { }
# pl
plan pp(TargetSpec $nodes) { }
