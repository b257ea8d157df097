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

    module Platform
      def windows?
        false
      end

      def solaris?
        false
      end
      module_function :windows?, :solaris?
    end

    # Files of sections, to read.
    module IniConfig
      class IniParseError < Puppet::Error; end

      class Section
        attr_reader :name, :file, :entries

        def initialize(name, file)
          @name = name
          @file = file
          @entries = []
        end

        def [](key)
          found = pair(key)
          found && found.last
        end

        def []=(key, value)
          found = pair(key)
          found ? found[1] = value : @entries << [key, value]
        end

        def add_line(line)
          @entries << line
        end

        private

        def pair(key)
          @entries.find { |entry| entry.is_a?(Array) && entry.first == key }
        end
      end

      class PhysicalFile
        attr_reader :contents

        def initialize(file, _options = {})
          @file = file
          @contents = []
        end

        def read
          raise IniParseError, "Cannot read nonexistent file #{@file.inspect}" unless File.exist?(@file)

          parse(File.read(@file))
        end

        def parse(text)
          section = key = nil
          text.each_line.with_index(1) do |line, number|
            case line
            when /^\s*$|^[#;]|^\s*rem\s/i then section ? section.add_line(line) : @contents << line
            when /^\[([^\]]+)\]/
              section = add_section($1)
              key = nil
            else
              key = read_property(section, key, line) || raise(IniParseError, "Can't parse line '#{line.chomp}' (file: #{@file}, line: #{number})")
            end
          end
        end

        def sections
          @contents.grep(Section)
        end

        def get_section(name)
          sections.find { |section| section.name == name }
        end

        def add_section(name)
          raise IniParseError, "Section #{name.inspect} is already defined, cannot redefine (file: #{@file})" if get_section(name)

          Section.new(name, @file).tap { |section| @contents << section }
        end

        private

        # The name of the property that a line is of; one that begins with blanks goes on with the last.
        def read_property(section, key, line)
          if key && line.match?(/^[ \t\r\n\f]/)
            section[key] += "\n#{line.chomp}"
            return key
          end
          return unless line =~ /^\s*([^\s=]+)\s*=\s*(.*)$/
          raise IniParseError, "Property with key #{$1.inspect} outside of a section" unless section

          section[$1] = $2.rstrip
          $1
        end
      end
    end

    # Permissions in letters: `u=rw,go+rX`.
    module SymbolicFileMode
      PLACES = { 'u' => 6, 'g' => 3, 'o' => 0 }.freeze
      LETTERS = { 'r' => 4, 'w' => 2, 'x' => 1 }.freeze
      SPECIAL = { 's' => { 'u' => 0o4000, 'g' => 0o2000, 'o' => 0o1000 }, 't' => { 'u' => 0o1000, 'g' => 0o1000, 'o' => 0o1000 } }.freeze
      OCTAL = /^0?[0-7]{1,4}$/.freeze

      def valid_symbolic_mode?(value)
        mode = normalize_symbolic_mode(value)
        mode.to_s.match?(OCTAL) || mode.to_s.match?(/^[ugoa]*[-=+][-=+rstwxXugo]*(?:,[ugoa]*[-=+][-=+rstwxXugo]*)*$/)
      end

      def display_mode(value)
        value.match?(OCTAL) ? value.rjust(4, '0') : value
      end

      def normalize_symbolic_mode(value)
        return value.to_s(8) if value.is_a?(Numeric)

        value.to_s.match?(OCTAL) ? value.to_i(8).to_s(8) : value
      end

      def symbolic_mode_to_int(modification, to_mode = 0, is_a_directory = false)
        raise Puppet::Error, 'An empty mode string is illegal' if modification.nil? || modification == ''
        return modification.to_i(8) if modification.match?(/^[0-7]+$/)
        raise Puppet::Error, 'Numeric modes must be in octal, not decimal!' if modification.match?(/^\d+$/)
        raise "non-numeric current mode (#{to_mode.inspect})" unless to_mode.is_a?(Numeric)

        is_entered = is_a_directory || to_mode.anybits?(0o111)
        modification.split(/\s*,\s*/).inject(to_mode & 0o7777) do |mode, clause|
          with_clause(mode, clause, is_entered)
        rescue Puppet::Error => e
          place = clause == modification ? '' : " at #{clause.inspect}"
          raise Puppet::Error, "#{e}#{place} in symbolic mode #{modification.inspect}"
        end
      end

      private

      def with_clause(mode, clause, is_entered)
        whose, actions = clause.match(/^([ugoa]*)([-+=].*)$/)&.captures
        raise Puppet::Error, 'Missing action' unless actions

        whose = 'ugo' if whose.empty? || whose.include?('a')
        whose.chars.uniq.inject(mode) { |changed, one| with_actions(changed, one, actions, mode, is_entered) }
      end

      # What the actions make of the permissions of one; others count as they were before the clause.
      def with_actions(changed, one, actions, mode, is_entered)
        place = PLACES[one]
        special = changed & 0o7000
        own = mode >> place & 7
        operator = nil
        actions.each_char do |letter|
          case letter
          when '-', '+' then operator = letter
          when '='
            operator = letter
            own = 0
          when 's', 't' then special = with_bits(special, SPECIAL[letter][one], operator)
          else own = with_bits(own, bits_for(letter, mode, operator, is_entered), operator)
          end
        end
        changed & ~(0o7000 | 7 << place) | special | own << place
      end

      def bits_for(letter, mode, operator, is_entered)
        case letter
        when 'r', 'w', 'x' then LETTERS[letter]
        when 'u', 'g', 'o' then mode >> PLACES[letter] & 7
        when 'X'
          raise Puppet::Error, "X only works with the '+' operator" unless operator == '+'

          is_entered ? 1 : 0
        else raise Puppet::Error, 'Unknown operation'
        end
      end

      def with_bits(value, bits, operator)
        operator == '-' ? value & ~bits : value | bits
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

    # What code keeps beside an object of someone else's: one adapter of each class for each object.
    module Adaptable
      class Adapter
        class << self
          def get(object)
            object.instance_variable_get(place)
          end

          def adapt(object, &block)
            told(get(object) || associate_adapter(create_adapter(object), object), object, &block)
          end

          def adapt_new(object, &block)
            told(associate_adapter(create_adapter(object), object), object, &block)
          end

          def clear(object)
            object.remove_instance_variable(place) if object.instance_variable_defined?(place)
          end

          def create_adapter(_object)
            new
          end

          def associate_adapter(adapter, object)
            object.instance_variable_set(place, adapter)
          end

          private

          def told(adapter, object)
            yield adapter, object if block_given?
            adapter
          end

          def place
            "@adapter_#{object_id}"
          end
        end
      end
    end
  end

  class Resource
    def self.type_and_title(type, title)
      made = title.nil? ? new(type) : new(type, title)
      [made.type, made.title]
    end
  end
end
