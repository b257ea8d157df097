# The groups of a file, and their run.

module RSpec
  module Version
    STRING = '3.13.0'
  end

  class << self
    attr_accessor :current_example

    def world
      @world ||= Core::World.new
    end

    def configuration
      @configuration ||= Core::Configuration.new
    end

    def configure
      yield configuration
    end

    def describe(*args, &block)
      Core::ExampleGroup.describe(*args, &block)
    end
    alias context describe
    alias example_group describe

    def xdescribe(*args, &block) = Core::ExampleGroup.xdescribe(*args, &block)
    alias xcontext xdescribe
    def fdescribe(*args, &block) = Core::ExampleGroup.fdescribe(*args, &block)
    alias fcontext fdescribe

    def shared_examples(name, *args, &block)
      Core::SharedExampleGroup.add(nil, name, args, block)
    end
    alias shared_context shared_examples
    alias shared_examples_for shared_examples

    def deprecate(*) = nil
    def warn_deprecation(*) = nil
    def warning(*) = nil
    def clear_examples = world.groups.clear
    def reset = nil
  end

  module Core
    class World
      attr_reader :groups
      attr_accessor :file

      def initialize
        @groups = []
        @preparations = []
        @surroundings = []
      end

      def next_index
        groups.size + 1
      end

      # Code that runs before each example, before any hook.
      def on_example(&block) = @preparations << block

      # Code that runs around each example and the hooks of its groups.
      def around_example(&block) = @surroundings << block

      def prepare(example)
        @preparations.each { |block| block.call(example) }
      end

      def surround(example, &inner)
        @surroundings.inject(inner) { |run, outer| proc { outer.call(example, run) } }.call
      end

      # Loads a file of examples.
      def load_file(path, shown)
        @file = shown
        load(path)
      end

      # The examples that a block selects.
      def list(&chosen)
        groups.flat_map(&:descendants).select { |example| wanted?(example) && chosen.call(example) }
      end

      # Runs the examples that a block selects, and gives them all.
      def run(&chosen)
        selected = list(&chosen)
        return [] if selected.empty?

        @wanted = selected.to_h { |example| [example, true] }
        run_suite_hooks(:before)
        groups.each { |group| run_group(group, {}) }
        run_suite_hooks(:after)
        selected
      end

      def filtered_examples
        {}
      end

      private

      def wanted?(example)
        config = RSpec.configuration
        metadata = example.metadata
        return false if (metadata.key?(:if) && !metadata[:if]) || (metadata.key?(:unless) && metadata[:unless])
        return false if config.exclusion_filter.any? && Filter.any?(config.exclusion_filter, example.metadata)
        return false if config.inclusion_filter.any? && !Filter.any?(config.inclusion_filter, example.metadata)

        focus = config.focus_filter
        focus.empty? || !focused? || Filter.any?(focus, example.metadata)
      end

      def focused?
        return @focused unless @focused.nil?

        @focused = groups.flat_map(&:descendants).any? { |example| Filter.any?(RSpec.configuration.focus_filter, example.metadata) }
      end

      def run_suite_hooks(kind)
        RSpec.configuration.hooks_of(kind, :suite).each { |hook| Object.new.instance_exec(&hook.block) }
      end

      def run_group(group, inherited)
        return unless group.descendants.any? { |example| @wanted[example] }

        variables, failure = prepare_group(group, inherited)
        group.examples.each do |example|
          next unless @wanted[example]

          failure ? example.fail_with(failure) : example.run(variables)
        end
        group.children.each { |child| failure ? fail_all(child, failure) : run_group(child, variables) }
        finish_group(group, variables)
      end

      def fail_all(group, failure)
        group.descendants.each { |example| example.fail_with(failure) if @wanted[example] }
      end

      def prepare_group(group, inherited)
        hooks = group.hooks_of(:before, :context)
        hooks = [*RSpec.configuration.hooks_of(:before, :context).select { |hook| hook.for?(group.metadata) }, *hooks] if group.parent.nil?
        return [inherited, nil] if hooks.empty?

        instance = group.new
        inherited.each { |name, value| instance.instance_variable_set(name, value) }
        hooks.each { |hook| instance.instance_exec(group, &hook.block) }
        [variables_of(instance), nil]
      rescue Exception => e # rubocop:disable Lint/RescueException
        raise if e.is_a?(SystemExit)

        [inherited, e]
      end

      def variables_of(instance)
        names = instance.instance_variables - [:@__memoized]
        names.to_h { |name| [name, instance.instance_variable_get(name)] }
      end

      def finish_group(group, variables)
        hooks = group.hooks_of(:after, :context)
        hooks = [*hooks, *RSpec.configuration.hooks_of(:after, :context).select { |hook| hook.for?(group.metadata) }] if group.parent.nil?
        return if hooks.empty?

        instance = group.new
        variables.each { |name, value| instance.instance_variable_set(name, value) }
        hooks.each { |hook| instance.instance_exec(group, &hook.block) }
      rescue StandardError => e
        $stderr.puts "an after(:context) hook of #{group.description} failed: #{e.message}"
      end
    end
  end
end

# What suites call at the top of a file and inside of modules.
%i[describe context xdescribe xcontext fdescribe fcontext shared_examples shared_examples_for shared_context].each do |name|
  define_singleton_method(name) { |*args, &block| RSpec.public_send(name, *args, &block) }
  Module.send(:define_method, name) { |*args, &block| RSpec.public_send(name, *args, &block) }
end
