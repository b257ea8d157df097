# Examples of resource types: `be_valid_type`.

module RSpec
  module Puppet
    module TypeMatchers
      class ValidType < RSpec::Matchers::Base
        def initialize
          super
          @attributes = { parameter: [], property: [], feature: [] }
          @values = {}
          @errors = []
        end

        def with_provider(name) = tap { @provider = name }
        def with_properties(names) = tap { @attributes[:property] |= Array(names) }
        def with_parameters(names) = tap { @attributes[:parameter] |= Array(names) }
        def with_features(names) = tap { @attributes[:feature] |= Array(names) }
        def with_set_attributes(values) = tap { @values.merge!(values) }
        def with_defaults(*) = self

        def match?(subject)
          type, title, given = subject
          return false unless type && @attributes.all? { |kind, names| known?(type, kind, names) }
          return true if @values.empty? && @provider.nil?

          made = type.new({ name: title }.merge(given).merge(@values))
          return true if @provider.nil? || made[:provider] == @provider

          @errors << "Expected provider: #{@provider} does not match: #{made[:provider]}"
          false
        end

        def words = 'be a valid type'
        def failure_message = "Not a valid type #{@errors.inspect}"

        private

        def known?(type, kind, names)
          unknown = names.map(&:to_sym).reject do |name|
            kind == :feature ? type.provider_feature(name) : type.public_send(:"valid#{kind}?", name)
          end
          @errors << "Invalid #{kind == :property ? 'properties' : "#{kind}s"}: #{unknown.join(',')}" unless unknown.empty?
          unknown.empty?
        end
      end

      def be_valid_type = ValidType.new
    end

    module TypeExampleGroup
      include TypeMatchers
      include Support

      def subject
        @type_and_resource ||= [::Puppet::Type.type(self.class.top_level_description.downcase.to_sym), title, respond_to?(:params) ? params : {}]
      end
    end
  end
end
