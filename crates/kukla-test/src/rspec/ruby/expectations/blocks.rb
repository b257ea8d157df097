# Matchers of blocks: what they raise, change, print, yield.

module RSpec
  module Matchers
    module BuiltIn
      class RaiseError < Base
        UndefinedValue = Object.new.freeze

        def initialize(error = UndefinedValue, message = nil, &block)
          super()
          @block = block
          @error = error.equal?(UndefinedValue) || error.nil? ? Exception : error
          @message = message
          return unless @error.is_a?(String) || @error.is_a?(Regexp) || Matchers.matcher?(@error)

          @message = @error
          @error = Exception
        end

        def with_message(message)
          @message = message
          self
        end

        def matches?(given, &block)
          @block ||= block
          @raised = nil
          begin
            given.call
            return false
          rescue Exception => e # rubocop:disable Lint/RescueException
            @raised = e
          end
          return false unless kind?(@raised) && message?(@raised)

          @block&.call(@raised)
          true
        end
        alias match? matches?

        def does_not_match?(given)
          !matches?(given)
        end

        def words
          return 'raise exception' if @error == Exception && @message.nil?

          kind = @error == Exception ? 'exception' : @error.inspect
          case @message
          when nil then "raise #{kind}"
          when Regexp then "raise #{kind} with message matching #{@message.inspect}"
          else "raise #{kind} with #{Matchers.shown(@message)}"
          end
        end

        def failure_message
          got = @raised ? ", got #{@raised.inspect}#{" with backtrace:\n  # #{@raised.backtrace.first}" if @raised.backtrace&.first}" : ' but nothing was raised'
          "expected #{expectation}#{got}"
        end

        def failure_message_when_negated = "expected no #{expectation}, got #{@raised.inspect}"
        def supports_block_expectations? = true

        private

        def expectation
          kind = @error == Exception ? 'Exception' : @error.inspect
          case @message
          when nil then kind
          when Regexp then "#{kind} with message matching #{@message.inspect}"
          else "#{kind} with #{Matchers.shown(@message)}"
          end
        end

        def kind?(raised) = @error.is_a?(Module) ? raised.is_a?(@error) : Fuzzy.match?(@error, raised)

        def message?(raised)
          case @message
          when nil then true
          when Regexp then @message.match?(raised.message.to_s)
          else Fuzzy.match?(@message, raised.message.to_s)
          end
        end
      end
    end

    class ThrowSymbol < Base
      def initialize(symbol = nil, value = nil)
        super()
        @symbol = symbol
        @value = value
      end

      def match?(given)
        given.call
        false
      rescue UncaughtThrowError => e
        (@symbol.nil? || e.tag == @symbol) && (@value.nil? || Fuzzy.match?(@value, e.value))
      end

      def words = "throw #{@symbol.inspect}"
      def supports_block_expectations? = true
    end

    class Change < Base
      def initialize(receiver = nil, name = nil, &block)
        super()
        @read = block || -> { receiver.public_send(name) }
      end

      def by(amount) = tap { @by = amount }
      def by_at_least(amount) = tap { @least = amount }
      def by_at_most(amount) = tap { @most = amount }
      def from(value) = tap { @from = [value] }
      def to(value) = tap { @to = [value] }

      def match?(given)
        @before = copy(@read.call)
        given.call
        @after = @read.call
        return false if @from && !fuzzy?(@from[0], @before)
        return false if @to && !fuzzy?(@to[0], @after)
        return @after - @before == @by if @by
        return @after - @before >= @least if @least
        return @after - @before <= @most if @most

        @before != @after
      end

      def does_not_match?(given)
        @before = copy(@read.call)
        return false if @from && !fuzzy?(@from[0], @before)

        given.call
        @after = @read.call
        @before == @after
      end

      def words = 'change the result'
      def failure_message = "expected result to have changed, but was #{@before.inspect} and is now #{@after.inspect}"
      def failure_message_when_negated = "expected result not to have changed, but did change from #{@before.inspect} to #{@after.inspect}"
      def supports_block_expectations? = true

      private

      def copy(value) = value.is_a?(Enumerable) || value.is_a?(String) ? value.dup : value
    end

    class Output < Base
      def to_stdout = tap { @name = :$stdout }
      def to_stderr = tap { @name = :$stderr }
      def to_stdout_from_any_process = to_stdout
      def to_stderr_from_any_process = to_stderr

      def match?(given)
        require 'stringio'
        written = StringIO.new
        before = @name == :$stderr ? $stderr : $stdout
        begin
          @name == :$stderr ? $stderr = written : $stdout = written
          given.call
        ensure
          @name == :$stderr ? $stderr = before : $stdout = before
        end
        @got = written.string
        @expected.nil? ? !@got.empty? : fuzzy?(@expected, @got)
      end

      def words = "output #{Matchers.shown(@expected)} to #{@name.to_s.delete_prefix('$')}"
      def failure_message = "expected block to #{words}, but output #{@got.inspect}"
      def supports_block_expectations? = true
    end

    class Yield < Base
      # What a block is given to pass on.
      class Probe
        attr_reader :calls

        def initialize
          @calls = []
        end

        def to_proc
          calls = @calls
          proc { |*args| calls << args; nil }
        end
      end

      def initialize(words, &test)
        super()
        @words = words
        @test = test
      end

      def match?(given)
        @probe = Probe.new
        given.call(@probe)
        @test.call(@probe.calls)
      end

      def exactly(count) = tap { @test = ->(calls) { calls.size == count } }
      def once = exactly(1)
      def twice = exactly(2)
      def times = self
      def words = @words
      def failure_message = "expected given block to #{words}, but yielded #{@probe.calls.inspect}"
      def supports_block_expectations? = true
    end
  end
end
