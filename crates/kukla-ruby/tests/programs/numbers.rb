# Ruby rounds what it takes for a tie to the even digit.
puts format('%.2f %.1f %.0f %.1e %.3g %g %g', 2.675, 0.25, 2.5, 2.25, 1234.5, 1e-5, 1e15)
puts format('%#.0f %#g %a %.3a %+010.3f', 1.0, 1.5, 0.1, 0.1, -1.5)

# No limit of a machine shows in a precision.
long = format('%.111111f|%.70000e|%.70000g', 1.25, 1.25, 1.25)
puts long.size, long.count('0'), long.delete('0')

# Integers and fractions have all digits that are asked for, and take no time that grows with their square.
puts format('%.3f %.0f %.2f %.2f %.1f', 12, 2.5r, 2/3r, -1/8r, 9999.99r)
puts format('%.25f %.36f %.17f', 1/7r, 1/7r, 99999999999999999999999/100000r)
long = format('%.1000000f', 255)
puts long.size, long.delete('0')
third = format('%.200000f', 2/3r)
puts third.size, third[0, 5], third[-5..], third.count('6')
puts format('%.3f %.2f', 10**30, -(10**30) / 7r)

# A text of digits keeps its width.
wide = ('0' * 70_000).upto('2').to_a
puts wide.size, wide.map(&:size).uniq.inspect, wide.last[-2..]
