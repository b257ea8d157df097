# `let`, `subject` and what follows from them.

module RSpec
  module Core
    module MemoizedHelpers
      def subject
        __memoized.fetch(:subject) do
          __memoized[:subject] = begin
            described = described_class || self.class.metadata[:description_args].first
            described.is_a?(Class) ? described.new : described
          end
        end
      end

      def should(matcher = nil, message = nil)
        RSpec::Expectations::Handler.positive(subject, matcher, message)
      end

      def should_not(matcher = nil, message = nil)
        RSpec::Expectations::Handler.negative(subject, matcher, message)
      end

      def is_expected
        expect(subject)
      end

      def __memoized
        @__memoized ||= {}
      end

      module ClassMethods
        def let(name, &block)
          raise ArgumentError, '#let or #subject called without a block' if block.nil?
          raise ArgumentError, "#let or #subject called with reserved name #initialize" if name.to_sym == :initialize

          definitions = own_module(:LetDefinitions)
          if block.arity == 1
            # The example is given to those that ask for it.
            definitions.send(:define_method, name) { instance_exec(RSpec.current_example, &block) }
          else
            definitions.send(:define_method, name, &block)
          end
          define_method(name) { __memoized.fetch(name) { __memoized[name] = super(&nil) } }
        end

        def let!(name, &block)
          let(name, &block)
          before { __send__(name) }
        end

        def subject(name = nil, &block)
          if name
            let(name, &block)
            alias_method :subject, name
          else
            let(:subject, &block)
          end
        end

        def subject!(name = nil, &block)
          subject(name, &block)
          before { subject }
        end

        # `its(:size) { is_expected.to eq 1 }`, as rspec-its has it.
        def its(attribute, *options, &block)
          describe(attribute.to_s) do
            let(:__its_subject) do
              if attribute.is_a?(Array)
                super_subject = subject
                attribute.length == 1 ? super_subject[attribute.first] : super_subject[*attribute]
              else
                attribute.to_s.split('.').inject(subject) { |inner, name| inner.public_send(name) }
              end
            end
            define_method(:is_expected) { expect(__its_subject) }
            define_method(:should) { |matcher = nil, message = nil| RSpec::Expectations::Handler.positive(__its_subject, matcher, message) }
            define_method(:should_not) { |matcher = nil, message = nil| RSpec::Expectations::Handler.negative(__its_subject, matcher, message) }
            alias_method :are_expected, :is_expected
            example(nil, *options, &block)
          end
        end

        private

        # A module of the group's own, so that `super` reaches the groups around it.
        def own_module(name)
          return const_get(name, false) if const_defined?(name, false)

          made = Module.new
          const_set(name, made)
          include(made)
          made
        end
      end
    end
  end
end
