# Comma-separated values.

class CSV
  include Enumerable

  class MalformedCSVError < RuntimeError
    attr_reader :line_number
    alias lineno line_number

    def initialize(message, line_number)
      @line_number = line_number
      super("#{message} in line #{line_number}.")
    end
  end

  # A line with headers.
  class Row
    include Enumerable

    def initialize(headers, fields, header_row = false)
      @header_row = header_row
      size = [headers.size, fields.size].max
      @row = Array.new(size) { |at| [headers[at], fields[at]] }
    end

    def header_row? = @header_row
    def field_row? = !@header_row
    def headers = @row.map(&:first)
    def fields(*wanted) = wanted.empty? ? @row.map(&:last) : wanted.map { |one| self[one] }
    alias values_at fields

    def [](key, offset = 0)
      return @row[key]&.last if key.is_a?(Integer)

      found = @row.drop(offset).assoc(key)
      found && found.last
    end
    alias field []

    def []=(key, value)
      return (@row[key] ||= [nil, nil])[1] = value if key.is_a?(Integer)

      found = @row.assoc(key)
      found ? found[1] = value : @row << [key, value]
    end

    def fetch(key, *default)
      found = @row.assoc(key)
      return found.last if found
      return yield(key) if block_given?
      return default.first unless default.empty?

      raise KeyError, "key not found: #{key}"
    end

    def key?(key) = !@row.assoc(key).nil?
    alias has_key? key?
    alias include? key?
    alias member? key?
    alias header? key?
    def size = @row.size
    alias length size
    def empty? = @row.empty?
    def each(&block) = block ? (@row.each(&block); self) : @row.each
    alias each_pair each
    def to_h = @row.each_with_object({}) { |(key, value), hash| hash[key] = value unless hash.key?(key) }
    alias to_hash to_h
    def to_csv(**options) = fields.to_csv(**options)
    alias to_s to_csv
    def <<(field) = tap { @row << (field.is_a?(Array) && field.size == 2 ? field : [nil, field]) }
    def dig(key, *rest) = rest.empty? ? self[key] : self[key]&.dig(*rest)
    def delete(key) = @row.delete(@row.assoc(key)) || []
    def ==(other) = other.is_a?(Row) ? @row == other.each.to_a : @row == other
    def inspect = "#<CSV::Row#{@row.map { |key, value| " #{key.is_a?(Symbol) ? key.to_s : key.inspect}:#{value.inspect}" }.join}>"
  end

  # Lines with headers.
  class Table
    include Enumerable

    def initialize(rows, headers: nil)
      @rows = rows
      @headers = headers
    end

    def headers = @rows.empty? ? @headers.to_a : @rows.first.headers
    def [](key) = key.is_a?(Integer) || key.is_a?(Range) ? @rows[key] : @rows.map { |row| row[key] }
    def each(&block) = block ? (@rows.each(&block); self) : @rows.each
    def size = @rows.size
    alias length size
    def <<(row) = tap { @rows << (row.is_a?(Array) ? Row.new(headers, row) : row) }
    def to_a = [headers, *@rows.map(&:fields)]
    def by_col = self
    def by_row = self
    def to_csv(write_headers: true, **options) = [*([headers] if write_headers), *@rows.map(&:fields)].map { |row| CSV.generate_line(row, **options) }.join
    alias to_s to_csv
    def ==(other) = other.is_a?(Table) ? @rows == other.each.to_a : @rows == other
    def inspect = "#<CSV::Table mode:col_or_row row_count:#{size + 1}>"
  end

  Converters = {
    integer: ->(text) { Integer(text, exception: false) || text },
    float: ->(text) { Float(text, exception: false) || text },
    numeric: %i[integer float], all: %i[numeric]
  }

  HeaderConverters = {
    downcase: ->(text) { text.downcase },
    symbol: ->(text) { text.strip.downcase.gsub(/[^\s\w]+/, '').gsub(/\s+/, '_').to_sym },
    symbol_raw: ->(text) { text.strip.to_sym }
  }

  class << self
    def parse(text, **options, &block)
      csv = new(text, **options)
      block ? csv.each(&block) : csv.read
    end

    def parse_line(line, **options) = new(line, **options).shift
    def read(path, **options) = parse(File.read(path), **options)
    alias readlines read
    def table(path, **options) = read(path, headers: true, converters: :numeric, header_converters: :symbol, **options)
    def foreach(path, _mode = 'r', **options, &block) = block ? new(File.read(path), **options).each(&block) : new(File.read(path), **options).to_enum

    def generate(text = +'', **options)
      csv = new(text, **options)
      yield csv
      csv.string
    end

    def generate_line(row, **options) = new(+'', **options).send(:line_of, row)
    def generate_lines(rows, **options) = rows.map { |row| generate_line(row, **options) }.join

    def open(path, mode = 'r', **options)
      return yield(new(File.read(path), **options)) if mode.start_with?('r') && block_given?
      return new(File.read(path), **options) if mode.start_with?('r')

      csv = new(mode.start_with?('a') && File.exist?(path) ? File.read(path) : +'', **options)
      yield(csv).tap { File.write(path, csv.string) }
    end
  end

  attr_reader :lineno, :headers

  def initialize(text = '', col_sep: ',', row_sep: :auto, quote_char: '"', headers: false, converters: nil, header_converters: nil,
                 skip_blanks: false, skip_lines: nil, liberal_parsing: false, force_quotes: false, write_headers: false, strip: false,
                 return_headers: false, nil_value: nil, empty_value: '', write_nil_value: nil, quote_empty: true, **)
    @text = text.respond_to?(:read) ? text.read : text
    @col_sep = col_sep
    @row_sep = row_sep == :auto ? (@text[/\r\n|\n|\r/] || "\n") : row_sep
    @quote = quote_char
    @wants_headers = headers
    @converters = all_of(converters, Converters)
    @header_converters = all_of(header_converters, HeaderConverters)
    @skip_blanks = skip_blanks
    @skip_lines = skip_lines.is_a?(String) ? Regexp.new(Regexp.escape(skip_lines)) : skip_lines
    @liberal = liberal_parsing
    @force_quotes = force_quotes
    @write_headers = write_headers
    @strip = strip
    @return_headers = return_headers
    @nil_value = nil_value
    @empty_value = empty_value
    @write_nil_value = write_nil_value
    @quote_empty = quote_empty
    @at = 0
    @lineno = 0
    @headers = nil
  end

  def string = @text
  def eof? = @at >= @text.size

  def shift
    prepare_headers
    row = next_row
    row && made(row)
  end
  alias gets shift
  alias readline shift

  def each
    return to_enum unless block_given?

    while (row = shift)
      yield row
    end
    self
  end

  def read
    rows = to_a
    @wants_headers ? Table.new(rows, headers: @headers) : rows
  end
  alias readlines read

  def <<(row)
    if @write_headers && @wants_headers.is_a?(Array) && !@wrote_headers
      @wrote_headers = true
      @text << line_of(@wants_headers)
    end
    row = @wants_headers.is_a?(Array) ? @wants_headers.map { |name| row[name] } : row.values if row.is_a?(Hash)
    @text << line_of(row.is_a?(Row) ? row.fields : row)
    self
  end
  alias add_row <<
  alias puts <<

  private

  def all_of(names, known)
    Array(names).flat_map { |name| name.is_a?(Symbol) ? all_of(known.fetch(name), known) : [name] }
  end

  def prepare_headers
    return if @headers || !@wants_headers

    names = case @wants_headers
            when Array then @wants_headers
            when String then CSV.parse_line(@wants_headers, col_sep: @col_sep)
            else next_row || []
            end
    @headers = names.map { |name| name.is_a?(String) ? @header_converters.inject(name) { |text, one| text.is_a?(String) ? one.call(text) : text } : name }
  end

  def made(row)
    row = row.map { |field| field.is_a?(String) ? @converters.inject(field) { |text, one| text.is_a?(String) ? one.call(text) : text } : field }
    @wants_headers ? Row.new(@headers, row) : row
  end

  def next_row
    loop do
      return nil if eof?

      start = @at
      row = fields
      raw = @text[start...@at].chomp
      next if @skip_lines && raw.match?(@skip_lines)
      next if row.empty? && (@skip_blanks || @wants_headers)

      return row
    end
  end

  def fields
    @lineno += 1
    row = []
    if @text[@at, @row_sep.size] == @row_sep
      @at += @row_sep.size
      return row
    end
    loop do
      row << (@text[@at] == @quote ? quoted : plain)
      if @text[@at, @col_sep.size] == @col_sep && !eof?
        @at += @col_sep.size
        next
      end
      @at += @row_sep.size if @text[@at, @row_sep.size] == @row_sep
      return row
    end
  end

  def plain
    ends = [@text.index(@col_sep, @at), @text.index(@row_sep, @at)].compact.min || @text.size
    field = @text[@at...ends]
    raise MalformedCSVError.new('Illegal quoting', @lineno) if field.include?(@quote) && !@liberal

    @at = ends
    field = field.strip if @strip
    field.empty? ? @nil_value : field
  end

  def quoted
    started = @lineno
    field = +''
    @at += 1
    loop do
      close = @text.index(@quote, @at) or raise MalformedCSVError.new('Unclosed quoted field', started)
      field << @text[@at...close]
      @at = close + 1
      break unless @text[@at] == @quote

      field << @quote
      @at += 1
    end
    unless eof? || @text[@at, @col_sep.size] == @col_sep || @text[@at, @row_sep.size] == @row_sep
      raise MalformedCSVError.new('Any value after quoted field isn\'t allowed', started) unless @liberal
    end
    field.empty? ? @empty_value : field
  end

  def line_of(row)
    "#{row.map { |field| written(field) }.join(@col_sep)}#{@row_sep}"
  end

  def written(field)
    return @force_quotes ? "#{@quote}#{@quote}" : @write_nil_value.to_s if field.nil?

    text = field.to_s
    special = text.empty? ? @quote_empty : text.match?(/\A\s|\s\z|[\r\n]/) || text.include?(@quote) || text.include?(@col_sep)
    return text unless special || @force_quotes

    "#{@quote}#{text.gsub(@quote, @quote * 2)}#{@quote}"
  end
end

class Array
  def to_csv(**options) = CSV.generate_line(self, **options)
end

class String
  def parse_csv(**options) = CSV.parse_line(self, **options)
end
