# frozen_string_literal: true

# Prints what puppet-lint and its plugins find in files, one JSON object per file.
#
#     ruby files.rb [--fix] CHECKOUT... -- FILE...
#
# With --fix, only those that puppet-lint would fix.
# Each check starts afresh: some plugins change the lists of definitions that others read after them.

require 'json'

fixes = ARGV.first == '--fix' && ARGV.shift
split = ARGV.index('--')
checkouts = ARGV[0...split].map { |path| File.expand_path(path) }
files = ARGV[(split + 1)..].flat_map { |file| file.start_with?('@') ? File.readlines(file[1..], chomp: true) : [file] }
checkouts.each { |path| $LOAD_PATH.unshift(File.join(path, 'lib')) }
ENV.delete('GITHUB_ACTION')
require 'puppet-lint'
checkouts.each do |path|
  next if File.exist?(File.join(path, 'lib/puppet-lint/lexer.rb'))

  Dir[File.join(path, 'lib/puppet-lint/plugins/**/*.rb')].sort.each { |file| load(file) }
end

$stdout.sync = true
files.each do |file|
  text = File.open(file, 'rb:UTF-8', &:read)
  linter = PuppetLint::Checks.new
  # A heredoc that the file before did not end would go on here.
  PuppetLint::Lexer.heredoc_queue.clear
  begin
    linter.load_data(file, text)
  rescue StandardError => e
    puts({ file: file, crash: e.class.to_s }.to_json)
    next
  end
  found = linter.problems.map(&:dup)
  crashed = []
  tokens = PuppetLint::Data.instance_variable_get(:@tokens)
  PuppetLint.configuration.check_object.each do |name, check|
    fixes ? linter.load_data(file, text) : PuppetLint::Data.tokens = tokens
    begin
      rule = check.new
      problems = rule.run
      problems = rule.fix_problems.select { |problem| problem[:kind] == :fixed } if fixes
      found.concat(problems)
    rescue PuppetLint::SyntaxError => e
      found << { check: :syntax, kind: :error, message: 'Syntax error', line: e.token.line, column: e.token.column, of: name }
    rescue StandardError
      crashed << name
    end
  end
  puts({ file: file, crashed: crashed, problems: found.map { |p| p.slice(:kind, :check, :message, :line, :column, :of) } }.to_json)
end
