# The other matchers of catalogs, functions, types and aliases.

module RSpec
  module Puppet
    module ManifestMatchers
      class Compile < RSpec::Matchers::Base
        def with_all_deps = tap { @check_dependencies = true }
        def and_raise_error(error) = tap { @error = error }

        def matches?(catalogue)
          @message = nil
          catalog = catalogue.call
          refusal = catalog.__native.refusals.first
          raise ::Puppet::Error, refusal if refusal

          @cycles = catalog.__native.cycles
          return false unless @cycles.empty?

          @missing = catalog.__native.missing_dependency if @check_dependencies
          @missing.nil? && @error.nil?
        rescue ::Puppet::Error => e
          @message = e.message
          return false if @error.nil?

          @error.is_a?(Regexp) ? e.message.match?(@error) : e.message == @error
        end

        def words
          case @error
          when nil then 'compile into a catalogue without dependency cycles'
          when Regexp then "fail to compile and raise an error matching #{@error.inspect}"
          else "fail to compile and raise the error #{@error.inspect}"
          end
        end

        def failure_message
          return "dependency cycles found: #{@cycles.join('; ')}" if @cycles && !@cycles.empty?
          return "error during compilation: #{@message}" if @message
          return "expected that the catalogue would #{words}" if @error

          "expected that the catalogue would include #{@missing}"
        end

        def failure_message_when_negated = "expected that the catalogue would #{@error ? 'compile but it does not' : 'not compile but it does'}"
        def supports_block_expectations? = true
      end

      class CountGeneric < RSpec::Matchers::Base
        OWN = ['Class[main]', 'Class[Main]', 'Class[Settings]', 'Class[settings]', 'Stage[main]'].freeze

        def initialize(type, count)
          super(count.to_i)
          @type = type
          @name = type.split('__').map(&:capitalize).join('::')
        end

        def match?(catalogue)
          resources = catalogue.call.resources.reject { |resource| OWN.include?(resource.ref) }
          @count = resources.count { |resource| @type == 'resource' ? !%w[Class Node].include?(resource.type) : resource.type == @name }
          @count == @expected
        end

        def words
          one = @expected == 1
          return "contain exactly #{@expected} #{one ? 'class' : 'classes'}" if @type == 'class'

          "contain exactly #{@expected} #{"#{@name} " unless @type == 'resource'}#{one ? 'resource' : 'resources'}"
        end

        def failure_message = "expected that the catalogue would #{words} but it contains #{@count}"
        def failure_message_when_negated = "expected that the catalogue would not #{words} but it does"
        def supports_block_expectations? = true
      end

      def compile = Compile.new
      def have_class_count(count) = CountGeneric.new('class', count)
      def have_resource_count(count) = CountGeneric.new('resource', count)
      def include_class(name) = RSpec::Matchers::Test.new("include Class[#{name}]") { |catalogue| catalogue.call.classes.include?(name) }

      def method_missing(name, *args, **keywords, &block)
        text = name.to_s
        return CreateGeneric.new(name, *args) if text.start_with?('contain_', 'create_') && name != :contain_exactly
        return CountGeneric.new(text[/\Ahave_(.+)_resource_count\z/, 1], args[0]) if text.match?(/\Ahave_.+_resource_count\z/)
        return CountGeneric.new(text[/\Ahave_(.+)_count\z/, 1], args[0]) if text.match?(/\Ahave_.+_count\z/)

        super
      end

      def respond_to_missing?(name, all = false) = name.to_s.match?(/\A(?:contain|create)_|\Ahave_.+_count\z/) || super
    end

    module FunctionMatchers
      class Run < RSpec::Matchers::Base
        def with_params(*params)
          @params = params
          @shown = params.inspect[1..-2]
          self
        end

        def with_lambda(&block) = tap { @block = block }

        def and_return(value)
          @returns = [value]
          self
        end

        def and_raise_error(error, message = nil)
          @raises = error.is_a?(String) || error.is_a?(Regexp) ? [Exception, error] : [error, message]
          self
        end

        def matches?(function)
          @function = function
          @returned = nil
          @raised = nil
          begin
            @returned = [function.execute(*@params, &@block)]
          rescue Exception => e # rubocop:disable Lint/RescueException
            @raised = e
          end
          return raised? if @raises
          return !@returned.nil? unless @returns

          !@returned.nil? && returned?
        end

        def words
          "run #{name}(#{@shown}) #{@raises || @returns ? "and #{outcome}" : 'without error'}"
        end

        def failure_message
          got = @raised ? "#{@raised.class.inspect}(#{@raised})" : @returned&.first.inspect
          verb = @returns ? "have returned #{@returns.first.inspect}" : @raises ? "have raised #{raises}" : 'have run successfully'
          how = if @raised then @returns ? " instead of raising #{got}" : " instead of #{got}"
                else @raises ? " instead of returning #{got}" : " instead of #{got}"
                end
          "expected #{name}(#{@shown}) to #{verb}#{how}"
        end

        def failure_message_when_negated = "expected #{name}(#{@shown}) to not #{@returns ? "have returned #{@returns.first.inspect}" : 'have run successfully'}"
        def supports_block_expectations? = true

        private

        def name = @function.respond_to?(:func_name) ? @function.func_name : @function.inspect

        def outcome
          return "return #{@returns.first.inspect}" if @returns && !@returns.first.is_a?(Regexp)
          return "match #{@returns.first.inspect}" if @returns

          "raise an #{raises}"
        end

        def raises = "#{@raises[0].inspect}#{" matching #{@raises[1].inspect}" if @raises[1]}"

        def raised?
          return false unless @raised && RSpec::Puppet.raised?(@raised, @raises[0])

          case @raises[1]
          when nil then true
          when Regexp then @raised.message.match?(@raises[1])
          else @raised.message == @raises[1]
          end
        end

        def returned?
          expected = @returns.first
          actual = @returned.first
          case expected
          when Regexp then !(actual =~ expected).nil?
          when RSpec::Mocks::ArgumentMatchers::KindOf, RSpec::Matchers::AliasedMatcher then expected === actual
          # A function's `:undef` arrives as nothing.
          when :undef then actual.nil? || actual == expected
          else actual == expected
          end
        end
      end

      def run = Run.new
    end

    class << self
      # A function that is part of Kukla raises no class of Ruby's, so that only its message counts.
      def raised?(error, kind)
        error.is_a?(kind) || (kind <= StandardError && error.instance_variable_defined?(:@__original__))
      end
    end

    module TypeAliasMatchers
      class AllowValue < RSpec::Matchers::Base
        def initialize(values)
          super
          @messages = []
        end

        def match?(check)
          @expected.map do |value|
            check.call(value)
            true
          rescue ::Puppet::Error => e
            @messages << e.message
            false
          end.all?
        end

        def words
          @expected.size == 1 ? "match value #{@expected.first.inspect}" : "match values #{@expected.map(&:inspect).join(', ')}"
        end

        def failure_message = "expected that the type alias would #{words} but it raised the #{@messages.size == 1 ? 'error' : 'errors'} #{@messages.join(', ')}"
        def failure_message_when_negated = "expected that the type alias would not #{words} but it does"
        def supports_block_expectations? = true
      end

      def allow_value(*values) = AllowValue.new(values)
      alias allow_values allow_value
    end

    module GenericMatchers
    end
  end

  module Matchers
    module BuiltIn
      class RaiseError
        private

        def kind?(raised) = @error.is_a?(Module) ? RSpec::Puppet.raised?(raised, @error) : Fuzzy.match?(@error, raised)
      end
    end
  end
end
