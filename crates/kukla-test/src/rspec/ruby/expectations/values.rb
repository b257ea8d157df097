# Matchers of values.

module RSpec
  module Matchers
    class Equality < Base
      def initialize(expected, name, &test)
        super(expected)
        @name = name
        @test = test
      end

      def match?(actual) = @test.call(actual, @expected)
      def words = "#{@name} #{Matchers.shown(@expected)}"
      def failure_message = "\nexpected: #{Matchers.shown(@expected)}\n     got: #{Matchers.shown(@actual)}\n\n(compared using #{@name})\n"
      def failure_message_when_negated = "\nexpected: value != #{Matchers.shown(@expected)}\n     got: #{Matchers.shown(@actual)}\n"
      def diffable? = true
    end

    # A matcher that is a test and words.
    class Test < Base
      def initialize(words, expected = nil, &test)
        super(expected)
        @words = words
        @test = test
      end

      def match?(actual) = @test.call(actual)
      def words = @words
    end

    # `be`, and `be > 3`
    class Be < Base
      def match?(actual) = actual
      def words = 'be'

      %i[== === =~ > >= < <=].each do |operator|
        define_method(operator) do |operand|
          Test.new("be #{operator} #{Matchers.shown(operand)}", operand) { |actual| actual.respond_to?(operator) && actual.public_send(operator, operand) }
        end
      end
    end

    class Include < Base
      def initialize(*expected)
        super(expected)
      end

      def match?(actual)
        parts(actual).all? { |part| holds?(actual, part) } && counted?(actual)
      end

      def does_not_match?(actual)
        @actual = actual
        return !counted?(actual) if @count

        parts(actual).none? { |part| holds?(actual, part) }
      end

      def words = "include#{Matchers.listed(@expected)}"
      def diffable? = true

      def once = exactly(1)
      def twice = exactly(2)
      def thrice = exactly(3)

      def exactly(count)
        @count = ->(found) { found == count }
        self
      end

      def at_least(count)
        @count = ->(found) { found >= count }
        self
      end

      def times = self

      private

      # Of a hash, pairs may be expected; of a list, a whole hash.
      def parts(actual)
        return @expected unless actual.is_a?(Hash)

        @expected.flat_map { |one| one.is_a?(Hash) && !Matchers.matcher?(one) ? one.map { |pair| Pair.new(*pair) } : [one] }
      end

      Pair = Struct.new(:key, :value)

      def holds?(actual, part)
        return pair?(actual, part) if part.is_a?(Pair)
        return false unless actual.respond_to?(:include?)

        case actual
        when Hash then Matchers.matcher?(part) ? actual.any? { |key, _| fuzzy?(part, key) } : actual.key?(part)
        when String then part.is_a?(Regexp) ? actual.match?(part) : part.is_a?(String) ? actual.include?(part) : fuzzy?(part, actual)
        else actual.include?(part) || (actual.respond_to?(:any?) && actual.any? { |one| fuzzy?(part, one) })
        end
      end

      def pair?(actual, pair)
        return actual.key?(pair.key) && fuzzy?(pair.value, actual[pair.key]) unless Matchers.matcher?(pair.key)

        actual.any? { |key, value| fuzzy?(pair.key, key) && fuzzy?(pair.value, value) }
      end

      def counted?(actual)
        return true unless @count

        part = @expected.first
        found = actual.is_a?(String) ? actual.scan(part).size : actual.count { |one| fuzzy?(part, one) }
        @count.call(found)
      end
    end

    class ContainExactly < Base
      def match?(actual)
        return false unless actual.respond_to?(:to_ary) || actual.respond_to?(:to_set) || actual.is_a?(Enumerable)

        rest = actual.to_a.dup
        @missing = @expected.to_a.reject do |one|
          at = rest.index { |other| one == other } || rest.index { |other| fuzzy?(one, other) }
          rest.delete_at(at) if at
          at
        end
        @extra = rest
        # A greedy choice can miss an assignment where several elements match.
        @missing.empty? && @extra.empty? || assigned?(@expected.to_a, actual.to_a)
      end

      def words = "contain exactly#{Matchers.listed(@expected.to_a)}"
      def diffable? = false

      def failure_message
        return "expected a collection that can be converted to an array with `#to_ary` or `#to_a`, but got #{@actual.inspect}" unless @missing

        lines = ["expected collection contained:  #{Matchers.shown(@expected.to_a)}", "actual collection contained:    #{Matchers.shown(@actual.to_a)}"]
        lines << "the missing elements were:      #{Matchers.shown(@missing)}" unless @missing.empty?
        lines << "the extra elements were:        #{Matchers.shown(@extra)}" unless @extra.empty?
        "#{lines.join("\n")}\n"
      end

      private

      def assigned?(expected, actual)
        return false unless expected.size == actual.size && expected.any? { |one| Matchers.matcher?(one) }

        taken = {}
        expected.each_index.all? { |at| augment?(expected, actual, at, taken, {}) }
      end

      def augment?(expected, actual, at, taken, seen)
        actual.each_index.any? do |to|
          next false if seen[to] || !fuzzy?(expected[at], actual[to])

          seen[to] = true
          next false if taken.key?(to) && !augment?(expected, actual, taken[to], taken, seen)

          taken[to] = at
          true
        end
      end
    end

    class HaveAttributes < Base
      def match?(actual)
        @expected.all? { |name, value| actual.respond_to?(name) && fuzzy?(value, actual.public_send(name)) }
      end

      def words = "have attributes #{Matchers.shown(@expected)}"

      def failure_message
        return super unless @actual

        got = @expected.keys.to_h { |name| [name, @actual.respond_to?(name) ? @actual.public_send(name) : :none] }
        "expected #{@actual.inspect} to #{words} but had attributes #{Matchers.shown(got)}"
      end
    end

    class RespondTo < Base
      def initialize(*names)
        super(names)
      end

      def with(count)
        @count = count
        self
      end

      def argument = self
      def arguments = self
      def with_keywords(*) = self
      def with_any_keywords = self
      def with_unlimited_arguments = self

      def match?(actual)
        @expected.all? do |name|
          next false unless actual.respond_to?(name)
          next true unless @count

          arity = actual.method(name).arity
          arity.negative? ? @count >= ~arity : arity == @count
        end
      end

      def words = "respond to #{@expected.map { |name| "##{name}" }.join(', ')}"
    end

    class BeWithin < Base
      def of(value)
        @value = value
        self
      end

      def percent_of(value)
        @value = value
        @expected = value.abs * @expected / 100.0
        self
      end

      def match?(actual) = actual.respond_to?(:-) && (actual - @value).abs <= @expected
      def words = "be within #{@expected} of #{@value}"
    end

    # `be_valid`, `have_key(:a)`: a question that the value answers.
    class Predicate < Base
      def initialize(name, prefix, args, keywords, block)
        super()
        @name = name
        @prefix = prefix
        @args = args
        @keywords = keywords
        @block = block
      end

      def match?(actual)
        @question = questions.find { |name| actual.respond_to?(name) }
        return false unless @question

        actual.public_send(@question, *@args, **@keywords, &@block)
      end

      def does_not_match?(actual)
        @actual = actual
        @question = questions.find { |name| actual.respond_to?(name) }
        !!@question && !actual.public_send(@question, *@args, **@keywords, &@block)
      end

      def words = "#{@prefix.tr('_', ' ')}#{@name.tr('_', ' ')}#{Matchers.listed(@args)}"

      def failure_message
        return super if @question

        "expected #{@actual.inspect} to respond to `#{questions.first}`"
      end

      private

      def questions
        @prefix == 'have_' ? ["has_#{@name}?"] : ["#{@name}?", "#{@name}s?"]
      end
    end

    class All < Base
      def match?(actual)
        return false unless actual.respond_to?(:each_with_index)

        @failures = actual.each_with_index.filter_map do |one, at|
          inner = @expected.dup
          "object at index #{at} failed to match: #{inner.failure_message}" unless inner.matches?(one)
        end
        @failures.empty?
      end

      def words = "all #{@expected.description}"
      def failure_message = "expected #{Matchers.shown(@actual)} to #{words}\n\n#{(@failures || []).join("\n")}"
    end

    # `have(3).items`
    class Have < Base
      def initialize(count, relation = :==)
        super(count)
        @relation = relation
      end

      def match?(actual)
        owned = @collection && actual.respond_to?(@collection) ? actual.public_send(@collection, *@args) : actual
        @found = owned.respond_to?(:size) ? owned.size : owned.count
        @found.public_send(@relation, @expected)
      end

      def words = "have #{@expected} #{@collection}"
      def failure_message = "expected #{@expected} #{@collection}, got #{@found}"

      def method_missing(name, *args)
        @collection = name
        @args = args
        self
      end

      def respond_to_missing?(name, _all = false) = !name.end_with?('?')
    end
  end
end
