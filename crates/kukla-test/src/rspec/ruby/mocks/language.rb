# The names by which suites replace methods and constants.

module RSpec
  module Mocks
    # What `allow` and `expect_any_instance_of` give.
    class Target
      def initialize(object, kind, instances)
        @object = object
        @kind = kind
        @instances = instances
      end

      def to(receive, &block)
        receive.public_send(@kind == :allow ? :setup_allowance : :setup_expectation, @object, @instances, &block)
      end

      def not_to(receive, &block)
        receive.setup_negative_expectation(@object, @instances, &block)
      end
      alias to_not not_to
    end

    # `receive_messages(a: 1, b: 2)`
    class ReceiveMessages
      def initialize(answers)
        @answers = answers
      end

      def setup_allowance(object, instances = false) = each { |name, value| Answer.new(name).and_return(value).apply(object, instances, false, nil) }
      def setup_expectation(object, instances = false) = each { |name, value| Answer.new(name).and_return(value).apply(object, instances, true, nil) }

      private

      def each(&block) = @answers.each(&block)
    end

    # `receive_message_chain(:a, :b)`
    class ReceiveChain
      def initialize(names, answers, block)
        @names = names
        @last = nil
        if answers.is_a?(Hash)
          name, value = answers.first
          @names += [name]
          @value = value
        end
        @block = block
        @steps = []
      end

      %i[and_return and_raise and_yield and_throw with].each do |step|
        define_method(step) do |*args, **keywords, &block|
          @steps << [step, args, keywords, block]
          self
        end
      end

      def setup_allowance(object, instances = false, &block) = made(object, instances, false, block)
      def setup_expectation(object, instances = false, &block) = made(object, instances, true, block)

      private

      def made(object, instances, expected, block)
        *through, last = @names.flat_map { |name| name.to_s.split('.') }.map(&:to_sym)
        through.each do |name|
          inner = Double.new(name)
          existing = Mocks.existing(object, name)
          known = existing && existing.answers.first && existing.call(object, [], {}, nil)
          inner = known if known.is_a?(TestDouble)
          Answer.new(name).and_return(inner).apply(object, instances, expected, nil) unless known.is_a?(TestDouble)
          object = inner
          instances = false
        end
        answer = Answer.new(last)
        answer.and_return(@value) if @value
        answer.does(&@block) if @block
        @steps.each { |step, args, keywords, given| answer.public_send(step, *args, **keywords, &given) }
        answer.apply(object, instances, expected, block)
      end
    end

    # `have_received(:name)`
    class HaveReceived < Matchers::Base
      def initialize(name)
        super(name)
        @least = 1
      end

      def with(*args, **keywords)
        @arguments = keywords.empty? ? args : [*args, keywords]
        self
      end

      def exactly(count) = between(count, count)
      def once = exactly(1)
      def twice = exactly(2)
      def thrice = exactly(3)
      def at_least(count) = between({ once: 1, twice: 2 }.fetch(count, count), nil)
      def at_most(count) = between(0, { once: 1, twice: 2 }.fetch(count, count))
      def times = self
      def ordered = self

      def match?(object)
        count = received(object).count { |args| @arguments.nil? || ArgumentMatchers.fit?(@arguments, args) }
        count >= @least && (@most.nil? || count <= @most)
      end

      def words = "have received :#{@expected}"

      private

      def between(least, most)
        @least = least
        @most = most
        self
      end

      def received(object)
        recorded = Mocks.existing(object, @expected)&.log || []
        missed = object.is_a?(TestDouble) ? object.instance_variable_get(:@__calls).select { |name, *| name == @expected } : []
        recorded + missed.map { |_, args, keywords| keywords.empty? ? args : [*args, keywords] }
      end
    end

    class Stubbed
      # The arguments of all calls so far.
      def log = @log ||= []

      alias answer_call call
      def call(receiver, args, keywords, block)
        log << (keywords.empty? ? args : [*args, keywords])
        answer_call(receiver, args, keywords, block)
      end
    end

    module ExampleMethods
      include ArgumentMatchers

      def allow(object) = Target.new(object, :allow, false)
      def allow_any_instance_of(type) = Target.new(type, :allow, true)
      def expect_any_instance_of(type) = Target.new(type, :expect, true)
      def receive(name, &block) = Receive.new(name, block)
      def receive_messages(answers) = ReceiveMessages.new(answers)

      def receive_message_chain(*names, &block)
        ReceiveChain.new(names.reject { |one| one.is_a?(Hash) }, names.find { |one| one.is_a?(Hash) }, block)
      end

      def have_received(name, &) = HaveReceived.new(name)

      def double(name = nil, answers = {}, **more) = made_double(Double, name, answers, more)
      def spy(name = nil, answers = {}, **more) = made_double(Double, name, answers, more).as_null_object
      def instance_double(type, answers = {}, **more) = made_double(InstanceVerifyingDouble, type, answers, more)
      def instance_spy(type, answers = {}, **more) = instance_double(type, answers, **more).as_null_object
      def class_double(type, answers = {}, **more) = made_double(ClassVerifyingDouble, type, answers, more)
      def object_double(object, answers = {}, **more) = made_double(ObjectVerifyingDouble, object, answers, more)

      def stub_const(name, value, **_options)
        outer, inner = Mocks.constant_place(name, true)
        existed = outer.const_defined?(inner, false)
        before = outer.const_get(inner, false) if existed
        outer.send(:remove_const, inner) if existed
        outer.const_set(inner, value)
        Mocks.constant(proc do
          outer.send(:remove_const, inner) if outer.const_defined?(inner, false)
          outer.const_set(inner, before) if existed
        end)
        value
      end

      def hide_const(name)
        outer, inner = Mocks.constant_place(name, false)
        return unless outer&.const_defined?(inner, false)

        before = outer.send(:remove_const, inner)
        Mocks.constant(proc { outer.const_set(inner, before) })
      end

      private

      def made_double(kind, name, answers, more)
        answers, name = name, nil if name.is_a?(Hash)
        kind.new(name, (answers || {}).merge(more))
      end
    end

    class << self
      # The module that a constant is in, and its name there.
      def constant_place(name, make)
        *outer, inner = name.to_s.split('::').reject(&:empty?)
        place = outer.inject(Object) do |within, part|
          next within.const_get(part, false) if within.const_defined?(part, false)
          next nil unless make

          made = Module.new
          within.const_set(part, made)
          constant(proc { within.send(:remove_const, part) })
          made
        end
        [place, inner]
      end
    end
  end

  module Mocks
    # Suites may turn syntaxes on and off: all are on.
    module Syntax
      class << self
        %i[enable_expect disable_expect enable_should disable_should warn_about_should!].each { |name| define_method(name) { |*| nil } }
        def expect_enabled?(*) = true
        def should_enabled?(*) = true
      end
    end

    def self.configuration = RSpec.configuration.mock_configuration

    # `object.stub(:name)`, `object.should_receive(:name)`
    module ShouldSyntax
      def stub(name, value = Matchers::UNSET, &block)
        return ReceiveMessages.new(name).setup_allowance(self) if name.is_a?(Hash)

        answer = Answer.new(name).apply(self, false, false, block)
        value.equal?(Matchers::UNSET) ? answer : answer.and_return(value)
      end

      def should_receive(name, &block) = Answer.new(name).apply(self, false, true, block)
      def should_not_receive(name) = Answer.new(name).apply(self, false, :never, nil)
      def should(matcher = nil, message = nil) = Expectations::Handler.positive(self, matcher, message)
      def should_not(matcher = nil, message = nil) = Expectations::Handler.negative(self, matcher, message)
    end
  end

  module Core
    class ExampleGroup
      include RSpec::Mocks::ExampleMethods
    end
  end
end

Object.include(RSpec::Mocks::ShouldSyntax)
