# Reads Puppetfiles with r10k's own reader and prints the modules of each as a line of JSON.
require 'json'
require 'r10k/module_loader/puppetfile'

def row(mod, base)
  kind = mod.class.name.split('::').last.downcase
  kind = mod.instance_variable_get(:@implementation).name.split('::').last.downcase if kind == 'definition'
  excludes_spec = mod.instance_variable_get(:@exclude_spec) && mod.spec_deletable
  row = { title: mod.title, name: mod.name, directory: mod.dirname.to_s.delete_prefix(base).delete_prefix('/'), kind: kind, keep_spec: !excludes_spec }
  case kind
  when 'git'
    reference = mod.instance_variable_get(:@desired_ref)
    row[:url] = mod.instance_variable_get(:@remote)
    row[:reference] = reference.is_a?(Symbol) ? ":#{reference}" : reference&.to_s
    row[:default] = mod.instance_variable_get(:@default_ref)
  when 'forge'
    row[:version] = mod.instance_variable_get(:@expected_version).to_s
  end
  row
end

ARGV.each do |file|
  base = File.dirname(File.expand_path(file))
  modules = R10K::ModuleLoader::Puppetfile.new(basedir: base, puppetfile: File.basename(file)).load![:modules]
  puts JSON.generate(file: file, modules: modules.map { |mod| row(mod, base) })
rescue StandardError, ScriptError => e
  puts JSON.generate(file: file, error: e.message)
end
