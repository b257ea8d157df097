# Loops, jumps, exceptions.
def find(list)
  list.each { |x| return x if x > 2 }
  nil
end
p find([1, 2, 3, 4]), find([])
p [1, 2, 3].each { |x| break x * 10 if x == 2 }
p (1..Float::INFINITY).each { |x| break x if x * x > 50 }
i = 0
r = while true
  i += 1
  next if i.odd?
  break i if i > 6
end
p r
begin
  i -= 1
end while i > 3
p i
until i == 0 do i -= 1 end
p i
for a, (b, *c) in [[1, [2, 3, 4]], [5, [6]]]
  p [a, b, c]
end
p a
tries = 0
begin
  tries += 1
  raise "again" if tries < 3
  p tries
rescue
  retry
else
  puts "else"
ensure
  puts "ensure"
end
def ensured
  return 1
ensure
  puts "left"
end
p ensured
def nested
  yield
rescue ZeroDivisionError, TypeError => e
  [e.class, e.message]
end
p nested { 1 / 0 }
p nested { Integer([]) rescue raise TypeError, "other" }
begin
  begin
    raise "first"
  rescue => e
    raise ArgumentError, "second"
  end
rescue => e
  p e, e.cause
end
p catch(:done) { 10.times { |x| throw :done, x if x == 3 }; :never }
begin
  throw :nobody
rescue UncaughtThrowError => e
  puts e.message
end
p proc { next 5; 6 }.call
l = lambda { return 7 }
p l.call
def proc_return = proc { return 1 }
begin
  proc_return.call
rescue LocalJumpError => e
  puts e.message
end
x = [3, 1, 2].sort_by { |v| -v }.each_with_object([]) { |v, acc| acc << v }
p x
p (1..10).select { |n| true if (n == 3)..(n == 5) }
p loop { break }
e = [1, 2].each
p loop { e.next } rescue p $!
class Custom < StandardError
  def initialize(extra) = super("custom #{extra}")
end
begin
  raise Custom.new(1)
rescue Custom => e
  p e
end
p (raise "a" rescue "rescued")
p $!
at_exit { puts "bye" }
