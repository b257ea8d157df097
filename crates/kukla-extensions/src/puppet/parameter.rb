# Attributes of resource types as modules write them: which values they take.
#
# There is no provider behind a resource here, since nothing is applied. What a type asks of its provider is answered by `Puppet::Provider`,
# which has every feature and knows no state; that it was asked for state is remembered, because the answer then proves nothing.

module Puppet
  module Coercion
    TRUE = [true, :true, 'true', :yes, 'yes'].freeze
    FALSE = [false, :false, 'false', :no, 'no'].freeze

    def self.boolean(value)
      value = value.downcase if value.respond_to?(:downcase)
      return true if TRUE.include?(value)
      return false if FALSE.include?(value)

      raise 'expected a boolean value'
    end

    def self.boolean_values
      %w[true false yes no]
    end
  end

  module Util
    # Classes that are made while code runs, under the name of a constant.
    module ClassGen
      def genclass(name, options = {}, &block)
        name = name.to_s.downcase.to_sym
        made = Class.new(options[:parent] || self)
        made.instance_variable_set(:@name, name)
        constant = options[:constant] || "#{options[:prefix]}#{name.to_s.capitalize}"
        if constant =~ /\A[A-Z]\w*\z/
          remove_const(constant) if const_defined?(constant, false)
          const_set(constant, made)
        end
        made.initvars if made.respond_to?(:initvars)
        (options[:attributes] || {}).each { |key, value| made.send("#{key}=", value) if made.respond_to?("#{key}=") }
        Array(options[:include]).each { |mixin| made.include(mixin) }
        Array(options[:extend]).each { |mixin| made.extend(mixin) }
        block ||= options[:block]
        made.class_eval(&block) if block
        options[:hash][name] = made if options[:hash]
        options[:array] << made if options[:array]
        made
      end

      def genmodule(name, options = {}, &block)
        made = ::Module.new
        made.instance_variable_set(:@name, name.to_s.downcase.to_sym)
        made.module_eval(&block) if block
        options[:hash][name] = made if options[:hash]
        made
      end

      def rmclass(name, options = {})
        !!options.fetch(:hash, {}).delete(name)
      end
    end

    module Errors
      def adderrorcontext(error, _other = nil)
        error
      end

      def exceptwrap(*)
        yield
      end

      def error_context
        ''
      end

      def fail(*args)
        type = args.first.is_a?(Class) ? args.shift : Puppet::Error
        args.pop if args.length > 1 && !args.last.is_a?(String)
        raise type, args.join(' ')
      end
    end

    module Log
      def self.levels
        %i[debug info notice warning err alert emerg crit]
      end

      def self.create(*); end
    end

    module Tagging
      def tags
        @tags ||= []
      end

      def tag(*names)
        tags.concat(names.flatten.map { |name| name.to_s.downcase }).uniq!
      end

      def tagged?(*names)
        names.flatten.any? { |name| tags.include?(name.to_s) }
      end
    end

    module ProviderFeatures
      def feature(*); end
      def feature_module; end

      def features
        []
      end

      def provider_feature(*); end
    end

    module SymbolicFileMode
      def valid_symbolic_mode?(value)
        text = normalize_symbolic_mode(value)
        !!(text =~ /^0?[0-7]{1,4}$/ || text =~ /^([ugoa]*[-=+][-=+rstwxXugo]*)(,[ugoa]*[-=+][-=+rstwxXugo]*)*$/)
      end

      def normalize_symbolic_mode(value)
        case value
        when Numeric then value.to_s(8)
        when /^0?[0-7]{1,4}$/ then value.to_i(8).to_s(8)
        else value
        end
      end

      def display_mode(value)
        value =~ /^0?[0-7]{1,4}$/ ? value.rjust(4, '0') : value
      end
    end
  end

  # The provider of a resource: there is none, so it has all features and knows nothing.
  class Provider
    # Only the machine could answer; that it was asked is remembered.
    module Unknowing
      def method_missing(*)
        Provider.asked = true
        nil
      end

      def respond_to_missing?(*)
        true
      end
    end

    include Unknowing
    extend Unknowing
    include Puppet::Util
    include Puppet::Util::Errors
    include Puppet::Util::Logging
    extend Puppet::Util
    extend Puppet::Util::Errors
    extend Puppet::Util::Logging

    Confiner = ::Module.new
    attr_accessor :resource

    class << self
      # Whether code wanted to know something that only a provider on the machine can know.
      attr_accessor :asked
      attr_accessor :resource_type, :doc
      attr_reader :name

      def feature?(*)
        true
      end
      alias features? feature?
      alias satisfies? feature?
      alias declared_feature? feature?
      alias supports_parameter? feature?
      alias suitable? feature?

      %i[commands optional_commands has_command confine defaultfor notdefaultfor has_feature has_features mk_resource_methods desc
         initvars confine_collection].each { |ignored| define_method(ignored) { |*, **| nil } }

      def named(name)
        Class.new(Provider).tap { |made| made.instance_variable_set(:@name, name) }
      end
    end

    def initialize(resource = nil)
      @resource = resource
    end

    def name
      @resource && @resource[:name]
    end

    def satisfies?(*)
      true
    end
    alias feature? satisfies?

    def clear; end

    # Base classes that providers of modules name.
    class Package < Provider; end
    class ParsedFile < Provider; end
    class NameService < Provider; end
    class Command < Provider; end
  end

  class Parameter
    include Puppet::Util
    include Puppet::Util::Errors
    include Puppet::Util::Logging

    # One of the values that an attribute takes, or a pattern for them.
    class Value
      attr_reader :name, :aliases
      attr_accessor :block, :method, :event, :required_features, :invalidate_refreshes

      def initialize(name)
        @name = name.is_a?(Regexp) ? name : Value.symbol(name)
        @aliases = []
      end

      def self.symbol(value)
        value.is_a?(Symbol) || value == '' ? value : value.to_s.to_sym
      end

      def alias(name)
        @aliases << Value.symbol(name)
      end

      def regex?
        @name.is_a?(Regexp)
      end

      def match?(value)
        return @name.match?(value.to_s) if regex?

        symbol = Value.symbol(value)
        @name == symbol || @aliases.include?(symbol)
      end
    end

    # The values that an attribute takes; any, if none are named.
    class ValueCollection
      def initialize
        @all = {}
      end

      def empty?
        @all.empty?
      end

      def newvalue(name, options = {}, &block)
        value = Value.new(name)
        @all[value.name] = value
        options.each { |option, setting| value.send("#{option}=", setting) unless option == :call }
        if block
          value.block = block
          value.method ||= "set_#{value.name}" unless value.regex?
        end
        value
      end

      def newvalues(*names)
        names.each { |name| newvalue(name) }
      end

      def aliasvalue(name, other)
        value = match?(other.to_sym)
        raise Puppet::DevError, "Cannot alias nonexistent value #{other}" unless value

        value.alias(name)
      end

      def value(name)
        @all[name]
      end

      def values
        @all.each_value.reject(&:regex?).map(&:name)
      end

      def regexes
        @all.each_value.select(&:regex?).map { |value| value.name.inspect }
      end

      def match?(value)
        words, patterns = @all.values.partition { |one| !one.regex? }
        words.find { |one| one.match?(value) } || patterns.find { |one| one.match?(value) }
      end

      def munge(value)
        found = match?(value)
        found.nil? || found.regex? ? value : found.name
      end

      def validate(value)
        return if empty? || match?(value)

        parts = ["Invalid value #{value.inspect}."]
        parts << "Valid values are #{values.join(', ')}." unless values.empty?
        parts << "Valid values match #{regexes.join(', ')}." unless regexes.empty?
        raise ArgumentError, parts.join(' ')
      end
    end

    class << self
      include Puppet::Util
      include Puppet::Util::Docs

      attr_accessor :metaparam
      attr_reader :name, :value_collection, :required_features

      def initvars
        @value_collection = ValueCollection.new
      end

      def desc(text)
        @doc = text
      end

      def defaultto(value = nil, &block)
        raise Puppet::DevError, 'Either a default value or block must be provided' if value.nil? && block.nil?

        block ? define_method(:default, &block) : define_method(:default) { value }
      end

      def nodefault
        undef_method(:default) if method_defined?(:default)
      end

      def sensitive(value = nil, &block)
        block ? define_method(:is_sensitive, &block) : define_method(:is_sensitive) { value }
      end

      { validate: :unsafe_validate, munge: :unsafe_munge, unmunge: :unsafe_unmunge }.each do |name, method|
        define_method(name) { |&block| define_method(method, &block) }
      end

      def isnamevar
        @isnamevar = true
        @required = true
      end

      def isnamevar?
        @isnamevar
      end

      def isrequired
        @required = true
      end

      def required?
        @required
      end

      def required_features=(*names)
        @required_features = names.flatten.map { |name| name.to_s.downcase.to_sym }
      end

      def newvalues(*names)
        @value_collection.newvalues(*names)
      end

      def aliasvalue(name, other)
        @value_collection.aliasvalue(name, other)
      end

      def format_value_for_display(value)
        value.inspect
      end

      def proxymethods(*names)
        names.each { |name| define_method(name) { self.class.send(name) } }
      end
    end

    attr_accessor :resource, :parent, :sensitive

    proxymethods :required?, :isnamevar?

    def initialize(resource: nil, value: nil, should: nil)
      raise Puppet::DevError, "No resource set for #{self.class.name}" unless resource

      @resource = resource
      self.value = value if value
      self.should = should if should
    end

    def name
      self.class.name
    end

    def to_s
      name.to_s
    end

    def metaparam?
      self.class.metaparam
    end

    def provider
      @resource.provider
    end

    def file; end
    def line; end
    def log(*); end

    def noop
      false
    end

    def tags
      @resource.tags
    end

    def path
      "/#{@resource.ref}/#{name}"
    end

    def unsafe_validate(value)
      self.class.value_collection.validate(value)
    end

    def unsafe_munge(value)
      self.class.value_collection.munge(value)
    end

    def unsafe_unmunge(value)
      value
    end

    def validate(value)
      unsafe_validate(value)
    rescue ArgumentError => e
      raise Puppet::Error, e.message
    rescue Puppet::Error, TypeError
      raise
    rescue SecurityError
      raise
    rescue StandardError => e
      raise Puppet::DevError, "Validate method failed for class #{name}: #{e.message}"
    end

    def munge(value)
      unsafe_munge(value)
    rescue Puppet::Error, SecurityError
      raise
    rescue StandardError => e
      wrong = Puppet::DevError.new("Munging failed for value #{value.inspect} in class #{name}: #{e.message}")
      raise wrong.refusing(:munge_failed, name)
    end

    def unmunge(value)
      unsafe_unmunge(value)
    end

    def value
      unmunge(@value) unless @value.nil?
    end

    def value=(value)
      validate(value)
      @value = munge(value)
    end

    def remove
      @resource = nil
    end

    def format(text, *args)
      text % args.map { |arg| @sensitive ? '[redacted]' : arg.to_s }
    end

    class Boolean < Parameter
      def self.initvars
        super
        @value_collection.newvalues(*Puppet::Coercion.boolean_values)
      end

      def unsafe_munge(value)
        Puppet::Coercion.boolean(value)
      end
    end

    class Path < Parameter
      def self.accept_arrays(accept = true)
        @accept_arrays = !!accept
      end

      def self.arrays?
        @accept_arrays
      end

      def validate_path(paths)
        single(paths)
        fail("#{name} must be a fully qualified path") unless Array(paths).all? { |path| absolute_path?(path) }
        paths
      end

      def unsafe_validate(paths)
        validate_path(paths)
      end

      def unsafe_munge(paths)
        single(paths)
      end

      private

      def single(paths)
        fail("#{name} only accepts a single path, not an array of paths") if paths.is_a?(Array) && !self.class.arrays?
        paths
      end
    end

    class PackageOptions < Parameter
      def unsafe_munge(values)
        (values.is_a?(Array) ? values : [values]).map do |value|
          case value
          when Hash then value.to_h { |key, setting| [quote(key), quote(setting)] }
          when String then quote(value)
          else fail('Expected either a string or hash of options')
          end
        end
      end

      def quote(value)
        value.include?(' ') ? %("#{value.gsub('"', '\"')}") : value
      end
    end
  end

  class Property < Parameter
    class << self
      attr_accessor :unmanaged, :retrieve
      attr_writer :idempotent

      def array_matching
        @array_matching ||= :first
      end

      def array_matching=(value)
        value = value.to_sym if value.is_a?(String)
        raise ArgumentError, "Supported values for Property#array_matching are 'first' and 'all'" unless %i[first all].include?(value)

        @array_matching = value
      end

      def idempotent
        @idempotent.nil? || @idempotent
      end

      def newvalue(name, options = {}, &block)
        value = value_collection.newvalue(name, options, &block)
        define_method(value.method, &value.block) if value.method && value.block
        value
      end

      def value_name(name)
        found = value_collection.match?(name)
        found.name if found
      end

      def value_option(name, option)
        found = value_collection.value(name)
        found.send(option) if found
      end
    end

    attr_reader :shouldorig
    attr_writer :noop

    def match_all?
      self.class.array_matching == :all
    end

    def should
      return nil unless defined?(@should)

      match_all? ? @should.map { |value| unmunge(value) } : unmunge(@should[0])
    end

    def should=(values)
      values = [values] unless values.is_a?(Array)
      @shouldorig = values
      values.each { |value| validate(value) }
      @should = values.map { |value| munge(value) }
    end

    def value
      should
    end

    def value=(values)
      self.should = values
    end

    def insync?(current)
      match_all? ? current == @should : @should.any? { |wanted| property_matches?(current, wanted) }
    end

    def property_matches?(current, wanted)
      current == wanted || current == wanted.to_s
    end

    def safe_insync?(current)
      @should.nil? || insync?(current)
    end

    def is_to_s(value)
      self.class.format_value_for_display(value)
    end
    alias should_to_s is_to_s

    def change_to_s(current, wanted)
      "#{name} changed #{is_to_s(current)} to #{should_to_s(wanted)}"
    end

    def retrieve
      provider.send(name)
    end

    def sync
      set(should)
    end

    def set(*); end
    def call_provider(*); end

    class Ensure < Property
      @name = :ensure
      @value_collection = ValueCollection.new

      def self.defaultvalues
        newvalue(:present) {}
        newvalue(:absent) {}
        defaultto { :present if @resource.managed? }
      end

      defaultto { :present if @resource.managed? }
    end

    class Boolean < Property
      def unsafe_munge(value)
        Puppet::Coercion.boolean(value)
      end
    end

    class List < Property
      def membership
        :membership
      end

      def delimiter
        ','
      end

      def inclusive?
        @resource[membership] == :inclusive
      end

      def add_should_with_current(wanted, current)
        current.is_a?(Array) ? (wanted + current).uniq : wanted
      end

      def dearrayify(list)
        list.sort.join(delimiter)
      end

      # What the machine has besides is not known here.
      def should
        dearrayify(@should) if @should
      end
    end

    class OrderedList < List
      def dearrayify(list)
        list.join(delimiter)
      end
    end

    class KeyValue < Property
      class << self
        attr_accessor :log_only_changed_or_new_keys
      end

      def membership
        :key_value_membership
      end

      def separator
        '='
      end

      def delimiter
        ';'
      end

      def inclusive?
        @resource[membership] == :inclusive
      end

      def hashify_should
        return @should.first if @should.first.is_a?(Hash)

        @should.to_h do |pair|
          key, value = pair.split(separator)
          [key.strip.to_sym, value]
        end
      end

      def should
        hashify_should if @should
      end

      validate do |value|
        unless value.is_a?(String) || value.is_a?(Hash)
          raise ArgumentError, "The #{name} property must be specified as a hash or an array of key/value pairs (strings)!"
        end
        raise ArgumentError, "Key/value pairs must be separated by '#{separator}'" if value.is_a?(String) && !value.include?(separator.to_s)
      end

      munge do |value|
        next value if value.is_a?(String)

        value.to_h { |key, setting| [key.to_s.strip.to_sym, setting.to_s] }
      end
    end
  end
end
