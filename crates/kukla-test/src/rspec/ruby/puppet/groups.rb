# The kinds of examples, by their directory or their `type`.

module RSpec
  module Puppet
    {
      ClassExampleGroup: :class, DefineExampleGroup: :define, HostExampleGroup: :host
    }.each do |name, kind|
      group = Module.new do
        include ManifestMatchers
        include Support

        define_method(:catalogue) { @catalogue ||= load_catalogue(kind) }
        define_method(:exported_resources) { -> { load_catalogue(kind, true) } }
      end
      const_set(name, group)
    end

    module TypeAliasExampleGroup
      include TypeAliasMatchers
      include Support

      def catalogue(value) = load_catalogue(:type_alias, false, test_value: value)
      def subject = ->(value) { catalogue(value) }
    end

    module ProviderExampleGroup; end
  end

  configure do |config|
    {
      Puppet::DefineExampleGroup => [:define, 'defines'], Puppet::ClassExampleGroup => [:class, 'classes'],
      Puppet::FunctionExampleGroup => [:puppet_function, 'functions'], Puppet::HostExampleGroup => [:host, 'hosts'],
      Puppet::TypeExampleGroup => [:type, 'types'], Puppet::TypeAliasExampleGroup => [:type_alias, 'type_aliases'],
      Puppet::ProviderExampleGroup => [:provider, 'providers']
    }.each do |group, (type, directory)|
      path = %r{spec[\\/]#{directory}}
      config.include group, type: type, file_path: ->(file, metadata) { metadata[:type].nil? && path.match?(file) }
    end
  end
end
