# Hiera 3 as its backends know it: they are asked for one key at a time, walk the hierarchy themselves and interpolate what they find.

class Hiera
  class Error < StandardError; end
  class InvalidConfigurationError < Error; end
  class InterpolationInvalidValue < StandardError; end
  class InterpolationLoop < StandardError; end

  VERSION = '3.12.0'
  QUOTED_KEY = /\A(?:"([^"]+)"|'([^']+)')\z/.freeze

  class << self
    attr_reader :logger

    # Whatever is asked for, messages go where Puppet's go.
    def logger=(name)
      @logger = name
    end

    def warn(message)
      Puppet.notice("hiera(): #{message}")
    end

    def debug(message)
      Puppet.debug("hiera(): #{message}")
    end
  end

  attr_reader :options, :config

  def initialize(options = {})
    @options = options
    @config = Config.load(options[:config] || Puppet[:hiera_config] || File.join(Util.code_dir, 'hiera.yaml'))
    Config.load_backends
  end

  def lookup(key, default, scope, order_override = nil, resolution_type = :priority)
    Backend.lookup(key, default, scope, order_override, resolution_type)
  end

  module Config
    DEFAULTS = { backends: ['yaml'], hierarchy: ['nodes/%{::trusted.certname}', 'common'], merge_behavior: :native }.freeze

    class << self
      def load(source)
        @config = DEFAULTS.merge(source.is_a?(Hash) ? source : read(source))
        @config[:backends] = [@config[:backends]].flatten
        @config[:logger] ||= 'console'
        @config
      end

      def load_backends
        @config[:backends].each do |backend|
          require "hiera/backend/#{backend.downcase}_backend"
        rescue LoadError => e
          raise "Cannot load backend #{backend}: #{e}"
        end
      end

      def config
        @config ||= DEFAULTS.dup
      end

      def [](key)
        config[key]
      end

      def include?(key)
        config.include?(key)
      end

      private

      def read(file)
        raise "Config file #{file} not found" unless File.exist?(file)

        found = YAML.load_file(file) || {}
        version = found['version'] || found[:version] || 3
        return found if version < 4

        raise "v#{version} hiera.yaml is only to be used inside an environment or a module and cannot be given to the global hiera"
      end
    end
  end

  module Util
    module_function

    def config_dir
      '/etc/puppetlabs/puppet'
    end

    def code_dir
      Puppet[:codedir] || '/etc/puppetlabs/code'
    end

    def var_dir
      File.join(code_dir, 'environments', '%{environment}', 'hieradata')
    end

    # The parts of a key with dots; quoted ones may have dots in them.
    def split_key(key)
      return [key] unless key =~ /["'.]/

      parts = key.scan(/"[^"]*"|'[^']*'|[^."']+|\./)
      well_formed = parts.join == key && parts.each_with_index.all? { |part, at| at.odd? == (part == '.') } && parts.size.odd?
      raise(block_given? ? yield('Syntax error') : ArgumentError.new("Syntax error in key: #{key}")) unless well_formed

      parts.reject { |part| part == '.' }.map { |part| part.delete_prefix(part[/\A["']/].to_s).delete_suffix(part[/\A["']/].to_s) }
    end
  end

  # Variables as backends see them.
  class Scope
    CALLING = %w[calling_class calling_class_path calling_module].freeze

    attr_reader :real

    def initialize(real)
      @real = real
    end

    def [](key)
      found =
        case key
        when 'calling_class' then @real.source.name
        when 'calling_class_path' then @real.source.name.gsub('::', '/')
        when 'calling_module' then @real.module_name
        else @real.lookupvar(key)
        end
      found == '' ? nil : found
    end

    def include?(key)
      CALLING.include?(key) || @real.include?(key)
    end

    def exist?(key)
      CALLING.include?(key) || @real.exist?(key)
    end

    %i[catalog resource compiler call_function lookupvar environment].each do |name|
      define_method(name) { |*args, &block| @real.send(name, *args, &block) }
    end
  end

  # Files, read again only if they are others.
  class Filecache
    def read(path, expected_type = nil, default = nil, &block)
      read_file(path, expected_type, &block)
    rescue TypeError, StandardError => e
      Hiera.debug("Reading data from #{path} failed: #{e.class}: #{e}")
      default
    end

    def read_file(path, expected_type = Object)
      @read ||= {}
      data = File.read(path)
      known, value = @read[path]
      value = block_given? ? yield(data) : data unless known == data
      if expected_type && !value.is_a?(expected_type)
        raise TypeError, "Data retrieved from #{path} is #{value.class} not #{expected_type}"
      end

      @read[path] = [data, value]
      value
    end
  end

  # What is being interpolated, to notice circles.
  class RecursiveGuard
    def initialize
      @seen = []
    end

    def check(value)
      raise InterpolationLoop, "Lookup recursion detected in [#{@seen.join(', ')}]" if @seen.include?(value)

      @seen.push(value)
      begin
        yield
      ensure
        @seen.pop
      end
    end
  end

  # `%{…}` in data and configuration.
  module Interpolate
    PATTERN = /%\{([^\}]*)\}/.freeze
    EMPTY = ['', '::', '""', "''", '"::"', "'::'"].freeze
    METHODS = %w[hiera scope literal alias].freeze

    class << self
      def interpolate(data, scope, extra_data, context)
        return data unless data.is_a?(String)

        context = (context || {}).dup
        context[:recurse_guard] ||= RecursiveGuard.new
        data.gsub(PATTERN) do |whole|
          value, kind = one(whole, scope, extra_data, context)
          if kind == 'alias' && !value.is_a?(String)
            return value if data == whole

            raise InterpolationInvalidValue, 'Cannot call alias in the string context'
          end
          value.to_s
        end
      end

      private

      def one(text, scope, extra_data, context)
        match = text.is_a?(String) && PATTERN.match(text)
        return [text, nil] unless match
        return ['', nil] if EMPTY.include?(match[1].strip)

        context[:recurse_guard].check(match[1]) do
          kind, key = kind_and_key(match[1])
          return [key, kind] if kind == 'literal'

          value = kind == 'scope' ? variable(text, key, scope, extra_data) : looked_up(key, scope)
          value = interpolate(value, scope, extra_data, context) if value.is_a?(String)
          [value, kind]
        end
      end

      def kind_and_key(inside)
        match = /\A(\w+)\(([^)]*)\)\z/.match(inside)
        return ['scope', inside] unless match
        raise InterpolationInvalidValue, "Invalid interpolation method '#{match[1]}'" unless METHODS.include?(match[1])

        quoted = QUOTED_KEY.match(match[2])
        unless quoted
          raise InterpolationInvalidValue, "Argument to interpolation method '#{match[1]}' must be quoted, got '#{match[2]}'"
        end

        [match[1], quoted[1] || quoted[2]]
      end

      def variable(text, key, scope, extra_data)
        segments = Util.split_key(key) { |problem| InterpolationInvalidValue.new("#{problem} in interpolation expression: #{text}") }
        catch(:no_such_key) { return Backend.qualified_lookup(segments, scope, key) }
        catch(:no_such_key) { Backend.qualified_lookup(segments, extra_data, key) }
      end

      # Other data is the business of whoever asks the backends.
      def looked_up(key, scope)
        scope.call_function('lookup', [{ 'name' => key, 'default_value' => nil }])
      end
    end
  end

  module Backend
    class << self
      # One question of the compilation: what a backend has for a key.
      def __ask(name, config, key, order_override, resolution_type)
        Config.load(config)
        backend = __backend(name)
        return backend if backend.is_a?(Array)

        scope = Hiera::Scope.new(Puppet::Parser::Scope.new)
        catch(:no_such_key) do
          return [:found, backend.lookup(key, scope, order_override, resolution_type, { recurse_guard: nil })]
        end
        [:nothing]
      end

      def datadir(backend, scope)
        own = Config[backend.to_sym]
        directory = own && own[:datadir] || Util.var_dir
        raise InvalidConfigurationError, "datadir for #{backend} cannot be an array" unless directory.is_a?(String)

        interpolate_config(directory, scope, nil)
      end

      def datafile(backend, scope, source, extension)
        datafile_in(datadir(backend, scope), source, extension)
      end

      def datafile_in(directory, source, extension)
        file = File.join(directory, "#{source}.#{extension}")
        return file if File.exist?(file)

        Hiera.debug("Cannot find datafile #{file}, skipping")
        nil
      end

      def datasources(scope, override = nil, hierarchy = nil)
        sources = hierarchy ? [hierarchy] : [Config.include?(:hierarchy) ? Config[:hierarchy] : 'common']
        sources.unshift(override) if override
        sources.flatten.map do |source|
          source = interpolate_config(source, scope, override)
          if source == '' || source =~ %r{(^/|//|/$)}
            Hiera.debug("Ignoring bad definition in :hierarchy: '#{source}'")
          else
            yield source
          end
        end
      end

      def datasourcefiles(backend, scope, extension, override = nil, hierarchy = nil)
        directory = datadir(backend, scope)
        datasources(scope, override, hierarchy) do |source|
          Hiera.debug("Looking for data source #{source}")
          file = datafile_in(directory, source, extension)
          yield source, file if file
        end
      end

      def parse_string(data, scope, extra_data = {}, context = { recurse_guard: nil, order_override: nil })
        Interpolate.interpolate(data, scope, extra_data, context)
      end

      def parse_answer(data, scope, extra_data = {}, context = { recurse_guard: nil, order_override: nil })
        case data
        when Numeric, true, false then data
        when String then parse_string(data, scope, extra_data, context)
        when Array then data.map { |item| parse_answer(item, scope, extra_data, context) }
        when Hash
          data.to_h { |key, value| [parse_string(key, scope, extra_data, context), parse_answer(value, scope, extra_data, context)] }
        end
      end

      def resolve_answer(answer, resolution_type)
        resolution_type == :array ? [answer].flatten.uniq.compact : answer
      end

      def merge_answer(left, right, resolution_type = nil)
        own = resolution_type.is_a?(Hash)
        behavior = own ? resolution_type[:behavior] : Config[:merge_behavior]
        case behavior.to_s
        when 'deeper' then deep_merge(left, right, true)
        when 'deep' then deep_merge(left, right, false)
        else left.merge(right)
        end
      end

      def lookup(key, default, scope, order_override, resolution_type, context = { recurse_guard: nil })
        strategy = resolution_type.is_a?(Hash) ? :hash : resolution_type
        first, *rest = Util.split_key(key) { |problem| ArgumentError.new("#{problem} in key: #{key}") }
        if rest.any? && ![nil, :priority].include?(strategy)
          raise ArgumentError, "Resolution type :#{strategy} is illegal when accessing values using dotted keys. Offending key was '#{key}'"
        end

        answer = nil
        found = false
        Config[:backends].each do |name|
          backend = __backend(name)
          next if backend.is_a?(Array)

          has = false
          value = catch(:no_such_key) do
            value = backend.lookup(first, scope, order_override, resolution_type, context)
            value = qualified_lookup(rest, value, key) unless rest.empty?
            has = true
            value
          end
          next unless has

          found = true
          break answer = value unless %i[array hash].include?(strategy)

          answer = gathered(answer, value, key, strategy, resolution_type)
        end
        return default.is_a?(String) ? parse_string(default, scope, {}, context) : default unless found

        answer.nil? ? answer : resolve_answer(answer, strategy)
      end

      # What several sources give, as `:array` and `:hash` want it.
      def gathered(answer, value, key, strategy, resolution_type)
        fits = strategy == :array ? value.is_a?(Array) || value.is_a?(String) : value.is_a?(Hash)
        unless fits
          raise Exception, "Hiera type mismatch for key '#{key}': expected #{strategy.to_s.capitalize} and got #{value.class}"
        end

        strategy == :array ? (answer || []) << value : merge_answer(value, answer || {}, resolution_type)
      end

      def qualified_lookup(segments, hash, full_key = nil)
        suffix = full_key.nil? ? '' : " from key '#{full_key}'"
        segments.reduce(hash) do |value, segment|
          throw :no_such_key if value.nil?
          wrong = "Hiera type mismatch: Got #{value.class.name} when"
          if segment =~ /\A[0-9]+\z/
            segment = segment.to_i
            raise Exception, "#{wrong} Array was expected to access value using '#{segment}'#{suffix}" unless value.instance_of?(Array)

            throw :no_such_key unless segment < value.size
          else
            if !value.respond_to?(:[]) || value.instance_of?(Array) || value.instance_of?(String)
              raise Exception, "#{wrong} a hash-like object was expected to access value using '#{segment}'#{suffix}"
            end

            throw :no_such_key unless value.include?(segment)
          end
          value[segment]
        end
      end

      def clear!
        @backends = {}
      end

      private

      # A backend, or why there is none.
      def __backend(name)
        @backends ||= {}
        @backends[name] ||= begin
          require "hiera/backend/#{name.downcase}_backend"
          made = const_get("#{name.capitalize}_backend").new
          made.method(:lookup).arity == 4 ? Backend1xWrapper.new(made) : made
        rescue LoadError => e
          [:unusable, "Unable to load backend '#{name}': #{e.message}"]
        rescue NameError => e
          [:unusable, "Unable to instantiate backend '#{name}': #{e.message}"]
        end
      end

      def interpolate_config(entry, scope, override)
        Interpolate.interpolate(entry, scope, {}, { order_override: override })
      end

      # What cannot be merged is the one's or the other's.
      def deep_merge(left, right, right_wins)
        if left.is_a?(Hash) && right.is_a?(Hash)
          left.merge(right) { |_, ours, theirs| deep_merge(ours, theirs, right_wins) }
        elsif left.is_a?(Array) && right.is_a?(Array)
          left | right
        else
          right_wins && !right.nil? ? right : left
        end
      end
    end

    # A backend as they were before there was a context.
    class Backend1xWrapper
      def initialize(wrapped)
        @wrapped = wrapped
      end

      def lookup(key, scope, order_override, resolution_type, _context)
        value = @wrapped.lookup(key, scope, order_override, resolution_type.is_a?(Hash) ? :hash : resolution_type)
        throw :no_such_key if value.nil?
        value
      end
    end

    # Files with a hash each.
    class FileBackend
      def initialize(cache = nil)
        @cache = cache || Filecache.new
      end

      def lookup(key, scope, order_override, resolution_type, context)
        strategy = resolution_type.is_a?(Hash) ? :hash : resolution_type
        answer = nil
        found = false
        Backend.datasourcefiles(format, scope, format.to_s, order_override) do |_, file|
          data = @cache.read_file(file, Hash) { |text| parse(text) || {} }
          next unless data.include?(key)

          found = true
          value = Backend.parse_answer(data[key], scope, {}, context)
          break answer = value unless %i[array hash].include?(strategy)

          answer = Backend.gathered(answer, value, key, strategy, resolution_type)
        end
        throw :no_such_key unless found
        answer
      end
    end

    class Yaml_backend < FileBackend
      def format
        :yaml
      end

      def parse(text)
        YAML.load(text)
      end
    end

    class Json_backend < FileBackend
      def format
        :json
      end

      def parse(text)
        JSON.parse(text)
      end
    end
  end
end
