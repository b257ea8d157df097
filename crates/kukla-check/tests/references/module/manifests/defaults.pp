class a::defaults (
  $r1 = @(E),
    one
      two

    three
    | E
  $r2 = @(E),
one
two
E
  $r3 = @("E"),
    one
      two

    three
    | E
  $r4 = @("E"),
    one ${x} b
      two
    three
    |- E
  $r5 = @("E"/L),
one ${x}
two
E
  $i1 = if $x { 1 } else { 2 },
  $i2 = if $x { 1 } elsif $y { 3 },
  $i3 = if $x { 1 } else { $y = 1 $y },
  $i4 = unless $x { 1 } else { 2 },
  $i5 = case $x { 1: { 2 } default: { 3 } },
  $i6 = $x.foo(),
  $i7 = $x.foo() |$y| { 1 },
  $i8 = foo(),
  $i9 = [$x.foo()],
  $j1 = $x ? 1 => 2,
  $j2 = Foo[1,2,],
  $j3 = foo( 1, ),
  $j4 = { a => $x ? { b => 1, }, },
  $j5 = "a${x}b${y.foo()}",
  $j6 = $x[1][2],
  $j7 = -$x,
  $j9 = $x.foo.bar,
  $k1 = Foo['a'].bar,
  $k2 = undef,
  $k3 = default,
  $k4 = ::foo::bar,
  $k5 = File['x'],
) { }
