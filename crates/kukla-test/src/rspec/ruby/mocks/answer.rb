# What a replaced method does: `receive(:name).with(1).and_return(2).once`.

module RSpec
  module Mocks
    class Answer
      def initialize(name)
        @name = name
        @least = 0
        @most = nil
        @calls = 0
        @implementation = nil
      end

      attr_reader :name, :calls
      attr_accessor :stubbed

      def with(*args, **keywords, &block)
        @arguments = keywords.empty? ? args : [*args, keywords]
        @implementation = ->(*given, **options, &inner) { block.call(*given, **options, &inner) } if block && !@implementation
        self
      end

      def and_return(*values)
        @values = values
        @implementation = lambda do |*|
          values.size > 1 && @calls <= values.size ? values[@calls - 1] : values.last
        end
        @most = [@most, values.size].max if @most && @least == @most && values.size > 1
        self
      end

      def and_return_block(&block)
        @implementation = block
        self
      end

      def and_raise(error = RuntimeError, *message)
        @implementation = ->(*) { raise(error, *message) }
        self
      end

      def and_throw(*args)
        @implementation = ->(*) { throw(*args) }
        self
      end

      def and_yield(*values)
        earlier = @yields
        @yields = [*earlier, values]
        yields = @yields
        returned = @values
        @implementation = lambda do |*_, **_, &block|
          result = yields.map { |one| block.call(*one) }.last
          returned ? returned.last : result
        end
        self
      end

      def and_call_original
        @original = true
        self
      end

      def and_wrap_original(&block)
        @wrapper = block
        self
      end

      def and_invoke(*callables)
        @implementation = ->(*args, **keywords) { callables[[@calls, callables.size].min - 1].call(*args, **keywords) }
        self
      end

      def exactly(count) = times_between(count, count)
      def once(&block) = exactly(1).does(&block)
      def twice(&block) = exactly(2).does(&block)
      def thrice(&block) = exactly(3).does(&block)
      def never = times_between(0, 0)
      def at_least(count) = times_between(number(count), nil)
      def at_most(count) = times_between(0, number(count))
      def times(&block) = does(&block)
      alias time times

      def ordered(&block)
        @ordered = true
        Mocks.order << self
        does(&block)
      end

      def does(&block)
        @implementation = block if block
        self
      end

      def expected!
        @least = 1 unless @counted
        @most = 1 unless @counted
        @expected = true
        self
      end

      def refused!
        @least = 0
        @most = 0
        @expected = true
        self
      end

      def fits?(args, keywords)
        return true if @arguments.nil?

        ArgumentMatchers.fit?(@arguments, keywords.empty? ? args : [*args, keywords])
      end

      def exhausted?
        @most && @calls >= @most
      end

      def invoke(stubbed, receiver, args, keywords, block)
        @calls += 1
        check_order if @ordered
        too_many(stubbed, args, keywords) if @most && @calls > @most
        return stubbed.call_original(receiver, args, keywords, block) if @original
        return @wrapper.call(proc { |*a, **k, &b| stubbed.call_original(receiver, a, k, b) }, *args, **keywords, &block) if @wrapper
        return nil unless @implementation

        @implementation.call(*args, **keywords, &block)
      end

      def verify
        return if @calls >= @least && (@most.nil? || @calls <= @most)
        return unless @expected

        raise MockExpectationError, "#{Mocks.shown(stubbed.object)} expected to receive :#{@name}#{shown_arguments} #{wanted_times}, received #{@calls} time#{'s' if @calls != 1}"
      end

      def shown_arguments
        @arguments ? Mocks.shown_arguments(@arguments, {}) : '(any args)'
      end

      # `allow(x).to receive(:y) { … }`
      def apply(object, instances, expected, block)
        does(&block) if block
        self.stubbed = Mocks.stubbed(object, @name, instances)
        stubbed.answers.unshift(self)
        expected! if expected == true
        refused! if expected == :never
        self
      end

      private

      def number(count)
        { once: 1, twice: 2, thrice: 3 }.fetch(count, count)
      end

      def times_between(least, most)
        @counted = true
        @least = least
        @most = most
        self
      end

      def too_many(stubbed, args, keywords)
        return if !@expected && @most.nil?

        raise MockExpectationError, "#{Mocks.shown(stubbed.object)} expected to receive :#{@name} #{wanted_times}, received #{@calls} times with #{Mocks.shown_arguments(args, keywords)}"
      end

      def wanted_times
        return "exactly #{@least} time#{'s' if @least != 1}" if @least == @most

        @most ? "at most #{@most} times" : "at least #{@least} time#{'s' if @least != 1}"
      end

      def check_order
        order = Mocks.order
        earlier = order.take(order.index(self) || 0)
        late = earlier.find { |one| one.calls.zero? }
        raise MockExpectationError, "received :#{@name} out of order" if late
      end
    end

    # `receive`, as an argument of `to`.
    class Receive
      def initialize(name, block)
        @name = name
        @block = block
        @steps = []
      end

      Answer.public_instance_methods(false).each do |step|
        next if %i[name calls stubbed stubbed= fits? invoke verify apply expected! refused! exhausted? shown_arguments].include?(step)

        define_method(step) do |*args, **keywords, &block|
          @steps << [step, args, keywords, block]
          self
        end
      end

      def setup_allowance(object, instances = false, &block) = made(object, instances, false, block)
      def setup_expectation(object, instances = false, &block) = made(object, instances, true, block)
      def setup_negative_expectation(object, instances = false, &block) = made(object, instances, :never, block)
      def description = "receive #{@name}"
      def matches?(*) = true

      private

      def made(object, instances, expected, block)
        answer = Answer.new(@name)
        answer.does(&@block) if @block
        @steps.each { |step, args, keywords, given| answer.public_send(step, *args, **keywords, &given) }
        answer.apply(object, instances, expected, block)
      end
    end
  end
end
