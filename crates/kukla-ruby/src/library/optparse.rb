# Options of command lines.

class OptionParser
  class ParseError < RuntimeError
    attr_reader :args
    attr_writer :reason

    def initialize(*args)
      @args = args
      super(args.join(' '))
    end

    def reason = @reason || self.class::REASON
    def message = "#{reason}: #{args.join(' ')}"
    alias to_s message

    def recover(argv) = argv[0, 0] = @args
  end

  { ParseError: 'parse error', AmbiguousOption: 'ambiguous option', NeedlessArgument: 'needless argument', MissingArgument: 'missing argument',
    InvalidOption: 'invalid option', InvalidArgument: 'invalid argument', AmbiguousArgument: 'ambiguous argument' }.each do |name, reason|
    const_set(name, Class.new(name == :AmbiguousArgument ? const_get(:InvalidArgument) : ParseError)) unless const_defined?(name, false)
    const_get(name).const_set(:REASON, reason)
  end

  # One option: its names, its argument, its words for the help.
  class Switch
    attr_reader :short, :long, :argument, :block, :description, :negatable, :pattern, :label

    def initialize(parameters, block, parser)
      @short = []
      @long = []
      @description = []
      @argument = :none
      @block = block
      @label = ''
      parameters.each { |parameter| take(parameter, parser) }
      @argument = :required if @argument == :none && @pattern && ![TrueClass, FalseClass].include?(@pattern)
    end

    def switch_name = (@long.first || @short.first).to_s.sub(/\A--?(?:\[no-\])?/, '')

    def words
      names = @short.map { |name| "-#{name}" } + @long.map { |name| "--#{'[no-]' if @negatable}#{name}" }
      last = names.size - 1
      text = names.each_with_index.map { |name, at| at == last ? "#{name}#{@long.empty? ? short_label : @label}" : name }.join(', ')
      @short.empty? ? "    #{text}" : text
    end

    # The value of an argument.
    def convert(text, shown)
      return text if text.nil?

      case @pattern
      when nil then text
      when Array, Hash then choose(text, shown)
      when Regexp
        found = @pattern.match(text)
        raise InvalidArgument, shown unless found && found[0] == text

        found.size > 1 ? found.to_a : text
      else @parser.converted(@pattern, text) { raise InvalidArgument, shown }
      end
    end

    private

    def short_label = @label.start_with?('=') ? " #{@label[1..]}" : @label

    def take(parameter, parser)
      @parser = parser
      case parameter
      when /\A--\[no-\]([^\[\]=\s]*)(.*)\z/m then named_long(Regexp.last_match(1), Regexp.last_match(2)) { @negatable = true }
      when /\A--([^\[\]=\s]+)(.*)\z/m then named_long(Regexp.last_match(1), Regexp.last_match(2))
      when /\A-(.)(.*)\z/m
        @short << Regexp.last_match(1)
        label(Regexp.last_match(2))
      when String then @description << parameter
      when :REQUIRED then @argument = :required
      when :OPTIONAL then @argument = :optional
      when :NONE then @argument = :none
      when Proc, Method then @block = parameter
      when nil then nil
      else @pattern = parameter
      end
    end

    def named_long(name, rest)
      @long << name
      yield if block_given?
      label(rest)
    end

    def label(text)
      return if text.empty?

      @label = text
      @argument = text.match?(/\A\s*=?\[|\A\[=?/) ? :optional : :required
    end

    def choose(text, shown)
      pairs = @pattern.is_a?(Hash) ? @pattern.map { |name, value| [name.to_s, value] } : @pattern.map { |value| value.is_a?(Array) ? value : [value.to_s, value] }
      exact = pairs.assoc(text)
      return exact.last if exact

      found = pairs.select { |name, _| name.start_with?(text) }
      raise InvalidArgument, shown if found.empty?
      raise AmbiguousArgument, shown if found.map(&:last).uniq.size > 1

      found.first.last
    end
  end

  attr_writer :banner, :program_name, :version, :release
  attr_accessor :summary_width, :summary_indent, :default_argv, :require_exact, :raise_unknown

  def self.accept(type, pattern = //, &block) = (@accepted ||= {})[type] = [pattern, block]
  def self.accepted = @accepted ||= {}

  def initialize(banner = nil, width = 32, indent = ' ' * 4)
    @banner = banner
    @summary_width = width
    @summary_indent = indent
    @sections = [[], [], []]
    @accepted = {}
    @default_argv = ARGV
    @raise_unknown = true
    yield self if block_given?
  end

  def program_name = @program_name || File.basename($0, '.*')
  def banner = @banner || "Usage: #{program_name} [options]"
  def version = @version
  def release = @release
  def ver = @version ? "#{program_name} #{Array(@version).join('.')}" : nil
  def accept(type, pattern = //, &block) = @accepted[type] = [pattern, block]
  def separator(text = '') = @sections[1] << text.to_s
  def abort(message) = Kernel.abort("#{program_name}: #{message}")
  def warn(message) = Kernel.warn("#{program_name}: #{message}")

  def on(*parameters, &block) = add(1, parameters, block)
  alias def_option on
  alias define on
  def on_head(*parameters, &block) = add(0, parameters, block)
  alias define_head on_head
  def on_tail(*parameters, &block) = add(2, parameters, block)
  alias define_tail on_tail
  def make_switch(parameters, block = nil) = [Switch.new(parameters, block, self)]

  def help = "#{banner}\n#{summarize.join}"
  alias to_s help
  def to_a = help.lines

  def summarize(to = [])
    (@sections[0].reverse + @sections[1] + @sections[2]).each do |entry|
      entry.is_a?(Switch) ? to.concat(summary(entry)) : to << "#{entry}\n"
    end
    to
  end

  def parse(*argv, into: nil)
    argv = argv[0].dup if argv.size == 1 && argv[0].is_a?(Array)
    argv = default_argv.dup if argv.empty? && !into.nil? && default_argv
    parse!(argv, into: into)
  end

  def parse!(argv = default_argv, into: nil)
    rest = []
    until argv.empty?
      arg = argv.shift
      case arg
      when '--' then break
      when /\A--([^=]*)(?:=(.*))?\z/m then long(Regexp.last_match(1), Regexp.last_match(2), argv, into, arg)
      when /\A-(.)(.*)\z/m then short(Regexp.last_match(1), Regexp.last_match(2), argv, into)
      else
        rest << arg
      end
    end
    argv.unshift(*rest)
  end

  def permute(*argv, into: nil) = parse(*argv, into: into)
  def permute!(argv = default_argv, into: nil) = parse!(argv, into: into)

  def order!(argv = default_argv, into: nil)
    until argv.empty? || !argv.first.match?(/\A-./m)
      arg = argv.shift
      break if arg == '--'

      if arg =~ /\A--([^=]*)(?:=(.*))?\z/m
        long(Regexp.last_match(1), Regexp.last_match(2), argv, into, arg)
      else
        short(arg[1], arg[2..], argv, into)
      end
    end
    argv
  end

  def order(*argv, into: nil) = order!(argv.size == 1 && argv[0].is_a?(Array) ? argv[0].dup : argv, into: into)

  # The value of an argument of a type.
  def converted(type, text)
    pattern, block = @accepted[type] || OptionParser.accepted[type]
    if block || pattern
      found = Regexp === pattern ? pattern.match(text) : true
      yield unless found
      return block ? block.call(text) : text
    end
    case type.to_s
    when 'Integer', 'OptionParser::DecimalInteger', 'OptionParser::OctalInteger' then Integer(text, exception: false) || yield
    when 'Float', 'Numeric', 'OptionParser::DecimalNumeric' then (Integer(text, exception: false) unless type.to_s == 'Float') || Float(text, exception: false) || yield
    when 'Array' then text.split(',').map { |part| part.empty? ? nil : part }
    when 'Symbol' then text.to_sym
    when 'TrueClass', 'FalseClass' then truth(type, text) { yield }
    when 'Regexp' then text =~ %r{\A/(.*)/([imx]*)\z}m ? Regexp.new(Regexp.last_match(1), Regexp.last_match(2).include?('i')) : Regexp.new(text)
    else text
    end
  end

  private

  def truth(_type, text)
    case text.downcase
    when '+', 'yes', 'true' then true
    when '-', 'no', 'false', 'nil' then false
    else yield
    end
  end

  def add(section, parameters, block)
    @sections[section] << Switch.new(parameters, block, self)
    self
  end

  def switches = @sections.flatten(1).grep(Switch)

  def long(name, value, argv, into, arg)
    switch, negated = find_long(name, arg)
    shown = "--#{name}"
    if switch.argument == :none
      raise NeedlessArgument, arg if value

      return give(switch, !negated, into)
    end
    return give(switch, false, into) if negated

    if value.nil?
      value = argv.shift if switch.argument == :required || (argv.first && !argv.first.start_with?('-'))
      raise MissingArgument, shown if value.nil? && switch.argument == :required

      shown = "#{shown} #{value}"
    else
      shown = arg
    end
    give(switch, switch.convert(value, shown), into)
  end

  def short(letter, rest, argv, into)
    switch = switches.reverse.find { |one| one.short.include?(letter) }
    unless switch
      found = switches.find { |one| one.long.any? { |name| name.start_with?(letter) } }
      raise InvalidOption, "-#{letter}" unless found

      switch = found
    end
    if switch.argument == :none
      give(switch, true, into)
      return rest.empty? ? nil : short(rest[0], rest[1..], argv, into)
    end

    value = rest.empty? ? nil : rest.delete_prefix('=')
    shown = "-#{letter}#{value}"
    if value.nil? && (switch.argument == :required || (argv.first && !argv.first.start_with?('-')))
      value = argv.shift
      raise MissingArgument, "-#{letter}" if value.nil? && switch.argument == :required

      shown = "-#{letter} #{value}"
    end
    give(switch, switch.convert(value, shown), into)
  end

  def give(switch, value, into)
    into[switch.switch_name.to_sym] = value if into
    switch.block&.call(value)
  end

  def find_long(name, arg)
    exact = switches.reverse.find { |one| one.long.include?(name) }
    return [exact, false] if exact

    positive = name.delete_prefix('no-')
    negated = name.start_with?('no-') && switches.reverse.find { |one| one.negatable && one.long.include?(positive) }
    return [negated, true] if negated

    found = switches.select { |one| one.long.any? { |long| long.start_with?(name) } }
    return [found.first, false] if found.size == 1
    raise AmbiguousOption, arg if found.size > 1
    return help_or_version(name) if %w[help version].include?(name)

    raise InvalidOption, arg
  end

  def help_or_version(name)
    puts(name == 'help' ? help : ver)
    exit
  end

  def summary(switch)
    words = switch.words
    first, *others = switch.description
    lines = if first.nil? then [words]
            elsif words.size > summary_width then [words, "#{' ' * summary_width} #{first}"]
            else [format("%-#{summary_width}s %s", words, first)]
            end
    lines.concat(others.map { |text| "#{' ' * summary_width} #{text}" })
    lines.map { |line| "#{summary_indent}#{line}".rstrip + "\n" }
  end
end
OptParse = OptionParser
