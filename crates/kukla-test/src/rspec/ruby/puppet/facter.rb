# Facter as examples of facts use it: facts that a file adds, above those of the node.

module Facter
  module Core
    module Execution
      class ExecutionFailure < StandardError; end

      class << self
        def which(program) = ENV['PATH'].to_s.split(':').map { |path| File.join(path, program) }.find { |file| File.exist?(file) }
        def exec(command) = execute(command)

        def execute(command, options = {})
          Puppet::Util::Execution.execute(command).to_s.strip
        rescue StandardError => e
          raise ExecutionFailure, e.message unless options.key?(:on_fail)

          options[:on_fail]
        end
      end
    end
  end

  module Util
    # One way to find out a fact.
    class Resolution
      attr_reader :name, :weight, :value_given

      class << self
        def which(program) = Core::Execution.which(program)
        def exec(command) = Core::Execution.exec(command)
      end

      def initialize(name, options)
        @name = name
        @confines = []
        @weight = options[:weight]
        @chunks = {}
        take(options)
      end

      def confine(given = nil, *values, &block)
        case given
        when Hash then given.each { |fact, wanted| @confines << -> { fits?(Facter.value(fact), wanted) } }
        when nil then @confines << block
        else @confines << -> { block ? block.call(Facter.value(given)) : fits?(Facter.value(given), values) }
        end
      end

      def has_weight(weight) = @weight = weight
      def setcode(command = nil, &block) = @code = block || -> { Core::Execution.execute(command) }
      def chunk(name, options = {}, &block) = @chunks[name] = [Array(options[:require]), block]
      def aggregate(&block) = @aggregate = block
      def on_flush(&) = nil
      def timeout=(_seconds); end
      def suitable? = @confines.all?(&:call)
      def weigh = @weight || @confines.size

      def resolve
        return @code&.call if @chunks.empty?

        results = @chunks.each_with_object({}) { |(name, (needed, block)), all| all[name] = block.call(*needed.map { |one| all[one] }) }
        @aggregate ? @aggregate.call(results) : results.values.inject { |one, other| one.is_a?(Hash) ? one.merge(other) : one + other }
      end
      alias value resolve

      private

      def take(options)
        @value_given = options[:value]
        @code = -> { options[:value] } if options.key?(:value)
        confine(options[:confine]) if options[:confine]
      end

      def fits?(value, wanted)
        Array(wanted).any? do |one|
          case one
          when Symbol, String then value.to_s.casecmp?(one.to_s)
          else one === value
          end
        end
      end
    end

    class Fact
      attr_reader :name, :resolutions

      def initialize(name)
        @name = name
        @resolutions = []
      end

      def value
        return @value if @resolved

        @resolved = true
        suitable = @resolutions.select(&:suitable?).sort_by { |one| -one.weigh }
        @value = suitable.lazy.map(&:resolve).reject(&:nil?).first
      end

      def flush = @resolved = false
      def clear = flush
    end
  end

  class << self
    alias node_value value

    def add(name, options = {}, &block)
      fact = (@added ||= {})[name.to_s.downcase] ||= Util::Fact.new(name.to_sym)
      resolution = Util::Resolution.new(options[:name] || name, options)
      resolution.instance_eval(&block) if block
      fact.resolutions << resolution
      fact.flush
      fact
    end

    def value(name)
      added = added(name)
      return added.value if added

      found = node_value(name)
      found.nil? ? custom(name)&.value : found
    end
    alias fact_value value

    def fact(name)
      found = added(name)
      return found if found

      value = node_value(name)
      value.nil? ? custom(name) : Fact.new(name.to_s, value)
    end
    alias [] fact

    def clear
      @searched = {}
      @added = {}
    end
    alias reset clear
    def flush = (@added ||= {}).each_value(&:flush)
    def list = (@added ||= {}).keys
    def to_hash = Puppet::Parser::Scope.facts.merge((@added ||= {}).transform_values(&:value))
    def collection = self
    def loader = self
    def version = '4.11.0'

    private

    def added(name) = (@added ||= {})[name.to_s.downcase]

    # A fact of the module itself: in the file of its name, else in any other.
    def custom(name)
      own = File.join(Dir.pwd, 'lib', 'facter')
      load_facts([File.join(own, "#{name}.rb")])
      load_facts(Dir[File.join(own, '*.rb')]) unless added(name)
      added(name)
    end

    def load_facts(files)
      @searched ||= {}
      files.each do |file|
        next if @searched[file] || !File.file?(file)

        @searched[file] = true
        begin
          Kernel.load(file)
        rescue LoadError, StandardError
          # Facter goes on without a file that cannot be run.
          next
        end
      end
    end

    public

    %i[clear_messages loadfacts search search_external debugging trace load load_all setup_logging].each { |name| define_method(name) { |*| nil } }
  end
end
