# A string that is read and written like a file.
class StringIO
  include Enumerable

  VERSION = "3.0.1"

  class << self
    def open(*args, **options)
      io = new(*args, **options)
      return io unless block_given?
      begin
        yield io
      ensure
        io.close unless io.closed?
        io.instance_variable_set(:@string, nil)
      end
    end
  end

  attr_accessor :lineno

  def initialize(string = (no_string = true; +""), mode = nil, **options)
    mode = options[:mode] if mode.nil? && options.key?(:mode)
    string = Kernel.raise(TypeError, "no implicit conversion of nil into String") if string.nil?
    unless String === string
      unless string.respond_to?(:to_str)
        name = [true, false].include?(string) ? string : string.class
        Kernel.raise(TypeError, "no implicit conversion of #{name} into String")
      end
      string = string.to_str
    end
    @string = string
    set_mode(mode || (string.frozen? ? "r" : "r+"))
    string.force_encoding(Encoding.default_external) if no_string
    @string.replace("") if @truncate
    @pos = 0
    @lineno = 0
  end

  def initialize_copy(other)
    super
    self
  end

  def reopen(*args)
    if args.length == 1 && StringIO === args[0]
      other = args[0]
      @string = other.string
      other.instance_variables.each { |name| instance_variable_set(name, other.instance_variable_get(name)) }
    else
      initialize(*args)
    end
    self
  end

  def string
    @string
  end

  def string=(string)
    string = convert_string(string)
    @string = string
    set_mode(string.frozen? ? "r" : "r+")
    @pos = 0
    @lineno = 0
    string
  end

  def pos
    @pos
  end
  alias tell pos

  def pos=(pos)
    raise Errno::EINVAL if pos < 0
    @pos = pos
  end

  def rewind
    @pos = 0
    @lineno = 0
    0
  end

  def seek(offset, whence = 0)
    raise IOError, "closed stream" if closed?
    raise TypeError, "no implicit conversion of #{offset.class} into Integer" unless offset.respond_to?(:to_int)

    offset = offset.to_int
    start = case whence
            when 0, :SET then 0
            when 1, :CUR then @pos
            when 2, :END then @string.bytesize
            else raise Errno::EINVAL, "invalid whence"
            end
    raise Errno::EINVAL if start + offset < 0
    @pos = start + offset
    0
  end

  def size
    raise IOError, "not opened" if @string.nil?
    @string.bytesize
  end
  alias length size

  def eof?
    check_readable
    @pos >= @string.bytesize
  end
  alias eof eof?

  def close
    @readable = @writable = false
    nil
  end

  def close_read
    raise IOError, "closing non-duplex IO for reading" unless @could_read
    @readable = false
    nil
  end

  def close_write
    raise IOError, "closing non-duplex IO for writing" unless @could_write
    @writable = false
    nil
  end

  def closed?
    !@readable && !@writable
  end

  def closed_read?
    !@readable
  end

  def closed_write?
    !@writable
  end

  def sync
    true
  end

  def sync=(value)
    value
  end

  def flush
    self
  end

  def fsync
    0
  end

  def fdatasync
    0
  end

  def fileno
    nil
  end

  def pid
    nil
  end

  def isatty
    false
  end
  alias tty? isatty

  def fcntl(*)
    raise NotImplementedError, "fcntl() function is unimplemented on this machine"
  end

  def binmode
    @encoding = Encoding::BINARY
    self
  end

  def external_encoding
    @encoding || @string.encoding
  end

  def internal_encoding
    nil
  end

  def set_encoding(encoding, *)
    encoding = encoding.nil? ? Encoding.default_external : encoding
    encoding = Encoding.find(encoding.split(":").first) if String === encoding
    @encoding = encoding
    @string.force_encoding(encoding) unless @string.frozen?
    self
  end

  def set_encoding_by_bom
    return nil unless @string.byteslice(0, 3) == "\xEF\xBB\xBF".b || @string.b.start_with?("\xEF\xBB\xBF".b)
    @pos = 3
    set_encoding(Encoding::UTF_8)
    Encoding::UTF_8
  end

  def read(length = nil, buffer = nil)
    check_readable
    unless buffer.nil?
      buffer = convert_string(buffer)
      raise FrozenError, "can't modify frozen #{buffer.class}: #{buffer.inspect}" if buffer.frozen?
    end
    if length.nil?
      result = @pos >= @string.bytesize ? +"" : @string.byteslice(@pos..)
      result = result.dup.force_encoding(external_encoding)
      @pos = @string.bytesize if @pos < @string.bytesize
      return buffer ? buffer.replace(result) : result
    end
    length = length.to_int
    raise ArgumentError, "negative length #{length} given" if length < 0
    if length > 0 && @pos >= @string.bytesize
      buffer&.replace("")
      return nil
    end
    result = (@string.byteslice(@pos, length) || +"").b
    @pos += result.bytesize
    buffer ? buffer.replace(result) : result
  end

  def pread(length, offset)
    raise ArgumentError, "negative string size (or size too big): #{length}" if length < 0
    raise Errno::EINVAL, "pread: Invalid offset argument" if offset < 0
    return +"" if length == 0
    raise EOFError, "end of file reached" if offset >= @string.bytesize
    @string.byteslice(offset, length).b
  end

  def sysread(length = nil, buffer = nil)
    result = read(length, buffer)
    raise EOFError, "end of file reached" if result.nil?
    result
  end
  alias readpartial sysread

  def read_nonblock(length = nil, buffer = nil, exception: true)
    result = read(length, buffer)
    raise EOFError, "end of file reached" if result.nil? && exception
    result
  end

  def getc
    check_readable
    return nil if @pos >= @string.bytesize
    char = @string.byteslice(@pos, 4).force_encoding(external_encoding)[0]
    @pos += char.bytesize
    char
  end

  def getbyte
    check_readable
    byte = @string.getbyte(@pos)
    @pos += 1 if byte
    byte
  end

  def readchar
    getc || raise(EOFError, "end of file reached")
  end

  def readbyte
    getbyte || raise(EOFError, "end of file reached")
  end

  def gets(*args, chomp: false)
    check_readable
    line = next_line(*line_arguments(args), chomp)
    @lineno += 1 if line
    $_ = line
  end

  def readline(*args, **options)
    gets(*args, **options) || raise(EOFError, "end of file reached")
  end

  def each_line(*args, chomp: false)
    return to_enum(:each_line, *args, chomp: chomp) unless block_given?
    check_readable
    separator, limit = line_arguments(args)
    raise ArgumentError, "invalid limit: 0 for each_line" if limit == 0
    while (line = next_line(separator, limit, chomp))
      @lineno += 1
      yield line
    end
    self
  end
  alias each each_line

  def readlines(*args, chomp: false)
    check_readable
    separator, limit = line_arguments(args)
    raise ArgumentError, "invalid limit: 0 for readlines" if limit == 0
    lines = []
    while (line = next_line(separator, limit, chomp))
      @lineno += 1
      lines << line
    end
    lines
  end

  def each_char
    return to_enum(:each_char) unless block_given?
    while (char = getc)
      yield char
    end
    self
  end

  def each_byte
    return to_enum(:each_byte) unless block_given?
    while (byte = getbyte)
      yield byte
    end
    self
  end

  def each_codepoint
    return to_enum(:each_codepoint) unless block_given?
    each_char { |char| yield char.ord }
  end

  def ungetc(char)
    check_readable
    return nil if char.nil?
    char = Integer === char ? char.chr(external_encoding) : char.to_str
    unread(char)
  end

  def ungetbyte(byte)
    check_readable
    return nil if byte.nil?
    unread(Integer === byte ? (byte & 0xff).chr : byte.to_str)
  end

  def write(*values)
    values.sum { |value| write_one(value) }
  end

  def syswrite(value)
    write(value)
  end

  def write_nonblock(value, **)
    write(value)
  end

  def <<(value)
    write(value)
    self
  end

  def print(*values)
    values = [$_] if values.empty?
    values.each_with_index do |value, index|
      write($,) if $, && index > 0
      write(value)
    end
    write($\) if $\
    nil
  end

  def puts(*values)
    return (write("\n"); nil) if values.empty?
    values.each { |value| put_line(value, []) }
    nil
  end

  def printf(format, *values)
    write(Kernel.format(format, *values))
    nil
  end

  def putc(value)
    unless String === value || value.respond_to?(:to_int)
      raise TypeError, "no implicit conversion of #{value.nil? ? "nil" : value.class} into Integer"
    end
    write(String === value ? value[0] : (value.to_int & 0xff).chr)
    value
  end

  def truncate(length)
    check_writable
    length = length.to_int
    raise Errno::EINVAL, "negative length" if length < 0
    missing = length - @string.bytesize
    missing > 0 ? @string << "\0" * missing : @string.replace(@string.byteslice(0, length))
    0
  end

  def inspect
    Kernel.instance_method(:to_s).bind_call(self)
  end

  private

  def set_mode(mode)
    @append = @truncate = false
    if Integer === mode
      access = mode & 3
      @readable = access != 1
      @writable = access != 0
      @truncate = mode & 512 != 0
      @append = mode & 1024 != 0
    else
      mode = mode.to_str
      plus = mode.include?("+")
      @readable = mode.start_with?("r") || plus
      @writable = !mode.start_with?("r") || plus
      @truncate = mode.start_with?("w")
      @append = mode.start_with?("a")
    end
    raise Errno::EACCES, "Permission denied" if @writable && @string.frozen?
    @could_read = @readable
    @could_write = @writable
  end

  def convert_string(value)
    return value if String === value
    raise TypeError, "no implicit conversion of #{value.nil? ? "nil" : value.class} into String" unless value.respond_to?(:to_str)
    value.to_str
  end

  def check_readable
    raise IOError, "not opened for reading" unless @readable
  end

  def check_writable
    raise IOError, "not opened for writing" unless @writable
  end

  # The separator and the limit that the arguments of `gets` mean.
  def line_arguments(args)
    raise ArgumentError, "wrong number of arguments (given #{args.length}, expected 0..2)" if args.length > 2
    return [$/, nil] if args.empty?
    first, second = args
    if args.length == 1
      return [nil, nil] if first.nil?
      return [first.to_str, nil] if first.respond_to?(:to_str)
      return [$/, first.to_int]
    end
    [first.nil? ? nil : first.to_str, second.nil? ? nil : second.to_int]
  end

  def next_line(separator, limit, chomp)
    return +"" if limit == 0
    size = @string.bytesize
    return nil if @pos >= size
    paragraph = separator == ""
    if paragraph
      @pos += 1 while @string.getbyte(@pos) == 10
      return nil if @pos >= size
    end
    wanted = paragraph ? "\n\n" : separator
    found = wanted && @string.byteindex(wanted, @pos)
    finish = found ? found + wanted.bytesize : size
    whole = true
    if limit && limit > 0 && finish - @pos > limit
      finish = @pos + limit
      finish += 1 until finish >= size || boundary?(finish)
      whole = false
    end
    line = @string.byteslice(@pos, finish - @pos)
    @pos = finish
    if paragraph && whole
      @pos += 1 while @string.getbyte(@pos) == 10
    end
    line = line.chomp(paragraph ? "\n\n" : separator) if chomp && whole && separator
    line.force_encoding(external_encoding)
  end

  def boundary?(position)
    byte = @string.getbyte(position)
    external_encoding != Encoding::UTF_8 || byte & 0xc0 != 0x80
  end

  def unread(bytes)
    count = bytes.bytesize
    return nil if count == 0
    encoding = @string.encoding
    all = @string.b
    all << "\0" * (@pos - all.bytesize) if @pos > all.bytesize
    if count <= @pos
      all[@pos - count, count] = bytes.b
      @pos -= count
    else
      all[0, @pos] = bytes.b
      @pos = 0
    end
    @string.replace(all.force_encoding(encoding))
    nil
  end

  def write_one(value)
    check_writable
    text = String === value ? value : value.to_s
    text = text.encode(external_encoding) if text.encoding != external_encoding && !text.ascii_only? && external_encoding != Encoding::BINARY && text.encoding != Encoding::BINARY
    count = text.bytesize
    return 0 if count == 0
    @pos = @string.bytesize if @append
    if @pos == @string.bytesize
      if text.encoding == @string.encoding || text.ascii_only?
        @string << text
      else
        @string.append_as_bytes(text)
      end
    else
      @string.append_as_bytes("\0" * (@pos - @string.bytesize)) if @pos > @string.bytesize
      encoding = @string.encoding
      all = @string.b
      all[@pos, count] = text.b
      @string.replace(all.force_encoding(encoding))
    end
    @pos += count
    count
  end

  def put_line(value, within)
    if Array === value
      return write("[...]\n") if within.any? { |other| other.equal?(value) }
      value.each { |inner| put_line(inner, within + [value]) }
    else
      line = String === value ? value : value.to_s
      line = Kernel.instance_method(:to_s).bind_call(value) unless String === line
      write(line)
      write("\n") unless line.end_with?("\n")
    end
  end
end
