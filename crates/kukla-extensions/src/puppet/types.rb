# Puppet's types and values as Ruby code sees them.

module Puppet
  module Pops
    # What something is worth in Ruby that only Puppet has.
    module Types
      class PAnyType < PuppetObject
        def instance?(value)
          Puppet::Parser::Scope.top.call_function('assert_type', [self, value]) { |_, _| :__mismatch__ } != :__mismatch__
        end

        def ==(other)
          other.is_a?(PAnyType) && other.to_s == to_s
        end
        alias eql? ==

        def hash
          to_s.hash
        end

        def name
          to_s
        end

        def simple_name
          to_s[/\A\w+/]
        end
      end

      # Types that have a first value, a next and a last one.
      module Counted
        def values
          Puppet::Parser::Scope.top.call_function('map', [self]) { |value| value }
        end

        def each(&block)
          values.each(&block)
        end

        def size
          values.size
        end
      end

      class PEnumType < PAnyType
        include Counted
      end

      class PIntegerType < PAnyType
        include Counted
      end

      class PCatalogEntryType < PAnyType; end

      class PResourceType < PCatalogEntryType
        def self.new(type_name, title = nil)
          Puppet::Parser::Scope.parse_type(title ? "#{type_name}['#{title}']" : type_name)
        end

        def type_name
          to_s[/\A[^\[]+/]
        end

        def title
          to_s[/\A[^\[]+\['?(.*?)'?\]\z/m, 1]
        end
      end

      class PClassType < PCatalogEntryType
        def class_name
          to_s[/\A[^\[]+\['?(.*?)'?\]\z/m, 1]
        end
      end

      class Iterator < PuppetObject; end

      class PSensitiveType < PAnyType
        class Sensitive < PuppetObject
          def self.new(value)
            Puppet::Parser::Scope.top.call_function('new', [Puppet::Parser::Scope.parse_type('Sensitive'), value])
          end

          def unwrap
            unwrap_value
          end

          def to_s
            'Sensitive [value redacted]'
          end

          def inspect
            '#<Sensitive [value redacted]>'
          end

          def ==(other)
            other.is_a?(Sensitive) && other.hash == hash
          end
          alias eql? ==

          def hash
            unwrap_value.hash
          end
        end
      end

      class PBinaryType < PAnyType
        class Binary < PuppetObject
          def self.from_base64(text)
            Puppet::Parser::Scope.top.call_function('new', [Puppet::Parser::Scope.parse_type('Binary'), text])
          end

          def self.from_string(text)
            Puppet::Parser::Scope.top.call_function('new', [Puppet::Parser::Scope.parse_type('Binary'), text, '%s'])
          end

          def self.from_binary_string(bytes)
            from_base64([bytes].pack('m0'))
          end

          def binary_buffer
            to_s.unpack1('m')
          end

          def length
            binary_buffer.bytesize
          end

          def ==(other)
            other.is_a?(Binary) && other.to_s == to_s
          end
        end
      end

      module TypeFactory
        class << self
          %w[Any Data Scalar String Integer Float Numeric Boolean Undef Regexp Hash Array].each do |name|
            define_method(name.downcase) { Puppet::Parser::Scope.parse_type(name) }
          end

          def optional(type)
            Puppet::Parser::Scope.parse_type("Optional[#{type}]")
          end

          def array_of(type)
            Puppet::Parser::Scope.parse_type("Array[#{type}]")
          end

          def hash_of(value, key = 'Scalar')
            Puppet::Parser::Scope.parse_type("Hash[#{key}, #{value}]")
          end

          def variant(*types)
            Puppet::Parser::Scope.parse_type("Variant[#{types.join(', ')}]")
          end

          def enum(*values)
            Puppet::Parser::Scope.parse_type("Enum[#{values.map { |value| "'#{value}'" }.join(', ')}]")
          end

          def host_class(name = nil)
            Puppet::Parser::Scope.parse_type(name ? "Class['#{name}']" : 'Class')
          end

          def resource(type = nil, title = nil)
            text = 'Resource'
            text = "Resource['#{type}']" if type
            text = "Resource['#{type}', '#{title}']" if title
            Puppet::Parser::Scope.parse_type(text)
          end
        end
      end

      class TypeParser
        def self.singleton
          @singleton ||= new
        end

        def parse(text, *)
          Puppet::Parser::Scope.parse_type(text)
        end
      end

      class TypeCalculator
        class << self
          def singleton
            @singleton ||= new
          end

          def infer(value)
            singleton.infer(value)
          end

          def infer_set(value)
            singleton.infer_set(value)
          end

          def instance?(type, value)
            type.instance?(value)
          end

          def string(type)
            type.to_s
          end
        end

        def infer(value)
          Puppet::Parser::Scope.top.call_function('type', [value, 'generalized'])
        end

        def infer_set(value)
          Puppet::Parser::Scope.top.call_function('type', [value])
        end

        def instance?(type, value)
          type.instance?(value)
        end
      end
    end

    module Time
      # What a time is as a number, in seconds.
      module Seconds
        def to_f
          Puppet::Parser::Scope.top.call_function('new', [Puppet::Parser::Scope.parse_type('Float'), self])
        end

        def to_i
          to_f.floor
        end
      end

      class Timestamp < Types::PuppetObject
        include Seconds

        def self.now
          Puppet::Parser::Scope.top.call_function('new', [Puppet::Parser::Scope.parse_type('Timestamp')])
        end

        def self.parse(text, *formats)
          Puppet::Parser::Scope.top.call_function('new', [Puppet::Parser::Scope.parse_type('Timestamp'), text, *formats])
        end

        def format(pattern, *zone)
          Puppet::Parser::Scope.top.call_function('strftime', [self, pattern, *zone])
        end
      end

      class Timespan < Types::PuppetObject
        include Seconds

        def self.parse(text, *formats)
          Puppet::Parser::Scope.top.call_function('new', [Puppet::Parser::Scope.parse_type('Timespan'), text, *formats])
        end

        def format(pattern)
          Puppet::Parser::Scope.top.call_function('strftime', [self, pattern])
        end
      end
    end

    module Patterns
      NUMERIC_VAR_NAME = /\A(?:0|(?:[1-9][0-9]*))\z/.freeze
      CLASSREF_EXT = /\A((::){0,1}[A-Z][\w]*)+\z/.freeze
    end
  end
end

module SemanticPuppet
  class Version < Puppet::Pops::Types::PuppetObject
    include Comparable

    class ValidationFailure < ArgumentError; end

    def self.parse(text)
      Puppet::Parser::Scope.top.call_function('new', [Puppet::Parser::Scope.parse_type('SemVer'), text])
    rescue Puppet::Error, ArgumentError
      raise ValidationFailure, "Unable to parse '#{text}' as a semantic version identifier"
    end

    def self.valid?(text)
      text.match?(/\A\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?\z/)
    end

    def major
      to_s[/\A(\d+)/, 1].to_i
    end

    def minor
      to_s[/\A\d+\.(\d+)/, 1].to_i
    end

    def patch
      to_s[/\A\d+\.\d+\.(\d+)/, 1].to_i
    end

    def prerelease
      to_s[/\A\d+\.\d+\.\d+-([^+]*)/, 1]
    end

    def <=>(other)
      return nil unless other.is_a?(Version)

      [[major, minor, patch] <=> [other.major, other.minor, other.patch], compare_prerelease(other)].find { |n| n != 0 } || 0
    end

    def hash
      to_s.hash
    end

    def eql?(other)
      other.is_a?(Version) && to_s == other.to_s
    end

    private

    def compare_prerelease(other)
      return 0 if prerelease == other.prerelease
      return 1 if prerelease.nil?
      return -1 if other.prerelease.nil?

      split = ->(text) { text.split('.').map { |part| part =~ /\A\d+\z/ ? [0, part.to_i] : [1, part] } }
      split.call(prerelease) <=> split.call(other.prerelease)
    end
  end

  class VersionRange < Puppet::Pops::Types::PuppetObject
    def self.parse(text)
      Puppet::Parser::Scope.top.call_function('new', [Puppet::Parser::Scope.parse_type('SemVerRange'), text])
    end

    def include?(version)
      version = Version.parse(version.to_s) unless version.is_a?(Version)
      Puppet::Parser::Scope.top.call_function('new', [Puppet::Parser::Scope.parse_type('SemVerRange'), to_s]) &&
        Puppet::Parser::Scope.parse_type("SemVer['#{self}']").instance?(version)
    end
    alias === include?
    alias cover? include?
  end
end

module Facter
  class << self
    def value(name)
      facts = Puppet::Parser::Scope.facts
      name.to_s.split('.').reduce(facts) { |found, part| found.is_a?(Hash) ? found[part] : nil }
    end
    alias fact_value value

    def [](name)
      found = value(name)
      found.nil? ? nil : Fact.new(name.to_s, found)
    end
    alias fact []

    def to_hash
      Puppet::Parser::Scope.facts
    end

    def version
      value('facterversion') || '4.3.0'
    end

    %w[debug warn debugonce warnonce].each { |name| define_method(name) { |message| Puppet.debug(message) } }
  end

  Fact = Struct.new(:name, :value)
end
