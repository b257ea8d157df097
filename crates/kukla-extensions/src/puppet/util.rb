# Parts of Puppet that modules call on for help: files of data, the machinery of types and scopes.

module PuppetX; end

module Puppet
  module Util
    module Json
      ParseError = Class.new(StandardError) do
        attr_reader :cause, :data

        def self.build(original, data)
          new(original.message).tap { |made| made.instance_variable_set(:@data, data) }
        end
      end

      class << self
        def load(text, options = {})
          JSON.parse(text, { quirks_mode: true }.merge(options).reject { |name, _| name == :quirks_mode })
        rescue JSON::ParserError => e
          raise ParseError.build(e, text)
        end

        def load_file(file)
          load(File.read(file.to_s))
        end

        def load_file_if_valid(file, _options = {})
          load_file(file)
        rescue SystemCallError, ParseError => e
          Puppet.debug("Could not retrieve JSON content: #{e.message}")
          nil
        end

        def dump(value, options = {})
          options.delete(:pretty) ? JSON.pretty_generate(value) : value.to_json
        end
      end
    end

    module Yaml
      class YamlLoadError < Puppet::Error; end

      class << self
        def safe_load(text, allowed_classes = [], filename = nil)
          YAML.safe_load(text, permitted_classes: allowed_classes, aliases: true, filename: filename) || false
        rescue ::Psych::DisallowedClass, ::Psych::BadAlias, ::Psych::SyntaxError => e
          raise YamlLoadError.new("(#{filename || '<unknown>'}): #{e.message}", e)
        end

        def safe_load_file(file, allowed_classes = [])
          safe_load(File.read(file.to_s), allowed_classes, file)
        end

        def safe_load_file_if_valid(file, allowed_classes = [])
          safe_load_file(file, allowed_classes)
        rescue YamlLoadError, ArgumentError, SystemCallError => e
          Puppet.debug("Could not retrieve YAML content: #{e.message}")
          nil
        end

        def load_file(file, default = false, *)
          safe_load_file(file, [Symbol]) || default
        rescue YamlLoadError, SystemCallError => e
          raise YamlLoadError.new(e.message, e)
        end

        def dump(value, file)
          File.write(file.to_s, YAML.dump(value))
        end
      end
    end
  end

  module DataBinding
    class Error < Puppet::Error; end

    class LookupError < Puppet::PreformattedError
      def initialize(message, *rest)
        super
      end

      def detailed_message(**)
        message
      end
    end

    class RecursiveLookupError < LookupError; end
  end

  module Pops
    module PuppetStack
      class << self
        def stacktrace
          Puppet::Parser::Scope.stack
        end

        def top_of_stack
          stacktrace.first || []
        end

        # Calls of Puppet code from Ruby are told apart by the compiler itself.
        def stack(_file, _line, receiver, message, args, &block)
          receiver.send(message, *args, &block)
        end
      end
    end

    module Lookup
      # What a function is given that Hiera asks for data.
      class Context < Types::PuppetObject
        %w[not_found module_name cache cache_all cache_has_key cached_value cached_entries interpolate explain
           cached_file_data].each do |name|
          define_method(name) { |*args, &block| Puppet::Parser::Scope.top.call_function(name, [self, *args], &block) }
        end

        def environment_name
          Puppet::Parser::Scope.environment_name.to_sym
        end

        def invocation
          self
        end
      end
    end

    module Types
      module Iterable
        class << self
          def asserted_iterable(caller, value, infer_elements = false)
            on(value, nil, infer_elements) or
              raise ArgumentError, "'#{caller.class}' wants an iterable value, got #{value.class}"
          end

          def on(value, _element_type = nil, _infer_elements = true)
            case value
            when Array then Each.new(value)
            when Hash then Each.new(value.to_a, hash_style: true)
            when String then Each.new(value.chars)
            when Integer then value.positive? ? Each.new((0...value).to_a) : nil
            when PuppetObject then Each.new(Puppet::Parser::Scope.top.call_function('map', [value]) { |element| element })
            end
          end
        end

        # A list that is gone through once.
        class Each
          include Enumerable

          def initialize(values, hash_style: false)
            @values = values
            @hash_style = hash_style
            @at = 0
          end

          def hash_style?
            @hash_style
          end

          def unbounded?
            false
          end

          def each(&block)
            @values.each(&block)
            self
          end

          def next
            raise StopIteration, 'iteration reached an end' if @at >= @values.size

            @at += 1
            @values[@at - 1]
          end

          def size
            @values.size
          end
        end
      end

      class TypeMismatchDescriber
        def self.singleton
          @singleton ||= new
        end

        def self.describe_mismatch(name, expected, actual, *)
          singleton.describe_mismatch(name, expected, actual)
        end

        def describe_mismatch(name, expected, actual, *)
          "#{name} expects a value of type #{expected}, got #{actual.simple_name}"
        end
      end

      class TypeAsserter
        def self.assert_instance_of(_subject, type, value, nil_ok = false, &block)
          return value if value.nil? && nil_ok

          Puppet::Parser::Scope.top.call_function('assert_type', [type, value], &block)
        end
      end
    end

    module Serialization
      class ToDataConverter
        def self.convert(value, _options = {})
          case value
          when nil, true, false, Integer, Float, String then value
          when :default then rich('Default')
          when Symbol then rich('Symbol', value.to_s)
          when Regexp then rich('Regexp', value.source)
          when Array then value.map { |inner| convert(inner) }
          when Hash then convert_hash(value)
          when Types::PSensitiveType::Sensitive then rich('Sensitive', convert(value.unwrap))
          else rich(Types::TypeCalculator.infer(value).simple_name, value.to_s)
          end
        end

        def self.rich(type, value = nil)
          value.nil? ? { '__ptype' => type } : { '__ptype' => type, '__pvalue' => value }
        end

        def self.convert_hash(hash)
          return hash.transform_values { |inner| convert(inner) } if hash.keys.all?(String)

          rich('Hash', hash.flat_map { |key, inner| [convert(key), convert(inner)] })
        end
      end
    end

    module Evaluator
      class Runtime3ResourceSupport
        def self.find_resource_type(scope, name)
          scope.find_definition(name) || Puppet::Type.type(name)
        end

        def self.find_resource_type_or_class(scope, name)
          find_resource_type(scope, name) || scope.find_hostclass(name)
        end

        def self.find_hostclass(scope, name)
          scope.find_hostclass(name)
        end
      end
    end

    class Adaptable
      class Adapter; end
    end
  end

  class Resource
    def self.type_and_title(type, title)
      made = title.nil? ? new(type) : new(type, title)
      [made.type, made.title]
    end
  end
end
