# Metadata of groups and examples, and the conditions that choose among them.

module RSpec
  module Core
    module Metadata
      class << self
        # The metadata at the end of the arguments of `describe` and `it`: symbols and one hash.
        def from(args)
          given = args.last.is_a?(Hash) ? args.pop.dup : {}
          given[args.pop] = true while args.last.is_a?(Symbol)
          given
        end

        def relative_path(path)
          here = "#{Dir.pwd}/"
          path.start_with?(here) ? "./#{path[here.length..]}" : path
        end

        def joined(parent, own)
          return own.to_s if parent.nil?
          return parent.to_s if own.nil?

          separator = parent.is_a?(Module) && own.to_s.match?(/\A(?:#|::|\.)/) ? '' : ' '
          "#{parent}#{separator}#{own}"
        end
      end
    end

    # Whether metadata meets conditions such as `type: :class` or `file_path: /functions/`.
    module Filter
      class << self
        def any?(conditions, metadata)
          conditions.any? { |name, wanted| applies?(name, wanted, metadata) }
        end

        def all?(conditions, metadata)
          conditions.all? { |name, wanted| applies?(name, wanted, metadata) }
        end

        def applies?(name, wanted, metadata)
          return !!metadata[name] if wanted == true
          return false unless metadata.key?(name)

          value = metadata[name]
          case wanted
          when Hash then wanted.all? { |inner, condition| value.is_a?(Hash) && applies?(inner, condition, value) }
          when Proc then called(wanted, value, metadata)
          when Regexp then wanted.match?(value.to_s)
          else
            return value.any? { |one| wanted === one } if value.is_a?(Array) && !wanted.is_a?(Proc)

            wanted == value || wanted.to_s == value.to_s
          end
        end

        private

        def called(condition, value, metadata)
          case condition.arity
          when 0 then condition.call
          when 2 then condition.call(value, metadata)
          else condition.call(value)
          end
        end
      end
    end
  end
end
