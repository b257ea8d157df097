# Fact sets for examples over many systems: what rspec-puppet-facts and facterdb give.

module FacterDB
  class << self
    def get_facts(filters = nil, symbolize_keys: true, **)
      Array(filters.is_a?(Hash) ? [filters] : filters).flat_map do |filter|
        wanted = filter.transform_keys(&:to_s)
        RspecPuppetFacts.sets.filter_map { |set| RspecPuppetFacts.facts_of(set, symbolize_keys) if set?(set, wanted) }
      end
    end

    private

    def set?(set, wanted)
      _, system, full, major, hardware = set
      names = {
        'os.name' => system, 'operatingsystem' => system, 'os.release.full' => full, 'operatingsystemrelease' => full,
        'os.release.major' => major, 'operatingsystemmajrelease' => major, 'os.hardware' => hardware, 'hardwaremodel' => hardware
      }
      wanted.all? { |name, value| !names.key?(name) || fits?(value, names[name]) }
    end

    def fits?(wanted, actual)
      return actual.to_s.match?(Regexp.new(wanted[1..-2])) if wanted.is_a?(String) && wanted.match?(%r{\A/.*/\z})

      wanted.to_s.delete('"').casecmp?(actual.to_s)
    end
  end
end

module RspecPuppetFacts
  @custom = {}
  @cache = {}

  # The systems that facterdb knows with Facter 4: others have no examples.
  COLLECTED = {
    'AlmaLinux' => %w[8 9 10], 'Amazon' => %w[2 2022], 'Archlinux' => nil, 'CentOS' => %w[9 10], 'Darwin' => %w[20],
    'Debian' => %w[11 12 13], 'Fedora' => %w[36 37 38 39 40 41], 'FreeBSD' => %w[11 12 13 14], 'Gentoo' => nil, 'OpenBSD' => %w[7],
    'OracleLinux' => %w[7 8 9], 'RedHat' => %w[8 9], 'Rocky' => %w[8 9 10], 'SLES' => %w[12 15], 'Scientific' => %w[7],
    'Ubuntu' => %w[18.04 20.04 21.04 21.10 22.04 22.10 24.04], 'openSUSE' => %w[15],
    'windows' => ['10', '11', '2012', '2012 R2', '2016', '2019', '2022']
  }.freeze

  class << self
    def sets
      @sets ||= Kukla::Suite.fact_sets.select do |_, system, _, major, _|
        COLLECTED.key?(system) && (COLLECTED[system].nil? || COLLECTED[system].include?(major))
      end
    end

    def facts_of(set, symbolize)
      facts = Kukla::Suite.fact_set(set.first)
      symbolize ? facts.transform_keys(&:to_sym) : facts
    end

    # A copy that a test may change.
    def copy(value)
      case value
      when Hash then value.transform_values { |inner| copy(inner) }
      when Array then value.map { |inner| copy(inner) }
      when String then value.dup
      else value
      end
    end

    def custom_facts = @custom

    def register_custom_fact(name, value, options)
      @cache.clear
      @custom[RSpec.configuration.facterdb_string_keys ? name.to_s : name.to_sym] = { options: options, value: value }
    end

    def with_custom_facts(os, facts)
      @custom.each do |name, fact|
        options = fact[:options]
        next if options[:confine] && !options[:confine].include?(os)
        next if options[:exclude]&.include?(os)

        value = fact[:value].respond_to?(:call) ? fact[:value].call(os, facts) : fact[:value]
        if options[:merge_facts]
          merge(facts, name => value)
        else
          facts[name] = value
        end
      end
      facts
    end

    def common_facts
      common = { rubysitedir: '/usr/lib/ruby/site_ruby/3.2.0', rubyversion: RUBY_VERSION, puppetversion: Puppet.version.to_s, implementation: 'openvox' }
      RSpec.configuration.facterdb_string_keys ? common.transform_keys(&:to_s) : common
    end

    def metadata = @metadata ||= JSON.parse(File.read('metadata.json'))
    def metadata_file = 'metadata.json'

    def meta_supported_os
      metadata['operatingsystem_support'] or raise StandardError, 'Unknown operatingsystem support in the metadata file!'
    end

    def warning(message) = warn(message)
    def spec_facts_os_filter = ENV.fetch('SPEC_FACTS_OS', nil)

    # The facts of all systems that the module supports, by name, made once.
    def supported(hardware, systems)
      key = [hardware, systems, @custom.keys, RSpec.configuration.facterdb_string_keys].inspect
      @cache[key] ||= systems.each_with_object({}) do |system, all|
        releases = Array(system['operatingsystemrelease'])
        releases = [nil] if releases.empty?
        releases.each { |release| hardware.each { |model| add(all, system['operatingsystem'], release, model) } }
      end
    end

    private

    def merge(facts, more)
      more.each do |name, value|
        facts[name].is_a?(Hash) && value.is_a?(Hash) ? merge(facts[name], value) : facts[name] = value
      end
    end

    def add(all, system, release, model)
      set = chosen(system, release, model)
      return unless set

      name = "#{set[1].downcase}-#{set[3]}-#{set[4]}"
      return if spec_facts_os_filter && !name.start_with?(spec_facts_os_filter)

      facts = facts_of(set, !RSpec.configuration.facterdb_string_keys)
      facts.merge!(common_facts)
      all[name] = with_custom_facts(name, facts)
    end

    def chosen(system, release, model)
      pattern = release && /\A#{Regexp.escape(release.split(' ')[0])}/
      exact = nil
      case system
      when /BSD/i then model = 'amd64'
      when /Solaris/i then model = 'i86pc'
      when /AIX/i
        pattern = release.match?(/\A\d+\.\d+\z/) ? /\A#{release.delete('.')}00-/ : /\A#{release}-/ if release
        model = /\AIBM,/
      when /Windows/i
        system = 'windows'
        model = 'x86_64'
        exact = release[/\A(?:Server )?(.+)/i, 1] if release
      when /Amazon/i then pattern = /\A2\z/ if release == '2'
      end
      sets.reverse.find do |_, name, full, _, hardware|
        name == system && model === hardware && (exact ? full == exact : pattern.nil? || pattern.match?(full))
      end
    end
  end

  def on_supported_os(options = {})
    hardware = Array(options[:hardwaremodels] || ['x86_64'])
    found = RspecPuppetFacts.supported(hardware, options[:supported_os] || RspecPuppetFacts.meta_supported_os)
    RspecPuppetFacts.copy(found)
  end

  def add_custom_fact(name, value, options = {})
    options[:confine] = [options[:confine]] if options[:confine].is_a?(String)
    options[:exclude] = [options[:exclude]] if options[:exclude].is_a?(String)
    RspecPuppetFacts.register_custom_fact(name, value, options)
  end

  def stringify_keys(hash) = hash.to_h { |key, value| [key.to_s, value.is_a?(Hash) ? stringify_keys(value) : value] }
end

include RspecPuppetFacts # rubocop:disable Style/MixinUsage
