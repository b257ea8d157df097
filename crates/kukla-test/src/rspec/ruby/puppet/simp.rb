# Fact sets as SIMP's suites ask for them: over the same systems, with SELinux and facts of the suite's own.
# frozen_string_literal: true

module Simp
  module RspecPuppetFacts
    SELINUX_MODES = %i[enforcing disabled permissive].freeze

    def on_supported_os(options = {})
      options = options.dup
      more = options.delete(:extra_facts) || {}
      last = options.delete(:extra_facts_immutable) || {}
      mode = options.delete(:selinux_mode) || :enforcing
      wanted = ENV['SIMP_FACTS_OS'].to_s.strip
      found = super(options)
      unless wanted.empty? || wanted.match?(/all/i)
        found = found.select { |name, _| wanted.split(/[ ,]+/).any? { |part| name.match?(part) } }
      end
      found.transform_values do |facts|
        facts = facts.merge(more).merge(puppetversion: Puppet.version)
        facts.merge(Simp::RspecPuppetFacts.system_facts(facts, mode)).merge(last)
      end
    end

    def self.system_facts(facts, mode)
      return {} if facts[:kernel].to_s.casecmp?('windows')
      unless SELINUX_MODES.include?(mode)
        raise "FATAL: `mode` must be one of: #{SELINUX_MODES.map { |known| ":#{known}" }.join(', ')}"
      end

      {
        lsbmajdistrelease: facts.dig(:os, 'release', 'major'),
        selinux: mode != :disabled,
        selinux_enforced: mode == :enforcing,
        selinux_current_mode: mode.to_s,
        selinux_state: mode.to_s,
      }.compact
    end
  end
end
