# frozen_string_literal: true

# Compiles the catalogs of unmodified rspec-puppet suites with Kukla:
#
#     rspec -r path/to/kukla.rb
#
# The environment names the program (KUKLA, or `kukla` on the path) and options for it (KUKLA_OPTIONS).
# See docs/manual/rspec.md.

require 'rspec/core'

RSpec.configure do |config|
  # By now the suite has loaded rspec-puppet.
  config.before(:suite) do
    if defined?(RSpec::Puppet::Adapters::Base)
      require_relative 'kukla/adapter'
      require_relative 'kukla/functions'
      RSpec::Puppet::Adapters::Base.prepend(Kukla::Adapter)
      RSpec::Puppet::FunctionExampleGroup.prepend(Kukla::Functions)
      Puppet::Parser::Functions.singleton_class.prepend(Kukla::StandIns::Definitions)
      RSpec::Matchers::BuiltIn::RaiseError.prepend(Kukla::AnyClass)
    end
  end

  # Detects examples that seed Ruby's random numbers.
  config.before { @kukla_seed = Random.seed }
  config.after { srand(@kukla_seed) unless Random.seed == @kukla_seed }

  config.after(:suite) do
    left = defined?(Kukla::Functions) ? Kukla::Functions.left_to_puppet : 0
    config.reporter.message("#{left} examples of functions were left to Puppet, whose objects they use") if left.positive?
  end
end
