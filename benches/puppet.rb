# Puppet as a peer of the benchmarks: answers `compile` requests, a line of JSON each, as `kukla rpc` does, in one process.
#
#     ruby benches/puppet.rb rpc                      # the Puppet that is installed
#     ruby -I checkout/lib benches/puppet.rb rpc      # another one
#
# By default each request gets a new environment, as with `environment_timeout = 0`; with the setting `environment_timeout`
# at `unlimited` the environment of the first request serves the later ones.

require 'json'
require 'tmpdir'
require 'puppet'

# Compiles what it is asked for, and keeps environments when it is told to.
class Peer
  def initialize(directory)
    Puppet.initialize_settings(['--confdir', directory, '--vardir', directory])
    Puppet[:strict] = :error
    Puppet[:strict_variables] = true
    Puppet::Util::Log.level = :err
    @nothing = File.join(directory, 'hiera.yaml')
    File.write(@nothing, "version: 5\nhierarchy: []\n")
    @kept = {}
  end

  def answer(request)
    params = request.fetch('params')
    Puppet[:code] = params['code'] || ''
    Puppet[:hiera_config] = params['hiera_config'] || @nothing
    (params['settings'] || {}).each { |name, value| Puppet[name.to_sym] = value unless name == 'environment_timeout' }
    environments, environment = environment_of(params)
    overrides = { environments: environments, current_environment: environment }
    catalog = Puppet.override(overrides) { compile(params, environment) }
    { id: request['id'], result: { catalog: catalog, logs: [] } }
  rescue StandardError => error
    { id: request['id'], error: { kind: 'evaluation', message: error.message } }
  end

  private

  def environment_of(params)
    keep = params.dig('settings', 'environment_timeout') == 'unlimited'
    key = params.values_at('environmentpath', 'modulepath', 'manifest')
    return @kept[key] if keep && @kept.key?(key)

    @kept[key] = create_environment(params)
  end

  def create_environment(params)
    path = params['environmentpath']
    manifest = params['manifest'] || Puppet::Node::Environment::NO_MANIFEST
    environment = Puppet::Node::Environment.create(:production, params['modulepath'] || [], manifest)
    loader =
      if path
        Puppet::Environments::StaticDirectory.new('production', File.join(path, 'production'), environment)
      else
        Puppet::Environments::Static.new(environment)
      end
    [loader, environment]
  end

  def compile(params, environment)
    environment.each_plugin_directory { |directory| $LOAD_PATH << directory unless $LOAD_PATH.include?(directory) }
    name = params['node'] || 'localhost'
    node = Puppet::Node.new(name, environment: environment, classes: params['classes'] || [])
    node.merge(params['variables'] || {})
    node.fact_merge(Puppet::Node::Facts.new(name, params['facts'] || {}))
    node.add_server_facts('environment' => 'production')
    hostname, domain = name.split('.', 2)
    node.trusted_data = { 'authenticated' => 'remote', 'certname' => name, 'hostname' => hostname, 'domain' => domain,
                          'extensions' => {}, 'external' => {} }
    catalog = Puppet::Parser::Compiler.new(node).compile(&:to_resource).filter(&:virtual?)
    Puppet.override(rich_data: true) { catalog.to_data_hash }
  end
end

$stdout.sync = true
Dir.mktmpdir('kukla-bench-puppet') do |directory|
  peer = Peer.new(directory)
  $stdin.each_line { |line| puts JSON.generate(peer.answer(JSON.parse(line))) }
end
