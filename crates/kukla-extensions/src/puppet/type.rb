# Resource types as modules write them: what their attributes are called, and which of their values go together.

require 'puppet/parameter'

module Puppet
  module CompilableResourceType; end

  module MetaType
    Manager = ::Module.new
  end

  class Type
    extend CompilableResourceType
    include Puppet::Util
    include Puppet::Util::Errors
    include Puppet::Util::Logging
    include Puppet::Util::Tagging
    include Comparable

    @types = {}
    @metaparams = {}

    class << self
      include Puppet::Util
      include Puppet::Util::Logging
      include Puppet::Util::ClassGen
      include Puppet::Util::Warnings
      include Puppet::Util::ProviderFeatures

      attr_accessor :self_refresh, :providerloader, :defaultprovider, :doc
      attr_reader :name, :properties

      def desc(text)
        @doc = text
      end

      def newtype(name, options = {}, &block)
        made = Type.genclass(name, parent: Type, attributes: options.is_a?(Hash) ? options : {}, hash: Type.known, &block)
        if %i[exists? create destroy].all? { |method| made.public_method_defined?(method) } && !made.validproperty?(:ensure)
          made.ensurable
        end
        made.providify unless made.providers.empty?
        made
      end

      def known
        Type.instance_variable_get(:@types)
      end

      # The type of a name: one that was made, one of a module's file, or the outline of one that comes with Puppet.
      def type(name)
        name = name.to_s.downcase.to_sym
        return nil if name.to_s.include?(':')
        return known[name] if known.key?(name)

        begin
          require "puppet/type/#{name}"
        rescue LoadError => e
          raise unless e.path == "puppet/type/#{name}"
        end
        # Those of Puppet's own come with a library that has no text.
        CoreTypes.make(name) || outline(name) unless known[name]
        known[name] ||= nil
      end

      # `Puppet::Type::File` before anyone has asked for the type.
      def const_missing(name)
        (equal?(Type) && type(name)) || super
      end

      def outline(name)
        attributes = Puppet::Parser::Scope.type_outline(name.to_s) or return nil
        newtype(name) do
          attributes['properties'].each { |property| newproperty(property) }
          attributes['parameters'].each { |parameter| newparam(parameter) }
          attributes['namevars'].each { |namevar| @paramhash[namevar.to_sym] && @paramhash[namevar.to_sym].isnamevar }
        end
      end

      def rmtype(name)
        known.delete(name.to_sym)
      end

      def eachtype(&block)
        known.values.compact.each(&block)
      end

      def loadall; end

      def initvars
        @properties = []
        @validproperties = {}
        @parameters = []
        @paramhash = {}
        @doc ||= ''
      end

      def to_s
        defined?(@name) && @name ? "Puppet::Type::#{@name.to_s.capitalize}" : super
      end

      def newparam(name, options = {}, &block)
        made = genclass(name, parent: options[:parent] || Puppet::Parameter, prefix: 'Parameter', attributes: options[:attributes],
                              array: @parameters, hash: @paramhash, &block)
        answer_whether(name) if options[:boolean]
        made.required_features = options[:required_features] if options[:required_features]
        made.isnamevar if options[:namevar]
        made
      end

      def newproperty(name, options = {}, &block)
        name = name.to_sym
        if @validproperties.key?(name)
          raise Puppet::DevError, "Class #{self.name} already has a property named #{name}"
        end

        options = options.dup
        parent = options.delete(:parent) || Puppet::Property
        made = genclass(name, parent: parent, attributes: options, hash: @validproperties, &block)
        name == :ensure ? @properties.unshift(made) : @properties << made
        made
      end

      def newmetaparam(name, options = {}, &block)
        made = genclass(name, parent: options[:parent] || Puppet::Parameter, prefix: 'MetaParam', attributes: options[:attributes],
                              hash: Type.metaparamhash, &block)
        made.metaparam = true
        made
      end

      def metaparamhash
        Type.instance_variable_get(:@metaparams)
      end

      def metaparams
        metaparamhash.keys
      end

      def metaparam?(name)
        metaparamhash.key?(name.to_sym)
      end

      def metaparamclass(name)
        name && metaparamhash[name.to_sym]
      end

      def eachmetaparam(&block)
        metaparams.each(&block)
      end

      def answer_whether(name)
        define_method("#{name}?") { true if [true, :true].include?(self[name]) }
      end

      def ensurable(&block)
        block ||= proc { defaultvalues }
        newproperty(:ensure, parent: Puppet::Property::Ensure, &block)
      end

      def ensurable?
        validproperty?(:ensure) ? true : false
      end

      # The relationships that a type adds to its resources: blocks, each for a type that they name resources of.
      %i[autorequire autobefore autonotify autosubscribe].each do |relation|
        define_method(relation) { |type, &block| auto_relations[relation] << [type, block] }
      end

      def auto_relations
        @auto_relations ||= Hash.new { |all, relation| all[relation] = [] }
      end

      { device: :device, host: :host, all: :both }.each { |word, target| define_method("apply_to_#{word}") { @apply_to = target } }

      def apply_to
        @apply_to ||= :host
      end

      def can_apply_to(target)
        [target == :device ? :device : :host, :both].include?(apply_to)
      end

      def validate(&block)
        define_method(:validate, &block)
      end

      def parameters
        @parameters.map(&:name)
      end

      def validproperties
        @validproperties.keys
      end

      def validproperty?(name)
        @validproperties[name.to_sym] || false
      end

      def validparameter?(name)
        @paramhash.key?(name) || metaparam?(name)
      end

      def validattr?(name)
        name = name.to_sym
        name == :name || @validproperties.key?(name) || @paramhash.key?(name) || metaparam?(name)
      end
      alias valid_parameter? validattr?

      def attrtype(name)
        return :property if @validproperties.key?(name)
        return :param if @paramhash.key?(name)

        :meta if metaparam?(name)
      end

      def attrclass(name)
        @validproperties[name] || @paramhash[name] || metaparamhash[name]
      end

      def paramclass(name)
        @paramhash[name]
      end

      def propertybyname(name)
        @validproperties[name]
      end

      def paramdoc(name)
        @paramhash[name].doc
      end

      def allattrs
        key_attributes | (parameters & [:provider]) | properties.map(&:name) | parameters | metaparams
      end

      def key_attribute_parameters
        @parameters.select { |parameter| parameter.isnamevar? || parameter.name == :name }
      end

      def key_attributes
        key_attribute_parameters.map(&:name)
      end

      def parameters_to_include
        []
      end

      def title_patterns
        case key_attributes.length
        when 0 then []
        when 1 then [[/(.*)/m, [[key_attributes.first]]]]
        else raise Puppet::DevError, 'you must specify title patterns when there are two or more key attributes'
        end
      end

      def isomorphic?
        defined?(@isomorphic) ? @isomorphic : true
      end

      def needs_ensure_retrieved
        true
      end

      def providers
        @providers ||= CoreTypes::PROVIDERS.fetch(name, []) | Puppet::Parser::Scope.providers(name.to_s).map(&:to_sym)
      end

      def provider(name)
        (@provider_classes ||= {})[name.to_sym] ||= Provider.named(name.to_sym) if providers.include?(name.to_sym)
      end

      def provider_hash
        providers.to_h { |name| [name, provider(name)] }
      end

      def provide(name, *, **)
        providers << name.to_sym
        providify
        provider(name)
      end

      def suitableprovider
        providers.map { |name| provider(name) }
      end

      def unprovide(*); end

      def instances
        []
      end

      def providify
        return if @paramhash.key?(:provider)

        newparam(:provider) do
          validate do |chosen|
            chosen = chosen[0] if chosen.is_a?(Array)
            raise ArgumentError, "Invalid #{@resource.class.name} provider '#{chosen}'" unless @resource.class.provider(chosen)
          end

          munge do |chosen|
            chosen = chosen[0] if chosen.is_a?(Array)
            chosen = chosen.to_sym if chosen.is_a?(String)
            @resource.provider = chosen
            chosen
          end
        end
      end
    end

    newmetaparam(:noop) { newvalues(:true, :false) }

    newmetaparam(:schedule)

    newmetaparam(:audit) do
      validate do |list|
        list = Array(list).map(&:to_sym)
        next if list == [:all]

        list.each do |attribute|
          fail("Cannot audit #{attribute}: not a valid attribute for #{resource}") unless @resource.class.validattr?(attribute)
        end
      end

      # What is audited is there, if without a value.
      munge do |list|
        names = list == 'all' ? @resource.class.validproperties : Array(list).map(&:to_sym)
        names.each { |attribute| @resource.newattr(attribute) if @resource.class.validproperty?(attribute) }
      end
    end

    newmetaparam(:loglevel) do
      defaultto :notice
      newvalues(*Puppet::Util::Log.levels, :verbose)
      munge do |level|
        chosen = super(level)
        chosen == :verbose ? :info : chosen
      end
    end

    newmetaparam(:alias)

    newmetaparam(:tag) { munge { |tags| @resource.tag(*Array(tags)) } }

    RelationshipMetaparam = Class.new(Puppet::Parameter)

    %i[require subscribe before notify].each { |name| newmetaparam(name, parent: RelationshipMetaparam) }

    newmetaparam(:stage)

    attr_accessor :title, :file, :line, :catalog, :exported, :virtual, :noop
    attr_reader :original_parameters

    # A resource of this type: its title and its attributes, `:title` among them or not.
    def initialize(attributes)
      attributes = attributes.to_h.transform_keys(&:to_sym)
      @parameters = {}
      @catalog = attributes.delete(:catalog) || Puppet::Type.catalog
      @title = attributes.delete(:title) || attributes[:name] || attributes[self.class.key_attributes.first]
      raise Puppet::Error, 'Title or name must be provided' unless @title

      attributes[name_var] = attributes.delete(:name) if name_var && attributes.key?(:name)
      attributes = from_title.merge(attributes)
      @original_parameters = attributes
      self[name_var] = attributes.delete(name_var) if name_var
      set_all(attributes)
      validated
    end

    def name_var
      names = self.class.key_attributes
      names.length == 1 && names.first
    end

    def name
      self[:name]
    end

    def type
      self.class.name
    end

    def ref
      "#{self.class.name.to_s.capitalize}[#{title}]"
    end
    alias to_s ref

    def path
      "/#{ref}"
    end

    def <=>(other)
      ref <=> other.ref
    end

    def [](name)
      parameter = @parameters[attribute_name(name) { |wrong| fail("Invalid parameter #{wrong}(#{wrong.inspect})") }]
      parameter && parameter.value
    end

    def []=(name, value)
      name = attribute_name(name) do |wrong|
        raise Puppet::Error.new("no parameter named '#{wrong}'").refusing(:unknown_parameter, wrong)
      end
      raise Puppet::Error, "Got nil value for #{name}" if value.nil?

      begin
        newattr(name).value = value
      rescue Puppet::Error, ArgumentError => e
        wrong = Puppet::ResourceError.new("Parameter #{name} failed on #{ref}: #{e.message}")
        raise wrong.refusing(:parameter_failed, name)
      end
    end

    def newattr(name)
      name = name.name if name.is_a?(Class)
      made = self.class.attrclass(name)
      raise Puppet::Error, "Resource type #{self.class.name} does not support parameter #{name}" unless made

      @parameters[name] ||= made.new(resource: self)
    end

    def set_default(name)
      made = self.class.attrclass(name)
      return unless made && made.method_defined?(:default) && !@parameters.key?(name)

      parameter = newattr(name)
      value = parameter.default
      value ? parameter.value = value : @parameters.delete(name)
    end

    def parameter(name)
      @parameters[name.to_sym]
    end

    def property(name)
      found = @parameters[name.to_sym]
      found if found.is_a?(Puppet::Property)
    end

    def propertydefined?(name)
      @parameters.key?(name.to_sym)
    end

    def should(name)
      found = property(name)
      found && found.should
    end

    def value(name)
      found = @parameters[name.to_sym]
      found && found.value
    end

    def delete(name)
      @parameters.delete(name.to_sym) or raise Puppet::DevError, "Undefined attribute '#{name}' in #{self}"
    end

    def parameters
      @parameters.dup
    end

    def properties
      self.class.properties.filter_map { |property| @parameters[property.name] }
    end

    def parameters_with_value
      self.class.allattrs.filter_map { |name| @parameters[name] }
    end

    def eachproperty(&block)
      properties.each(&block)
    end

    def eachparameter(&block)
      parameters_with_value.each(&block)
    end

    def to_hash
      @parameters.transform_values(&:value)
    end

    def managed?
      properties.any? { |property| property.should && !property.class.unmanaged }
    end

    def deleting?
      found = @parameters[:ensure]
      found && found.should == :absent
    end

    def isomorphic?
      self.class.isomorphic?
    end

    def uniqueness_key
      self.class.key_attributes.sort_by(&:to_s).map { |name| self[name] }
    end

    def provider
      @provider ||= Provider.new(self) unless self.class.providers.empty?
      @provider
    end

    def provider=(name)
      made = self.class.provider(name) or
        raise ArgumentError, "Could not find #{name} provider of #{self.class.name}"
      @provider = made.new(self)
    end

    def noop?
      false
    end

    def virtual?
      false
    end
    alias exported? virtual?
    alias purging? virtual?

    def version
      0
    end

    def retrieve
      Provider.asked = true
      {}
    end

    def log(*); end

    private

    # Types of modules may define `[]` anew and reach `super`, so names are sorted out here.
    def attribute_name(name)
      name = name.to_sym
      yield(name) unless self.class.validattr?(name)
      name == :name ? name_var || name : name
    end

    def from_title
      patterns = self.class.title_patterns
      return { name: @title.to_s } if patterns.nil?

      patterns.each do |regexp, names|
        found = regexp.match(@title.to_s) or next
        return names.zip(found.captures).to_h { |(name, change), text| [name, change ? change.call(text) : text] }
      end
      raise Puppet::Error, "No set of title patterns matched the title \"#{@title}\"."
    end

    def set_all(attributes)
      (self.class.allattrs + attributes.keys).uniq.select { |name| attributes.key?(name) }.each do |name|
        self[name] = attributes[name]
      rescue ArgumentError, Puppet::Error, TypeError, SecurityError
        raise
      rescue StandardError => e
        raise Puppet::DevError, "Could not set #{name} on #{self.class.name}: #{e.message}"
      end
      (self.class.allattrs - attributes.keys).each { |name| set_default(name) }
    end

    def validated
      validate if respond_to?(:validate)
    rescue Puppet::Error, ArgumentError => e
      raise Puppet::ResourceError, "Validation of #{ref} failed: #{e.message}"
    end

    class << self
      # The catalog that is being looked at.
      attr_accessor :catalog

      # The refusal of a resource by its type: its kind, the attribute that it is about (or `nil`), and its message. `nil` if the type
      # accepts the resource, `:unknown` if that depends on the machine.
      def refusal(type, title, attributes)
        made = type(type)
        return :unknown if made.nil?

        Provider.asked = false
        made.new(attributes.merge(title: title))
        Provider.asked ? :unknown : nil
      rescue SecurityError, NotImplementedError
        :unknown
      rescue Puppet::Error, ArgumentError, TypeError => e
        Provider.asked ? :unknown : describe_refusal(e)
      rescue StandardError, LoadError
        :unknown
      end

      # What a compiler has to know of a type.
      def outline_of(name)
        made = type(name)
        return nil if made.nil?

        {
          'properties' => made.properties.map { |property| property.name.to_s }, 'parameters' => made.parameters.map(&:to_s),
          'namevars' => made.key_attributes.map(&:to_s), 'isomorphic' => made.isomorphic? ? true : false,
          'patterns' => patterns_of(made)
        }
      end

      private

      # A method or constant that is missing may be missing only here, whichever error reports it.
      def describe_refusal(error)
        chain = reported_chain(error)
        return :unknown if chain.any?(NameError)

        refusals = chain.grep(Puppet::Error).select(&:refusal_kind)
        kinds = refusals.map(&:refusal_kind)
        # The reason of a failed parameter is more specific than the failure.
        kind = (kinds - [:parameter_failed]).first || kinds.first || :other
        [kind.to_s, refusals.first&.refusal_attribute&.to_s, error.message]
      end

      # An error and its causes, as far as each message quotes the next one. An error that does not quote its cause replaces it: code that
      # rescues a NameError and raises an error of its own refuses the value on purpose.
      def reported_chain(error)
        chain = [error]
        while (cause = chain.last.cause) && chain.last.message.include?(cause.message)
          chain << cause
        end
        chain
      end

      def patterns_of(made)
        made.title_patterns.map do |regexp, names|
          source = regexp.options.zero? ? regexp.source : regexp.to_s
          [source, names.map { |name, _change| name.to_s }]
        end
      rescue StandardError
        []
      end
    end
  end
end
