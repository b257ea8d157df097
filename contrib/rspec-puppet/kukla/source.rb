# frozen_string_literal: true

module Kukla
  # Values of Ruby as Puppet code.
  module Source
    # A value that Puppet code cannot have: a symbol, bytes that are no text, a class whose title is no name.
    class Unwritable < StandardError; end

    class << self
      def of(value)
        case value
        when nil then 'undef'
        when :default then 'default'
        when Hash then "{#{value.map { |key, inner| "#{of(key)} => #{of(inner)}" }.join(', ')}}"
        when Array then "[#{value.map { |inner| of(inner) }.join(', ')}]"
        when String then text(value)
        when Numeric, true, false then value.to_s
        when Regexp then "Regexp(#{text(value.options.zero? ? value.source : value.to_s)})"
        else object(value)
        end
      end

      private

      def text(value)
        raise Unwritable, value.inspect unless value.dup.force_encoding(Encoding::UTF_8).valid_encoding?

        "'#{value.gsub(/['\\]/) { |special| "\\#{special}" }}'"
      end

      def object(value)
        case value
        when Puppet::Pops::Types::PSensitiveType::Sensitive then "Sensitive(#{of(value.unwrap)})"
        when Puppet::Pops::Types::PBinaryType::Binary then "Binary('#{value}')"
        when Puppet::Pops::Time::Timespan then "Timespan('#{value}')"
        when Puppet::Pops::Time::Timestamp then "Timestamp('#{value}')"
        when SemanticPuppet::Version then "SemVer('#{value}')"
        when SemanticPuppet::VersionRange then "SemVerRange('#{value}')"
        when Puppet::Pops::Types::PAnyType then value.to_s
        when Puppet::Resource then reference(value)
        else raise Unwritable, value.inspect
        end
      end

      def reference(resource)
        raise Unwritable, resource.inspect if resource.class? && resource.title !~ /\A(::)?\w+(::\w+)*\z/

        "#{resource.type}[#{text(resource.title)}]"
      end
    end
  end
end
