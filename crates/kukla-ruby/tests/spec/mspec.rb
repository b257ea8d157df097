# Runs files of ruby/spec, Ruby's own specification suite, without its runner: describes, examples, expectations, mocks and guards.
#
#   kukla ruby mspec.rb [--verbose] FILE
#
# Each file is a program of its own. The last line is `N passed, N failed, N skipped`; a failure is a line with what was
# described and what happened.

class SpecVersion
  include Comparable
  attr_reader :parts

  def initialize(version, ceil = false)
    text = version.to_s
    @parts = text.split('.').map(&:to_i)
    @parts << Float::INFINITY if ceil
  end

  def <=>(other)
    other = SpecVersion.new(other) unless other.is_a?(SpecVersion)
    size = [parts.size, other.parts.size].max
    fill = ->(list) { list + [list.last == Float::INFINITY ? Float::INFINITY : 0] * (size - list.size) }
    fill.call(parts) <=> fill.call(other.parts)
  end

  def to_s
    parts.join('.')
  end
end

class VersionGuard
  # What the suite at hand is written for, whatever the interpreter says of itself.
  FULL_RUBY_VERSION = [SpecVersion.new(RUBY_VERSION), SpecVersion.new('3.3.0')].max

  def self.within?(version)
    case version
    when String then SpecVersion.new(version) <= FULL_RUBY_VERSION
    when Range
      first = version.begin.to_s.empty? ? SpecVersion.new('0') : SpecVersion.new(version.begin)
      last = SpecVersion.new(version.end, !version.exclude_end?)
      FULL_RUBY_VERSION >= first && (version.exclude_end? ? FULL_RUBY_VERSION < last : FULL_RUBY_VERSION <= last)
    end
  end
end

class SpecExpectationNotMetError < StandardError; end
class SpecSkipped < StandardError; end

class SpecExpectation
  def self.fail_with(expected, actual)
    raise SpecExpectationNotMetError, "#{expected} #{actual}"
  end
end

module ScratchPad
  class << self
    def record(value)
      @record = value
    end

    def <<(value)
      @record << value
      self
    end

    def clear
      @record = nil
    end

    def recorded
      @record
    end

    def inspect
      "<ScratchPad @record=#{@record.inspect}>"
    end
  end
end

# Describes and examples.
class SpecContext
  attr_reader :name, :parent, :befores, :afters

  def initialize(name, parent, shared = nil, method = nil, object = nil)
    @name = name
    @parent = parent
    @befores = { each: [], all: [] }
    @afters = { each: [], all: [] }
    @examples = []
    @shared = shared
    @method = method || (parent && parent.spec_method)
    @object = object.nil? ? (parent && parent.spec_object) : object
  end

  def spec_method
    @method
  end

  def spec_object
    @object
  end

  def add(kind, entry)
    @examples << [kind, entry]
  end

  def examples
    @examples
  end

  def chain
    parent ? parent.chain + [self] : [self]
  end

  def full_name
    chain.map { |context| context.name.to_s }.reject(&:empty?).join(' ')
  end
end

module MSpec
  class << self
    attr_accessor :context, :passed, :failed, :skipped, :verbose, :expectations

    def shared
      @shared ||= {}
    end

    def report_failure(name, error)
      self.failed += 1
      message = "#{error.class}: #{error.message}".lines.first.to_s.strip
      place = error.backtrace && error.backtrace.find { |line| line =~ /_spec\.rb|shared/ }
      puts "FAILED #{name}"
      puts "  #{message}#{" (#{place})" if place}"
    end

    def run(context)
      environment = Object.new
      return unless run_all(context.befores[:all], environment, "#{context.full_name} before :all")

      context.examples.each do |kind, entry|
        if kind == :context
          run(entry)
        else
          run_example(context, environment, *entry)
        end
      end
      run_all(context.afters[:all], environment, "#{context.full_name} after :all")
    end

    def run_all(blocks, environment, name)
      blocks.each { |block| environment.instance_exec(&block) }
      true
    rescue SpecSkipped
      self.skipped += 1
      false
    rescue Exception => e
      raise if e.is_a?(SystemExit) && e.status == 70

      report_failure(name, e)
      false
    end

    def run_example(context, _environment, name, block)
      full = "#{context.full_name} #{name}"
      unless block
        self.skipped += 1
        return
      end
      object = Object.new
      object.instance_variable_set(:@method, context.spec_method) if context.spec_method
      object.instance_variable_set(:@object, context.spec_object) unless context.spec_object.nil?
      shared_state = _environment
      shared_state.instance_variables.each { |v| object.instance_variable_set(v, shared_state.instance_variable_get(v)) }
      begin
        failed_with = nil
        begin
          context.chain.each { |part| part.befores[:each].each { |before| object.instance_exec(&before) } }
          object.instance_exec(&block)
          Mock.verify
        rescue Exception => e
          failed_with = e
        end
        begin
          context.chain.reverse.each { |part| part.afters[:each].each { |after| object.instance_exec(&after) } }
        rescue Exception => e
          failed_with ||= e
        end
        Mock.reset
        raise failed_with if failed_with

        self.passed += 1
        puts "ok #{full}" if verbose
      rescue SpecSkipped
        self.skipped += 1
      rescue Exception => e
        report_failure(full, e)
      end
    end
  end
  self.passed = 0
  self.failed = 0
  self.skipped = 0
end

module SpecDSL
  def describe(name, options = nil, &block)
    name = "#{name} #{options}" if options.is_a?(String) || options.is_a?(Symbol)
    if options.is_a?(Hash) && options[:shared]
      MSpec.shared[name.to_s] = block
      MSpec.shared[name] = block
      return
    end
    parent = MSpec.context
    context = SpecContext.new(name, parent)
    MSpec.context = context
    begin
      block.call
    ensure
      MSpec.context = parent
    end
    parent ? parent.add(:context, context) : MSpec.run(context)
  end
  alias context describe

  def it(name, &block)
    MSpec.context.add(:example, [name, block])
  end
  alias specify it

  def before(at = :each, &block)
    MSpec.context.befores[at] << block
  end

  def after(at = :each, &block)
    MSpec.context.afters[at].unshift(block)
  end

  def it_behaves_like(name, method, object = nil)
    block = MSpec.shared[name.to_s] || MSpec.shared[name]
    raise "no shared examples '#{name}'" unless block

    parent = MSpec.context
    context = SpecContext.new('', parent, nil, method, object)
    # What shared examples find in instance variables is set before everything else.
    context.befores[:each] << proc do
      @method = method
      @object = object
    end
    context.befores[:all] << proc do
      @method = method
      @object = object
    end
    MSpec.context = context
    begin
      block.call
    ensure
      MSpec.context = parent
    end
    parent.add(:context, context)
  end
  alias it_should_behave_like it_behaves_like

  def evaluate(code, description = nil, &block)
    name = "#{description || 'evaluates'} #{code.strip.lines.first.to_s.strip}"
    MSpec.context.add(:example, [name, proc do
      instance_eval(code)
      instance_exec(&block)
    end])
  end
end

# What the suite at hand may expect of the machine and the version.
module SpecGuards
  def ruby_version_is(*versions)
    applies = versions.any? { |version| VersionGuard.within?(version) }
    return applies unless block_given?

    yield if applies
  end

  def ruby_bug(_bug, versions)
    return true unless block_given?

    yield unless VersionGuard.within?(versions)
  end

  def platform_is(*platforms)
    applies = platforms.all? do |platform|
      case platform
      when Hash then platform.all? { |key, value| (key == :pointer_size || key == :c_long_size || key == :wordsize) && value == 64 }
      else %i[linux unix posix].include?(platform)
      end
    end
    applies = platforms.any? { |platform| %i[linux].include?(platform) } if platforms.size > 1
    return applies unless block_given?

    yield if applies
  end

  def platform_is_not(*platforms)
    applies = platforms.none? { |platform| platform.is_a?(Hash) ? platform.value?(64) : platform == :linux }
    return applies unless block_given?

    yield if applies
  end

  def guard(condition, _name = nil)
    return condition.call unless block_given?

    yield if condition.call
  end

  def guard_not(condition, _name = nil)
    return !condition.call unless block_given?

    yield unless condition.call
  end

  def not_supported_on(*implementations)
    return true unless block_given?

    yield unless implementations.include?(:kukla)
  end

  def conflicts_with(*)
    yield
  end

  def as_superuser
    yield if block_given?
  end

  def as_user
    false
  end

  def as_real_superuser; end

  def little_endian
    yield
  end

  def big_endian; end

  def with_feature(*); end

  def without_feature(*)
    yield if block_given?
  end

  def kernel_version_is(*); end

  def version_is(*)
    true
  end

  def quarantine!; end

  def with_timezone(_name, _offset = nil, _daylight = '')
    raise SpecSkipped
  end

  def suppress_warning
    yield
  end

  def suppress_keyword_warning
    yield
  end
end

module SpecHelpers
  def bignum_value(plus = 0)
    (2**64) + plus
  end

  def fixnum_max
    (2**62) - 1
  end

  def fixnum_min
    -(2**62)
  end

  def max_long
    (2**63) - 1
  end

  def min_long
    -(2**63)
  end

  def infinity_value
    1 / 0.0
  end

  def nan_value
    0 / 0.0
  end

  def new_hash(*args, &block)
    if block
      Hash.new(&block)
    elsif args.size == 1 && args.first.is_a?(Hash)
      args.first.dup
    else
      Hash.new(*args)
    end
  end

  def hash_class
    Hash
  end

  def mock_int(value)
    double = mock("int #{value}")
    double.should_receive(:to_int).any_number_of_times.and_return(value.to_int)
    double
  end

  def mock_numeric(name, options = {})
    NumericMockObject.new(name, options)
  end

  def fixture(file, *args)
    path = File.dirname(file)
    path = path[0..-7] if path.end_with?('/shared')
    path = path.delete_suffix('/fixtures')
    File.join(path, 'fixtures', *args)
  end

  def argv(args)
    saved = ARGV.dup
    ARGV.replace(args)
    yield if block_given?
  ensure
    ARGV.replace(saved) if block_given?
  end

  def flunk(message = 'This example is a failure')
    SpecExpectation.fail_with('Failed:', message)
  end

  def skip(_reason = nil)
    raise SpecSkipped
  end

  def ruby_exe(*)
    raise SpecSkipped
  end

  def tmp(*)
    raise SpecSkipped
  end

  def touch(*)
    raise SpecSkipped
  end

  def rm_r(*); end

  def mkdir_p(*)
    raise SpecSkipped
  end

  def new_io(*)
    raise SpecSkipped
  end

  def new_fd(*)
    raise SpecSkipped
  end

  def encode(text, encoding)
    text.dup.force_encoding(encoding)
  end
end

# Expectations.
class SpecPositiveOperatorMatcher < BasicObject
  def initialize(actual)
    @actual = actual
  end

  def ==(expected)
    return true if @actual == expected

    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "to equal #{expected.inspect}")
  end

  def raise(exception = ::Exception, message = nil, options = {}, &block)
    if ::Hash === message
      options = message
      message = nil
    end
    matcher = ::RaiseErrorMatcher.new(exception, message, options, &block)
    ::SpecExpectation.fail_with(*matcher.failure_message) unless matcher.matches?(@actual)
    matcher.raised
  end

  def equal?(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "to be identical to #{expected.inspect}") unless @actual.equal?(expected)
  end

  def !=(_expected)
    ::Kernel.raise '!= is not supported, use should_not =='
  end

  def <(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "to be less than #{expected.inspect}") unless @actual < expected
  end

  def <=(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "to be <= #{expected.inspect}") unless @actual <= expected
  end

  def >(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "to be greater than #{expected.inspect}") unless @actual > expected
  end

  def >=(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "to be >= #{expected.inspect}") unless @actual >= expected
  end

  def =~(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "to match #{expected.inspect}") unless @actual =~ expected
  end

  def ===(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "to be === #{expected.inspect}") unless @actual === expected
  end

  def method_missing(name, *args, &block)
    result = @actual.__send__(name, *args, &block)
    unless result
      ::SpecExpectation.fail_with("Expected #{@actual.inspect}.#{name}(#{args.map(&:inspect).join(', ')})", 'to be truthy')
    end
    result
  end

  def respond_to_missing?(*)
    true
  end
end

class SpecNegativeOperatorMatcher < BasicObject
  def initialize(actual)
    @actual = actual
  end

  def ==(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "not to equal #{expected.inspect}") if @actual == expected
  end

  def raise(exception = ::Exception, message = nil, options = {}, &block)
    matcher = ::RaiseErrorMatcher.new(exception, message, options, &block)
    ::SpecExpectation.fail_with(*matcher.negative_failure_message) if matcher.matches?(@actual)
  end

  def equal?(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "not to be identical to #{expected.inspect}") if @actual.equal?(expected)
  end

  def <(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "not to be less than #{expected.inspect}") if @actual < expected
  end

  def =~(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "not to match #{expected.inspect}") if @actual =~ expected
  end

  def ===(expected)
    ::SpecExpectation.fail_with("Expected #{@actual.inspect}", "not to be === #{expected.inspect}") if @actual === expected
  end

  def method_missing(name, *args, &block)
    result = @actual.__send__(name, *args, &block)
    if result
      ::SpecExpectation.fail_with("Expected #{@actual.inspect}.#{name}(#{args.map(&:inspect).join(', ')})", 'to be falsy')
    end
    result
  end

  def respond_to_missing?(*)
    true
  end
end

class Object
  NO_MATCHER_GIVEN = Object.new

  def should(matcher = NO_MATCHER_GIVEN)
    return SpecPositiveOperatorMatcher.new(self) if NO_MATCHER_GIVEN.equal?(matcher)
    return if matcher.matches?(self)

    SpecExpectation.fail_with(*matcher.failure_message)
  end

  def should_not(matcher = NO_MATCHER_GIVEN)
    return SpecNegativeOperatorMatcher.new(self) if NO_MATCHER_GIVEN.equal?(matcher)
    return unless matcher.matches?(self)

    SpecExpectation.fail_with(*matcher.negative_failure_message)
  end

  def should_receive(name)
    Mock.install(self, name, 1, :exactly)
  end

  def should_not_receive(name)
    Mock.install(self, name, 0, :exactly)
  end

  def stub!(name)
    Mock.install(self, name, nil, :any)
  end
end

class BasicObject
  def should(matcher = ::Object::NO_MATCHER_GIVEN)
    return ::SpecPositiveOperatorMatcher.new(self) if ::Object::NO_MATCHER_GIVEN.equal?(matcher)
    return if matcher.matches?(self)

    ::SpecExpectation.fail_with(*matcher.failure_message)
  end

  def should_not(matcher = ::Object::NO_MATCHER_GIVEN)
    return ::SpecNegativeOperatorMatcher.new(self) if ::Object::NO_MATCHER_GIVEN.equal?(matcher)
    return unless matcher.matches?(self)

    ::SpecExpectation.fail_with(*matcher.negative_failure_message)
  end
end

# One matcher: how it is met, and what is said when it is not.
class SpecMatcher
  def initialize(words, &test)
    @words = words
    @test = test
  end

  def matches?(actual)
    @actual = actual
    @test.call(actual)
  end

  def failure_message
    ["Expected #{shown}", "to #{@words}"]
  end

  def negative_failure_message
    ["Expected #{shown}", "not to #{@words}"]
  end

  private

  def shown
    @actual.inspect
  rescue Exception
    'something that cannot be inspected'
  end
end

class RaiseErrorMatcher
  attr_reader :raised
  attr_writer :block

  def initialize(exception, message, options = {}, &block)
    @exception = exception
    @message = message
    @cause = options.fetch(:cause, RaiseErrorMatcher)
    @block = block
  end

  def matches?(action)
    @result = action.call
    false
  rescue Exception => e
    raise if e.is_a?(SpecSkipped)

    @raised = e
    return false unless matching?(e)

    @block.call(e) if @block
    true
  end

  def matching?(exception)
    right_class = @exception.nil? || (@exception.is_a?(Module) ? exception.is_a?(@exception) : @exception === exception)
    return false unless right_class
    return false if @cause != RaiseErrorMatcher && exception.cause != @cause

    case @message
    when nil then true
    when Regexp then @message.match?(exception.message)
    else @message == exception.message
    end
  end

  def failure_message
    wanted = "#{@exception}#{" (#{@message.inspect})" if @message}"
    got = @raised ? "#{@raised.class} (#{@raised.message})" : "no exception (#{@result.inspect} was returned)"
    ["Expected #{wanted}", "but got: #{got}"]
  end

  def negative_failure_message
    ["Expected no #{@exception}", "but got: #{@raised.class} (#{@raised.message})"]
  end
end

class BeComputedByMatcher
  def initialize(method, *args)
    @method = method
    @args = args
  end

  def matches?(table)
    table.each do |line|
      @receiver = line.first
      args = line[1..] || []
      @expected = args.pop
      @actual = @receiver.send(@method, *(@args + args))
      return false unless @expected == @actual || (@expected.is_a?(Float) && @actual.is_a?(Float) && @expected.nan? && @actual.nan?)
    end
    true
  end

  def failure_message
    ["Expected #{@receiver.inspect}.#{@method}", "to be #{@expected.inspect}, but it is #{@actual.inspect}"]
  end
  alias negative_failure_message failure_message
end

module SpecMatchers
  def matcher(words, &test)
    SpecMatcher.new(words, &test)
  end

  def raise_error(exception = Exception, message = nil, options = {}, &block)
    if message.is_a?(Hash)
      options = message
      message = nil
    end
    RaiseErrorMatcher.new(exception, message, options, &block)
  end
  alias raise_consistent_error raise_error

  def be_computed_by(method, *args)
    BeComputedByMatcher.new(method, *args)
  end
  alias be_computed_by_function be_computed_by

  def equal(expected)
    matcher("be identical to #{expected.inspect}") { |actual| expected.equal?(actual) }
  end

  def eql(expected)
    matcher("be eql to #{expected.inspect}") { |actual| actual.eql?(expected) }
  end

  def be_nil
    matcher('be nil') { |actual| actual.nil? }
  end

  def be_true
    matcher('be true') { |actual| actual == true }
  end

  def be_false
    matcher('be false') { |actual| actual == false }
  end

  def be_true_or_false
    matcher('be true or false') { |actual| [true, false].include?(actual) }
  end

  def be_empty
    matcher('be empty') { |actual| actual.empty? }
  end

  def be_nan
    matcher('be NaN') { |actual| actual.is_a?(Numeric) && actual.nan? }
  end

  def be_infinity
    matcher('be infinite') { |actual| actual.is_a?(Float) && actual.infinite? == 1 }
  end

  def be_positive_infinity
    matcher('be positive infinity') { |actual| actual.is_a?(Float) && actual.infinite? == 1 }
  end

  def be_negative_infinity
    matcher('be negative infinity') { |actual| actual.is_a?(Float) && actual.infinite? == -1 }
  end

  def be_positive_zero
    matcher('be 0.0') { |actual| actual.eql?(0.0) && 1 / actual > 0 }
  end

  def be_negative_zero
    matcher('be -0.0') { |actual| actual.eql?(-0.0) && 1 / actual < 0 }
  end

  def be_kind_of(expected)
    matcher("be a #{expected}") { |actual| actual.is_a?(expected) }
  end

  def be_an_instance_of(expected)
    matcher("be an instance of #{expected}") { |actual| actual.instance_of?(expected) }
  end

  def be_ancestor_of(expected)
    matcher("be an ancestor of #{expected}") { |actual| expected.ancestors.include?(actual) }
  end

  def be_close(expected, tolerance)
    matcher("be within #{tolerance} of #{expected}") { |actual| (actual - expected).abs <= tolerance }
  end

  def include(*expected)
    matcher("include #{expected.inspect}") do |actual|
      expected.all? do |one|
        if actual.is_a?(Hash) && one.is_a?(Hash)
          one.all? { |key, value| actual[key] == value }
        else
          actual.include?(one)
        end
      end
    end
  end

  def include_any_of(*expected)
    matcher("include any of #{expected.inspect}") { |actual| expected.any? { |one| actual.include?(one) } }
  end

  def equal_element(*)
    raise SpecSkipped
  end

  def match(expected)
    matcher("match #{expected.inspect}") { |actual| expected === actual || expected == actual }
  end

  def match_yaml(expected)
    matcher("match #{expected.inspect} as YAML") { |actual| YAML.load(actual) == YAML.load(expected) }
  end

  def respond_to(name)
    matcher("respond to #{name}") { |actual| actual.respond_to?(name) }
  end

  def complain(expected = nil, _options = nil)
    matcher("warn about #{expected.inspect}") do |action|
      saved = $stderr
      said = SpecOutput.new
      verbose = $VERBOSE
      begin
        $VERBOSE = true if verbose.nil?
        $stderr = said
        action.call
      ensure
        $stderr = saved
        $VERBOSE = verbose
      end
      case expected
      when nil then !said.text.empty?
      when Regexp then said.text.match?(expected)
      else said.text == expected
      end
    end
  end

  def output(expected = nil, errors = nil)
    matcher("write #{expected.inspect}") do |action|
      saved_out = $stdout
      saved_err = $stderr
      out = $stdout = SpecOutput.new
      err = $stderr = SpecOutput.new
      begin
        action.call
      ensure
        $stdout = saved_out
        $stderr = saved_err
      end
      right = ->(wanted, text) { wanted.nil? || (wanted.is_a?(Regexp) ? wanted.match?(text) : wanted == text) }
      right.call(expected, out.text) && right.call(errors, err.text)
    end
  end

  def output_to_fd(*)
    raise SpecSkipped
  end

  def block_caller
    raise SpecSkipped
  end

  {
    have_method: ->(actual, name) { actual.respond_to?(name, true) },
    have_instance_method: ->(actual, name) { actual.instance_methods.include?(name) },
    have_public_instance_method: ->(actual, name) { actual.public_instance_methods.include?(name) },
    have_private_instance_method: ->(actual, name) { actual.private_instance_methods.include?(name) },
    have_protected_instance_method: ->(actual, name) { actual.protected_instance_methods.include?(name) },
    have_private_method: ->(actual, name) { actual.private_methods.include?(name) },
    have_public_method: ->(actual, name) { actual.public_methods.include?(name) },
    have_protected_method: ->(actual, name) { actual.protected_methods.include?(name) },
    have_singleton_method: ->(actual, name) { actual.singleton_methods.include?(name) },
    have_constant: ->(actual, name) { actual.constants.include?(name) },
    have_class_variable: ->(actual, name) { actual.class_variables.include?(name.to_sym) },
    have_instance_variable: ->(actual, name) { actual.instance_variables.include?(name.to_sym) }
  }.each do |name, test|
    define_method(name) do |expected, _deep = true|
      matcher("#{name} #{expected}") { |actual| test.call(actual, expected.to_sym) }
    end
  end
end

class SpecOutput
  attr_reader :text

  def initialize
    @text = +''
  end

  def write(*parts)
    parts.each { |part| @text << part.to_s }
    parts.sum { |part| part.to_s.bytesize }
  end

  def print(*parts)
    write(*parts)
    nil
  end

  def <<(part)
    write(part)
    self
  end

  def puts(*lines)
    write("\n") if lines.empty?
    lines.flatten.each { |line| write(line.to_s.end_with?("\n") ? line.to_s : "#{line}\n") }
    nil
  end

  def printf(format, *args)
    write(format % args)
    nil
  end

  def putc(char)
    write(char.is_a?(Integer) ? char.chr : char.to_s[0])
    char
  end

  def flush
    self
  end

  def sync
    true
  end

  def sync=(_value); end

  def tty?
    false
  end
  alias isatty tty?

  def fileno
    1
  end
end

# Methods that are expected to be called.
class MockProxy
  attr_reader :name, :calls, :count, :kind, :arguments

  def initialize(name, count, kind)
    @name = name
    @count = count
    @kind = kind
    @arguments = :any
    @calls = 0
    @returns = nil
    @yields = []
  end

  def with(*arguments)
    @arguments = arguments
    self
  end

  def and_return(*values)
    @returns = values
    @count = values.size if @kind == :exactly && values.size > 1 && @count < values.size
    self
  end

  def and_raise(exception)
    @raises = exception.is_a?(String) ? RuntimeError.new(exception) : exception
    self
  end

  def and_yield(*values)
    @yields << values
    self
  end

  def exactly(count)
    @kind = :exactly
    @count = count
    self
  end

  def at_least(count)
    @kind = :at_least
    @count = { once: 1, twice: 2 }.fetch(count, count)
    self
  end

  def at_most(count)
    @kind = :at_most
    @count = { once: 1, twice: 2 }.fetch(count, count)
    self
  end

  def any_number_of_times
    @kind = :any
    self
  end

  def once
    exactly(1)
  end

  def twice
    exactly(2)
  end

  def times
    self
  end

  def takes?(given)
    case @arguments
    when :any then true
    when [:no_args] then given.empty?
    else @arguments == given
    end
  end

  def call(args, block)
    @calls += 1
    @yields.each do |values|
      SpecExpectation.fail_with("Expected a block for #{name}", 'and there is none') unless block
      block.call(*values)
    end
    raise @raises if @raises
    return nil unless @returns

    @returns.size == 1 ? @returns.first : (@returns[@calls - 1] || @returns.last)
  end

  def met?
    case @kind
    when :any then true
    when :exactly then @calls == @count
    when :at_least then @calls >= @count
    when :at_most then @calls <= @count
    end
  end

  def to_s
    "#{name} #{kind} #{count} times, called #{calls} times"
  end
end

module Mock
  class << self
    def proxies
      @proxies ||= {}.compare_by_identity
    end

    def replaced
      @replaced ||= []
    end

    def install(object, name, count, kind)
      name = name.to_sym
      of_object = (proxies[object] ||= {})
      first = !of_object.key?(name)
      proxy = MockProxy.new(name, count, kind)
      (of_object[name] ||= []).unshift(proxy)
      replace(object, name) if first
      proxy
    end

    def replace(object, name)
      singleton = class << object; self; end
      had = singleton.instance_methods(false).include?(name) || singleton.private_instance_methods(false).include?(name)
      saved = had ? singleton.instance_method(name) : nil
      replaced << [singleton, name, saved]
      singleton.define_method(name) { |*args, &block| Mock.called(object, name, args, block) }
      singleton.send(:ruby2_keywords, name) if singleton.respond_to?(:ruby2_keywords, true)
      return unless name == :respond_to?

      nil
    end

    def called(object, name, args, block)
      candidates = proxies[object][name]
      proxy = candidates.find { |one| one.takes?(args) && (one.kind != :exactly || one.calls < one.count) } ||
              candidates.find { |one| one.takes?(args) }
      unless proxy
        SpecExpectation.fail_with("Mock got unexpected call #{name}", "with #{args.inspect}")
      end
      if proxy.kind == :exactly && proxy.count.zero?
        SpecExpectation.fail_with("Mock expected not to receive #{name}", 'but did')
      end
      proxy.call(args, block)
    end

    def verify
      proxies.each_value do |of_object|
        of_object.each_value do |list|
          list.each { |proxy| SpecExpectation.fail_with("Mock expected #{proxy.name}:", proxy.to_s) unless proxy.met? }
        end
      end
    end

    def reset
      replaced.reverse_each do |singleton, name, saved|
        begin
          singleton.send(:remove_method, name)
          singleton.define_method(name, saved) if saved
        rescue Exception
          nil
        end
      end
      replaced.clear
      proxies.clear
    end
  end
end

class MockObject
  def initialize(name, options = {})
    @name = name
    @null = options[:null_object]
  end

  def method_missing(name, *args, &block)
    @null ? self : super
  end
  private :method_missing
end

class NumericMockObject < Numeric
  def initialize(name, options = {})
    @name = name
    @null = options[:null_object]
  end

  def method_missing(name, *args, &block)
    @null ? self : super
  end

  def singleton_method_added(_name); end
end

def mock(name, options = {})
  MockObject.new(name, options)
end

class Object
  include SpecDSL
  include SpecGuards
  include SpecHelpers
  include SpecMatchers
  private(*SpecDSL.instance_methods, *SpecGuards.instance_methods, *SpecHelpers.instance_methods, *SpecMatchers.instance_methods)
end

TOLERANCE = 0.00003 unless Object.const_defined?(:TOLERANCE)
MSPEC_VERSION = 1
ENV['MSPEC_RUNNER'] = '1' if ENV.respond_to?(:[]=)
$VERBOSE = nil

MSpec.verbose = !ARGV.delete('--verbose').nil?
file = ARGV.shift
begin
  load File.expand_path(file)
rescue Exception => e
  MSpec.failed += 1
  puts "FAILED to load #{file}"
  puts "  #{e.class}: #{e.message.lines.first.to_s.strip} (#{e.backtrace && e.backtrace.first})"
end
puts "#{MSpec.passed} passed, #{MSpec.failed} failed, #{MSpec.skipped} skipped"
