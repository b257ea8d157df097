# Functions of the present API: what `create_function` makes. Dispatching itself is done by the compiler, which reads what is gathered here.

module Puppet
  module Pops
    module Functions
      class Function
        attr_reader :loader

        def initialize(closure_scope = nil, loader = nil)
          @closure_scope = closure_scope
          @loader = loader
        end

        def closure_scope
          @closure_scope || Puppet::Parser::Scope.top
        end

        def call_function(function_name, *args, &block)
          closure_scope.call_function(function_name, args, &block)
        end

        def call(scope, *args, &block)
          scope.call_function(self.class.name, args, &block)
        end

        class << self
          def dispatches
            @dispatches ||= []
          end

          # A function may have an `initialize` of its own, which is given both.
          def instance
            @instance ||= new(nil, nil)
          end

          # What a function keeps for itself between calls.
          def cache
            @cache ||= {}
          end

          def dispatcher
            Dispatcher.new(self)
          end

          # Whether calls go to a method of the function's own, which may then dispatch as it likes.
          def calls_itself?
            instance_method(:call).owner != Function
          end

          def name
            @func_name || super
          end
        end

        protected

        def internal_call_function(scope, function_name, args, &block)
          scope.call_function(function_name, args, &block)
        end
      end
    end
  end

  # Chooses the method for arguments that a function has changed before.
  class Dispatcher
    def initialize(function)
      @function = function
    end

    def dispatch(instance, scope, args, &block)
      chosen = @function.dispatches.find { |one| takes?(one, args) }
      return instance.send(chosen[:method], *args, &block) if chosen

      expected = @function.dispatches.map { |one| one[:names].join(', ') }.join(') or (')
      raise ArgumentError, "The function '#{@function.name}' was called with arguments it does not accept. It expects (#{expected})"
    end

    private

    def takes?(one, args)
      return false if args.size < one[:min] || (one[:max] != :default && args.size > one[:max])

      args.each_with_index.all? do |arg, at|
        type = one[:types][at] || one[:types].last
        type == 'Any' || (type.is_a?(String) ? Puppet::Parser::Scope.parse_type(type) : type).instance?(arg)
      end
    end
  end

  module Functions
    class << self
      def created
        @created ||= {}
      end

      def create_function(func_name, function_base = Function, &block)
        create_loaded_function(func_name, nil, function_base, &block)
      rescue StandardError => e
        raise ArgumentError, "Function Load Error for function '#{func_name}': #{e.message}"
      end

      def create_loaded_function(func_name, _loader, function_base = Function, &block)
        unless function_base <= Puppet::Pops::Functions::Function
          raise ArgumentError, "Functions must be based on Puppet::Pops::Functions::Function. Got #{function_base}"
        end

        name = func_name.to_s
        made = Class.new(function_base)
        made.instance_variable_set(:@func_name, name)
        made.class_eval(&block)
        made.dispatches << default_dispatch(made, name.split('::').last) if made.dispatches.empty?
        created[name] = made
      end

      def default_dispatch(made, simple_name)
        unless made.method_defined?(simple_name)
          raise ArgumentError, 'Function Creation Error, cannot create a default dispatcher for function ' \
                               "'#{simple_name}', no method with this name found"
        end

        kinds = made.instance_method(simple_name).parameters
        least = kinds.count { |kind, _| kind == :req }
        most = kinds.any? { |kind, _| kind == :rest } ? :default : least + kinds.count { |kind, _| kind == :opt }
        positional = kinds.select { |kind, _| %i[req opt rest].include?(kind) }
        { method: simple_name, types: ['Any'], names: positional.map { |_, name| name.to_s }, min: least, max: most,
          weaving: nil, injections: [], plain: true }
      end
    end

    class Function < Puppet::Pops::Functions::Function
      class << self
        def builder
          DispatcherBuilder.new(self)
        end

        def dispatch(method_name, &block)
          builder.dispatch(method_name, false, &block)
        end

        def argument_mismatch(method_name, &block)
          builder.dispatch(method_name, true, &block)
        end

        def aliases
          @aliases ||= []
        end

        def local_types(&block)
          LocalTypeAliasesBuilder.new(self).instance_eval(&block)
        end
      end
    end

    class InternalFunction < Function
      def self.builder
        InternalDispatchBuilder.new(self)
      end

      def call_function_with_scope(scope, function_name, *args, &block)
        scope.call_function(function_name, args, &block)
      end
    end

    class DispatcherBuilder
      attr_reader :loader

      def initialize(function)
        @function = function
      end

      def dispatch(method_name, mismatch, &block)
        @types = []
        @names = []
        @weaving = []
        @injections = []
        @min = 0
        @max = 0
        @block_type = nil
        @block_name = nil
        @block_optional = false
        @return_type = nil
        instance_eval(&block)
        @function.dispatches << {
          method: method_name.to_s, types: @types, names: @names.map(&:to_s), min: @min, max: @max, block_type: @block_type,
          block_name: @block_name && @block_name.to_s, block_optional: @block_optional, return_type: @return_type,
          weaving: @weaving, injections: @injections, mismatch: mismatch
        }
      end

      def param(type, name)
        add(type, name)
        raise ArgumentError, 'A required parameter cannot be added after an optional parameter' if @min != @max

        @min += 1
        @max += 1
      end
      alias required_param param

      def optional_param(type, name)
        add(type, name)
        @max += 1
      end

      def repeated_param(type, name)
        add(type, name, true)
        @max = :default
      end
      alias optional_repeated_param repeated_param

      def required_repeated_param(type, name)
        add(type, name, true)
        raise ArgumentError, 'A required repeated parameter cannot be added after an optional parameter' if @min != @max

        @min += 1
        @max = :default
      end

      def block_param(*type_and_name)
        type, name =
          case type_and_name.size
          when 0 then ['Callable', :block]
          when 1 then ['Callable', type_and_name[0]]
          when 2 then type_and_name
          else raise ArgumentError, "block_param accepts max 2 arguments (type, name), got #{type_and_name.size}."
          end
        raise ArgumentError, "Expected block_param name to be a Symbol, got #{name.class}" unless name.is_a?(Symbol)
        raise ArgumentError, 'Attempt to redefine block' unless @block_type.nil?

        @block_type = type
        @block_name = name
      end
      alias required_block_param block_param

      def optional_block_param(*type_and_name)
        block_param(*type_and_name)
        @block_optional = true
      end

      def return_type(type)
        unless type.is_a?(String) || type.is_a?(Puppet::Pops::Types::PAnyType)
          raise ArgumentError, "Argument to 'return_type' must be a String reference to a Puppet Data Type. Got #{type.class}"
        end

        @return_type = type
      end

      private

      def add(type, name, repeat = false)
        raise ArgumentError, 'Parameters cannot be added after a block parameter' unless @block_type.nil?
        raise ArgumentError, 'Parameters cannot be added after a repeated parameter' if @max == :default
        raise ArgumentError, "Parameter name argument must be a Symbol. Got #{name.class}" if name.is_a?(String)

        unless type.is_a?(String) || type.is_a?(Puppet::Pops::Types::PAnyType)
          raise ArgumentError, "Parameter 'type' must be a String reference to a Puppet Data Type. Got #{type.class}"
        end

        @types << type
        @names << name
        @weaving << (repeat ? -@names.size : @names.size - 1)
      end
    end

    class InternalDispatchBuilder < DispatcherBuilder
      def scope_param
        inject(:scope)
      end

      def cache_param
        inject(:cache)
      end

      def compiler_param
        inject(:pal_catalog_compiler)
      end

      def pal_compiler_param
        inject(:pal_compiler)
      end

      def script_compiler_param
        inject(:pal_script_compiler)
      end

      private

      def inject(what)
        @injections << what
        @weaving << [@injections.size - 1]
      end
    end

    class LocalTypeAliasesBuilder
      def initialize(function)
        @function = function
      end

      def type(assignment)
        name, meaning = assignment.split('=', 2)
        unless meaning && name.strip =~ /\A[A-Z]\w*\z/
          raise ArgumentError, "Expected a type alias assignment on the form 'AliasType = T', got '#{assignment}'."
        end

        @function.aliases << [name.strip, meaning.strip]
      end
    end
  end
end
