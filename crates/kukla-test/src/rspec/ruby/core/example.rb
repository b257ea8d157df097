# One example, and its run through all hooks.

module RSpec
  module Core
    class Example
      attr_reader :group, :metadata, :block, :instance, :exception, :status, :reason, :time, :index
      attr_writer :generated

      # What an `around` hook is given in place of the example.
      class Procsy
        def initialize(example, &run)
          @example = example
          @run = run
        end

        def run
          @run.call
        end
        alias call run

        def to_proc
          method(:run).to_proc
        end

        def method_missing(name, ...)
          @example.public_send(name, ...)
        end

        def respond_to_missing?(name, all = false)
          @example.respond_to?(name, all)
        end
      end

      def initialize(group, name, given, block)
        @group = group
        @name = name
        @block = block
        @index = group.next_index
        file, line = block ? block.source_location : [group.metadata[:file_path], group.metadata[:line_number]]
        @full_base = group.metadata[:full_description]
        file = Metadata.relative_path(file)
        trail = [*group.trail, @index].join(':')
        @metadata = given.merge(
          description: name.to_s, description_args: [name].compact, full_description: nil, described_class: group.described_class,
          file_path: file, absolute_file_path: File.expand_path(file), rerun_file_path: RSpec.world.file, line_number: line,
          location: "#{file}:#{line}", block: block, example_group: group.metadata, scoped_id: trail, id: "#{RSpec.world.file}[#{trail}]",
          execution_result: Struct.new(:status, :exception).new
        )
        @metadata[:full_description] = Metadata.joined(@full_base, name) || @full_base
        RSpec.configuration.derive(@metadata)
      end

      def description
        name = @name.to_s
        return name unless name.empty?

        @generated || "example at #{metadata[:location]}"
      end

      def full_description
        Metadata.joined(@full_base, description)
      end

      def id = metadata[:id]
      def example_group = group
      def example_group_instance = instance
      def example = self
      def location = metadata[:location]
      def file_path = metadata[:file_path]
      def execution_result = metadata[:execution_result]
      def inspect = "#<RSpec::Core::Example #{full_description.inspect}>"

      def pending?
        !!metadata[:pending]
      end

      def skipped?
        !!metadata[:skip]
      end

      def declare_pending(reason)
        metadata[:pending] = true
        @reason = reason
      end

      # Runs the example in an instance of its group that has the variables of `before(:all)`.
      def run(variables)
        began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        RSpec.current_example = self
        if block.nil?
          finish(:pending, 'Not yet implemented')
        elsif skipped?
          finish(:skipped, text(metadata[:skip]) || 'No reason given')
        else
          @instance = group.new
          variables.each { |name, value| @instance.instance_variable_set(name, value) }
          perform
        end
      ensure
        RSpec.current_example = nil
        @instance = nil
        @time = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
      end

      # Ends an example whose group could not be prepared.
      def fail_with(exception)
        @exception = exception
        finish(:failed, nil)
      end

      def set_exception(exception)
        @exception ||= exception
      end

      private

      def text(value)
        value == true ? nil : value.to_s
      end

      def perform
        RSpec.world.prepare(self)
        around(arounds) { run_with_hooks }
      rescue Skipped => e
        @skip_reason = e.message
      rescue Exception => e # rubocop:disable Lint/RescueException
        raise if e.is_a?(SystemExit)

        set_exception(e)
      ensure
        conclude
      end

      def conclude
        if @skip_reason
          finish(:skipped, @skip_reason)
        elsif pending?
          reason = @reason || text(metadata[:pending]) || 'No reason given'
          return finish(:pending, reason) if @exception

          @exception = Expectations::PendingExampleFixedError.new("Expected pending '#{reason}' to fail. No error was raised.")
          finish(:failed, nil)
        else
          finish(@exception ? :failed : :passed, nil)
        end
      end

      def finish(status, reason)
        @status = status
        @reason = reason
        metadata[:execution_result].status = status
        metadata[:execution_result].exception = @exception
      end

      def arounds
        own = group.parent_groups.reverse.flat_map { |one| one.hooks_of(:around, :example) }
        [*RSpec.configuration.hooks_of(:around, :example), *own].select { |hook| hook.for?(metadata) }
      end

      def around(hooks, &innermost)
        return innermost.call if hooks.empty?

        was_run = false
        procsy = Procsy.new(self) do
          was_run = true
          around(hooks.drop(1), &innermost)
          @exception
        end
        instance.instance_exec(procsy, &hooks.first.block)
      end

      def run_with_hooks
        RSpec::Mocks.setup
        begin
          RSpec.configuration.hooks_of(:before, :example).each { |hook| run_hook(hook) }
          RSpec.world.surround(self) do
            before_hooks
            Matchers.clear_generated_description
            instance.instance_exec(self, &block)
          end
          @generated = Matchers.generated_description if @name.to_s.empty?
        rescue Skipped => e
          @skip_reason = e.message
        rescue Exception => e # rubocop:disable Lint/RescueException
          raise if e.is_a?(SystemExit)

          @generated = Matchers.generated_description if @name.to_s.empty?
          set_exception(e)
        ensure
          after_hooks
          verify_mocks
        end
      end

      def before_hooks
        group.parent_groups.reverse_each { |one| one.hooks_of(:before, :example).each { |hook| run_hook(hook) } }
      end

      def after_hooks
        hooks = group.parent_groups.flat_map { |one| one.hooks_of(:after, :example) }
        [*hooks, *RSpec.configuration.hooks_of(:after, :example)].each do |hook|
          run_hook(hook)
        rescue Skipped, StandardError, NotImplementedError => e
          set_exception(e) unless e.is_a?(Skipped)
        end
      end

      def run_hook(hook)
        instance.instance_exec(self, &hook.block) if hook.for?(metadata)
      end

      def verify_mocks
        RSpec::Mocks.verify unless @exception || @skip_reason
      rescue Exception => e # rubocop:disable Lint/RescueException
        set_exception(e)
      ensure
        RSpec::Mocks.teardown
      end
    end
  end
end
