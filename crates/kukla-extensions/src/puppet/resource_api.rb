# Resource types of the Resource API: one hash says which attributes there are and which Puppet type each value has.

require 'puppet/type'

module Puppet
  module ResourceApi
    class << self
      def register_type(definition)
        raise Puppet::DevError, 'requires a hash as definition, not `%{other_type}`' % { other_type: definition.class } unless definition.is_a?(Hash)
        raise Puppet::DevError, 'requires a `:name`' unless definition.key?(:name)
        raise Puppet::DevError, 'requires `:attributes`' unless definition.key?(:attributes)

        make(definition)
      end

      def register_transport(*); end

      def load_provider(*); end

      def load_default_provider(*); end

      # The Puppet type that a definition writes, as text.
      def mismatch(subject, type, value)
        Puppet::Parser::Scope.mismatch(subject, type, value)
      end

      private

      def make(definition)
        api = self
        Puppet::Type.newtype(definition[:name].to_sym) do
          @definition = definition

          class << self
            attr_reader :definition

            def providers
              []
            end
          end

          definition[:attributes].each do |name, options|
            behaviour = options[:behaviour] || options[:behavior]
            kind = %i[namevar parameter read_only].include?(behaviour) ? :newparam : :newproperty
            send(kind, name.to_sym) do
              isnamevar if behaviour == :namevar
              desc options[:desc]
              define_method(:unsafe_validate) { |value| api.send(:check, self, options, behaviour, value) }
              define_method(:unsafe_munge) { |value| value }
              defaultto { options[:default] } if options.key?(:default) && !options[:default].nil?
              # A list is one value here, and its type speaks of the whole.
              define_method(:should=) { |value| validate(value); @should = [value] } if kind == :newproperty
            end
          end

          define_singleton_method(:title_patterns) do
            patterns = definition[:title_patterns]
            next super() if patterns.nil? && key_attributes.length < 2
            next [[/(.*)/m, [[key_attributes.first]]]] if patterns.nil?

            patterns.map { |pattern| [pattern[:pattern], pattern[:pattern].names.map { |name| [name.to_sym] }] }
          end

          validate { api.send(:require_all, self, definition) }
        end
      end

      def check(attribute, options, behaviour, value)
        raise Puppet::ResourceError, "Attempting to set `#{attribute.name}` read_only attribute value to `#{value}`" if behaviour == :read_only

        wrong = mismatch("#{attribute.resource.class.name}.#{attribute.name}", options[:type], value)
        raise Puppet::ResourceError, wrong if wrong
      end

      def require_all(resource, definition)
        attributes = definition[:attributes]
        missing = attributes.select do |name, options|
          behaviour = options[:behaviour] || options[:behavior]
          next if %i[read_only namevar].include?(behaviour)
          next if attributes[:ensure] && resource.value(:ensure).to_s == 'absent' && behaviour.nil?

          # A default of `false` is not set as a value, but counts as given.
          resource.value(name).nil? && options[:default].nil? && !options[:type].to_s.start_with?('Optional')
        end.keys - [:ensure]
        return if missing.empty?

        raise Puppet::ResourceError, "The following mandatory attributes were not provided:\n    *  #{missing.join(", \n    *  ")}"
      end
    end

    class SimpleProvider; end

    module DataTypeHandling; end
  end
end
