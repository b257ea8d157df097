# Methods of objects that a test replaces, and the calls that it expects.

module RSpec
  module Mocks
    class MockExpectationError < Exception; end
    class ExpiredTestDoubleError < MockExpectationError; end

    # What one object is told to answer to one message: the answers, the newest first, and the method that was there before.
    class Stubbed
      attr_reader :object, :name, :original, :answers

      def initialize(object, name, owner)
        @object = object
        @name = name
        @owner = owner
        @answers = []
        @was_own = owner.method_defined?(name, false) || owner.private_method_defined?(name, false)
        @saved = owner.instance_method(name) if @was_own
        @original = original_of
        install
      end

      def restore
        @owner.send(:remove_method, @name) if @owner.method_defined?(@name, false) || @owner.private_method_defined?(@name, false)
        @owner.send(:define_method, @name, @saved) if @was_own
      rescue FrozenError, NameError
        nil
      end

      def call(receiver, args, keywords, block)
        fitting = @answers.select { |answer| answer.fits?(args, keywords) }
        answer = fitting.find { |one| !one.exhausted? } || fitting.first
        return answer.invoke(self, receiver, args, keywords, block) if answer

        given = Mocks.shown_arguments(args, keywords)
        wanted = @answers.map(&:shown_arguments).uniq.join(' or ')
        raise MockExpectationError, "#{Mocks.shown(@object)} received :#{@name} with unexpected arguments\n  expected: #{wanted}\n       got: #{given}"
      end

      def call_original(receiver, args, keywords, block)
        return @original.call(*args, **keywords, &block) if @original.is_a?(Method)
        return @original.bind_call(receiver, *args, **keywords, &block) if @original

        receiver.__send__(:method_missing, @name, *args, **keywords, &block)
      end

      private

      def original_of
        return @saved || (@owner.instance_method(@name) if @owner.method_defined?(@name)) if @object.equal?(@owner) && @object.is_a?(Class) && @instances
        return nil if @object.is_a?(TestDouble)

        @object.method(@name)
      rescue NameError
        nil
      end

      def install
        stubbed = self
        visibility = @owner.private_method_defined?(@name) ? :private : :public
        @owner.send(:define_method, @name) { |*args, **keywords, &block| stubbed.call(self, args, keywords, block) }
        @owner.send(visibility, @name) if visibility == :private && !@name.to_s.start_with?('new')
      end
    end

    # The same for all instances of a class.
    class StubbedInstances < Stubbed
      private

      def original_of
        @object.instance_method(@name)
      rescue NameError
        nil
      end
    end

    class << self
      def setup
        @stubs = {}
        @constants = []
        @order = []
        @doubles = []
      end

      def active?
        !@stubs.nil?
      end

      # Whether a test has replaced methods of anything but its own doubles and what helpers always replace.
      def touches_others?(known)
        (@stubs || {}).each_value.any? { |stubbed| !stubbed.object.is_a?(TestDouble) && !known.include?([stubbed.object, stubbed.name]) }
      end

      def stubbed(object, name, instances = false)
        setup unless @stubs
        name = name.to_sym
        @stubs[[object.__id__, name, instances]] ||= begin
          owner = instances ? object : object.singleton_class
          (instances ? StubbedInstances : Stubbed).new(object, name, owner)
        end
      end

      def existing(object, name)
        (@stubs || {})[[object.__id__, name.to_sym, false]]
      end

      def order
        @order ||= []
      end

      def remember(double)
        (@doubles ||= []) << double
      end

      def constant(undo)
        (@constants ||= []) << undo
      end

      def verify
        (@stubs || {}).each_value { |stubbed| stubbed.answers.reverse_each(&:verify) }
      end

      def teardown
        (@stubs || {}).values.reverse_each(&:restore)
        (@constants || []).reverse_each(&:call)
        @stubs = nil
        @constants = nil
        @order = nil
      end

      def shown(object)
        object.is_a?(TestDouble) ? object.inspect : object.is_a?(Module) ? "(#{object} (class))" : "(#{object.inspect})"
      end

      def shown_arguments(args, keywords)
        all = keywords.empty? ? args : [*args, keywords]
        all.empty? ? '(no args)' : "(#{all.map { |one| Matchers.shown(one) }.join(', ')})"
      end

      def space = self
      def proxies = @stubs || {}
      def any_instance_recorders = {}

      def with_temporary_scope
        before = @stubs
        setup
        yield
        verify
      ensure
        teardown
        @stubs = before
      end
    end
  end
end
