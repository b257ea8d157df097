# Makes calls up from tables, runs them with `ruby` and with another interpreter, and holds the answers against each other.
#
#   ruby run.rb [--seed N] [--times N] [--keep DIR] INTERPRETER [TABLE...]
#
# INTERPRETER is a command that runs a script (`kukla ruby`). Without a TABLE all that lie beside this file are taken; --times draws the
# arguments of a call that often. Prints each difference that explained.txt does not know, then how many calls were made; fails if there are any.
#
# A table consists of sections. `== before` is Ruby that comes first, `== values NAME` a list of expressions, `== calls NAME` a list of calls in
# which {NAME} stands for one of these values. `== run VALUES CALLS [TIMES]` makes every call on every value; with `-` for the values each
# call stands for itself, and a call in parentheses is an expression about `o`, the value. A value written `(nothing)` is no text at all.

require "tempfile"
require "shellwords"

class Table
  attr_reader :name, :cases

  def initialize(path, seed, times)
    @name = File.basename(path, ".table")
    @before, @values, @calls, @cases = +"", {}, {}, []
    @state = (seed * 2_654_435_761 + @name.sum) % 2**64 | 1
    @times = times
    read(File.read(path))
  end

  # The program that makes all calls and prints a line for each: what came of it, and the receiver afterwards.
  def script
    @cases.each_with_index.reduce(PRELUDE + @before) do |text, ((receiver, call), number)|
      expression = receiver ? "o = #{receiver}\n  v = (#{spelled(call)})" : "v = (#{call})"
      text << "begin\n  o = nil\n  #{expression}\n  answer #{number}, v, o\nrescue Exception => e\n  refusal #{number}, e, o\nend\n"
    end
  end

  def describe(number)
    receiver, call = @cases[number]
    receiver ? "#{receiver} . #{call}" : call
  end

  PRELUDE = <<~'RUBY'
    $stdout.sync = true
    # The encoding of text in ASCII alone depends on the locale in places.
    def shown(value, depth = 0)
      case value
      when String then "#{value.inspect}#{"/#{value.encoding}" unless value.encoding == Encoding::UTF_8 || value.ascii_only?}"
      when Array then value.instance_of?(Array) && depth < 5 ? "[#{value.map { |item| shown(item, depth + 1) }.join(", ")}]" : value.inspect
      when Integer then value.bit_length > 4000 ? "#{value.bit_length} bits, #{value % 1_000_007}" : value.inspect
      else value.inspect
      end
    end
    def tell(number, text) = puts("#{number} #{text.scrub("?").gsub(/0x\h+/, "0x").gsub("\n", " ")}")
    def answer(number, value, receiver) = tell(number, "#{shown(value)} | #{shown(receiver)}")
    def refusal(number, error, receiver) = tell(number, "! #{error.class}: #{error.message unless error.is_a?(SyntaxError)} | #{shown(receiver)}")
  RUBY

  private

  def read(text)
    section = nil
    text.each_line(chomp: true) do |line|
      if line.start_with?("== ")
        kind, *names = line.split.drop(1)
        section = { "before" => @before, "values" => @values, "calls" => @calls }.fetch(kind, nil)
        section = section[names[0]] = [] if section.is_a?(Hash)
        run(*names) if kind == "run"
      elsif section.is_a?(String)
        section << line << "\n"
      elsif section && !line.empty?
        section << line.sub("(nothing)", "")
      end
    end
  end

  def run(values, calls, times = 1)
    receivers = values == "-" ? [nil] : @values.fetch(values)
    receivers.product(@calls.fetch(calls)) do |receiver, call|
      rounds = holes(call).empty? ? 1 : times.to_i * @times
      rounds.times { @cases << [receiver, filled(call)] }
    end
    @cases.uniq!
  end

  def holes(call) = call.scan(/\{(\w+)\}/).flatten.select { |name| @values.key?(name) }

  def filled(call)
    call.gsub(/\{(\w+)\}/) { |hole| @values.key?($1) ? draw(@values[$1]) : hole }
  end

  def draw(list)
    @state ^= @state << 13 & 2**64 - 1
    @state ^= @state >> 7
    @state ^= @state << 17 & 2**64 - 1
    list[(@state >> 11) % list.size]
  end

  def spelled(call)
    case call
    when /\A\[/ then "o#{call}"
    when /\A[-+*\/%<>=!&|^]/ then "o #{call}"
    when /\A\(/ then call
    else "o.#{call}"
    end
  end
end

# What is known to differ: for a table, calls by pattern, and why.
def explained(path)
  File.readlines(path, chomp: true).reject { |line| line.empty? || line.start_with?("#") }.map do |line|
    table, pattern = line.split(" ", 2)
    [table, /\A(?:#{pattern})\z/m]
  end
end

def answers(command, script)
  IO.popen({ "LANG" => "C.UTF-8", "TZ" => "UTC" }, [*command, script, err: File::NULL], "rb", &:read).force_encoding("UTF-8").scrub.each_line(chomp: true).to_h { |line| line.split(" ", 2) }
end

options = { "--seed" => "1", "--times" => "1", "--keep" => nil }
options[ARGV.shift] = ARGV.shift while ARGV[0]&.start_with?("--")
interpreter = Shellwords.split(ARGV.shift)
paths = ARGV.empty? ? Dir[File.join(__dir__, "*.table")].sort : ARGV
known = explained(File.join(__dir__, "explained.txt"))
made = different = 0
paths.each do |path|
  table = Table.new(path, options["--seed"].to_i, options["--times"].to_i)
  scratch = Tempfile.new([table.name, ".rb"])
  file = options["--keep"] ? File.join(options["--keep"], "#{table.name}.rb") : scratch.path
  File.write(file, table.script)
  theirs = Thread.new { answers(%w[timeout 300 ruby -W0 --disable-did_you_mean --disable-error_highlight], file) }
  ours = answers(["timeout", "300", *interpreter], file)
  theirs = theirs.value
  abort "ruby made nothing of #{path}" if theirs.empty?
  reasons = known.select { |name, _| name == table.name }.map(&:last)
  table.cases.each_index do |number|
    ruby, other = theirs[number.to_s], ours[number.to_s]
    next if ruby == other || reasons.any? { |pattern| pattern.match?(table.describe(number)) }
    different += 1
    puts "#{table.name}: #{table.describe(number)}", "   ruby: #{ruby || "nothing"}", "  kukla: #{other || "nothing"}"
  end
  made += table.cases.size
  scratch.close!
end
puts "#{made} calls, #{different} differ"
exit different.zero?
