# Runs one file of Ruby's own specification suite: `mspec.rb FILE`.
#
# This is what the suite expects of the program that runs it, as far as an interpreter without processes and threads can have it.
# Prints one line for each example that fails, then `FILE: passed P, failed F, skipped S`.

class SpecVersion
  include Comparable
  attr_reader :parts

  def initialize(text, ceiling = false)
    @text = text.to_s
    @parts = @text.split(".").map(&:to_i)
    @parts << (ceiling ? 9999 : 0) while @parts.size < 4
  end

  def <=>(other)
    other = SpecVersion.new(other) unless other.is_a?(SpecVersion)
    parts <=> other.parts
  end

  def to_s = @text
end

module VersionGuard
  # The suite describes Ruby from this version on; what is newer is guarded.
  FULL_RUBY_VERSION = SpecVersion.new("3.3.0")
end

class SpecExpectationNotMetError < StandardError; end

# What an example asks for that is left out on purpose (see left-out.md).
class LeftOut < StandardError; end

module ScratchPad
  def self.clear = @record = nil
  def self.record(value) = @record = value
  def self.<<(value)
    @record << value
    self
  end
  def self.recorded = @record
  def self.inspect = "<ScratchPad @record=#{@record.inspect}>"
end

# The `self` of all examples of a file.
class MSpecEnv; end

# A group of examples and its surroundings.
class SpecGroup
  attr_reader :description, :parent, :shared

  def initialize(description, parent, shared: false)
    @description, @parent, @shared = description, parent, shared
    @hooks = { before_each: [], after_each: [], before_all: [], after_all: [] }
    @examples = []
    @groups = []
  end

  attr_reader :hooks, :examples, :groups
end

module Spec
  @group = nil
  @shared = {}
  @passed = @failed = @skipped = 0
  @expectations = 0
  @mocks = []
  # One object stands for `self` in descriptions, hooks and examples alike.
  @object = Object.new

  class << self
    attr_accessor :group, :passed, :failed, :skipped, :expectations
    attr_reader :shared, :mocks, :object

    def name_of(group)
      names = []
      while group
        names.unshift(group.description.to_s)
        group = group.parent
      end
      names.join(" ")
    end

    def describe(description, options, block)
      if options.is_a?(Hash) && options[:shared] || description.is_a?(Symbol) && options
        @shared[description] = block
        return
      end
      outer = @group
      @group = SpecGroup.new(description, outer)
      begin
        @object.instance_exec(&block)
      rescue Exception => error
        raise if error.is_a?(SystemExit)
        error.is_a?(LeftOut) ? @skipped += 1 : report("#{name_of(@group)} (describing it)", error)
      end
      mine = @group
      @group = outer
      if outer
        outer.groups << mine
      else
        run(mine, @object)
      end
    end

    def chain(group)
      group ? chain(group.parent) + [group] : []
    end

    def run(group, object)
      return if examples_in(group) == 0
      begin
        group.hooks[:before_all].each { |hook| object.instance_exec(&hook) }
      rescue Exception => error
        report("#{name_of(group)} before all", error)
        return
      end
      group.examples.each { |description, block| example(group, object, description, block) }
      group.groups.each { |inner| run(inner, object) }
      begin
        group.hooks[:after_all].each { |hook| object.instance_exec(&hook) }
      rescue Exception => error
        report("#{name_of(group)} after all", error)
      end
    end

    def examples_in(group)
      group.examples.size + group.groups.sum { |inner| examples_in(inner) }
    end

    def example(group, object, description, block)
      title = "#{name_of(group)} #{description}"
      if (only = ENV["SPEC_ONLY"]) && !title.include?(only)
        return
      end
      @mocks.clear
      @expectations = 0
      problem = nil
      groups = chain(group)
      begin
        groups.each { |outer| outer.hooks[:before_each].each { |hook| object.instance_exec(&hook) } }
        object.instance_exec(&block) if block
        Mock.verify
      rescue SystemExit, SystemStackError, NoMemoryError => error
        problem = error
      rescue Exception => error
        problem = error
      ensure
        begin
          Mock.restore
          groups.reverse_each { |outer| outer.hooks[:after_each].reverse_each { |hook| object.instance_exec(&hook) } }
        rescue Exception => error
          problem ||= error
        end
      end
      if problem && (OTHER_ENCODING.match?(title) || NEWER.match?(title) || left_out?(problem))
        @skipped += 1
        puts "  left out: #{title}: #{problem.message}" if ENV["SPEC_VERBOSE"]
      elsif problem
        report(title, problem)
      else
        @passed += 1
        puts "  passed: #{title}" if ENV["SPEC_VERBOSE"]
      end
    end

    # What a title says of text that is neither UTF-8 nor ASCII nor binary.
    OTHER_ENCODING = /EUC[-_]JP|Windows-31J|SHIFT_?JIS|ISO-8859|ISO-2022|UTF-16|UTF-32|UTF-7|Big5|'[es]' (?:option|modifier)|ASCII-incompatible|non-ASCII-compatible|incompatible encoding|(?:different|dummy) encoding/i

    # What Ruby 3.4 says in other words than 3.1 and 3.2 do.
    NEWER = /\ANoMethodError#message (?:uses|does not)/

    LEFT_OUT = [
      /threads are not supported/, /refinements are not supported/, /uninitialized constant (Encoding|Thread|Fiber|ObjectSpace|TracePoint|Ractor|Process|Tempfile)\b/,
      /code converter not found/, /is not allowed/, /Ruby code (reads|starts)/, /unknown encoding name/
    ]

    def left_out?(error)
      return true if error.is_a?(LeftOut) || error.is_a?(SecurityError)
      message = error.message.to_s
      LEFT_OUT.any? { |pattern| pattern.match?(message) }
    rescue Exception
      false
    end

    def report(title, error)
      @failed += 1
      message = begin
        error.message.to_s
      rescue Exception
        "?"
      end
      where = (error.backtrace || []).find { |line| line.include?("_spec.rb") || line.include?("/shared/") }
      puts "FAILED #{title}: #{error.class}: #{message.split("\n").first.to_s[0, 300]} [#{where}]"
      puts (error.backtrace || []).first(12).map { |line| "    #{line}" } if ENV["SPEC_TRACE"]
    end
  end
end

class Object
  private

  def describe(description, options = nil, &block) = Spec.describe(description, options, block)
  def context(description, options = nil, &block) = Spec.describe(description, options, block)

  def it(description = "", &block) = Spec.group.examples << [description, block]
  def specify(description = "", &block) = Spec.group.examples << [description, block]

  def before(at = :each, &block) = Spec.group.hooks[:"before_#{at}"] << block
  def after(at = :each, &block) = Spec.group.hooks[:"after_#{at}"].unshift(block)

  def it_behaves_like(name, *given)
    block = Spec.shared[name] or raise "no shared examples #{name.inspect}"
    inner = SpecGroup.new("", Spec.group, shared: true)
    outer = Spec.group
    outer.groups << inner
    Spec.group = inner
    unless given.empty?
      inner.hooks[:before_all] << proc do
        @method, @object = given
      end
    end
    begin
      Spec.object.instance_exec(&block)
    ensure
      Spec.group = outer
    end
    # What shared examples prepare, the examples after them find prepared too.
    outer.hooks[:before_each].concat(inner.hooks[:before_each])
  end
  alias it_should_behave_like it_behaves_like

  # Guards.

  def in_versions?(wanted)
    current = VersionGuard::FULL_RUBY_VERSION
    case wanted
    when String
      wanted.empty? || current >= SpecVersion.new(wanted)
    when Range
      low = wanted.begin.to_s
      high = wanted.end.to_s
      return false unless low.empty? || current >= SpecVersion.new(low)
      limit = SpecVersion.new(high, !wanted.exclude_end?)
      wanted.exclude_end? ? current < limit : current <= limit
    else
      true
    end
  end

  def guarded(fits)
    if block_given?
      if fits
        yield
      end
    else
      fits
    end
  end

  def ruby_version_is(*versions, &block)
    wanted = versions.size == 2 ? versions[0].to_s...versions[1].to_s : versions[0]
    guarded(in_versions?(wanted), &block)
  end

  def version_is(base, wanted, &block)
    base = SpecVersion.new(base)
    fits = case wanted
           when Range
             (wanted.begin.to_s.empty? || base >= SpecVersion.new(wanted.begin)) &&
               (wanted.exclude_end? ? base < SpecVersion.new(wanted.end) : base <= SpecVersion.new(wanted.end, true))
           else base >= SpecVersion.new(wanted)
           end
    guarded(fits, &block)
  end

  def platform_fits?(names)
    options = names.last.is_a?(Hash) ? names.pop : {}
    known = [:linux, "linux", "x86_64", "linux-gnu"]
    fits = names.empty? || names.any? { |name| known.include?(name) || name.to_s == "x86_64-linux" }
    fits &&= options[:pointer_size] == 64 if options.key?(:pointer_size)
    fits &&= options[:c_long_size] == 64 if options.key?(:c_long_size)
    fits &&= options[:wordsize] == 64 if options.key?(:wordsize)
    fits
  end

  def platform_is(*names, &block) = guarded(platform_fits?(names), &block)
  def platform_is_not(*names, &block) = guarded(!platform_fits?(names), &block)
  def ruby_bug(_number, version, &block) = guarded(!in_versions?(version), &block)
  def not_supported_on(*names, &block) = guarded(!names.include?(:ruby), &block)
  def not_compliant_on(*names, &block) = guarded(!names.include?(:ruby), &block)
  def compliant_on(*names, &block) = guarded(names.include?(:ruby), &block)
  def deviates_on(*names, &block) = guarded(names.include?(:ruby), &block)
  def implemented_on(*names, &block) = guarded(names.include?(:ruby), &block)
  def guard(condition, _name = nil, &block) = guarded(condition.call, &block)
  def guard_not(condition, _name = nil, &block) = guarded(!condition.call, &block)
  def little_endian(&block) = guarded(true, &block)
  def big_endian(&block) = guarded(false, &block)
  def as_user(&block) = guarded(true, &block)
  def as_superuser(&block) = guarded(false, &block)
  def as_real_superuser(&block) = guarded(false, &block)
  def with_feature(*features, &block) = guarded((features - [:encoding]).empty?, &block)
  def without_feature(*features, &block) = guarded(!(features - [:encoding]).empty?, &block)
  def kernel_version_is(*, &block) = guarded(true, &block)
  def c_long_size_is(size, &block) = guarded(size == 64, &block)
  def conflicts_with(*, &block) = guarded(true, &block)
  def quarantine! = nil
  def extended_on(*) = nil
  def pointer_size = 64

  def suppress_warning
    saved, $VERBOSE = $VERBOSE, nil
    yield
  ensure
    $VERBOSE = saved
  end
  alias hide_deprecation_warnings suppress_warning
  alias suppress_keyword_warning suppress_warning

  # Values.

  def nan_value = 0.0 / 0.0
  def infinity_value = 1.0 / 0.0
  def bignum_value(plus = 0) = 0x8000_0000_0000_0000 * 2 + plus
  def max_long = 2**63 - 1
  def min_long = -(2**63)
  def fixnum_max = 2**62 - 1
  def fixnum_min = -(2**62)
  def max_int = 2**31 - 1
  def min_int = -(2**31)
  def fixture(file, *parts)
    directory = File.dirname(File.expand_path(file)).delete_suffix("/shared")
    directory = File.join(directory, "fixtures") unless directory.end_with?("/fixtures")
    File.join(directory, *parts)
  end

  def tmp(name, _unique = true) = File.join("/tmp", "spec-#{name}")
  def flunk(message = "flunked") = raise(SpecExpectationNotMetError, message)

  def ruby_cmd(*) = raise(LeftOut, "processes")
  def new_io(*) = raise(LeftOut, "writing files")
  def new_fd(*) = raise(LeftOut, "writing files")
  def ruby_exe(*) = raise(LeftOut, "processes")
  def touch(*) = raise(LeftOut, "writing files")
  def rm_r(*) = nil
  def mkdir_p(*) = raise(LeftOut, "writing files")
  def cp(*) = raise(LeftOut, "writing files")

  def enumerator_class = Enumerator
  def toplevel_binding = TOPLEVEL_BINDING

  def mock(name, options = {}) = MockObject.new(name, options)

  def mock_int(value)
    NumericMockObject.new("int").tap { |object| object.stub!(:to_int).any_number_of_times.and_return(value) }
  end

  def mock_numeric(name, options = {}) = NumericMockObject.new(name, options)
  def mock_to_path(path) = mock("path").tap { |object| object.should_receive(:to_path).at_least(1).times.and_return(path) }

  def with_timezone(name, offset = nil, _daylight = "")
    raise LeftOut, "local time" unless name == "UTC"
    zone = name.dup
    if offset
      zone += format("%s%02d:%02d:%02d", offset >= 0 ? "-" : "+", offset.abs, 0, 0)
    end
    old = ENV["TZ"]
    ENV["TZ"] = zone
    yield
  ensure
    ENV["TZ"] = old
  end

  def evaluate(text, description = nil, &block)
    description ||= "evaluates #{text.lines.map(&:strip).join("; ")}"
    specify(description) do
      evaluator = Object.new
      evaluator.instance_eval(text)
      evaluator.instance_eval(&block)
    end
  end

  # Matchers that are named.

  def be_close(expected, tolerance) = CloseMatcher.new(expected, tolerance)
  def equal_element(*args, **options) = ElementMatcher.new(*args)
  def be_computed_by(*args) = ComputedMatcher.new(args, nil)
  def be_computed_by_function(*args) = ComputedMatcher.new(args, self)
  def complain(text = nil, options = {}) = ComplainMatcher.new(text, options)
  def output(out = nil, err = nil) = OutputMatcher.new(out, err)
  def output_to_fd(expected, _io = nil) = OutputMatcher.new(expected, nil)
  def raise_error(*args, &block) = RaiseMatcher.new(args, block)
  def raise_consistent_error(*args, &block) = RaiseMatcher.new([args[0]], block)
  def block_caller = BlockingMatcher.new
  def match_yaml(expected) = YamlMatcher.new(expected)
  def be_nil = EqualMatcher.new(nil)
  def be_true = EqualMatcher.new(true)
  def be_false = EqualMatcher.new(false)
  def equal(expected) = EqualMatcher.new(expected)
  def eql(expected) = PredicateMatcher.new(:eql?, [expected])
  def include(*expected)
    return super if is_a?(Module)
    IncludeMatcher.new(expected)
  end
  def be_kind_of(expected) = PredicateMatcher.new(:kind_of?, [expected])
  def be_an_instance_of(expected) = PredicateMatcher.new(:instance_of?, [expected])
  def be_empty = PredicateMatcher.new(:empty?, [])
  def be_positive_zero = ZeroMatcher.new(1.0)
  def be_negative_zero = ZeroMatcher.new(-1.0)
  def be_nan = PredicateMatcher.new(:nan?, [])
  def respond_to(name) = PredicateMatcher.new(:respond_to?, [name])
  def have_method(name) = PredicateMatcher.new(:respond_to?, [name])
  def have_instance_method(name, _all = true) = PredicateMatcher.new(:method_defined?, [name])
  def have_constant(name) = PredicateMatcher.new(:const_defined?, [name])

  public

  NO_EXPECTATION = Object.new

  def should(matcher = NO_EXPECTATION)
    Spec.expectations += 1
    return PositiveExpectation.new(self) if NO_EXPECTATION.equal?(matcher)
    return if matcher.matches?(self)
    raise SpecExpectationNotMetError, matcher.failure_message.join(" ")
  end

  def should_not(matcher = NO_EXPECTATION)
    Spec.expectations += 1
    return matcher.silent!(self) if matcher.is_a?(ComplainMatcher)
    return NegativeExpectation.new(self) if NO_EXPECTATION.equal?(matcher)
    return unless matcher.matches?(self)
    raise SpecExpectationNotMetError, matcher.negative_failure_message.join(" ")
  end

  def should_receive(name) = Mock.install(self, name, :receive)
  def should_not_receive(name) = Mock.install(self, name, :never)
  def stub!(name) = Mock.install(self, name, :stub)
end

class BasicObject
  def self.spec_value_of(value) = value
end

def spec_show(value)
  value.inspect.to_s[0, 200]
rescue ::Exception
  "?"
end

class PositiveExpectation < BasicObject
  def initialize(actual)
    @actual = actual
  end

  def ==(expected)
    method_missing(:==, expected)
  end

  def !=(expected)
    method_missing(:!=, expected)
  end

  def equal?(expected)
    method_missing(:equal?, expected)
  end

  def !~(expected)
    method_missing(:!~, expected)
  end

  def instance_exec(...)
    method_missing(:instance_exec, ...)
  end

  def raise(*args, &block)
    matcher = ::RaiseMatcher.new(args, block)
    ::Kernel.raise(::SpecExpectationNotMetError, matcher.failure_message.join(" ")) unless matcher.matches?(@actual)
    matcher.raised
  end

  def method_missing(name, *args, **options, &block)
    return if @actual.__send__(name, *args, **options, &block)
    shown = args.map { |arg| ::Object.__send__(:spec_show, arg) }.join(", ")
    ::Kernel.raise ::SpecExpectationNotMetError, "expected #{::Object.__send__(:spec_show, @actual)} #{name} #{shown}"
  end
end

class NegativeExpectation < BasicObject
  def initialize(actual)
    @actual = actual
  end

  def ==(expected)
    method_missing(:==, expected)
  end

  def !=(expected)
    method_missing(:!=, expected)
  end

  def equal?(expected)
    method_missing(:equal?, expected)
  end

  def !~(expected)
    method_missing(:!~, expected)
  end

  def raise(*args, &block)
    matcher = ::RaiseMatcher.new(args, block)
    ::Kernel.raise(::SpecExpectationNotMetError, "expected no #{matcher.raised.inspect}") if matcher.matches?(@actual)
  end

  def method_missing(name, *args, **options, &block)
    return unless @actual.__send__(name, *args, **options, &block)
    shown = args.map { |arg| ::Object.__send__(:spec_show, arg) }.join(", ")
    ::Kernel.raise ::SpecExpectationNotMetError, "expected #{::Object.__send__(:spec_show, @actual)} not #{name} #{shown}"
  end
end

class Matcher
  def failure_message = ["expected #{spec_show(@actual)}", "to fit #{spec_show(@expected)}"]
  def negative_failure_message = ["expected #{spec_show(@actual)}", "not to fit #{spec_show(@expected)}"]
  def spec_show(value) = Object.__send__(:spec_show, value)
end

class EqualMatcher < Matcher
  def initialize(expected) = @expected = expected
  def matches?(actual) = (@actual = actual).equal?(@expected)
end

class PredicateMatcher < Matcher
  def initialize(name, args)
    @name, @args = name, args
    @expected = [name, *args]
  end
  def matches?(actual) = (@actual = actual).__send__(@name, *@args)
end

class IncludeMatcher < Matcher
  def initialize(expected) = @expected = expected
  def matches?(actual)
    @actual = actual
    @expected.all? { |item| actual.include?(item) }
  end
end

class CloseMatcher < Matcher
  def initialize(expected, tolerance)
    @expected, @tolerance = expected, tolerance
  end
  def matches?(actual)
    @actual = actual
    (actual - @expected).abs <= @tolerance
  end
end

class ZeroMatcher < Matcher
  def initialize(sign) = @expected = sign
  def matches?(actual)
    @actual = actual
    actual == 0.0 && 1.0 / actual == @expected * Float::INFINITY
  end
end

class ElementMatcher < Matcher
  def initialize(*args) = @expected = args
  def matches?(_actual) = raise(NotImplementedError, "elements of HTML")
end

class YamlMatcher < Matcher
  def initialize(expected) = @expected = expected
  def matches?(actual)
    require "yaml"
    @actual = actual
    actual == @expected || YAML.unsafe_load(actual) == YAML.unsafe_load(@expected)
  end
end

class BlockingMatcher < Matcher
  def matches?(_actual) = raise(LeftOut, "threads")
end

class ComputedMatcher < Matcher
  def initialize(args, function)
    @name = args.shift
    @args, @function = args, function
  end

  def matches?(cases)
    cases.each do |line|
      *input, expected = line
      @given = input
      @expected = expected
      @actual = if @function
                  @function.__send__(@name, *input, *@args)
                else
                  input[0].__send__(@name, *input[1..], *@args)
                end
      return false unless @actual == expected
    end
    true
  end

  def failure_message = ["expected #{spec_show(@given)} to give #{spec_show(@expected)}", "not #{spec_show(@actual)}"]
end

class RaiseMatcher < Matcher
  attr_reader :raised

  def initialize(args, block)
    args = args.dup
    @options = args.last.is_a?(Hash) ? args.pop : {}
    @class = args[0].nil? ? Exception : args[0]
    @class, @message = Exception, @class if @class.is_a?(String) || @class.is_a?(Regexp)
    @message = args[1] if args.size > 1
    @block = block
  end

  def matches?(actual)
    begin
      @result = actual.call
    rescue Exception => error
      @raised = error
      return false unless fits_class?(error) && fits_message?(error)
      if @options.key?(:cause)
        return false unless error.cause.equal?(@options[:cause]) || error.cause == @options[:cause]
      end
      @block&.call(error)
      return true
    end
    false
  end

  def fits_class?(error) = @class.is_a?(Exception) ? @class.equal?(error) : @class === error

  def fits_message?(error)
    case @message
    when nil then true
    when String then @message == error.message
    when Regexp then @message =~ error.message
    else true
    end
  end

  def failure_message
    wanted = @message ? "#{@class} (#{@message.inspect})" : @class.to_s
    return ["expected #{wanted}", "but nothing was raised (#{spec_show(@result)} was returned)"] unless @raised
    ["expected #{wanted}", "but got #{@raised.class} (#{@raised.message})"]
  end
end

class Captured
  def initialize = @text = +""
  attr_reader :text
  def write(*parts)
    parts.each { |part| @text << part.to_s }
    parts.sum { |part| part.to_s.bytesize }
  end
  def <<(part)
    write(part)
    self
  end
  def print(*parts) = (write(*parts); nil)
  def puts(*parts)
    parts = [""] if parts.empty?
    parts.flatten.each do |part|
      write(part.to_s)
      write("\n") unless part.to_s.end_with?("\n")
    end
    nil
  end
  def printf(*args) = (write(format(*args)); nil)
  def flush = self
  def sync = true
  def sync=(_); end
  def fileno = 2
  def tty? = false
  alias isatty tty?
end

class ComplainMatcher < Matcher
  def initialize(text, options)
    if text.is_a?(Hash)
      text, options = nil, text
    end
    @expected, @options = text, options
  end

  def matches?(actual)
    saved_stream, saved_verbose = $stderr, $VERBOSE
    $stderr = Captured.new
    $VERBOSE = @options.key?(:verbose) ? @options[:verbose] : false
    actual.call
    @actual = $stderr.text
    # Which warnings there are is left out; that there are none where none are expected is not.
    raise LeftOut, "warnings" if @actual.empty?
    case @expected
    when nil then !@actual.empty?
    when Regexp then !(@expected =~ @actual).nil?
    else @actual == @expected
    end
  ensure
    $stderr, $VERBOSE = saved_stream, saved_verbose
  end
end

class ComplainMatcher
  def silent!(actual)
    matches?(actual)
    raise SpecExpectationNotMetError, "expected no warning, got #{@actual.inspect}"
  rescue LeftOut
    nil
  end
end

class IOStub < String
  def write(*parts)
    parts.each { |part| concat(part.to_s) }
    parts.size
  end
  def <<(part) = concat(part.to_s)
  def print(*parts) = write(*parts)
  def puts(*parts) = parts.flatten.each { |part| write(part.to_s, "\n") }
  def printf(*args) = write(format(*args))
  def flush = self
end

class OutputMatcher < Matcher
  def initialize(out, err)
    @out, @err = out, err
    @expected = [out, err]
  end

  def matches?(actual)
    saved_out, saved_err = $stdout, $stderr
    $stdout, $stderr = Captured.new, Captured.new
    actual.call
    @actual = [$stdout.text, $stderr.text]
    fits?(@out, @actual[0]) && fits?(@err, @actual[1])
  ensure
    $stdout, $stderr = saved_out, saved_err
  end

  def fits?(expected, text)
    case expected
    when nil then true
    when Regexp then expected =~ text
    else expected == text
    end
  end
end

class SpecEvaluate
  class << self
    attr_accessor :desc
  end
end

# Objects whose methods are expected to be called.
class Expected
  attr_reader :name, :calls, :kind

  def initialize(object, name, kind)
    @object, @name, @kind = object, name, kind
    @least, @most = case kind
                    when :receive then [1, 1]
                    when :never then [0, 0]
                    else [0, nil]
                    end
    @returns = []
    @yields = []
    @calls = 0
    @args = nil
    @pending = nil
  end

  def and_return(*values)
    @returns = values
    if values.size > 1 && @most == 1
      @least = @most = values.size
    end
    self
  end

  def and_raise(error)
    @raises = error
    self
  end

  def and_yield(*values)
    @yields << values
    self
  end

  def with(*args, **options)
    args << options unless options.empty?
    @args = args
    self
  end

  def with_no_args = with

  def at_least(count)
    @least, @most = count == :once ? 1 : count == :twice ? 2 : count, nil
    self
  end

  def at_most(count)
    @least, @most = 0, count == :once ? 1 : count == :twice ? 2 : count
    self
  end

  def exactly(count)
    @least = @most = count
    self
  end

  def once = exactly(1)
  def twice = exactly(2)
  def never = exactly(0)
  def times = self
  def any_number_of_times
    @least, @most = 0, nil
    self
  end

  def fits?(args)
    @args.nil? || @args.equal?(:any_args) || @args == [:any_args] || @args == args
  end

  def call(args, block)
    @calls += 1
    if @most && @calls > @most
      raise SpecExpectationNotMetError, "expected #{@name} at most #{@most} times, was called #{@calls} times"
    end
    @yields.each { |values| block.call(*values) } unless @yields.empty?
    raise @raises if @raises
    return nil if @returns.empty?
    @returns[[@calls - 1, @returns.size - 1].min]
  end

  def verify
    return if @calls >= @least
    raise SpecExpectationNotMetError, "expected #{@name} to be called #{@least} times, was called #{@calls} times"
  end
end

module Mock
  @installed = []

  def self.install(object, name, kind)
    name = name.to_sym
    known = @installed.find { |other, other_name, _, _| other.equal?(object) && other_name == name }
    expected = Expected.new(object, name, kind)
    if known
      known[2].unshift(expected)
      return expected
    end
    list = [expected]
    meta = class << object; self; end
    had = meta.method_defined?(name, false) || meta.private_method_defined?(name, false)
    previous = had ? meta.instance_method(name) : nil
    responds = name != :respond_to? && name != :respond_to_missing?
    meta.define_method(name) { |*args, **options, &block| Mock.called(object, list, name, options.empty? ? args : args + [options], block) }
    @installed << [object, name, list, previous, meta]
    expected
  end

  def self.called(object, list, name, args, block)
    fitting = list.find { |expected| expected.fits?(args) }
    if fitting.nil?
      if name == :respond_to?
        return false
      end
      raise SpecExpectationNotMetError, "unexpected arguments for #{name}: #{args.inspect}"
    end
    fitting.call(args, block)
  end

  def self.verify
    @installed.each { |_, _, list, _, _| list.each(&:verify) }
  end

  def self.restore
    @installed.each do |object, name, _, previous, meta|
      meta.send(:remove_method, name)
      meta.send(:define_method, name, previous) if previous
    rescue NameError, FrozenError
      nil
    end
    @installed.clear
  end
end

class MockObject
  def initialize(name, options = {})
    @name = name
    @null = options[:null_object]
  end

  def method_missing(name, *args, &block)
    return self if @null
    super
  end
  private :method_missing
end

class NumericMockObject < Numeric
  def initialize(name, options = {})
    @name = name
    @null = options[:null_object]
  end

  def method_missing(name, *args, &block)
    return self if @null
    super
  end

  def singleton_method_added(_name); end
end

def new_datetime(given = {})
  parts = { year: -4712, month: 1, day: 1, hour: 0, minute: 0, second: 0, offset: 0, sg: Date::ITALY }.merge(given)
  DateTime.new(*parts.values)
end

MSPEC_HELPERS = true
TOLERANCE = 0.00003
TIME_TOLERANCE = 20.0
file = ARGV.shift
$0 = file
begin
  load file
rescue Exception => error
  Spec.report("#{file} (loading it)", error)
end
puts "#{file}: passed #{Spec.passed}, failed #{Spec.failed}, left out #{Spec.skipped}"
