# `hash[key] += value`, where evaluating the value does something to the hash.

def told
  p yield
rescue StandardError => e
  puts "#{e.class}: #{e.message}"
end

h = { 1 => 10, 'a' => 20, s: 30, 1.5 => 40, nil => 50 }
told { h[1] += 1 }
told { h['a'] -= 1 }
told { h[:s] ||= 7 }
told { h[nil] &&= 51 }
told { h[1.5] *= 2 }
told { h[:new] ||= 8 }
p h

# The key goes away, others move, it comes back.
told { h[1] += (h.delete(1) || 0) }
p h
told { h['a'] += (h.clear; 1) }
p h
h = (0..20).to_h { |n| [n, n] }
told { h[20] += ((0..15).each { |n| h.delete(n) }; 1) }
p h

# It is frozen meanwhile, or before.
h = { a: 1 }
told { h[:a] += (h.freeze; 1) }
p h
told { h[:a] += 1 }
told { h[:a] ||= 2 }

# It asks for identity from then on.
h = { 'k' => 1 }
told { h['k'] += (h.compare_by_identity; 1) }
p h

# Defaults, subclasses, and a class that has `[]=` of its own.
h = Hash.new { |hash, key| hash[key] = key.to_s * 2 }
told { h[:x] += '!' }
p h
class Loud < Hash
  def []=(key, value)
    super(key, "#{value}!")
  end
end
loud = Loud.new
loud[:a] = 'b'
told { loud[:a] += 'c' }
p loud

# What a program makes of `[]=` counts.
h = { a: 1 }
class Hash
  alias plain []=
  def []=(key, value)
    plain(key, value * 100)
  end
end
told { h[:a] += 1 }
p h
class Hash
  alias []= plain
end

# Hooks are told of what comes after them.
class Watched
  def before; end

  def self.method_added(name)
    puts "added #{name}"
  end

  def self.singleton_method_added(name)
    puts "added #{name} to itself"
  end

  def after; end

  def self.own; end
  alias other after
end

module Greeting
  def hello
    'hello'
  end
end

# What is included after methods were called counts too.
p Watched.new.respond_to?(:hello)
Watched.include(Greeting)
told { Watched.new.hello }
class Watched
  def hello
    "#{super}!"
  end
end
told { Watched.new.hello }
