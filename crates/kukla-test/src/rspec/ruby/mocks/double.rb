# Objects that stand in for others.

module RSpec
  module Mocks
    module TestDouble
      def initialize(name = nil, answers = {})
        @__name = name
        @__answers = answers.is_a?(Hash) ? answers : {}
        @__calls = []
        @__answers.each { |message, value| Answer.new(message).and_return(value).apply(self, false, false, nil) }
      end

      def as_null_object
        @__null = true
        self
      end

      def null_object? = !!@__null

      def method_missing(name, *args, **keywords, &block)
        @__calls << [name, args, keywords]
        return self if @__null
        return super if name.to_s.start_with?('to_') && %i[to_ary to_str to_hash to_proc to_io to_a to_path to_int to_regexp].include?(name)

        raise MockExpectationError, "#{inspect} received unexpected message :#{name} with #{Mocks.shown_arguments(args, keywords)}"
      end

      def respond_to_missing?(_name, _all = false) = !!@__null
      def ==(other) = equal?(other)
      def inspect = "#<#{self.class.name.split('::').last} #{@__name.inspect}>"
      alias to_s inspect
    end

    class Double
      include TestDouble
    end

    # A double of an instance: what its class does not have cannot be replaced.
    class InstanceVerifyingDouble
      include TestDouble

      def __verify(name)
        type = @__name.is_a?(String) ? (Object.const_get(@__name) if Object.const_defined?(@__name)) : @__name
        return unless type.is_a?(Module)
        return if type.method_defined?(name) || type.private_method_defined?(name) || type.method_defined?(:method_missing, false)

        raise MockExpectationError, "the #{type} class does not implement the instance method: #{name}"
      end

      def is_a?(kind)
        type = @__name.is_a?(Module) ? @__name : nil
        super || (!type.nil? && type <= kind)
      end
      alias kind_of? is_a?
    end

    class ClassVerifyingDouble
      include TestDouble
    end

    class ObjectVerifyingDouble
      include TestDouble
    end

    # Arguments that stand for many.
    module ArgumentMatchers
      class Pattern
        def initialize(words, &test)
          @words = words
          @test = test
        end

        def ===(other) = !!@test.call(other)
        def ==(other) = self === other
        def description = @words
        def inspect = @words
      end

      class AnyArgs; end
      class NoArgs; end

      # As `RSpec::Mocks::ArgumentMatchers::KindOf` is asked for by name.
      class KindOf < Pattern
        def initialize(kind)
          super("kind of #{kind}") { |value| value.is_a?(kind) }
        end
      end

      class InstanceOf < Pattern
        def initialize(kind)
          super("an instance of #{kind}") { |value| value.instance_of?(kind) }
        end
      end

      def self.fit?(expected, actual)
        return actual.empty? if expected.size == 1 && expected.first.is_a?(NoArgs)

        at = expected.index { |one| one.is_a?(AnyArgs) }
        return Matchers::Fuzzy.match?(expected, actual) unless at

        after = expected.size - at - 1
        return false if actual.size < at + after

        Matchers::Fuzzy.match?(expected.first(at), actual.first(at)) && Matchers::Fuzzy.match?(expected.last(after), actual.last(after))
      end

      def any_args = AnyArgs.new
      def no_args = NoArgs.new
      def anything = Pattern.new('anything') { true }
      def boolean = Pattern.new('boolean') { |value| [true, false].include?(value) }
      def duck_type(*names) = Pattern.new('duck_type') { |value| names.all? { |name| value.respond_to?(name) } }
      def instance_of(kind) = InstanceOf.new(kind)
      alias an_instance_of instance_of
      def kind_of(kind) = KindOf.new(kind)
      alias a_kind_of kind_of

      def hash_including(*names, **wanted)
        wanted = names.pop.merge(wanted) if names.last.is_a?(Hash)
        Pattern.new("hash_including(#{wanted.inspect})") do |value|
          value.is_a?(Hash) && names.all? { |name| value.key?(name) } && wanted.all? { |name, one| value.key?(name) && Matchers::Fuzzy.match?(one, value[name]) }
        end
      end

      def hash_excluding(*names, **wanted)
        wanted = names.pop.merge(wanted) if names.last.is_a?(Hash)
        Pattern.new('hash_not_including') do |value|
          value.is_a?(Hash) && names.none? { |name| value.key?(name) } && wanted.none? { |name, one| value.key?(name) && Matchers::Fuzzy.match?(one, value[name]) }
        end
      end
      alias hash_not_including hash_excluding

      def array_including(*wanted)
        wanted = wanted.flatten(1)
        Pattern.new("array_including(#{wanted.inspect})") do |value|
          value.is_a?(Array) && wanted.all? { |one| value.any? { |other| Matchers::Fuzzy.match?(one, other) } }
        end
      end
    end
  end
end
