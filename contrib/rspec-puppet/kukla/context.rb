# frozen_string_literal: true

module Kukla
  # Where and for whom something is compiled: the parameters that all requests share.
  module Context
    SETTINGS = %i[strict strict_variables].freeze
    # What Puppet's helper for tests and rspec-puppet set for themselves.
    SET_BY_HELPERS = %i[autosign environment_timeout environmentpath keylength use_srv_records vardir].freeze
    # What manifests do not see.
    UNSEEN = %i[ciphers code http_proxy_password http_user_agent ldappassword maxwaitforcert name passfile].freeze

    class << self
      def of(node)
        facts = plain(node.facts ? node.facts.values : {})
        environment = Puppet.lookup(:current_environment)
        {
          'node' => node.name,
          'facts' => facts,
          'keep_nulls' => true,
          'variables' => variables(node, facts),
          'trusted' => plain(Puppet.lookup(:trusted_information).to_h),
          'server_facts' => plain(node.server_facts || {}),
          'environment' => environment.name.to_s,
          'modulepath' => environment.modulepath.map(&:to_s),
          'hiera_config' => hiera_config,
          'settings' => settings.to_h { |setting| [setting.to_s, plain(Puppet[setting])] },
        }
      end

      private

      # Those that decide how code is compiled, and those that the suite has set.
      def settings
        values = Puppet.settings.searchpath_values(Puppet::Settings::SearchPathElement.new(:memory, :values))
        set = Puppet.settings.each.map(&:first).reject { |setting| values.lookup(setting).nil? }
        SETTINGS | (set - SET_BY_HELPERS - UNSEEN)
      end

      # Parameters of the node are its facts and more.
      def variables(node, facts)
        plain(node.parameters).reject { |name, value| !value.nil? && facts[name] == value }
      end

      def hiera_config
        path = Puppet[:hiera_config].to_s
        File.file?(path) ? File.expand_path(path) : nil
      end

      def plain(value)
        case value
        when Hash then value.to_h { |key, inner| [key.to_s, plain(inner)] }
        when Array then value.map { |inner| plain(inner) }
        when Symbol then value == :undef ? nil : value.to_s
        else value
        end
      end
    end
  end
end
