# The helpers of rspec-puppet: from what an example defines with `let` to the inputs of a compilation.

module RSpec
  module Puppet
    # A value that is written into code as it is.
    class RawString
      def initialize(value)
        @value = value
      end

      def inspect = @value
    end

    # A sensitive value, as a parameter and as an expectation.
    class Sensitive < ::Puppet::Pops::Types::PSensitiveType::Sensitive
      def self.new(value) = allocate.tap { |made| made.instance_variable_set(:@value, value) }

      def unwrap = @value
      def hash = @value.hash
      def sensitive? = true
      def inspect = "Sensitive(#{@value.inspect})"
      alias to_s inspect

      def ==(other)
        return super unless other.respond_to?(:unwrap)

        unwrap.is_a?(Regexp) ? !!(unwrap =~ other.unwrap) : unwrap == other.unwrap
      end
    end

    module Coverage
      class << self
        def report!(*) = nil
        def add_filter(*) = nil
        def filters = []
        def cover!(*) = nil
      end
    end

    class << self
      def rspec_puppet_example? = !RSpec.current_example.nil?
      def current_example = RSpec.current_example&.instance
    end

    module Consts
      def self.stub_consts_for(*) = nil
      def self.restore_consts = nil
    end

    # What suites ask of the adapter.
    class Adapter
      def modulepath = RSpec.configuration.module_path.to_s.split(File::PATH_SEPARATOR)
      def current_environment = ::Puppet::Node::Environment.current
      def manifest = RSpec.configuration.manifest
      def setup_puppet(*) = nil
    end

    module Support
      def environment = 'rp_env'

      def subject = -> { catalogue }

      def adapter = @adapter ||= Adapter.new

      def build_code(type, options)
        [site_pp_str, pre_cond, test_manifest(type, options), post_cond].compact.join("\n")
      end

      def load_catalogue(type, exported = false, options = {})
        request = __request(nodename(type), build_code(type, options), exported)
        ::Puppet::Resource::Catalog.compile(request, RSpec::Puppet.changed_compiler?)
      end

      def site_pp_str
        path = RSpec.configuration.manifest || File.join(RSpec.configuration.environmentpath.to_s, 'fixtures', 'manifests')
        return '' if path.to_s.empty?
        return File.read(path) if File.file?(path)

        File.directory?(path) ? Dir[File.join(path, '*.pp')].map { |file| File.read(file) }.join("\n") : ''
      end

      def test_manifest(type, options = {})
        options[:params] = params if respond_to?(:params)
        given = options[:params]
        case type
        when :class
          given.nil? || given == {} ? "include #{class_name}" : "class { '#{class_name}': #{param_str(given)} }"
        when :define
          titles = title.is_a?(Array) ? "[#{title.map { |one| sanitise_resource_title(one) }.join(', ')}]" : sanitise_resource_title(title)
          options.key?(:params) ? "#{class_name} { #{titles}: #{param_str(given)} }" : "#{class_name} { #{titles}: }"
        when :type_alias
          "$test = #{str_from_value(options[:test_value])}\nassert_type(#{self.class.top_level_description}, $test)"
        end
      end

      def sanitise_resource_title(title) = title.include?("'") ? title.inspect : "'#{title}'"

      def nodename(type)
        return node if respond_to?(:node)

        %i[class define function].include?(type) ? ::Puppet[:certname] : class_name
      end

      def class_name = self.class.top_level_description.downcase

      def pre_cond = respond_to?(:pre_condition) ? RSpec::Puppet.lines(pre_condition) : nil
      def post_cond = respond_to?(:post_condition) ? RSpec::Puppet.lines(post_condition) : nil

      def facts_hash(node)
        config = RSpec.configuration
        named = { 'hostname' => node.split('.').first, 'fqdn' => node, 'domain' => node.split('.', 2).last, 'clientcert' => node }
        named['ipaddress6'] = 'FE80:0000:0000:0000:AAAA:AAAA:AAAA' if config.facter_implementation.to_sym == :facter
        network = named.slice('hostname', 'fqdn', 'domain')
        result = config.default_facts.any? ? munge_facts(config.default_facts) : {}
        keep = ->(_, old, new) { old.nil? ? new : old }
        result.merge!(named, &keep)
        (result['networking'] ||= {}).merge!(network, &keep)
        result.merge!('clientversion' => ::Puppet::PUPPETVERSION, 'environment' => environment.to_s)
        result.merge!(munge_facts(facts)) if respond_to?(:facts)
        if respond_to?(:node) && config.derive_node_facts_from_nodename
          result.merge!(named)
          (result['networking'] ||= {}).merge!(network)
        end
        result.transform_keys(&:downcase)
      end

      def node_params_hash
        given = RSpec.configuration.default_node_params
        respond_to?(:node_params) ? given.merge(node_params) : given.dup
      end

      def trusted_facts_hash(_node = nil)
        given = munge_facts(RSpec.configuration.default_trusted_facts)
        respond_to?(:trusted_facts) ? given.merge(munge_facts(trusted_facts)) : given
      end

      def trusted_external_data_hash
        given = munge_facts(RSpec.configuration.default_trusted_external_data)
        respond_to?(:trusted_external_data) ? given.merge(munge_facts(trusted_external_data)) : given
      end

      def server_facts_hash(facts = {})
        network = facts['networking'].is_a?(Hash) ? facts['networking'] : {}
        { 'serverversion' => ::Puppet.version.to_s, 'servername' => network['fqdn'], 'serverip' => network['ip'] }.compact
      end

      def str_from_value(value)
        case value
        when Hash then "{ #{value.map { |key, one| "#{str_from_value(key)} => #{str_from_value(one)}" }.join(', ')} }"
        when Array then "[ #{value.map { |one| str_from_value(one) }.join(', ')} ]"
        when :default then 'default'
        when :undef then 'undef'
        when Symbol then str_from_value(value.to_s)
        when nil then 'nil'
        else escape_special_chars(value.inspect)
        end
      end

      def param_str(params) = params.map { |name, value| "#{name} => #{str_from_value(value)}" }.join(', ')
      alias param_str_from_hash param_str

      def munge_facts(facts)
        case facts
        when Hash then facts.to_h { |name, value| [name.to_s, munge_facts(value)] }
        when Array then facts.map { |value| munge_facts(value) }
        else facts
        end
      end

      def escape_special_chars(text) = text.gsub('$', '\\$')
      def ref(type, title) = RawString.new("#{type}['#{title}']")
      def sensitive(value) = Sensitive.new(value)
      def setup_puppet = ::Puppet[:vardir]
      def build_facts_hash = facts_hash(nodename(:class))

      # The inputs of a compilation.
      def __request(name, code, exported = false)
        facts = facts_hash(name)
        {
          code: code, node: name, facts: facts, variables: munge_facts(node_params_hash), trusted: trusted_facts_hash,
          external: trusted_external_data_hash, server_facts: server_facts_hash(facts), exported: exported,
          settings: __settings, modulepath: __modulepath, hiera_config: __hiera_config
        }
      end

      def __setting(name) = respond_to?(name) ? public_send(name) : RSpec.configuration.public_send(name)

      def __settings
        changed = ::Puppet.settings.changed
        { strict_variables: changed.fetch(:strict_variables) { __setting(:strict_variables) }, strict: changed.fetch(:strict, :error) }
      end

      def __modulepath
        (RSpec.configuration.module_path || File.join(__setting(:environmentpath).to_s, 'fixtures', 'modules')).to_s
          .split(File::PATH_SEPARATOR).reject(&:empty?).map { |path| File.expand_path(path) }
      end

      def __hiera_config
        path = ::Puppet.settings.changed[:hiera_config] || __setting(:hiera_config)
        path.nil? || path == '/dev/null' ? nil : File.expand_path(path.to_s)
      end
    end

    class << self
      def lines(code) = code.is_a?(Array) ? code.compact.join("\n") : code

      # Whether a test has replaced something that a compilation may use.
      def changed_compiler?
        return true if (::Puppet::Parser::Functions.made.keys - @made_before).any? || (::Puppet::Functions.created.keys - @created_before).any?

        RSpec::Mocks.active? && RSpec::Mocks.touches_others?([[::Puppet.features, :root?]])
      end

      def remember_functions
        @made_before = ::Puppet::Parser::Functions.made.keys
        @created_before = ::Puppet::Functions.created.keys
      end
    end
    remember_functions
  end

  configure do |config|
    {
      environmentpath: '/dev/null', module_path: nil, manifest: nil, config: nil, confdir: '/dev/null', default_facts: {},
      default_node_params: {}, default_trusted_facts: {}, default_trusted_external_data: {}, facter_implementation: :facter,
      hiera_config: '/dev/null', stringify_facts: true, strict_variables: false, setup_fixtures: true, derive_node_facts_from_nodename: true,
      adapter: nil, platform: :posix, vendormoduledir: '/dev/null', basemodulepath: '/dev/null', disable_module_hiera: false,
      fixture_hiera_configs: {}, use_fixture_spec_hiera: false, fallback_to_default_hiera: true, enable_pathname_stubbing: false,
      default_facter_version: '4.11.0', facterdb_string_keys: false, parser: 'future', trusted_node_data: true, trusted_server_facts: true,
      server_facts: {}, ordering: 'manifest', template_dir: nil, manifest_dir: nil, trusted_facts: {}
    }.each { |name, default| config.add_setting(name, default: default) }
  end
end
