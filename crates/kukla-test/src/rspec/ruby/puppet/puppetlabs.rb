# What `require 'puppetlabs_spec_helper/module_spec_helper'` sets.

require 'puppetlabs_spec_helper/contents'

module PuppetlabsSpec
  module Files
    def make_absolute(path) = path
    def tmpfilename(name) = File.join(Dir.tmpdir, "#{name}-#{rand(1_000_000)}")
    def tmpdir(name) = tmpfilename(name).tap { |path| Dir.mkdir(path) }
    def cleanup = nil
    module_function :make_absolute, :tmpfilename, :tmpdir, :cleanup
  end

  module PuppetInternals
    class << self
      def scope(*) = Puppet::Parser::Scope.top
      def resource(type = :hostclass, name = 'testing') = Puppet::Parser::Resource.new(type.to_s, name)
      def compiler(*) = Puppet::Parser::Scope.top.compiler
      def node(*) = compiler.node
      def modulepath = RSpec.configuration.module_path
    end
  end
end

RSpec.configure do |config|
  spec = File.expand_path(File.join(Dir.pwd, 'spec'))
  config.environmentpath = spec
  config.module_path = [File.join(spec, 'fixtures', 'modules'), ENV.fetch('MODULEPATH', nil)].compact.join(File::PATH_SEPARATOR)
  config.strict_variables = ENV['STRICT_VARIABLES'] != 'no'
  config.before { @logs = [] }
end
