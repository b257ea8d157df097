# Calls every method of String, Symbol, Regexp and MatchData, format and pack with arguments of many kinds, and prints what comes of it:
# the result, what became of the receiver, `$~`, or the exception. Two interpreters that agree print the same.
#
#   ruby text.rb [SEED [ROUNDS]]

SEED = (ARGV[0] || 1).to_i
ROUNDS = (ARGV[1] || 40).to_i
$state = SEED

def pick(list)
  $state = ($state * 6364136223846793005 + 1442695040888963407) % 18446744073709551616
  list[($state >> 33) % list.length]
end

def shown(value)
  case value
  when String then "#{value.inspect}#{"/#{value.encoding}" unless value.encoding == Encoding::UTF_8}"
  when Array then "[#{value.map { |item| shown(item) }.join(", ")}]"
  when Enumerator then "enumerator of #{shown(value.first(20))}"
  else value.inspect
  end
end

def attempt(label, receiver, args)
  result =
    begin
      shown(yield)
    rescue StandardError, NotImplementedError => error
      "#{error.class}: #{error.message}"
    end
  puts "#{label} #{result} <- #{shown(receiver)}"
rescue StandardError => error
  puts "#{label} cannot be shown: #{error.class}: #{error.message}"
end

STRINGS = [
  "", "a", "hello", "Hello World", "  padded \t\n", "línea ñandú", "ß ﬁ ǆ İ", "日本語テキスト", "a\nb\r\nc\n\n", "foo bar  baz", "x=1;y=2",
  "aaa", "abcabc", "az", "zz", "Zz9", "a9", "1.9", "-9", "<<koala>>", "0x1F", "0b101", "012", "1_000", "12.5e3kg", "3/4", "1+2i", "\0nul\0",
  "emoji 😀!", "tab\tsep", "per%cent", "back\\slash", "\#{x} \#$y \#@z #w", "\e[0m\a\b", "\u0300combining", "caf\u00e9", "cafe\u0301", "12:34:56",
  "a,b,,c,,", ",lead", "The quick brown fox jumps over the lazy dog", "ÀÉÎõü", "ΑΣ ας", "quote\"s", "'single'", "\u200b\u2028", "a-b_c.d",
].freeze
RAW = [
  "\xff\xfe".b, "bin\x80ary".b, "abc".b, "broken\xff\xe3\x81", "\xe3\x81", "ascii".force_encoding("US-ASCII"), "\x80".force_encoding("US-ASCII"),
  "latin\xe9".force_encoding("ISO-8859-1"), "a\0b\0".force_encoding("UTF-16LE"),
].freeze
PATTERNS = [
  /l/, /[aeiou]/, /(\w)(\d)?/, /(?<first>\w+)\s(?<second>\w+)/, /x*/, /^/, /$/, /\b/, /o.*o/, /(.)\1/, /\s+/, /[[:upper:]]+/, /日|é/, /(?i)HELLO/, /,/,
  /(a)|(b)/, //, /\Ah/, /\d+\z/, /(?<=a)b/, /[^a-z]/,
].freeze
NUMBERS = [0, 1, 2, 3, 5, -1, -2, -5, 10, 100, -100].freeze
RANGES = [0..1, 1..-1, 1...-1, 0...0, 2..1, -3..-1, 5.., ..2, 10..20, -100..2].freeze
ODD = [nil, :sym, 1.5, [], {}, Object, true, 2**70].freeze

def string = pick([STRINGS, STRINGS, STRINGS, STRINGS, RAW].sum { |list| list.length }.zero? ? [""] : (pick([0, 1, 2, 3, 4, 5, 6]) == 0 ? RAW : STRINGS))
def number = pick(NUMBERS)
def odd = pick(ODD)
def part = pick(["a", "l", "o", " ", "", "b", "é", "日", "\n", ",", "lo", "an", "x", "..", "\xff", "foo", "1"])
def set = pick(["a-z", "^a-z", "lo", "a-y", "-a", "a-", "\\-x", "^", "0-9", "é-ü", "z-a", "", "A-Z", "^\n"])

ARGUMENTS = {
  string: -> { string }, number: -> { number }, part: -> { part }, set: -> { set }, pattern: -> { pick(PATTERNS) }, range: -> { pick(RANGES) },
  odd: -> { odd }, either: -> { pick([part, pick(PATTERNS)]) }, base: -> { pick([2, 8, 10, 16, 36, 0, 1, 37, -2]) },
  replacement: -> { pick(["X", "", "<\\0>", "\\1\\2", "[\\k<first>]", "\\`|\\'", "\\\\", "é", { "l" => "L", "a" => 1 }, "\\+", "$1"]) },
  encoding: -> { pick(["UTF-8", "US-ASCII", "ASCII-8BIT", "UTF-16LE", "UTF-16BE", "UTF-32LE", "ISO-8859-1", Encoding::UTF_8, "nope", "Windows-1252"]) },
  option: -> { pick([:ascii, :turkic, :fold, :lithuanian, :other]) }, form: -> { pick([:nfc, :nfd, :nfkc, :nfkd, :bad]) },
  format: -> { pick([1, -5, 3.14159, "text", nil, :sym, [1, 2], [255, 3.5, "x"], { a: 1 }, 2**70, [-1.5e300]]) },
  directives: -> { pick(["a*", "A3 a", "C*", "U*", "b*", "B8", "H*", "h4", "m", "m0", "u", "M", "n N", "v V", "s l q", "w*", "@1 a2", "x2 C", "Z* a", "c3", "e", "X"]) },
}.freeze

STRING_CALLS = %w[
  upcase downcase swapcase capitalize upcase:option downcase:option capitalize:option swapcase:option
  strip lstrip rstrip chomp chomp:part chop squeeze squeeze:set delete:set delete:set,set count:set count:set,set tr:set,set tr_s:set,set
  length size bytesize empty? reverse chars bytes codepoints lines lines:part each_char each_byte each_line each_grapheme_cluster grapheme_clusters
  []:number []:number,number []:range []:pattern []:pattern,number []:part []:odd slice:range byteslice:number,number byteslice:range getbyte:number
  index:either index:either,number rindex:either rindex:either,number include?:part include?:odd start_with?:either end_with?:part
  split split:part split:pattern split:either,number partition:either rpartition:either scan:either sub:either,replacement gsub:either,replacement
  succ next ord chr hex oct sum to_i to_i:base to_f to_r to_c to_sym intern inspect dump hash.class
  ljust:number rjust:number center:number ljust:number,part rjust:number,part center:number,part
  +:string *:number <=>:string ==:string eql?:string casecmp:string casecmp?:string =~:pattern match:pattern match?:pattern match:pattern,number
  +:odd *:odd <=>:odd ==:odd casecmp:odd =~:odd concat:string prepend:part insert:number,part delete_prefix:part delete_suffix:part
  encoding valid_encoding? ascii_only? b scrub scrub:part encode:encoding force_encoding:encoding unicode_normalize:form unicode_normalized?
  %:format unpack:directives unpack1:directives upto:part between?:string,string clamp:string,string crypt.class
  to_s to_str frozen? replace:string each_codepoint byteslice:number index:odd split:odd center:odd tr:odd,part
].freeze
BANG_CALLS = %w[
  upcase! downcase! swapcase! capitalize! strip! lstrip! rstrip! chomp! chop! squeeze! reverse! succ! next! chomp!:part squeeze!:set delete!:set
  tr!:set,set tr_s!:set,set sub!:either,replacement gsub!:either,replacement slice!:number slice!:range slice!:pattern slice!:part slice!:number,number
  <<:string <<:number concat:part,part prepend:string insert:number,string clear replace:string []=:number,part []=:range,part []=:pattern,part
  []=:part,part []=:number,number,part []=:pattern,number,part setbyte:number,number force_encoding:encoding encode!:encoding scrub!
  delete_prefix!:part delete_suffix!:part unicode_normalize!:form []=:odd,part []=:number,odd <<:odd
].freeze
SYMBOL_CALLS = %w[
  inspect to_s length upcase downcase capitalize swapcase succ []:number []:range []:pattern <=>:string =~:pattern match?:pattern start_with?:part
  end_with?:part empty? to_proc.class casecmp:odd encoding size name
].freeze
PATTERN_CALLS = %w[
  source to_s inspect options names.inspect named_captures casefold? encoding fixed_encoding? =~:string ===:string match:string match?:string
  match:string,number ==:pattern =~:odd ===:odd match:odd hash.class
].freeze
MATCH_CALLS = %w[
  to_a captures named_captures names.inspect pre_match post_match to_s inspect size []:number []:range []:number,number begin:number end:number offset:number
  values_at:number,number string regexp ==:odd match:number match_length:number
].freeze

def call(receiver, spelling, kept)
  name, kinds = spelling.split(":", 2)
  name, after = name.split(".") unless name.start_with?(".")
  args = (kinds || "").split(",").map { |kind| ARGUMENTS.fetch(kind.to_sym).call }
  $~ = nil
  attempt("#{kept} #{spelling}(#{args.map { |arg| shown(arg) }.join(", ")})", receiver, args) do
    result = receiver.public_send(name, *args)
    result = result.public_send(after) if after
    result
  end
end

ROUNDS.times do
  STRING_CALLS.each do |spelling|
    next if spelling.start_with?("crypt")
    receiver = string.dup
    call(receiver, spelling, shown(receiver))
  end
  BANG_CALLS.each do |spelling|
    receiver = string.dup
    call(receiver, spelling, shown(receiver))
  end
  SYMBOL_CALLS.each do |spelling|
    receiver = pick(STRINGS).to_sym
    call(receiver, spelling, receiver.inspect)
  end
  PATTERN_CALLS.each do |spelling|
    receiver = pick(PATTERNS)
    call(receiver, spelling, receiver.inspect)
  end
  MATCH_CALLS.each do |spelling|
    pattern = pick(PATTERNS)
    receiver = pattern.match(pick(STRINGS)) || /(?<all>.*)/m.match(pick(STRINGS))
    call(receiver, spelling, receiver.inspect)
  end
  blocks = string.dup
  attempt("gsub block", blocks, []) { blocks.gsub(pick(PATTERNS)) { |found| "<#{found}#{$~.begin(0)}#{$1}>" } }
  attempt("scan block", blocks, []) { list = []; blocks.scan(pick(PATTERNS)) { |found| list << found << $`.length }; list }
  attempt("each_line chomp", blocks, []) { blocks.each_line(chomp: true).to_a }
  attempt("lines sep", blocks, []) { blocks.lines(part, chomp: true) }
  attempt("split block", blocks, []) { list = []; blocks.split(part) { |item| list << item }; list }
  attempt("upto", blocks, []) { pick(%w[a 9 az 08 Zz]).upto(pick(%w[e 11 bc 12 AAb]), pick([true, false])).first(30) }
  flags = pick(["", "-", "0", "+", " ", "#", "+0", "-#", " 0", "#0"])
  width = pick(["", "5", "12", "1"])
  precision = pick(["", ".0", ".3", ".10"])
  letter = pick(%w[d i u b B o x X f e E g G a A s p c])
  value = pick([0, 1, -1, 255, -255, 8, -8, 3.75, -0.1, 1e10, 1e-10, 123456789.0, "str", "12", nil, :sym, 2**70, -(2**70), Rational(1, 3), Float::INFINITY, Float::NAN, 0.5, 2.5])
  template = "[%#{flags}#{width}#{precision}#{letter}]"
  attempt("format #{template} #{value.inspect}", template, []) { format(template, value) }
  named = pick(["%<a>d", "%{a}", "%<a>5.1f|%{b}", "%-5<b>s|", "%<c>d", "%1$s %2$s %1$s", "%s %s", "%*d", "%%", "%", "%y", "%5 d", "%d %<a>d"])
  attempt("format #{named}", named, []) { format(named, *pick([[{ a: 1, b: "x" }], [1, 2], [5, 3], ["one"], []])) }
  directive = pick(%w[C c S s L l Q q N n V v U w d f e g E G a A Z B b H h u m M x X @]) + pick(["", "", "2", "*", "5", "0"])
  values = pick([[1, 2, 3], [255, -1, 65536], ["abc", "de"], ["10110", "01"], [1.5, -2.25], [2**64 + 7, -1], [nil, "x"], ["é日"], [0x20ac, 0x1f600]])
  attempt("pack #{values.inspect} #{directive}", directive, []) { values.pack(directive) }
end
