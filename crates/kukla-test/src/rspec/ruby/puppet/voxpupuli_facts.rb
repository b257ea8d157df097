# Facts that Vox Pupuli's helper adds, and how a test replaces some.

def override_facts(base_facts, **overrides)
  facts = RspecPuppetFacts.copy(base_facts)
  apply_overrides!(facts, overrides, false)
  facts
end

def apply_overrides!(facts, overrides, nested)
  overrides.each do |key, value|
    key = key.to_s if nested
    if value.is_a?(Hash)
      facts[key] = {} unless facts.key?(key)
      apply_overrides!(facts[key], value, true)
    else
      facts[key] = value
    end
  end
end

def add_mocked_facts! = add_facts_for_metadata(RspecPuppetFacts.metadata)

def add_facts_for_metadata(metadata)
  (metadata && metadata['dependencies'] || []).each do |dependency|
    case dependency['name']&.sub('-', '/')
    when 'camptocamp/systemd', 'puppet/systemd'
      key = RSpec.configuration.facterdb_string_keys ? 'service_provider' : :service_provider
      add_custom_fact(:systemd, ->(_os, facts) { facts[key] == 'systemd' })
    when 'puppetlabs/stdlib' then add_stdlib_facts
    end
  end
end

def add_stdlib_facts
  add_custom_fact :puppet_environmentpath, '/etc/puppetlabs/code/environments'
  add_custom_fact :puppet_vardir, '/opt/puppetlabs/puppet/cache'
  add_custom_fact :root_home, '/root'
  add_custom_fact(:service_provider, lambda do |_os, facts|
    os = RSpec.configuration.facterdb_string_keys ? facts['os'] : facts[:os]
    case os['family'].downcase
    when 'archlinux', 'debian', 'redhat' then 'systemd'
    when 'darwin' then 'launchd'
    when 'freebsd' then 'freebsd'
    when 'gentoo' then 'openrc'
    when 'openbsd' then 'openbsd'
    when 'suse' then os['release']['major'].to_i >= 12 ? 'systemd' : 'redhat'
    when 'windows' then 'windows'
    else 'init'
    end
  end)
end
