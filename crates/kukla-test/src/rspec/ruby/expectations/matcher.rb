# What all matchers have, and how suites define their own.

module RSpec
  module Matchers
    # Whether values match where either may contain matchers.
    module Fuzzy
      class << self
        def match?(expected, actual)
          case expected
          when Hash then hashes?(expected, actual)
          when Array then arrays?(expected, actual)
          else
            return true if expected == actual

            begin
              expected === actual
            rescue ArgumentError
              false
            end
          end
        end

        private

        def hashes?(expected, actual)
          return expected == actual unless actual.is_a?(Hash)

          expected.size == actual.size && expected.all? { |key, value| actual.key?(key) && match?(value, actual[key]) }
        end

        def arrays?(expected, actual)
          return expected == actual unless actual.is_a?(Array)

          expected.size == actual.size && expected.zip(actual).all? { |one, other| match?(one, other) }
        end
      end
    end

    def self.matcher?(object)
      object.is_a?(Base) || (object.respond_to?(:matches?) && object.respond_to?(:failure_message))
    end

    # A value as descriptions show it.
    def self.shown(value)
      case value
      when Array then "[#{value.map { |one| shown(one) }.join(', ')}]"
      when Hash then "{#{value.map { |key, one| "#{shown(key)}=>#{shown(one)}" }.join(', ')}}"
      else matcher?(value) && value.respond_to?(:description) ? "(#{value.description})" : value.inspect
      end
    end

    # Values in a sentence: `1, 2, and 3`.
    def self.listed(values)
      words = values.map { |value| shown(value) }
      case words.size
      when 0 then ''
      when 1 then " #{words[0]}"
      when 2 then " #{words[0]} and #{words[1]}"
      else " #{words[0..-2].join(', ')}, and #{words[-1]}"
      end
    end

    # A matcher: the subclass has `match?(actual)` and `words`.
    class Base
      attr_reader :expected, :actual

      def initialize(expected = nil)
        @expected = expected
      end

      def matches?(actual)
        @actual = actual
        !!match?(actual)
      end

      def ===(other)
        dup.matches?(other)
      end

      def description = words
      def failure_message = "expected #{Matchers.shown(@actual)} to #{words}"
      def failure_message_when_negated = "expected #{Matchers.shown(@actual)} not to #{words}"
      def diffable? = false
      def supports_block_expectations? = false
      def supports_value_expectations? = true

      def and(other) = Compound.new(self, other, :and)
      alias & and
      def or(other) = Compound.new(self, other, :or)
      alias | or

      def fuzzy?(expected, actual) = Fuzzy.match?(expected, actual)
    end

    # Two matchers joined by `and` or `or`.
    class Compound < Base
      def initialize(first, second, verb)
        super()
        @first = first
        @second = second
        @verb = verb
      end

      def match?(actual)
        return nested?(actual) if actual.is_a?(Proc) && [@first, @second].all? { |one| one.respond_to?(:supports_block_expectations?) && one.supports_block_expectations? }

        @first_matched = @first.matches?(actual)
        return @first_matched && second?(actual) if @verb == :and

        @first_matched || second?(actual)
      end

      def words = "#{@first.description} #{@verb} #{@second.description}"

      def failure_message
        messages = []
        messages << @first.failure_message unless @first_matched
        messages << @second.failure_message if @second_matched == false
        messages.join("\n...and:\n")
      end

      def supports_block_expectations? = true

      private

      def second?(actual) = @second_matched = @second.matches?(actual)

      # A block runs once for both.
      def nested?(block)
        @second_matched = nil
        @first_matched = @first.matches?(proc { @second_matched = @second.matches?(block) })
        @verb == :and ? @first_matched && @second_matched : @first_matched || @second_matched
      end
    end

    # A matcher under another name.
    class Aliased < Base
      def initialize(inner, words, &change)
        super()
        @inner = inner
        @words = words
        @change = change
      end

      def match?(actual) = @inner.matches?(actual)

      def words
        return @change.call(@inner.description) if @change

        @words || @inner.description
      end

      def failure_message = @inner.failure_message
      def expected = @inner.expected

      def method_missing(name, ...)
        result = @inner.public_send(name, ...)
        result.equal?(@inner) ? self : result
      end

      def respond_to_missing?(name, all = false) = @inner.respond_to?(name, all)
    end
    AliasedMatcher = Aliased

    class Negated < Base
      def initialize(inner, words)
        super()
        @inner = inner
        @words = words
      end

      def match?(actual)
        @inner.respond_to?(:does_not_match?) ? @inner.does_not_match?(actual) : !@inner.matches?(actual)
      end

      def words = @words
      def failure_message = @inner.failure_message_when_negated
      def supports_block_expectations? = @inner.respond_to?(:supports_block_expectations?) && @inner.supports_block_expectations?

      def method_missing(name, ...)
        result = @inner.public_send(name, ...)
        result.equal?(@inner) ? self : result
      end

      def respond_to_missing?(name, all = false) = @inner.respond_to?(name, all)
    end

    # A matcher that a suite defines with `RSpec::Matchers.define`.
    module DSL
      class Matcher < Base
        include RSpec::Matchers

        attr_reader :name, :expected_as_array

        def initialize(name, group, arguments, block)
          super(arguments.size > 1 ? arguments : arguments.first)
          @name = name
          @group = group
          @expected_as_array = arguments
          @blocks = {}
          own = singleton_class
          own.instance_variable_set(:@matcher, self)
          own.extend(Macros)
          own.class_exec(*arguments, &block)
        end

        def block(kind, block = nil)
          block ? @blocks[kind] = block : @blocks[kind]
        end

        def matches?(actual)
          @actual = actual
          if @blocks[:match]
            begin
              !!instance_exec(actual, &@blocks[:match])
            rescue Expectations::ExpectationNotMetError
              raise if @blocks[:reraise]

              false
            end
          elsif @blocks[:match_unless_raises]
            begin
              instance_exec(actual, &@blocks[:match_unless_raises])
              true
            rescue StandardError
              false
            end
          end
        end

        def does_not_match?(actual)
          @actual = actual
          return !matches?(actual) unless @blocks[:match_when_negated]

          !!instance_exec(actual, &@blocks[:match_when_negated])
        end

        def words
          block(:description) ? instance_exec(@actual, &block(:description)) : "#{@name.to_s.tr('_', ' ')}#{Matchers.listed(@expected_as_array)}"
        end

        def failure_message
          block(:failure_message) ? instance_exec(@actual, &block(:failure_message)) : super
        end

        def failure_message_when_negated
          block(:failure_message_when_negated) ? instance_exec(@actual, &block(:failure_message_when_negated)) : super
        end

        def diffable? = !!@blocks[:diffable]
        def supports_block_expectations? = !!@blocks[:supports_block_expectations]
        def actual_or(default) = @actual || default

        def method_missing(name, *args, **keywords, &block)
          return @group.__send__(name, *args, **keywords, &block) if @group.respond_to?(name, true)

          super
        end

        def respond_to_missing?(name, all = false) = @group.respond_to?(name, all)
      end

      # What the body of a definition calls; its methods become those of the matcher.
      module Macros
        %i[match match_unless_raises match_when_negated description failure_message failure_message_when_negated].each do |kind|
          define_method(kind) { |*_, **_, &block| @matcher.block(kind, block) }
        end

        def diffable = @matcher.block(:diffable, true)
        def supports_block_expectations = @matcher.block(:supports_block_expectations, true)
        def expected = @matcher.expected

        def chain(name, *attributes, &block)
          attr_reader(*attributes)
          define_method(name) do |*args, **keywords, &given|
            if block
              instance_exec(*args, **keywords, &block)
            else
              attributes.zip(args) { |attribute, value| instance_variable_set("@#{attribute}", value) }
            end
            self
          end
        end
      end

      def define(name, &declaration)
        define_method(name) { |*expected, &block| Matcher.new(name, self, expected + [block].compact, declaration) }
      end
      alias matcher define

      def define_negated_matcher(name, base, &change)
        words = name.to_s.tr('_', ' ')
        define_method(name) do |*args, **keywords, &block|
          inner = __send__(base, *args, **keywords, &block)
          Negated.new(inner, change ? change.call(inner.description) : inner.description.sub(base.to_s.tr('_', ' '), words))
        end
      end

      def alias_matcher(name, base, **_options, &change)
        words = name.to_s.tr('_', ' ')
        change ||= ->(description) { description.sub(base.to_s.tr('_', ' '), words) }
        define_method(name) { |*args, **keywords, &block| Aliased.new(__send__(base, *args, **keywords, &block), nil, &change) }
      end
    end

    extend DSL
  end
end
