# Examples of functions: they run in a compilation, whose scope they can ask.

module RSpec
  module Puppet
    # A function as `run` calls it.
    class FunctionWrapper
      # The classes of Ruby that stand for types of Puppet's.
      TYPES = [Array, Float, Hash, Integer, Numeric, Regexp, String].freeze

      attr_reader :func_name

      def initialize(name)
        @func_name = name
      end

      def execute(*args, &block)
        scope = ::Puppet::Parser::Scope.top
        return scope.call_function(func_name, args.map { |arg| frozen(arg) }, &block) unless ::Puppet::Parser::Scope.old_function?(func_name)

        # To functions of the old API a missing value is an empty string.
        ::Puppet::Parser::Functions.function(func_name)
        scope.public_send("function_#{func_name}", args.map { |arg| arg.nil? || arg == :undef ? '' : arg }, &block)
      end

      # Older suites call the subject with a scope or with a list of arguments.
      def call(*args)
        args.size == 1 && args.first.is_a?(Array) ? execute(*args.first) : execute(*args.drop(1))
      end

      def func = self
      def closure_scope = ::Puppet::Parser::Scope.top

      private

      def frozen(arg)
        case arg
        when Array then arg.each { |one| frozen(one) }.freeze
        when Hash then arg.each { |key, one| [frozen(key), frozen(one)] }.freeze
        when String then arg.freeze
        when Class then return ::Puppet::Parser::Scope.parse_type(arg.name) if TYPES.include?(arg)
        when Sensitive then return ::Puppet::Pops::Types::PSensitiveType::Sensitive.new(arg.unwrap)
        end
        arg
      end
    end

    module FunctionExampleGroup
      include FunctionMatchers
      include ManifestMatchers
      include Support

      def subject
        @subject ||= find_function
      end

      def find_function(name = self.class.top_level_description)
        return unless ::Puppet::Parser::Scope.function?(name)

        # What the file of the function defines besides can be replaced.
        ::Puppet::Parser::Scope.load_function(name)
        FunctionWrapper.new(name)
      end

      def scope = ::Puppet::Parser::Scope.top
      def call_function(name, *args) = scope.call_function(name, args)
      def compiler = scope.compiler
      def catalogue = OpenCatalog.new

      def exported_resources = -> { catalogue }

      # Runs a block in a compilation of what `pre_condition` says.
      def __in_compilation(&block)
        Kukla::Suite.in_compilation(__request(nodename(:function), pre_cond.to_s), &block)
      end
    end

    # The catalog of a compilation that goes on.
    class OpenCatalog < ::Puppet::Resource::Catalog
      def initialize
        @open = ::Puppet::Parser::Catalog.current
      end

      def resource(type, title = nil)
        type, title = ::Puppet::Resource.type_and_title(type.to_s, nil) if title.nil?
        found = @open.resource(::Puppet::Resource.proper_type(type.to_s), title.to_s)
        found && OpenResource.new(found)
      end

      def resources = @open.resources.map { |resource| OpenResource.new(resource) }
      def classes = @open.classes
      def __native = self
      def refusals = []
      def cycles = []
      alias related resource
      def missing_dependency = nil
    end

    class OpenResource < ::Puppet::Resource::Compiled
      def initialize(resource)
        kind = ::Puppet::Type.type(resource.type.downcase.to_sym) ? 'compilable_type' : 'defined_type'
        super(nil, nil, [resource.type, resource.title.to_s, resource.to_hash, nil, nil, false, false, kind, []])
      end

      def namevar = :name
      def uniqueness_key = [title]
    end
  end
end

RSpec.world.around_example do |example, run|
  if example.instance.is_a?(RSpec::Puppet::FunctionExampleGroup)
    example.instance.__in_compilation(&run)
  else
    run.call
  end
end
