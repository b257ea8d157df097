# Shared examples and contexts: blocks that many groups evaluate.

module RSpec
  module Core
    SharedBlock = Struct.new(:block, :metadata)

    module SharedExampleGroup
      # The shared blocks by the group that defines them; `nil` for those at the top.
      BLOCKS = {}

      class << self
        def add(group, name, args, block)
          (BLOCKS[group] ||= {})[key(name)] = SharedBlock.new(block, Metadata.from(args))
        end

        def find(groups, name)
          [*groups, nil].each do |group|
            found = BLOCKS[group] && BLOCKS[group][key(name)]
            return found if found
          end
          nil
        end

        # Contexts that come with metadata.
        def each_for(metadata)
          (BLOCKS[nil] || {}).each_value do |shared|
            yield shared if !shared.metadata.empty? && Filter.any?(shared.metadata, metadata)
          end
        end

        private

        def key(name)
          name.is_a?(Module) ? name : name.to_s
        end
      end

      def shared_examples(name, *args, &block)
        SharedExampleGroup.add(is_a?(Class) && self <= ExampleGroup ? self : nil, name, args, block)
      end
      alias shared_context shared_examples
      alias shared_examples_for shared_examples
    end
  end
end
