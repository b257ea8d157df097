# Puppet's settings, features and helpers as suites change them for a test.

module Puppet
  class Settings
    def [](name)
      return changed[:vardir] ||= FileUtils.mkdir_p(Dir.tmpdir) && Dir.mktmpdir if name.to_sym == :vardir

      changed.fetch(name.to_sym) { Puppet::Parser::Scope.setting(name.to_s) }
    end

    def []=(name, value)
      changed[name.to_sym] = value
    end

    # The settings that a test has changed.
    def changed
      @changed ||= { certname: 'rspec.example.com', confdir: '/dev/null', libdir: '/dev/null' }
    end

    def reset
      @changed = nil
    end

    def set_value(name, value, *)
      self[name] = value
    end

    def clear = nil
    def initialize_app_defaults(*) = nil
    def initialize_global_settings(*) = nil
  end

  class Features
    alias plain_method_missing method_missing

    def add(name, *, &block)
      define_singleton_method(:"#{name}?") { !!block&.call }
    end

    def root? = true
    def posix? = true
    def microsoft_windows? = false
    def load(*) = nil
  end

  module Test
    class LogCollector
      def initialize(logs)
        @logs = logs
      end

      def <<(message)
        @logs << message
      end
    end

    class TestHelper
      class << self
        %i[initialize before_all_tests after_all_tests before_each_test after_each_test].each { |name| define_method(name) { nil } }
      end
    end
  end

  module Util
    module Platform
      class << self
        attr_accessor :pretend_platform

        def actual_platform = :posix
        def actually_windows? = false
        def pretending? = !pretend_platform.nil?
        def pretend_windows? = pretend_platform == :windows
        def pretend_to_be(platform) = self.pretend_platform = platform
        def windows? = pretend_windows?
      end
    end

    module Log
      class << self
        attr_accessor :level

        def newdestination(*) = nil
        def close_all = nil
        def close(*) = nil
        def with_destination(*) = yield
        def create(*) = nil
        def flushqueue = nil
      end
      self.level = :notice
    end
  end
end

RSpec.world.on_example { Puppet.settings.reset }
