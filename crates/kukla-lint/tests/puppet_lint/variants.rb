# frozen_string_literal: true

# Writes damaged and rearranged variants of the examples of puppet-lint and its plugins, to be compared as files are.
#
#     ruby examples.rb CHECKOUT... > examples.json
#     ruby variants.rb examples.json DIRECTORY COUNT > list
#
# COUNT is the number of variants of each kind. The same examples and counts give the same variants.

require 'json'

random = Random.new(34)
codes = File.readlines(ARGV[0]).map { |line| JSON.parse(line)['code'] }.reject { |code| code.strip.empty? }.uniq.sort
pick = ->(choices) { choices[random.rand(choices.size)] }
some = ->(share) { random.rand < share }
ignored = %w[trailing_comma arrow_alignment double_quoted_strings 140chars documentation]

kinds = {
  crlf: ->(code) { code.gsub(/\r?\n/, "\r\n") },
  tabs: ->(code) { code.gsub(/^( +)/) { |blanks| "\t" * (blanks.size / 2) } },
  class: ->(code) { "# doc\nclass foo::bar(\n  String $a = '',\n  $b = undef,\n) {\n#{code.gsub(/^/, '  ')}\n}\n" },
  ignore: ->(code) { code.lines.map { |line| some[0.4] ? "#{line.chomp} # lint:ignore:#{pick[ignored]}\n" : line }.join },
  block: ->(code) { "# lint:ignore:variable_scope lint:ignore:strict_indent why\n#{code}\n# lint:endignore\n#{code}" },
  strings: ->(code) { "#{code}\n$z = \"x ${foo['a']} ${bar(\"y${baz}\")} $::qux ${facts[\"a\"]} \\${no} $9\"\n" },
  heredoc: ->(code) { "$h = @(\"EOT\"/L)\n  some ${var} \"text\" => here\n  | EOT\n#{code}\n$i = @(END)\nplain $x\nEND\n" },
  cut: ->(code) { code[0..random.rand(code.size)] },
  lines: ->(code) { code.lines.reject { some[0.12] }.join },
  blanks: ->(code) { code.gsub(/\s+/) { |blanks| some[0.1] ? '' : blanks } },
  twice: ->(code) { code + code },
  join: ->(code) { "#{code.chomp} #{pick[codes]}" },
  quotes: ->(code) { code.tr("'", '"') },
  names: ->(code) { code.gsub(/\$[a-z_]+/) { |name| some[0.4] ? name.upcase : name } },
  commas: ->(code) { code.gsub(/,(?=\s*\n)/) { |comma| some[0.5] ? comma : '' } },
  arrows: ->(code) { code.gsub(/ *=> */) { |arrow| some[0.4] ? pick[['=>', '  => ', ' =>  ', '=> ', ' =>', "\t=>\n   "]] : arrow } },
  brackets: ->(code) { code.gsub(/[{}\[\]()]/) { |bracket| "#{pick[['', '', ' ', "\n"]]}#{bracket}#{pick[['', '', ' ', "\n\n"]]}" } },
  comments: ->(code) { code.gsub(/$/) { some[0.3] ? pick[[' # c', ' // d', ' /* e */']] : '' } }
}

kinds.each do |kind, change|
  codes.sample(ARGV[2].to_i, random: random).each_with_index do |code, index|
    path = File.join(File.expand_path(ARGV[1]), "#{kind}-#{index}.pp")
    File.write(path, change[code])
    puts path
  end
end
