# What `require 'voxpupuli/test/spec_helper'` sets.

require 'puppetlabs_spec_helper/contents'
require 'voxpupuli/test/facts'

RSpec.configure do |config|
  spec = File.expand_path(File.join(Dir.pwd, 'spec'))
  config.environmentpath = spec
  config.module_path = File.join(spec, 'fixtures', 'modules')
  config.strict_variables = true
  config.facter_implementation = 'rspec'
  config.facterdb_string_keys = false
end
