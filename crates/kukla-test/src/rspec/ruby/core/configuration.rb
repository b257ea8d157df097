# `RSpec.configure`.

module RSpec
  module Core
    class Configuration
      include Hooks

      Inclusion = Struct.new(:verb, :module, :conditions)

      # Settings of RSpec itself that change nothing here: they are about its output, its loading of files, its warnings.
      SILENT = %i[
        backtrace_exclusion_patterns backtrace_inclusion_patterns bisect_runner color color_mode default_color default_formatter
        default_path deprecation_stream disable_monkey_patching drb dry_run error_exit_code error_stream example_status_persistence_file_path
        exclude_pattern expose_current_running_example_as expose_dsl_globally fail_fast fail_if_no_examples failure_color
        failure_exit_code files_or_directories_to_run fixed_color formatter full_backtrace full_cause_backtrace libs
        max_displayed_failure_line_count only_failures order ordering output_stream pattern pending_color pending_failure_output
        profile_examples raise_errors_for_deprecations! raise_on_warning reporter requires run_all_when_everything_filtered seed
        shared_context_metadata_behavior silence_filter_announcements start_time success_color
        threadsafe treat_symbols_as_metadata_keys_with_true_values tty warnings world
      ].freeze

      attr_reader :inclusions, :exclusion_filter, :inclusion_filter, :focus_filter

      def initialize
        @inclusions = []
        @settings = { backtrace_exclusion_patterns: [], backtrace_inclusion_patterns: [] }
        @derivations = []
        @exclusion_filter = {}
        @inclusion_filter = {}
        @focus_filter = {}
      end

      def include(mod, *args) = add_inclusion(:include, mod, args)
      def extend(mod, *args) = add_inclusion(:extend, mod, args)
      def prepend(mod, *args) = add_inclusion(:prepend, mod, args)

      def include_context(name, *args)
        conditions = Metadata.from(args)
        @inclusions << Inclusion.new(:include_context, name, conditions)
      end

      # Adds the modules to a group that are meant for it.
      def configure_group(group)
        inclusions.each do |inclusion|
          next unless inclusion.conditions.empty? ? group.parent.nil? : Filter.any?(inclusion.conditions, group.metadata)
          next if inclusion.verb == :include && group.include?(inclusion.module)

          group.send(inclusion.verb, inclusion.module)
        end
      end

      def define_derived_metadata(*args, &block)
        @derivations << [Metadata.from(args), block]
      end

      def derive(metadata)
        @derivations.each { |conditions, block| block.call(metadata) if conditions.empty? || Filter.any?(conditions, metadata) }
      end

      def when_first_matching_example_defined(*) = nil

      def filter_run_excluding(*args) = @exclusion_filter.merge!(Metadata.from(args))
      alias exclusion_filter= filter_run_excluding

      def filter_run_including(*args) = @inclusion_filter.merge!(Metadata.from(args))
      alias filter_run filter_run_including
      alias inclusion_filter= filter_run_including

      def filter_run_when_matching(*args) = @focus_filter.merge!(Metadata.from(args))

      def add_setting(name, options = {})
        @settings[name] = options[:default] if options.key?(:default) && !@settings.key?(name)
        @settings[name] = nil unless @settings.key?(name)
        define_singleton_method(name) { @settings[name] }
        define_singleton_method(:"#{name}=") { |value| @settings[name] = value }
        define_singleton_method(:"#{name}?") { !!@settings[name] }
      end

      def mock_with(framework)
        @mock_framework = framework
        yield mock_configuration if block_given?
      end
      alias mock_framework= mock_with

      def expect_with(*)
        yield expectation_configuration if block_given?
      end

      MockFramework = Struct.new(:framework_name)

      def mock_framework
        MockFramework.new(@mock_framework.is_a?(Symbol) ? @mock_framework : :rspec)
      end

      # Options of mocks and expectations that change nothing here.
      class Quiet
        attr_accessor :syntax, :max_formatted_output_length

        def include_chain_clauses_in_custom_matcher_descriptions? = false

        def method_missing(*) = nil
        def respond_to_missing?(*) = true
      end

      def mock_configuration = @mock_configuration ||= Quiet.new
      def expectation_configuration = @expectation_configuration ||= Quiet.new

      def alias_it_behaves_like_to(name, prefix = nil)
        ExampleGroup.define_singleton_method(name) { |*args, &block| nested(prefix || name.to_s.tr('_', ' '), args.shift, args, {}, block) }
      end
      alias alias_it_should_behave_like_to alias_it_behaves_like_to

      def alias_example_to(name, extra = {})
        ExampleGroup.define_singleton_method(name) { |*args, &block| example(*with_metadata(args, extra), &block) }
      end

      def alias_example_group_to(name, extra = {})
        ExampleGroup.define_singleton_method(name) { |*args, &block| describe(*with_metadata(args, extra), &block) }
      end

      def shared_prefix(prefix)
        prefix == 'it should behave like' ? 'behaves like' : prefix
      end

      # What suites ask for to write a message.
      class Reporter
        def message(text) = $stderr.puts(text)
        def register_listener(*) = nil
        def method_missing(*) = nil
        def respond_to_missing?(*) = true
      end

      def reporter = @reporter ||= Reporter.new

      def add_formatter(*) = nil
      def register_ordering(*) = nil
      def on_example_group_definition(&) = nil
      def backtrace_formatter = Quiet.new
      def default_formatter = 'progress'

      def method_missing(name, *args)
        plain = name.to_s.delete_suffix('=').delete_suffix('?').to_sym
        return super unless SILENT.include?(plain) || SILENT.include?(name) || name.end_with?('=') && @settings.key?(plain)

        name.end_with?('=') ? @settings[plain] = args.first : @settings[plain]
      end

      def respond_to_missing?(name, _all = false)
        SILENT.include?(name.to_s.delete_suffix('=').delete_suffix('?').to_sym)
      end

      private

      def add_inclusion(verb, mod, args)
        @inclusions << Inclusion.new(verb, mod, Metadata.from(args))
      end
    end
  end
end
