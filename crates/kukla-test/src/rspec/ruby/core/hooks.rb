# Hooks before, after and around examples and groups.

module RSpec
  module Core
    module Hooks
      Hook = Struct.new(:block, :conditions) do
        def for?(metadata)
          conditions.empty? || Filter.any?(conditions, metadata)
        end
      end

      SCOPES = { each: :example, example: :example, all: :context, context: :context, suite: :suite }.freeze

      def before(*args, &block)
        add_hook(:push, :before, args, block)
      end
      alias append_before before

      def prepend_before(*args, &block)
        add_hook(:unshift, :before, args, block)
      end

      def after(*args, &block)
        add_hook(:unshift, :after, args, block)
      end
      alias prepend_after after

      def append_after(*args, &block)
        add_hook(:push, :after, args, block)
      end

      def around(*args, &block)
        add_hook(:push, :around, args, block)
      end

      def hooks_of(kind, scope)
        @hooks ||= {}
        @hooks[[kind, scope]] ||= []
      end

      private

      def add_hook(place, kind, args, block)
        conditions = Metadata.from(args.select { |arg| !SCOPES.key?(arg) })
        scope = SCOPES.fetch(args.find { |arg| SCOPES.key?(arg) } || :each)
        hooks_of(kind, scope).send(place, Hook.new(block, conditions))
      end
    end
  end
end
