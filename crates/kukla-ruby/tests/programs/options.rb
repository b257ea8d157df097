# optparse: options of command lines.
require 'optparse'
opts = {}
parser = OptionParser.new do |q|
  q.banner = 'Usage: x [options]'
  q.separator ''
  q.on('-v', '--[no-]verbose', 'Run verbosely') { |v| opts[:v] = v }
  q.on('-n', '--number N', Integer, 'A number') { |v| opts[:n] = v }
  q.on('--name=NAME', String, 'A name', 'second line') { |v| opts[:name] = v }
  q.on('--list A,B', Array) { |v| opts[:list] = v }
  q.on('--opt [X]') { |v| opts[:opt] = v }
  q.on('--type TYPE', [:text, :binary]) { |v| opts[:type] = v }
  q.on_tail('-h', '--help') { puts q; }
end
rest = parser.parse(%w[-v --number 5 a --name=bob --list x,y --opt --type bin b -- -c])
p rest, opts
puts parser.help
begin; parser.parse(%w[--nope]); rescue OptionParser::InvalidOption => e; p e.message; end
begin; parser.parse(%w[--number x]); rescue OptionParser::ParseError => e; p e.class, e.message; end
begin; parser.parse(%w[--number]); rescue OptionParser::ParseError => e; p e.class, e.message; end
h = {}
OptionParser.new { |q| q.on('-a'); q.on('-b', '--bee X') }.parse!(%w[-a --bee 3], into: h)
p h
args = %w[-v x]; parser.parse!(args); p args
