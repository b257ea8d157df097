# A group of examples: a class whose instances run them.

module RSpec
  module Core
    class ExampleGroup
      include MemoizedHelpers
      extend MemoizedHelpers::ClassMethods
      extend Hooks
      extend SharedExampleGroup

      # A group whose body raised: its examples cannot be known.
      class << self
        attr_reader :metadata, :description, :children, :examples, :parent, :user_metadata, :location_file, :trail

        def describe(description = nil, *args, &block)
          made = Class.new(self)
          made.set_up(self == ExampleGroup ? nil : self, description, args, block)
          made
        end
        alias context describe
        alias example_group describe

        def xdescribe(*args, &block)
          describe(*with_metadata(args, skip: 'Temporarily skipped with xdescribe'), &block)
        end

        def xcontext(*args, &block)
          describe(*with_metadata(args, skip: 'Temporarily skipped with xcontext'), &block)
        end

        def fdescribe(*args, &block)
          describe(*with_metadata(args, focus: true), &block)
        end
        alias fcontext fdescribe

        def example(*args, &block)
          name = args.first.is_a?(Hash) || args.first.is_a?(Symbol) ? nil : args.shift
          given = Metadata.from(args)
          made = Example.new(self, name, user_metadata.merge(given), block)
          examples << made
          order << made
          made
        end
        alias it example
        alias specify example

        def fit(*args, &block) = example(*with_metadata(args, focus: true), &block)
        alias focus fit
        alias fexample fit
        alias fspecify fit

        def xit(*args, &block) = example(*with_metadata(args, skip: 'Temporarily skipped with xit'), &block)
        alias xexample xit
        alias xspecify xit

        def skip(*args, &block) = example(*with_metadata(args, skip: true), &block)
        def pending(*args, &block) = example(*with_metadata(args, pending: true), &block)

        def include_examples(name, *args, **keywords, &customization)
          shared = shared_block(name)
          class_exec(*args, **keywords, &shared.block)
          class_exec(&customization) if customization
        end
        alias include_context include_examples

        def it_behaves_like(name, *args, **keywords, &customization)
          nested('it should behave like', name, args, keywords, customization)
        end

        def it_should_behave_like(name, *args, **keywords, &customization)
          nested('it should behave like', name, args, keywords, customization)
        end

        def described_class
          metadata[:described_class]
        end

        def top_level?
          parent.nil?
        end

        def parent_groups
          [self, *(parent ? parent.parent_groups : [])]
        end

        def top_level_description
          parent_groups.last.description
        end

        def file_path
          metadata[:file_path]
        end

        def id
          metadata[:id]
        end

        # The children and examples in the order of the file.
        def order
          @order ||= []
        end

        def set_up(parent, description, args, block)
          @parent = parent
          @children = []
          @examples = []
          @hooks = {}
          @order = []
          given = Metadata.from(args)
          @user_metadata = (parent ? parent.user_metadata : {}).merge(given)
          @description_args = [description, *args].compact
          @description = @description_args.inject(nil) { |all, part| Metadata.joined(all, part) }.to_s
          @trail = parent ? [*parent.trail, parent.next_index] : [RSpec.world.next_index]
          make_metadata(description, block)
          parent ? parent.children << self : RSpec.world.groups << self
          parent&.order&.push(self)
          RSpec.configuration.configure_group(self)
          SharedExampleGroup.each_for(metadata) { |shared| class_exec(&shared.block) }
          module_exec(&block) if block
        end

        def next_index
          children.size + examples.size + 1
        end

        # Every example in and below the group.
        def descendants
          order.flat_map { |one| one.is_a?(Class) ? one.descendants : [one] }
        end

        private

        def make_metadata(description, block)
          file, line = block ? block.source_location : [RSpec.world.file, 1]
          file = Metadata.relative_path(file)
          described = description.is_a?(String) || description.is_a?(Symbol) || description.nil? ? nil : description
          above = parent&.metadata
          full = Metadata.joined(above && above[:full_description], @description)
          full = Metadata.joined(parent.metadata[:description_args].last, @description) if above && above[:full_description].empty?
          @metadata = @user_metadata.merge(
            description: @description, description_args: @description_args, full_description: full,
            described_class: described || (above && above[:described_class]), file_path: file, absolute_file_path: File.expand_path(file),
            rerun_file_path: RSpec.world.file, line_number: line, location: "#{file}:#{line}", block: block,
            parent_example_group: above, scoped_id: trail.join(':'), id: "#{RSpec.world.file}[#{trail.join(':')}]"
          )
          RSpec.configuration.derive(@metadata)
          @metadata.each { |name, value| @user_metadata[name] = value if name == :type && !@user_metadata.key?(:type) }
        end

        def with_metadata(args, more)
          args.last.is_a?(Hash) ? [*args[0..-2], args.last.merge(more)] : [*args, more]
        end

        def shared_block(name)
          found = SharedExampleGroup.find(parent_groups, name)
          raise ArgumentError, "Could not find shared examples #{name.inspect}" unless found

          found
        end

        def nested(prefix, name, args, keywords, customization)
          shared = shared_block(name)
          group = describe("#{RSpec.configuration.shared_prefix(prefix)} #{name}", **shared.metadata)
          group.class_exec(*args, **keywords, &shared.block)
          group.class_exec(&customization) if customization
          group
        end
      end

      def described_class
        self.class.described_class
      end

      def instance_eval_with_args(*args, &block)
        instance_exec(*args, &block)
      end

      def skip(reason = nil)
        raise Skipped, (reason || 'No reason given').to_s
      end

      def pending(reason = nil)
        RSpec.current_example.declare_pending(reason || 'No reason given')
      end

      def fail(*args)
        raise(*args)
      end

      def inspect
        "#<#{self.class} #{RSpec.current_example&.inspect}>"
      end
    end

    # Ends an example that is not to be run.
    class Skipped < Exception; end
  end
end
