# Every method of numbers with arguments of every kind: one line for each call, the same from every Ruby.
NUMBERS = [
  0, 1, -1, 2, -2, 3, 7, -7, 10, 15, 16, -16, 25, 35, -35, 99, 100, 255, 256, 1000, 12345, -12345, 65_536, 4_294_967_296,
  2**62, -(2**62), 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**64, 2**64 + 1, -(2**64), 10**20, -(10**20), 10**30 + 7, 3**100,
  0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.1, 0.25, 3.14159, -3.7, 10.0, 100.5, 1234.5678, 1e10, 1e15, 1e16, 1e20, 1e22,
  1e100, 1e300, -1e300, 1e-5, 1e-10, 1e-300, 5e-324, 123456789.123456, 0.30000000000000004, 9007199254740993.0, Float::MAX, Float::MIN, Float::EPSILON,
  Float::INFINITY, -Float::INFINITY, Float::NAN,
  Rational(1, 2), Rational(-1, 2), Rational(1, 3), Rational(-7, 3), Rational(5, 1), Rational(0, 1), Rational(10**20, 3), Rational(22, 7), Rational(3, 2),
  Complex(1, 2), Complex(0, 1), Complex(3, 0), Complex(1.5, -2.5), Complex(Rational(1, 2), 3), Complex(-1, 0.0)
]
OTHERS = [nil, true, '1', 'x', :a, [], {}, 1..2, Object]
SMALL = [0, 1, -1, 2, -2, 3, 5, -5, 10, 20, 70, -70, 1.5, -0.5, Rational(1, 2), nil, '1']

def shown(value)
  case value
  when Float then value.nan? ? 'NaN' : value.inspect
  when Array then "[#{value.map { |one| shown(one) }.join(', ')}]"
  when Complex then "(#{shown(value.real)} #{shown(value.imaginary)})"
  when Integer then value.inspect.size > 200 ? "#{value.inspect.size} digits, #{value % 1_000_007}" : value.inspect
  else value.inspect
  end
end

def call(receiver, name, *args, **options)
  result = begin
    shown(receiver.public_send(name, *args, **options))
  rescue NoMethodError => e
    "NoMethodError #{e.name}"
  rescue StandardError => e
    "#{e.class}: #{e.message}"
  end
  shown_args = (args.map { |one| shown(one) } + options.map { |key, value| "#{key}: #{value.inspect}" }).join(', ')
  puts "#{shown(receiver)}.#{name}(#{shown_args}) => #{result}"
end

BINARY = %i[+ - * / % div divmod modulo remainder fdiv quo == != === <=> < <= > >= eql? equal? coerce & | ^ << >> gcd lcm gcdlcm allbits? anybits? nobits? ceildiv]
UNARY = %i[-@ +@ ~ abs magnitude to_s inspect to_i to_int to_f to_r to_c rationalize numerator denominator zero? positive? negative? nonzero? integer? finite?
           infinite? nan? real? real imaginary imag conj conjugate abs2 arg angle phase polar rect rectangular succ next pred ord size bit_length digits even? odd?
           floor ceil round truncate next_float prev_float i chr dup hash.class]
ROUNDING = %i[floor ceil round truncate]

NUMBERS.each do |number|
  UNARY.each { |name| call(number, name) unless name == :'hash.class' || (name == :chr && number.is_a?(Integer) && number > 255) }
  NUMBERS.each { |other| BINARY.each { |name| call(number, name, other) unless %i[<< >>].include?(name) && other.is_a?(Numeric) && !(other.is_a?(Complex)) && other.abs > 200 } }
  OTHERS.each { |other| BINARY.each { |name| call(number, name, other) } }
  SMALL.each { |other| call(number, :**, other); call(number, :pow, other) }
  (-25..25).each do |digits|
    next unless [0, 1, -1, 2, -2, 3, 5, -5, 10, 14, 15, 16, 17, 20, -10, -15, -19, -20, -25, 25].include?(digits)

    ROUNDING.each { |name| call(number, name, digits) unless number.is_a?(Complex) }
    %i[up down even].each { |half| call(number, :round, digits, half: half) unless number.is_a?(Complex) }
  end
  [nil, 'x', 1.9, :up].each { |digits| ROUNDING.each { |name| call(number, name, digits) unless number.is_a?(Complex) } }
  [nil, 'even', :foo, 1].each { |half| call(number, :round, half: half) unless number.is_a?(Complex) }
  [2, 8, 16, 36, 1, 37, -2, nil, 'x', 10.5].each { |base| call(number, :to_s, base) if number.is_a?(Integer) }
  [2, 10, 16, 100, 1, 0, -3, nil, 2**70].each { |base| call(number, :digits, base) if number.is_a?(Integer) }
  [0, 1, 5, 63, 64, 65, 100, -1, 2**70, nil, 1.5, 0..3, 2.., ..2, 3..1, 0...4].each { |bit| call(number, :[], bit) if number.is_a?(Integer) }
  [[0, 4], [3, 5], [60, 10], [-2, 4], [2, -1]].each { |bits| call(number, :[], *bits) if number.is_a?(Integer) }
  [[2, 7], [3, 10], [0, 5], [5, -7], [2, 0], [-1, 7], [1.5, 7], [2, 1.5], [10**20, 97]].each { |pair| call(number, :pow, *pair) if number.is_a?(Integer) }
  [0.1, Rational(1, 100), 1, 0.001].each { |by| call(number, :rationalize, by) }
  [[0, 10], [5, 1], [1.5, 2.5], [0..10], [..3], [3..], [0...5], [nil, 3], [1, nil], ['a', 'b'], [1]].each { |limits| call(number, :clamp, *limits) unless number.is_a?(Complex) }
  [[0, 10], [-100, 100], [nil, 1]].each { |limits| call(number, :between?, *limits) unless number.is_a?(Complex) }
end
STEPS = [[1, 10], [1, 10, 3], [10, 1, -3], [1.0, 2.0, 0.1], [1, 2, 0.5], [1, 5, 0], [0.1, 1.0, 0.3], [10, 1], [1, 3, Rational(1, 2)], [1, 'x'], [1, nil, 'x']]
STEPS.each do |from, *rest|
  call(from, :step, *rest)
  result = begin
    found = []
    from.step(*rest) { |at| found << at; break if found.size > 30 }
    found.inspect
  rescue StandardError => e
    "#{e.class}: #{e.message}"
  end
  puts "#{from}.step(#{rest.inspect[1..-2]}) { } => #{result}"
end
puts 5.times.to_a.inspect, 3.upto(7).to_a.inspect, 7.downto(3).to_a.inspect, 1.step(by: 2, to: 9).to_a.inspect, 5.times.size, 1.upto(4).size, 1.step(10, 3).size
TEXTS = ['1', ' 12 ', '0x1f', '0b101', '0o17', '017', '08', '1_000', '1__0', '_1', '1_', '', ' ', '-5', '+5', '- 5', '1.5', '1e3', '1e', '.5', '5.', '0x', '0x1.8p3', 'abc', '12abc',
         '1e400', '1/2', '-3/4', '1/0', '1.5/2', '1i', '1+2i', 'i', '-i', '3-4.5i', '1@2', '9999999999999999999999', '0.1e-5', '1e+5', "1\n", "1\0", 'Infinity', 'NaN', '0b12', '٣', '1 2', '0_8', '1.2.3', '-0', '-0.0', '1e1_0', '1_0.0_1']
TEXTS.each do |text|
  [['Integer', []], ['Float', []], ['Rational', []], ['Complex', []], ['Integer', [16]], ['Integer', [2]], ['Integer', [8]], ['Integer', [36]], ['Integer', [1]], ['Integer', [10]]].each do |name, rest|
    result = begin
      shown(Kernel.public_send(name, text, *rest))
    rescue StandardError => e
      "#{e.class}: #{e.message}"
    end
    puts "#{name}(#{[text, *rest].map(&:inspect).join(', ')}) => #{result}"
  end
  puts "#{text.inspect} #{shown(text.to_i) rescue $!.class} #{shown(text.to_f) rescue $!.class} #{shown(text.to_r) rescue $!.class} #{shown(text.to_c) rescue $!.class} #{shown(text.to_i(16))} #{shown(text.hex)} #{shown(text.oct)}"
end
(NUMBERS + OTHERS).each do |value|
  %w[Integer Float Rational Complex].each do |name|
    [[], [{ exception: false }]].each do |options|
      result = begin
        shown(options.empty? ? Kernel.public_send(name, value) : Kernel.public_send(name, value, **options[0]))
      rescue StandardError => e
        "#{e.class}: #{e.message}"
      end
      puts "#{name}(#{shown(value)}#{', exception: false' unless options.empty?}) => #{result}"
    end
  end
end
%i[sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log log2 log10 sqrt cbrt erf erfc gamma lgamma frexp].each do |name|
  ([0, 1, -1, 2, 0.5, -0.5, 10, 100, 1e10, -5.5, 2**70, 10**400, Rational(1, 3), nil, 'x', Complex(1, 0), Float::NAN, Float::INFINITY, -Float::INFINITY, 171, 172, 23, 24]).each do |x|
    result = begin
      value = Math.public_send(name, x)
      value.is_a?(Float) && value.finite? ? format('%.12g', value) : (value.is_a?(Array) ? value.map { |one| one.is_a?(Float) && one.finite? ? format('%.12g', one) : one }.inspect : shown(value))
    rescue StandardError => e
      "#{e.class}: #{e.message}"
    end
    puts "Math.#{name}(#{x.inspect.size > 50 ? 'large' : x.inspect}) => #{result}"
  end
end
[[1, 2], [0, -1], [-0.0, -1], [1, nil]].each { |pair| %i[atan2 hypot].each { |name| puts "#{name} #{pair} #{begin; Math.public_send(name, *pair); rescue StandardError => e; "#{e.class}: #{e.message}"; end}" } }
[[8, 2], [100, 10], [2, 0], [-1, 2], [2, 'x'], [2**100, 2]].each { |pair| puts "log #{pair} #{begin; Math.log(*pair); rescue StandardError => e; "#{e.class}: #{e.message}"; end}" }
puts Math.ldexp(0.5, 3), Integer.sqrt(24), Integer.sqrt(10**40), (Integer.sqrt(-1) rescue "#{$!.class} #{$!.message}")
random = Random.new(42)
puts [random.rand, random.rand(10), random.rand(1.5), random.rand(1..6), random.rand(1...6), random.rand(1.0..2.0), random.rand(2**70), random.bytes(5).unpack1('H*'), random.seed, random.rand(1.0...2.0)].inspect
srand(5)
puts [rand, rand(10), rand(0), rand(-5), rand(1..3), Random.rand(3), Random.rand].inspect
puts [1, 2, 3, 4, 5, 6, 7, 8].shuffle(random: Random.new(1)).inspect, [1, 2, 3].sample(random: Random.new(3)).inspect
[-1, 0, 'x', nil, 1..0, 2.5, -1.5, 'a'..'b', 1.., Float::NAN].each { |limit| puts "rand #{limit.inspect} #{begin; Random.new(1).rand(limit); rescue SystemCallError, StandardError => e; "#{e.class}: #{e.message}"; end}" }
