# frozen_string_literal: true

require 'rspec-puppet'

RSpec.configure do |config|
  config.module_path = ENV.fetch('MODULES')
  config.environmentpath = __dir__
  config.default_facts = { os: { name: 'Other' }, networking: { fqdn: 'a.example.com', ip: '192.0.2.1' } }
end
