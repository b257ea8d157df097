# Which encoding a text has that is put together of others, or shown.

ascii = "abc".dup.force_encoding("US-ASCII")
binary = "abc".b

puts "interpolated"
puts "#{1}".encoding, "#{1}#{2}".encoding, "a#{1}".encoding, "#{ascii}".encoding, "#{binary}".encoding
puts "#{ascii}ü".encoding, "#{"\xff".b}".encoding, "#{nil}".encoding, "#{:a}#{1.5}".encoding

puts "joined"
puts [1, 2].join(",").encoding, [nil].join.encoding, [nil, false, 0].join("-").encoding, ["a", 1].join.encoding
puts [1, "ü"].join.encoding, [].join.encoding, [nil, "ü"].join.encoding

puts "shown"
puts nil.inspect.encoding, [].inspect.encoding, [1].inspect.encoding, ["a"].inspect.encoding, [1, "a"].inspect.encoding
puts [1, "ü"].inspect.encoding, {}.inspect.encoding, { a: 1 }.inspect.encoding, { "a" => 1 }.inspect.encoding
puts [1, "ü", :a].inspect, { 1 => "ü", nil => [nil] }.inspect

puts "names"
puts Object.name.encoding, Comparable.to_s.encoding, Kernel.inspect.encoding, :a.to_s.encoding, :"ü".to_s.encoding
puts 1.to_s.encoding, 1.5.to_s.encoding, true.to_s.encoding, nil.to_s.encoding, (1..2).to_s.encoding, 3r.to_s.encoding

# Case is mapped character by character: a sigma is never final, and Georgian words do not begin with a capital.
p 'ΟΔΟΣ ς'.downcase, 'ΟΔΟΣ'.capitalize, 'ΟΔΟΣ'.swapcase, 'ǅᾼ'.swapcase, 'Აბ'.capitalize, 'ßa'.capitalize

# An iterating method without a block gives an enumerator, which knows the name it was called by.
p [1].map, [1].collect, 'a'.each_char, 3.times, 1.upto(3).size, 3.downto(1).size, [1, 2].combination(1).size, 'ab'.each_byte.size
p [3].each_with_index.with_index(1), 'a'.gsub(/a/)
