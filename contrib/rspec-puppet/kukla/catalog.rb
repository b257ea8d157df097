# frozen_string_literal: true

module Kukla
  # The document of a catalog as the objects that matchers look at.
  module Catalog
    RELATIONS = %i[before notify require subscribe].freeze

    class << self
      def from(document, environment)
        catalog = Puppet::Resource::Catalog.from_data_hash(document)
        catalog.environment_instance = environment
        document['resources'].each do |entry|
          resource = catalog.resource(entry['type'], entry['title'])
          resource.virtual = true if entry['virtual']
          RELATIONS.each { |relation| refer(resource, relation) if resource[relation] }
        end
        catalog
      end

      private

      # A document has names where the compiler has references.
      def refer(resource, relation)
        resource[relation] = references(resource[relation])
      end

      def references(value)
        case value
        when Array then value.map { |inner| references(inner) }
        when String then Puppet::Resource.new(value)
        else value
        end
      end
    end
  end
end
