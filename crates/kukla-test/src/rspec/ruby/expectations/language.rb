# The names by which suites call matchers.

module RSpec
  module Matchers
    UNSET = Object.new.freeze

    def eq(expected) = Equality.new(expected, 'eq') { |a, b| a == b }
    def eql(expected) = Equality.new(expected, 'eql') { |a, b| a.eql?(b) }
    def equal(expected) = Equality.new(expected, 'equal') { |a, b| a.equal?(b) }

    def be(expected = UNSET)
      return Be.new if expected.equal?(UNSET)

      Equality.new(expected, 'equal') { |a, b| a.equal?(b) }
    end

    def be_nil = Test.new('be nil', &:nil?)
    def be_truthy = Test.new('be truthy') { |actual| actual }
    def be_falsey = Test.new('be falsey', &:!)
    alias be_falsy be_falsey
    def be_a(kind) = Test.new("be a kind of #{kind}", kind) { |actual| actual.is_a?(kind) }
    alias be_an be_a
    alias be_a_kind_of be_a
    alias be_kind_of be_a
    def be_an_instance_of(kind) = Test.new("be an instance of #{kind}", kind) { |actual| actual.instance_of?(kind) }
    alias be_instance_of be_an_instance_of

    def be_between(least, most)
      exclusive = false
      made = Test.new("be between #{least.inspect} and #{most.inspect} (inclusive)") do |actual|
        exclusive ? actual > least && actual < most : actual >= least && actual <= most
      end
      made.define_singleton_method(:exclusive) { exclusive = true; self }
      made.define_singleton_method(:inclusive) { self }
      made
    end

    def be_within(delta) = BeWithin.new(delta)

    def match(expected)
      Test.new("match #{Matchers.shown(expected)}", expected) do |actual|
        actual.is_a?(String) && expected.is_a?(Regexp) ? actual.match?(expected) : Fuzzy.match?(expected, actual) ||
          ((actual.is_a?(String) || actual.is_a?(Symbol)) && (expected.is_a?(Regexp) || expected.is_a?(String)) && !!actual.match(expected))
      end
    end

    def match_regex(expected) = match(expected)
    def include(*expected) = Include.new(*expected)
    def contain_exactly(*expected) = ContainExactly.new(expected)
    def match_array(expected) = ContainExactly.new(expected)

    def start_with(*expected)
      Test.new("start with#{Matchers.listed(expected)}", expected) do |actual|
        actual.is_a?(String) ? actual.start_with?(*expected) : Fuzzy.match?(expected, actual.to_a.first(expected.size))
      end
    end

    def end_with(*expected)
      Test.new("end with#{Matchers.listed(expected)}", expected) do |actual|
        actual.is_a?(String) ? actual.end_with?(*expected) : Fuzzy.match?(expected, actual.to_a.last(expected.size))
      end
    end

    def have_attributes(expected) = HaveAttributes.new(expected)
    def respond_to(*names) = RespondTo.new(*names)
    def all(expected) = All.new(expected)
    def satisfy(words = 'satisfy block', &block) = Test.new(words, &block)
    def exist(*args) = Test.new('exist') { |actual| actual.respond_to?(:exist?) ? actual.exist?(*args) : actual.exists?(*args) }
    def cover(*values) = Test.new("cover#{Matchers.listed(values)}") { |actual| values.all? { |value| actual.cover?(value) } }
    def have(count) = Have.new(count)
    alias have_exactly have
    def have_at_least(count) = Have.new(count, :>=)
    def have_at_most(count) = Have.new(count, :<=)

    def raise_error(error = BuiltIn::RaiseError::UndefinedValue, message = nil, &block) = BuiltIn::RaiseError.new(error, message, &block)
    alias raise_exception raise_error
    def throw_symbol(symbol = nil, value = nil) = ThrowSymbol.new(symbol, value)
    def change(receiver = nil, name = nil, &block) = Change.new(receiver, name, &block)
    def output(expected = nil) = Output.new(expected)
    def yield_control = Yield.new('yield control') { |calls| !calls.empty? }
    def yield_with_no_args = Yield.new('yield with no args') { |calls| calls.size == 1 && calls.first.empty? }

    def yield_with_args(*expected)
      Yield.new('yield with args') { |calls| calls.size == 1 && (expected.empty? ? !calls.first.empty? : Fuzzy.match?(expected, calls.first)) }
    end

    def yield_successive_args(*expected)
      Yield.new('yield successive args') { |calls| Fuzzy.match?(expected, calls.map { |args| args.size == 1 ? args.first : args }) }
    end

    {
      a_string_matching: :match, a_string_including: :include, a_string_starting_with: :start_with, a_string_ending_with: :end_with,
      a_hash_including: :include, a_collection_including: :include, a_collection_containing_exactly: :contain_exactly, including: :include,
      a_collection_starting_with: :start_with, a_collection_ending_with: :end_with, a_kind_of: :be_a, an_instance_of: :be_an_instance_of,
      an_object_having_attributes: :have_attributes, having_attributes: :have_attributes, a_value_within: :be_within, a_value_between: :be_between,
      a_nil_value: :be_nil, a_truthy_value: :be_truthy, a_falsey_value: :be_falsey, a_value: :be, an_object_eq_to: :eq, an_object_eql_to: :eql,
      an_object_equal_to: :equal, an_object_satisfying: :satisfy, matching: :match, starting_with: :start_with, ending_with: :end_with,
      containing_exactly: :contain_exactly, an_object_responding_to: :respond_to, a_block_raising: :raise_error, a_range_covering: :cover,
      match_regexp: :match
    }.each do |name, base|
      words = name.to_s.tr('_', ' ')
      plain = base.to_s.tr('_', ' ')
      define_method(name) { |*args, &block| Aliased.new(__send__(base, *args, &block), nil) { |text| text.sub(plain, words) } }
    end

    def method_missing(name, *args, **keywords, &block)
      text = name.to_s
      if text.start_with?('be_')
        rest = text.delete_prefix('be_')
        rest = rest.sub(/\Aan?_/, '') if rest.match?(/\Aan?_/)
        Predicate.new(rest, 'be_', args, keywords, block)
      elsif text.start_with?('have_')
        Predicate.new(text.delete_prefix('have_'), 'have_', args, keywords, block)
      else
        super
      end
    end

    def respond_to_missing?(name, all = false)
      name.to_s.match?(/\A(?:be|have)_/) || super
    end
  end

  module Core
    class ExampleGroup
      include RSpec::Matchers
      extend RSpec::Matchers::DSL
    end
  end
end
