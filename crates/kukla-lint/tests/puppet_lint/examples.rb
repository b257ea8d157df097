# frozen_string_literal: true

# Prints what puppet-lint and its plugins find in the examples of their own specifications, one JSON object per line.
#
#     ruby examples.rb CHECKOUT...
#
# Each CHECKOUT is a source tree of puppet-lint or of a plugin; one of them is puppet-lint. The examples run in RSpec with a helper of our own,
# which records the code, the settings and the result of each. Whether the example itself passes does not matter here.

require 'json'
require 'rspec/core'
require 'tmpdir'

checkouts = ARGV.map { |path| File.expand_path(path) }
checkouts.each { |path| $LOAD_PATH.unshift(File.join(path, 'lib')) }
ENV.delete('GITHUB_ACTION')
require 'puppet-lint'

checkouts.each do |path|
  Dir[File.join(path, 'lib/puppet-lint/plugins/**/*.rb')].sort.each do |file|
    load(file) unless path.end_with?('puppet-lint') && File.exist?(File.join(path, 'lib/puppet-lint/lexer.rb'))
  end
end

SETTINGS = %w[relative top_scope_variables chars_per_indent docs_allowed_styles].freeze
RECORDED = {}

module Recording
  def subject
    return @recorded if @recorded

    check = self.class.top_level_description
    file = respond_to?(:path) ? path : ''
    linter = PuppetLint::Checks.new
    text = code
    PuppetLint::Data.path = file
    linter.load_data(file, text)
    rule = PuppetLint.configuration.check_object[check.to_sym].new
    found = linter.problems + rule.run
    before = found.map(&:dup)
    fix = PuppetLint.configuration.fix
    fixed = nil
    if fix
      found = rule.fix_problems
      fixed = PuppetLint::Data.tokens.map(&:to_manifest).join
    end
    linter.problems = found
    settings = SETTINGS.to_h { |name| [name, PuppetLint.configuration.settings[name]] }.compact
    # Some specifications make every path that of a data file.
    shown = file.empty? && File.extname(file) == '.yaml' ? 'data.yaml' : file
    record = {
      check: check, code: text, path: shown, fix: fix, settings: settings, manifest: fixed,
      problems: before.map { |p| p.slice(:kind, :check, :message, :line, :column, :reason) },
      after: found.map { |p| p.slice(:kind, :check, :message, :line, :column, :reason) }
    }
    RECORDED[record.to_json] = true
    @recorded = linter
  end

  def problems
    subject.problems
  end

  def manifest
    PuppetLint::Data.tokens.map(&:to_manifest).join
  end

  def method_missing(method, *args, &)
    return AnyMatcher.new if method.to_s.start_with?('contain_')

    super
  end

  def respond_to_missing?(method, *)
    method.to_s.start_with?('contain_') || super
  end

  # Accepts everything: results are compared elsewhere.
  class AnyMatcher
    def matches?(_)
      true
    end

    def does_not_match?(_)
      true
    end

    def description
      'contain'
    end

    %i[on_line in_column with_reason].each { |name| define_method(name) { |*| self } }
  end
end

# `its(:problems) { … }` comes from a library that is not needed otherwise.
module Its
  def its(*, &)
    it { problems }
  end
end

RSpec.configure do |config|
  config.include(Recording)
  config.extend(Its)
end

Dir.mktmpdir do |directory|
  File.write(File.join(directory, 'spec_helper.rb'), '')
  files = checkouts.flat_map { |path| Dir[File.join(path, 'spec/**/*_{check,spec}*.rb')] }
  files = files.select { |file| file.match?(%r{puppet-lint/plugins/.*_spec\.rb\z}) }
  quiet = File.open(File::NULL, 'w')
  options = RSpec::Core::ConfigurationOptions.new(['-I', directory, '--format', 'progress', *files])
  RSpec::Core::Runner.new(options).run(quiet, quiet)
end
puts RECORDED.keys
