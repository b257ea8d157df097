# Versions and requirements as RubyGems compares them.
module Gem
  VERSION = '3.3.5'

  class LoadError < ::LoadError; end

  def self.win_platform?
    false
  end

  def self.ruby_version
    Version.new(RUBY_VERSION)
  end

  class Version
    include Comparable

    VERSION_PATTERN = '[0-9]+(?>\.[0-9a-zA-Z]+)*(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?'
    ANCHORED_VERSION_PATTERN = /\A\s*(#{VERSION_PATTERN})?\s*\z/.freeze

    def self.correct?(version)
      ANCHORED_VERSION_PATTERN.match?(version.to_s)
    end

    def self.create(input)
      if input.is_a?(Version)
        input
      elsif input.nil?
        nil
      else
        new(input)
      end
    end

    attr_reader :version
    alias to_s version

    def initialize(version)
      unless self.class.correct?(version)
        raise ArgumentError, "Malformed version number string #{version}"
      end

      text = version.to_s
      text = '0' if text.empty? || text.match?(/\A\s*\z/)
      @version = text.strip.gsub('-', '.pre.').freeze
      @segments = nil
    end

    def segments
      _segments.dup
    end

    def _segments
      @segments ||= @version.scan(/[0-9]+|[a-z]+/i).map { |part| part.match?(/\A\d+\z/) ? part.to_i : part }
    end

    def prerelease?
      @version.match?(/[a-zA-Z]/)
    end

    def release
      return self unless prerelease?

      parts = segments
      parts.pop while parts.any?(String)
      self.class.new(parts.join('.'))
    end

    def bump
      parts = segments
      parts.pop while parts.any?(String)
      parts.pop if parts.size > 1
      parts[-1] = parts[-1].succ
      self.class.new(parts.join('.'))
    end

    def approximate_recommendation
      parts = segments
      parts.pop while parts.any?(String)
      parts.pop while parts.size > 2
      parts.push(0) while parts.size < 2
      recommendation = "~> #{parts.join('.')}"
      recommendation += '.a' if prerelease?
      recommendation
    end

    # Numbers to the first letter, and what follows it; zeros at the end of either count for nothing.
    def canonical_segments
      numbers = _segments.take_while { |part| part.is_a?(Integer) }
      rest = _segments.drop(numbers.size)
      [numbers, rest].flat_map { |parts| parts.reverse.drop_while { |part| part == 0 }.reverse }
    end

    def <=>(other)
      return self <=> self.class.new(other) if other.is_a?(String) && self.class.correct?(other)
      return nil unless other.is_a?(Version)
      return 0 if version == other.version

      left = canonical_segments
      right = other.canonical_segments
      return 0 if left == right

      [left.size, right.size].max.times do |at|
        one = left[at] || 0
        two = right[at] || 0
        next if one == two
        return -1 if one.is_a?(String) && two.is_a?(Numeric)
        return 1 if one.is_a?(Numeric) && two.is_a?(String)

        return one <=> two
      end
      0
    end

    def eql?(other)
      other.is_a?(self.class) && version == other.version
    end

    def hash
      canonical_segments.hash
    end

    def inspect
      "#<#{self.class} #{version.inspect}>"
    end
  end

  class Requirement
    OPS = {
      '=' => ->(version, wanted) { version == wanted },
      '!=' => ->(version, wanted) { version != wanted },
      '>' => ->(version, wanted) { version > wanted },
      '<' => ->(version, wanted) { version < wanted },
      '>=' => ->(version, wanted) { version >= wanted },
      '<=' => ->(version, wanted) { version <= wanted },
      '~>' => ->(version, wanted) { version >= wanted && version.release < wanted.bump }
    }.freeze

    class BadRequirementError < ArgumentError; end

    PATTERN_RAW = "\\s*(#{OPS.keys.map { |op| Regexp.quote(op) }.join('|')})?\\s*(#{Version::VERSION_PATTERN})\\s*".freeze
    PATTERN = /\A#{PATTERN_RAW}\z/.freeze
    DefaultRequirement = ['>=', Version.new(0)].freeze

    def self.create(*inputs)
      return new(inputs) if inputs.length > 1

      input = inputs.shift
      case input
      when Requirement then input
      when Version, Array then new(input)
      else
        input.respond_to?(:to_str) ? new([input.to_str]) : default
      end
    end

    def self.default
      new('>= 0')
    end

    def self.parse(input)
      return ['=', input] if input.is_a?(Version)

      match = PATTERN.match(input.to_s)
      raise BadRequirementError, "Illformed requirement [#{input.inspect}]" unless match
      return DefaultRequirement if match[1] == '>=' && match[2] == '0'

      [match[1] || '=', Version.new(match[2])]
    end

    attr_reader :requirements

    def initialize(*requirements)
      requirements = requirements.flatten.compact.uniq
      @requirements = requirements.empty? ? [DefaultRequirement] : requirements.map { |one| self.class.parse(one) }
    end

    def satisfied_by?(version)
      raise ArgumentError, "Need a Gem::Version: #{version.inspect}" unless version.is_a?(Version)

      @requirements.all? { |op, wanted| OPS[op].call(version, wanted) }
    end
    alias === satisfied_by?
    alias =~ satisfied_by?

    def none?
      @requirements == [DefaultRequirement]
    end

    def prerelease?
      @requirements.any? { |_, version| version.prerelease? }
    end

    def exact?
      @requirements.size == 1 && @requirements[0][0] == '='
    end

    def as_list
      @requirements.map { |op, version| "#{op} #{version}" }
    end

    def to_s
      as_list.join(', ')
    end

    def ==(other)
      other.is_a?(Requirement) && as_list.sort == other.as_list.sort
    end

    def hash
      as_list.sort.hash
    end
  end

  class Dependency
    TYPES = %i[development runtime].freeze

    attr_accessor :name, :groups, :source
    attr_reader :requirement, :type

    def initialize(name, *requirements)
      raise ArgumentError, "dependency name must be a string, was #{name.inspect}" unless name.is_a?(String)

      type = requirements.last.is_a?(Symbol) ? requirements.pop : :runtime
      raise ArgumentError, "Valid types are #{TYPES.inspect}, not #{type.inspect}" unless TYPES.include?(type)

      @name = name
      @type = type
      @requirement = Requirement.create(requirements.flatten)
    end

    def runtime? = @type == :runtime || !@type

    def prerelease? = @requirement.prerelease?

    def specific? = @requirement != Requirement.default

    def requirements_list = @requirement.as_list

    def match?(name, version, allow_prerelease = false)
      return false unless @name === name

      version = Version.create(version)
      return true if @requirement.none? && !version.prerelease?
      return false if version.prerelease? && !allow_prerelease && !prerelease?

      @requirement.satisfied_by?(version)
    end

    def =~(other)
      other = Dependency.new(other.name, other.version) unless other.is_a?(Dependency)
      return false unless @name === other.name

      wanted = other.requirement.requirements
      wanted.length == 1 && wanted[0][0] == '=' && @requirement.satisfied_by?(wanted[0][1])
    end
    alias === =~

    def ==(other)
      other.is_a?(Dependency) && [name, type, requirement] == [other.name, other.type, other.requirement]
    end
    alias eql? ==

    def hash = [name, type, requirement].hash

    def <=>(other)
      other.is_a?(Dependency) ? name <=> other.name : nil
    end

    def to_s
      "#{name} (#{requirement}#{', ' + type.to_s unless runtime?})"
    end

    def inspect
      "#<Gem::Dependency type=#{type.inspect} name=#{name.inspect} requirements=#{requirement.to_s.inspect}>"
    end
  end
end
