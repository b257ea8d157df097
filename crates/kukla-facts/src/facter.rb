# Facter as facts of modules know it: they add resolutions to facts, and ask for the values of others.

module Facter
  class ResolveCustomFactError < StandardError; end

  module Core
    module Execution
      class ExecutionFailure < StandardError; end

      module_function

      def which(program)
        program = program.to_s
        return (program if File.exist?(program)) if program.start_with?('/')

        directory = search_paths.find { |path| File.exist?(File.join(path, program)) }
        directory && File.join(directory, program)
      end

      def search_paths
        (Facter.value('path') || '').split(':') + %w[/sbin /usr/sbin]
      end

      def absolute_path?(path, _platform = nil)
        path.to_s.start_with?('/')
      end

      def expand_command(command)
        program, rest = command.to_s.split(/\s+/, 2)
        found = which(program.to_s.delete('"\''))
        found && [found, rest].compact.join(' ')
      end

      def with_env(_values)
        yield
      end

      def exec(command)
        execute(command, on_fail: nil)
      end

      def execute(command, options = {})
        on_fail = options.fetch(:on_fail, :raise)
        output, message = Facter.__run(command.to_s)
        return output.strip if output

        raise ExecutionFailure, "Failed while executing '#{command}': #{message}" if on_fail == :raise

        on_fail
      end

      def execute_command(command, on_fail = nil, *)
        [execute(command, on_fail: on_fail), '']
      end
    end
  end

  module Util
    module Values
      module_function

      def convert(value)
        value = value.to_s if value.is_a?(Symbol)
        value.is_a?(String) ? value.downcase : value
      end

      def deep_merge(left, right)
        return left.merge(right) { |_, a, b| deep_merge(a, b) } if left.is_a?(Hash) && right.is_a?(Hash)
        return left + right if left.is_a?(Array) && right.is_a?(Array)
        return left if right.nil?
        return right if left.nil?

        raise ArgumentError, "Cannot merge #{left.inspect}:#{left.class} and #{right.inspect}:#{right.class}"
      end
    end

    # When a resolution may be used: a fact has one of some values, or a block says so.
    class Confine
      def initialize(fact = nil, *values, &block)
        raise ArgumentError, 'The fact name must be provided' unless fact || block
        raise ArgumentError, 'One or more values or a block must be provided' if values.empty? && !block

        @fact = fact
        @values = values
        @block = block
      end

      def true?
        return !!@block.call if @block && @fact.nil?

        value = Values.convert(Facter.value(@fact))
        return false if value.nil?

        @block ? !!@block.call(value) : @values.any? { |wanted| Values.convert(wanted) === value }
      rescue StandardError
        false
      end
    end

    # One way to find the value of a fact.
    class Resolution
      class << self
        def exec(command)
          Facter::Core::Execution.exec(command)
        end

        def which(program)
          Facter::Core::Execution.which(program)
        end

        def with_env(values, &block)
          Facter::Core::Execution.with_env(values, &block)
        end
      end

      attr_reader :name, :fact
      attr_accessor :timeout

      def initialize(name, fact)
        @name = name
        @fact = fact
        @confines = []
      end

      def resolution_type
        :simple
      end

      def options(options)
        options.each { |name, setting| instance_variable_set("@#{name}", setting) }
      end

      def has_weight(weight)
        @weight = weight
        self
      end

      def weight
        @weight || @confines.length
      end

      def confine(fact = nil, &block)
        if fact.is_a?(Hash)
          fact.each { |name, values| @confines << Confine.new(name, *values) }
        elsif block
          @confines << Confine.new(fact, &block)
        end
      end

      def suitable?
        @confines.all?(&:true?)
      end

      def setcode(command = nil, &block)
        raise ArgumentError, 'You must pass either code or a block' unless command || block

        @code = block
        @code = proc do
          output = Facter::Core::Execution.execute(command, on_fail: nil)
          output unless output.nil? || output.empty?
        end if command
        self
      end

      def on_flush; end

      def flush; end

      def value
        resolve
      rescue StandardError => e
        Facter.__problem("Error while resolving custom fact fact='#{@fact.name}', resolution='#{@name || '<anonymous>'}': #{e.message}")
        raise ResolveCustomFactError
      end

      private

      def resolve
        return @value unless @value.nil?

        @code && @code.call
      end
    end
  end

  module Core
    # A value that is put together from parts.
    class Aggregate < Util::Resolution
      class DependencyError < StandardError; end

      def initialize(name, fact)
        super
        @chunks = {}
      end

      def resolution_type
        :aggregate
      end

      def chunk(name, options = {}, &block)
        raise ArgumentError, "#{self.class.name}#chunk requires a block" unless block
        raise ArgumentError, "#{self.class.name}#expected chunk name to be a Symbol" unless name.is_a?(Symbol)

        @chunks[name] = [Array(options[:require]), block]
        self
      end

      def aggregate(&block)
        raise ArgumentError, "#{self.class.name}#aggregate requires a block" unless block

        @aggregate = block
        self
      end

      private

      def resolve
        results = {}
        @chunks.each_key { |name| run(name, results, []) }
        @aggregate ? @aggregate.call(results) : results.values.reduce { |all, one| Util::Values.deep_merge(all, one) }
      end

      def run(name, results, above)
        return results[name] if results.key?(name)
        raise DependencyError, "Could not order chunks; found the following dependency cycles: #{above.inspect}" if above.include?(name)

        needed, block = @chunks[name]
        parts = needed.map { |other| run(other, results, above + [name]) }
        results[name] = block.call(*parts)
      end
    end
  end

  module Util
    # A fact that modules find out, in any of several ways.
    class Fact
      attr_reader :name
      attr_accessor :ldapname

      def initialize(name)
        @name = name.to_s.downcase.to_sym
        @resolutions = []
      end

      def add(options = {}, &block)
        define_resolution(nil, options, &block)
      end

      def define_resolution(name, options = {}, &block)
        options = options.dup
        kind = options.delete(:type) || :simple
        made = resolution(name)
        if made.nil?
          made = { simple: Resolution, aggregate: Core::Aggregate }.fetch(kind) do
            raise ArgumentError, "Expected resolution type to be one of (:simple, :aggregate) but was #{kind}"
          end.new(name, self)
          @resolutions << made
        end
        made.options(options)
        made.instance_eval(&block) if block
        made
      rescue StandardError => e
        Facter.__problem("Unable to add resolve #{name.inspect} for fact #{@name}: #{e.message}")
        nil
      end

      def resolution(name)
        name && @resolutions.find { |made| made.name == name }
      end

      def flush
        @known = false
      end

      def value
        return @value if @known
        raise "Caught recursion on #{@name}" if @searching

        @searching = true
        begin
          @value = search
          @known = true
        ensure
          @searching = false
        end
        @value
      end

      private

      # The value of the weightiest resolution that has one; without weight, a fact of the machine goes first.
      def search
        core = Facter.__known(@name.to_s)
        suitable = @resolutions.select(&:suitable?)
        suitable.each_with_index.sort_by { |made, at| [-made.weight, at] }.each do |made, _|
          found = made.value
          next if found.nil?

          return made.weight <= 0 && !core.nil? ? core : found
        end
        core
      rescue ResolveCustomFactError
        core
      end
    end
  end

  # A fact that nobody has to find out any more.
  KnownFact = Struct.new(:name, :value)

  @facts = {}
  @loaded = []

  class << self
    def add(name, options = {}, &block)
      (@facts[name.to_s.downcase] ||= Util::Fact.new(name)).add(options, &block)
    end

    def define_fact(name, _options = {}, &block)
      fact = (@facts[name.to_s.downcase] ||= Util::Fact.new(name))
      fact.instance_eval(&block) if block
      fact
    end

    def value(name)
      name = name.to_s.downcase
      __load(name)
      found = @facts[name]
      return found.value if found

      known = __known(name)
      return known unless known.nil?

      first, *rest = name.split('.')
      return nil if rest.empty?

      __load(first)
      @facts[first] && rest.reduce(@facts[first].value) { |inside, key| inside.is_a?(Hash) ? inside[key] || inside[key.to_sym] : nil }
    end

    def fact(name)
      name = name.to_s.downcase
      __load(name)
      return @facts[name] if @facts[name]

      found = value(name)
      found.nil? ? nil : KnownFact.new(name, found)
    end
    alias [] fact

    def core_value(name)
      __known(name.to_s)
    end

    def version
      __known('facterversion')
    end

    def to_hash
      __all.merge(@facts.transform_values(&:value))
    end

    def list
      to_hash.keys.sort
    end

    def each(&block)
      to_hash.each(&block)
    end

    def loadfacts; end
    def search(*); end
    def search_external(*); end
    def clear; end
    def reset; end
    def flush; end
    def debug(*); end
    def debugonce(*); end

    def debugging?
      false
    end

    def warn(message)
      __problem(message.to_s)
    end
    alias warnonce warn
    alias error warn

    def log_exception(exception, message = nil)
      __problem((message || exception.message).to_s)
    end

    def search_path
      []
    end

    # Runs the files that may have a fact of this name, which is that of the file as a rule.
    def __load(name)
      return if @loaded.include?(name)

      @loaded << name
      __files(name).each { |file| __run_file(file) }
    end

    def __run_file(file)
      @ran ||= {}
      return if @ran[file]

      @ran[file] = true
      begin
        load(file)
      rescue StandardError, LoadError, SyntaxError, NotImplementedError, SecurityError => e
        __problem("#{file}: #{e.message}")
      end
    end

    # The value of every fact that files add.
    def __evaluate(files)
      files.each { |file| __run_file(file) }
      @facts.each_with_object({}) do |(name, fact), all|
        found = fact.value
        all[name] = plain(found) unless found.nil?
      rescue StandardError, NotImplementedError => e
        __problem("fact '#{name}': #{e.message}")
      end
    end

    private

    # Keys are text, and so is what facts have no other word for.
    def plain(value)
      case value
      when Hash then value.to_h { |key, inside| [key.to_s, plain(inside)] }
      when Array then value.map { |inside| plain(inside) }
      when Symbol then value.to_s
      else value
      end
    end
  end
end

module Puppet
  FEATURES = Class.new do
    def method_missing(name, *)
      %i[posix? root?].include?(name)
    end

    def respond_to_missing?(*)
      true
    end
  end.new

  class << self
    def features
      FEATURES
    end

    def [](_name); end

    def version
      '8.11.0'
    end

    %w[debug info notice].each { |level| define_method(level) { |*| nil } }

    %w[warning err].each { |level| define_method(level) { |message = ''| Facter.warn(message) } }
  end

  module Util
    def self.which(program)
      Facter::Core::Execution.which(program)
    end

    module Execution
      def self.execute(command, options = {})
        command = command.join(' ') if command.is_a?(Array)
        Facter::Core::Execution.execute(command, on_fail: options[:failonfail] == false ? '' : :raise)
      end
    end
  end
end

module Kernel
  # What a command writes, if it may be run.
  def `(command)
    Facter::Core::Execution.execute(command, on_fail: '').to_s
  end
end
