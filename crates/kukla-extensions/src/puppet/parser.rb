# Functions of the old API, and what templates and functions see of a compilation.

module Puppet
  module Parser
    module Functions
      # Puppet's own functions that the old API can call, by arity and kind.
      CORE = {
        [-1, :rvalue] => %i[shellquote], [-1, :statement] => %i[alert crit debug emerg err fail info notice warning],
        [-2, :rvalue] => %i[file fqdn_rand generate inline_template sprintf tagged template],
        [-2, :statement] => %i[contain include realize require tag], [-3, :statement] => %i[create_resources],
        [1, :rvalue] => %i[digest md5 sha1 sha256], [2, :rvalue] => %i[scanf versioncmp]
      }.freeze

      # Those that it knows the names of, and refuses.
      REFUSED = {
        [-1, :rvalue] => %i[dig new reverse_each step type with],
        [-2, :rvalue] => %i[defined epp find_file hiera hiera_array hiera_hash inline_epp lest lookup then],
        [-2, :statement] => %i[hiera_include next return], [-3, :rvalue] => %i[assert_type each filter map reduce slice strftime],
        [-4, :rvalue] => %i[regsubst], [0, :statement] => %i[break], [1, :rvalue] => %i[binary_file], [2, :rvalue] => %i[split],
        [2, :statement] => %i[match]
      }.freeze

      # The functions that were made, as methods of every scope.
      module Made; end

      class Error
        def self.is4x(name)
          raise Puppet::ParseError, "#{name}() can only be called using the 4.x function API. See Scope#call_function"
        end
      end

      class Autoloader
        def load(name, *)
          Puppet::Parser::Functions.function(name) ? true : false
        end

        def loaded?(name)
          Puppet::Parser::Functions.made.key?(name.to_s.to_sym)
        end

        def loadall(*); end

        def delegatee
          self
        end
      end

      class << self
        def made
          @made ||= {}
        end

        def autoloader
          @autoloader ||= Autoloader.new
        end

        def newfunction(name, options = {}, &block)
          name = name.to_s.to_sym
          type = options[:type] || :statement
          raise Puppet::DevError, "Invalid statement type #{type.inspect}" unless %i[statement rvalue].include?(type)

          arity = options[:arity] || -1
          # What stands in for a function does so for other functions too.
          block = proc { |args| call_function(name.to_s, args) } if Puppet::Parser::Scope.overridden?(name.to_s)
          Made.send(:define_method, "real_function_#{name}", &block)
          Made.send(:define_method, "function_#{name}") do |*args|
            given = args[0]
            unless given.is_a?(Array)
              raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. ' \
                                   'For example, function_example([1]) instead of function_example(1)'
            end
            if arity >= 0 && given.size != arity
              raise ArgumentError, "#{name}(): Wrong number of arguments given (#{given.size} for #{arity})"
            elsif arity < 0 && given.size < (arity + 1).abs
              raise ArgumentError,
                    "#{name}(): Wrong number of arguments given (#{given.size} for minimum #{(arity + 1).abs})"
            end

            result = Puppet::Parser::Functions.returned(send("real_function_#{name}", given))
            type == :rvalue ? result : nil
          end
          made[name] = { arity: arity, type: type, name: "function_#{name}", doc: options[:doc] }
        end

        # What a function gives, with nil for undef at any depth.
        def returned(value)
          case value
          when :undef then nil
          when Array then value.map { |inner| returned(inner) }
          when Hash then value.to_h { |key, inner| [returned(key), returned(inner)] }
          else value
          end
        end

        def function(name, _environment = nil)
          name = name.to_s.to_sym
          Puppet::Parser::Scope.load_old_function(name) || make_core(name) unless made.key?(name)
          made.key?(name) ? made[name][:name] : false
        end

        def rvalue?(name, _environment = nil)
          made.key?(name.to_s.to_sym) && made[name.to_s.to_sym][:type] == :rvalue
        end

        def arity(name, _environment = nil)
          made.key?(name.to_s.to_sym) ? made[name.to_s.to_sym][:arity] : -1
        end

        def environment_module(_environment)
          Made
        end

        def reset; end

        private

        def make_core(name)
          arity, type = CORE.find { |_, names| names.include?(name) }&.first
          return newfunction(name, arity: arity, type: type) { |args| call_function(name.to_s, args) } if arity

          arity, type = REFUSED.find { |_, names| names.include?(name) }&.first
          newfunction(name, arity: arity, type: type) { |_| Error.is4x(name) } if arity
        end
      end
    end

    class Scope
      include Functions::Made
      include Puppet::Util::Errors

      class << self
        def true?(value)
          case value
          when '', :undef, nil, false then false
          else true
          end
        end

        def number?(value)
          return value if value.is_a?(Numeric)
          return nil unless value.is_a?(String)

          case value
          when /\A-?(?:0|[1-9]\d*)\z/ then value.to_i
          when /\A-?0[xX]\h+\z/ then value.hex
          when /\A-?0[0-7]+\z/ then value.oct
          when /\A-?\d+\.\d+(?:[eE]-?\d+)?\z/, /\A-?\d+[eE]-?\d+\z/ then value.to_f
          end
        end
      end

      def to_s
        "Scope(#{resource})"
      end
      alias inspect to_s

      def compiler
        @compiler ||= Puppet::Parser::Compiler.new(self)
      end

      def catalog
        compiler.catalog
      end

      def environment
        Puppet::Node::Environment.current
      end

      def known_resource_types
        environment.known_resource_types
      end

      def source
        @source ||= Source.new(self)
      end

      def findresource(type, title = nil)
        catalog.resource(type, title)
      end

      def find_hostclass(name)
        known_resource_types.find_hostclass(name)
      end

      def find_definition(name)
        known_resource_types.find_definition(name)
      end

      def lookuptype(name)
        find_definition(name) || find_hostclass(name)
      end

      def find_resource_type(type)
        find_definition(type) || Puppet::Type.type(type)
      end

      def lookupdefaults(type)
        defaults(type.to_s).to_h { |name, value| [name.to_sym, Puppet::Parser::Resource::Param.new(name: name, value: value)] }
      end

      def call_function_3x(name, args, &block)
        call_function(name, args, &block)
      end

      def undef_as(instead, value)
        value.nil? || value == :undef ? instead : value
      end

      def bound?(name)
        exist?(name)
      end

      def is_topscope?
        top?
      end

      def find_global_scope
        Puppet::Parser::Scope.top
      end

      def with_global_scope
        yield Puppet::Parser::Scope.top
      end

      def method_missing(name, *args, &block)
        function = name.to_s[/\Afunction_(.*)\z/m, 1]
        return super unless function && Puppet::Parser::Functions.function(function)

        send(name, *args, &block)
      end

      %w[debug info notice warning err alert emerg crit].each do |level|
        define_method(level) { |*messages| log(level, messages.join(' ')) }
      end

      # The class or define whose code a scope runs.
      class Source
        def initialize(scope)
          @scope = scope
        end

        def module_name
          @scope.module_name
        end

        def name
          resource = @scope.resource
          resource && resource.title != :main ? resource.title.to_s.downcase : ''
        end

        def type
          resource = @scope.resource
          resource && resource.type == 'Class' ? :hostclass : :definition
        end
      end
    end

    class Compiler
      attr_reader :catalog

      def initialize(scope)
        @scope = scope
        @catalog = Catalog.current
      end

      def environment
        Puppet::Node::Environment.current
      end

      def topscope
        Puppet::Parser::Scope.top
      end

      def node
        @node ||= Puppet::Node.new(Puppet::Parser::Scope.node_name)
      end

      def resources
        catalog.resources
      end

      def findresource(type, title = nil)
        catalog.resource(type, title)
      end

      def add_resource(scope, resource)
        attributes = resource.to_hash.transform_keys(&:to_s)
        mark = if resource.exported then '@@'
               elsif resource.virtual then '@'
               end
        scope.call_function('create_resources', ["#{mark}#{resource.type.downcase}", { resource.title => attributes }])
      end

      def evaluate_classes(names, scope, _lazy = true)
        if names.is_a?(Hash)
          names.each { |name, parameters| scope.call_function('create_resources', ['class', { name => parameters || {} }]) }
        else
          scope.call_function('include', [names])
        end
      end
    end

    # The catalog under construction.
    class Catalog
      # There is one, and functions find what others have left with it.
      def self.current
        @current ||= new
      end

      def classes
        Puppet::Parser::Scope.classes
      end

      def tags
        Puppet::Parser::Scope.all_tags
      end

      def tagged?(*tags)
        tags.flatten.any? { |tag| self.tags.include?(tag.to_s.downcase) }
      end

      def resource(type, title = nil)
        if title.nil?
          return type if type.is_a?(Puppet::Parser::Resource)

          type, title = Puppet::Resource.type_and_title(type.to_s, nil)
        end
        # Types stand for their names.
        type = type.name unless type.nil? || type.is_a?(String) || type.is_a?(Symbol)
        Puppet::Parser::Scope.find_resource(type.to_s, title.to_s)
      end

      def resources
        Puppet::Parser::Scope.resources
      end

      def remove_resource(*resources)
        resources.each { |resource| Puppet::Parser::Scope.remove_resource(resource.type, resource.title.to_s) }
      end

      def resource_keys
        resources.map { |resource| [resource.type, resource.title] }
      end

      def add_class(*); end

      def environment_instance
        Puppet::Node::Environment.current
      end

      def environment
        Puppet::Node::Environment.current.name
      end
    end

    class Resource
      # One attribute of a resource.
      class Param
        attr_accessor :name, :value, :source, :line, :file

        def initialize(name: nil, value: nil, source: nil, **)
          @name = name && name.to_sym
          @value = value
          @source = source
        end

        def to_s
          "#{name} => #{value}"
        end
      end

      attr_reader :type, :title
      attr_accessor :virtual, :exported, :file, :line

      def initialize(type, title, attributes = {})
        @type = type.to_s.split('::').reject(&:empty?).map(&:capitalize).join('::')
        @title = @type == 'Class' ? class_title(title.to_s) : title
        @parameters = {}
        @scope = attributes[:scope] if attributes.is_a?(Hash)
        set = attributes.is_a?(Hash) && attributes[:parameters] ? attributes[:parameters] : []
        if set.is_a?(Hash)
          set.each { |name, value| @parameters[name.to_sym] = value }
        else
          set.each { |param| @parameters[param.name] = param.value }
        end
      end

      def class_title(title)
        return :main if ['', 'main'].include?(title)

        title.split('::').reject(&:empty?).map(&:capitalize).join('::')
      end
      private :class_title

      def self.of(type, title, parameters)
        resource = new(type, title)
        parameters.each { |name, value| resource[name] = value }
        resource
      end

      def [](name)
        name = name.to_sym
        return @title if name == :title
        return @parameters.fetch(:name, @title) if name == :name

        @parameters[name]
      end

      def []=(name, value)
        @parameters[name.to_sym] = value
      end
      alias set_parameter []=

      def name
        self[:name]
      end

      # A resource of the catalog does not say where it was declared. The catalog, which it is asked for, is the same everywhere.
      def scope
        @scope || Puppet::Parser::Scope.top
      end

      # What has no value is not told, and which resources come before or after is a flat list.
      def to_hash
        told = @parameters.compact.to_h do |name, value|
          flat = value.is_a?(Array) && %i[before subscribe notify require].include?(name)
          [name, flat ? value.flatten.compact : value]
        end
        named_by_title? ? { name: title.to_s }.merge(told) : told
      end
      alias to_h to_hash

      # Classes and defined types: what other types take from a title is not told here.
      def named_by_title?
        class? || !Puppet::Node::Environment.current.known_resource_types.find_definition(type).nil?
      end
      private :named_by_title?

      def parameters
        @parameters.to_h { |name, value| [name, Param.new(name: name, value: value)] }
      end

      def keys
        @parameters.keys
      end

      def each(&block)
        @parameters.each(&block)
      end

      include Enumerable

      def inspect
        "#{ref}#{to_hash.inspect}"
      end

      def has_key?(name)
        @parameters.key?(name.to_sym)
      end
      alias key? has_key?

      def ref
        "#{type}[#{title}]"
      end
      alias to_s ref

      def class?
        type == 'Class'
      end

      def resource_type
        Puppet::Node::Environment.current.known_resource_types.find_definition(type) || Puppet::Type.type(type)
      end

      def ==(other)
        other.is_a?(Resource) && other.ref == ref
      end

      def tagged?(*)
        false
      end
    end

    module Files
      def self.find_template(name, _environment = nil)
        return name if name =~ %r{\A/}

        module_name, path = name.split('/', 2)
        Puppet::Parser::Scope.find_file('templates', [module_name, path].compact.join('/'))
      end

      def self.find_file(name, _environment = nil)
        return name if name.start_with?('/')

        Puppet::Parser::Scope.find_file('files', name)
      end

      def self.find_manifests_in_modules(*)
        [nil, []]
      end
    end

    # What a template is evaluated in: its variables are those of the scope.
    class TemplateWrapper
      def initialize(scope)
        @__scope__ = scope
      end

      def scope
        @__scope__ ||= Puppet::Parser::Scope.of(self)
      end

      def file
        @__file__
      end

      def has_variable?(name)
        scope.include?(name.to_s)
      end

      def classes
        scope.catalog.classes
      end

      def tags
        raise NotImplementedError, "Call 'all_tags' instead."
      end

      def all_tags
        scope.catalog.tags
      end

      def to_s
        "template[#{@__file__ || 'inline'}]"
      end

      %w[debug info notice warning err alert emerg crit].each do |level|
        define_method(level) { |*messages| scope.log(level, messages.join(' ')) }
      end
    end
  end

  class Resource < Parser::Resource
    def initialize(type, title = nil, attributes = {})
      if title.nil?
        match = /\A([^\[\]]+)\[(.+)\]\z/m.match(type.to_s)
        raise ArgumentError, 'No title provided and ' + type.inspect + ' is not a valid resource reference' unless match

        type, title = match[1], match[2]
      end
      super(type, title, attributes)
    end

    # What a reference is to functions of the old API.
    def self.referred(reference)
      made = reference.is_a?(Puppet::Pops::Types::PClassType) ? new('Class', reference.class_name) : new(reference.type_name, reference.title)
      made.instance_variable_set(:@reference, reference)
      made
    end
  end

  class Node
    attr_reader :name
    attr_accessor :classes

    def initialize(name, _options = {})
      @name = name
      @classes = {}
    end

    def facts
      @facts ||= Facts.new(name, Puppet::Parser::Scope.facts)
    end

    def parameters
      facts.values
    end

    def environment
      Environment.current
    end

    class Facts
      attr_reader :name, :values

      def initialize(name, values = {})
        @name = name
        @values = values
      end
    end

    class Environment
      attr_reader :name

      def self.current
        @current ||= new(Puppet::Parser::Scope.environment_name.to_sym)
      end

      def initialize(name)
        @name = name
      end

      def to_s
        name.to_s
      end

      def modules
        @modules ||= Puppet::Parser::Scope.modules.map { |name, path| Puppet::Module.new(name, path, self) }
      end

      def module(name)
        modules.find { |mod| mod.name == name.to_s }
      end

      def modulepath
        modules.map { |mod| File.dirname(mod.path) }.uniq
      end
      alias full_modulepath modulepath

      def known_resource_types
        @known_resource_types ||= KnownTypes.new
      end

      # The classes and defines of an environment.
      class KnownTypes
        Known = Struct.new(:name, :type) do
          def module_name
            name.split('::').first
          end

          # Declares the class; one without parameters is declared once.
          def ensure_in_catalog(scope, parameters = nil)
            raise ArgumentError, 'Cannot create resources for defined resource types' if type == :definition

            declared = scope.catalog.resource('class', name) if parameters.nil?
            return declared if declared

            resource = Puppet::Parser::Resource.new('class', name, parameters: parameters || {})
            scope.compiler.add_resource(scope, resource)
            resource
          end

          # What a declaration needs first: classes see to theirs when they are declared.
          def instantiate_resource(_scope, _resource); end
        end

        def find_hostclass(name)
          found(name, :hostclass, 'class')
        end
        alias hostclass find_hostclass

        def find_definition(name)
          found(name, :definition, 'define')
        end
        alias definition find_definition

        private

        def found(name, type, kind)
          name = name.to_s.downcase.delete_prefix('::')
          Known.new(name, type) if Puppet::Parser::Scope.definition(name) == kind
        end
      end
    end
  end

  class Module
    attr_reader :name, :path, :environment

    def self.find(name, _environment = nil)
      Node::Environment.current.module(name)
    end

    def initialize(name, path, environment)
      @name = name
      @path = path
      @environment = environment
    end

    %w[files templates manifests lib].each do |directory|
      define_method(directory) { File.join(path, directory) }
    end

    def file(name)
      found = File.join(files, name.to_s)
      found if File.exist?(found)
    end

    def template(name)
      found = File.join(templates, name.to_s)
      found if File.exist?(found)
    end

    def metadata_file
      File.join(path, 'metadata.json')
    end

    def metadata
      require 'json'
      @metadata ||= JSON.parse(File.read(metadata_file))
    end

    def version
      metadata['version']
    end

    def to_s
      "Module #{name}(#{path})"
    end
  end
end
