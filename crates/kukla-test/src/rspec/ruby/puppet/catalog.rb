# A compiled catalog and its resources.

module Puppet
  class Resource
    # A resource of a compiled catalog.
    class Compiled
      attr_reader :type, :title, :file, :line, :exported, :virtual, :kind, :tags, :catalog, :position, :sensitive_parameters

      def initialize(catalog, position, parts)
        @catalog = catalog
        @position = position
        @type, @title, @parameters, @file, @line, @exported, @virtual, @kind, @tags = parts
        # A catalog has the bare value and a list of the attributes that are secret.
        @sensitive_parameters = @parameters.select { |_, value| value.is_a?(RSpec::Puppet::Sensitive) }.keys
        @sensitive_parameters.each { |name| @parameters[name] = @parameters[name].unwrap }
      end

      def ref = "#{type}[#{title}]"
      alias to_ref ref
      alias to_s ref

      def [](name)
        name = name.to_sym
        return title if name == :title

        @parameters.fetch(name) { name == namevar ? implied_name : nil }
      end

      def []=(name, value)
        @parameters[name.to_sym] = value
      end

      # The attributes with the one that the title stands for.
      def to_hash
        { namevar => implied_name }.merge(@parameters)
      end
      alias to_h to_hash

      Parameter = Struct.new(:name, :value) do
        def to_s = value.to_s
      end

      # Suites read this with `send(:parameters)`.
      def parameters = @parameters
      def keys = @parameters.keys
      def key?(name) = @parameters.key?(name.to_sym)
      alias has_key? key?
      def each(&) = @parameters.each(&)
      include Enumerable

      def name = self[:name] || title
      def builtin_type? = kind == 'compilable_type'
      def exported? = exported
      def virtual? = virtual
      def class? = type == 'Class'
      def stage? = type == 'Stage'
      def tagged?(*names) = names.flatten.any? { |name| tags.include?(name.to_s) }
      def uniqueness_key = [catalog.__native.name_of(position)]
      def resource_type = builtin_type? ? Puppet::Type.type(type.downcase.to_sym) : nil
      def ==(other) = other.respond_to?(:to_ref) && other.to_ref == to_ref
      def inspect = "#{ref}#{@parameters.inspect}"
      alias value []
      alias should []

      # Yields the relationships that the type adds: the attribute, and the other resource as a reference.
      def each_relation_by_type
        auto_relations.each do |relation, blocks|
          blocks.each { |kind, block| named_by(block).each { |name| yield relation.to_s.delete_prefix('auto'), "#{Resource.proper_type(kind.to_s)}[#{name}]" } }
        end
      end

      def namevar
        @namevar ||= (builtin_type? && catalog.__native.namevar(type) || 'name').to_sym
      end

      def is_a?(kind) = super || kind == Puppet::Resource
      alias kind_of? is_a?

      private

      def auto_relations
        builtin_type? && Puppet::Type.type(type.downcase.to_sym)&.auto_relations || {}
      rescue StandardError
        # A type whose file cannot be run adds nothing.
        {}
      end

      def named_by(block)
        Array(instance_exec(&block)).flatten.compact
      rescue StandardError
        # A block may ask what only an agent knows.
        []
      end

      def implied_name
        builtin_type? && type == 'File' ? title.sub(%r{(?<=.)/+\z}, '') : title
      end
    end

    class Catalog
      class DuplicateResourceError < Puppet::Error; end

      def self.compile(request, here)
        new(here ? Kukla::Suite.compile_here(request) : Kukla::Suite.compile(request), request)
      end

      def initialize(native, request = nil)
        @native = native
        @request = request
        @resources = {}
      end

      def __native = @native

      def resource(type, title = nil) = find(:position, type, title)

      # The resource that a relationship means, also by the attribute that names it.
      def related(type, title = nil) = find(:named, type, title)

      def at(position)
        @resources[position] ||= Compiled.new(self, position, resolved(@native.resource(position)))
      end

      def resources = (0...@native.size).map { |position| at(position) }
      alias vertices resources
      def resource_keys = resources.map { |resource| [resource.type, resource.title] }
      def resource_refs = resources.map(&:ref)
      def classes = @native.classes
      def size = @native.size

      # The catalog as an agent has it: its types refuse what they cannot apply.
      def to_ral
        refused = @native.refusals.first
        refused ? raise(Puppet::Error, refused) : self
      end

      def call = self
      def title_key_for_ref(ref) = Resource.type_and_title(ref, nil)
      def upstream_from_vertex(resource) = @native.containers(resource.position).drop(1).to_h { |at| [at(at), 1] }

      # Tells what types add to the relationships before they are asked for.
      def note_requirements
        return if @noted

        @noted = true
        resources.each { |resource| resource.each_relation_by_type { |relation, other| @native.relate(resource.position, relation, other) } }
      end

      private

      def find(how, type, title)
        type, title = Resource.type_and_title(type.to_s, nil) if title.nil?
        type = Resource.proper_type(type.to_s)
        title = type == 'Class' ? Resource.proper_type(title.to_s) : title.to_s
        at = @native.public_send(how, type, title)
        at && at(at)
      end

      # The parts of a resource, with the values that the agent computes.
      def resolved(parts)
        parts[2].each { |name, value| parts[2][name] = resolve(value) if deferred?(value) }
        parts
      end

      def deferred?(value)
        case value
        when Hash then value['__ptype'] == 'Deferred' || value.each_value.any? { |inner| deferred?(inner) }
        when Array then value.any? { |inner| deferred?(inner) }
        else false
        end
      end

      def resolve(value)
        case value
        when Array then value.map { |inner| resolve(inner) }
        when Hash
          return value.transform_values { |inner| resolve(inner) } unless value['__ptype'] == 'Deferred'

          computed(value['name'], resolve(value['arguments'] || []))
        else value
        end
      end

      def computed(name, arguments)
        Kukla::Suite.in_compilation(@request.merge(code: '')) do
          scope = Puppet::Parser::Scope.top
          name.start_with?('$') ? scope[name.delete_prefix('$')] : scope.call_function(name, arguments)
        end
      end

      public

      def inspect = "#<Puppet::Resource::Catalog #{@native.size} resources>"
    end

    def self.proper_type(name)
      name.split('::').reject(&:empty?).map(&:capitalize).join('::')
    end
  end
end
