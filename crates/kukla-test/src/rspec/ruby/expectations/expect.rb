# `expect(…).to`, and what happens when a matcher does not match.

module RSpec
  module Expectations
    class ExpectationNotMetError < Exception
      attr_accessor :expected, :actual
    end

    class MultipleExpectationsNotMetError < ExpectationNotMetError
      attr_reader :failures

      def initialize(failures)
        @failures = failures
        super("Got #{failures.size} failures:\n\n#{failures.each_with_index.map { |one, at| "#{at + 1}) #{one.message}" }.join("\n\n")}")
      end
    end

    class PendingExampleFixedError < StandardError; end

    class << self
      def fail_with(message, expected = nil, actual = nil)
        failure = ExpectationNotMetError.new(message)
        failure.expected = expected
        failure.actual = actual
        return @aggregated << failure if @aggregated

        raise failure
      end

      # Collects the failures of a block.
      def aggregate
        return yield if @aggregated

        begin
          @aggregated = []
          begin
            yield
          rescue ExpectationNotMetError => e
            @aggregated << e
          end
          failures = @aggregated
        ensure
          @aggregated = nil
        end
        raise failures.first if failures.size == 1
        raise MultipleExpectationsNotMetError, failures unless failures.empty?
      end
    end

    module Handler
      class << self
        def positive(actual, matcher, message = nil, &block)
          return OperatorMatcher.new(actual, true) if matcher.nil?

          matcher = checked(matcher)
          Matchers.last = [matcher, 'is expected to']
          return true if matcher.matches?(actual, &block)

          failed(matcher, message, matcher.failure_message)
        end

        def negative(actual, matcher, message = nil, &block)
          return OperatorMatcher.new(actual, false) if matcher.nil?

          matcher = checked(matcher)
          Matchers.last = [matcher, 'is expected not to']
          matched = matcher.respond_to?(:does_not_match?) ? !matcher.does_not_match?(actual, &block) : matcher.matches?(actual, &block)
          return true unless matched

          failed(matcher, message, negated_message(matcher))
        end

        private

        def checked(matcher)
          return matcher if matcher.respond_to?(:matches?)
          raise ArgumentError, "Expected a matcher, got #{matcher.inspect}"
        end

        def negated_message(matcher)
          return matcher.failure_message_when_negated if matcher.respond_to?(:failure_message_when_negated)

          "expected not to #{matcher.respond_to?(:description) ? matcher.description : matcher.inspect}"
        end

        def failed(matcher, message, own)
          message = message.call if message.respond_to?(:call)
          diffable = matcher.respond_to?(:diffable?) && matcher.diffable? && matcher.respond_to?(:expected)
          Expectations.fail_with(message || own, diffable ? matcher.expected : nil, diffable && matcher.respond_to?(:actual) ? matcher.actual : nil)
        end
      end
    end

    # `x.should == y`
    class OperatorMatcher
      def initialize(actual, positive)
        @actual = actual
        @positive = positive
      end

      %i[== === =~ > >= < <=].each do |operator|
        define_method(operator) { |expected| check(operator, expected, @actual.public_send(operator, expected)) }
      end

      def !=(expected) = check(:!=, expected, @actual != expected)

      private

      def check(operator, expected, result)
        Matchers.last = [Struct.new(:description).new("#{operator} #{expected.inspect}"), @positive ? 'is expected to' : 'is expected not to']
        return true if !!result == @positive

        Expectations.fail_with("expected: #{'not ' unless @positive}#{operator} #{expected.inspect}\n     got: #{@actual.inspect}", expected, @actual)
      end
    end

    # What `expect` gives.
    class Target
      def initialize(value)
        @value = value
      end

      def to(matcher = nil, message = nil, &block)
        return matcher.setup_expectation(@value, &block) if matcher.respond_to?(:setup_expectation)

        Handler.positive(@value, matcher, message, &block)
      end

      def not_to(matcher = nil, message = nil, &block)
        return matcher.setup_negative_expectation(@value, &block) if matcher.respond_to?(:setup_negative_expectation)

        Handler.negative(@value, matcher, message, &block)
      end
      alias to_not not_to
    end

    module Syntax
      def expect(*values, &block)
        raise ArgumentError, 'You must pass either an argument or a block to `expect`.' if values.empty? && block.nil?

        Target.new(block || values.first)
      end

      def aggregate_failures(*, &block)
        Expectations.aggregate(&block)
      end
    end
  end

  module Matchers
    include Expectations::Syntax

    class << self
      attr_accessor :last

      def clear_generated_description = @last = nil

      def generated_description
        return unless @last

        matcher, verb = @last
        "#{verb} #{matcher.respond_to?(:description) ? matcher.description : "match"}"
      end
    end
  end
end
